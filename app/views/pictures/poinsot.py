"""Poinsot's construction: the inertia ellipsoid rolls on the invariable plane; with torque, traces
in space.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.parameters.formula import Formula

from ...scene import one_body
from ...scene.player import Player
from ...state.results import Results
from ..controls.appearance import Appearance


class Poinsot3D:
    """The 3D view of polhode and herpolhode, exact and of each method.

    `on_turn(R0, held)` receives the text of the attitude to which a person turns the body; without
    it, the body cannot be turned.
    """

    kind = "poinsot"
    label = "Poinsot's construction in 3D"
    label_with_torque = "Traces of the motion in space"

    def __init__(
        self,
        appearance: Appearance | None = None,
        on_turn: Callable[[str, bool], Any] | None = None,
    ) -> None:
        self._appearance = appearance or Appearance()
        self._on_turn = on_turn
        self.panel = self._make_player()
        self._meshes: Any = None
        self._results: Results | None = None

    def _make_player(self, **params: Any) -> Player:
        params |= {"label": self.label, "sizing_mode": "stretch_both", "margin": 0}
        return Player(on_turn=self._on_turn, **params)

    def _refuse_turn(self, results: Results) -> str:
        """Return why a person cannot turn the body; empty if they can."""
        return NO_TURNING if results.is_free else ""

    def show(self, results: Results) -> None:
        """Show results: a new scene, and new meshes if they differ."""
        self.panel.label = self.label if results.is_free else self.label_with_torque
        if self._on_turn is not None:
            self.panel.turnable = self._refuse_turn(results)
        shape, surface = self._appearance.choose(results)
        problem = results.problem
        meshes = problem.key, results.is_free, problem.J.tobytes(), shape, id(surface)
        if meshes != self._meshes:
            self._meshes = meshes
            self.panel.shapes = one_body.pack_shapes(results, self.kind, shape, surface)
        self.panel.scene = one_body.build_scene(results, self.kind)
        self.panel.hear(results)
        self._results = results

    def preview_torque(self, torque: Formula) -> None:
        """Show a torque that a person types along the present motions."""
        if self._results is not None:
            self.panel.scene = one_body.build_scene(self._results, self.kind, torque)


TRACES = "Traces"
"""What the picture is called where a torque acts."""
NO_TURNING = "A free body moves alike from every attitude. To change its motion, drag the start on the momentum sphere."
"""Why a person cannot turn a free body."""
