"""CG2, CG3, CG4 and CG-RK4: the methods of Crouch and Grossman, products of exponentials.

Stage i turns by exp(h aᵢ₁ Ω₁) exp(h aᵢ₂ Ω₂) …, the first next to the attitude at the start; the momentum is summed
as a vector. Order three and four take coefficients of their own (Owren and Marthinsen for four); with the classical
tableau, CG-RK4, the order is two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algebra import Mat3, Vec3, Weights, combination, exp
from .method import MOMENTUM, method
from .tableaux import TABLEAUX, Stage, Tableau, chained

CG2 = TABLEAUX["midpoint"]
CG3 = Tableau(3, ((), (3 / 4,), (119 / 216, 17 / 108)), (13 / 51, -2 / 3, 24 / 17))
CG4 = Tableau(
    4,
    (
        (),
        (0.8177227988124852,),
        (0.3199876375476427, 0.0659864263556022),
        (0.9214417194464946, 0.4997857776773573, -1.0969984448371582),
        (0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113465),
    ),
    (0.1370831520630755, -0.0183698531564020, 0.7397813985370780, -0.1907142565505889, 0.3322195591068374),
)


def step_of(tableau: Tableau) -> Callable[..., Any]:
    """The step for a tableau: its stages chained, each appending its velocity and torque to those before it."""
    stages = chained(tableau, first_stage, later_stage, last_stage)

    def step(body: Any, t: float, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
        """One step: all stages, one after the other."""
        return stages(body, t, h, R, Π)

    return step


def turned_by(row: tuple[float, ...]) -> Callable[..., Any]:
    """R exp(h a₁ Ω₁) exp(h a₂ Ω₂) … as one rotation, for the weights in a row."""
    turned = not_turned
    for j, weight in enumerate(row):
        if weight != 0.0:
            turned = then_by(turned, weight, j)
    return turned


def not_turned(h: float, Ω: Any) -> Mat3:
    """No turn."""
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def then_by(before: Callable[..., Any], weight: float, j: int) -> Callable[..., Any]:
    """One more factor."""
    if before is not_turned:
        return lambda h, Ω: exp((h * weight) * Ω[j])
    return lambda h, Ω: before(h, Ω) @ exp((h * weight) * Ω[j])


def first_stage(rest: Stage) -> Stage:
    """Velocity and torque at the start of the step, and the rest of the stages."""

    def first(body: Any, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> Any:
        Ω1 = body.Jinv @ Π
        return rest(body, t, h, R, Π, (Ω1,), (body.torque(t, R, Ω1),))

    return first


def later_stage(row: Weights, c: float, rest: Stage) -> Stage:
    """A later one, and the rest; torques are kept in the body's frame at the start of the step."""
    turn = turned_by(row)

    def later(body: Any, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> Any:
        E = turn(h, Ω)
        Ωi = body.Jinv @ (E.T @ (Π + h * combination(row, T)))
        return rest(body, t, h, R, Π, Ω + (Ωi,), T + (E @ body.torque(t + c * h, R @ E, Ωi),))

    return later


def last_stage(b: Weights) -> Stage:
    """The end of the step."""
    turn = turned_by(b)

    def end(body: Any, t: float, h: float, R: Mat3, Π: Vec3, Ω: Any, T: Any) -> tuple[Mat3, Vec3]:
        E = turn(h, Ω)
        return R @ E, E.T @ (Π + h * combination(b, T))

    return end


CROUCH_GROSSMAN = """@article{CrouchGrossman1993,
  author  = {Crouch, P. E. and Grossman, R.},
  title   = {Numerical integration of ordinary differential equations on manifolds},
  journal = {Journal of Nonlinear Science},
  volume  = {3}, pages = {1--33}, year = {1993}, doi = {10.1007/BF02429858}}"""
OWREN_MARTHINSEN = """
@article{OwrenMarthinsen1999,
  author  = {Owren, Brynjulf and Marthinsen, Arne},
  title   = {{Runge--Kutta} methods adapted to manifolds and based on rigid frames},
  journal = {BIT Numerical Mathematics},
  volume  = {39}, pages = {116--142}, year = {1999}, doi = {10.1023/A:1022325426017}}"""

EQUATIONS = r"""
    R_i = R_n \exp(h a_{i1} \Omega_1) \exp(h a_{i2} \Omega_2) \cdots, \quad
    \pi_i = \pi_n + h \sum_j a_{ij} t_j, \quad \Omega_i = J^{-1} R_i^T \pi_i \\
    R_{n+1} = R_n \exp(h b_1 \Omega_1) \cdots \exp(h b_s \Omega_s), \quad \pi_{n+1} = \pi_n + h \sum_i b_i t_i"""

for _key, _tableau, _name, _aliases, _order, _summary, _more in (
    ("CG2", CG2, "second order", ("LGM",), 2, "The explicit midpoint rule on the group.", ""),
    ("CG3", CG3, "third order", (), 3, "A product of turns for each of three stages, and third order.", ""),
    (
        "CG4",
        CG4,
        "fourth order",
        ("Crouch-Grossman",),
        4,
        "Five stages with coefficients of their own for fourth order.",
        OWREN_MARTHINSEN,
    ),
    ("CG-RK4", TABLEAUX["rk4"], "with the classical tableau", (), 2, "Order four on vectors, two on rotations.", ""),
):
    method(
        key=_key,
        name=f"Crouch–Grossman, {_name}",
        aliases=_aliases,
        family="Runge–Kutta on the group",
        summary=_summary,
        equations=EQUATIONS,
        reference=CROUCH_GROSSMAN + _more,
        order=(_order, _order),
        torque_evaluations=len(_tableau.b),
        torque_of_velocity=True,
        conserves=MOMENTUM,
    )(step_of(_tableau))
