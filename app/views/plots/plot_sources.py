"""The points of all curves of some plots, in one message: one message for each column takes longer
to process.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import param
from bokeh.models import ColumnDataSource
from numpy.typing import NDArray

from ...browser.component import Component

Points = tuple[NDArray[np.float32], NDArray[np.float32]]
NO_POINTS: Points = (np.zeros(0, np.float32), np.zeros(0, np.float32))


class Sources(Component):
    """An invisible component that sets the columns t and y of Bokeh's sources, in the browser only.

    `send` sends all points together: for each source, in the order of `sources`, the number n of
    its points, n times and n values.
    """

    sources = param.List(default=[], doc="The ids of the sources.")
    points = param.Bytes(default=b"", doc="The points of all sources, as float32.")
    plans = param.String(
        default="", doc="What is drawn in each figure (`Plot.make_plan`), by its id, as JSON."
    )

    script = "controls/plot-sources.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._points: dict[str, Points] = {}

    def add_source(self) -> ColumnDataSource:
        """Return a new source without points."""
        source = ColumnDataSource({"t": [], "y": []})
        self._points[source.id] = NO_POINTS
        self.sources = list(self._points)
        return source

    def set_points(self, source: ColumnDataSource, t: NDArray[Any], y: NDArray[Any]) -> None:
        """Set the points of a source, from the next `send` on."""
        self._points[source.id] = t.astype(np.float32), y.astype(np.float32)

    def send(self, plans: dict[str, Any]) -> None:
        """Send all points to the browser, and what it draws in each figure."""
        parts = [
            part
            for t, y in self._points.values()
            for part in (np.array([len(t)], np.float32), t, y)
        ]
        points = np.concatenate(parts).tobytes()
        self.plans = json.dumps(plans)
        self.points = points
