"""A first look at a rule: a few rows with many numbers of substeps at once, by few calls of its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from .residuals import Neighbours
from .stepping import NUDGE, Noise, Stepper, find_rotation_vectors, read_states

NEWTON_STEPS = 3
FIT_STEPS = 4
SOLVED = 1e-6
"""The angle in rad that may be missing before the last of Newton's steps."""
STEPS_AGAIN = 4
SOLVED_AGAIN = 1e-8
"""The same where the derivatives are those of nearly the same numbers."""
LITTLE = 10.0
"""What a rule leaves of a few rows, in units of what rounding leaves, from which on it is not looked at
again.
"""
ACROSS, MOST_ROWS = 0.3, 0.6
"""Damping and caps change a velocity along itself. What they leave across is at most this part of that, in
this part of the rows at least: a cap may change single rows by much.
"""
GAINS = 0.5
"""A fit goes on if a step of it leaves at most this part of what was left: from the rule that made the
rows it takes away almost all.
"""
ENOUGH = 0.1
"""What a fit leaves at most, in units of what rounding leaves, if it is good enough."""


@dataclass(frozen=True, eq=False)
class FirstRows:
    """What a first look compares with.

    Attributes
    ----------
    rows : some rows of the file with their followers.
    start : the first rows of the file, one after the other, for rules that remember more than a row
        has; `rows` and `start` both have (k, m, …).
    dt : the time between rows.
    speed : the largest angular velocity.
    moment : the third principal moment.
    """

    rows: Neighbours
    start: Neighbours
    dt: float
    speed: float
    moment: float


@dataclass(frozen=True, eq=False)
class Guesses:
    """Numbers of trials with one rule, of each an array over the trials.

    Attributes
    ----------
    substeps : (s,) steps between two rows.
    numbers : the options that are numbers, J1 and J2, which are the ratios of the first two moments to
        the third, and dt, the time between two rows.
    """

    substeps: Array
    numbers: Mapping[str, Array]

    def change(self, name: str, by: Array | float) -> Guesses:
        """Return the guesses with one number changed."""
        return Guesses(self.substeps, {**self.numbers, name: self.numbers[name] + by})

    def take(self, at: NDArray[np.integer]) -> Guesses:
        """Return some of the guesses."""
        return Guesses(
            self.substeps[at], {name: values[at] for name, values in self.numbers.items()}
        )

    def replace(self, at: NDArray[np.integer], part: Guesses) -> Guesses:
        """Return the guesses with some of them replaced."""
        numbers = {name: values.copy() for name, values in self.numbers.items()}
        for name, values in part.numbers.items():
            numbers[name][at] = values
        return Guesses(self.substeps, numbers)


def join_guesses(parts: Sequence[Guesses]) -> Guesses:
    """Return the trials of all parts, one part after the other."""
    return Guesses(
        np.concatenate([part.substeps for part in parts]),
        {name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers},
    )


class Start(NamedTuple):
    """The velocities (s, m, 3) by which trials turn rows to their followers, and the inverses (s, m, 3, 3) of
    the derivatives of what is missing, 0 where there are none.
    """

    Omega: Array
    inverse: Array

    def repeat(self, times: int) -> Start:
        """Return the start of the trials once after the other, so many times."""
        return Start(*(np.tile(part, (times,) + (1,) * (part.ndim - 1)) for part in self))

    def take(self, at: NDArray[np.integer]) -> Start:
        """Return that of some of the trials."""
        return Start(self.Omega[at], self.inverse[at])


class Look:
    """A rule on a few rows: one by one, or along the first ones."""

    def __init__(self, stepper: Stepper, first: FirstRows, along: bool) -> None:
        self._stepper = stepper
        self._first = first
        self._along = along
        rows = first.start if self._along else first.rows
        self._R, self._Omega = rows.R, rows.Omega

    def measure(self, guesses: Guesses) -> Array:
        """Return what trials leave, (s, m, d), attitudes in rad and velocities by the turn that they
        make in a row.
        """
        return self._measure(guesses, None)[0]

    def _measure(self, guesses: Guesses, near: Start | None) -> tuple[Array, Start | None]:
        """Return the same with the start of the trials, None if their velocities are known; `near` is that of
        trials with nearly the same numbers.
        """
        if self._Omega is None:
            start = self._find_start(guesses, near)
            return self._go_on(guesses, start.Omega), start
        if self._along:
            m = self._R.shape[1]
            begin = np.broadcast_to(self._R[0, :1], (m, 3, 3))
            Omega = np.broadcast_to(self._Omega[0, :1], (m, 3))
            end = self._advance(guesses, begin, Omega, np.arange(1, m + 1))
        else:
            end = self._advance(guesses, self._R[0], self._Omega[0], 1)
        return self._compare(end, self._R[1], self._Omega[1]), None

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
            states.reshape(s * m, 12), J, each, each["dt"] / substeps, steps
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

    def _find_start(self, guesses: Guesses, near: Start | None) -> Start:
        """Return the velocities by which each trial turns rows to their followers."""
        rows = slice(1) if self._along else slice(None)
        R, R1 = self._R[0, rows], self._R[1, rows]
        if near is not None:
            return self._find_start_again(guesses, R, R1, near)
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
            inverse = np.linalg.inv(np.where(good[..., None, None], slopes, np.eye(3)))
            inverse = np.where(good[..., None, None], inverse, 0.0)
            Omega = Omega + _multiply(inverse, missing[:, 0])
            if not np.abs(missing[:, 0][good]).max(initial=0.0) > SOLVED:
                break
        return Start(Omega, inverse)

    def _find_start_again(self, guesses: Guesses, R: Array, R1: Array, near: Start) -> Start:
        """Return the velocities from those of nearly the same numbers, with the same derivatives."""
        Omega, inverse = near
        for _ in range(STEPS_AGAIN):
            missing = self._compare(self._advance(guesses, R, Omega, 1), R1, None)
            step = _multiply(inverse, missing)
            Omega = Omega + step
            if not np.abs(missing[inverse.any(axis=(2, 3))]).max(initial=0.0) > SOLVED_AGAIN:
                break
        return Start(Omega, inverse)

    def _go_on(self, guesses: Guesses, Omega: Array) -> Array:
        """What trials leave of the second of two turns, or of those after the first one of a run."""
        if not self._along:
            return self._compare(self._advance(guesses, self._R[0], Omega, 2), self._R[2], None)
        m = self._R.shape[1]
        begin = np.broadcast_to(self._R[0, :1], (m, 3, 3))
        Omega = np.broadcast_to(Omega, (len(guesses.substeps), m, 3))
        end = self._advance(guesses, begin, Omega, np.arange(1, m + 1))
        return self._compare(end, self._R[1], None)[:, 1:]

    def scale(self, guesses: Guesses, noise: Noise) -> Array:
        """Return what rounding leaves, (s, m, d), roughly."""
        dt = self._first.dt
        known = self._Omega is not None
        rows = self._R.shape[1] - (self._along and not known)
        passed = np.arange(1, rows + 1) if self._along else np.ones(rows)
        arithmetic = guesses.substeps[:, None] * noise.turn**2 * passed * (1 + passed**2)
        by_velocity = dt * noise.velocity if known else 2 * noise.attitude
        turned = 2 * noise.attitude**2 + (by_velocity * passed) ** 2 + arithmetic
        if not known:
            return np.sqrt(np.repeat(turned[..., None], 3, axis=2))
        gained = 2 * (dt * noise.velocity) ** 2 + (dt * self._first.speed) ** 2 * arithmetic
        gained = gained + (dt * noise.velocity * passed * dt * self._first.speed) ** 2
        return np.sqrt(np.repeat(np.stack([turned, gained], axis=2), 3, axis=2))

    def may_limit(self, left: Array, scale: Array) -> NDArray[np.bool_]:
        """Return for which trials (s,) damping or a cap may explain what they leave of single rows: nearly
        all of it is along the velocity.
        """
        R = self._R[-1]
        if self._Omega is None:
            along = find_rotation_vectors(R @ np.swapaxes(self._R[-2], -1, -2))[:, None]
        else:
            body = self._Omega[-1]
            along = np.stack([(R @ body[..., None])[..., 0], body], axis=1)
        along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-300)
        parts = (left / scale).reshape(*left.shape[:2], -1, 3)
        sizes = np.sum(parts * along, axis=-1)
        rest = np.linalg.norm(parts - sizes[..., None] * along, axis=(2, 3))
        explained = rest <= ACROSS * np.linalg.norm(sizes, axis=2) + LITTLE
        return np.asarray(np.mean(explained, axis=1) >= MOST_ROWS)

    def fit(self, guesses: Guesses, names: Sequence[str], noise: Noise) -> tuple[Guesses, Array]:
        """Return the guesses with the numbers of these names by which trials leave least, and what they
        leave.
        """
        left, start = self._measure(guesses, None)
        going = np.arange(len(left)) if names else np.arange(0)
        for _ in range(FIT_STEPS):
            if not len(going):
                break
            part = guesses.take(going)
            scale = self.scale(part, noise)
            before = find_sizes(left[going] / scale)
            near = None if start is None else start.take(going)
            changed = self._improve(part, names, left[going], scale, near)
            there, near = self._measure(changed, near)
            after = find_sizes(there / scale)
            better = after < 2 * before
            guesses = guesses.replace(going[better], changed.take(np.flatnonzero(better)))
            left[going[better]] = there[better]
            if start is not None and near is not None:
                start.Omega[going[better]] = near.Omega[better]
            going = going[(after < GAINS * before) & (after > ENOUGH)]
        return guesses, left

    def _improve(
        self,
        guesses: Guesses,
        names: Sequence[str],
        left: Array,
        scale: Array,
        near: Start | None,
    ) -> Guesses:
        """Return the guesses after a step of Gauss and Newton, by what they leave."""
        changes = {name: 1e-6 * np.maximum(np.abs(guesses.numbers[name]), 1e-2) for name in names}
        nudged = join_guesses([guesses.change(name, by) for name, by in changes.items()])
        there, _ = self._measure(nudged, None if near is None else near.repeat(len(names)))
        slopes = [
            (nudged - left) / scale / by[:, None, None]
            for nudged, by in zip(np.split(there, len(names)), changes.values(), strict=True)
        ]
        matrix = np.stack(slopes, axis=-1).reshape(len(left), -1, len(names))
        target = -(left / scale).reshape(len(left), -1)
        good = np.isfinite(matrix).all(axis=2) & np.isfinite(target)
        matrix = np.where(good[..., None], matrix, 0.0)
        target = np.where(good, target, 0.0)
        size = np.linalg.norm(matrix, axis=1)
        size = np.where(size > 0.0, size, np.inf)
        unit = matrix / size[:, None]
        normal = np.swapaxes(unit, 1, 2) @ unit + 1e-12 * np.eye(len(names))
        right = np.swapaxes(unit, 1, 2) @ target[..., None]
        step = np.linalg.solve(normal, right)[..., 0] / size
        for i, name in enumerate(names):
            guesses = guesses.change(name, step[:, i])
        return guesses


def _multiply(matrices: Array, vectors: Array) -> Array:
    """Return products of matrices (…, 3, 3) and vectors (…, 3)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def find_sizes(left: Array) -> Array:
    """Roots of mean squares (s,), infinite where a trial leaves nothing to compare."""
    size = np.sqrt(np.mean(left**2, axis=(1, 2)))
    return np.where(np.isfinite(size), size, np.inf)
