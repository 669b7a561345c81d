"""What all plots of the pages have in common."""

from __future__ import annotations

from typing import Any

from bokeh.events import DoubleTap
from bokeh.models import CustomJS
from bokeh.plotting import figure

INK = "#757575"
"""Of what stands beside the curves; it can be read on light and dark grounds."""


def bare(**params: Any) -> figure:
    """A plot on the page's own ground, without a toolbar or an outline; a double click shows all of it again."""
    made = figure(
        toolbar_location=None,
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        output_backend="canvas",
        **params,
    )
    made.js_on_event(DoubleTap, CustomJS(code="cb_obj.origin.reset.emit()"))
    for axis in made.axis:
        axis.update(axis_line_color=None, minor_tick_line_color=None, major_tick_line_color=INK)
        axis.update(major_label_text_color=INK, axis_label_text_color=INK)
    for grid in made.grid:
        grid.update(grid_line_color=INK, grid_line_alpha=0.2)
    return made
