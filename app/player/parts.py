"""Parts of a scene, as the player draws them: a mesh, the curve of a track, or its computed points.

A part is in the frame of a body ("body", of the track `of`) or in space, and drawn always, or only for the solid
motion, or only for the others.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Part = dict[str, Any]
Samples = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Of the rows of a track t (n,), Ω (n, 3), and x (n, 3) of a body that moves about, or nothing."""

MOST_POINTS = 400
"""Computed points of one method that are marked on its curve."""
MOST_UNJOINED = 2000
"""Points of a curve whose points are not joined."""
LONGEST = 50.0
"""Of a curve, where the body reaches to about 1: of a longer one its parts could not be told apart."""
JUMPS = 0.05
"""The part of a track's rows, more than half a turn after the one before, from which on its points are not joined."""
EXACT = "exact"
INK = "ink"
"""The colour of text on the page."""


def mesh(mesh: str, colour: str, **more: Any) -> Part:
    """One of the surfaces, solid and of its own size if nothing else is said."""
    return {"kind": "mesh", "mesh": mesh, "colour": colour, "opacity": 1.0, "size": 1.0} | more


def arrow(colour: str, label: str, **more: Any) -> Part:
    """An arrow in space, if nothing else is said, with its name at its tip."""
    return {"kind": "arrow", "frame": "space", "colour": colour, "label": label} | more


def triad(length: float, **more: Any) -> list[Part]:
    """The three axes of a frame."""
    return [
        arrow(INK, f"e{'₁₂₃'[i]}", vector=e, length=length, thin=True, layer="axes", **more)
        for i, e in enumerate(np.eye(3).tolist())
    ]


def layers(*off: str, **labels: str) -> list[dict[str, Any]]:
    """What can be hidden, by the keys that parts name, and shown at first but for those that are `off`."""
    return [{"key": key, "label": label, "on": key not in off} for key, label in labels.items()]


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


def of_tracks(tracks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a scene tells of its motions: how long they last, and which the solid body follows at first."""
    return {
        "tracks": tracks,
        "duration": max((track["end"] for track in tracks), default=0.0),
        "solid": tracks[0]["label"] if tracks else "",
        "note": "" if tracks else "Nothing turns here: none of the methods fits this problem.",
    }


def legible(
    parts: Sequence[Part], tracks: Sequence[Mapping[str, Any]], motions: Sequence[Samples], J: NDArray[np.float64]
) -> tuple[list[Part], str]:
    """The parts as they can be read, and what is said of it.

    Where a body turns by more than half a turn from row to row a curve is drawn as points: a line through them would
    tell of a way that no one took. Of a curve longer than `LONGEST` only what is about the time shown is drawn.
    """

    @functools.cache
    def is_unjoined(of: int) -> bool:
        t, Omega, _ = motions[of]
        with np.errstate(over="ignore"):
            turned = lengths(Omega[:-1]) * np.diff(t)
        return bool(np.mean(turned >= np.pi) > JUMPS)

    @functools.cache
    def long(of: int, curve: str, axis: tuple[float, ...]) -> float:
        return path(curve, axis, motions[of], J)

    found: list[Part] = []
    unjoined = recent = False
    for part in parts:
        if part["kind"] not in ("line", "points") or "curve" not in part or "tail" in part:
            found.append(part)
            continue
        of, curve = part["of"], part["curve"]
        t = motions[of][0]
        if len(t) < 2:
            continue  # a point alone is no curve
        if curve != "place" and is_unjoined(of):
            unjoined = True
            if part["kind"] == "line":  # the dots that there are besides are among its points
                stride = -(-len(t) // MOST_UNJOINED)
                found.append(part | {"kind": "points", "width": 2.6, "stride": stride})
            continue
        # ω = RΩ is as long as Ω, since dω/dt = R dΩ/dt.
        length = part["scale"] * long(of, "Omega" if curve == "omega" else curve, tuple(part.get("axis", ())))
        if length > LONGEST:
            recent = True
            part = part | {"recent": float(t[-1]) * LONGEST / length, "timed": True}
            if part["kind"] == "points":
                part["stride"] = max(1, -(-int(len(t) * LONGEST / length) // MOST_POINTS))
        found.append(part)
    said = " Curves are points then." if unjoined else ""
    said += " Of long curves the part about this time is drawn." if recent else ""
    return found, said


def path(curve: str, axis: Sequence[float], motion: Samples, J: NDArray[np.float64]) -> float:
    """About how long a motion's curve is: of Ω, of "pi", of its "place", or of the tip of an "axis" of the body.

    By the median of its steps, which the last few of a run that blows up do not decide.
    """
    t, Omega, x = motion
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
            moved = np.diff(x if curve == "place" else Omega, axis=0)
        return len(moved) * float(np.nan_to_num(np.median(lengths(moved))))


def lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of vectors (n, 3); of 2000 in 13 µs, where `np.linalg.norm` takes 30."""
    return np.sqrt(np.einsum("ni,ni->n", vectors, vectors))


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
