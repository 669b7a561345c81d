"""Motions of two bodies for the player, in space or relative to body 2, and the facts of their
problem.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.exact import PairMotion
from engine.problems import TwoBodies
from engine.simulation import TwoBodyRun, to_quaternions

from ..state import EXACT_COLOUR, EXACT_LABEL
from ..state.results import Results
from . import meshes, packing
from .packing import Floats

Pair = TwoBodyRun | PairMotion
"""What has both bodies at times."""
INERTIAL, RELATIVE = "In space", "From body 2"
"""The frames: that of the centre of mass, and that of body 2, in which body 1 has the place X and
the attitude R.
"""
MOST_SAMPLES = 1500
"""Largest number of rows of a track; a longer run is drawn at evenly spaced rows."""
FARTHEST = 4.0
"""Largest distance from the middle in the picture, relative to the first distance of the bodies."""
MOST_OF = 95.0
"""Per cent of the rows in which the bodies are in the picture."""
ROUND = 1.25
"""Smallest factor between sizes of the picture, so that small changes do not rescale it."""
OUT_OF_SIGHT = 12.0
"""Largest distance relative to the reach; farther places are moved there, so that the others keep
their digits.
"""
FASTEST = 30.0
"""Largest spin relative to the median, for the same reason."""


def build_scene(results: Results, frame: str = INERTIAL) -> bytes:
    """The facts and motions of the scene in a frame, packed: body 1 and then body 2 of each
    method, and of the exact motion.
    """
    problem: TwoBodies = results.problem
    arrays: list[bytes] = []
    motions = []
    far = find_reach(results, frame)

    def add_motion(motion: Pair, **labels: Any) -> None:
        rows = packing.choose_rows(len(motion.t), MOST_SAMPLES)
        moved = _move(motion, problem, rows, frame, far)
        for body, (q, Omega, x) in zip((problem.body1, problem.body2), moved, strict=True):
            J = body.J.ravel().tolist()
            motions.append(
                packing.pack_motion(motion.t[rows], q, Omega, arrays, x=x, J=J, **labels)
            )

    for line in results.runs:
        add_motion(
            line.run,
            method=line.label,
            label=line.name,
            variant=results.choice.variants.split(line.label),
            colour=line.colour,
            ended=line.run.status,
        )
    if results.exact is not None:
        add_motion(
            results.exact,
            method=EXACT_LABEL,
            label=EXACT_LABEL,
            colour=EXACT_COLOUR,
            exact=True,
        )
    return packing.pack({"facts": list_facts(results, frame), "motions": motions}, arrays)


def list_facts(results: Results, frame: str) -> dict[str, Any]:
    """The facts of the problem, besides its motions."""
    problem: TwoBodies = results.problem
    first = problem.body1
    second = problem.body2
    return {
        "kind": "pair",
        "relative": frame == RELATIVE,
        "momentum": _angular_momentum(problem).tolist(),
        "reach": find_reach(results, frame),
        "sizes": [_size(first), _size(second)],
        "masses": [first.mass, second.mass],
        "J1": first.J.ravel().tolist(),
        "J2": second.J.ravel().tolist(),
        "period": _period(problem),
        "duration": results.choice.duration,
        "thinned": packing.describe_thinning([line.run for line in results.runs], MOST_SAMPLES),
    }


def pack_shapes(problem: TwoBodies) -> bytes:
    """The meshes of the scene, packed."""
    drawn = {name: meshes.build_masses(getattr(problem, name)) for name in ("body1", "body2")}
    return packing.pack_surfaces(drawn | {"disc": meshes.disc()})


def _move(
    run: Pair, problem: TwoBodies, rows: Any, frame: str, far: float
) -> list[tuple[Floats, Floats, Floats]]:
    """q, Ω and x of both bodies."""
    turns = (
        (run.R1, run.R2) if frame == INERTIAL else (run.R, np.broadcast_to(np.eye(3), run.R.shape))
    )
    places = list_places(run, problem, frame)
    return [
        (
            to_quaternions(np.nan_to_num(R[rows])),
            _at_most(Omega[rows], FASTEST * _percentile(Omega, 50.0)),
            _at_most(x[rows], OUT_OF_SIGHT * far),
        )
        for R, Omega, x in zip(turns, (run.Omega1, run.Omega2), places, strict=True)
    ]


def _at_most(v: Floats, most: float) -> Floats:
    """Vectors (n, 3), shortened to the length `most` unless that is 0."""
    v = np.nan_to_num(v)
    largest = np.maximum(np.abs(v).max(axis=1, keepdims=True), 1e-300)
    part = np.maximum(
        np.linalg.norm(v / largest, axis=1, keepdims=True), 1.0
    )  # the length itself may overflow
    return np.where((largest * part > most) & (most > 0), v / largest / part * most, v)


def _percentile(v: Floats, most: float = MOST_OF) -> float:
    """The percentile of the lengths of vectors (n, 3)."""
    with np.errstate(over="ignore"):
        return float(np.percentile(np.nan_to_num(np.linalg.norm(v, axis=1)), most))


def find_reach(results: Results, frame: str = INERTIAL) -> float:
    """The largest distance from the middle in the narrowest motion, rounded so that it rarely
    changes.
    """
    problem: TwoBodies = results.problem
    sizes = _size(problem.body1), _size(problem.body2)
    apart = max(float(np.linalg.norm(problem.X)), *sizes)
    runs = [line.run for line in results.runs if line.run.status == "done"]
    farthest = [_farthest(run, frame, sizes) for run in runs or [line.run for line in results.runs]]
    far = min([*farthest, FARTHEST * apart]) if farthest else apart
    return float(ROUND ** np.ceil(np.log(max(far, *sizes)) / np.log(ROUND)))


def _farthest(run: TwoBodyRun, frame: str, sizes: tuple[float, float]) -> float:
    """The distance from the middle that the bodies exceed in few rows only."""
    places = list_places(run, run.problem, frame)
    return max(_percentile(x) + size for x, size in zip(places, sizes, strict=True))


def list_places(run: Pair, problem: TwoBodies, frame: str) -> tuple[Floats, Floats]:
    """Both bodies' places (n, 3) relative to the common centre of mass, or to body 2."""
    if frame == RELATIVE:
        return run.X, 0 * run.X
    centre = run.t[:, None] * problem.drift
    return run.x1 - centre, run.x2 - centre


def _period(problem: TwoBodies) -> float:
    """The period of two points at this distance on a circular orbit."""
    apart = max(float(np.linalg.norm(problem.X)), _size(problem.body1) + _size(problem.body2))
    return 2 * math.pi * problem.falling_time(apart)


def _size(body: Any) -> float:
    """The largest distance of a body's masses from its centre, with their radius."""
    return float(np.linalg.norm(body.positions, axis=1).max()) + float(body.radius)


def _angular_momentum(problem: TwoBodies) -> Floats:
    """The total angular momentum in space about the centre of mass."""
    first = problem.body1
    second = problem.body2
    mass = first.mass * second.mass / (first.mass + second.mass)
    spins = problem.R1 @ first.J @ problem.Omega1 + problem.R2 @ second.J @ problem.Omega2
    return mass * np.cross(problem.X, problem.V) + spins
