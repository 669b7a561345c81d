"""A trajectory beside the exact motion of a free body from its first row, and what its numbers can show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..exact.errors import find_phase_loss, length, mask_unknown, measure_turns
from ..exact.free_body import FreeBodies, FreeBody
from ..parameters.validation import Array
from ..problems.problem import Problem
from ..studies.engines import AfterATime, Comparison, Motion, find_turn, measure_motion
from .inertia import find_mean_rates
from .trajectory import Trajectory

ITERATIONS = 12
"""To find the rate with which the exact motion meets the second row."""
CONSTANT = 0.02
"""The largest turn of a direction, in radians, that counts as none."""
SPURIOUS = 1.1
"""By which changes of the exact motion's mean rates are multiplied: another motion may have larger ones."""
WINDOW = 1.0
"""The turn of the body, in radians, in which the turn of the momentum is measured."""
DRIVEN = 1.0
"""The turn of the momentum, over the squares of the body's turns from row to row, from which on no error
of a step explains it; those of the rules in the catalogue turn it by at most 0.4 in steps of up to 0.25 rad.
"""
KNOWN_LOSS = 0.3
"""The largest doubt of the attitude, in radians, with which a lost phase is the engine's."""


@dataclass(frozen=True, eq=False)
class Compared:
    """A trajectory beside the exact motion.

    Attributes
    ----------
    body : the free body with the first state.
    end : what became of it.
    t, energy, momentum, direction : (k,) times, energy and length of the momentum relative to the
        first, and the angle in rad by which the momentum has turned.
    energy_doubt, momentum_doubt, direction_doubt : the changes that rounding, differences between rows
        and errors of the moments explain.
    attitude, attitude_doubt : (n,) the angle from the exact attitude at each row, in rad, and what
        the same explains of that.
    keeps_direction : whether the angular velocity keeps its direction in space where that of the
        exact motion does not.
    is_driven : whether the momentum turns by more than errors of steps, as under a torque.
    """

    body: Problem
    end: AfterATime
    t: Array
    energy: Array
    momentum: Array
    direction: Array
    energy_doubt: float
    momentum_doubt: float
    direction_doubt: float
    attitude: Array
    attitude_doubt: Array
    keeps_direction: bool
    is_driven: bool


def compare(trajectory: Trajectory, moments: Array, errors: Array) -> Compared:
    """Return a trajectory beside the exact motion of a body with these moments and their errors."""
    t, R, Omega = trajectory.t, trajectory.R, trajectory.Omega
    first = _find_first_rate(t, R, moments) if Omega is None else Omega[0]
    exact = FreeBody(moments, R[0], first).at(t)
    if Omega is None:
        times, turns, rates = find_mean_rates(t, R)
        _, exact_turns, exact_rates = find_mean_rates(t, exact.R)
    else:
        times, turns, rates = t, R, Omega
        exact_turns, exact_rates = exact.R, exact.Omega
    energy, pi = _find_invariants(turns, rates, moments)
    spurious_energy, spurious_pi = _find_invariants(exact_turns, exact_rates, moments)
    rounding = 2 * _find_rate_rounding(trajectory) / float(length(rates).mean())
    energy_doubt, momentum_doubt = (
        rounding * (1 + power) + SPURIOUS * float(np.abs(values / values[0] - 1).max())
        for power, values in ((1, spurious_energy), (0, length(spurious_pi)))
    )
    direction_doubt = rounding + trajectory.attitude_rounding
    direction_doubt += SPURIOUS * float(find_turn(spurious_pi).max())
    for place in np.flatnonzero(errors):
        other = moments + errors[place] * np.eye(3)[place]
        changed_energy, changed_pi = _find_invariants(turns, rates, other)
        for one, changed in ((energy, changed_energy), (length(pi), length(changed_pi))):
            change = float(np.abs(changed / changed[0] - one / one[0]).max())
            energy_doubt, momentum_doubt = energy_doubt + change, momentum_doubt + change
        direction_doubt += float(np.abs(find_turn(changed_pi) - find_turn(pi)).max())
    attitude = measure_turns(R, exact.R)
    doubt = _find_attitude_doubt(trajectory, moments, errors, first, exact.R)
    known = mask_unknown(attitude, doubt)
    lost = find_phase_loss(t[doubt < KNOWN_LOSS], attitude[doubt < KNOWN_LOSS])
    body = Problem(J=moments, R0=R[0], Omega0=first)
    compared = Comparison(times, moments * rates, moments * exact_rates, known, lost)
    return Compared(
        body,
        measure_motion("", body, Motion(times, energy, pi), compared),
        times,
        energy / energy[0],
        length(pi) / length(pi[:1]),
        find_turn(pi),
        energy_doubt,
        momentum_doubt,
        direction_doubt,
        attitude,
        doubt,
        keeps_direction(turns, rates) and not keeps_direction(exact_turns, exact_rates),
        is_driven(times, turns, rates, pi, direction_doubt),
    )


def keeps_direction(R: Array, Omega: Array) -> bool:
    """Return whether an angular velocity keeps its direction in space."""
    return float(find_turn(np.einsum("nij,nj->ni", R, Omega)).max()) < CONSTANT


def is_driven(t: Array, R: Array, Omega: Array, pi: Array, doubt: float) -> bool:
    """Return whether the momentum turns by more than errors of steps and a doubt explain.

    A small step changes the momentum of a free body by less than the square of the turn in it; rows are
    as far apart as steps, or farther. A torque changes it by the turn.
    """
    speeds = length(Omega)
    by_velocity = np.maximum(speeds[1:], speeds[:-1]) * np.diff(t)
    steps = np.maximum(measure_turns(R[1:], R[:-1]), by_velocity)
    turned, squares = (np.append(0.0, np.cumsum(steps**power)) for power in (1, 2))
    later = np.minimum(np.searchsorted(turned, turned + WINDOW), len(t) - 1)
    with np.errstate(invalid="ignore"):  # a body may come to rest
        directions = pi / length(pi)[:, None]
    changes = 2 * np.arcsin(np.minimum(length(directions[later] - directions) / 2, 1.0))
    return bool((changes > DRIVEN * (squares[later] - squares) + doubt).any())


def _find_invariants(R: Array, Omega: Array, moments: Array) -> tuple[Array, Array]:
    """Return the energies (n,) and the momenta in space (n, 3)."""
    Pi = moments * Omega
    return 0.5 * (Pi * Omega).sum(axis=1), np.einsum("nij,nj->ni", R, Pi)


def _find_rate_rounding(trajectory: Trajectory) -> float:
    """Return the rounding of the velocities, or of the mean rates between rows, in rad/s."""
    if trajectory.Omega is not None:
        return trajectory.velocity_rounding
    return 2 * trajectory.attitude_rounding / float(np.median(np.diff(trajectory.t)))


def _find_first_rate(t: Array, R: Array, moments: Array) -> Array:
    """Return the rate with which the exact motion from the first attitude meets the second one."""
    interval = t[1] - t[0]
    rate = Rotation.from_matrix(R[0].T @ R[1]).as_rotvec() / interval
    for _ in range(ITERATIONS):
        met = FreeBody(moments, R[0], rate).at([interval]).R[0]
        rate = rate + Rotation.from_matrix(met.T @ R[1]).as_rotvec() / interval
    return np.asarray(rate, float)


def _find_attitude_doubt(
    trajectory: Trajectory, moments: Array, errors: Array, first: Array, R: Array
) -> Array:
    """Return the angles (n,) by which the exact attitude changes with the rounding of the first row
    and the errors of the moments.
    """
    t = trajectory.t
    squares = np.full(len(t), (2 * trajectory.attitude_rounding) ** 2)
    rounding = _find_rate_rounding(trajectory)
    starts = first + rounding * np.eye(3)
    bodies = FreeBodies(moments, np.repeat(trajectory.R[:1], 3, axis=0), starts)
    for i in range(3):
        turned = bodies.at(t, np.full(len(t), i)).R
        squares = squares + measure_turns(turned, R) ** 2
    for place in np.flatnonzero(errors):
        other = moments + errors[place] * np.eye(3)[place]
        squares = squares + measure_turns(FreeBody(other, R[0], first).at(t).R, R) ** 2
    return np.sqrt(squares)
