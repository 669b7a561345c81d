"""Animations of runs as glTF 2.0 in one binary file, which Blender and viewers in browsers open.

A body is the cuboid of uniform density that has its moments of inertia, with a colour for each
axis.
"""

from __future__ import annotations

import itertools
import json
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from ..problems.given_rates.given import BOX
from ..simulation import GivenRatesRun, RunOfSpace, TwoBodyRun, to_quaternions
from ..simulation.provenance import find_version
from ..text.formatting import show

FLOAT, SHORT = 5126, 5123
"""Types of numbers."""
VERTICES, INDICES = 34962, 34963
"""What a part of the buffer is for."""
COLOURS = ((0.80, 0.25, 0.20), (0.25, 0.60, 0.30), (0.20, 0.35, 0.80))
"""Of the faces across the axes 1, 2 and 3."""
UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""The rotation (x, y, z, w) that turns our vertical, e3, to that of glTF, e2."""
THINNEST = 0.02
"""Least side of a cuboid relative to the longest, so that a plate is seen from its edge."""


class _Buffer:
    """The numbers of a file, and the accessors that describe their parts."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views = list[dict[str, Any]]()
        self.accessors = list[dict[str, Any]]()

    def add(self, values: NDArray[Any], target: int | None = None) -> int:
        """Append numbers, and return the number of their accessor."""
        shape = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[1 if values.ndim == 1 else values.shape[1]]
        kind = SHORT if values.dtype == np.uint16 else FLOAT
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        bounds = {
            name: np.atleast_1d(of(axis=0)).tolist()
            for name, of in (("min", values.min), ("max", values.max))
        }
        self.data += values.tobytes()
        self.data += bytes(-len(self.data) % 4)
        self.views.append(view | ({"target": target} if target else {}))
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": kind,
                "count": len(values),
                "type": shape,
            }
            | bounds
        )
        return len(self.accessors) - 1


def find_sides(moments: Array, mass: float) -> Array:
    """Return the sides of a cuboid of uniform density with these principal moments and this
    mass.
    """
    sides = np.sqrt(np.maximum(0.0, 6.0 * (moments.sum() - 2.0 * moments) / mass))
    return np.maximum(sides, THINNEST * sides.max())


def _add_cuboid(buffer: _Buffer, sides: Array) -> dict[str, Any]:
    """Add a cuboid about the origin, four corners for each face, and return its mesh."""
    corners = []
    normals = []
    colours = []
    triangles = []
    for axis, sign in itertools.product(range(3), (1, -1)):
        u, v, n = (np.roll(np.eye(3)[axis], k) for k in (1, 2, 0))
        corners += [
            sign * n + a * u + sign * b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        normals += 4 * [sign * n]
        colours += 4 * [COLOURS[axis]]
        triangles += [len(corners) - 4 + i for i in (0, 1, 2, 0, 2, 3)]
    points = (np.array(corners) * sides / 2, np.array(normals), np.array(colours))
    places = [buffer.add(x.astype(np.float32), VERTICES) for x in points]
    attributes = dict(zip(("POSITION", "NORMAL", "COLOR_0"), places, strict=True))
    indices = buffer.add(np.array(triangles, np.uint16), INDICES)
    return {"primitives": [{"attributes": attributes, "indices": indices}]}


def warn_of_hidden_turns(run: RunOfSpace) -> None:
    """Warn if a body turns by more than half a turn between two rows: viewers turn it the shorter
    way.
    """
    series = (run.Omega1, run.Omega2) if isinstance(run, TwoBodyRun) else (run.Omega,)
    speeds = [np.linalg.norm(Omega, axis=1) for Omega in series]
    turn = max(float((np.diff(run.t) * (w[1:] + w[:-1]) / 2).max(initial=0.0)) for w in speeds)
    if turn > np.pi:
        warnings.warn(
            f"between two rows a body turns by up to {show(turn, 3)} rad, and viewers show less than half a turn, "
            "perhaps backwards; store more rows, by a smaller every or more samples",
            stacklevel=4,
        )


def make_gltf(run: RunOfSpace) -> bytes:
    """Return the file; a unit of time is a second, and of length a metre."""
    if isinstance(run, TwoBodyRun):
        bodies = [
            (body.principal, body.mass, getattr(run, f"R{i}"), getattr(run, f"x{i}"))
            for i, body in enumerate((run.problem.body1, run.problem.body2), 1)
        ]
    elif isinstance(run, GivenRatesRun):
        squares = np.square(BOX)
        bodies = [((squares.sum() - squares, np.eye(3)), 12.0, run.R, None)]
    else:
        moments = run.problem.principal[0]
        mass = 6.0 * (moments.sum() - 2.0 * moments).max()  # so that the longest side is 1
        bodies = [(run.problem.principal, mass, run.R, None)]
    buffer = _Buffer()
    times = buffer.add(run.t.astype(np.float32))
    nodes: list[dict[str, Any]] = [{"name": "space", "rotation": UP, "children": []}]
    meshes = list[Any]()
    channels = list[Any]()
    samplers = list[Any]()
    for number, ((moments, axes), mass, R, x) in enumerate(bodies, 1):
        meshes.append(_add_cuboid(buffer, find_sides(moments, mass)))
        nodes[0]["children"].append(len(nodes))
        nodes.append({"name": f"body {number}", "mesh": number - 1})
        for path, values in (
            ("rotation", np.roll(to_quaternions(R @ axes), -1, axis=1)),
            ("translation", x),
        ):
            if values is not None:
                output = buffer.add(np.ascontiguousarray(values, np.float32))
                channels.append(
                    {"sampler": len(samplers), "target": {"node": len(nodes) - 1, "path": path}}
                )
                samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
    name = f"{run.problem.label} by {run.method.given_name}"
    described = {
        "asset": {"version": "2.0", "generator": f"polhode {find_version('polhode')}"},
        "scene": 0,
        "scenes": [{"name": name, "nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "animations": [{"name": name, "channels": channels, "samplers": samplers}],
        "buffers": [{"byteLength": len(buffer.data)}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = b"".join(
        np.array([len(chunk), int.from_bytes(kind, "little")], "<u4").tobytes() + chunk
        for chunk, kind in ((text, b"JSON"), (bytes(buffer.data), b"BIN\0"))
    )
    return b"glTF" + np.array([2, 12 + len(chunks)], "<u4").tobytes() + chunks
