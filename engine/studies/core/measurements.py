"""Measurements of one method: its order, its invariants, its structure, its drift and its cost.

Nothing here reads what a method declares. Steps are chosen by their error, and not by the order
that a method claims: one of high order shows only at large steps what it does not conserve.
"""

from __future__ import annotations

import functools
import statistics
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...algebra import Mat3, Vec3
from ...algorithms.core.method import Method
from ...exact import exact
from ...kernels import BodyInField, Outcome, compiles, drive, layout, make_parts, options_of
from ...kernels.tangents import SEEDS
from ...parameters.validation import Array
from ...problems.problem import Problem, find_problem
from ...simulation import Run, one_body, prepare_kernel, simulate
from ...simulation.sensitivity import Tangents, measure_momentum
from ...simulation.timing import TIMED_PROBLEMS, TimedCase, time_cases
from ...text.formatting import format_count, format_measured
from .charts import ZERO
from .search import find_largest
from .test_problems import PROBLEMS

NOT_MEASURED = "not measured"
State = tuple[Array, Array]
"""An attitude R (3, 3) and a body momentum Π (3,)."""

KEPT = 2e-11
"""Relative: after thousands of steps roundoff is a few 1e-12 at most (ABAM and HSTAGM amplify it).
"""
LOST = 1e-8
"""Relative: the deviation of what is not conserved is much larger."""


class Stepper:
    """One method on one problem, from any state and with any step; the problem's axes are principal
    ones.
    """

    def __init__(self, method: Method, problem: Problem) -> None:
        self.problem = problem
        self.method = method
        self.initial: State = problem.R0, problem.Pi0
        self.J = problem.J.diagonal()
        self.action = problem.action(problem.dt)
        self.parts = make_parts(method, self.action.field)
        self.kernel = prepare_kernel(problem, method, self.action, compiles())

    @functools.cached_property
    def tangents(self) -> Tangents:
        """The same steps with their derivatives."""
        return Tangents(self.problem, self.method, self.problem.dt)

    def run(self, h: float, steps: int, state: State | None = None) -> Outcome:
        """Make steps of h; return the first and the last row."""
        R, Pi = state or self.initial
        Omega = Pi / self.J
        parameters = self.kernel.parameters.copy()
        parameters[layout.ENERGY] = 0.5 * Omega @ Pi  # what the energy correction restores
        here = replace(
            self.kernel, parameters=parameters, initial=np.concatenate([R.ravel(), Omega])
        )
        return drive(here, h, steps, every=steps)

    def after(self, h: float, steps: int, state: State | None = None) -> State | None:
        """Return the state after this number of steps of h; None if there is none."""
        outcome = self.run(h, steps, state)
        if outcome.status != "done":
            return None
        last = outcome.rows[-1]
        return last[:9].reshape(3, 3), self.J * last[layout.ROW_VELOCITY : layout.ROW_VELOCITY + 3]

    def there_and_back(self, h: float, steps: int) -> float:
        """Return the defect of a way there, and back by −h with all that the method carries, in
        plain Python.

        Two tracks that run ahead of one another in turn change places at the turning point.
        """
        R, Pi = self.initial
        body = BodyInField(
            self.kernel.parameters.tolist(),
            np.zeros(layout.LEDGER, dtype=np.int64),
            self.action.field,
        )
        options = options_of(self.parts.options, self.kernel.parameters)
        S = begun = self.parts.start(body, 0.0, h, Mat3(*R.ravel()), Vec3(*(Pi / self.J)), *options)
        for _ in range(steps):
            S = self._step(body, h, S, options)
        half = len(S) // 2
        twins = [type(x) for x in S[:half]] == [type(x) for x in S[half:]]
        defects = []
        for cut in (0, half) if twins else (0,):
            back = S[cut:] + S[:cut]
            for _ in range(steps):
                back = self._step(body, -h, back, options)
            defects.append(
                float(np.abs(components(back[cut:] + back[:cut]) - components(begun)).max())
            )
        return min(defects)

    def _step(
        self, body: BodyInField, h: float, S: tuple[Any, ...], options: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        for begin, part in self.parts.stages:
            S = self.parts.step(body, begin * h, part * h, *S, *options)
        return S


def components(S: tuple[Any, ...]) -> Array:
    """Return all numbers of a state, one after the other."""
    return np.concatenate([np.atleast_1d(x if isinstance(x, float) else list(x)) for x in S])


def apart(a: State, b: State) -> float:
    """Return the largest difference of any component of two states."""
    return float(max(np.abs(a[0] - b[0]).max(), np.abs(a[1] - b[1]).max()))


def problem_of(key: str) -> Problem:
    """Return a problem of the catalogue, or one of those for measurements only."""
    return PROBLEMS.get(key) or find_problem(key, Problem)


def why_not(method: Method, problem: str) -> str:
    """Return why a method cannot run on a problem; empty if it can."""
    declared = problem_of(problem)
    return one_body.why_not(declared, method, declared.dt) or ""


def home(method: Method) -> str:
    """Return the asymmetric top, or the free body for a method that is for free bodies only."""
    return "free" if why_not(method, "asymmetric-top") else "asymmetric-top"


# ----------------------------------------------------------------------------------------------------
# a slope


@dataclass(frozen=True)
class Record:
    """A measurement on a problem; `note` says why it was not made."""

    problem: str
    note: str = field(default="", kw_only=True)

    @property
    def verdict(self) -> str:
        """The conclusion, in a few words."""
        return NOT_MEASURED if self.note else self._judge()

    def _judge(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Slope:
    """The slope of log error by log step, with half the spread of the local slopes as its
    uncertainty.
    """

    value: float
    uncertainty: float
    points: int
    steps: tuple[float, float]
    """The smallest and the largest step of the fit."""
    middle: tuple[float, float]
    """A step in the middle of the fit, and the error there."""

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.uncertainty:.2f}"

    def constant(self, order: int) -> tuple[float, float]:
        """Return error / step^order in the middle of the fit, and its difference at the fit's
        ends.
        """
        step, error = self.middle
        value = error / step**order
        smallest, largest = self.steps
        return value, value * ((largest / smallest) ** (abs(self.value - order) / 2) - 1)


NEAR = 0.4
"""A slope this near to a whole number, apart from its uncertainty, is that number."""
FEWEST = 3
"""The fewest points of a slope."""
SPAN = 3.9
"""The largest step of a slope is at least this many times the smallest, if there are so many steps:
four times, of which rounding to whole numbers of steps may take some.
"""
STRAIGHT = 0.1
"""Local slopes that differ by no more than this, to either side, are one slope."""
FALLING = 0.5
"""An error that falls with a lower power of the step has ceased to converge."""
LARGE = 0.3
"""Errors above this, in radians or relative, show no order: the motion has become another."""
CLEAR = 2.0
"""Times the error at which it stops falling; below this roundoff may be most of it."""


def slope(
    steps: Sequence[float], errors: Sequence[float], floor: float, ceiling: float = np.inf
) -> Slope | None:
    """Fit the slope at the smallest steps whose errors are above roundoff; None with fewer than
    three of them.

    The fit leaves out the smallest steps, down to a quarter, if their points are not on a line, as
    roundoff may bend it: at larger steps the asymptotic range ends. It leaves out the first step
    whose error exceeds the ceiling, and all larger ones.
    """
    x, y = _take_logarithms(steps, errors)
    first = _count_at_roundoff(x, y, floor)
    large = np.flatnonzero(y[first:] > np.log(ceiling))
    x, y = x[first:], y[first:]
    if len(large):
        x, y = x[: large[0]], y[: large[0]]
    if len(x) < FEWEST:
        return None
    ends = [
        max(i + FEWEST, int(np.searchsorted(x, x[i] + np.log(SPAN))) + 1) for i in range(len(x))
    ]
    windows = [
        slice(i, min(end, len(x)))
        for i, end in enumerate(ends)
        if i == 0 or (end <= len(x) and x[i] <= x[0] + np.log(4.001))
    ]
    local = np.diff(y) / np.diff(x)
    spreads = [float(np.ptp(local[one.start : one.stop - 1])) / 2 for one in windows]
    best = int(np.argmin(spreads))
    x, y = x[windows[best]], y[windows[best]]
    value = float(np.polyfit(x, y, 1)[0])
    middle = float(np.exp(x.mean())), float(np.exp(y.mean()))
    smallest, largest = np.exp(x[[0, -1]]).tolist()
    return Slope(value, spreads[best], len(x), (smallest, largest), middle)


def find_roundoff(
    steps: Sequence[float], errors: Sequence[float], floor: float
) -> tuple[float, float] | None:
    """Return the largest step at which the error no longer falls, and the least error from there
    on; None if it falls at all steps.
    """
    x, y = _take_logarithms(steps, errors)
    first = _count_at_roundoff(x, y, floor)
    return (float(np.exp(x[first - 1])), float(np.exp(y[:first].min()))) if first else None


def _take_logarithms(steps: Sequence[float], errors: Sequence[float]) -> tuple[Array, Array]:
    """Return the logarithms of steps, smallest first, and of their errors."""
    order = np.argsort(steps)
    return np.log(np.asarray(steps)[order]), np.log(np.clip(errors, 1e-300, 1e300)[order])


def _count_at_roundoff(x: Array, y: Array, floor: float) -> int:
    """Return how many of the smallest steps have errors that no longer fall.

    Their level is the least median of three neighbours, as roundoff may be small by chance.
    """
    if len(x) < FEWEST:
        return int(np.count_nonzero(y <= np.log(floor)))
    local = np.diff(y[: FEWEST + 1]) / np.diff(x[: FEWEST + 1])
    if np.abs(local).max() < STRAIGHT and y[0] > np.log(floor):
        return 0  # the method converges to another motion: no noise is so flat
    medians = np.median([y[:-2], y[1:-1], y[2:]], axis=0)
    level = np.array([max(y[:2]), *medians, y[-1]])
    least = int(np.argmin(level))
    at = max(np.log(floor), level[least] + np.log(CLEAR) if least else -np.inf)
    below = np.flatnonzero(y <= at)
    count = int(below[-1]) + 1 if len(below) else 0
    while any(
        y[i] - y[count] < FALLING * (x[i] - x[count])
        for i in range(count + 1, min(count + FEWEST, len(x)))
    ):
        count += 1
    return count


# ----------------------------------------------------------------------------------------------------
# order

DURATIONS = {
    "free": 8.0,
    "slow-top": 2.0,
    "asymmetric-top": 2.0,
    "lagrange-top": 1.0,
    "driven": 2.0,
    "three-axis": 2.0,
}
"""Nonlinear problems on which errors are measured, with the time."""
ROUNDOFF = 1e-12
"""The error of many steps of one stage from roundoff alone."""
OF_ORDER = ("free", "slow-top", "asymmetric-top", "driven", "three-axis")
LADDER = tuple(round(4 * 2 ** (i / 2)) for i in range(20))
"""Numbers of steps in that time."""


@dataclass(frozen=True)
class Order(Record):
    """The order of attitude and momentum on one problem; `note` says why it was not measured."""

    attitude: Slope | None = None
    momentum: Slope | None = None


@functools.cache
def reference(key: str) -> tuple[State, float]:
    """Return the state at the end, and its uncertainty."""
    motion = exact(problem_of(key), DURATIONS[key])
    return (motion.R, motion.Pi), max(motion.estimate)


@functools.lru_cache(maxsize=256)
def measure_errors(method: Method, key: str) -> Array:
    """Return the steps of the ladder, attitude errors (spectral norm) and relative momentum errors,
    (3, n).

    Steps whose run does not reach the end are left out.
    """
    stepper = Stepper(method, problem_of(key))
    ((R, Pi), _) = reference(key)
    found = []
    for n in LADDER:
        state = stepper.after(DURATIONS[key] / n, n)
        if state is not None:
            momentum = np.linalg.norm(state[1] - Pi) / np.linalg.norm(Pi)
            found.append([DURATIONS[key] / n, np.linalg.norm(state[0] - R, 2), momentum])
    return np.array(found, float).reshape(-1, 3).T


def order(method: Method, key: str) -> Order:
    """Measure the order on one problem."""
    note = why_not(method, key)
    if note:
        return Order(key, note=note)
    (steps, *errors) = measure_errors(method, key).tolist()
    (_, uncertainty) = reference(key)
    floor = max(uncertainty, ROUNDOFF * len(method.stages))
    attitude, momentum = (
        slope(steps, one, floor, LARGE) or slope(steps, one, floor)  # a wrong motion has order 0
        for one in errors
    )
    return Order(key, attitude, momentum)


VISIBLE = 0.01
"""A small attitude error, large enough to show what a method does not conserve."""


def visible_step(method: Method, key: str) -> tuple[float, str]:
    """Return the largest step with an attitude error of at most a hundredth; or 0, and why there is
    none.

    If smaller steps do not reduce the error, as of a method that leaves out a term, it is the
    smallest step.
    """
    note = why_not(method, key)
    if note:
        return 0.0, note
    steps, attitude, _ = measure_errors(method, key).tolist()
    visible = [h for h, e in zip(steps, attitude, strict=True) if e <= VISIBLE]
    if not visible and attitude and attitude[-1] >= LEVEL * attitude[-2]:
        visible = [steps[-1]]
    return (
        (max(visible), "") if visible else (0.0, f"no step keeps the attitude within {VISIBLE:g}")
    )


LEVEL = 0.97
"""The least part of an error that remains with a smaller step if the error does not go to zero."""


# ----------------------------------------------------------------------------------------------------
# invariants

MOTIONS = {"free": "free", "tops": "asymmetric-top", "symmetric tops": "lagrange-top"}
"""A problem for each kind of motion."""
LONG = 2000
"""Steps of a run."""

KEPT_BY_THE_MOTION = {
    "free": ("energy", "pi", "pi_norm", "casimir", "orthogonality"),
    "tops": ("energy", "pi_e3", "gamma_norm", "orthogonality"),
    "symmetric tops": ("energy", "pi_e3", "pi_chi", "gamma_norm", "orthogonality"),
}
"""What the exact motion conserves, and a method may conserve."""


@dataclass(frozen=True)
class Conservation:
    """The largest relative deviation of each quantity that the motion conserves, over every step of
    one run.
    """

    motion: str
    dt: float = 0.0
    steps: int = 0
    deviations: Mapping[str, float] | None = None
    note: str = ""

    def verdict(self, quantity: str) -> str:
        """Return whether a quantity is "kept", "not kept", or "undecided" in between."""
        assert self.deviations is not None
        off = self.deviations[quantity]
        return "kept" if off <= KEPT else "not kept" if off >= LOST else "undecided"


def conservation(method: Method, motion: str) -> Conservation:
    """Measure the invariants on one kind of motion."""
    key = MOTIONS[motion]
    dt, note = visible_step(method, key)
    if note:
        return Conservation(motion, note=note)
    run = simulate(problem_of(key), method, dt=dt, steps=LONG, samples=1)
    if run.status != "done":
        return Conservation(motion, dt, note=run.message)
    return Conservation(
        motion, dt, LONG, {name: deviation(run, name) for name in KEPT_BY_THE_MOTION[motion]}
    )


def deviation(run: Run, name: str) -> float:
    """Return the largest deviation of a quantity from its start, over every step.

    It is relative to the initial length of π for π and its components (see `measure_momentum` for
    bodies at rest), absolute for the orthogonality, and otherwise relative to the start, or to 1 if that is smaller.
    """
    if name == "orthogonality":
        return float(run.extrema[name].max)
    scale = measure_momentum(run) if name.startswith("pi") else max(1.0, abs(run.first(name)))
    return float(run.deviation(name) / scale)


# ----------------------------------------------------------------------------------------------------
# structure

BACK_AGAIN = 1e-12
ASTRAY = 1e-9
"""Defects of the way there and back: roundoff up to the one, a method that is not reversible from
the other.
"""

OF_REVERSIBILITY = ("free", "asymmetric-top")
WAY = 20
"""Steps there, and as many back."""


@dataclass(frozen=True)
class Reversibility(Record):
    """The defect of a way there and back, with the spin reversed in between.

    `restarted` is the defect of a method that restarts from R and −Ω; `carried`, if a method
    carries more than these, is the defect with all that it carries, by steps of −h.
    """

    dt: float = 0.0
    restarted: float = np.nan
    carried: float | None = None

    def _judge(self) -> str:
        """Whether the method is reversible: from R and −Ω, or only with all that it carries."""
        if self.restarted <= BACK_AGAIN:
            return "reversible"
        if self.carried is not None and self.carried <= BACK_AGAIN:
            return "reversible with all it carries"
        least = self.restarted if self.carried is None else min(self.restarted, self.carried)
        return "not reversible" if least >= ASTRAY else "undecided"


def reversibility(method: Method, key: str) -> Reversibility:
    """Measure the way there and back on one problem."""
    h, note = visible_step(method, key)
    if note:
        return Reversibility(key, note=note)
    stepper = Stepper(method, problem_of(key))
    there = stepper.after(h, WAY)
    back = there and stepper.after(h, WAY, (there[0], -there[1]))
    if not back:
        return Reversibility(key, h, note="the run there and back does not end well")
    carried = None if one_step_map(stepper, h) else stepper.there_and_back(h, WAY)
    return Reversibility(key, h, apart((back[0], -back[1]), stepper.initial), carried)


def one_step_map(stepper: Stepper, h: float) -> bool:
    """Return whether a step is a map of R and Π: to restart from these is the same as to
    continue.
    """
    middle = stepper.after(h, 5)
    end = stepper.after(h, 10)
    anew = middle and stepper.after(h, 5, middle)
    return bool(anew and end and apart(anew, end) <= BACK_AGAIN)


SYMPLECTIC = 1e-11
NOT_SYMPLECTIC = 1e-10
"""The form's defect after one step: roundoff up to the one, a method that is not symplectic from
the other.
"""

SMALLER = tuple(2.0 ** (-i / 2) for i in range(7))
"""The steps at which to measure the form, in units of the visible one."""
LARGER = tuple(2.0 ** (i / 2) for i in (4, 3, 2, 1, 0))
"""The same for a method that seems symplectic: small steps, which kicks may need, hide a small
defect.
"""


@dataclass(frozen=True)
class Symplecticity(Record):
    """The defects of the symplectic form and of the volume under the one-step map of T*SO(3).

    `defect` and `volume` are the largest, `dt` is the step of the former; the orders are their
    slopes by the step.
    """

    dt: float = 0.0
    defect: float = np.nan
    volume: float = np.nan
    order: Slope | None = None
    volume_order: Slope | None = None

    def _judge(self) -> str:
        """Whether a step conserves the form, or only the volume."""
        if self.defect <= SYMPLECTIC:
            return "symplectic"
        if self.defect < NOT_SYMPLECTIC:
            return "undecided"
        return "volume only" if self.volume <= SYMPLECTIC else "not symplectic"


def symplecticity(method: Method) -> Symplecticity:
    """Measure the defects of the one-step map."""
    key = home(method)
    visible, note = visible_step(method, key)
    if note:
        return Symplecticity(key, note=note)
    if not compiles():
        return Symplecticity(key, note="the derivative of a step needs compiled kernels")
    stepper = Stepper(method, problem_of(key))
    if not one_step_map(stepper, visible):
        return Symplecticity(key, note="its step needs more than R and Π")
    R, _ = stepper.after(visible, 1) or stepper.initial
    if np.abs(R.T @ R - np.eye(3)).max() > KEPT:
        return Symplecticity(key, note="not a map of T*SO(3): R does not stay a rotation")
    at_visible = form_defects(stepper, visible)
    seems = at_visible is not None and at_visible[0] < NOT_SYMPLECTIC
    steps = []
    forms = []
    volumes = []
    for h in [visible * times for times in (LARGER if seems else SMALLER)]:
        defects = form_defects(stepper, h)
        if defects is not None:
            steps.append(h)
            forms.append(defects[0])
            volumes.append(defects[1])
    if not steps:
        return Symplecticity(key, note="no step of such a size has a solution")
    worst = int(np.argmax(forms))
    order, volume_order = (slope(steps, defects, 10 * SYMPLECTIC) for defects in (forms, volumes))
    return Symplecticity(key, steps[worst], forms[worst], max(volumes), order, volume_order)


def form_defects(stepper: Stepper, h: float) -> tuple[float, float] | None:
    """Return the largest entry of Dᵀ ω(Π₁) D − ω(Π₀), and |det D − 1|, of a step's D; None without
    a step.
    """
    _, Omega, D = stepper.tangents.differentiate(h, 1, np.eye(SEEDS, 6))
    if not np.isfinite(D).all():
        return None
    defect = D.T @ form(stepper.J * Omega) @ D - form(stepper.initial[1])
    return float(np.abs(defect).max()), float(abs(np.linalg.det(D) - 1))


def form(Pi: Array) -> Array:
    """Return the symplectic form of T*SO(3) in the body frame: ω((ξ, μ), (η, ν)) = μ·η − ν·ξ − Π·(ξ
    × η).
    """
    x, y, z = Pi
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[hat, -np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


# ----------------------------------------------------------------------------------------------------
# drift

OF_DRIFT = ("free", "asymmetric-top")
DRIFT_STEPS = 1_000_000
BLOCKS = 64
ROWS_A_BLOCK = 499
"""Energies of a block's mean; an odd number, so that no simple period recurs in every block."""
CERTAIN = 8.0
"""A slope this many times its uncertainty is a drift. DMV has none, and reaches 6 in 1 of 8 chaotic
motions.
"""
NOTICEABLE = 1e-10
"""The relative change of the energy over a whole run from roundoff alone."""


@dataclass(frozen=True)
class Drift(Record):
    """The line through the relative means of the energy, or of another quantity, over blocks of a
    long run.

    `slope` and `uncertainty` are per step; the uncertainty allows for blocks that resemble their
    neighbours (Newey and West). `spread` is the range of the means, `swing` the range of the energy
    within a usual block. In a chaotic motion roundoff decides how an energy that is not bounded
    moves, not that it does. `ended` is the number of steps of a run that did not reach its end, or
    before a value that has overflowed.
    """

    dt: float = 0.0
    steps: int = 0
    slope: float = np.nan
    uncertainty: float = np.nan
    spread: float = np.nan
    swing: float = np.nan
    ended: int | None = None

    @property
    def is_steady(self) -> bool:
        """Whether the quantity drifts at a steady rate."""
        return self.spread > NOTICEABLE and abs(self.slope) > CERTAIN * self.uncertainty

    @property
    def is_absent(self) -> bool:
        """Whether the quantity does not drift."""
        return not self.is_steady and self.spread <= max(NOTICEABLE, self.swing)

    def _judge(self) -> str:
        """Whether there is a drift, in words."""
        if self.ended is not None:
            return f"ends after {format_count(self.ended, 'step')}"
        if self.is_steady:
            return f"drifts, {self.slope:+.1e} per step"
        return "no drift" if self.is_absent else f"changes by {self.spread:.1e}, at no steady rate"


def drift(method: Method, key: str, cancel: threading.Event | None) -> Drift | None:
    """Measure the drift of the energy on one problem, at the problem's own step; None if it is
    cancelled.
    """
    note = why_not(method, key)
    if note:
        return Drift(key, note=note)
    every = max(1, DRIFT_STEPS // (BLOCKS * ROWS_A_BLOCK))
    run = simulate(problem_of(key), method, steps=DRIFT_STEPS, every=every, cancel=cancel)
    return None if run.status == "cancelled" else drift_of(run, DRIFT_STEPS)


def drift_of(run: Run, steps: int, quantity: str = "energy") -> Drift:
    """Measure the drift of the energy, or of another quantity, in a run of `steps`."""
    if run.status != "done":
        return Drift(run.problem.key, run.dt, steps, ended=run.cost.steps)
    values = run.quantity(quantity)
    finite = np.isfinite(values)
    if not finite.all():
        return Drift(run.problem.key, run.dt, steps, ended=int(finite.argmin()) * run.every)
    away = (values - values[0]) / (abs(values[0]) or 1.0)
    blocks = away[: len(away) // BLOCKS * BLOCKS].reshape(BLOCKS, -1)
    means = blocks.mean(axis=1)
    a_block = blocks.shape[1] * run.every
    value, uncertainty = (x / a_block for x in line(means))
    swing = float(np.median(np.ptp(blocks, axis=1)))
    return Drift(run.problem.key, run.dt, steps, value, uncertainty, float(np.ptp(means)), swing)


def line(y: Array) -> tuple[float, float]:
    """Return the slope of evenly spaced values, and its standard error with correlated neighbours
    (Newey-West); both are nan if a value has overflowed.
    """
    if not np.isfinite(y).all():
        return np.nan, np.nan
    scale = np.ldexp(0.5, np.frexp(np.abs(y).max())[1])  # a power of two, so nothing is rounded
    y = y / scale
    x = np.arange(len(y)) - (len(y) - 1) / 2
    value = x @ y / (x @ x)
    u = x * (y - y.mean() - value * x)
    reach = round(len(y) ** 0.5)
    variance = u @ u + 2 * sum(
        (1 - lag / (reach + 1)) * (u[lag:] @ u[:-lag]) for lag in range(1, reach + 1)
    )
    return float(scale * value), float(scale * np.sqrt(max(variance, 0.0)) / (x @ x))


PARTS, A_PART = 20, 3
"""Parts of a series whose means show a drift, and the least number of values of each."""
NOTABLE = 0.1
"""A drift that makes up this part of the range of a series is worth a word, rather than the
amplitude.
"""


def describe_trend(t: Array, y: Array, roundoff: float) -> str:
    """Say what matters of a deviation: its drift per unit of t, if that is certain and large, or
    its amplitude.
    """
    size = float(np.abs(y).max(initial=0.0))
    if size <= roundoff:
        return "roundoff" if size else ZERO
    n = (len(y) - 1) // PARTS
    if n >= A_PART:
        slope, uncertainty = line(y[: n * PARTS].reshape(PARTS, n).mean(axis=1))
        if abs(slope) > CERTAIN * uncertainty and PARTS * abs(slope) > NOTABLE * np.ptp(y):
            return f"{'+' * (slope > 0)}{format_measured(slope / float(t[n] - t[0]))} per t"
    return f"{'±' if y.min() < 0.0 < y.max() else '≤ '}{format_measured(size)}"


# ----------------------------------------------------------------------------------------------------
# large steps

TRIED = tuple(0.1 * 2 ** (i / 2) for i in range(28))
"""Steps on the free body, up to about a thousand."""
FEW = 100
"""Steps of a run with each."""


@dataclass(frozen=True)
class LargestStep:
    """The largest step on the free body with which a run makes a hundred steps; inf if all tried
    steps do.
    """

    dt: float
    tried: float = TRIED[-1]
    status: str = ""
    """How the run with a larger step ends: "no-solution" or "diverged"."""

    def __str__(self) -> str:
        return (
            f"any, up to {self.tried:.4g}"
            if np.isinf(self.dt)
            else f"{self.dt:.3g} ({self.status.replace('-', ' ')})"
        )


def largest_step(method: Method) -> LargestStep:
    """Find where steps begin to fail."""
    stepper = Stepper(method, problem_of("free"))
    status = functools.cache(lambda h: stepper.run(h, FEW).status if h else "done")
    good, bad = find_largest(
        lambda h: status(h) == "done",
        (0.0, *TRIED),
        lambda a, b: (a + b) / 2 if b - a > 1e-3 * b else None,
    )
    return LargestStep(np.inf) if np.isnan(bad) else LargestStep(good, status=status(bad))


# ----------------------------------------------------------------------------------------------------
# cost

OF_COST = TIMED_PROBLEMS


@dataclass(frozen=True)
class Work(Record):
    """The mean cost of a step: evaluations of the torque, and iterations of Newton's method."""

    torque_evaluations: float = np.nan
    newton_iterations: float = np.nan


def work(method: Method, key: str) -> Work:
    """Measure the work of a step from the problem's start at its own step, without that of the
    start itself.
    """
    note = why_not(method, key)
    if note:
        return Work(key, note=note)
    problem = problem_of(key)
    stepper = Stepper(method, problem)
    short, long = (stepper.run(problem.dt, steps) for steps in (10, 110))
    made = long.steps - short.steps
    if not made:
        return Work(key, note=f"no run of ten steps of {problem.dt:g} ends well")
    return Work(
        key,
        (long.torque_evaluations - short.torque_evaluations) / made,
        (long.newton_iterations - short.newton_iterations) / made,
    )


@dataclass(frozen=True)
class Speed:
    """Nanoseconds per step with all invariants tracked: the least and the median of some
    repetitions.
    """

    problem: str
    minimum: float
    median: float
    repetitions: int


def speeds(methods: Sequence[Method], cancel: threading.Event | None) -> list[tuple[Speed, ...]]:
    """Measure the speed of methods on a free body and on a top, where they fit."""
    times = time_cases(
        [TimedCase(method, problem) for method in methods for problem in OF_COST], cancel=cancel
    )
    return [
        tuple(
            Speed(problem, min(found), statistics.median(found), len(found))
            for problem in OF_COST
            if (found := times.get(TimedCase(method, problem)))
        )
        for method in methods
    ]
