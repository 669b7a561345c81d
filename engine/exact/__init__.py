"""Exact motions: the free body and the symmetric top in closed form, and for the rest reference runs.

`engine.exact` is the function below; what else is here is imported by name, as in
`from engine.exact.symmetric_top import SymmetricTop`.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algorithms.method import find_method
from ..body import principal_axes
from ..cancelling import Cancelled
from ..checks import Array, number, reals
from ..field import FREE
from ..kernels.parts import Parts
from ..onebody.setting import in_principal_axes, kernels, parts_of
from ..problems.book_toss import BOOK_TOSS
from ..problems.fields import AXIAL_GRAVITY, GRAVITY, SPACE_MOMENT
from ..problems.problem import LONGEST, Action, Problem, find_problem
from ..simulate import MOST_ROWS
from ..systems import system_of
from ..wording import short
from .reference import (
    GOOD,
    LAST_DIGIT,
    METHOD,
    Estimate,
    Estimates,
    Progress,
    Watch,
    difference,
    reference,
)
from .reference import effort as reference_effort
from .symmetric_top import ALIKE, SymmetricTop, figure_axis

__all__ = ["Cancelled", "Estimate", "Estimates", "Motion", "exact"]

CLOSED_MARGIN = 4.0
"""How many times what the last digits move is the estimate of a closed solution."""
TRIED = 64
"""At how many of the times that is looked at."""
KEPT = 512
"""Closed solutions that are kept; each takes a few kilobytes."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """What a problem's exact motion is at some times; one time by itself gives one state, without the axis of n.

    Attributes
    ----------
    t : (n,) the times.
    R : (n, 3, 3) attitude, body to space.
    Omega, Pi : (n, 3) angular velocity and momentum in the body's frame.
    how : where it is from, in words.
    estimates : how far each of the states may be off: the attitude in radians, the momentum relative to its largest;
        it never falls with time. For closed solutions it is some times what the last digits of the data move, for
        reference runs some times the distance of runs of other steps and from starts with other last digits. Where
        a chaotic motion has made too much of them it is infinite, and the state nan: of that nothing is known.
    horizon : until when the attitude is good to 1e-6 rad, as far as was asked or is known.
    """

    t: Array
    R: Array
    Omega: Array
    Pi: Array
    how: str
    estimates: Estimates
    horizon: float

    @property
    def estimate(self) -> Estimate:
        """How far the worst of the states may be off."""
        return self.estimates.worst

    @property
    def known(self) -> Any:
        """(n,) at which times something is known of the motion."""
        return np.isfinite(self.estimates.attitude)

    def as_far_as_known(self) -> Motion:
        """The motion without the times at which nothing is known of it."""
        there = self.known
        if there.all():
            return self
        some = {name: getattr(self, name)[there] for name in ("t", "R", "Omega", "Pi")}
        return dataclasses.replace(self, **some, estimates=Estimates(*(part[there] for part in self.estimates)))

    def __repr__(self) -> str:
        times = np.atleast_1d(self.t)
        span = f"t = {times[0]:g}" if len(times) == 1 else f"{len(times)} times from {times[0]:g} to {times[-1]:g}"
        return f"<exact motion at {span}: {self.how}>"

    @property
    def pi(self) -> Array:
        """(n, 3) angular momentum in space."""
        momentum: Array = (self.R * self.Pi[..., None, :]).sum(axis=-1)
        return momentum


def exact(
    problem: str | Problem,
    t: ArrayLike,
    dt: float | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Motion:
    """The exact motion of a problem at any times, or the best that can be computed where no formula is known.

    Parameters
    ----------
    problem : a key, or what `engine.problem` returns.
    t : one time, or several (n,), in any order.
    dt : the step of the runs that it is compared with, on which the book toss's kick depends; the problem's own if
        it is not given.
    progress : called with (steps done, steps in all, as far as can be told), while reference runs are made.
    cancel : an `engine.Cancellation` (or any `threading.Event`); setting it from another thread ends them.

    Raises
    ------
    ValueError
        For what the caller got wrong, or if no reference run gets as far, in one sentence.
    Cancelled
        If it was ended by `cancel`.
    """
    body = find_problem(problem)
    times = _checked(t)
    h = number(body.dt if dt is None else dt, "dt", 1e-15, LONGEST)
    motion = _motion(body, times.reshape(-1), h, Watch(cancel, progress))
    if times.ndim:
        return motion
    one = {name: getattr(motion, name)[0] for name in ("R", "Omega", "Pi")}
    return dataclasses.replace(motion, t=times, **one, estimates=Estimates(*(part[0] for part in motion.estimates)))


def ends(problem: Problem, t: Array, dt: float, cancel: threading.Event | None = None) -> Motion:
    """The exact motion at several times (n,), each as if it were the only one asked for; nan where it is not known.

    What all share, the constants of a formula or a reference run, is worked out once.
    """
    formula = _formula(problem, problem.action(dt))
    if formula is None:
        return _one_by_one(problem, t, dt, cancel)
    acting, (solution, how) = formula
    times = np.append(t, 0.0)
    changed = [other(times) for other in _changed(problem, acting)]
    swing = _swing(problem, acting)
    return _as_ends(t, solution(times), changed, np.zeros(len(t), np.intp), how, swing)


def ends_if_free(problem: Problem, R0: Array, Omega0: Array, t: Array, dt: float) -> Motion | None:
    """The same of a free body from several starts (n, 3, 3) and (n, 3), each at its time; None if it is not free.

    All are worked out at once, and a start that is there several times once.
    """
    if problem.torque is not None or not _is_free(problem.action(dt)):
        return None
    rows = np.concatenate([R0.reshape(-1, 9), Omega0], axis=1)
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    times, of = np.append(t, np.zeros(len(first))), np.append(which, np.arange(len(first)))

    def solved(moments: Array, Q: Array, doubt: float = 0.0) -> tuple[Array, Array, Array]:
        from .free_body import FreeBodies

        return _turned_back(FreeBodies(moments, *_start(R0[first], Omega0[first], Q, doubt)).at(times, of), Q)

    changed = [solved(*problem.principal, LAST_DIGIT), *(solved(*other) for other in _rounded(problem))]
    return _as_ends(t, solved(*problem.principal), changed, which, FREE_BODY)


def _as_ends(
    t: Array,
    found: tuple[Array, ...],
    changed: Sequence[tuple[Array, ...]],
    start: NDArray[np.intp],
    how: str,
    swing: float = 0.0,
) -> Motion:
    """Closed solutions at times (n,) and, behind them, at the starts, with how far they may be off.

    `changed` are those of data that differ in the last digit, and `start` the number of each one's start.
    """
    n, (R, Omega, Pi) = len(t), found
    size, begin = np.sqrt((Pi**2).sum(axis=-1)), np.append(n + start, np.arange(n, len(Pi)))
    off = _apart(R, Pi, changed, np.maximum(size, size[begin]), swing)
    off = CLOSED_MARGIN * np.maximum(off, off[:, begin])[:, :n]
    horizon = float(np.abs(t[off[0] <= GOOD]).max(initial=0.0))
    return Motion(t, R[:n], Omega[:n], Pi[:n], how, Estimates(*off), horizon)


def _one_by_one(problem: Problem, t: Array, dt: float, cancel: threading.Event | None) -> Motion:
    """The same of reference runs: the longest first, which may serve the others."""
    R, Omega, off = np.full((len(t), 3, 3), np.nan), np.full((len(t), 3), np.nan), np.full((2, len(t)), np.inf)
    how, horizon = "", 0.0
    for i in np.argsort(-t, kind="stable"):
        with suppress(ValueError):
            one = exact(problem, [0.0, t[i]], dt, cancel=cancel)
            R[i], Omega[i], off[:, i] = one.R[-1], one.Omega[-1], one.estimate
            how, horizon = how or one.how, max(horizon, one.horizon)
    return Motion(t, R, Omega, Omega @ problem.J, how, Estimates(*off), horizon)


def effort(body: Any, last: float, h: float) -> int:
    """About how many steps `exact` has to make for the motion until then.

    None for a formula, a run in memory, or where there is no exact motion.
    """
    if not system_of(body).has_exact:
        return 0
    action = body.action(h)
    if (body.torque is None and action.field is BOOK_TOSS) or _formula(body, action):
        return 0
    return reference_effort(body, last)


def kernels_of_reference(problem: Any, dt: float) -> list[Parts]:
    """What the reference runs compile that the exact motion takes; nothing where it takes none."""
    if not system_of(problem).has_exact:
        return []
    method = find_method(METHOD)
    if problem.torque is not None:
        return kernels(problem, method, dt)
    action = problem.action(dt)
    stretches = [part for *_, part in _stretches(action)] if action.field is BOOK_TOSS else [action]
    acting = [in_principal_axes(problem, part) for part in stretches]
    return [parts_of(method, part) for part in acting if _closed(problem, part) is None]


def _checked(t: ArrayLike) -> Array:
    times = reals(t, f"the times must be numbers, at most {MOST_ROWS:,}", MOST_ROWS)
    if times.ndim > 1 or times.size == 0 or times.size > MOST_ROWS:
        raise ValueError(
            f"the times must be one number, or from 1 to {MOST_ROWS:,} in a row; got shape {times.shape}"
        )
    if not (np.abs(times) <= LONGEST).all():
        raise ValueError(f"the times must be finite, and none beyond {short(LONGEST)}")
    return times


def _motion(body: Problem, t: Array, h: float, watch: Watch, doubt: float = 0.0) -> Motion:
    """The motion at the times (n,) of a body whose initial state is in doubt by so much, relatively."""
    action = body.action(h)
    if body.torque is None and action.field is BOOK_TOSS:
        return _in_stretches(body, action, t, h, watch)
    formula = _formula(body, action)
    if formula is None:
        R, Omega, estimates, horizon, how = reference(body, t, h, watch, doubt)
        return Motion(t, R, Omega, Omega @ body.J, how, estimates, horizon)
    acting, (solution, how) = formula
    R, Omega, Pi = solution(t)
    order = np.argsort(np.abs(t))
    tried = np.unique(np.linspace(0, len(t) - 1, TRIED).astype(int))
    some = order[tried]
    changed = [other(t[some]) for other in _changed(body, acting, doubt / CLOSED_MARGIN)]
    largest = np.sqrt((Pi[some] ** 2).sum(axis=-1).max())
    off = _apart(R[some], Pi[some], changed, largest, _swing(body, acting))
    off = CLOSED_MARGIN * np.maximum.accumulate(off, axis=1)
    each = np.empty((2, len(t)))
    each[:, order] = off[:, np.searchsorted(tried, np.arange(len(t)))]
    good = off[0] <= GOOD
    horizon = float(np.abs(t[some[good]]).max(initial=0.0))
    return Motion(t, R, Omega, Pi, how, Estimates(*each), horizon)


Solution = Callable[[Array], tuple[Array, Array, Array]]


class _Solved(Protocol):
    """A closed solution in principal axes."""

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """R, Ω and Π at the times."""


def _formula(body: Problem, action: Action) -> tuple[Action, tuple[Solution, str]] | None:
    """The closed solution, if there is one, with what acts as it is seen from the principal axes."""
    if body.torque is not None or action.field is BOOK_TOSS:
        return None
    acting = in_principal_axes(body, action)
    found = _closed(body, acting)
    return None if found is None else (acting, found)


def _changed(body: Problem, action: Action, doubt: float = 0.0) -> list[Solution]:
    """The closed solutions of data that differ in the last digit, or of a start that is in doubt by more."""
    found = [_closed(body, action, max(doubt, LAST_DIGIT))]
    found += [_closed(body, action, rounded=i) for i in range(len(ROUNDED) if _is_rounded(body) else 0)]
    return [solution for solution, _ in filter(None, found)]


def _swing(body: Problem, action: Action) -> float:
    """The momentum that gravity gives a body in a swing: the formulas reach a small momentum by way of such."""
    return float(np.sqrt(body.principal[0].max() * np.linalg.norm(action.numbers[:3])))


def _apart(R: Array, Pi: Array, changed: Sequence[tuple[Array, ...]], largest: Array | float, swing: float) -> Array:
    """(2, n) how far all these changes together can move a motion, and no less than rounding does."""
    moved: Array = np.sum([difference(R, Pi, R_, Pi_, largest) for R_, _, Pi_ in changed], axis=0)
    least = np.maximum(1.0, swing / np.where(largest == 0.0, 1.0, largest))
    return np.stack([np.maximum(moved[0], LAST_DIGIT), np.maximum(moved[1], LAST_DIGIT * least)])


@functools.lru_cache(maxsize=KEPT)
def _closed(
    body: Problem, action: Action, doubt: float = 0.0, rounded: int | None = None
) -> tuple[Solution, str] | None:
    """R, Ω and Π in the body's own axes as a function of t (n,), if they are known; and by what.

    The initial state is off by the doubt: the attitude in radians about each axis, the velocity relatively. Or the
    inertia is off by its rounding, in one of the ways of `ROUNDED`.
    """
    moments, Q = body.principal
    weight = np.array(action.numbers[:3])
    solved: _Solved
    if _is_free(action):
        from .free_body import FreeBody

        if rounded is not None:
            moments, Q = _rounded(body)[rounded]
        solved, how = FreeBody(moments, *_start(body.R0, body.Omega0, Q, doubt)), FREE_BODY
    elif action.field in (GRAVITY, AXIAL_GRAVITY) and (axis := figure_axis(moments, weight)) is not None:
        unit = LAST_DIGIT * moments.max()
        if rounded is not None:  # a change that leaves it symmetric: of the moment about its axis, or across
            moments = moments + unit * (axis**2 if rounded else 1 - axis**2)
        if figure_axis(moments, weight) is None:  # of three equal moments, about an axis askew to the principal ones
            return None
        solved = SymmetricTop(moments, weight, *_start(body.R0, body.Omega0, Q, doubt))
        how = "the symmetric top in theta functions"
        if rounded is not None:
            return lambda t: _turned_back(solved.at_most_off(t, unit), Q), how
    else:
        return None
    return lambda t: _turned_back(solved.at(t), Q), how


FREE_BODY = "the free body in Jacobi's elliptic functions"


def _is_free(action: Action) -> bool:
    """Whether nothing acts, or a gravity that has nothing to act upon."""
    return action.field is FREE or (action.field in (GRAVITY, AXIAL_GRAVITY) and not any(action.numbers[:3]))


def _is_rounded(body: Problem) -> bool:
    """Whether the principal moments and axes are rounded, or moments count as equal that are so but for rounding."""
    moments, beside = body.principal[0], body.J[~np.eye(3, dtype=bool)]
    apart = np.abs(moments - np.roll(moments, 1))
    return bool(beside.any() or ((apart > 0) & (apart <= ALIKE * moments.max())).any())


def _rounded(body: Problem) -> list[tuple[Array, Array]]:
    """Principal moments and axes as rounding may make them: none other of an inertia that is diagonal.

    They are, exactly, those of another inertia, whose entries differ by a rounding of the largest moment.
    """
    if not _is_rounded(body):
        return []
    unit = LAST_DIGIT * body.principal[0].max()
    return [principal_axes(body.J + unit * pattern, of_a_body=False) for pattern in ROUNDED]


ROUNDED = np.array([[[1, 1, -1], [1, -1, 1], [-1, 1, 1]], [[-1, 1, 1], [1, 1, 1], [1, 1, -1]]])
"""Ways in which the entries of an inertia change."""


def _start(R0: Array, Omega0: Array, Q: Array, doubt: float) -> tuple[Array, Array]:
    """A start as it is seen from the principal axes, off by the doubt; or several, each as if it were alone."""
    turn = doubt * np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    return (R0 + R0 @ turn) @ Q, (Omega0[..., None] * Q).sum(axis=-2) * (1 + doubt)


def _turned_back(state: tuple[Array, Array, Array], Q: Array) -> tuple[Array, Array, Array]:
    """R, Ω and Π as they are seen from the body's own axes."""
    R, Omega, Pi = state
    return R @ Q.T, Omega @ Q.T, Pi @ Q.T


def _in_stretches(body: Problem, toss: Action, t: Array, h: float, watch: Watch) -> Motion:
    """The book toss, put together of stretches in which the torque does not change."""
    R, Omega = np.full((len(t), 3, 3), np.nan), np.full((len(t), 3), np.nan)
    off = np.full((2, len(t)), np.inf)
    doubt = horizon = 0.0
    for start, end, action in _stretches(toss):
        body = dataclasses.replace(body, act=_always(action), Pi0=None)
        here = (t < end) & ((t >= start) | (start == 0.0))
        now = np.append(t[here], min(end, max(start, t.max())))
        part = _motion(body, now - start, h, watch, doubt)
        R[here], Omega[here] = part.R[:-1], part.Omega[:-1]
        off[:, here] = np.array(part.estimates)[:, :-1]
        if horizon == start:
            horizon = start + part.horizon
        if not part.known[-1] or end > t.max():
            break
        body = dataclasses.replace(body, R0=part.R[-1], Omega0=part.Omega[-1], Pi0=None)
        doubt = max(part.estimate)
    how = f"stretch by stretch, the last by {part.how}"
    return Motion(t, R, Omega, Omega @ body.J, how, Estimates(*off), min(horizon, float(t.max())))


def _stretches(toss: Action) -> Iterator[tuple[float, float, Action]]:
    """From when to when which moment acts."""
    switch, step, strength, impulse = toss.numbers
    if switch > 0:
        yield 0.0, switch, Action(SPACE_MOMENT, (strength, 0.0, 0.0))
    yield switch, switch + step, Action(SPACE_MOMENT, (0.0, impulse / step, 0.0))
    yield switch + step, np.inf, Action()


def _always(action: Action) -> Callable[[Any, float], Action]:
    """The same action at any step."""
    return lambda values, dt: action
