"""Draws the thumbnails. That of a preset in the list has the path of a body's axis in space, and the
first plot, a curve for each method; that of a paper's figure has its frames beside each other, without
measured times.

`python tests/draw_thumbnails.py [KEY…]`, from the project's folder, draws all of them or those of
these presets and figures, and stores them in `app/charts/thumbnails.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import cos, sin

import numpy as np

from app.charts import style
from app.charts.downsample import downsample, spread_evenly
from app.charts.scales import find_limits, to_axis
from app.charts.svg import draw_chart
from app.charts.thumbnails import FILE, SIZE, Strokes, load_thumbnails
from app.state.labs import LABS
from app.state.presets import ALL_PRESETS
from app.state.presets.preset import Preset
from app.state.results import Results, compute
from engine import papers
from engine.papers import Figure
from engine.parameters.validation import Array

GLOBE, RADIUS = (440, 420), 360
"""Centre and radius of the sphere with the path of the axis."""
PLOT = (980, 60, 2340, 780)
"""Left, top, right and bottom of the plot of a preset."""
EDGE, GAP = 60, 120
"""Around the frames of a figure, and between them."""
AZIMUTH, ELEVATION = -0.9, 0.42
"""Direction from which the sphere is seen, in radians."""
COMPARED = 20_000
"""Largest number of steps for which the exact motion is computed."""
POINTS, TRACE, FARTHEST = 240, 400, 25.0
"""Points of a curve, points of a path, and the largest length of a path in radii."""
MARKS = 30
"""Largest number of marks of a curve."""
BENT = 3.0
"""Largest distance of a curve from the line that replaces it."""
DOT = 40
"""Smallest width of a path; a narrower one is a dot, and so is a mark."""
RING = (
    f"m{-DOT / 2:g} 0a{DOT / 2:g} {DOT / 2:g} 0 1 0 {DOT} 0a{DOT / 2:g} {DOT / 2:g} 0 1 0 {-DOT} 0"
)


def draw_thumbnail(preset: Preset) -> Strokes:
    """The thumbnail of a preset, computed."""
    results = compute(preset.choice, exact=preset.choice.steps <= COMPARED)
    (x, y) = GLOBE
    (left, _, right, bottom) = PLOT
    circle = f"M{x - RADIUS} {y}a{RADIUS} {RADIUS} 0 1 0 {2 * RADIUS} 0a{RADIUS} {RADIUS} 0 1 0 {-2 * RADIUS} 0"
    ground = ["", f"{circle}M{left} {bottom}H{right}"]
    return [ground, *_path_of_axis(results), *_curves(results, preset)]


def _path_of_axis(results: Results) -> Strokes:
    """The path of the tip of a body axis in space by the first method; of two bodies, the path of
    the first.
    """
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
    tip = tip[spread_evenly(len(tip), TRACE)]
    right = np.array([-sin(AZIMUTH), cos(AZIMUTH), 0.0])
    up = np.array([-sin(ELEVATION) * cos(AZIMUTH), -sin(ELEVATION) * sin(AZIMUTH), cos(ELEVATION)])
    across = GLOBE[0] + RADIUS * tip @ right
    down = GLOBE[1] - RADIUS * tip @ up
    hardly = max(np.ptp(across), np.ptp(down)) < DOT  # moved: a dot, where a line would not be seen
    return [
        [line.colour, f"M{across[0]:.0f} {down[0]:.0f}{RING}" if hardly else _path(across, down)]
    ]


def _curves(results: Results, preset: Preset) -> Strokes:
    """The curves of the first plot that the preset opens."""
    view = preset.view
    found = []
    group = LABS[results.choice.space].groups[view.plots or "What is kept"]
    for quantity in group.quantities(results, view.vector):
        log = view.axis == "Log" and quantity.error
        curves = [
            (line.colour, quantity.values(line, view.errors == "Relative")) for line in results.runs
        ]
        found = [
            (colour, curve[0], to_axis(curve[1], log))
            for colour, curve in curves
            if curve is not None
        ]
        if found:
            break
    end = results.choice.duration or 1.0
    low, high = find_limits([y for *_, y in found], log)
    left, top, right, bottom = PLOT
    drawn = []
    for colour, t, y in reversed(found):  # the first method's on top
        rows = downsample(y, POINTS)
        across = left + (right - left) * t[rows] / end
        height = (np.clip(y[rows], low, high) - low) / (high - low)
        drawn.append([colour, _path(across, bottom - (bottom - top) * height)])
    return drawn


def draw_figure(figure: Figure) -> Strokes:
    """The thumbnail of a paper's figure, computed, without the times that were measured."""
    drawn = figure.curves()
    looks = style.choose_looks(drawn.curves, figure.methods)
    frames = [[curve for curve in drawn.of(i) if not curve.timed] for i in range(len(figure.axes))]
    shown = [(axes, curves) for axes, curves in zip(figure.axes, frames, strict=True) if curves]
    width = (SIZE[0] - 2 * EDGE + GAP) / len(shown) - GAP
    ground = ""
    strokes = []
    for i, (axes, curves) in enumerate(shown):
        chart = draw_chart(axes, curves, looks, "", "")
        left = EDGE + i * (width + GAP)
        bottom = SIZE[1] - EDGE
        ground += f"M{left:.0f} {EDGE}V{bottom}h{width:.0f}"
        for stroke in reversed(chart.strokes):
            rows = (
                spread_evenly(len(stroke.y), MARKS) if stroke.mark else downsample(stroke.y, POINTS)
            )
            across = left + width * chart.across.part(stroke.t[rows])
            down = bottom - (bottom - EDGE) * chart.up.part(stroke.y[rows])
            if len(rows):
                strokes.append([stroke.colour, (_dots if stroke.mark else _path)(across, down)])
    return [["", ground], *strokes]


def _dots(x: Array, y: Array) -> str:
    """A dot at each point."""
    return "".join(f"M{across:.0f} {down:.0f}{RING}" for across, down in zip(x, y, strict=True))


def _path(x: Array, y: Array) -> str:
    """A line through the points at which it bends, rounded to units, each relative to the one
    before.
    """
    points = _keep_bends(np.stack([x, y], axis=-1)).round().astype(int)
    moves = np.diff(points, axis=0)
    lines = "".join(f"{a}{'' if b < 0 else ' '}{b} " for a, b in moves[moves.any(axis=1)].tolist())
    return (
        f"M{points[0][0]} {points[0][1]}l{lines}".strip()
        if lines
        else f"M{points[0][0]} {points[0][1]}h0"
    )


def _keep_bends(points: Array) -> Array:
    """Points of a line without those that are nearly on it (Douglas and Peucker's rule)."""
    kept = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        between = points[first + 1 : last] - points[first]
        chord = points[last] - points[first]
        along = np.clip(between @ chord / max(chord @ chord, 1.0), 0.0, 1.0)
        apart = np.linalg.norm(between - along[:, None] * chord, axis=1)
        if apart.max() > BENT:
            middle = first + 1 + int(apart.argmax())
            kept.add(middle)
            parts += [(first, middle), (middle, last)]
    return points[sorted(kept)]


def main(keys: Sequence[str]) -> None:
    """Draw the thumbnails of these presets and figures, or of all, and store them."""
    presets = {preset.key: preset for preset in ALL_PRESETS if preset.is_listed}
    figures = {figure.key: figure for figure in papers.figures()}
    known = dict(load_thumbnails()) if FILE.exists() else {}
    for key in keys or (*presets, *figures):
        known[key] = draw_thumbnail(presets[key]) if key in presets else draw_figure(figures[key])
    lines = (
        f"{json.dumps(key)}: {json.dumps(known[key], separators=(',', ':'))}"
        for key in (*presets, *figures)
        if key in known
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
