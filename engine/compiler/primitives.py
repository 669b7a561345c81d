"""What Python has no word for: each is a plain function that the compiler has an instruction of its own for."""

from __future__ import annotations

import ctypes
import math
import struct
from array import array
from collections.abc import Callable, Sequence
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


def bits_of(x: float) -> int:
    """The bits of a real number, as a whole number, so that both can stand in the same memory."""
    whole: int = struct.unpack("q", struct.pack("d", x))[0]
    return whole


def guarded(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """What a function returns, and whether it should have raised; plain Python raises, compiled code goes on."""
    return function(*arguments), False


def torque_at(address: int, t: float, motion: Sequence[float]) -> tuple[float, float, float, int]:
    """Call the C function at an address, int64_t torque(double t, const double motion[], double torque[3]).

    The motion is R and, if the torque depends on it, Ω. The last of what is returned is what the function returns: 0,
    or, where it fails and writes no torque, another number.
    """
    double = ctypes.c_double
    out = (double * 3)(*[math.nan] * 3)
    given = (double * len(motion))(*motion)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, double, ctypes.c_void_p, ctypes.c_void_p)
    failed = prototype(int(address))(t, given, out)
    return out[0], out[1], out[2], failed


def potential_at(address: int, t: float, attitude: Sequence[float]) -> tuple[float, int]:
    """Likewise of int64_t potential(double t, const double R[9], double energy[1])."""
    x, _, _, failed = torque_at(address, t, attitude)
    return x, failed
