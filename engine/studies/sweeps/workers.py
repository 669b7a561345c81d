"""Where the blocks of a sweep are answered: threads or processes here, an executor, or a Dask cluster."""

from __future__ import annotations

import asyncio
import contextvars
import io
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from ...cancelling import Cancelled, cancelled
from ...compiler.telling import Meanwhile, telling
from ...torque import Compiled
from ...wording import quoted
from ..work import TOLD_EACH
from .axes import Grid
from .block import BlockValues, Request, answered, answered_by_pickle

HERE, THERE = 0.25, 1.0
"""Seconds that a block should take: here, where a cancelled sweep waits for none; and on other machines."""
TRIES = 3
"""How often processes are begun anew, or a block is tried on a cluster, when a worker has died."""
ANSWERS_WITHIN = 10
"""Seconds in which a Dask scheduler answers, if there is one."""
SILENT = 3.0
"""Seconds without an answer, after which it is looked whether there are workers at all."""
WITHOUT_WORKERS = "Waiting for a worker: the Dask scheduler has none"


class PointBlock(NamedTuple):
    """A part of a sweep: a method, by its number, at the points of a grid; `key` is the asker's own."""

    key: Any
    method: int
    grid: Grid


class Workers(NamedTuple):
    """What answers blocks.

    Attributes
    ----------
    words : what they are.
    at_a_time : how many blocks they answer at a time, at this moment.
    seconds : that a block should take.
    submit : begins with a block.
    again : begins them anew after one has died; None where that is not ours to do.
    idle : why no answer can come at this moment, in words; empty where one can.
    """

    words: str
    at_a_time: Callable[[], int]
    seconds: float
    submit: Callable[[PointBlock], Future[BlockValues]]
    again: Callable[[], None] | None = None
    idle: Callable[[], str] = lambda: ""


@contextmanager
def workers_of(executor: Any, request: Request, cancel: threading.Event | None) -> Iterator[Workers]:
    """The workers that are meant by what a caller gave."""
    here = os.cpu_count() or 1
    if executor is None or executor == "threads" or isinstance(executor, ThreadPoolExecutor):
        own = not isinstance(executor, ThreadPoolExecutor)
        pool = ThreadPoolExecutor(here, thread_name_prefix="sweep") if own else executor

        def in_thread(block: PointBlock) -> Future[BlockValues]:
            # Who watches the caller, as for what is compiled, watches this too.
            run = contextvars.copy_context().run
            return pool.submit(run, answered, request, block.method, block.grid, cancel)

        try:
            yield Workers("threads", lambda: here, HERE, in_thread)
        finally:
            if own:
                pool.shutdown(cancel_futures=True)
        return
    sent = _pickled(request)
    if isinstance(executor, Executor):
        yield Workers(type(executor).__name__, lambda: here, HERE, _sending(executor, sent))
    elif executor == "processes":
        with _Processes(here, sent) as processes:
            yield Workers("processes", lambda: here, HERE, processes.submit, processes.begin)
    else:
        with _client(executor) as client:
            threads = lambda: max(1, sum(client.nthreads().values()))  # noqa: E731
            cluster = client.get_executor(pure=False, retries=TRIES)
            idle = lambda: "" if client.nthreads() else WITHOUT_WORKERS  # noqa: E731
            yield Workers("a Dask cluster", threads, THERE, _sending(cluster, sent), idle=idle)


def _sending(executor: Executor, sent: bytes) -> Callable[[PointBlock], Future[BlockValues]]:
    return lambda block: executor.submit(answered_by_pickle, sent, block.method, block.grid)


class _Processes:
    """Processes of our own, which are begun anew if one of them has died."""

    def __init__(self, count: int, sent: bytes) -> None:
        self._count, self._sent, self._left = count, sent, TRIES
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Processes:
        self.begin()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self) -> None:
        """Begin, or begin anew."""
        if not self._left:
            raise RuntimeError(
                "the processes of this sweep die again and again; a script that begins them needs its work under "
                'if __name__ == "__main__":'
            )
        self._left -= 1
        self.__exit__()
        self._pool = ProcessPoolExecutor(self._count, multiprocessing.get_context("spawn"))

    def submit(self, block: PointBlock) -> Future[BlockValues]:
        """Begin with a block."""
        assert self._pool is not None
        return _sending(self._pool, self._sent)(block)


@contextmanager
def _client(given: Any) -> Iterator[Any]:
    """The Dask client that was given, or one for the scheduler at this address."""
    if not isinstance(given, str):
        if hasattr(given, "get_executor") and hasattr(given, "nthreads"):
            yield given
            return
        raise ValueError(
            'executor is "threads", "processes", a concurrent.futures.Executor, a dask.distributed.Client or the '
            f"address of a Dask scheduler, like tcp://host:8786; got {quoted(repr(given), 60)}"
        )
    if "://" not in given:
        raise ValueError(
            f'executor is "threads", "processes" or an address like tcp://host:8786; got {quoted(given)}'
        )
    try:
        from dask.distributed import Client
    except ModuleNotFoundError as error:
        raise ValueError(
            f"a Dask cluster needs {error.name}, which is not installed: pip install 'polhode[dask]'"
        ) from None
    try:
        with ThreadPoolExecutor(1) as pool:  # the caller's thread may have an event loop of its own, as in a notebook
            pool.submit(asyncio.run, _answering(given)).result()
        client = Client(given, timeout=ANSWERS_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {quoted(given)}") from error
    with client:
        yield client


async def _answering(address: str) -> None:
    """Greet what listens at an address; `TimeoutError` if it does not answer: a client would wait for minutes."""
    from distributed.comm import connect
    from distributed.security import Security

    async with asyncio.timeout(ANSWERS_WITHIN):
        comm = await connect(address, timeout=ANSWERS_WITHIN, **Security().get_connection_args("client"))
        comm.abort()


def check_scheduler(address: str) -> None:
    """Refuse an address at which no Dask scheduler answers within some seconds."""
    with _client(address):
        pass


def _pickled(request: Request) -> bytes:
    """The request as it goes to another process; refused at once if something in it cannot."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        sent = pickle.dumps(request)
        if b"__main__" not in sent:
            return sent
        raise ValueError(
            "a function of a notebook or script goes to other processes with cloudpickle, which is not installed: "
            "pip install 'polhode[dask]'"
        ) from None

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc, name-defined]
        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, Compiled) and _only_here(thing):
                return Compiled, (thing.py_func, thing.kind)
            return super().reducer_override(thing)

    written = io.BytesIO()
    try:
        Pickler(written).dump(request)
    except Exception as error:
        raise ValueError(f"this sweep cannot go to other processes: {error}") from error
    return written.getvalue()


def _only_here(function: Any) -> bool:
    """Whether no other process finds it by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__


def answers(
    where: Workers, blocks: Iterable[PointBlock], cancel: threading.Event | None
) -> Iterator[tuple[Any, BlockValues]]:
    """The answers as they come, each with its block's key; what is not there when it is cancelled is left out.

    Raises
    ------
    ConnectionError
        If the workers have gone.
    """
    left, running = iter(blocks), dict[Future[BlockValues], PointBlock]()
    again: list[PointBlock] = []
    silence = _Silence(where)

    def begin() -> None:
        most = where.at_a_time() * (1 if where.words == "threads" else 2)
        while len(running) < most:
            block = again.pop() if again else next(left, None)
            if block is None:
                return
            running[where.submit(block)] = block

    try:
        while True:
            try:
                if not cancelled(cancel):
                    begin()
                if not running:
                    return
                come = wait(running, timeout=TOLD_EACH, return_when=FIRST_COMPLETED)[0]
                silence.told(bool(come))
                for future in come:
                    block = running[future]
                    try:
                        answer = future.result()
                    except Cancelled:
                        del running[future]
                        continue
                    del running[future]
                    yield block.key, answer
            except BrokenExecutor as error:
                if where.again is None:
                    raise ConnectionError(f"the workers of {where.words} have gone: {error}") from error
                again += running.values()
                running.clear()
                where.again()
            except (CancelledError, OSError) as error:
                raise ConnectionError(f"{where.words} has gone ({error or type(error).__name__})") from error
            if cancelled(cancel) and where.words != "threads":
                return
    finally:
        silence.end()
        for future in running:
            future.cancel()


class _Silence:
    """How long nothing has been answered; who waits is told why, if that is known."""

    def __init__(self, where: Workers) -> None:
        self._where, self._since, self._words, self._telling = where, time.monotonic(), "", ExitStack()

    def told(self, answered: bool) -> None:
        """Something was answered just now, or nothing."""
        if answered:
            self._since = time.monotonic()
        silent = time.monotonic() - self._since > SILENT
        words = self._where.idle() if silent else ""
        if words != self._words:
            self.end()
            self._words = words
            self._telling.enter_context(telling(Meanwhile(words)))

    def end(self) -> None:
        """Nothing more is told."""
        self._words = ""
        self._telling.close()
