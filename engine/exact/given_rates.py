"""The exact motion of an attitude with given rates: by its closed form, or by reference runs."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from ..algorithms.core import OwnSteps
from ..algorithms.core.method import find_method
from ..kernels import Parts
from ..parameters.validation import Array
from ..problems.given_rates.given import GivenRates
from ..simulation import Follower
from .reference import (
    GOOD,
    LAST_DIGIT,
    Reference,
    States,
    Watch,
    compute_reference,
    turn_slightly,
)

METHOD = "RKMK853"
"""The method of reference runs."""


class AttitudeEstimate(NamedTuple):
    """A bound of a motion's error: the attitude in radians."""

    attitude: float


class AttitudeEstimates(NamedTuple):
    """Bounds of a motion's errors at its times, (n,); infinite where it is not known."""

    attitude: Array

    @property
    def worst(self) -> AttitudeEstimate:
        """The largest."""
        return AttitudeEstimate(float(self.attitude.max()))


@dataclass(frozen=True, eq=False, repr=False)
class GivenRatesMotion(States):
    """The exact motion of an attitude with given rates at some times; for a single time it is one
    state, without the axis of n.

    Attributes
    ----------
    t : (n,) the times.
    R : (n, 3, 3) attitude, body to space.
    how : the source of the motion, in words.
    estimates : bounds of each state's errors: of a closed form the rounding of its phase, of
        reference runs a multiple of the distance to runs with other tolerances.
    horizon : the time until which the attitude is good to 1e-6 rad, among the times requested.
    problem : whose rates they are.
    rates : (n, 3) the given angular velocity in the body's frame, if the reference runs have it.
    """

    series: ClassVar = ("R",)
    t: Array
    R: Array
    how: str
    estimates: AttitudeEstimates
    horizon: float
    problem: GivenRates
    rates: Array | None = None

    @functools.cached_property
    def Omega(self) -> Array:
        """(n, 3) the given angular velocity, in the body's frame."""
        return list_rates(self.problem, self.t, self.R) if self.rates is None else self.rates

    def select(self, at: Any) -> GivenRatesMotion:
        """The motion at some of the times; of one number, that state."""
        rates = None if self.rates is None else self.rates[at]
        return dataclasses.replace(super().select(at), rates=rates)

    @property
    def estimate(self) -> AttitudeEstimate:
        """The estimates of the worst state."""
        return self.estimates.worst


def find_attitudes(problem: GivenRates, t: Array, watch: Watch) -> GivenRatesMotion:
    """The exact attitudes at the times (n,), without the problem's sensor."""
    if not problem.has_exact:
        raise ValueError("a recording has no exact motion: it has samples of the rates alone")
    problem = problem.without_sensor
    rates = None
    if (solution := problem.solution) is not None:
        (first,) = solution.find(np.zeros(1))
        R = problem.R0 @ first.T @ solution.find(t)
        off = LAST_DIGIT * (1.0 + solution.phase * np.abs(t))
        how = "a closed form"
    else:
        found, estimates, how = compute_reference(RatesReference, problem, t, watch)
        R, rates, off = found["R"], found["Omega"], estimates[0]
    horizon = float(t[off <= GOOD].max(initial=0.0))
    return GivenRatesMotion(t, R, how, AttitudeEstimates(off), horizon, problem, rates)


def list_rates(problem: GivenRates, t: Array, R: Array) -> Array:
    """(n, 3) the angular velocities at the times (n,), in the frame of a body with the attitudes R; a
    call for each time.
    """
    if problem.rate is not None:
        rates = [tuple(cast(Any, problem.rate)(time)) for time in np.ravel(t).tolist()]
    else:
        rate, numbers, *_ = problem.rates
        rates = [tuple(rate.velocity(time, numbers)) for time in np.ravel(t).tolist()]
    Omega = np.array(rates, dtype=float).reshape(*np.shape(t), 3)
    return np.einsum("...ji,...j->...i", R, Omega) if problem.in_space else Omega


def estimate_effort(problem: GivenRates, last: float) -> int:
    """About how many steps a reference run to a time takes, with its witnesses; 0 for a closed
    form.
    """
    if not problem.has_exact or has_closed_form(problem):
        return 0
    return RatesReference.estimate_effort(problem.without_sensor, last)


def list_reference_kernels(problem: GivenRates) -> list[Parts]:
    """The kernel of reference runs; none for a closed form."""
    if not problem.has_exact or has_closed_form(problem):
        return []
    return RatesReference.list_kernels(problem.without_sensor, problem.dt)


def has_closed_form(problem: GivenRates) -> bool:
    """Whether a formula gives the attitudes."""
    return problem.solution is not None


class RatesReference(Reference[GivenRates]):
    """The reference run of an attitude with given rates."""

    series = ("R", "Omega")

    @staticmethod
    def choose_method(problem: GivenRates) -> OwnSteps:
        """RKMK853."""
        return cast(OwnSteps, find_method(METHOD, space=problem.space))

    @staticmethod
    def estimate_rate(problem: GivenRates) -> float:
        """The rate of the problem's own steps."""
        return 1.0 / problem.dt

    @staticmethod
    def perturb(problem: GivenRates, doubt: float) -> GivenRates:
        """The problem with another start."""
        return dataclasses.replace(problem, R0=turn_slightly(problem.R0, doubt))

    def find_states(self, run: Follower, rows: Array) -> tuple[Array, Array]:
        """The attitudes, and the rates, which are given."""
        return run.find_series(rows, "R")[None], run.find_series(rows, "Omega")[None]

    def measure_drift(self, rows: Array) -> Array:
        """That of the rows of R from their length 1 and from right angles."""
        return self.find_series(rows, "orthogonality")
