"""Which rule is this? The rules of the catalogue that reproduce a trajectory to its rounding.

The search goes from much to little: all rules on a few rows (`attempts`), with damping and caps if none
agrees, then with another step; those that leave little on many rows (`decision`); and those that agree
against each other. `candidates` lists the rules and names them, `evidence` chooses the rows, `matches`
has the answer.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.core import Method
from ..kernels import Cancelled
from .attempts import Attempt, Attempts
from .candidates import list_limited, list_rules, name_rules
from .decision import CERTAIN, MOST, Decision, Finding
from .evidence import Evidence
from .matches import (
    TOO_FEW,
    UNEVEN,
    Matches,
    Near,
    describe_none,
    describe_possible,
    describe_rule,
    describe_stop,
)
from .residuals import NO_RESIDUALS
from .stepping import are_one_rule
from .trajectory import Trajectory

NEAREST = 5
"""How many of the other rules are reported."""
CLOCK = 1e-5
"""The largest part by which the step of an engine may differ from that between the file's times, as one of
whole nanoseconds or of 32 bits does.
"""

STEPS = 40
"""The most trials that are made again with another step, the nearest first."""


@np.errstate(all="ignore")  # a motion may overflow
def find_rules(
    trajectory: Trajectory,
    *,
    methods: Iterable[str | Method] | None = None,
    progress: Callable[[float, int], Any] | None = None,
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
        Receives how many comparisons of how many are over: each rule with few rows is one, and
        those that leave little with many rows count as `MOST`.
    cancel
        Ends the search once it is set; the answer then has the nearest rules so far.
    """
    if trajectory.J is None:
        raise ValueError("give the moments of inertia: the rule of a trajectory follows from them")
    if math.isnan(trajectory.dt):
        return Matches(sentences=(UNEVEN,))
    evidence = Evidence(trajectory)
    if not evidence.suffices:
        return Matches(sentences=(TOO_FEW,))
    search = _Search(evidence, list_rules(methods), progress, cancel)
    try:
        return search.run()
    except Cancelled:
        return search.stop()


class _Search:
    """The search for the rule of one trajectory."""

    def __init__(
        self,
        evidence: Evidence,
        rules: list[Method],
        progress: Callable[[float, int], Any] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._evidence = evidence
        self._rules = rules
        self._limited = list_limited(rules)
        self._progress = progress
        self._attempts = Attempts(evidence, cancel)
        self._decision = Decision(evidence, cancel)
        self._tried: list[Attempt] = []
        self._all = len(rules) + len(self._limited) + 2 * MOST
        self._done = 0.0

    def run(self) -> Matches:
        """Try all rules, and decide."""
        tried = self._try(self._attempts.try_plain, self._rules)
        found, precision = self._decide(tried)
        if not found:
            tried = self._try(self._attempts.try_limits, self._limited)
            found, precision = self._decide(tried)
        if not found:
            found, precision = self._decision.find_agreeing(self._try_steps())
        if found:
            return self._choose(found, precision)
        tolerated = self._decision.find_tolerated(self._tried, self._attempts.measure_exact)
        if tolerated:
            largest = max(part for _, part in tolerated)
            chosen = self._choose([finding for finding, _ in tolerated], "double")
            return self._describe(replace(chosen, digits=math.floor(-math.log10(largest))))
        nearest = self._list_nearest(())
        return Matches(nearest=nearest, sentences=describe_none(nearest))

    def stop(self) -> Matches:
        """The nearest of the rules that were tried."""
        nearest = self._list_nearest(())
        tried = min(int(self._done), len(self._rules))
        sentences = describe_stop(tried, len(self._rules), nearest)
        return Matches(nearest=nearest, sentences=sentences)

    def _try(
        self, attempt: Callable[[Method], list[Attempt]], rules: Sequence[Method]
    ) -> list[Attempt]:
        """The attempts with rules, of which all so far are kept."""
        before = len(self._tried)
        for rule in rules:
            self._tried += attempt(rule)
            self._report(self._done + 1)
        return self._tried[before:]

    def _decide(self, tried: list[Attempt]) -> tuple[list[Finding], str]:
        """Those of the attempts that agree (see `Decision.find_agreeing`)."""
        done = self._done
        found = self._decision.find_agreeing(tried, lambda part: self._report(done + MOST * part))
        self._report(done + MOST)
        return found

    def _report(self, done: float) -> None:
        self._done = done
        if self._progress is not None:
            self._progress(done, self._all)

    def _try_steps(self) -> list[Attempt]:
        """The trials again that another time between rows may bring to agreement, with that time."""
        turn = self._evidence.fastest * self._evidence.dt
        near = [one for one in self._tried if one.distance < CLOCK * turn]
        near = sorted(near, key=lambda attempt: attempt.distance)[:STEPS]
        again = (self._attempts.try_step(attempt) for attempt in near)
        dt = self._evidence.dt
        return [one for one in again if abs(one.trial.dt / dt - 1.0) < CLOCK]

    # ------------------------------------------------------------------ the answer

    def _choose(self, found: list[Finding], precision: str) -> Matches:
        """The rule that remains, if the file distinguishes it from others, in words."""
        best = min(found, key=lambda finding: (len(finding.errors), finding.distance))
        alike = [best]
        possible: list[Finding] = []
        for other in found:
            if other is best:
                continue
            differs = self._decision.compare(best, other)
            if differs is None:
                alike.append(other)
            elif differs < CERTAIN:
                possible.append(other)
        for one in tuple(alike):
            others = (trial for trial in one.alike if not are_one_rule(one.trial, trial))
            possible += (replace(one, trial=trial) for trial in others)
        nearest = self._list_nearest([*alike, *possible])
        if possible:
            names = [name for one in [*alike, *possible] for name in self._name([one])[-1:]]
            names = list(dict.fromkeys(names))
            return Matches(
                possible=tuple(names), nearest=nearest, sentences=describe_possible(names)
            )
        fewest = min(finding.trial.substeps for finding in alike)
        alike = [finding for finding in alike if finding.trial.substeps == fewest]
        fitted = min(len(finding.errors) for finding in alike)
        alike = [finding for finding in alike if len(finding.errors) == fitted]
        best = min(alike, key=lambda finding: len(str(finding.numbers)))
        errors = np.array([best.errors.get(name, 0.0) for name in ("J1", "J2")] + [0.0])
        return self._describe(
            Matches(
                rules=tuple(self._name(alike)),
                nearest=nearest,
                precision=precision,
                substeps=best.trial.substeps,
                numbers={name: pair for name, pair in best.limits.items() if pair[0]},
                step=best.trial.dt,
                moments=best.trial.J,
                moment_errors=self._evidence.J[2] * errors,
                distance=best.distance,
            )
        )

    def _describe(self, found: Matches) -> Matches:
        """The answer with its sentences."""
        if not found.rules:
            return found
        return replace(found, sentences=tuple(describe_rule(found, self._evidence.dt)))

    def _name(self, findings: list[Finding]) -> list[str]:
        """The names of trials with one rule."""
        return name_rules(
            [(one.rule, one.numbers) for one in findings],
            findings[0].trial.substeps,
            self._evidence.fastest,
            self._evidence.dt,
        )

    def _list_nearest(self, but: Iterable[Finding]) -> tuple[Near, ...]:
        """The nearest other rules, each once."""
        left_out = {finding.rule.label for finding in but}
        found: list[Near] = []
        for attempt in sorted(self._tried, key=lambda attempt: attempt.distance):
            if attempt.rule.label in left_out or not math.isfinite(attempt.distance):
                continue
            left_out.add(attempt.rule.label)
            if any(math.isclose(attempt.distance, near.distance) for near in found):
                continue  # the same rule by another name
            finding = Finding(attempt.trial, NO_RESIDUALS, dict.fromkeys(attempt.fitted, 0.0))
            if finding.is_possible:
                found.append(Near(self._name([finding])[-1], attempt.distance))
            if len(found) == NEAREST:
                break
        return tuple(found)
