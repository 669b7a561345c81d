"""The opening view: a body that flips, by its exact motion and by a rule of many engines, and three
ways in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import panel as pn

from ...asset_files import read_styles, render_template
from ...browser.page_links import OPENED, OPENS
from ...state import SLIDERS, Results
from ...state.lessons import list_outlines
from ...state.simple import name_plainly
from ..controls.chooser import Chooser
from ..pictures.energies import Energies
from ..pictures.stage import Stage
from .html_block import HtmlBlock

DT = replace(SLIDERS[0], label="Computer’s time step Δt", about="", buttons=())
"""The field of Δt, in plain words."""
ENDS = (-3, -1)
"""The ends of the slider of Δt, in powers of ten."""
FITS = {"flex": "none", "height": "clamp(240px, min(100vh - 490px, 60vw), 560px)"}
"""The height of the scene: what the rest of the view leaves of a window."""


class Opening:
    """What the opening view has around its scene: a sentence, the energies, a slider, and the ways
    in.

    `on_throw` receives the text of the spin with which a person throws the body, empty for any.
    """

    def __init__(
        self,
        chooser: Chooser,
        stage: Stage,
        ends: tuple[int, int] = ENDS,
        *,
        follows: bool = False,
        on_throw: Callable[[str], Any] | None = None,
    ) -> None:
        self.energies = Energies(follows=follows, sizing_mode="stretch_width", margin=0)
        self.form = chooser.form
        self.scene = stage.picture().panel
        self.form.set_fields([replace(DT, ends=ends)], self.form.values)
        self.scene.on_throw = on_throw
        self.scene.throwable = on_throw is not None
        self._head = HtmlBlock(self._throw, style="opening arrow-legend", margin=0)
        for part in (self.form, self.scene):
            part.stylesheets = [read_styles("opening-parts")]

    def show(self, results: Results) -> None:
        """Show the energies of all motions, in the order of the bodies."""
        self.energies.show(results, name_plainly(results))

    def list_parts(self) -> list[Any]:
        """Return the parts of the view, in their order."""
        self._head.html, ways = opening_html().split("<!--SCENE-->")
        last = HtmlBlock(html=ways, style="opening", margin=0)
        scene = pn.Row(self.scene, sizing_mode="stretch_both", margin=0, styles=FITS)
        return [self._head, scene, self.energies, self.form, last]

    def _throw(self, *_: str) -> None:
        if self.scene.on_throw is not None:
            self.scene.on_throw("")
        self._head.acknowledge()


def opening_html() -> str:
    """Return the words above and below the scene, with the ways into the other pages."""
    return render_template("opening", lessons=list_outlines(), pages=OPENED, cookie=OPENS)
