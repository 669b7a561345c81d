"""Charts in HoloViews, for notebooks and for paper, with every point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np

from engine.studies.core import Axes, Chart, Curve, Guide, Image, bounds

from .bokeh import add_guides, tabulate_guides
from .scales import clip_to_axis, find_scales
from .style import BAND, EDGE_COLOUR, NOWHERE_COLOUR, OF_PAPER, Look, choose_parts


def build_layout(chart: Chart, looks: Mapping[str, Look]) -> hv.Layout:
    """The frames of a chart, two side by side."""
    hv.extension("bokeh", logo=False)
    plots = [
        _plot(axes, list(chart.of(i)), looks, chart.guides_of(i)) if image is None else _image(axes, image)
        for i, axes in enumerate(chart.axes)
        for image in [chart.image(i)]
    ]
    return hv.Layout(plots).cols(2).opts(hv.opts.Layout(backend="bokeh", shared_axes=False))


def _plot(axes: Axes, curves: list[Curve], looks: Mapping[str, Look], guides: Sequence[Guide]) -> Any:
    """A frame with its curves and guides; curves of one name are one curve with a gap."""
    scales, drawn = find_scales(axes, curves), []
    x, y = hv.Dimension("x", label=axes.x.label), hv.Dimension("y", label=axes.y.label)
    for curve in {(c.name, c.under is None): c for c in curves}.values():
        look, (line, marks) = looks[curve.name], choose_parts(curve, axes)
        if curve.under is not None:
            area = hv.Area((curve.x, curve.y, curve.under), x, [y, "under"], label=curve.name)
            drawn.append(area.opts(color=look.colour, alpha=BAND, line_alpha=0, backend="bokeh"))
            continue
        own = [(c.x, c.y) for c in curves if c.name == curve.name and c.under is None]
        parted = np.concatenate([part for one in own for part in (np.full((2, 1), np.nan), one)][1:], axis=1)
        points = clip_to_axis(axes.x, parted[0]), clip_to_axis(axes.y, parted[1])
        if line:
            lines = hv.Curve(points, x, y, label=curve.name)
            drawn.append(lines.opts(color=look.colour, line_dash=look.dash, backend="bokeh"))
        if marks:
            mark = OF_PAPER if curve.paper else look.mark
            dots = hv.Scatter(points, x, y, label=curve.name)
            drawn.append(dots.opts(color=look.colour, marker=mark, size=6, backend="bokeh"))

    def draw_guides(plot: Any, _: Any) -> None:
        add_guides(plot.state).data = tabulate_guides(guides, looks, *scales)

    ticks = {"xticks": list(enumerate(axes.x.ticks))} if axes.x.ticks else {}
    return hv.Overlay(drawn or [hv.Curve([], x, y)]).opts(
        logx=axes.x.log, logy=axes.y.log, width=460, height=300, title=axes.title, tools=["hover"],
        hooks=[draw_guides], backend="bokeh", **ticks,
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
