"""CG2, CG3, CG4 and CG-RK4: the methods of Crouch and Grossman, products of exponentials.

Stage i turns by exp(h aᵢ₁ Ω₁) exp(h aᵢ₂ Ω₂) …, with the first factor next to the attitude at the
start; the momentum is summed as a vector. Orders three and four need their own coefficients (Owren
and Marthinsen for four); with the classical tableau, CG-RK4, the order is two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, exp
from ..text import BODIES, FREE, bibtex, declares, falls, grows, keeps, measures
from .core import MOMENTUM, TABLEAUX, Body, End, Stage, chain_stages, method
from .core.tableaux import CROUCH_GROSSMAN

CG2, CG3, CG4 = TABLEAUX["midpoint"], CROUCH_GROSSMAN["cg3"], CROUCH_GROSSMAN["cg4"]


def make_turn(row: tuple[float, ...]) -> Callable[..., Any]:
    """exp(h a₁ Ω₁) exp(h a₂ Ω₂) … as one rotation, for the weights of a row."""
    turned = leave_unturned
    for j, weight in enumerate(row):
        if weight != 0.0:
            turned = append_factor(turned, weight, j)
    return turned


def leave_unturned(h: float, Ω: Any) -> Mat3:
    """No turn."""
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def append_factor(before: Callable[..., Any], weight: float, j: int) -> Callable[..., Any]:
    """Multiply by one more factor."""
    if before is leave_unturned:
        return lambda h, Ω: exp((h * weight) * Ω[j])
    return lambda h, Ω: before(h, Ω) @ exp((h * weight) * Ω[j])


def make_first_stage(rest: Stage) -> Stage:
    """The stage at the start of the step: velocity and torque, and then the rest."""

    def first(body: Body, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> End:
        Ω1 = body.Jinv @ Π
        return rest(body, t, h, R, Π, (Ω1,), (body.torque(t, R, Ω1),))

    return first


def make_later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later stage, and then the rest; torques are in the body's frame at the start of the
    step.
    """
    turn = make_turn(row)

    def later(body: Body, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> End:
        E = turn(h, Ω)
        Ωi = body.Jinv @ (E.T @ (Π + h * combination(row, T)))
        return rest(body, t, h, R, Π, Ω + (Ωi,), T + (E @ body.torque(t + c * h, R @ E, Ωi),))

    return later


def make_last_stage(b: Weights) -> Stage:
    """The end of the step."""
    turn = make_turn(b)

    def end(body: Body, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> tuple[Mat3, Vec3]:
        E = turn(h, Ω)
        return R @ E, E.T @ (Π + h * combination(b, T))

    return end


STAGES_OF_CG2, STAGES_OF_CG3, STAGES_OF_CG4, STAGES_OF_CG_RK4 = (
    chain_stages(tableau, make_first_stage, make_later_stage, make_last_stage)
    for tableau in (CG2, CG3, CG4, TABLEAUX["rk4"])
)
"""Each stage appends its velocity and torque, and then comes the rest."""

EQUATIONS = r"""
    R_i = R_n \exp(h a_{i1} \Omega_1) \exp(h a_{i2} \Omega_2) \cdots, \quad
    \pi_i = \pi_n + h \sum_j a_{ij} t_j, \quad \Omega_i = J^{-1} R_i^T \pi_i \\
    R_{n+1} = R_n \exp(h b_1 \Omega_1) \cdots \exp(h b_s \Omega_s), \quad \pi_{n+1} = \pi_n + h \sum_i b_i t_i"""

crouch_grossman = partial(
    method,
    family="Runge–Kutta on the group",
    equations=EQUATIONS,
    reference=bibtex("CrouchGrossman1993"),
    torque_of_velocity=True,
    conserves=MOMENTUM,
)
"""Declares one of the four methods."""


@crouch_grossman(
    key="CG2",
    name="Crouch–Grossman, second order",
    short="Crouch–Grossman 2",
    aliases=("LGM",),
    order=(2, 2),
    torque_evaluations=len(CG2.b),
    evidence=(
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        (declares(reversible=False), grows((*FREE, "slow-top", "fast-top"))),
    ),
)
def cg2(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> End:
    """The explicit midpoint rule on the group.

    - It first takes half a step with the velocity at the start. The velocity found there makes the
      whole step.
    - It multiplies rotations, so R [remains one], and impulses add up in space, so momentum is
      [conserved].
    - The trial step starts from one end, and energy [drifts: upwards] on free bodies and on slow
      and fast tops.
    """
    return STAGES_OF_CG2(body, t, h, R, Π)


@crouch_grossman(
    key="CG3",
    name="Crouch–Grossman, third order",
    short="Crouch–Grossman 3",
    order=(3, 3),
    torque_evaluations=len(CG3.b),
    evidence=(keeps(pi="free", pi_e3="always"), (declares(reversible=False), falls(BODIES))),
)
def cg3(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> End:
    """A product of turns for each of three stages, of third order.

    - The step is a product of turns, one for each stage, and turns do not commute.
    - Third order therefore needs other coefficients than for vectors; Crouch and Grossman found
      these.
    - Momentum adds up as a vector in space, and is [conserved]. Energy [is lost], because the step
      is not reversible.
    """
    return STAGES_OF_CG3(body, t, h, R, Π)


@crouch_grossman(
    key="CG4",
    name="Crouch–Grossman, fourth order",
    short="Crouch–Grossman 4",
    aliases=("Crouch-Grossman",),
    reference=bibtex("CrouchGrossman1993", "OwrenMarthinsen1999"),
    order=(4, 4),
    torque_evaluations=len(CG4.b),
    evidence=(
        keeps(pi="free"),
        (declares(reversible=False), measures("|drift|", FREE, 1e-10, 1e-3)),
    ),
)
def cg4(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> End:
    """Five stages, with coefficients of their own for fourth order.

    - Turns do not commute. So order four takes five stages, while vectors need four, and its
      coefficients are no round numbers.
    - It sums spatial momentum, so a free body's is [conserved] whatever the coefficients are.
    - Energy is not conserved: the step is not reversible, so the error [adds up]. It does so
      slowly, because it is of a high power of Δt.
    """
    return STAGES_OF_CG4(body, t, h, R, Π)


@crouch_grossman(
    key="CG-RK4",
    name="Crouch–Grossman, with the classical tableau",
    short="Crouch–Grossman RK4",
    order=(2, 2),
    torque_evaluations=len(TABLEAUX["rk4"].b),
    evidence=(keeps(pi="free", pi_e3="always"),),
)
def cg_rk4(body: Body, t: float, h: float, R: Mat3, Π: Vec3) -> End:
    """Of order four for vectors, of order two for rotations.

    - The classical coefficients are of order four because the order of a sum does not matter.
    - In a product of turns the order matters. The commutators that remain are of third power in Δt,
      and the method is of order two.
    - Impulses still add up in space as vectors, so momentum [is conserved].
    """
    return STAGES_OF_CG_RK4(body, t, h, R, Π)
