"""The opening view: a body that flips, by its exact motion and by a rule of many engines, and three
ways in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import param

from ...asset_files import read_styles, render_template
from ...browser.component import Component
from ...browser.page_links import OPENS, PAGES
from ...state import EXACT_COLOUR, SLIDERS, Results
from ...state.lessons import list_outlines
from ..controls.chooser import Chooser
from ..pictures.stage import Stage
from .html_block import HtmlBlock

ENDS = (-3, -1)
"""The ends of the slider of Δt, in powers of ten."""
FITS = {"flex": "none", "height": "clamp(240px, min(100vh - 450px, 60vw), 560px)"}
"""The height of the scene: what the rest of the view leaves of a window."""
STATES = 241
"""Times, evenly spaced, at which the bars show the energy."""


class Energies(Component):
    """A bar for the energy of each motion, which follows the clock of the page."""

    motions = param.List(
        default=[], doc="Title, key, colour and energies relative to the first of each motion."
    )

    script = "controls/energies.js"
    own_styles = ("energies",)


class Opening:
    """What the opening view has around its scene: a sentence, the energies, a slider, and the ways
    in.
    """

    def __init__(self, chooser: Chooser, stage: Stage) -> None:
        self.energies = Energies(sizing_mode="stretch_width", margin=0)
        self._form = chooser.form
        self._scene = stage.picture().panel
        self._form.set_fields([replace(SLIDERS[0], ends=ENDS)], self._form.values)
        for part in (self._form, self._scene):
            part.stylesheets = [read_styles("opening-parts")]

    def show(self, results: Results) -> None:
        """Show the energies of all motions, in the order of the bodies."""
        t = np.linspace(0, results.choice.duration, STATES)
        found = [
            (line.run.method.name, line.label, line.colour, line.run.t, line.run.energy)
            for line in results.runs
        ]
        if (motion := results.exact) is not None:
            energy = np.sum(motion.Pi * motion.Omega, axis=1) / 2
            found.append(("Exact motion", "", EXACT_COLOUR, motion.t, energy))
        self.energies.motions = [
            [*words, np.nan_to_num(np.interp(t, times, energies / energies[0])).round(4).tolist()]
            for *words, times, energies in found
        ]

    def list_parts(self) -> list[Any]:
        """Return the parts of the view, in their order."""
        halves = opening_html().split("<!--SCENE-->")
        first, last = (HtmlBlock(html=half, style="opening", margin=0) for half in halves)
        scene = pn.Row(self._scene, sizing_mode="stretch_both", margin=0, styles=FITS)
        return [first, scene, self.energies, self._form, last]


def opening_html() -> str:
    """Return the words above and below the scene, with the ways into the other pages."""
    return render_template("opening", lessons=list_outlines(), pages=PAGES, cookie=OPENS)
