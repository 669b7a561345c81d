"""The loop that advances one body with the derivatives of its motion: by its start, its inertia and
the step.

The derivatives are forward: a step runs on dual numbers. Where it solves equations by Newton's
method, the solution's derivative follows from the implicit function theorem, with derivatives of
the balance that are exact.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, dot, hat, solve, vee
from ..algebra.values import Value
from ..algorithms.core import newton
from ..compiler.dual import Dual, derivative, with_slopes
from ..compiler.frontend.structure import strip
from ..compiler.frontend.symbols import Content
from ..compiler.primitives import raised
from . import layout
from .fast_path import Replacing
from .memory import options_of, write_values

# ----------------------------------------------------------------- names left open, bound for each
# kernel
system: Any
step: Any
start: Any
given: Any
view: Any
correct: Any
OPTIONS: tuple[Any, ...]
COMPOSED: bool
STAGES: tuple[tuple[float, float], ...]
FIELD: Any
CORRECTED: bool
DIRECTIONS: int
PARAMETERS_TOO: bool

TURN, MOMENTUM, INERTIA, STEP, SEEDS = 0, 3, 6, 9, 10
"""Where the parts of a direction begin: the turn δ of R exp(δ), Π, the principal moments and h; and
its length.
"""
LARGE = 1e100
"""The length at which a growing direction is scaled back."""


def advance_tangents(state, parameters, ledger, stop, rows, last, extrema, h, steps, every):  # type: ignore[no-untyped-def]
    """Advance the body and its derivatives by `steps` steps of `h`.

    state : R and Ω, at the start and then at the end.
    rows : for each number of `SEEDS` its derivatives in all directions; at the end those of the
        turn and of Π.
    extrema : the largest logarithm of the length of the first direction; kernels with one direction
        compute it.
    """
    body = system(parameters, ledger, FIELD)
    R, Omega = given(state, 0)
    Pi, size = body.J @ Omega, h
    unit = 1.0 / dot(Pi, Pi)
    if PARAMETERS_TOO:
        J = Diag3(*[seeded(rows, DIRECTIONS, INERTIA + i, x) for i, x in enumerate(body.J)])
        body, size = system(parameters, ledger, FIELD, None, J), seeded(rows, DIRECTIONS, STEP, h)
    R = R + R @ hat(Vec3(*[seeded(rows, DIRECTIONS, TURN + i, 0.0) for i in range(3)]))
    changed = body.Jinv @ Vec3(
        *[seeded(rows, DIRECTIONS, MOMENTUM + i, x) for i, x in enumerate(Pi)]
    )
    Omega = Vec3(*[with_slopes(x, y.d) for x, y in zip(Omega, changed, strict=True)])
    options = options_of(OPTIONS, parameters)
    energy = 0.5 * dot(Omega, body.J @ Omega)
    S = start(body, 0.0 * size, size, R, Omega, *options)
    k, largest, scale = 0, 0.0, 0.0
    while k < steps:
        if COMPOSED:
            for share, part in STAGES:
                S = step(body, (k + share) * size, part * size, *(S + options))
        else:
            S = step(body, k * size, size, *(S + options))
        if CORRECTED:
            S = correct(body, S, energy)
        k += 1
        if DIRECTIONS == 1:
            turn, momentum = changes(body, view(body, S), 0)
            square = dot(turn, turn) + unit * dot(momentum, momentum)
            if square > LARGE or k & 15 == 0 or k == steps:
                largest = max(largest, scale + 0.5 * log(square))
            if square > LARGE:
                scale += 0.5 * log(square)
                S = scaled(S, 1.0 / sqrt(square))
        if k & 15 == 0 and raised(stop):
            ledger[layout.OUTCOME] = layout.CANCELLED
            break
    shown = view(body, S)
    for i, (turn, momentum) in enumerate([changes(body, shown, i) for i in range(DIRECTIONS)]):
        for j, x in enumerate((*turn, *momentum)):
            rows[j * DIRECTIONS + i] = x
    write_values(state, 0, strip(shown[:2]))
    extrema[0] = largest
    ledger[layout.STEP] = k


def seeded(rows: Any, n: int, j: int, x: float) -> Content:
    """Return a number with its derivatives in n directions."""
    return with_slopes(x, tuple([rows[j * n + i] for i in range(n)]))


def changes(body: Any, shown: tuple[Any, ...], i: int) -> tuple[Vec3, Vec3]:
    """Return the turn, in the body's frame, and the change of Π in a direction."""
    R, Omega, _ = shown
    dR = Mat3(*[derivative(x, i) for x in R])
    return vee(strip(R).T @ dR), Vec3(*[derivative(x, i) for x in body.J @ Omega])


def scaled(value: Any, factor: float) -> Content:
    """Return a structured value with its derivatives multiplied by a factor."""
    if isinstance(value, Dual):
        return Dual(value.x, tuple([factor * d for d in value.d]))
    if isinstance(value, tuple):
        return tuple([scaled(x, factor) for x in value])
    return type(value)(*[scaled(x, factor) for x in value]) if isinstance(value, Value) else value


def newton_with_derivatives(body: Any, h: Any, balance: Any, x: Any, *rest: Any) -> Content:
    """Newton's method for the values; then dx = −A⁻¹ dF with the balance's derivatives dF and A at
    the solution.
    """
    x = newton(strip(body), strip(h), balance, strip(x), *strip(rest))
    by_x = [with_slopes(one, tuple([float(i == j) for j in range(3)])) for i, one in enumerate(x)]
    F, _ = balance(strip(body), strip(h), Vec3(*by_x), *strip(rest))
    A = Mat3(*[derivative(y, j) for y in F for j in range(3)])
    dF, _ = balance(body, h, x, *rest)
    n = max([len(y.d) if isinstance(y, Dual) else 0 for y in dF])
    dx = [solve(A, Vec3(*[-derivative(y, i) for y in dF])) for i in range(n)]
    return Vec3(
        *[with_slopes(one, tuple(d)) for one, d in zip(x, zip(*dx, strict=True), strict=True)]
    )


with_derivatives = Replacing({newton: newton_with_derivatives})
"""Reaches solutions with their derivatives."""
CHANGED = ("step", "start", "correct", "options", "field")
"""The parts of a kernel that may solve equations."""
