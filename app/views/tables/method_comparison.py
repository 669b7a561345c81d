"""The table of all methods, which the browser searches, filters, sorts and compares."""

from __future__ import annotations

from typing import Any

import param

import engine

from ...browser.component import Component
from ...state.pages.method_table import TableState, as_json


class Catalogue(Component):
    """The table; the page's address has its filters, its order, and the open and compared
    methods.
    """

    data = param.String(doc="The table and its initial state, as JSON.")
    opened = param.String(default="", doc="The key of the method with an open card.")

    script = "controls/method-table.js"
    shared_styles = ("html-block",)
    own_styles = ("method-table", "sorted-table")

    def __init__(self, shown: TableState, **params: Any) -> None:
        super().__init__(
            data=as_json(shown), opened=shown.open, sizing_mode="stretch_width", **params
        )

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser opens the card of a method, or closes it."""
        return name == "opened" and value in ("", *(method.key for method in engine.algorithms()))
