"""A trajectory: times, attitudes and angular velocities as an engine wrote them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..parameters.validation import Array, check_inertia
from ..problems.mass_properties import principal_axes

EVEN = 1e-3
"""By how much the steps of even times differ, relative to one step."""
GAP = 1.5
"""A longer step, over the usual one, is a gap: rows are missing."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion at given times, in the frame of the body's principal axes if its moments are known.

    Attributes
    ----------
    t : (n,) times in s; the first is 0.
    R : (n, 3, 3) proper rotations, body → space.
    Omega : (n, 3) angular velocities in the body's frame, rad/s, nan where the file has none; or None.
    J : (3,) moments about the body's axes; or None.
    turn : (3, 3) the axes of this body's frame, as columns in the frame of the file.
    attitude_rounding : half a unit of the last place of the attitude's numbers, as an angle in rad.
    velocity_rounding : the same of the angular velocity, rad/s; nan without one.
    remarks : sentences on what was recognised, assumed and corrected.
    moment_errors : (3,) the errors of moments that were estimated from the motion; 0 of given ones.
    """

    t: Array
    R: Array
    Omega: Array | None
    J: Array | None
    turn: Array
    attitude_rounding: float
    velocity_rounding: float
    remarks: tuple[str, ...] = ()
    moment_errors: Array = field(default_factory=lambda: np.zeros(3))

    def with_moments(self, J: ArrayLike, errors: ArrayLike = (0.0, 0.0, 0.0)) -> Trajectory:
        """Return the same motion in the principal axes of an inertia."""
        moments, turn = principal_axes(J, of_a_body=False)
        return replace(
            self,
            R=self.R @ turn,
            Omega=None if self.Omega is None else self.Omega @ turn,
            J=moments,
            turn=self.turn @ turn,
            moment_errors=np.asarray(errors, float),
        )

    @property
    def dt(self) -> float:
        """The step in s, but for gaps; nan if the times are uneven."""
        step = find_step(self.t)
        usual = np.diff(self.t)[~find_gaps(self.t)]
        is_even = bool((np.abs(usual - step) <= EVEN * step).all())
        return step if len(usual) and is_even else float("nan")


def make_trajectory(
    t: ArrayLike,
    R: ArrayLike,
    Omega: ArrayLike | None = None,
    J: ArrayLike | None = None,
    attitude_rounding: float | None = None,
    velocity_rounding: float | None = None,
    remarks: tuple[str, ...] = (),
) -> Trajectory:
    """Return the trajectory of arrays, turned to the principal axes of J (3 moments or 3×3).

    The roundings are those of numbers of 64 bits unless given.
    """
    times = np.asarray(t, float)
    attitudes = np.asarray(R, float)
    count = len(times) if times.ndim == 1 else -1
    if count < 1:
        _refuse("t needs one time for each row", times)
    if attitudes.shape != (count, 3, 3):
        _refuse(f"R needs the shape ({count}, 3, 3)", attitudes)
    velocities = None if Omega is None else np.asarray(Omega, float)
    if velocities is not None and velocities.shape != (count, 3):
        _refuse(f"Omega needs the shape ({count}, 3)", velocities)
    attitudes = find_nearest_rotations(attitudes)
    epsilon = float(np.finfo(float).eps)
    if attitude_rounding is None:
        attitude_rounding = epsilon
    if velocity_rounding is None:
        largest = 0.0 if velocities is None else float(np.nanmax(np.abs(velocities), initial=0.0))
        velocity_rounding = float("nan") if velocities is None else epsilon * largest
    found = Trajectory(
        times - times[0],
        attitudes,
        velocities,
        None,
        np.eye(3),
        attitude_rounding,
        velocity_rounding,
        remarks,
    )
    return found if J is None else found.with_moments(check_inertia(J))


def find_step(t: Array) -> float:
    """The time between two rows without a gap: the mean of the usual ones, as a whole rate or with few
    digits if the rounding of the times allows that; their median if the times drift from even ones.
    """
    steps = np.diff(t)
    if not len(steps):
        return float("nan")
    median = float(np.quantile(steps, 0.5, method="lower"))
    usual = steps[np.abs(steps - median) < 0.5 * median]
    mean = float(usual.mean())
    drift = float(np.abs(np.cumsum(usual - mean)).max())
    if drift >= 0.5 * median:
        return median
    return find_simple_step(mean, 2 * drift / len(usual) + 1e-15 * mean)


def find_simple_step(mean: float, doubt: float) -> float:
    """The simplest step within a doubt: a whole number of steps in a second, or few digits."""
    rates = (1.0 / round(1.0 / mean),) if mean < 1.0 else ()
    shorter = (float(f"{mean:.{digits}g}") for digits in range(1, 10))
    return next((step for step in (*rates, *shorter) if abs(step - mean) <= doubt), mean)


def find_gaps(t: Array) -> NDArray[np.bool_]:
    """Return which of the steps (n − 1,) between rows are longer than the usual one."""
    steps = np.diff(t)
    return np.asarray(steps > GAP * np.median(steps)) if len(steps) else np.zeros(0, bool)


def find_nearest_rotations(matrices: Array) -> Array:
    """Return the proper rotations (n, 3, 3) nearest to matrices."""
    left, _, right = np.linalg.svd(matrices)
    signs = np.ones((len(matrices), 3))
    signs[:, 2] = np.linalg.det(left @ right)
    return (left * signs[:, None, :]) @ right


def _refuse(needs: str, got: Array) -> NoReturn:
    raise ValueError(f"{needs}; got shape {got.shape}")
