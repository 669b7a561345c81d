"""Files with one byte changed: a run is refused in a sentence, or is as it was saved; a block is
computed again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from trials import Cases, check_sentence, one_by_one, trial

import engine
from engine.studies import sweep

END = 1024
"""Number of bytes at the beginning and at the end of a file that are changed."""
ENDINGS = ("npz", "csv", "parquet")
SWEPT: dict[str, Any] = {"over": {"dt": [0.05, 0.1], "Omega0.z": [1.0, 2.0]}, "steps": 5}


def places(files: dict[Path, bytes]) -> list[tuple[Path, int]]:
    """Return the bytes to change, in an order whose first few come from everywhere."""
    found = [
        (path, place)
        for path, data in files.items()
        for place in sorted(
            {*range(min(END, len(data))), *range(max(0, len(data) - END), len(data))}
        )
    ]
    random.Random(0).shuffle(found)
    return found


def change_byte(data: bytes, place: int) -> bytes:
    """The data with one byte changed."""
    return data[:place] + bytes([data[place] ^ (1 + 37 * place % 255)]) + data[place + 1 :]


def content(run: engine.Run) -> str:
    """Return everything that a run reports, as text."""
    report = (
        run.problem.to_json(),
        run.method.label,
        run.dt,
        run.steps,
        run.every,
        run.status,
        run.failed_step,
    )
    extrema = {name: np.asarray(list(values)).tolist() for name, values in run.extrema.items()}
    columns = {name: values.tolist() for name, values in run.columns().items()}
    return repr((report, run.messages, run.cost, run.provenance, extrema, columns))


@trial("saved runs with one byte changed, each of the first and last 1 024", short=210, full=6_144)
def damaged_runs(folder: Path) -> Iterator[Cases]:
    run = engine.simulate("slow-top", "NMB", steps=60)
    whole = {
        path: path.read_bytes()
        for path in (run.save(folder / f"run.{ending}") for ending in ENDINGS)
    }
    saved = {path: content(engine.load(path)) for path in whole}
    every = places(whole)

    def check(number: int) -> None:
        path, place = every[number % len(every)]
        path.write_bytes(change_byte(whole[path], place))
        try:
            assert content(engine.load(path)) == saved[path]
        except ValueError as refused:
            check_sentence(refused)

    yield one_by_one(check)


@trial(
    "files of a sweep with one byte changed, each of the first and last 1 024", short=40, full=9_000
)
def damaged_sweeps(folder: Path) -> Iterator[Cases]:
    store = folder / "kept"
    saved = folder / "saved.nc"
    once = sweep("free", "MR2", **SWEPT, keep=store)
    once.to_netcdf(saved, engine="scipy")
    whole = {
        path: path.read_bytes() for path in [*sorted(store.rglob("*")), saved] if path.is_file()
    }
    every = places(whole)

    def check(number: int) -> None:
        path, place = every[number % len(every)]
        of_a_block = path.suffix == ".npz"
        in_store = path != saved
        data = change_byte(whole[path], place)
        path.write_bytes(data)
        damages = of_a_block
        try:
            read = sweep.load(store if in_store else saved)
            assert not in_store or read.identical(once), "only NetCDF has no checksums"
            damages = False  # some bytes of an archive, as a member's date, do not matter
        except ValueError as refused:
            check_sentence(refused)
            assert ("kept" if in_store else "saved.nc") in str(refused)
            assert "run the sweep again" in str(refused) or not (of_a_block or path == saved)
        try:
            assert sweep.status(store).total == once["status"].size
            again = sweep("free", "MR2", **SWEPT, keep=store)
        except ValueError as refused:
            check_sentence(refused)
            assert not of_a_block, "a damaged block is computed again, and not refused"
        else:
            damaged = again.attrs.pop("damaged", "")
            assert damaged == ("1 kept block was damaged, and computed again" if damages else "")
            assert again.identical(once)
            assert damages or path.read_bytes() == data
        path.write_bytes(whole[path])

    yield one_by_one(check)
