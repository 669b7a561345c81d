"""What a rule leaves of a trajectory: step by step from the file's own rows, and over the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from .stepping import (
    Differences,
    Noise,
    Residuals,
    Trial,
    advance_with_derivatives,
    find_rotation_vectors,
    whiten,
)

NEWTON_STEPS = 4
"""Newton's steps for the velocity that turns a body from row to row."""
SOLVED = 1e-9
"""The angle in rad that may be missing before the last of Newton's steps."""
GAINS = 0.99
"""A fit goes on if a step of it leaves at most this part of what was left."""
FIT_STEPS = 3
"""Steps of Gauss and Newton for fitted numbers."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbouring rows of a trajectory.

    Attributes
    ----------
    R : (k, m, 3, 3) attitudes of m rows, and of the k − 1 rows after each of them.
    Omega : (k, m, 3) their angular velocities in the body's frame; None if only attitudes are known.
    """

    R: Array
    Omega: Array | None


NO_RESIDUALS = Residuals(np.empty((0, 6)), np.empty((0, 6)), np.empty((0, 6, 6)))
"""What is left of no rows."""
Check = Callable[[Trial], Residuals]


def check_steps(trial: Trial, rows: Neighbours, noise: Noise) -> Residuals:
    """Return what a rule leaves of single rows: of attitude and velocity, or of the attitude after two
    rows, of which the first has the velocity.
    """
    if rows.Omega is None:
        return _check_turns(trial, rows, noise)
    end = advance_with_derivatives(trial, rows.R[0], rows.Omega[0], np.array([1]))
    turned = find_rotation_vectors(rows.R[1] @ np.swapaxes(end.R[0], -1, -2))
    raw = np.concatenate([turned, rows.Omega[1] - end.Omega[0]], axis=1)
    by_velocity = np.concatenate([end.turns[0], end.gains[0]], axis=1)
    covariances = noise.velocity**2 * by_velocity @ np.swapaxes(by_velocity, -1, -2)
    made = _of_arithmetic(noise, trial.substeps)
    variances = [2 * noise.attitude**2 + made[0], noise.velocity**2 + made[1]]
    covariances = covariances + np.diag(np.repeat(variances, 3))
    return Residuals(raw, whiten(raw, covariances), covariances)


def _of_arithmetic(noise: Noise, steps: int) -> tuple[float, float]:
    """The variances that the arithmetic of steps adds to attitude and velocity."""
    return steps * noise.turn**2, steps * noise.gain**2


def _check_turns(trial: Trial, rows: Neighbours, noise: Noise) -> Residuals:
    """Return what a rule leaves of the second of two turns, by the velocity that makes the first."""
    _, end = find_velocities(trial, rows)
    raw = find_rotation_vectors(rows.R[2] @ np.swapaxes(end.R[1], -1, -2))
    with np.errstate(all="ignore"):
        later = end.turns[1] @ _invert(end.turns[0])
    turned, gained = _of_arithmetic(noise, trial.substeps)
    one = np.eye(3)
    first = noise.attitude**2 + turned
    covariances = (
        noise.attitude**2 * (one + (one - later) @ np.swapaxes(one - later, -1, -2))
        + first * later @ np.swapaxes(later, -1, -2)
        + turned * one
        + gained * end.turns[0] @ np.swapaxes(end.turns[0], -1, -2)
    )
    return Residuals(raw, whiten(raw, covariances), covariances)


def _invert(matrices: Array) -> Array:
    """Return the inverses of matrices (m, 3, 3), nan where there is none."""
    inverse = np.full_like(matrices, np.nan)
    good = np.isfinite(matrices).all(axis=(1, 2)) & (np.abs(np.linalg.det(matrices)) > 0.0)
    inverse[good] = np.linalg.inv(matrices[good])
    return inverse


def find_velocities(trial: Trial, rows: Neighbours) -> tuple[Array, Differences]:
    """Return the velocities (m, 3) by which a rule turns each row to the next, and the states one and
    two rows later.
    """
    first = find_rotation_vectors(np.swapaxes(rows.R[0], -1, -2) @ rows.R[1])
    Omega = first / trial.dt
    for _ in range(NEWTON_STEPS):
        end = advance_with_derivatives(trial, rows.R[0], Omega, np.array([1]))
        missing = find_rotation_vectors(rows.R[1] @ np.swapaxes(end.R[0], -1, -2))
        Omega = Omega + (_invert(end.turns[0]) @ missing[..., None])[..., 0]
        Omega = np.where(np.isfinite(Omega).all(axis=1, keepdims=True), Omega, first / trial.dt)
        if not np.abs(missing).max(initial=0.0) > SOLVED:
            break
    return Omega, advance_with_derivatives(trial, rows.R[0], Omega, np.array([1, 1]))


def follow(
    trial: Trial, R: Array, Omega: Array | None, noise: Noise, at: NDArray[np.integer]
) -> Residuals:
    """Return what a rule leaves of the rows `at` if it starts from the first row and goes on, with the
    state of the first row fitted within the rounding of the rows.

    R, Omega : all rows.
    """
    if Omega is None:
        rows = Neighbours(R[:3, None], None)
        start = find_velocities(trial, rows)[0]
    else:
        start = Omega[:1]
    begin = R[:1]
    frames = np.diff(at, prepend=0)
    unknown = np.full((len(at), 3), np.nan)
    residuals = Residuals(unknown, unknown, np.full((len(at), 3, 3), np.nan))
    for _ in range(2):
        end = advance_with_derivatives(trial, begin, start, frames)
        if not all(np.isfinite(part).all() for part in end):
            return residuals
        turned = find_rotation_vectors(R[at] @ np.swapaxes(end.R[:, 0], -1, -2))
        raw = turned
        by_velocity = end.turns[:, 0]
        by_attitude = np.broadcast_to(np.eye(3), by_velocity.shape)
        if Omega is not None:
            raw = np.concatenate([turned, Omega[at] - end.Omega[:, 0]], axis=1)
            by_velocity = np.concatenate([by_velocity, end.gains[:, 0]], axis=1)
            by_attitude = np.concatenate([by_attitude, np.zeros_like(by_attitude)], axis=1)
        covariances = _accumulate(trial, noise, by_velocity, by_attitude, frames)
        slopes = np.concatenate([by_attitude, by_velocity], axis=2)
        white = whiten(raw, covariances)
        white_slopes = np.stack([whiten(slopes[..., i], covariances) for i in range(6)], axis=-1)
        if not (np.isfinite(white).all() and np.isfinite(white_slopes).all()):
            return residuals
        change = np.linalg.lstsq(white_slopes.reshape(-1, 6), white.reshape(-1), rcond=None)[0]
        residuals = Residuals(raw - slopes @ change, white - white_slopes @ change, covariances)
        begin = turn_by(np.asarray(change[:3], float)) @ begin
        start = start + change[3:]
    return residuals


def turn_by(vector: Array) -> Array:
    """Return the rotation (3, 3) by a small vector in space."""
    x, y, z = vector
    hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = float(np.linalg.norm(vector))
    first, second = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.asarray(np.eye(3) + first * hat + second * hat @ hat)


def _accumulate(
    trial: Trial, noise: Noise, by_velocity: Array, by_attitude: Array, frames: Array
) -> Array:
    """Return covariances of rows along a run: of their own rounding, and of the arithmetic of all
    steps before, which grows as a change of the start does.
    """
    steps = (frames * trial.substeps)[:, None, None]
    turned = noise.turn**2 * by_attitude @ np.swapaxes(by_attitude, -1, -2)
    gained = noise.gain**2 * by_velocity @ np.swapaxes(by_velocity, -1, -2)
    own = np.repeat([noise.attitude**2, noise.velocity**2], 3)[: by_velocity.shape[1]]
    return np.cumsum(steps * (turned + gained), axis=0) + np.diag(own)


def fit(trial: Trial, names: Iterable[str], check: Check) -> tuple[Trial, dict[str, float]]:
    """Return the trial with the numbers of these names by which a check leaves least, and their standard
    errors; a number that changes nothing stays.

    Names are those of options, "dt", or "J1" and "J2" for the ratios of the first two moments to the
    third.
    """
    errors: dict[str, float] = {}
    wanted = list(names)
    found = check(trial)
    for _ in range(FIT_STEPS):
        slopes = []
        scales = []
        for name in wanted:
            scale = 1e-6 * max(abs(read_number(trial, name)), 1e-2)
            there = check(change_number(trial, name, scale))
            slopes.append((there.white - found.white) / scale)
            scales.append(scale)
        matrix = np.array(slopes).reshape(len(wanted), -1).T
        good = np.isfinite(matrix).all(axis=1) & np.isfinite(found.white).reshape(-1)
        size = np.linalg.norm(matrix[good], axis=0)
        moves = (size > 0.0) & np.isfinite(size)
        if good.sum() <= moves.sum() or not moves.any():
            return trial, errors
        acting = [name for name, does in zip(wanted, moves, strict=True) if does]
        matrix = matrix[good][:, moves]
        target = -found.white.reshape(-1)[good]
        size = size[moves]
        change = np.linalg.lstsq(matrix / size, target, rcond=None)[0] / size
        spread = max(1.0, found.size)
        inverse = np.linalg.pinv((matrix / size).T @ (matrix / size))
        deviations = spread * np.sqrt(np.diag(inverse)) / size
        errors = dict(zip(acting, deviations.tolist(), strict=True))
        changed = trial
        for name, step in zip(acting, change, strict=True):
            changed = change_number(changed, name, float(step))
        there = check(changed)
        if not there.size < np.inf or there.size > 2 * found.size:
            break
        goes_on = there.size < GAINS * found.size
        trial, found = changed, there
        if not goes_on:
            break
    return trial, errors


def read_number(trial: Trial, name: str) -> float:
    """Return the value of a number of a trial (see `fit`)."""
    if name == "dt":
        return trial.dt
    if name in ("J1", "J2"):
        return float(trial.J[int(name[1]) - 1] / trial.J[2])
    return trial.numbers[name]


def change_number(trial: Trial, name: str, change: float) -> Trial:
    """Return the trial with a changed number (see `fit`)."""
    if name == "dt":
        return replace(trial, dt=trial.dt + change)
    if name in ("J1", "J2"):
        J = trial.J.copy()
        J[int(name[1]) - 1] += change * J[2]
        return replace(trial, J=J)
    return replace(trial, numbers={**trial.numbers, name: trial.numbers[name] + change})
