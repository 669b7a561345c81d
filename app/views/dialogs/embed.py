"""The dialog Embed: HTML that shows parts of the page, or of a live demo, in a page of another
site.
"""

from __future__ import annotations

import json
from typing import Any

import param

from ...browser.component import Component
from ...state import DEFAULT_VIEW, LABS, Results, View, excerpt


class EmbedDialog(Component):
    """The dialog; it opens when it is added to the page, and by `open`."""

    content = param.String(
        default="{}", doc="The choice, and the parts and fields that can be shown, as JSON."
    )

    script = "controls/embed.js"
    shared_styles = ("html-block",)
    own_styles = ("embed",)

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)

    def open(self, results: Results, file: str, served: bool, view: View = DEFAULT_VIEW) -> None:
        """Open the dialog; `file` is the name of the results' demo, and `served` whether the page
        has an address.
        """
        self.content = json.dumps(describe(results, file, served, view), ensure_ascii=False)
        self._send({})


def describe(
    results: Results, file: str, served: bool, view: View = DEFAULT_VIEW
) -> dict[str, Any]:
    """Return the data of the dialog; it offers plots of invariants only."""
    choice = results.choice
    invariants = [quantity.declared.key for quantity in LABS[choice.space].invariants(results)]
    parts = [
        part for part in excerpt.list_parts(choice) if not part.plot or part.word in invariants
    ]
    fields = excerpt.list_fields(choice)
    return {
        "title": f"{choice.build_problem().name}: {', '.join(choice.names.values())}",
        "query": choice.query() | view.query() if served else None,
        "file": file,
        "parts": [(part.word, part.title) for part in parts if part.page],
        "show": [parts[0].word, "energy"],
        "controls": list(fields.items()),
        "asks": ["dt"],
        "demo": {
            "parts": [part.word for part in parts if part.demo],
            "controls": [name for name in fields if name != "problem"],
        },
    }
