"""Several processes that share a port: those that die are replaced, and all end together."""

from __future__ import annotations

import errno
import logging
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from bokeh.server.server import Server
from tornado.ioloop import IOLoop, PeriodicCallback

from ..compat.server import replace_fork
from .counts import SharedCounts

LOG = logging.getLogger(__name__)
INTERVAL = 0.1
"""Seconds between two checks for workers that have died."""
SHORTEST, LONGEST, HALVED = 0.1, 30.0, 5.0
"""Bounds of the pause before a worker is replaced, in seconds. It doubles with each death, and
halves with so many seconds of life.
"""
GRACE = 5.0
"""Seconds that workers have to end before they are killed, after those for their visitors."""
PATIENCE = 0.1
"""Seconds for which a worker leaves a new connection to those with fewer visitors, or waits until
the system can open one.
"""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Errors of a system or process that has too many open files or too little memory."""
BEAT = 1.0
"""Seconds between two signs of life of a worker."""
LONGEST_SILENCE = 30.0
"""Seconds without a sign of life after which a worker is killed and replaced: it is stopped, or
hangs.
"""
LONGEST_START = 600.0
"""Seconds after which a worker that has not given its first sign of life is replaced as well: the
first pages may need many kernels, which a small machine compiles for minutes.
"""


class Processes:
    """Starts the workers, in place of `tornado.process.fork_processes`.

    The parent process only waits, and replaces workers that die. It alone holds the writing end of
    a pipe: when it ends, in whatever way, the workers notice and end as well.
    """

    def __init__(self, counts: SharedCounts, drain: float = 0.0) -> None:
        self.counts = counts
        self._grace = drain + GRACE
        self._read, self._write = os.pipe()
        self._living: dict[int, int] = {}
        self._started = [0.0] * counts.workers
        self._pauses = [0.0] * counts.workers
        self._due: dict[int, float] = {}
        self._ending = False
        replace_fork(self.fork)
        self._beats = [0.0] * counts.workers
        self._silences = [0] * counts.workers

    def fork(self, *_: object) -> int:
        """Start all workers. Each returns from here with its number; the parent never does."""
        _handle_signals(self._note_signal)
        self._due = dict.fromkeys(range(self.counts.workers), 0.0)
        try:
            while not self._ending:
                for number, due in list(self._due.items()):
                    if time.monotonic() >= due and self._start(number):
                        return number
                self._reap()
                self._kill_silent()
                time.sleep(INTERVAL)
            sys.exit(0)
        finally:
            if self._write >= 0:  # this is the parent, which ends
                self._end()

    def _note_signal(self, *_: object) -> None:
        """Note a signal, no more: Python drops what a handler raises while `os.fork` runs."""
        self._ending = True

    def _start(self, number: int) -> bool:
        """Start a worker; True in the worker itself."""
        del self._due[number]
        self._started[number] = time.monotonic()
        self._silences[number] = 0
        process = os.fork()
        if process == 0:
            os.close(self._write)
            self._write = -1
            self._living = {}
            self.counts.number = number
            _handle_signals(_exit)
            if self._ending:
                sys.exit(0)
            return True
        self._living[process] = number
        return False

    def _reap(self) -> None:
        """Find workers that have died, and decide when to replace them."""
        while (
            self._living and not self._ending
        ):  # workers that end by the same signal are not replaced
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            number = self._living.pop(process, None)
            if number is None:  # the first process of a container inherits others' children
                continue
            for count in ("visitors", "beats"):
                self.counts.set(count, 0, number)
            code = os.waitstatus_to_exitcode(status)
            if (
                code > 0 and not self.counts.ready
            ):  # it has reported the reason, which a new one would repeat
                sys.exit(code)
            now = time.monotonic()
            pause = self._pauses[number] = next_pause(
                self._pauses[number], now - self._started[number]
            )
            self._due[number] = now + pause
            self.counts.replaced += 1
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            LOG.warning(
                "worker %d (process %d) %s; another starts in %.1f s", number, process, how, pause
            )

    def _kill_silent(self) -> None:
        """Kill workers that give no sign of life; checks are counted rather than seconds, because
        this process may have been stopped, too.
        """
        for process, number in self._living.items():
            beats = self.counts.list_each("beats")[number]
            is_silent = beats == self._beats[number]
            self._silences[number] = self._silences[number] + 1 if is_silent else 0
            self._beats[number] = beats
            longest = LONGEST_SILENCE if beats else LONGEST_START
            if self._silences[number] * INTERVAL >= longest:
                LOG.warning("worker %d (process %d) does not respond", number, process)
                self._silences[number] = 0
                os.kill(process, signal.SIGKILL)

    def _end(self) -> None:
        """Wait for all workers to end, and kill those that do not."""
        os.close(self._write)
        deadline = time.monotonic() + self._grace
        while self._living:
            process, _ = os.waitpid(-1, os.WNOHANG)
            self._living.pop(process, None)
            if process == 0:
                if time.monotonic() > deadline:
                    for worker in self._living:
                        os.kill(worker, signal.SIGKILL)
                time.sleep(INTERVAL)

    def attach(self, server: Server, stop: Callable[[], object]) -> None:
        """Give signs of life to the parent, and stop a worker's server when it ends."""
        loop = server.io_loop
        PeriodicCallback(partial(self.counts.add, "beats"), 1000 * BEAT).start()

        def end(*_: object) -> None:
            loop.remove_handler(self._read)
            stop()

        loop.add_handler(self._read, end, loop.READ)


def accept_in_turn(
    counts: SharedCounts, listening: socket.socket, answer: Callable[[socket.socket, object], None]
) -> Callable[[], None]:
    """Call `answer` with new connections, in place of `tornado.netutil.add_accept_handler`; return
    what stops it.

    The worker with the fewest visitors takes a connection. All listen to the same socket, and
    otherwise the quickest takes it: with fifty visitors, one of two workers answered 32 changes a
    second and the other 14. If the system can open no further connection, new ones wait.
    """
    loop = IOLoop.current()
    pause: object = None
    is_exhausted = False

    def take_in_turn(*_: object) -> None:
        if counts.another_has_fewer:
            rest()
        else:
            take()

    def rest() -> None:
        nonlocal pause
        loop.remove_handler(listening)
        pause = loop.call_later(PATIENCE, take_rest)

    def take_rest() -> None:
        nonlocal pause
        pause = None
        loop.add_handler(listening, take_in_turn, IOLoop.READ)
        while pause is None and take():
            pass

    def take() -> bool:
        """Take a connection; False if there is none."""
        nonlocal is_exhausted
        try:
            connection, address = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return False  # another worker took it, or nobody is left
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            if not is_exhausted:
                LOG.warning("new connections wait: %s", error.strerror)
            is_exhausted = True
            rest()
            return False
        is_exhausted = False
        answer(connection, address)
        return True

    def stop() -> None:
        if pause is None:
            loop.remove_handler(listening)
        else:
            loop.remove_timeout(pause)

    loop.add_handler(listening, take_in_turn, IOLoop.READ)
    return stop


def next_pause(before: float, lived: float) -> float:
    """Return the seconds before a worker is replaced that lived for so long, after the last pause
    `before`.
    """
    return min(max(before * math.exp2(1 - lived / HALVED), SHORTEST), LONGEST)


def _handle_signals(handler: Callable[..., object]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _exit(*_: object) -> NoReturn:
    sys.exit(0)
