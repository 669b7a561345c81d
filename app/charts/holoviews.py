"""Charts in HoloViews, for notebooks and for paper, with every point."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np
import panel as pn
from holoviews.plotting.bokeh import LayoutPlot

from engine.studies.core import Axes, Chart, Curve, Guide, Image, bounds, clip_to_axis

from ..compat.notebook_cells import Shown
from .bokeh import add_guides, tabulate_guides
from .scales import find_scales
from .style import BAND, EDGE_COLOUR, NOWHERE_COLOUR, OF_PAPER, Look, choose_parts
from .svg import draw_still


class Layout(hv.Layout):
    """A layout that a notebook shows like the page; `draw_still` returns its still picture."""

    draw_still: Callable[[], str] = str

    def __add__(self, other: Any) -> Layout:
        """Compose a layout that a notebook shows in the same way."""
        return Layout([self, other])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        view = Shown(pn.pane.HoloViews(self, backend="bokeh"), draw_still=self.draw_still)
        return view._repr_mimebundle_(include, exclude)


hv.Store.register({Layout: LayoutPlot}, "bokeh")


def build_layout(chart: Chart, looks: Mapping[str, Look]) -> Layout:
    """The frames of a chart, two side by side."""
    if hv.Store.current_backend not in hv.Store.renderers:
        hv.Store.set_current_backend("bokeh")
    plots = [
        _plot(axes, list(chart.of(i)), looks, chart.guides_of(i))
        if image is None
        else _image(axes, image)
        for i, axes in enumerate(chart.axes)
        for image in [chart.image(i)]
    ]
    layout = Layout(plots).cols(2).opts(backend="bokeh", shared_axes=False)
    layout.draw_still = functools.partial(draw_still, chart, looks)
    return layout


def _plot(
    axes: Axes, curves: list[Curve], looks: Mapping[str, Look], guides: Sequence[Guide]
) -> Any:
    """A frame with its curves and guides; curves of one name are one curve with a gap."""
    scales = find_scales(axes, curves)
    drawn: list[Any] = []
    x, y = hv.Dimension("x", label=axes.x.label), hv.Dimension("y", label=axes.y.label)
    shared: dict[str, Any] = {"tools": ["hover"], "backend": "bokeh"}
    for curve in curves:
        if curve.under is not None:
            area = hv.Area((curve.x, curve.y, curve.under), x, [y, "under"], label=curve.name)
            drawn.append(
                area.opts(color=looks[curve.name].colour, alpha=BAND, line_alpha=0, **shared)
            )
    for kind in (0, 1):
        parts = [c for c in curves if c.under is None and choose_parts(c, axes)[kind]]
        found = {}
        for name, paper in {c.name: c.paper for c in parts}.items():
            look = looks[name]
            gap = np.full((2, 1), np.nan)
            own = [part for c in parts if c.name == name for part in (gap, (c.x, c.y))]
            across, up = np.concatenate(own[1:], axis=1)
            points = clip_to_axis(axes.x, across), clip_to_axis(axes.y, up)
            element = (hv.Curve, hv.Scatter)[kind](points, x, y).opts(color=look.colour, **shared)
            mark = {"marker": OF_PAPER if paper else look.mark, "size": 6}
            found[name] = element.opts(
                backend="bokeh", **(mark if kind else {"line_dash": look.dash})
            )
        drawn += [hv.NdOverlay(found, kdims="curve")] if found else []

    def draw_guides(plot: Any, _: Any) -> None:
        add_guides(plot.state).data = tabulate_guides(guides, looks, *scales)

    xlim, ylim = ((scale.value(0.0), scale.value(1.0)) for scale in scales)
    ticks = {"xticks": list(enumerate(axes.x.ticks))} if axes.x.ticks else {}
    return functools.reduce(operator.mul, drawn or [hv.Curve([], x, y)]).opts(
        logx=axes.x.log, logy=axes.y.log, width=460, height=300, title=axes.title,
        xlim=xlim, ylim=ylim, hooks=[draw_guides], backend="bokeh", **ticks,
    )  # fmt: skip


def _image(axes: Axes, image: Image) -> Any:
    """A frame with its image, and the edges of its regions."""
    x, y = hv.Dimension("x", label=axes.x.label), hv.Dimension("y", label=axes.y.label)
    value = hv.Dimension("value", label=image.colours.label)
    places = [bounds(at, axis.log) for at, axis in ((image.x, axes.x), (image.y, axes.y))]
    cells = hv.QuadMesh((*places, image.values), [x, y], value).opts(
        logx=axes.x.log, logy=axes.y.log, logz=image.colours.log, clim=image.ends, cmap="viridis",
        clipping_colors={"NaN": NOWHERE_COLOUR}, colorbar=True, width=460, height=320, title=axes.title,
        tools=["hover"], backend="bokeh",
    )  # fmt: skip
    edges = hv.Segments(tuple(image.edges.T), ["x", "y", "x1", "y1"])
    return cells * edges.opts(color=EDGE_COLOUR, backend="bokeh")
