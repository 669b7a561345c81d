"""Arrays in NPZ files, which are ZIP archives with an array in each member, read within bounds.

A small archive can declare much, and unpack to more than it declares.
"""

from __future__ import annotations

import copy
import io
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_HEADER = 10_000
"""Bytes of the header of an array."""


def read_array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, kind: str, largest: int
) -> NDArray[Any]:
    """Return an array; `ValueError` if it has two axes or more, its type does not begin with
    `kind`, such as "f8", or its values take more than `largest` bytes.

    zipfile compares the checksum of a member at its end.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("its members are compressed in an unusual way")
    if member.file_size > largest + LARGEST_HEADER:
        raise ValueError("its columns are larger than its run allows")
    bounded = copy.copy(member)
    bounded.file_size = member.file_size + 1  # zipfile stops there, however long the member is
    with archive.open(bounded) as file:
        data = io.BytesIO(file.read(bounded.file_size))
    if len(data.getbuffer()) != member.file_size:
        raise ValueError("a member is not as long as its archive declares")
    major, _ = np.lib.format.read_magic(data)
    read_header = (
        np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_header(data, max_header_size=LARGEST_HEADER)
    if (
        len(shape) > 1
        or dtype.hasobject
        or not dtype.str[1:].startswith(kind)
        or not dtype.itemsize
    ):
        raise ValueError("an array has another type or shape")
    values = np.frombuffer(data.getbuffer()[data.tell() :], dtype)
    if values.size != np.prod(shape):
        raise ValueError("an array ends too early or too late")
    return values.reshape(shape)
