"""Two bodies as they go around each other and turn, with their paths; in one of two frames."""

from __future__ import annotations

from typing import Any

from ..model.results import Results
from ..player import two_bodies
from ..player.component import Player


class TwoBodies3D:
    """The 3D view of both bodies; the other methods as ghosts."""

    def __init__(self, frame: str) -> None:
        self._frame = frame
        self.panel = Player(label=f"Two bodies, {LABELS[frame]}", sizing_mode="stretch_both", margin=0)
        self._drawn: Any = None

    def show(self, results: Results) -> None:
        """Give the player the new scene, and the meshes if they are others."""
        changes = {"scene": two_bodies.build(results, self._frame)}
        bodies = results.problem.body1, results.problem.body2
        if bodies != self._drawn:
            self._drawn = bodies
            changes["shapes"] = two_bodies.shapes(results.problem)
        self.panel.param.update(**changes)
        self.panel.hear(results)


LABELS = {two_bodies.INERTIAL: "in space", two_bodies.RELATIVE: "as seen from body 2"}
