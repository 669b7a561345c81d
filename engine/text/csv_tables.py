"""Tables of numbers in CSV files, or in ZIP archives of them: the names of the columns, and the rows."""

from __future__ import annotations

import codecs
import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .formatting import quote

Rows = NDArray[np.float64]

MOST_BYTES = 50_000_000
"""Of a file, which may be an archive."""
MOST_ROWS = 10_000_000
LONGEST_TABLE = 100 * MOST_ROWS
"""Bytes of a table in an archive."""
BLOCK = 4_000_000
"""Bytes that are read at a time."""
HEAD = 200_000
"""Bytes in which the names of the columns are looked for."""
FEWEST_COLUMNS = 4
"""Of a line with the names of columns."""
SPACES = " "
"""Separates fields by any white space."""
SEPARATORS = "\t;,"
"""The others, which come before white space, and each before the next ones."""
COMMENT = "#%"
"""What lines with the names of columns may begin with."""
TABLES = (".csv", ".txt", ".tsv")
"""The endings of tables in an archive."""
ENDINGS = (*TABLES, ".zip")
"""The endings of files that contain tables."""
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""With which text begins that some programs on Windows write."""
DAY_OF_YEAR = re.compile(r"^(\d{4})-?(\d{3})(?=[T ])")
"""The beginning of a date with the day of its year, as spacecraft write it."""
EMPTY = {"", "nan", "null", "none", "na", "n/a", "-"}
"""What stands for a missing number."""


class Head(NamedTuple):
    """The line of a table with the names of its columns: the names, where the rows begin, and how
    their fields are separated.
    """

    table: Table
    names: list[str]
    begin: int
    separator: str


class Table:
    """A file of text, or one in an archive."""

    def __init__(self, name: str, open_file: Callable[[], IO[bytes]]) -> None:
        self.name = name
        with open_file() as file:
            self.head = file.read(HEAD)
        self.open_file = open_file
        if self.head.startswith(UTF_16):
            self.open_file = partial(_open_recoded, open_file)
            self.head = self.open_file().read(HEAD)
        if b"\0" in self.head:
            raise ValueError(f"{quote(name)} is not text in UTF-8; save it as CSV")

    def list_heads(self) -> Iterator[Head]:
        """Yield the lines that may contain the names of the columns: those with four fields or more,
        up to the first one of numbers, which is a row, too.

        A line of words that white space separates has names only if a row follows.
        """
        end = 0
        lines = self.head.splitlines(keepends=True)
        for line, following in zip(lines, [*lines[1:], b""], strict=False):
            begin, end = end, end + len(line)
            text = decode(line).strip().lstrip(COMMENT).strip()
            separator = next((one for one in SEPARATORS if one in text), SPACES)
            names = split_fields(text, separator)
            are_fields = _are_numbers(text) or _are_numbers(decode(following), len(names))
            if separator == SPACES and not are_fields:
                continue
            if len(names) >= FEWEST_COLUMNS:
                is_row = all(map(is_number, names))
                yield Head(self, names, begin if is_row else end, separator)
                if 2 * sum(map(is_number, names)) > len(names):
                    return

    def list_names(self) -> list[str]:
        """Return the fields of the first line with four or more, as names of columns."""
        return next((head.names for head in self.list_heads()), [])


def _open_recoded(open_file: Callable[[], IO[bytes]]) -> IO[bytes]:
    """Open text in UTF-16 as UTF-8."""
    with open_file() as file:
        return io.BytesIO(file.read().decode("utf-16", errors="replace").encode())


def split_fields(text: str, separator: str) -> list[str]:
    """Return the fields of a line."""
    if separator == SPACES:
        return text.split()
    return [field.strip() for field in next(csv.reader([text], delimiter=separator), [])]


def _are_numbers(text: str, count: int | None = None) -> bool:
    """Return whether a line has numbers that white space separates, and so many of them."""
    fields = text.replace(",", ".").split()
    return len(fields) == (count or len(fields)) and 2 * sum(map(is_number, fields)) > len(fields)


@contextmanager
def open_tables(path: Path, most_bytes: int | None = MOST_BYTES) -> Iterator[list[Table]]:
    """Open a file of at most so many bytes, or the tables of an archive."""
    if not path.is_file():
        raise ValueError(f"there is no file {quote(str(path))}")
    size = path.stat().st_size
    is_archive = zipfile.is_zipfile(path)
    if most_bytes is not None and size > most_bytes:
        others = "" if is_archive else ", or put it into a ZIP archive"
        raise ValueError(
            f"{quote(path.name)} has {size / 1e6:,.0f} MB, and a recording has at most {most_bytes / 1e6:.0f} MB; "
            f"cut it into parts{others}"
        )
    if not is_archive:
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
        yield tables


def read_rows(
    head: Head, places: tuple[int, ...], most: int | None = None
) -> tuple[Rows, list[str]]:
    """Return columns of a table as an array, nan where a number is missing, and a remark on lines that
    are no rows of numbers.

    `most` is the number of rows after which the reading may end; without it, a table of more than
    `MOST_ROWS` is refused.
    """
    blocks: list[Rows] = []
    odd: list[str] = []
    count = 0
    for text in _read_blocks(head):
        rows = _parse(text, head.separator, places, odd)
        blocks.append(rows)
        count += len(rows)
        if most is not None and count > most:
            break
        if count > MOST_ROWS:
            raise ValueError(
                f"{quote(head.table.name)} has more than the {MOST_ROWS:,} rows allowed; cut it into parts"
            )
        if len(odd) > count:
            raise ValueError(
                f"{quote(head.table.name)} is no table of numbers: most of its lines are none, "
                f"such as {quote(odd[0])}"
            )
    remarks = []
    if odd:
        lines = "1 line that is no row" if len(odd) == 1 else f"{len(odd):,} lines that are no rows"
        remarks.append(f"left out: {lines} of numbers, first {quote(odd[0])}")
    return np.concatenate(blocks) if blocks else np.empty((0, len(places))), remarks


def _read_blocks(head: Head) -> Iterator[bytes]:
    """Yield the rows of a table in blocks of whole lines."""
    with head.table.open_file() as file:
        file.seek(head.begin)
        rest = b""
        while block := file.read(BLOCK):
            text = rest + block
            end = text.rfind(b"\n") + 1
            if end == 0 and len(text) > BLOCK:
                raise ValueError(
                    f"{quote(head.table.name)} has a line of more than {BLOCK:,} bytes"
                )
            rest = text[end:]
            yield text[:end]
        yield rest


def _parse(text: bytes, separator: str, places: tuple[int, ...], odd: list[str]) -> Rows:
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
            delimiter=None if separator == SPACES else separator,
            usecols=places,
            comments=None,
            quotechar='"',
            ndmin=2,
        )
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        rows = [_parse_line(line, separator, places) for line in lines]
        odd += [decode(line) for line, row in zip(lines, rows, strict=True) if row is None]
        return np.array([row for row in rows if row is not None]).reshape(-1, len(places))


def _parse_line(line: bytes, separator: str, places: tuple[int, ...]) -> list[float] | None:
    """Return the numbers of a line, nan where one is missing; None if it is no row of numbers."""
    parts = decode(line).split(None if separator == SPACES else separator)
    fields = [field.strip().strip('"').strip() for field in parts]
    if len(fields) <= max(places):
        return None
    values = [fields[place] for place in places]
    if not all(value.casefold() in EMPTY or is_number(value) for value in values):
        return None
    return [float("nan") if value.casefold() in EMPTY else read_number(value) for value in values]


def is_number(text: str) -> bool:
    """Return whether a text is a number or a date with a time."""
    with suppress(ValueError):
        read_number(text)
        return True
    return False


def read_number(text: str) -> float:
    """Return a number, or the seconds of a date with a time as in 2024-05-01T12:00:00Z or, by the day of
    the year, 2024-122T12:00:00Z, which are those of UTC unless it states a zone.
    """
    with suppress(ValueError):
        return float(text)
    when = datetime.fromisoformat(DAY_OF_YEAR.sub(_find_day, text))
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _find_day(found: re.Match[str]) -> str:
    """Return the date with the month and its day."""
    first = date(int(found[1]), 1, 1)
    day = first + timedelta(days=int(found[2]) - 1)
    if day.year != first.year:
        raise ValueError(f"the year {found[1]} has no day {found[2]}")
    return day.isoformat()


def decode(line: bytes) -> str:
    """Return a line as text, which older programs write in Latin-1."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("latin-1")
