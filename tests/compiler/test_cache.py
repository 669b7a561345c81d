"""The kernel cache: it reads only files that no other user can have written."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.compiler import cache

CODE = b"machine code"
NOBODY = 65534
STRANGER = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can give a file to another user",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one kernel, stored under "key"."""
    place = tmp_path / "kernels"
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(place))
    cache._say.cache_clear()
    cache.store("key", CODE)
    assert cache.load("key") == CODE and cache.holds("key")
    return place


def _aside(kernel: Path) -> Path:
    return kernel.rename(kernel.with_suffix(".aside"))


def link(kernel: Path) -> None:
    kernel.symlink_to(_aside(kernel))


def endless(kernel: Path) -> None:
    kernel.unlink()
    kernel.symlink_to("/dev/zero")


def silent(kernel: Path) -> None:
    kernel.unlink()
    os.mkfifo(kernel)


def in_a_folder(kernel: Path) -> None:
    kernel.unlink()
    kernel.mkdir()


def of_another(kernel: Path) -> None:
    os.chown(kernel, NOBODY, NOBODY)


def large(kernel: Path) -> None:
    code = bytes(cache.LARGEST)
    kernel.write_bytes(hashlib.sha256(code).digest() + code)


def for_the_group(kernel: Path) -> None:
    kernel.chmod(0o660)


def for_all(kernel: Path) -> None:
    kernel.chmod(0o606)


@pytest.mark.parametrize(("plant", "says"), [
    (link, "is a symbolic link"),
    (endless, "is a symbolic link"),
    (silent, "is no regular file"),
    (in_a_folder, "is no regular file"),
    pytest.param(of_another, "belongs to another user", marks=STRANGER),
    (large, "is too large"),
    (for_the_group, "can be written to by other users"),
    (for_all, "can be written to by other users"),
])  # fmt: skip
def test_a_kernel_that_another_can_have_planted_is_not_read(
    plant: Callable[[Path], None], says: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = folder / "key.o"
    plant(kernel)
    for _ in range(2):
        assert cache.load("key") is None and not cache.holds("key")
    assert [record.getMessage() for record in caplog.records] == [
        f"The kernel {kernel} is not used, since it {says}; it is compiled again."
    ]
    cache.store("key", CODE)
    assert cache.holds("key") == (
        plant is not in_a_folder
    )  # a new kernel takes the place of what was planted
    assert [path.suffix for path in folder.iterdir() if path.suffix == ".part"] == []


def own_link(place: Path) -> None:
    place.symlink_to(_aside(place))


def link_of_another(place: Path) -> None:
    own_link(place)
    os.chown(place, NOBODY, NOBODY, follow_symlinks=False)


@pytest.mark.parametrize(("plant", "says"), [
    (own_link, ""),
    pytest.param(link_of_another, "is reached by a symbolic link of another user", marks=STRANGER),
    pytest.param(of_another, "belongs to another user", marks=STRANGER),
    (lambda place: place.chmod(0o770), "can be written to by other users"),
    (lambda place: place.chmod(0o1777), "can be written to by other users"),
    (lambda place: _aside(place) and place.write_text(""), "cannot be opened (Not a directory)"),
])  # fmt: skip
def test_a_folder_in_which_another_can_write_is_not_used(
    plant: Callable[[Path], None], says: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plant(folder)
    trusted = not says
    for _ in range(2):
        assert (cache.load("key") == CODE) is cache.holds("key") is cache.keeps() is trusted
    cache.store("more", CODE)
    assert (folder / "more.o").exists() is trusted
    said = f"The folder of kernels {folder} is not used, since it {says}; kernels are compiled in memory."
    assert [record.getMessage() for record in caplog.records] == [said] * bool(says)


def test_a_missing_folder_is_made_for_its_user_alone(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _aside(folder)
    assert cache.load("key") is None and cache.keeps()
    cache.store("key", CODE)
    assert cache.load("key") == CODE and folder.stat().st_mode & 0o777 == 0o700
    assert not caplog.records


RUN = "import engine; print(engine.simulate('free', 'SW', steps=3).status)"


@pytest.mark.exhaustive
def test_where_the_folder_is_not_trusted_kernels_are_compiled_in_memory(folder: Path) -> None:
    folder.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=os.environ, capture_output=True, text=True
    )
    assert done.stdout.split() == ["done"]
    (line,) = done.stderr.splitlines()  # one sentence, although a run needs several kernels
    assert line.endswith("kernels are compiled in memory.")
    assert [path.name for path in folder.iterdir()] == ["key.o"]


def test_kernels_are_kept_where_folders_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, which has neither owners of files nor descriptors of folders."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(cache, "_OWNED", False)
    open_file = os.open

    def open_on_windows(
        path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> int:
        if dir_fd is not None:
            raise NotImplementedError("dir_fd unavailable on this platform")
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        return open_file(path, flags, mode)

    monkeypatch.setattr(os, "open", open_on_windows)
    assert not cache.holds("key") and cache.load("key") is None
    cache.store("key", CODE)
    assert cache.holds("key") and cache.load("key") == CODE and cache.keeps()
    (tmp_path / "kernels" / "key.o").write_bytes(b"damaged")
    assert cache.load("key") is None
    cache.store("key", CODE)
    assert cache.load("key") == CODE
