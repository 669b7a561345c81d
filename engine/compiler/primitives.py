"""What Python has no word for: each is a plain function that the compiler has an instruction of its own for."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any


def raised(flag: Any) -> bool:
    """Whether another thread has raised a flag, a whole number in memory."""
    return bool(flag[0] != 0)


def own_memory(numbers: Sequence[int]) -> Any:
    """Memory with these whole numbers, which nobody else sees."""
    return list(numbers)


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
