"""The table of all methods: searched, filtered, sorted and compared in the browser, which has all of it at once."""

from __future__ import annotations

from typing import Any, ClassVar

import param

import engine

from ..bundle import ASSETS, fetched, rules
from ..component import Component
from ..model.catalogue import Shown, as_json


class Catalogue(Component):
    """The table; what is filtered, sorted, open and compared is in the page's address."""

    data = param.String(doc="The table and what is shown of it at first, as JSON.")
    opened = param.String(default="", doc="The key of the method whose card is open.")

    _bundle = ASSETS / "catalogue.js"
    _stylesheets: ClassVar = [fetched("sheet"), rules("catalogue")]

    def __init__(self, shown: Shown, **params: Any) -> None:
        super().__init__(data=as_json(shown), opened=shown.open, sizing_mode="stretch_width", **params)

    def takes(self, name: str, value: Any) -> bool:
        """The method whose card was opened, if any."""
        return name == "opened" and value in ("", *(method.key for method in engine.algorithms()))
