"""One body as a step function sees it, its inertia and the torque that acts on it; and what is
observed of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, Zero3, angle, dot, exp, hat, norm, rotation_of
from ..algebra.precision import ByPrecision
from ..algebra.rarely_called import rarely_called
from ..algorithms.core import euler_ratios
from ..compiler.dual import derivative, with_slopes
from ..problems.field import FREE, Field
from . import layout
from .ledger import Moved
from .memory import matrix_at, vector_at, write_values
from .system import System

DIFFERENCE = ByPrecision(6e-6, single=5e-3)
"""Angle of the central differences for a torque's derivative: the cube root of roundoff."""
STEP = ByPrecision(1.5e-8, single=2.5e-4)
"""Size of one-sided differences, an angle or a velocity: the square root of roundoff."""


class BodyInField(Moved):
    """A rigid body in principal axes, with the torque that acts on it.

    Attributes
    ----------
    J, Jinv : Diag3, principal inertia and its inverse.
    ratios : Diag3, Euler's (J₂ − J₃)/J₁, (J₃ − J₁)/J₂, (J₁ − J₂)/J₃.
    energy : the energy to be restored by the energy correction.
    chi : Vec3, the unit body axis of π·χ.
    p : the field's numbers; if it calls functions of the caller's own, the ledger, in which their
        addresses are.
    stops : the end of the run, the jumps of the torque, and how long before a jump the torque is
        that before it.
    held : the torque in space if that is held, as over a frame; None if it is the field's.
    """

    __slots__ = (
        "J",
        "Jinv",
        "axes",
        "chi",
        "energy",
        "field",
        "held",
        "ledger",
        "p",
        "ratios",
        "stops",
    )

    def __init__(
        self,
        parameters: Sequence[float],
        ledger: Any,
        field: Field,
        held: Vec3 | None = None,
        J: Any = None,
    ) -> None:
        def read_numbers(start: int, n: int) -> list[float]:
            return [float(x) for x in parameters[start : start + n]]

        self.J = Diag3(*read_numbers(layout.INERTIA, 3)) if J is None else J
        self.Jinv = self.J.inv
        self.ratios = euler_ratios(self.J)
        self.energy = read_numbers(layout.ENERGY, 1)[0]
        self.axes = Mat3(*read_numbers(layout.AXES, 9))
        self.chi = Vec3(*read_numbers(layout.FIGURE_AXIS, 3))
        self.p = (
            ledger
            if field.by_pointer
            else tuple(read_numbers(layout.FIELD_NUMBERS, layout.FIELD_CAPACITY))
        )
        self.stops = tuple(read_numbers(layout.STOPS, layout.PARAMETERS - layout.STOPS))
        self.field = field
        self.held = held
        self.ledger = ledger

    def torque(self, t: float, R: Mat3, Ω: Any = None) -> Vec3 | Zero3:
        """The torque in the body's frame, T(t, R); or T(t, R, Ω) if it depends on Ω and the method
        passes it.
        """
        if self.held is not None:
            return R.T @ self.held
        T = self._in_field(t, R, *((Ω,) if self.field.of_velocity else ()))
        if self.field.own_axes:
            note_if_bad(T, self.ledger)
        if not isinstance(T, Zero3):
            self.ledger[layout.TORQUE_EVALUATIONS] += 1
        return T

    def torque_series(self, t: Any, R: Mat3, Ω: Vec3) -> Vec3 | Zero3:
        """The torque in the body's frame as a series, for the time, the attitude and Ω as
        series.
        """
        T = self._in_field(t, R, *((Ω,) if self.field.of_velocity else ()))
        if not isinstance(T, Zero3):
            self.ledger[layout.TORQUE_EVALUATIONS] += 1
        return T

    def _in_field(self, t: Any, R: Mat3, *more: Any) -> Any:
        if not self.field.own_axes:
            return self.field.torque(t, R, *more, self.p)
        return self.axes.T @ self.field.torque(
            t, R @ self.axes.T, *[self.axes @ v for v in more], self.p
        )

    def spatial_torque(self, t: float, R: Mat3) -> Vec3 | Zero3:
        """The torque in space, t = R T."""
        return R @ self.torque(t, R)

    def torque_tangent(self, t: float, R: Mat3, M: Mat3) -> Mat3 | Zero3:
        """D M, where T(R exp(δ)) = T(R) + D δ and M is a matrix of turns."""
        if self.held is not None:
            return hat(R.T @ self.held) @ M
        if self.field.tangent is None:
            return torque_differences(self, t, R) @ M
        return self.field.tangent(t, R, M, self.p)

    def torque_slopes(
        self, t: float, R: Mat3, Ω: Vec3, T: Vec3 | Zero3, turns: tuple[Mat3, ...]
    ) -> tuple[tuple[Mat3 | Zero3, ...], Mat3 | Zero3]:
        """D M for each matrix M of turns, and V, where T(R exp(δ), Ω + ε) = T + D δ + V ε.

        Differences are one-sided, with an error of about 1e-8, which is enough to solve equations.
        """
        if self.held is not None or self.field.tangent is not None:
            return tuple([self.torque_tangent(t, R, M) for M in turns]), Zero3()
        D, V = find_slopes(self, t, R, Ω, T)
        return tuple([D @ M for M in turns]), V

    def torque_change(
        self, t: float, R: Mat3, T: Vec3 | Zero3, directions: tuple[Mat3, ...]
    ) -> Mat3 | Zero3:
        """The derivatives of the torque, which is T at R, along three matrices, also where R is no
        rotation; by one-sided differences.
        """
        if isinstance(T, Zero3):
            return T
        d = STEP.of(R.xx)
        return join_columns([(self.torque(t, R + d * dR) - T) * (1.0 / d) for dR in directions])

    def torque_rate(self, t: float, R: Mat3, Omega: Vec3) -> Vec3 | Zero3:
        """Rᵀ L̈, the rate of the spatial torque seen from the body."""
        if self.held is not None:
            return Zero3()
        if self.field.rate is None:
            moved = along(R, R @ hat(Omega))
            found = moved @ self._in_field(with_slopes(t, (1.0,)), moved)
            return R.T @ Vec3(*[derivative(x) for x in found])
        return self.field.rate(t, R, Omega, self.p)

    def torque_rate2(self, t: float, R: Mat3, Omega: Vec3, A: Vec3) -> Vec3 | Zero3:
        """Rᵀ L⃛, the second rate of the spatial torque seen from the body; A = dΩ/dt."""
        if self.held is not None:
            return Zero3()
        if self.field.rate2 is None:
            dR = R @ hat(Omega)
            moved = along(along(R, dR), along(dR, dR @ hat(Omega) + R @ hat(A)))
            found = moved @ self._in_field(with_slopes(with_slopes(t, (1.0,)), (1.0,)), moved)
            return R.T @ Vec3(*[derivative(derivative(x)) for x in found])
        return self.field.rate2(t, R, Omega, A, self.p)

    @property
    def has_potential(self) -> bool:
        """Whether a torque acts, and `potential` is its potential; a held torque is not that of the
        field.
        """
        return self.held is None and self.field is not FREE and self.field.potential is not None

    def potential(self, t: float, R: Mat3) -> float:
        """The potential energy, 0 where the torque has none."""
        if self.field.potential is None:
            return 0.0
        R = R @ self.axes.T if self.field.own_axes else R
        return self.field.potential(t, R, self.p)

    def further(self, R: Mat3, Ω: Vec3) -> tuple[float, ...]:
        """The field's further integrals."""
        return tuple([integral.of(self.J, R, Ω, self.p) for integral in self.field.integrals])

    def next_stop(self, t: float) -> tuple[float, float]:
        """The next jump of the torque after t, or the end of the run, and until when the torque is
        that before it.
        """
        end, *jumps, before = self.stops
        stop = latest = end
        for jump in jumps:
            nearer = t < jump <= stop
            latest = jump - before if nearer else latest
            stop = jump if nearer else stop
        return stop, latest

    def count_uncorrected(self) -> None:
        """Record that the energy correction had no solution after this step."""
        self.ledger[layout.UNCORRECTED] += 1


def along(R: Mat3, rate: Mat3) -> Mat3:
    """The matrix with its rate, of dual numbers."""
    return Mat3(*[with_slopes(x, (v,)) for x, v in zip(R, rate, strict=True)])


def note_if_bad(T: Any, ledger: Any) -> None:
    """Note a torque that is infinite or nan, so that a method that fails on it is not blamed."""
    size = dot(T, T)
    if size - size != 0.0:
        ledger[layout.BAD_TORQUE] = 1


def torque_differences(body: Any, t: float, R: Mat3) -> Mat3:
    """The torque's tangent by central differences: six torques, an error of about 1e-10."""
    d = DIFFERENCE.of(R.xx)
    ahead = (Vec3(d, 0.0, 0.0), Vec3(0.0, d, 0.0), Vec3(0.0, 0.0, d))
    return join_columns([difference(body, t, R, d, v) for v in ahead])


@rarely_called
def find_slopes(
    body: Any, t: float, R: Mat3, Ω: Vec3, T: Vec3 | Zero3
) -> tuple[Mat3, Mat3 | Zero3]:
    """The torque's derivatives by a turn and by the velocity."""
    d = STEP.of(R.xx)
    ahead = (Vec3(d, 0.0, 0.0), Vec3(0.0, d, 0.0), Vec3(0.0, 0.0, d))
    D = join_columns([(body.torque(t, R @ exp(v), Ω) - T) * (1.0 / d) for v in ahead])
    if not body.field.of_velocity:
        return D, Zero3()
    s = 1.0 + norm(Ω)
    return D, join_columns([(body.torque(t, R, Ω + s * v) - T) * (1.0 / (s * d)) for v in ahead])


def join_columns(columns: list[Any]) -> Mat3:
    """The matrix with these columns."""
    x, y, z = columns
    return Mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)


def difference(body: Any, t: float, R: Mat3, d: float, v: Vec3) -> Any:
    """The torque's rate along the small turn v, of length d, by a central difference."""
    return (body.torque(t, R @ exp(v)) - body.torque(t, R @ exp(-v))) * (0.5 / d)


# ----------------------------------------------------------------- what is given and observed


def read_body(memory: Any, at: int) -> tuple[Mat3, Vec3]:
    """R and Ω."""
    return matrix_at(memory, at), vector_at(memory, at + layout.ROW_VELOCITY)


def attitude(shown: tuple[Any, ...]) -> tuple[Mat3]:
    """R among R, Ω and π."""
    return (shown[0],)


def observe_free(body: Any, t: float, shown: tuple[Mat3, Vec3, Vec3]) -> tuple[float, ...]:
    """Energy, π, |π|², |Π|² and ‖RᵀR − 1‖²."""
    R, Omega, pi = shown
    Pi = body.J @ Omega
    return 0.5 * dot(Omega, Pi), pi.x, pi.y, pi.z, dot(pi, pi), dot(Pi, Pi), skew_of_axes(R)


def observe_forced(body: Any, t: float, shown: tuple[Mat3, Vec3, Vec3]) -> tuple[float, ...]:
    """The same, with the potential in the energy, π·χ and |Γ|², and the field's further
    integrals.
    """
    R, Omega, pi = shown
    Pi = body.J @ Omega
    Gamma = Vec3(R.zx, R.zy, R.zz)
    energy = 0.5 * dot(Omega, Pi) + body.potential(t, R)
    squares = (dot(pi, pi), dot(Pi, Pi), skew_of_axes(R))
    further = body.further(R, Omega)
    return (energy, pi.x, pi.y, pi.z, *squares, dot(Pi, body.chi), dot(Gamma, Gamma), *further)


def skew_of_axes(R: Mat3) -> float:
    """‖RᵀR − 1‖², Frobenius."""
    a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
    aa, bb, cc = dot(a, a) - 1.0, dot(b, b) - 1.0, dot(c, c) - 1.0
    ab, ac, bc = dot(a, b), dot(a, c), dot(b, c)
    return aa * aa + bb * bb + cc * cc + 2.0 * (ab * ab + ac * ac + bc * bc)


@rarely_called
def put_body_row(
    rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]
) -> None:
    """Write one row; `before` holds the attitude before the step, from which the increment is
    taken.
    """
    R, Omega, _ = shown
    increment = angle(matrix_at(before, 0).T @ R)
    write_values(rows, at, (R, Omega, increment, *seen))


# ----------------------------------------------------------------- what a method carries: its
# first state, and R, Ω and π of a state


def start_velocity(body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any) -> tuple[Any, Any]:
    """The first state of a method that carries R and Ω."""
    return R, Ω


def start_body_momentum(
    body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any
) -> tuple[Any, Any]:
    """The first state of a method that carries R and Π."""
    return R, body.J @ Ω


def start_spatial_momentum(
    body: Any, t: float, h: float, R: Any, Ω: Any, *options: Any
) -> tuple[Any, Any]:
    """The first state of a method that carries R and π."""
    return R, R @ (body.J @ Ω)


STARTS = {"Ω": start_velocity, "Π": start_body_momentum, "π": start_spatial_momentum}
"""The first states by what they carry besides R, of methods that have no start of their own."""


def view_velocity(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """The start of a method that carries R and Ω."""
    return S[0], S[1], S[0] @ (body.J @ S[1])


def view_body_momentum(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """The start of a method that carries R and Π."""
    return S[0], body.Jinv @ S[1], S[0] @ S[1]


def view_spatial_momentum(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """The start of a method that carries R and π, whose π is reported unchanged."""
    return S[0], body.Jinv @ (S[0].T @ S[1]), S[1]


def view_quaternion(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """The start of a method that carries a quaternion and Ω."""
    R = rotation_of(S[0])
    return R, S[1], R @ (body.J @ S[1])


VIEWS = {
    ("R", "Ω"): view_velocity,
    ("R", "Π"): view_body_momentum,
    ("R", "π"): view_spatial_momentum,
    ("q", "Ω"): view_quaternion,
}
"""The views by the first two variables of a state."""

SYSTEM = System(BodyInField, read_body, attitude, observe_forced, put_body_row, layout.ONE_BODY)
"""One body in a field."""
FREE_SYSTEM = replace(SYSTEM, observe=observe_free)
