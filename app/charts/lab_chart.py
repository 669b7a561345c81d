"""The lab's plots as a chart with every stored value, for notebooks and for paper; the lines with
words in the plots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from engine.studies.core import Axes, Axis, Chart, Curve, Guide

from ..state import EXACT_COLOUR, EXACT_LABEL, LABS, Quantity, Results, roundoff
from ..state.quantities import Curve as TimeCurve
from .style import DASHES, Look


def build_chart(results: Results, group: str, vector: str, log: bool, relative: bool) -> Chart:
    """A chart with a frame for each quantity of a group; `vector` is Ω or Π.

    Raises
    ------
    ValueError
        If there is no such group or vector.
    """
    groups = LABS[results.choice.space].groups
    if group not in groups:
        raise ValueError(f"there is no group {group!r}; there are {', '.join(groups)}")
    if vector not in ("Ω", "Π"):
        raise ValueError(f"the motion is that of Ω or of Π, not of {vector!r}")
    axes = []
    curves = []
    guides = []
    for plot, quantity in enumerate(groups[group].quantities(results, vector)):
        logarithmic = log and quantity.error
        axes.append(
            Axes(Axis("t"), Axis(quantity.formula(log, relative), logarithmic), quantity.title)
        )
        found = {line.name: quantity.values(line, relative) for line in results.runs} | {
            EXACT_LABEL: quantity.exact
        }
        curves += [
            Curve(label, drawn[0], np.abs(drawn[1]) if logarithmic else drawn[1], plot)
            for label, drawn in found.items()
            if drawn is not None
        ]
        guides += [
            guide._replace(plot=plot)
            for guide in find_guides(results, quantity, found, log, relative)
        ]
    return Chart(tuple(axes), tuple(curves), (), tuple(guides))


def find_guides(
    results: Results,
    quantity: Quantity,
    curves: Mapping[str, TimeCurve | None],
    log: bool,
    relative: bool,
) -> list[Guide]:
    """The line at the roundoff of a deviation on a logarithmic axis, and the horizon of the exact
    motion.
    """
    exact = results.exact
    whole = 1.0 if relative else quantity.whole or 1.0
    floors = []
    for line in results.runs if quantity.error and log else ():
        curve = curves[line.name]
        if curve is not None and len(curve[0]) and np.isfinite(curve[1][-1]):
            floors.append(roundoff(line.run) * whole)
    guides = [Guide("roundoff", (-math.inf, math.inf), (floor,) * 2) for floor in floors[-1:]]
    if exact is not None and quantity.against_exact and exact.horizon < exact.t[-1]:
        guides.append(
            Guide("horizon of the exact motion", (exact.horizon,) * 2, (-math.inf, math.inf))
        )
    return guides


def method_looks(results: Results) -> dict[str, Look]:
    """The looks of the methods, in their colours of the page, and of the exact motion."""
    return {line.name: Look(line.colour) for line in results.lines} | {
        EXACT_LABEL: Look(EXACT_COLOUR, dash=DASHES[1])
    }
