"""The loop that advances one body with the derivatives of its motion: by its start, its inertia and
the step.

The derivatives are forward: a step runs on dual numbers. Where it solves equations by Newton's
method, the solution's derivative follows from the implicit function theorem, with derivatives of
the balance that are exact.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from math import log, sqrt
from typing import cast

from ..algebra import (
    Diag3,
    Mat3,
    Vec3,
    dot,
    full,
    hat,
    orthonormalise,
    solve,
    trace,
    vee,
)
from ..algebra.linear import solve_blocks
from ..algebra.values import Value
from ..algorithms.core import DIFFERENTIABLE, Solving, newton, newton_for_stages
from ..algorithms.core.newton import Balance, StagesBalance
from ..compiler.dual import Dual, derivative, with_slopes
from ..compiler.frontend.structure import strip
from ..compiler.primitives import raised
from . import layout
from .fast_path import Replacing
from .memory import Floats, Integers, options_of, write_values
from .one_body import BodyInField
from .parts import Parts, TangentParts

TURN, MOMENTUM, INERTIA, STEP, SEEDS = 0, 3, 6, 9, 10
"""Where the parts of a direction begin: the turn δ of R exp(δ), Π, the principal moments and h; and
its length.
"""
LARGE = 1e100
"""The length at which a growing direction is scaled back."""


def advance_tangents(
    parts: TangentParts,
    state: Floats,
    parameters: Floats,
    ledger: Integers,
    stop: Integers,
    rows: Floats,
    last: Floats,
    extrema: Floats,
    h: float,
    steps: int,
    every: int,
) -> None:
    """Advance the body and its derivatives by `steps` steps of `h`.

    state : R and Ω, at the start and then at the end.
    rows : for each number of `SEEDS` its derivatives in all directions; at the end those of the
        turn and of Π.
    extrema : a momentum by which the length of a change of Π is measured; at the end the largest
        logarithm of the length of the first direction over every step, which kernels with one
        direction compute.
    """
    system = parts.system
    body = system.make(parameters, ledger, parts.field)
    R, Omega = system.read(state, 0)
    Pi = body.J @ Omega
    size = h
    unit = 1.0 / (extrema[0] * extrema[0])
    if parts.parameters_too:
        J = Diag3(*[seeded(rows, parts.directions, INERTIA + i, x) for i, x in enumerate(body.J)])
        body = system.make(parameters, ledger, parts.field, None, J)
        size = seeded(rows, parts.directions, STEP, h)
    R = R + R @ hat(Vec3(*[seeded(rows, parts.directions, TURN + i, 0.0) for i in range(3)]))
    changed = body.Jinv @ Vec3(
        *[seeded(rows, parts.directions, MOMENTUM + i, x) for i, x in enumerate(Pi)]
    )
    Omega = Vec3(*[with_slopes(x, y.d) for x, y in zip(Omega, changed, strict=True)])
    options = options_of(parts.options, parameters)
    energy = 0.5 * dot(Omega, body.J @ Omega)
    S = parts.start(body, 0.0 * size, size, R, Omega, *options)
    k = 0
    largest = 1.0
    scale = 0.0
    while k < steps:
        if parts.composed:
            for share, part in parts.stages:
                S = parts.step(body, (k + share) * size, part * size, *(S + options))
        else:
            S = parts.step(body, k * size, size, *(S + options))
        if parts.correct is not None:
            S = parts.correct(body, S, energy)
        k += 1
        if parts.directions == 1:
            turn, momentum = find_changes(body, parts.view(body, S), 1)[0]
            square = dot(turn, turn) + unit * dot(momentum, momentum)
            if not square <= largest:  # nan replaces a number
                largest = square
            if square > LARGE:
                scale = scale + 0.5 * log(square)
                largest = 1.0
                S = scaled(S, 1.0 / sqrt(square))
        if k & 15 == 0 and raised(stop):
            ledger[layout.OUTCOME] = layout.CANCELLED
            break
    shown = parts.view(body, S)
    for i, (turn, momentum) in enumerate(find_changes(body, shown, parts.directions)):
        for j, x in enumerate((*turn, *momentum)):
            rows[j * parts.directions + i] = x
    write_values(state, 0, strip(shown[:2]))
    extrema[0] = scale + 0.5 * log(largest)
    ledger[layout.STEP] = k


def seeded(rows: Floats, n: int, j: int, x: float) -> float:
    """Return a number with its derivatives in n directions."""
    return with_slopes(x, tuple([rows[j * n + i] for i in range(n)]))


def find_changes(
    body: BodyInField, shown: tuple[Mat3, Vec3, Vec3], directions: int
) -> list[tuple[Vec3, Vec3]]:
    """Return for each direction the turn, in the body's frame, and the change of Π.

    The turn is that of the nearest rotation Q, since some methods leave the rotations: with R = Q P
    and a symmetric P, the skew part of Qᵀ dR is that of ŵ P, where w is the turn.
    """
    R, Omega, _ = shown
    back = orthonormalise(strip(R)).T
    P = back @ strip(R)
    of_turn = trace(P) * full(Diag3(1.0, 1.0, 1.0)) - P
    Pi = body.J @ Omega
    return [
        (
            solve(of_turn, 2.0 * vee(back @ Mat3(*[derivative(x, i) for x in R]))),
            Vec3(*[derivative(x, i) for x in Pi]),
        )
        for i in range(directions)
    ]


def scaled(value: object, factor: float) -> object:
    """Return a structured value with its derivatives multiplied by a factor."""
    if isinstance(value, Dual):
        return Dual(value.x, tuple([factor * d for d in value.d]))
    if isinstance(value, tuple):
        return tuple([scaled(x, factor) for x in value])
    if isinstance(value, Value):
        return type(value)(*[cast(float, scaled(x, factor)) for x in value])
    return value


def newton_with_derivatives(
    body: Solving, h: float, balance: Balance, x: Vec3, *rest: object
) -> Vec3:
    """Newton's method, with the derivatives of its solution."""

    def balance_of_one(
        body: Solving, h: float, x: tuple[Vec3], *rest: object
    ) -> tuple[tuple[Vec3], Mat3]:
        F, A = balance(body, h, x[0], *rest)
        return (F,), A

    found = newton(strip(body), strip(h), balance, strip(x), *strip(rest))
    return differentiate_solution(body, h, balance_of_one, (found,), rest)[0]


def newton_for_stages_with_derivatives(
    body: Solving, h: float, balance: StagesBalance, x: tuple[Vec3, ...], *rest: object
) -> tuple[Vec3, ...]:
    """Newton's method for several stages, with the derivatives of its solution."""
    found = newton_for_stages(strip(body), strip(h), balance, strip(x), *strip(rest))
    return differentiate_solution(body, h, balance, found, rest)


def differentiate_solution(
    body: Solving,
    h: float,
    balance: Callable[..., tuple[tuple[Vec3, ...], object]],
    x: tuple[Vec3, ...],
    rest: tuple[object, ...],
) -> tuple[Vec3, ...]:
    """The vectors x at which a balance vanishes, with dx = −A⁻¹ dF, where dF are the balance's
    derivatives and A is that by x.
    """
    n = len(x)
    by_x = tuple(
        [
            Vec3(
                *[
                    with_slopes(one, tuple([float(3 * i + k == j) for j in range(3 * n)]))
                    for k, one in enumerate(v)
                ]
            )
            for i, v in enumerate(x)
        ]
    )
    F, _ = balance(strip(body), strip(h), by_x, *strip(rest))
    A = tuple(
        [
            tuple(
                [Mat3(*[derivative(y, 3 * j + k) for y in f for k in range(3)]) for j in range(n)]
            )
            for f in F
        ]
    )
    dF, _ = balance(body, h, x, *rest)
    directions = max([len(y.d) if isinstance(y, Dual) else 0 for f in dF for y in f])
    dx = [
        solve_blocks(A, tuple([Vec3(*[-derivative(y, d) for y in f]) for f in dF]))
        for d in range(directions)
    ]
    return tuple(
        [
            Vec3(
                *[
                    with_slopes(one, tuple(slopes))
                    for one, slopes in zip(v, zip(*[d[i] for d in dx], strict=True), strict=True)
                ]
            )
            for i, v in enumerate(x)
        ]
    )


with_derivatives = Replacing(
    ChainMap(
        {newton: newton_with_derivatives, newton_for_stages: newton_for_stages_with_derivatives},
        DIFFERENTIABLE,
    )
)
"""Reaches solutions with their derivatives, and forms of functions that have derivatives
everywhere.
"""


def add_derivatives(parts: Parts, directions: int, parameters_too: bool) -> TangentParts:
    """Return the parts of the kernel that also computes derivatives; perhaps by the inertia and the
    step too.
    """
    return TangentParts.of(
        parts.change_functions(with_derivatives),
        directions=directions,
        parameters_too=parameters_too,
    )
