"""From a method and a field to a kernel: the plain function, or the machine code made from it."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import importlib.util
import os
import threading
import types as pytypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..field import FREE, Attraction, Field
from . import cache, kernel, lanes, pair
from .layout import ONE_BODY, TWO_BODIES
from .quick import iterates, without_rare
from .reach import fingerprint
from .telling import telling

_VIEWS: dict[tuple[str, str], Callable[..., Any]] = {
    ("R", "Ω"): kernel.view_velocity,
    ("R", "Π"): kernel.view_body_momentum,
    ("R", "π"): kernel.view_spatial_momentum,
    ("q", "Ω"): kernel.view_quaternion,
}

SIMPLE_STAGES = ((0.0, 1.0),)


@dataclass(frozen=True)
class Parts:
    """What one kernel is made of; `view` tells what two bodies' state shows, that of one is known by its names."""

    step: Callable[..., Any]
    start: Callable[..., Any]
    carries: tuple[str, ...]
    options: tuple[Any, ...]
    field: Field | Attraction
    view: Callable[..., Any] | None = None
    template: Callable[..., Any] = kernel.advance
    tracked: bool = True
    correct: Callable[..., Any] | None = None
    stages: tuple[tuple[float, float], ...] = SIMPLE_STAGES
    quick: bool = False

    def side_by_side(self, compiled: bool) -> Parts:
        """The parts of the kernel that makes the same steps with many bodies in lanes.

        A quick step is tried first where a step is made at one go; plain Python has no use for it.
        """
        at_one_go = self.correct is None and self.stages == SIMPLE_STAGES
        quick = compiled and at_one_go and not iterates((self.step, *self.options))
        return dataclasses.replace(self, template=lanes.advance_lanes, quick=quick)

    def blanks(self) -> dict[str, Any]:
        """What the names left open in the template stand for."""
        return (self._of_two_bodies() if isinstance(self.field, Attraction) else self._of_one_body()) | {
            "step": self.step,
            "start": self.start,
            "correct": self.correct,
            "OPTIONS": self.options,
            "COMPOSED": self.stages != SIMPLE_STAGES,
            "STAGES": self.stages,
            "FIELD": self.field,
            "TRACKED": self.tracked,
            "CORRECTED": self.correct is not None,
            "QUICK": self.quick,
            "quick": without_rare(self.step) if self.quick else self.step,
            "QUICK_OPTIONS": without_rare(self.options) if self.quick else self.options,
        }

    def _of_one_body(self) -> dict[str, Any]:
        return {
            "given": kernel.given_body,
            "view": _VIEWS[self.carries[:2]],  # type: ignore[index]
            "attitudes": kernel.attitude,
            "observe": kernel.observe_free if self.field is FREE else kernel.observe_forced,
            "put_row": kernel.put_body_row,
            "GIVEN": ONE_BODY.given,
            "INCREMENTS": ONE_BODY.attitudes,
        }

    def _of_two_bodies(self) -> dict[str, Any]:
        return {
            "given": pair.given_pair,
            "view": self.view,
            "attitudes": pair.both_attitudes,
            "observe": pair.observe_pair,
            "put_row": pair.put_pair_row,
            "GIVEN": TWO_BODIES.given,
            "INCREMENTS": TWO_BODIES.attitudes,
        }

    def key(self) -> str:
        """The name under which the kernel's machine code is kept."""
        field = self.field
        own_axes = isinstance(field, Field) and field.own_axes
        names = repr(
            (self.template.__name__, field.name, own_axes, self.carries, self.tracked, self.stages, self.quick)
        )
        roots = (self.step, self.start, self.correct, self.view, *field.functions, *self.options)
        return fingerprint(roots, names, cache.environment())


def compiles() -> bool:
    """Whether kernels are compiled here: Numba is there and not switched off."""
    off = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")
    return not off and _numba_is_there()


@functools.cache
def _numba_is_there() -> bool:
    return importlib.util.find_spec("numba") is not None


Advance = Callable[..., None]

_kernels: dict[Parts, Advance] = {}
_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()

_PROTOTYPE = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 7, ctypes.c_double, ctypes.c_int64, ctypes.c_int64
)  # called through ctypes, a kernel runs without the GIL


def _called_by_pointer(*_: Any) -> Any:
    """Stands for a function that is reached by its pointer; compiling puts the call in its place."""
    raise NotImplementedError


POINTER = Field("user", _called_by_pointer, own_axes=True)
POINTER_WITH_POTENTIAL = Field("user with potential", _called_by_pointer, _called_by_pointer, own_axes=True)


def pointer_field(with_potential: bool) -> Field:
    """The field of a torque of the caller's own, reached by a C pointer."""
    return POINTER_WITH_POTENTIAL if with_potential else POINTER


def plain(parts: Parts) -> Advance:
    """The kernel as plain Python."""
    template, blanks = parts.template, parts.blanks()
    if template is lanes.advance_lanes:
        blanks = lanes.careful(blanks, len(parts.carries))
    return pytypes.FunctionType(template.__code__, template.__globals__ | blanks, template.__name__)


def at_hand(parts: Parts) -> bool:
    """Whether the kernel is in memory or on disk, so that asking for it takes milliseconds."""
    return parts in _kernels or cache.holds(parts.key())


def compiled(parts: Parts, name: str = "") -> Advance:
    """The kernel as machine code: from memory, from disk, or made now. Threads that ask for the same one wait.

    `name` is what who listens is told, also while it is another thread that makes it (see `telling.py`).
    """
    found = _kernels.get(parts)
    if found is not None:
        return found
    key = parts.key()
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with telling("" if cache.holds(key) else name), lock:
        if parts not in _kernels:
            address = cache.load(key)
            _kernels[parts] = _PROTOTYPE(_compile(parts, key) if address is None else address)
    return _kernels[parts]


def _compile(parts: Parts, key: str) -> int:
    from .compile import kernel_address  # Numba is imported when something is compiled, and not before

    address, code = kernel_address(parts)
    if code is None:
        return address
    with contextlib.suppress(OSError):
        cache.store(key, code)
    return cache.link(code)
