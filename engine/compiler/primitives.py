"""What Python has no word for: each is a plain function that the compiler has an instruction of its own for."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import Any

from ..algebra.precision import Single


def raised(flag: Any) -> bool:
    """Whether another thread has raised a flag, a whole number in memory."""
    return bool(flag[0] != 0)


def own_memory(numbers: Sequence[int]) -> Any:
    """Memory with these whole numbers, which nobody else sees."""
    return array("q", numbers)


def single(value: Any) -> Any:
    """A value with its real numbers rounded to 32 bits, in which all goes on that is computed from it."""
    return _changed(value, Single)


def double(value: Any) -> Any:
    """A value with its real numbers as ones of 64 bits again."""
    return _changed(value, float)


def _changed(value: Any, to: type[float]) -> Any:
    from .values import mapped  # which is of the compiler otherwise

    return mapped(value, lambda x: to(x) if isinstance(x, float) else x)


def torque_at(address: int, t: float, motion: Sequence[float]) -> tuple[float, float, float]:
    """Call the C function at an address, void torque(double t, const double motion[], double torque[3]).

    The motion is R and, if the torque depends on it, Ω.
    """
    double = ctypes.c_double
    out = (double * 3)()
    given = (double * len(motion))(*motion)
    ctypes.CFUNCTYPE(None, double, ctypes.c_void_p, ctypes.c_void_p)(int(address))(t, given, out)
    return out[0], out[1], out[2]


def potential_at(address: int, t: float, attitude: Sequence[float]) -> float:
    """Call the C function at an address, double potential(double t, const double R[9])."""
    double = ctypes.c_double
    value: float = ctypes.CFUNCTYPE(double, double, ctypes.c_void_p)(int(address))(t, (double * 9)(*attitude))
    return value
