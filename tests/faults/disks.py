"""A disk that is full, and a folder of kernels that turns read-only."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from trials import Cases, at_random, check_sentence, trial

import engine
from engine.compiler import addresses, cache
from engine.kernels import build
from engine.studies import sweep

resource = pytest.importorskip("resource")  # Windows has no limits of file sizes

# -------------------------------------------------------------------------------------------------
# a full disk


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file exceeds this number of bytes: writes fail half way, also in compiled libraries."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@trial(
    "a disk that is full at any byte of a run that is saved over another one", short=30, full=2_000
)
def full_disk_for_runs(folder: Path) -> Iterator[Cases]:
    run = engine.simulate("slow-top", "NMB", steps=60)
    paths = [run.save(folder / f"run{ending}") for ending in (".npz", ".csv", ".parquet")]
    whole = {path: path.read_bytes() for path in paths}

    def check(chance: random.Random) -> None:
        path = chance.choice(paths)
        size = chance.randrange(len(whole[path]) + 200)
        try:
            with room_for(size):
                run.save(path)
        except OSError as error:
            check_sentence(error.strerror or str(error))
            assert path.read_bytes() == whole[path], "the file that was there is gone"
        assert engine.load(path).status == run.status
        assert sorted(folder.iterdir()) == sorted(paths), "half a file is left"

    yield at_random(check)


@trial("a disk that becomes full in the middle of a sweep, which then goes on", short=2, full=200)
def full_disk_for_sweeps(folder: Path) -> Iterator[Cases]:
    over = {"dt": np.geomspace(0.01, 0.1, 6), "Omega0.z": np.linspace(1, 5, 8)}
    once = sweep("free", "MR2", over=over, steps=5)
    kept = folder / "kept"

    def check(chance: random.Random) -> None:
        after = chance.randrange(once["status"].size)
        size = chance.choice((0, 4, 16, 40, 100, 400))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

        def fill(done: int, total: int) -> None:
            if done >= after:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

        try:
            sweep("free", "MR2", over=over, steps=5, keep=kept, progress=fill)
        except (OSError, ValueError) as error:
            check_sentence(getattr(error, "strerror", None) or str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert sweep("free", "MR2", over=over, steps=5, keep=kept).identical(once)
        shutil.rmtree(kept)

    yield at_random(check)


@trial("a disk that is full while a kernel is kept", short=200, full=10_000)
def full_disk_for_kernels(folder: Path) -> Iterator[Cases]:
    def check(chance: random.Random) -> None:
        code = chance.randbytes(chance.randrange(1, 5_000))
        key = f"{chance.getrandbits(64):x}"
        with room_for(chance.randrange(len(code) + 100)):
            cache.store(key, code)
        assert cache.load(key) in (None, code)
        assert all(path.suffix == ".o" for path in kernels.iterdir()), "half a kernel is left"
        for path in kernels.iterdir():
            path.unlink()

    kernels = folder / "kernels"
    with mock.patch.dict(os.environ, {"POLHODE_CACHE_DIR": str(kernels)}):
        yield at_random(check)


# -------------------------------------------------------------------------------------------------
# read-only

CAPABILITIES_OF_ALL_FILES = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, which let root write everywhere."""


@contextmanager
def as_anybody() -> Iterator[None]:
    """This thread obeys the permissions of files, even as root."""
    libc = ctypes.CDLL(None, use_errno=True)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    before = (ctypes.c_uint32 * 6)()
    assert libc.capget(head, before) == 0
    less = (ctypes.c_uint32 * 6)(*before)
    less[0] &= ~CAPABILITIES_OF_ALL_FILES
    assert libc.capset(head, less) == 0
    try:
        yield
    finally:
        assert libc.capset(head, before) == 0


@trial(
    "a folder of kernels that turns read-only, unreadable, into a file, or goes", short=3, full=300
)
def cache_folder_changes(folder: Path) -> Iterator[Cases]:
    once = engine.simulate("free", "MR2", steps=3).R.tobytes()
    kernels = folder / "kernels"

    def check(chance: random.Random) -> None:
        for change in chance.sample(("0500", "0000", "0700", "file", "gone"), k=3):
            with suppress(FileNotFoundError):
                kernels.chmod(0o700)
                shutil.rmtree(kernels) if kernels.is_dir() and change in ("file", "gone") else None
            if change == "file":
                kernels.write_bytes(b"")
            elif change != "gone":
                kernels.unlink() if kernels.is_file() else None
                kernels.mkdir(exist_ok=True)
                kernels.chmod(int(change, 8))
            build._kernels.clear()
            addresses._addresses.clear()
            with as_anybody():
                free = engine.problem("free").replace()  # a copy, which has no kernels yet
                assert engine.simulate(free, "MR2", steps=3).R.tobytes() == once
            assert change != "0700" or list(kernels.glob("*.o")), "where it can be kept, it is"
            if kernels.is_file():
                kernels.unlink()

    with (
        mock.patch.dict(os.environ, {"POLHODE_CACHE_DIR": str(kernels)}),
        mock.patch.object(build, "_kernels", {}),
        mock.patch.object(addresses, "_addresses", {}),
    ):
        yield at_random(check)
