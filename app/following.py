"""What is chosen, computed: at once if that is short, or else beside the page; for every page that shows runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

import engine
from engine.exact import effort
from engine.systems import system_of

from .bridge import Bridge
from .model.results import STOPPED, Progress, Results, compared, compute, first_words, kernels, prepared
from .model.session import Choice
from .views.working import OLD_IS_SEEN, Heading
from .worker import Task, Work, Worker, is_served

AT_ONCE = 150_000
"""Steps, of all methods together, that are computed before the page answers; more are computed beside it."""
COMPILERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="compilers")
"""What compiles while pages are loaded, for all visitors."""
A_REFERENCE = 5
"""How many times as long as a method's a step of a reference run takes, about."""


class Following:
    """Computes choices, of which the newest wins, and has their results shown.

    Attributes
    ----------
    results : those that are shown.
    heading : the title of what is shown, with what is computed beside it.

    `show` is called with what was computed, `address` tells the link to a choice, and `failed` why there is nothing.
    """

    def __init__(
        self,
        bridge: Bridge,
        show: Callable[[Results], Any],
        address: Callable[[Choice], str],
        failed: Callable[[Exception], Any],
    ) -> None:
        self.results: Results | None = None
        self.worker = Worker()
        self.heading = Heading(self.worker.stop, "Computing", self._again)
        self._bridge, self._shows, self._address, self._failed = bridge, show, address, failed
        self._wanted: Choice | None = None

    def begin(self, choice: Choice) -> None:
        """What a page opens with: if that takes long, it is computed once the page is loaded."""
        if is_short(choice, self.results) or not is_served():
            self._show(compute(choice))
        else:
            self.heading.announce(first_words(choice))
            compile_beside(choice)
            pn.state.onload(lambda: self.follow(choice))

    def follow(self, choice: Choice) -> None:
        """Compute what is chosen; what was asked for before is given up for it."""
        self._wanted = choice
        self.worker.drop()
        if is_short(choice, self.results):
            self.heading.hide()
            self._show(compute(choice, before=self.results))
        else:
            self._bridge.expect(self._address(choice))
            self._start(partial(_runs, choice, self.results, not is_served()))

    def _again(self) -> None:
        if self._wanted is not None:
            self.follow(self._wanted)

    def _start(self, work: Work) -> None:
        heading = self.heading
        self.worker.start(Task(work, self._came, heading.tell, self._failed, heading.hide))

    def _came(self, results: Results | None) -> None:
        """What was computed beside the page; nothing, if it was stopped before there was anything."""
        if results is None:
            return self.heading.left(OLD_IS_SEEN)
        self._show(results)
        if results.awaited:
            self._start(partial(_compared, results))
        elif results.no_exact == STOPPED:
            self.heading.left("Stopped before the exact motion was known.")

    def _show(self, results: Results) -> None:
        self.results = results
        self._shows(results)


def is_short(choice: Choice, seen: Results | None) -> bool:
    """Whether a choice is computed in less time than a person notices: few steps, and nothing to compile."""
    if choice.adaptive or choice.effort > AT_ONCE or (not _is_compiled(choice, seen) and any(kernels(choice))):
        return False
    return _exact_is_short(choice)


def _is_compiled(choice: Choice, seen: Results | None) -> bool:
    """Whether what is seen took the same kernels: another Δt or duration alone needs no others."""
    if seen is None or seen.cancelled or (system_of(seen.problem).has_exact and seen.exact is None):
        return False
    return replace(seen.choice, dt=choice.dt, duration=choice.duration) == choice


def _exact_is_short(choice: Choice) -> bool:
    """Whether the exact motion is had in less time than a person notices, once it is compiled."""
    return A_REFERENCE * effort(choice.built(), choice.duration, choice.dt) <= AT_ONCE


def _runs(
    choice: Choice, before: Results | None, whole: bool, cancel: engine.Cancellation, along: Progress
) -> Results | None:
    """The results of a choice, if `whole` is not asked for without an exact motion that takes long.

    None, if it was cancelled before all was compiled.
    """
    of_runs, of_exact = kernels(choice)
    exact = whole or (not of_exact and _exact_is_short(choice))
    if not prepared([*of_exact, *of_runs] if exact else of_runs, cancel, along):
        return None
    return compute(choice, cancel, along, before, exact)


def _compared(results: Results, cancel: engine.Cancellation, along: Progress) -> Results:
    """Results with the exact motion that they await."""
    if not prepared(kernels(results.choice)[1], cancel, along):
        return replace(results, no_exact=STOPPED)

    def told(done: int, of: int) -> None:
        along(done / max(of, 1), "Computing the exact motion")

    told(0, 1)
    return compared(results, cancel, told)


def compile_beside(choice: Choice) -> None:
    """Compile what a choice takes while a browser still loads the page, which asks for it then.

    An error is not lost: it comes again when that is asked for.
    """
    COMPILERS.submit(lambda: [prepared(part) for part in kernels(choice)])
