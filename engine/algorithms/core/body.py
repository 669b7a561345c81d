"""The body as a step function sees it: its inertia, the torque that acts on it, and where it
reports its cost; two bodies; and a gyroscope, whose rates are given.

`engine.kernels` provides these to every step, compiled or in plain Python.
"""

from __future__ import annotations

from typing import Any, Protocol

from ...algebra import Diag3, Gravity, Mat3, Vec3, Zero3
from ...compiler.lanes import Lanes

Torque = Vec3 | Zero3
"""A torque; `Zero3` is the type of no torque at all, so that a free body's kernel contains none."""


class Solving(Protocol):
    """What an implicit step reports."""

    def count_newton(self, iterations: int) -> None:
        """Add to the cost of an implicit step."""

    def not_found(self) -> None:
        """Report that no solution of this step was found; the step then returns nan."""

    def no_solution(self) -> None:
        """Report that this step has no solution; the step then returns nan."""


class Body(Solving, Protocol):
    """One body, seen from its principal axes.

    Attributes
    ----------
    J, Jinv : the principal moments of inertia, and their inverses.
    ratios : (J₂ − J₃)/J₁, (J₃ − J₁)/J₂ and (J₁ − J₂)/J₃ of Euler's equations.
    has_potential : whether a torque acts, and `potential` is its potential.
    """

    J: Diag3
    Jinv: Diag3
    ratios: Diag3
    has_potential: bool

    def torque(self, t: float, R: Mat3, Ω: Vec3 | None = None, /) -> Torque:
        """The torque in the body's frame; with Ω for methods whose torque may depend on the
        velocity.
        """

    def torque_series(self, t: Any, R: Mat3, Ω: Vec3, /) -> Torque:
        """The torque in the body's frame as a series, for the time, the attitude and Ω as
        series.
        """

    def spatial_torque(self, t: float, R: Mat3, /) -> Torque:
        """The torque in space."""

    def torque_tangent(self, t: float, R: Mat3, M: Mat3, /) -> Mat3 | Zero3:
        """D M, where T(R exp(δ)) = T(R) + D δ and M is a matrix of turns."""

    def torque_slopes(
        self, t: float, R: Mat3, Ω: Vec3, T: Torque, turns: tuple[Mat3, ...], /
    ) -> tuple[tuple[Mat3 | Zero3, ...], Mat3 | Zero3]:
        """D M for each matrix M of turns, and V, where T(R exp(δ), Ω + ε) = T + D δ + V ε."""

    def torque_change(
        self, t: float, R: Mat3, T: Torque, directions: tuple[Mat3, ...], /
    ) -> Mat3 | Zero3:
        """The derivatives of the torque, which is T at R, along three matrices, also where R is no
        rotation.
        """

    def potential(self, t: float, R: Mat3, /) -> float:
        """The potential energy, 0 where the torque has none."""

    def torque_rate(self, t: float, R: Mat3, Ω: Vec3, /) -> Torque:
        """The rate of the spatial torque along the motion, seen from the body."""

    def torque_rate2(self, t: float, R: Mat3, Ω: Vec3, A: Vec3, /) -> Torque:
        """The second rate; A = dΩ/dt."""

    def next_stop(self, t: float, /) -> tuple[float, float]:
        """The next jump of the torque after t, or the end of the run, and until when the torque is
        that before it.
        """

    def count_own(self, accepted: int, rejected: int) -> None:
        """Add to the steps that the method chose and made, and to those it made in vain."""

    def count_uncorrected(self) -> None:
        """Report that the energy correction had no solution after this step."""


class Bodies(Solving, Protocol):
    """Two bodies that attract each other, each seen from its principal axes.

    Attributes
    ----------
    J1, J1inv, J2, J2inv : the principal moments of inertia, and their inverses.
    m1, m2, m : the masses, and the reduced mass m1 m2/(m1 + m2).
    """

    J1: Diag3
    J1inv: Diag3
    J2: Diag3
    J2inv: Diag3
    m1: float
    m2: float
    m: float

    def observe_gravity(self, X: Vec3, R: Mat3, /) -> Gravity:
        """The gravity for a view of a state, which is no cost of a step."""

    def separate(self, x: Vec3, axis1: Vec3, axis2: Vec3, /) -> tuple[Lanes, Lanes]:
        """The distances of the pairs of masses; see `MassPairs`."""

    def sum_pulls(self, xy: Lanes, zz: Lanes, /) -> tuple[Vec3, Vec3, Vec3]:
        """The force on body 1, and the parts of it that turn each body at its first axis."""

    def count_series(self) -> None:
        """Add a series to the evaluations of the gravity."""

    def next_stop(self, t: float, /) -> tuple[float, float]:
        """The end of the run, twice."""

    def count_own(self, accepted: int, rejected: int) -> None:
        """Add to the steps that the method chose and made, and to those it made in vain."""

    def gravity(self, X: Vec3, R: Mat3, /) -> Gravity:
        """The gravity with body 1 at X and with the attitude R, both seen from body 2, in the frame
        of body 2.
        """


class Gyro(Solving, Protocol):
    """A gyroscope: the given angular velocity of an attitude, in the body's frame."""

    def rate(self, t: float, /) -> Vec3:
        """The angular velocity at the time t, such as t + h/2 for the t and the h of the step."""

    def increment(self, t: float, h: float, /) -> Vec3:
        """The integral of the angular velocity from t to t + h, which may be a part of the step."""

    def next_stop(self, t: float, /) -> tuple[float, float]:
        """The end of the run, twice."""

    def count_own(self, accepted: int, rejected: int) -> None:
        """Add to the steps that the method chose and made, and to those it made in vain."""
