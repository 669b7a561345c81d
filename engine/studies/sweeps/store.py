"""Zarr stores of sweeps, which keep each block as soon as it is measured."""

from __future__ import annotations

import errno
import importlib
import json
import math
import os
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...text.formatting import quote
from .axes import MOST_POINTS
from .block import MISSING, STATUS, BlockValues

if TYPE_CHECKING:
    import xarray as xr

ASKED = "question"
"""The attribute that identifies the sweep."""
CHECKSUMS = "checksums"
"""The attribute with a checksum of each file that describes the store, as JSON, and of the other
attributes.
"""
ROOT, PARTIAL = "zarr.json", "zarr.json.partial"
"""The file that makes a folder a store, which is written last, and its name until it is complete.
"""
LOCK_INTERVAL = 0.02
"""Seconds between two attempts to lock a store on Windows, which would wait a second."""


class ZarrStore:
    """A Zarr group with an array for each measure and for the status, in blocks; `xarray.open_zarr`
    opens it.

    Several processes can write to one store, under a lock on the folder. Also without locks, points
    that are done have their measures: the status is written last and read first.
    """

    def __init__(self, path: str | Path, empty: xr.Dataset, blocks: Sequence[int]) -> None:
        """Open or create the store of a sweep; `ValueError` if the folder has another one."""
        self.path = Path(path)
        self.damaged = 0
        foreign = ValueError(
            f"{quote(str(path), 140)} is there already, and is no sweep; name a new folder"
        )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _locked(self.path):
                if not (self.path / ROOT).exists():
                    # Nothing, or what a process left that was killed before the store was complete.
                    if not {file.name for file in self.path.iterdir()} <= {
                        *map(str, empty.variables),
                        PARTIAL,
                    }:
                        raise foreign
                    _write_files(self.path, _describe(empty, blocks))
            self._group: Any = _open_group(self.path, "r+")
        except FileExistsError:
            raise foreign from None
        except OSError as error:
            raise ValueError(
                f"{quote(str(path), 140)} cannot be written: {_reason(error)}"
            ) from error
        if self._group is None or self._group.attrs[ASKED] != empty.attrs[ASKED]:
            raise ValueError(
                f"{quote(str(path), 140)} holds another sweep, or one of another version; name a new folder"
            )
        self._names = sorted(
            (str(name) for name in empty.data_vars if name != "region"), key=lambda n: n == "status"
        )

    @property
    def blocks(self) -> tuple[int, ...]:
        """The size of a block along each dimension."""
        return tuple(self._group["status"].chunks)

    def load(self) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
        """Return the status and the measures so far; remove damaged blocks, and count them in
        `damaged`.
        """
        with _locked(self.path):
            read = {name: _read_array(self._group[name]) for name in reversed(self._names)}
            damaged = {number: at for _, blocks in read.values() for number, at in blocks.items()}
            for number, at in damaged.items():
                for name in reversed(self._names):
                    array = self._group[name]
                    read[name][0][at] = array.fill_value
                    (self.path / name / array.metadata.encode_chunk_key(number)).unlink(
                        missing_ok=True
                    )
        self.damaged = len(damaged)
        found = {name: values for name, (values, _) in read.items()}
        return found.pop("status"), found

    def write(
        self, at: tuple[Any, ...], answer: BlockValues, shape: tuple[int, ...] | None
    ) -> None:
        """Write one block, or without a shape some points; the status comes last."""
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
                error.errno, f"{_reason(error)}; what was measured before is kept", str(self.path)
            ) from error


def in_blocks(
    shape: Sequence[int], blocks: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield the number of each block along every dimension, and its place in an array of this
    shape.
    """
    for begin in np.ndindex(*(-(-n // size) for n, size in zip(shape, blocks, strict=True))):
        yield (
            begin,
            tuple(
                slice(i * size, min((i + 1) * size, n))
                for i, size, n in zip(begin, blocks, shape, strict=True)
            ),
        )


def _read_array(array: Any) -> tuple[NDArray[Any], dict[tuple[int, ...], tuple[slice, ...]]]:
    """Return all of an array, and its damaged blocks, which have the fill value."""
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
    """Lock other threads and processes out, on disks that have such locks."""
    try:
        import fcntl
    except ImportError:
        with _locked_on_windows(folder):
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network disks have none
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _locked_on_windows(folder: Path) -> Iterator[None]:
    """Lock a file beside the folder, since a folder cannot be locked there."""
    windows: Any = importlib.import_module("msvcrt")
    file = folder.resolve()
    try:
        handle = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT)
    except OSError:  # where nothing can be written, nobody writes
        yield
        return
    try:
        with suppress(OSError):  # some network disks have no locks
            while not _try_lock(windows, handle):
                time.sleep(LOCK_INTERVAL)
        yield
    finally:
        with suppress(OSError):
            windows.locking(handle, windows.LK_UNLCK, 1)
        os.close(handle)


def _try_lock(windows: Any, handle: int) -> bool:
    try:
        windows.locking(handle, windows.LK_NBLCK, 1)
    except PermissionError:  # another thread or process has it
        return False
    return True


def _describe(empty: xr.Dataset, blocks: Sequence[int]) -> dict[str, bytes]:
    """Return the files of an empty store by their names; the root comes last."""
    import zarr
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.storage import MemoryStore

    made: dict[str, Any] = {}
    store = MemoryStore(store_dict=made)
    words = {
        name: (c.dims, c.values.astype(object))
        for name, c in empty.coords.items()
        if c.dtype.kind == "U"
    }
    coordinates = empty.drop_vars([*empty.data_vars]).assign_coords(
        words
    )  # text of any length, as Zarr has it
    coordinates.attrs.pop("finished")  # the status has it
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
            attributes={
                k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in variable.attrs.items()
            },
        )
    checksums = {name: zlib.crc32(data.to_bytes()) for name, data in made.items() if name != ROOT}
    attributes = group.attrs.asdict()
    group.attrs[CHECKSUMS] = json.dumps(checksums | {ROOT: _checksum(attributes)})
    root = made.pop(ROOT)
    return {name: data.to_bytes() for name, data in (made | {ROOT: root}).items()}


def _write_files(path: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        file = path / (PARTIAL if name == ROOT else name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    os.replace(path / PARTIAL, path / ROOT)


def _checksum(attributes: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(attributes, sort_keys=True).encode())


def _open_group(path: Path, mode: str) -> Any:
    """Return the group in a folder; None if it is no sweep of this version, `ValueError` if it is
    damaged.
    """
    import zarr

    try:
        group = zarr.open_group(path, mode=mode, zarr_format=3)
        attributes = group.attrs.asdict()
        if CHECKSUMS not in attributes:
            return None
        checksums = json.loads(attributes.pop(CHECKSUMS))
        sound = checksums.pop(ROOT) == _checksum(attributes) and all(
            zlib.crc32(_find_file(path, name).read_bytes()) == checksum
            for name, checksum in checksums.items()
        )
        arrays = [array for _, array in group.arrays()]
        largest = max((max(array.size, math.prod(array.chunks)) for array in arrays), default=0)
    except PermissionError:
        raise
    except Exception:  # whatever damage makes of JSON
        sound = False
    if not sound:
        raise ValueError(
            f"the description of the sweep in {quote(str(path), 140)} is damaged; name a new folder"
        )
    if largest > MOST_POINTS:
        raise ValueError(
            f"the sweep in {quote(str(path), 140)} declares {largest:,} points, "
            f"and a sweep has at most {MOST_POINTS:,}"
        )
    return group


def _find_file(folder: Path, name: str) -> Path:
    """Return a file within a folder; `ValueError` for any other, such as a device."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        raise ValueError(f"{name} is no file of the store")
    return file


def _reason(error: OSError) -> str:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return "the disk is full" if full else error.strerror or str(error)


def load(path: str | os.PathLike[str]) -> xr.Dataset:
    """Load a sweep from the folder of a store or from a NetCDF file.

    The dimension `method` of earlier versions becomes `algorithm`. Damage raises `ValueError`.
    """
    import xarray as xr

    folder = Path(path)
    cure = "run the sweep again"
    if not (is_file := folder.is_file()):
        status(folder)  # refuses what is no store
        cure += " with this folder as keep, which computes the damaged blocks again"
    try:
        with _locked(folder):
            if is_file:
                with folder.open("rb") as file:
                    if file.read(3) != b"CDF":  # xarray would decompress other files
                        raise ValueError("it is no NetCDF file")
                data = xr.load_dataset(folder, engine="scipy")
            else:
                data = xr.open_zarr(folder, chunks=None, consolidated=False)
                data = data.assign(status=data["status"].load()).load()
    except OSError:
        raise
    except Exception:  # each format raises its own
        raise ValueError(f"the sweep in {quote(str(path), 140)} is damaged; {cure}") from None
    if not is_file:
        data.attrs.pop(CHECKSUMS)
        data.attrs["finished"] = int((data["status"] != MISSING).all())
    return data.rename(method="algorithm") if "method" in data.dims else data


class Status(NamedTuple):
    """How far a kept sweep is."""

    done: int
    total: int
    by_status: Mapping[str, int]

    @property
    def finished(self) -> bool:
        """Whether every point is measured."""
        return self.done == self.total

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {word}" for word, count in self.by_status.items())
        return f"{self.done:,} of {self.total:,} points: {counts}"


def status(store: str | os.PathLike[str]) -> Status:
    """Return how far the sweep in a store is, also while another process continues it; damaged
    blocks are missing.
    """
    path = Path(store)
    group = _open_group(path, "r") if (path / ROOT).is_file() else None
    if group is None:
        raise ValueError(f"there is no sweep in {quote(str(store), 140)}")
    codes, _ = _read_array(group["status"])
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    return Status(
        codes.size - counts["missing"], codes.size, {word: n for word, n in counts.items() if n}
    )
