"""Damaged files: a run is refused in a sentence, or is as it was saved; a damaged block is computed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.studies import sweep

END = 1024
"""Bytes at the beginning and at the end of a file that are changed."""
EACH = 29
"""Every so many of them is changed in the short form; 1 is the long form."""
ENDINGS = ("npz", "csv", "parquet")
SWEPT: dict[str, Any] = {"over": {"dt": [0.05, 0.1], "Omega0.z": [1.0, 2.0]}, "steps": 5}


def damaged(data: bytes, each: int) -> Iterator[bytes]:
    """The data with one byte changed, for every `each`-th byte of the first and the last kilobyte."""
    n = len(data)
    for place in [*range(min(END, n)), *range(max(END, n - END), n)][::each]:
        yield data[:place] + bytes([data[place] ^ (1 + 37 * place % 255)]) + data[place + 1 :]


def check_runs(folder: Path, ending: str, each: int) -> None:
    """Load a saved run after each change of a byte."""
    path = engine.simulate("slow-top", "NMB", steps=60).save(folder / f"run.{ending}")
    saved, refused = content(engine.load(path)), 0
    for data in damaged(path.read_bytes(), each):
        path.write_bytes(data)
        try:
            assert content(engine.load(path)) == saved
        except ValueError as error:
            refused += 1
            assert is_one_sentence(error)
    assert refused


def check_sweeps(folder: Path, each: int) -> None:
    """Go on with a sweep after each change of a byte in each file of its store."""
    store = folder / "kept"
    once = sweep("free", "MR2", **SWEPT, keep=store)
    for path in [path for path in store.rglob("*") if path.is_file()]:
        whole = path.read_bytes()
        of_a_block = path.name != "zarr.json" and path.relative_to(store).parts[0] in once.data_vars
        for data in damaged(whole, each):
            path.write_bytes(data)
            try:
                total = sweep.status(store).total
                again = sweep("free", "MR2", **SWEPT, keep=store)
            except ValueError as error:
                assert is_one_sentence(error) and not of_a_block
                path.write_bytes(whole)
                continue
            assert total == once["status"].size
            if of_a_block:
                assert again.attrs.pop("damaged") == "1 kept block was damaged, and computed again"
            assert again.identical(once)
            assert path.read_bytes() == (whole if of_a_block else data)
            path.write_bytes(whole)


def content(run: engine.Run) -> str:
    """All that a run tells, in words."""
    told = (run.problem.told(), run.method.label, run.dt, run.steps, run.every, run.status, run.failed_step)
    extrema = {name: np.asarray(list(values)).tolist() for name, values in run.extrema.items()}
    columns = {name: values.tolist() for name, values in run.columns().items()}
    return repr((told, run.messages, run.cost, run.provenance, extrema, columns))


def is_one_sentence(error: ValueError) -> bool:
    """Whether it is one line that says something, and of no codec or library alone."""
    said = str(error)
    return type(error) is ValueError and "\n" not in said and len(said) < 800 and not said.endswith(": ")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_run_is_refused_or_is_what_was_saved(ending, tmp_path):
    check_runs(tmp_path, ending, EACH)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_damaged_anywhere_is_refused_or_is_what_was_saved(ending, tmp_path):
    check_runs(tmp_path, ending, 1)


def test_a_damaged_block_of_a_sweep_is_computed_again(tmp_path):
    check_sweeps(tmp_path, EACH)


@pytest.mark.exhaustive
def test_a_sweep_damaged_anywhere_goes_on_or_is_refused(tmp_path):
    check_sweeps(tmp_path, 1)


def test_what_describes_another_thing_is_no_run(tmp_path):
    """Files that nobody damaged, and that say too little."""
    for about in (
        "[]",
        "{}",
        '{"format": 1}',
        '{"format": 1, "problem": {"key": 3}}',
        '{"format": 2, "provenance": 3}',
    ):
        (tmp_path / "run.csv").write_text(f"# polhode {about}\nt\n1.0\n")
        with pytest.raises(ValueError) as refused:
            engine.load(tmp_path / "run.csv")
        assert is_one_sentence(refused.value)
