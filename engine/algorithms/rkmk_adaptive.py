"""RKMK853 and RKMK54: embedded pairs of Runge–Kutta–Munthe-Kaas methods, which choose their own
steps.

With a torque a step is that of RKMK: it turns the attitude by exp Ψ, dexp⁻¹ gives the rate of Ψ,
and impulses add up in the frame at the start of the step, which does not turn. A free body has no
impulses, so the body momentum, by Euler's equations, gives the attitude up to a turn about
the momentum: by the least turn that takes the momentum back to that at the start, and then by an
angle about this, whose rate is Ω·(n + n₀)/(1 + n·n₀) for the directions n and n₀ of the two.
Hairer's programs DOP853 and DOPRI5 have the pairs, the controller and the dense output. Here the
norms of the errors of the turn and of the velocity take the place of those of components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

from ..algebra import Mat3, Turn, Vec3, Weights, Zero3, combination, cross, dot, norm
from ..algebra.rotations import cos_near, cotangent_near, rodrigues, rodrigues_times, sinc_near
from ..algebra.values import Summed, Value
from ..text import FREE, TOPS, bibtex, declares, keeps, loses, measures, times
from ..text.evidence import Proof
from .adaptive import COMPILED_TOLERANCES
from .core import (
    MOMENTUM,
    MOST_STEPS,
    PAIRS,
    Body,
    OwnSteps,
    Pair,
    Torque,
    angular_acceleration,
    register,
    spin,
)
from .core.docstring import read_docstring

MOST_ATTEMPTS = 60
"""How often a step may become smaller before it is given up."""
SAFETY, LEAST, MOST = 0.8, 1.0 / 3.0, 6.0
"""The part of the size that the error allows, and the least and largest change of the size."""
WEIGHT_OF_OTHER = 0.01
"""The weight of the estimate of order three beside that of order five."""
MOST_TURN = 3.0
"""Radians that a step turns at most."""
AT_REST = 1e-99
"""Stands for the speed and the momentum of a body at rest."""


class Gain(Summed):
    """Gains in a step, or their rates: a turn, and an impulse.

    For a free body the angle of the turn about the momentum, as the first component, and the gain
    of velocity.
    """

    __slots__ = tuple(f"{name}_{axis}" for name in ("turn", "push") for axis in "xyz")

    @property
    def turn(self) -> Vec3:
        """Ψ, or the angle."""
        return Vec3(*list(self)[:3])

    @property
    def push(self) -> Vec3:
        """∫ exp(Ψ) T dt, or ΔΩ."""
        return Vec3(*list(self)[3:])


PARTS = 7
"""Coefficients of the dense output."""


class Course(Value):
    """The latest step: its start, its size, R and Π at its start, and the gains within it, as
    Hairer's polynomial.
    """

    __slots__ = tuple(f"part_{i}" for i in range(14 + 6 * PARTS))

    def find_gain(self, s: float) -> Gain:
        """The gain in a part s of the step."""
        parts = list(self)[14:]
        c, r = [Gain(*parts[6 * i : 6 * i + 6]) for i in range(PARTS)], 1.0 - s
        return s * (
            c[0] + r * (c[1] + s * (c[2] + r * (c[3] + s * (c[4] + r * (c[5] + s * c[6])))))
        )


def gather(turn: Vec3, push: Vec3) -> Gain:
    """The gains, or rates, put together."""
    return Gain(turn.x, turn.y, turn.z, push.x, push.y, push.z)


def turn_within_half(v: Vec3) -> Turn:
    """exp(v) for up to half a turn, by the polynomials of a quarter of the angle, without a
    branch.
    """
    n2 = dot(v, v)
    z = 0.0625 * n2
    s = sinc_near(z)
    half, cosine = s * cos_near(z), 1.0 - 2.0 * z * s * s
    return Turn(v.x, v.y, v.z, half * cosine, 0.5 * half * half)


def find_rates(body: Body, t: float, R: Mat3, Π: Vec3, gain: Gain) -> Gain:
    """The rates after this gain in a step from R and Π."""
    E = turn_within_half(gain.turn)
    Ω = body.Jinv @ (E.T @ (Π + gain.push))
    T = body.torque(t, R @ E, Ω)
    return (
        find_free_rates(body, Π, gain)
        if isinstance(T, Zero3)
        else find_forced_rates(gain.turn, Ω, E, T)
    )


def find_forced_rates(Ψ: Vec3, Ω: Vec3, E: Any, T: Torque) -> Gain:
    """The rates with the torque T after the turn E = exp Ψ: dexp⁻¹(−Ψ) Ω, and E T.

    The polynomial is that of dexp⁻¹ for a quarter turn; up to MOST_TURN it is within 10⁻⁷.
    """
    return gather(rodrigues_times(Ψ, 0.5, cotangent_near(dot(Ψ, Ψ)), Ω), E @ T)


def find_free_rates(body: Body, Π: Vec3, gain: Gain) -> Gain:
    """The rates of the angle about the momentum, and of the velocity of a free body."""
    Ω = body.Jinv @ Π + gain.push
    p = body.J @ Ω
    rate = norm(Π) * dot(Ω, p + Π) / (dot(Π, Π) + dot(p, Π) + AT_REST)
    return gather(Vec3(rate, 0.0, 0.0), spin(body.ratios, Ω))


def end_turn(body: Body, R: Mat3, Π: Vec3, gain: Gain, T: Torque) -> tuple[Turn | Mat3, Mat3, Vec3]:
    """The turn exp Ψ of a step from R and Π with this gain, and R and Π after it."""
    E = turn_within_half(gain.turn)
    return E, R @ E, E.T @ (Π + gain.push)


def end_step(body: Body, R: Mat3, Π: Vec3, gain: Gain, T: Torque) -> tuple[Turn | Mat3, Mat3, Vec3]:
    """The turn of a step from R and Π with this gain, and R and Π after it; T is the torque, for
    its type.
    """
    if isinstance(T, Zero3):
        length, p = norm(Π) + AT_REST, body.J @ (body.Jinv @ Π + gain.push)
        p = p * (length / (norm(p) + AT_REST))
        share = 1.0 / (length * length + dot(p, Π))
        least = rodrigues((1.0 / (length * length)) * cross(p, Π), 1.0, length * length * share)
        turned = turn_within_half((gain.turn.x / length) * Π).matrix @ least
        return turned, R @ turned, p
    return end_turn(body, R, Π, gain, T)


Ends = tuple[Gain, Gain, Gain, tuple[Gain, ...]]
"""The gain of a step, its rates at both ends, and the further parts of its dense output."""


@dataclass(frozen=True)
class Scheme:
    """What differs between the pairs.

    order : of the local error that the scheme estimates.
    attempt : (body, t, h, latest, R, Π, T) → the turn E of a step, R, Π and the torque after it,
        the angle, the estimates of the error, and what `describe` needs.
    describe : (body, t, h, latest, R, Π, kept) → what the dense output is made of.
    end : (body, R, Π, gain, T) → the turn of a gain within the step, and R and Π after it.
    """

    order: int
    attempt: Callable[..., Any]
    describe: Callable[..., Ends]
    end: Callable[..., tuple[Turn | Mat3, Mat3, Vec3]]


NOTHING = Gain(*[0.0] * 6)
"""The gain at the start of a step."""


def munthe_kaas(pair: Pair) -> Scheme:
    """The scheme of an embedded pair for the rates of gains."""
    stages, further = (
        tuple(zip(map(Weights, one.a), one.c, strict=True)) for one in (pair.tableau, pair.further)
    )
    b = Weights(pair.tableau.b)

    def attempt(
        body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, T: Torque
    ) -> tuple[Any, ...]:
        K: Any = (
            find_free_rates(body, Π, NOTHING) if isinstance(T, Zero3) else gather(body.Jinv @ Π, T),
        )
        for row, c in stages[1:]:
            K += (find_rates(body, min(t + c * h, latest), R, Π, h * combination(row, K)),)
        gain = h * combination(b, K)
        E, R1, Π1 = end_step(body, R, Π, gain, T)
        Ω = body.Jinv @ Π1
        T1 = body.torque(min(t + h, latest), R1, Ω)
        last = (
            find_free_rates(body, Π, gain)
            if isinstance(T, Zero3)
            else find_forced_rates(gain.turn, Ω, E, T1)
        )
        K += (last,)
        return (
            E,
            R1,
            Π1,
            T1,
            norm(gain.turn),
            [h * combination(weights, K) for weights in pair.errors],
            (gain, K),
        )

    def describe(
        body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, kept: Any
    ) -> Ends:
        gain, K = kept
        for row, c in further:
            K += (find_rates(body, min(t + c * h, latest), R, Π, h * combination(row, K)),)
        return gain, K[0], K[len(b)], tuple([h * combination(weights, K) for weights in pair.dense])

    return Scheme(pair.tableau.order, attempt, describe, end_step)


def make_own_step(scheme: Scheme) -> Callable[..., Any]:
    """The step of a pair, of a size that it chooses."""
    exponent = 0.5 / scheme.order

    def estimate(
        body: Body, found: list[Gain], E: Turn | Mat3, T: Torque, turn: float, speed: float
    ) -> float:
        """The squared error of a step with the turn E, with these weights of the turn and of the
        velocity.
        """
        if not isinstance(T, Zero3):
            found = [gather(g.turn, body.Jinv @ (E.T @ g.push)) for g in found]
        e, *rest = [dot(g.turn, g.turn) * turn**2 + dot(g.push, g.push) * speed**2 for g in found]
        for other in rest:
            if e > 0.0:
                e = e * e / (e + WEIGHT_OF_OTHER * other)
        return e

    def make_course(
        body: Body, t: float, h: float, latest: float, R: Mat3, Π: Vec3, kept: Any
    ) -> Course:
        """The dense output of a step."""
        gain, first, last, further = scheme.describe(body, t, h, latest, R, Π, kept)
        bend = h * first - gain
        parts = (gain, bend, gain - h * last - bend, *further)
        parts += (NOTHING,) * (PARTS - len(parts))
        return Course(t, h, *R, *Π, *[number for part in parts for number in part])

    def own_step(
        body: Body, t: float, h: float, R: Mat3, Π: Vec3, at: float, R0: Mat3, Π0: Vec3, T: Torque, size: float,
        stop: float, latest: float, made: float, course: Course, rtol: float, atol: float,
    ) -> tuple[Mat3, Vec3, float, Mat3, Vec3, Any, float, float, float, float, Course]:  # fmt: skip
        """The next step, from R0 and Π0 at the time `at`, towards the row at t or beyond it."""
        if at >= stop:
            stop, latest = body.next_stop(at)
            T = body.torque(at, R0, body.Jinv @ Π0)
        for i in range(MOST_ATTEMPTS):
            left = stop - at
            h = left if 0.99 * left < size else size
            E, R, Π, T1, angle, found, kept = scheme.attempt(body, at, h, latest, R0, Π0, T)
            allowed = atol + rtol * max(norm(body.Jinv @ Π0), norm(body.Jinv @ Π)) + AT_REST
            e = estimate(body, found, E, T, 1.0 / (atol + rtol), 1.0 / allowed)
            change = max(e**exponent / SAFETY, 1.0 / MOST, angle / (SAFETY * MOST_TURN))
            again = h / min(change, 1.0 / LEAST)
            if e <= 1.0 and angle <= MOST_TURN:
                body.count_own(1, i)
                end = stop if h == left else at + h
                if end > t:
                    course = make_course(body, at, h, latest, R0, Π0, kept)
                if end > at and made < MOST_STEPS:
                    size = max(again, size) if h < size else again
                    return R, Π, end, R, Π, T1, size, stop, latest, made + 1.0, course
                break
            size = again if e > 1.0 else LEAST * h
        body.not_found()
        return nan * R0, nan * Π0, nan, nan * R0, nan * Π0, T, size, stop, latest, made, course

    return own_step


def make_reach(scheme: Scheme) -> Callable[..., Any]:
    """The state at a row, from the dense output of a pair."""

    def reach(
        body: Body, t: float, h: float, R: Mat3, Π: Vec3, at: float, R0: Mat3, Π0: Vec3, T: Torque, size: float,
        stop: float, latest: float, made: float, course: Course, rtol: float, atol: float,
    ) -> tuple[Mat3, Vec3, float, Mat3, Vec3, Any, float, float, float, float, Course]:  # fmt: skip
        """The state at the row at t, which is within the latest step or at its end."""
        R, Π = R0, Π0
        if at > t:
            begin, whole, *first = list(course)[:14]
            gain = course.find_gain((t - begin) / whole)
            _, R, Π = scheme.end(body, Mat3(*first[:9]), Vec3(*first[9:]), gain, T)
        return R, Π, at, R0, Π0, T, size, stop, latest, 0.0, course

    return reach


def make_start(order: int) -> Callable[..., Any]:
    """The first state of a pair: a size of the first step that suits the velocity and its rate."""

    def start(
        body: Body, t: float, h: float, R: Mat3, Ω: Vec3, rtol: float, atol: float
    ) -> tuple[Any, ...]:
        Π, T = body.J @ Ω, body.torque(t, R, Ω)
        speed = norm(Ω) + sqrt(norm(angular_acceleration(body, T, Ω)))
        size = 2.0 * (rtol + atol) ** (1.0 / order) / (speed + AT_REST)
        stop, latest = body.next_stop(t)
        return R, Π, t, R, Π, T, size, stop, latest, 0.0, Course(*[0.0] * (14 + 6 * PARTS))

    return start


def adaptive(
    *, evidence: Sequence[Proof], **declaration: Any
) -> Callable[[Callable[[], Scheme]], OwnSteps]:
    """Declare the pair that the function below returns; its docstring describes the method."""

    def declare(find_scheme: Callable[[], Scheme]) -> OwnSteps:
        scheme = find_scheme()
        own = {
            "step": make_own_step(scheme),
            "start": make_start(scheme.order),
            "reach": make_reach(scheme),
        }
        general = {
            "options": COMPILED_TOLERANCES,
            "torque_of_velocity": True,
            "conserves": MOMENTUM,
            "equations": EQUATIONS,
        }
        described = read_docstring(find_scheme, evidence)
        return register(
            OwnSteps.declare(family="Adaptive", **{**own, **general, **described, **declaration})
        )

    return declare


EQUATIONS = r"""
    \dot\Psi = \mathrm{dexp}^{-1}_{-\Psi}\, \Omega, \quad \dot p = \exp(\Psi)\, T, \quad R = R_n \exp\Psi, \quad
    \Pi = \exp(\Psi)^T p, \quad \|\Psi - \hat\Psi\| \le \text{tolerance} \\
    \text{free: } J\dot\Omega = J\Omega \times \Omega, \quad
    \dot\varphi = \frac{\Omega \cdot (n + n_0)}{1 + n \cdot n_0}, \quad n = \frac{\Pi}{|\Pi|}"""


@adaptive(
    key="RKMK853",
    name="Runge–Kutta–Munthe-Kaas of order 8, adaptive",
    short="Adaptive Munthe-Kaas 8",
    aliases=("RKMK-DOP853",),
    reference=bibtex(
        "MuntheKaas1998", "HairerNorsettWanner1993", "CelledoniCokajLeoneMurariOwren2022"
    ),
    evidence=(
        declares(of="RK-QUAT(tableau=dop853)", torque_evaluations=12),
        keeps(pi="free", pi_e3="always"),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 0.51, 1.13, of="RKMK853(rtol=1e-9)"),
    ),
)
def rkmk853() -> Scheme:
    """Explicit, of [12 stages], and compiled like a method of fixed step: a free body's momentum is
    [conserved] at any tolerance.

    - A step is as long as the estimated errors of the turn and of the velocity allow. Both are
      vectors, whose lengths do not depend on axes.
    - A turn leads from attitude to attitude, so R [remains a rotation]. Impulses add up in space,
      so momentum is [conserved].
    - Energy [is not conserved]: its error depends on the tolerance.
    - With rtol = 10⁻⁹, it evaluates [{} times] DOP853's torques on the slow, fast and Lagrange
      tops.
    """
    return munthe_kaas(PAIRS["dop853"])


@adaptive(
    key="RKMK54",
    name="Runge–Kutta–Munthe-Kaas of order 5, adaptive",
    short="Adaptive Munthe-Kaas 5",
    reference=bibtex("MuntheKaas1998", "DormandPrince1980", "CelledoniCokajLeoneMurariOwren2022"),
    evidence=(
        times("evaluations", "RKMK853(rtol=1e-9)", TOPS, 1.6, 2.63, of="RKMK54(rtol=1e-9)"),
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        loses("energy"),
        measures("energy", FREE, 100, of="RKMK54(rtol=1e-6)", over="RKMK54(rtol=1e-9)"),
    ),
)
def rkmk54() -> Scheme:
    """Of six stages, for loose tolerances. With rtol = 10⁻⁹, it evaluates [{} times] RKMK853's
    torques on the slow, fast and Lagrange tops.

    - Two formulas of orders five and four share their stages, and their difference shows how long a
      step may be.
    - The difference is taken of turns and velocities, as in RKMK853: R [remains a rotation], and
      momentum is [conserved].
    - Energy [is not conserved]: a free body's error with rtol = 10⁻⁹ is [less than a hundredth of
      that with 10⁻⁶].
    """
    return munthe_kaas(PAIRS["dp5"])
