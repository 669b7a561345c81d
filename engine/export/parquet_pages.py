"""The headers of the pages of a Parquet file, which say how much memory each page takes.

A reader allocates what a header declares, whatever the description at the end of the file says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

LARGEST_HEADER = 2**16
"""Bytes; a header of numbers has some tens."""
TRUE, FALSE, INTEGERS, BINARY, STRUCT = 1, 2, (4, 5, 6), 8, 12
"""Those types of Thrift's compact protocol that a header has."""
UNPACKED, PACKED = 2, 3
"""The fields with the bytes of a page in memory and in the file."""


def list_page_sizes(path: Path, begin: int, end: int) -> Iterator[int]:
    """Yield the bytes that each page between two places of a file takes in memory."""
    with path.open("rb") as file:
        while begin < end:
            file.seek(begin)
            header = _Header(file.read(min(LARGEST_HEADER, end - begin)))
            fields = header.read_struct()
            if min(fields[UNPACKED], fields[PACKED]) < 0:
                raise ValueError("the size of a page is negative")
            yield fields[UNPACKED]
            begin += header.at + fields[PACKED]


class _Header:
    """A reader of Thrift's compact protocol; `at` is the number of bytes that have been read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def read_struct(self) -> dict[int, Any]:
        """Return the values by the numbers of their fields."""
        fields: dict[int, Any] = {}
        number = 0
        while first := self._read_byte():
            step, kind = divmod(first, 16)
            number = number + step if step else self._read_integer()
            fields[number] = self._read_value(kind)
        return fields

    def _read_value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in INTEGERS:
            return self._read_integer()
        if kind == BINARY:
            size = self._read_unsigned()
            self.at += size
            return self._data[self.at - size : self.at]
        if kind == STRUCT:
            return self.read_struct()
        raise ValueError("the header of a page is damaged")

    def _read_byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _read_unsigned(self) -> int:
        byte = self._read_byte()
        return byte if byte < 128 else byte - 128 + 128 * self._read_unsigned()

    def _read_integer(self) -> int:
        number = self._read_unsigned()
        return -(number // 2) - 1 if number % 2 else number // 2
