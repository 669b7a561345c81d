"""What the player draws of two bodies: both as they move and turn, with their paths, in space or seen from body 2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.twobody import TwoBodies, TwoBodyRun
from engine.wording import short

from ..model.results import Results
from . import meshes
from .packing import Floats, downsampled, downsampling, ended, packed, packed_track, quaternions, surfaces
from .parts import INK, Part, arrow, curves, layers, legible, mesh, of_tracks, triad, upwards

INERTIAL, RELATIVE = "In space", "From body 2"
"""The frames: the centre of mass at rest, or body 2, so that place and attitude of body 1 are X and R."""
MOST_SAMPLES = 1500
"""Of one body's track; a longer run is drawn at evenly chosen rows."""
FARTHEST = 4.0
"""Of the first distance: how far from the middle a body can be and is still in the picture."""
MOST_OF = 95.0
"""Per cent of the rows in which the bodies are to be seen."""
ROUND = 1.25
"""Pictures differ in size by this factor at least, so that a small change does not move all that is seen."""
OUT_OF_SIGHT = 12.0
"""Of the reach: whatever is farther away travels as being there, so that the rest keeps its digits."""
FASTEST = 30.0
"""Of the median: faster spins are drawn as this, for the same reason."""
FLOOR = -0.5
"""How high the plane lies on which the shadows fall, where the bodies reach to about 1."""
LONGEST_ARROW = 0.34


def build(results: Results, frame: str = INERTIAL) -> bytes:
    """The scene of these results, in a frame, packed."""
    problem: TwoBodies = results.problem
    arrays: list[bytes] = []
    tracks, motions, far = [], [], reach(results, frame)
    for line in results.runs:
        rows = downsampled(len(line.run), MOST_SAMPLES)
        for body, (q, Omega, x) in zip(
            (problem.body1, problem.body2), _motion(line.run, rows, frame, far), strict=True
        ):
            told = packed_track(
                line.label, line.colour, line.run.t[rows], q, Omega, arrays, ended=ended(line.run), x=x
            )
            tracks.append(told | {"J": body.J.ravel().tolist()})
            motions.append((line.run.t[rows], Omega, x))
    tail = min(_period(problem), 0.5 * results.choice.duration)
    seen = _seen(results, tracks, frame, 1.0 / far, tail)
    seen["parts"], said = legible(seen["parts"], tracks, motions, np.eye(3))
    return packed(
        {"kind": "pair"} | of_tracks(tracks) | seen | {"caption": _said(results, frame, tail) + said}, arrays
    )


def shapes(problem: TwoBodies) -> bytes:
    """The meshes of that scene, packed."""
    return surfaces(
        {"body1": meshes.masses(problem.body1), "body2": meshes.masses(problem.body2), "disc": meshes.disc()}
    )


def _motion(run: TwoBodyRun, rows: Any, frame: str, far: float) -> list[tuple[Floats, Floats, Floats]]:
    """Of both bodies q, Ω and x."""
    turns = (run.R1, run.R2) if frame == INERTIAL else (run.R, np.broadcast_to(np.eye(3), run.R.shape))
    places = (about_centre(run, run.x1), about_centre(run, run.x2)) if frame == INERTIAL else (run.X, 0 * run.X)
    return [
        (_turns(R[rows]), _at_most(Omega[rows], FASTEST * _median(Omega)), _at_most(x[rows], OUT_OF_SIGHT * far))
        for R, Omega, x in zip(turns, (run.Omega1, run.Omega2), places, strict=True)
    ]


def _at_most(v: Floats, most: float) -> Floats:
    """Vectors (n, 3), too long ones shortened; as they are if `most` is nothing."""
    v = np.nan_to_num(v)
    largest = np.maximum(np.abs(v).max(axis=1, keepdims=True), 1e-300)
    part = np.maximum(np.linalg.norm(v / largest, axis=1, keepdims=True), 1.0)  # a length by its own overflows
    shortened: Floats = np.where((largest * part > most) & (most > 0), v / largest / part * most, v)
    return shortened


def _long(v: Floats, most: float = MOST_OF) -> float:
    """The length beyond which not even so many per cent of vectors (n, 3) are."""
    with np.errstate(over="ignore"):
        return float(np.percentile(np.nan_to_num(np.linalg.norm(v, axis=1)), most))


def _median(v: Floats) -> float:
    return _long(v, 50.0)


def _turns(R: Floats) -> Floats:
    return quaternions(np.nan_to_num(R))


def reach(results: Results, frame: str = INERTIAL) -> float:
    """How far from the middle the bodies come in the nearest motion; rounded, so that it seldom changes."""
    problem: TwoBodies = results.problem
    sizes = _size(problem.body1), _size(problem.body2)
    apart = max(float(np.linalg.norm(problem.X)), *sizes)
    runs = [line.run for line in results.runs if line.run.status == "done"]
    farthest = [_farthest(run, frame, sizes) for run in runs or [line.run for line in results.runs]]
    far = min([*farthest, FARTHEST * apart]) if farthest else apart
    return float(ROUND ** np.ceil(np.log(max(far, *sizes)) / np.log(ROUND)))


def _farthest(run: TwoBodyRun, frame: str, sizes: tuple[float, float]) -> float:
    """How far from the middle something of the bodies is, but for the few rows in which it is farthest."""
    places = (about_centre(run, run.x1), about_centre(run, run.x2)) if frame == INERTIAL else (run.X, run.X[:1] * 0)
    return max(_long(x) + size for x, size in zip(places, sizes, strict=True))


def about_centre(run: TwoBodyRun, x: Floats) -> Floats:
    """Places (n, 3), one for each kept row, from the centre of mass of both."""
    places: Floats = x - run.t[:, None] * run.problem.drift
    return places


def _period(problem: TwoBodies) -> float:
    """The time of one turn around each other, of two points as far apart on a circle."""
    apart = max(float(np.linalg.norm(problem.X)), _size(problem.body1) + _size(problem.body2))
    return 2 * math.pi * problem.falling_time(apart)


def _size(body: Any) -> float:
    """How far a body reaches from its centre."""
    return float(np.linalg.norm(body.positions, axis=1).max()) + float(body.radius)


def _seen(results: Results, tracks: list[dict[str, Any]], frame: str, scale: float, tail: float) -> dict[str, Any]:
    """The parts, and from where they are seen."""
    problem: TwoBodies = results.problem
    spin = _spin(results)
    long = LONGEST_ARROW / spin if spin else 0.0
    ground = {} if frame == RELATIVE else {"shadow": FLOOR}
    parts: list[Part] = []
    for k, track in enumerate(tracks):
        body = {"frame": "body", "of": k, "size": scale, "place": scale}
        which = f"body{k % 2 + 1}"
        parts += [
            mesh(which, "solid", when="solid", **ground, **body),
            mesh(which, track["colour"], when="ghost", opacity=0.2, layer="ghosts", **body),
            arrow(
                "#E69F00",
                f"Ω{'₁₂'[k % 2]}",
                curve="omega",
                scale=long,
                when="solid",
                of=k,
                place=scale,
                layer="vectors",
            ),
        ]
    if frame == RELATIVE:
        parts += triad(0.3)
    else:
        parts.append(
            mesh("disc", INK, frame="up", size=0.9, at=FLOOR, opacity=0.045, glass=True, edges=0.13, ground=True)
        )
    parts += curves(tracks, "place", scale, "space", layer="trail", tail=tail, timed=True, width=2.2)
    parts += curves(tracks, "place", scale, "space", layer="path", timed=False, width=1.0, strength=0.4, when="solid")
    axes = {"axes": "Axes of body 2"} if frame == RELATIVE else {}
    return {
        "up": np.eye(3).ravel().tolist() if frame == RELATIVE else upwards(_angular_momentum(problem)),
        "target": [0, 0, 0.0 if frame == RELATIVE else -0.14],
        "reach": 0.92,
        "view": [-0.9, 0.55],
        "layers": layers(ghosts="Ghosts", vectors="Ω₁ and Ω₂", trail="Trails", path="Whole path", **axes),
        "parts": parts,
    }


def _angular_momentum(problem: TwoBodies) -> Floats:
    """Of both together in space, about the centre of mass."""
    first, second = problem.body1, problem.body2
    mass = first.mass * second.mass / (first.mass + second.mass)
    spins = problem.R1 @ first.J @ problem.Omega1 + problem.R2 @ second.J @ problem.Omega2
    momentum: Floats = mass * np.cross(problem.X, problem.V) + spins
    return momentum


def _spin(results: Results) -> float:
    """How fast the bodies spin where they are fast, of the slowest motion."""
    spins = [max(_long(line.run.Omega1), _long(line.run.Omega2)) for line in results.runs]
    return min(spins, default=0.0)


def _said(results: Results, frame: str, tail: float) -> str:
    """The words below the picture."""
    where = (
        "Body 2 at rest and body 1 as it is seen from there: place X and attitude R."
        if frame == RELATIVE
        else "Both bodies about their centre of mass; the total angular momentum points upwards."
    )
    said = f"{where} Solid: the motion chosen above; translucent: the others. Trails last {short(tail, 2)}."
    return said + downsampling(
        [line.run for line in results.runs], lambda run: max(_median(run.Omega1), _median(run.Omega2)), MOST_SAMPLES
    )
