"""Bars for the energies of all motions, which follow the clock of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import param

from engine.parameters.validation import Array

from ...browser.component import Component
from ...state import EXACT_COLOUR, EXACT_LABEL, Results
from ...state.simple import find_exact_energy

STATES = 241
"""Times, evenly spaced, of which the server sends the energies."""


class Energies(Component):
    """A bar for the energy of each motion; if it `follows`, the bars are buttons for the motion that
    the solid body follows, with the angles between the body and the exact motion.
    """

    motions = param.List(
        default=[],
        doc="Of each motion: title, note, name in the scene, colour, angles to the exact motion in degrees, "
        "and energies.",
    )
    follows = param.Boolean(default=False, doc="Whether a person chooses a motion.")

    script = "controls/energies.js"
    own_styles = ("energies",)

    def show(self, results: Results, names: Mapping[str, tuple[str, str]]) -> None:
        """Show these results; `names` has the title and the note of each method."""
        motions = list(_list_motions(results, names))
        self.motions = motions[-1:] + motions[:-1] if self.follows and results.exact else motions


def _list_motions(results: Results, names: Mapping[str, tuple[str, str]]) -> Iterator[list[Any]]:
    """Return the motions of the methods, and the exact one, in the order of the bodies."""
    ends = results.choice.duration
    for line in results.runs:
        error = line.error
        angles = [] if error is None else _sample(error.t, np.degrees(error.attitude), ends)
        energies = _sample(line.run.t, line.run.energy, ends)
        yield [*names[line.label], line.name, line.colour, angles, energies]
    exact = find_exact_energy(results)
    if results.exact is not None and exact is not None:
        energies = _sample(results.exact.t, exact, ends)
        yield ["Exact motion", "", EXACT_LABEL, EXACT_COLOUR, [], energies]


def _sample(t: Array, values: Array, ends: float) -> list[float]:
    """Return values at evenly spaced times from 0 to the end, with six digits."""
    found = np.nan_to_num(np.interp(np.linspace(0, ends, STATES), t, values))
    return [float(f"{value:.6g}") for value in found.tolist()]
