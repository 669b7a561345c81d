"""A sweep that is kept: a Zarr store, in which each block is put as it is answered."""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...wording import quoted
from .block import MISSING, STATUS, BlockValues

if TYPE_CHECKING:
    import xarray as xr

ASKED = "question"
"""The attribute by which a store knows what it was asked."""
CHECKSUMS = "checksums"
"""The attribute with a checksum of each file that describes the store, as JSON, and of the other attributes."""
ROOT, PARTIAL = "zarr.json", "zarr.json.partial"
"""The file that makes a folder a store, and its name until it is whole; it is written last."""


class ZarrStore:
    """A Zarr group with an array for each measure and for the status, in blocks; `xarray.open_zarr` opens it.

    Several processes can write to one store: each write and each reading of all is done under a lock on the folder.
    Who reads without it reads the status first: what that says is done is there.
    """

    def __init__(self, path: str | Path, empty: xr.Dataset, blocks: Sequence[int]) -> None:
        """The store of this sweep, which is made if it is not there; of another it is refused."""
        self.path, self.damaged = Path(path), 0
        foreign = ValueError(f"{quoted(str(path), 140)} is there already, and is no sweep; name a new folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _locked(self.path):
                if not (self.path / ROOT).exists():
                    # Nothing, or what a process left that was killed before the store was whole.
                    if not {file.name for file in self.path.iterdir()} <= {*map(str, empty.variables), PARTIAL}:
                        raise foreign
                    _write(self.path, _described(empty, blocks))
            self._group: Any = _opened(self.path, "r+")
        except FileExistsError:
            raise foreign from None
        except OSError as error:
            raise ValueError(f"{quoted(str(path), 140)} cannot be written: {_reason(error)}") from error
        if self._group is None or self._group.attrs[ASKED] != empty.attrs[ASKED]:
            raise ValueError(
                f"{quoted(str(path), 140)} holds another sweep, or one of another version; name a new folder"
            )
        self._names = sorted((str(name) for name in empty.data_vars if name != "region"), key=lambda n: n == "status")

    @property
    def blocks(self) -> tuple[int, ...]:
        """The size of a block along each dimension."""
        return tuple(self._group["status"].chunks)

    def known(self) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
        """What is kept so far: the status of all, and what was measured.

        Damaged blocks are removed, and counted in `damaged`.
        """
        with _locked(self.path):
            read = {name: _read(self._group[name]) for name in self._names}
            damaged = {number: at for _, blocks in read.values() for number, at in blocks.items()}
            for number, at in damaged.items():
                for name in reversed(self._names):
                    array = self._group[name]
                    read[name][0][at] = array.fill_value
                    (self.path / name / array.metadata.encode_chunk_key(number)).unlink(missing_ok=True)
        self.damaged = len(damaged)
        found = {name: values for name, (values, _) in read.items()}
        return found.pop("status"), found

    def put(self, at: tuple[Any, ...], answer: BlockValues, shape: tuple[int, ...] | None) -> None:
        """Keep the answer of one block, or, without a shape, of some points; the status comes last."""
        try:
            with _locked(self.path):
                for name in self._names:
                    values = answer.status if name == "status" else answer.values[name]
                    array = self._group[name]
                    if shape is None:
                        array.vindex[at] = values
                    else:
                        array[at] = values.reshape(shape)
        except OSError as error:
            raise OSError(
                error.errno, f"{_reason(error)}; what was answered before is kept", str(self.path)
            ) from error


def in_blocks(shape: Sequence[int], blocks: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """The number of each block along every dimension, and where it lies in an array of this shape."""
    for begin in np.ndindex(*(-(-n // size) for n, size in zip(shape, blocks, strict=True))):
        yield (
            begin,
            tuple(slice(i * size, min((i + 1) * size, n)) for i, size, n in zip(begin, blocks, shape, strict=True)),
        )


def _read(array: Any) -> tuple[NDArray[Any], dict[tuple[int, ...], tuple[slice, ...]]]:
    """All of an array, and its damaged blocks: they hold what stands where nothing is kept."""
    damaged: dict[tuple[int, ...], tuple[slice, ...]] = {}
    try:
        return array[...], damaged
    except OSError:
        raise
    except Exception:  # each codec raises its own
        values = np.full(array.shape, array.fill_value, array.dtype)
    for number, at in in_blocks(array.shape, array.chunks):
        try:
            values[at] = array[at]
        except OSError:
            raise
        except Exception:
            damaged[number] = at
    return values, damaged


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other threads and processes out meanwhile, on systems and disks that have such locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network disks have none
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _described(empty: xr.Dataset, blocks: Sequence[int]) -> dict[str, bytes]:
    """The files of a store without answers, by their names; the root comes last."""
    import zarr
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.storage import MemoryStore

    made: dict[str, Any] = {}
    store = MemoryStore(store_dict=made)
    words = {name: (c.dims, c.values.astype(object)) for name, c in empty.coords.items() if c.dtype.kind == "U"}
    coordinates = empty.drop_vars([*empty.data_vars]).assign_coords(words)  # text of any length, as Zarr has it
    coordinates.attrs.pop("finished")  # `status` tells
    coordinates.to_zarr(store, mode="w", zarr_format=3, consolidated=False)
    group = zarr.open_group(store, mode="r+", zarr_format=3)
    for name, variable in empty.data_vars.items():
        group.create_array(
            str(name),
            shape=variable.shape,
            dtype=variable.dtype,
            chunks=tuple(blocks),
            compressors=(ZstdCodec(), Crc32cCodec()),
            fill_value=MISSING if name == "status" else np.nan,
            dimension_names=[str(dim) for dim in variable.dims],
            attributes={k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in variable.attrs.items()},
        )
    checksums = {name: zlib.crc32(data.to_bytes()) for name, data in made.items() if name != ROOT}
    attributes = group.attrs.asdict()
    group.attrs[CHECKSUMS] = json.dumps(checksums | {ROOT: _checksum(attributes)})
    root = made.pop(ROOT)
    return {name: data.to_bytes() for name, data in (made | {ROOT: root}).items()}


def _write(path: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        file = path / (PARTIAL if name == ROOT else name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    os.replace(path / PARTIAL, path / ROOT)


def _checksum(attributes: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(attributes, sort_keys=True).encode())


def _opened(path: Path, mode: str) -> Any:
    """The group in a folder; None if it is no sweep of this version, `ValueError` if its description is damaged."""
    import zarr

    try:
        group = zarr.open_group(path, mode=mode, zarr_format=3)
        attributes = group.attrs.asdict()
        if CHECKSUMS not in attributes:
            return None
        checksums = json.loads(attributes.pop(CHECKSUMS))
        sound = checksums.pop(ROOT) == _checksum(attributes) and all(
            zlib.crc32((path / name).read_bytes()) == checksum for name, checksum in checksums.items()
        )
    except PermissionError:
        raise
    except Exception:  # whatever damage makes of JSON
        sound = False
    if not sound:
        raise ValueError(f"the description of the sweep in {quoted(str(path), 140)} is damaged; name a new folder")
    return group


def _reason(error: OSError) -> str:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return "the disk is full" if full else error.strerror or str(error)


class Status(NamedTuple):
    """How far a sweep is that is kept."""

    done: int
    total: int
    by_status: Mapping[str, int]

    @property
    def finished(self) -> bool:
        """Whether every point is answered."""
        return self.done == self.total

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {word}" for word, count in self.by_status.items())
        return f"{self.done:,} of {self.total:,} points: {counts}"


def status(store: str | os.PathLike[str]) -> Status:
    """How far the sweep in a store is, also while another process goes on with it; damaged blocks are missing."""
    path = Path(store)
    group = _opened(path, "r") if (path / ROOT).is_file() else None
    if group is None:
        raise ValueError(f"there is no sweep in {quoted(str(store), 140)}")
    codes, _ = _read(group["status"])
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    return Status(codes.size - counts["missing"], codes.size, {word: n for word, n in counts.items() if n})
