"""Whether a torque is that of a potential: both are compared at random times and attitudes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra import Mat3, Vec3, exp, log
from ..checks import Array
from ..field import takes_time, takes_velocity
from ..wording import short

POINTS = 8
TURNS = (1e-4, 1e-6)
"""Angles of the differences: where a potential is steep, the smaller one serves, elsewhere roundoff spoils it."""
ALIKE = 1e-5
"""Relative: how near to each other the two torques are."""
STEADY = 1e-12
"""Relative: a potential that changes by less than this does not depend on the time."""
AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Comparison:
    """What became of it.

    Attributes
    ----------
    mismatch : a sentence on the point where the torque is furthest from −dV/dR; empty if it is that everywhere.
    steady : whether the potential is the same at all times.
    """

    mismatch: str = ""
    steady: bool = True


def compare(torque: Callable[..., Any], potential: Callable[..., Any], duration: float) -> Comparison:
    """Compare t(t, R), of a body at rest, with the torque of V(t, R); a point at which one of them fails is left out.

    The points are random, and the same each time; the first has t = 0 and R = 1.
    """
    random = np.random.default_rng(7)
    times = [0.0, *random.uniform(0.0, duration, POINTS - 1)]
    turns = [np.zeros(3), *random.uniform(-1.8, 1.8, (POINTS - 1, 3))]
    rest = (np.zeros(3),) if takes_velocity(torque) else ()
    of_time = takes_time(potential)

    def energy(t: float, R: Array) -> float:
        return float(potential(t, R) if of_time else potential(R))

    mismatch, most, steady = "", 0.0, True
    for t, turn in zip(times, turns, strict=True):
        R = exp(Vec3(*map(float, turn)))
        try:
            given = np.array([float(x) for x in torque(t, _array(R), *rest)])
            values = [energy(at, _array(R)) for at in (t, *times)]
            by_turns = [_of_potential(functools.partial(energy, t), R, small) for small in TURNS]
        except Exception:  # the run meets it too, and reports at which step
            continue
        size = float(np.abs(values).max())
        steady = steady and float(np.ptp(values)) <= STEADY * size
        expected, off = by_turns[0][0], float(np.abs(given - by_turns[0][0]).max())
        if off > most and not any(_alike(given, *one, size) for one in by_turns):
            mismatch, most = _in_words(t, R, given, expected), off
    return Comparison(mismatch, steady)


def _of_potential(energy: Callable[[Array], float], R: Mat3, small: float) -> tuple[Array, float]:
    """The torque −dV/dR about the axes of space, by differences over this angle; and the angle."""
    up, down = (np.array([energy(_array(exp(x * e) @ R)) for e in AXES]) for x in (small, -small))
    return (down - up) / (2 * small), small


def _alike(given: Array, expected: Array, small: float, size: float) -> bool:
    """Whether two torques are one but for the error of differences of a potential of this size."""
    allowed = ALIKE * max(np.abs(given).max(), np.abs(expected).max()) + 1e-15 * size / small
    return bool(np.abs(given - expected).max() <= allowed)


def _in_words(t: float, R: Mat3, given: Array, expected: Array) -> str:
    turn = log(R)
    where = f"t = {short(t, 3)} and R = {f'exp{_vector([*turn])}' if any(turn) else '1'}"
    return (
        f"The torque is not that of the potential: at {where} the torque is {_vector(given)}, and the potential "
        f"gives {_vector(expected)}. The energy here is the kinetic energy."
    )


def _vector(v: Any) -> str:
    """Three numbers; what the differences leave of zero is zero."""
    least = 1e-7 * float(np.abs(v).max())
    return f"({', '.join(short(x if abs(x) > least else 0.0, 4) for x in map(float, v))})"


def _array(R: Mat3) -> Array:
    return np.array(list(R)).reshape(3, 3)
