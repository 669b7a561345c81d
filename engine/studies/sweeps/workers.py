"""Workers of a sweep: threads or processes here, an executor, or a Dask cluster."""

from __future__ import annotations

import asyncio
import contextvars
import io
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, NamedTuple
from urllib.request import urlopen

from ...compiler.notices import Meanwhile, announce
from ...kernels.custom_torque import Compiled
from ...text.extras import describe_missing
from ...text.formatting import quote
from ..core.executor import Threads, Workers, gather
from .axes import Grid
from .block import BlockValues, Request, measure_block, measure_pickled

THERE = 1.0
"""Seconds that a block should take on other machines."""
TRIES = 3
"""How often processes are restarted, or a cluster tries a block, when a worker has died."""
ANSWERS_WITHIN = 10
"""Seconds in which a Dask scheduler answers."""
SILENT = 3.0
"""Seconds without an answer, after which the sweep looks whether there are workers at all."""
WITHOUT_WORKERS = "Waiting for a worker: the Dask scheduler has none"


class PointBlock(NamedTuple):
    """A part of a sweep: a method, by its number, at the points of a grid, which stand `at` a place
    of the result.

    `shape` is that of the place, None if `at` lists single points.
    """

    at: tuple[Any, ...]
    shape: tuple[int, ...] | None
    method: int
    grid: Grid


BlockWorkers = Workers[PointBlock, BlockValues]


@contextmanager
def start_workers(
    executor: Any, request: Request, cancel: threading.Event | None
) -> Iterator[BlockWorkers]:
    """Start the workers that a caller named, or use those given."""
    count = os.cpu_count() or 1
    if executor is None or executor == "threads":
        with Threads() as pool, start_workers(pool, request, cancel) as workers:
            yield workers
        return
    if isinstance(executor, ThreadPoolExecutor):

        def submit(block: PointBlock) -> Future[BlockValues]:
            run = (
                contextvars.copy_context().run
            )  # listeners of the caller also hear of what is compiled
            return executor.submit(run, measure_block, request, block.method, block.grid, cancel)

        yield Workers("threads", lambda: count, submit, here=True)
        return
    pickled = _pickle(request)
    if isinstance(executor, Executor):
        yield Workers(type(executor).__name__, lambda: count, _send(executor, pickled))
    elif executor == "processes":
        with _Processes(count, pickled) as processes:
            yield Workers("processes", lambda: count, processes.submit, processes.restart)
    else:
        with _connect(executor) as client:
            cluster = client.get_executor(pure=False, retries=TRIES)
            yield Workers(
                "a Dask cluster",
                lambda: max(1, sum(client.nthreads().values())),
                _send(cluster, pickled),
                seconds=THERE,
                idle=lambda: "" if client.nthreads() else WITHOUT_WORKERS,
            )


def _send(executor: Executor, pickled: bytes) -> Callable[[PointBlock], Future[BlockValues]]:
    return lambda block: executor.submit(measure_pickled, pickled, block.method, block.grid)


class _Spawning(SpawnContext):
    """Starts new processes, and keeps a list of them, which an executor does not offer."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]
        """Return a new process."""
        self.started.append(SpawnProcess(*args, **options))
        return self.started[-1]


class _Processes:
    """Processes of this sweep, which are restarted if one of them has died."""

    def __init__(self, count: int, pickled: bytes) -> None:
        self._count = count
        self._pickled = pickled
        self._left = TRIES
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Processes:
        self.restart()
        return self

    def __exit__(self, *_: Any) -> None:
        """End all at once: one may wait for ever, for a lock of another that was killed."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in self._context.started:
                if process.pid is not None:  # else it could not start
                    process.kill()
                    process.join()

    def restart(self) -> None:
        """Start processes in place of those before."""
        if not self._left:
            raise RuntimeError(
                "the processes of this sweep die again and again; a script that starts them needs its work under "
                'if __name__ == "__main__":'
            )
        self._left -= 1
        self.__exit__()
        self._context = _Spawning()
        self._pool = ProcessPoolExecutor(self._count, self._context)

    def submit(self, block: PointBlock) -> Future[BlockValues]:
        """Begin a block."""
        assert self._pool is not None
        return _send(self._pool, self._pickled)(block)


@contextmanager
def _connect(given: Any) -> Iterator[Any]:
    """Yield the given Dask client, or one for the scheduler at this address."""
    if not isinstance(given, str):
        if hasattr(given, "get_executor") and hasattr(given, "nthreads"):
            yield given
            return
        raise ValueError(
            'executor is "threads", "processes", a concurrent.futures.Executor, a dask.distributed.Client or the '
            f"address of a Dask scheduler, like tcp://host:8786; got {quote(repr(given), 60)}"
        )
    if "://" not in given:
        raise ValueError(
            f'executor is "threads", "processes" or an address like tcp://host:8786; got {quote(given)}'
        )
    try:
        from dask.distributed import Client
    except ModuleNotFoundError as error:
        raise ValueError(describe_missing(error.name)) from None
    try:
        with Threads(
            1
        ) as pool:  # the caller's thread may have its own event loop, as in a notebook
            pool.submit(asyncio.run, _greet(given)).result()
        client = Client(given, timeout=ANSWERS_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {quote(given)}") from error
    with client:
        yield client


async def _greet(address: str) -> None:
    """Greet what listens at an address; `TimeoutError` if it does not answer. A client would wait
    for minutes.
    """
    from distributed.comm import connect
    from distributed.security import Security

    async with asyncio.timeout(ANSWERS_WITHIN):
        comm = await connect(
            address, timeout=ANSWERS_WITHIN, **Security().get_connection_args("client")
        )
        comm.abort()


def find_dashboard(address: str) -> str:
    """Return the address of the dashboard of a Dask scheduler, empty if none can be reached.

    An address at which no scheduler answers within some seconds raises a `ValueError`.
    """
    with _connect(address) as client, suppress(KeyError, OSError):
        dashboard = str(client.dashboard_link)  # also of a scheduler that has switched it off
        with urlopen(dashboard, timeout=ANSWERS_WITHIN):
            return dashboard
    return ""


def _pickle(request: Request) -> bytes:
    """Pickle a request for another process; `ValueError` if something in it cannot be pickled."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        pickled = pickle.dumps(request)
        if b"__main__" not in pickled:
            return pickled
        raise ValueError(
            f"a function of a notebook or script is to go to other processes; {describe_missing('cloudpickle')}"
        ) from None

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc, name-defined]
        def reducer_override(self, thing: object) -> object:
            if isinstance(thing, Compiled) and _is_local(thing):
                return Compiled, (thing.py_func, thing.kind)
            return super().reducer_override(thing)

    buffer = io.BytesIO()
    try:
        Pickler(buffer).dump(request)
    except Exception as error:
        raise ValueError(f"this sweep cannot go to other processes: {error}") from error
    return buffer.getvalue()


def _is_local(function: Any) -> bool:
    """Whether no other process finds the function by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__


def measure_blocks(
    workers: BlockWorkers, blocks: Iterable[PointBlock], cancel: threading.Event | None
) -> Iterator[tuple[PointBlock, BlockValues]]:
    """Yield each block with its values, as they come; while no answer comes, announce why, if that
    is known.

    Raises
    ------
    ConnectionError
        If the workers are lost.
    """
    last = time.monotonic()
    words = ""
    announced = ExitStack()

    def watch(answered: bool) -> None:
        nonlocal last, words
        if answered:
            last = time.monotonic()
        now = workers.idle() if time.monotonic() - last > SILENT else ""
        if now != words:
            words = now
            announced.close()
            if words:
                announced.enter_context(announce(Meanwhile(words)))

    with announced:
        yield from gather(workers, blocks, cancel, watch)
