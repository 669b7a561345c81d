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


def _torque_of_velocity(t: float, R: Mat3, Ω: Vec3, ledger: Any) -> Vec3:
    return R.T @ Vec3(*torque_at(ledger[TORQUE_POINTER], t, (*R, *Ω)))


def _potential(t: float, R: Mat3, ledger: Any) -> float:
    return potential_at(ledger[POTENTIAL_POINTER], t, tuple(R))


_NAMES = {
    (False, False): "user",
    (False, True): "user with potential",
    (True, False): "user, of velocity",
    (True, True): "user, of velocity, with potential",
}
_FIELDS = {
    (of_velocity, with_potential): Field(
        name,
        _torque_of_velocity if of_velocity else _torque,
        _potential if with_potential else None,
        own_axes=True,
        of_velocity=of_velocity,
    )
    for (of_velocity, with_potential), name in _NAMES.items()
}
POINTERS = tuple(_FIELDS.values())


def pointer_field(with_potential: bool, of_velocity: bool = False) -> Field:
    """The field of a torque of the caller's own, reached by a C pointer."""
    return _FIELDS[of_velocity, with_potential]
