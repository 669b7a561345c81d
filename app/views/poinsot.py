"""Poinsot's picture: the inertia ellipsoid that rolls on the invariable plane; with torque, traces in space."""

from __future__ import annotations

from typing import Any

from ..player import scene
from ..player.component import Player
from ..results import Results


class Poinsot3D:
    """The 3D view of polhode and herpolhode, exact and as each method computes them."""

    kind = "poinsot"
    label = "Poinsot's construction in 3D"
    least_height = 420

    def __init__(self) -> None:
        self.panel = Player(label=self.label, sizing_mode="stretch_both", min_height=self.least_height, margin=0)
        self._drawn: Any = None

    def show(self, results: Results) -> None:
        """Give the player the new scene, and the meshes if they are others."""
        changes: dict[str, bytes] = {"scene": scene.build(results, self.kind)}
        wanted = self.meshes_of(results)
        if wanted != self._drawn:
            self._drawn = wanted
            changes["shapes"] = scene.shapes(results, self.kind, *self.look())
        self.panel.param.update(**changes)

    def meshes_of(self, results: Results) -> Any:
        """All that the meshes depend on."""
        problem = results.problem
        shape, surface = self.look()
        return problem.key, results.free, problem.J.tobytes(), shape, id(surface)

    def look(self) -> tuple[Any, ...]:
        """The body's shape, and a surface of one's own."""
        return ("auto", None)
