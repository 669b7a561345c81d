"""Which rule is this? The rules of the catalogue that reproduce a trajectory to its rounding."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core import Method, find_method
from ..kernels import Cancelled, is_cancelled
from ..parameters.validation import Array
from ..text.formatting import format_count, join_words, show
from .candidates import list_damped, list_defaults, list_rules, name_rules
from .first_look import FirstRows, Guesses, Look, find_sizes
from .residuals import Rows, check_steps, fit, follow
from .stepping import Noise, Residuals, Stepper, Trial
from .trajectory import Trajectory

SUBSTEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20)
"""The numbers of steps between two rows that are tried."""
DOUBLE, SINGLE = 1e-14, 3 * 2.0**-24
"""What the arithmetic of a step leaves, relative to a turn by 1 rad and to the velocity: with numbers of
64 bits, of which implicit rules solve for all but the last digits, and of 32 bits, in which engines
keep quaternions and angular velocities in space.
"""
LITTLE = 10.0
"""The same ratio at a first look, from which a rule is not looked at again."""
AGREES = 3.0
"""The largest ratio of what a rule leaves to what rounding leaves, both as roots of mean squares; the
expected ratio is 1, and the model of rounding holds within a factor of two.
"""
CERTAIN = 5.0
"""How many standard deviations exclude a rule in favour of another."""
SMOOTH = 0.8
"""The correlation of neighbouring rows from which on what a rule leaves is no rounding."""
UNSEEN = 0.03
"""The difference of two rules, in units of what rounding leaves, from which on they are compared: two
computations of one rule differ by less.
"""
FEW, MANY = 16, 120
"""Rows for a first look and for a decision."""
NEAR_CAP = 0.02
"""A cap is looked for if more than this part of the rows has a velocity within this part of the largest.
"""
MOST = 120
"""The most trials that are compared with all rows for a decision, those that leave least first."""
LONGEST = 20_000
"""The most steps of a run that is compared with the file."""
NEAREST = 5
"""How many of the other rules are reported."""


_NONE = np.empty((0, 6))


@dataclass(frozen=True)
class Near:
    """A rule near a trajectory: its name, and the root mean square of the angle in rad by which it
    misses the next row; the error of a velocity counts by the turn that it makes in a row.
    """

    name: str
    distance: float


@dataclass(frozen=True, eq=False)
class Matches:
    """The rules that reproduce a trajectory.

    Attributes
    ----------
    rules : names of one rule, as `engine.algorithm` takes them; empty if no rule reproduces it, or if
        several do that differ.
    possible : the rules that differ and that the file does not distinguish; empty if there is one, or none.
    nearest : other rules, the nearest first.
    precision : "double" or "single", the numbers with which it was computed; empty if the file does
        not show it.
    substeps : steps between two rows; 0 without a rule.
    numbers : the fitted damping and caps, each with its standard error.
    moments : (3,) the moments by which the rule reproduces it, in the scale of the given ones; None
        without a rule.
    moment_errors : (3,) the standard errors of moments that were fitted, of which the third is the
        unit; 0 of given ones.
    distance : that of the rule, as `Near` has it; nan without one.
    sentences : the same in words.
    """

    rules: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    nearest: tuple[Near, ...] = ()
    precision: str = ""
    substeps: int = 0
    numbers: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    moments: Array | None = None
    moment_errors: Array = field(default_factory=lambda: np.zeros(3))
    distance: float = float("nan")
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Attempt:
    """A trial at a first look.

    Attributes
    ----------
    distance : as `Near` has it.
    size : what it leaves in units of what rounding leaves, roughly.
    fitted : the numbers that were fitted.
    """

    trial: Trial
    distance: float
    size: float
    fitted: tuple[str, ...]

    @property
    def rule(self) -> Method:
        """The rule that is tried."""
        return self.trial.stepper.method


@dataclass(frozen=True, eq=False)
class _Finding:
    """A trial on the rows for a decision.

    Attributes
    ----------
    residuals : what it leaves of them.
    errors : of the fitted numbers.
    follow : computes what it leaves along the whole.
    """

    trial: Trial
    residuals: Residuals
    errors: Mapping[str, float]
    follow: Callable[[], Residuals] = lambda: Residuals(_NONE, _NONE)

    @cached_property
    def along(self) -> Residuals:
        """What it leaves along the whole."""
        return self.follow()

    @property
    def rule(self) -> Method:
        """The rule that is tried."""
        return self.trial.stepper.method

    @property
    def distance(self) -> float:
        """The distance as `Near` has it."""
        raw = self.residuals.raw.copy()
        raw[:, 3:] *= self.trial.dt
        return float(np.sqrt(np.mean((raw**2).sum(axis=1))))

    @property
    def limits(self) -> dict[str, float]:
        """The fitted damping and caps, of a row and not of a step where that differs, as an engine has
        them by default, or with the fewest digits, if their errors allow that.
        """
        found = {}
        for option in self.rule.options:
            if option.name in self.errors:
                steps = self.trial.substeps if option.of_frame else 1
                value = self.trial.numbers[option.name] * steps
                within = 3 * self.errors[option.name] * steps
                shorter = [float(f"{value:.{digits}g}") for digits in range(1, 16)]
                known = [0.0, *list_defaults(self.rule, option.name), *shorter]
                near = (
                    x
                    for x in known
                    if min(abs(x - value), abs(float(np.float32(x)) - value)) <= within
                )
                found[option.name] = next(near, value)
        return found

    @property
    def is_possible(self) -> bool:
        """Whether no damping or cap is negative."""
        return all(value >= 0.0 for value in self.limits.values())


def find_rules(
    trajectory: Trajectory,
    *,
    methods: Iterable[str | Method] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> Matches:
    """Find the rules of the catalogue that reproduce the trajectory of a free body.

    Each is run from the file's own rows one step at a time and over the whole, with one step between
    two rows or with several, in numbers of 64 bits; what numbers of 32 bits leave is allowed for
    next. Damping and caps are fitted if no rule reproduces the trajectory without them.

    Parameters
    ----------
    methods
        The rules to try; all of the catalogue by default.
    progress
        Receives how many rules of how many were tried.
    cancel
        Ends the search by `Cancelled` once it is set.
    """
    if trajectory.J is None:
        raise ValueError("give the moments of inertia: the rule of a trajectory follows from them")
    search = _Search(trajectory, list_rules(methods), progress, cancel)
    return search.run()


class _Search:
    """The search for the rule of one trajectory."""

    def __init__(
        self,
        trajectory: Trajectory,
        rules: list[Method],
        progress: Callable[[int, int], Any] | None,
        cancel: threading.Event | None,
    ) -> None:
        assert trajectory.J is not None
        self._rules = rules
        self._progress = progress
        self._cancel = cancel
        self._J = trajectory.J
        self._R = trajectory.R
        self._Omega = trajectory.Omega
        if self._Omega is not None and np.isnan(self._Omega).all():
            self._Omega = None
        self._dt = trajectory.dt
        self._rounding = trajectory.attitude_rounding, trajectory.velocity_rounding
        self._count = 2 if self._Omega is not None else 3
        self._neighbours = _list_neighbours(trajectory, self._dt, self._count)
        self._run = _find_run(self._neighbours, self._count)
        self._unknown = ("J1", "J2") if trajectory.moment_errors.any() else ()
        self._steppers: dict[str, Stepper] = {}
        speeds = self._find_speeds(trajectory)
        self._fastest = float(speeds.max(initial=0.0))
        later = speeds[1:]
        self._cap = float(later.max(initial=0.0))
        self._is_capped = float(np.mean(later > (1 - NEAR_CAP) * self._cap)) > NEAR_CAP

    def _find_speeds(self, trajectory: Trajectory) -> Array:
        """The angular velocities that the rows show, without direction."""
        if self._Omega is not None:
            return np.asarray(
                np.linalg.norm(self._Omega[np.isfinite(self._Omega).all(axis=1)], axis=1)
            )
        cosines = 0.5 * (np.einsum("nij,nij->n", self._R[1:], self._R[:-1]) - 1.0)
        return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)) / np.diff(trajectory.t))

    def _find_noise(self, arithmetic: float) -> Noise:
        """What rounding leaves, of the file and of the arithmetic of steps."""
        attitude = max(self._rounding[0], 2.0**-53) / np.sqrt(3)
        speed = self._fastest
        velocity = attitude * speed
        if np.isfinite(self._rounding[1]):
            velocity = float(np.hypot(velocity, self._rounding[1] / np.sqrt(3)))
        return Noise(attitude, velocity, arithmetic, arithmetic * speed)

    # ------------------------------------------------------------------ a first look

    def _stepper(self, rule: Method) -> Stepper:
        if is_cancelled(self._cancel):
            raise Cancelled
        if rule.label not in self._steppers:
            self._steppers[rule.label] = Stepper.of(rule)
        return self._steppers[rule.label]

    def _rows(self, most: int) -> Rows:
        """At most so many rows with their followers, evenly spread."""
        return Rows(*self._take_rows()).thin(most)

    def _take_rows(self) -> tuple[Array, Array | None]:
        """All rows with their followers."""
        at = self._neighbours
        stacked = np.stack([self._R[at + i] for i in range(self._count)])
        velocities = self._Omega
        if velocities is None:
            return stacked, None
        return stacked, np.stack([velocities[at + i] for i in range(self._count)])

    def _take_run(self) -> tuple[Array, Array | None]:
        """The rows of a run without gaps."""
        return self._R[self._run], None if self._Omega is None else self._Omega[self._run]

    def _choose_first_rows(self) -> FirstRows:
        """The rows for a first look."""
        rows = self._rows(FEW)
        R, velocities = self._take_run()
        m = min(FEW, len(R) - 1)
        start = Rows(
            np.stack([R[:m], R[1 : m + 1]]),
            None if velocities is None else np.stack([velocities[:m], velocities[1 : m + 1]]),
        )
        noise = self._find_noise(SINGLE)
        return FirstRows(rows, start, self._dt, noise, self._fastest, float(self._J[2]))

    def run(self) -> Matches:
        """Try all rules, and decide."""
        if np.isnan(self._dt):
            return Matches(
                sentences=("The times are uneven; rules are compared with equal steps only.",)
            )
        if len(self._neighbours) < 2 or not self._fastest > 0.0:
            return Matches(
                sentences=("There are too few rows of a turning body to compare rules with.",)
            )
        first = self._choose_first_rows()
        tried: list[_Attempt] = []
        for done, rule in enumerate(self._rules, start=1):
            tried += self._look(self._stepper(rule), first, [{}])
            if self._progress is not None:
                self._progress(done, len(self._rules))
        found, precision = self._keep_agreeing(tried)
        if not found:
            tried += self._look_at_limits(first)
            found, precision = self._keep_agreeing(tried)
        return self._report(tried, found, precision)

    def _look(
        self, stepper: Stepper, first: FirstRows, starts: Iterable[Mapping[str, float]]
    ) -> Iterator[_Attempt]:
        """Yield trials of a rule that leave little, and the nearest; numbers with a start are fitted."""
        look = Look(stepper, first)
        substeps = np.array(SUBSTEPS)
        ratios = {"J1": self._J[0] / self._J[2], "J2": self._J[1] / self._J[2]}
        found: list[_Attempt] = []
        for start in starts:
            values = {**stepper.numbers, **ratios, **start}
            numbers = {name: np.full(len(substeps), value) for name, value in values.items()}
            if "max_turn" in start:
                numbers["max_turn"] = numbers["max_turn"] / substeps
            names = [*self._unknown, *start]
            guesses = look.fit(Guesses(substeps, numbers), names)
            left = look.measure(guesses)
            sizes = find_sizes(left / look.scale(guesses))
            distances = find_sizes(left) * np.sqrt(left.shape[2])
            for i, count in enumerate(SUBSTEPS):
                chosen = {name: float(values[i]) for name, values in guesses.numbers.items()}
                J = self._J[2] * np.array([chosen.pop("J1"), chosen.pop("J2"), 1.0])
                trial = Trial(stepper, self._dt, count, J, chosen)
                found.append(_Attempt(trial, float(distances[i]), float(sizes[i]), tuple(names)))
        nearest = min(found, key=lambda attempt: attempt.distance)
        kept: list[_Attempt] = []
        for attempt in found:
            if attempt is not nearest and attempt.size >= LITTLE:
                continue
            alike = (
                one for one in kept if np.isclose(one.size, attempt.size, rtol=1e-3, atol=1e-6)
            )
            if not any(
                one.fitted == attempt.fitted and are_one_rule(one.trial, attempt.trial)
                for one in alike
            ):
                kept.append(attempt)
        yield from kept

    def _look_at_limits(self, first: FirstRows) -> list[_Attempt]:
        """Try rules that damp or cap, at each time in a step at which they may damp."""
        found: list[_Attempt] = []
        for rule in self._rules:
            for form in list_damped(rule) or [rule]:
                starts = self._list_starts(form)
                if starts:
                    found += self._look(self._stepper(form), first, starts)
        return found

    def _list_starts(self, rule: Method) -> list[dict[str, float]]:
        """First values of a rule's damping and caps: a cap acts just below the largest velocity after the
        first row, if many rows are near it.
        """
        below = self._cap * (1.0 - 1e-6)
        guesses = {"max_speed": below, "max_component": below, "max_turn": below * self._dt}
        own = [option.name for option in rule.options]
        caps = [{name: guesses[name]} for name in own if name in guesses and self._is_capped]
        damping = [{"damping": 1e-3}] if "damping" in own else []
        return [*damping, *caps, *(one | cap for one in damping for cap in caps)]

    # ------------------------------------------------------------------ what agrees

    def _check(self, trial: Trial, noise: Noise) -> Residuals:
        """What a rule leaves of the rows for a decision: one by one, or along a run if the rule
        remembers more than a row has.
        """
        if not trial.stepper.remembers:
            return check_steps(trial, self._rows(MANY), noise)
        R, Omega = self._take_run()
        return follow(trial, R, Omega, noise, np.arange(1, min(MANY, len(R))))

    def _keep_agreeing(self, tried: list[_Attempt]) -> tuple[list[_Finding], str]:
        """The trials that leave no more than rounding does, and the precision by which they do."""
        near = [attempt for attempt in tried if attempt.size < LITTLE]
        near.sort(key=lambda attempt: attempt.size)
        for precision, arithmetic in (("double", DOUBLE), ("single", SINGLE)):
            noise = self._find_noise(arithmetic)
            found = []
            for attempt in near[:MOST]:
                if is_cancelled(self._cancel):
                    raise Cancelled
                finding = self._decide(attempt, noise)
                idle = set(attempt.fitted) - set(finding.errors)
                if idle or finding.residuals.size > AGREES or not finding.is_possible:
                    continue
                if precision == "double" and finding.along.size > AGREES:
                    continue
                if precision == "single" and self._is_smooth(finding.trial, noise):
                    continue
                found.append(finding)
            if found or noise.attitude > SINGLE:
                return found, precision
        return [], ""

    def _is_smooth(self, trial: Trial, noise: Noise) -> bool:
        """Whether what a rule leaves of rows that follow each other changes slowly, as the error of another
        rule does and rounding does not.
        """
        if trial.stepper.remembers:
            left = self._check(trial, noise).raw
            scale = np.repeat([1.0, self._dt], 3)[: left.shape[1]]
            gained = np.diff(left * scale, axis=0)
            return float((gained[1:] * gained[:-1]).sum()) > SMOOTH * float((gained**2).sum())
        count = min(MANY, len(self._neighbours))
        R, Omega = self._take_rows()
        first = Rows(R[:, :count], None if Omega is None else Omega[:, :count])
        white = check_steps(trial, first, noise).white
        return float((white[1:] * white[:-1]).sum()) > SMOOTH * float((white**2).sum())

    def _decide(self, attempt: _Attempt, noise: Noise) -> _Finding:
        """The trial on all rows for a decision, with its numbers fitted to these."""
        trial = attempt.trial
        errors: dict[str, float] = {}

        def check(trial: Trial) -> Residuals:
            return self._check(trial, noise)

        if attempt.fitted:
            trial, errors = fit(trial, attempt.fitted, check)
        return _Finding(trial, check(trial), errors, lambda: self._follow(trial, noise))

    def _follow(self, trial: Trial, noise: Noise) -> Residuals:
        """What a trial leaves of the whole, or of a run without gaps."""
        R, Omega = self._take_run()
        last = min(len(R), LONGEST // trial.substeps) - 1
        at = np.unique(np.linspace(1, last, min(MANY // 2, last)).round().astype(int))
        return follow(trial, R, Omega, noise, at)

    # ------------------------------------------------------------------ decision

    def _report(self, tried: list[_Attempt], found: list[_Finding], precision: str) -> Matches:
        """The rule that remains, if the file distinguishes it from others, in words."""
        if not found:
            nearest = self._list_nearest(tried, ())
            return Matches(nearest=nearest, sentences=_describe_none(nearest))
        best = min(found, key=lambda finding: finding.residuals.size)
        alike = [best]
        possible: list[_Finding] = []
        for other in found:
            if other is best:
                continue
            differs = self._compare(best, other)
            if differs is None:
                alike.append(other)
            elif differs < CERTAIN:
                possible.append(other)
        nearest = self._list_nearest(tried, [*alike, *possible])
        if possible:
            names = [name for one in [*alike, *possible] for name in self._name([one])[-1:]]
            names = list(dict.fromkeys(names))
            return Matches(
                possible=tuple(names), nearest=nearest, sentences=_describe_possible(names)
            )
        fewest = min(finding.trial.substeps for finding in alike)
        alike = [finding for finding in alike if finding.trial.substeps == fewest]
        best = min(alike, key=lambda finding: (len(finding.errors), len(str(finding.limits))))
        limits = best.limits
        found_rule = Matches(
            rules=tuple(self._name(alike)),
            nearest=nearest,
            precision=self._find_precision(precision),
            substeps=best.trial.substeps,
            numbers={name: (value, best.errors[name]) for name, value in limits.items() if value},
            moments=best.trial.J,
            moment_errors=self._J[2]
            * np.array([best.errors.get("J1", 0.0), best.errors.get("J2", 0.0), 0.0]),
            distance=best.distance,
        )
        return replace(found_rule, sentences=_describe_rule(found_rule))

    def _compare(self, best: _Finding, other: _Finding) -> float | None:
        """By how many standard deviations the file excludes another rule; None if the rules are the
        same for every body that turns as slowly.
        """
        remembers = any(one.trial.stepper.remembers for one in (best, other))
        excluded = 0.0 if remembers else _exclude(best.residuals, other.residuals)
        if excluded < CERTAIN:
            excluded = _exclude(best.along, other.along)
        doubt = sum(best.errors[name] for name in best.limits)
        is_one = excluded < CERTAIN and are_one_rule(best.trial, other.trial, doubt * self._dt)
        return None if is_one else excluded

    def _name(self, findings: list[_Finding]) -> list[str]:
        """The names of trials with one rule."""
        return name_rules(
            [(one.rule, one.limits) for one in findings],
            findings[0].trial.substeps,
            self._fastest,
            self._dt,
        )

    def _find_precision(self, precision: str) -> str:
        """The precision of the arithmetic, unless the rounding of the file hides it."""
        if precision == "double" and self._rounding[0] > SINGLE / 100:
            return ""
        return precision

    def _list_nearest(self, tried: list[_Attempt], but: Iterable[_Finding]) -> tuple[Near, ...]:
        """The nearest other rules, each once."""
        left_out = {finding.rule.label for finding in but}
        found: list[Near] = []
        for attempt in sorted(tried, key=lambda attempt: attempt.distance):
            if attempt.rule.label in left_out or not np.isfinite(attempt.distance):
                continue
            left_out.add(attempt.rule.label)
            if any(abs(attempt.distance / near.distance - 1.0) < 1e-9 for near in found):
                continue  # the same rule by another name
            finding = _Finding(
                attempt.trial, Residuals(_NONE, _NONE), dict.fromkeys(attempt.fitted, 0.0)
            )
            if finding.is_possible:
                found.append(Near(self._name([finding])[-1], attempt.distance))
            if len(found) == NEAREST:
                break
        return tuple(found)


def _exclude(best: Residuals, other: Residuals) -> float:
    """By how many standard deviations the residuals of the best rule exclude another.

    If the other made the file, the best would leave just the difference of both. The share of this
    difference in what it does leave has a standard deviation that follows from the rest.
    """
    if not np.isfinite(other.white).all():
        return np.inf
    difference = (other.white - best.white).reshape(-1)
    norm = float(np.linalg.norm(difference))
    if norm <= UNSEEN * np.sqrt(difference.size):
        return 0.0
    share = -float(difference @ best.white.reshape(-1)) / norm**2
    if share > 0.5:
        return 0.0
    return (1.0 - share) * norm / max(best.size, 1e-3)


PROBE = np.array([[0.6, -0.5, 0.62], [-0.4, 0.75, 0.53], [0.5, 0.61, -0.61]])
"""Directions of angular velocities, each about none of the axes."""
PROBE_TURN = 0.3
"""The turn of a step for which rules are compared; Bullet's turn differs beyond π/4."""
PROBE_STEPS = np.array([1, 1, 1])


def are_one_rule(one: Trial, other: Trial, doubt: float = 0.0) -> bool:
    """Whether two rules move any body alike in the time between two rows, up to a part that is in doubt;
    their caps are left out.
    """
    ends = []
    for trial in (one, other):
        numbers = {
            name: 0.0 if name.startswith("max_") else value for name, value in trial.numbers.items()
        }
        speed = PROBE_TURN * min(one.substeps, other.substeps) / trial.dt
        J = np.array([1.0, 2.0, 2.8]) / speed**2
        probe = Trial(trial.stepper, trial.dt, trial.substeps, J, numbers)
        directions = speed * PROBE / np.linalg.norm(PROBE, axis=1, keepdims=True)
        R = np.broadcast_to(np.eye(3), (len(PROBE), 3, 3)).reshape(-1, 9)
        end = probe.advance(np.concatenate([R, directions], axis=1), PROBE_STEPS)
        end[..., 9:] /= speed
        ends.append(end)
    return bool(
        np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-9 + CERTAIN * doubt, equal_nan=True)
    )


def _describe_none(nearest: tuple[Near, ...]) -> tuple[str, ...]:
    """That no rule reproduces the file."""
    first = "No rule of the catalogue reproduces these rows to their rounding."
    return (first, *_describe_nearest(nearest))


def _describe_nearest(nearest: tuple[Near, ...]) -> tuple[str, ...]:
    if not nearest:
        return ()
    names = [
        _write_in_words(near.name, f", {show(near.distance, 2)} rad per row")
        for near in nearest[:3]
    ]
    are = "other is" if len(names) == 1 else "others are"
    return (f"The nearest {are} {join_words(names)}.",)


def _shorten_numbers(name: str) -> str:
    """A name whose fitted numbers have the digits that people need: jolt(damping=0.00764)."""
    return re.sub(r"(?<==)\d*\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.4g}", name)


def _write_in_words(name: str, more: str = "") -> str:
    """A rule by its name in words, with the one that `engine.algorithm` takes: Implicit Euler (NEWTON-1)."""
    return f"{find_method(name).short} ({_shorten_numbers(name)}{more})"


def _describe_possible(names: list[str]) -> tuple[str, ...]:
    """That several rules remain."""
    some = [_write_in_words(name) for name in names[:8]]
    left = len(names) - len(some)
    others = f" and {format_count(left, 'other')}" if left else ""
    listed = ", ".join(some) + others if others else join_words(some)
    return (f"These rows do not show which of several rules made them. Possible are {listed}.",)


def _describe_rule(found: Matches) -> tuple[str, ...]:
    """Which rule reproduces the file, with its substeps, precision and numbers."""
    names = list(found.rules)
    same = f", which are the same here: {join_words(names)}" if len(names) > 1 else f": {names[0]}"
    with_names = ", with several names" if len(names) > 1 else ""
    text = [
        f"The rows are reproduced by one rule, {find_method(names[-1]).short}{with_names}{same}."
    ]
    steps = "is one step" if found.substeps == 1 else f"are {found.substeps} steps"
    words = {"double": ", in 64 bits", "single": ", in 32 bits", "": ""}
    text.append(f"There {steps} between two rows{words[found.precision]}.")
    for name, (value, error) in found.numbers.items():
        text.append(f"Its {name} is {show(value)} ± {show(error, 1)}.")
    return (*text, *_describe_nearest(found.nearest))


def _list_neighbours(trajectory: Trajectory, dt: float, count: int) -> NDArray[np.integer]:
    """The rows that `count` − 1 others follow after the time dt each, all of them known."""
    steps = np.diff(trajectory.t)
    good = np.abs(steps - dt) < 0.1 * dt
    known = np.asarray(np.isfinite(trajectory.R).all(axis=(1, 2)))
    if count == 2 and trajectory.Omega is not None:
        known = known & np.asarray(np.isfinite(trajectory.Omega).all(axis=1))
    at = np.arange(len(trajectory.t) - count + 1)
    fits = np.ones(len(at), bool)
    for i in range(count):
        fits &= known[at + i]
        if i:
            fits &= good[at + i - 1]
    return at[fits]


def _find_run(neighbours: NDArray[np.integer], count: int) -> slice:
    """The rows of the first run without a gap that has enough for a decision, or of the longest; rows
    with `count` − 1 followers are given.
    """
    runs = np.split(neighbours, np.flatnonzero(np.diff(neighbours) != 1) + 1)
    run = next((run for run in runs if len(run) >= MANY), max(runs, key=len))
    return slice(int(run[0]), int(run[-1]) + count) if len(run) else slice(0, 0)
