"""A point on the sphere of a picture that a person drags, or moves with arrow keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import param

from engine.checks import Array

from ..bundle import ASSETS, rules
from ..component import Component, points
from ..model.curves import Projection


class Handle(Component):
    """The handle; `dragged(point, held)` is called with where it is wanted, and whether it is held still."""

    figure_id = param.String(doc="The Bokeh model of the picture.")
    label = param.String(doc="What it is called by a screen reader.")
    words = param.String(doc="Where it is, in words.")
    at = param.List(default=[], doc="Where it is on the sphere; nowhere, if it cannot be dragged.")
    axes = param.List(default=[], doc="To the right, up and near in the picture, each a unit vector.")

    _bundle = ASSETS / "handle.js"
    _stylesheets: ClassVar = [rules("handle")]

    def __init__(self, dragged: Callable[[Array, bool], Any], **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._dragged, self._moved = dragged, False

    def put(self, projection: Projection, point: Array | None, words: str = "") -> None:
        """Have it stand at a point, seen along this projection, or nowhere."""
        axes = [projection.right.tolist(), projection.up.tolist(), projection.near.tolist()]
        at = [] if point is None else point.tolist()
        if at == self.at and self._moved:  # in the browser, which is told no value twice
            self._send_msg({"stands": True})
        self._moved = False
        self.param.update(axes=axes, at=at, words=words)

    def _handle_msg(self, data: Any) -> None:
        to = data.get("to") if isinstance(data, dict) else None
        before, self._moved = self.at, True
        try:
            if self.at and points(to, 3):
                self._dragged(np.array(to, dtype=float), data.get("held") is True)
        finally:
            if self.at == before:  # or that is the answer
                self._send_msg({})
