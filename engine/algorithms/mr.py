"""MR2, MR4 and DEDICATED: the explicit symplectic splitting of McLachlan and of Reich.

The kinetic energy is a sum of three terms, one for each principal axis; the flow of each is a turn
about that axis at a constant rate. MR4 is MR2 with three steps x₀h, x₁h, x₀h (Yoshida; Forest and
Ruth). The order of the axes matters much: Buss finds 2-3-1 best and 1-2-3 worst for his prism.

NO_SQUISH of Miller and others (J. Chem. Phys. 116, 8649, 2002) is MR2 with the axes 3-2-1-2-3,
written for the quaternion and its momentum. It is the step of LAMMPS's `fix rigid/nve`
(src/RIGID/fix_rigid_nh.cpp at commit 00b92cd9, src/math_extra.cpp at 012003c6), of HOOMD-blue
(hoomd/md/TwoStepConstantVolume.cc at 967b6a43) and the default of LIGGGHTS
(src/fix_nve_asphere_base.cpp at 3d5c00f2). DL_POLY 4 makes ten such free steps between its kicks
(source/quaternions_container.f90 at 1b1b6093).

DEDICATED has nine turns. Laskar and Vaillant let the weights of a splitting depend on the moments
of inertia: brackets of the three squares of the kinetic energy depend on one another, so that order
four takes fewer turns than for parts of any kind. The sequence and its weights are ours. With A, B
and C the turns about the axes of least, middle and greatest inertia, it is

    A(a₁/2) C(½) A(a₂/2) B(½) A(a₃) B(½) A(a₂/2) C(½) A(a₁/2).

Its terms of third order are multiples of Π₁²(Π₂² − Π₃²) and so on, whose sum vanishes: two
conditions besides a₁ + a₂ + a₃ = 1. One is linear in a₂ and a₃, the other quadratic. Both roots are
real, and with the one below all weights are positive, on all 3000 random bodies of a test; for
parts of any kind no order above two has that (Sheng 1989; Suzuki 1991).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any

from ..algebra import BodyAxis, Diag3, Mat3, Vec3, cay_about, e1, e2, e3, exp_about
from ..text import REGULAR, TOPS, bibtex, declares, keeps, swings, times, typically
from .core import AXES, MOMENTUM, Body, Torque, method, offer, start_with_torque

TRIG = offer(
    "trig",
    "how a turn by an angle is computed: by sine and cosine, or rationally by the Cayley map",
    "Turns by",
    {
        "exact": (exp_about, "sine and cosine"),
        "cayley": (cay_about, "the Cayley map"),
    },
    brief="turns by {label}",
)


splitting = partial(
    method,
    family="Splitting",
    options=(AXES, TRIG),
    start=start_with_torque,
    torque_evaluations=1,
    reversible=True,
    symplectic=True,
    conserves=MOMENTUM,
)
"""Declares a method of turns about body axes."""


@splitting(
    key="MR2",
    name="McLachlan–Reich splitting",
    short="McLachlan–Reich",
    aliases=("LP2", "McLachlan-Reich"),
    variants={name: {"axes": "321"} for name in ("no-squish", "lammps-rigid", "hoomd", "liggghts")},
    reference=bibtex("McLachlan1993", "Reich1994"),
    order=(2, 2),
    evidence=(
        declares(symplectic=True, implicit=False),
        (*swings(REGULAR), *swings(("asymmetric-top",), dt=0.05, steps=1_000_000)),
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        swings(REGULAR),
        times("energy", "MR2(axes=231)", ("prism",), 510, 518),
        times("energy", "MR2(axes=231)", ("dumbbell",), 0.052, 0.054),
    ),
)
def mr2(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, axes: Any, trig: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""Symplectic and [explicit, with nothing to solve]: five turns about body axes. Its energy
    [swings without drift], on the asymmetric top as well.

    .. math::
        \Pi^+ = \Pi_n + \tfrac{\Delta t}{2} T_n, \quad
        E = E_a(\tfrac{\Delta t}{2}) E_b(\tfrac{\Delta t}{2}) E_c(\Delta t) E_b(\tfrac{\Delta t}{2})
        E_a(\tfrac{\Delta t}{2}) \\
        E_i(\tau):\; Q = \exp(\tau\,\Pi_i/J_i\; e_i),\; R \leftarrow R Q,\; \Pi \leftarrow Q^T \Pi \\
        \Pi_{n+1} = \Pi^- + \tfrac{\Delta t}{2} T_{n+1}

    - It splits the kinetic energy into its three squares. Each of them alone turns the body about
      one of its axes, for which there is a formula.
    - Five such turns are symplectic, because each is. They turn the body momentum along with the
      body, so momentum [stays in space].
    - Together they follow very nearly a slightly different energy, so the true one [swings without
      drift]. How far depends on the axes' order. In steps of 0.05 rad, axes=123 gives [{} times]
      the energy error of axes=231 for the prism. For the dumbbell it gives [{} times] that error.
    """
    # Kick, five turns, kick.
    first, second, third = axes
    Π = Π + h / 2 * T
    R, Π = turn(body.Jinv, h / 2, first, trig, R, Π)
    R, Π = turn(body.Jinv, h / 2, second, trig, R, Π)
    R, Π = turn(body.Jinv, h, third, trig, R, Π)
    R, Π = turn(body.Jinv, h / 2, second, trig, R, Π)
    R, Π = turn(body.Jinv, h / 2, first, trig, R, Π)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


def turn(Jinv: Diag3, τ: float, axis: BodyAxis, trig: Any, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The exact flow of Π_a²/2J_a for the time τ: a turn about the body axis a at the rate
    Π_a/J_a.
    """
    Q = trig(axis, τ * axis.of(Π) * axis.of(Jinv))
    return R @ Q, Q.T @ Π


X0 = 1 / (2 - 2 ** (1 / 3))
X1 = -(2 ** (1 / 3)) * X0


@splitting(
    key="MR4",
    name="McLachlan–Reich splitting, fourth order",
    short="McLachlan–Reich 4",
    reference=bibtex("McLachlan1993", "Reich1994", "Yoshida1990"),
    order=(4, 4),
    torque_evaluations=3,
    evidence=(
        declares(torque_evaluations=3),
        typically("energy", "MR4", 800, of="MR2"),
        (declares(symplectic=True, reversible=True), keeps(pi="free", pi_e3="always")),
        typically("attitude", "MR4", 30, of="MR2", turn=0.2),
        typically("attitude", "MR4", 500, of="MR2"),
    ),
)
def mr4(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, axes: Any, trig: Any
) -> tuple[Mat3, Vec3, Any]:
    r"""MR2 composed to order four: symplectic, at [three times the work]. In steps of 0.05 rad
    MR2's energy error is [{} times] as large in the median of random bodies.

    .. math::
        \mathrm{MR4}(\Delta t) = \mathrm{MR2}(x_0 \Delta t)\,\mathrm{MR2}(x_1 \Delta t)\,\mathrm{MR2}(x_0 \Delta t),
        \quad x_0 = \frac{1}{2 - 2^{1/3}},\; x_1 = -2^{1/3} x_0

    - It takes three steps of MR2, the middle one backwards. Their errors of third order cancel.
    - A product of symplectic and reversible steps [is symplectic and reversible, and conserves
      momentum] as they do.
    - It gains most with small steps. MR2's attitude error is [{} times] as large at 0.2 rad a step.
      It is [{} times] as large at 0.05 rad (medians of random bodies).
    """
    # Three steps of MR2, the middle one backwards.
    R, Π, T = second_order(body, t, X0 * h, R, Π, T, axes, trig)
    R, Π, T = second_order(body, t + X0 * h, X1 * h, R, Π, T, axes, trig)
    return second_order(body, t + (X0 + X1) * h, X0 * h, R, Π, T, axes, trig)


second_order: Callable[..., tuple[Mat3, Vec3, Any]] = mr2.step  # type: ignore[assignment]


@splitting(
    key="DEDICATED",
    name="Splitting with weights of the body",
    short="Body-weighted splitting",
    aliases=("dedicated-splitting",),
    reference=bibtex("LaskarVaillant2019"),
    options=(),
    order=(2, 2),
    free_order=(4, 4),
    evidence=(
        declares(free_order=(4, 4), implicit=False),
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        typically("attitude", "DEDICATED", 100, of="MR4"),
        (declares(order=(2, 2)), *swings(TOPS)),
    ),
)
def dedicated(
    body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque
) -> tuple[Mat3, Vec3, Any]:
    r"""Nine forward turns about body axes, by angles that depend on the moments of inertia. It is
    [explicit, and of order four on the free body].

    .. math::
        E_i(\tau):\; Q = \exp(\tau\,\Pi_i/J_i\; e_i),\; R \leftarrow R Q,\; \Pi \leftarrow Q^T \Pi \\
        E = E_1(\tfrac{a_1}{2} h)\, E_3(\tfrac h2)\, E_1(\tfrac{a_2}{2} h)\, E_2(\tfrac h2)\, E_1(a_3 h)\,
        E_2(\tfrac h2)\, E_1(\tfrac{a_2}{2} h)\, E_3(\tfrac h2)\, E_1(\tfrac{a_1}{2} h), \quad J_1 \le J_2 \le J_3 \\
        p = J_1/J_2,\; r = J_1/J_3,\; k = (p - r)(1 - 2r) + p r^2, \quad u = a_2 + a_3 = 1 - a_1 \\
        3 p^2 a_3 = r (2p - r)(3u - p) + 2 (p - r)^2, \quad 3 p\, a_3^2 = 3 r u^2 - 3 r^2 u + k

    - Each turn has a formula, is symplectic and turns the momentum with the body; the product [is
      symplectic and conserves momentum].
    - MR4 takes thirteen turns, some of them backwards, for order four. After 400 steps of 0.05 rad
      MR4's attitude error is [{} times] as large in the median of random bodies.
    - A torque acts by half of its impulse at each end, as in Verlet's method. With a torque the
      order is [two, and the energy swings].
    """
    # Kick, nine turns in axes sorted by their moments, kick.
    P, Jinv = sort_axes(body.J)
    a1, a2, a3 = weigh(Jinv.y / Jinv.x, Jinv.z / Jinv.x)
    R, Π = R @ P, P.T @ (Π + h / 2 * T)
    for weight, axis in (
        (a1, e1),
        (1, e3),
        (a2, e1),
        (1, e2),
        (2 * a3, e1),
        (1, e2),
        (a2, e1),
        (1, e3),
        (a1, e1),
    ):
        R, Π = turn(Jinv, weight * h / 2, axis, exp_about, R, Π)
    R, Π = R @ P.T, P @ Π
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


def sort_axes(J: Diag3) -> tuple[Mat3, Diag3]:
    """The rotation to axes of ascending moments, by up to three quarter turns, and the inverse
    moments there.
    """
    x, y, z = J.x, J.y, J.z
    P = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) @ e3.turn(1.0 - (x > y), 1.0 * (x > y))
    x, y = min(x, y), max(x, y)
    P = P @ e1.turn(1.0 - (y > z), 1.0 * (y > z))
    y, z = min(y, z), max(y, z)
    return P @ e3.turn(1.0 - (x > y), 1.0 * (x > y)), Diag3(min(x, y), max(x, y), z).inv


def weigh(p: float, r: float) -> tuple[float, float, float]:
    """a₁, a₂ and a₃ for p = J₁/J₂ and r = J₁/J₃; a₃ = mu + n."""
    m, n = r * (2 * p - r) / (p * p), (2 * (p - r) * (p - r) - r * p * (2 * p - r)) / (3 * p * p)
    k = (p - r) * (1 - 2 * r) + p * r * r
    a, b, c = 3 * (p * m * m - r), 6 * p * m * n + 3 * r * r, 3 * p * n * n - k
    u = -2 * c / (b + sqrt(b * b - 4 * a * c))
    return 1 - u, u - (m * u + n), m * u + n
