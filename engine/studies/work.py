"""How a study is carried out: its parts on threads, with progress, cancelled at will, kept in a file and resumed."""

from __future__ import annotations

import contextvars
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ..algorithms.method import Method
from ..cancelling import Cancelled, cancelled
from ..problems.problem import Posed
from ..simulate import simulate
from ..wording import quoted

Part = TypeVar("Part")
Row = dict[str, Any]
Progress = Callable[..., Any]
"""`progress(done, total, row=None)`: how much is done of how much, and a row that is new, if there is one."""

TOLD_EACH = 0.05
"""Seconds between looks at whether the study is cancelled."""


def completed(
    problem: str | Posed, method: str | Method, *, cancel: threading.Event | None = None, **setting: Any
) -> Any:
    """As `engine.simulate`; but a run that is cancelled is none, and raises `Cancelled`."""
    run = simulate(problem, method, cancel=cancel, **setting)
    if run.status == "cancelled":
        raise Cancelled
    return run


def carry_out(
    parts: Sequence[Part],
    measure: Callable[[Part], Row],
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    workers: int | None = None,
    keep: str | Path | None = None,
    setting: Mapping[str, Any] | None = None,
) -> tuple[list[Row], bool]:
    """The rows of all parts, in their order, and whether all are there.

    Parameters
    ----------
    measure : gives a part's row, or raises `Cancelled`; kernels leave other threads at work.
    workers : how many parts at a time; by default one for each processor.
    keep : a file of JSON lines in which every row is put as soon as it is there. If the file is there already, of the
        same `setting`, what is in it is not measured again; of another, it is refused.
    """
    store = Store(keep, setting or {}) if keep is not None else None
    known = store.rows if store else {}
    rows: dict[int, Row] = {}
    names = [str(part) for part in parts]
    done = 0
    for i, name in enumerate(names):
        if name in known:
            rows[i] = known[name]
            done += 1
            if progress is not None:
                progress(done, len(parts), rows[i])
    left = iter([i for i in range(len(parts)) if i not in rows])
    at_a_time = workers or os.cpu_count() or 1
    with ThreadPoolExecutor(at_a_time, thread_name_prefix="study") as pool:
        for i, row in _finished(pool, left, lambda i: measure(parts[i]), cancel, at_a_time):
            rows[i] = row
            done += 1
            if store is not None:
                store.add(names[i], row)
            if progress is not None:
                progress(done, len(parts), row)
    return [rows[i] for i in sorted(rows)], len(rows) == len(parts)


def _finished(
    pool: ThreadPoolExecutor,
    left: Iterator[int],
    measure: Callable[[int], Row],
    cancel: threading.Event | None,
    workers: int,
) -> Iterator[tuple[int, Row]]:
    """Parts as they are done; none is begun after the study was cancelled."""
    running: dict[Future[Row], int] = {}
    while True:
        while len(running) < workers and not cancelled(cancel):
            i = next(left, None)
            if i is None:
                break
            # Who watches the caller, as for what is compiled, watches this too.
            running[pool.submit(contextvars.copy_context().run, measure, i)] = i
        if not running:
            return
        for future in wait(running, timeout=TOLD_EACH, return_when=FIRST_COMPLETED)[0]:
            i = running.pop(future)
            with suppress(Cancelled):
                yield i, future.result()


class Store:
    """A file of JSON lines: the setting of a study in the first, then a row a line as each is measured."""

    def __init__(self, path: str | Path, setting: Mapping[str, Any]) -> None:
        self.path, self.rows = Path(path), {}
        head = json.dumps({"setting": dict(setting)}, sort_keys=True, default=str)
        try:
            if self.path.is_dir():
                raise ValueError(f"{quoted(str(path), 140)} is a folder, and rows are kept in a file")
            if not self.path.exists() or not self.path.stat().st_size:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_text(f"{head}\n", encoding="utf-8")
                return
        except OSError as error:
            raise ValueError(f"{quoted(str(path), 140)} cannot be written: {error.strerror}") from error
        first, *lines = self.path.read_text(encoding="utf-8").splitlines()
        if first != head:
            raise ValueError(f"{self.path} holds another study, or one of another version; name a new file")
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # the last line, if the machine stopped while it was written
            self.rows[entry["part"]] = entry["row"]
        if lines and not self.path.read_text(encoding="utf-8").endswith("\n"):
            self._append("")

    rows: dict[str, Row]

    def add(self, part: str, row: Row) -> None:
        """Keep a row."""
        self._append(json.dumps({"part": part, "row": row}))

    def _append(self, line: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:  # what the disk says on closing names no file
            raise OSError(error.errno, error.strerror, str(self.path)) from error
