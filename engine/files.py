"""Saving and loading runs: Parquet, NPZ and CSV, each with what is needed to make the run again."""

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

from .algorithms.method import find_method
from .problems.problem import Posed, posed
from .run import AnyRun, Cost, Extrema
from .systems import system_of
from .wording import in_brief, listed

FORMAT = 1
"""Raised when a file of this kind could no longer be read by what came before."""

KEY = "polhode"
CHECKSUM = "checksum"
_CSV_MARK = "# polhode "

Columns = dict[str, NDArray[np.float64]]


def save(run: AnyRun, path: str | Path) -> Path:
    """Write a run; the ending of the name tells the format. The file is complete or not there."""
    path = writable(path)
    write = {".parquet": _write_parquet, ".npz": _write_npz, ".csv": _write_csv}[path.suffix.lower()]
    columns, told = run.columns(), _about(run)
    about = json.dumps(told | {CHECKSUM: _checksum(columns, told)}, allow_nan=True)
    put(path, lambda file: write(file, columns, about))
    return path


def put(path: Path, write: Callable[[Path], object]) -> None:
    """Have a file written under another name, and then give it its own: it is complete or not there.

    A file that is there already passes its permissions on; through a symbolic link, what it points to is replaced.
    """
    target = Path(os.path.realpath(path))
    temporary = _beside(target)
    try:
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        write(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    """A new, empty file in the same folder, with the permissions that a new file has."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(4)}{target.suffix}")
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return path


def strict(value: Any) -> Any:
    """The same as strict JSON has it: what is no finite number is null, and a path is its name."""
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return strict(value.tolist())
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


ENDINGS = (".parquet", ".npz", ".csv")


def writable(path: str | Path, endings: tuple[str, ...] = ENDINGS) -> Path:
    """A path that a file can be written to, or a sentence: better before a run than after it."""
    file, target = Path(path), Path(os.path.realpath(path))
    if file.suffix.lower() not in endings:
        raise ValueError(f"the name of a file to write must end in {listed(endings, 'or')}; got {str(path)!r}")
    try:
        if target.exists() and not target.is_file():
            kind = "folder" if target.is_dir() else "device or a pipe"
            raise ValueError(f"{str(path)!r} is a {kind}, and a file is to be written there")
        if not target.parent.is_dir():
            raise ValueError(f"there is no folder {str(target.parent)!r} to write {target.name} in")
        _beside(target).unlink()
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be written: {error.strerror}") from error
    return file


def load(path: str | Path) -> Any:
    """Read a run that was saved by `Run.save`; `rerun()` makes it again."""
    path = Path(path)
    read = {".parquet": _read_parquet, ".npz": _read_npz, ".csv": _read_csv}.get(path.suffix.lower())
    if read is None:
        raise ValueError(f"a run is a .parquet, .npz or .csv file; got {shortened(path.name)}")
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    try:
        columns, about = read(path)
        told = None if about is None else json.loads(about)
    except Exception as error:  # each library has its own, some of several lines
        reason = (error.strerror if isinstance(error, OSError) else in_brief(str(error))) or "it ends too early"
        raise ValueError(f"{path.name} cannot be read as a saved run: {reason}") from error
    if not isinstance(told, dict):
        raise ValueError(f"{path.name} is no saved run: it does not say what made it")
    try:
        if told["format"] != FORMAT:
            raise ValueError(
                f"{path.name} has format {told['format']!r}, and this version reads format {FORMAT}; "
                f"it was made by polhode {told['provenance']['polhode']}"
            )
        checksum = told.pop(CHECKSUM, None)  # older files have none
        if checksum is not None and checksum != _checksum(columns, told):
            raise ValueError(f"{path.name} is damaged, or was changed after it was saved")
        return _restored(columns, told)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path.name} is no saved run: it does not say all that made it") from error


def _checksum(columns: Columns, about: Mapping[str, Any]) -> int:
    """Of the names and numbers of a run, the same in each format, and of what is told of it."""
    found = zlib.crc32(json.dumps(about, allow_nan=True).encode())
    for name, values in columns.items():
        numbers = np.asarray(values, float)
        plain = np.where(np.isnan(numbers), np.nan, numbers) + 0.0  # CSV has one nan and one zero
        found = zlib.crc32(plain.tobytes(), zlib.crc32(name.encode(), found))
    return found


def _about(run: AnyRun) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "problem": run.problem.told(),
        "method": run.method.label,
        "dt": run.dt,
        "steps": run.steps,
        "every": run.every,
        "status": run.status,
        "failed_step": run.failed_step,
        "messages": list(run.messages),
        "cost": dataclasses.asdict(run.cost),
        "extrema": {name: [np.asarray(x).tolist() for x in extrema] for name, extrema in run.extrema.items()},
        "provenance": run.provenance,
    }


def _restored(columns: Columns, told: dict[str, Any]) -> AnyRun:
    problem: Posed = posed(told["problem"]["key"]).restored(told["problem"])
    kind = system_of(problem).run_type
    columns = dict(columns)
    run: AnyRun = kind(
        problem=problem,
        method=find_method(told["method"], space=problem.space),
        t=np.asarray(columns.pop("t"), dtype=float),
        motion=kind.motion_in(columns),
        observed={name: np.ascontiguousarray(values, dtype=float) for name, values in columns.items()},
        extrema={
            name: Extrema(*(np.array(x) if isinstance(x, list) else x for x in values))
            for name, values in told["extrema"].items()
        },
        messages=tuple(told["messages"]),
        cost=Cost(**told["cost"]),
        **{name: told[name] for name in ("dt", "steps", "every", "status", "failed_step", "provenance")},
    )
    return run


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
    return {name: table[name].to_numpy() for name in table.column_names}, about.decode() if about else None


def _write_npz(path: Path, columns: Columns, about: str) -> None:
    np.savez_compressed(path, allow_pickle=False, **columns, **{KEY: np.array(about)})


def _read_npz(path: Path) -> tuple[Columns, str | None]:
    if not zipfile.is_zipfile(path):  # which NumPy would take for a pickle, and advise to trust
        raise ValueError("it is no NPZ file, or not all of one")
    with zipfile.ZipFile(path) as archive:  # which compares checksums only of what is read to its end
        members = {name.removesuffix(".npy"): io.BytesIO(archive.read(name)) for name in archive.namelist()}
    columns = {name: np.lib.format.read_array(data, allow_pickle=False) for name, data in members.items()}
    about = columns.pop(KEY, None)
    return columns, None if about is None else str(about)


def _write_csv(path: Path, columns: Columns, about: str) -> None:
    import pyarrow as pa
    from pyarrow import csv

    with path.open("wb") as file:
        file.write(f"{_CSV_MARK}{about}\n".encode())
        csv.write_csv(pa.table(columns), file)


def _read_csv(path: Path) -> tuple[Columns, str | None]:
    from pyarrow import csv

    with path.open("rb") as file:
        first = file.readline().decode()
        if not first.startswith(_CSV_MARK):
            return {}, None
        table = csv.read_csv(file)
    columns = {name: table[name].to_numpy().astype(float) for name in table.column_names}
    return columns, first[len(_CSV_MARK) :]
