"""The exact motion of two bodies, by reference runs."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from ..algorithms.core import OwnSteps
from ..algorithms.core.method import find_method
from ..parameters.validation import Array
from ..problems.two_bodies.pair import TwoBodies
from ..simulation import SYSTEMS, Follower
from ..simulation.two_bodies import SeenFromBody2
from .reference import (
    GOOD,
    METHOD,
    TURN,
    Reference,
    States,
    Watch,
    compute_reference,
    find_largest,
    measure_energy_drift,
    stretch_slightly,
    turn_slightly,
)


class PairEstimate(NamedTuple):
    """A bound of a motion's error: both attitudes in radians, the places relative to the largest
    distance between the bodies.
    """

    attitude: float
    place: float


class PairEstimates(NamedTuple):
    """Bounds of a motion's errors at its times, (n,); infinite where it is not known."""

    attitude: Array
    place: Array

    @property
    def worst(self) -> PairEstimate:
        """The largest of each."""
        return PairEstimate(float(self.attitude.max()), float(self.place.max()))


@dataclass(frozen=True, eq=False, repr=False)
class PairMotion(SeenFromBody2, States):
    """The exact motion of two bodies at some times; for a single time it is one state, without the
    axis of n.

    Attributes
    ----------
    t : (n,) the times.
    R1, R2 : (n, 3, 3) attitudes, body to space.
    Omega1, Omega2 : (n, 3) angular velocities, each in its body's frame.
    x1, x2, v1, v2 : (n, 3) places and velocities of the centres of mass in space.
    distance, energy : (n,) the least distance of a mass of one body from one of the other, and the
        energy.
    how : the source of the motion, in words.
    estimates : bounds of each state's errors, as of a `Motion`: a multiple of the distance to runs
        with other tolerances and other last digits, or of the change of energy and angular
        momentum.
    horizon : the time until which the attitudes are good to 1e-6 rad, among the times requested.
    """

    series: ClassVar = (
        "R1", "R2", "Omega1", "Omega2", "x1", "x2", "v1", "v2", "distance", "energy"
    )  # fmt: skip
    t: Array
    R1: Array
    R2: Array
    Omega1: Array
    Omega2: Array
    x1: Array
    x2: Array
    v1: Array
    v2: Array
    distance: Array
    energy: Array
    how: str
    estimates: PairEstimates
    horizon: float

    @property
    def estimate(self) -> PairEstimate:
        """The estimates of the worst state."""
        return self.estimates.worst


def has_pair_motion(pair: TwoBodies) -> bool:
    """Whether the gravity has a series, from which the motion follows."""
    return pair.attraction.pairs is not None


def find_pair_motion(pair: TwoBodies, t: Array, watch: Watch) -> PairMotion:
    """The motion of two bodies at the times (n,)."""
    found, off, how = compute_reference(PairReference, pair, t, watch)
    horizon = float(t[off[0] <= GOOD].max(initial=0.0))
    return PairMotion(t, **found, how=how, estimates=PairEstimates(*off), horizon=horizon)


class PairReference(Reference[TwoBodies]):
    """That of two bodies: its distances are those of the attitudes and of the places."""

    series = PairMotion.series

    @staticmethod
    def choose_method(problem: TwoBodies) -> OwnSteps:
        """TAYLOR; `ValueError` where the gravity has no series."""
        method = find_method(METHOD, space=problem.space)
        if SYSTEMS[problem.space].why_not(problem, method, problem.dt):
            raise ValueError(
                "the exact motion needs a Taylor series of the gravity, which only two dumbbells have"
            )
        return cast(OwnSteps, method)

    @staticmethod
    def estimate_rate(problem: TwoBodies) -> float:
        """That at which the bodies would fall together, or turn."""
        fastest = max(np.linalg.norm(problem.Omega1), np.linalg.norm(problem.Omega2))
        return max(1.0 / problem.falling_time(problem.nearest()), float(fastest) / TURN)

    @staticmethod
    def perturb(problem: TwoBodies, doubt: float) -> TwoBodies:
        """The two bodies with other attitudes, places and velocities, and another strength of
        gravity.
        """
        return dataclasses.replace(
            problem,
            G=problem.G * (1 + doubt),
            R1=turn_slightly(problem.R1, doubt),
            R2=turn_slightly(problem.R2, -doubt),
            X=stretch_slightly(problem.X, doubt),
            V=stretch_slightly(problem.V, -doubt),
            Omega1=stretch_slightly(problem.Omega1, doubt),
            Omega2=stretch_slightly(problem.Omega2, -doubt),
        )

    def find_states(self, run: Follower, rows: Array) -> tuple[Array, Array]:
        """Both attitudes, and the place of body 1 from body 2."""
        attitudes = np.stack([run.find_series(rows, name) for name in ("R1", "R2")])
        return attitudes, self._between(run, rows, "x")[None]

    def measure_drift(self, rows: Array) -> Array:
        """That of energy and angular momentum."""
        x, v = (self._between(self.run, rows, name) for name in "xv")
        bodies = (self.problem.body1, self.problem.body2)
        Omega = [self.find_series(rows, f"Omega{i}") for i in (1, 2)]
        Pi = [one @ body.J for one, body in zip(Omega, bodies, strict=True)]
        mass = bodies[0].mass * bodies[1].mass / (bodies[0].mass + bodies[1].mass)
        kinetic = mass * (v**2).sum(axis=-1) / 2
        for one, momentum in zip(Omega, Pi, strict=True):
            kinetic = kinetic + (one * momentum).sum(axis=-1) / 2
        L = self.find_series(rows, "angular_momentum")
        scale = find_largest(np.stack([mass * np.cross(x, v), *Pi]))
        away = np.sqrt(((L - L[0]) ** 2).sum(axis=-1)) / scale
        return np.maximum(measure_energy_drift(self.find_series(rows, "energy"), kinetic), away)

    def _between(self, run: Follower, rows: Array, name: str) -> Array:
        """(n, 3) the place or the velocity of body 1 from body 2."""
        first, second = (run.find_series(rows, f"{name}{i}") for i in (1, 2))
        return first - second
