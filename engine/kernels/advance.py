"""The loop that advances one body, two or an attitude: it runs as plain Python, or compiled for the parts of one
method in one field.
"""

from __future__ import annotations

import math
from typing import Any

from ..compiler.primitives import make_room, raised
from . import layout
from .memory import Floats, Integers, options_of, unpack, write_values
from .parts import Parts


def advance(
    parts: Parts,
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
    """Advance the body by `steps` steps of `h`, and update its state in place.

    state : first the initial values, then, after the start, the method's own variables.
    stop : a flag that another thread may set; the kernel returns within 16 steps.
    rows : the stored rows, one for every `every` steps of the whole run; `last` is the row of the
        last step.
    extrema : smallest and largest value of each observed quantity, over every step, if it is
        tracked.

    If the parts have `reach`, the method chooses its steps, and makes them until its time, S[2], is
    that of the next row or beyond; each counts for the extrema. `reach` then gives the state at the
    row.

    The first call also writes the first row. If a step leaves no finite state, the state stays as
    it was at the call; the ledger has the last valid step."""
    system = parts.system
    rounded = parts.precision.rounded
    unrounded = parts.precision.unrounded
    body = system.make(parameters, ledger, parts.field)
    options = options_of(parts.options, parameters)
    moved = rounded(body)
    chosen = rounded(options)
    if parts.room > 0:
        chosen += (make_room(parts.room),)
    seen_from = unrounded(moved)
    k = ledger[layout.STEP]
    torques = ledger[layout.TORQUE_EVALUATIONS]
    iterations = ledger[layout.NEWTON_ITERATIONS]
    S = parts.start(body, k * h, h, *(system.read(state, 0) + options))
    if ledger[layout.STARTED] != 0:  # then the start only gives the type of the state
        ledger[layout.TORQUE_EVALUATIONS] = torques
        ledger[layout.NEWTON_ITERATIONS] = iterations
        S = unpack(state, system.layout.size, S)
    S = rounded(S)
    shown = parts.view(seen_from, unrounded(S))
    write_values(last, 0, system.attitudes(shown))
    if ledger[layout.STARTED] == 0:
        seen = system.observe(seen_from, k * h, shown)
        system.put_row(rows, 0, last, shown, seen)
        if parts.tracked:
            widen(extrema, seen)
    end = k + steps
    keep = (k // every + 1) * every
    mark = min(keep, end)
    while k < end:
        if parts.reach is not None:
            while S[2] < (k + 1) * h:
                S = parts.step(moved, (k + 1) * h, h, *(S + chosen))
                if parts.tracked and S[2] == S[2]:
                    widen(extrema, system.observe(seen_from, S[2], parts.view(seen_from, S)))
            S = parts.reach(moved, (k + 1) * h, h, *(S + chosen))
        else:
            S = take_step(parts, moved, parameters, ledger, S, k, h, chosen)
        if parts.correct is not None:
            S = parts.correct(moved, S, moved.energy)
        k += 1
        if parts.tracked:
            shown = parts.view(seen_from, unrounded(S))
            seen = system.observe(seen_from, k * h, shown)
            first, *others = system.checked
            check = seen[first]
            for i in others:
                check += seen[i]
            if (
                parts.field.by_pointer and ledger[layout.FAILED] != 0 and parts.reach is None
            ):  # shorter ones may stay before it
                check = math.nan
            if check - check != 0.0:
                ledger[layout.OUTCOME] = check_end(ledger)
                ledger[layout.STEP] = k - 1
                return
            widen(extrema, seen)
            if k == mark:
                if k == keep:
                    system.put_row(
                        rows, k // every * (system.layout.observed + len(seen)), last, shown, seen
                    )
                    keep += every
                mark = min(keep, end)
        if k & 15 == 0 and k < end and raised(stop):
            end = k + 1
            mark = end
            ledger[layout.OUTCOME] = layout.CANCELLED
        if (
            k + 1 == mark
        ):  # not ahead of the step: the compiler would make another step of what follows a kept row
            write_values(last, 0, system.attitudes(parts.view(seen_from, unrounded(S))))
    shown = parts.view(seen_from, unrounded(S))
    system.put_row(last, 0, last, shown, system.observe(seen_from, k * h, shown))
    write_values(state, system.layout.size, S)
    ledger[layout.STEP] = k
    ledger[layout.STARTED] = 1


def take_step(
    parts: Parts,
    moved: Any,
    parameters: Any,
    ledger: Any,
    S: tuple[Any, ...],
    k: int,
    h: float,
    chosen: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Return the state after step k, whose torque may be held, and which may have several stages."""
    rounded = parts.precision.rounded
    begin = parts.system.begin
    mover = moved
    if parts.held:
        R, Omega, _ = parts.view(moved, S)
        moment = R @ moved.torque(rounded(k * h), R, Omega)
        mover = rounded(parts.system.make(parameters, ledger, parts.field, moment))
        if len(S) > 2:  # what it carries besides is of the torque before
            S = parts.start(
                mover, rounded(k * h), rounded(parts.stages[0][1] * h), R, Omega, *chosen
            )
    if parts.composed:
        for share, part in parts.stages:
            taking, t, size = begin(mover, (k + share) * h, part * h)
            S = parts.step(taking, rounded(t), rounded(size), *(S + chosen))
    else:
        taking, t, size = begin(mover, k * h, h)
        S = parts.step(taking, rounded(t), rounded(size), *(S + chosen))
    return S


def watch(
    parts: Parts,
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
    """Observe states instead of computing them: the first `steps` rows contain them, with their
    times.

    It fills in the rest of each row: the angle since the previous row instead of the time, and the
    observed quantities.
    """
    system = parts.system
    body = system.make(parameters, ledger, parts.field)
    at = 0
    for i in range(steps):
        t = rows[at + system.layout.size]
        shown = parts.view(body, parts.start(body, t, h, *system.read(rows, at)))
        if i == 0:
            write_values(last, 0, system.attitudes(shown))
        seen = system.observe(body, t, shown)
        widen(extrema, seen)
        system.put_row(rows, at, last, shown, seen)
        write_values(last, 0, system.attitudes(shown))
        at += system.layout.observed + len(seen)


def check_end(ledger: Any) -> int:
    """Return why a step left no finite state: it was not solved, unless the torque was not finite
    before.
    """
    unsolved = ledger[layout.UNSOLVED] != 0 and ledger[layout.BAD_TORQUE] == 0
    return int(ledger[layout.UNSOLVED]) if unsolved else layout.DIVERGED


def widen(extrema: Any, seen: tuple[float, ...]) -> None:
    """Widen the extremes of each quantity by its new value."""
    for i, value in enumerate(seen):
        extrema[i] = min(extrema[i], value)
        extrema[len(seen) + i] = max(extrema[len(seen) + i], value)
