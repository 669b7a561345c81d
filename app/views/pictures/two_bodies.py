"""Two bodies that orbit each other and turn, with their paths, in one of two frames."""

from __future__ import annotations

from typing import Any

from ...scene import two_bodies
from ...scene.player import Player
from ...state.results import Results


class TwoBodies3D:
    """The 3D view of both bodies; those of other methods are translucent."""

    def __init__(self, frame: str) -> None:
        self._frame = frame
        self.panel = Player(
            label=f"Two bodies, {LABELS[frame]}", sizing_mode="stretch_both", margin=0
        )
        self._meshes: Any = None

    def show(self, results: Results) -> None:
        """Show results: a new scene, and new meshes if they differ."""
        changes = {"scene": two_bodies.build_scene(results, self._frame)}
        bodies = results.problem.body1, results.problem.body2
        if bodies != self._meshes:
            self._meshes = bodies
            changes["shapes"] = two_bodies.pack_shapes(results.problem)
        self.panel.param.update(**changes)
        self.panel.hear(results)


LABELS = {two_bodies.INERTIAL: "in space", two_bodies.RELATIVE: "as seen from body 2"}
