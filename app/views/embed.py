"""The dialog Embed: the line of HTML that shows parts of the page, or of a live demo, in another site's page."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched, rules
from ..component import Component
from ..model import excerpt
from ..model.results import Results
from ..model.subject import SUBJECTS
from ..model.view import BEGUN, View


class Embed(Component):
    """The dialog; it opens when it comes into the page, and by `open`."""

    told = param.String(default="{}", doc="What is chosen, and which parts and fields there are, as JSON.")

    _bundle = ASSETS / "embed.js"
    _stylesheets: ClassVar = [fetched("sheet"), rules("embed")]

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)

    def open(self, results: Results, file: str, served: bool, view: View = BEGUN) -> None:
        """Open it for what is shown, as it is looked at; `file` is its demo, `served` whether it has an address."""
        self.told = json.dumps(told(results, file, served, view), ensure_ascii=False)
        self._send_msg({})


def told(results: Results, file: str, served: bool, view: View = BEGUN) -> dict[str, Any]:
    """What the dialog has to know; of the plots those of what the motion keeps are offered."""
    choice = results.choice
    kept = [quantity.part for quantity in SUBJECTS[choice.space].kept(results)]
    parts = [part for part in excerpt.parts(choice) if not part.plot or part.word in kept]
    fields = excerpt.fields(choice)
    return {
        "title": f"{choice.built().name}: {', '.join(choice.methods)}",
        "query": choice.query() | view.query() if served else None,
        "file": file,
        "parts": [(part.word, part.title) for part in parts if part.page],
        "show": [parts[0].word, excerpt.ENERGY.word],
        "controls": list(fields.items()),
        "asks": ["dt"],
        "demo": {
            "parts": [part.word for part in parts if part.demo],
            "controls": [name for name in fields if name != "problem"],
        },
    }
