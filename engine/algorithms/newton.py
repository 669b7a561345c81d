"""Newton's method for the three equations of an implicit step."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from ..algebra import Mat3, Vec3, norm_inf, solve

MOST_ITERATIONS = 40
CONVERGED = 1e-9
"""Relative size of a correction after which the next one would be lost in roundoff: convergence is quadratic."""
STILL = 1e-16
"""A correction that turns the body by less than this, in radians a step, is none."""


def newton(body: Any, h: float, balance: Callable[..., tuple[Vec3, Mat3]], x: Vec3, *given: Any) -> Vec3:
    """The angular velocity x at which `balance(body, h, x, *given)` vanishes, from the start value x.

    `balance` returns the residual and its derivative by x. Where there is no solution within reach,
    the body is told and nan returned, so that the run ends at this step.
    """
    for i in range(MOST_ITERATIONS):
        residual, tangent = balance(body, h, x, *given)
        correction = solve(tangent, residual)
        x = x - correction
        if norm_inf(correction) <= CONVERGED * norm_inf(x) + STILL / abs(h):
            body.count_newton(i + 1)
            return x
    body.count_newton(MOST_ITERATIONS)
    body.no_solution()
    return Vec3(nan, nan, nan)
