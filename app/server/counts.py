"""What all processes of a server count together, and the report in Prometheus' text format."""

from __future__ import annotations

import mmap
import os
import threading
from bisect import bisect_left
from collections.abc import Iterator

import psutil

from engine.compiler.notices import compiled

SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Upper bounds of the histograms' bins."""
COUNTERS = {
    "sessions_total": "Sessions made, of pages that were fetched or made ahead",
    "refusals_total": "Refused requests, by reason",
    "kernels_compiled_total": "Kernels compiled since a process started",
}
REASONS = ("full", "host", "message")
"""Why a request is refused: the lab is full, no such host name, or no page sends such a message."""
HISTOGRAMS = {
    "answer_seconds": "Time from the arrival of a visitor's message to its answer",
    "waiting_seconds": "Time from the start of a long computation to its first turn",
}
BINS = [*map(str, SECONDS), "+Inf"]
COLUMNS = [
    "visitors", "process", "beats", "sessions_total", "kernels_compiled_total",
    *(f'refusals_total{{reason="{reason}"}}' for reason in REASONS),
    *(f"{name}_{part}" for name in HISTOGRAMS for part in (*BINS, "sum")),
]  # fmt: skip
"""The numbers of each process."""
PLACES = {name: i for i, name in enumerate(COLUMNS)}


class SharedCounts:
    """Numbers in memory that all processes share: each worker writes its own, and the parent what
    it replaces.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._numbers = memoryview(mmap.mmap(-1, 8 * (2 + workers * len(COLUMNS)))).cast("d")
        self._lock = threading.Lock()
        self.number = 0
        """The index of this process among the workers."""
        self.is_draining = False
        """Whether this process admits no more visitors, because it will end."""

    @property
    def replaced(self) -> int:
        """How many workers died and were replaced."""
        return int(self._numbers[0])

    @replaced.setter
    def replaced(self, value: int) -> None:
        self._numbers[0] = value

    @property
    def ready(self) -> bool:
        """Whether any first worker has begun to answer."""
        return bool(self._numbers[1])

    @ready.setter
    def ready(self, value: bool) -> None:
        self._numbers[1] = value

    def _find_place(self, name: str, number: int | None = None) -> int:
        return 2 + (self.number if number is None else number) * len(COLUMNS) + PLACES[name]

    def list_each(self, name: str) -> list[float]:
        """Return a number of each worker."""
        return [self._numbers[self._find_place(name, i)] for i in range(self.workers)]

    def set(self, name: str, value: float, number: int | None = None) -> None:
        """Set a number of a worker, by default of this one."""
        self._numbers[self._find_place(name, number)] = value

    def add(self, name: str, value: float = 1.0) -> None:
        """Add to a number of this worker."""
        with self._lock:
            self._numbers[self._find_place(name)] += value

    def refuse(self, reason: str) -> None:
        """Count a refusal for one of the `REASONS`."""
        self.add(f'refusals_total{{reason="{reason}"}}')

    def observe(self, name: str, seconds: float) -> None:
        """Add a time to a histogram."""
        self.add(f"{name}_{BINS[bisect_left(SECONDS, seconds)]}")
        self.add(f"{name}_sum", seconds)

    @property
    def visitors(self) -> int:
        """The number of visitors of all workers."""
        return int(sum(self.list_each("visitors")))

    @property
    def another_has_fewer(self) -> bool:
        """Whether any worker has fewer visitors than this one."""
        each = self.list_each("visitors")
        return each[self.number] > min(each)

    def report(self, most: int) -> str:
        """Return all numbers in Prometheus' text format; `most` visitors fit into each process."""
        gauges = {
            "visitors": ("Visitors with a seat", self.visitors),
            "seats": ("Seats of all processes", most * self.workers),
            "workers": ("Processes that answer visitors", self.workers),
            "memory_bytes": (
                "Resident memory of these processes",
                sum(map(read_memory, filter(None, self.list_each("process")))),
            ),
        }
        lines: list[str] = []
        for name, (words, value) in gauges.items():
            lines += [*describe(name, words, "gauge"), f"polhode_{name} {value}"]
        lines += [*describe("restarts_total", "Processes that died and were replaced", "counter")]
        lines += [f"polhode_restarts_total {self.replaced}"]
        for name, words in COUNTERS.items():
            lines += describe(name, words, "counter")
            lines += [
                f"polhode_{key} {sum(self.list_each(key)):.0f}"
                for key in COLUMNS
                if key.startswith(name)
            ]
        for name, words in HISTOGRAMS.items():
            lines += [*describe(name, words, "histogram"), *self._list_bins(name)]
        return "\n".join([*lines, ""])

    def _list_bins(self, name: str) -> Iterator[str]:
        number = 0.0
        for bound in BINS:
            number += sum(self.list_each(f"{name}_{bound}"))
            yield f'polhode_{name}_bucket{{le="{bound}"}} {number:.0f}'
        yield f"polhode_{name}_sum {sum(self.list_each(f'{name}_sum')):.6f}"
        yield f"polhode_{name}_count {number:.0f}"

    def begin(self) -> None:
        """Make this object the one that this process counts with."""
        global current
        current = self
        self.set("process", os.getpid())

    def note_answer(self, seconds: float) -> None:
        """Note that a message was answered."""
        self.observe("answer_seconds", seconds)
        self.set("kernels_compiled_total", len(compiled))


def describe(name: str, words: str, kind: str) -> list[str]:
    """Return the two lines that precede a number of the report."""
    return [f"# HELP polhode_{name} {words}.", f"# TYPE polhode_{name} {kind}"]


def read_memory(process: float) -> int:
    """Return the resident memory of a process in bytes; 0 if there is no such process."""
    try:
        return int(psutil.Process(int(process)).memory_info().rss)
    except psutil.Error:
        return 0


current = SharedCounts(1)
"""Of this process; `begin` replaces it."""
