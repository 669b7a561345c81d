"""A point on the sphere of a picture that a person drags, or moves with the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import param

from engine import Problem
from engine.text.formatting import format_setting

from ...browser.component import Component
from ...scene.polhode import Projection


class Handle(Component):
    """The handle, a momentum at the start; `on_drag(Omega0, held)` receives the text of Ω₀ to which a
    person moves it, and whether the person still holds it.
    """

    figure_id = param.String(doc="The Bokeh model of the picture.")
    label = param.String(doc="The name for screen readers.")
    words = param.String(doc="The position in words.")
    at = param.List(
        default=[], doc="The position on the sphere; empty if the handle cannot be dragged."
    )
    axes = param.List(default=[], doc="Unit vectors to the right, up and towards the viewer.")
    body = param.Dict(default={}, doc="The principal axes, as columns, and moments of inertia.")

    script = "controls/handle.js"
    own_styles = ("handle",)

    def __init__(self, on_drag: Callable[[str, bool], Any], **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._on_drag = on_drag
        self._moved = False

    def place(self, projection: Projection, problem: Problem) -> None:
        """Put the handle at the start of a problem; hide it if the body is at rest."""
        moments, Q = problem.principal
        axes = [projection.right.tolist(), projection.up.tolist(), projection.near.tolist()]
        at = (Q.T @ problem.Pi0).tolist() if problem.Omega0.any() else []
        body = {"axes": Q.ravel().tolist(), "moments": moments.tolist()}
        words = format_setting("Omega0", problem.Omega0.tolist())
        if at == self.at and self._moved:  # the browser receives no value twice
            self._send({"stands": True})
        self._moved = False
        self.param.update(axes=axes, at=at, body=body, words=words)

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the same for all positions."""
        return "start" if "start" in data else None

    def _receive(self, data: Any) -> None:
        start = data.get("start") if isinstance(data, dict) else None
        before = self.at
        self._moved = True
        try:
            if self.at and isinstance(start, str):
                self._on_drag(start, data.get("held") is True)
        finally:
            if self.at == before:  # otherwise the new position is the answer
                self._send({})
