"""Compiling with Numba: kernels, and C functions of the caller's own."""

from __future__ import annotations

import re
import types as pytypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
from numba import carray, float64, void
from numba.core.errors import NumbaError

from ..algebra.seldom import seldom
from . import cache, kernel, lowering, pair
from .compiled import DOUBLES, KERNEL_SIGNATURE, MEMORY, FunctionOption

if TYPE_CHECKING:
    from .parts import Parts


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


_keep: list[Any] = []  # Numba frees the code of a function that is forgotten


def _with_memory(function: Callable[..., Any], **blanks: Any) -> pytypes.FunctionType:
    """The function with the compiler's own ways to read and write memory, and its blanks filled in."""
    assert isinstance(function, pytypes.FunctionType)
    return pytypes.FunctionType(function.__code__, function.__globals__ | MEMORY | blanks, function.__name__)


_PUT_ROW = {function: seldom(_with_memory(function)) for function in (kernel.put_body_row, pair.put_pair_row)}


def _as_constant(option: Any) -> Any:
    """An option that is a function becomes one that compiled code can be handed."""
    if isinstance(option, tuple):
        return tuple(_as_constant(part) for part in option)
    if not isinstance(option, pytypes.FunctionType):
        return option
    lowering.adopt(option)
    return FunctionOption(numba.njit(**lowering.INLINED)(option))


def kernel_address(parts: Parts) -> tuple[int, bytes | None]:
    """Compile a kernel: its address, and its object code if that can stand alone."""
    blanks = parts.blanks()
    blanks["put_row"] = _PUT_ROW[blanks["put_row"]]
    for name in ("OPTIONS", "QUICK_OPTIONS"):
        blanks[name] = tuple(_as_constant(option) for option in blanks[name])
    function = _with_memory(parts.template, **blanks)
    try:
        return c_function(function, KERNEL_SIGNATURE)
    except NumbaError as error:
        said = objection(error, parts.step)
        if said.startswith("Cannot unify Tuple"):  # of the state before a step and after it
            said = f"it has to return what it carries, ({', '.join(parts.carries)})"
        raise ValueError(
            f"the step in {parts.step.__code__.co_filename} cannot be compiled: {said}; "
            "with NUMBA_DISABLE_JIT=1 it runs as plain Python, to be debugged"
        ) from error


def c_function(function: pytypes.FunctionType, signature: Any) -> tuple[int, bytes | None]:
    """Compile a function to the C convention: its address, and its object code if that can stand alone."""
    for used in lowering.names_of(function).values():
        lowering.adopt(used)
    options = {key: value for key, value in lowering.JIT_OPTIONS.items() if key != "nogil"}
    compiled = numba.cfunc(signature, **options)(function)
    _keep.append(compiled)
    return compiled.address, cache.object_code(compiled.inspect_llvm(), compiled.native_name)


def torque_function(function: Callable[..., Any]) -> tuple[int, bytes | None]:
    """A caller's torque f(t, R) as void torque(double t, const double R[9], double torque[3])."""
    f = numba.njit(**lowering.JIT_OPTIONS)(function)

    def entry(t, attitude, out):  # type: ignore[no-untyped-def]
        torque = f(t, carray(attitude, (3, 3)))
        out[0] = torque[0]
        out[1] = torque[1]
        out[2] = torque[2]

    return c_function(entry, void(float64, DOUBLES, DOUBLES))  # type: ignore[arg-type]


def potential_function(function: Callable[..., Any]) -> tuple[int, bytes | None]:
    """A caller's potential V(t, R) or V(R) as double potential(double t, const double R[9])."""
    f = numba.njit(**lowering.JIT_OPTIONS)(function)

    if function.__code__.co_argcount >= 2:

        def entry(t, attitude):  # type: ignore[no-untyped-def]
            return float(f(t, carray(attitude, (3, 3))))

    else:

        def entry(t, attitude):  # type: ignore[no-untyped-def]
            return float(f(carray(attitude, (3, 3))))

    return c_function(entry, float64(float64, DOUBLES))  # type: ignore[arg-type]


__all__ = ["NumbaError", "c_function", "kernel_address", "objection", "potential_function", "torque_function"]
