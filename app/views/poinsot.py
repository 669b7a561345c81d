"""Poinsot's picture: the inertia ellipsoid that rolls on the invariable plane; with torque, traces in space."""

from __future__ import annotations

from typing import Any

from ..model.results import Results
from ..player import scene
from ..player.component import Player
from .appearance import Appearance


class Poinsot3D:
    """The 3D view of polhode and herpolhode, exact and as each method computes them."""

    kind = "poinsot"
    label = "Poinsot's construction in 3D"

    def __init__(self, appearance: Appearance | None = None) -> None:
        self._guise = appearance or Appearance()
        self.panel = Player(label=self.label, sizing_mode="stretch_both", margin=0)
        self._drawn: Any = None

    def show(self, results: Results) -> None:
        """Give the player the new scene, and the meshes if they are others."""
        changes: dict[str, bytes] = {"scene": scene.build(results, self.kind)}
        shape, surface = self._guise.on(results)
        problem = results.problem
        wanted = problem.key, results.free, problem.J.tobytes(), shape, id(surface)
        if wanted != self._drawn:
            self._drawn = wanted
            changes["shapes"] = scene.shapes(results, self.kind, shape, surface)
        self.panel.param.update(**changes)
