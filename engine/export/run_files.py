"""The formats of saved runs: in each, the description can be read before the columns, and the
columns within bounds.

A small file can declare much: compressed zeros, members without number, rows that no run has. Each
class reads what describes the run, then compares what the file declares of its columns with the
rows that the run can have, and only then reads these.
"""

from __future__ import annotations

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .npz import read_array
from .parquet_pages import list_page_sizes

Columns = dict[str, NDArray[np.float64]]

KEY = "polhode"
CSV_MARK = "# polhode "

LONGEST_DESCRIPTION = 16 * 2**20
"""Characters; a custom problem may contain tables."""
MOST_COLUMNS = 1_000
LONGEST_NUMBER = 32
"""Characters of a number and its comma in a CSV file; 26 are written."""
LARGEST_DICTIONARY = 2**21
"""Bytes by which a column of a Parquet file may exceed twice its numbers."""


class RunFile(ABC):
    """A file that is open for reading; `description` is the text that says what made the run."""

    description: str | None = None

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    @abstractmethod
    def read_columns(self, most_rows: int) -> Columns:
        """Return the columns; `ValueError` if they differ in length or have more rows than that."""

    @abstractmethod
    def _close(self) -> None: ...


class ParquetRunFile(RunFile):
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self._path = path
        self._file = pq.ParquetFile(path)
        _check_names(self._file.schema_arrow.names)
        about = (self._file.schema_arrow.metadata or {}).get(KEY.encode(), b"")
        self.description = _check_length(about.decode()) or None

    def read_columns(self, most_rows: int) -> Columns:
        """Return the columns."""
        import pyarrow as pa

        declared = self._file.metadata
        groups = [declared.row_group(i) for i in range(declared.num_row_groups)]
        _check_rows(sum(group.num_rows for group in groups), most_rows)
        if any(kind != pa.float64() for kind in self._file.schema_arrow.types):
            raise ValueError("not all columns contain 64-bit numbers")
        for group in groups:
            largest = 16 * group.num_rows + LARGEST_DICTIONARY
            chunks = [group.column(j) for j in range(group.num_columns)]
            if any(
                chunk.num_values != group.num_rows or self._measure_pages(chunk) > largest
                for chunk in chunks
            ):
                raise ValueError("its columns are larger than its number of rows allows")
        table = self._file.read()
        return {name: table[name].to_numpy() for name in table.column_names}

    def _measure_pages(self, chunk: Any) -> int:
        """Return the bytes that a column of a group takes in memory."""
        begin = chunk.data_page_offset
        if chunk.has_dictionary_page:
            begin = min(begin, chunk.dictionary_page_offset or begin)
        return sum(list_page_sizes(self._path, begin, begin + chunk.total_compressed_size))

    def _close(self) -> None:
        self._file.close()


class NpzRunFile(RunFile):
    """An NPZ file: a ZIP archive with an array in each member."""

    def __init__(self, path: Path) -> None:
        if not zipfile.is_zipfile(
            path
        ):  # NumPy would take it for a pickle, and suggest to trust it
            raise ValueError("it is no NPZ file, or not all of one")
        self._archive = zipfile.ZipFile(path)
        members = self._archive.infolist()
        _check_names([member.filename for member in members])
        self._members = {member.filename.removesuffix(".npy"): member for member in members}
        about = self._members.pop(KEY, None)
        if about is not None:
            text = read_array(self._archive, about, "U", 4 * LONGEST_DESCRIPTION)
            self.description = str(text.item())

    def read_columns(self, most_rows: int) -> Columns:
        """Return the columns."""
        columns: Columns = {}
        for name, member in self._members.items():
            columns[name] = read_array(self._archive, member, "f8", 8 * most_rows)
        _check_rows(max((len(column) for column in columns.values()), default=0), most_rows)
        return columns

    def _close(self) -> None:
        self._archive.close()


class CsvRunFile(RunFile):
    """A CSV file whose first line describes the run."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._size = path.stat().st_size
        try:
            first = self._file.readline(LONGEST_DESCRIPTION + 1).decode()
            if first.startswith(CSV_MARK):
                self.description = _check_length(first[len(CSV_MARK) :])
        except ValueError:
            self._file.close()
            raise

    def read_columns(self, most_rows: int) -> Columns:
        """Return the columns."""
        line = self._file.readline(LONGEST_DESCRIPTION).decode()
        names = line.strip().replace('"', "").split(",")
        _check_names(names)
        if self._size - self._file.tell() > most_rows * len(names) * LONGEST_NUMBER:
            raise ValueError("its table is larger than its run allows")
        try:
            import pyarrow as pa
            from pyarrow import csv
        except ModuleNotFoundError:
            numbers = list(np.loadtxt(self._file, delimiter=",", ndmin=2).T.copy())
        else:
            table = csv.read_csv(
                self._file,
                read_options=csv.ReadOptions(column_names=names),
                convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float64())),
            )
            numbers = [column.to_numpy() for column in table.columns]
        columns = dict(zip(names, numbers, strict=True))
        _check_rows(max(map(len, numbers)), most_rows)
        return columns

    def _close(self) -> None:
        self._file.close()


FORMATS: dict[str, Callable[[Path], RunFile]] = {
    ".parquet": ParquetRunFile, ".npz": NpzRunFile, ".csv": CsvRunFile
}  # fmt: skip
"""By the endings of their names."""


def _check_names(names: Sequence[str]) -> None:
    """Refuse names of columns that no run has."""
    if len(names) > MOST_COLUMNS:
        raise ValueError(f"it has {len(names):,} columns, and a run has at most {MOST_COLUMNS:,}")
    if len(set(names)) < len(names) or not all(name.isprintable() for name in names):
        raise ValueError("its columns have no names, or the same")


def _check_length(description: str) -> str:
    """Return a description, if it is not longer than that of any run."""
    if len(description) > LONGEST_DESCRIPTION:
        raise ValueError("its description is longer than that of any run")
    return description


def _check_rows(rows: int, most_rows: int) -> None:
    """Refuse more rows than a run has."""
    if rows > most_rows:
        raise ValueError(f"it has {rows:,} rows, and its run at most {most_rows:,}")
