"""The loop that advances many bodies side by side, with the same step, start and field.

The bodies of a block lie in lanes: each component of their states is an array over the lanes, so
that a step without iterations and calls becomes vector instructions.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import MutableSequence
from typing import Any

from ..algebra import Mat3, Vec3
from ..compiler.primitives import own_memory, raised
from . import layout
from .advance import check_end, take_step
from .memory import Floats, Integers, options_of, unpack
from .one_body import read_body
from .parts import BatchParts, TogetherParts


def advance_batch(
    parts: BatchParts,
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
    """Advance the bodies of one block by `steps` steps of `h`.

    state : a block, as in `layout.py`; rows, last, extrema and every are not used.
    parameters : of all bodies; if these are varied, of each body, with its own step and number of
        steps.
    stop : a flag that another thread may set; the kernel returns within 16 steps.

    A body whose step leaves no finite state keeps the state before the step; the others continue.
    """
    rounded = parts.precision.rounded
    unrounded = parts.precision.unrounded
    own, first, body = read_common(parts, parameters, ledger)
    options = options_of(parts.options, first)
    quick_options = options_of(parts.quick_options, first)
    k = ledger[layout.STEP]
    like = parts.start(body, k * h, h, *(given_across(state, 0) + options))
    if ledger[layout.STARTED] == 0:
        for i in range(layout.LANES):
            one, h_own, chosen = read_lane(
                parts, parameters, own, body, h, parts.options, options, i
            )
            S = parts.start(one, k * h_own, h_own, *(given_across(state, i) + chosen))
            S = unrounded(rounded(S))
            one = unrounded(rounded(one))
            put_across(state, layout.MEMBER_STATE * layout.LANES + i, S)
            energy, _ = observe_lane(parts, one, k * h_own, S)
            put_across(
                state, layout.MEMBER_ENERGY * layout.LANES + i, (energy, energy, energy, energy)
            )
        ledger[layout.STARTED] = 1
    end = k + steps
    while k < end:
        if k & 15 == 0 and raised(stop):
            ledger[layout.OUTCOME] = layout.CANCELLED
            break
        t = k * h
        next_t = (k + 1) * h
        missed = layout.LANES
        if parts.quick:
            missed = 0
            for i in range(layout.LANES):
                forget(own)
                old = rounded(unpacked_across(state, layout.MEMBER_STATE * layout.LANES + i, like))
                one, h_own, chosen = read_lane(
                    parts, parameters, own, body, h, parts.quick_options, quick_options, i
                )
                one = rounded(one)
                new = parts.quick_step(
                    one,
                    rounded(k * h_own if parts.varied else t),
                    rounded(h_own),
                    *(old + rounded(chosen)),
                )
                energy, check = observe_lane(
                    parts,
                    unrounded(one),
                    (k + 1) * h_own if parts.varied else next_t,
                    unrounded(new),
                )
                alive = state[layout.MEMBER_OUTCOME * layout.LANES + i] == layout.RUNNING
                if parts.varied:
                    alive = alive & (k < parameters[layout.OWN_STEPS * layout.LANES + i])
                finite = check - check == 0.0
                if parts.field.by_pointer:
                    note_failure(ledger, own)
                    finite = finite & (own[layout.FAILED] == 0)
                good = alive & finite  # without paths of their own, which would cost registers
                missed += int(alive) - int(good)
                put_across(state, layout.MEMBER_STATE * layout.LANES + i, new if good else old)
                note(state, i, good, k + 1, energy)
        if missed > 0:
            for i in range(layout.LANES):
                wanted = (
                    k < parameters[layout.OWN_STEPS * layout.LANES + i] if parts.varied else True
                )
                if (
                    wanted
                    and state[layout.MEMBER_OUTCOME * layout.LANES + i] == layout.RUNNING
                    and state[layout.MEMBER_STEP * layout.LANES + i] <= k
                ):
                    forget(own)
                    one, h_own, chosen = rounded(
                        read_lane(parts, parameters, own, body, h, parts.options, options, i)
                    )
                    S = rounded(
                        unpacked_across(state, layout.MEMBER_STATE * layout.LANES + i, like)
                    )
                    given = parameters[i :: layout.LANES] if parts.varied else parameters
                    S = take_step(parts, one, given, own, S, k, h_own, chosen)
                    if parts.correct is not None:
                        S = parts.correct(
                            one, S, rounded(state[layout.MEMBER_START * layout.LANES + i])
                        )
                    energy, check = observe_lane(
                        parts,
                        unrounded(one),
                        (k + 1) * h_own if parts.varied else next_t,
                        unrounded(S),
                    )
                    if parts.field.by_pointer:
                        note_failure(ledger, own)
                        check = math.nan if own[layout.FAILED] != 0 else check
                    if check - check == 0.0:
                        put_across(state, layout.MEMBER_STATE * layout.LANES + i, S)
                        note(state, i, True, k + 1, energy)
                    else:
                        state[layout.MEMBER_OUTCOME * layout.LANES + i] = float(check_end(own))
        k += 1
    for i in range(layout.LANES):
        one, _, _ = read_lane(parts, parameters, own, body, h, (), (), i)
        one = unrounded(rounded(one))
        R, Omega, _ = parts.view(
            one, unpacked_across(state, layout.MEMBER_STATE * layout.LANES + i, like)
        )
        put_across(state, layout.MEMBER_GIVEN * layout.LANES + i, (R, Omega))
    ledger[layout.STEP] = k


# ----------------------------------------------------------------- what each body has of its own


def read_common(parts: BatchParts, parameters: Any, ledger: Any) -> tuple[Any, Any, Any]:
    """Return the ledger of the body that is stepped, the parameters of the first body, and that
    body, which stands for all unless they are varied.
    """
    own = ledger_of_one(ledger)
    first = parameters[:: layout.LANES] if parts.varied else parameters
    return own, first, parts.system.make(first, own, parts.field)


def read_lane(
    parts: BatchParts,
    parameters: Any,
    own: Any,
    body: Any,
    h: float,
    options: tuple[Any, ...],
    values: tuple[Any, ...],
    i: int,
) -> tuple[Any, float, tuple[Any, ...]]:
    """Return the body of a lane, its step and the values of its options: the common ones, unless
    bodies are varied.
    """
    if not parts.varied:
        return body, h, values
    given = parameters[i :: layout.LANES]
    varied = parts.system.make(given, own, parts.field)
    return varied, given[layout.OWN_STEP], options_of(options, given)


def observe_lane(parts: BatchParts, one: Any, t: float, S: tuple[Any, ...]) -> tuple[float, float]:
    """Return the energy of a body, and a number that is finite if its state is."""
    seen = parts.system.observe(one, t, parts.view(one, S))
    energy = seen[layout.SEEN_ENERGY]
    return energy, energy + seen[layout.SEEN_MOMENTUM] + seen[layout.SEEN_SKEW]


def note(state: Any, i: int, good: bool, steps: int, energy: float) -> None:
    """After a valid step of a body, record the number of steps, its energy and the extremes of the
    energy.

    It reads the old values in any case: a branch would write some lanes only.
    """
    made = layout.MEMBER_STEP * layout.LANES + i
    last = layout.MEMBER_ENERGY * layout.LANES + i
    lowest = layout.MEMBER_LEAST * layout.LANES + i
    highest = layout.MEMBER_MOST * layout.LANES + i
    steps_before = state[made]
    energy_before = state[last]
    least = state[lowest]
    most = state[highest]
    state[made] = float(steps) if good else steps_before
    state[last] = energy if good else energy_before
    state[lowest] = min(least, energy) if good else least
    state[highest] = max(most, energy) if good else most


# ----------------------------------------------------------------- memory


def ledger_of_one(ledger: Any) -> MutableSequence[int]:
    """Return a ledger for the body that is stepped, with the addresses of custom functions."""
    pointers = [ledger[layout.TORQUE_POINTER], ledger[layout.POTENTIAL_POINTER]]
    return own_memory(
        [0] * layout.TORQUE_POINTER + pointers + [0] * (layout.LEDGER - layout.FAILED)
    )


def forget(own: Any) -> None:
    """Clear the records of the previous body."""
    own[layout.UNSOLVED] = 0
    own[layout.BAD_TORQUE] = 0
    own[layout.FAILED] = 0


def note_failure(ledger: Any, own: Any) -> None:
    """Record in the block's ledger the first custom function that failed for any of its bodies."""
    if own[layout.FAILED] != 0 and ledger[layout.FAILED] == 0:
        for i in range(layout.FAILED, layout.LEDGER):
            ledger[i] = own[i]


def put_across(memory: Any, at: int, values: tuple[Any, ...]) -> None:
    """Write each component of the values into its array over the lanes."""
    for value in values:
        for component in (value,) if isinstance(value, float) else value:
            memory[at] = component
            at += layout.LANES


def unpacked_across(memory: Any, at: int, like: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read values of the same structure as `like`."""
    return unpack(memory[at :: layout.LANES], 0, like)


def given_across(memory: Any, i: int) -> tuple[Mat3, Vec3]:
    """R and Ω of a member as they are given."""
    at = layout.MEMBER_GIVEN * layout.LANES + i
    return read_body(memory[at :: layout.LANES], 0)


def careful(parts: BatchParts) -> BatchParts:
    """Return the parts for plain Python, which raises where compiled code continues with inf and
    nan.
    """
    n = len(parts.carries)
    own_steps = isinstance(parts, TogetherParts)  # of which each gives R, Ω and the size
    unseen = (math.nan,) * len(layout.OBSERVED_FORCED)
    correct = parts.correct
    return dataclasses.replace(
        parts,
        step=_caught(parts.step, lambda body, t, *S: _lost(S[:3] if own_steps else S[1 : n + 1])),
        correct=correct and _caught(correct, lambda body, S, energy: _lost(S)),
        system=dataclasses.replace(
            parts.system, observe=_caught(parts.system.observe, lambda *_: unseen)
        ),
    )


def _caught(function: Any, nothing: Any) -> Any:
    """Return a function that returns `nothing` of its arguments if this one raises."""

    def attempt(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (ZeroDivisionError, OverflowError, ValueError):
            return nothing(*arguments)

    return attempt


def _lost(S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a state of the same structure, filled with nan."""
    return tuple(
        math.nan if isinstance(x, float) else type(x)(*[math.nan] * len(tuple(x))) for x in S
    )
