"""One body's motions, as the player is given them, and the facts from which it makes a scene (assets/scene.js)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.results import EXACT_COLOUR, Results
from ..model.view import SHAPES
from . import meshes
from .packing import Floats, downsampled, packed, packed_motion, quaternions, surfaces, thinning

EXACT = "exact"


def build(results: Results, kind: str) -> bytes:
    """What the player makes the scene "poinsot" or "body" of, packed."""
    arrays: list[bytes] = []
    motions = [
        packed_motion(*_rows(line.run), arrays, label=line.label, colour=line.colour, ended=line.run.status)
        for line in results.runs
    ]
    if results.exact is not None:
        motions.append(packed_motion(*_rows(results.exact), arrays, label=EXACT, colour=EXACT_COLOUR, exact=True))
    return packed({"facts": facts(results, kind), "motions": motions}, arrays)


def facts(results: Results, kind: str) -> dict[str, Any]:
    """What is known of the problem besides its motions."""
    problem = results.problem
    return {
        "kind": kind,
        "J": problem.J.ravel().tolist(),
        "axes": problem.principal[1].ravel().tolist(),
        "R0": problem.R0.ravel().tolist(),
        "Omega0": problem.Omega0.tolist(),
        "free": results.free,
        "top": _is_top(problem),
        "duration": results.choice.duration,
        "thinned": thinning([line.run for line in results.runs]),
    }


def shapes(results: Results, kind: str, shape: str = "auto", surface: meshes.Surface | None = None) -> bytes:
    """The meshes of that scene, packed; they depend on the body only. `surface` is a person's own."""
    moments, axes = results.problem.principal
    J = (float(moments[0]), float(moments[1]), float(moments[2]))
    chosen = shape if shape in SHAPES else shape_of(results.problem)
    drawn = {"body": surface or meshes.turned(meshes.body(chosen, J), axes), "disc": meshes.disc()}
    if kind == "poinsot" and results.free:
        drawn["ellipsoid"] = meshes.turned(meshes.inertia_ellipsoid(J), axes)
    else:
        drawn["sphere"] = meshes.unit_sphere()
    return surfaces(drawn)


def shape_of(problem: Any) -> str:
    """What the body of a problem looks like if nobody says."""
    if _is_top(problem):
        return "top"
    named = {"book-toss": "book", "prism": "prism"}.get(problem.key)
    low, middle, high = np.sort(problem.principal[0])
    return named or ("box" if low + middle > 1.02 * high else "ellipsoid")


def _is_top(problem: Any) -> bool:
    return bool(problem.key.endswith("-top"))


def _rows(motion: Any) -> tuple[Floats, Floats, Floats]:
    """t, q and Ω of a motion at no more rows than are drawn, the last among them."""
    chosen = downsampled(len(motion.t))
    finite = np.nan_to_num(motion.Omega[chosen], posinf=0.0, neginf=0.0)
    return motion.t[chosen], quaternions(np.nan_to_num(motion.R[chosen])), finite
