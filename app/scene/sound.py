"""The sound of a motion: the energy error of each method as a pitch (assets/js/scene/sound.js)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.quantities import energy as ENERGY

from ..state.quantities import bind
from ..state.results import Results
from .packing import append_array, choose_rows, pack

LOWEST = -16.0
"""The power of ten of the error whose voice is in unison with the steady tone; smaller errors are
roundoff.
"""
EXPLANATION = (
    "A voice for each method, a whole tone higher for each power of ten of its energy error; "
    "in unison with the steady tone it is at roundoff, 10⁻¹⁶."
)
NO_SOUND = "This motion does not conserve energy, so there is no energy error to hear."


def pack_levels(results: Results) -> bytes:
    """The times and powers of ten of each method's energy error, packed, with an explanation."""
    arrays: list[bytes] = []
    voices: list[dict[str, Any]] = []
    conserved = "energy" in results.problem.invariants
    quantity = bind(ENERGY, results)
    for line in results.runs if conserved else ():
        found = quantity.values(line, relative=True)
        if found is not None:
            t, error = (column[choose_rows(len(found[0]))] for column in found)
            with np.errstate(divide="ignore", invalid="ignore"):
                level = np.maximum(np.log10(np.abs(error)), LOWEST)
            rows = np.isfinite(level)
            voices.append(
                {"t": append_array(arrays, t[rows]), "level": append_array(arrays, level[rows])}
            )
    return pack({"voices": voices, "explanation": EXPLANATION if conserved else NO_SOUND}, arrays)
