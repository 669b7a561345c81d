"""Bodies with an integral besides energy and momentum: Kovalevskaya's top, Goryachev and
Chaplygin's, a gyrostat.

Both tops are symmetric, and their centre of mass lies in the plane of the two equal moments; the
axis of the third, the least, may point anywhere in the body. The gyrostat is a free body that
carries a rotor, whose momentum λ is constant in the body: J dΩ/dt = (JΩ + λ) × Ω. For the body that
is a torque λ × Ω, which does no work; only methods whose torque may depend on the velocity accept
it. With Π = JΩ of the body alone, the motion conserves R(Π + λ), but neither π nor |Π|².
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..algebra import Diag3, Mat3, Vec3, cross, dot
from ..parameters.parameter import Parameter, Vector
from ..text import HERE, bibtex, integral_drifts, integral_swings, sentence
from .field import Field, Numbers, integral
from .problem import MOMENTUM, Action, Problem, problem
from .shared_fields import ALIKE, GRAVITY, gravity_in, vector, vertical
from .tops import TOP_EQUATIONS, find_invariants_off_axis, lever_parameters

GROUP = "Further integrals"
LONG = {"dt": 0.05, "steps": 200_000}


def is_symmetric(body: Problem, times: float, p: Numbers) -> bool:
    """Whether the moments are C (n, n, 1) about any axis, n being `times`, and the weight is across
    that axis.
    """
    moments, axes = body.principal
    i = int(np.argmin(moments))
    off = np.delete(moments, i) - times * moments[i]
    w = np.array(p[:3])
    alike = np.abs(off).max() <= ALIKE * moments.max()
    return bool(alike and abs(axes[:, i] @ w) <= ALIKE * np.linalg.norm(w))


def axis_last(J: Diag3, v: Vec3) -> Vec3:
    """The components of a vector along the principal axes, with the axis of the least moment
    last.
    """
    other = Vec3(v.z, v.x, v.y) if J.y < J.z else v
    return Vec3(v.y, v.z, v.x) if (J.x < J.y) & (J.x < J.z) else other


def least(J: Diag3) -> float:
    """The least moment."""
    return axis_last(J, Vec3(J.x, J.y, J.z)).z


@integral(
    name="Kovalevskaya's integral",
    symbol="K",
    unit="1/time⁴",
    holds=lambda body, p: is_symmetric(body, 2.0, p),
)
def kovalevskaya(J: Diag3, R: Mat3, Ω: Vec3, p: Numbers) -> float:
    """|(Ω₁ + iΩ₂)² − (w₁ + iw₂)(Γ₁ + iΓ₂)/J₃|², with w = Mg χ, axis 3 that of the least moment"""
    w, Γ, v = axis_last(J, vector(p)) / least(J), axis_last(J, vertical(R)), axis_last(J, Ω)
    real = v.x * v.x - v.y * v.y - (w.x * Γ.x - w.y * Γ.y)
    imaginary = 2.0 * v.x * v.y - (w.x * Γ.y + w.y * Γ.x)
    return real * real + imaginary * imaginary


def without_vertical_momentum(body: Problem, p: Numbers) -> bool:
    """Whether the moments are those of Goryachev and Chaplygin's top, and π·e3 is zero."""
    vertical = body.R0[2] @ body.Pi0
    return is_symmetric(body, 4.0, p) and bool(abs(vertical) <= ALIKE * np.linalg.norm(body.Pi0))


@integral(
    name="Goryachev and Chaplygin's integral",
    symbol="F",
    unit="1/time³",
    holds=without_vertical_momentum,
)
def goryachev_chaplygin(J: Diag3, R: Mat3, Ω: Vec3, p: Numbers) -> float:
    """Ω₃ (Ω₁² + Ω₂²) − (w·Ω) Γ₃/J₃, with w = Mg χ, axis 3 that of the least moment"""
    v = axis_last(J, Ω)
    return v.z * (v.x * v.x + v.y * v.y) - dot(vector(p), Ω) * axis_last(J, vertical(R)).z / least(
        J
    )


INTEGRABLE_GRAVITY = replace(
    GRAVITY, name="gravity on an integrable top", integrals=(kovalevskaya, goryachev_chaplygin)
)


def pull_down(values: Mapping[str, Any], dt: float) -> Action:
    """Gravity, t = (Rχ) × (−Mg e3)."""
    return gravity_in(INTEGRABLE_GRAVITY, values["Mg"], values["chi"])


problem(
    key="kovalevskaya-top",
    name="Kovalevskaya's top",
    group=GROUP,
    place=1,
    aliases=("Kowalewski",),
    words="integrable fourth integral Kowalevski",
    summary=sentence(
        "A symmetric top whose centre of mass lies at right angles to its axis: its motion has a further integral K. "
        "In 200,000 steps, K [swings] with McLachlan–Reich, Moser–Veselov and Explicit Newmark. It [drifts] with "
        "Munthe-Kaas and Runge–Kutta 4.",
        tuple(one for m in ("MR2", "DMV", "NMB") for one in integral_swings(HERE, of=m, **LONG)),
        tuple(integral_drifts(HERE, of=m, **LONG) for m in ("RKMK", "RK4-QUAT")),
    ),
    J=(2.0, 2.0, 1.0),
    R0=(0.3, 1.2, 0.0),
    Omega0=(0.6, 0.9, 1.5),
    dt=0.05,
    duration=100.0,
    equations=TOP_EQUATIONS
    + r", \quad J = C\,\mathrm{diag}(2, 2, 1), \quad \chi \cdot e_3 = 0, \quad "
    r"K = \left|(\Omega_1 + i\Omega_2)^2 - \tfrac{w_1 + iw_2}{J_3} (\Gamma_1 + i\Gamma_2)\right|^2, \;"
    r" w = Mg\,\chi",
    keeps=find_invariants_off_axis,
    specific=lever_parameters(1.0, (1.0, 0.0, 0.0)),
    reference=bibtex("Kowalevski1889"),
)(pull_down)

problem(
    key="goryachev-chaplygin-top",
    name="Goryachev and Chaplygin's top",
    group=GROUP,
    place=2,
    words="integrable fourth integral",
    summary=sentence(
        "A symmetric top whose centre of mass lies at right angles to its axis. While its momentum about the "
        "vertical is zero, its motion has a further integral F. In 200,000 steps, F [swings] with "
        "McLachlan–Reich and Moser–Veselov. It [drifts] with Munthe-Kaas and Runge–Kutta 4.",
        tuple(one for m in ("MR2", "DMV") for one in integral_swings(HERE, of=m, **LONG)),
        tuple(integral_drifts(HERE, of=m, **LONG) for m in ("RKMK", "RK4-QUAT")),
    ),
    J=(4.0, 4.0, 1.0),
    Omega0=(1.0, 0.8, 0.0),
    dt=0.05,
    duration=100.0,
    equations=TOP_EQUATIONS
    + r", \quad J = C\,\mathrm{diag}(4, 4, 1), \quad \chi \cdot e_3 = 0, \quad \pi \cdot e_3 = 0, \quad "
    r"F = \Omega_3 (\Omega_1^2 + \Omega_2^2) - \tfrac{1}{J_3} (w \cdot \Omega)\, \Gamma_3, \;"
    r" w = Mg\,\chi",
    keeps=find_invariants_off_axis,
    specific=lever_parameters(1.0, (1.0, 0.0, 0.0)),
    reference=bibtex("Chaplygin1901"),
)(pull_down)


def rotor_torque(t: float, R: Mat3, Ω: Vec3, p: Numbers) -> Vec3:
    """T = λ × Ω."""
    return cross(vector(p), Ω)


def always(body: Problem, p: Numbers) -> bool:
    """Whatever the body and its start."""
    return True


@integral(
    name="squared total momentum", symbol="‖Π + λ‖²", unit="mass²·length⁴/time²", holds=always
)
def total_casimir(J: Diag3, R: Mat3, Ω: Vec3, p: Numbers) -> float:
    """‖JΩ + λ‖², of body and rotor"""
    M = J @ Ω + vector(p)
    return dot(M, M)


@integral(
    name="total momentum about the vertical", symbol="(π + Rλ)·e₃", unit=MOMENTUM, holds=always
)
def total_pi_e3(J: Diag3, R: Mat3, Ω: Vec3, p: Numbers) -> float:
    """e3·R(JΩ + λ), of body and rotor"""
    return dot(vertical(R), J @ Ω + vector(p))


GYROSTAT = Field(
    "gyrostat",
    rotor_torque,
    body_vectors=(0,),
    of_velocity=True,
    integrals=(total_casimir, total_pi_e3),
)


@problem(
    key="gyrostat",
    name="Zhukovsky and Volterra's gyrostat",
    group=GROUP,
    place=3,
    words="rotor flywheel momentum wheel satellite integrable",
    summary="A free body that carries a rotor of constant momentum λ. It acts on the body as a torque λ × Ω. "
    "This torque depends on the velocity, so methods for torques of time and attitude do not accept it.",
    J=(1.0, 2.0, 3.0),
    Omega0=(0.6, 0.9, 0.4),
    dt=0.05,
    duration=100.0,
    equations=r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = (J\Omega + \lambda) \times \Omega, \quad "
    r"T = \lambda \times \Omega",
    invariants=("energy", "gamma_norm"),
    specific=(
        Parameter(
            "rotor",
            Vector(),
            "the rotor's angular momentum λ in the body",
            (0.5, 0.0, 1.0),
            unit="mass·length²/time",
            label="Momentum of the rotor λ",
        ),
    ),
    reference=bibtex("Volterra1899"),
)
def gyrostat(values: Mapping[str, Any], dt: float) -> Action:
    """The rotor's torque."""
    return Action(GYROSTAT, values["rotor"])
