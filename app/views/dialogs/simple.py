"""The simple view of the lab: one body, who moves it, Δt, and what becomes of the energy."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from ...asset_files import read_html
from ...state import Results
from ...state.lessons import describe_handle
from ...state.simple import name_plainly, tell_energies
from ..controls.chooser import Chooser
from ..pictures.stage import Stage
from .html_block import HtmlBlock, Prose
from .opening import Opening
from .terms import explain_terms

ENDS = (-2, 0)
"""The ends of the slider of Δt, in powers of ten."""
FITS = {
    "flex": "2 1 480px",
    "min-width": "min(320px, 100%)",
    "height": "clamp(260px, min(100vh - 90px, 76vw), 1100px)",
}
"""The size of the scene."""
BESIDE = {"flex": "1 1 340px", "min-width": "min(320px, 100%)", "max-height": "none"}


class SimpleView(Opening):
    """What the simple view has beside its scene: a question, the motions, a slider, a sentence, and
    the way to the whole lab.
    """

    def __init__(self, chooser: Chooser, stage: Stage) -> None:
        super().__init__(chooser, stage, ENDS, follows=True)
        self._said = Prose(style="prose simple", margin=0)

    def show(self, results: Results) -> None:
        """Show the energies of all motions, and say what becomes of them."""
        super().show(results)
        given = describe_handle(results.choice.dt)
        handle = "".join(f' {name}="{escape(str(words))}"' for name, words in given.items())
        sentence = tell_energies(results, name_plainly(results))
        light = "<button type='button' class='show' data-show='Energy'>energy</button>"
        parts = sentence.rsplit("energy", 1)  # a method's name may have the word, too
        result = light.join(explain_terms(part, ["energy"]) for part in parts)
        self._said.html = (
            f"<p class='said'>With Δt = <span{handle}>{given['aria-valuetext']}</span>, "
            f"<span class='result'>{result}</span></p>"
        )

    def list_parts(self) -> list[Any]:
        """Return the parts of the view: the scene, and what is beside it."""
        halves = read_html("simple").split("<!--MOTIONS-->")
        first, last = (HtmlBlock(html=half, style="simple", margin=0) for half in halves)
        scene = pn.Row(self.scene, sizing_mode="stretch_both", margin=0, styles=FITS)
        beside = pn.Column(
            first, self.energies, self.form, self._said, last, margin=0, styles=BESIDE
        )
        wraps = {"flex": "none", "flex-wrap": "wrap", "max-height": "none"}
        return [pn.Row(scene, beside, sizing_mode="stretch_both", margin=0, styles=wraps)]
