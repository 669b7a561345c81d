"""The player: a component that turns bodies in the browser, by itself once it has its scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import param

from engine.glossary import meaning

from ..bundle import ASSETS
from ..component import Component, points
from ..model import view
from ..model.results import Results
from .sound import levels
from .upload import FileParts

MEANINGS = {word: meaning(word) for word in ("inertia ellipsoid", "invariable plane", "herpolhode", "polhode")}
"""Of the words below a picture those that say what they mean; a longer one stands before what it contains."""


class Player(Component):
    """A 3D view with its transport; everything that moves, moves in the browser.

    All players of a page share one clock, the choice of the solid body, and the time cursor that they draw over
    every Bokeh figure with the tag "timeplot".
    """

    shapes = param.Bytes(default=b"", doc="Packed meshes, as `scene.shapes` makes them; they seldom change.")
    scene = param.Bytes(default=b"", doc="Packed tracks and what is drawn of them, as `scene.build` makes them.")
    label = param.String(default="3D view", doc="What the view is called by a screen reader.")
    words = param.List(
        default=[list(both) for both in MEANINGS.items()], doc="Words below the view that are explained."
    )
    solid = param.String(default="", doc="The label of the motion that the solid body follows.")
    playing = param.Boolean(default=False, doc="Set it to start or stop the clock of the page.")
    look = param.List(default=[], doc="A setting that was opened: its number, speed and camera, and if it plays.")
    speed = param.String(default="", doc="The speed that the person has chosen, if it is not the setting's own.")
    camera = param.List(default=[], doc="Azimuth, elevation and how near; none, where the scene has its own.")
    turnable = param.String(
        default=None, allow_None=True, doc="Why the body cannot be turned by hand, or nothing; None, if nobody asks."
    )
    sounding = param.Boolean(default=False, doc="Whether the person wants to hear the motion.")
    heard = param.Bytes(default=b"", doc="What is heard of it, as `sound.levels` makes it; nothing, while it is off.")
    bodies = param.List(default=[], doc="[key, name] of each shape that is offered; none, and there is no such menu.")
    body = param.String(default="", doc="The key of the shape that is chosen.")
    said = param.String(default="", doc="What is said beneath the shapes, of a person's own mesh.")
    offer = param.String(default="", doc="What can be done about that with a click; nothing, if it is empty.")

    _bundle = ASSETS / "player.js"

    def __init__(
        self,
        on_file: Callable[[str, bytes], Any] | None = None,
        on_offer: Callable[[], Any] = lambda: None,
        on_turn: Callable[[Sequence[float], bool], Any] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._on_file, self._on_offer, self._on_turn = on_file, on_offer, on_turn
        self._parts = FileParts()
        self._results: Results | None = None
        self.param.watch(lambda _: self._sound(), "sounding")

    def hear(self, results: Results) -> None:
        """Have this be heard, if the person wants that."""
        self._results = results
        if self.sounding:
            self._sound()

    def _sound(self) -> None:
        self.heard = levels(self._results) if self.sounding and self._results is not None else b""

    def takes(self, name: str, value: Any) -> bool:
        """The shape that was chosen, the speed and the camera, as a link may have them, and whether it is heard."""
        if name == "sounding":
            return isinstance(value, bool)
        if name == "camera":
            return value == [] or (isinstance(value, list) and view.camera(",".join(map(str, value))) is not None)
        if name == "speed":
            return value == "" or (isinstance(value, str) and view.speed(value) is not None)
        return name == "body" and value in [key for key, _ in self.bodies]

    def open(self, number: int, speed: str, camera: Sequence[float], plays: bool) -> None:
        """Show a setting from its start, at this speed and from there; a higher number is a newer one."""
        self.param.update(look=[number, speed, list(camera), plays], speed=speed, camera=list(camera))

    def _handle_msg(self, data: Any) -> None:
        """The body is turned by hand, a part of a file has come, or what is offered is wanted."""
        if isinstance(data, dict) and "turn" in data:
            return self._turn(data["turn"], data.get("held") is True)
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

    def _turn(self, quaternion: Any, held: bool) -> None:
        """The attitude at the start is wanted to be this one."""
        try:
            if points(quaternion, 4) and self._on_turn is not None and self.turnable == "":
                self._on_turn(quaternion, held)
        finally:
            self._send_msg({"turned": True})
