"""Two bodies' motions as the player is given them, in space or seen from body 2, with the facts of their problem."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.twobody import TwoBodies, TwoBodyRun

from ..model.results import Results
from . import meshes
from .packing import Floats, downsampled, packed, packed_motion, quaternions, surfaces, thinning

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


def build(results: Results, frame: str = INERTIAL) -> bytes:
    """What the player makes the scene of these results in a frame of, packed: of each method body 1, then body 2."""
    problem: TwoBodies = results.problem
    arrays: list[bytes] = []
    motions, far = [], reach(results, frame)
    for line in results.runs:
        rows = downsampled(len(line.run), MOST_SAMPLES)
        told = {"label": line.label, "colour": line.colour, "ended": line.run.status}
        for body, (q, Omega, x) in zip(
            (problem.body1, problem.body2), _motion(line.run, rows, frame, far), strict=True
        ):
            J = body.J.ravel().tolist()
            motions.append(packed_motion(line.run.t[rows], q, Omega, arrays, x=x, J=J, **told))
    return packed({"facts": facts(results, frame), "motions": motions}, arrays)


def facts(results: Results, frame: str) -> dict[str, Any]:
    """What is known of the problem besides its motions."""
    return {
        "kind": "pair",
        "relative": frame == RELATIVE,
        "momentum": _angular_momentum(results.problem).tolist(),
        "reach": reach(results, frame),
        "period": _period(results.problem),
        "duration": results.choice.duration,
        "thinned": thinning([line.run for line in results.runs], MOST_SAMPLES),
    }


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
        (
            quaternions(np.nan_to_num(R[rows])),
            _at_most(Omega[rows], FASTEST * _median(Omega)),
            _at_most(x[rows], OUT_OF_SIGHT * far),
        )
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


def _angular_momentum(problem: TwoBodies) -> Floats:
    """Of both together in space, about the centre of mass."""
    first, second = problem.body1, problem.body2
    mass = first.mass * second.mass / (first.mass + second.mass)
    spins = problem.R1 @ first.J @ problem.Omega1 + problem.R2 @ second.J @ problem.Omega2
    momentum: Floats = mass * np.cross(problem.X, problem.V) + spins
    return momentum
