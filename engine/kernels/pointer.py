"""Fields of custom torques and rates, which kernels call through C pointers, and the record of a
failure.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Mat3, Vec3
from ..algebra.rarely_called import rarely_called
from ..compiler.primitives import bits_of, potential_at, torque_at
from ..problems.field import Field, Rate
from . import layout


def _torque(t: float, R: Mat3, ledger: Any) -> Vec3:
    """Return the torque in the body's frame; the custom one is in space."""
    return R.T @ _call(t, tuple(R), ledger)


def _torque_of_velocity(t: float, R: Mat3, Ω: Vec3, ledger: Any) -> Vec3:
    return R.T @ _call(t, (*R, *Ω), ledger)


def _call(t: float, motion: tuple[float, ...], ledger: Any) -> Vec3:
    x, y, z, failed = torque_at(ledger[layout.TORQUE_POINTER], t, motion)
    if failed != 0:
        _note_failure(ledger, layout.TORQUE, t, motion)
    return Vec3(x, y, z)


def _potential(t: float, R: Mat3, ledger: Any) -> float:
    energy, failed = potential_at(ledger[layout.POTENTIAL_POINTER], t, tuple(R))
    if failed != 0:
        _note_failure(ledger, layout.POTENTIAL, t, tuple(R))
    return energy


def _rate(t: float, ledger: Any) -> Vec3:
    """Return the angular velocity."""
    return _call(t, (), ledger)


@rarely_called
def _note_failure(ledger: Any, what: int, t: float, motion: tuple[float, ...]) -> None:
    """Record the first failed call, so that the run ends and the driver can report it."""
    if ledger[layout.FAILED] == 0:
        ledger[layout.FAILED] = what
        ledger[layout.FAILED_AT] = bits_of(t)
        for i, number in enumerate(motion):
            ledger[layout.FAILED_AT + 1 + i] = bits_of(number)


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
        by_pointer=True,
    )
    for (of_velocity, with_potential), name in _NAMES.items()
}
_RATES = tuple(
    Rate(f"user{', in space' * in_space}", _rate, in_space=in_space, by_pointer=True)
    for in_space in (False, True)
)


def make_pointer_rate(in_space: bool) -> Rate:
    """Return the kind of a custom rate, called through a C pointer."""
    return _RATES[in_space]


def make_pointer_field(with_potential: bool, of_velocity: bool) -> Field:
    """Return the field of a custom torque, called through a C pointer."""
    return _FIELDS[of_velocity, with_potential]
