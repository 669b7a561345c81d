"""Long computations, on threads of their own, so that the page stays responsive.

Each visitor has one at a time, and those of all visitors take turns.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn

import engine
from engine.compiler.telling import compiling, told_of_compiling

from .component import on_page
from .turns import Turn, Turns, waits

TOLD_FIRST, TOLD_EACH = 0.2, 0.1
"""Seconds until something is told of what is under way, and between two looks at how far it is."""
WORKERS = ThreadPoolExecutor(max_workers=1000, thread_name_prefix="runs")
"""What computes for all visitors, a thread for each; how many work at a time, `TURNS` decides."""
TURNS = Turns()
"""Of this process."""
GONE_AFTER = 3.0
"""Seconds without a connection after which a visitor's work is stopped; who comes back may have it go on."""

Along = Callable[..., Any]
"""`along(part, words="")`: which part is done, from 0 to 1, and what is being done, if that is to be said."""
Work = Callable[[engine.Cancellation, Along], Any]
"""Computes something until it is cancelled, and tells how far it is."""


@dataclass(frozen=True, eq=False)
class Task:
    """Something to be computed, and who is told of it, on the page's own thread.

    Attributes
    ----------
    work : computes it, elsewhere.
    done : is given what came out, also if it was stopped, but not if something newer is wanted.
    along : is given the part that is done, from 0 to 1, and words, now and then; before it is begun, too.
    failed : is given the error, if there is one.
    ended : is called when it is under way no more, whatever happened, before anything else is told of that.
    """

    work: Work
    done: Callable[[Any], Any]
    along: Along
    failed: Callable[[Exception], Any]
    ended: Callable[[], Any]


class Worker:
    """Computes for one visitor; a new task cancels the one before it."""

    def __init__(self) -> None:
        self._wanted: Task | None = None
        self._current: Task | None = None
        self._cancel = Turn(TURNS)
        self.busy = False
        self._page = pn.state.curdoc
        if self._page is not None:
            pn.state.on_session_destroyed(lambda _: self.drop())

    def start(self, task: Task) -> None:
        """Compute this and nothing else from now on; where no events go on meanwhile, at once."""
        self.drop()
        self._wanted = task
        if not is_served():
            self._now()
        elif not self.busy:
            self.busy = True
            pn.state.execute(self._elsewhere)

    def stop(self) -> None:
        """End what is computed where it is; what there is by then is what comes out."""
        self._cancel.set()
        if self._wanted is not None:  # it was not begun, so that nothing comes out
            task, self._wanted = self._wanted, None
            task.ended()
            task.done(None)

    def drop(self) -> None:
        """End what is computed, of which nobody hears any more: something newer is there, or the visitor is gone."""
        self._cancel.set()
        told, self._current, self._wanted = (self._current, self._wanted), None, None
        for task in told:
            if task is not None:
                task.ended()

    def _next(self) -> Task:
        assert self._wanted is not None
        self._current, self._wanted = self._wanted, None
        self._cancel = Turn(TURNS)
        return self._current

    def _now(self) -> None:
        task = self._next()
        try:
            result = task.work(self._cancel, task.along)
        finally:
            self._current = None
            task.ended()
        task.done(result)

    async def _elsewhere(self) -> None:
        """Compute until nothing newer is wanted."""
        while (task := await on_page(self._next_or_idle)) is not None:
            await self._one(task)

    def _next_or_idle(self) -> Task | None:
        self.busy = self._wanted is not None
        return self._next() if self.busy else None

    def _left(self) -> bool:
        """Whether the visitor has been without a connection for a while."""
        session: Any = getattr(self._page and self._page.session_context, "session", None)
        if session is None or session.connection_count:
            return False
        return bool(session.milliseconds_since_last_unsubscribe > 1000 * GONE_AFTER)

    async def _one(self, task: Task) -> None:
        told: deque[tuple[float, str]] = deque([(0.0, "")], maxlen=1)
        cancel, heard = self._cancel, True

        def along(part: float, words: str = "") -> None:
            told.append((part, words))
            cancel.part = part

        def work() -> Any:
            with told_of_compiling(lambda name: along(told[0][0], compiling(name))), cancel:
                return task.work(cancel, along)

        def report() -> None:
            part, words = told[0]
            if place := cancel.place:
                words = waits(place)
            if self._left():
                cancel.set()
            if self._current is task:
                task.along(part, words)
            elif self._wanted is not None:  # a kernel that is being compiled cannot be left half done
                self._wanted.along(0.0, words)

        def finish() -> None:
            nonlocal heard
            heard, self._current = self._current is task, None
            with pn.io.hold():  # the words go when there is something in their place
                if heard:
                    task.ended()
                result = job.result()
                if heard:
                    task.done(result)

        try:
            job = asyncio.get_running_loop().run_in_executor(WORKERS, work)
            wait = TOLD_FIRST
            while not (await asyncio.wait({job}, timeout=wait))[0]:
                wait = TOLD_EACH
                await on_page(report)
            await on_page(finish)
        except Exception as error:
            # A newer task is not to be lost by it, so that it does not go further than to the log.
            logging.getLogger(__name__).exception("a computation failed")
            if heard:
                await on_page(partial(task.failed, error))


def is_served() -> bool:
    """Whether events go on while something is computed beside them."""
    context = pn.state.curdoc and pn.state.curdoc.session_context
    if context and context.server_context:  # from Bokeh 3.10 on a thread handles its events, in which no loop runs
        return True
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
