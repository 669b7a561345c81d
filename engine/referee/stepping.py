"""Steps of a rule from many states of a free body side by side, and what they leave of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core import Method
from ..kernels import Cancellation, ReadyKernel, compiles, layout
from ..kernels.batch import Batch
from ..parameters.validation import Array
from ..problems.problem import Problem
from ..simulation import prepare_kernel

BODY = Problem(J=(1.0, 2.0, 2.8), Omega0=(1.2, 1.9, 1.5))
"""Any free body, for which kernels are prepared; each call has its own moments and states."""
NUDGE = 1e-5
"""The change of a velocity or an option for a difference, relative to its size."""
POLAR_STEPS, EPSILON = 8, 2.0**-26
"""The most steps to the nearest rotation, each of which squares what is missing, and the change from
which on no further one is needed.
"""
PROBE = np.array([[0.6, -0.5, 0.62], [-0.4, 0.75, 0.53], [0.5, 0.61, -0.61]])
"""Directions of angular velocities, each about none of the axes."""
PROBE_J = np.array([1.0, 2.0, 2.8])
PROBE_ROWS = 6
"""The first rows of runs for which rules are compared: some rules begin with other steps."""
PROBE_TURN = 0.3
"""The turn of a step for which rules are compared; Bullet's turn differs beyond π/4."""
ALIKE, SAME = 1e-12, 1e-9
"""The difference of states from which on they are not the same but for rounding, by one rule and by two of
which each may solve equations.
"""


@dataclass(frozen=True, eq=False)
class Stepper:
    """The compiled steps of a method on free bodies.

    Attributes
    ----------
    method : a method with steps of a given size, all of its options chosen.
    names : the options that are numbers, which each body may have for itself.
    """

    method: Method
    kernel: ReadyKernel
    names: tuple[str, ...]

    @classmethod
    def of(cls, method: Method) -> Stepper:
        """Compile the steps of a method, or load them."""
        kernel = prepare_kernel(
            BODY, method, BODY.action(1.0), compiles(), side_by_side=True, varied=True, brief=True
        )
        names = (option.name for option, _ in method.step_arguments if not option.choices)
        return cls(method, kernel, tuple(names))

    @cached_property
    def remembers(self) -> bool:
        """Whether a state has more than attitude and velocity, so that a row does not determine the next
        one: steps in a run are then not the same as the first steps of runs.
        """
        if not set(self.method.carries[2:]) - {"T"}:
            return False
        trial = Trial(self, PROBE_TURN, 1, PROBE_J, self.numbers)
        begin = make_probes(1.0)
        rows = trial.advance(begin, np.ones(PROBE_ROWS, int))
        again = trial.advance(rows[:-1].reshape(-1, 12), np.array([1]))[0].reshape(rows[1:].shape)
        return not np.allclose(again, rows[1:], rtol=0.0, atol=ALIKE)

    @property
    def loses_length(self) -> bool:
        """Whether a quaternion does not stay a unit. Its length does not change how it turns, and rows
        do not have it.
        """
        options = {option.name: option.default for option in self.method.options} | dict(
            self.method.chosen
        )
        return options.get("renormalise") == "no"

    @property
    def numbers(self) -> dict[str, float]:
        """The values of the options that are numbers, as a step takes them."""
        values = {option.name: value for option, value in self.method.step_arguments}
        return {name: float(values[name]) for name in self.names}

    def begin(
        self,
        states: Array,
        J: Array,
        numbers: Mapping[str, Array | float],
        step: Array | float,
        steps: Array | float = 1e15,
    ) -> Batch:
        """Return free bodies (n) that begin with states (n, 12), R by rows and then Ω, and are to make
        so many steps.

        Moments (3) or (n, 3), numbers, step and steps are those of all bodies, or of each.
        """
        own = np.empty((len(states), layout.OWN_SIZE))
        own[:, : layout.PARAMETERS] = self.kernel.parameters
        own[:, layout.INERTIA : layout.INERTIA + 3] = J
        for at, name in enumerate(self.names, start=layout.OPTION_NUMBERS):
            own[:, at] = numbers[name]
        own[:, layout.OWN_STEP] = step
        own[:, layout.OWN_STEPS] = steps
        return Batch(self.kernel, states, 0.0, own=own)


def read_states(batch: Batch) -> Array:
    """Return the states (n, 12) of bodies, nan where the rule found none. The attitudes are the
    rotations nearest to what the rule computes.
    """
    return make_rotations(read_raw_states(batch))


def read_raw_states(batch: Batch) -> Array:
    """Return the same with attitudes as the rule computes them."""
    found = batch.state(0, layout.ONE_BODY.size).copy()
    found[batch.outcomes != layout.RUNNING] = np.nan
    return found


def make_rotations(states: Array) -> Array:
    """Return states (…, 12) with the rotations nearest to their attitudes."""
    R = states[..., :9].reshape(-1, 3, 3)
    with np.errstate(all="ignore"):
        R = R / np.cbrt(np.linalg.det(R))[:, None, None]  # of a quaternion that is not a unit
        for _ in range(POLAR_STEPS):
            change = 0.5 * R @ (np.eye(3) - np.swapaxes(R, -1, -2) @ R)
            R = R + change
            if not (np.abs(change) > EPSILON).any():
                break
    return np.concatenate([R.reshape(*states.shape[:-1], 9), states[..., 9:]], axis=-1)


@dataclass(frozen=True, eq=False)
class Trial:
    """How a rule is tried on a trajectory.

    Attributes
    ----------
    stepper : the rule.
    dt, substeps : the time between two rows in s, and the number of equal steps in it.
    J : (3,) the principal moments.
    numbers : the options that are numbers, as a step takes them.
    """

    stepper: Stepper
    dt: float
    substeps: int
    J: Array
    numbers: Mapping[str, float]

    def advance(self, states: Array, frames: NDArray[np.integer]) -> Array:
        """Return the states (len(frames), n, 12) after these numbers of rows, each from the one before."""
        found = []
        stop = Cancellation()
        batch = self._begin(states)
        for count in frames:
            for part in [1] * int(count) if self.stepper.loses_length else [int(count)]:
                batch.advance_here(part * self.substeps, stop)
                if self.stepper.loses_length:
                    batch = self._begin(read_states(batch))
            found.append(read_raw_states(batch))
        return make_rotations(np.array(found))

    def _begin(self, states: Array) -> Batch:
        return self.stepper.begin(states, self.J, self.numbers, self.dt / self.substeps)


class Noise(NamedTuple):
    """Standard deviations of one component: of attitudes (rad) and angular velocities (rad/s) in the
    file, and of what the arithmetic of a step adds to both.
    """

    attitude: float
    velocity: float
    turn: float
    gain: float


class Residuals(NamedTuple):
    """What a rule leaves of rows of a trajectory.

    Attributes
    ----------
    raw : (m, d) attitudes in rad, then velocities in rad/s.
    white : (m, d) the same in units of their expected standard deviations, not correlated in a row.
    covariances : (m, d, d) the expected ones.
    """

    raw: Array
    white: Array
    covariances: Array

    @property
    def size(self) -> float:
        """The root of the mean square in units of what rounding leaves; infinite if there is none."""
        size = float(np.sqrt(np.mean(self.white**2))) if self.white.size else np.inf
        return size if np.isfinite(size) else np.inf

    def subtract(self, other: Residuals) -> Array:
        """Return how much more another rule leaves, (m, d), in the units of this one."""
        return whiten(other.raw - self.raw, self.covariances)


def find_rotation_vectors(R: Array) -> Array:
    """Return the rotation vectors (…, 3) of rotations."""
    axial = 0.5 * np.stack(
        [
            R[..., 2, 1] - R[..., 1, 2],
            R[..., 0, 2] - R[..., 2, 0],
            R[..., 1, 0] - R[..., 0, 1],
        ],
        axis=-1,
    )
    sine = np.linalg.norm(axial, axis=-1, keepdims=True)
    cosine = 0.5 * (np.trace(R, axis1=-2, axis2=-1)[..., None] - 1.0)
    angle = np.arctan2(sine, cosine)
    return axial * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 1.0)


def whiten(raw: Array, covariances: Array) -> Array:
    """Return residuals (m, d) in units of their standard deviations, by covariances (m, d, d)."""
    good = np.isfinite(raw).all(axis=1) & np.isfinite(covariances).all(axis=(1, 2))
    white = np.full_like(raw, np.nan)
    scale = np.sqrt(np.diagonal(covariances[good], axis1=1, axis2=2))
    correlations = covariances[good] / (scale[:, :, None] * scale[:, None, :])
    correlations += 1e-12 * np.eye(raw.shape[1])
    root = np.linalg.cholesky(correlations)
    white[good] = np.linalg.solve(root, (raw[good] / scale)[..., None])[..., 0]
    return white


def nudge(Omega: Array) -> tuple[Array, float]:
    """Return velocities (4, m, 3), as they are and each component changed, and the change."""
    change = NUDGE * max(float(np.abs(Omega).max(initial=0.0)), 1e-6)
    nudges = np.concatenate([np.zeros((1, 3)), change * np.eye(3)])
    return Omega + nudges[:, None, :], change


def make_probes(speed: float) -> Array:
    """Return states with velocities of this size by which rules are compared."""
    Omega = speed * PROBE / np.linalg.norm(PROBE, axis=1, keepdims=True)
    return join_states(np.broadcast_to(np.eye(3), (len(PROBE), 3, 3)), Omega)


def join_states(R: Array, Omega: Array) -> Array:
    """Return states (n, 12) of attitudes and velocities."""
    return np.concatenate([R.reshape(-1, 9), Omega.reshape(-1, 3)], axis=1)


class Differences(NamedTuple):
    """States that follow from (m,) states, and their derivatives by the velocity at the start.

    Attributes
    ----------
    R, Omega : (k, m, 3, 3) and (k, m, 3).
    turns, gains : (k, m, 3, 3) derivatives of the attitude, as a rotation vector in space, and of
        the velocity.
    """

    R: Array
    Omega: Array
    turns: Array
    gains: Array


def advance_with_derivatives(
    trial: Trial, R: Array, Omega: Array, frames: NDArray[np.integer]
) -> Differences:
    """Advance states by the given numbers of rows, each from the one before."""
    changed, change = nudge(Omega)
    states = join_states(np.broadcast_to(R, (4, *R.shape)), changed)
    found = trial.advance(states, frames).reshape(len(frames), 4, len(R), -1)
    attitudes = found[..., :9].reshape(len(frames), 4, len(R), 3, 3)
    velocities = found[..., 9:]
    end = attitudes[:, 0]
    turned = find_rotation_vectors(attitudes[:, 1:] @ np.swapaxes(end, -1, -2)[:, None])
    gained = velocities[:, 1:] - velocities[:, :1]
    return Differences(
        end,
        velocities[:, 0],
        np.moveaxis(turned, 1, -1) / change,
        np.moveaxis(gained, 1, -1) / change,
    )


def are_one_rule(one: Trial, other: Trial, doubt: float = 0.0) -> bool:
    """Whether two rules move any body alike in the time between two rows, up to a part that is in doubt;
    their caps are left out.
    """
    ends = []
    for trial in (one, other):
        numbers = {
            name: 0.0 if name.startswith("max_") else value for name, value in trial.numbers.items()
        }
        speed = PROBE_TURN * min(one.substeps, other.substeps) / trial.dt
        probe = Trial(trial.stepper, trial.dt, trial.substeps, PROBE_J / speed**2, numbers)
        end = probe.advance(make_probes(speed), np.ones(PROBE_ROWS, int))
        end[..., 9:] /= speed
        ends.append(end)
    return bool(np.allclose(ends[0], ends[1], rtol=0.0, atol=SAME + doubt, equal_nan=True))
