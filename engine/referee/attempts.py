"""Candidates run on a few rows of a trajectory: what each leaves, with fitted numbers and without."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.core import Method, find_method
from ..kernels import Cancelled, is_cancelled
from ..parameters.validation import Array
from .candidates import list_starts, strip
from .evidence import DOUBLE, SINGLE, Evidence
from .first_look import LITTLE, Guesses, Look, find_sizes
from .stepping import Noise, Stepper, Trial

SUBSTEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20)
"""The numbers of steps between two rows that are tried."""
ALIKE = 3e-15
"""The difference in rad of what trials leave up to which they are the same but for rounding."""
EXACT = "RKMK(tableau=dop853)"
"""A rule whose steps between two rows are exact to rounding."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """A trial on a few rows.

    Attributes
    ----------
    left : (m, d) what it leaves.
    distance : the root mean square of the angle in rad by which it misses the next row; the error of a
        velocity counts by the turn that it makes in a row.
    single, double : what it leaves in units of what rounding leaves, roughly, if steps were computed in
        32 bits and in 64 bits.
    fitted : the numbers that were fitted.
    alike : other substeps with which the rule leaves the same.
    """

    trial: Trial
    left: Array
    distance: float
    single: float
    double: float
    fitted: tuple[str, ...]
    alike: tuple[Trial, ...] = ()

    @property
    def rule(self) -> Method:
        """The rule that is tried."""
        return self.trial.stepper.method


class Attempts:
    """Runs rules on a few rows of a trajectory."""

    def __init__(self, evidence: Evidence, cancel: threading.Event | None) -> None:
        self._evidence = evidence
        self._cancel = cancel
        self._first = evidence.take_first_rows()
        self._single = evidence.find_noise(SINGLE)
        self._double = evidence.find_noise(DOUBLE)
        self._steppers: dict[str, Stepper] = {}
        self._limited: dict[str, list[int]] = {}

    def try_plain(self, rule: Method) -> list[Attempt]:
        """Try a rule without damping and caps."""
        return self._try(rule, [{}], SUBSTEPS)

    def try_limits(self, form: Method) -> list[Attempt]:
        """Try a form of a rule that damps or caps, with those substeps with which that may explain what the
        rule leaves.
        """
        evidence = self._evidence
        cap = evidence.cap if evidence.is_capped else 0.0
        starts = list_starts(form, cap, evidence.dt)
        return self._try(form, starts, self._limited.get(strip(form).label, SUBSTEPS))

    def try_step(self, attempt: Attempt) -> Attempt:
        """Try a trial again with a time between rows that is fitted."""
        trial = attempt.trial
        stepper = trial.stepper
        look = Look(stepper, self._first, stepper.remembers)
        numbers = {"J1": trial.J[0] / trial.J[2], "J2": trial.J[1] / trial.J[2], "dt": trial.dt}
        values = {name: np.array([value]) for name, value in {**trial.numbers, **numbers}.items()}
        names = (*attempt.fitted, "dt")
        guesses = Guesses(np.array([trial.substeps]), values)
        return next(self._measure(look, stepper, guesses, names))

    def measure_exact(self, along: bool) -> float:
        """How far the rows are from the exact motion, as an attempt's distance is, one by one or along
        the first ones.
        """
        stepper = self._prepare(find_method(EXACT))
        look = Look(stepper, self._first, along)
        guesses = self._guess(stepper, {}, (4,))
        left = look.measure(guesses)
        return float(find_sizes(left)[0] * math.sqrt(left.shape[2]))

    def _prepare(self, rule: Method) -> Stepper:
        if is_cancelled(self._cancel):
            raise Cancelled
        if rule.label not in self._steppers:
            self._steppers[rule.label] = Stepper.of(rule)
        return self._steppers[rule.label]

    def _guess(
        self, stepper: Stepper, start: Mapping[str, float], substeps: Sequence[int]
    ) -> Guesses:
        """Guesses of a rule for so many substeps each."""
        J, dt = self._evidence.J, self._evidence.dt
        ratios = {"J1": J[0] / J[2], "J2": J[1] / J[2], "dt": dt}
        values = {**stepper.numbers, **ratios, **start}
        counts = np.array(substeps)
        numbers = {name: np.full(len(counts), value) for name, value in values.items()}
        for option in stepper.method.options:
            if option.of_frame and option.name in start:
                numbers[option.name] = numbers[option.name] / counts
        return Guesses(counts, numbers)

    def _try(
        self, rule: Method, starts: Sequence[Mapping[str, float]], substeps: Sequence[int]
    ) -> list[Attempt]:
        """Trials of a rule that leave little, and the nearest; numbers with a start are fitted."""
        if not starts or not substeps:
            return []
        stepper = self._prepare(rule)
        look = Look(stepper, self._first, stepper.remembers)
        kept: list[Attempt] = []
        for start in starts:
            names = (*self._evidence.unknown, *start)
            guesses = self._guess(stepper, start, substeps)
            kept += _join_alike(self._measure(look, stepper, guesses, names))
        nearest = min(kept, key=lambda attempt: attempt.distance)
        return [one for one in kept if one is nearest or one.single < LITTLE]

    def _measure(
        self, look: Look, stepper: Stepper, guesses: Guesses, names: Sequence[str]
    ) -> Iterator[Attempt]:
        """Yield an attempt for each guess, with the numbers of these names fitted."""
        guesses, left = look.fit(guesses, names, self._single)
        distances = find_sizes(left) * math.sqrt(left.shape[2])
        if not names and not stepper.remembers:
            open_ = look.may_limit(left, look.scale(guesses, self._single))
            self._limited[stepper.method.label] = guesses.substeps[open_].tolist()
        single, double = (self._find_sizes(look, guesses, left, noise) for noise in self._noises)
        for i, count in enumerate(guesses.substeps):
            chosen = {name: float(values[i]) for name, values in guesses.numbers.items()}
            J = self._evidence.J[2] * np.array([chosen.pop("J1"), chosen.pop("J2"), 1.0])
            trial = Trial(stepper, chosen.pop("dt"), int(count), J, chosen)
            yield Attempt(trial, left[i], float(distances[i]), single[i], double[i], tuple(names))

    @property
    def _noises(self) -> tuple[Noise, Noise]:
        return self._single, self._double

    @staticmethod
    def _find_sizes(look: Look, guesses: Guesses, left: Array, noise: Noise) -> list[float]:
        sizes: list[float] = find_sizes(left / look.scale(guesses, noise)).tolist()
        return sizes


def _join_alike(attempts: Iterable[Attempt]) -> list[Attempt]:
    """The attempts, of which those that leave the same are one, the first."""
    found: list[Attempt] = []
    for attempt in attempts:
        for i, one in enumerate(found):
            if (np.abs(attempt.left - one.left) <= ALIKE).all():
                found[i] = replace(one, alike=(*one.alike, attempt.trial))
                break
        else:
            found.append(attempt)
    return found
