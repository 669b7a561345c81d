"""Well-formed files that declare more than a run can have: each is refused in a sentence, before
its columns are read.
"""

from __future__ import annotations

import gzip
import json
import mmap
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from trials import Cases, check_sentence, one_by_one, trial

import engine
from engine.studies import sweep

resource = pytest.importorskip("resource")  # Windows has no limits of memory

MOST_MEMORY = 200_000_000
"""Bytes, of addresses and of memory, that reading a file may take: a small part of what each
declares.
"""
ROWS = 50_000_000
FAST = 1
"""The level of compression at which millions of zeros take the least time."""
Describe = dict[str, Any]


def read_description(path: Path) -> Describe:
    """Return what a saved run in CSV says of itself."""
    return dict(json.loads(path.read_text().partition("\n")[0].removeprefix("# polhode ")))


def write_npz(path: Path, about: str, columns: dict[str, bytes | int]) -> None:
    """Write an archive: a column is the bytes of its member, or its number of zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST) as archive:
        text = BytesIO()
        np.save(text, np.array(about))
        archive.writestr("polhode.npy", text.getvalue())
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                if isinstance(column, bytes):
                    member.write(column)
                    continue
                header = BytesIO()
                described = {"descr": "<f8", "fortran_order": False, "shape": (column,)}
                np.lib.format.write_array_header_1_0(header, described)
                member.write(header.getvalue())
                for start in range(0, column, 1_000_000):
                    member.write(bytes(8 * min(1_000_000, column - start)))


def understate_member(path: Path, name: str, size: int) -> None:
    """Let an archive declare that a member is shorter than what it inflates to."""
    with zipfile.ZipFile(path, "a") as archive:
        member = archive.getinfo(name)
        with archive.open(name) as file:
            member.CRC = zlib.crc32(file.read(size))
        member.file_size = size
        archive.comment = b"changed"  # so that the directory is written again


def write_parquet(path: Path, about: str, names: list[str], rows: int) -> None:
    """Write a table of equal numbers, whose pages take no space."""
    fields = [pa.field(name, pa.float64()) for name in names]
    schema = pa.schema(fields, metadata={"polhode": about})
    some = min(rows, 1_000_000)
    block = pa.table([pa.array(np.zeros(some))] * len(names), schema=schema)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(max(rows // some, 1)):
            writer.write_table(block)


def write_lying_page(path: Path, about: str, names: list[str], size: int) -> None:
    """Write a table whose description declares few bytes, and whose first page has many."""
    fields = [pa.field(name, pa.float64()) for name in names]
    schema = pa.schema(fields, metadata={"polhode": about})
    table = pa.table([pa.array(np.random.default_rng(1).random(61))] * len(names), schema=schema)
    pq.write_table(table, path, compression="brotli", use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    packed = pa.Codec("brotli").compress(bytes(size), asbytes=True)

    def write_number(number: int) -> bytes:
        digits = [number * 2 >> 7 * i & 127 for i in range(5)]
        return b"\x15" + bytes(digit + 128 for digit in digits[:-1]) + bytes(digits[-1:])

    page = b"\x15\x00" + write_number(size)  # a page of data, of this size
    values = b"\x2c" + write_number(61) + b"\x15\x00\x15\x06\x15\x06\x00\x00"
    left = chunk.total_compressed_size - len(page) - len(write_number(0)) - len(values)
    page += write_number(left) + values + packed.ljust(left, b"\x00")
    assert len(page) == chunk.total_compressed_size
    with path.open("r+b") as file:
        file.seek(chunk.data_page_offset)
        file.write(page)


def write_csv(path: Path, about: str, names: list[str], rows: int) -> None:
    """Write a table of zeros."""
    line = ",".join("0" * len(names)) + "\n"
    path.write_text(f"# polhode {about}\n{','.join(names)}\n{line * rows}")


CHANGES: dict[str, Any] = {
    "more steps than a run can have": {"steps": 10**18},
    "no number of steps": {"steps": "many"},
    "a negative number of steps": {"steps": -1},
    "a step that is no number": {"dt": float("nan")},
    "an infinite step": {"dt": float("inf")},
    "rows at every zeroth step": {"every": 0},
    "a status of a terminal": {"status": "\x1b[2J\x1b[31mdone"},
    "an unknown status": {"status": "perfect"},
    "a message of a terminal": {"messages": ["\x1b]0;title\x07"]},
    "a message that is no text": {"messages": [1]},
    "messages that are none": {"messages": None},
    "a failed step that is none": {"failed_step": [1]},
    "extrema that are no numbers": {"extrema": {"energy": ["a", "b", "c"]}},
    "extrema without end": {"extrema": {"energy": [0.0] * 100}},
    "negative costs": {"cost": {"steps": -1, "torque_evaluations": 0, "newton_iterations": 0, "seconds": 0.0}},
    "a cost without numbers": {"cost": {}},
    "versions of a terminal": {"provenance": {"polhode": "\x9b31m"}},
    "no method": {"method": None},
    "another method": {"method": "\x1b[31mMR2"},
    "no problem": {"problem": []},
    "a body without moments": {"problem": {"key": "custom", "J": [], "values": {}}},
}  # fmt: skip
"""Descriptions that no run has."""


def make_bombs(folder: Path) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Return names of files, with what writes them."""
    run = engine.simulate("slow-top", "NMB", steps=60)
    saved = run.save(folder / "run.csv")
    about = read_description(saved)
    about.pop("checksum")
    names = list(run.columns())
    text = json.dumps(about)
    zeros = dict.fromkeys(names, 61)
    deep = "[" * 100_000
    yield "a.npz", lambda path: write_npz(path, text, zeros | {"t": ROWS})
    yield "b.npz", lambda path: write_npz(path, text, zeros | {str(i): 1 for i in range(60_000)})
    yield "c.npz", lambda path: write_npz(path, text, zeros | {"extra": ROWS})
    yield "d.npz", lambda path: write_npz(path, deep, zeros)
    header = b"\x93NUMPY\x01\x00v\x00" + (
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }".ljust(117) + b"\n"
    )
    yield "e.npz", lambda path: write_npz(path, text, zeros | {"t": header})
    objects = header.replace(b"'<f8'", b"'|O' ").replace(b"(99999999999,)", b"(61,)         ")
    yield "f.npz", lambda path: write_npz(path, text, zeros | {"t": objects + bytes(8 * 61)})

    def lie(path: Path) -> None:
        write_npz(path, text, zeros | {"t": ROWS})
        understate_member(path, "t.npy", 8 * 61)

    yield "lies.npz", lie
    yield "a.parquet", lambda path: write_parquet(path, text, names, ROWS)
    yield "b.parquet", lambda path: write_parquet(path, text, list(map(str, range(20_000))), 1)
    yield "c.parquet", lambda path: write_parquet(path, deep, names, 61)
    yield "lies.parquet", lambda path: write_lying_page(path, text, names, 250_000_000)
    yield "a.csv", lambda path: write_csv(path, text, names, 100_000)
    yield "b.csv", lambda path: write_csv(path, text, list(map(str, range(60_000))), 1)
    yield "c.csv", lambda path: path.write_bytes(b"# polhode " + bytes(20 * 2**20))
    yield "d.csv", lambda path: write_csv(path, deep, names, 61)
    for number, change in enumerate(CHANGES.values()):
        described = json.dumps(about | change)
        yield (
            f"lies-{number}.csv",
            lambda path, report=described: write_csv(path, report, names, 61),
        )


def measure_peak() -> int:
    """Return the most bytes of memory that this process has had since its peak was forgotten."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def check_refused(path: Path, load: Callable[[Path], object] = engine.load) -> None:
    """Fail unless a file or a folder is refused in a sentence, and within bounds of memory."""
    held = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    before = resource.getrlimit(resource.RLIMIT_AS)
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    peak = measure_peak()
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_MEMORY, before[1]))
    try:
        loaded = load(path)
    except ValueError as refused:
        check_sentence(refused)
        assert str(refused).isprintable(), str(refused)
        assert not isinstance(refused.__cause__, MemoryError), (
            "only the bound of this trial stopped it"
        )
        assert measure_peak() - peak < MOST_MEMORY, f"{measure_peak() - peak:,} bytes of memory"
    else:
        raise AssertionError(f"{path.name} was loaded: {loaded!r}")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@trial("well-formed files that declare more than a run can have", short=36, full=36)
def exploding_files(folder: Path) -> Iterator[Cases]:
    bombs = list(make_bombs(folder))
    assert len(bombs) == 36

    def check(number: int) -> None:
        name, write = bombs[number % len(bombs)]
        write(folder / name)
        check_refused(folder / name)
        (folder / name).unlink()

    yield one_by_one(check)


def describe_otherwise(store: Path, **changes: Any) -> None:
    """Change the description of a store, and its checksum."""
    file = store / "sweep.json"
    about = json.loads(file.read_text()) | changes
    about.pop("checksum")
    checksum = zlib.crc32(json.dumps(about, sort_keys=True).encode())
    file.write_text(json.dumps(about | {"checksum": checksum}))


def find_block(store: Path) -> Path:
    """Return the file of a block."""
    return min(store.glob("*.npz"))


def replace_block(store: Path, *arrays: Any) -> None:
    """Write other arrays in the place of a block."""
    block = find_block(store)
    with zipfile.ZipFile(block, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST) as archive:
        for number, array in enumerate(arrays):
            with archive.open(f"arr_{number}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)


def understate_block(store: Path) -> None:
    """Let a block unpack to more than it declares."""
    replace_block(store, np.zeros(1, np.uint32), np.zeros(1, np.int8), np.zeros(ROWS))
    understate_member(find_block(store), "arr_2.npy", 136)


def link_to_no_end(file: Path) -> None:
    """Put a device that never ends in the place of a file."""
    file.unlink()
    file.symlink_to("/dev/zero")


FORGED: tuple[Callable[[Path], object], ...] = (
    lambda store: describe_otherwise(store, shape=[1, 10**6, 10**6]),
    lambda store: describe_otherwise(store, shape=[1, -1, 10**6]),
    lambda store: replace_block(store, np.zeros(ROWS, np.uint32), np.zeros(1, np.int8)),
    lambda store: replace_block(store, np.full(1, 9, np.uint32), np.zeros(1, np.int8), np.ones(1)),
    understate_block,
    lambda store: link_to_no_end(find_block(store)),
    lambda store: link_to_no_end(store / "sweep.json"),
)
"""What makes a store of a sweep declare what no sweep has."""


@trial("stores and files of sweeps that declare more than a sweep can have", short=9, full=9)
def exploding_sweeps(folder: Path) -> Iterator[Cases]:
    over = {"dt": [0.05, 0.1], "Omega0.z": [1.0, 2.0]}

    def check(number: int) -> None:
        place = folder / f"kept-{number}"
        swept = sweep("free", "MR2", over=over, steps=5, keep=place)
        kind = number % (len(FORGED) + 2)
        if kind < len(FORGED):
            FORGED[kind](place)
        elif kind == len(FORGED):
            place = folder / "swept.nc.gz"
            with gzip.open(place, "wb") as file:
                file.write(b"CDF\x02" + bytes(500_000_000))
        else:
            place = folder / "swept.nc"
            swept.to_netcdf(place, engine="scipy")
            data = place.read_bytes()
            at = data.index(b"dt\0\0") + 4  # the length of a dimension
            place.write_bytes(data[:at] + (2**31 - 1).to_bytes(4, "big") + data[at + 4 :])
        check_refused(place, sweep.load)

    yield one_by_one(check)
