"""Motions of one body for the player, and the facts from which assets/js/scene/build-scene.js
builds a scene.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels import evaluate_torque
from engine.parameters.formula import Formula
from engine.simulation import to_quaternions

from ..state import EXACT_COLOUR, EXACT_LABEL, SHAPES, Results
from ..state.ledger import EXACT
from . import meshes, packing
from .packing import Floats


def build_scene(results: Results, kind: str, torque: Formula | None = None) -> bytes:
    """The facts and motions of the scene "poinsot" or "body", packed.

    An arrow shows a typed torque along each motion: `torque`, or by default the one that acts.
    """
    if torque is None and isinstance(results.problem.torque, Formula):
        torque = results.problem.torque
    return pack_scene(results, list_facts(results, kind), torque)


def pack_scene(results: Results, facts: dict[str, Any], torque: Formula | None = None) -> bytes:
    """These facts with the motions of one body, packed, and with this torque along each motion."""
    arrays: list[bytes] = []

    def pack_motion(motion: Any, **labels: Any) -> dict[str, Any]:
        rows = packing.choose_rows(len(motion.t))
        t, R, Omega = motion.t[rows], _to_finite(motion.R[rows]), _to_finite(motion.Omega[rows])
        found = None if torque is None else _to_finite(evaluate_torque(torque, t, R, Omega))
        return packing.pack_motion(t, to_quaternions(R), Omega, arrays, torque=found, **labels)

    motions = [
        pack_motion(
            line.run,
            method=line.label,
            label=line.name,
            variant=results.choice.variants.split(line.label),
            colour=line.colour,
            ended=line.run.status,
        )
        for line in results.runs
    ]
    if results.exact is not None and {line.label for line in results.runs} != {EXACT}:
        motions.append(
            pack_motion(
                results.exact,
                method=EXACT_LABEL,
                label=EXACT_LABEL,
                colour=EXACT_COLOUR,
                exact=True,
            )
        )
    return packing.pack({"facts": facts, "motions": motions}, arrays)


def list_facts(results: Results, kind: str) -> dict[str, Any]:
    """The facts of the problem, besides its motions."""
    problem = results.problem
    axes, axis, sense = find_drawn_axes(results)
    return {
        "kind": kind,
        **dict.fromkeys(("J", "J0"), problem.J.ravel().tolist()),
        "axes": problem.principal[1].ravel().tolist(),
        "R0": problem.R0.ravel().tolist(),
        "Omega0": problem.Omega0.tolist(),
        "free": results.is_free,
        "top": _is_top(problem),
        "axis": (sense * axes[:, axis]).tolist(),
        "duration": results.choice.duration,
        "thinned": packing.describe_thinning([line.run for line in results.runs]),
    }


def pack_shapes(
    results: Results, kind: str, shape: str = "auto", surface: meshes.Surface | None = None
) -> bytes:
    """The meshes of the scene, packed; they depend on the body alone, or on a visitor's own
    `surface`.
    """
    moments, principal = results.problem.principal
    J = (float(moments[0]), float(moments[1]), float(moments[2]))
    axes, axis, sense = find_drawn_axes(results)
    chosen = shape if shape in SHAPES else choose_shape(results.problem)
    drawn = {
        "body": surface or meshes.rotate_surface(meshes.build_body(chosen, J, (axis, sense)), axes),
        "disc": meshes.disc(),
    }
    if kind == "poinsot" and results.is_free:
        drawn["ellipsoid"] = meshes.rotate_surface(meshes.inertia_ellipsoid(J), principal)
    else:
        drawn["sphere"] = meshes.unit_sphere()
    return packing.pack_surfaces(drawn)


def choose_shape(problem: Any) -> str:
    """The default shape of a problem's body."""
    if _is_top(problem):
        return "top"
    named = {"book-toss": "book", "prism": "prism"}.get(problem.key)
    low, middle, high = np.sort(problem.principal[0])
    return named or ("box" if low + middle > 1.02 * high else "ellipsoid")


def find_drawn_axes(results: Results) -> tuple[Floats, int, int]:
    """Principal axes, and the one nearest to a top's centre of mass, by its number and the sense, 1
    or −1; the third of a body without one.

    Axes with equal moments are arbitrary in their plane: there they are turned, as little as
    possible, so that one of them is along the centre's part in that plane.
    """
    problem = results.problem
    moments, axes = problem.principal
    centre = problem.action(results.choice.dt).axis
    for i, j in ((0, 1), (1, 2), (2, 0)):
        if np.isclose(moments[i], moments[j], rtol=1e-9):
            x, y = axes[:, i] @ centre, axes[:, j] @ centre
            angle = np.arctan2(y, x)
            turn = angle - np.pi / 2 * np.round(angle / (np.pi / 2))
            if np.hypot(x, y) > 1e-9 and turn:
                c, s = np.cos(turn), np.sin(turn)
                axes = axes.copy()
                axes[:, [i, j]] = axes[:, [i, j]] @ [[c, -s], [s, c]]
    components = axes.T @ centre
    along = int(np.abs(components).argmax())
    return axes, along, 1 if components[along] > 0 else -1


def _is_top(problem: Any) -> bool:
    return bool(problem.key.endswith("-top"))


def _to_finite(values: Floats) -> Floats:
    """The values, with 0 for those that are not finite."""
    return values if np.isfinite(values).all() else np.nan_to_num(values, posinf=0.0, neginf=0.0)
