"""The lab's plots as a chart with every stored value, for notebooks and for paper."""

from __future__ import annotations

import numpy as np

from engine.studies.core import Axes, Axis, Chart, Curve

from ..state.results import EXACT_COLOUR, Results
from ..state.subject import SUBJECTS
from .style import Look


def build_chart(results: Results, group: str, vector: str, log: bool, relative: bool) -> Chart:
    """A chart with a frame for each quantity of a group; `vector` is Ω or Π.

    Raises
    ------
    ValueError
        If there is no such group or vector.
    """
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


def method_looks(results: Results) -> dict[str, Look]:
    """The looks of the methods, in their colours of the page, and of the exact motion."""
    return {line.label: Look(line.colour) for line in results.lines} | {"exact": Look(EXACT_COLOUR, dash="dashed")}
