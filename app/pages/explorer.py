"""What the pages of runs share: the choices with undo and redo, their computation, the address, and
the notices.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlencode

import panel as pn

import engine
from engine.text.formatting import finish_sentence

from ..browser.addresses import find_space, read_query, read_words
from ..browser.script_api import MOST_PAST, ScriptApi
from ..compat.sessions import has_address, is_served
from ..server.worker import Progress, Task, Work, Worker
from ..state.choice import Choice, choose_problem, choose_recording, validate
from ..state.effort import exact_is_short, is_short
from ..state.fitting import describe_replacements
from ..state.history import History
from ..state.labs import LABS
from ..state.recordings import Recording
from ..state.results import (
    STOPPED,
    Results,
    add_exact_motion,
    compute,
    describe_first_kernel,
    list_kernels,
    prepare_kernels,
)
from ..state.view import DEFAULT_VIEW, View
from ..views.dialogs.notice import Notice
from ..views.dialogs.preset_dialog import PROBLEM
from ..views.dialogs.progress_notice import OLD_IS_SEEN, Heading

SURPRISES = Random()
"""The source of random settings; tests seed it."""


Show = Callable[[Results], Any]
"""Shows results in a part of a page."""


class Page(Protocol):
    """A page of runs, which owns its parts."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[Show]:
        """Functions that show results, in the order in which they receive new ones."""

    @abstractmethod
    def make_link(self, choice: Choice) -> str:
        """Return the link to a choice on this page."""


class LookedAtPage(Page, Protocol):
    """A page of runs with widgets for a choice, and ways to look at its results."""

    @property
    @abstractmethod
    def view(self) -> View:
        """How the page shows the results, for links, presets and lessons."""

    @abstractmethod
    def show_choice(self, choice: Choice) -> None:
        """Show a choice in the widgets."""

    @abstractmethod
    def look(self, view: View, *, anew: bool = True) -> None:
        """Show the results in this way; `anew` restarts the motion."""


P = TypeVar("P", bound=Page)


class RunController(Generic[P]):
    """Computes choices, of which the newest wins, and gives their results to the parts of a page.

    Attributes
    ----------
    choice : the newest one.
    results : the results on screen, if any.
    heading : their title, with the progress of what will replace them.
    notice : sentences about the choice.
    api : what scripts and the address receive.
    """

    def __init__(self, choice: Choice, page: P, notices: Sequence[str] = ()) -> None:
        self.choice = choice
        self.results: Results | None = None
        self.api = ScriptApi()
        self.notice = Notice(notices)
        self.worker = Worker()
        self.heading = Heading(self.worker.stop, "Computing", lambda: self.compute(self.choice))
        self.heading.set_title(choice.build_problem().name)
        self._page = page

    def begin(self) -> None:
        """Compute the first choice; if that takes long, once the page is loaded, and in a notebook
        at once.
        """
        choice = self.choice
        if is_short(choice, self.results) or not has_address():
            self._show(compute(choice))
        else:
            self.heading.announce(describe_first_kernel(choice))
            self.worker.start(Task(partial(compile_all, choice), lambda _: None))
            pn.state.onload(lambda: self.compute(choice))

    def follow(self, choice: Choice) -> None:
        """Compute a choice; notices about another problem disappear."""
        self.notice.follow(choice, self.choice)
        self.compute(choice)

    def compute(self, choice: Choice) -> None:
        """Compute a choice; a computation under way stops."""
        self.choice = choice
        if self.worker.busy:
            self.worker.drop()
        if is_short(choice, self.results):
            self.heading.hide()
            self._show(compute(choice, before=self.results))
        else:
            self.api.expect_results(self.make_address(choice))
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
        """Give results to all parts of the page."""
        self.results = results
        with pn.io.hold():
            for show in self._page.parts:
                show(results)

    def _show_error(self, error: Exception) -> None:
        self.notice.show_sentences([f"The computation failed: {error}"])

    def make_address(self, choice: Choice) -> str:
        """Return the page's address for a choice; empty in a notebook."""
        return self._page.make_link(choice) if has_address() else ""

    def publish(self, results: Results, title: str, setting: str, *sentences: str) -> None:
        """Publish results for scripts, the address and screen readers; the heading has the title
        and the setting.
        """
        self.heading.set_title(title, setting)
        words = [title, setting, *sentences]
        self.api.publish_results(results, self.make_address(results.choice), words)


class Explorer(RunController[LookedAtPage]):
    """Changes the choice and the view of a page, and takes changes back.

    Attributes
    ----------
    history : the choices, for undo and redo.
    """

    def __init__(self, choice: Choice, page: LookedAtPage, notices: Sequence[str] = ()) -> None:
        super().__init__(choice, page, notices)
        self.history = History(choice)
        self.api.param.watch(lambda _: self.undo(), "undo")
        self.api.param.watch(lambda _: self.redo(), "redo")
        self.api.take_history = self._take_history
        self._published: dict[str, tuple[Choice, ...]] = {}

    def publish(self, results: Results, title: str, setting: str, *sentences: str) -> None:
        """Publish results, and the choices around them when these have changed."""
        super().publish(results, title, setting, *sentences)
        self._publish_history()

    def _publish_history(self) -> None:
        for name, choices in (("past", self.history.past), ("future", self.history.future)):
            shown = choices[-MOST_PAST:]
            if shown != self._published.get(name):
                self._published[name] = shown
                setattr(self.api, name, [urlencode(choice.query()) for choice in shown])

    def _take_history(self, *lists: Sequence[str]) -> None:
        """Let a person undo and redo choices of the view before; a link that is refused is left
        out.
        """
        space = self.history.now.space
        past, future = ([_read_choice(link, space) for link in links] for links in lists)
        self.history.take_over([*filter(None, past)], [*filter(None, future)])
        self._publish_history()

    def follow(self, choice: Choice, dragging: bool = False) -> None:
        """Add a choice to the history and compute it, and name the methods that it replaces."""
        before = self.history.now
        self.history.note(choice, dragging=dragging)
        super().follow(choice)
        self._name_replacements(before)

    def choose(self, choice: Choice, view: View | None = None) -> None:
        """Choose a whole setting, as of a preset or a lesson, with its view if any, and remove
        notices.
        """
        self.history.note(validate(choice), left=self._page.view if view else None)
        self._go_to(view)

    def forget(self, recordings: Collection[Recording]) -> None:
        """Leave out the choices of recordings that the page does not hold any more."""
        self.history.forget(lambda choice: choice.recording in recordings)

    def undo(self) -> None:
        """Undo the last change."""
        self._go_to(self.history.undo(self._page.view))

    def redo(self) -> None:
        """Redo the last change."""
        self._go_to(self.history.redo(self._page.view))

    def reset(self) -> None:
        """Restore the problem of the source, or the whole recording."""
        now = self.history.now
        if now.recording is not None:
            self.choose(choose_recording(now.recording, now))
        else:
            self._choose_problem(now.build_problem().key)

    def open_preset(self, key: str) -> None:
        """Open a preset, a problem, or a random setting."""
        lab = LABS[self.history.now.space]
        preset = next((preset for preset in lab.presets if preset.key == key), None)
        if preset:
            self.choose(preset.choice, preset.view)
            sentences = [f"{finish_sentence(preset.title)} {preset.sentence}"]
            self.notice.show_sentences(sentences, self.history.now)
        elif key.startswith(PROBLEM):
            self._choose_problem(key.removeprefix(PROBLEM), DEFAULT_VIEW)
        else:
            self.choose(lab.surprise(SURPRISES), DEFAULT_VIEW)

    def _choose_problem(self, key: str, view: View | None = None) -> None:
        before = self.history.now
        self.choose(choose_problem(key, before), view)
        self._name_replacements(before)

    def _name_replacements(self, before: Choice) -> None:
        """Show a sentence on the methods of the choice before that do not fit the problem now."""
        now = self.history.now
        if (now.source, now.changes) == (before.source, before.changes):
            return
        words = describe_replacements(before.methods, now.methods, now.build_problem())
        if words:
            self.notice.show_sentences([words], now, self.undo)

    def _go_to(self, view: View | None) -> None:
        """Show the current choice, in this view if any."""
        with pn.io.hold():
            self.notice.show_sentences([])
            if view:
                self._page.look(view)
            self._page.show_choice(self.history.now)
            self.compute(self.history.now)


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
    exact = whole or (not of_exact and exact_is_short(choice))
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


def _read_choice(link: str, space: str) -> Choice | None:
    """Return the choice of a query, if it has no mistake."""
    words, notices = read_words(link)
    if notices or find_space(words, "") != space:
        return None
    choice, _, notices = read_query(words, space)
    return None if notices else choice


def compile_all(choice: Choice, cancel: engine.Cancellation, _: Progress) -> None:
    """Compile a choice while the browser loads the page."""
    for kernels in list_kernels(choice):
        prepare_kernels(kernels, cancel)
