"""Custom torques and potentials that call NumPy, compiled by Numba."""

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
"""Arguments: time, motion, result. Returns 0, or 1 where Python raises."""

C_LIBRARY = frozenset({
    "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow",
    "sqrt", "cbrt", "hypot", "fmod", "floor", "ceil", "fabs", "copysign", "memset", "memcpy",
})  # fmt: skip
"""The functions that cached code may call; others might be missing in another process."""

_keep: list[Any] = []  # Numba frees the code of a function that is forgotten


def torque_function(function: Callable[..., Any], of_velocity: bool) -> tuple[int, bytes | None]:
    """Compile a torque to int64_t torque(double t, const double motion[], double torque[3]); motion
    is R[9], maybe Ω[3].
    """
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
    """Compile V(t, R) or V(R) to int64_t potential(double t, const double R[9], double
    energy[1]).
    """
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


def _c_function(
    function: Callable[..., Any], entry: pytypes.FunctionType
) -> tuple[int, bytes | None]:
    """Compile a function to the C convention; return its address, and its machine code if that is
    standalone.
    """
    try:
        compiled = numba.cfunc(_SIGNATURE, **OPTIONS)(entry)
    except NumbaError as error:
        raise ValueError(describe_error(error, function)) from error
    _keep.append(compiled)
    return compiled.address, _standalone_code(compiled.inspect_llvm(), compiled.native_name)


def describe_error(error: NumbaError, function: Callable[..., Any]) -> str:
    """Return Numba's objection and its line, extracted from a long message."""
    text = str(error)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or [
        type(error).__name__
    ]
    begun = (
        max((i for i, line in enumerate(lines) if "Failed in nopython mode" in line), default=-1)
        + 1
    )
    said = lines[min(begun, len(lines) - 1)]
    call = next(
        (line.removeprefix(">>> ") for line in lines[begun:] if line.startswith(">>> ")), None
    )
    if call is not None and said.startswith("No implementation"):
        said = f"there is no {call} for compiled code"
    file = re.escape(getattr(getattr(function, "__code__", None), "co_filename", ""))
    places = re.findall(rf"{file} \((\d+)\)", text)
    return f"{said.rstrip('.')} (line {places[-1]})" if file and places else said.rstrip(".")


def _standalone_code(assembly: str, entry: str) -> bytes | None:
    """Return the machine code of one function; None if it calls anything outside the C library.

    All other functions become internal, so that optimising again removes the unreachable ones,
    above all error paths that call Python's own functions.
    """
    module = native.parse_module(assembly)
    for function in module.functions:
        if function.name == entry:
            function.name = native.ENTRY
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = native.target_machine(*native.processor())
    native.optimise(module, machine)
    called = {
        f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")
    }
    if not called <= C_LIBRARY or any(
        variable.is_declaration for variable in module.global_variables
    ):
        return None
    return native.emit_code(module, machine)
