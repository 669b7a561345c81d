"""The component that paints plots over time in the browser."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import param

from ...browser.component import Component
from ...charts.scales import Interval
from ...charts.svg import Stroke
from ...state.quantities import PLOTS

LONGEST = 200
"""Characters of the name of an axis or a plot."""
MOST_TURNED = 50
"""Plots that a person has opened or closed, in all groups."""


class PlotCanvas(Component):
    """Plots below each other, with one time axis. The browser paints them, zooms, and draws its own
    runs.
    """

    plans = param.String(default='{"plots": []}', doc="What the plots show, as JSON.")
    points = param.Bytes(
        default=b"", doc="For each curve of the plans, its n times and n values, as float32."
    )
    zoom = param.List(
        default=[],
        doc="""The parts of axes in view, which the browser sets: a name and two ends for each. The name
        of the time axis is the duration.""",
    )
    turned = param.List(
        default=[],
        doc="The titles of the plots that a person has opened or closed, against the plans.",
    )
    tall = param.String(doc="Height of a plot, a length in CSS.")
    right = param.Integer(doc="Pixels on the right of each frame, for the words of its lines.")
    most = param.Integer(doc="The number of plots for which there is room before they arrive.")

    script = "controls/time-plots.js"
    shared_styles = ("plot-head", "time-plots")

    make_download: Callable[[str, str], dict[str, Any]]
    """Returns the table ("table") or the file of a download of the plot with this title."""
    switch_dashes: Callable[[], Any]

    def send(self, plans: Mapping[str, Any], strokes: Sequence[Stroke]) -> None:
        """Show plans with the points of all their curves, in one message."""
        parts = [part for stroke in strokes for part in (stroke.t, stroke.y)]
        points = np.concatenate([np.zeros(0, np.float32), *parts], dtype=np.float32).tobytes()
        self.param.update(plans=json.dumps(plans), points=points)

    def find_part(self, axis: str | float, whole: Interval) -> Interval:
        """Return the part of an axis that is in view."""
        return next(((start, end) for name, start, end in self.zoom if name == axis), whole)

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser sets parts of axes, or the plots that a person has opened or closed."""
        if not isinstance(value, list):
            return False
        if name == "turned":
            return len(value) <= MOST_TURNED and all(map(_is_name, value))
        return (
            name == "zoom"
            and len(value) <= PLOTS + 1
            and all(isinstance(part, list) and _is_part(*part) for part in value)
        )

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return what the message asks for, unless it switches something."""
        want, plot = data.get("want"), data.get("plot")
        known = isinstance(want, str) and isinstance(plot, str) and want != "dashes"
        return (want, plot) if known else None

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict) or not isinstance(plot := data.get("plot"), str):
            return
        want = data.get("want")
        if want == "dashes":
            self.switch_dashes()
        elif isinstance(want, str) and (found := self.make_download(want, plot)):
            self._send(found | {"plot": plot})


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_part(axis: Any = None, start: Any = None, end: Any = None, *more: Any) -> bool:
    """Whether these are the name of an axis and two of its values, in order."""
    is_axis = _is_name(axis)
    numbers = (start, end) if is_axis else (axis, start, end)
    return (
        not more
        and all(type(x) in (int, float) and math.isfinite(x) for x in numbers)
        and bool(start < end)
    )
