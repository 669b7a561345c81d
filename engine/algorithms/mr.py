"""MR2 and MR4: the explicit symplectic splitting of McLachlan and of Reich.

The kinetic energy is a sum of three terms, one for each principal axis; the flow of each is a turn about that axis
at a constant rate. MR4 is MR2 with three steps x₀h, x₁h, x₀h (Yoshida; Forest and Ruth). The order of the axes
matters much: Buss finds 2-3-1 best and 1-2-3 worst for his prism.

NO_SQUISH of Miller and others (J. Chem. Phys. 116, 8649, 2002) is MR2 with the axes 3-2-1-2-3, written for the
quaternion and its momentum. It is the step of LAMMPS's `fix rigid/nve` (src/RIGID/fix_rigid_nh.cpp at commit
00b92cd9, src/math_extra.cpp at 012003c6), of HOOMD-blue (hoomd/md/TwoStepConstantVolume.cc at 967b6a43) and the
default of LIGGGHTS (src/fix_nve_asphere_base.cpp at 3d5c00f2). DL_POLY 4 makes ten such free steps between its kicks
(source/quaternions_container.f90 at 1b1b6093).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..algebra import BodyAxis, Mat3, Vec3, cay_about, exp_about
from ..text import FREE, REGULAR, bibtex, declares, keeps, measures, swings, times
from .core import AXES, MOMENTUM, Body, Torque, describe_option, method, start_with_torque

TRIG = describe_option("trig", {"exact": exp_about, "cayley": cay_about}, of="mr")


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
"""Declares one of the two methods."""


@splitting(
    key="MR2",
    name="McLachlan–Reich splitting",
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
def mr2(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, axes: Any, trig: Any) -> tuple[Mat3, Vec3, Any]:
    r"""Symplectic and [explicit, with nothing to solve]: five turns about body axes. Its energy [swings without
    drift], on the asymmetric top as well.

    .. math::
        \Pi^+ = \Pi_n + \tfrac{\Delta t}{2} T_n, \quad
        E = E_a(\tfrac{\Delta t}{2}) E_b(\tfrac{\Delta t}{2}) E_c(\Delta t) E_b(\tfrac{\Delta t}{2})
        E_a(\tfrac{\Delta t}{2}) \\
        E_i(\tau):\; Q = \exp(\tau\,\Pi_i/J_i\; e_i),\; R \leftarrow R Q,\; \Pi \leftarrow Q^T \Pi \\
        \Pi_{n+1} = \Pi^- + \tfrac{\Delta t}{2} T_{n+1}

    - It splits the kinetic energy into its three squares. Each of them alone turns the body about one of its axes,
      for which there is a formula.
    - Five such turns are symplectic, because each is, and they turn the momentum along with the body, so that it
      [stays in space].
    - Together they follow very nearly a slightly different energy, so the true one [swings without drift]. How far
      depends on the axes' order: in steps of 0.05 rad the prism's energy goes [{} times] as far with axes=123 as with
      231, the dumbbell's [{} times].
    """
    # Kick, five turns, kick.
    first, second, third = axes
    Π = Π + h / 2 * T
    R, Π = turn(body, h / 2, first, trig, R, Π)
    R, Π = turn(body, h / 2, second, trig, R, Π)
    R, Π = turn(body, h, third, trig, R, Π)
    R, Π = turn(body, h / 2, second, trig, R, Π)
    R, Π = turn(body, h / 2, first, trig, R, Π)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


def turn(body: Body, τ: float, axis: BodyAxis, trig: Any, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The exact flow of Π_a²/2J_a for the time τ: a turn about the body axis a at the rate Π_a/J_a."""
    Q = trig(axis, τ * axis.of(Π) * axis.of(body.Jinv))
    return R @ Q, Q.T @ Π


X0 = 1 / (2 - 2 ** (1 / 3))
X1 = -(2 ** (1 / 3)) * X0


@splitting(
    key="MR4",
    name="McLachlan–Reich splitting, fourth order",
    reference=bibtex("McLachlan1993", "Reich1994", "Yoshida1990"),
    order=(4, 4),
    torque_evaluations=3,
    evidence=(
        declares(torque_evaluations=3),
        measures("energy", FREE, 79, 3700, of="MR2", over="MR4"),
        (declares(symplectic=True, reversible=True), keeps(pi="free", pi_e3="always")),
        times("attitude", "MR4", FREE, 7.0, 380, of="MR2", turn=0.2),
        times("attitude", "MR4", FREE, 110, 5800, of="MR2"),
    ),
)
def mr4(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque, axes: Any, trig: Any) -> tuple[Mat3, Vec3, Any]:
    r"""MR2 composed to order four: symplectic, at [three times the work]. In steps of 0.05 rad MR2's energy error on
    free bodies is [{} times] as large.

    .. math::
        \mathrm{MR4}(\Delta t) = \mathrm{MR2}(x_0 \Delta t)\,\mathrm{MR2}(x_1 \Delta t)\,\mathrm{MR2}(x_0 \Delta t),
        \quad x_0 = \frac{1}{2 - 2^{1/3}},\; x_1 = -2^{1/3} x_0

    - Three steps of MR2, of x₀Δt, x₁Δt and x₀Δt, of which the middle one goes backwards, cancel one another's errors
      of third order.
    - A product of symplectic and reversible steps [is symplectic and reversible, and conserves momentum] as they do.
    - Its advantage shows with small steps: in 400 steps of 0.2 rad MR2's attitude of a free body ends [{} times] as
      far off, in 400 steps of 0.05 rad [{} times].
    """
    # Three steps of MR2, the middle one backwards.
    R, Π, T = second_order(body, t, X0 * h, R, Π, T, axes, trig)
    R, Π, T = second_order(body, t + X0 * h, X1 * h, R, Π, T, axes, trig)
    return second_order(body, t + (X0 + X1) * h, X0 * h, R, Π, T, axes, trig)


second_order: Callable[..., tuple[Mat3, Vec3, Any]] = mr2.step  # type: ignore[assignment]
