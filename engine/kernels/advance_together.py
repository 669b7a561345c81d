"""The loop that advances many bodies side by side with a method that chooses its steps: each body
has its own time and its own steps.

The bodies of a block lie in lanes, of which as many are computed with at once as a register holds;
those that are not yet at the end make a step, and the others keep their state.
"""

from __future__ import annotations

from typing import Any

from ..algebra.rarely_called import any_of
from ..algorithms.core import MOST_STEPS
from ..compiler.primitives import make_room, raised, side_by_side
from . import layout
from .advance_batch import observe_lane, read_common
from .memory import Floats, Integers, options_of, write_values
from .one_body import read_body
from .parts import TogetherParts

TIME = layout.MEMBER_STATE
"""Where the time of a body stands, behind R and Ω."""


def advance_together(
    parts: TogetherParts,
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
    """Advance the bodies of one block by the time of `steps` rows, of which each is h.

    state : a block, as in `layout.py`; rows, last, extrema and every are not used.
    parameters : of all bodies; if these are varied, of each body, with its own h and number of rows.
        The options are those of the first.
    stop : a flag that another thread may set; the kernel returns within 16 steps.

    A body whose step leaves no finite state keeps the state before the step; the others continue.
    """
    own, first, body = read_common(parts, parameters, ledger)
    options = options_of(parts.options, first)
    room = side_by_side(make_room(parts.room * parts.width)[:: parts.width], parts.width)
    k = ledger[layout.STEP]
    for i in range(0, layout.LANES, parts.width):
        some = side_by_side(state[i :: layout.LANES], parts.width)
        each, size, row = find_some(parts, parameters, own, body, h, k + steps, i)
        if ledger[layout.STARTED] == 0:
            begin_some(parts, each, some)
        most = MOST_STEPS * steps
        if not advance_some(parts, each, some, stop, row, row * size, most, (*options, room)):
            ledger[layout.OUTCOME] = layout.CANCELLED
            return
    ledger[layout.STEP] = k + steps
    ledger[layout.STARTED] = 1


def find_some(
    parts: TogetherParts, parameters: Any, own: Any, body: Any, h: float, last: int, i: int
) -> tuple[Any, float, float]:
    """Return some bodies, the size of their rows, and the row to which they are advanced: the common
    ones, unless bodies are varied.
    """
    if not parts.varied:
        return body, h, float(last)
    given: Any = side_by_side(parameters[i :: layout.LANES], parts.width)
    varied = parts.system.make(given, own, parts.field)
    return varied, given[layout.OWN_STEP], min(float(last), given[layout.OWN_STEPS])


def begin_some(parts: TogetherParts, body: Any, some: Any) -> None:
    """Note the energy of some bodies at their start."""
    energy, _ = observe_lane(parts, body, 0.0, read_body(some, layout.MEMBER_GIVEN))
    write_values(some, layout.MEMBER_ENERGY, (energy, energy, energy, energy))
    some[TIME] = 0.0


def advance_some(
    parts: TogetherParts,
    body: Any,
    some: Any,
    stop: Any,
    row: float,
    end: float,
    most_steps: int,
    options: tuple[Any, ...],
) -> bool:
    """Advance some bodies, of which each makes its own steps, to a row, whose time is `end`; return
    False if cancelled.
    """
    R, Omega = read_body(some, layout.MEMBER_GIVEN)
    t = some[TIME]
    outcome = some[layout.MEMBER_OUTCOME]
    chosen = some[layout.MEMBER_CHOSEN]
    energy = some[layout.MEMBER_ENERGY]
    least = some[layout.MEMBER_LEAST]
    most = some[layout.MEMBER_MOST]
    jump, _ = body.next_stop(t)
    rounds = 0
    cancelled = False
    while any_of((outcome == layout.RUNNING) & (t < end)):
        if rounds & 15 == 0 and raised(stop):
            cancelled = True
            break
        moving = (outcome == layout.RUNNING) & (t < end)
        if any_of(t >= jump):
            jump, _ = body.next_stop(t)
        until = min(jump, end)
        R1, Omega1, size = parts.step(body, t, R, Omega, until - t, *options)
        t1 = until if size == until - t else t + size
        energy1, _ = observe_lane(parts, body, t1, (R1, Omega1))
        check = energy1 + R1.xx + R1.zx + Omega1.x + Omega1.y + Omega1.z
        finite = check - check == 0.0
        found = (t1 > t) & (rounds < most_steps)
        good = moving & finite & found
        outcome = float(layout.DIVERGED) if moving & (not finite) else outcome
        outcome = float(layout.NOT_FOUND) if moving & finite & (not found) else outcome
        R, Omega, t, energy = (R1, Omega1, t1, energy1) if good else (R, Omega, t, energy)
        least = min(least, energy)
        most = max(most, energy)
        chosen = chosen + 1.0 if good else chosen
        rounds += 1
    arrived = (outcome == layout.RUNNING) & (t >= end)
    steps = some[layout.MEMBER_STEP]
    some[layout.MEMBER_STEP] = row if arrived else steps
    some[layout.MEMBER_OUTCOME] = outcome
    some[layout.MEMBER_CHOSEN] = chosen
    write_values(some, layout.MEMBER_ENERGY, (energy, least, most))
    write_values(some, layout.MEMBER_GIVEN, (R, Omega))
    some[TIME] = t
    return not cancelled
