"""Paths: the polhode and the herpolhode; with torque, traces in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.parameters.validation import Array
from engine.text.formatting import show

from ...charts.downsample import spread_evenly
from ...scene import polhode
from ...scene.polhode import MOST_TRACE, circle, find_latest
from ...state import TRACES, Results
from ...state.choice import MOST_METHODS
from .flat_picture import (
    AXES,
    DEFAULTS,
    LATEST_PART,
    MOST_DOTS,
    FlatView,
    Picture,
    axis_words,
    draw_methods,
)


class FlatPoinsot(FlatView):
    """The polhode and the herpolhode in 2D; with torque, the traces in space seen from above."""

    def __init__(self) -> None:
        self._left = Picture("The polhode on the inertia ellipsoid, in the body")
        self._right = Picture("The herpolhode in the invariable plane", exact_width=2.2)
        self._left_trace = Picture("The trace of the body's axis, seen from above", dots=False)
        self._right_trace = Picture("The trace of π or ω in space, seen from above", dots=False)
        pictures = [self._left, self._right, self._left_trace, self._right_trace]
        super().__init__(AXES, AXES[2], "Polhode seen along", pictures)
        self._free: bool | None = None
        self._options = {True: DEFAULTS[0], False: DEFAULTS[1]}

    def choose(self, along: str) -> None:
        """Choose an option, also of motions with torque before there is one."""
        self._options[along not in TRACES] = along or self._options[True]
        super().choose(along)

    def _draw(self, results: Results) -> None:
        if results.is_free != self._free:
            if self._free is not None:
                self._options[self._free] = self.option
            self._free = results.is_free
            free = results.is_free
            for rolling, trace in (
                (self._left, self._left_trace),
                (self._right, self._right_trace),
            ):
                rolling.figure.visible = free
                trace.figure.visible = not free
            name, options = (
                ("Polhode seen along", AXES) if free else ("Trace in space of", list(TRACES))
            )
            if self.switches.sets[0][0] != name:
                chosen = [self._options[free]]
                self.switches.param.update(
                    sets=[self._make_set(name, options)], useful=[name], chosen=chosen
                )
        (self._draw_rolling if results.is_free else self._draw_traces)(results)

    def _draw_rolling(self, results: Results) -> None:
        """Draw the polhode on the ellipsoid and the herpolhode in the invariable plane."""
        body = results.problem
        moments, Q = body.principal
        projection = polhode.look_along(self._axis)
        Omega0, Pi0 = Q.T @ body.Omega0, Q.T @ body.Pi0
        twice = float(Omega0 @ Pi0)
        size = float(np.linalg.norm(Pi0))
        if size == 0.0:
            for picture in (self._left, self._right):
                picture.clear(range(MOST_METHODS))
                picture.draw_background(projection, [], [])
                picture.draw_exact(projection, None)
            self._set_caption("The body is at rest.")
            return
        semi = np.sqrt(twice / moments)
        curves = [semi * n for n in polhode.energy_levels(1.0 / moments)]
        i, j = (self._axis + 1) % 3, (self._axis + 2) % 3
        φ = np.linspace(0, 2 * np.pi, polhode.AROUND)
        outline = np.zeros((polhode.AROUND, 3))
        outline[:, i], outline[:, j] = semi[i] * np.cos(φ), semi[j] * np.sin(φ)
        self._left.draw_background(projection, curves, [outline])
        loop = polhode.momentum_loop(moments, Pi0) / moments
        self._left.draw_exact(projection, loop)
        some = draw_methods(
            self._left, results, projection, lambda run: run.Omega @ Q, MOST_DOTS, False
        )
        self._left.set_frame(float(max(semi[i], semi[j])), axis_words(self._axis, "Ω"))

        # In the plane ω runs between two circles: |ω|² less the square of its share along π.
        above = polhode.look_down(body.R0 @ body.Pi0)
        radii = np.sqrt(np.maximum(np.square(loop).sum(axis=1) - (twice / size) ** 2, 0.0))
        rings = [
            circle(above, r)
            for r in (radii.min(), radii.max())
            if r > 1e-9 * np.sqrt(twice / moments.min())
        ]
        self._right.draw_background(above, [], rings)
        end, curve = (
            polhode.herpolhode(body, results.choice.duration)
            if results.exact is not None
            else (0.0, None)
        )
        self._right.draw_exact(above, curve, solid=True)
        draw_methods(
            self._right,
            results,
            above,
            lambda run: polhode.to_space(run.R, run.Omega),
            MOST_DOTS,
            True,
        )
        reach = float(radii.max()) or 0.1 * float(np.linalg.norm(Omega0))
        self._right.set_frame(reach, [(0.0, 0.0, "π"), (0.0, -0.9, "from the tip of π")])
        until = (
            f", the herpolhode up to t = {show(end, 4)}"
            if 0.0 < end < results.choice.duration
            else ""
        )
        self._set_caption(
            "Left: the polhode on the inertia ellipsoid, in the body. Right: the herpolhode in the invariable plane, "
            f"between its two circles. Thick: exact{until}. Dots: each method.{some}"
        )

    def _draw_traces(self, results: Results) -> None:
        """Draw the traces of the body's axis and of π or ω, both seen from above."""
        above = polhode.Projection(*np.eye(3))
        axis = np.array(results.problem.action(results.choice.dt).axis)
        vector = self.option

        def tip(motion: Any) -> Any:
            return motion.R @ axis

        def trace(motion: Any) -> Array:
            return motion.pi if vector == "π" else polhode.to_space(motion.R, motion.Omega)

        def since(motion: Any, curve: str) -> int:
            """Return the first row of the part of a trace that is short enough to follow."""
            size = (
                1.0 if curve == "axis" else float(np.median(np.linalg.norm(trace(motion), axis=1)))
            )
            J = results.problem.J
            return find_latest(curve, tuple(axis), motion.t, motion.Omega, J, size)

        curves = "axis", "pi" if vector == "π" else "omega"
        exact = results.exact
        rows = [np.arange(0)] * 2
        firsts = [0, 0]
        if exact is not None:
            firsts = [since(exact, curve) for curve in curves]
            rows = [first + spread_evenly(len(exact.t) - first, MOST_TRACE) for first in firsts]
        self._left_trace.draw_background(above, [], [circle(above, s) for s in (0.5, 1.0)])
        self._left_trace.draw_exact(
            above,
            None if exact is None else tip(exact)[rows[0]],
            solid=True,
            fades=firsts[0] > 0,
        )
        some = draw_methods(
            self._left_trace,
            results,
            above,
            tip,
            MOST_TRACE,
            True,
            lambda run: since(run, curves[0]),
        )
        self._left_trace.set_frame(
            1.0, [(0.9, 0.0, "e₁"), (0.0, 0.9, "e₂"), (0.0, -0.9, "body axis, from above")]
        )
        first = exact if exact is not None else next((line.run for line in results.runs), None)
        reach = (
            1.0
            if first is None
            else float(np.linalg.norm(trace(first)[:, :2], axis=1).max()) or 1.0
        )
        self._right_trace.draw_background(above, [], [circle(above, reach)])
        self._right_trace.draw_exact(
            above,
            None if exact is None else trace(exact)[rows[1]],
            solid=True,
            fades=firsts[1] > 0,
        )
        draw_methods(
            self._right_trace,
            results,
            above,
            trace,
            MOST_TRACE,
            True,
            lambda run: since(run, curves[1]),
        )
        self._right_trace.set_frame(
            reach,
            [(0.9, 0.0, "e₁"), (0.0, 0.9, "e₂"), (0.0, -0.9, f"{vector} in space, from above")],
        )
        latest = (
            LATEST_PART if any(since(line.run, c) for line in results.runs for c in curves) else ""
        )
        self._set_caption(
            "Left: the tip of the body's axis, its nutation, within circles 30° and 90° from the vertical. "
            f"Right: {vector}; the circle has radius {show(reach, 3)}. Thick: exact. Lines: each method."
            f"{some}{latest}"
        )
