"""The moments of a motion that is judged: estimated, refined by its rule, or stated and compared with it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from ..parameters.argument_error import ArgumentError
from ..parameters.validation import Array
from ..text.formatting import format_measured, show
from .comparison import keeps_direction
from .inertia import SAFETY, estimate_moments, find_mean_rates
from .rules import Matches
from .trajectory import Trajectory

MISFIT = 2.0
"""How many errors of estimated moments stated ones may be off."""
NEAR = 0.01
"""How far stated moments may be off in any case, over the largest one."""
ALIKE = 1e-3
"""Moments that differ by less are those of a sphere."""


def adopt_estimate(trajectory: Trajectory) -> Trajectory:
    """Return the motion in the axes of the estimated moments."""
    t, R, Omega = trajectory.t, trajectory.R, trajectory.Omega
    found = estimate_moments(t, R, Omega)
    if found is None or np.ptp(found.moments) < ALIKE:
        turns, rates = (R, Omega) if Omega is not None else find_mean_rates(t, R)[1:]
        if keeps_direction(turns, rates):
            raise ArgumentError(
                "the angular velocity keeps its direction in space, as that of a sphere, of a spin about a principal "
                "axis, or of an engine without a gyroscopic term; state the moments of inertia",
                J="1,2,3",
            )
        raise ArgumentError(
            "the motion does not determine the moments of inertia of the body; state them",
            J="1,2,3",
        )
    remark = (
        f"the moments are estimated from the motion: {format_moments(found.moments, found.errors)}"
    )
    own = trajectory.with_moments(found.J, found.errors)
    return replace(own, remarks=(*trajectory.remarks, remark))


def refine_moments(trajectory: Trajectory, matches: Matches) -> Trajectory:
    """Return the motion with the moments by which its rule reproduces it, if they were estimated."""
    if matches.moments is None or not trajectory.moment_errors.any():
        return trajectory
    largest = int(np.argmax(matches.moments))
    size = matches.moments[largest]
    moments = matches.moments / size
    errors = SAFETY * (matches.moment_errors + moments * matches.moment_errors[largest]) / size
    errors[largest] = 0.0
    remark = (
        "by its rule the moments are known better, and the verdict is computed with these: "
        f"{format_moments(moments, errors)}"
    )
    return replace(
        trajectory, J=moments, moment_errors=errors, remarks=(*trajectory.remarks, remark)
    )


def find_objection(trajectory: Trajectory) -> str:
    """Return which moments fit the motion, of the stated ones in another order or estimated; nothing if
    the stated ones do, or if the motion does not show it.
    """
    found = estimate_moments(trajectory.t, trajectory.R, trajectory.Omega)
    if found is None or np.ptp(found.moments) < ALIKE:
        return ""
    assert trajectory.J is not None
    within = np.maximum(MISFIT * found.errors, NEAR)

    def fit(moments: Array) -> bool:
        return bool((np.abs(moments / moments.max() - found.moments) <= within).all())

    is_aligned = np.array_equal(found.J, np.diag(found.moments))
    orders = [np.array(order) for order in itertools.permutations(trajectory.J)]
    good = [order for order in orders if fit(order)]
    if fit(trajectory.J) or (good and not is_aligned):
        return ""
    begin = "The stated moments of inertia do not fit the motion;"
    if good and (np.abs(trajectory.turn) == np.eye(3)).all():
        return f"{begin} in the order {', '.join(show(moment) for moment in good[0])} they do."
    estimate = format_moments(found.moments, found.errors)
    return f"{begin} their ratios, estimated from it, are {estimate}."


def format_moments(moments: Array, errors: Array) -> str:
    """Format estimated moments over the largest one, each with its error: 0.3846 ± 0.0021."""
    pairs = []
    for moment, doubt in zip(moments, errors, strict=True):
        decimals = int(np.clip(1 - math.floor(math.log10(doubt)), 2, 9)) if doubt else 0
        spread = f" ± {format_measured(doubt)}" if doubt else ""
        pairs.append(f"{moment:.{decimals}f}{spread}")
    return " : ".join(pairs)
