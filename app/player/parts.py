"""Parts of a scene, as the player draws them: a mesh, the curve of a track, or its computed points.

A part is in the frame of a body ("body", of the track `of`) or in space, and drawn always, or only for the solid
motion, or only for the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Part = dict[str, Any]

MOST_POINTS = 400
"""Computed points of one method that are marked on its curve."""
EXACT = "exact"
INK = "ink"
"""The colour of text on the page."""


def mesh(mesh: str, colour: str, **more: Any) -> Part:
    """One of the surfaces, solid and of its own size if nothing else is said."""
    return {"kind": "mesh", "mesh": mesh, "colour": colour, "opacity": 1.0, "size": 1.0} | more


def curves(tracks: Sequence[Mapping[str, Any]], curve: str, scale: float, frame: str, **more: Any) -> list[Part]:
    """A quantity of each motion as a line that grows with time; the exact one beneath, whole and in ink."""
    parts: list[Part] = []
    for k in reversed(range(len(tracks))):
        exact = tracks[k]["label"] == EXACT
        style = (
            {"colour": INK, "width": 1.6, "strength": 0.5} if exact else {"colour": tracks[k]["colour"], "width": 2.0}
        )
        base = {"curve": curve, "scale": scale, "frame": frame, "of": k, "timed": not exact}
        parts.append({"kind": "line"} | base | style | more)
    return parts


def dots(tracks: Sequence[Mapping[str, Any]], curve: str, scale: float, frame: str, **more: Any) -> list[Part]:
    """The computed points of each method, at most so many."""
    parts: list[Part] = []
    for k, track in enumerate(tracks):
        if track["label"] != EXACT:
            stride = -(-track["n"] // MOST_POINTS)
            base = {"curve": curve, "scale": scale, "frame": frame, "of": k, "timed": True, "stride": stride}
            parts.append({"kind": "points", "colour": track["colour"], "width": 6.5} | base | more)
    return parts


def upwards(direction: NDArray[np.float64]) -> list[float]:
    """The least rotation, row by row, that takes a direction to e3."""
    length = np.linalg.norm(direction)
    if length == 0:
        return np.eye(3).ravel().tolist()
    x, y, z = direction / length
    if z < -0.999999:
        return [1.0, 0, 0, 0, -1.0, 0, 0, 0, -1.0]
    k = 1 / (1 + z)
    return [1 - k * x * x, -k * x * y, -x, -k * x * y, 1 - k * y * y, -y, x, y, z]
