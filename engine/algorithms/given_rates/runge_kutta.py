"""RK-QUAT and RK-MATRIX: explicit Runge–Kutta methods for the quaternion or the nine entries of R,
whose rates are linear in them; RKMK: for Bortz's rotation vector; OPENVINS.

With given rates, a method of Munthe-Kaas is a Runge–Kutta method for Bortz's equation, whose
rotation vector starts at zero in each step: both are ψ˙ = dexp⁻¹(−ψ) ω.

OPENVINS is the default of that program, commit 69488123, ov_msckf/src/state/Propagator.cpp, lines
507 to 586: the classical tableau for the turn since the start of the step, with rates interpolated
between two samples and with each stage's quaternion normalised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...algebra import Mat3, Quat, Vec3, Weights, combination, dexpinv, hat, times_exp
from ...parameters.parameter import OneOf, Parameter
from ...text import bibtex, declares, keeps, loses
from ..core import TABLEAUX, Gyro, method
from ..core.tableaux import Tableau
from ..runge_kutta_entries import normalise
from .turns import RENORMALISE, ROTATION, promise_length


def make_option(rate: Callable[[Any, Vec3], Any], default: str) -> Parameter:
    """The option for the tableau of a differential equation y˙ = rate(y, ω)."""
    sums = {key: make_sum(rate, tableau) for key, tableau in TABLEAUX.items()}
    kind = OneOf(sums, {key: tableau.name for key, tableau in TABLEAUX.items()})
    return Parameter("tableau", kind, "the Runge–Kutta tableau", default, label="Tableau")


def make_sum(rate: Callable[[Any, Vec3], Any], tableau: Tableau) -> Callable[..., Any]:
    """(gyro, t, h, y) → the change of y in a step; stages at one place share the rate there."""
    nodes = find_nodes(tableau)
    stages = tuple(
        (Weights(row), nodes.index(c)) for row, c in zip(tableau.a, tableau.c, strict=True)
    )
    b = Weights(tableau.b)

    def sum_slopes(gyro: Gyro, t: float, h: float, y: Any) -> Any:
        ω = tuple([gyro.rate(t + c * h) for c in nodes])
        K: tuple[Any, ...] = (rate(y, ω[0]),)
        for row, place in stages[1:]:
            K = (*K, rate(y + h * combination(row, K), ω[place]))
        return h * combination(b, K)

    return sum_slopes


def find_nodes(tableau: Tableau) -> tuple[float, ...]:
    """The places of a tableau's rates, without repetition."""
    return tuple(sorted(set(tableau.c)))


def quaternion_rate(q: Quat, ω: Vec3) -> Quat:
    """dq/dt."""
    return 0.5 * (q @ ω)


def matrix_rate(R: Mat3, ω: Vec3) -> Mat3:
    """dR/dt."""
    return R @ hat(ω)


def bortz_rate(ψ: Vec3, ω: Vec3) -> Vec3:
    """dψ/dt of the rotation vector, by Bortz's equation."""
    return dexpinv(-ψ, ω)


def promise_tableau(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Order, cost and places of the chosen tableau."""
    tableau = TABLEAUX[chosen.get("tableau", "rk4")]
    return {
        "order": (tableau.order,),
        "torque_evaluations": len(find_nodes(tableau)),
        "rates_at": find_nodes(tableau),
    }


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What the tableau and the length make of it; Kutta's of order three errs in the length first."""
    higher = {"order": (4,)} if chosen.get("tableau") == "kutta3" else {}
    return promise_tableau(chosen) | higher | promise_length(chosen)


runge_kutta = partial(
    method, family="Baseline", reference=bibtex("Kutta1901"), **promise_tableau({})
)
"""Declares one with any tableau."""


@runge_kutta(
    key="RK-QUAT",
    name="Runge–Kutta on the quaternion",
    short="Runge–Kutta 4",
    variants={"RK4-QUAT": {}, "explicit midpoint": {"tableau": "midpoint"}},
    options=(make_option(quaternion_rate, "rk4"), RENORMALISE),
    given_options=promise,
    evidence=(
        loses("orthogonality"),
        (
            loses("orthogonality"),
            keeps(of="RK-QUAT(renormalise=yes)", orthogonality="always"),
        ),
        declares(of="RK-QUAT(tableau=kutta3)", order=(4,)),
    ),
)
def on_quaternion(
    gyro: Gyro, t: float, h: float, q: Quat, tableau: Any, renormalise: Any
) -> tuple[Quat]:
    r"""The quaternion as four numbers, by the classical tableau or another: its length [is not
    conserved].

    .. math::
        \dot q = \tfrac12 q \otimes \omega(t), \quad q_{n+1} = \nu\left(q_n + h \sum_i b_i k_i\right)

    - The stages take the quaternion off the unit sphere, and [no stage leads back]; normalising
      after each step does.
    - Its equation is linear in q and needs no function of an angle.
    - Kutta's tableau of order three leaves its error of fourth power in the length, so its attitude is
      of order [four].
    """
    return (renormalise(q + tableau(gyro, t, h, q)),)


@runge_kutta(
    key="RK-MATRIX",
    name="Runge–Kutta on the nine entries of R",
    short="Matrix Runge–Kutta 4",
    variants={"RK4-MATRIX": {}},
    options=(make_option(matrix_rate, "rk4"),),
    given_options=promise_tableau,
    evidence=(
        loses("orthogonality"),
        (declares(order=(4,)), declares(of="RK-MATRIX(tableau=midpoint)", order=(2,))),
    ),
)
def on_matrix(gyro: Gyro, t: float, h: float, R: Mat3, tableau: Any) -> tuple[Mat3]:
    r"""The nine entries of R as numbers, by the classical tableau or another.

    .. math::
        \dot R = R\,\hat\omega(t), \quad R_{n+1} = R_n + h \sum_i b_i k_i

    - Each row of R is a vector that turns, and obeys the equation by itself.
    - A tangent leads away from the rotations, and no stage leads back: [RᵀR − 1 is not conserved].
    - The rotation [nearest to R is of the order of the tableau].
    """
    return (R + tableau(gyro, t, h, R),)


@method(
    key="RKMK",
    name="Runge–Kutta–Munthe-Kaas, on Bortz's equation",
    short="Munthe-Kaas",
    aliases=("MKRK", "BORTZ"),
    family="Runge–Kutta on the group",
    reference=bibtex("MuntheKaas1998", "Bortz1971"),
    options=(make_option(bortz_rate, "rk4"),),
    conserves=ROTATION,
    **promise_tableau({}),
    given_options=promise_tableau,
    evidence=(declares(order=(4,)), keeps(orthogonality="always")),
)
def on_rotation_vector(gyro: Gyro, t: float, h: float, R: Mat3, tableau: Any) -> tuple[Mat3]:
    r"""A Runge–Kutta method for Bortz's equation of the rotation vector: of its tableau's order.

    .. math::
        \dot\psi = \mathrm{dexp}^{-1}_{-\psi}\, \omega = \omega + \tfrac12 \psi \times \omega
        + \frac{1}{|\psi|^2} \left(1 - \frac{|\psi|}{2} \cot\frac{|\psi|}{2}\right)
        \psi \times (\psi \times \omega), \quad \psi(t_n) = 0 \\
        R_{n+1} = R_n \exp\Big(h \sum_i b_i K_i\Big)

    - The rotation vector lives in a flat space, where a Runge–Kutta method [has its full order].
    - Bortz's equation has the rotation vector on its right side. So each stage uses the ones before, as
      stages for the quaternion do.
    - One exponential leads back to the group, so R [remains a rotation].
    """
    return (times_exp(R, tableau(gyro, t, h, Vec3(0.0, 0.0, 0.0))),)


def add_to_one(k: Quat) -> Quat:
    """1 + k with length 1."""
    return normalise(Quat(1.0, 0.0, 0.0, 0.0) + k)


@method(
    key="OPENVINS",
    name="OpenVINS's update",
    short="OpenVINS",
    family="Flight software",
    reference=bibtex("GenevaEckenhoffLeeYangHuang2020"),
    rates_at=(0.0, 1.0),
    order=(2,),
    torque_evaluations=2,
    conserves=ROTATION,
    evidence=(declares(order=(2,)), keeps(orthogonality="always")),
)
def openvins(gyro: Gyro, t: float, h: float, q: Quat) -> tuple[Quat]:
    r"""The classical Runge–Kutta method between two samples, with rates on the line through them.

    .. math::
        \delta_1 = 1, \quad k_i = \tfrac h2 \delta_i \otimes \omega_i, \quad
        \omega_i \text{ on the line from } \omega(t_n) \text{ to } \omega(t_{n+1}) \\
        \delta_2 = \mathrm{unit}(1 + \tfrac12 k_1), \quad \delta_3 = \mathrm{unit}(1 + \tfrac12 k_2), \quad
        \delta_4 = \mathrm{unit}(1 + k_3) \\
        q_{n+1} = \mathrm{unit}\left(q_n \otimes
        \mathrm{unit}\left(1 + \tfrac16 (k_1 + 2 k_2 + 2 k_3 + k_4)\right)\right)

    - The line between two samples errs by the second power of h. So the order is [two], however exact
      the stages are.
    - Its stages are those of the classical tableau, each made a unit quaternion.
    - The turn and the product are made unit quaternions, so R [stays a rotation].
    """
    first, last = gyro.rate(t), gyro.rate(t + h)
    middle = 0.5 * (first + last)
    k1 = Quat(0.0, h / 2 * first.x, h / 2 * first.y, h / 2 * first.z)
    k2 = h / 2 * (add_to_one(0.5 * k1) @ middle)
    k3 = h / 2 * (add_to_one(0.5 * k2) @ middle)
    k4 = h / 2 * (add_to_one(k3) @ last)
    return (normalise(q @ add_to_one((k1 + 2.0 * (k2 + k3) + k4) * (1.0 / 6.0))),)
