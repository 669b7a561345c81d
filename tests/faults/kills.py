"""Killed processes of the server, of sweeps, and of a cluster."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from cluster import cluster_of
from timeouts import TIMEOUT
from trials import Cases, at_random, check_sentence, trial, trying

from engine.studies import sweep

ROOT = Path(__file__).resolve().parents[2]

WORKERS = r"""
import logging, os, select, sys
from app.server import processes
from app.server.counts import SharedCounts
processes.SHORTEST = processes.LONGEST = processes.INTERVAL = 0.005
logging.basicConfig(stream=sys.stdout, format="%(message)s")
board = SharedCounts(2)
workers = processes.Processes(board)
workers.fork()
os.write(1, f"here {os.getpid()}\n".encode())  # at once, also where PYTHONUNBUFFERED has words written one by one
while not select.select([workers._read], [], [], 0.02)[0]:
    pass
os._exit(0)
"""
"""The processes of the server, without the server; like the server's, they end with the first. They
poll, because Python handles a signal that arrives just before a blocking call only when the call
returns.
"""


@trial("a process of the server is killed by any signal", short=5, full=1_000)
def killed_servers(folder: Path) -> Iterator[Cases]:
    command = [sys.executable, "-c", WORKERS]
    first = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    living: list[int] = []

    def line(word: str) -> list[str]:
        assert first.stdout is not None
        while not (said := first.stdout.readline()).startswith(word):
            assert said, "the first process has ended"
        return said.split()

    def check(chance: random.Random) -> None:
        while len(living) < 2:
            living.append(int(line("here")[1]))
        victim = living.pop(chance.randrange(2))
        number = chance.choice(
            (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGINT)
        )
        os.kill(victim, number)
        living.append(int(line("here")[1]))
        assert living[-1] != victim

    try:
        with trying(first.pid):
            yield at_random(check)
        first.send_signal(signal.SIGTERM)
        assert first.wait(TIMEOUT) == 0
        assert first.stderr is not None and first.stderr.read() == ""
    finally:
        first.kill()
        first.communicate()


OVER = {"dt": np.linspace(0.01, 0.1, 20), "Omega0.z": np.linspace(1, 5, 20)}


@trial("a process of a sweep is killed", short=0, full=10)
def killed_sweeps(folder: Path) -> Iterator[Cases]:
    once = sweep("free", "MR2", over=OVER, steps=50)

    def check(chance: random.Random) -> None:
        after = chance.randrange(once["status"].size - 50)
        killed = []

        def kill(done: int, total: int) -> None:
            if done > after and not killed:
                victim = chance.choice(multiprocessing.active_children())
                killed.append(victim)
                os.kill(victim.pid or 0, signal.SIGKILL)

        again = sweep("free", "MR2", over=OVER, steps=50, executor="processes", progress=kill)
        assert killed and again.identical(once)

    yield at_random(check)


@trial(
    "the scheduler of a Dask cluster dies in the middle of a sweep, which goes on without it",
    short=0,
    full=10,
)
def killed_schedulers(folder: Path) -> Iterator[Cases]:
    once = sweep("free", "MR2", over=OVER, steps=50)

    def check(chance: random.Random) -> None:
        kept = folder / f"{chance.getrandbits(64):x}"
        ended = []
        with cluster_of(2) as cluster:

            def end(done: int, total: int) -> None:
                if done and not ended:
                    ended.append(done)
                    cluster.close()

            try:
                found = sweep(
                    "free",
                    "MR2",
                    over=OVER,
                    steps=50,
                    executor=cluster.scheduler_address,
                    keep=kept,
                    progress=end,
                )
                assert found.identical(once)
            except ConnectionError as error:
                check_sentence(error, ConnectionError)
        assert ended and sweep("free", "MR2", over=OVER, steps=50, keep=kept).identical(once)

    yield at_random(check)
