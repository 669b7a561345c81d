"""Fingerprints of kernels: a hash of all functions that a kernel can reach."""

from __future__ import annotations

import hashlib
import sys
import types as pytypes
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

UNCHANGING = sys.stdlib_module_names | {"numpy", "scipy"}
"""Modules that the fingerprint omits: their versions are part of the key, or do not matter."""


def names_of(function: pytypes.FunctionType) -> dict[str, Any]:
    """Return the objects behind the names in a function: globals, and variables of enclosing
    functions.
    """
    code = function.__code__
    named = (name for part in _parts(code) for name in part.co_names)
    found = {name: function.__globals__[name] for name in named if name in function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return found | {name: cell.cell_contents for name, cell in cells}


def _parts(code: pytypes.CodeType) -> Iterator[pytypes.CodeType]:
    """Yield a function's code, and that of functions, lambdas and comprehensions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            yield from _parts(constant)


def _names_in_modules(things: list[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the objects that names after a dot, as in `module.name`, can stand for in these
    modules.
    """
    within: dict[str, Any] = {}
    for thing in things:  # which grows while it is gone through
        if (
            isinstance(thing, pytypes.ModuleType)
            and thing.__name__.partition(".")[0] not in UNCHANGING
        ):
            named = {
                f"{thing.__name__}.{name}": vars(thing)[name]
                for name in names
                if name in vars(thing)
            }
            things += [part for name, part in named.items() if name not in within]
            within |= named
    return within


def fingerprint(roots: Iterable[Any], *more: str) -> str:
    """Return a hash of the code of all reachable functions, of the constants they name, and of
    `more`.

    It uses the code as it is loaded, so it cannot disagree with what is compiled.
    """
    digest = hashlib.sha256(MACHINERY)
    seen: set[int] = set()
    for root in roots:
        _feed(digest.update, root, seen)
    for text in more:
        digest.update(f"|{text}".encode())
    return digest.hexdigest()[:40]


def _feed(update: Callable[[bytes], None], thing: Any, seen: set[int]) -> None:
    if isinstance(thing, pytypes.FunctionType):
        if id(thing) in seen:
            return
        seen.add(id(thing))
        update(f"def {thing.__qualname__}{thing.__defaults__!r}".encode())
        _feed_code(update, thing.__code__, thing.__doc__)
        named = names_of(thing)
        named |= _names_in_modules(list(named.values()), thing.__code__.co_names)
        for name, used in sorted(named.items()):
            update(name.encode())
            _feed(update, used, seen)
    elif isinstance(thing, int | float | str | bytes | bool | None):
        update(repr(thing).encode())
    elif isinstance(thing, tuple | list):
        update(type(thing).__name__.encode())
        for item in thing:
            _feed(update, item, seen)
    elif hasattr(thing, "py_func"):  # one of `engine.torque`, or compiled by Numba
        _feed(update, thing.py_func, seen)
    elif hasattr(thing, "__array_interface__"):
        update(repr(thing.dtype).encode() + thing.tobytes())
    else:
        update(
            f"{type(thing).__module__}.{type(thing).__qualname__}:{getattr(thing, '__name__', '')}".encode()
        )
        if (
            type(thing).__module__.partition(".")[0] == __name__.partition(".")[0]
        ):  # one of ours: an axis, a slot
            slots = [
                name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())
            ]
            _feed(update, [getattr(thing, name) for name in slots], seen)
            _feed(update, list(getattr(thing, "__dict__", {}).values()), seen)


def _feed_code(
    update: Callable[[bytes], None], code: pytypes.CodeType, docstring: str | None = None
) -> None:
    update(code.co_code)
    update(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode())
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            _feed_code(update, constant)
        elif docstring is None or constant != docstring:
            update(repr(constant).encode())


def _machinery() -> bytes:
    """Return a hash of the sources of the compiler, the kernels and the algebra, as they are on
    import.
    """
    engine = Path(__file__).resolve().parents[1]
    sources = sorted(
        path
        for room in ("compiler", "kernels", "algebra")
        for path in (engine / room).rglob("*.py")
    )
    return hashlib.sha256(
        b"\0".join(path.name.encode() + path.read_bytes() for path in sources)
    ).digest()


MACHINERY = _machinery()
