"""The momentum sphere: Π in the body, with the level curves of the energy and each method's
points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.parameters.validation import Array

from ...charts.downsample import spread_evenly
from ...scene.polhode import (
    MOST_TRACE,
    circle,
    energy_levels,
    find_latest,
    look_along,
    momentum_loop,
)
from ...state.results import Results
from ..controls.handle import Handle
from .flat_picture import AXES, LATEST_PART, MOST_DOTS, FlatView, Picture, axis_words, draw_methods
from .poinsot import Poinsot3D


class MomentumSphere(FlatView):
    """Π in the body, on the sphere |Π| = |Π₀|: level curves of the energy, the polhode, and each
    method's points.

    `on_drag(Omega0, held)` receives the text of the initial velocity that a person drags; without
    it, the start is fixed.
    """

    def __init__(self, on_drag: Callable[[str, bool], Any] | None = None) -> None:
        self._picture = Picture("The momentum sphere in the body, with each method's points")
        super().__init__(AXES, AXES[2], "Seen along", [self._picture])
        self._start: Handle | None = None
        if on_drag is not None:
            self._start = Handle(
                on_drag, figure_id=self._picture.figure.id, label="Start Π₀ on the momentum sphere"
            )
            self.panel.insert(1, self._start)

    def _draw(self, results: Results) -> None:
        body = results.problem
        moments, Q = body.principal
        projection = look_along(self._axis)
        Pi0 = Q.T @ body.Pi0
        size = float(np.linalg.norm(Pi0)) or 1.0
        if not results.is_free and results.exact is not None:
            size = float(np.linalg.norm(results.exact.Pi, axis=1).max()) or 1.0
        self._picture.draw_background(
            projection, [size * n for n in energy_levels(moments)], [circle(projection, size)]
        )

        def since(motion: Any) -> int:
            """Return the first row of the part of a path that is short enough to follow."""
            if results.is_free:
                return 0
            return find_latest("Pi", (), motion.t, motion.Omega, body.J, size)

        curve: Array | None = None
        if results.is_free:
            curve = momentum_loop(moments, Pi0)
        elif results.exact is not None:
            first = since(results.exact)
            rows = first + spread_evenly(len(results.exact.t) - first, MOST_TRACE)
            curve = results.exact.Pi[rows] @ Q
        self._picture.draw_exact(projection, curve)
        some = draw_methods(
            self._picture, results, projection, lambda run: run.Pi @ Q, MOST_DOTS, False, since
        )
        self._picture.set_frame(size, axis_words(self._axis, "Π"))
        if results.is_free:
            words = "Thin: curves of equal energy. Thick: the polhode, on which a free body stays."
        else:
            words = (
                "Sphere: the largest |Π| of the exact motion. Thin: curves of equal kinetic energy at that |Π|. "
                "Thick: the exact Π."
            )
            if any(since(line.run) for line in results.runs):
                words += LATEST_PART
        words += f" Dots: each method; pale ones lie behind.{some}"
        if self._start is not None:
            self._start.place(projection, body)
            words += f" {TO_DRAG if body.Omega0.any() else AT_REST}"
        self._set_caption(words)


class Momentum3D(Poinsot3D):
    """The momentum sphere in 3D; `on_turn(Omega0, held)` receives the text of the initial velocity
    that a person drags.
    """

    kind = "momentum"
    label = label_with_torque = "The momentum sphere in 3D"

    def _refuse_turn(self, results: Results) -> str:
        return "" if results.problem.Omega0.any() else AT_REST


TO_DRAG = "Drag the ring to change the start."
AT_REST = "The body starts at rest; with an Ω₀, you can drag the start."
