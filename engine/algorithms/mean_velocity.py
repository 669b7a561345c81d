"""RK-MEAN, RK-VECTOR, MIDPOINT-HELD and VERLET-QUAT: steps of simulators that turn once, by a mean
of velocities.

RK-MEAN with the classical tableau is MuJoCo's RK4 until version 3.17 and Chrono's
ChTimestepperRungeKutta, with Heun's it is Chrono's ChTimestepperHeun. Each stage turns by a sum of
velocities as if these were vectors, without the dexp⁻¹ of RKMK. RK-VECTOR has dexp⁻¹: it is
MuJoCo's RK4 in version 4.0.0, and Exudyn's explicit solver for nodes of a rotation vector. It sums
velocities in the body's frame, where RKMK sums momenta in one frame.

MIDPOINT-HELD is the step for free bodies of MuJoCo's `implicitfast` in versions 3.7 to 3.10, and of
its `implicit` in 3.7.0 and 3.8.0, and of Genesis. On the free body it is IMID; with a torque it is
of first order, because the torque is that of the step's start. With turn=new it is the lab's cure
for engines that turn a body by its new velocity: `engine/programs/shapes` writes it as their
function. VERLET-QUAT is Simbody's Verlet with steps of one size: a Taylor step of the quaternion
made a unit, which is a Cayley map, and NMB's new velocity, solved here to roundoff and there to a
tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, dexpinv, dot, times_cay, times_exp
from ..text import bibtex, declares, keeps, loses
from .core import (
    BODY_RATES,
    Body,
    angular_acceleration,
    engine_rule,
    newton,
    offer,
    start_with_acceleration,
)
from .core.tableaux import End, Stage, promise_tableau, tableau_option
from .nmb import ENERGY_OF_NMB, finish_step, rate_balance


def make_first_stage(rest: Stage) -> Stage:
    """The stage at the start of the step: velocity and acceleration, and then the rest."""

    def first(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> End:
        return rest(body, t, h, R, Ω, (Ω,), (angular_acceleration(body, body.torque(t, R, Ω), Ω),))

    return first


def make_later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later stage, and then the rest."""

    def later(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> End:
        Ωi = Ω + h * combination(row, L)
        T = body.torque(t + c * h, times_exp(R, h * combination(row, K)), Ωi)
        return rest(body, t, h, R, Ω, K + (Ωi,), L + (angular_acceleration(body, T, Ωi),))

    return later


def make_vector_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later stage with dexp⁻¹, and then the rest."""

    def later(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> End:
        Ψ, Ωi = h * combination(row, K), Ω + h * combination(row, L)
        T = body.torque(t + c * h, times_exp(R, Ψ), Ωi)
        return rest(
            body, t, h, R, Ω, K + (dexpinv(-Ψ, Ωi),), L + (angular_acceleration(body, T, Ωi),)
        )

    return later


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order two at most, except for a free body's velocity, which does not depend on the
    attitude.
    """
    promised = promise_tableau(chosen)
    p = promised["order"][0]
    return dict(promised) | {
        "order": (min(p, 2), min(p, 2)),
        "free_order": (2, p) if p > 2 else None,
    }


@engine_rule(
    key="RK-MEAN",
    name="Runge–Kutta with one turn by the mean velocity",
    short="One-turn Runge–Kutta",
    variants={"mujoco-rk4-mean": {}, "chrono-rk4": {}, "chrono-heun": {"tableau": "heun"}},
    reference=bibtex("MuJoCo2026", "Chrono2026"),
    options=(tableau_option(make_first_stage, make_later_stage, "rk4"),),
    order=(2, 2),
    free_order=(2, 4),
    torque_evaluations=4,
    given_options=promise,
    evidence=(
        declares(order=(2, 2), free_order=(2, 4)),
        loses("energy", "pi", "pi_norm", "casimir"),
        declares(order=(2, 2)),
        declares(free_order=(2, 4)),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    r"""[Fourth order for a free body's velocity, second order for attitudes]. [Neither energy nor
    momentum is conserved].

    .. math::
        R_i = R_n \exp\Big(h \sum_j a_{ij} \Omega_j\Big), \quad
        \Omega_i = \Omega_n + h \sum_j a_{ij} A_j, \quad A_i = J^{-1}(J\Omega_i \times \Omega_i + T_i) \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i \Omega_i\Big), \quad \Omega_{n+1} = \Omega_n + h \sum_i b_i A_i

    - Velocities of different stages belong to different frames, and it sums them as if they did
      not.
    - It omits dexp⁻¹. This causes an error of the third power of Δt in a step, so attitudes are [of
      second order]. A free body's velocity does not depend on its attitude, and [has order four].
    - Energy and momentum [are not conserved], as with explicit stages in general.
    """
    Ψ, gained = tableau(body, t, h, R, Ω)
    return times_exp(R, Ψ), Ω + gained


@engine_rule(
    key="RK-VECTOR",
    name="Runge–Kutta for rotation vector and velocity",
    short="Runge–Kutta on a vector",
    aliases=("Holzinger–Gerstmayr",),
    variants={"exudyn": {}, "mujoco-rk4": {}},
    reference=bibtex("HolzingerGerstmayr2021", "Exudyn2025", "MuJoCo2026"),
    options=(tableau_option(make_first_stage, make_vector_stage, "rk4"),),
    order=(4, 4),
    torque_evaluations=4,
    given_options=promise_tableau,
    evidence=(
        declares(order=(4, 4)),
        loses("energy", "pi", "pi_norm", "casimir"),
        declares(order=(4, 4)),
        declares(of="RK-MEAN", order=(2, 2)),
        loses("pi", "pi_norm", "casimir"),
        loses("energy"),
    ),
)
def rotation_vector(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any
) -> tuple[Mat3, Vec3]:
    r"""RK-MEAN with dexp⁻¹, and so [of fourth order] for attitudes too. It does not hand on
    spatial momentum: [neither momentum nor energy is conserved].

    .. math::
        \Psi_i = h \sum_j a_{ij} K_j, \quad K_i = \mathrm{dexp}^{-1}_{-\Psi_i}\, \Omega_i, \quad
        \Omega_i = \Omega_n + h \sum_j a_{ij} A_j, \quad
        A_i = J^{-1}(J\Omega_i \times \Omega_i + T(R_n \exp \Psi_i)) \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i K_i\Big), \quad \Omega_{n+1} = \Omega_n + h \sum_i b_i A_i

    - The turn of a step is a rotation vector, whose rate is dexp⁻¹ of the velocity. Attitudes are
      therefore [of fourth order], and with RK-MEAN, which omits dexp⁻¹, [of second].
    - It sums the velocities of several stages in the body's frame, by Euler's equation, so momentum
      [is not conserved].
    - Its stages are explicit, and energy [is not conserved].
    """
    Ψ, gained = tableau(body, t, h, R, Ω)
    return times_exp(R, Ψ), Ω + gained


def turn_by_mean(mean: Vec3, new: Vec3) -> Vec3:
    """Turn by the mean of both velocities."""
    return mean


def turn_by_new(mean: Vec3, new: Vec3) -> Vec3:
    """Turn by the new velocity, as most engines do."""
    return new


def promise_turn(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """A turn by the new velocity is of first order, and not reversible."""
    by_new = chosen.get("turn") == "new"
    return {"free_order": (1, 2) if by_new else (2, 2), "reversible": not by_new and "free"}


@engine_rule(
    key="MIDPOINT-HELD",
    name="Implicit midpoint rule, torque held",
    short="Held-torque midpoint",
    variants={"mujoco-midpoint": {}, "genesis": {}},
    reference=bibtex("MuJoCo2026", "Genesis2026"),
    options=(
        offer(
            "turn",
            "the velocity that turns the body: the mean of the step, or the new one, as in most "
            "engines",
            "The turn",
            {
                "mean": (turn_by_mean, "by the mean velocity"),
                "new": (turn_by_new, "by the new one"),
            },
            brief="turn {label}",
        ),
    ),
    free_order=(2, 2),
    implicit=True,
    reversible="free",
    conserves=BODY_RATES | dict.fromkeys(("energy", "pi_norm", "casimir"), "free"),
    given_options=promise_turn,
    evidence=(
        keeps(energy="free", pi_norm="free", casimir="free"),
        declares(order=(1, 1), free_order=(2, 2)),
        keeps(energy="free", pi_norm="free", casimir="free"),
        declares(order=(1, 1)),
        (
            declares(of="MIDPOINT-HELD(turn=new)", free_order=(1, 2)),
            keeps(of="MIDPOINT-HELD(turn=new)", energy="free", pi_norm="free"),
        ),
    ),
)
def midpoint(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, turn: Any) -> tuple[Mat3, Vec3]:
    r"""A free body's [energy and length of momentum are conserved]. Turned by the mean velocity, it
    moves as by IMID. With a torque, which is taken from the start of the step, it is [of first
    order].

    .. math::
        \tfrac2h J(\omega - \Omega_n) + \omega \times J\omega = T_n, \quad \Omega_{n+1} = 2\omega - \Omega_n, \quad
        R_{n+1} = R_n \exp(h\,\omega)

    - The mean velocity solves Euler's equations for the step, and the body turns by it.
    - On a free body that is IMID. Its change of momentum is at right angles to the mean velocity,
      so energy and the length of momentum [are conserved].
    - It holds the torque of the start over the whole step, so its order is [one].
    - With turn=new, the attitude of a free body is [of first order. Energy and the length of
      momentum are still conserved].
    """
    # ω is the velocity between the step's ends.
    ω = newton(body, h, rate_balance, Ω, Ω, body.Jinv @ body.torque(t, R, Ω))
    Ω = 2 * ω - Ω
    return times_exp(R, h * turn(ω, Ω)), Ω


@engine_rule(
    key="VERLET-QUAT",
    name="Verlet on the quaternion",
    short="Quaternion Verlet",
    variants={"simbody": {}},
    reference=bibtex("Simbody2026"),
    start=start_with_acceleration,
    order=(2, 2),
    torque_of_velocity=False,
    has_history="its angular acceleration",
    evidence=ENERGY_OF_NMB,
)
def verlet(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    r"""A Taylor step of the normalised quaternion, and NMB's velocity. A free body's energy is [the
    same as NMB's]. [Neither energy nor momentum is conserved].

    .. math::
        q_{n+1} = \mathrm{unit}\left(q_n + h\,\dot q_n + \tfrac{h^2}{2}\,\ddot q_n\right),
        \quad R_{n+1} = R_n\, \mathrm{cay}\,
        \frac{h\,(\Omega_n + \frac h2 A_n)}{1 - \frac{h^2}{8} |\Omega_n|^2} \\
        \Omega_{n+1} = \Omega_n + \tfrac h2 (A_n + A_{n+1})

    - The quaternion advances by its first and second rate and is made a unit, which is a turn by
      the Cayley map.
    - On a free body its velocities are those of NMB, and so is its [energy].
    - The velocity follows from rates in the body's frame, so momentum [is not conserved].
    """
    # A is the angular acceleration at the start of the step.
    Ωh = Ω + h / 2 * A
    R = times_cay(R, (h / (1.0 - h**2 / 8 * dot(Ω, Ω))) * Ωh)
    return finish_step(body, t, h, R, Ωh, A)
