"""Convert a sweep that an earlier version kept in a Zarr store:
`python -m engine.studies.sweeps.convert FOLDER FILE.nc` writes a file that `sweep.load` reads.

It needs Zarr: `pip install zarr`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ...export.files import write_atomically
from .store import load


def convert_store(folder: str, file: str) -> None:
    """Write the sweep in a Zarr store to a NetCDF file."""
    import xarray as xr

    data = xr.open_zarr(folder, chunks=None, consolidated=False).load()
    data.attrs.pop("checksums", None)
    data.attrs["finished"] = int((data["status"] >= 0).all())
    write_atomically(Path(file), lambda path: data.to_netcdf(path, engine="scipy"))


if __name__ == "__main__":
    convert_store(*sys.argv[1:])
    print(load(sys.argv[2]))
