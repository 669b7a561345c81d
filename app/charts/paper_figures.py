"""The figures of the papers, computed again: as Bokeh plots, for the page and `app.paper_figure`,
and as SVG.

HoloViews takes seconds for twenty curves, during which the page would freeze.
"""

from __future__ import annotations

from bokeh.plotting import figure

from engine.papers import Drawn

from ..state.pages.paper_gallery import cite_paper
from .bokeh import INK, ChartFrame
from .style import choose_looks
from .svg import draw_chart, stack_drawings

HEIGHT = 350
"""Height of a plot in pixels."""


def draw_plots(drawn: Drawn) -> list[figure]:
    """A plot for each frame of a figure; the methods of its setting have their colours of the
    lab.
    """
    chosen = choose_looks(drawn.curves, drawn.figure.methods)
    several = len(drawn.figure.axes) > 1
    frames = []
    for i, axes in enumerate(drawn.figure.axes):
        title = axes.name if several else ""
        frame = ChartFrame(
            axes,
            drawn.of(i),
            chosen,
            HEIGHT,
            title=title,
            y_axis_label=axes.y.label,
            name=axes.name,
        )
        frame.figure.title.update(text_font_size="13px", text_color=INK)
        frame.name_curves(drawn.of(i))
        frames.append(frame.figure)
    return frames


def draw_picture(drawn: Drawn) -> str:
    """A figure as SVG on white: its plots below each other, with its title and source."""
    chosen = choose_looks(drawn.curves, drawn.figure.methods)
    figure = drawn.figure
    stopped = "" if drawn.finished else " Stopped: not all of it was computed."
    source = f"{cite_paper(figure.reference).short}, {figure.where}. {figure.plotted}{stopped}"
    drawings = []
    for i, axes in enumerate(figure.axes):
        several = f" ({axes.name})" if len(figure.axes) > 1 else ""
        drawings.append(
            draw_chart(
                axes, drawn.of(i), chosen, f"{figure.title}{several}", source if i == 0 else ""
            )
        )
    return stack_drawings(drawings)
