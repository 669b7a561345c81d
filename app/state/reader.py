"""Files of visitors: they arrive in parts, and a separate process reads each of them.

A malicious file can crash the library that reads it, or exhaust the memory. The process has bounds
on time and memory, so that this results in a message to its sender and does not affect others.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from engine.kernels import Cancelled, is_cancelled
from engine.parameters.argument_error import ArgumentError
from engine.text.formatting import finish_sentence

LONGEST, PATIENCE = 30, 300
"""Largest numbers of seconds for reading: of processor time, and in all, on a machine with other
work.
"""
CHECK_EVERY = 0.1
"""Seconds between two checks whether the visitor still waits for the result."""
MEMORY = 2**30
"""Bytes of the reading process, half of a container's: of address space, which the largest mesh
fills to 0.7; where the system does not limit that, of resident memory.
"""
BYTES = bytes | bytearray | memoryview
LONGEST_NAME = 60

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


FIELDS = "fields.json"
"""The names of the fields that a person fills in or changes, beside a file that is refused."""


class Refused(ValueError):
    """A file that is refused: why, and the fields that a person fills in or changes."""

    def __init__(self, why: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.fields = fields


class FileParts:
    """Collects the parts of a file in their order, up to the largest size of a file, in bytes; `what`
    names the kind of the file.
    """

    def __init__(self, largest: int, what: str) -> None:
        self._largest = largest
        self._what = what
        self._name = ""
        self._held: list[bytes] = []

    def add(self, message: Any) -> tuple[str, bytes] | None:
        """Add a part; return name and content after the last one. A part that does not fit raises a
        `ValueError`.
        """
        name, part, parts, data = _message(message)
        if part == 0:
            self._name = name
            self._held = []
        if name != self._name or part != len(self._held):
            self._held = []
            raise ValueError("A part of the file did not arrive; please choose it again.")
        if sum(map(len, self._held)) + len(data) > self._largest:
            self._held = []
            raise ValueError(
                f"{self._what} may have at most {self._largest // 2**20} MB; this file has more."
            )
        self._held.append(data)
        if part + 1 < parts:
            return None
        whole = b"".join(self._held)
        self._held = []
        return name, whole


def _message(message: Any) -> tuple[str, int, int, bytes]:
    """Name, number of the part, number of parts, and bytes of a message."""
    match message:
        case {"name": str(name), "part": int(part), "parts": int(parts), "data": data} if (
            isinstance(data, BYTES)
        ):
            return name[-LONGEST_NAME:], part, parts, bytes(data)
    raise ValueError("This is no part of a file.")


def read_beside(
    module: str,
    folder: str,
    arguments: Sequence[str],
    cancel: threading.Event | None,
    name: str,
    instead: str,
    others: tuple[int, ...] = (),
    on_time: Callable[[float], Any] = lambda _: None,
) -> subprocess.CompletedProcess[str]:
    """Have the function `main` of a module read a file in this folder; return the process that did.

    Raises `ValueError` if the process exceeds its bounds or crashes, and `Refused` if it refuses the
    file, where `name` is that of the file for its sender, and `instead` what to take instead of it;
    `others` are exit codes that its module explains. `cancel` ends the process, and raises `Cancelled`.
    `on_time` receives the seconds of processor time so far, again and again.
    """
    try:
        child = run_reader(module, folder, arguments, cancel, on_time)
    except subprocess.TimeoutExpired:
        raise ValueError(
            f"{name!r} takes more than {PATIENCE} seconds to read; {instead}."
        ) from None
    if child.returncode == TIME_IS_UP:
        raise ValueError(f"{name!r} takes more than {LONGEST} seconds to read; {instead}.")
    if child.returncode == MEMORY_IS_UP:
        raise ValueError(f"{name!r} takes too much memory to read; {instead}.")
    if child.returncode == REFUSED:
        words = finish_sentence(child.stdout.strip().replace(arguments[0], name))
        fields = Path(folder, FIELDS)
        named = json.loads(fields.read_text(encoding="utf-8")) if fields.is_file() else []
        raise Refused(words, tuple(named))
    if child.returncode not in (0, *others):
        raise ValueError(f"{name!r} cannot be read: the file is damaged.")
    return child


def run_reader(
    module: str,
    folder: str,
    arguments: Sequence[str],
    cancel: threading.Event | None,
    on_time: Callable[[float], Any],
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process of its own, in this folder."""
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", module, *arguments]
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen(
        command, cwd=folder, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as child:  # fmt: skip
        try:
            while True:
                if is_cancelled(cancel):
                    raise Cancelled
                with suppress(subprocess.TimeoutExpired):
                    printed, _ = child.communicate(timeout=CHECK_EVERY)
                    return subprocess.CompletedProcess(command, child.returncode, printed)
                if time.monotonic() > deadline:
                    raise subprocess.TimeoutExpired(command, PATIENCE)
                memory, seconds = _measure_use(child.pid)
                if memory > MEMORY:
                    return subprocess.CompletedProcess(command, MEMORY_IS_UP, "")
                if seconds > LONGEST:
                    return subprocess.CompletedProcess(command, TIME_IS_UP, "")
                if seconds:
                    on_time(seconds)
        finally:
            child.kill()


def _measure_use(process: int) -> tuple[int, float]:
    """Return the bytes of memory and the seconds of processor time that a process uses; 0 once it has
    ended.
    """
    try:
        reader = psutil.Process(process)
        family = [
            reader,
            *reader.children(),
        ]  # on Windows, a virtual environment's Python starts another
        memory = sum(one.memory_info().rss for one in family)
        seconds = sum(sum(one.cpu_times()[:2]) for one in family)
    except psutil.Error:  # it has ended
        return 0, 0.0
    return memory, seconds


REFUSED, MEMORY_IS_UP = 3, 5
"""Exit codes of a process that printed its reason, and of one that has taken too much memory."""
TIME_IS_UP = -getattr(signal, "SIGXCPU", sys.maxsize)
"""The exit code of a process that has used up its processor time."""


def refuse(error: ValueError) -> int:
    """Print why the file is refused, for `read_beside`, and return the exit code."""
    if isinstance(error, ArgumentError):
        Path(FIELDS).write_text(json.dumps(error.arguments), encoding="utf-8")
        print(error.why)
    else:
        print(error)
    return REFUSED


def limit_resources() -> None:
    """Have the system limit memory and time, as far as it does: `run_reader` sees to the rest."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError):  # macOS
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # The first of these limits sends a signal that gives the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
