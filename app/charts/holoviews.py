"""Charts in HoloViews, for notebooks and for paper, with every point."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import NDArray

from engine.studies.core import Axes, Chart, Curve, Guide, Image, bounds

from .scales import clip_to_axis, find_span, place_words
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
    bands, curves = [c for c in curves if c.under is not None], [c for c in curves if c.under is None]
    lines, marks = ({c.name: c for c in curves if choose_parts(c, axes)[k]} for k in (0, 1))
    x, y = hv.Dimension("x", label=axes.x.label), hv.Dimension("y", label=axes.y.label)
    style: dict[str, Any] = {
        "logx": axes.x.log, "logy": axes.y.log, "width": 460, "height": 300, "title": axes.title, "tools": ["hover"],
        "backend": "bokeh",
    }  # fmt: skip
    if axes.x.ticks:
        style["xticks"] = list(enumerate(axes.x.ticks))

    def points(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        own = [np.stack([clip_to_axis(axes.x, c.x), clip_to_axis(axes.y, c.y)]) for c in curves if c.name == name]
        parted = [part for one in own for part in (np.full((2, 1), np.nan), one)]
        return tuple(np.concatenate(parted[1:], axis=1))

    drawn = [
        {
            name: hv.Curve(points(name), x, y).opts(color=looks[name].colour, line_dash=looks[name].dash, **style)
            for name in lines
        },
        {
            name: hv.Scatter(points(name), x, y).opts(
                color=looks[name].colour, marker=OF_PAPER if c.paper else looks[name].mark, size=6, **style
            )
            for name, c in marks.items()
        },
    ]
    areas = [
        hv.Area((c.x, c.y, c.under), x, [y, "under"], label=c.name).opts(
            color=looks[c.name].colour, alpha=BAND, line_alpha=0, **style
        )
        for c in bands
    ]
    found = [hv.NdOverlay(d, kdims="curve") for d in drawn if d] or [hv.Curve([], x, y)]
    return functools.reduce(operator.mul, [*areas, *found, *_draw_guides(axes, [*curves, *bands], looks, guides)])


def _draw_guides(
    axes: Axes, curves: list[Curve], looks: Mapping[str, Look], guides: Sequence[Guide]
) -> Iterator[Any]:
    """The lines and words of guides."""
    across = find_span(axes.x, [clip_to_axis(axes.x, c.x) for c in curves])
    up = find_span(axes.y, [clip_to_axis(axes.y, c.y) for c in curves])
    for guide in guides:
        if words := place_words(guide, across, up, (axes.x.log, axes.y.log)):
            colour = {"color": looks[guide.of].colour if guide.of in looks else "gray", "backend": "bokeh"}
            yield hv.Path([(words.x, words.y)]).opts(line_dash="dashed", **colour)
            text = hv.Text(words.x[-1], words.y[-1], guide.text, halign=words.align, valign=words.base)
            yield text.opts(text_font_size="9pt", **colour)


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
