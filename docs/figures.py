"""Figures as SVG, drawn from runs while the pages are built, in the page's light and dark
colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

import engine
from engine.algorithms.core.method import Method
from engine.parameters.validation import Array
from engine.problems.problem import AnyProblem
from engine.problems.two_bodies.pair import TwoBodies
from engine.simulation.result import AnyRun

WIDTH, HEIGHT = 330.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 10.0, 26.0, 24.0
"""A panel, and the margins in it, in pixels."""

LEAST, MOST = -17.0, 1.0
"""The visible decades of an error."""
BINS = 240
"""Number of intervals of time, each drawn by its largest error: about one per pixel."""


def format_number(value: float) -> str:
    """A number with six digits and a minus sign."""
    return f"{value + 0.0:g}".replace("-", "−")


@dataclass
class Panel:
    """One set of axes with its drawing: x from 0 to `end`, y from `low` to `high`."""

    title: str
    end: float
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    start: float = 0.0
    width: float = WIDTH
    x_title: str = "t"
    drawn: list[str] = field(default_factory=list)

    def x(self, value: float) -> float:
        """From the left edge, in pixels."""
        return LEFT + (value - self.start) / (self.end - self.start) * (self.width - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """From the upper edge, in pixels."""
        return (
            HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)
        )

    def line(self, x: Array, y: Array, kind: str, area: bool = False) -> None:
        """Add a curve, with a light area below it."""
        points = [f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in zip(x, y, strict=True)]
        if area:
            base = self.y(self.low)
            around = [f"{self.x(x[0]):.1f},{base:.1f}", *points, f"{self.x(x[-1]):.1f},{base:.1f}"]
            self.drawn.append(f'<polygon class="area {kind}" points="{" ".join(around)}"/>')
        self.drawn.append(f'<polyline class="line {kind}" points="{" ".join(points)}"/>')

    def words(self, text: str) -> None:
        """Add a note in place of a curve, or about its end."""
        x, y = self.width / 2 + LEFT / 2, (TOP + HEIGHT - BOTTOM) / 2
        self.drawn.append(
            f'<text class="note" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'
        )

    def name(self, text: str, x: float, y: float, kind: str, offset: float) -> None:
        """Write a curve's name, so many pixels below its last point."""
        self.drawn.append(
            f'<text class="label {kind}" x="{self.x(x):.1f}" y="{self.y(y) + offset:.1f}" text-anchor="end">'
            f"{escape(text)}</text>"
        )

    def svg(self, x: float, y: float) -> str:
        """The panel at this place."""
        right = self.width - RIGHT
        base = HEIGHT - BOTTOM
        parts = [f'<text class="title" x="{LEFT}" y="15">{escape(self.title)}</text>']
        for value, label in self.ticks:
            at = self.y(value)
            parts.append(
                f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'
            )
            parts.append(
                f'<text x="{LEFT - 6}" y="{at + 3.5:.1f}" text-anchor="end">{label}</text>'
            )
        parts += self.drawn
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{base}" y2="{base}"/>')
        for value, anchor in ((self.start, "start"), (self.end, "end")):
            at = self.x(value)
            parts.append(
                f'<text x="{at:.1f}" y="{base + 15}" text-anchor="{anchor}">{format_number(value)}</text>'
            )
        middle = self.x((self.start + self.end) / 2)
        parts.append(
            f'<text x="{middle:.1f}" y="{base + 15}" text-anchor="middle">{self.x_title}</text>'
        )
        return f'<g transform="translate({x:g} {y:g})">{"".join(parts)}</g>'


def arrange_panels(panels: Sequence[Panel], columns: int, caption: str) -> str:
    """Return panels in rows; `caption` is their text for screen readers."""
    x = 0.0
    y = 0.0
    placed = []
    widest = 0.0
    for i, panel in enumerate(panels):
        if i and i % columns == 0:
            x, y = 0.0, y + HEIGHT
        placed.append(panel.svg(x, y))
        x += panel.width
        widest = max(widest, x)
    box = f'viewBox="0 0 {widest:g} {y + HEIGHT:g}"'
    return f'<svg class="figure" {box} role="img" aria-label="{escape(caption)}">{"".join(placed)}</svg>'


# ----------------------------------------------------------------- what a method does

SHOWN = (("free", 400), ("slow-top", 4000))
"""The problems on which a method is shown, and for how many steps."""
DECADES = [(-15.0, "10⁻¹⁵"), (-10.0, "10⁻¹⁰"), (-5.0, "10⁻⁵"), (0.0, "1")]


def errors_of(method: Method) -> str:
    """Draw the errors of energy and momentum for a free body and a slow top, or for two bodies; of
    the attitude with given rates.
    """
    if method.space == "se3":
        return errors_of_two(method)
    if method.space == "rates":
        return errors_with_rates(method)
    energy = []
    momentum = []
    for key, steps in SHOWN:
        problem = engine.problem(key)
        quantity = "spatial momentum" if key == "free" else "momentum about the vertical"
        panels = [
            Panel(f"{problem.name}: {what}", steps * problem.dt, LEAST, MOST, DECADES)
            for what in ("energy", quantity)
        ]
        energy.append(panels[0])
        momentum.append(panels[1])
        try:
            run = engine.simulate(problem, method, dt=problem.dt, steps=steps)
        except ValueError as refused:
            for panel in panels:
                panel.words(str(refused).partition(": ")[2].partition(",")[0][:48])
            continue
        moved = (
            np.linalg.norm(run.pi - run.pi[0], axis=1)
            if key == "free"
            else np.abs(run.pi[:, 2] - run.pi[0, 2])
        )
        for panel, error in (
            (panels[0], np.abs(run.energy / run.energy[0] - 1.0)),
            (panels[1], moved / np.linalg.norm(run.pi[0])),
        ):
            draw_error(panel, run, error)
    caption = f"Relative errors of energy and momentum of {method.key} over time, on a free body and on a slow top."
    return arrange_panels([*energy, *momentum], 2, caption)


def errors_of_two(method: Method) -> str:
    """The errors of energy and angular momentum of two dumbbells."""
    run = engine.simulate("dumbbells", method, samples=4000)
    momentum = np.linalg.norm(run.angular_momentum - run.angular_momentum[0], axis=1)
    errors = {
        "energy": np.abs(run.energy / run.energy[0] - 1.0),
        "angular momentum": momentum / np.linalg.norm(run.angular_momentum[0]),
    }
    panels = [
        Panel(f"{run.problem.name}: {what}", run.problem.duration, LEAST, MOST, DECADES)
        for what in errors
    ]
    for panel, error in zip(panels, errors.values(), strict=True):
        draw_error(panel, run, error)
    return arrange_panels(
        panels, 2, f"Relative errors of energy and angular momentum of {method.key} over time."
    )


def errors_with_rates(method: Method) -> str:
    """The errors of the attitude and of its orthogonality under coning."""
    run = engine.simulate("coning", method)
    errors = {"attitude, rad": engine.error(run).attitude, "orthogonality": run.orthogonality}
    end = run.problem.duration
    panels = [Panel(f"{run.problem.name}: {what}", end, LEAST, MOST, DECADES) for what in errors]
    for panel, error in zip(panels, errors.values(), strict=True):
        draw_error(panel, run, error)
    return arrange_panels(panels, 2, f"Errors of the attitude of {method.key} over time.")


def draw_error(panel: Panel, run: AnyRun, error: Array) -> None:
    """The largest error in each part of the time, by decades."""
    t = run.t[1:]
    error = error[1:]
    if len(t) >= 2:
        parts = np.array_split(np.arange(len(t)), min(BINS, len(t)))
        largest = np.array([error[part].max() for part in parts])
        decades = np.log10(np.clip(largest, 10.0**LEAST, 10.0**MOST))
        panel.line(np.array([t[part[-1]] for part in parts]), decades, "first", area=True)
    if run.status != "done":
        panel.words("no solution" if run.status == "no-solution" else run.status)


# ----------------------------------------------------------------- the time to an accuracy

MICROSECONDS = [(1.0, "10"), (2.0, "100"), (3.0, "1000")]
KINDS = (("first", 20.0), ("second", -7.0))
"""The kinds of both curves, and the places of their names."""


def times_of(times: Mapping[str, Mapping[str, Mapping[str, float]]], names: Sequence[str]) -> str:
    """Draw the microseconds to each accuracy: a panel for each problem, a curve for each of two
    contestants, by the beginnings of their names the fastest.
    """
    panels = []
    for problem, found in times.items():
        panel = Panel(f"{problem}, µs", 12.0, 0.4, 3.0, MICROSECONDS, start=6.0, x_title="digits")
        for name, (kind, offset) in zip(names, KINDS, strict=True):
            fastest: dict[str, float] = {}
            for contestant, by_target in found.items():
                if contestant.startswith(name):
                    for target, µs in by_target.items():
                        fastest[target] = min(µs, fastest.get(target, math.inf))
            digits = np.array([-math.log10(float(target)) for target in sorted(fastest)])
            decades = np.array([math.log10(fastest[target]) for target in sorted(fastest)])
            order = np.argsort(digits)
            panel.line(digits[order], decades[order], kind)
            if len(order):
                panel.name(name, digits[order][-1], decades[order][-1], kind, offset)
        panels.append(panel)
    return arrange_panels(panels, 2, f"Time to an accuracy: {', '.join(names)}.")


# ----------------------------------------------------------------- what a problem is

FINER = 10
"""The factor by which the step of a problem's figure is smaller than the problem's."""


def motion_of(problem: AnyProblem) -> str:
    """Draw the path of the body's third axis, seen from above, and the angular velocity over
    time.
    """
    if isinstance(problem, TwoBodies):
        return orbits_of(problem)
    run: Any = simulate_finely(problem)
    square = HEIGHT - TOP - BOTTOM
    path = Panel("third axis, from above", 1.0, -1.0, 1.0, [], -1.0, LEFT + RIGHT + square, "x")
    centre = f'cx="{path.x(0.0):.1f}" cy="{path.y(0.0):.1f}" r="{square / 2:.1f}"'
    path.drawn.append(f'<circle class="grid" {centre}/>')
    path.line(run.R[:, 0, 2], run.R[:, 1, 2], "first")
    largest = 1.05 * float(np.abs(run.Omega).max())
    step = 10.0 ** math.floor(math.log10(largest))
    while largest / step > 3.0:
        step *= 2.0
    multiples = np.arange(-math.floor(largest / step), math.floor(largest / step) + 1) * step
    ticks = [(float(tick), format_number(tick)) for tick in multiples]
    rates = Panel("angular velocity in the body's frame", run.t[-1], -largest, largest, ticks)
    rates.width = 2 * WIDTH - path.width
    for i, kind in enumerate(("first", "second", "third")):
        rates.line(run.t, run.Omega[:, i], kind)
        label = f'x="{rates.width - RIGHT - 66 + 22 * i:.0f}" y="15"'
        rates.drawn.append(f'<text class="label {kind}" {label}>Ω{"₁₂₃"[i]}</text>')
    return arrange_panels(
        [path, rates],
        2,
        f"The motion of {problem.name}: path of the third axis, and angular velocity.",
    )


def simulate_finely(problem: AnyProblem) -> AnyRun:
    """A run for the figure of a problem."""
    if problem.space == "rates":
        return engine.simulate(problem, "RKMK853", samples=1200)
    return engine.simulate(problem, "RKMK", dt=problem.dt / FINER, samples=1200)


def orbits_of(problem: TwoBodies) -> str:
    """Draw the paths of both bodies, seen from above, and the distance of their nearest masses over
    time.
    """
    run = engine.simulate(problem, "LGVI", samples=1200)
    reach = 1.05 * float(max(np.abs(run.x1).max(), np.abs(run.x2).max()))
    path = Panel(
        "both bodies, from above",
        reach,
        -reach,
        reach,
        [],
        -reach,
        LEFT + RIGHT + HEIGHT - TOP - BOTTOM,
        "x",
    )
    path.line(run.x1[:, 0], run.x1[:, 1], "first")
    path.line(run.x2[:, 0], run.x2[:, 1], "second")
    most = 1.05 * float(run.distance.max())
    distance = Panel(
        "distance of the nearest masses",
        run.t[-1],
        0.0,
        most,
        [(0.0, "0"), (most / 2, f"{most / 2:.2g}")],
    )
    distance.width = 2 * WIDTH - path.width
    distance.line(run.t, run.distance, "first")
    return arrange_panels(
        [path, distance], 2, f"The motion of {problem.name}: both paths, and their distance."
    )
