"""Motions with given rates for the player, and the facts of their problem."""

from __future__ import annotations

from typing import Any

from ..state import Results
from . import meshes, one_body, packing

LABELS = {"body": "Body in space", "axis": "Trace of an axis"}
"""The kinds of scenes, and their labels."""
PHONE = (0.031, 0.0075, 0.038)
"""The moments of the body that is drawn, in proportion: a slab of the sides of a phone."""


def build_scene(results: Results, kind: str) -> bytes:
    """The facts and motions of a scene, packed."""
    return one_body.pack_scene(results, list_facts(results, kind))


def list_facts(results: Results, kind: str) -> dict[str, Any]:
    """The facts of the problem, besides its motions; `given` says that no momentum is known."""
    problem = results.problem
    J1, J2, J3 = PHONE
    return {
        "kind": kind,
        "given": True,
        "J": [J1, 0, 0, 0, J2, 0, 0, 0, J3],
        "R0": problem.R0.ravel().tolist(),
        "free": False,
        "top": False,
        "duration": results.choice.duration,
        "thinned": packing.describe_thinning([line.run for line in results.runs]),
    }


def pack_shapes() -> bytes:
    """The meshes of the scenes, packed."""
    drawn = {"body": meshes.build_body("box", PHONE), "disc": meshes.disc()}
    return packing.pack_surfaces(drawn | {"sphere": meshes.unit_sphere()})
