"""A point on the sphere of a picture that a person drags, or moves with the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import param

from engine.parameters.validation import Array

from ...browser.component import Component, is_direction
from ...scene.polhode import Projection


class Handle(Component):
    """The handle; `on_drag(point, held)` receives where a person moves it, and whether the person
    still holds it.
    """

    figure_id = param.String(doc="The Bokeh model of the picture.")
    label = param.String(doc="The name for screen readers.")
    words = param.String(doc="The position in words.")
    at = param.List(
        default=[], doc="The position on the sphere; empty if the handle cannot be dragged."
    )
    axes = param.List(default=[], doc="Unit vectors to the right, up and towards the viewer.")

    script = "controls/handle.js"
    own_styles = ("handle",)

    def __init__(self, on_drag: Callable[[Array, bool], Any], **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._on_drag = on_drag
        self._moved = False

    def place(self, projection: Projection, point: Array | None, words: str = "") -> None:
        """Put the handle at a point of a projection, or hide it."""
        axes = [projection.right.tolist(), projection.up.tolist(), projection.near.tolist()]
        at = [] if point is None else point.tolist()
        if at == self.at and self._moved:  # the browser receives no value twice
            self._send({"stands": True})
        self._moved = False
        self.param.update(axes=axes, at=at, words=words)

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the same for all positions."""
        return "to" if "to" in data else None

    def _receive(self, data: Any) -> None:
        to = data.get("to") if isinstance(data, dict) else None
        before = self.at
        self._moved = True
        try:
            if self.at and is_direction(to, 3):
                self._on_drag(np.array(to, dtype=float), data.get("held") is True)
        finally:
            if self.at == before:  # otherwise the new position is the answer
                self._send({})
