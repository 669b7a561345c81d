"""Exact motions: the free body and the symmetric top in closed form, any other problem by reference
runs.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import Cancelled, Parts
from ..parameters.parameter import Number
from ..parameters.validation import Array, check_reals
from ..problems.book_toss import BOOK_TOSS
from ..problems.field import FREE
from ..problems.given_rates.given import GivenRates
from ..problems.mass_properties import principal_axes
from ..problems.problem import (
    LONGEST,
    Action,
    AnyProblem,
    Problem,
    find_problem,
    store_in_problem,
)
from ..problems.shared_fields import AXIAL_GRAVITY, GRAVITY, SPACE_MOMENT
from ..problems.two_bodies.pair import TwoBodies
from ..simulation import MOST_ROWS, turn_to_principal_axes
from ..text.formatting import show
from . import given_rates, reference
from .given_rates import GivenRatesMotion, find_attitudes
from .pair_motion import PairMotion, PairReference, find_pair_motion, has_pair_motion
from .reference import GOOD, LAST_DIGIT, BodyReference, Estimate, Estimates, Progress, States, Watch
from .symmetric_top import ALIKE, SymmetricTop, find_figure_axis

if TYPE_CHECKING:
    from .free_body import FreeBody

__all__ = ["Cancelled", "Estimate", "Estimates", "Motion", "exact"]

CLOSED_MARGIN = 4.0
"""The estimate of a closed solution, in units of its change under changes of the last digits."""
SAMPLED = 64
"""The number of times at which that change is computed."""
NODES = 12
"""The number of nodes through which attitudes are interpolated."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion(States):
    """A problem's exact motion at some times; for a single time it is one state, without the axis
    of n.

    Attributes
    ----------
    t : (n,) the times.
    R : (n, 3, 3) attitude, body to space.
    Omega, Pi : (n, 3) angular velocity and body momentum.
    how : the source of the motion, in words.
    estimates : bounds of each state's errors: the attitude in radians, the momentum relative to its
        largest. They never fall with time. For closed solutions they are a multiple of the change
        that other last digits of the data cause, for reference runs a multiple of the distance to
        runs with other tolerances and other last digits, or of the change of energy and π·e3 where
        the motion conserves them. Where a chaotic motion amplifies that too much, the estimate is
        infinite and the state nan: it is not known.
    horizon : the time until which the attitude is good to 1e-6 rad, among the times requested.
    """

    series: ClassVar = ("R", "Omega", "Pi")
    t: Array
    R: Array
    Omega: Array
    Pi: Array
    how: str
    estimates: Estimates
    horizon: float

    @property
    def estimate(self) -> Estimate:
        """The estimates of the worst state."""
        return self.estimates.worst

    @property
    def pi(self) -> Array:
        """(n, 3) angular momentum in space."""
        return (self.R * self.Pi[..., None, :]).sum(axis=-1)


@overload
def exact(
    problem: Problem,
    t: ArrayLike,
    dt: float | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> Motion: ...
@overload
def exact(
    problem: TwoBodies,
    t: ArrayLike,
    dt: float | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> PairMotion: ...
@overload
def exact(
    problem: GivenRates,
    t: ArrayLike,
    dt: float | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> GivenRatesMotion: ...
@overload
def exact(
    problem: str | AnyProblem,
    t: ArrayLike,
    dt: float | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> Motion | PairMotion | GivenRatesMotion: ...
def exact(
    problem: str | AnyProblem,
    t: ArrayLike,
    dt: float | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Motion | PairMotion | GivenRatesMotion:
    """The exact motion of a problem at any times: by a formula if one is known, else by a reference
    run. That of two dumbbells is a `PairMotion`, that of given rates a `GivenRatesMotion`.

    Parameters
    ----------
    problem : a key, or what `engine.problem` returns.
    t : one time, or several (n,), in any order.
    dt : the step of the runs to compare with, on which the kick of the book toss depends; by
        default the problem's.
    progress : called with (parts done, their number) during reference runs.
    cancel : an `engine.Cancellation` (or any `threading.Event`); setting it from another thread
        ends reference runs.

    Raises
    ------
    ValueError
        For a mistake in the arguments, or if no reference run gets as far, in one sentence.
    Cancelled
        If `cancel` was set.
    """
    body = find_problem(problem)
    times = _check_times(t)
    if isinstance(body, TwoBodies):
        pair = find_pair_motion(body, times.reshape(-1), Watch(cancel, progress))
        return pair if times.ndim else pair.select(0)
    if isinstance(body, GivenRates):
        attitudes = find_attitudes(body, times.reshape(-1), Watch(cancel, progress))
        return attitudes if times.ndim else attitudes.select(0)
    body = find_problem(body, Problem)
    h = Number(1e-15, LONGEST).check(body.dt if dt is None else dt, "dt")
    motion = _find_motion(body, times.reshape(-1), h, Watch(cancel, progress))
    return motion if times.ndim else motion.select(0)


def find_ends(problem: Problem, t: Array, dt: float, cancel: threading.Event | None) -> Motion:
    """The exact motion at several times (n,), each as if it were the only one requested; nan where
    it is not known.

    The times share the constants of a formula, or a reference run.
    """
    formula = _find_formula(problem, problem.action(dt))
    if formula is None:
        try:
            return _find_motion(problem, t, dt, Watch(cancel, None))
        except ValueError:  # none of them is known
            return _find_nothing(problem, t)
    times = np.append(t, 0.0)
    changed = [other(times) for other in formula.perturbed()]
    start = np.zeros(len(t), np.intp)
    return _estimate_ends(t, formula.solution(times), changed, start, formula.how, formula.swing)


def find_free_ends(
    problem: Problem, R0: Array, Omega0: Array, t: Array, dt: float
) -> Motion | None:
    """The same for a free body from several starts (n, 3, 3) and (n, 3), each at its time; None if
    it is not free.

    All are computed at once, and equal starts only once.
    """
    if problem.torque is not None or not _is_free(problem.action(dt)):
        return None
    rows = np.concatenate([R0.reshape(-1, 9), Omega0], axis=1)
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    times = np.append(t, np.zeros(len(first)))
    of = np.append(which, np.arange(len(first)))

    def solve(moments: Array, Q: Array, doubt: float = 0.0) -> tuple[Array, Array, Array]:
        from .free_body import FreeBodies

        return _turn_back(
            FreeBodies(moments, *_perturb_start(R0[first], Omega0[first], Q, doubt)).at(times, of),
            Q,
        )

    changed = [
        solve(*problem.principal, LAST_DIGIT),
        *(solve(*other) for other in _list_rounded_axes(problem)),
    ]
    return _estimate_ends(t, solve(*problem.principal), changed, which, FREE_BODY)


def _estimate_ends(
    t: Array,
    found: tuple[Array, ...],
    changed: Sequence[tuple[Array, ...]],
    start: NDArray[np.intp],
    how: str,
    swing: float = 0.0,
) -> Motion:
    """The motion of closed solutions at times (n,), followed in `found` by those at the starts.

    `changed` are the solutions for data with other last digits, and `start` the number of each
    time's start.
    """
    n = len(t)
    (R, Omega, Pi) = found
    size = np.sqrt((Pi**2).sum(axis=-1))
    begin = np.append(n + start, np.arange(n, len(Pi)))
    off = _measure_doubt(R, Pi, changed, np.maximum(size, size[begin]), swing)
    off = CLOSED_MARGIN * np.maximum(off, off[:, begin])[:, :n]
    horizon = float(np.abs(t[off[0] <= GOOD]).max(initial=0.0))
    return Motion(t, R[:n], Omega[:n], Pi[:n], how, Estimates(*off), horizon)


def _find_nothing(problem: Problem, t: Array) -> Motion:
    """The motion at times (n,) at none of which it is known."""
    unknown = np.full((len(t), 3), np.nan)
    estimates = Estimates(*np.full((2, len(t)), np.inf))
    return Motion(t, np.full((len(t), 3, 3), np.nan), unknown, unknown, "", estimates, 0.0)


def estimate_effort(body: Any, last: float, h: float) -> int:
    """About how many steps `exact` makes for the motion until the time `last`; 0 for a formula, and
    where there is no exact motion.
    """
    if isinstance(body, TwoBodies):
        return PairReference.estimate_effort(body, last) if has_pair_motion(body) else 0
    if isinstance(body, GivenRates):
        return given_rates.estimate_effort(body, last)
    action = body.action(h)
    if (body.torque is None and action.field is BOOK_TOSS) or _find_formula(body, action):
        return 0
    return BodyReference.estimate_effort(body, last)


def list_reference_kernels(problem: Any, dt: float) -> list[Parts]:
    """The kernels that the reference runs of the exact motion compile; none if it needs no
    reference runs.
    """
    if isinstance(problem, TwoBodies):
        known = has_pair_motion(problem)
        return PairReference.list_kernels(problem, dt) if known else []
    if isinstance(problem, GivenRates):
        return given_rates.list_reference_kernels(problem)
    bodies = [body for *_, body in _list_stretches(problem, dt)]
    return [
        parts
        for body in bodies
        if _find_formula(body, body.action(dt)) is None
        for parts in BodyReference.list_kernels(body, dt)
    ]


def has_exact(problem: AnyProblem) -> bool:
    """Whether there is an exact motion to compare runs of a problem with."""
    if isinstance(problem, GivenRates):
        return problem.has_exact
    return not isinstance(problem, TwoBodies) or has_pair_motion(problem)


def interpolate_attitudes(motion: Motion | GivenRatesMotion, t: Array) -> Array:
    """(m, 3, 3) the attitudes of a motion at any times, by barycentric interpolation projected back
    to rotations; the times of the motion begin at 0 and are evenly spaced.
    """
    s = t / motion.t[1]
    first = np.clip(np.floor(s).astype(int) - (NODES // 2 - 1), 0, len(motion.R) - NODES)
    R = np.zeros((len(s), 3, 3))
    weights = np.zeros((len(s), 1, 1))
    for j in range(NODES):
        from_node = s - (first + j)
        from_node[from_node == 0.0] = 1e-100  # at a node, the others have no weight
        weight = ((-1) ** j * comb(NODES - 1, j) / from_node)[:, None, None]
        R += weight * motion.R[first + j]
        weights += weight
    R /= weights
    return 1.5 * R - 0.5 * R @ R.swapaxes(1, 2) @ R


def _check_times(t: ArrayLike) -> Array:
    times = check_reals(t, f"the times must be numbers, at most {MOST_ROWS:,}", MOST_ROWS)
    if times.ndim > 1 or times.size == 0 or times.size > MOST_ROWS:
        raise ValueError(
            f"the times must be one number, or from 1 to {MOST_ROWS:,} in a row; got shape {times.shape}"
        )
    if not (np.abs(times) <= LONGEST).all():
        raise ValueError(f"the times must be finite, and none beyond {show(LONGEST)}")
    return times


def _find_motion(body: Problem, t: Array, h: float, watch: Watch, doubt: float = 0.0) -> Motion:
    """The motion at the times (n,) of a body; `doubt` is the relative uncertainty of its initial
    state.
    """
    action = body.action(h)
    if body.torque is None and action.field is BOOK_TOSS:
        return _join_stretches(body, t, h, watch)
    formula = _find_formula(body, action)
    if formula is None:
        found, off, how = reference.compute_reference(BodyReference, body, t, watch, doubt)
        R, Omega, estimates = found["R"], found["Omega"], Estimates(*off)
        horizon = float(t[estimates.attitude <= GOOD].max(initial=0.0))
        return Motion(t, R, Omega, Omega @ body.J, how, estimates, horizon)
    R, Omega, Pi = formula.solution(t)
    order = np.argsort(np.abs(t))
    sampled = np.unique(np.linspace(0, len(t) - 1, SAMPLED).astype(int))
    some = order[sampled]
    changed = [other(t[some]) for other in formula.perturbed(doubt / CLOSED_MARGIN)]
    largest = np.sqrt((Pi[some] ** 2).sum(axis=-1).max())
    off = _measure_doubt(R[some], Pi[some], changed, largest, formula.swing)
    off = CLOSED_MARGIN * np.maximum.accumulate(off, axis=1)
    each = np.empty((2, len(t)))
    each[:, order] = off[:, np.searchsorted(sampled, np.arange(len(t)))]
    horizon = float(np.abs(t[some[off[0] <= GOOD]]).max(initial=0.0))
    return Motion(t, R, Omega, Pi, formula.how, Estimates(*each), horizon)


Solution = Callable[[Array], tuple[Array, Array, Array]]


class _Formula(NamedTuple):
    """A closed solution of a problem, and its name; the action is seen from the principal axes."""

    body: Problem
    action: Action
    solution: Solution
    how: str

    def perturbed(self, doubt: float = 0.0) -> list[Solution]:
        """The solutions for data with other last digits; or for a start with a larger relative
        `doubt`.
        """
        found = [_solve(self.body, self.action, max(doubt, LAST_DIGIT))]
        if _is_rounded(self.body):
            found += [_solve(self.body, self.action, rounded=i) for i in range(len(ROUNDED))]
        return [solution for solution, _ in filter(None, found)]

    @property
    def swing(self) -> float:
        """The momentum that gravity gives the body in a swing: the formulas round a small momentum
        relative to it.
        """
        return float(
            np.sqrt(self.body.principal[0].max() * np.linalg.norm(self.action.numbers[:3]))
        )


def _find_formula(body: Problem, action: Action) -> _Formula | None:
    """The closed solution, if there is one."""
    if body.torque is not None or action.field is BOOK_TOSS:
        return None
    acting = turn_to_principal_axes(body, action)
    found = _solve(body, acting)
    return None if found is None else _Formula(body, acting, *found)


def _measure_doubt(
    R: Array, Pi: Array, changed: Sequence[tuple[Array, ...]], largest: Array | float, swing: float
) -> Array:
    """(2, n) the change of attitude and momentum by all these changes together; at least that of
    rounding.
    """
    moved: Array = np.sum(
        [reference.difference(R, Pi, R_, Pi_, largest) for R_, _, Pi_ in changed], axis=0
    )
    least = np.maximum(1.0, swing / np.where(largest == 0.0, 1.0, largest))
    return np.stack([np.maximum(moved[0], LAST_DIGIT), np.maximum(moved[1], LAST_DIGIT * least)])


@store_in_problem
def _solve(
    body: Problem, action: Action, doubt: float = 0.0, rounded: int | None = None
) -> tuple[Solution, str] | None:
    """The closed solution for R, Ω and Π in the body's own axes as a function of t (n,), and its
    name; None if none.

    `doubt` changes the initial state: the attitude in radians about each axis, the velocity
    relatively. `rounded` changes the inertia by its rounding, in one of the ways of `ROUNDED`.
    """
    moments, Q = body.principal
    unit = LAST_DIGIT * moments.max()
    if rounded is not None and _is_free(action):
        moments, Q = _list_rounded_axes(body)[rounded]
    elif rounded is not None:
        # The body stays symmetric: the moment about its axis changes, or those across.
        axis = find_figure_axis(moments, np.array(action.numbers[:3]))
        if axis is None:
            return None
        moments = moments + unit * (axis**2 if rounded else 1 - axis**2)
    solver = _make_solver(action, moments, *_perturb_start(body.R0, body.Omega0, Q, doubt))
    if solver is None:
        return None
    if not isinstance(solver, SymmetricTop):
        return partial(_evaluate, solver.at, Q), FREE_BODY
    at = solver.at if rounded is None else partial(solver.at_with_uneven_moments, difference=unit)
    return partial(_evaluate, at, Q), "the symmetric top in theta functions"


def _make_solver(
    action: Action, moments: Array, R0: Array, Omega0: Array
) -> FreeBody | SymmetricTop | None:
    """The closed form of a motion in principal axes; None if there is none, as for three equal
    moments with an axis oblique to the principal ones.
    """
    if _is_free(action):
        from .free_body import FreeBody

        return FreeBody(moments, R0, Omega0)
    weight = np.array(action.numbers[:3])
    if action.field not in (GRAVITY, AXIAL_GRAVITY) or find_figure_axis(moments, weight) is None:
        return None
    return SymmetricTop(moments, weight, R0, Omega0)


def find_closed_form(body: Problem) -> FreeBody | SymmetricTop | None:
    """The closed form of a motion in principal axes, with its `regime`; None if there is none."""
    action = body.action(body.dt)
    if body.torque is not None or action.field is BOOK_TOSS:
        return None
    moments, Q = body.principal
    acting = turn_to_principal_axes(body, action)
    return _make_solver(acting, moments, *_perturb_start(body.R0, body.Omega0, Q, 0.0))


FREE_BODY = "the free body in Jacobi's elliptic functions"


def _is_free(action: Action) -> bool:
    """Whether nothing acts, or gravity without weight."""
    return action.field is FREE or (
        action.field in (GRAVITY, AXIAL_GRAVITY) and not any(action.numbers[:3])
    )


def _is_rounded(body: Problem) -> bool:
    """Whether the principal moments and axes are rounded, or moments that count as equal differ by
    rounding.
    """
    moments = body.principal[0]
    beside = body.J[~np.eye(3, dtype=bool)]
    apart = np.abs(moments - np.roll(moments, 1))
    return bool(beside.any() or ((apart > 0) & (apart <= ALIKE * moments.max())).any())


def _list_rounded_axes(body: Problem) -> list[tuple[Array, Array]]:
    """Principal moments and axes of inertias that differ by a rounding of the largest moment; none
    for diagonal J.
    """
    if not _is_rounded(body):
        return []
    unit = LAST_DIGIT * body.principal[0].max()
    return [principal_axes(body.J + unit * pattern, of_a_body=False) for pattern in ROUNDED]


ROUNDED = np.array([[[1, 1, -1], [1, -1, 1], [-1, 1, 1]], [[-1, 1, 1], [1, 1, 1], [1, 1, -1]]])
"""Signs of the changes of an inertia's entries."""


def _perturb_start(R0: Array, Omega0: Array, Q: Array, doubt: float) -> tuple[Array, Array]:
    """One start or several, seen from the principal axes and changed by the doubt."""
    turn = doubt * np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    return (R0 + R0 @ turn) @ Q, (Omega0[..., None] * Q).sum(axis=-2) * (1 + doubt)


def _evaluate(
    at: Callable[[Array], tuple[Array, Array, Array]], Q: Array, t: Array
) -> tuple[Array, Array, Array]:
    """R, Ω and Π at the times, of a solution in principal axes."""
    return _turn_back(at(t), Q)


def _turn_back(state: tuple[Array, Array, Array], Q: Array) -> tuple[Array, Array, Array]:
    """R, Ω and Π, seen from the body's own axes."""
    R, Omega, Pi = state
    return R @ Q.T, Omega @ Q.T, Pi @ Q.T


def _join_stretches(body: Problem, t: Array, h: float, watch: Watch) -> Motion:
    """The motion of the book toss, joined from stretches in which the torque is constant."""
    R = np.full((len(t), 3, 3), np.nan)
    Omega = np.full((len(t), 3), np.nan)
    off = np.full((2, len(t)), np.inf)
    start = {"R0": body.R0, "Omega0": body.Omega0}
    doubt = horizon = 0.0
    for begin, end, stretch in _list_stretches(body, h):
        here = (t < end) & ((t >= begin) | (begin == 0.0))
        now = np.append(t[here], min(end, max(begin, t.max())))
        stretch = dataclasses.replace(stretch, **start, Pi0=None)
        part = _find_motion(stretch, now - begin, h, watch, doubt)
        R[here] = part.R[:-1]
        Omega[here] = part.Omega[:-1]
        off[:, here] = np.array(part.estimates)[:, :-1]
        if horizon == begin:
            horizon = begin + part.horizon
        if not part.is_known[-1] or end > t.max():
            break
        start = {"R0": part.R[-1], "Omega0": part.Omega[-1]}
        doubt = max(part.estimate)
    how = f"piece by piece, the last by {part.how}"
    return Motion(t, R, Omega, Omega @ body.J, how, Estimates(*off), min(horizon, float(t.max())))


def _list_stretches(body: Problem, h: float) -> Iterator[tuple[float, float, Problem]]:
    """The begin and end of each stretch of a motion, and the body with what acts in it."""
    action = body.action(h)
    if body.torque is not None or action.field is not BOOK_TOSS:
        yield 0.0, np.inf, body
        return

    def with_action(action: Action) -> Problem:
        return dataclasses.replace(body, act=lambda values, dt: action, Pi0=None)

    switch, step, strength, impulse = action.numbers
    if switch > 0:
        yield 0.0, switch, with_action(Action(SPACE_MOMENT, (strength, 0.0, 0.0)))
    kick = Action(SPACE_MOMENT, (0.0, impulse / step, 0.0))
    yield switch, switch + step, with_action(kick)
    yield switch + step, np.inf, with_action(Action())
