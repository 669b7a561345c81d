"""What the player draws of two bodies: both as they move and turn, with their paths, in space or seen from body 2."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from engine.twobody import TwoBodies, TwoBodyRun

from ..results import Results
from ..thin import ordinal
from . import meshes
from .packing import Floats, ended, packed, packed_track, quaternions, stride_of, surfaces, thinned
from .parts import INK, Part, curves, mesh, upwards

INERTIAL, RELATIVE = "In space", "From body 2"
"""The frames: the centre of mass at rest, or body 2, so that place and attitude of body 1 are X and R."""
MOST_SAMPLES = 1500
"""Of one body's track; a longer run is drawn at evenly chosen rows."""
FARTHEST = 4.0
"""Of the first distance: how far apart the bodies can be and are still seen as a whole."""
FLOOR = -0.5
"""How high the plane lies on which the shadows fall, where the bodies reach to about 1."""
LONGEST_ARROW = 0.34


def build(results: Results, frame: str = INERTIAL) -> bytes:
    """The scene of these results, in a frame, packed."""
    problem: TwoBodies = results.problem
    arrays: list[bytes] = []
    tracks = []
    for line in results.runs:
        rows = thinned(len(line.run), MOST_SAMPLES)
        for body, (q, Omega, x) in zip((problem.body1, problem.body2), _motion(line.run, rows, frame), strict=True):
            told = packed_track(
                line.label, line.colour, line.run.t[rows], q, Omega, arrays, ended=ended(line.run), x=x
            )
            tracks.append(told | {"J": body.J.ravel().tolist()})
    header: dict[str, Any] = {
        "kind": "pair",
        "tracks": tracks,
        "duration": max((track["end"] for track in tracks), default=0.0),
        "solid": tracks[0]["label"] if tracks else "",
        "note": "",
    }
    return packed(header | _seen(results, tracks, frame) | {"caption": _said(results, frame)}, arrays)


def shapes(problem: TwoBodies) -> bytes:
    """The meshes of that scene, packed."""
    return surfaces(
        {"body1": meshes.masses(problem.body1), "body2": meshes.masses(problem.body2), "disc": meshes.disc()}
    )


def _motion(run: TwoBodyRun, rows: Any, frame: str) -> list[tuple[Floats, Floats, Floats]]:
    """Of both bodies q, Ω and x."""
    Omega1, Omega2 = np.nan_to_num(run.Omega1[rows]), np.nan_to_num(run.Omega2[rows])
    if frame == RELATIVE:
        still = np.tile((1.0, 0.0, 0.0, 0.0), (len(rows), 1))
        X = np.nan_to_num(run.X[rows])
        return [(_turns(run.R[rows]), Omega1, X), (still, Omega2, np.zeros_like(X))]
    centre = run.t[rows, None] * run.problem.drift
    x1, x2 = (np.nan_to_num(x[rows] - centre) for x in (run.x1, run.x2))
    return [(_turns(run.R1[rows]), Omega1, x1), (_turns(run.R2[rows]), Omega2, x2)]


def _turns(R: Floats) -> Floats:
    return quaternions(np.nan_to_num(R))


@functools.lru_cache(maxsize=32)
def _orbit(problem: TwoBodies) -> tuple[float, float]:
    """The largest distance of the centres and the time of one turn, as of two points of these masses."""
    mu = problem.G * (problem.body1.mass + problem.body2.mass)
    r = float(np.linalg.norm(problem.X))
    energy = 0.5 * float(problem.V @ problem.V) - mu / r
    if energy >= 0.0:
        return FARTHEST * r, 2 * math.pi * math.sqrt(r**3 / mu)
    a = -mu / (2 * energy)
    turn = float(np.linalg.norm(np.cross(problem.X, problem.V)))
    eccentricity = math.sqrt(max(0.0, 1.0 + 2.0 * energy * (turn / mu) ** 2))
    return min(a * (1 + eccentricity), FARTHEST * r), 2 * math.pi * math.sqrt(a**3 / mu)


def reach(problem: TwoBodies, frame: str = INERTIAL) -> float:
    """How far from the middle something of the bodies is to be expected."""
    share = problem.body2.mass / (problem.body1.mass + problem.body2.mass)
    shares = (1.0, 0.0) if frame == RELATIVE else (share, 1.0 - share)
    bodies = zip(shares, (problem.body1, problem.body2), strict=True)
    return max(part * _orbit(problem)[0] + _size(body) for part, body in bodies)


def _size(body: Any) -> float:
    """How far a body reaches from its centre."""
    return float(np.linalg.norm(body.positions, axis=1).max()) + float(body.radius)


def _seen(results: Results, tracks: list[dict[str, Any]], frame: str) -> dict[str, Any]:
    """The parts, and from where they are seen."""
    problem: TwoBodies = results.problem
    scale, period = 1.0 / reach(problem, frame), _orbit(problem)[1]
    fastest = max(float(np.linalg.norm(Omega)) for Omega in (problem.Omega1, problem.Omega2))
    arrow = LONGEST_ARROW / fastest if fastest else 0.0
    tail = min(period, 0.5 * results.choice.duration)
    ground = {} if frame == RELATIVE else {"shadow": FLOOR}
    parts: list[Part] = []
    for k, track in enumerate(tracks):
        body = {"frame": "body", "of": k, "size": scale, "place": scale}
        which = f"body{k % 2 + 1}"
        parts += [
            mesh(which, "solid", when="solid", **ground, **body),
            mesh(which, track["colour"], when="ghost", opacity=0.2, layer="ghosts", **body),
            {"kind": "arrow", "curve": "omega", "scale": arrow, "frame": "space", "when": "solid", "of": k,
             "place": scale, "colour": "#E69F00", "label": f"Ω{'₁₂'[k % 2]}", "layer": "vectors"},
        ]  # fmt: skip
    if frame == RELATIVE:
        parts += [
            {"kind": "arrow", "frame": "space", "vector": list(e), "length": 0.3, "colour": INK,
             "label": f"e{'₁₂₃'[i]}", "thin": True, "layer": "axes"} for i, e in enumerate(np.eye(3).tolist())
        ]  # fmt: skip
    else:
        parts.append(
            mesh("disc", INK, frame="up", size=0.9, at=FLOOR, opacity=0.045, glass=True, edges=0.13, ground=True)
        )
    parts += curves(tracks, "place", scale, "space", layer="trail", tail=tail, timed=True, width=2.2)
    parts += curves(tracks, "place", scale, "space", layer="path", timed=False, width=1.0, strength=0.4, when="solid")
    layers = [("ghosts", "Ghosts", True), ("vectors", "Ω₁ and Ω₂", True), ("trail", "Trails", True)]
    layers += [("path", "Whole path", True)] + ([("axes", "Axes of body 2", True)] if frame == RELATIVE else [])
    return {
        "up": np.eye(3).ravel().tolist() if frame == RELATIVE else upwards(_angular_momentum(problem)),
        "target": [0, 0, 0.0 if frame == RELATIVE else -0.14],
        "reach": 0.92,
        "view": [-0.9, 0.55],
        "layers": [{"key": key, "label": label, "on": on} for key, label, on in layers],
        "parts": parts,
    }


def _angular_momentum(problem: TwoBodies) -> Floats:
    """Of both together in space, about the centre of mass."""
    first, second = problem.body1, problem.body2
    mass = first.mass * second.mass / (first.mass + second.mass)
    spins = problem.R1 @ first.J @ problem.Omega1 + problem.R2 @ second.J @ problem.Omega2
    momentum: Floats = mass * np.cross(problem.X, problem.V) + spins
    return momentum


def _said(results: Results, frame: str) -> str:
    """The words below the picture."""
    where = (
        "Body 2 at rest and body 1 as it is seen from there: place X and attitude R."
        if frame == RELATIVE
        else "Both bodies about their centre of mass; the total angular momentum points upwards."
    )
    said = f"{where} Solid: the motion chosen above; translucent: the others. Trails show the last turn."
    each = max((stride_of(len(line.run), MOST_SAMPLES) for line in results.runs), default=1)
    return f"{said} Of long runs each {ordinal(each)} state is drawn." if each > 1 else said
