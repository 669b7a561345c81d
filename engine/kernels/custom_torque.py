"""Custom torques, potentials and rates: plain Python, or compiled to C functions."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import operator
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from ..algebra import Mat3, Vec3
from ..compiler import cache
from ..compiler.addresses import address
from ..compiler.fingerprint import fingerprint
from ..compiler.primitives import guarded, small_array
from ..parameters.formula import Formula
from ..parameters.validation import Array
from ..problems.field import Field, Rate, takes_time, takes_velocity
from ..text.formatting import shorten
from .layout import TORQUE
from .memory import Failed

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, _DOUBLES, _DOUBLES)
"""Arguments: time, motion, result. Returns 0, or another number if it fails."""

UNKNOWN = (math.nan, math.nan, math.nan)
"""The torque where a custom function returns none."""
LONGEST_TEXT = 200
"""The most characters of a caller's text in a message."""


class Compiled:
    """A torque, potential or rate that is compiled when a run first uses it; called directly, it is
    plain Python.
    """

    def __init__(self, function: Callable[..., Any], kind: str) -> None:
        self.py_func = function
        self.kind = kind
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """The function itself, as plain Python."""
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.kind} {getattr(self.py_func, '__name__', '')}>"

    def __reduce__(self) -> str | tuple[type[Compiled], tuple[Callable[..., Any], str]]:
        """Pickled by its name where that is this object, as of a decorated function; else with its
        function.
        """
        name: str = getattr(self, "__qualname__", "")
        with contextlib.suppress(AttributeError):
            if operator.attrgetter(name)(sys.modules.get(self.__module__)) is self:
                return name
        return type(self), (self.py_func, self.kind)

    @functools.cached_property
    def address(self) -> int:
        """Where the C function stands: loaded from the cache, or compiled now."""
        from ..compiler import native

        key = fingerprint([self.py_func], self.kind, cache.environment())
        name = f"the {self.kind} {join_lines(getattr(self.py_func, '__name__', ''), str)}".rstrip()
        return address(key, lambda: native.object_code(_text_of(self.py_func, self.kind)), name)

    @functools.cached_property
    def refusal(self) -> str:
        """Why it runs as plain Python after all, as a sentence; empty if it is compiled."""
        from ..compiler.frontend.refusal import NotCompiled

        try:
            _ = self.address
        except NotCompiled as refused:
            file = getattr(getattr(self.py_func, "__code__", None), "co_filename", "")
            return f"The {self.kind} runs as plain Python: {refused.describe(file)}."
        except ImportError:  # without LLVM, everything runs as plain Python
            return ""
        return ""


class _CompiledFormula(Compiled):
    """A compiled formula; its machine code stays in memory while this object exists, and is never
    on disk.
    """

    @functools.cached_property
    def address(self) -> int:
        """Where the C function stands."""
        from ..compiler import native

        self._code, address = native.load_code(
            native.object_code(_text_of(self.py_func, self.kind))
        )
        return address


@functools.lru_cache(maxsize=64)
def _compiled_formula(formula: Formula) -> _CompiledFormula:
    kinds = {"vector": "torque", "number": "potential", "rate": "rate"}
    return _CompiledFormula(formula.py_func, kinds[formula.kind])


def is_compiled(*functions: Callable[..., Any] | None) -> bool:
    """Return whether a custom torque and potential, where there is one, run without Python."""
    return all(
        function is None
        or isinstance(function, Formula)
        or (isinstance(function, Compiled) and not function.refusal)
        for function in functions
    )


def _attitude(motion: Any) -> Any:
    """The 3×3 attitude, the first nine numbers of a motion."""
    return small_array(
        tuple([(motion[3 * i], motion[3 * i + 1], motion[3 * i + 2]) for i in (0, 1, 2)])
    )


def _velocity(motion: Any) -> Any:
    """The angular velocity, the three numbers after the attitude."""
    return small_array((motion[9], motion[10], motion[11]))


def _vector_entry(function: Any, list_motion: Callable[[Any], Any]) -> Any:
    """int64_t torque(double t, const double motion[], double torque[3]) as Python; or a rate.

    `list_motion` returns what a function takes besides the time.
    """

    def entry(t: Any, motion: Any, out: Any) -> int:
        vector, failed = guarded(function, t, *list_motion(motion))
        x, y, z = vector
        if failed:
            return 1
        out[0] = x
        out[1] = y
        out[2] = z
        return 0

    return entry


def _torque_entry(torque: Any) -> Any:
    """The entry of a torque; the motion is R[9], maybe Ω[3]."""

    def list_motion(motion: Any) -> Any:
        return (_attitude(motion),)

    def list_with_velocity(motion: Any) -> Any:
        return (_attitude(motion), _velocity(motion))

    return _vector_entry(torque, list_with_velocity if takes_velocity(torque) else list_motion)


def _potential_entry(function: Any) -> Any:
    """int64_t potential(double t, const double R[9], double energy[1]) as Python."""

    energy = _of_time(function)

    def entry(t: Any, R: Any, out: Any) -> int:
        value, failed = guarded(energy, t, _attitude(R))
        if failed:
            return 1
        out[0] = float(value)
        return 0

    return entry


def _rate_entry(rate: Any) -> Any:
    """The entry of a rate; the motion is empty."""

    def list_nothing(motion: Any) -> Any:
        return ()

    return _vector_entry(rate, list_nothing)


ENTRIES = {"torque": _torque_entry, "potential": _potential_entry, "rate": _rate_entry}
"""How a custom function becomes a C function, by its kind."""


def _of_time(potential: Any) -> Any:
    """Return a potential V(t, R), also for one written as V(R)."""
    if takes_time(potential):
        return potential

    def potential_at_any_time(t: float, R: Any) -> float:
        return potential(R)

    return potential_at_any_time


def _text_of(function: Any, kind: str) -> str:
    """Return the LLVM IR of a torque, a potential or a rate."""
    from ..compiler.frontend import compilation

    return compilation.text_of(ENTRIES[kind](function), ("real", "real*", "real*"), "int")


def inline_field(torque: Any, potential: Any) -> Field:
    """Return the field of custom functions for a kernel that calls nothing of this process.

    A plain Python function gets another field when a variable that it names has another value.

    Raises
    ------
    ValueError
        If a function cannot be compiled that way, with the reason.
    """
    plain = [function for function in (torque, potential) if isinstance(function, FunctionType)]
    return _make_inline_field(torque, potential, fingerprint(plain))


@functools.lru_cache(maxsize=64)
def _make_inline_field(torque: Any, potential: Any, values: str) -> Field:
    """The field of functions whose variables have these values, which their fingerprint stands for."""
    moment, energy = (getattr(function, "py_func", function) for function in (torque, potential))
    for function, kind in ((moment, "torque"), (energy, "potential")):
        if function is not None:
            _refuse_uncompiled(function, kind)

    of_velocity = takes_velocity(moment)

    body_moment = getattr(torque, "body_func", None)

    def in_body(t: Any, R: Mat3, *rest: Any) -> Vec3:
        motion = (*R, *rest[0]) if of_velocity else tuple(R)
        velocity = (_velocity(motion),) if of_velocity else ()
        if body_moment is not None:
            (x, y, z), failed = guarded(body_moment, t, _attitude(motion), *velocity)
            return Vec3(math.nan, math.nan, math.nan) if failed else Vec3(x, y, z)
        (x, y, z), failed = guarded(moment, t, _attitude(motion), *velocity)
        return R.T @ (Vec3(math.nan, math.nan, math.nan) if failed else Vec3(x, y, z))

    if energy is None:
        return Field("user, in line", in_body, own_axes=True, of_velocity=of_velocity)
    of_time = _of_time(energy)

    def potential_at(t: Any, R: Mat3, p: Any) -> float:
        value, failed = guarded(of_time, t, _attitude(tuple(R)))
        return math.nan if failed else float(value)

    return Field(
        "user with potential, in line",
        in_body,
        potential_at,
        own_axes=True,
        of_velocity=of_velocity,
    )


def inline_rate(rate: Any, in_space: bool) -> Rate:
    """Return a custom rate for a kernel that calls nothing of this process.

    Raises
    ------
    ValueError
        If the function cannot be compiled that way, with the reason.
    """
    return _make_inline_rate(rate, in_space, fingerprint([getattr(rate, "py_func", rate)]))


@functools.lru_cache(maxsize=64)
def _make_inline_rate(rate: Any, in_space: bool, values: str) -> Rate:
    """The rate of a function whose variables have these values, which its fingerprint stands for."""
    function = getattr(rate, "py_func", rate)
    _refuse_uncompiled(function, "rate")

    def velocity(t: Any, p: Any) -> Vec3:
        (x, y, z), failed = guarded(function, t)
        return Vec3(math.nan, math.nan, math.nan) if failed else Vec3(x, y, z)

    return Rate(f"user, in line{', in space' * in_space}", velocity, in_space=in_space)


def _refuse_uncompiled(function: Any, kind: str) -> None:
    """Raise `ValueError` with the reason if a custom function cannot be compiled."""
    from ..compiler.frontend.refusal import NotCompiled

    try:
        _text_of(function, kind)
    except NotCompiled as refused:
        file = getattr(getattr(function, "__code__", None), "co_filename", "")
        raise ValueError(f"the {kind} cannot be compiled: {refused.describe(file)}") from refused


def torque(function: Callable[..., Any]) -> Compiled:
    """Compile a torque f(t, R) or f(t, R, Omega).

    R is the 3×3 attitude, Omega the angular velocity in the body's frame, the result three numbers
    in space. A function that cannot be compiled runs as plain Python, and the run's message says
    why.
    """
    return Compiled(function, "torque")


def potential(function: Callable[..., Any]) -> Compiled:
    """Compile a potential V(t, R)."""
    return Compiled(function, "potential")


def rate(function: Callable[..., Any]) -> Compiled:
    """Compile a rate f(t): the angular velocity, three numbers."""
    return Compiled(function, "rate")


class Failure:
    """The first error that a function of the caller's raised during a run, and the flag that ends
    the run.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.what = ""

    def __bool__(self) -> bool:
        return self.what != ""

    def note(self, what: str, error: BaseException | None = None) -> None:
        """Keep the first error, and which function raised it; without an error, only that it
        failed.
        """
        if not self:
            self.what = what
            self.error = error

    def describe(self) -> str:
        """What was raised, on one line, as in "torque raised RuntimeError: out of fuel"."""
        if self.error is None:
            return f"{self.what} fails as compiled code, though not in plain Python"
        said = join_lines(self.error, str)
        return f"{self.what} raised {type(self.error).__name__}" + (f": {said}" if said else "")


def join_lines(value: Any, text: Callable[[Any], str] = repr) -> str:
    """The text of a caller's object as part of a sentence: one line, and not too long."""
    try:
        written = text(value)
    except Exception:
        return ""  # what cannot be written is not worth another error
    return shorten("".join(c if c.isprintable() else " " for c in written), most=LONGEST_TEXT)


def check_real(value: Any) -> float:
    """A float of what is a real number; `float` itself would also read a text, and leave out an
    imaginary part.
    """
    if isinstance(value, str | bytes | complex | np.complexfloating):
        raise TypeError(f"{join_lines(value)} is not a real number")
    return float(value)


def check_three(value: Any) -> tuple[float, float, float]:
    """A torque as three floats."""
    x, y, z = (check_real(component) for component in value)
    return x, y, z


class Called:
    """A caller's torque and potential in the form that one run needs: C functions, and a field of
    plain functions.
    """

    kind: ClassVar[str] = "torque"
    """The kind of the first function."""

    def __init__(
        self, torque: Callable[..., Any], potential: Callable[..., Any] | None = None
    ) -> None:
        self.failure = Failure()
        self._torque = torque
        self._potential = potential
        self._of_velocity = takes_velocity(torque)
        self._takes_time = potential is not None and takes_time(potential)
        self._keep: list[Any] = []

    @property
    def is_compiled(self) -> bool:
        """Whether both run without Python."""
        return is_compiled(self._torque, self._potential)

    def torque_at(
        self, t: float, *motion: np.ndarray[Any, Any]
    ) -> tuple[float, float, float] | None:
        """The torque for R and, if it depends on it, Ω; None if the function raises; the error is
        kept.
        """
        try:
            return check_three(self._torque(t, *motion))
        except BaseException as error:  # an interrupt too has to reach the caller's thread, not C
            self.failure.note(self.kind, error)
            return None

    def potential_at(self, t: float, R: np.ndarray[Any, Any]) -> float | None:
        """The potential, None if the function raises; the error is kept."""
        assert self._potential is not None
        try:
            return check_real(self._potential(t, R) if self._takes_time else self._potential(R))
        except BaseException as error:
            self.failure.note("potential", error)
            return None

    def describe_failure(self, failed: Failed | None) -> str:
        """What a function raised, in words; empty if none failed.

        If it failed in compiled code, plain Python raises it again for the same motion. An
        interrupt that arrived during the call is no error of the torque, and is raised here.
        """
        if (
            failed is not None and not self.failure
        ):  # else the function is plain Python, and its error is known
            self._meet_again(failed)
        if self.failure and not isinstance(self.failure.error, Exception | None):
            raise self.failure.error
        return self.failure.describe() if self.failure else ""

    def _meet_again(self, failed: Failed) -> None:
        R = failed.motion[:9].reshape(3, 3)
        velocity = failed.motion[9:]
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            if failed.function == TORQUE:
                self.torque_at(failed.t, R, *((velocity,) if self._of_velocity else ()))
            else:
                self.potential_at(failed.t, R)
        self.failure.note(self.kind if failed.function == TORQUE else "potential")

    def pointers(self) -> tuple[int, int]:
        """Addresses of the torque and the potential as C functions, 0 where there is none."""
        return self._address(self._torque, self._c_torque), self._address(
            self._potential, self._c_potential
        )

    def _address(self, function: Any, as_callback: Callable[[], Any]) -> int:
        if function is None:
            return 0
        if isinstance(function, Formula):
            function = _compiled_formula(function)
            self._keep.append(function)
        if isinstance(function, Compiled) and not function.refusal:
            return function.address
        callback = as_callback()
        self._keep.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def _c_torque(self) -> Any:
        def call(t: float, motion: Any, out: Any) -> bool:
            velocity = (np.array(motion[9:12]),) if self._of_velocity else ()
            torque = self.torque_at(t, np.array(motion[:9]).reshape(3, 3), *velocity)
            out[0], out[1], out[2] = torque or UNKNOWN
            return torque is None

        return _FUNCTION(call)

    def _c_potential(self) -> Any:
        def call(t: float, R: Any, out: Any) -> bool:
            energy = self.potential_at(t, np.array(R[:9]).reshape(3, 3))
            out[0] = math.nan if energy is None else energy
            return energy is None

        return _FUNCTION(call)

    def field(self) -> Field:
        """The field of these functions as plain Python."""

        def as_array(R: Mat3) -> np.ndarray[Any, Any]:
            return np.array(list(R)).reshape(3, 3)

        def in_body(t: float, R: Mat3, *rest: Any) -> Vec3:
            velocity = (np.array(list(rest[0])),) if self._of_velocity else ()
            return R.T @ Vec3(*self.torque_at(float(t), as_array(R), *velocity) or UNKNOWN)

        def energy(t: float, R: Mat3, p: tuple[float, ...]) -> float:
            energy = self.potential_at(t, as_array(R))
            return math.nan if energy is None else energy

        with_potential = energy if self._potential is not None else None
        return Field("user", in_body, with_potential, own_axes=True, of_velocity=self._of_velocity)


class CalledRate(Called):
    """A caller's rate in the form that one run needs."""

    kind = "rate"

    def torque_at(
        self, t: float, *nothing: np.ndarray[Any, Any]
    ) -> tuple[float, float, float] | None:
        """The rate; None if the function raises; the error is kept."""
        return super().torque_at(t)

    def rate(self, in_space: bool) -> Rate:
        """The rate of this function as plain Python."""

        def velocity(t: float, p: Any) -> Vec3:
            return Vec3(*self.torque_at(float(t)) or UNKNOWN)

        return Rate("user", velocity, in_space=in_space)


_BY_ADDRESS = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
"""The same function, whose arguments are addresses."""


def evaluate_torque(torque: Callable[..., Any], t: Array, R: Array, Omega: Array) -> Array:
    """(n, 3) a custom torque in space at n times, attitudes and angular velocities in the body; nan
    where it has no value.
    """
    motions = np.hstack([R.reshape(-1, 9), Omega])
    found = np.full((len(t), 3), math.nan)
    called = Called(torque)
    function = _BY_ADDRESS(called.pointers()[0])
    rows = zip(t.tolist(), _list_addresses(motions), _list_addresses(found), strict=True)
    for time, motion, value in rows:
        function(time, motion, value)
    return found


def _list_addresses(rows: Array) -> range:
    """The addresses of the rows of an array."""
    first, size = rows.ctypes.data, rows.strides[0]
    return range(first, first + size * len(rows), size)
