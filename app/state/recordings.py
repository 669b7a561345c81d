"""Recordings of gyroscopes that visitors choose: how they are read, and the memory that they take.

As a module, it reads one file in a process of its own.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.parameters.argument_error import ArgumentError
from engine.parameters.names import parse_name, split_names
from engine.problems import Columns, GivenRates, Samples, find_columns, read_samples
from engine.text.formatting import finish_sentence, format_seconds, join_words, quote, show

from .form_fields import parse_numbers
from .reader import MEMORY_IS_UP, Refused, limit_resources, read_beside, refuse

LARGEST = 20 * 2**20
"""Largest number of bytes of a file."""
MOST_ROWS = 500_000
"""Of a recording on the page; `polhode run --samples` takes more."""
TABLES = 5
"""Copies of the samples that kernels hold: for four methods, and for another setting."""
OF_VISITOR = 120_000_000
"""Bytes of the recordings of one page; the older ones make room for a new one."""
OF_PROCESS = 600_000_000
"""Bytes of the recordings of all visitors of a process, half of a container's."""
FORMATS = (".csv", ".tsv", ".txt", ".zip")
WORDS = ("recording", "columns", "unit", "time_unit", "part")
"""The words of a link that name a recording, and say how its file is read."""
FULL = (
    "The server holds as many recordings as it can; come back later, or run this one on your own machine, by "
    "polhode run --samples."
)
INTO, FOUND, MADE = "read", "columns.json", "samples.npz"
"""The folder beside a file that is read, and what its process writes there."""


class Reading(NamedTuple):
    """How a file is read, where that is not found by itself: the columns of time, x, y and z, the units
    of the rates and of the time, and the part that is used, from time to time in s.
    """

    columns: tuple[str, ...] = ()
    unit: str = ""
    time_unit: str = ""
    part: tuple[float, ...] = ()

    def list_given(self) -> dict[str, Any]:
        """What is given, by the names of `engine.read_rates`."""
        return {name: value for name, value in self._asdict().items() if value}

    def query(self) -> dict[str, str]:
        """The same as words of a link."""
        columns, unit, time_unit, part = self
        words = {"columns": ",".join(columns), "unit": unit, "time_unit": time_unit}
        words |= {"part": ",".join(f"{end:.12g}" for end in part)}
        return {name: text for name, text in words.items() if text}

    @classmethod
    def of(cls, words: Mapping[str, str]) -> Reading:
        """The reading that words of a link name; `ValueError` if the part is no numbers."""
        return cls(
            tuple(split_names(words.get("columns", ""))),
            words.get("unit", ""),
            words.get("time_unit", ""),
            parse_numbers(words.get("part", "")),
        )


class Unread(Refused):
    """A file that cannot be read as it is, with the names of its columns, if it has any."""

    def __init__(self, why: str, columns: Columns, fields: tuple[str, ...] = ()) -> None:
        super().__init__(why, fields)
        self.columns = columns


_numbers = itertools.count(1)
_all: weakref.WeakSet[Recording] = weakref.WeakSet()
"""The recordings that exist in this process."""


@dataclass(frozen=True, eq=False)
class Recording:
    """The samples of a file, and how they were read.

    Attributes
    ----------
    name : of the file.
    columns : those of the file, and what is taken from them.
    key : its name among all recordings of a process.
    """

    name: str
    samples: Samples
    columns: Columns
    reading: Reading
    key: str = field(default_factory=lambda: f"recording-{next(_numbers)}")

    def __post_init__(self) -> None:
        _all.add(self)

    @property
    def bytes(self) -> int:
        """The memory that its samples take, with their copies in kernels."""
        samples = self.samples
        parts = samples.t, samples.values, samples.clipped
        return sum(part.nbytes for part in parts) + TABLES * samples.values.nbytes

    @cached_property
    def problem(self) -> GivenRates:
        """The attitude whose rates these are."""
        return GivenRates(rate=self.samples, name=Path(self.name).stem)

    @cached_property
    def _problems(self) -> dict[Any, GivenRates]:
        return {}

    def build_problem(self, label: str, changes: tuple[tuple[str, Any], ...] = ()) -> GivenRates:
        """The problem with the options in a label, and with changed parameters."""
        key = label, changes
        if key not in self._problems:
            _, written, *_ = parse_name(label)
            options = self.problem.read_text(written)
            while len(self._problems) > 1:  # each holds the samples for its kernels
                self._problems.pop(next(iter(self._problems)))
            self._problems[key] = self.problem.replace(**options, **dict(changes))
        return self._problems[key]

    def query(self) -> dict[str, str]:
        """The words of a link, which does not contain the samples."""
        return {"recording": self.name} | self.reading.query()

    def in_python(self) -> str:
        """The problem as a Python expression."""
        given = "".join(f", {name}={value!r}" for name, value in self.reading.list_given().items())
        return f"engine.read_rates({self.name!r}{given})"

    def describe(self) -> list[str]:
        """What was recognised, in sentences."""
        samples = self.samples
        seconds = float(samples.t[-1])
        rate = (len(samples) - 1) / seconds
        time, *axes = map(quote, self.columns.chosen)
        kind = "angles" if samples.integrated else "rates"
        return [
            f"{len(samples):,} rows in {format_seconds(seconds)}, {show(rate, 4)} Hz.",
            f"The time is {time} in {self.columns.time_unit}; the {kind} are {join_words(axes)} in "
            f"{self.columns.unit}.",
            *map(finish_sentence, samples.remarks),
        ]


class Recordings:
    """The recordings of one page, the newest last, within their bounds."""

    def __init__(self) -> None:
        self._held: list[Recording] = []

    def __iter__(self) -> Iterator[Recording]:
        return iter(self._held)

    def find(self, key: str) -> Recording | None:
        """The recording of this key, if the page still holds it."""
        return next((one for one in self._held if one.key == key), None)

    def add(self, recording: Recording) -> list[Recording]:
        """Hold a recording; return those that make room for it."""
        self._held.append(recording)
        left = []
        while sum(one.bytes for one in self._held) > OF_VISITOR and len(self._held) > 1:
            left.append(self._held.pop(0))
        return left


def has_room() -> bool:
    """Whether this process can hold one more recording."""
    return sum(one.bytes for one in _all) < OF_PROCESS


def clean_name(name: str) -> str:
    """The name of a file, without what would make it another path."""
    kept = "".join(c if c.isalnum() or c in " .-+()" else "_" for c in name)
    return kept.strip().lstrip(".") or "recording.csv"


def read_recording(
    name: str, data: bytes, reading: Reading, cancel: threading.Event | None = None
) -> Recording:
    """The recording in a file, or an `Unread` in a sentence; takes about a second. `cancel` ends the
    reading process, and raises `Cancelled`.
    """
    name = clean_name(name)
    if not name.casefold().endswith(FORMATS):
        ends = join_words(FORMATS, "or")
        raise Unread(f"The name of a recording ends in {ends}; {quote(name)} does not.", Columns())
    if not has_room():
        raise Unread(FULL, Columns())
    with tempfile.TemporaryDirectory(prefix="polhode-recording-") as folder:
        into = Path(folder, INTO)
        into.mkdir()
        Path(folder, name).write_bytes(data)
        arguments = [name, json.dumps(reading.list_given())]
        try:
            read_beside(__name__, folder, arguments, cancel, name, "take a part of it")
        except ValueError as error:
            fields = error.fields if isinstance(error, Refused) else ()
            raise Unread(str(error), _load_columns(into), fields) from None
        with np.load(into / MADE) as made:
            arrays = {field: made[field] for field in ("t", "values", "clipped")}
            remarks = tuple(made["remarks"].tolist())
            samples = Samples(**arrays, integrated=bool(made["integrated"]), remarks=remarks)
        for array in arrays.values():
            array.setflags(write=False)
        return Recording(name, samples, _load_columns(into), reading)


def _load_columns(folder: Path) -> Columns:
    """The columns that the reading process has found; none if it has not got as far."""
    path = folder / FOUND
    if not path.is_file():
        return Columns()
    names, chosen, unit, time_unit = json.loads(path.read_text(encoding="utf-8"))
    return Columns(tuple(names), tuple(chosen), unit, time_unit)


def main(path: str, given: str) -> int:
    """Read a recording in the current folder, and write its columns and samples beside it."""
    limit_resources()
    how = json.loads(given)
    into = Path(INTO)
    try:
        columns = find_columns(path, **{k: value for k, value in how.items() if k != "part"})
        (into / FOUND).write_text(json.dumps(columns), encoding="utf-8")
        samples = read_samples(path, **how)
        if len(samples) > MOST_ROWS:
            raise ArgumentError(
                f"{quote(path)} has {len(samples):,} rows, and this page takes {MOST_ROWS:,}: choose a "
                "part of it, from time to time, or run it on your own machine, by polhode run --samples",
                "part",
            )
    except ValueError as error:
        return refuse(error)
    except MemoryError:
        return MEMORY_IS_UP
    np.savez(
        into / MADE, t=samples.t, values=samples.values, clipped=samples.clipped,
        integrated=samples.integrated, remarks=np.array(samples.remarks, dtype=str),
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
