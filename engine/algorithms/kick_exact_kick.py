"""KEK: kick, the free body's exact motion, kick.

The splitting of van Zon and Schofield and of Celledoni and others: half of the torque's impulse,
the exact motion of the free body for the whole step, and the other half. Without a torque it is
exact; composed, it is of higher order.

Jacobi's elliptic functions describe the exact motion (see `engine/exact/free_body.py`):

    Π₁ = A₁ cn u,   Π₂ = ±A₂ sn u,   Π₃ = A₃ dn u,   u = λt + u₀

where Π goes round the third axis; about Π the body turns by the angle |Π|t/J₂ ± I(λt + u₀), where

    I(u) = √(ν(ν + m)/(1 + ν)) ∫₀ᵘ cn²/(1 + ν sn²) du.

A step needs neither u₀ nor a period, nor another formula for a negative Π₃: series give the
functions of a small part of λh, and addition theorems those of sums (Byrd and Friedman, Handbook of
Elliptic Integrals, 116.03, for the integral), with s = sn u, t = sn v and w = sn(u + v):

    I(u) + I(v) − I(u + v) = atan2(√(ν (1 + ν) (ν + m)) s t w, 1 + ν w² − ν s t cn(u + v) dn(u + v))
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, cross, dot, e3, exp_about, norm, times_exp
from ..text import TOPS, bibtex, declares, keeps, times
from .core import MOMENTUM, Body, Torque, differentiate_as, method, start_with_torque

SMALL = 1 / 256
"""The series below are exact to roundoff up to here."""


@method(
    key="KEK",
    name="Kick, exact free motion, kick",
    short="Kick–exact–kick",
    aliases=("kick-exact-kick", "van-zon-schofield"),
    family="Splitting",
    reference=bibtex("vanZonSchofield2007", "CelledoniFassoSafstromZanna2008"),
    start=start_with_torque,
    order=(2, 2),
    torque_evaluations=1,
    reversible=True,
    symplectic=True,
    conserves=MOMENTUM | {"energy": "free", "pi_chi": "symmetric tops"},
    evidence=(
        declares(symplectic=True, implicit=False),
        keeps(energy="free", pi="free"),
        declares(symplectic=True),
        keeps(energy="free", pi="free"),
        times("attitude", "MR2", TOPS, 0.0062, 0.75),
    ),
)
def step(body: Body, t: float, h: float, R: Mat3, Π: Vec3, T: Torque) -> tuple[Mat3, Vec3, Any]:
    r"""Half of the torque's impulse, the free body's exact motion, and the other half. It is
    symplectic, with [nothing to solve], and [the free body's invariants are conserved].

    .. math::
        \Pi^+ = \Pi_n + \tfrac h2 T_n, \quad (R_{n+1}, \Pi^-) = \Phi_h(R_n, \Pi^+), \quad
        \Pi_{n+1} = \Pi^- + \tfrac h2 T_{n+1} \\
        \Phi_h:\; \dot R = R\,\widehat{J^{-1} \Pi}, \quad \dot\Pi = \Pi \times J^{-1} \Pi

    - It splits the energy into that of the free body and the potential. The motion of each part is
      exact, and so a step is [symplectic].
    - Without a torque the whole motion is exact, and energy and momentum [are conserved].
    - Its errors come from the torque. In steps of 0.05 rad its attitude error is [{} times] MR2's
      on the slow, fast and Lagrange tops.
    """
    R, Π = free_motion(body, h, R, Π + h / 2 * T)
    T = body.torque(t + h, R)
    return R, Π + h / 2 * T, T


ORDER = 10
"""Of the Taylor series of `follow_series`."""
STRIDE = 1 / 64
"""Radians that a body turns by at most in one series, which is then exact to roundoff."""


def follow_series(body: Body, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The exact motion for the time h by Taylor series. Elliptic functions are faster, but have
    special cases, at which they cannot be differentiated: a steady spin, and equal moments.
    """
    fastest = norm(Π) * max(body.Jinv.x, max(body.Jinv.y, body.Jinv.z))
    parts = 1.0
    while abs(h) * fastest > STRIDE * parts:
        parts = 2.0 * parts
    rows = Vec3(R.xx, R.xy, R.xz), Vec3(R.yx, R.yy, R.yz), Vec3(R.zx, R.zy, R.zz)
    seen: tuple[Vec3, ...] = (Π, *rows)
    for _ in range(int(parts)):
        seen = add_series(body.Jinv, h / parts, (seen,), (body.Jinv @ seen[0],))
    Π, x, y, z = seen
    return Mat3(x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z), Π


def add_series(
    Jinv: Diag3, h: float, terms: tuple[tuple[Vec3, ...], ...], spins: tuple[Vec3, ...]
) -> tuple[Vec3, ...]:
    """The sums of the Taylor series of vectors fixed in space, seen from the body, the first of
    which is Π: dv/dt = v × Ω. `terms` and `spins` are the terms of v and of Ω so far.
    """
    n = len(terms)
    if n > ORDER:
        total = terms[-1]
        for term in terms[-2::-1]:
            total = tuple([one + more for one, more in zip(total, term, strict=True)])
        return total
    new = [v * 0.0 for v in terms[0]]
    for term, spin in zip(terms, spins[::-1], strict=True):
        new = [one + cross(v, spin) for one, v in zip(new, term, strict=True)]
    added = tuple([v * (h / n) for v in new])
    return add_series(Jinv, h, (*terms, added), (*spins, Jinv @ added[0]))


@differentiate_as(follow_series)
def free_motion(body: Body, h: float, R: Mat3, Π: Vec3) -> tuple[Mat3, Vec3]:
    """The exact motion for the time h."""
    a, b, c = body.Jinv.x, body.Jinv.y, body.Jinv.z
    # By differences of the moments, which vanish where two are equal: Π × J⁻¹Π.
    G = Vec3((c - b) * (Π.y * Π.z), (a - c) * (Π.z * Π.x), (b - a) * (Π.x * Π.y))
    if dot(G, G) == 0.0:
        return times_exp(R, h * (body.Jinv @ Π)), Π
    axes = find_axes(body.Jinv, Π)
    first = axes @ Π
    last, ψ = move(h, find_moments(body.Jinv, axes), first)
    E = axes.T @ (momentum_frame(first).T @ exp_about(e3, ψ) @ momentum_frame(last)) @ axes
    return R @ E, axes.T @ last


def find_axes(Jinv: Diag3, Π: Vec3) -> Mat3:
    """Right-handed body axes as rows: Π goes round the third."""
    middle, first, third = sort_axes(Jinv)
    if share(Jinv, middle, first, Π) > share(Jinv, middle, third, Π):
        first, third = third, first
    second = cross(third, first)
    return Mat3(first.x, first.y, first.z, second.x, second.y, second.z, third.x, third.y, third.z)


def sort_axes(d: Diag3) -> tuple[Vec3, Vec3, Vec3]:
    """The axis of the middle one of three numbers, and the other two axes."""
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    if (d.x - d.y) * (d.x - d.z) <= 0.0:
        return x, y, z
    if (d.y - d.z) * (d.y - d.x) <= 0.0:
        return y, z, x
    return z, x, y


def share(Jinv: Diag3, middle: Vec3, axis: Vec3, Π: Vec3) -> float:
    """The contribution of an axis to |2E − |Π|²/J| with the middle J; Π goes round the axis that
    contributes more.
    """
    p = dot(axis, Π)
    return abs(along(Jinv, axis) - along(Jinv, middle)) * p * p


def along(d: Diag3, axis: Vec3) -> float:
    """The number of an axis."""
    return dot(axis, d @ axis)


def find_moments(Jinv: Diag3, axes: Mat3) -> Vec3:
    """The inverse moments of inertia about the axes."""
    x, y, z = (
        Vec3(axes.xx, axes.xy, axes.xz),
        Vec3(axes.yx, axes.yy, axes.yz),
        Vec3(axes.zx, axes.zy, axes.zz),
    )
    return Vec3(along(Jinv, x), along(Jinv, y), along(Jinv, z))


def move(h: float, inverse: Vec3, Π: Vec3) -> tuple[Vec3, float]:
    """The momentum after the time h, in axes of which it goes round the third, and the angle about
    it.
    """
    δ, sense = abs(inverse.x - inverse.z), 1.0 if inverse.x > inverse.z else -1.0
    δ12, δ23 = abs(inverse.x - inverse.y) / δ, abs(inverse.y - inverse.z) / δ
    X, Z = Π.x * Π.x + δ23 * Π.y * Π.y, Π.z * Π.z + δ12 * Π.y * Π.y
    A1, A2, A3 = sqrt(X), sqrt(X / δ23), sqrt(Z)
    ν = δ12 / δ23
    m = ν * X / Z
    sn, cn, dn, angle = elliptic_functions(h * δ * sqrt(δ23 * Z), m, ν)
    s, c, d = sense * Π.y / A2, Π.x / A1, Π.z / A3
    D = 1.0 - m * s * s * sn * sn
    s1, c1, d1 = (
        (s * cn * dn + sn * c * d) / D,
        (c * cn - s * d * sn * dn) / D,
        (d * dn - m * s * c * sn * cn) / D,
    )
    angle = angle - addition_defect(ν, m, s, sn, s1, c1 * d1)
    last = Vec3(A1 * c1, sense * A2 * s1, A3 * d1)
    return last * (norm(Π) / norm(last)), norm(Π) * inverse.y * h + sense * angle


def elliptic_functions(v: float, m: float, ν: float) -> tuple[float, float, float, float]:
    """sn v, cn v, dn v and I(v): by series for a small part of v, which is then doubled
    repeatedly.
    """
    doublings = 0
    while abs(v) * sqrt(1.0 + ν) > SMALL:
        v = 0.5 * v
        doublings += 1
    z = v * v
    s = v * (1.0 - z * ((1.0 + m) / 6.0 - z * (1.0 + m * (14.0 + m)) / 120.0))
    x = z * (
        0.5 - z * ((1.0 + 4.0 * m) / 24.0 - z * (1.0 + m * (44.0 + 16.0 * m)) / 720.0)
    )  # 1 − cn
    y = m * z * (0.5 - z * ((4.0 + m) / 24.0 - z * (16.0 + m * (44.0 + m)) / 720.0))  # 1 − dn
    third = v * (1.0 - (1.0 + ν) * z * (1.0 / 3.0 - z * ((1.0 + m) / 15.0 + ν / 5.0)))
    third = sqrt(ν * (ν + m) / (1.0 + ν)) * third
    while doublings > 0:
        doublings -= 1
        c, d, s2 = 1.0 - x, 1.0 - y, s * s
        D = 1.0 - m * s2 * s2
        twice, x, y = 2.0 * s * c * d / D, 2.0 * s2 * d * d / D, 2.0 * m * s2 * c * c / D
        third = 2.0 * third - addition_defect(ν, m, s, s, twice, (1.0 - x) * (1.0 - y))
        s = twice
    return s, 1.0 - x, 1.0 - y, third


def addition_defect(ν: float, m: float, s: float, t: float, w: float, cd: float) -> float:
    """I(u) + I(v) − I(u + v); cd is cn(u + v) dn(u + v)."""
    return atan2(sqrt(ν * (1.0 + ν) * (ν + m)) * s * t * w, 1.0 + ν * w * w - ν * s * t * cd)


def momentum_frame(Π: Vec3) -> Mat3:
    """A rotation whose third row is along Π and whose first is at right angles to the third
    axis.
    """
    n = Π * (1.0 / norm(Π))
    across = sqrt(n.x * n.x + n.y * n.y)
    a, b = n.y / across, -n.x / across
    return Mat3(a, b, 0.0, -n.z * b, n.z * a, n.x * b - n.y * a, n.x, n.y, n.z)
