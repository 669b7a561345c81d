"""Stores of sweeps: a folder with a description, and a file for each block that is measured.

Each file appears when it is complete, so that any number of processes can work on one folder
without locks. The name of a block's file begins with the fingerprint of its sweep, and its points
follow: processes that measure the same block write the same file.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...export.files import write_atomically
from ...export.npz import read_array
from ...text.formatting import quote
from .axes import MOST_POINTS
from .block import MISSING, STATUS, BlockValues

if TYPE_CHECKING:
    from collections.abc import Iterator

    import xarray as xr

ASKED = "question"
"""The attribute with the fingerprint of a sweep."""
DESCRIPTION = "sweep.json"
"""The file that makes a folder a store."""
CHECKSUM = "checksum"
ROOT_OF_ZARR = "zarr.json"
"""The file that made a folder a store in earlier versions."""
LARGEST_ARCHIVE = 100_000
"""Bytes of a block's file besides its numbers."""
Found = dict[str, NDArray[Any]]


class _Description(NamedTuple):
    """What a store says of its sweep.

    Attributes
    ----------
    data : the data set without its numbers, as `xarray.Dataset.to_dict` writes it.
    shape, blocks : the number of points and the size of a block along each dimension.
    """

    data: dict[str, Any]
    shape: tuple[int, ...]
    blocks: tuple[int, ...]

    @classmethod
    def make_for(cls, empty: xr.Dataset, blocks: Sequence[int]) -> _Description:
        """Describe a sweep by its data set."""
        data = empty.drop_vars(list(empty.data_vars)).to_dict()
        data["data_vars"] = {
            name: {key: about[key] for key in ("dims", "attrs")}
            for name, about in empty.to_dict(data=False)["data_vars"].items()
        }
        return cls(data, empty["status"].shape, tuple(blocks))

    @classmethod
    def read_from(cls, folder: Path) -> _Description:
        """Read the description in a folder; `ValueError` if it is damaged."""
        try:
            sound = (folder / DESCRIPTION).is_file()  # and no device without end
            about = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
            sound &= about.pop(CHECKSUM) == _compute_checksum(about)
            found = cls(about["data"], tuple(about["shape"]), tuple(about["blocks"]))
            points = math.prod(found.shape)
            sound &= min(*found.shape, *found.blocks) > 0 and found.question.isalnum()
        except OSError:
            raise
        except Exception:  # whatever damage makes of JSON
            sound = False
        if not sound:
            raise ValueError(
                f"the description of the sweep in {quote(str(folder), 140)} is damaged; "
                "name a new folder"
            )
        if points > MOST_POINTS:
            raise ValueError(
                f"the sweep in {quote(str(folder), 140)} declares {points:,} points, "
                f"and a sweep has at most {MOST_POINTS:,}"
            )
        return found

    def write_to(self, folder: Path) -> None:
        """Write it into a folder."""
        about = self._asdict()
        text = json.dumps(about | {CHECKSUM: _compute_checksum(about)})
        write_atomically(folder / DESCRIPTION, lambda file: file.write_text(text, encoding="utf-8"))

    @property
    def question(self) -> str:
        """The fingerprint of the sweep."""
        return str(self.data["attrs"][ASKED])

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(name for name in self.data["data_vars"] if name != "status")

    def fill(self, found: Found) -> xr.Dataset:
        """Return the data set with these numbers."""
        import xarray as xr

        for name, about in self.data["data_vars"].items():
            about["data"] = found[name]
        data = xr.Dataset.from_dict(self.data)
        data.attrs["finished"] = int((found["status"] != MISSING).all())
        return data


class SweepStore:
    """A folder that keeps the blocks of a sweep.

    Attributes
    ----------
    path : of the folder.
    blocks : the size of a block along each dimension.
    damaged : how many damaged blocks `load` has removed.
    """

    def __init__(self, path: str | Path, empty: xr.Dataset, blocks: Sequence[int]) -> None:
        """Open or create the store of a sweep; `ValueError` if the folder has another one."""
        self.path = Path(path)
        self.damaged = 0
        about = _Description.make_for(empty, blocks)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            names = {file.name for file in self.path.iterdir()}
            if DESCRIPTION not in names:
                # Nothing, or what a process left that was killed before the store was complete.
                if not all(name.startswith((f".{DESCRIPTION}.", about.question)) for name in names):
                    raise FileExistsError
                about.write_to(self.path)
            self._about = _Description.read_from(self.path)
        except FileExistsError:
            raise ValueError(
                f"{quote(str(path), 140)} is there already, and is no sweep; name a new folder"
            ) from None
        except OSError as error:
            raise ValueError(
                f"{quote(str(path), 140)} cannot be written: {_describe_reason(error)}"
            ) from error
        if self._about.question != about.question:
            raise ValueError(
                f"{quote(str(path), 140)} holds another sweep, or one of another version; name a new folder"
            )
        self.blocks = self._about.blocks

    def load(self) -> tuple[NDArray[np.int8], Found]:
        """Return the status and the measures so far; remove damaged blocks, and count them in
        `damaged`.
        """
        found, damaged = _read_blocks(self.path, self._about, self._about.measures)
        for file in damaged:
            file.unlink(missing_ok=True)
        self.damaged = len(damaged)
        return found.pop("status"), found

    def write(self, at: tuple[Any, ...], answer: BlockValues) -> None:
        """Write the values of points, which are given by slices, or by their numbers along each
        axis.
        """
        shape = self._about.shape
        places = [
            np.arange(n)[part] if isinstance(part, slice) else part
            for n, part in zip(shape, at, strict=True)
        ]
        grid = np.ix_(*places) if isinstance(at[-1], slice) else tuple(places)
        points = np.ravel_multi_index(grid, shape).ravel().astype(np.uint32)
        values = [answer.values[name] for name in self._about.measures]
        digest = hashlib.blake2b(points.tobytes(), digest_size=8).hexdigest()
        block = self.path / f"{self._about.question}-{digest}.npz"
        if block.exists():  # another process has measured the same
            return
        try:
            write_atomically(block, lambda file: np.savez(file, points, answer.status, *values))
        except OSError as error:
            raise OSError(
                error.errno,
                f"{_describe_reason(error)}; what was measured before is kept",
                str(self.path),
            ) from error


def _compute_checksum(about: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(about, sort_keys=True).encode())


def _read_blocks(
    folder: Path, about: _Description, measures: Sequence[str]
) -> tuple[Found, list[Path]]:
    """Return the status and these measures so far, and the files of damaged blocks, whose points
    are missing.
    """
    size = math.prod(about.shape)
    found: Found = {name: np.full(size, np.nan) for name in measures}
    found["status"] = np.full(size, MISSING, np.int8)
    damaged = []
    for file in folder.glob(f"{about.question}-*.npz"):
        try:
            points, *values = _read_block(file, about, len(measures))
        except FileNotFoundError:  # another process has just removed it
            continue
        except OSError:
            raise
        except Exception:  # whatever damage makes of an archive
            damaged.append(file)
            continue
        for name, numbers in zip(("status", *measures), values, strict=True):
            found[name][points] = numbers
    return {name: numbers.reshape(about.shape) for name, numbers in found.items()}, damaged


def _read_block(file: Path, about: _Description, measures: int) -> list[NDArray[Any]]:
    """Return the numbers of the points of a block, their status, and the first measures."""
    size = math.prod(about.shape)
    kinds = ["u4", "i1", *["f8"] * measures]
    most = size * sum(np.dtype(kind).itemsize for kind in kinds) + LARGEST_ARCHIVE
    most += 8 * size * (len(about.measures) - measures)
    if not file.is_file() or file.stat().st_size > most:
        raise ValueError("it is larger than the sweep, or no file")
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        arrays = [
            read_array(archive, archive.getinfo(f"arr_{i}.npy"), kind, 8 * size)
            for i, kind in enumerate(kinds)
        ]
    if len({array.shape for array in arrays}) > 1 or arrays[0].max() >= size:
        raise ValueError("its arrays do not fit the sweep")
    return arrays


def _describe_reason(error: OSError) -> str:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return "the disk is full" if full else error.strerror or str(error)


def _find_description(folder: Path) -> _Description:
    """Return the description of a store; `ValueError` if a folder is none."""
    if (folder / ROOT_OF_ZARR).is_file():
        raise ValueError(
            f"the sweep in {quote(str(folder), 140)} was kept by an earlier version; to read it, "
            "convert it to a file: python -m engine.studies.sweeps.convert FOLDER FILE.nc"
        )
    if not (folder / DESCRIPTION).is_file():
        raise ValueError(f"there is no sweep in {quote(str(folder), 140)}")
    return _Description.read_from(folder)


def load(path: str | os.PathLike[str]) -> xr.Dataset:
    """Load a sweep from the folder of a store or from a NetCDF file.

    The dimension `method` of earlier versions becomes `algorithm`. Damage raises `ValueError`.
    """
    path = Path(path)
    if path.is_file():
        return _load_file(path)
    about = _find_description(path)
    cure = "run the sweep again with this folder as keep, which computes the damaged blocks again"
    with _reading(path, cure):
        found, damaged = _read_blocks(path, about, about.measures)
        if damaged:
            raise ValueError("blocks are damaged")
        return about.fill(found)


def _load_file(path: Path) -> xr.Dataset:
    import xarray as xr

    with _reading(path, "run the sweep again"):
        with path.open("rb") as file:
            if file.read(3) != b"CDF":  # xarray would decompress other files
                raise ValueError("it is no NetCDF file")
        data = xr.load_dataset(path, engine="scipy")
    return data.rename(method="algorithm") if "method" in data.dims else data


@contextmanager
def _reading(path: Path, cure: str) -> Iterator[None]:
    """Raise a `ValueError` for what libraries raise when a sweep is damaged."""
    try:
        yield
    except OSError:
        raise
    except Exception:  # each format raises its own
        raise ValueError(f"the sweep in {quote(str(path), 140)} is damaged; {cure}") from None


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
    found, _ = _read_blocks(path, _find_description(path), ())
    codes = found["status"]
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    return Status(
        codes.size - counts["missing"], codes.size, {word: n for word, n in counts.items() if n}
    )
