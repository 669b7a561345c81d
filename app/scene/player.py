"""The player: a component that animates bodies in the browser."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import param

from engine.text.glossary import meaning

from ..browser.component import Component
from ..state import LAYOUTS, Results, parse_camera, parse_speed
from ..state.reader import FileParts
from .sound import pack_levels
from .upload import LARGEST

MEANINGS = {
    word: meaning(word)
    for word in ("inertia ellipsoid", "invariable plane", "herpolhode", "polhode")
}
"""Words below a picture with an explanation; a longer word precedes the words that it contains."""


class Player(Component):
    """A 3D view with transport buttons; the browser animates it without the server.

    All players of a page share a clock and the choice of the solid body; the clock moves the line
    in every plot over time.
    """

    shapes = param.Bytes(default=b"", doc="Packed meshes from `pack_shapes`; they rarely change.")
    scene = param.Bytes(default=b"", doc="Packed facts and motions from `build_scene`.")
    label = param.String(default="3D view", doc="The name of the view for screen readers.")
    words = param.List(
        default=[list(both) for both in MEANINGS.items()],
        doc="Words below the view with their explanations.",
    )
    solid = param.String(default="", doc="The label of the motion that the solid body follows.")
    look = param.List(
        default=[], doc="An opened setting: its number, speed and camera, and whether it plays."
    )
    speed = param.String(default="", doc="The visitor's speed, if it differs from the setting's.")
    camera = param.List(
        default=[], doc="Azimuth, elevation and nearness; empty for the scene's own."
    )
    turnable = param.String(
        default=None,
        allow_None=True,
        doc="Why a hand cannot turn the body; empty if it can, None without a handle.",
    )
    throwable = param.Boolean(default=False, doc="Whether a hand can give the body a spin.")
    sounding = param.Boolean(default=False, doc="Whether the sound is on.")
    heard = param.Bytes(
        default=b"", doc="Packed levels of the sound from `pack_levels`; empty while it is off."
    )
    bodies = param.List(
        default=[], doc="[key, name] of each shape in the menu; without shapes there is no menu."
    )
    body = param.String(default="", doc="The key of the chosen shape.")
    layout = param.String(default=LAYOUTS[0], doc="How the bodies of several motions are shown.")
    asked = param.Integer(default=0, doc="How often the page has asked for a mesh file.")
    said = param.String(default="", doc="A message on the visitor's own mesh, below the shapes.")
    offer = param.String(
        default="", doc="The label of a button that acts on the message; empty for none."
    )

    script = "scene/player.js"
    own_styles = ("player", "arrow-legend")

    def __init__(
        self,
        on_file: Callable[[str, bytes], Any] | None = None,
        on_offer: Callable[[], Any] = lambda: None,
        on_turn: Callable[[str, bool], Any] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._on_file = on_file
        self._on_offer = on_offer
        self._on_turn = on_turn
        self.on_throw: Callable[[str], Any] | None = None
        self._parts = FileParts(LARGEST, "A mesh")
        self._results: Results | None = None
        self.param.watch(lambda _: self._sound(), "sounding")

    def hear(self, results: Results) -> None:
        """Play the sound of these results, if it is on."""
        self._results = results
        if self.sounding:
            self._sound()

    def _sound(self) -> None:
        self.heard = (
            pack_levels(self._results) if self.sounding and self._results is not None else b""
        )

    def accepts(self, name: str, value: Any) -> bool:
        """Whether a value of the sound, the camera, the speed or the shape is valid."""
        if name == "sounding":
            return isinstance(value, bool)
        if name == "camera":
            return value == [] or (
                isinstance(value, list) and parse_camera(",".join(map(str, value))) is not None
            )
        if name == "speed":
            return value == "" or (isinstance(value, str) and parse_speed(value) is not None)
        if name == "layout":
            return value in LAYOUTS
        return name == "body" and value in [key for key, _ in self.bodies]

    def open(self, number: int, speed: str, camera: Sequence[float], plays: bool) -> None:
        """Show a setting from its start with this speed and camera; a higher number is a newer
        setting.
        """
        self.param.update(
            look=[number, speed, list(camera), plays], speed=speed, camera=list(camera)
        )

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the same for all turns by hand."""
        return "start" if "start" in data else None

    def _receive(self, data: Any) -> None:
        """Handle a turn or a throw by hand, a part of a file, or a click on the offer."""
        if isinstance(data, dict) and "thrown" in data:
            if isinstance(data["thrown"], str) and self.on_throw is not None:
                self.on_throw(data["thrown"])
            return None
        if isinstance(data, dict) and "start" in data:
            return self._turn(data["start"], data.get("held") is True)
        if self._on_file is None:
            return
        if data == {"offer": True}:
            if self.offer:
                self._on_offer()
            return
        try:
            whole = self._parts.add(data)
        except ValueError as error:
            self.said = str(error)
        else:
            if whole is not None:
                self._on_file(*whole)

    def _turn(self, start: Any, held: bool) -> None:
        """Pass on the text of a start, R₀ or Ω₀."""
        try:
            if isinstance(start, str) and self._on_turn is not None and self.turnable == "":
                self._on_turn(start, held)
        finally:
            self._send({"turned": True})
