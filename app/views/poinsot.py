"""Poinsot's picture: the inertia ellipsoid that rolls on the invariable plane; with torque, traces in space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..model.dragging import turned
from ..model.results import Results
from ..player import scene
from ..player.component import Player
from .appearance import Appearance


class Poinsot3D:
    """The 3D view of polhode and herpolhode, exact and as each method computes them.

    `on_turn(R0, held)` is called when a person turns the body; without, it cannot be turned.
    """

    kind = "poinsot"
    label = "Poinsot's construction in 3D"

    def __init__(
        self, appearance: Appearance | None = None, on_turn: Callable[[Any, bool], Any] | None = None
    ) -> None:
        self._guise = appearance or Appearance()
        self._on_turn = on_turn
        self.panel = self._player()
        self._drawn: Any = None

    def _player(self, **params: Any) -> Player:
        return Player(on_turn=self._turned, label=self.label, sizing_mode="stretch_both", margin=0, **params)

    def _turned(self, quaternion: Sequence[float], held: bool) -> None:
        if self._on_turn is not None:
            self._on_turn(turned(quaternion), held)

    def show(self, results: Results) -> None:
        """Give the player the new scene, and the meshes if they are others."""
        changes: dict[str, Any] = {"scene": scene.build(results, self.kind)}
        if self._on_turn is not None:
            changes["turnable"] = ALIKE if results.free else ""
        shape, surface = self._guise.on(results)
        problem = results.problem
        wanted = problem.key, results.free, problem.J.tobytes(), shape, id(surface)
        if wanted != self._drawn:
            self._drawn = wanted
            changes["shapes"] = scene.shapes(results, self.kind, shape, surface)
        self.panel.param.update(**changes)
        self.panel.hear(results)


ALIKE = (
    "A free body moves alike however it is turned at the start; what changes its motion is dragged on the |Π| sphere."
)
"""Why it is not turned by hand."""
