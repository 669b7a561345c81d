"""Recordings of gyroscopes in CSV files: of phones' apps, of flight controllers, or any table."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

import numpy as np

from ...parameters.validation import Array
from ...text.formatting import format_count, join_words, quote, show
from .columns import (
    ANGLE_UNITS,
    RATE_UNITS,
    TIME_UNITS,
    Layout,
    check_unit,
    choose_rates,
    find_accelerations,
    find_rates,
)
from .given import GivenRates
from .samples import FASTEST, MOST_ROWS, Accelerations, Samples, check_part, make_samples

MOST_BYTES = 50_000_000
"""Of a file, which may be an archive."""
LONGEST_TABLE = 100 * MOST_ROWS
"""Bytes of a table in an archive."""
BLOCK = 4_000_000
"""Bytes that are read at a time."""
HEAD = 200_000
"""Bytes in which the names of the columns are looked for."""
SEPARATORS = ",;\t"
TABLES = (".csv", ".txt", ".tsv")
"""The endings of tables in an archive."""
RECORDINGS = (*TABLES, ".zip")
"""The endings of recordings."""
EMPTY = {"", "nan", "null", "none", "na", "n/a", "-"}
"""What stands for a missing number."""


class Found(NamedTuple):
    """The columns of a sensor in a table: which, where the rows begin, and how they are written."""

    table: Table
    layout: Layout
    begin: int
    separator: str


class Table:
    """A file of text, or one in an archive."""

    def __init__(self, name: str, open_file: Callable[[], IO[bytes]]) -> None:
        self.name = name
        self.open_file = open_file
        with open_file() as file:
            self.head = file.read(HEAD)
        if b"\0" in self.head:
            raise ValueError(f"{quote(name)} is not text in UTF-8; save it as CSV")

    def find(self, choose: Callable[[list[str], str], Layout | None]) -> Found | None:
        """Return the first line whose fields are names of columns, with what `choose` finds there."""
        for begin, end, separator, names in self._list_heads():
            if (layout := choose(names, self.name)) is not None:
                is_row = all(map(_is_number, names))
                return Found(self, layout, begin if is_row else end, separator)
        return None

    def list_names(self) -> list[str]:
        """Return the fields of the first line with four or more, as names of columns."""
        return next((names for _, _, _, names in self._list_heads()), [])

    def _list_heads(self) -> Iterator[tuple[int, int, str, list[str]]]:
        """Yield lines with four fields or more, up to the first one of numbers: begin, end, separator
        and fields.
        """
        end = 0
        for line in self.head.splitlines(keepends=True):
            begin, end = end, end + len(line)
            text = _decode(line).strip()
            separator = max(SEPARATORS, key=text.count)
            names = [name.strip() for name in next(csv.reader([text], delimiter=separator), [])]
            if len(names) >= 4:
                yield begin, end, separator, names
                if 2 * sum(map(_is_number, names)) > len(names):
                    return


def read_samples(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] | None = None,
    unit: str | None = None,
    time_unit: str | None = None,
    part: tuple[float, float] | None = None,
) -> Samples:
    """Return the samples that `read_rates` reads."""
    unit = check_unit(unit, RATE_UNITS | ANGLE_UNITS, "the rates")
    time_unit = check_unit(time_unit, TIME_UNITS, "the time")
    ends = check_part(part)
    chosen = _check_columns(columns)

    def choose(names: list[str], file_name: str) -> Layout | None:
        if chosen is None:
            return find_rates(names, file_name, unit, time_unit)
        return choose_rates(names, chosen, unit, time_unit)

    with _open_tables(Path(path)) as tables:
        found = _find_in(tables, choose)
        if found is None:
            raise ValueError(_describe_tables(tables, chosen))
        others = [table for table in tables if table is not found.table]
        return _assemble(found, _find_in([found.table, *others], find_accelerations), ends)


def read_rates(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] | None = None,
    unit: str | None = None,
    time_unit: str | None = None,
    part: tuple[float, float] | None = None,
) -> GivenRates:
    """Read the samples of a gyroscope from a CSV file, as the rates of an attitude.

    The columns are found by their names and units, as phyphox, Sensor Logger, decoders of
    Betaflight's blackbox, PX4's ulog2csv and ArduPilot's tools write them. A ZIP archive may contain
    several such files, as those of phones' apps do; accelerations are read, too. The messages of a
    run state what is irregular: gaps, uneven times, rows that are left out, suspected units.

    Parameters
    ----------
    path : a file of at most 50 MB and 10⁷ rows.
    columns : the time, x, y and z, by their names or their numbers from 1 on, if they are not found.
    unit : "rad/s" or "deg/s", or "rad" or "deg" for integrated angles, if the file does not state it
        or is wrong.
    time_unit : "s", "ms", "us" or "ns", likewise.
    part : the times in s, from the first row on, between which rows are used.
    """
    samples = read_samples(path, columns, unit, time_unit, part)
    return GivenRates(rate=samples, name=Path(path).stem)


def _find_in(
    tables: Iterable[Table], choose: Callable[[list[str], str], Layout | None]
) -> Found | None:
    """Return what the first table has in which `choose` finds columns."""
    return next(filter(None, (table.find(choose) for table in tables)), None)


def _assemble(found: Found, forces: Found | None, part: tuple[float, float] | None) -> Samples:
    """Return the samples in a table, with the accelerations in the same or another one."""
    layout = found.layout
    together = forces is not None and forces.table is found.table
    places = layout.places
    if forces is not None and together:
        places += forces.layout.places
    rows, remarks = _read_rows(found, places)
    if len(rows) == 0:
        raise ValueError(f"{quote(found.table.name)} has no rows of numbers")
    first = rows[0, 0]
    accelerations = None
    if forces is not None:
        measured = rows[:, 4:] if together else _read_rows(forces, forces.layout.places)[0]
        measured = measured[np.isfinite(measured).all(axis=1)]
        times = measured[:, 0] * forces.layout.time_factor - first * layout.time_factor
        if len(measured):
            accelerations = Accelerations(times, measured[:, 1:] * forces.layout.factor)
    times = (rows[:, 0] - first) * layout.time_factor
    values = rows[:, 1:4] * layout.factor
    remarks = [*layout.remarks, *remarks, *_describe_units(layout, times, values)]
    return make_samples(
        times, values, layout.integrated, accelerations, part, remarks=tuple(remarks)
    )


def _describe_units(layout: Layout, times: Array, values: Array) -> Iterator[str]:
    """Yield a remark on each unit that the file does not state; refuse those that cannot be."""
    steps = np.diff(times)
    for what in layout.unsure:
        if what == "the time":
            step = float(np.nanmedian(steps)) if len(steps) else 0.0
            if step >= 0.5:
                raise ValueError(
                    f"the file states no unit of the time, whose rows are {show(step, 3)} apart; set "
                    f"time_unit to {join_words(map(quote, TIME_UNITS), 'or')}"
                )
            yield f"the file states no unit of the time, {layout.time}, which is taken as s"
        else:
            largest = float(np.nanmax(np.abs(values)))
            if largest > FASTEST:
                raise ValueError(
                    f"the file states no unit of the rates, of which the largest is {show(largest, 3)}; set "
                    f"unit to {join_words(map(quote, RATE_UNITS | ANGLE_UNITS), 'or')}"
                )
            yield f"the file states no unit of the rates, {layout.values}, which are taken as rad/s"


def _check_columns(columns: str | Sequence[str | int] | None) -> list[str | int] | None:
    """Return chosen columns as names and numbers."""
    if columns is None:
        return None
    given = columns.split(",") if isinstance(columns, str) else columns
    chosen = [int(one) if str(one).strip().isdecimal() else str(one).strip() for one in given]
    if len(chosen) != 4:
        raise ValueError(
            f"choose four columns: the time, x, y and z; got {format_count(len(chosen), 'column')}"
        )
    return chosen


@contextmanager
def _open_tables(path: Path) -> Iterator[list[Table]]:
    """Open a file, or the tables of an archive."""
    if not path.is_file():
        raise ValueError(f"there is no file {quote(str(path))}")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(
            f"{quote(path.name)} has {size / 1e6:,.0f} MB, and a recording has at most {MOST_BYTES / 1e6:.0f} MB; "
            "cut it into parts, or put it into a ZIP archive"
        )
    if not zipfile.is_zipfile(path):
        yield [Table(path.name, lambda: path.open("rb"))]
        return
    with zipfile.ZipFile(path) as archive:
        members = [
            member
            for member in archive.infolist()
            if member.filename.casefold().endswith(TABLES)
            and not PurePosixPath(member.filename).name.startswith(".")
        ]
        if not members:
            raise ValueError(f"{quote(path.name)} is an archive without a CSV file")
        for member in members:
            if member.file_size > LONGEST_TABLE:
                raise ValueError(
                    f"{quote(member.filename)} has {member.file_size / 1e6:,.0f} MB, "
                    f"and a table at most {LONGEST_TABLE / 1e6:,.0f} MB"
                )
        tables = [
            Table(PurePosixPath(member.filename).name, partial(archive.open, member))
            for member in members
        ]
        yield sorted(tables, key=lambda table: "uncalibrated" in table.name.casefold())


def _describe_tables(tables: Iterable[Table], chosen: list[str | int] | None) -> str:
    """Return why no columns are found, with the names of those that there are."""
    tables = list(tables)
    names = next(filter(None, (table.list_names() for table in tables)), None)
    where = join_words(quote(table.name) for table in tables)
    if names is None:
        return f"{where} is no table: no line has four columns, for the time and three rates"
    if all(map(_is_number, names)):
        has = f"{where} states no names of its {len(names)} columns"
    else:
        has = f"{where} has the columns {join_words(quote(name) for name in names[:12])}"
        has += f" and {len(names) - 12} others" if len(names) > 12 else ""
    if chosen is not None:
        return f"{has}; the columns {join_words(map(quote, chosen))} are not all among them"
    return f"{has}, and none is known as a rate; choose the time, x, y and z by columns=(…)"


def _read_rows(found: Found, places: tuple[int, ...]) -> tuple[Array, list[str]]:
    """Return columns of a table as an array, nan where a number is missing, and a remark on lines that
    are no rows of numbers.
    """
    blocks: list[Array] = []
    odd: list[str] = []
    count = 0
    for text in _read_blocks(found):
        rows = _parse(text, found.separator, places, odd)
        blocks.append(rows)
        count += len(rows)
        if count > MOST_ROWS:
            raise ValueError(
                f"{quote(found.table.name)} has more than the {MOST_ROWS:,} rows allowed; cut it into parts"
            )
        if len(odd) > count:
            raise ValueError(
                f"{quote(found.table.name)} is no table of numbers: most of its lines are none, "
                f"such as {quote(odd[0])}"
            )
    remarks = []
    if odd:
        lines = "1 line that is no row" if len(odd) == 1 else f"{len(odd):,} lines that are no rows"
        remarks.append(f"left out: {lines} of numbers, first {quote(odd[0])}")
    return np.concatenate(blocks) if blocks else np.empty((0, len(places))), remarks


def _read_blocks(found: Found) -> Iterator[bytes]:
    """Yield the rows of a table in blocks of whole lines."""
    with found.table.open_file() as file:
        file.seek(found.begin)
        rest = b""
        while block := file.read(BLOCK):
            text = rest + block
            end = text.rfind(b"\n") + 1
            if end == 0 and len(text) > BLOCK:
                raise ValueError(
                    f"{quote(found.table.name)} has a line of more than {BLOCK:,} bytes"
                )
            rest = text[end:]
            yield text[:end]
        yield rest


def _parse(text: bytes, separator: str, places: tuple[int, ...], odd: list[str]) -> Array:
    """Return columns of some lines as an array; lines that are no rows of numbers are added to
    `odd`.
    """
    if separator != ",":
        text = text.replace(b",", b".")
    if not text.strip():
        return np.empty((0, len(places)))
    try:
        return np.loadtxt(
            io.BytesIO(text),
            delimiter=separator,
            usecols=places,
            comments=None,
            quotechar='"',
            ndmin=2,
        )
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        rows = [_parse_line(line, separator, places) for line in lines]
        odd += [_decode(line) for line, row in zip(lines, rows, strict=True) if row is None]
        return np.array([row for row in rows if row is not None]).reshape(-1, len(places))


def _parse_line(line: bytes, separator: str, places: tuple[int, ...]) -> list[float] | None:
    """Return the numbers of a line, nan where one is missing; None if it is no row of numbers."""
    fields = [field.strip().strip('"').strip() for field in _decode(line).split(separator)]
    if len(fields) <= max(places):
        return None
    values = [fields[place] for place in places]
    if not all(value.casefold() in EMPTY or _is_number(value) for value in values):
        return None
    return [float("nan") if value.casefold() in EMPTY else float(value) for value in values]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _decode(line: bytes) -> str:
    """Return a line as text, which older programs write in Latin-1."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("latin-1")
