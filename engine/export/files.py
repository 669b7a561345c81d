"""Files of runs in Parquet, NPZ and CSV, each with all that a rerun needs."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import secrets
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from ..algorithms.core.method import find_method
from ..kernels.layout import STATES
from ..parameters.parameter import Number, Whole
from ..parameters.validation import LARGEST, check_positive
from ..problems.problem import AnyProblem, find_problem
from ..simulation import (
    MOST_ROWS,
    MOST_STEPS,
    SYSTEMS,
    AnyRun,
    Cost,
    Extrema,
    RunOfSpace,
    RunRequest,
    SavedRecord,
    run_actions,
)
from ..text.formatting import join_words, shorten
from .gltf import make_gltf, warn_of_hidden_turns
from .run_files import CSV_MARK, FORMATS, KEY, Columns

FORMAT = 1
"""Increased when earlier versions can no longer read the files."""

CHECKSUM = "checksum"
MOST_COUNT = 2**63 - 1


@run_actions.register
def save(run: RunOfSpace, path: str | Path) -> Path:
    """Write a run in the format of the name's ending. The file is complete, or does not exist."""
    path = check_writable(path)
    if path.suffix.lower() == ".glb":
        warn_of_hidden_turns(run)
        write_atomically(path, lambda file: file.write_bytes(make_gltf(run)))
        return path
    write = {".parquet": _write_parquet, ".npz": _write_npz, ".csv": _write_csv}[
        path.suffix.lower()
    ]
    columns = run.columns()
    about = _describe_run(run)
    text = json.dumps(about | {CHECKSUM: _compute_checksum(columns, about)}, allow_nan=True)
    write_atomically(path, lambda file: write(file, columns, text))
    return path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name and then rename it, so that it is complete or does not exist.

    It keeps the permissions of a file that it replaces; a symbolic link stays, and its target is
    replaced.
    """
    target = Path(os.path.realpath(path))
    temporary = _make_temporary(target)
    try:
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        write(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _make_temporary(target: Path) -> Path:
    """Create an empty file in the same folder, with the permissions of a new file."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}{target.suffix}")
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return path


def to_strict_json(value: Any) -> Any:
    """A value for strict JSON: numbers that are not finite become null, and paths their names."""
    if isinstance(value, Mapping):
        return {str(key): to_strict_json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return to_strict_json(value.tolist())
    if isinstance(value, list | tuple):
        return [to_strict_json(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


ENDINGS = (".parquet", ".npz", ".csv")
WRITABLE = (*ENDINGS, ".glb")


def check_writable(path: str | Path, endings: tuple[str, ...] = WRITABLE) -> Path:
    """The path, after a check that a file can be written there: better before a run than after
    it.
    """
    file = Path(path)
    target = Path(os.path.realpath(path))
    if file.suffix.lower() not in endings:
        raise ValueError(
            f"the name of a file to write must end in {join_words(endings, 'or')}; got {str(path)!r}"
        )
    try:
        if target.exists() and not target.is_file():
            kind = "folder" if target.is_dir() else "device or a pipe"
            raise ValueError(f"{str(path)!r} is a {kind}; give the name of a file")
        if not target.parent.is_dir():
            raise ValueError(f"there is no folder {str(target.parent)!r} to write {target.name} in")
        _make_temporary(target).unlink()
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be written: {error.strerror}") from error
    return file


def load(path: str | Path) -> RunOfSpace:
    """Read a run that `Run.save` wrote; `rerun()` runs it again."""
    path = Path(path)
    open_file = FORMATS.get(path.suffix.lower())
    if open_file is None:
        raise ValueError(f"a run is a .parquet, .npz or .csv file; got {shortened(path.name)}")
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    with _reading(path):
        file = open_file(path)
    with file:
        with _reading(path):
            about = None if file.description is None else json.loads(file.description)
        if not isinstance(about, dict):
            raise ValueError(f"{path.name} is no saved run: it does not say what made it")
        with _describing(path):
            if about["format"] != FORMAT:
                made_by = shortened(about["provenance"]["polhode"])
                raise ValueError(
                    f"it has format {shortened(about['format'])}, and this version reads format "
                    f"{FORMAT}; it was made by polhode {made_by}"
                )
            checksum = about.pop(CHECKSUM, None)  # older files have none
            request = _restore_request(about)
        most_rows = min(request.steps // request.every + 2, MOST_ROWS)
        with _reading(path):
            columns = file.read_columns(most_rows)
        if checksum is not None and checksum != _compute_checksum(columns, about):
            raise ValueError(f"{path.name} is damaged, or was changed after it was saved")
        with _describing(path):
            return _restore_run(request, columns, about)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise a `ValueError` for what libraries raise when a file is damaged, some of several lines."""
    try:
        yield
    except Exception as error:
        reason = (
            error.strerror if isinstance(error, OSError) else shorten(str(error))
        ) or "it ends too early"
        raise ValueError(f"{path.name} cannot be read as a saved run: {reason}") from error


@contextmanager
def _describing(path: Path) -> Iterator[None]:
    """Raise a `ValueError` for what is missing in the description of a run or has another type."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path.name} cannot be read as a saved run: {error}") from error
    except Exception as error:
        raise ValueError(
            f"{path.name} is no saved run: it does not say all that made it"
        ) from error


def _compute_checksum(columns: Columns, about: Mapping[str, Any]) -> int:
    """The checksum of a run's columns and description, the same in each format."""
    found = zlib.crc32(json.dumps(about, allow_nan=True).encode())
    for name, values in columns.items():
        numbers = np.asarray(values, float)
        plain = np.where(np.isnan(numbers), np.nan, numbers) + 0.0  # CSV has one nan and one zero
        found = zlib.crc32(plain.tobytes(), zlib.crc32(name.encode(), found))
    return found


def _describe_run(run: AnyRun) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "problem": run.problem.to_json(),
        "method": run.method.given_name,
        **{name: getattr(run, name) for name in ("dt", "steps", "every", "status", "failed_step")},
        "messages": list(run.messages),
        "cost": dataclasses.asdict(run.cost),
        "extrema": {
            name: [np.asarray(x).tolist() for x in extrema] for name, extrema in run.extrema.items()
        },
        "provenance": run.provenance,
    }


def _restore_request(about: Mapping[str, Any]) -> RunRequest:
    """Return the request of a described run; `ValueError` if no run has such numbers or texts."""
    _check_texts(about)
    problem: AnyProblem = find_problem(about["problem"]["key"]).from_json(about["problem"])
    method = find_method(about["method"], space=problem.space)
    steps = Whole(0, MOST_STEPS).check(about["steps"], "the run's number of steps")
    every = Whole(1, MOST_STEPS).check(about["every"], "the run's every")
    dt = check_positive(about["dt"], "run's dt")
    return RunRequest(problem, method, dt, steps, every)


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that change what a terminal shows."""


def _check_texts(value: Any) -> None:
    """Refuse control characters in a text, also in lists and mappings."""
    if isinstance(value, str) and _CONTROLS.search(value):
        raise ValueError(f"the run's description contains control characters: {shortened(value)}")
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for item in value:
            _check_texts(item)


def _restore_run(request: RunRequest, columns: Columns, about: Mapping[str, Any]) -> RunOfSpace:
    kind = SYSTEMS[request.problem.space].run_type
    columns = dict(columns)
    t = np.asarray(columns.pop("t"), dtype=float)
    motion = kind.take_motion(columns)
    observed = {name: np.ascontiguousarray(values, dtype=float) for name, values in columns.items()}
    if not t.size or any(
        len(values) != t.size for values in (*motion.values(), *observed.values())
    ):
        raise ValueError("the run's columns have no rows, or not the same number of them")
    status = about["status"]
    failed_step = about["failed_step"]
    if status not in STATES.values():
        raise ValueError(f"the run's status is unknown; got {shortened(status)}")
    if failed_step is not None:
        failed_step = Whole(0, MOST_STEPS).check(failed_step, "the run's failed step")
    extrema = {
        name: Extrema(*(_restore_extremum(x) for x in values))
        for name, values in about["extrema"].items()
    }
    messages = tuple(about["messages"])
    provenance = dict(about["provenance"])
    if not all(isinstance(message, str) for message in messages):
        raise ValueError("the run's messages are no texts")
    return kind(
        request=request,
        record=SavedRecord(
            t,
            motion | observed,
            extrema,
            cost=_restore_cost(about["cost"]),
            status=status,
            failed_step=failed_step,
            provenance=provenance,
        ),
        messages=messages,
    )


def _restore_extremum(value: Any) -> Any:
    """Return an extremum of a number or a vector."""
    numbers = np.array(value)
    if numbers.dtype.kind not in "fi" or numbers.ndim > 1:
        raise ValueError(f"the run's extrema are no numbers; got {shortened(value)}")
    return numbers if isinstance(value, list) else value


def _restore_cost(stored: Mapping[str, Any]) -> Cost:
    """Return what a run cost."""
    seconds = Number(0.0, LARGEST).check(stored["seconds"], "the run's seconds")
    counts = {
        name: Whole(0, MOST_COUNT).check(stored[name], f"the run's {name}")
        for name in stored
        if name != "seconds"
    }
    return Cost(**counts, seconds=seconds)


def _write_parquet(path: Path, columns: Columns, about: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    pq.write_table(table.replace_schema_metadata({KEY: about}), path)


def _write_npz(path: Path, columns: Columns, about: str) -> None:
    np.savez_compressed(path, allow_pickle=False, **columns, **{KEY: np.array(about)})


def _write_csv(path: Path, columns: Columns, about: str) -> None:
    with path.open("wb") as file:
        file.write(f"{CSV_MARK}{about}\n".encode())
        try:
            import pyarrow as pa
            from pyarrow import csv
        except ModuleNotFoundError:  # slower; the same numbers
            rows = np.column_stack(list(columns.values())).tolist()
            file.writelines(f"{','.join(map(str, row))}\n".encode() for row in [columns, *rows])
        else:
            csv.write_csv(pa.table(columns), file)
