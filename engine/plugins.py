"""Methods and studies of one's own: from a file that is named, and from packages that are installed.

A plugin is a Python program, and does whatever its author wrote. So it is loaded only for the person who owns the
process: by `polhode --plugins FILE`, by `load(path)`, or because that person installed a package that announces
methods. Never hand on to `load` what came in from elsewhere: a page's input, a name of a method, a saved run.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from .algorithms.method import Method, all_methods, when_looked_up
from .names import put_back, table

if TYPE_CHECKING:
    from .studies import Study
from .wording import quoted

GROUP = "polhode.methods"
"""The entry points by which an installed package announces the modules that register methods and studies."""

_files: dict[Path, None] = table()
_groups_to_load = [GROUP]


def load(path: str | Path) -> list[Method | Study]:
    """Run a Python file, and return what it registers with `engine.method` and `engine.studies.study`.

    A file that is loaded again replaces its methods and studies. What is wrong with it is a `ValueError` that names
    file and line; what stands above that line stays registered.
    """
    try:
        file = Path(path).expanduser().resolve()
        there = file.is_file()
    except (OSError, RuntimeError, ValueError):  # a name too long, of an unknown user, or with a zero byte
        there = False
    if not there:
        raise ValueError(f"there is no plugin file {quoted(str(path), 160)}")
    before = set(all_methods())
    module = ModuleType(str(file))  # no name that an import could meet, and one that tells where a method is from
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.read_bytes(), file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise ValueError(f"{path}{_line(error, file)}: {_words(error)}") from error
    methods = [method for method in all_methods() if method not in before]
    studies = [study for study in _studies() if study.function.__module__ == module.__name__]
    if not methods and not studies:
        raise ValueError(
            f"{path} registers no method and no study; put @engine.method(key=…, order=…) above a step function, "
            "or @engine.studies.study(key=…, title=…, sentence=…, chart=…) above a function that measures"
        )
    _files[file] = None
    return [*methods, *studies]


def _studies() -> list[Study]:
    """All studies; they are slow to import, and whoever declares one has imported them."""
    if f"{__package__}.studies" not in sys.modules:
        return []
    from .studies import registered

    return registered()


def loaded() -> tuple[Path, ...]:
    """The files that were loaded in this process, for another process to load."""
    return tuple(_files)


@contextmanager
def for_a_while() -> Iterator[None]:
    """What is declared or loaded in the block is gone after it: to try a method or a study, and to test one."""
    from . import studies  # noqa: F401  they are declared when they are imported, which is not to be undone

    with put_back():
        yield


def look_again() -> None:
    """Have packages found that were installed since they were looked for, as soon as a name is not known."""
    _groups_to_load[:] = [GROUP]
    when_looked_up(warn_of_installed)


def load_installed() -> list[str]:
    """Load what installed packages announce, once in a process; what is wrong with any, a sentence each.

    A package announces a module that registers methods in its pyproject.toml:

        [project.entry-points."polhode.methods"]
        mine = "my_package.methods"
    """
    points = [point for group in _taken(_groups_to_load) for point in entry_points(group=group)]
    return [complaint for point in points for complaint in _complaints_of(point)]


def warn_of_installed() -> None:
    """Load what is installed; what is wrong with it is a warning, and the rest goes on."""
    for complaint in load_installed():
        warnings.warn(complaint, stacklevel=2)


def _taken(waiting: list[str]) -> list[str]:
    """What waits, which waits no longer: loading a plugin may look up a method, and so come here again."""
    taken = waiting[:]
    waiting.clear()
    return taken


def _complaints_of(point: EntryPoint) -> list[str]:
    try:
        point.load()
    except (Exception, SystemExit) as error:
        origin = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
        return [f"the plugin {point.name!r}{origin} is left out: {_words(error)}"]
    return []


def _line(error: BaseException, file: Path) -> str:
    """Where in the file it went wrong, as far as that is known."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f", line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f", line {lines[-1]}" if lines else ""


def _words(error: BaseException) -> str:
    """The error on one line; its type is told unless the message is a sentence of ours, or Python's on syntax."""
    words = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    return (
        words if type(error) is ValueError or isinstance(error, SyntaxError) else f"{type(error).__name__}: {words}"
    )
