"""The page's plots as a HoloViews layout, for notebooks and for paper."""

from __future__ import annotations

from typing import Any

import holoviews as hv

from .model.quantities import Quantity, table
from .model.results import EXACT_COLOUR, Results
from .model.subject import SUBJECTS

FLOOR = 1e-17
"""What a logarithmic axis draws where an error is nothing at all."""


def layout(results: Results, group: str, vector: str, log: bool, relative: bool) -> hv.Layout:
    """One plot for each quantity of a group, their times linked; every kept value is in it."""
    groups = SUBJECTS[results.choice.space].groups
    if group not in groups:
        raise ValueError(f"there is no group {group!r}; there are {', '.join(groups)}")
    if vector not in ("Ω", "Π"):
        raise ValueError(f"the motion is that of Ω or of Π, not of {vector!r}")
    hv.extension("bokeh", logo=False)
    plots = [_plot(results, quantity, log, relative) for quantity in groups[group].quantities(results, vector)]
    return hv.Layout(plots).cols(2).opts(hv.opts.Layout(backend="bokeh", shared_axes=False))


def _plot(results: Results, quantity: Quantity, log: bool, relative: bool) -> hv.Overlay:
    """The methods' curves of a quantity, and the exact one where it is a curve of its own."""
    log = log and quantity.error
    values = table(results, quantity, relative)
    if log:
        values = values.abs().clip(lower=FLOOR)
    colours = {line.label: line.colour for line in results.lines} | {"exact": EXACT_COLOUR}
    time = hv.Dimension("t", label="t")
    formula = hv.Dimension("value", label=quantity.formula(log, relative))
    curves: dict[str, Any] = {
        label: hv.Curve((column.dropna().index, column.dropna().to_numpy()), time, formula).opts(
            hv.opts.Curve(
                backend="bokeh", color=colours[label], line_dash="dashed" if label == "exact" else "solid", logy=log,
                width=460, height=260, title=quantity.title, tools=["hover"],
            )
        )
        for label, column in values.items()
    }  # fmt: skip
    return hv.NdOverlay(curves, kdims="method")
