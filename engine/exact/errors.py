"""Errors of runs against the exact motion or another run."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array
from ..problems.given_rates.given import GivenRates
from ..problems.problem import Problem
from ..problems.two_bodies.pair import TwoBodies
from ..quantities import (
    Formula,
    Quantity,
    angle_between,
    attitude_error,
    body_momentum_error,
    evaluate,
    middle_axis_angle,
    momentum_error,
    pair_attitude_error,
    pair_attitude_errors,
    place_error,
    spectral_error,
)
from ..quantities.given_rates import error_components
from ..simulation import AnyRun, GivenRatesRun, Run, TwoBodyRun
from ..text.formatting import format_measured, join_words, show
from .given_rates import AttitudeEstimate, GivenRatesMotion
from .motion import Motion, exact
from .pair_motion import PairEstimate, PairMotion
from .reference import Estimate, Progress

Rows = NDArray[np.intp]

SAME_TIME = 1e-9
"""Two times are the same if they differ by less than this, in steps."""
ROUNDOFF = 1e-12
"""A reference as good as this, in radians or relative momentum, hides no errors."""
WHOLE_RANGE = 0.9 * np.pi
"""An attitude error beyond this has wandered over its whole range, 0 to π."""
FLIP, WIDE_FLIP = 60.0, 40.0
"""A body flips when the angle of its momentum to its middle axis goes from one end of its range, 0
to 180°, to the other; the ends are so wide in degrees. Flips of the exact motion are counted if
narrower ends give the same number.
"""
RESOLVED = 1.0
"""The largest turn of a body between two rows, in radians, at which its flips are counted."""
KNOWN = 0.1
"""The largest estimated error of the exact attitude, in radians, at which its flips are counted."""


class Flips(NamedTuple):
    """The times at which a body flips by a run, and by its reference."""

    run: Array
    reference: Array


class ErrorValues(NamedTuple):
    """One number for each kind of error."""

    attitude: float
    spectral: float
    Pi: float
    pi: float


@dataclass(frozen=True, eq=False)
class AttitudeErrors:
    """The errors of a run's attitude at the times that it shares with its reference, computed at
    first use.

    An error is nan where it does not exceed the estimated error of the reference: there it is not
    known.

    Attributes
    ----------
    run, against : the run and its reference.
    rows, reference_rows : (n,) the rows of the two with the same times.
    t : (n,) those times.
    attitude : (n,) the angle in radians between the attitude, or the rotation nearest to it, and
        the reference's.
    reference : the source of the reference, in words.
    reference_estimate : the largest estimated error of the reference; None for a run.
    """

    values: ClassVar[Any]
    """A class of named tuples with one number for each kind of error."""

    run: Any
    against: Any
    rows: Rows
    reference_rows: Rows
    reference: str
    reference_estimate: Any

    @cached_property
    def t(self) -> Array:
        """The common times."""
        times: Array = self.run.t[self.rows]
        return times

    @cached_property
    def attitude(self) -> Array:
        """The angle of R_refᵀR."""
        return self.known_values(attitude_error)

    @property
    def flips(self) -> Flips | None:
        """When a free body flips; None if it is not such a motion."""
        return None

    @cached_property
    def phase_lost(self) -> float:
        """The first time at which the attitude error exceeds `WHOLE_RANGE`; nan if it never does.

        From then on the phase of the motion is lost: the attitude error is noise, by which nothing
        can be ranked.
        """
        return find_phase_loss(self.t, self.attitude)

    @property
    def worst(self) -> Any:
        """The largest known error of each kind; nan if none is known."""
        return self.values(
            *(float(np.fmax.reduce(getattr(self, kind))) for kind in self.values._fields)
        )

    @property
    def last(self) -> Any:
        """The errors at the last time; nan where not known."""
        return self.values(*(float(getattr(self, kind)[-1]) for kind in self.values._fields))

    @cached_property
    def message(self) -> str:
        """A sentence on when the attitude error is not known and why; empty if it is known."""
        unknown = np.isnan(self.attitude)
        if not unknown.any():
            return ""
        since = f"rom t = {show(self.t[unknown.argmax()], 4)} on"
        when = f"F{since}" if unknown[unknown.argmax() :].all() else f"At some times f{since}"
        return f"{when}, the attitude error is not known. The reference may be as far off."

    def known_values(self, quantity: Quantity) -> Array:
        """(n,) the values of a quantity against the reference; nan where the reference's own error
        is as large.
        """
        values = quantity.values(
            self.run, self.against, rows=self.rows, exact_rows=self.reference_rows
        )
        return values if isinstance(self.against, AnyRun) else self._mask(quantity, values)

    def _mask(self, quantity: Quantity, values: Array) -> Array:
        """The values of a quantity, nan where the reference's own error is as large."""
        return mask_unknown(values, self._estimate("attitude"), quantity.factor)

    def _mask_relatively(self, quantity: Quantity, values: Array, kind: str) -> Array:
        """The same for an estimate that is relative to the size of what the quantity compares."""
        sizes = quantity.measure_sizes(self.against, self.run.problem)
        return mask_unknown(values, self._estimate(kind), float(np.nanmax(sizes)) or 1.0)

    def _estimate(self, kind: str) -> Array:
        """(n,) the estimated errors of the reference."""
        estimates: Array = np.atleast_1d(getattr(self.against.estimates, kind))
        return estimates[self.reference_rows]

    def _reference(self, series: str, *shape: int) -> Array:
        """A series of the reference at these times; a motion at a single time has no axis of
        times.
        """
        whole: Array = getattr(self.against, series)
        return whole.reshape(-1, *shape)[self.reference_rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        worst = ", ".join(
            f"{name} {show(value, 3)}" for name, value in self.worst._asdict().items()
        )
        return f"<errors at {len(self)} times, at worst {worst}; against {self.reference}>"


@dataclass(frozen=True, eq=False, repr=False)
class Errors(AttitudeErrors):
    """The errors of a run of one body.

    Attributes
    ----------
    away : (n, 3, 3) R − R_ref.
    spectral : (n,) ‖R − R_ref‖₂.
    Pi, pi : (n,) |Π − Π_ref| in the body's frame, and |π − π_ref| in space.
    reference_estimate : the largest estimated error of the reference, attitude in radians and
        momentum relative to its largest; None for a run.
    """

    values = ErrorValues

    run: Run
    against: Run | Motion
    reference_estimate: Estimate | None

    @property
    def worst(self) -> ErrorValues:
        """The largest known error of each kind; nan if none is known."""
        found: ErrorValues = super().worst
        return found

    @property
    def last(self) -> ErrorValues:
        """The errors at the last time; nan where not known."""
        found: ErrorValues = super().last
        return found

    @cached_property
    def flips(self) -> Flips | None:
        """When a free body flips; None if the exact motion does so less than twice, if the body
        turns too far between two rows, or if the end of the exact motion is not known.
        """
        problem = self.run.problem
        if "pi" not in problem.invariants or problem.torque is not None:
            return None
        estimate = self.reference_estimate
        is_known = estimate is None or estimate.attitude <= KNOWN
        if len(self.t) < 2 or np.isnan(self.attitude[-1]) or not is_known:
            return None
        Omega = self._reference("Omega", 3)
        speed = max(length(self.run.Omega[self.rows]).max(), length(Omega).max())
        if not speed * np.diff(self.t).max() <= RESOLVED:
            return None
        own = middle_axis_angle.values(self.run, rows=self.rows)
        exact = middle_axis_angle.values(self.against, rows=self.reference_rows, problem=problem)
        rows = list_flips(exact)
        if len(rows) < 2 or len(list_flips(exact, WIDE_FLIP)) != len(rows):
            return None
        return Flips(self.t[list_flips(own)], self.t[rows])

    @cached_property
    def away(self) -> Array:
        """R − R_ref, known or not."""
        return self.run.R[self.rows] - self._reference("R", 3, 3)

    @cached_property
    def Pi(self) -> Array:
        """|Π − Π_ref|."""
        return self.known_values(body_momentum_error)

    @cached_property
    def pi(self) -> Array:
        """|π − π_ref|."""
        return self.known_values(momentum_error)

    @cached_property
    def spectral(self) -> Array:
        """‖R − R_ref‖₂."""
        return self.known_values(spectral_error)

    def _mask(self, quantity: Quantity, values: Array) -> Array:
        """The values, nan where not known; a component of π is known where π is."""
        if quantity.signed:
            return np.where(np.isnan(self.pi), np.nan, values)
        if any(one.series == "R" for one in quantity.readings):
            return super()._mask(quantity, values)
        return self._mask_relatively(quantity, values, "momentum")


class PairErrorValues(NamedTuple):
    """One number for each kind of error of two bodies."""

    attitude: float
    attitude1: float
    attitude2: float
    place: float


@dataclass(frozen=True, eq=False, repr=False)
class PairErrors(AttitudeErrors):
    """The errors of a run of two bodies.

    Attributes
    ----------
    attitude1, attitude2 : (n,) the angles in radians between each body's attitude and the
        reference's.
    attitude : (n,) the larger of both.
    place : (n,) the distance between the place of body 1 from body 2 and the reference's.
    reference_estimate : the largest estimated error of the reference, attitudes in radians and the
        place relative to the largest distance; None for a run.
    """

    values = PairErrorValues

    run: TwoBodyRun
    against: TwoBodyRun | PairMotion
    reference_estimate: PairEstimate | None

    @cached_property
    def attitude(self) -> Array:
        """The larger of both angles."""
        return self.known_values(pair_attitude_error)

    @cached_property
    def attitude1(self) -> Array:
        """The angle of R1_refᵀR1."""
        return self.known_values(pair_attitude_errors[0])

    @cached_property
    def attitude2(self) -> Array:
        """The angle of R2_refᵀR2."""
        return self.known_values(pair_attitude_errors[1])

    @cached_property
    def place(self) -> Array:
        """|(x1 − x2) − (x1 − x2)_ref|."""
        return self.known_values(place_error)

    def _mask(self, quantity: Quantity, values: Array) -> Array:
        """The values, nan where not known."""
        if quantity is place_error:
            return self._mask_relatively(quantity, values, "place")
        return super()._mask(quantity, values)


class AttitudeErrorValues(NamedTuple):
    """One number for the only kind of error."""

    attitude: float


HOUR = 3600.0
"""In units of time, if these are seconds."""


@dataclass(frozen=True, eq=False, repr=False)
class GivenRatesErrors(AttitudeErrors):
    """The errors of a run with given rates."""

    values = AttitudeErrorValues

    run: GivenRatesRun
    against: GivenRatesRun | GivenRatesMotion
    reference_estimate: AttitudeEstimate | None

    @cached_property
    def vectors(self) -> Array:
        """(n, 3) the rotation vectors in space from the reference's attitudes to the run's, which grow
        beyond half a turn from row to row; nan from the row on that is too far from the one before
        to tell how many turns there are.
        """
        columns = [
            one.values(self.run, self.against, rows=self.rows, exact_rows=self.reference_rows)
            for one in error_components
        ]
        return continue_vectors(np.stack(columns, axis=-1))

    @cached_property
    def drift(self) -> Array:
        """(3,) the rate at which the error grows, about axes in space, in degrees per hour if the
        unit of time is the second: the slope of a line through the rotation vectors that are known.
        """
        known = np.isfinite(self.vectors).all(axis=1)
        t, vectors = self.t[known], self.vectors[known]
        if len(t) < 2:
            return np.full(3, np.nan)
        since = t - t.mean()
        slope = since @ (vectors - vectors.mean(axis=0)) / (since @ since)
        return np.degrees(slope) * HOUR

    @cached_property
    def message(self) -> str:
        """When the attitude error, or its whole turns, are not known, and why."""
        lost = ~np.isfinite(self.vectors).all(axis=1)
        fastest = float(np.nanmax(np.linalg.norm(self.run.Omega, axis=1)))
        sentences = [super().message]
        if lost.any():
            since = show(self.t[lost.argmax()], 4)
            sentences.append(f"From t = {since} on, rows are too far apart to tell the drift.")
        elif 2.0 * fastest * np.diff(self.t).max() > np.pi:  # both may turn, in opposite directions
            sentences.append(
                "The drift holds if the error grows by less than half a turn from row to row."
            )
        return " ".join(filter(None, sentences))


NEAR = np.pi / 2
"""The largest angle between the errors in two rows from which one continues the other."""


def continue_vectors(vectors: Array) -> Array:
    """Rotation vectors (n, 3) with the whole turns that continue each from the one before; nan from
    the row on in which they are not known.
    """
    angles = np.linalg.norm(vectors, axis=1)
    axes = vectors / np.where(angles > 0.0, angles, 1.0)[:, None]
    half = np.column_stack([np.cos(angles / 2), np.sin(angles / 2)[:, None] * axes])
    between = np.abs((half[1:] * half[:-1]).sum(axis=1))
    is_near = between > np.cos(NEAR / 2)
    known = len(vectors) if is_near.all() else int(is_near.argmin()) + 1
    steps = np.linalg.norm(np.diff(vectors[:known], axis=0), axis=1)
    found = vectors.copy()
    found[known:] = np.nan
    if (steps <= np.pi).all():
        return found
    for k in range(int((steps > np.pi).argmax()) + 1, known):
        before = found[k - 1]
        turns = round((axes[k] @ before - angles[k]) / (2.0 * np.pi))
        found[k] = axes[k] * (angles[k] + 2.0 * np.pi * turns)
        if np.linalg.norm(found[k] - before) > np.pi:
            found[k:] = np.nan
            break
    return found


@overload
def error(
    run: GivenRatesRun,
    reference: GivenRatesRun | GivenRatesMotion | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> GivenRatesErrors: ...
@overload
def error(
    run: TwoBodyRun,
    reference: TwoBodyRun | PairMotion | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> PairErrors: ...
@overload
def error(
    run: Run,
    reference: Run | Motion | None = ...,
    *,
    progress: Progress | None = ...,
    cancel: threading.Event | None = ...,
) -> Errors: ...
def error(
    run: Any,
    reference: Any = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Errors | GivenRatesErrors | PairErrors:
    """The errors of a run at its rows; nan where the error of the reference may be as large.

    Parameters
    ----------
    run : what `engine.simulate` returns.
    reference : a run or a motion to compare with at the common times; by default the exact motion.
    progress, cancel : as in `engine.exact`, for reference runs.

    Raises
    ------
    ValueError
        If the two share no time beyond the start, or if no reference run gets as far, in one
        sentence.
    Cancelled
        If `cancel` was set.
    """
    problem = run.problem
    kind, run_type, motion_type = ERRORS[problem.space]
    if reference is None:
        dt = problem.dt if run.method.adaptive else run.dt
        reference = exact(problem, run.t, dt=dt, progress=progress, cancel=cancel)
    if isinstance(reference, run_type):
        source = repr(reference)[1:-1]
        estimate = None
    elif isinstance(reference, motion_type):
        source = reference.how
        estimate = reference.estimate
    else:
        raise ValueError(
            f"a reference is a run, or what engine.exact returns; got {type(reference).__name__}"
        )
    rows, reference_rows = _match_times(run, np.atleast_1d(reference.t))
    found: Errors | GivenRatesErrors | PairErrors = kind(
        run, reference, rows, reference_rows, source, estimate
    )
    return found


ERRORS: dict[str, tuple[Any, type[AnyRun], type[Any]]] = {
    Problem.space: (Errors, Run, Motion),
    TwoBodies.space: (PairErrors, TwoBodyRun, PairMotion),
    GivenRates.space: (GivenRatesErrors, GivenRatesRun, GivenRatesMotion),
}
"""The classes of errors, runs and exact motions, by the space of the problem."""


def describe_attitude_errors(errors: Mapping[str, float | None]) -> list[str]:
    """Sentences on attitude errors at the end by the names of methods, the least first; nan if the
    phase is lost, and None if the error is not known.
    """
    found = {name: error for name, error in errors.items() if error is not None}
    known = sorted((error, name) for name, error in found.items() if not np.isnan(error))
    lost = [name for name, error in found.items() if np.isnan(error)]
    text = []
    if known:
        each = [
            (f"{name} " if len(errors) > 1 else "") + format_measured(error)
            for error, name in known
        ]
        text.append(f"Final attitude error{'s' * (len(known) > 1)}: {join_words(each)} rad.")
    return [*text, describe_lost_phase(lost)] if lost else text


def describe_lost_phase(methods: Sequence[str], where: str = "") -> str:
    """Sentences on methods that lose phase, and where; empty if there are none."""
    if not methods:
        return ""
    one = len(methods) == 1
    then = "then " * bool(where)
    whose, s = ("Its attitude error", "s") if one else ("Their attitude errors", "")
    return (
        f"{join_words(methods)} lose{s} phase{where}. {whose} {then}wander{s} between 0 and π, "
        f"so {'it is' if one else 'they are'} not ranked."
    )


def find_phase_loss(t: Array, attitude: Array) -> float:
    """The first time at which an attitude error exceeds `WHOLE_RANGE`; nan if it never does."""
    lost = t[attitude > WHOLE_RANGE]
    return float(lost.min()) if len(lost) else np.nan


def list_flips(angles: Array, end: float = FLIP) -> Rows:
    """The rows at which angles in degrees come to one end of their range from the other."""
    sides = np.where(angles <= end, 1, 0) - np.where(angles >= 180.0 - end, 1, 0)
    there = np.flatnonzero(sides)
    return there[1:][np.diff(sides[there]) != 0]


def _match_times(run: AnyRun, t: Array) -> tuple[Rows, Rows]:
    """The rows of the run and of the reference that have the same times."""
    order = np.argsort(t, kind="stable")
    after = np.minimum(np.searchsorted(t[order], run.t - SAME_TIME * run.dt), len(t) - 1)
    there = order[after]
    same = np.abs(t[there] - run.t) <= SAME_TIME * run.dt
    if not same.any() or (run.t[-1] > 0.0 and not same[1:].any()):
        raise ValueError(
            f"the run, with dt = {show(run.dt)}, and its reference have no rows at a common time beyond the start"
        )
    return np.flatnonzero(same), there[same]


def mask_unknown(error: Array, estimate: Array, unit: float | Array = 1.0) -> Array:
    """The errors; nan where the estimated error of the reference is as large. `unit` converts the
    estimates.
    """
    unknown = ~(error > unit * estimate) & (estimate > ROUNDOFF)
    return np.where(unknown, np.nan, error)


def measure_turns(R: Array, reference: Array) -> Array:
    """(n,) the angles in radians between attitudes (n, 3, 3), or the rotations nearest to them, and
    a reference's.
    """
    return evaluate(Formula.of(angle_between), (R, reference), len(R))


def length(v: Array) -> Array:
    """(n,) |v| of vectors (n, 3)."""
    return np.sqrt((v * v).sum(axis=-1))
