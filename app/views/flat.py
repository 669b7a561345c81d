"""Poinsot's construction in flat views: the polhode and the herpolhode; with torque, traces in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.checks import Array
from engine.wording import short

from ..model.curves import (
    AROUND,
    LONGEST,
    MOST_TRACE,
    Projection,
    along,
    circle,
    down_on,
    herpolhode,
    levels,
    path,
    polhode,
    spatial,
)
from ..model.downsample import evenly
from ..model.results import Results
from ..model.session import MOST_METHODS
from ..model.view import TRACES
from .picture import AXES, BEGIN_WITH, MOST_DOTS, FlatView, Picture, axis_words, draw_methods


class FlatPoinsot(FlatView):
    """Poinsot's construction in two flat views; with torque, the traces in space seen from above."""

    def __init__(self) -> None:
        self._left = Picture("The polhode on the inertia ellipsoid, in the body")
        self._right = Picture("The herpolhode in the invariable plane", exact_width=2.2)
        self._left_trace = Picture("The trace of the body's axis, seen from above", dots=False)
        self._right_trace = Picture("The trace of π or ω in space, seen from above", dots=False)
        pictures = [self._left, self._right, self._left_trace, self._right_trace]
        super().__init__(AXES, AXES[2], "Polhode seen along", pictures)
        self._free: bool | None = None
        self._chosen = {True: BEGIN_WITH[0], False: BEGIN_WITH[1]}

    def look(self, along: str) -> None:
        """The same; what a motion with torque is to show may be told before there is one."""
        self._chosen[along not in TRACES] = along or self._chosen[True]
        super().look(along)

    def _draw(self, results: Results) -> None:
        if results.free != self._free:
            if self._free is not None:
                self._chosen[self._free] = self.chosen
            self._free = results.free
            free = results.free
            for picture, seen in (
                (self._left, free),
                (self._right, free),
                (self._left_trace, not free),
                (self._right_trace, not free),
            ):
                picture.figure.visible = seen
            name, options = ("Polhode seen along", AXES) if free else ("Trace in space of", list(TRACES))
            if self.switches.sets[0][0] != name:
                chosen = [self._chosen[free]]
                self.switches.param.update(sets=[self._set(name, options)], useful=[name], chosen=chosen)
        (self._rolling if results.free else self._traces)(results)

    def _rolling(self, results: Results) -> None:
        """Polhode on the ellipsoid, herpolhode in the invariable plane."""
        body = results.problem
        moments, Q = body.principal
        projection = along(self._axis)
        Omega0, Pi0 = Q.T @ body.Omega0, Q.T @ body.Pi0
        twice, size = float(Omega0 @ Pi0), float(np.linalg.norm(Pi0))
        if size == 0.0:
            for picture in (self._left, self._right):
                picture.clear(range(MOST_METHODS))
                picture.ground(projection, [], [])
                picture.exact(projection, None)
            self._say("The body is at rest.")
            return
        semi = np.sqrt(twice / moments)
        curves = [semi * n for n in levels(1.0 / moments)]
        i, j = (self._axis + 1) % 3, (self._axis + 2) % 3
        φ = np.linspace(0, 2 * np.pi, AROUND)
        outline = np.zeros((AROUND, 3))
        outline[:, i], outline[:, j] = semi[i] * np.cos(φ), semi[j] * np.sin(φ)
        self._left.ground(projection, curves, [outline])
        loop = polhode(moments, Pi0) / moments
        self._left.exact(projection, loop)
        some = draw_methods(self._left, results, projection, lambda run: run.Omega @ Q, MOST_DOTS, False)
        self._left.frame(float(max(semi[i], semi[j])), axis_words(self._axis, "Ω"))

        # In the plane ω runs between two circles: |ω|² less the square of its share along π.
        above = down_on(body.R0 @ body.Pi0)
        radii = np.sqrt(np.maximum(np.square(loop).sum(axis=1) - (twice / size) ** 2, 0.0))
        rings = [circle(above, r) for r in (radii.min(), radii.max()) if r > 1e-9 * np.sqrt(twice / moments.min())]
        self._right.ground(above, [], rings)
        end, curve = herpolhode(body, results.choice.duration) if results.exact is not None else (0.0, None)
        self._right.exact(above, curve, solid=True)
        draw_methods(self._right, results, above, lambda run: spatial(run.R, run.Omega), MOST_DOTS, True)
        reach = float(radii.max()) or 0.1 * float(np.linalg.norm(Omega0))
        self._right.frame(reach, [(0.0, 0.0, "π"), (0.0, -0.9, "invariable plane, from the tip of π")])
        until = f", the herpolhode up to t = {short(end, 4)}" if 0.0 < end < results.choice.duration else ""
        self._say(
            "Left: the polhode on the inertia ellipsoid, in the body. Right: the herpolhode in the invariable plane, "
            f"between its two circles. Thick: exact{until}. Dots: each method.{some}"
        )

    def _traces(self, results: Results) -> None:
        """The body's axis on the unit sphere, and π or ω, both seen from above."""
        above = Projection(*np.eye(3))
        axis = np.array(results.problem.action(results.choice.dt).axis)
        vector = self.chosen

        def tip(motion: Any) -> Array:
            return motion.R @ axis

        def trace(motion: Any) -> Array:
            return motion.pi if vector == "π" else spatial(motion.R, motion.Omega)

        def since(motion: Any, curve: str) -> int:
            """The row from which on a trace is short enough to be followed."""
            length = path(curve, tuple(axis), motion.t, motion.Omega, results.problem.J)
            size = 1.0 if curve == "axis" else float(np.median(np.linalg.norm(trace(motion), axis=1)))
            n = len(motion.t)
            return max(0, n - 1 - int(n * LONGEST * size / length)) if length > LONGEST * size > 0 else 0

        curves = "axis", "pi" if vector == "π" else "omega"
        exact = results.exact
        rows = [np.arange(0)] * 2
        if exact is not None:
            firsts = [since(exact, curve) for curve in curves]
            rows = [first + evenly(len(exact.t) - first, MOST_TRACE) for first in firsts]
        self._left_trace.ground(above, [], [circle(above, s) for s in (0.5, 1.0)])
        self._left_trace.exact(above, None if exact is None else tip(exact)[rows[0]], solid=True)
        some = draw_methods(
            self._left_trace, results, above, tip, MOST_TRACE, True, lambda run: since(run, curves[0])
        )
        self._left_trace.frame(1.0, [(0.9, 0.0, "e₁"), (0.0, 0.9, "e₂"), (0.0, -0.9, "body axis, from above")])
        first = exact if exact is not None else next((line.run for line in results.runs), None)
        reach = 1.0 if first is None else float(np.linalg.norm(trace(first)[:, :2], axis=1).max()) or 1.0
        self._right_trace.ground(above, [], [circle(above, reach)])
        self._right_trace.exact(above, None if exact is None else trace(exact)[rows[1]], solid=True)
        draw_methods(self._right_trace, results, above, trace, MOST_TRACE, True, lambda run: since(run, curves[1]))
        self._right_trace.frame(
            reach, [(0.9, 0.0, "e₁"), (0.0, 0.9, "e₂"), (0.0, -0.9, f"{vector} in space, from above")]
        )
        latest = (
            " Of long traces the last part."
            if any(since(line.run, c) for line in results.runs for c in curves)
            else ""
        )
        self._say(
            "Left: the tip of the body's axis, its nutation, within circles 30° and 90° from the vertical. "
            f"Right: {vector}; the circle has radius {short(reach, 3)}. Thick: exact. Lines: each method."
            f"{some}{latest}"
        )
