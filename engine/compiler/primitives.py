"""Primitives: plain Python functions for which the compiler emits special instructions."""

from __future__ import annotations

import ctypes
import math
import struct
from array import array
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, TypeVar

import numpy as np

from ..algebra.precision import Single
from .series import Series

T = TypeVar("T")


def raised(flag: Any) -> bool:
    """Return whether another thread has set a flag in memory."""
    return bool(flag[0] != 0)


def side_by_side(memory: T, count: int) -> T:
    """Return memory of which each place stands for `count` neighbouring numbers, which are computed
    with at once; plain Python takes one.
    """
    if count != 1:
        raise ValueError("plain Python computes with one number at a time")
    return memory


def own_memory(numbers: Sequence[int]) -> MutableSequence[int]:
    """Return private memory with these integers."""
    return array("q", numbers)


def make_room(n: int) -> MutableSequence[float]:
    """Return private memory for n real numbers, of which the first is nan."""
    return array("d", [math.nan] * n)


def single(value: T) -> T:
    """Round a value's real numbers to 32 bits; everything computed from them has 32 bits."""
    return _changed(value, Single)


def double(value: T) -> T:
    """Convert a value's real numbers back to 64 bits."""
    return _changed(value, float)


def _changed(value: T, to: type[float]) -> T:
    from .frontend.structure import map_leaves  # which is of the compiler otherwise

    return map_leaves(value, lambda x: to(x) if isinstance(x, float) else x)


def bits_of(x: float) -> int:
    """Return the bits of a real number as an integer, so that both can share memory."""
    return struct.unpack("q", struct.pack("d", x))[0]


def real_of(bits: int) -> float:
    """Return the real number that has these bits."""
    return struct.unpack("d", struct.pack("q", bits))[0]


def small_array(rows: Sequence[Any]) -> Any:
    """Return a vector or a matrix as NumPy's array."""
    numbers = np.array(rows, object)
    return numbers if any(isinstance(x, Series) for x in numbers.flat) else numbers.astype(float)


def guarded(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """Return a function's result, and whether it should have raised; plain Python raises, compiled
    code continues.
    """
    return function(*arguments), False


def torque_at(address: int, t: float, motion: Sequence[float]) -> tuple[float, float, float, int]:
    """Call the C function at an address, int64_t torque(double t, const double motion[], double
    torque[3]).

    The motion is R and, if the torque depends on it, Ω. The last result is the function's: 0, or
    another number if it failed and wrote no torque.
    """
    double = ctypes.c_double
    out = (double * 3)(*[math.nan] * 3)
    given = (double * len(motion))(*motion)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, double, ctypes.c_void_p, ctypes.c_void_p)
    failed = prototype(int(address))(t, given, out)
    return out[0], out[1], out[2], failed


def potential_at(address: int, t: float, attitude: Sequence[float]) -> tuple[float, int]:
    """Call int64_t potential(double t, const double R[9], double energy[1]) in the same way."""
    x, _, _, failed = torque_at(address, t, attitude)
    return x, failed
