"""OMELYAN and SPIRAL: the velocity advances from half step to half step, and the attitude by the
velocity half way.

Both preserve the length of the quaternion by construction. OMELYAN's velocity follows the
trapezoidal rule from half step to half step, which Yade solves by three rounds of a fixed point by
default; its attitude follows the midpoint rule for the quaternion, a turn by 4 atan(h|Ω|/4).

SPIRAL's velocity follows a Runge–Kutta method of order three with the torque held, and its attitude
turns by the exponential. Its form "leapfrog" is Yade's default; "verlet", in half steps from the
velocity at the ends, is JaxDEM's default, `verletspiral`, and "synchronous" is JaxDEM's `spiral`,
where the torque is that of the attitude before the turn (its docstring has τ(t + Δt)).

By default Yade's NewtonIntegrator removes 0.2 of each component of a torque that drives the body
and adds as much to one that brakes it (`damping` in NewtonIntegrator.hpp). A free body is not
affected; here torques are unchanged.

A run begins with attitude and velocity at one time: half a step gives the first velocity half way,
and OMELYAN's velocity at a step is the mean of those before and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import Mat3, Vec3, times_cay, times_exp
from ..text import FREE, bibtex, declares, loses, swings
from .core import (
    Body,
    Torque,
    angular_acceleration,
    newton,
    offer,
    one_minus_spin,
    particle_rule,
    spin,
)
from .nmb import rate_balance


def start_half_a_step_ahead(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Vec3]:
    """The first state; the velocity half way has the start's velocity as its mean with the one
    before.
    """
    A = body.Jinv @ body.torque(t, R)
    return R, Ω, newton(body, h, first_balance, Ω, Ω, A)


def first_balance(body: Body, h: float, Ωh: Vec3, Ω: Vec3, A: Any) -> tuple[Vec3, Mat3]:
    """Ωh − Ω − h/2 (f(2Ω − Ωh) + f(Ωh))/2 for f(Ω) = J⁻¹ (JΩ × Ω) + A, and its derivative by Ωh."""
    δ = Ωh - Ω
    return δ - h / 2 * (spin(body.ratios, Ω) + spin(body.ratios, δ) + A), one_minus_spin(
        body.ratios, h / 2, δ
    )


def solve_to_roundoff(body: Body, h: float, Ω: Vec3, half: Vec3, T: Torque) -> Vec3:
    """The Ω₁ with Ω₁ = half + h/2 dΩ₁/dt, to roundoff."""
    return newton(body, h, rate_balance, Ω, half, body.Jinv @ T)


def iterate_three_times(body: Body, h: float, Ω: Vec3, half: Vec3, T: Torque) -> Vec3:
    """The same by three rounds of a fixed point."""
    for _ in range(3):
        Ω = half + h / 2 * angular_acceleration(body, T, Ω)
    return Ω


def promise_if_solved(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """With three rounds a step is not the same backwards, and runs cannot start anew from the
    velocity half way.
    """
    solved = chosen.get("solution", "roundoff") == "roundoff"
    return {"implicit": solved, "reversible": solved, "self_starting": solved}


@particle_rule(
    key="OMELYAN",
    name="Omelyan's leapfrog",
    short="Omelyan",
    variants={"yade-omelyan": {"solution": "rounds"}},
    reference=bibtex("Omelyan1998", "YADE2008"),
    options=(
        offer(
            "solution",
            "how the velocity is solved for: to roundoff, or by three rounds, as in Yade by "
            "default",
            "Solution for the velocity",
            {
                "roundoff": (solve_to_roundoff, "to roundoff"),
                "rounds": (iterate_three_times, "three rounds of a fixed point"),
            },
            brief="solution by {value}",
        ),
    ),
    start=start_half_a_step_ahead,
    implicit=True,
    reversible=True,
    given_options=promise_if_solved,
    has_history="the velocity half a step ahead",
    of_one_step=True,
    evidence=(
        swings(FREE),
        loses("energy", "pi", "pi_norm", "casimir"),
        swings(FREE),
        loses("pi", "pi_norm", "casimir"),
    ),
)
def omelyan(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3, solution: Any
) -> tuple[Mat3, Vec3, Vec3]:
    r"""The trapezoidal rule from half step to half step, and a turn by the midpoint rule for the
    quaternion. A free body's energy [swings without drift]; [neither energy nor momentum is
    conserved].

    .. math::
        \Omega_{n+1/2} = \Omega_{n-1/2} + \tfrac h2 \left(f(\Omega_{n-1/2}) + f(\Omega_{n+1/2})\right), \quad
        f(\Omega) = J^{-1}(J\Omega \times \Omega + T_n) \\
        R_{n+1} = R_n\, \mathrm{cay}\left(\tfrac h2 \Omega_{n+1/2}\right)^2, \quad
        \Omega_n = \tfrac12 (\Omega_{n-1/2} + \Omega_{n+1/2})

    - The products of velocities in Euler's equations are means of those half a step before and
      after, as in the trapezoidal rule.
    - The step is the same forwards and backwards, so a free body's energy [swings without drift].
    - The velocity follows from rates in the body's frame, so momentum [is not conserved].
    """
    # The body turns by the velocity half way.
    R = times_cay(times_cay(R, h / 2 * Ωh), h / 2 * Ωh)
    T = body.torque(t + h, R)
    half = Ωh + h / 2 * angular_acceleration(body, T, Ωh)
    Ω1 = solution(body, h, Ωh, half, T)
    return R, 0.5 * (Ωh + Ω1), Ω1


def accelerate(body: Body, h: float, Ω: Vec3, T: Torque) -> Vec3:
    """Ω after the time h by the Runge–Kutta method SSPRK3, with the torque held."""
    K1 = h * angular_acceleration(body, T, Ω)
    K2 = h * angular_acceleration(body, T, Ω + K1)
    K3 = h * angular_acceleration(body, T, Ω + 0.25 * (K1 + K2))
    return Ω + (K1 + K2 + 4 * K3) / 6.0


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, *options: Any
) -> tuple[Mat3, Vec3, Vec3]:
    """The first state, with the velocity half way."""
    return R, Ω, accelerate(body, h / 2, Ω, body.torque(t, R))


def leapfrog(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The velocity advances from half step to half step; that at the step is reported only."""
    R = times_exp(R, h * Ωh)
    T = body.torque(t + h, R)
    return R, accelerate(body, h / 2, Ωh, T), accelerate(body, h, Ωh, T)


def verlet(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """The velocity advances in half steps."""
    R = times_exp(R, h * Ωh)
    T = body.torque(t + h, R)
    Ω = accelerate(body, h / 2, Ωh, T)
    return R, Ω, accelerate(body, h / 2, Ω, T)


def synchronous(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, Ωh: Vec3
) -> tuple[Mat3, Vec3, Vec3]:
    """Attitude and velocity advance from the same start, with its torque, and need no velocity half
    way.
    """
    T = body.torque(t, R)
    A = angular_acceleration(body, T, Ω)
    return times_exp(times_exp(R, h * Ω), h * h / 2 * A), accelerate(body, h, Ω, T), Ωh


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """First order with the torque of one end; a run cannot start anew from a velocity that is
    reported only.
    """
    form = chosen.get("form", "leapfrog")
    return {
        "order": (1, 1) if form == "synchronous" else (2, 2),
        "self_starting": form != "leapfrog",
    }


@particle_rule(
    key="SPIRAL",
    name="SPIRAL of del Valle and others",
    short="SPIRAL",
    variants={
        "yade": {},
        "jaxdem": {"form": "verlet"},
        "spiral-synchronous": {"form": "synchronous"},
    },
    reference=bibtex("delValle2024", "YADE2008", "JaxDEM2026"),
    options=(
        offer(
            "form",
            "how velocity and turn follow each other: as a leapfrog (Yade), in half steps, or both "
            "from the start of the step",
            "Form",
            {
                "leapfrog": (leapfrog, "leapfrog"),
                "verlet": (verlet, "velocity Verlet"),
                "synchronous": (synchronous, "synchronous"),
            },
        ),
    ),
    start=start,
    free_order=(2, 3),
    self_starting=False,
    given_options=promise,
    has_history="the velocity half a step ahead",
    evidence=(
        declares(free_order=(2, 3)),
        declares(order=(2, 2)),
        loses("energy", "pi", "pi_norm", "casimir"),
        declares(free_order=(2, 3)),
        declares(order=(2, 2)),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
)
def spiral(
    body: Body,
    t: float,
    h: float,
    R: Mat3,
    Ω: Vec3,
    Ωh: Vec3,
    form: Callable[..., tuple[Mat3, Vec3, Vec3]],
) -> tuple[Mat3, Vec3, Vec3]:
    r"""A Runge–Kutta step of order three for the velocity, and a turn by it. On a free body the
    velocity is of [third order and the attitude of second]. With a torque both are of [second]
    order. [Energy and momentum are not conserved].

    .. math::
        K_1 = h f(\Omega_{n-1/2}), \quad K_2 = h f(\Omega_{n-1/2} + K_1), \quad
        K_3 = h f\left(\Omega_{n-1/2} + \tfrac14 (K_1 + K_2)\right), \quad
        f(\Omega) = J^{-1}(J\Omega \times \Omega + T_n) \\
        \Omega_{n+1/2} = \Omega_{n-1/2} + \tfrac16 (K_1 + K_2 + 4 K_3), \quad
        R_{n+1} = R_n \exp\left(h\,\Omega_{n+1/2}\right)

    - The velocity takes a Runge–Kutta step of order three with the torque held, so a free body's
      velocity is [of third order].
    - The turn is by the velocity half way, as if its direction did not change. What that omits is
      of third power in the step, and attitudes are [of second order].
    - The step is not the same backwards, and [energy and momentum are not conserved].
    """
    return form(body, t, h, R, Ω, Ωh)
