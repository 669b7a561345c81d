"""Compiling a caller's torque or potential that calls NumPy: what Numba is for."""

from __future__ import annotations

import re
import types as pytypes
from collections.abc import Callable
from typing import Any

import numba
from numba import carray, float64, int64, types
from numba.core.errors import NumbaError

from . import native

OPTIONS: dict[str, Any] = {"boundscheck": True, "fastmath": {"contract"}}
_DOUBLES = types.CPointer(types.float64)
_SIGNATURE = int64(float64, _DOUBLES, _DOUBLES)
"""Of the time and the motion, it writes a torque or an energy and returns 0, or 1 where Python raises."""

C_LIBRARY = frozenset({
    "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow",
    "sqrt", "cbrt", "hypot", "fmod", "floor", "ceil", "fabs", "copysign", "memset", "memcpy",
})  # fmt: skip
"""What code that is kept may call. Anything else might not be there in the next process."""

_keep: list[Any] = []  # Numba frees the code of a function that is forgotten


def torque_function(function: Callable[..., Any], of_velocity: bool) -> tuple[int, bytes | None]:
    """A caller's torque as int64_t torque(double t, const double motion[], double torque[3]); R[9], maybe Ω[3]."""
    f = numba.njit(**OPTIONS)(function)

    if of_velocity:

        @numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
        def torque_of(t, motion):  # type: ignore[no-untyped-def]
            both = carray(motion, 12)
            return f(t, both[:9].reshape(3, 3), both[9:])

    else:

        @numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
        def torque_of(t, motion):  # type: ignore[no-untyped-def]
            return f(t, carray(motion, (3, 3)))

    def entry(t, motion, out):  # type: ignore[no-untyped-def]
        try:
            torque = torque_of(t, motion)
            if len(torque) != 3:
                return 1
            x, y, z = torque[0], torque[1], torque[2]
        except Exception:
            return 1
        out[0], out[1], out[2] = x, y, z
        return 0

    return _c_function(function, entry)  # type: ignore[arg-type]


def potential_function(function: Callable[..., Any]) -> tuple[int, bytes | None]:
    """A caller's potential V(t, R) or V(R) as int64_t potential(double t, const double R[9], double energy[1])."""
    f = numba.njit(**OPTIONS)(function)

    if function.__code__.co_argcount >= 2:

        @numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
        def energy_of(t, attitude):  # type: ignore[no-untyped-def]
            return float(f(t, carray(attitude, (3, 3))))

    else:

        @numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
        def energy_of(t, attitude):  # type: ignore[no-untyped-def]
            return float(f(carray(attitude, (3, 3))))

    def entry(t, attitude, out):  # type: ignore[no-untyped-def]
        try:
            energy = energy_of(t, attitude)
        except Exception:
            return 1
        out[0] = energy
        return 0

    return _c_function(function, entry)  # type: ignore[arg-type]


def _c_function(function: Callable[..., Any], entry: pytypes.FunctionType) -> tuple[int, bytes | None]:
    """Compile a function to the C convention: its address, and its machine code if that can stand alone."""
    try:
        compiled = numba.cfunc(_SIGNATURE, **OPTIONS)(entry)
    except NumbaError as error:
        raise ValueError(objection(error, function)) from error
    _keep.append(compiled)
    return compiled.address, _standing_alone(compiled.inspect_llvm(), compiled.native_name)


def objection(error: NumbaError, function: Callable[..., Any]) -> str:
    """What Numba has against a function, and in which line of its file, from a message that tells of much else."""
    text = str(error)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or [type(error).__name__]
    begun = max((i for i, line in enumerate(lines) if "Failed in nopython mode" in line), default=-1) + 1
    said = lines[min(begun, len(lines) - 1)]
    call = next((line.removeprefix(">>> ") for line in lines[begun:] if line.startswith(">>> ")), None)
    if call is not None and said.startswith("No implementation"):
        said = f"there is no {call} for compiled code"
    file = re.escape(getattr(getattr(function, "__code__", None), "co_filename", ""))
    places = re.findall(rf"{file} \((\d+)\)", text)
    return f"{said.rstrip('.')} (line {places[-1]})" if file and places else said.rstrip(".")


def _standing_alone(assembly: str, entry: str) -> bytes | None:
    """The machine code of one function of a module, or None if it calls what the C library does not have.

    All other functions become internal, so that optimising once more drops what is not reached: above all the
    error paths, which ask for Python's own functions.
    """
    module = native.module_of(assembly)
    for function in module.functions:
        if function.name == entry:
            function.name = native.ENTRY
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = native.machine_for(*native.processor())
    native.optimise(module, machine)
    called = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    if not called <= C_LIBRARY or any(variable.is_declaration for variable in module.global_variables):
        return None
    return native.emitted(module, machine)
