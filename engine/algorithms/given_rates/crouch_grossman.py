"""CG3, CG4 and CG-RK4: Crouch and Grossman's products of exponentials, where only the rate drives.

A given rate does not depend on the attitude, so the inner stages do not matter: a step is the product
of one exponential for each node. CG2 is `EXP(rate=middle)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...algebra import Mat3
from ...text import bibtex, declares, keeps
from ..core import TABLEAUX, Gyro, method
from ..core.tableaux import CROUCH_GROSSMAN, Tableau
from ..crouch_grossman import make_turn
from .turns import ROTATION

CG3, CG4, CLASSICAL = CROUCH_GROSSMAN["cg3"], CROUCH_GROSSMAN["cg4"], TABLEAUX["rk4"]


def make_product(tableau: Tableau) -> Callable[..., tuple[Mat3]]:
    """(gyro, t, h, R) → R exp(h b₁ ω₁) exp(h b₂ ω₂) …"""
    turn, nodes = make_turn(tableau.b), tableau.c

    def multiply(gyro: Any, t: float, h: float, R: Mat3) -> tuple[Mat3]:
        return (R @ turn(h, tuple([gyro.rate(t + c * h) for c in nodes])),)

    return multiply


PRODUCT_OF_CG3, PRODUCT_OF_CG4, PRODUCT_OF_CG_RK4 = map(make_product, (CG3, CG4, CLASSICAL))


def describe(tableau: Tableau) -> dict[str, Any]:
    """Where the tableau takes rates, and how many."""
    return {
        "rates_at": tuple(sorted(set(tableau.c))),
        "torque_evaluations": len(tableau.c),
    }


EQUATIONS = r"""
    R_{n+1} = R_n \exp(h b_1 \omega_1) \cdots \exp(h b_s \omega_s), \quad \omega_i = \omega(t_n + c_i h)"""
crouch_grossman = partial(
    method,
    family="Runge–Kutta on the group",
    equations=EQUATIONS,
    reference=bibtex("CrouchGrossman1993"),
    conserves=ROTATION,
)
"""Declares one of the methods."""


@crouch_grossman(
    key="CG3",
    name="Crouch–Grossman, third order",
    short="Crouch–Grossman 3",
    order=(3,),
    **describe(CG3),
    evidence=(declares(order=(3,)), keeps(orthogonality="always")),
)
def cg3(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
    """A product of turns at three nodes: of [third order].

    - Turns do not commute, so order three needs other coefficients than for vectors.
    - The nodes and weights are those for a free body. Its inner turns find velocities, and a given rate
      is known.
    - A product of rotations [is a rotation].
    """
    return PRODUCT_OF_CG3(gyro, t, h, R)


@crouch_grossman(
    key="CG4",
    name="Crouch–Grossman, fourth order",
    short="Crouch–Grossman 4",
    aliases=("Crouch-Grossman",),
    reference=bibtex("CrouchGrossman1993", "OwrenMarthinsen1999"),
    order=(4,),
    **describe(CG4),
    evidence=(declares(order=(4,)), keeps(orthogonality="always")),
)
def cg4(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
    """A product of turns at five nodes: of [fourth order].

    - It has five exponentials, and CFM4 of the same order two, because each contains a rate at one
      node alone.
    - Its nodes are no round numbers, so samples at equal distances do not fit it.
    - A product of rotations [is a rotation].
    """
    return PRODUCT_OF_CG4(gyro, t, h, R)


@crouch_grossman(
    key="CG-RK4",
    name="Crouch–Grossman, with the classical tableau",
    short="Crouch–Grossman RK4",
    order=(2,),
    reversible=True,
    **describe(CLASSICAL),
    evidence=(declares(order=(2,)), keeps(orthogonality="always")),
)
def cg_rk4(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
    """Of order four for vectors, of order [two] for rotations.

    - The classical weights are of order four where the order of a sum does not matter. In a product
      of turns it does, and commutators of the third power of Δt remain.
    - Weights and nodes are the same from both ends, so a step back undoes a step.
    - A product of rotations [is a rotation].
    """
    return PRODUCT_OF_CG_RK4(gyro, t, h, R)
