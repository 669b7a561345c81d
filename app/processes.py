"""Several processes that share a port: who dies is replaced, and all end together."""

from __future__ import annotations

import logging
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn

import tornado.process
from bokeh.server.server import Server

LOG = logging.getLogger(__name__)
LOOK = 0.1
"""Seconds between two looks at whether somebody has died."""
SHORTEST, LONGEST, HALVED = 0.1, 30.0, 5.0
"""Seconds before a worker is replaced: they double with each death, and halve with so many seconds of life."""
LAST_WORDS = 5.0
"""Seconds that workers have to end by themselves before they are killed."""


class Board:
    """Numbers that all processes see: how often a worker was replaced, whether the first was ready, and visitors."""

    def __init__(self, workers: int) -> None:
        self._numbers = memoryview(mmap.mmap(-1, 8 * (workers + 2))).cast("q")
        self.number = 0
        """Of this process among the workers."""

    @property
    def workers(self) -> int:
        """How many there are."""
        return len(self._numbers) - 2

    @property
    def replaced(self) -> int:
        """How many have died and were replaced."""
        return self._numbers[0]

    @replaced.setter
    def replaced(self, value: int) -> None:
        self._numbers[0] = value

    @property
    def ready(self) -> bool:
        """Whether the first worker has ever begun to answer."""
        return bool(self._numbers[1])

    @ready.setter
    def ready(self, value: bool) -> None:
        self._numbers[1] = value

    def count(self, visitors: int, number: int | None = None) -> None:
        """So many are with this worker."""
        self._numbers[2 + (self.number if number is None else number)] = visitors

    @property
    def visitors(self) -> int:
        """How many there are with all workers."""
        return sum(self._numbers[2:])


class Processes:
    """Takes the place of `tornado.process.fork_processes`, which gives up when workers have died a hundred times.

    The first process does nothing but wait, and start anew who has died. It alone holds a pipe open: when it ends, in
    whatever way, the workers see that and end as well.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self._read, self._write = os.pipe()
        self._living: dict[int, int] = {}
        self._born, self._pauses = [0.0] * board.workers, [0.0] * board.workers
        self._due: dict[int, float] = {}
        self._ending = False
        tornado.process.fork_processes = self.fork  # type: ignore[assignment]  # which is called with one number

    def fork(self, *_: object) -> int:
        """Start all; a worker comes back from here with its number, the first process never does."""
        _on_ending(self._told_to_end)
        self._due = dict.fromkeys(range(self.board.workers), 0.0)
        try:
            while not self._ending:
                for number, due in list(self._due.items()):
                    if time.monotonic() >= due and self._start(number):
                        return number
                self._bury()
                time.sleep(LOOK)
            sys.exit(0)
        finally:
            if self._write >= 0:  # the first process, which ends
                self._end()

    def _told_to_end(self, *_: object) -> None:
        """A signal has come. It is noted only: what a handler raises while `os.fork` is at work, Python drops."""
        self._ending = True

    def _start(self, number: int) -> bool:
        """Start a worker; whether this is it."""
        del self._due[number]
        self._born[number] = time.monotonic()
        process = os.fork()
        if process == 0:
            os.close(self._write)
            self._write, self._living = -1, {}
            self.board.number = number
            _on_ending(_leave)
            if self._ending:
                sys.exit(0)
            return True
        self._living[process] = number
        return False

    def _bury(self) -> None:
        """See who has died, and when another one is to take the place."""
        while self._living and not self._ending:  # a worker that heeds the same signal is not replaced
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            number = self._living.pop(process, None)
            if number is None:  # as the first process of a container it is left with others' children
                continue
            self.board.count(0, number)
            code = os.waitstatus_to_exitcode(status)
            if code > 0 and not self.board.ready:  # it has said why, and would say it again
                sys.exit(code)
            now = time.monotonic()
            pause = self._pauses[number] = next_pause(self._pauses[number], now - self._born[number])
            self._due[number] = now + pause
            self.board.replaced += 1
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            LOG.warning("worker %d (process %d) %s; another starts in %.1f s", number, process, how, pause)

    def _end(self) -> None:
        """Let all end, and see to it that they do."""
        os.close(self._write)
        deadline = time.monotonic() + LAST_WORDS
        while self._living:
            process, _ = os.waitpid(-1, os.WNOHANG)
            self._living.pop(process, None)
            if process == 0:
                if time.monotonic() > deadline:
                    for left in self._living:
                        os.kill(left, signal.SIGKILL)
                time.sleep(LOOK)

    def hold(self, server: Server) -> None:
        """In a worker: end with the first process."""
        loop = server.io_loop

        def end(*_: object) -> None:
            loop.remove_handler(self._read)
            loop.stop()

        loop.add_handler(self._read, end, loop.READ)


def next_pause(before: float, lived: float) -> float:
    """Seconds until a worker is replaced that lived for so many seconds, when the one before it took `before`."""
    return min(max(2 * before * 0.5 ** (lived / HALVED), SHORTEST), LONGEST)


def _on_ending(handler: Callable[..., object]) -> None:
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, handler)


def _leave(*_: object) -> NoReturn:
    sys.exit(0)
