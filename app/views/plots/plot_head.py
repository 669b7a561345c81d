"""The head of a study's plot, and the files of plots."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import param

from ...browser.component import Component
from ...charts.svg import file_name

PICTURES = {"svg": "image/svg+xml", "png": "image/png"}
"""The formats of pictures: the drawing, or its pixels, which the browser makes."""
DOWNLOADS = ("table", "csv", *PICTURES)
"""What the menu of a plot offers."""


def picture_file(want: str, drawing: str, *words: str) -> dict[str, Any]:
    """Return a drawing as a file in one of `PICTURES`, named after these words."""
    return {"name": file_name(*words, ending=want), "text": drawing, "type": PICTURES[want]}


class Head(Component):
    """The line above a plot: its title, its formula, and a menu of downloads."""

    title = param.String(doc="The quantity.")
    formula = param.String(doc="Its formula and unit.")
    across = param.String(doc="The quantity on the other axis.")
    figure_id = param.String(doc="The Bokeh model of the plot.")

    script = "controls/plot-head.js"
    shared_styles = ("plot-head",)

    make_download: Callable[[str], dict[str, Any]]
    """Returns the table ("table") or the file of a download."""

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the download that the message asks for."""
        want = data.get("want")
        return want if isinstance(want, str) else None

    def _receive(self, data: Any) -> None:
        want = data.get("want") if isinstance(data, dict) else None
        if want in DOWNLOADS:
            self._send(self.make_download(want))
