"""Files and arrays of a motion: the columns that names show, as numbers."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..parameters.argument_error import ArgumentError
from ..parameters.validation import Array
from ..text.csv_tables import Head, Table, decode, is_number, open_tables, read_rows, split_fields
from ..text.formatting import format_count, join_words, quote
from .columns import Group, find_groups
from .rounding import measure_rounding
from .unnamed import MATRIX, QUATERNION, VELOCITY, name_columns

MOST_ROWS = 200_000
"""Rows that are judged."""
TEXTS = 500
"""Rows whose digits are counted."""
ARRAYS = {
    (4,): QUATERNION,
    (3,): ["rotvec_x", "rotvec_y", "rotvec_z"],
    (3, 3): MATRIX,
}
"""The names of the columns of arrays, by their shape."""
EXAMPLE = "t,qw,qx,qy,qz,wx,wy,wz"


@dataclass(frozen=True, eq=False)
class Data:
    """Columns of numbers: their names, the values (n, k) of some of them by their places, some rows as
    text, and remarks.
    """

    name: str
    groups: list[Group]
    values: dict[int, Array]
    texts: list[list[str]]
    remarks: list[str]

    def take(self, group: Group) -> Array:
        """Return the values (n, k) of a group."""
        return np.stack([self.values[place] for place in group.places], axis=1)

    def find_rounding(self, group: Group) -> float:
        """Return the rounding of the values of a group."""
        columns = [self.values[place] for place in group.places]
        places = [p for p in group.places if (self.values[p] != self.values[p][:1]).any()]
        if not places:  # constants have few digits, in whatever precision they are
            places = [place for one in self.groups if one.is_attitude for place in one.places]
        texts = [row[place] for row in self.texts for place in places if place < len(row)]
        return measure_rounding(np.concatenate(columns), texts)


def open_motion(motion: Any, names: list[str] | None) -> Data:
    """Return the columns of a file or of arrays."""
    if isinstance(motion, Mapping):
        return _name_arrays(dict(motion), names)
    if isinstance(motion, tuple | list):
        return _name_arrays(_list_arrays(motion), names)
    if hasattr(motion, "columns"):  # a table of pandas
        return _name_arrays({str(name): motion[name] for name in motion.columns}, names)
    if not isinstance(motion, str | os.PathLike):
        raise ValueError(
            "a motion is the path of a file, arrays (t, attitude) or (t, attitude, Omega), "
            f"or columns by their names; got {type(motion).__name__}"
        )
    path = Path(motion)
    if path.suffix.lower() == ".parquet":
        return _open_parquet(path, names)
    with open_tables(path, None) as tables:
        for table in tables:
            if (found := _read_table(table, names)) is not None:
                return found
        for table in tables if names is None else ():
            if (found := _read_unnamed(table)) is not None:
                return found
        raise _describe_tables(tables, names)


def _read_table(table: Table, names: list[str] | None) -> Data | None:
    """Return the columns of a table if it has an attitude; None if it has none."""
    for head in table.list_heads():
        if names is not None and len(names) != len(head.names):
            continue
        groups = find_groups(names or head.names)
        if any(group.is_attitude for group in groups):
            return _read_columns(head, groups)
    return None


def _read_columns(head: Head, groups: list[Group]) -> Data:
    """Return the columns of groups."""
    places = tuple(sorted({place for group in groups for place in group.places}))
    rows, remarks = read_rows(head, places, MOST_ROWS)
    if len(rows) > MOST_ROWS:
        rows = rows[:MOST_ROWS]
        remarks.append(
            f"the file has more than {MOST_ROWS:,} rows; the first ones are judged. "
            "To judge a longer motion, write fewer rows"
        )
    lines = head.table.head[head.begin :].splitlines()[:TEXTS]
    texts = [split_fields(decode(line), head.separator) for line in lines]
    values = {place: rows[:, i] for i, place in enumerate(places)}
    return Data(quote(head.table.name), groups, values, texts, remarks)


def _read_unnamed(table: Table) -> Data | None:
    """Return the columns of a table whose names show no attitude, if its numbers do."""
    *_, head = [None, *table.list_heads()]
    if head is None:
        return None
    rows, _ = read_rows(head, tuple(range(len(head.names))), TEXTS)
    names = name_columns(rows, head.names)
    if names is None:
        return None
    found = _read_columns(head, find_groups(names))
    found.remarks.append(
        f"the columns have no known names, and are recognised by their numbers, as {', '.join(names)}"
    )
    return found


def _open_parquet(path: Path, names: list[str] | None) -> Data:
    """Return the columns of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise ValueError(f"there is no file {quote(str(path))}")
    try:
        file = pq.ParquetFile(path)
        used = names or file.schema_arrow.names
        groups = find_groups(used)
        places = sorted({place for group in groups for place in group.places})
        own = [file.schema_arrow.names[place] for place in places]
        batch = next(file.iter_batches(MOST_ROWS, columns=own))
    except (pa.ArrowException, OSError, StopIteration, IndexError) as error:
        raise ValueError(f"{quote(path.name)} is no Parquet file with columns: {error}") from None
    remarks = []
    if file.metadata.num_rows > MOST_ROWS:
        remarks.append(
            f"the file has {file.metadata.num_rows:,} rows, and the first {MOST_ROWS:,} are judged"
        )
    values = {
        place: np.asarray(batch.column(name).to_numpy(zero_copy_only=False))
        for place, name in zip(places, own, strict=True)
    }
    return Data(quote(path.name), groups, values, [], remarks)


def _list_arrays(motion: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of (t, attitude) or (t, attitude, Omega) by names."""
    if len(motion) not in (2, 3):
        raise ValueError(
            f"arrays are (t, attitude) or (t, attitude, Omega); got {len(motion)} of them"
        )
    attitude = np.asarray(motion[1])
    if attitude.shape[1:] not in ARRAYS:
        raise ValueError(
            "an attitude has the shape (n, 4) for quaternions, (n, 3, 3) for matrices or (n, 3) for rotation vectors; "
            f"got {attitude.shape}"
        )
    names = ARRAYS[attitude.shape[1:]]
    columns = {"t": motion[0]} | dict(
        zip(names, attitude.reshape(len(attitude), -1).T, strict=True)
    )
    if len(motion) == 3:
        velocity = np.asarray(motion[2])
        if velocity.ndim != 2 or velocity.shape[1] != 3:
            raise ValueError(f"Omega has the shape (n, 3); got {velocity.shape}")
        columns |= dict(zip(VELOCITY, velocity.T, strict=True))
    return columns


def _name_arrays(columns: dict[str, Any], names: list[str] | None) -> Data:
    """Return columns by their names."""
    used = list(columns)
    if names is not None:
        if len(names) != len(used):
            raise ArgumentError(
                f"there are {len(used)} columns, and {format_count(len(names), 'name')} for them",
                "columns",
            )
        used = names
    groups = find_groups(used)
    arrays = list(columns.values())
    values = {}
    for place in {place for group in groups for place in group.places}:
        array = np.asarray(arrays[place])
        if array.ndim != 1 or array.dtype.kind not in "fiu":
            raise ValueError(f"the column {quote(used[place])} must be a row of numbers")
        values[place] = array
    if len({len(array) for array in values.values()}) > 1:
        raise ValueError("the columns must have the same number of rows")
    longest = max((len(array) for array in values.values()), default=0)
    remarks = []
    if longest > MOST_ROWS:
        values = {place: array[:MOST_ROWS] for place, array in values.items()}
        remarks.append(f"there are {longest:,} rows, and the first {MOST_ROWS:,} are judged")
    return Data("the motion", groups, values, [], remarks)


def choose_group(data: Data, what: str) -> Group | None:
    """Return the first group of a kind; of attitudes, one that is no Euler angles if there is one."""
    if what == "attitude":
        fit = [group for group in data.groups if group.is_attitude]
        fit.sort(key=lambda group: "Euler" in group.kind)
    else:
        fit = [group for group in data.groups if group.kind == what]
    if len(fit) > 1:
        others = join_words(str(group) for group in fit[1:4])
        data.remarks.append(f"the {what} is {fit[0]}; the file also has {others}")
    return fit[0] if fit else None


def split_names(columns: str | Sequence[str]) -> list[str]:
    """Return the names of columns in a text."""
    if not isinstance(columns, str):
        return [str(name) for name in columns]
    return [name.strip() for name in next(csv.reader([columns]))]


def _describe_tables(tables: Iterable[Table], given: list[str] | None) -> ValueError:
    """Return why no attitude is found in tables."""
    tables = list(tables)
    names = next(filter(None, (table.list_names() for table in tables)), None)
    where = join_words(quote(table.name) for table in tables)
    if names is None:
        return ValueError(
            f"{where} is no table: no line has four columns, for a time and an attitude"
        )
    if given is not None and len(given) != len(names):
        return ArgumentError(
            f"{where} has {len(names)} columns, and {format_count(len(given), 'name')} for them",
            "columns",
        )
    if all(map(is_number, names)):
        return ArgumentError(
            f"{where} states no names of its {len(names)} columns, and their numbers show no attitude; name all",
            columns=EXAMPLE,
        )
    return _say_missing(where, names)


def describe_missing(data: Data) -> ArgumentError:
    """Return why a table has no attitude."""
    names = [column.written for group in data.groups for column in group.columns]
    return _say_missing(data.name, names)


def _say_missing(where: str, names: Sequence[str]) -> ArgumentError:
    has = join_words(quote(name) for name in names[:12]) or "no known columns"
    more = f" and {len(names) - 12} others" if len(names) > 12 else ""
    return ArgumentError(
        f"{where} has {has}{more}, and no attitude: a quaternion, a matrix, a rotation vector or Euler angles; "
        "name all columns",
        columns=EXAMPLE,
    )
