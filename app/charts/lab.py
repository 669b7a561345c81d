"""The lab's plots as a chart, with every kept value, for notebooks and for paper."""

from __future__ import annotations

import numpy as np

from engine.charts import Axes, Axis, Chart, Curve

from ..model.results import EXACT_COLOUR, Results
from ..model.subject import SUBJECTS
from .look import Look


def chart(results: Results, group: str, vector: str, log: bool, relative: bool) -> Chart:
    """One frame for each quantity of a group, with the methods' curves, and the exact one where it is of its own."""
    groups = SUBJECTS[results.choice.space].groups
    if group not in groups:
        raise ValueError(f"there is no group {group!r}; there are {', '.join(groups)}")
    if vector not in ("Ω", "Π"):
        raise ValueError(f"the motion is that of Ω or of Π, not of {vector!r}")
    axes, curves = [], []
    for plot, quantity in enumerate(groups[group].quantities(results, vector)):
        logarithmic = log and quantity.error
        axes.append(Axes(Axis("t"), Axis(quantity.formula(log, relative), logarithmic), quantity.title))
        found = {line.label: quantity.values(line, relative) for line in results.runs} | {"exact": quantity.exact}
        curves += [
            Curve(label, drawn[0], np.abs(drawn[1]) if logarithmic else drawn[1], plot)
            for label, drawn in found.items()
            if drawn is not None
        ]
    return Chart(tuple(axes), tuple(curves))


def looks(results: Results) -> dict[str, Look]:
    """Of each method its colour on the page."""
    return {line.label: Look(line.colour) for line in results.lines} | {"exact": Look(EXACT_COLOUR, dash="dashed")}
