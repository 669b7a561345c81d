"""A gyroscope as a step sees it, the given rates of an attitude; and what is observed of the
attitude.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

from ..algebra import Mat3, Vec3, angle, dot, dot_entries, quaternion_of, rotation_of
from ..algebra.precision import is_single
from ..algebra.rarely_called import rarely_called
from ..compiler.primitives import double, single
from ..problems.field import Rate
from . import layout
from .ledger import Moved
from .memory import matrix_at, write_values
from .one_body import skew_of_axes
from .system import System

NODES = (
    (0.01985507175123188, 0.05061426814518813),
    (0.10166676129318664, 0.11119051722668724),
    (0.23723379504183550, 0.15685332293894364),
    (0.40828267875217510, 0.18134189168918100),
    (0.59171732124782490, 0.18134189168918100),
    (0.76276620495816450, 0.15685332293894364),
    (0.89833323870681340, 0.11119051722668724),
    (0.98014492824876810, 0.05061426814518813),
)
"""Gauss's eight nodes in a step with their weights: exact to roundoff for a phase of 2 rad in it."""


class Gyro(Moved):
    """The given angular velocity, in the frame of what the kernel moves.

    With rates in space, the kernel moves Rᵀ with −ω, since (Rᵀ)˙ = Rᵀ(−ω)^.

    Attributes
    ----------
    given : the kind of rate.
    p : its numbers; of a custom rate the ledger, in which its address is.
    end : the end of the run, in the precision of the step.
    begin : the time from which the step counts its times.
    pace : the time that the rate counts in a unit of the step's time: 1, but where rows of samples
        have times of their own.
    """

    __slots__ = ("begin", "end", "given", "ledger", "p", "pace")

    def __init__(
        self,
        given: Rate,
        p: Any,
        ledger: Any,
        end: float,
        begin: float = 0.0,
        pace: float = 1.0,
    ) -> None:
        self.given = given
        self.p = p
        self.ledger = ledger
        self.end = end
        self.begin = begin
        self.pace = pace

    def rate(self, t: float) -> Vec3:
        """The angular velocity, computed with 64 bits and rounded to those of the step."""
        self.ledger[layout.TORQUE_EVALUATIONS] += 1
        return self._round(self.observe_rate(self.begin + self.pace * double(t)))

    def increment(self, t: float, h: float) -> Vec3:
        """Its integral from t to t + h."""
        self.ledger[layout.TORQUE_EVALUATIONS] += 1
        begin, length = self.begin + self.pace * double(t), self.pace * double(h)
        if self.given.turn is not None:
            turn = self.given.turn(begin, length, self.p)
        else:
            turn = Vec3(0.0, 0.0, 0.0)
            for place, weight in NODES:
                turn = turn + weight * self.given.velocity(begin + place * length, self.p)
            turn = length * turn
        return self._round(-turn if self.given.in_space else turn)

    def observe_rate(self, t: float) -> Vec3:
        """The angular velocity for a view of a state, which is not counted."""
        rate = self.given.velocity(t, self.p)
        return -rate if self.given.in_space else rate

    def _round(self, v: Vec3) -> Vec3:
        return single(v) if is_single(self.end) else v

    def next_stop(self, t: float) -> tuple[float, float]:
        """The end of the run, twice."""
        return self.end, self.end


# ----------------------------------------------------------------- what is given and observed


def make_gyro(parameters: Any, ledger: Any, given: Rate) -> Gyro:
    """The gyroscope of a run."""
    p = ledger if given.by_pointer else parameters[layout.PARAMETERS :]
    return Gyro(given, p, ledger, float(parameters[layout.STOPS]))


def begin_step(gyro: Any, t: float, h: float) -> tuple[Gyro, float, float]:
    """The gyroscope, the time and the size of a step, whose times count from its start: those of a
    long run have more digits than a number of 32 bits.
    """
    if gyro.given.length is None:
        return Gyro(gyro.given, gyro.p, gyro.ledger, gyro.end, t), 0.0, h
    length = gyro.given.length(t, h, gyro.p)
    return Gyro(gyro.given, gyro.p, gyro.ledger, gyro.end, t, h / length), 0.0, length


def read_attitude(memory: Any, at: int) -> tuple[Mat3]:
    """R."""
    return (matrix_at(memory, at),)


def read_turned_attitude(memory: Any, at: int) -> tuple[Mat3]:
    """Rᵀ, which moves where the rates are in space."""
    return (matrix_at(memory, at).T,)


def attitude(shown: tuple[Any, ...]) -> tuple[Mat3]:
    """R of a view."""
    return (shown[0],)


def observe_attitude(gyro: Any, t: float, shown: tuple[Mat3, float]) -> tuple[float, ...]:
    """‖RᵀR − 1‖², the length of what is carried, and ω."""
    R, length = shown
    rate = gyro.observe_rate(t)
    return skew_of_axes(R), length, rate.x, rate.y, rate.z


def observe_turned_attitude(gyro: Any, t: float, shown: tuple[Mat3, float]) -> tuple[float, ...]:
    """The same, where Rᵀ moves with −ω in space."""
    R, length = shown
    rate = -(R @ gyro.observe_rate(t))
    return skew_of_axes(R), length, rate.x, rate.y, rate.z


@rarely_called
def put_attitude(
    rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]
) -> None:
    """Write one row; `before` holds the attitude before the step."""
    R = shown[0]
    write_values(rows, at, (R, angle(matrix_at(before, 0).T @ R), *seen))


@rarely_called
def put_turned_attitude(
    rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]
) -> None:
    """Write one row where Rᵀ moves."""
    R = shown[0]
    write_values(rows, at, (R.T, angle(matrix_at(before, 0).T @ R), *seen))


# ----------------------------------------------------------------- what a method carries


def start_matrix(gyro: Any, t: float, h: float, R: Any, *options: Any) -> tuple[Any]:
    """The first state of a method that carries R."""
    return (R,)


def start_quaternion(gyro: Any, t: float, h: float, R: Any, *options: Any) -> tuple[Any]:
    """The first state of a method that carries a quaternion."""
    return (quaternion_of(R),)


STARTS = {"R": start_matrix, "q": start_quaternion}
"""The first states by what they carry, of methods that have no start of their own."""


def view_matrix(gyro: Any, S: tuple[Any, ...]) -> tuple[Mat3, float]:
    """R, and the root of its mean squared column."""
    R = S[0]
    return R, sqrt(dot_entries(R, R) / 3.0)


def view_quaternion(gyro: Any, S: tuple[Any, ...]) -> tuple[Mat3, float]:
    """R of a quaternion, and its length."""
    q = S[0]
    return rotation_of(q), sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)


VIEWS = {"R": view_matrix, "q": view_quaternion}
"""The views by the first variable of a state."""

SYSTEM = System(
    make_gyro,
    read_attitude,
    attitude,
    observe_attitude,
    put_attitude,
    layout.ATTITUDE,
    checked=(0, 1),
    begin=begin_step,
)
"""An attitude whose rates are given in the body's frame."""
SPACE_SYSTEM = replace(
    SYSTEM,
    read=read_turned_attitude,
    observe=observe_turned_attitude,
    put_row=put_turned_attitude,
)
"""An attitude whose rates are given in space."""

# ----------------------------------------------------------------- samples of a sensor


def sample(
    gyro: Any, t: float, h: float, rate: Vec3, angle: Vec3, x: float, y: float, z: float
) -> tuple[Vec3, Vec3]:
    """The rate at the end of a step and the angle of the step, where the axes lag by x, y and z."""
    return start_samples(gyro, t + h, h, x, y, z)


def start_samples(gyro: Any, t: float, h: float, x: float, y: float, z: float) -> tuple[Vec3, Vec3]:
    """The rate at the start, and the angle of the interval before."""
    rate = Vec3(gyro.rate(t - x).x, gyro.rate(t - y).y, gyro.rate(t - z).z)
    before = t - h
    return rate, Vec3(
        gyro.increment(before - x, h).x,
        gyro.increment(before - y, h).y,
        gyro.increment(before - z, h).z,
    )


def view_samples(gyro: Any, S: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
    """Both."""
    return S


def read_nothing(memory: Any, at: int) -> tuple[()]:
    """A sampler begins with the time alone."""
    return ()


def list_nothing(shown: tuple[Any, ...]) -> tuple[()]:
    """A sampler has no attitude."""
    return ()


def observe_samples(gyro: Any, t: float, shown: tuple[Vec3, Vec3]) -> tuple[float]:
    """A number that is not finite where the samples are not."""
    rate, angle = shown
    return (dot(rate, rate) + dot(angle, angle),)


@rarely_called
def put_samples(
    rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]
) -> None:
    """Write one row."""
    write_values(rows, at, (*shown, *seen))


SAMPLER = System(
    make_gyro,
    read_nothing,
    list_nothing,
    observe_samples,
    put_samples,
    layout.SAMPLES,
    checked=(0,),
)
"""The samples of rates, without an attitude."""
