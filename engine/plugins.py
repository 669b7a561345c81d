"""Plugins: custom methods, problems, quantities and studies from files and installed packages.

A plugin is a Python program and can do anything. So it is loaded only for the person who owns the
process: by `polhode --plugins FILE`, by `load(path)`, or because that person installed a package
that announces itself. Never pass `load` a path from another source: a page's input, the name of a
method, a saved run.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from .parameters.names import (
    Declared,
    announce_plugins,
    list_declared,
    loaded_files,
    restore_tables,
)
from .text.formatting import quote

GROUP = "polhode.methods"
"""The entry points of modules in installed packages that declare methods and more."""

_groups_to_load = [GROUP]


def load(path: str | Path) -> list[Declared]:
    """Run a Python file, and return the methods, problems, quantities and studies that it declares.

    Loading a file again replaces them. An error in it becomes a `ValueError` with file and line;
    what the file declares above that line stays.
    """
    try:
        file = Path(path).expanduser().resolve()
        there = file.is_file()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # a name too long, of an unknown user, or with a zero byte
        there = False
    if not there:
        raise ValueError(f"there is no plugin file {quote(str(path), 160)}")
    before = list_declared(str(file))
    module = ModuleType(
        str(file)
    )  # a name that no import can match, and that shows the origin of a method
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        text = file.read_bytes()
        exec(compile(text, file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise ValueError(f"{path}{_find_line(error, file)}: {_describe_error(error)}") from error
    declared = [one for one in list_declared(module.__name__) if one not in before]
    if not declared:
        raise ValueError(
            f"{path} declares no method, problem, quantity or study; put the declaration of one, such as "
            "@engine.method(key=…, order=…), above a function"
        )
    loaded_files[file] = _LoadedFile(file, hashlib.sha256(text).digest())
    return declared


@dataclass(frozen=True)
class _LoadedFile:
    """A plugin file as this process has loaded it, to load it in another process."""

    file: Path
    digest: bytes

    def __call__(self) -> None:
        """Load the file, unless it is not there or is loaded like this already."""
        if loaded_files.get(self.file) == self or not self.file.is_file():
            return
        load(self.file)
        if loaded_files[self.file] != self:
            raise ValueError(f"{self.file} has changed since it was loaded; load it again")


def list_files() -> tuple[Path, ...]:
    """The files loaded in this process, for another process to load."""
    return tuple(loaded_files)


@contextmanager
def for_a_while() -> Iterator[None]:
    """Remove after the block what it declares or loads, to try it, and for tests."""
    from . import studies  # noqa: F401  importing them declares them, which must not be undone

    with restore_tables():
        yield


def look_again() -> None:
    """Search again for installed packages when a name is not known: for packages installed in the
    meantime.
    """
    _groups_to_load[:] = [GROUP]
    announce_plugins(warn_of_installed)


def load_installed() -> list[str]:
    """Load what installed packages announce, once in a process; return a sentence for each that
    fails.

    A package announces a module that declares methods and more in its pyproject.toml:

        [project.entry-points."polhode.methods"]
        mine = "my_package.methods"
    """
    groups = _groups_to_load[:]
    _groups_to_load.clear()  # before the plugins, which may look up a method, and so call this again
    points = [point for group in groups for point in entry_points(group=group)]
    return [complaint for point in points for complaint in _list_complaints(point)]


def warn_of_installed() -> None:
    """Load what installed packages announce, with a warning for each that fails."""
    for complaint in load_installed():
        warnings.warn(complaint, stacklevel=2)


def _list_complaints(point: EntryPoint) -> list[str]:
    try:
        point.load()
    except (Exception, SystemExit) as error:
        origin = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
        return [f"the plugin {point.name!r}{origin} is left out: {_describe_error(error)}"]
    return []


def _find_line(error: BaseException, file: Path) -> str:
    """The line of the file with the error, if it is known."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f", line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    return f", line {lines[-1]}" if lines else ""


def _describe_error(error: BaseException) -> str:
    """The error on one line, with its type unless the message is a sentence of the engine or of
    Python's parser.
    """
    words = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    return (
        words
        if type(error) is ValueError or isinstance(error, SyntaxError)
        else f"{type(error).__name__}: {words}"
    )
