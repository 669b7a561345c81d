"""Comparison of a torque with a potential, at random times and attitudes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra import Mat3, Vec3, exp, log
from ..parameters.validation import Array
from ..text.formatting import show
from .field import takes_time, takes_velocity

POINTS = 8
TURNS = (1e-4, 1e-6)
"""Angles of the differences: the smaller one is for steep potentials; elsewhere roundoff spoils it.
"""
ALIKE = 1e-5
"""Relative difference below which two torques are the same."""
STEADY = 1e-12
"""Relative change below which a potential does not depend on the time."""
AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    mismatch : a sentence on the point where the torque is furthest from −dV/dR; empty if they agree
        everywhere.
    steady : whether the potential is the same at all times.
    """

    mismatch: str = ""
    steady: bool = True


def compare_torques(
    torque: Callable[..., Any], potential: Callable[..., Any], duration: float
) -> Comparison:
    """Compare t(t, R), of a body at rest, with the torque of V(t, R), except where one of them
    fails.

    The points are random, and the same each time; the first has t = 0 and R = 1.
    """
    random = np.random.default_rng(7)
    times = [0.0, *random.uniform(0.0, duration, POINTS - 1)]
    turns = [np.zeros(3), *random.uniform(-1.8, 1.8, (POINTS - 1, 3))]
    rest = (np.zeros(3),) if takes_velocity(torque) else ()
    of_time = takes_time(potential)

    def energy(t: float, R: Array) -> float:
        return float(potential(t, R) if of_time else potential(R))

    mismatch = ""
    most = 0.0
    steady = True
    for t, turn in zip(times, turns, strict=True):
        R = exp(Vec3(*map(float, turn)))
        try:
            given = np.array([float(x) for x in torque(t, _to_array(R), *rest)])
            values = [energy(at, _to_array(R)) for at in (t, *times)]
            by_turns = [_differentiate(functools.partial(energy, t), R, small) for small in TURNS]
        except Exception:  # the run will report it, with the step
            continue
        size = float(np.abs(values).max())
        steady = steady and float(np.ptp(values)) <= STEADY * size
        expected = by_turns[0][0]
        off = float(np.abs(given - by_turns[0][0]).max())
        if off > most and not any(_agree(given, *one, size) for one in by_turns):
            mismatch = _describe(t, R, given, expected)
            most = off
    return Comparison(mismatch, steady)


def _differentiate(energy: Callable[[Array], float], R: Mat3, small: float) -> tuple[Array, float]:
    """The torque −dV/dR about the axes of space, by differences over this angle, and the angle."""
    up, down = (
        np.array([energy(_to_array(exp(x * e) @ R)) for e in AXES]) for x in (small, -small)
    )
    return (down - up) / (2 * small), small


def _agree(given: Array, expected: Array, small: float, size: float) -> bool:
    """Whether two torques agree within the error of differences of a potential of this size."""
    allowed = ALIKE * max(np.abs(given).max(), np.abs(expected).max()) + 1e-15 * size / small
    return bool(np.abs(given - expected).max() <= allowed)


def _describe(t: float, R: Mat3, given: Array, expected: Array) -> str:
    turn = log(R)
    where = f"t = {show(t, 3)} and R = {f'exp{_format_vector([*turn])}' if any(turn) else '1'}"
    return (
        f"The torque is not that of the potential: at {where} the torque is {_format_vector(given)}, and the "
        f"potential gives {_format_vector(expected)}. The energy here is the kinetic energy."
    )


def _format_vector(v: Any) -> str:
    """Three numbers, roundoff as zero."""
    least = 1e-7 * float(np.abs(v).max())
    return f"({', '.join(show(x if abs(x) > least else 0.0, 4) for x in map(float, v))})"


def _to_array(R: Mat3) -> Array:
    return np.array(list(R)).reshape(3, 3)
