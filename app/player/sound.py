"""What is heard of a motion: the energy error of each method, as a pitch in assets/sound.js."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.quantities import energy
from ..model.results import Results
from .packing import downsampled, packed, put

LOWEST = -16.0
"""The power of ten of an error at which a voice is in unison with the steady tone; a smaller one is roundoff."""
TOLD = (
    "A voice for each method, a whole tone higher for each power of ten of its energy error; "
    "in unison with the steady tone it is at roundoff, 10⁻¹⁶."
)
NOT_KEPT = "The energy of this motion is not kept, so that there is no error of it to be heard."


def levels(results: Results) -> bytes:
    """By method the times and the power of ten of the energy error, packed; with what is heard, in a sentence."""
    arrays: list[bytes] = []
    voices: list[dict[str, Any]] = []
    kept = "energy" in results.problem.invariants
    quantity = energy(results)
    for line in results.runs if kept else ():
        found = quantity.values(line, relative=True)
        if found is not None:
            t, error = (column[downsampled(len(found[0]))] for column in found)
            with np.errstate(divide="ignore", invalid="ignore"):
                level = np.maximum(np.log10(np.abs(error)), LOWEST)
            there = np.isfinite(level)
            voices.append({"t": put(arrays, t[there]), "level": put(arrays, level[there])})
    return packed({"voices": voices, "told": TOLD if kept else NOT_KEPT}, arrays)
