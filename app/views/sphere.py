"""The momentum sphere: Π in the body, where the energy puts it and where each method does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.checks import Array

from ..model.curves import MOST_TRACE, along, circle, levels, polhode
from ..model.downsample import evenly
from ..model.dragging import spun
from ..model.entries import numbers
from ..model.results import Results
from .handle import Handle
from .picture import AXES, MOST_DOTS, FlatView, Picture, axis_words, draw_methods


class MomentumSphere(FlatView):
    """Π in the body, on the sphere |Π| = |Π₀|: level curves of the energy, the polhode, and each method's points.

    `dragged(Omega0, held)` is called when its start is dragged; without, it cannot be.
    """

    def __init__(self, dragged: Callable[[Any, bool], Any] | None = None) -> None:
        self._picture = Picture("The momentum sphere in the body, with each method's points")
        super().__init__(AXES, AXES[2], "Seen along", [self._picture])
        self._dragged = dragged
        self._start = Handle(self._drag, figure_id=self._picture.figure.id, label="Start Π₀ on the momentum sphere")
        if dragged is not None:
            self.panel.insert(1, self._start)

    def _drag(self, Pi0: Array, held: bool) -> None:
        """Start with the momentum in this direction, in the principal axes, and as large as it was."""
        assert self._results is not None and self._dragged is not None
        self._dragged(spun(self._results.problem, Pi0), held)

    def _draw(self, results: Results) -> None:
        body = results.problem
        moments, Q = body.principal
        projection = along(self._axis)
        Pi0 = Q.T @ body.Pi0
        size = float(np.linalg.norm(Pi0)) or 1.0
        if not results.free and results.exact is not None:
            size = float(np.linalg.norm(results.exact.Pi, axis=1).max()) or 1.0
        self._picture.ground(projection, [size * n for n in levels(moments)], [circle(projection, size)])
        curve: Array | None = None
        if results.free:
            curve = polhode(moments, Pi0)
        elif results.exact is not None:
            curve = results.exact.Pi[evenly(len(results.exact.t), MOST_TRACE)] @ Q
        self._picture.exact(projection, curve)
        some = draw_methods(self._picture, results, projection, lambda run: run.Pi @ Q, MOST_DOTS, False)
        self._picture.frame(size, axis_words(self._axis, "Π"))
        if results.free:
            words = "Thin: where the energy is the same. Thick: the polhode, where a free body stays."
        else:
            words = (
                "Sphere: the largest |Π| of the exact motion. Thin: where the kinetic energy is one at that |Π|. "
                "Thick: the exact Π."
            )
        words += f" Dots: each method's; pale ones lie behind.{some}"
        if self._dragged is not None:
            rests = not Pi0.any()
            self._start.put(projection, None if rests else Pi0, f"Ω₀ = {numbers(body.Omega0)}")
            words += f" {AT_REST if rests else TO_DRAG}"
        self._say(words)


TO_DRAG = "Ring: the start; drag it."
AT_REST = "It starts at rest; with an Ω₀, the start could be dragged."
