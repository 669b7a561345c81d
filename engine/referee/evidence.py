"""What a trajectory shows of its rule: the step, rows with those that follow them, and their rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from .first_look import FirstRows
from .residuals import Neighbours
from .stepping import Noise
from .trajectory import Trajectory

DOUBLE, SINGLE = 1e-14, 3 * 2.0**-24
"""What the arithmetic of a step leaves, relative to a turn by 1 rad and to the velocity: with numbers of
64 bits, of which implicit rules solve for all but the last digits, and of 32 bits, in which engines
keep quaternions and angular velocities in space.
"""
FEW, MANY = 16, 120
"""Rows for a first look and for a decision."""
FEW_TURNS = 10
"""Rows for a first look without velocities, which takes many more steps."""
NEAR_CAP = 0.02
"""A cap is looked for if more than this part of the rows has a velocity within this part of the largest.
"""

LARGEST_TURN = 100.0
"""The turn in a step, in radians, from which on rows of a motion that blows up are left out: their
velocities have large rounding errors, which hide what distinguishes rules.
"""


class Evidence:
    """The rows of a trajectory with known moments, as rules are compared with them.

    Attributes
    ----------
    J : (3,) the moments.
    unknown : the ratios of moments that are only estimated: J1 and J2, over the third.
    dt : the time between two rows in s.
    fastest : the largest angular velocity.
    cap : the largest angular velocity after the first row.
    is_capped : whether so many rows are near it that a cap is possible.
    rounding : of the file's attitudes, as an angle in rad.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        assert trajectory.J is not None
        self.J = trajectory.J
        self.unknown = ("J1", "J2") if trajectory.moment_errors.any() else ()
        self.dt = trajectory.dt
        self.rounding = trajectory.attitude_rounding
        self._velocity_rounding = trajectory.velocity_rounding
        self._R = trajectory.R
        self._Omega = trajectory.Omega
        if self._Omega is not None and np.isnan(self._Omega).all():
            self._Omega = None
        if self._Omega is not None:
            turns = self.dt * np.linalg.norm(self._Omega, axis=1, keepdims=True)
            self._Omega = np.where(turns <= LARGEST_TURN, self._Omega, np.nan)
        speeds = _find_speeds(trajectory.t, self._R, self._Omega)
        self.fastest = float(speeds.max(initial=0.0))
        later = speeds[1:]
        self.cap = float(later.max(initial=0.0))
        near_cap = np.count_nonzero(later > (1 - NEAR_CAP) * self.cap)
        self.is_capped = bool(near_cap > NEAR_CAP * len(later))
        self._count = 2 if self._Omega is not None else 3
        self._neighbours = _list_neighbours(trajectory.t, self._R, self._Omega, self.dt)
        self._run = _find_run(self._neighbours, self._count)

    @property
    def suffices(self) -> bool:
        """Whether there are rows to compare rules with, of a body that turns."""
        return len(self._neighbours) >= 2 and self.fastest > 0.0

    @property
    def hides_precision(self) -> bool:
        """Whether the rounding of the file hides in which numbers it was computed."""
        return self.rounding > SINGLE / 100

    def spread_rows(self, most: int) -> Neighbours:
        """At most so many rows with their followers, evenly spread."""
        count = len(self._neighbours)
        at = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
        return self._take(self._neighbours[at])

    def take_rows(self, most: int) -> Neighbours:
        """The first rows with their followers, at most so many."""
        return self._take(self._neighbours[:most])

    def _take(self, at: NDArray[np.integer]) -> Neighbours:
        parts = [at + i for i in range(self._count)]
        velocities = None if self._Omega is None else np.stack([self._Omega[i] for i in parts])
        return Neighbours(np.stack([self._R[i] for i in parts]), velocities)

    def take_run(self) -> tuple[Array, Array | None]:
        """The rows of a run without gaps."""
        return self._R[self._run], None if self._Omega is None else self._Omega[self._run]

    def take_first_rows(self) -> FirstRows:
        """The rows for a first look."""
        R, velocities = self.take_run()
        few = FEW if velocities is not None else FEW_TURNS
        m = min(few, len(R) - 1)
        start = Neighbours(
            np.stack([R[:m], R[1 : m + 1]]),
            None if velocities is None else np.stack([velocities[:m], velocities[1 : m + 1]]),
        )
        return FirstRows(self.spread_rows(few), start, self.dt, self.fastest, float(self.J[2]))

    def find_noise(self, arithmetic: float) -> Noise:
        """What rounding leaves, of the file and of the arithmetic of steps."""
        attitude = max(self.rounding, 2.0**-53) / np.sqrt(3)
        velocity = attitude * self.fastest
        if np.isfinite(self._velocity_rounding):
            velocity = float(np.hypot(velocity, self._velocity_rounding / np.sqrt(3)))
        return Noise(attitude, velocity, arithmetic, arithmetic * self.fastest)


def _find_speeds(t: Array, R: Array, Omega: Array | None) -> Array:
    """The angular velocities that the rows show, without direction."""
    if Omega is not None:
        return np.asarray(np.linalg.norm(Omega[np.isfinite(Omega).all(axis=1)], axis=1))
    cosines = 0.5 * (np.einsum("nij,nij->n", R[1:], R[:-1]) - 1.0)
    return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)) / np.diff(t))


def _list_neighbours(t: Array, R: Array, Omega: Array | None, dt: float) -> NDArray[np.integer]:
    """The rows that enough others follow to compare a step, after the time dt each, all of them known."""
    count = 2 if Omega is not None else 3
    good = np.abs(np.diff(t) - dt) < 0.1 * dt
    known = np.asarray(np.isfinite(R).all(axis=(1, 2)))
    if Omega is not None:
        known = known & np.asarray(np.isfinite(Omega).all(axis=1))
    at = np.arange(len(t) - count + 1)
    fits = np.ones(len(at), bool)
    for i in range(count):
        fits &= known[at + i]
        if i:
            fits &= good[at + i - 1]
    return at[fits]


def _find_run(neighbours: NDArray[np.integer], count: int) -> slice:
    """The rows of the first run without a gap that has enough for a decision, or of the longest; rows
    with `count` − 1 followers are given.
    """
    runs = np.split(neighbours, np.flatnonzero(np.diff(neighbours) != 1) + 1)
    run = next((run for run in runs if len(run) >= MANY), max(runs, key=len))
    return slice(int(run[0]), int(run[-1]) + count) if len(run) else slice(0, 0)
