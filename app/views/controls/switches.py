"""Sets of radio buttons in a row: tabs and small switches."""

from __future__ import annotations

from typing import Any

import param

from ...browser.component import Component


class Switches(Component):
    """Sets of radio buttons, each (name, description, options, style).

    The style is "tabs", "switch", or "named" for a switch with its name beside it.
    """

    sets = param.List(doc="The sets.")
    chosen = param.List(doc="The chosen option of each set.")
    labels = param.List(doc="[option, label] of each option whose label differs.")
    useful = param.List(doc="The names of the visible sets, whose options have an effect now.")
    pictures = param.List(doc="Models of figures, each with a description for screen readers.")

    script = "controls/switches.js"
    shared_styles = ("switches",)

    def __init__(self, **params: Any) -> None:
        if "sets" in params:
            params.setdefault("useful", [name for name, *_ in params["sets"]])
        super().__init__(**params)

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser chooses one option of each set."""
        return (
            name == "chosen"
            and isinstance(value, list)
            and len(value) == len(self.sets)
            and all(
                chosen in options
                for chosen, (_, _, options, *_) in zip(value, self.sets, strict=True)
            )
        )
