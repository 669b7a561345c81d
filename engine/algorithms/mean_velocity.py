"""RK-MEAN, RK-VECTOR, MIDPOINT-HELD and VERLET-QUAT: steps of simulators that turn once, by a mean of velocities.

RK-MEAN with the classical tableau is MuJoCo's RK4 and Chrono's ChTimestepperRungeKutta, with Heun's its
ChTimestepperHeun. Each stage turns by a sum of velocities as if they were vectors; the dexp⁻¹ of RKMK is left out.
RK-VECTOR has it: it is Exudyn's explicit solver for nodes of a rotation vector. Its velocities are summed as they are
seen from the body, where RKMK sums momenta in one frame.
MIDPOINT-HELD was MuJoCo's step for free bodies from commit 0c337799 (April 2026) to f0fa3d82 (July): on the free body
it is IMID, and with torque it is of first order, as the torque is that of the step's start. VERLET-QUAT is Simbody's
Verlet with steps of one size: a Taylor step of the quaternion made a unit, which is a Cayley map, and NMB's new
velocity, solved for here to roundoff and there to a tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, dexpinv, dot, times_cay, times_exp
from ..told import FREE, declares, keeps, loses, times, told
from .euler import angular_acceleration, with_acceleration
from .method import ON_THE_GROUP
from .newton import newton
from .nmb import after_the_turn, rate_balance
from .semi_implicit import KEPT
from .sources import CHRONO, EXUDYN, MUJOCO, SIMBODY, engine_rule
from .tableaux import Stage, choice_of_tableau, promised_by


def first_stage(rest: Stage) -> Stage:
    """Velocity and acceleration at the start of the step, and the rest of the stages."""

    def first(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> tuple[Any, Any]:
        return rest(body, t, h, R, Ω, (Ω,), (angular_acceleration(body, body.torque(t, R, Ω), Ω),))

    return first


def later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later one, and the rest."""

    def later(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> tuple[Any, Any]:
        Ωi = Ω + h * combination(row, L)
        T = body.torque(t + c * h, times_exp(R, h * combination(row, K)), Ωi)
        return rest(body, t, h, R, Ω, K + (Ωi,), L + (angular_acceleration(body, T, Ωi),))

    return later


def stage_of_a_rotation_vector(row: Weights, c: float, rest: Stage) -> Stage:
    """A later one where dexp⁻¹ is not left out, and the rest."""

    def later(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, K: Any, L: Any) -> tuple[Any, Any]:
        Ψ, Ωi = h * combination(row, K), Ω + h * combination(row, L)
        T = body.torque(t + c * h, times_exp(R, Ψ), Ωi)
        return rest(body, t, h, R, Ω, K + (dexpinv(-Ψ, Ωi),), L + (angular_acceleration(body, T, Ωi),))

    return later


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order two at most, but for the velocity of a free body, which does not see the attitude."""
    promised = promised_by(chosen.get("tableau", "rk4"))
    p = promised["order"][0]
    return dict(promised) | {"order": (min(p, 2), min(p, 2)), "free_order": (2, p) if p > 2 else None}


@engine_rule(
    key="RK-MEAN",
    name="Runge–Kutta with one turn by the mean velocity",
    aliases=("mujoco-rk4", "chrono-rk4"),
    variants={"chrono-heun": {"tableau": "heun"}},
    summary=told(
        "[Fourth order for a free body's velocity, second for attitudes]; [neither energy nor momentum is kept].",
        declares(order=(2, 2), free_order=(2, 4)),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        R_i = R_n \exp\Big(h \sum_j a_{ij} \Omega_j\Big), \quad
        \Omega_i = \Omega_n + h \sum_j a_{ij} A_j, \quad A_i = J^{-1}(J\Omega_i \times \Omega_i + T_i) \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i \Omega_i\Big), \quad \Omega_{n+1} = \Omega_n + h \sum_i b_i A_i""",
    reference=f"{MUJOCO}\n{CHRONO}",
    options=(choice_of_tableau(first_stage, later_stage, "rk4"),),
    order=(2, 2),
    free_order=(2, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=promises,
)
def step(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    """One step."""
    Ψ, gained = tableau(body, t, h, R, Ω)
    return times_exp(R, Ψ), Ω + gained


def order_of_tableau(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost are the tableau's."""
    return promised_by(chosen.get("tableau", "rk4"))


@engine_rule(
    key="RK-VECTOR",
    name="Runge–Kutta for rotation vector and velocity",
    aliases=("exudyn", "Holzinger–Gerstmayr"),
    summary=told(
        "RK-MEAN with dexp⁻¹, and so [of fourth order] for attitudes too; momentum is not handed on in space: "
        "[neither it nor energy is kept].",
        declares(order=(4, 4)),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        \Psi_i = h \sum_j a_{ij} K_j, \quad K_i = \mathrm{dexp}^{-1}_{-\Psi_i}\, \Omega_i, \quad
        \Omega_i = \Omega_n + h \sum_j a_{ij} A_j, \quad
        A_i = J^{-1}(J\Omega_i \times \Omega_i + T(R_n \exp \Psi_i)) \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i K_i\Big), \quad \Omega_{n+1} = \Omega_n + h \sum_i b_i A_i""",
    reference=f"""@article{{HolzingerGerstmayr2021,
  author  = {{Holzinger, Stefan and Gerstmayr, Johannes}},
  title   = {{Time integration of rigid bodies modelled with three rotation parameters}},
  journal = {{Multibody System Dynamics}},
  volume  = {{53}}, pages = {{345--378}}, year = {{2021}}, doi = {{10.1007/s11044-021-09778-w}}}}
{EXUDYN}""",
    options=(choice_of_tableau(first_stage, stage_of_a_rotation_vector, "rk4"),),
    order=(4, 4),
    torque_evaluations=4,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=order_of_tableau,
)
def rotation_vector(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, tableau: Any) -> tuple[Mat3, Vec3]:
    """One step."""
    Ψ, gained = tableau(body, t, h, R, Ω)
    return times_exp(R, Ψ), Ω + gained


@engine_rule(
    key="MIDPOINT-HELD",
    name="Implicit midpoint rule, torque held",
    aliases=("mujoco-midpoint",),
    summary=told(
        "On the free body it is IMID, and [keeps energy and the length of momentum]; with a torque, that of the "
        "step's start, it is [of first order].",
        keeps(energy="free", pi_norm="free", casimir="free"),
        declares(order=(1, 1), free_order=(2, 2)),
    ),
    equations=r"\tfrac2h J(\omega - \Omega_n) + \omega \times J\omega = T_n, \quad "
    r"\Omega_{n+1} = 2\omega - \Omega_n, \quad R_{n+1} = R_n \exp(h\,\omega)",
    reference=MUJOCO,
    order=(1, 1),
    free_order=(2, 2),
    torque_evaluations=1,
    torque_of_velocity=True,
    implicit=True,
    reversible="free",
    conserves=KEPT | dict.fromkeys(("energy", "pi_norm", "casimir"), "free"),
)
def midpoint(body: Any, t: float, h: float, R: Mat3, Ω: Vec3) -> tuple[Mat3, Vec3]:
    """One step; ω is the velocity between its ends."""
    ω = newton(body, h, rate_balance, Ω, Ω, body.Jinv @ body.torque(t, R, Ω))
    return times_exp(R, h * ω), 2 * ω - Ω


@engine_rule(
    key="VERLET-QUAT",
    name="Verlet on the quaternion",
    aliases=("simbody",),
    summary=told(
        "A Taylor step of the quaternion made a unit, and NMB's velocity; a free body's energy is [as with NMB], "
        "and [neither it nor momentum is kept].",
        times("energy", "NMB", FREE, 0.999, 1.001),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        q_{n+1} = \mathrm{unit}\left(q_n + h\,\dot q_n + \tfrac{h^2}{2}\,\ddot q_n\right),
        \quad R_{n+1} = R_n\, \mathrm{cay}\,
        \frac{h\,(\Omega_n + \frac h2 A_n)}{1 - \frac{h^2}{8} |\Omega_n|^2} \\
        \Omega_{n+1} = \Omega_n + \tfrac h2 (A_n + A_{n+1})""",
    reference=SIMBODY,
    start=with_acceleration,
    order=(2, 2),
    torque_evaluations=1,
    conserves=ON_THE_GROUP | {"pi_chi": "symmetric tops"},
    has_history="the acceleration that belongs to its velocity",
)
def verlet(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, A: Vec3) -> tuple[Mat3, Vec3, Vec3]:
    """One step; A is the angular acceleration at its start."""
    Ωh = Ω + h / 2 * A
    R = times_cay(R, (h / (1.0 - h**2 / 8 * dot(Ω, Ω))) * Ωh)
    return after_the_turn(body, t, h, R, Ωh, A)
