"""OMELYAN and SPIRAL: the velocity goes from half step to half step, and the attitude by the velocity half way.

Both keep the quaternion's length without being told to. OMELYAN's velocity is the trapezoidal rule's from half step
to half step, which Yade solves by three rounds of a fixed point unless it is told more; its attitude is the midpoint
rule's for the quaternion, a turn by 4 atan(h|Ω|/4).

SPIRAL's velocity is that of a Runge–Kutta method of order three with the torque held, and its attitude turns by the
exponential. Its form "leapfrog" is Yade's default; "verlet", in half steps from the velocity at the
ends, is JaxDEM's default, `verletspiral`, and "synchronous" its `spiral`, where the torque is that of the attitude
before the turn (its docstring has τ(t + Δt)).

By default Yade's NewtonIntegrator takes 0.2 of each component of a torque that drives the body and adds as much to
one that brakes it (`damping` in NewtonIntegrator.hpp). A free body does not notice; here torques are as they are.

Runs begin with both at one time: half a step makes the first velocity half way, and OMELYAN's velocity at a step is
the mean of both about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, times_cay, times_exp
from ..spec import OneOf, Parameter
from ..told import FREE, declares, loses, swings, told
from .euler import angular_acceleration, one_minus_spin, spin
from .newton import newton
from .nmb import rate_balance
from .semi_implicit import KEPT
from .sources import JAXDEM, YADE, particle_rule

DEL_VALLE = """@article{delValle2024,
  author  = {del Valle, Carlos Andr\\'es and Angelidakis, Vasileios and Roy, Sudeshna and Mu\\~noz, Jos\\'e Daniel and
             P\\"oschel, Thorsten},
  title   = {{SPIRAL}: An efficient algorithm for the integration of the equation of rotational motion},
  journal = {Computer Physics Communications},
  volume  = {297}, pages = {109077}, year = {2024}, doi = {10.1016/j.cpc.2023.109077}}"""


def half_a_step_ahead(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any) -> tuple[Mat3, Vec3, Vec3]:
    """The first velocity half way: the one whose mean with that before the start is the velocity at the start."""
    A = body.Jinv @ body.torque(t, R)
    return R, Ω, newton(body, h, first_balance, Ω, Ω, A)


def first_balance(body: Any, h: float, Ωh: Vec3, Ω: Vec3, A: Any) -> tuple[Vec3, Mat3]:
    """Ωh − Ω − h/2 (f(2Ω − Ωh) + f(Ωh))/2 for f(Ω) = J⁻¹ (JΩ × Ω) + A, and its derivative by Ωh."""
    δ = Ωh - Ω
    return δ - h / 2 * (spin(body.ratios, Ω) + spin(body.ratios, δ) + A), one_minus_spin(body.ratios, h / 2, δ)


def solved(body: Any, h: float, Ω: Vec3, begun: Vec3, T: Any) -> Vec3:
    """The Ω₁ with Ω₁ = begun + h/2 dΩ₁/dt, to roundoff."""
    return newton(body, h, rate_balance, Ω, begun, body.Jinv @ T)


def by_three_rounds(body: Any, h: float, Ω: Vec3, begun: Vec3, T: Any) -> Vec3:
    """The same by three rounds."""
    for _ in range(3):
        Ω = begun + h / 2 * angular_acceleration(body, T, Ω)
    return Ω


def promised_if_solved(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """By rounds a step is not the same backwards, nor is the velocity half way one to begin anew with."""
    found = chosen.get("solution", "roundoff") == "roundoff"
    return {"implicit": found, "reversible": found, "self_starting": found}


@particle_rule(
    key="OMELYAN",
    name="Omelyan's leapfrog",
    variants={"yade-omelyan": {"solution": "rounds"}},
    summary=told(
        "The trapezoidal rule from half step to half step, and a turn by the midpoint rule of the quaternion. A free "
        "body's energy [swings without drift]; [neither it nor momentum is kept].",
        swings(FREE),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        \Omega_{n+1/2} = \Omega_{n-1/2} + \tfrac h2 \left(f(\Omega_{n-1/2}) + f(\Omega_{n+1/2})\right), \quad
        f(\Omega) = J^{-1}(J\Omega \times \Omega + T_n) \\
        R_{n+1} = R_n\, \mathrm{cay}\left(\tfrac h2 \Omega_{n+1/2}\right)^2, \quad
        \Omega_n = \tfrac12 (\Omega_{n-1/2} + \Omega_{n+1/2})""",
    reference=f"""@article{{Omelyan1998,
  author  = {{Omelyan, Igor P.}},
  title   = {{Algorithm for numerical integration of the rigid-body equations of motion}},
  journal = {{Physical Review E}},
  volume  = {{58}}, pages = {{1169--1172}}, year = {{1998}}, doi = {{10.1103/PhysRevE.58.1169}}}}
{YADE}""",
    options=(
        Parameter(
            "solution",
            OneOf(
                {"roundoff": solved, "rounds": by_three_rounds},
                {"roundoff": "to roundoff", "rounds": "three rounds of a fixed point"},
            ),
            "how far the velocity is solved for: to roundoff, or by three rounds, as in Yade by default",
            "roundoff",
            label="Solution for the velocity",
        ),
    ),
    start=half_a_step_ahead,
    order=(2, 2),
    torque_evaluations=1,
    implicit=True,
    reversible=True,
    conserves=KEPT,
    given_options=promised_if_solved,
    has_history="the velocity half a step ahead",
    of_one_step=True,
)
def omelyan(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3, solution: Any) -> tuple[Mat3, Vec3, Vec3]:
    """One step; the body turns by the velocity half way."""
    R = times_cay(times_cay(R, h / 2 * Ωh), h / 2 * Ωh)
    T = body.torque(t + h, R)
    begun = Ωh + h / 2 * angular_acceleration(body, T, Ωh)
    Ω1 = solution(body, h, Ωh, begun, T)
    return R, 0.5 * (Ωh + Ω1), Ω1


def accelerated(body: Any, h: float, Ω: Vec3, T: Any) -> Vec3:
    """Ω after the time h by the Runge–Kutta method SSPRK3, with the torque held."""
    K1 = h * angular_acceleration(body, T, Ω)
    K2 = h * angular_acceleration(body, T, Ω + K1)
    K3 = h * angular_acceleration(body, T, Ω + 0.25 * (K1 + K2))
    return Ω + (K1 + K2 + 4 * K3) / 6.0


def start(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any) -> tuple[Mat3, Vec3, Vec3]:
    """The first velocity half way."""
    return R, Ω, accelerated(body, h / 2, Ω, body.torque(t, R))


def leapfrog(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The velocity goes from half step to half step; that at the step is told, and not gone on with."""
    R = times_exp(R, h * Ωh)
    T = body.torque(t + h, R)
    return R, accelerated(body, h / 2, Ωh, T), accelerated(body, h, Ωh, T)


def verlet(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The velocity goes in half steps."""
    R = times_exp(R, h * Ωh)
    T = body.torque(t + h, R)
    Ω = accelerated(body, h / 2, Ωh, T)
    return R, Ω, accelerated(body, h / 2, Ω, T)


def synchronous(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """Attitude and velocity go from the same start, with its torque; no velocity half way is needed."""
    T = body.torque(t, R)
    A = angular_acceleration(body, T, Ω)
    return times_exp(times_exp(R, h * Ω), h * h / 2 * A), accelerated(body, h, Ω, T), Ωh


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of first order where the torque looks from one end; what is not gone on with is no state to begin anew from."""
    form = chosen.get("form", "leapfrog")
    return {"order": (1, 1) if form == "synchronous" else (2, 2), "self_starting": form != "leapfrog"}


@particle_rule(
    key="SPIRAL",
    name="SPIRAL of del Valle and others",
    aliases=("yade",),
    variants={"jaxdem": {"form": "verlet"}, "spiral-synchronous": {"form": "synchronous"}},
    summary=told(
        "A Runge–Kutta step of order three for the velocity, and a turn by it. A free body's velocity is of [third "
        "order, its attitude of second], and with a torque both are of [second]; [energy and momentum are not kept].",
        declares(free_order=(2, 3)),
        declares(order=(2, 2)),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        K_1 = h f(\Omega_{n-1/2}), \quad K_2 = h f(\Omega_{n-1/2} + K_1), \quad
        K_3 = h f\left(\Omega_{n-1/2} + \tfrac14 (K_1 + K_2)\right), \quad
        f(\Omega) = J^{-1}(J\Omega \times \Omega + T_n) \\
        \Omega_{n+1/2} = \Omega_{n-1/2} + \tfrac16 (K_1 + K_2 + 4 K_3), \quad
        R_{n+1} = R_n \exp\left(h\,\Omega_{n+1/2}\right)""",
    reference="\n".join((DEL_VALLE, YADE, JAXDEM)),
    options=(
        Parameter(
            "form",
            OneOf(
                {"leapfrog": leapfrog, "verlet": verlet, "synchronous": synchronous},
                {"leapfrog": "leapfrog", "verlet": "velocity Verlet", "synchronous": "synchronous"},
            ),
            "leapfrog as in Yade, in half steps as JaxDEM's verletspiral, or both from one start as its spiral",
            "leapfrog",
            label="Form",
        ),
    ),
    start=start,
    order=(2, 2),
    free_order=(2, 3),
    torque_evaluations=1,
    self_starting=False,
    conserves=KEPT,
    given_options=promises,
    has_history="the velocity half a step ahead",
)
def spiral(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3, form: Any) -> tuple[Mat3, Vec3, Vec3]:
    """One step."""
    return form(body, t, h, R, Ω, Ωh)
