"""The executor of studies: runs parts on workers, reports progress, stops on request, and keeps and
resumes rows.
"""

from __future__ import annotations

import contextvars
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, overload

from ...algorithms.core.method import Method
from ...kernels.cancellation import Cancelled, is_cancelled
from ...problems.problem import AnyProblem, Problem
from ...problems.two_bodies.pair import TwoBodies
from ...simulation import AnyRun, Run, TwoBodyRun, simulate
from ...text.formatting import quote

Part = TypeVar("Part")
Found = TypeVar("Found")
Row = dict[str, Any]
Progress = Callable[..., Any]
"""`progress(done, total, row=None)`: how many parts are done, of how many, and a new row, if there
is one.
"""

PAUSE = 0.05
"""Seconds between looks at whether the study is cancelled."""


class Threads(ThreadPoolExecutor):
    """Threads, one for each processor by default; listeners of the caller also hear of what they
    compile.
    """

    def __init__(self, count: int | None = None) -> None:
        super().__init__(count or os.cpu_count() or 1, thread_name_prefix="study")

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
    seconds: float = 0.25
    idle: Callable[[], str] = lambda: ""
    here: bool = False


@contextmanager
def start_threads(
    work: Callable[[Part], Found], count: int | None
) -> Iterator[Workers[Part, Found]]:
    """Start threads that work on parts, one for each processor by default."""
    with Threads(count) as pool:
        at_once = count or os.cpu_count() or 1
        yield Workers("threads", lambda: at_once, lambda part: pool.submit(work, part), here=True)


def gather(
    workers: Workers[Part, Found],
    parts: Iterable[Part],
    cancel: threading.Event | None = None,
    watch: Callable[[bool], object] = lambda answered: None,
) -> Iterator[tuple[Part, Found]]:
    """Yield each part with what was found of it, as it comes; after a cancellation begin no other
    part.

    `watch` is called now and then with whether an answer has come.

    Raises
    ------
    ConnectionError
        If the workers are lost.
    """
    left = iter(parts)
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
                watch(bool(come))
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
        for future in running:
            future.cancel()


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
        run: AnyRun = simulate(problem, method, cancel=self.cancel, **setting)
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

        def work(i: int) -> Row:
            return measure(parts[i])

        left = [i for i in range(len(parts)) if i not in rows]
        with start_threads(work, self.workers) as threads:
            for i, row in gather(threads, left, self.cancel):
                if store is not None:
                    store.add(str(parts[i]), row)
                enter(i, row)
        return [rows[i] for i in sorted(rows)], len(rows) == len(parts)


class Store:
    """A file of JSON lines: the setting of a study in the first, then a row a line as each is
    measured.
    """

    rows: dict[str, Row]

    def __init__(self, path: str | Path, setting: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.rows = {}
        head = json.dumps({"setting": dict(setting)}, sort_keys=True, default=str)
        try:
            if self.path.is_dir():
                raise ValueError(f"{quote(str(path), 140)} is a folder; rows are kept in a file")
            if not self.path.exists() or not self.path.stat().st_size:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_text(f"{head}\n", encoding="utf-8")
                return
        except OSError as error:
            raise ValueError(
                f"{quote(str(path), 140)} cannot be written: {error.strerror}"
            ) from error
        text = self.path.read_text(encoding="utf-8")
        first, *lines = text.splitlines()
        if first != head:
            raise ValueError(
                f"{self.path} holds another study, or one of another version; name a new file"
            )
        for line in lines:
            with suppress(ValueError):  # the last line, if the machine stopped while it was written
                entry = json.loads(line)
                self.rows[entry["part"]] = entry["row"]
        if not text.endswith("\n"):
            self._append("")

    def add(self, part: str, row: Row) -> None:
        """Keep a row."""
        self._append(json.dumps({"part": part, "row": row}))

    def _append(self, line: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:  # an error on closing names no file
            raise OSError(error.errno, error.strerror, str(self.path)) from error
