"""A body that turns with given rates, and the trace of its axis."""

from __future__ import annotations

from ...scene import given_rates
from ...scene.player import Player
from ...state.results import Results


class GivenRates3D:
    """The 3D view of the body, or of the trace of its axis; what is drawn is the same body for all."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.panel = Player(
            label=given_rates.LABELS[kind],
            shapes=given_rates.pack_shapes(),
            sizing_mode="stretch_both",
            margin=0,
        )

    def show(self, results: Results) -> None:
        """Show results: a new scene."""
        self.panel.scene = given_rates.build_scene(results, self._kind)
        self.panel.hear(results)
