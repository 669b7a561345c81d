"""Options of steps: choices of words, the order of body axes, the precision and the substeps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from ...algebra import e1, e2, e3
from ...parameters.parameter import OneOf, Parameter, Whole


def offer(
    name: str, doc: str, label: str, words: Mapping[str, tuple[Any, str]], brief: str = ""
) -> Parameter:
    """An option that offers these words, each with its meaning and its label; the first is the
    default. `brief` is that of the parameter.
    """
    kind = OneOf(
        {word: means for word, (means, _) in words.items()},
        {word: label for word, (_, label) in words.items()},
    )
    return Parameter(name, kind, doc, next(iter(words)), label=label, brief=brief)


BODY_AXES = {"1": e1, "2": e2, "3": e3}
AXES = offer(
    "axes",
    "order of the body axes, first to last",
    "Order of the body axes",
    {
        "".join(axes): (tuple(BODY_AXES[i] for i in axes), ", ".join(axes))
        for axes in permutations(BODY_AXES)
    },
    brief="axes {value}",
)


PRECISION = offer(
    "precision",
    "the numbers that steps compute with: of 64 bits, or of 32, as in most physics engines",
    "Precision",
    {"double": (False, "double, of 64 bits"), "single": (True, "single, of 32, as in engines")},
    brief="{value} precision",
)
SUBSTEPS = Parameter(
    "substeps",
    Whole(1, 1000),
    "the number of equal steps in each Δt, a frame; the torque of its start is held in space over "
    "all of them",
    1,
    label="Steps in a frame",
)
STEP_OPTIONS = (PRECISION, SUBSTEPS)
"""The options of steps of a given size; those of one body have all of them (`BodyState`)."""
