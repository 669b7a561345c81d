"""A sweep that is kept: a Zarr store, in which each block is put as it is answered."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
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


class ZarrStore:
    """A Zarr group with an array for each measure and for the status, in blocks; `xarray.open_zarr` opens it."""

    def __init__(self, path: str | Path, empty: xr.Dataset, blocks: Sequence[int]) -> None:
        """The store of this sweep, which is made if it is not there; of another it is refused."""
        import zarr

        self.path = Path(path)
        try:
            if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
                _made(self.path, empty, blocks)
            elif not (self.path / "zarr.json").exists():
                raise ValueError(f"{quoted(str(path), 140)} is there already, and is no sweep; name a new folder")
            self._group: Any = zarr.open_group(self.path, mode="r+", zarr_format=3)
        except OSError as error:
            raise ValueError(f"{quoted(str(path), 140)} cannot be written: {_reason(error)}") from error
        if self._group.attrs.get(ASKED) != empty.attrs[ASKED]:
            raise ValueError(
                f"{quoted(str(path), 140)} holds another sweep, or one of another version; name a new folder"
            )
        self._names = [str(name) for name in empty.data_vars if name != "region"]

    @property
    def blocks(self) -> tuple[int, ...]:
        """The size of a block along each dimension."""
        return tuple(self._group["status"].chunks)

    def known(self) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
        """What is kept so far: the status of all, and what was measured."""
        found = {name: self._group[name][...] for name in self._names}
        return found.pop("status"), found

    def put(self, at: tuple[Any, ...], answer: BlockValues, shape: tuple[int, ...]) -> None:
        """Keep the answer of one block; its status comes last, and so tells that all of it is there."""
        try:
            for name in sorted(self._names, key=lambda name: name == "status"):
                values = answer.status if name == "status" else answer.values[name]
                array = self._group[name]
                if shape:
                    array[at] = values.reshape(shape)
                else:
                    array.vindex[at] = values
        except OSError as error:
            raise OSError(
                error.errno, f"{_reason(error)}; what was answered before is kept", str(self.path)
            ) from error


def _made(path: Path, empty: xr.Dataset, blocks: Sequence[int]) -> None:
    import zarr

    path.parent.mkdir(parents=True, exist_ok=True)
    words = {name: (c.dims, c.values.astype(object)) for name, c in empty.coords.items() if c.dtype.kind == "U"}
    coordinates = empty.drop_vars([*empty.data_vars]).assign_coords(words)  # text of any length, as Zarr has it
    coordinates.attrs.pop("finished")  # `status` tells
    coordinates.to_zarr(path, mode="w", zarr_format=3, consolidated=False)
    group = zarr.open_group(path, mode="r+", zarr_format=3)
    for name, variable in empty.data_vars.items():
        group.create_array(
            str(name),
            shape=variable.shape,
            dtype=variable.dtype,
            chunks=tuple(blocks),
            fill_value=MISSING if name == "status" else np.nan,
            dimension_names=[str(dim) for dim in variable.dims],
            attributes={k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in variable.attrs.items()},
        )


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
    """How far the sweep in a store is, also while another process goes on with it."""
    import zarr

    try:
        group: Any = zarr.open_group(Path(store), mode="r")
        codes = group["status"][...]
    except (FileNotFoundError, KeyError):
        raise ValueError(f"there is no sweep in {quoted(str(store), 140)}") from None
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    return Status(codes.size - counts["missing"], codes.size, {word: n for word, n in counts.items() if n})
