"""MAGNUS: the Magnus expansion, one exponential of integrals and commutators of the rate; and CFM4,
without commutators.

The body's rate stands to the right of R, so commutators have the opposite sign of those for
Y˙ = A(t) Y. With the middle of the step, MAGNUS of order 2 is `EXP(rate=middle)`. With two
increments of the angle in place of rates, that of order 4 is `CONING(samples=2)`. With equal nodes
CFM4 is the method of Celledoni, Marthinsen and Owren, whose inner stages do not matter to a given
rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ...algebra import Mat3, Vec3, cross, exp, times_exp
from ...parameters.parameter import OneOf, Parameter
from ...text import bibtex, declares, keeps
from ..core import Gyro, method, offer
from .turns import ROTATION

SPREAD4, SPREAD6 = sqrt(3.0) / 6.0, sqrt(15.0) / 10.0
"""The distance of Gauss's outer nodes from the middle of a step, of two nodes and of three."""
NODES = {
    ("2", "gauss"): (0.5,),
    ("2", "equal"): (0.0, 1.0),
    ("4", "gauss"): (0.5 - SPREAD4, 0.5 + SPREAD4),
    ("4", "equal"): (0.0, 0.5, 1.0),
    ("6", "gauss"): (0.5 - SPREAD6, 0.5, 0.5 + SPREAD6),
    ("6", "equal"): (0.0, 0.25, 0.5, 0.75, 1.0),
}
"""The places of the rates, by order and kind of nodes."""


def find_rates(gyro: Gyro, t: float, h: float, nodes: tuple[float, ...]) -> tuple[Vec3, ...]:
    """h times the rate at each of the nodes."""
    return tuple([h * gyro.rate(t + place * h) for place in nodes])


def expand_to_order_2(gyro: Gyro, t: float, h: float, nodes: tuple[float, ...]) -> Vec3:
    """The integral of the rate."""
    a = find_rates(gyro, t, h, nodes)
    return a[0] if len(a) == 1 else 0.5 * (a[0] + a[1])


def expand_to_order_4(gyro: Gyro, t: float, h: float, nodes: tuple[float, ...]) -> Vec3:
    """The integral of the rate and one commutator."""
    a = find_rates(gyro, t, h, nodes)
    if len(a) == 2:
        return 0.5 * (a[0] + a[1]) + SPREAD4 / 2.0 * cross(a[0], a[1])
    return (a[0] + 4.0 * a[1] + a[2]) / 6.0 + cross(a[0], a[2]) / 12.0


def expand_to_order_6(gyro: Gyro, t: float, h: float, nodes: tuple[float, ...]) -> Vec3:
    """The integral of the rate and commutators of the value, slope and curvature in the middle, as
    Blanes, Casas, Oteo and Ros write them.
    """
    a = find_rates(gyro, t, h, nodes)
    if len(a) == 3:
        α1, α2 = a[1], 0.5 / SPREAD6 * (a[2] - a[0])
        α3 = 0.5 / SPREAD6**2 * (a[0] - 2.0 * a[1] + a[2])
    else:
        # The moments ∫ (s − ½)ⁱ ω ds by Boole's rule.
        ends, inner = 7.0 / 90.0, 32.0 / 90.0
        zeroth = ends * (a[0] + a[4]) + inner * (a[1] + a[3]) + 12.0 / 90.0 * a[2]
        first = ends / 2.0 * (a[4] - a[0]) + inner / 4.0 * (a[3] - a[1])
        second = ends / 4.0 * (a[0] + a[4]) + inner / 16.0 * (a[1] + a[3])
        α1, α2 = 2.25 * zeroth - 15.0 * second, 12.0 * first
        α3 = 180.0 * second - 15.0 * zeroth
    C1 = cross(α2, α1)
    C2 = cross(2.0 * α3 + C1, α1) * (-1.0 / 60.0)
    inner_part, outer_part = -20.0 * α1 - α3 + C1, α2 + C2
    return α1 + α3 / 12.0 + cross(outer_part, inner_part) * (1.0 / 240.0)


EXPANSIONS = {"2": expand_to_order_2, "4": expand_to_order_4, "6": expand_to_order_6}
"""The expansion of each order: (gyro, t, h, nodes) → the rotation vector of the step."""
ORDER = Parameter(
    "order",
    OneOf(EXPANSIONS, {order: f"order {order}" for order in EXPANSIONS}),
    "the order of the expansion",
    "4",
    label="Order",
    brief="order {value}",
)


def offer_nodes(gauss: Any, equal: Any) -> Parameter:
    """The option for the places of the rates, with a meaning of each choice."""
    words = {
        "gauss": (gauss, "Gauss's nodes"),
        "equal": (equal, "equal distances, as samples have"),
    }
    doc = "where in the step the rates are taken"
    return offer("nodes", doc, "Nodes", words, brief="{value} nodes")


KIND = offer_nodes("gauss", "equal")


def make_step(order: str, kind: str) -> Any:
    """The step of an order with a kind of nodes."""
    expand, nodes = EXPANSIONS[order], NODES[order, kind]

    def step(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
        r"""The exponential of the Magnus expansion: [of order four] or another even one, [the same
        from both ends of the step].

        .. math::
            R_{n+1} = R_n \exp \Omega, \quad
            \Omega = \int \omega\,ds + \tfrac12 \int\!\!\int_{r<s} \omega(r) \times \omega(s)\,dr\,ds + \dots \\
            \Omega^{[2]} = h\,\omega_{1/2}, \quad
            \Omega^{[4]} = \tfrac h2 (\omega_1 + \omega_2) + \tfrac{\sqrt 3}{12} h^2\, \omega_1 \times \omega_2
            \quad \text{at Gauss's nodes}

        - The expansion is the logarithm of the exact turn, so R [stays a rotation]. Its second term
          is the coning of a step.
        - A commutator of rates at two places contains the slope of the rate, so no derivative is needed.
        - Its terms have even order from the middle of the step, so an expansion of odd order is not
          needed.
        """
        return (times_exp(R, expand(gyro, t, h, nodes)),)

    return step


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The step of the order and the nodes, and what it is given."""
    order, kind = chosen.get("order", ORDER.default), chosen.get("nodes", KIND.default)
    nodes = NODES[order, kind]
    return {
        "step": make_step(order, kind),
        "order": (int(order),),
        "rates_at": nodes,
        "torque_evaluations": len(nodes),
    }


DEFAULTS = promise({})
MAGNUS = method(
    key="MAGNUS",
    name="Magnus expansion",
    short="Magnus",
    family="Magnus",
    reference=bibtex("Magnus1954", "BlanesCasasOteoRos2009"),
    options=(ORDER, KIND),
    reversible=True,
    conserves=ROTATION,
    **{name: value for name, value in DEFAULTS.items() if name != "step"},
    given_options=promise,
    evidence=(
        declares(order=(4,)),
        declares(reversible=True),
        keeps(orthogonality="always"),
    ),
)(DEFAULTS["step"])

CLOSE, FAR = 0.25 - SPREAD4, 0.25 + SPREAD4


def with_gauss(gyro: Gyro, t: float, h: float) -> tuple[Vec3, Vec3]:
    """The two rotation vectors from Gauss's nodes."""
    a, b = find_rates(gyro, t, h, NODES["4", "gauss"])
    return FAR * a + CLOSE * b, CLOSE * a + FAR * b


def with_equal(gyro: Gyro, t: float, h: float) -> tuple[Vec3, Vec3]:
    """The two rotation vectors from both ends and the middle."""
    a, b, c = find_rates(gyro, t, h, NODES["4", "equal"])
    return (3.0 * a + 4.0 * b - c) / 12.0, (3.0 * c + 4.0 * b - a) / 12.0


PAIR = offer_nodes(with_gauss, with_equal)


def promise_pair(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The places of the rates."""
    nodes = NODES["4", chosen.get("nodes", "gauss")]
    return {"rates_at": nodes, "torque_evaluations": len(nodes)}


@method(
    key="CFM4",
    name="Commutator-free Magnus method of order 4",
    short="Commutator-free Magnus 4",
    variants={"CF4": {"nodes": "equal"}},
    family="Magnus",
    reference=bibtex("BlanesMoan2006", "CelledoniMarthinsenOwren2003"),
    options=(PAIR,),
    order=(4,),
    reversible=True,
    conserves=ROTATION,
    **promise_pair({}),
    given_options=promise_pair,
    evidence=(declares(order=(4,)), declares(reversible=True), keeps(orthogonality="always")),
)
def cfm4(gyro: Gyro, t: float, h: float, R: Mat3, nodes: Any) -> tuple[Mat3]:
    r"""Two exponentials of sums of rates: of order [four, without a commutator].

    .. math::
        R_{n+1} = R_n\, e^{h (a \omega_1 + b \omega_2)}\, e^{h (b \omega_1 + a \omega_2)}, \quad
        a = \tfrac14 + \tfrac{\sqrt 3}{6}, \quad b = \tfrac14 - \tfrac{\sqrt 3}{6} \\
        \text{or } R_n\, e^{h (3 \omega_0 + 4 \omega_{1/2} - \omega_1)/12}\,
        e^{h (-\omega_0 + 4 \omega_{1/2} + 3 \omega_1)/12}

    - The order of the two turns replaces the commutator of the Magnus expansion.
    - Seen from the end of the step the two change places, so it is [symmetric in time].
    - It multiplies rotations, and R [stays one].
    """
    first, second = nodes(gyro, t, h)
    return (times_exp(R @ exp(first), second),)
