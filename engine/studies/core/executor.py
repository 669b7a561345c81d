"""The executor of studies: makes the runs of their parts on threads, in processes or on a cluster,
reports progress, stops on request, and keeps and resumes rows.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import io
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, overload
from urllib.request import urlopen

from ...algorithms.core.method import Method, find_method
from ...compiler.notices import Meanwhile, announce
from ...kernels import Cancelled, is_cancelled
from ...kernels.custom_torque import Compiled
from ...parameters.names import loaded_files
from ...problems.problem import AnyProblem, Problem, find_problem
from ...problems.two_bodies.pair import TwoBodies
from ...simulation import AnyRun, Run, TwoBodyRun, simulate
from ...text.extras import describe_missing
from ...text.formatting import quote
from .kept_rows import Row, Store

Part = TypeVar("Part")
Found = TypeVar("Found")
Progress = Callable[..., Any]
"""`progress(done, total, row=None)`: how many parts are done, of how many, and a new row, if there
is one.
"""
Cancel = threading.Event | None
Work = Callable[[Part, Cancel], Found]
"""Measures a part; raises `Cancelled` if that is cancelled on the way."""

PAUSE = 0.05
"""Seconds between looks at whether the study is cancelled."""
HERE, THERE = 0.25, 1.0
"""Seconds that a part should take on this machine, and on others."""
TRIES = 3
"""How often processes are restarted, or a cluster tries a part, when a worker has died."""
ANSWERS_WITHIN = 10
"""Seconds in which a Dask scheduler answers."""
SILENT = 3.0
"""Seconds without an answer, after which the study looks whether there are workers at all."""
WITHOUT_WORKERS = "Waiting for a worker: the Dask scheduler has none"

# -------------------------------------------------------------------------------------------------
# the executor


class ExecutorOptions(TypedDict, total=False):
    """What a caller of a study may set besides its arguments; the study declares `workers` and
    `keep`.
    """

    progress: Progress | None
    cancel: threading.Event | None
    workers: int | None
    keep: str | Path | None


@dataclass(frozen=True)
class Executor:
    """What makes the runs of a study.

    Attributes
    ----------
    progress : called with how much is done, of how much, and a new row, if there is one.
    cancel : ends the study when it is set.
    workers : the number of threads; by default one for each processor.
    keep : a file of JSON lines that keeps every row as soon as it is there.
    """

    progress: Progress | None = None
    cancel: threading.Event | None = None
    workers: int | None = None
    keep: str | Path | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether the caller ended the study."""
        return is_cancelled(self.cancel)

    def report(self, done: int, total: int, row: Mapping[str, Any] | None = None) -> None:
        """Report how far the study is."""
        if self.progress is not None:
            self.progress(done, total, *([] if row is None else [row]))

    @overload
    def simulate(self, problem: TwoBodies, method: str | Method, **setting: Any) -> TwoBodyRun: ...
    @overload
    def simulate(self, problem: Problem, method: str | Method, **setting: Any) -> Run: ...
    @overload
    def simulate(
        self, problem: str | AnyProblem, method: str | Method, **setting: Any
    ) -> AnyRun: ...
    def simulate(self, problem: str | AnyProblem, method: str | Method, **setting: Any) -> AnyRun:
        """Return what `engine.simulate` does; raise `Cancelled` if the run is cancelled."""
        body = find_problem(problem)
        chosen = find_method(method, space=body.space)
        run: AnyRun = simulate(body, chosen, cancel=self.cancel, **setting)
        if run.status == "cancelled":
            raise Cancelled
        return run

    def carry_out(
        self,
        parts: Sequence[Part],
        measure: Callable[[Part], Row],
        setting: Mapping[str, Any] | None = None,
    ) -> tuple[list[Row], bool]:
        """Return the rows of all parts, in their order, and whether all are there.

        `measure` returns the row of a part, or raises `Cancelled`. Rows that `keep` has already, of
        the same `setting`, are not measured again; a file of another setting is refused.
        """
        store = Store(self.keep, setting or {}) if self.keep is not None else None
        rows: dict[int, Row] = {}

        def enter(i: int, row: Row) -> None:
            rows[i] = row
            self.report(len(rows), len(parts), row)

        if store is not None:
            for i, part in enumerate(parts):
                if str(part) in store.rows:
                    enter(i, store.rows[str(part)])

        def work(i: int, _: Cancel) -> Row:
            return measure(parts[i])

        left = [i for i in range(len(parts)) if i not in rows]
        with start_workers(None, work, self.cancel, self.workers) as workers:
            for i, row in gather(workers, left, self.cancel):
                if store is not None:
                    store.add(str(parts[i]), row)
                enter(i, row)
        return [rows[i] for i in sorted(rows)], len(rows) == len(parts)


# -------------------------------------------------------------------------------------------------
# workers


class Threads(ThreadPoolExecutor):
    """Threads; listeners of the caller also hear of what they compile."""

    def __init__(self, count: int) -> None:
        super().__init__(count, thread_name_prefix="study")

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Submit a call in a copy of the caller's context."""
        return super().submit(contextvars.copy_context().run, function, *args, **named)


class Workers(NamedTuple, Generic[Part, Found]):
    """What works on parts.

    Attributes
    ----------
    name : what they are, in words.
    capacity : how many parts they can take now.
    submit : begins a part.
    restart : starts new ones after one has died; None where the caller owns them.
    seconds : that a part should take.
    idle : why no answer can come now, in words; empty if one can.
    here : whether they are threads of this process, which a cancellation ends within moments.
    """

    name: str
    capacity: Callable[[], int]
    submit: Callable[[Part], Future[Found]]
    restart: Callable[[], None] | None = None
    seconds: float = HERE
    idle: Callable[[], str] = lambda: ""
    here: bool = False


@contextmanager
def start_workers(
    where: Any, work: Work[Part, Found], cancel: Cancel = None, count: int | None = None
) -> Iterator[Workers[Part, Found]]:
    """Start the workers that a caller named, or use those given; `count` of them here, by default
    one for each processor.
    """
    count = count or os.cpu_count() or 1
    if where is None or where == "threads":
        with Threads(count) as pool, start_workers(pool, work, cancel, count) as workers:
            yield workers
        return
    if isinstance(where, ThreadPoolExecutor):

        def submit(part: Part) -> Future[Found]:
            run = contextvars.copy_context().run  # listeners also hear of what is compiled there
            return where.submit(run, work, part, cancel)

        yield Workers("threads", lambda: count, submit, here=True)
        return
    pickled = _pickle(work)
    if isinstance(where, futures.Executor):
        yield Workers(type(where).__name__, lambda: count, _send(where, pickled))
    elif where == "processes":
        with _Processes(count, pickled) as processes:
            yield Workers("processes", lambda: count, processes.submit, processes.restart)
    else:
        with _connect(where) as client:
            cluster = client.get_executor(pure=False, retries=TRIES)
            yield Workers(
                "a Dask cluster",
                lambda: max(1, sum(client.nthreads().values())),
                _send(cluster, pickled),
                seconds=THERE,
                idle=lambda: "" if client.nthreads() else WITHOUT_WORKERS,
            )


def gather(
    workers: Workers[Part, Found],
    parts: Iterable[Part],
    cancel: Cancel = None,
) -> Iterator[tuple[Part, Found]]:
    """Yield each part with what was found of it, as it comes; after a cancellation begin no other
    part. While no answer comes, announce why, if that is known.

    Raises
    ------
    ConnectionError
        If the workers are lost.
    """
    left = iter(parts)
    silence = _Silence(workers.idle)
    running = dict[Future[Found], Part]()
    again: list[Part] = []

    def fill() -> None:
        while len(running) < workers.capacity() * (1 if workers.here else 2):
            part = again.pop() if again else next(left, None)
            if part is None:
                return
            running[workers.submit(part)] = part

    try:
        while True:
            try:
                if not is_cancelled(cancel):
                    fill()
                if not running or (is_cancelled(cancel) and not workers.here):
                    return
                come = wait(running, timeout=PAUSE, return_when=FIRST_COMPLETED)[0]
                silence.note(bool(come))
                for future in come:
                    with suppress(Cancelled):
                        found = future.result()
                        yield running[future], found
                    del running[future]
            except BrokenExecutor as error:
                if workers.restart is None:
                    raise ConnectionError(
                        f"the workers of {workers.name} have gone: {error}"
                    ) from error
                again += running.values()
                running.clear()
                workers.restart()
            except (CancelledError, OSError) as error:
                if workers.here:
                    raise
                raise ConnectionError(
                    f"{workers.name} has gone ({error or type(error).__name__})"
                ) from error
    except KeyboardInterrupt:
        if cancel is not None:
            cancel.set()  # the runs that threads make end soon
        raise
    finally:
        silence.end()
        for future in running:
            future.cancel()


class _Silence:
    """The time since the last answer, which is announced with its reason once it is long."""

    def __init__(self, explain: Callable[[], str]) -> None:
        self._explain = explain
        self._last = time.monotonic()
        self._words = ""
        self._announced = ExitStack()

    def note(self, answered: bool) -> None:
        """Look whether an answer has come, and why not if that is known."""
        if answered:
            self._last = time.monotonic()
        words = self._explain() if time.monotonic() - self._last > SILENT else ""
        if words != self._words:
            self._words = words
            self.end()
            if words:
                self._announced.enter_context(announce(Meanwhile(words)))

    def end(self) -> None:
        """Take back what is announced."""
        self._announced.close()


# -------------------------------------------------------------------------------------------------
# processes and clusters


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
    """Processes of a study, which are restarted if one of them has died."""

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
                "the processes of this study die again and again; a script that starts them needs its work under "
                'if __name__ == "__main__":'
            )
        self._left -= 1
        self.__exit__()
        self._context = _Spawning()
        self._pool = ProcessPoolExecutor(self._count, self._context)

    def submit(self, part: Any) -> Future[Any]:
        """Begin a part."""
        assert self._pool is not None
        return _send(self._pool, self._pickled)(part)


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


def _send(executor: futures.Executor, pickled: bytes) -> Callable[[Any], Future[Any]]:
    return lambda part: executor.submit(_work_there, pickled, part)


def _work_there(pickled: bytes, part: Any) -> Any:
    """Measure a part in another process."""
    return _unpickle(pickled)(part, None)


@functools.lru_cache(maxsize=4)
def _unpickle(pickled: bytes) -> Work[Any, Any]:
    """Return the work, after loading the plugins that declare what it names."""
    files, work = pickle.loads(pickled)
    for load in files:
        load()
    return pickle.loads(work)


def _pickle(work: Work[Any, Any]) -> bytes:
    """Pickle work for another process, with the plugins of this one; `ValueError` if something in it
    cannot be pickled.
    """
    return pickle.dumps((list(loaded_files.values()), _pickle_functions(work)))


def _pickle_functions(work: Work[Any, Any]) -> bytes:
    """Pickle work with functions that no other process finds by their names."""
    try:
        import cloudpickle
    except ModuleNotFoundError:
        pickled = pickle.dumps(work)
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
        Pickler(buffer).dump(work)
    except Exception as error:
        raise ValueError(f"this study cannot go to other processes: {error}") from error
    return buffer.getvalue()


def _is_local(function: Any) -> bool:
    """Whether no other process finds the function by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__
