"""The fields of torques of the caller's own, which kernels reach by a C pointer."""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3
from ..compiler.primitives import potential_at, torque_at
from ..field import Field
from .layout import POTENTIAL_POINTER, TORQUE_POINTER


def _torque(t: float, R: Mat3, ledger: Any) -> Vec3:
    """In the body's frame; the caller's is in space."""
    return R.T @ Vec3(*torque_at(ledger[TORQUE_POINTER], t, tuple(R)))


def _potential(t: float, R: Mat3, ledger: Any) -> float:
    return potential_at(ledger[POTENTIAL_POINTER], t, tuple(R))


POINTER = Field("user", _torque, own_axes=True)
POINTER_WITH_POTENTIAL = Field("user with potential", _torque, _potential, own_axes=True)
POINTERS = (POINTER, POINTER_WITH_POTENTIAL)


def pointer_field(with_potential: bool) -> Field:
    """The field of a torque of the caller's own, reached by a C pointer."""
    return POINTER_WITH_POTENTIAL if with_potential else POINTER
