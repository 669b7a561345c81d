"""The points of all curves of some plots, sent in one piece: a message a column takes longer than its points do."""

from __future__ import annotations

from typing import Any

import numpy as np
import param
from bokeh.models import ColumnDataSource
from numpy.typing import NDArray

from ..bundle import ASSETS
from ..component import Component

Points = tuple[NDArray[np.float32], NDArray[np.float32]]
NO_POINTS: Points = (np.zeros(0, np.float32), np.zeros(0, np.float32))


class Sources(Component):
    """An invisible component that gives the columns t and y to Bokeh's sources, in the browser only.

    What was put is sent all together by `send`: for each source, in the order of `sources`, the number n of its
    points, n times and n values.
    """

    sources = param.List(default=[], doc="The ids of the sources.")
    points = param.Bytes(default=b"", doc="float32, as above.")

    _bundle = ASSETS / "sources.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._put: dict[str, Points] = {}

    def source(self) -> ColumnDataSource:
        """A new source, without points."""
        made = ColumnDataSource({"t": [], "y": []})
        self._put[made.id] = NO_POINTS
        return made

    def put(self, source: ColumnDataSource, t: NDArray[Any], y: NDArray[Any]) -> None:
        """Have these points in a source from the next `send` on."""
        self._put[source.id] = t.astype(np.float32), y.astype(np.float32)

    def of(self, source: ColumnDataSource) -> Points:
        """The points that were put in a source last."""
        return self._put[source.id]

    def send(self) -> None:
        """Have the browser draw what was put."""
        parts = [part for t, y in self._put.values() for part in (np.array([len(t)], np.float32), t, y)]
        self.param.update(sources=list(self._put), points=np.concatenate(parts).tobytes())
