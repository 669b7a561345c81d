"""PDMV4 and PDMV: the discrete Moser–Veselov equation with another inertia, of order four to ten on
the free body.

DMV is the exact motion of another body, with J̄⁻¹ = ∂K/∂H J⁻¹ + ∂K/∂C where K is the energy that it
conserves, a function of H = Π·J⁻¹Π/2 and C = |Π|²/2. So there are a = 1 + h² s₃ + h⁴ s₅ + … and b =
h² d₃ + h⁴ d₅ + … with which DMV of the inertia (a J⁻¹ + b)⁻¹ moves as the body of inertia J (Hairer
and Vilmart). The terms of order h²ᵐ are polynomials of degree m in H and C, whose coefficients are
made of

    e₁ = tr J⁻¹,    e₂ = tr J/det J,    e₃ = 1/det J.

They were found as follows. In K, the term of h²ᵐ is a polynomial of degree m + 1, and the spins
about the principal axes give its value (DMV turns by θ with sin θ = h |ω| where the body turns by h
|ω|) and its slope (the nutation ν of a perturbed spin has tan(ν/2) = r tan(θ/2), r² = (1 − J₁/J₂)(1
− J₁/J₃), where the body has r h |ω|). These six conditions determine it up to m = 4. The series for
K is then inverted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, dot
from ..parameters.parameter import OneOf, Parameter
from ..text import FREE, bibtex, declares, keeps, measures
from .core import Body, Torque, turn_and_kick
from .dmv import cayley_turn, invariants, product_with_momentum, variational

Powers = tuple[float, float, float, float, float]


def list_powers(x: float) -> Powers:
    """1, x, x², x³ and x⁴, so that x[k] is xᵏ; a product is faster than a power."""
    square = x * x
    return 1.0, x, square, square * x, square * square


def correct_to_order4(
    h2: float, e1: Powers, e2: Powers, e3: Powers, H: Powers, C: Powers
) -> tuple[float, float]:
    """s₃ and d₃."""
    return (-2 * e1[1] * H[1] + e2[1] * C[1]) / 6, (e2[1] * H[1] - 2 * e3[1] * C[1]) / 6


def correct_to_order6(
    h2: float, e1: Powers, e2: Powers, e3: Powers, H: Powers, C: Powers
) -> tuple[float, float]:
    """s₃ + h² s₅, and d₃ + h² d₅."""
    s = (
        (2 * e1[2] - e2[1]) * H[2]
        + (8 * e3[1] - 2 * e1[1] * e2[1]) * H[1] * C[1]
        + (2 * e2[2] - 6 * e1[1] * e3[1]) * C[2]
    )
    d = (
        -(e1[1] * e2[1] + 6 * e3[1]) * H[2]
        + (8 * e1[1] * e3[1] - e2[2]) * H[1] * C[1]
        - e2[1] * e3[1] * C[2]
    )
    s3, d3 = correct_to_order4(h2, e1, e2, e3, H, C)
    return s3 + h2 * (s / 60), d3 + h2 * (d / 60)


def correct_to_order8(
    h2: float, e1: Powers, e2: Powers, e3: Powers, H: Powers, C: Powers
) -> tuple[float, float]:
    """The same with h⁴ s₇ and h⁴ d₇."""
    s = (
        (72 * e3[1] + 4 * e1[1] * e2[1] - 4 * e1[3]) * H[3]
        + (41 * e2[2] - 212 * e1[1] * e3[1] + 6 * e1[2] * e2[1]) * H[2] * C[1]
        + (132 * e1[2] * e3[1] - 36 * e1[1] * e2[2] - 30 * e2[1] * e3[1]) * H[1] * C[2]
        + (100 * e3[2] - 66 * e1[1] * e2[1] * e3[1] + 17 * e2[3]) * C[3]
    )
    d = (
        (60 * e1[1] * e3[1] - 26 * e2[2] + 2 * e1[2] * e2[1]) * H[3]
        + (110 * e2[1] * e3[1] - 64 * e1[2] * e3[1] + 13 * e1[1] * e2[2]) * H[2] * C[1]
        + (2 * e2[3] - 176 * e3[2] - 2 * e1[1] * e2[1] * e3[1]) * H[1] * C[2]
        + (72 * e1[1] * e3[2] - 19 * e2[2] * e3[1]) * C[3]
    )
    lower_s, lower_d = correct_to_order6(h2, e1, e2, e3, H, C)
    return lower_s + h2 * h2 * (s / 2520), lower_d + h2 * h2 * (d / 2520)


def correct_to_order10(
    h2: float, e1: Powers, e2: Powers, e3: Powers, H: Powers, C: Powers
) -> tuple[float, float]:
    """The same with h⁶ s₉ and h⁶ d₉."""
    s = (
        (2 * e1[4] - 3 * e1[2] * e2[1] - 486 * e1[1] * e3[1] + 153 * e2[2]) * H[4]
        + (1104 * e1[2] * e3[1] - 4 * e1[3] * e2[1] - 264 * e1[1] * e2[2] - 828 * e2[1] * e3[1])
        * H[3]
        * C[1]
        + (
            1908 * e3[2]
            - 612 * e1[3] * e3[1]
            + 156 * e1[2] * e2[2]
            + 180 * e1[1] * e2[1] * e3[1]
            + 18 * e2[3]
        )
        * H[2]
        * C[2]
        + (
            612 * e1[2] * e2[1] * e3[1]
            - 154 * e1[1] * e2[3]
            - 2256 * e1[1] * e3[2]
            + 282 * e2[2] * e3[1]
        )
        * H[1]
        * C[3]
        + (378 * e1[2] * e3[2] - 342 * e1[1] * e2[2] * e3[1] + 62 * e2[4] + 291 * e2[1] * e3[2])
        * C[4]
    )
    d = (
        (459 * e2[1] * e3[1] - e1[3] * e2[1] - 126 * e1[2] * e3[1] - 6 * e1[1] * e2[2]) * H[4]
        + (
            128 * e1[3] * e3[1]
            - 30 * e1[2] * e2[2]
            - 552 * e1[1] * e2[1] * e3[1]
            + 194 * e2[3]
            - 1296 * e3[2]
        )
        * H[3]
        * C[1]
        + (
            114 * e1[2] * e2[1] * e3[1]
            - 30 * e1[1] * e2[3]
            + 2136 * e1[1] * e3[2]
            - 798 * e2[2] * e3[1]
        )
        * H[2]
        * C[2]
        + (222 * e1[1] * e2[2] * e3[1] - 864 * e1[2] * e3[2] - e2[4] + 684 * e2[1] * e3[2])
        * H[1]
        * C[3]
        + (243 * e1[1] * e2[1] * e3[2] - 61 * e2[3] * e3[1] - 610 * e3[3]) * C[4]
    )
    lower_s, lower_d = correct_to_order8(h2, e1, e2, e3, H, C)
    return lower_s + h2 * h2 * h2 * (s / 45360), lower_d + h2 * h2 * h2 * (d / 45360)


def prepare(body: Body, h: float, Π: Vec3, corrections: Any) -> tuple[Diag3, float]:
    """The inverse inertia a J⁻¹ + b for a step from the momentum Π, and the c of its turn (see
    `dmv.py`).
    """
    Jinv = body.Jinv
    e1, e2, e3 = (list_powers(e) for e in invariants(Jinv))
    s, d = corrections(
        h**2, e1, e2, e3, list_powers(0.5 * dot(Π, Jinv @ Π)), list_powers(0.5 * dot(Π, Π))
    )
    a, b = 1.0 + h**2 * s, h**2 * d
    X = Diag3(a * Jinv.x + b, a * Jinv.y + b, a * Jinv.z + b)
    return X, product_with_momentum(body, h, X, Π)


def start4(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3
) -> tuple[Mat3, Vec3, Any, Diag3, float]:
    """The first state of PDMV4."""
    return start(body, t, h, R, Ω, correct_to_order4)


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, order: Any
) -> tuple[Mat3, Vec3, Any, Diag3, float]:
    """The first state: attitude, momentum, torque, and the inverse inertia and c of the next
    step.
    """
    Π = body.J @ Ω
    X, c = prepare(body, h, Π, order)
    return R, Π, body.torque(t, R), X, c


@variational(
    key="PDMV4",
    name="Preprocessed Moser–Veselov of order four",
    short="Hairer–Vilmart",
    aliases=("Hairer-Vilmart", "Hairer & Vilmart"),
    reference=bibtex("HairerVilmart2006"),
    start=start4,
    free_order=(4, 4),
    evidence=(keeps(energy="free", pi="free"), keeps(energy="free", casimir="free")),
)
def pdmv4(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, X: Diag3, c: float
) -> tuple[Mat3, Vec3, Any, Diag3, float]:
    r"""DMV with a modified inertia in each step: of order four on the free body, whose [energy and
    momentum it conserves].

    .. math::
        \tilde J^{-1} = (1 + h^2 s_3)\, J^{-1} + h^2 d_3 \\
        s_3 = \frac{\mathrm{tr}\,J}{6 \det J} C - \frac{\mathrm{tr}\,J^{-1}}{3} H, \quad
        d_3 = \frac{\mathrm{tr}\,J}{6 \det J} H - \frac{C}{3 \det J}

    - Each step of DMV uses a slightly different inertia. It is chosen so that the discrete motion
      is the true one to order four.
    - That inertia has the same axes and depends on energy and |Π|. Both are [still conserved], and
      in a free motion the inertia is the same in each step.
    - With a torque, the step stands between two half kicks. Such a splitting is of order two,
      whatever is in the middle.
    """
    # Kick, free step with another inertia, kick.
    return high_order(body, t, h, R, Π, T, X, c, correct_to_order4)


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The chosen order on the free body."""
    order = int(chosen.get("order", 10))
    return {"free_order": (order, order)}


@variational(
    key="PDMV",
    name="Preprocessed Moser–Veselov of high order",
    short="High-order Moser–Veselov",
    reference=bibtex("HairerVilmart2006"),
    options=(
        Parameter(
            "order",
            OneOf({"6": correct_to_order6, "8": correct_to_order8, "10": correct_to_order10}),
            "the order on the free body",
            "10",
            label="Order on a free body",
            brief="order {value}",
        ),
    ),
    start=start,
    free_order=(10, 10),
    given_options=promise,
    evidence=(
        (
            declares(of="PDMV(order=6)", free_order=(6, 6)),
            declares(of="PDMV(order=10)", free_order=(10, 10)),
        ),
        measures("Newton iterations", FREE, 1, 5),
        keeps(energy="free", casimir="free"),
        measures("attitude", FREE, 0, 1e-12),
        measures("attitude", FREE, 0, 2e-5, turn=0.8),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, X: Diag3, c: float, order: Any
) -> tuple[Mat3, Vec3, Any, Diag3, float]:
    r"""PDMV4 with further terms, of order [six to ten] on the free body. There its equation is
    solved [once, and not in each step].

    .. math::
        \tilde J^{-1} = (1 + h^2 s_3 + h^4 s_5 + \dots)\, J^{-1} + (h^2 d_3 + h^4 d_5 + \dots), \quad
        s_k, d_k \text{ polynomials in } H, C

    - It extends PDMV4 by further terms of the inertia that makes DMV's discrete motion the true
      one.
    - Energy and |Π| of a free body [do not change], so the inertia and the unknown are the same in
      each step.
    - The terms are powers of Δt. [At 0.05 rad a step a free body's attitude is within 10⁻¹²] of the
      exact one, [at 0.8 rad within 2·10⁻⁵]. With a torque, the kicks lower the order to two.
    """
    # Kick, free step with another inertia, kick; without a torque inertia and c are those of the
    # last step.
    kicked = Π + h / 2 * T
    if kicked.x != Π.x or kicked.y != Π.y or kicked.z != Π.z:
        X, c = prepare(body, h, kicked, order)
    E = cayley_turn(body, h, X, kicked, c)
    return *turn_and_kick(body, t, h, R, kicked, E), X, c


high_order: Callable[..., tuple[Mat3, Vec3, Any, Diag3, float]] = step.step  # type: ignore[assignment]
