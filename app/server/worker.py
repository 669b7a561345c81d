"""Long work on threads beside the page: one job at a time for each visitor and kind of work, in
turns among all visitors.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import panel as pn

import engine
from engine.compiler.notices import describe_compiling, listen
from engine.kernels import Cancelled

from ..compat.sessions import is_disconnected, is_served, run_on_page
from .threads import make_pause, make_threads
from .turns import Turn, Turns, describe_wait

FIRST_REPORT, REPORT_EVERY = 0.2, 0.1
"""Seconds before the first report of progress, and between two reports."""


class Lane(NamedTuple):
    """Where the work of one kind runs, for all visitors.

    `pauses` says that it lets the page answer first, whenever it asks whether to stop.
    """

    threads: ThreadPoolExecutor
    turns: Turns
    pauses: bool = False


BESIDE = make_threads("beside")
"""Threads for work that releases the interpreter's lock."""
RUNS = Lane(BESIDE, Turns())
KERNELS = Lane(BESIDE, Turns(at_once=1, slice_=math.inf))
"""Modules for browsers."""
FILES = Lane(BESIDE, Turns(at_once=2, slice_=math.inf))
"""Processes that read visitors' files; each may take much memory, so that few live at a time."""
TEXTS = Lane(make_threads("texts", nicer=0), Turns(at_once=1), pauses=True)
"""Python code: lessons and exports.

The priority of its threads is not lower: a thread of low priority that holds the interpreter's lock
delays all visitors of its process.
"""
LEFT_AFTER = 3.0
"""Seconds without a connection after which a visitor's work stops; a visitor who comes back can
continue it.
"""

Progress = Callable[..., Any]
"""`progress(part, words="")`: the part that is done, from 0 to 1, and what is being done, if that
is worth saying.
"""
Work = Callable[[engine.Cancellation, Progress], Any]
"""Computes a result until it is cancelled, and reports its progress."""


@dataclass(frozen=True, eq=False)
class Task:
    """A computation, and the callbacks that the page's own thread calls.

    Attributes
    ----------
    work : runs on another thread; stopped, it returns what it has, or raises `Cancelled`.
    on_result : receives the result, also of work that was stopped, unless a newer task has replaced
        it.
    on_progress : receives the part that is done, from 0 to 1, and words, also before the work
        begins.
    on_error : receives the exception, if one is raised.
    on_end : is called once the task is no longer under way, before the callbacks above.
    """

    work: Work
    on_result: Callable[[Any], Any]
    on_progress: Progress = lambda *_: None
    on_error: Callable[[Exception], Any] = lambda _: None
    on_end: Callable[[], Any] = lambda: None


class Worker:
    """Does work of one kind for one visitor; a new task cancels the one before it."""

    def __init__(self, lane: Lane = RUNS) -> None:
        self._lane = lane
        self._next: Task | None = None
        self._current: Task | None = None
        self._cancel = Turn(lane.turns)
        self.busy = False
        self._page = pn.state.curdoc
        if self._page is not None:
            pn.state.on_session_destroyed(lambda _: self.drop())

    def start(self, task: Task) -> None:
        """Compute this task and drop any other; without a server, return when it is done."""
        self.drop()
        self._next = task
        if not is_served():
            self._run_here()
        elif not self.busy:
            self.busy = True
            pn.state.execute(self._run_beside)

    def stop(self) -> None:
        """Stop the computation and keep what it has."""
        self._cancel.set()
        if self._next is not None:  # it has not begun, so that there is nothing to keep
            task = self._next
            self._next = None
            task.on_end()
            task.on_result(None)

    def drop(self) -> None:
        """Stop the computation without a result: a newer one replaces it, or the visitor has
        left.
        """
        self._cancel.set()
        tasks = (self._current, self._next)
        self._current = None
        self._next = None
        for task in tasks:
            if task is not None:
                task.on_end()

    def _begin(self) -> Task:
        assert self._next is not None
        self._current = self._next
        self._next = None
        self._cancel = Turn(self._lane.turns)
        return self._current

    def _begin_or_idle(self) -> Task | None:
        self.busy = self._next is not None
        return self._begin() if self.busy else None

    def _run_here(self) -> None:
        task = self._begin()
        try:
            result = task.work(self._cancel, task.on_progress)
        finally:
            self._current = None
            task.on_end()
        task.on_result(result)

    async def _run_beside(self) -> None:
        """Compute until there is no newer task."""
        while (task := await run_on_page(self._begin_or_idle)) is not None:
            await self._run(task)

    async def _run(self, task: Task) -> None:
        latest: deque[tuple[float, str]] = deque([(0.0, "")], maxlen=1)
        cancel = self._cancel
        is_current = True
        if self._lane.pauses:
            cancel.pause = make_pause()

        def progress(part: float, words: str = "") -> None:
            latest.append((part, words))
            cancel.part = part

        def work() -> object:
            with (
                suppress(Cancelled),
                listen(lambda name: progress(latest[0][0], describe_compiling(name))),
                cancel,
            ):
                return task.work(cancel, progress)
            return None

        def report() -> None:
            part, words = latest[0]
            if place := cancel.place:
                words = describe_wait(place)
            if is_disconnected(self._page, LEFT_AFTER):
                cancel.set()
            if self._current is task:
                task.on_progress(part, words)
            elif self._next is not None:  # a newer task waits until the kernel at hand is compiled
                self._next.on_progress(0.0, words)

        def finish() -> None:
            nonlocal is_current
            is_current = self._current is task
            self._current = None
            with pn.io.hold():  # the notice of progress disappears together with the new result
                if is_current:
                    task.on_end()
                result = job.result()
                if is_current:
                    task.on_result(result)

        try:
            job = asyncio.get_running_loop().run_in_executor(self._lane.threads, work)
            pause = FIRST_REPORT
            while not (await asyncio.wait({job}, timeout=pause))[0]:
                pause = REPORT_EVERY
                await run_on_page(report)
            await run_on_page(finish)
        except Exception as error:
            # The error ends here, so that a newer task still runs.
            logging.getLogger(__name__).exception("a computation failed")
            if is_current:
                await run_on_page(partial(task.on_error, error))
