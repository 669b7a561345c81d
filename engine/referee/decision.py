"""Which attempts agree with a trajectory, and which of them it distinguishes.

What a rule leaves of a row is compared with what rounding leaves: that of the file, and that of the
arithmetic of steps. In units of their standard deviations, and made independent in each row (see
`whiten`), the six or three components of a row have the expected mean square 1.

- A rule agrees if the root of the mean square is at most `AGREES`.
- Rounding jumps from row to row. An error that changes slowly is none: its correlation from row to row
  is larger than `SMOOTH`.
- Two rules that agree are distinguished by the share of their difference in what they leave (see `_exclude`);
  `CERTAIN` standard deviations exclude one of them. Rounding along a run goes on from row to row, so that
  fewer of its rows are independent.
- A tolerance or a small constant of an engine leaves smooth errors too. The rule is known nevertheless
  if these are at most the part `TOLERATED` of its own error, by which it differs from the exact motion.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.core import Method
from ..kernels import Cancelled, is_cancelled
from ..parameters.parameter import Number
from ..parameters.validation import Array
from .attempts import ALIKE, Attempt
from .candidates import list_defaults
from .evidence import DOUBLE, FEW, MANY, SINGLE, Evidence
from .first_look import LITTLE
from .residuals import NO_RESIDUALS, check_steps, fit, follow
from .stepping import Noise, Residuals, Trial, are_one_rule

AGREES = 3.0
"""The largest ratio of what a rule leaves to what rounding leaves, both as roots of mean squares; the
expected ratio is 1, and the model of rounding holds within a factor of two.
"""
CERTAIN = 5.0
"""How many standard deviations exclude a rule in favour of another."""
SMOOTH, VERY_SMOOTH = 0.8, 0.95
"""The correlation of neighbouring rows from which on what a rule leaves is no rounding, of many rows and of
few. That of rounding is −0.5 to 0, because two steps share a row. Engines that always round to one side
add to it: of the recorded motions in 32 bits, many rows have at most 0.63, and few at most 0.83.
"""
UNSEEN = 0.03
"""The difference of two rules, in units of what rounding leaves, from which on they are compared: two
computations of one rule differ by less.
"""
TOLERATED = 1e-6
"""The largest part of its own error that a rule may leave besides rounding."""
FITTED = 1.0
"""What a fit leaves at most by a rule in 64 bits, in units of what 32 bits leave: ten times what ends it."""
MOST = 120
"""The most attempts that are compared with all rows for a decision, those that leave least first."""
LONGEST = 20_000
"""The most steps of a run that is compared with the file."""


@dataclass(frozen=True, eq=False)
class Finding:
    """A trial on the rows for a decision.

    Attributes
    ----------
    residuals : what it leaves of them.
    errors : of the fitted numbers.
    arithmetic : what the arithmetic of its steps leaves (see `evidence.DOUBLE`).
    alike : other substeps with which the rule leaves the same of a few rows.
    follow : computes what it leaves along the whole.
    """

    trial: Trial
    residuals: Residuals
    errors: Mapping[str, float]
    arithmetic: float = DOUBLE
    alike: tuple[Trial, ...] = ()
    follow: Callable[[], Residuals] = lambda: NO_RESIDUALS

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
        """The root mean square of what it leaves, as that of an attempt."""
        raw = self.residuals.raw.copy()
        raw[:, 3:] *= self.trial.dt
        return float(np.sqrt(np.mean((raw**2).sum(axis=1))))

    @cached_property
    def limits(self) -> dict[str, tuple[float, float]]:
        """The fitted damping and caps with their errors, of a row and not of a step where that differs, as
        an engine has them by default, or with the fewest digits, if their errors allow that.

        Rounding to 32 bits can damp or speed up in each step in the same way, so damping is not known
        better than that.
        """
        found = {}
        h = self.trial.dt / self.trial.substeps
        for option in self.rule.options:
            if option.name not in self.errors:
                continue
            steps = self.trial.substeps if option.of_frame else 1
            value = self.trial.numbers[option.name] * steps
            systematic = self.arithmetic * (1.0 / h if option.name == "damping" else value)
            error = math.hypot(self.errors[option.name] * steps, systematic)
            shorter = [float(f"{value:.{digits}g}") for digits in range(1, 16)]
            known = [0.0, *list_defaults(self.rule, option.name), *shorter]
            near = (
                x
                for x in known
                if min(abs(x - value), abs(float(np.float32(x)) - value)) <= 3 * error
            )
            found[option.name] = next(near, value), error
        return found

    @property
    def numbers(self) -> dict[str, float]:
        """The fitted damping and caps without their errors."""
        return {name: value for name, (value, _) in self.limits.items()}

    @property
    def is_possible(self) -> bool:
        """Whether damping and caps are within the bounds of their options."""
        kinds = {option.name: option.kind for option in self.rule.options}
        bounds = ((kinds[name], value) for name, value in self.numbers.items())
        return all(isinstance(kind, Number) and kind.low <= x <= kind.high for kind, x in bounds)


class Decision:
    """Compares attempts with the rows of a trajectory."""

    def __init__(self, evidence: Evidence, cancel: threading.Event | None) -> None:
        self._evidence = evidence
        self._cancel = cancel

    def find_agreeing(
        self, tried: Iterable[Attempt], progress: Callable[[float], Any] = lambda _: None
    ) -> tuple[list[Finding], str]:
        """The trials that leave no more than rounding does, and the precision by which they do: empty if
        the file hides it. `progress` receives the part that is compared.
        """
        near = [attempt for attempt in tried if attempt.single < LITTLE]
        near.sort(key=lambda attempt: attempt.distance)
        precisions = {"double": DOUBLE, "single": SINGLE}
        if self._evidence.hides_precision:
            precisions = {"": SINGLE}
        for i, (precision, arithmetic) in enumerate(precisions.items()):
            chosen = near[:MOST]
            if precision == "double":
                chosen = [one for one in near if one.fitted or one.double < LITTLE][:MOST]
                chosen = [one for one in chosen if not one.fitted or one.single < FITTED]
            agreeing = []
            for j, attempt in enumerate(chosen, start=1):
                finding = self._decide(attempt, arithmetic)
                if finding is not None:
                    agreeing.append(finding)
                progress((i + j / len(chosen)) / len(precisions))
            if agreeing:
                return agreeing, precision
        return [], ""

    def find_tolerated(
        self, tried: Iterable[Attempt], measure_exact: Callable[[bool], float]
    ) -> list[tuple[Finding, float]]:
        """The trials that leave a small part of their own error, and that part."""
        noise = self._evidence.find_noise(DOUBLE)
        errors: dict[bool, float] = {}
        found = []
        for attempt in tried:
            along = attempt.trial.stepper.remembers
            if along not in errors:
                errors[along] = measure_exact(along)
            if attempt.distance <= TOLERATED * errors[along] < math.inf:
                trial, doubts = self._fit(attempt.trial, attempt.fitted, noise, MANY)
                residuals = self._check(trial, noise, MANY)
                finding = self._make(attempt, trial, doubts, residuals, DOUBLE)
                part = finding.distance / errors[along]
                if part <= TOLERATED and finding.is_possible:
                    found.append((finding, part))
        return found

    def compare(self, best: Finding, other: Finding) -> float | None:
        """By how many standard deviations the file excludes another rule; None if the rules are the
        same for every body that turns as slowly.
        """
        remembers = any(one.trial.stepper.remembers for one in (best, other))
        excluded = 0.0 if remembers else _exclude(best.residuals, other.residuals)
        is_same = not remembers and np.allclose(
            best.residuals.raw, other.residuals.raw, rtol=0.0, atol=ALIKE
        )
        if excluded < CERTAIN and not is_same:
            excluded = _exclude(best.along, other.along) / _find_persistence(best.along.white)
        doubt = sum(best.errors[name] for name in best.limits)
        is_one = excluded < CERTAIN and are_one_rule(
            best.trial, other.trial, CERTAIN * doubt * self._evidence.dt
        )
        return None if is_one else excluded

    def _decide(self, attempt: Attempt, arithmetic: float) -> Finding | None:
        """The trial on the rows for a decision, with its numbers fitted to these; None if it does not
        agree.
        """
        if is_cancelled(self._cancel):
            raise Cancelled
        noise = self._evidence.find_noise(arithmetic)
        trial = attempt.trial
        errors: dict[str, float] = {}
        for rows, most, smooth in ((FEW, LITTLE, VERY_SMOOTH), (MANY, AGREES, SMOOTH)):
            trial, errors = self._fit(trial, attempt.fitted, noise, rows)
            residuals = self._check(trial, noise, rows)
            if residuals.size > most:
                return None
            if arithmetic == SINGLE and self._correlate(trial, noise, rows) > smooth:
                return None
        finding = self._make(attempt, trial, errors, residuals, arithmetic)
        if set(attempt.fitted) - set(errors) or not finding.is_possible:
            return None
        if arithmetic == DOUBLE and finding.along.size > AGREES:
            return None
        return finding

    def _fit(
        self, trial: Trial, names: tuple[str, ...], noise: Noise, most: int
    ) -> tuple[Trial, dict[str, float]]:
        if not names:
            return trial, {}
        return fit(trial, names, lambda trial: self._check(trial, noise, most))

    def _make(
        self,
        attempt: Attempt,
        trial: Trial,
        errors: Mapping[str, float],
        residuals: Residuals,
        arithmetic: float,
    ) -> Finding:
        noise = self._evidence.find_noise(arithmetic)
        return Finding(
            trial,
            residuals,
            errors,
            arithmetic,
            attempt.alike,
            lambda: self._follow(trial, noise),
        )

    def _check(self, trial: Trial, noise: Noise, most: int) -> Residuals:
        """What a rule leaves of at most so many rows: one by one, or along a run if the rule remembers
        more than a row has.
        """
        if not trial.stepper.remembers:
            return check_steps(trial, self._evidence.spread_rows(most), noise)
        R, Omega = self._evidence.take_run()
        return follow(trial, R, Omega, noise, np.arange(1, min(most, len(R))))

    def _correlate(self, trial: Trial, noise: Noise, most: int) -> float:
        """The correlation of what a rule leaves of rows that follow each other, at most so many: of all
        rows alike or by what each leaves, the larger one. A smooth error may jump in single rows.
        """
        if trial.stepper.remembers:
            left = self._check(trial, noise, most).raw
            scale = np.repeat([1.0, self._evidence.dt], 3)[: left.shape[1]]
            left = np.diff(left * scale, axis=0)
        else:
            left = check_steps(trial, self._evidence.take_rows(most), noise).white
        sizes = np.linalg.norm(left, axis=1, keepdims=True)
        each = left / np.where(sizes > 0.0, sizes, 1.0)
        return max(_correlate_neighbours(left), _correlate_neighbours(each))

    def _follow(self, trial: Trial, noise: Noise) -> Residuals:
        """What a trial leaves of the whole, or of a run without gaps."""
        R, Omega = self._evidence.take_run()
        last = min(len(R), LONGEST // trial.substeps) - 1
        at = np.unique(np.linspace(1, last, min(MANY // 2, last)).round().astype(int))
        return follow(trial, R, Omega, noise, at)


def _correlate_neighbours(left: Array) -> float:
    """The correlation of rows (m, d) with those that follow them."""
    before, after = left[:-1], left[1:]
    norms = float(np.linalg.norm(before)) * float(np.linalg.norm(after))
    return float((before * after).sum()) / norms if norms > 0.0 else 0.0


def _find_persistence(left: Array) -> float:
    """By how much rows (m, d) whose errors go on from row to row are less certain than as many
    independent ones: the root of the number of rows for which one counts.
    """
    correlation = min(max(_correlate_neighbours(left), 0.0), 0.99)
    return math.sqrt((1.0 + correlation) / (1.0 - correlation))


def _exclude(best: Residuals, other: Residuals) -> float:
    """By how many standard deviations the residuals of the best rule exclude another.

    If the other made the file, the best would leave just the difference of both. The share of this
    difference in what it does leave has a standard deviation that follows from the rest.
    """
    if not np.isfinite(other.white).all():
        return np.inf
    if not np.isfinite(best.white).all():
        return 0.0
    difference: Array = best.subtract(other).reshape(-1)
    norm = float(np.linalg.norm(difference))
    if norm <= UNSEEN * math.sqrt(difference.size):
        return 0.0
    share = -float(difference @ best.white.reshape(-1)) / norm**2
    if share > 0.5:
        return 0.0
    return (1.0 - share) * norm / max(best.size, 1e-3)
