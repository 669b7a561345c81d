"""Files of runs in Parquet, NPZ and CSV, each with all that a rerun needs."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import secrets
import stat
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core.method import find_method
from ..problems.problem import AnyProblem, find_problem
from ..simulation import (
    AnyRun,
    Cost,
    Extrema,
    Run,
    RunRequest,
    SavedRecord,
    TwoBodyRun,
    find_system,
    run_actions,
)
from ..text.formatting import join_words, shorten
from .gltf import make_gltf, warn_of_hidden_turns

FORMAT = 1
"""Increased when earlier versions can no longer read the files."""

KEY = "polhode"
CHECKSUM = "checksum"
_CSV_MARK = "# polhode "

Columns = dict[str, NDArray[np.float64]]


@run_actions.register
def save(run: Run | TwoBodyRun, path: str | Path) -> Path:
    """Write a run in the format of the name's ending. The file is complete, or does not exist."""
    path = check_writable(path)
    if path.suffix.lower() == ".glb":
        warn_of_hidden_turns(run)
        write_atomically(path, lambda file: file.write_bytes(make_gltf(run)))
        return path
    write = {".parquet": _write_parquet, ".npz": _write_npz, ".csv": _write_csv}[
        path.suffix.lower()
    ]
    columns, about = run.columns(), _describe_run(run)
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
    file, target = Path(path), Path(os.path.realpath(path))
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


def load(path: str | Path) -> Run | TwoBodyRun:
    """Read a run that `Run.save` wrote; `rerun()` runs it again."""
    path = Path(path)
    read = {".parquet": _read_parquet, ".npz": _read_npz, ".csv": _read_csv}.get(
        path.suffix.lower()
    )
    if read is None:
        raise ValueError(f"a run is a .parquet, .npz or .csv file; got {shortened(path.name)}")
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    try:
        columns, text = read(path)
        about = None if text is None else json.loads(text)
    except Exception as error:  # each library has its own, some of several lines
        reason = (
            error.strerror if isinstance(error, OSError) else shorten(str(error))
        ) or "it ends too early"
        raise ValueError(f"{path.name} cannot be read as a saved run: {reason}") from error
    if not isinstance(about, dict):
        raise ValueError(f"{path.name} is no saved run: it does not say what made it")
    try:
        if about["format"] != FORMAT:
            raise ValueError(
                f"{path.name} has format {about['format']!r}, and this version reads format {FORMAT}; "
                f"it was made by polhode {about['provenance']['polhode']}"
            )
        checksum = about.pop(CHECKSUM, None)  # older files have none
        if checksum is not None and checksum != _compute_checksum(columns, about):
            raise ValueError(f"{path.name} is damaged, or was changed after it was saved")
        return _restore_run(columns, about)
    except (LookupError, TypeError, AttributeError) as error:
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
        "method": run.method.label,
        **{name: getattr(run, name) for name in ("dt", "steps", "every", "status", "failed_step")},
        "messages": list(run.messages),
        "cost": dataclasses.asdict(run.cost),
        "extrema": {
            name: [np.asarray(x).tolist() for x in extrema] for name, extrema in run.extrema.items()
        },
        "provenance": run.provenance,
    }


def _restore_run(columns: Columns, about: dict[str, Any]) -> Run | TwoBodyRun:
    problem: AnyProblem = find_problem(about["problem"]["key"]).from_json(about["problem"])
    kind = find_system(problem).run_type
    method = find_method(about["method"], space=problem.space)
    columns = dict(columns)
    t = np.asarray(columns.pop("t"), dtype=float)
    motion = kind.take_motion(columns)
    observed = {name: np.ascontiguousarray(values, dtype=float) for name, values in columns.items()}
    extrema = {
        name: Extrema(*(np.array(x) if isinstance(x, list) else x for x in values))
        for name, values in about["extrema"].items()
    }
    return kind(
        request=RunRequest(problem, method, about["dt"], about["steps"], about["every"]),
        record=SavedRecord(
            t,
            motion | observed,
            extrema,
            cost=Cost(**about["cost"]),
            **{name: about[name] for name in ("status", "failed_step", "provenance")},
        ),
        messages=tuple(about["messages"]),
    )


def _write_parquet(path: Path, columns: Columns, about: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    pq.write_table(table.replace_schema_metadata({KEY: about}), path)


def _read_parquet(path: Path) -> tuple[Columns, str | None]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        table = file.read()
    about = (table.schema.metadata or {}).get(KEY.encode())
    return {
        name: table[name].to_numpy() for name in table.column_names
    }, about.decode() if about else None


def _write_npz(path: Path, columns: Columns, about: str) -> None:
    np.savez_compressed(path, allow_pickle=False, **columns, **{KEY: np.array(about)})


def _read_npz(path: Path) -> tuple[Columns, str | None]:
    if not zipfile.is_zipfile(path):  # NumPy would take it for a pickle, and suggest to trust it
        raise ValueError("it is no NPZ file, or not all of one")
    with zipfile.ZipFile(
        path
    ) as archive:  # it compares the checksums only of members read to their ends
        members = {
            name.removesuffix(".npy"): io.BytesIO(archive.read(name)) for name in archive.namelist()
        }
    columns = {
        name: np.lib.format.read_array(data, allow_pickle=False) for name, data in members.items()
    }
    about = columns.pop(KEY, None)
    return columns, None if about is None else str(about)


def _write_csv(path: Path, columns: Columns, about: str) -> None:
    with path.open("wb") as file:
        file.write(f"{_CSV_MARK}{about}\n".encode())
        try:
            import pyarrow as pa
            from pyarrow import csv
        except ModuleNotFoundError:  # slower; the same numbers
            rows = np.column_stack(list(columns.values())).tolist()
            file.writelines(f"{','.join(map(str, row))}\n".encode() for row in [columns, *rows])
        else:
            csv.write_csv(pa.table(columns), file)


def _read_csv(path: Path) -> tuple[Columns, str | None]:
    with path.open("rb") as file:
        first = file.readline().decode()
        if not first.startswith(_CSV_MARK):
            return {}, None
        try:
            from pyarrow import csv
        except ModuleNotFoundError:
            names = file.readline().decode().strip().replace('"', "").split(",")
            numbers = list(np.loadtxt(file, delimiter=",", ndmin=2).T.copy())
        else:
            table = csv.read_csv(file)
            names, numbers = (
                table.column_names,
                [column.to_numpy().astype(float) for column in table.columns],
            )
    return dict(zip(names, numbers, strict=True)), first[len(_CSV_MARK) :]
