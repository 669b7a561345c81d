"""RKMK853 and RKMK54: embedded pairs of Runge–Kutta–Munthe-Kaas methods, which choose their own steps.

As in RKMK, a step turns the attitude by exp Ψ, and dexp⁻¹ gives the rate of Ψ. The velocity follows Euler's equations,
and the impulses add up in the frame at the start of the step, which does not turn. At the end of a step, and at the
rows within it, the body has the momentum of the impulses, and Ψ is corrected so that this is also the momentum of
Euler's equations, from which it differs by the error of the step. Hairer's programs DOP853 and DOPRI5 have the pairs,
the controller and the dense output. Here the norms of the errors of Ψ and Ω take the place of those of components.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan, sqrt
from typing import Any

from ..algebra import Mat3, Turn, Vec3, Weights, combination, cross, dot, norm
from ..algebra.rotations import cos_near, cotangent_near, rodrigues_times, sinc_near
from ..algebra.values import Summed, Value
from ..text import FREE, TOPS, bibtex, declares, keeps, loses, measures, sentence, sentences, times
from .adaptive import TOLERANCES
from .core import MOMENTUM, PAIRS, Body, Method, Pair, Torque, angular_acceleration, register

MOST_STEPS = 100_000
"""The largest number of own steps from one row to the next."""
MOST_ATTEMPTS = 60
"""How often a step may become smaller before it is given up."""
SAFETY, LEAST, MOST = 0.9, 1.0 / 3.0, 6.0
"""The part of the size that the error allows, and the least and largest change of the size."""
WEIGHT_OF_TURN = 0.25
"""The weight of the error of Ψ beside that of Ω: the correction removes most of it."""
WEIGHT_OF_OTHER = 0.01
"""The weight of the estimate of order three beside that of order five."""
MOST_TURN = 3.0
"""Radians that a step turns at most."""
NO_SPEED = 1e-99
"""Stands for the speed of a body at rest."""
LITTLE = 0.03
"""A momentum is little, and corrects less, if it is less than that of the turn by this angle in the step."""


class Gain(Summed):
    """Gains in a step, or their rates: of Ψ, of the velocity, and of impulse in the frame at the start of the step."""

    __slots__ = tuple(f"{name}_{axis}" for name in ("turn", "velocity", "impulse") for axis in "xyz")

    @property
    def turn(self) -> Vec3:
        """Ψ."""
        return Vec3(*list(self)[:3])

    @property
    def velocity(self) -> Vec3:
        """ΔΩ."""
        return Vec3(*list(self)[3:6])

    @property
    def impulse(self) -> Vec3:
        """∫ exp(Ψ) T dt."""
        return Vec3(*list(self)[6:])


PARTS = 7
"""Coefficients of the dense output."""


class Course(Value):
    """The latest step: its start, its size, R and Π at its start, and the gains within it, as Hairer's polynomial."""

    __slots__ = tuple(f"part_{i}" for i in range(14 + 9 * PARTS))

    def find_gain(self, s: float) -> Gain:
        """The gain in a part s of the step."""
        parts = list(self)[14:]
        c, r = [Gain(*parts[9 * i : 9 * i + 9]) for i in range(PARTS)], 1.0 - s
        return s * (c[0] + r * (c[1] + s * (c[2] + r * (c[3] + s * (c[4] + r * (c[5] + s * c[6]))))))


def gather(dΨ: Vec3, dΩ: Vec3, impulse: Torque) -> Gain:
    """The gains, or rates, put together."""
    return Gain(dΨ.x, dΨ.y, dΨ.z, dΩ.x, dΩ.y, dΩ.z, impulse.x, impulse.y, impulse.z)


def find_turn_rate(Ψ: Vec3, Ω: Vec3) -> Vec3:
    """dexp⁻¹(−Ψ) Ω, by the polynomial for a quarter turn, which is within 10⁻⁷ up to MOST_TURN."""
    return rodrigues_times(Ψ, 0.5, cotangent_near(dot(Ψ, Ψ)), Ω)


def turn_within_half(v: Vec3) -> Turn:
    """exp(v) for up to half a turn, by the polynomials of a quarter of the angle, without a branch."""
    n2 = dot(v, v)
    z = 0.0625 * n2
    s = sinc_near(z)
    half, cosine = s * cos_near(z), 1.0 - 2.0 * z * s * s
    return Turn(v.x, v.y, v.z, half * cosine, 0.5 * half * half)


def find_rates(body: Body, t: float, R: Mat3, Ω: Vec3, gain: Gain) -> Gain:
    """The rates after this gain in a step from R and Ω."""
    Ψ, Ω = gain.turn, Ω + gain.velocity
    E = turn_within_half(Ψ)
    T = body.torque(t, R @ E, Ω)
    return gather(find_turn_rate(Ψ, Ω), angular_acceleration(body, T, Ω), E @ T)


def end_step(body: Body, h: float, R: Mat3, Π: Vec3, gain: Gain) -> tuple[Vec3, Turn, Mat3, Vec3]:
    """The corrected Ψ and exp Ψ, and R and Π after this gain in a step by h from R and Π."""
    p, least = Π + gain.impulse, LITTLE * (body.J.x + body.J.y + body.J.z) / h
    q = turn_within_half(gain.turn).T @ p
    δ = cross(body.J @ (body.Jinv @ Π + gain.velocity), q) / (dot(q, q) + least * least)
    Ψ = gain.turn + find_turn_rate(gain.turn, δ)
    E = turn_within_half(Ψ)
    return Ψ, E, R @ E, E.T @ p


def make_own_step(pair: Pair) -> Callable[..., Any]:
    """The step of a pair, of a size that it chooses."""
    stages, further = (tuple(zip(map(Weights, one.a), one.c, strict=True)) for one in (pair.tableau, pair.further))
    b, exponent = Weights(pair.tableau.b), 0.5 / pair.tableau.order
    nothing = Gain(*[0.0] * 9)

    def estimate(h: float, K: Any, turn: float, velocity: float) -> float:
        """The squared error relative to the tolerance, with these weights of Ψ and of Ω."""
        found = [h * combination(weights, K) for weights in pair.errors]
        e, *rest = [dot(g.turn, g.turn) * turn**2 + dot(g.velocity, g.velocity) * velocity**2 for g in found]
        for other in rest:
            if e > 0.0:
                e = e * e / (e + WEIGHT_OF_OTHER * other)
        return e

    def describe(body: Body, t: float, latest: float, h: float, R: Mat3, Π: Vec3, gain: Gain, K: Any) -> Course:
        """The dense output of a step."""
        for row, c in further:
            K += (find_rates(body, min(t + c * h, latest), R, body.Jinv @ Π, h * combination(row, K)),)
        bend = h * K[0] - gain
        parts = (gain, bend, gain - h * K[len(b)] - bend, *[h * combination(weights, K) for weights in pair.dense])
        parts += (nothing,) * (PARTS - len(parts))
        return Course(t, h, *R, *Π, *[number for part in parts for number in part])

    def own_step(
        body: Body, t: float, h: float, R: Mat3, Π: Vec3, at: float, R0: Mat3, Π0: Vec3, T: Torque, size: float,
        stop: float, latest: float, made: float, course: Course, rtol: float, atol: float,
    ) -> tuple[Mat3, Vec3, float, Mat3, Vec3, Any, float, float, float, float, Course]:  # fmt: skip
        """The next step, from R0 and Π0 at the time `at`, towards the row at t or beyond it."""
        if at >= stop:
            stop, latest = body.next_stop(at)
            T = body.torque(at, R0, body.Jinv @ Π0)
        Ω0 = body.Jinv @ Π0
        for i in range(MOST_ATTEMPTS):
            left = stop - at
            h = left if 0.99 * left < size else size
            K: Any = (gather(Ω0, angular_acceleration(body, T, Ω0), T),)
            for row, c in stages[1:]:
                K += (find_rates(body, min(at + c * h, latest), R0, Ω0, h * combination(row, K)),)
            gain = h * combination(b, K)
            Ψ, E, R, Π = end_step(body, h, R0, Π0, gain)
            Ω = body.Jinv @ Π
            T1 = body.torque(min(at + h, latest), R, Ω)
            K += (gather(find_turn_rate(Ψ, Ω), angular_acceleration(body, T1, Ω), E @ T1),)
            allowed = atol + rtol * max(norm(Ω0), norm(Ω)) + NO_SPEED
            e = estimate(h, K, WEIGHT_OF_TURN / (atol + rtol), 1.0 / allowed)
            change = max(e**exponent / SAFETY, 1.0 / MOST, norm(Ψ) / (SAFETY * MOST_TURN))
            again = h / min(change, 1.0 / LEAST)
            if e <= 1.0 and dot(Ψ, Ψ) <= MOST_TURN * MOST_TURN:
                body.count_own(1, i)
                end = stop if h == left else at + h
                if end > t:
                    course = describe(body, at, latest, h, R0, Π0, gain, K)
                if end > at and made < MOST_STEPS:
                    size = max(again, size) if h < size else again
                    return R, Π, end, R, Π, T1, size, stop, latest, made + 1.0, course
                break
            size = again if e > 1.0 else LEAST * h
        body.not_found()
        return nan * R0, nan * Π0, nan, nan * R0, nan * Π0, T, size, stop, latest, made, course

    return own_step


def reach(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, at: float, R0: Mat3, Π0: Vec3, T: Torque, size: float,
    stop: float, latest: float, made: float, course: Course, rtol: float, atol: float,
) -> tuple[Mat3, Vec3, float, Mat3, Vec3, Any, float, float, float, float, Course]:  # fmt: skip
    """The state at the row at t, which is within the latest step or at its end."""
    R, Π = R0, Π0
    if at > t:
        begin, whole, *first = list(course)[:14]
        part = (t - begin) / whole
        _, _, R, Π = end_step(body, t - begin, Mat3(*first[:9]), Vec3(*first[9:]), course.find_gain(part))
    return R, Π, at, R0, Π0, T, size, stop, latest, 0.0, course


def make_start(order: int) -> Callable[..., Any]:
    """The first state of a pair: a size of the first step that suits the velocity and its rate."""

    def start(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, rtol: float, atol: float) -> tuple[Any, ...]:
        Π, T = body.J @ Ω, body.torque(t, R, Ω)
        speed = norm(Ω) + sqrt(norm(angular_acceleration(body, T, Ω)))
        size = 2.0 * (rtol + atol) ** (1.0 / order) / (speed + NO_SPEED)
        stop, latest = body.next_stop(t)
        return R, Π, t, R, Π, T, size, stop, latest, 0.0, Course(*[0.0] * (14 + 9 * PARTS))

    return start


adaptive = partial(
    Method,
    family="Adaptive",
    equations=r"""
    \dot\Psi = \mathrm{dexp}^{-1}_{-\Psi}\, \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad
    \dot p = \exp(\Psi)\, T, \quad R = R_n \exp\Psi, \quad \Pi = \exp(\Psi)^T p""",
    reach=reach,
    options=TOLERANCES,
    torque_of_velocity=True,
    conserves=MOMENTUM,
)
"""Declares a pair."""

register(
    adaptive(
        key="RKMK853",
        name="Runge–Kutta–Munthe-Kaas of order 8, adaptive",
        aliases=("RKMK-DOP853",),
        summary=sentence(
            "Explicit, of [12 stages], and compiled like a method of fixed step: a free body's momentum is [conserved] "
            "at any tolerance.",
            declares(of="RK-QUAT(tableau=dop853)", torque_evaluations=12),
            keeps(pi="free", pi_e3="always"),
        ),
        why=sentences(
            "A step is as long as the estimated errors of the rotation vector and of the velocity allow; these are "
            "vectors in the Lie algebra, and their lengths do not depend on axes.",
            "One exponential leads back to the group, so R [remains a rotation], and momentum is [conserved], because "
            "impulses add up in space.",
            keeps(orthogonality="always"),
            keeps(pi="free", pi_e3="always"),
            "Energy [is not conserved], but follows the tolerance: a free body's error with rtol = 10⁻⁹ is [less than "
            "a fiftieth of that with 10⁻⁶].",
            loses("energy"),
            measures("energy", FREE, 50, of="RKMK853(rtol=1e-6)", over="RKMK853(rtol=1e-9)"),
            "On tops, it evaluates the torque [{} times] as often as DOP853 with rtol = 10⁻⁹.",
            times("evaluations", "DOP853(rtol=1e-9)", TOPS, 0.73, 1.15, of="RKMK853(rtol=1e-9)"),
        ),
        reference=bibtex("MuntheKaas1998", "HairerNorsettWanner1993", "CelledoniCokajLeoneMurariOwren2022"),
        own_step=make_own_step(PAIRS["dop853"]),
        start=make_start(8),
    )
)
register(
    adaptive(
        key="RKMK54",
        name="Runge–Kutta–Munthe-Kaas of order 5, adaptive",
        summary=sentence(
            "Of six stages, for loose tolerances: with rtol = 10⁻⁹ it evaluates a top's torque [{} times] as often as "
            "RKMK853.",
            times("evaluations", "RKMK853(rtol=1e-9)", TOPS, 1.7, 2.14, of="RKMK54(rtol=1e-9)"),
        ),
        why=sentences(
            "Two formulas of orders five and four share their stages, and their difference shows how long a step may "
            "be.",
            "The difference is taken of rotation vectors and velocities, and one exponential leads back to the group: "
            "R [remains a rotation], and momentum is [conserved].",
            keeps(orthogonality="always"),
            keeps(pi="free", pi_e3="always"),
            "Energy [is not conserved]: a free body's error with rtol = 10⁻⁹ is [less than a twentieth of that with "
            "10⁻⁶].",
            loses("energy"),
            measures("energy", FREE, 20, of="RKMK54(rtol=1e-6)", over="RKMK54(rtol=1e-9)"),
        ),
        reference=bibtex("MuntheKaas1998", "DormandPrince1980", "CelledoniCokajLeoneMurariOwren2022"),
        own_step=make_own_step(PAIRS["dp5"]),
        start=make_start(5),
    )
)
