"""Newton's method for the three equations of an implicit step, and path following where it fails;
and for the equations of several stages, in parts of the step where it fails.

Of several solutions, that of a step is the one connected with h → 0. Newton's method finds it in
three to five rounds from the start value that a method gives. (In 380 steps by 0.7 to 1.5 rad, a
sample of nine methods on five free bodies, it found that solution each time; in 632 steps by 8 rad
it found another one 123 times, which is accepted.)

Where Newton's method fails, the solution is followed from s = 0 to s = 1, with s h in place of h in
the balance. The path is followed by its length and not by s, since it may turn back for a while
(Allgower and Georg, Introduction to Numerical Continuation Methods, 2003). Where energy or momentum
bounds the solutions, as in most methods, it reaches s = 1 (Brouwer); elsewhere it may leave the
balance's domain or go to infinity, and no solution is found.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, sqrt
from typing import Any

from ...algebra import (
    Mat3,
    Vec3,
    Vec4,
    least_change,
    norm,
    norm_inf,
    null_vector,
    solve,
)
from ...algebra.linear import solve_blocks
from ...algebra.precision import ByPrecision
from ...algebra.rarely_called import rarely_called
from .body import Solving

Balance = Callable[..., tuple[Vec3, Mat3]]
StagesBalance = Callable[..., tuple[tuple[Vec3, ...], tuple[tuple[Mat3, ...], ...]]]

MOST_ITERATIONS = 40
CONVERGED = ByPrecision(1e-9, single=1e-4)
"""Relative size of a correction after which the next one would be lost in roundoff: convergence is
quadratic.
"""
STILL = ByPrecision(1e-16, single=5e-8)
"""A correction that turns the body by less than this, in radians a step, counts as zero."""

MOST_ROUNDS_OF_PART = 10
"""In each part of the step, and below those for the whole step."""
MOST_ROUNDS = 1000
LEAST_PART = 1e-4
"""The smallest part by which the step that is solved for grows."""

MOST_CORRECTIONS = 4000
"""A longer path is given up: SW-C1's takes 240 in a step by 20 rad, and 3700 in one by 130."""
ROUNDOFF = ByPrecision(2e-16, single=2e-7)
"""Relative error that counts as roundoff."""
FIRST_STRIDE, LEAST_STRIDE = 0.1, ByPrecision(1e-7, single=1e-5)
"""Strides along a path, relative to the start velocity plus a radian a step."""
ON_THE_PATH = ByPrecision(1e-6, single=1e-3)
"""A correction of this relative size is the last of a point on the way."""
BENT = 0.25
"""The most that the first correction may be of the stride before it, and each further one of the
one before.
"""
TURNED = 0.2
"""The largest change of the path's direction in a stride, squared (26°); beyond, it may be another
path.
"""
BESIDE = ByPrecision(1e-7, single=3e-4)
"""Difference of s for the balance's derivative by it."""


def newton(body: Solving, h: float, balance: Balance, x: Vec3, *rest: Any) -> Vec3:
    """Newton's method for the angular velocity x at which the residual vanishes, from a first x.

    `balance(body, h, x, *rest)` returns the residual and its derivative by x, also for a part of h,
    down to 0, and is nan beyond its domain. Where no solution is found, the body is notified and
    nan returned, so that the run ends at this step.
    """
    first = x
    for i in range(MOST_ITERATIONS):
        residual, tangent = balance(body, h, x, *rest)
        correction = solve(tangent, residual)
        x = x - correction
        if norm_inf(correction) <= CONVERGED.of(h) * norm_inf(x) + STILL.of(h) / abs(h):
            body.count_newton(i + 1)
            return x
    body.count_newton(MOST_ITERATIONS)
    return follow_path(body, h, balance, first, *rest)


def newton_for_stages(
    body: Solving, h: float, balance: StagesBalance, x: tuple[Vec3, ...], *rest: Any
) -> tuple[Vec3, ...]:
    """Newton's method for the angular velocities x of the stages at which the residuals vanish.

    `balance(body, h, x, *rest)` returns the residuals and their derivative by x, in blocks, also
    for a part of h. Where Newton's method fails, it solves for a smaller part, and begins there
    with the next one.
    """
    begin, part, stride = x, 1.0, 1.0
    rounds = rounds_of_part = 0
    while stride >= LEAST_PART and rounds < MOST_ROUNDS:
        residuals, tangent = balance(body, part * h, x, *rest)
        corrections = solve_blocks(tangent, residuals)
        x = tuple([one - change for one, change in zip(x, corrections, strict=True)])
        change, size = norm_inf(corrections[0]), norm_inf(x[0])
        for one, more in zip(x[1:], corrections[1:], strict=True):
            change, size = max(change, norm_inf(more)), max(size, norm_inf(one))
        rounds += 1
        rounds_of_part += 1
        if change <= CONVERGED.of(h) * size + STILL.of(h) / abs(h):
            if part == 1.0:
                body.count_newton(rounds)
                return x
            begin, rounds_of_part = x, 0
            stride = min(2.0 * stride, 1.0 - part)
            part = part + stride
        elif rounds_of_part == MOST_ROUNDS_OF_PART or not change < inf:
            x, rounds_of_part = begin, 0
            stride = 0.5 * stride
            part = part - stride
    body.count_newton(rounds)
    body.not_found()
    return tuple([one * nan for one in x])


@rarely_called
def follow_path(body: Solving, h: float, balance: Balance, x: Vec3, *rest: Any) -> Vec3:
    """The solution at s = 1 that is connected with the one at s = 0; nan if the path from there
    does not reach s = 1.

    A point of the path is x and w = s times a velocity. Each round makes the least change that
    solves the balance to first order, with w fixed at both ends. Once the changes vanish the point
    is on the path, and the next stride goes along it; if they do not, the last stride is repeated
    with half its length.
    """
    unit = norm(x) + 1.0 / abs(h)
    begin = at = Vec4(x.x, x.y, x.z, 0.0)
    along, sign = 0.0 * at, 1.0
    stride, bound = FIRST_STRIDE * unit, inf
    for i in range(MOST_CORRECTIONS):
        part = at.w / unit
        residual, tangent = balance(body, part * h, at.xyz, *rest)
        beside, _ = balance(body, (part + BESIDE.of(h)) * h, at.xyz, *rest)
        by_w = (beside - residual) * (1.0 / (BESIDE.of(h) * unit))
        change = least_change(tangent, by_w * (1.0 if 0.0 < part < 1.0 else 0.0), residual)
        size = sqrt(change.square)
        good = size <= bound
        if good:
            at, bound = at - change, BENT * size
            if at.w == unit and size <= CONVERGED.of(h) * norm(at.xyz) + STILL.of(h) / abs(h):
                body.count_newton(i + 1)
                return at.xyz
            if at.w == unit or size > ON_THE_PATH.of(h) * unit:
                continue
            ahead = null_vector(tangent, by_w)
            if at.w == 0.0:
                sign = 1.0 if ahead.w > 0.0 else -1.0
            ahead = ahead * (sign / sqrt(ahead.square))
            good = at.w == 0.0 or (0.0 < at.w < unit and (ahead - along).square < TURNED)
            if good:
                begin, along = at, ahead
        stride = 2.0 * stride if good else 0.5 * stride
        while begin.w + stride * along.w < 0.0:
            stride = 0.5 * stride
        w = min(begin.w + stride * along.w, unit)
        if w == unit:
            stride = (unit - begin.w) / along.w
        if stride < LEAST_STRIDE.of(h) * unit:
            break
        at, bound = begin + stride * along, BENT * stride
        at = Vec4(at.x, at.y, at.z, w)
    body.not_found()
    return Vec3(nan, nan, nan)
