"""Small pictures of presets: the way of a body's axis in space, and the first plot, with a curve for each method.

They are drawn once, by `python -m app.charts.pictures` from the project's folder, and kept in `pictures.json`; with
keys after it, these alone are drawn anew.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Sequence
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np

from engine.checks import Array

from ..model.downsample import downsampled, evenly
from ..model.preset import Preset
from ..model.presets import OF_TWO_BODIES, PRESETS
from ..model.results import Results, compute
from ..model.subject import SUBJECTS
from .axes import limits, on_axis

SIZE = (240, 84)
"""Width and height."""
GLOBE, RADIUS = (44, 42), 36
"""Middle and radius of the sphere on which an axis is seen."""
PLOT = (98, 6, 234, 78)
"""Left, top, right and bottom of the plot."""
AZIMUTH, ELEVATION = -0.9, 0.42
"""From where the sphere is seen."""
COMPARED = 20_000
"""Steps up to which the exact motion is computed too."""
POINTS, TRACE, FARTHEST = 50, 120, 25.0
"""Of a curve in the plot, and of an axis's way, and how long that way is at most, in radii."""
DOT = 4
"""How wide a way is drawn at the least."""
RING = f"m{-DOT / 2:g} 0a{DOT / 2:g} {DOT / 2:g} 0 1 0 {DOT} 0a{DOT / 2:g} {DOT / 2:g} 0 1 0 {-DOT} 0"
FILE = Path(__file__).with_suffix(".json")

Strokes = Sequence[Sequence[str]]
"""Lines, as the path of an SVG, each behind its colour; none is that of text."""


@functools.cache
def recorded() -> dict[str, Strokes]:
    """The pictures that are kept, by the keys of their presets."""
    found: dict[str, Strokes] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def drawn(preset: Preset) -> Strokes:
    """The picture of a preset, computed."""
    results = compute(preset.choice, exact=preset.choice.steps <= COMPARED)
    (x, y), (left, _, right, bottom) = GLOBE, PLOT
    circle = f"M{x - RADIUS} {y}a{RADIUS} {RADIUS} 0 1 0 {2 * RADIUS} 0a{RADIUS} {RADIUS} 0 1 0 {-2 * RADIUS} 0"
    ground = ["", f"{circle}M{left} {bottom}H{right}"]
    return [ground, *_way(results), *_curves(results, preset)]


def _way(results: Results) -> Strokes:
    """What the tip of an axis of the first method's body draws in space; of two bodies, the way of the first."""
    line = results.runs[0]
    run = line.run
    if results.choice.space == "se3":
        places = run.x1 - run.x2
        tip = places / np.abs(places).max()
    else:
        top = "pi" not in results.problem.invariants
        tip = run.R[:, :, 2 if top else int(np.abs(results.problem.Pi0).argmax())]
    gone = np.append(0.0, np.linalg.norm(np.diff(tip, axis=0), axis=1).cumsum())
    tip = tip[gone <= FARTHEST]
    tip = tip[evenly(len(tip), TRACE)]
    right = np.array([-sin(AZIMUTH), cos(AZIMUTH), 0.0])
    up = np.array([-sin(ELEVATION) * cos(AZIMUTH), -sin(ELEVATION) * sin(AZIMUTH), cos(ELEVATION)])
    across, down = GLOBE[0] + RADIUS * tip @ right, GLOBE[1] - RADIUS * tip @ up
    hardly = max(np.ptp(across), np.ptp(down)) < DOT  # moved: a dot, where a line would not be seen
    return [[line.colour, f"M{across[0]:.0f} {down[0]:.0f}{RING}" if hardly else _path(across, down)]]


def _curves(results: Results, preset: Preset) -> Strokes:
    """The first plot that the preset opens with."""
    view, found = preset.view, []
    group = SUBJECTS[results.choice.space].groups[view.plots or "What is kept"]
    for quantity in group.quantities(results, view.vector):
        log = view.axis == "Log" and quantity.error
        curves = [(line.colour, quantity.values(line, view.errors == "Relative")) for line in results.runs]
        found = [(colour, curve[0], on_axis(curve[1], log)) for colour, curve in curves if curve is not None]
        if found:
            break
    end = results.choice.duration or 1.0
    low, high = limits([y for *_, y in found], log)
    left, top, right, bottom = PLOT
    drawn = []
    for colour, t, y in reversed(found):  # the first method's on top
        rows = downsampled(t, y, POINTS)
        across, height = left + (right - left) * t[rows] / end, (np.clip(y[rows], low, high) - low) / (high - low)
        drawn.append([colour, _path(across, bottom - (bottom - top) * height)])
    return drawn


def _path(x: Array, y: Array) -> str:
    """A line through points, to the unit, each told from the one before."""
    points = np.stack([x, y], axis=-1).round().astype(int)
    moves = np.diff(points, axis=0)
    told = "".join(f"{a}{'' if b < 0 else ' '}{b} " for a, b in moves[moves.any(axis=1)].tolist())
    return f"M{points[0][0]} {points[0][1]}l{told}".strip() if told else f"M{points[0][0]} {points[0][1]}h0"


def main(keys: Sequence[str]) -> None:
    """Draw the presets of these keys, or all, and keep the pictures of those that there are."""
    presets: dict[str, Any] = {preset.key: preset for preset in (*PRESETS, *OF_TWO_BODIES)}
    known = dict(recorded()) if FILE.exists() else {}
    known |= {key: drawn(presets[key]) for key in keys or presets}
    lines = (f"{json.dumps(key)}: {json.dumps(known[key], separators=(',', ':'))}" for key in presets if key in known)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
