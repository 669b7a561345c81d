"""Sets of radio buttons in a row: tabs, and switches as small as they can be."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched
from ..component import Component


class Switches(Component):
    """Sets of radio buttons; each is (name, what it is about, what can be chosen, how it looks).

    It looks like "tabs", a "switch", or is "named": a switch with its name beside it.
    """

    sets = param.List(doc="The sets.")
    chosen = param.List(doc="What is chosen of each.")
    useful = param.List(doc="Names of those that do something as things stand; the others are hidden.")
    pictures = param.List(doc="Models of figures, each with its words for those who do not see it.")

    _bundle = ASSETS / "switches.js"
    _stylesheets: ClassVar = [fetched("switches")]

    def __init__(self, **params: Any) -> None:
        if "sets" in params:
            params.setdefault("useful", [name for name, *_ in params["sets"]])
        super().__init__(**params)

    def takes(self, name: str, value: Any) -> bool:
        """What was chosen, one of each set."""
        return (
            name == "chosen"
            and isinstance(value, list)
            and len(value) == len(self.sets)
            and all(chosen in texts for chosen, (_, _, texts, *_) in zip(value, self.sets, strict=True))
        )
