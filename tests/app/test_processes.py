"""Processes that share a port: those that die are replaced, and all end with the service."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from covering import some
from server_process import PROGRAM, Server, Visitor, run_visit, start_process, start_server
from timeouts import TIMEOUT, wait_until

from app.server.counts import SharedCounts
from app.server.processes import HALVED, LONGEST, SHORTEST, accept_in_turn, next_pause

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the test reads /proc")


def children(process: int) -> set[int]:
    """Return its child processes that are alive."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has gone meanwhile
            continue
        if int(parent) == process and state != "Z":
            found.add(int(stat.parent.name))
    return found


def gone(processes: set[int]) -> bool:
    """Return whether all of these have ended."""
    return not any(Path(f"/proc/{process}").exists() for process in processes)


TWO = "--processes", "2", "--no-warm", "--port", "0"


@contextmanager
def two() -> Iterator[Server]:
    """A service of two processes."""
    with start_server(*TWO) as started:
        yield Server(started)


@pytest.fixture
def served() -> Iterator[Server]:
    with two() as service:
        yield service


@pytest.fixture(scope="module")
def lasting() -> Iterator[Server]:
    """One service for several tests in their order; the last test ends it."""
    with two() as service:
        yield service


def test_pauses_grow_with_each_death_and_shrink_with_life() -> None:
    pauses = list(
        itertools.accumulate(range(20), lambda pause, _: next_pause(pause, 0.0), initial=0.0)
    )
    assert pauses[1:4] == [SHORTEST, 2 * SHORTEST, 4 * SHORTEST] and pauses[-1] == LONGEST
    assert next_pause(LONGEST, 2 * HALVED) == LONGEST / 2
    assert next_pause(LONGEST, 100 * HALVED) == SHORTEST


@pytest.mark.exhaustive
@pytest.mark.parametrize(("answering", "shares"), [((0, 1), [6, 6]), ((1,), [0, 12])])
def test_the_worker_with_the_fewest_visitors_takes_a_connection(
    answering: Sequence[int], shares: list[int]
) -> None:
    """Two workers in one loop; if one of them is busy, the other takes all connections after a
    while.
    """
    both = SharedCounts(2), SharedCounts(2)
    both[1]._numbers = both[0]._numbers
    both[1].number = 1

    async def play() -> list[int]:
        taken = asyncio.Queue[int]()

        def answer(number: int, connection: socket.socket, _: object) -> None:
            left.enter_context(connection)
            both[number].add("visitors")
            taken.put_nowait(number)

        with ExitStack() as left:
            listening = left.enter_context(socket.create_server(("localhost", 0)))
            listening.setblocking(False)
            for number in answering:
                of_this = left.enter_context(listening.dup())
                left.callback(accept_in_turn(both[number], of_this, partial(answer, number)))
            found = []
            for _ in range(sum(shares)):
                left.enter_context(socket.create_connection(listening.getsockname()))
                found.append(await asyncio.wait_for(taken.get(), TIMEOUT))
        return found

    found = asyncio.run(play())
    assert [found.count(number) for number in (0, 1)] == shares


def test_connections_wait_while_no_more_can_be_opened(caplog: pytest.LogCaptureFixture) -> None:
    """The log has one line, and the loop does not spin."""

    class Exhausted:
        def __init__(self, listening: socket.socket) -> None:
            self.fileno = listening.fileno
            self._accept = listening.accept
            self.asked = 0

        def accept(self) -> Any:
            self.asked += 1
            if self.asked <= 3:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return self._accept()

    async def play() -> int:
        taken = asyncio.Queue[socket.socket]()
        with socket.create_server(("localhost", 0)) as listening:
            listening.setblocking(False)
            exhausted: Any = Exhausted(listening)
            stop = accept_in_turn(
                SharedCounts(1), exhausted, lambda connection, _: taken.put_nowait(connection)
            )
            with socket.create_connection(listening.getsockname()):
                (await asyncio.wait_for(taken.get(), TIMEOUT)).close()
            stop()
            return int(exhausted.asked)

    assert asyncio.run(play()) in (4, 5)
    assert [record.getMessage() for record in caplog.records] == [
        f"new connections wait: {os.strerror(errno.EMFILE)}"
    ]


@pytest.mark.exhaustive
def test_who_dies_is_replaced_and_the_log_and_liveness_say_so(lasting: Server) -> None:
    served = lasting
    wait_until(lambda: len(children(lasting.process.pid)) == 2, "both have started")
    first = children(lasting.process.pid)
    ended = set()
    ways = ((signal.SIGKILL, "was killed by signal 9"), (signal.SIGTERM, "ended with code 0"))
    for victim, (number, how) in zip(first, some(ways), strict=False):
        os.kill(victim, number)
        ended.add(victim)
        served.started.wait_for(
            rf"WARNING app.server.processes: worker [01] \(process {victim}\) {how}; another starts in"
        )
        wait_until(
            lambda: len(children(served.process.pid) - ended) == 2, "another one has started"
        )
    report = served.liveness()
    assert (report["workers"], report["replaced"], report["visitors"]) == (2, len(ended), 0)
    assert served.ask("/").status == 200
    assert not ended & children(served.process.pid)
    assert len(re.findall("Polhode is at", served.started.said)) == 1


@pytest.mark.exhaustive
def test_visitors_of_all_are_counted(lasting: Server) -> None:
    """Each visitor counts once, even if one process sends the page and another takes the
    connection.
    """

    async def play() -> None:
        for i in range(3):
            await Visitor.of_page(lasting, "?page=papers")
            assert lasting.liveness()["visitors"] == i + 1

    assert lasting.liveness()["visitors"] == 0
    run_visit(play())


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("service", "number"),
    [("lasting", signal.SIGTERM), ("served", signal.SIGINT), ("served", signal.SIGKILL)],
)
def test_nobody_is_left_behind(
    service: str, number: signal.Signals, request: pytest.FixtureRequest
) -> None:
    served: Server = request.getfixturevalue(service)
    served.ask("/")
    workers = children(served.process.pid)
    code, complaints = served.end(number)
    assert code == (-9 if number is signal.SIGKILL else 0)
    wait_until(lambda: gone(workers), "the workers have ended")
    assert "Traceback" not in complaints


IMPATIENT = """
from app.server import processes
processes.GRACE = 0.5
"""


@pytest.mark.exhaustive
def test_a_worker_that_does_not_end_is_ended() -> None:
    with start_process([sys.executable, "-c", IMPATIENT + PROGRAM, *TWO]) as started:
        served = Server(started)
        workers = children(served.process.pid)
        os.kill(min(workers), signal.SIGSTOP)
        assert served.end(signal.SIGTERM)[0] == 0
        wait_until(lambda: gone(workers), "the workers have ended")


LIVELY = """
from app.server import processes
processes.BEAT = 0.01
"""


@pytest.mark.exhaustive
def test_a_worker_that_does_not_respond_is_replaced() -> None:
    """After half a minute: with less patience, one that is busy on a slow machine would be, too."""
    with start_process([sys.executable, "-c", LIVELY + PROGRAM, *TWO]) as started:
        served = Server(started)

        async def visit() -> None:
            for _ in range(2):  # one for each worker, which then has given signs of life
                await (await Visitor.of_page(served, "?page=papers")).document()

        run_visit(visit())
        stopped = min(children(served.process.pid))
        os.kill(stopped, signal.SIGSTOP)
        started.wait_for(rf"worker [01] \(process {stopped}\) does not respond")
        started.wait_for(rf"worker [01] \(process {stopped}\) was killed by signal 9")
        wait_until(
            lambda: len(children(served.process.pid) - {stopped}) == 2, "another has started"
        )
        assert served.ask("/").status == 200


HANGS_AT_FIRST = """
import os, signal, sys
from app.server import processes
from app.server.counts import SharedCounts
processes.INTERVAL, processes.LONGEST_START = 0.01, 0.1
counts = SharedCounts(1)
workers = processes.Processes(counts)
workers.fork()
if not counts.replaced:
    signal.pause()
os.kill(os.getppid(), signal.SIGTERM)
"""


@pytest.mark.exhaustive
def test_a_worker_that_hangs_before_its_first_sign_of_life_is_replaced() -> None:
    command = [sys.executable, "-c", HANGS_AT_FIRST]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0
    assert re.search(r"worker 0 \(process \d+\) does not respond", done.stderr)
    assert re.search(r"worker 0 \(process \d+\) was killed by signal 9", done.stderr)


TOLD_WHILE_IT_FORKS = """
import os, signal
from app.server.counts import SharedCounts
from app.server.processes import Processes
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
Processes(SharedCounts(1)).fork()
os._exit(0)
"""


@pytest.mark.exhaustive
def test_a_signal_that_comes_while_a_worker_is_started_is_heeded() -> None:
    command = [sys.executable, "-c", TOLD_WHILE_IT_FORKS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (0, "")
