"""Polhode and herpolhode of a motion, the levels of the energy, and the projections of such
curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import engine
from engine.parameters.validation import Array
from engine.problems import store_in_problem

AROUND = 361
"""Number of points of a closed curve."""
MOST_TRACE = 2000
"""Largest number of points of a trace in space."""
FINE = 0.15
"""Largest turn of a free body between two points of its herpolhode, in radians."""
LATEST = 12.0
"""Largest length of a curve that a torque moves, for a body of size 1: the parts of a longer one
cross each other too often.
"""
LEVELS = (0.04, 0.16, 0.36, 0.64, 0.9)
"""Energies of the level curves: (largest width / radius of the sphere)²."""


def level_curves(moments: Array, energy: float) -> list[Array]:
    """The curves on the unit sphere, each (m, 3), where n·J⁻¹n = 2·energy: two loops about one of
    the outer axes.

    With a = 1/moments, an axis k and the other two i and j: (a_k − a_i) n_i² + (a_k − a_j) n_j² =
    a_k − 2·energy, an ellipse as seen along k. There is none if no point has this energy, or if
    every point has it.
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


def energy_levels(moments: Array) -> list[Array]:
    """Level curves of the energy on the unit sphere, with the separatrix."""
    a = 1.0 / moments
    order = np.argsort(a)
    middle = a[order[1]]
    curves = []
    for k in (order[0], order[2]):
        nearest = (
            middle
            if abs(a[k] - middle) > 1e-9 * abs(middle)
            else a[order[2 if k == order[0] else 0]]
        )
        if abs(a[k] - nearest) <= 1e-9 * abs(nearest):
            continue
        for part in (*LEVELS, 1.0):
            curves += level_curves(moments, (a[k] + part * (nearest - a[k])) / 2)
        if nearest != middle:
            break
    return curves


def momentum_loop(moments: Array, Pi: Array) -> Array:
    """The loop (m, 3) of Π in the body of a free motion; the polhode is that of Ω, this divided by
    the moments. A single point if Π is constant.
    """
    size = float(np.linalg.norm(Pi))
    if size == 0.0:
        return Pi[None]
    n = Pi / size
    loops = level_curves(moments, float(n @ (n / moments)) / 2)
    if not loops:
        return Pi[None]
    return size * min(loops, key=lambda loop: float(np.square(loop - n).sum(axis=1).min()))


@store_in_problem
def herpolhode(body: engine.Problem, duration: float) -> tuple[float, Array]:
    """The end time and the exact herpolhode (m, 3) of a free body, ω in space, fine enough to look
    smooth.
    """
    fastest = float(np.linalg.norm(body.Pi0)) / float(body.principal[0].min())
    end = min(duration, MOST_TRACE * FINE / fastest)
    motion = engine.exact(body, np.linspace(0.0, end, MOST_TRACE))
    return end, to_space(motion.R, motion.Omega)


@dataclass(frozen=True)
class Projection:
    """A view direction: unit vectors (3,) to the right, up, and towards the viewer."""

    right: Array
    up: Array
    near: Array

    def __call__(self, points: Array) -> tuple[Array, Array, Array]:
        """The coordinates of points (n, 3): right, up, and nearness."""
        return points @ self.right, points @ self.up, points @ self.near


def look_along(axis: int) -> Projection:
    """The view from the tip of a body axis, with the next axis to the right and the one after it
    up.
    """
    E = np.eye(3)
    return Projection(E[(axis + 1) % 3], E[(axis + 2) % 3], E[axis])


def look_down(direction: Array) -> Projection:
    """The view from the tip of a vector in space, with e2 up as far as possible."""
    near = direction / np.linalg.norm(direction)
    seed = np.array([0.0, 1.0, 0.0]) if abs(near[1]) < 0.9 else np.array([0.0, 0.0, -1.0])
    up = seed - (seed @ near) * near
    up /= np.linalg.norm(up)
    return Projection(np.cross(up, near), up, near)


Drawn = list[tuple[Array, Array]]
"""Curves on the page, each with its x and y."""


def split_by_depth(projection: Projection, curves: list[Array]) -> tuple[Drawn, Drawn]:
    """The parts of curves in front of the middle and those behind it, each with gaps for the
    others.
    """
    front: Drawn = []
    back: Drawn = []
    for curve in curves:
        x, y, near = projection(curve)
        before = near >= -1e-12
        for parts, here in ((front, before), (back, ~before)):
            if here.any():
                # One more point at either end, so that the parts meet.
                wide = here | np.append(here[1:], False) | np.append(False, here[:-1])
                parts.append((np.where(wide, x, np.nan), np.where(wide, y, np.nan)))
    return front, back


def circle(projection: Projection, radius: float) -> Array:
    """A circle (m, 3) about the view direction."""
    φ = np.linspace(0, 2 * np.pi, AROUND)
    return radius * (np.cos(φ)[:, None] * projection.right + np.sin(φ)[:, None] * projection.up)


def to_space(R: Array, v: Array) -> Array:
    """Vectors (n, 3) of the body frame in space."""
    return np.einsum("nij,nj->ni", R, v)


def path_length(curve: str, axis: Sequence[float], t: Array, Omega: Array, J: Array) -> float:
    """The approximate length of a curve in space: of ω, of "pi", or of the tip of an "axis" of the
    body; or of "Pi" in the body.

    It is the median step times the number of steps, so that the last steps of a run that blows up
    do not matter. The steps follow from the motion in the body, where they are short: dω/dt = R
    dΩ/dt.
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
        elif curve == "Pi":
            moved = np.diff(Omega @ J, axis=0)
        else:
            moved = np.diff(Omega, axis=0)
        return len(moved) * float(np.nan_to_num(np.median(np.linalg.norm(moved, axis=1))))


def find_latest(
    curve: str, axis: Sequence[float], t: Array, Omega: Array, J: Array, size: float
) -> int:
    """The first row of the part of a curve that is short enough to follow; `size` is that of the
    picture.
    """
    length = path_length(curve, axis, t, Omega, J)
    longest = LATEST * size
    return max(0, len(t) - 1 - int(len(t) * longest / length)) if length > longest > 0 else 0
