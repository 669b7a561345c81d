"""A first look at a rule: a few rows with many numbers of substeps at once, by few calls of its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..parameters.validation import Array
from .residuals import Rows
from .stepping import NUDGE, Noise, Stepper, find_rotation_vectors, read_states

NEWTON_STEPS = 3
FIT_STEPS = 4


@dataclass(frozen=True, eq=False)
class FirstRows:
    """What a first look compares with.

    Attributes
    ----------
    rows : some rows of the file with their followers.
    start : the first rows of the file, one after the other, for rules that remember more than a row
        has; `rows` and `start` both have (k, m, …).
    dt : the time between rows.
    noise : what rounding leaves.
    speed : the largest angular velocity.
    moment : the third principal moment.
    """

    rows: Rows
    start: Rows
    dt: float
    noise: Noise
    speed: float
    moment: float


@dataclass(frozen=True, eq=False)
class Guesses:
    """Numbers of trials with one rule, of each an array over the trials.

    Attributes
    ----------
    substeps : (s,) steps between two rows.
    numbers : the options that are numbers, and J1 and J2, the ratios of the first two moments to the
        third.
    """

    substeps: Array
    numbers: Mapping[str, Array]

    def change(self, name: str, by: Array | float) -> Guesses:
        """Return the guesses with one number changed."""
        return Guesses(self.substeps, {**self.numbers, name: self.numbers[name] + by})


class Look:
    """Rules on a few rows."""

    def __init__(self, stepper: Stepper, first: FirstRows) -> None:
        self._stepper = stepper
        self._first = first
        self._remembers = stepper.remembers
        rows = first.start if self._remembers else first.rows
        self._R, self._Omega = rows.R, rows.Omega

    def measure(self, guesses: Guesses) -> Array:
        """Return what trials leave, (s, m, d), attitudes in rad and velocities by the turn that they
        make in a row.
        """
        if self._remembers:
            return self._follow(guesses)
        if self._Omega is None:
            return self._check_turns(guesses)
        end = self._advance(guesses, self._R[0], self._Omega[0], 1)
        return self._compare(end, self._R[1], self._Omega[1])

    def _advance(self, guesses: Guesses, R: Array, Omega: Array, frames: Array | int) -> Array:
        """Return the states (s, m, 12) some rows after states (m) or (s, m)."""
        s, m = len(guesses.substeps), len(R)
        states = np.empty((s, m, 12))
        states[..., :9] = R.reshape(m, 9)
        states[..., 9:] = Omega
        each = {name: np.repeat(values, m) for name, values in guesses.numbers.items()}
        J = self._first.moment * np.stack([each["J1"], each["J2"], np.ones(s * m)], axis=1)
        substeps = np.repeat(guesses.substeps, m)
        steps = (guesses.substeps[:, None] * np.broadcast_to(frames, m)).reshape(-1)
        batch = self._stepper.begin(
            states.reshape(s * m, 12), J, each, self._first.dt / substeps, steps
        )
        batch.advance_here(int(steps.max()))
        return read_states(batch).reshape(s, m, 12)

    def _compare(self, end: Array, R: Array, Omega: Array | None) -> Array:
        """What states (s, m, 12) leave of rows (m)."""
        attitudes = end[..., :9].reshape(*end.shape[:2], 3, 3)
        turned = find_rotation_vectors(R @ np.swapaxes(attitudes, -1, -2))
        if Omega is None:
            return turned
        return np.concatenate([turned, self._first.dt * (Omega - end[..., 9:])], axis=2)

    def _find_start(self, guesses: Guesses, R: Array, R1: Array) -> Array:
        """Return the velocities (s, m, 3) by which each trial turns rows to their followers."""
        first = find_rotation_vectors(np.swapaxes(R, -1, -2) @ R1) / self._first.dt
        m = len(R)
        Omega = np.broadcast_to(first, (len(guesses.substeps), m, 3))
        change = NUDGE * max(self._first.speed, 1e-6)
        for _ in range(NEWTON_STEPS):
            nudged = np.concatenate([Omega, *(Omega + change * axis for axis in np.eye(3))], axis=1)
            end = self._advance(guesses, np.tile(R, (4, 1, 1)), nudged, 1)
            missing = self._compare(end, np.tile(R1, (4, 1, 1)), None)
            missing = missing.reshape(len(guesses.substeps), 4, m, 3)
            slopes = np.moveaxis(missing[:, :1] - missing[:, 1:], 1, -1) / change
            good = np.isfinite(slopes).all(axis=(2, 3))
            good &= np.abs(np.linalg.det(np.where(np.isfinite(slopes), slopes, 0.0))) > 0.0
            step = np.linalg.solve(
                np.where(good[..., None, None], slopes, np.eye(3)), missing[:, 0][..., None]
            )[..., 0]
            Omega = Omega + np.where(good[..., None], step, 0.0)
        return Omega

    def _check_turns(self, guesses: Guesses) -> Array:
        """What trials leave of the second of two turns."""
        Omega = self._find_start(guesses, self._R[0], self._R[1])
        return self._compare(self._advance(guesses, self._R[0], Omega, 2), self._R[2], None)

    def _follow(self, guesses: Guesses) -> Array:
        """What trials leave of rows along a run from the first one."""
        m = self._R.shape[1]
        begin = np.broadcast_to(self._R[0, :1], (m, 3, 3))
        if self._Omega is not None:
            Omega = np.broadcast_to(self._Omega[0, :1], (m, 3))
            end = self._advance(guesses, begin, Omega, np.arange(1, m + 1))
            return self._compare(end, self._R[1], self._Omega[1])
        start = self._find_start(guesses, self._R[0, :1], self._R[1, :1])
        Omega = np.broadcast_to(start, (len(guesses.substeps), m, 3))
        end = self._advance(guesses, begin, Omega, np.arange(1, m + 1))
        return self._compare(end, self._R[1], None)[:, 1:]

    def scale(self, guesses: Guesses) -> Array:
        """Return what rounding leaves, (s, m, d), roughly."""
        noise, dt = self._first.noise, self._first.dt
        known = self._Omega is not None
        rows = self._R.shape[1] - (self._remembers and not known)
        passed = np.arange(1, rows + 1) if self._remembers else np.ones(rows)
        arithmetic = guesses.substeps[:, None] * noise.turn**2 * passed * (1 + passed**2)
        by_velocity = dt * noise.velocity if known else 2 * noise.attitude
        turned = 2 * noise.attitude**2 + (by_velocity * passed) ** 2 + arithmetic
        if not known:
            return np.sqrt(np.repeat(turned[..., None], 3, axis=2))
        gained = 2 * (dt * noise.velocity) ** 2 + (dt * self._first.speed) ** 2 * arithmetic
        gained = gained + (dt * noise.velocity * passed * dt * self._first.speed) ** 2
        return np.sqrt(np.repeat(np.stack([turned, gained], axis=2), 3, axis=2))

    def fit(self, guesses: Guesses, names: Sequence[str]) -> Guesses:
        """Return the guesses with the numbers of these names by which trials leave least."""
        if not names:
            return guesses
        scale = self.scale(guesses)
        left = self.measure(guesses) / scale
        for _ in range(FIT_STEPS):
            slopes = []
            for name in names:
                change = 1e-6 * np.maximum(np.abs(guesses.numbers[name]), 1e-2)
                there = self.measure(guesses.change(name, change)) / scale
                slopes.append((there - left) / change[:, None, None])
            matrix = np.stack(slopes, axis=-1).reshape(len(left), -1, len(names))
            target = -left.reshape(len(left), -1)
            good = np.isfinite(matrix).all(axis=2) & np.isfinite(target)
            matrix = np.where(good[..., None], matrix, 0.0)
            target = np.where(good, target, 0.0)
            size = np.linalg.norm(matrix, axis=1)
            size = np.where(size > 0.0, size, np.inf)
            unit = matrix / size[:, None]
            normal = np.swapaxes(unit, 1, 2) @ unit + 1e-12 * np.eye(len(names))
            right = (np.swapaxes(unit, 1, 2) @ target[..., None])[..., 0]
            step = np.linalg.solve(normal, right[..., None])[..., 0] / size
            changed = guesses
            for i, name in enumerate(names):
                changed = changed.change(name, step[:, i])
            there = self.measure(changed) / scale
            better = find_sizes(there) < 2 * find_sizes(left)
            kept = {
                name: np.where(better, changed.numbers[name], values)
                for name, values in guesses.numbers.items()
            }
            guesses = Guesses(guesses.substeps, kept)
            left = np.where(better[:, None, None], there, left)
        return guesses


def find_sizes(left: Array) -> Array:
    """Roots of mean squares (s,), infinite where a trial leaves nothing to compare."""
    size = np.sqrt(np.mean(left**2, axis=(1, 2)))
    return np.where(np.isfinite(size), size, np.inf)
