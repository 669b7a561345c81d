"""The loop that advances a body: one function, run as plain Python or compiled for one method and one field.

`advance` is a template. Before it runs, the names in `Blanks` are bound to the method's step and start, its
options, its field and so on (see `parts.py`); nothing else in it changes from method to method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algebra import Mat3, Vec3, angle, dot, rotation_of
from ..field import Attraction
from .bodies import Bodies
from .body import Body
from .layout import (
    BAD_TORQUE,
    CANCELLED,
    DIVERGED,
    NEWTON_ITERATIONS,
    OPTION_NUMBERS,
    OUTCOME,
    ROW_VELOCITY,
    SEEN_ENERGY,
    SEEN_MOMENTUM,
    SEEN_SKEW,
    STARTED,
    STEP,
    TORQUE_EVALUATIONS,
    UNSOLVED,
)

# ----------------------------------------------------------------- blanks, filled in for each kernel
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
GIVEN: int
INCREMENTS: int
TRACKED: bool
CORRECTED: bool


def advance(state, parameters, ledger, stop, rows, last, extrema, h, steps, every):  # type: ignore[no-untyped-def]
    """Advance the body by `steps` steps of `h`, and leave its state where it was found.

    state : what is given at first, then the method's own variables once it has started.
    stop : a flag that another thread may raise; the kernel returns within 16 steps.
    rows : the kept rows, one each `every` steps of the whole run; `last` the row of the last step done.
    extrema : least and largest of each observed quantity, over every step (`TRACKED` kernels only).

    If a step leaves no finite state, the state stays as it was at the call; the ledger tells the last good step.
    """
    body = body_of(FIELD, parameters, ledger)
    options = options_of(OPTIONS, parameters)
    k = ledger[STEP]
    torques, iterations = ledger[TORQUE_EVALUATIONS], ledger[NEWTON_ITERATIONS]
    S = start(body, k * h, h, *(given(state, 0) + options))
    if ledger[STARTED] != 0:  # then the start only tells of what make the state is
        ledger[TORQUE_EVALUATIONS] = torques
        ledger[NEWTON_ITERATIONS] = iterations
        S = unpacked(state, GIVEN, S)
    end = k + steps
    keep = (k // every + 1) * every
    mark = min(keep, end)
    put(last, 0, attitudes(view(body, S)))
    while k < end:
        if COMPOSED:
            for share, part in STAGES:
                S = step(body, (k + share) * h, part * h, *(S + options))
        else:
            S = step(body, k * h, h, *(S + options))
        if CORRECTED:
            S = correct(body, S)
        k += 1
        if TRACKED:
            shown = view(body, S)
            seen = observe(body, k * h, shown)
            check = seen[SEEN_ENERGY] + seen[SEEN_MOMENTUM] + seen[SEEN_SKEW]
            if check - check != 0.0:
                ledger[OUTCOME] = ended(ledger)
                ledger[STEP] = k - 1
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
            ledger[OUTCOME] = CANCELLED
        if k + 1 == mark:  # not ahead of the step: the compiler would make another step of what follows a kept row
            put(last, 0, attitudes(view(body, S)))
    shown = view(body, S)
    put_row(last, 0, last, shown, observe(body, k * h, shown))
    put(state, GIVEN, S)
    ledger[STEP] = k
    ledger[STARTED] = 1


def watch(state, parameters, ledger, stop, rows, last, extrema, h, steps, every):  # type: ignore[no-untyped-def]
    """Observe states in place of making them: they are given in the first `steps` rows, and their times behind them.

    The rest of each row is filled in: the angle since the row before in place of the time, and what is observed.
    """
    body = body_of(FIELD, parameters, ledger)
    at = 0
    for i in range(steps):
        t = rows[at + GIVEN]
        shown = view(body, start(body, t, h, *given(rows, at)))
        if i == 0:
            put(last, 0, attitudes(shown))
        seen = observe(body, t, shown)
        widen(extrema, seen)
        put_row(rows, at, last, shown, seen)
        put(last, 0, attitudes(shown))
        at += GIVEN + INCREMENTS + len(seen)


def ended(ledger: Any) -> int:
    """Why a step left no finite state: it was not solved, unless the torque was not finite to begin with."""
    unsolved = ledger[UNSOLVED] != 0 and ledger[BAD_TORQUE] == 0
    return int(ledger[UNSOLVED]) if unsolved else DIVERGED


# ----------------------------------------------------------------- what is given and observed of one body


def given_body(memory: Any, at: int) -> tuple[Mat3, Vec3]:
    """R and Ω."""
    return matrix_at(memory, at), vector_at(memory, at + ROW_VELOCITY)


def attitude(shown: tuple[Any, ...]) -> tuple[Mat3]:
    """R among R, Ω and π."""
    return (shown[0],)


def observe_free(body: Any, t: float, shown: tuple[Mat3, Vec3, Vec3]) -> tuple[float, ...]:
    """Energy, π, |π|², |Π|² and ‖RᵀR − 1‖²."""
    R, Omega, pi = shown
    Pi = body.J @ Omega
    return 0.5 * dot(Omega, Pi), pi.x, pi.y, pi.z, dot(pi, pi), dot(Pi, Pi), skew_of_axes(R)


def observe_forced(body: Any, t: float, shown: tuple[Mat3, Vec3, Vec3]) -> tuple[float, ...]:
    """The same, with the potential in the energy, and π·χ and |Γ|², the other invariants of tops."""
    R, Omega, pi = shown
    Pi = body.J @ Omega
    Gamma = Vec3(R.zx, R.zy, R.zz)
    energy = 0.5 * dot(Omega, Pi) + body.potential(t, R)
    return energy, pi.x, pi.y, pi.z, dot(pi, pi), dot(Pi, Pi), skew_of_axes(R), dot(Pi, body.chi), dot(Gamma, Gamma)


def skew_of_axes(R: Mat3) -> float:
    """‖RᵀR − 1‖², Frobenius."""
    a, b, c = Vec3(R.xx, R.yx, R.zx), Vec3(R.xy, R.yy, R.zy), Vec3(R.xz, R.yz, R.zz)
    aa, bb, cc = dot(a, a) - 1.0, dot(b, b) - 1.0, dot(c, c) - 1.0
    ab, ac, bc = dot(a, b), dot(a, c), dot(b, c)
    return aa * aa + bb * bb + cc * cc + 2.0 * (ab * ab + ac * ac + bc * bc)


def widen(extrema: Any, seen: tuple[float, ...]) -> None:
    """Let the least and the largest of each quantity take in what was seen."""
    for i, value in enumerate(seen):
        if value < extrema[i]:
            extrema[i] = value
        if value > extrema[len(seen) + i]:
            extrema[len(seen) + i] = value


def put_body_row(rows: Any, at: int, before: Any, shown: tuple[Any, ...], seen: tuple[float, ...]) -> None:
    """Write one row; `before` holds the attitude before the step, from which the increment is taken."""
    R, Omega, _ = shown
    increment = angle(matrix_at(before, 0).T @ R)
    put(rows, at, (R, Omega, increment, *seen))


# ----------------------------------------------------------------- what a method carries: R, Ω and π of its state


def view_velocity(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """Of a method that carries R and Ω."""
    return S[0], S[1], S[0] @ (body.J @ S[1])


def view_body_momentum(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """Of a method that carries R and Π."""
    return S[0], body.Jinv @ S[1], S[0] @ S[1]


def view_spatial_momentum(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """Of a method that carries R and π, whose π is reported as it is."""
    return S[0], body.Jinv @ (S[0].T @ S[1]), S[1]


def view_quaternion(body: Any, S: tuple[Any, ...]) -> tuple[Mat3, Vec3, Vec3]:
    """Of a method that carries a quaternion and Ω."""
    R = rotation_of(S[0])
    return R, S[1], R @ (body.J @ S[1])


# ----------------------------------------------------------------- memory; the compiler has its own of these


@dataclass(frozen=True)
class Number:
    """Stands among a method's options for a number that is read when the kernel runs."""

    slot: int


def body_of(field: Any, parameters: Any, ledger: Any) -> Any:
    """The body, or the two bodies, that the parameters describe."""
    if isinstance(field, Attraction):
        return Bodies(parameters, ledger, field)
    return Body(parameters, ledger, field)


def options_of(options: tuple[Any, ...], parameters: Any) -> tuple[Any, ...]:
    """The options' values: constants, and numbers, which stand in the parameters so that they can change."""
    return tuple(float(parameters[OPTION_NUMBERS + o.slot]) if isinstance(o, Number) else o for o in options)


def raised(stop: Any) -> bool:
    """Whether another thread has asked to stop."""
    return bool(stop[0] != 0)


def put(memory: Any, at: int, values: tuple[Any, ...]) -> None:
    """Write the components of the values one after the other."""
    for value in values:
        for component in (value,) if isinstance(value, float) else value:
            memory[at] = component
            at += 1


def unpacked(memory: Any, at: int, like: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read values of the same make as `like`."""
    values: list[Any] = []
    for value in like:
        n = 1 if isinstance(value, float) else len(tuple(value))
        components = [float(x) for x in memory[at : at + n]]
        values.append(components[0] if isinstance(value, float) else type(value)(*components))
        at += n
    return tuple(values)


def matrix_at(memory: Any, i: int) -> Mat3:
    """The matrix that stands in memory, by rows."""
    m = memory
    return Mat3(m[i], m[i + 1], m[i + 2], m[i + 3], m[i + 4], m[i + 5], m[i + 6], m[i + 7], m[i + 8])


def vector_at(memory: Any, i: int) -> Vec3:
    """The vector that stands in memory."""
    return Vec3(memory[i], memory[i + 1], memory[i + 2])
