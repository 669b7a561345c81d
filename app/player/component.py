"""The player: a component that turns bodies in the browser, by itself once it has its scene."""

from __future__ import annotations

import param
from bokeh.embed.bundle import extension_dirs
from panel.custom import JSComponent

from . import ASSETS

# Files of an extension are served to the browser as they are, to be kept there, and not sent with each session.
extension_dirs["polhode"] = ASSETS


class Player(JSComponent):
    """A 3D view with its transport; everything that moves, moves in the browser.

    All players of a page share one clock, the choice of the solid body, and the time cursor that they draw over
    every Bokeh figure with the tag "timeplot".
    """

    shapes = param.Bytes(default=b"", doc="Packed meshes, as `scene.shapes` makes them; they seldom change.")
    scene = param.Bytes(default=b"", doc="Packed tracks and what is drawn of them, as `scene.build` makes them.")
    label = param.String(default="3D view", doc="What the view is called by a screen reader.")
    solid = param.String(default="", doc="The label of the motion that the solid body follows.")
    playing = param.Boolean(default=False, doc="Set it to start or stop the clock of the page.")

    _bundle = ASSETS / "player.js"
