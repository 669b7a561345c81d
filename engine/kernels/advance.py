"""The loop that advances one body: a template that runs as plain Python, or compiled for one method
and one field.

Before it runs, `parts.py` binds the open names below to the method's step and start, its options,
its field and so on; everything else is the same for all methods.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

from ..compiler.primitives import raised
from . import layout
from .memory import options_of, unpack, write_values
from .pointer import POINTERS

T = TypeVar("T")

# ----------------------------------------------------------------- names left open, bound for each
# kernel
system: Any
step: Any
start: Any
given: Any
view: Any
attitudes: Any
observe: Any
put_row: Any
correct: Any
OPTIONS: tuple[Any, ...]
COMPOSED: bool
STAGES: tuple[tuple[float, float], ...]
FIELD: Any
OWN_STEPS: bool
reach: Any
GIVEN: int
INCREMENTS: int
TRACKED: bool
CORRECTED: bool
HELD: bool
rounded: Any
unrounded: Any


def advance(state, parameters, ledger, stop, rows, last, extrema, h, steps, every):  # type: ignore[no-untyped-def]
    """Advance the body by `steps` steps of `h`, and update its state in place.

    state : first the initial values, then, after the start, the method's own variables.
    stop : a flag that another thread may set; the kernel returns within 16 steps.
    rows : the stored rows, one for every `every` steps of the whole run; `last` is the row of the
        last step.
    extrema : smallest and largest value of each observed quantity, over every step (`TRACKED`
        kernels only).

    With 32-bit steps, `rounded` rounds their inputs, and `unrounded` converts them for the
    observation, so that observed quantities describe the motion and not the rounding of the
    measurement; otherwise both return their argument.

    With `OWN_STEPS` the method chooses its steps, and makes them until its time, S[2], is that of
    the next row or beyond; each counts for the extrema. `reach` then gives the state at the row.

    The first call also writes the first row. If a step leaves no finite state, the state stays as
    it was at the call; the ledger has the last valid step."""
    body = system(parameters, ledger, FIELD)
    options = options_of(OPTIONS, parameters)
    moved = rounded(body)
    chosen = rounded(options)
    size = rounded(h)
    seen_from = unrounded(moved)
    k = ledger[layout.STEP]
    torques = ledger[layout.TORQUE_EVALUATIONS]
    iterations = ledger[layout.NEWTON_ITERATIONS]
    S = start(body, k * h, h, *(given(state, 0) + options))
    if ledger[layout.STARTED] != 0:  # then the start only gives the type of the state
        ledger[layout.TORQUE_EVALUATIONS] = torques
        ledger[layout.NEWTON_ITERATIONS] = iterations
        S = unpack(state, GIVEN, S)
    S = rounded(S)
    shown = view(seen_from, unrounded(S))
    write_values(last, 0, attitudes(shown))
    if ledger[layout.STARTED] == 0:
        seen = observe(seen_from, k * h, shown)
        put_row(rows, 0, last, shown, seen)
        if TRACKED:
            widen(extrema, seen)
    end = k + steps
    keep = (k // every + 1) * every
    mark = min(keep, end)
    while k < end:
        mover = moved
        if HELD:
            R, Omega, _ = view(moved, S)
            moment = R @ moved.torque(rounded(k * h), R, Omega)
            mover = rounded(system(parameters, ledger, FIELD, moment))
            if len(S) > 2:  # what it carries besides is of the torque before
                S = start(mover, rounded(k * h), rounded(STAGES[0][1] * h), R, Omega, *chosen)
        if OWN_STEPS:
            while S[2] < (k + 1) * h:
                S = step(mover, (k + 1) * h, h, *(S + chosen))
                if TRACKED and S[2] == S[2]:
                    widen(extrema, observe(seen_from, S[2], view(seen_from, S)))
            S = reach(mover, (k + 1) * h, h, *(S + chosen))
        elif COMPOSED:
            for share, part in STAGES:
                S = step(mover, rounded((k + share) * h), rounded(part * h), *(S + chosen))
        else:
            S = step(mover, rounded(k * h), size, *(S + chosen))
        if CORRECTED:
            S = correct(moved, S, moved.energy)
        k += 1
        if TRACKED:
            shown = view(seen_from, unrounded(S))
            seen = observe(seen_from, k * h, shown)
            check = seen[layout.SEEN_ENERGY] + seen[layout.SEEN_MOMENTUM] + seen[layout.SEEN_SKEW]
            if (
                FIELD in POINTERS and ledger[layout.FAILED] != 0 and not OWN_STEPS
            ):  # shorter ones may stay before it
                check = math.nan
            if check - check != 0.0:
                ledger[layout.OUTCOME] = check_end(ledger)
                ledger[layout.STEP] = k - 1
                return
            widen(extrema, seen)
            if k == mark:
                if k == keep:
                    put_row(rows, k // every * (GIVEN + INCREMENTS + len(seen)), last, shown, seen)
                    keep += every
                mark = min(keep, end)
        if k & 15 == 0 and k < end and raised(stop):
            end = k + 1
            mark = end
            ledger[layout.OUTCOME] = layout.CANCELLED
        if (
            k + 1 == mark
        ):  # not ahead of the step: the compiler would make another step of what follows a kept row
            write_values(last, 0, attitudes(view(seen_from, unrounded(S))))
    shown = view(seen_from, unrounded(S))
    put_row(last, 0, last, shown, observe(seen_from, k * h, shown))
    write_values(state, GIVEN, S)
    ledger[layout.STEP] = k
    ledger[layout.STARTED] = 1


def watch(state, parameters, ledger, stop, rows, last, extrema, h, steps, every):  # type: ignore[no-untyped-def]
    """Observe states instead of computing them: the first `steps` rows contain them, with their
    times.

    It fills in the rest of each row: the angle since the previous row instead of the time, and the
    observed quantities.
    """
    body = system(parameters, ledger, FIELD)
    at = 0
    for i in range(steps):
        t = rows[at + GIVEN]
        shown = view(body, start(body, t, h, *given(rows, at)))
        if i == 0:
            write_values(last, 0, attitudes(shown))
        seen = observe(body, t, shown)
        widen(extrema, seen)
        put_row(rows, at, last, shown, seen)
        write_values(last, 0, attitudes(shown))
        at += GIVEN + INCREMENTS + len(seen)


def as_it_is(value: T) -> T:
    """Stand for `rounded` and `unrounded` where everything has 64 bits."""
    return value


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
