"""Computes the current choice of a page: at once if that is short, otherwise beside the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

import engine
from engine.exact import estimate_effort
from engine.simulation import find_system

from ..browser.script_api import ScriptApi
from ..compat.sessions import has_address, is_served
from ..server.worker import Progress, Task, Work, Worker
from ..state.choice import Choice
from ..state.history import History
from ..state.results import (
    STOPPED,
    Results,
    add_exact_motion,
    compute,
    describe_first_kernel,
    list_kernels,
    prepare_kernels,
)
from ..views.dialogs.notice import Notice
from ..views.dialogs.progress_notice import OLD_IS_SEEN, Heading

AT_ONCE = 150_000
"""Most steps, of all methods together, that are computed before the page answers."""
REFERENCE_EFFORT = 5
"""The approximate cost of a step of a reference run, in steps of a method."""


class RunController:
    """Computes choices, of which the newest wins, and shows their results.

    Attributes
    ----------
    history : the choices, for undo and redo.
    results : the results on screen, if any.
    heading : their title, with the progress of what will replace them.

    `show` receives new results, and `make_link` returns the page's address for a choice.
    """

    def __init__(
        self,
        choice: Choice,
        api: ScriptApi,
        notice: Notice,
        show: Callable[[Results], Any],
        make_link: Callable[[Choice], str],
    ) -> None:
        self.history = History(choice)
        self.results: Results | None = None
        self.worker = Worker()
        self.heading = Heading(
            self.worker.stop, "Computing", lambda: self.compute(self.history.now)
        )
        self.heading.set_title(choice.build_problem().name)
        self._api = api
        self._notice = notice
        self._show_on_page = show
        self._make_link = make_link

    def begin(self) -> None:
        """Compute the first choice; if that takes long, once the page is loaded, and in a notebook
        at once.
        """
        choice = self.history.now
        if is_short(choice, self.results) or not has_address():
            self._show(compute(choice))
        else:
            self.heading.announce(describe_first_kernel(choice))
            self.worker.start(Task(partial(compile_all, choice), lambda _: None))
            pn.state.onload(lambda: self.compute(choice))

    def follow(self, choice: Choice, dragging: bool = False) -> None:
        """Add a choice to the history and compute it; notices about another problem disappear."""
        self._notice.follow(choice, self.history.now)
        self.history.note(choice, dragging=dragging)
        self.compute(choice)

    def compute(self, choice: Choice) -> None:
        """Compute a choice; a computation under way stops."""
        if self.worker.busy:
            self.worker.drop()
        if is_short(choice, self.results):
            self.heading.hide()
            self._show(compute(choice, before=self.results))
        else:
            self._api.expect_results(self._make_link(choice))
            self._start(partial(_compute_runs, choice, self.results, not is_served()))

    def _start(self, work: Work) -> None:
        heading = self.heading
        self.worker.start(
            Task(work, self._receive, heading.show_progress, self._show_error, heading.hide)
        )

    def _receive(self, results: Results | None) -> None:
        """Show what was computed beside the page; None if it was stopped before there was a
        result.
        """
        if results is None:
            return self.heading.show_stopped(OLD_IS_SEEN)
        self._show(results)
        if results.exact_is_pending:
            self._start(partial(_compute_exact, results))
        elif results.no_exact == STOPPED:
            self.heading.show_stopped("Stopped before the exact motion was known.")

    def _show(self, results: Results) -> None:
        self.results = results
        self._show_on_page(results)

    def _show_error(self, error: Exception) -> None:
        self._notice.show_sentences([f"The computation failed: {error}"])


def is_short(choice: Choice, before: Results | None) -> bool:
    """Whether a choice takes less time than a person notices: few steps, and nothing to compile."""
    if (
        choice.adaptive
        or choice.effort > AT_ONCE
        or (not _is_compiled(choice, before) and any(list_kernels(choice)))
    ):
        return False
    return _exact_is_short(choice)


def _is_compiled(choice: Choice, before: Results | None) -> bool:
    """Whether earlier results have used the same kernels: Δt and duration do not change them."""
    if (
        before is None
        or before.cancelled
        or (find_system(before.problem).has_exact and before.exact is None)
    ):
        return False
    return replace(before.choice, dt=choice.dt, duration=choice.duration) == choice


def _exact_is_short(choice: Choice) -> bool:
    """Whether the exact motion takes less time than a person notices, once it is compiled."""
    return (
        REFERENCE_EFFORT * estimate_effort(choice.build_problem(), choice.duration, choice.dt)
        <= AT_ONCE
    )


def compute_at_once(choice: Choice) -> Results:
    """The results of a choice, without an exact motion that takes long; `ValueError`, if the runs
    take long.
    """
    of_runs, of_exact = list_kernels(choice)
    if of_runs or choice.effort > AT_ONCE:
        raise ValueError("the runs take long")
    return compute(choice, exact=not of_exact and _exact_is_short(choice))


def _compute_runs(
    choice: Choice,
    before: Results | None,
    whole: bool,
    cancel: engine.Cancellation,
    progress: Progress,
) -> Results | None:
    """Compute the results of a choice, without an exact motion that takes long unless they are to
    be `whole`.

    None, if the work was cancelled before all was compiled.
    """
    of_runs, of_exact = list_kernels(choice)
    exact = whole or (not of_exact and _exact_is_short(choice))
    if not prepare_kernels([*of_exact, *of_runs] if exact else of_runs, cancel, progress):
        return None
    return compute(choice, cancel, progress, before, exact)


def _compute_exact(results: Results, cancel: engine.Cancellation, progress: Progress) -> Results:
    """Add the exact motion to results that lack it."""
    if not prepare_kernels(list_kernels(results.choice)[1], cancel, progress):
        return replace(results, no_exact=STOPPED)

    def report(done: int, total: int) -> None:
        progress(done / max(total, 1), "Computing the exact motion")

    report(0, 1)
    return add_exact_motion(results, cancel, report)


def compile_all(choice: Choice, cancel: engine.Cancellation, _: Progress) -> None:
    """Compile a choice while the browser loads the page."""
    for kernels in list_kernels(choice):
        prepare_kernels(kernels, cancel)
