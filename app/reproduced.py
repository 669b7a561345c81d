"""A paper's figure, computed anew, as Bokeh plots, which the page shows and `app.paper_figure`, and as a drawing.

Bokeh's own plots in place of HoloViews', which take seconds where there are twenty curves, and the page would stand
still meanwhile.
"""

from __future__ import annotations

from bokeh.plotting import figure

from engine.papers import Drawn

from .charts.bokeh import INK, ChartFrame
from .charts.look import looks
from .charts.svg import stacked, svg_of
from .model.gallery import cited

HEIGHT = 350
"""Pixels of a plot."""


def plots(drawn: Drawn) -> list[figure]:
    """One plot for each of the figure's axes; methods that the lab is opened with have its colours."""
    chosen = looks(drawn.curves, drawn.figure.methods)
    several, made = len(drawn.figure.axes) > 1, []
    for i, axes in enumerate(drawn.figure.axes):
        title = axes.name if several else ""
        frame = ChartFrame(axes, drawn.of(i), chosen, HEIGHT, title=title, y_axis_label=axes.y.label, name=axes.name)
        frame.figure.title.update(text_font_size="13px", text_color=INK)
        frame.name_curves(drawn.of(i))
        made.append(frame.figure)
    return made


def picture(drawn: Drawn) -> str:
    """The whole figure as a drawing on white: its plots below each other, with its title, and with what it is of."""
    chosen, figure = looks(drawn.curves, drawn.figure.methods), drawn.figure
    stopped = "" if drawn.finished else " Stopped: not all of it was computed."
    said = f"{cited(figure.reference).short}, {figure.where}. {figure.plotted}{stopped}"
    drawings = []
    for i, axes in enumerate(figure.axes):
        several = f" ({axes.name})" if len(figure.axes) > 1 else ""
        drawings.append(svg_of(axes, drawn.of(i), chosen, f"{figure.title}{several}", said if i == 0 else ""))
    return stacked(drawings)
