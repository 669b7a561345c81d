"""What takes long, computed on another thread while the page goes on: one thing at a time for each visitor."""

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

TOLD_EACH = 0.1
"""Seconds between two looks at the progress of a long run."""
WORKERS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="runs")
"""What computes long runs for all visitors; kernels leave the interpreter free meanwhile."""

Work = Callable[[engine.Cancellation, Callable[[float], Any]], Any]
"""Computes something until it is cancelled, and tells which part of it is done."""


@dataclass(frozen=True, eq=False)
class Task:
    """Something to be computed, and who is told of it, on the page's own thread.

    Attributes
    ----------
    work : computes it, elsewhere.
    done : is given what came out, also if it was stopped, but not if something newer is wanted.
    along : is given the part that is done, from 0 to 1, now and then.
    failed : is given the error, if there is one.
    ended : is called in the end, whatever happened.
    """

    work: Work
    done: Callable[[Any], Any]
    along: Callable[[float], Any]
    failed: Callable[[Exception], Any]
    ended: Callable[[], Any]


class Beside:
    """Computes for one visitor: the newest task wins, and the one before it is cancelled."""

    def __init__(self) -> None:
        self._wanted: Task | None = None
        self._cancel = engine.Cancellation()
        self.busy = False

    def start(self, task: Task) -> None:
        """Compute this and nothing else from now on; where no events go on meanwhile, at once."""
        self._cancel.set()
        self._wanted = task
        if not is_served():
            self._now()
        elif not self.busy:
            self.busy = True
            pn.state.execute(self._elsewhere)

    def stop(self) -> None:
        """End what is computed where it is."""
        self._wanted = None
        self._cancel.set()

    def _next(self) -> Task:
        assert self._wanted is not None
        task, self._wanted = self._wanted, None
        self._cancel = engine.Cancellation()
        return task

    def _now(self) -> None:
        task = self._next()
        try:
            task.done(task.work(self._cancel, task.along))
        finally:
            task.ended()

    async def _elsewhere(self) -> None:
        """Compute until nothing newer is wanted."""
        try:
            while self._wanted is not None:
                await self._one(self._next())
        finally:
            self.busy = False

    async def _one(self, task: Task) -> None:
        loop = asyncio.get_running_loop()
        told: deque[float] = deque([0.0], maxlen=1)
        try:
            job = loop.run_in_executor(WORKERS, partial(task.work, self._cancel, told.append))
            while not (await asyncio.wait({job}, timeout=TOLD_EACH))[0]:
                task.along(told[0])
            result = job.result()
            if self._wanted is None:
                task.done(result)
        except Exception as error:
            # A newer task is not to be lost by it, so that it does not go further than to the log.
            logging.getLogger(__name__).exception("a computation failed")
            task.failed(error)
        finally:
            task.ended()


def is_served() -> bool:
    """Whether events go on while something is computed beside them."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
