"""Curves of a motion and how they are seen from one side: levels of the energy, polhode, herpolhode."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import engine
from engine.checks import Array

AROUND = 361
"""Points of a closed curve."""
MOST_TRACE = 2000
"""Points of a trace in space."""
FINE = 0.15
"""Radians that a free body turns at most between two points of its herpolhode."""
LONGEST = 50.0
"""Of a curve, where the body reaches to about 1: of a longer one its parts could not be told apart."""
LEVELS = (0.04, 0.16, 0.36, 0.64, 0.9)
"""Energies of the level curves: the curve's widest point, squared, as part of the sphere's radius, squared."""


def level(moments: Array, energy: float) -> list[Array]:
    """The curves on the unit sphere, each (m, 3), where n·J⁻¹n = 2·energy: two loops about one of the outer axes.

    With a = 1/moments, an axis k and the other two i and j: (a_k − a_i) n_i² + (a_k − a_j) n_j² = a_k − 2·energy, an
    ellipse as seen along k. None where a body has no such energy, or where every point has it.
    """
    a = 1.0 / moments
    for k in (int(a.argmax()), int(a.argmin())):
        i, j = (k + 1) % 3, (k + 2) % 3
        with np.errstate(divide="ignore", invalid="ignore"):
            widths = (a[k] - 2 * energy) / (a[k] - a[[i, j]])
        if np.isfinite(widths).all() and (widths >= 0).all() and (widths <= 1 + 1e-12).all():
            φ = np.linspace(0, 2 * np.pi, AROUND)
            n = np.empty((AROUND, 3))
            n[:, i], n[:, j] = np.sqrt(widths[0]) * np.cos(φ), np.sqrt(widths[1]) * np.sin(φ)
            n[:, k] = np.sqrt(np.maximum(1 - n[:, i] ** 2 - n[:, j] ** 2, 0))
            other = n.copy()
            other[:, k] *= -1
            return [n, other]
    return []


def levels(moments: Array) -> list[Array]:
    """Level curves of the energy over the whole unit sphere, the separatrix among them."""
    a = 1.0 / moments
    order = np.argsort(a)
    middle = a[order[1]]
    curves = []
    for k in (order[0], order[2]):
        nearest = middle if abs(a[k] - middle) > 1e-9 * abs(middle) else a[order[2 if k == order[0] else 0]]
        if abs(a[k] - nearest) <= 1e-9 * abs(nearest):
            continue
        for part in (*LEVELS, 1.0):
            curves += level(moments, (a[k] + part * (nearest - a[k])) / 2)
        if nearest != middle:
            break
    return curves


def polhode(moments: Array, Pi: Array) -> Array:
    """The loop (m, 3) of Π on which a free body with this momentum stays; its momentum alone if that is all of it."""
    size = float(np.linalg.norm(Pi))
    if size == 0.0:
        return Pi[None]
    n = Pi / size
    loops = level(moments, float(n @ (n / moments)) / 2)
    if not loops:
        return Pi[None]
    return size * min(loops, key=lambda loop: float(np.square(loop - n).sum(axis=1).min()))


@functools.lru_cache(maxsize=32)
def herpolhode(body: engine.Problem, duration: float) -> tuple[float, Array]:
    """The exact ω in space (m, 3) of a free body, finely enough to be smooth, and up to when."""
    fastest = float(np.linalg.norm(body.Pi0)) / float(body.principal[0].min())
    end = min(duration, MOST_TRACE * FINE / fastest)
    motion = engine.exact(body, np.linspace(0.0, end, MOST_TRACE))
    return end, spatial(motion.R, motion.Omega)


@dataclass(frozen=True)
class Projection:
    """A direction to look along, with what then points to the right and up: each a unit vector (3,)."""

    right: Array
    up: Array
    near: Array

    def __call__(self, points: Array) -> tuple[Array, Array, Array]:
        """Right, up and nearness of points (n, 3)."""
        return points @ self.right, points @ self.up, points @ self.near


def along(axis: int) -> Projection:
    """From the tip of a body axis: the next axis to the right, the one after it up."""
    E = np.eye(3)
    return Projection(E[(axis + 1) % 3], E[(axis + 2) % 3], E[axis])


def down_on(direction: Array) -> Projection:
    """From the tip of a vector in space; up is as near to e2 as it can be."""
    near = direction / np.linalg.norm(direction)
    seed = np.array([0.0, 1.0, 0.0]) if abs(near[1]) < 0.9 else np.array([0.0, 0.0, -1.0])
    up = seed - (seed @ near) * near
    up /= np.linalg.norm(up)
    return Projection(np.cross(up, near), up, near)


def split(projection: Projection, curves: list[Array]) -> tuple[list[tuple[Array, Array]], list[tuple[Array, Array]]]:
    """Curves as they are seen, those parts in front of the middle and those behind it: gaps where the other is."""
    front: list[tuple[Array, Array]] = []
    back: list[tuple[Array, Array]] = []
    for curve in curves:
        x, y, near = projection(curve)
        before = near >= -1e-12
        for parts, here in ((front, before), (back, ~before)):
            if here.any():
                # One point more at either end, so that the two parts meet.
                wide = here | np.append(here[1:], False) | np.append(False, here[:-1])
                parts.append((np.where(wide, x, np.nan), np.where(wide, y, np.nan)))
    return front, back


def circle(projection: Projection, radius: float) -> Array:
    """A circle (m, 3) about the line of sight."""
    φ = np.linspace(0, 2 * np.pi, AROUND)
    return radius * (np.cos(φ)[:, None] * projection.right + np.sin(φ)[:, None] * projection.up)


def spatial(R: Array, v: Array) -> Array:
    """Vectors (n, 3) of the body, in space."""
    return np.einsum("nij,nj->ni", R, v)


def path(curve: str, axis: Sequence[float], t: Array, Omega: Array, J: Array) -> float:
    """About how long a motion's curve in space is: of ω, of "pi", or of the tip of an "axis" of the body.

    By the median of its steps, which the last few of a run that blows up do not decide. It is told from the motion in
    the body, where a step is short: dω/dt = R dΩ/dt.
    """
    if len(t) < 2:
        return 0.0
    steps = np.diff(t)[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        if curve == "axis":
            moved = np.cross(Omega[:-1], axis) * steps
        elif curve == "pi":
            Pi = Omega @ J
            moved = np.diff(Pi, axis=0) + np.cross(Omega[:-1], Pi[:-1]) * steps
        else:
            moved = np.diff(Omega, axis=0)
        return len(moved) * float(np.nan_to_num(np.median(np.linalg.norm(moved, axis=1))))
