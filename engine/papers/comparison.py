"""Numbers that others published, beside the lab's, and the verdict that follows from both.

A file of `numbers` has the comparisons of one source. Each `[[…numbers]]` of a comparison has a
`quantity` of `QUANTITIES` with the published values at several times or steps, and a `tolerance`
with its reason. `instead` is a changed setting with which the lab has the published numbers:
another reading of the source, or a `mistake`.
"""

from __future__ import annotations

import functools
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ..exact.motion import Motion, exact
from ..parameters.validation import Array
from ..problems.problem import Problem, find_problem
from ..studies.core import Executor
from ..text.bibliography import bibtex
from ..text.formatting import format_measured, show
from .figure import LabSetting

AGREES = "agrees"
DIFFERS = "differs"
WRONG = "wrong"


Given = Mapping[str, Any]
Values = tuple[Array, float]
"""The lab's numbers (n, m) at n times or steps, and the largest error that they may have."""
Measure = Callable[[Problem, Given, Executor], Values]


def _find_motion(problem: Problem, given: Given, executor: Executor) -> tuple[Motion, float]:
    """The exact motion at the given times, `ahead` by as much, and the largest relative error of its
    velocities.
    """
    motion = exact(problem, np.add(given["at"], given.get("ahead", 0.0)), cancel=executor.cancel)
    return motion, motion.estimate.attitude + motion.estimate.momentum * float(
        np.linalg.cond(problem.J)
    )


def measure_rates(problem: Problem, given: Given, executor: Executor) -> Values:
    """Angular velocities in the body's frame, or in space; `scale` multiplies each component."""
    motion, doubt = _find_motion(problem, given, executor)
    in_space = given.get("frame") == "space"
    rates = np.einsum("nij,nj->ni", motion.R, motion.Omega) if in_space else motion.Omega
    rates = (rates * given.get("scale", 1.0))[:, given.get("components", [0, 1, 2])]
    return (rates, doubt * float(np.abs(rates).max()))


def measure_angles(problem: Problem, given: Given, executor: Executor) -> Values:
    """Yaw, pitch and roll from a frame that turns about its first axis by `turned` radians until
    each time.
    """
    motion, doubt = _find_motion(problem, given, executor)
    (c, s) = (np.cos(given["turned"]), np.sin(given["turned"]))
    R = motion.R.transpose(1, 2, 0)
    x, y, z = R[0], c * R[1] + s * R[2], c * R[2] - s * R[1]
    angles = np.arctan2(y[0], x[0]), -np.arcsin(z[0]), np.arctan2(z[1], z[2])
    return (np.stack(angles, axis=1), doubt / float(np.cos(angles[1]).min()))


def measure_departure(problem: Problem, given: Given, executor: Executor) -> Values:
    """The largest angle, until each time and back to its negative, from a turn at the initial
    angular velocity.
    """
    from scipy.spatial.transform import Rotation  # slow to import, and only used here

    largest = []
    doubt = 0.0
    for T in given["at"]:
        t = np.linspace(-T, T, 2001)
        motion, doubt = _find_motion(problem, {"at": t}, executor)
        away = Rotation.from_rotvec(np.outer(-t, problem.Omega0)) * Rotation.from_matrix(
            problem.R0.T @ motion.R
        )
        largest.append([float(away.magnitude().max())])
    return np.array(largest), doubt


def measure_momentum_turn(problem: Problem, given: Given, executor: Executor) -> Values:
    """The largest angle of the spatial momentum from its start, until each time and back to its
    negative.
    """
    start = problem.R0 @ problem.Pi0
    square = problem.Pi0 @ problem.Pi0
    motions = (
        exact(problem, np.linspace(-T, T, 8001), cancel=executor.cancel) for T in given["at"]
    )
    return np.array(
        [[np.linalg.norm(np.cross(m.pi, start), axis=1).max() / square] for m in motions]
    ), 0.0


def measure_rule(problem: Problem, given: Given, executor: Executor) -> Values:
    """Of a run by a `rule` with each step, the largest change of the momentum and of the energy.

    Both are parts: the momentum's of its length, and the energy's of `whole`. It includes that of a
    centre that falls by semi-implicit Euler, which at the time t has lost `falling` ht more than it
    should.
    """
    rows = []
    for dt in given["at"]:
        steps = ceil(round(problem.duration / dt, 9))  # as the source rounds them
        run = executor.simulate(problem, given["rule"], dt=dt, steps=steps)
        momentum = np.linalg.norm(run.pi - run.pi[0], axis=1).max() / np.linalg.norm(run.pi[0])
        energy = (
            np.abs(run.energy - run.energy[0] - given["falling"] * dt * run.t).max()
            / given["whole"]
        )
        rows.append([float(momentum), float(energy)])
    return (np.array(rows), 0.0)


def measure_tolerances(problem: Problem, given: Given, executor: Executor) -> Values:
    """The decimal logarithm of the mean error of `scale` Ω at the end, by a `rule` with each
    relative tolerance.

    The absolute tolerance is a thousandth of it.
    """
    end = exact(problem, [problem.duration], cancel=executor.cancel)
    rows = []
    for rtol in given["at"]:
        how = {"rtol": rtol, "atol": rtol / 1000, "duration": problem.duration, "samples": 1}
        run = executor.simulate(problem, given["rule"], **how)
        rows.append(
            [float(np.log10(np.abs((run.Omega[-1] - end.Omega[-1]) * given["scale"]).mean()))]
        )
    return (np.array(rows), 0.0)


QUANTITIES: dict[str, Measure] = {
    "rates": measure_rates, "angles": measure_angles, "departure": measure_departure,
    "momentum turn": measure_momentum_turn, "rule": measure_rule, "tolerances": measure_tolerances,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Published:
    """Numbers that one source published for several times or steps.

    Attributes
    ----------
    who, what : who published them, and what they are.
    symbol : the sign of what `at` has: t, Δt or a tolerance.
    published : (n, m) the values.
    tolerance, because : the largest difference of numbers that agree, and why it is that.
    says : what the difference means; {difference} and {instead} are those of the two settings.
    instead : what differs in the other setting: of these numbers, or of the `problem`.
    given : all of these, and what the quantity needs besides.
    """

    who: str
    what: str
    quantity: str
    published: Sequence[Sequence[float]]
    tolerance: float
    because: str
    says: str
    given: Given
    symbol: str = "t"
    unit: str = ""
    instead: Mapping[str, Any] | None = None

    def measure(self, problem: Problem, executor: Executor, changed: Given) -> Values:
        """The lab's numbers in the published unit, in a changed setting."""
        body = problem.replace(**changed.get("problem", {}))
        values, doubt = QUANTITIES[self.quantity](body, {**self.given, **changed}, executor)
        unit = 180.0 / np.pi if self.unit.startswith("°") else 1.0
        return values * unit, doubt * unit

    def compare(self, problem: Problem, executor: Executor) -> Compared:
        """The lab's numbers beside them."""
        values, doubt = self.measure(problem, executor, {})
        other = self.measure(problem, executor, self.instead)[0] if self.instead else values
        return Compared(self, values, doubt, float(np.abs(other - self.published).max()))


@dataclass(frozen=True, eq=False)
class Compared:
    """Published numbers, the lab's (n, m) with their largest error, and the difference with the
    other setting.
    """

    numbers: Published
    values: Array
    doubt: float
    instead: float

    @property
    def difference(self) -> float:
        """The largest difference."""
        return float(np.abs(self.values - self.numbers.published).max())

    @property
    def verdict(self) -> str:
        """The verdict: "agrees" within the tolerance, "wrong" if no error of the lab explains it,
        else "differs".
        """
        tolerance = self.numbers.tolerance
        instead = self.numbers.instead or {}
        if self.difference <= tolerance:
            return AGREES
        other_reading = self.instead <= tolerance and not instead.get("mistake")
        return DIFFERS if other_reading or self.difference - self.doubt <= tolerance else WRONG

    def rows(self) -> list[dict[str, Any]]:
        """A row for each value: the published one, the lab's, and the difference."""
        same = {"who": self.numbers.who, "what": self.numbers.what, "verdict": self.verdict}
        return [
            same
            | {
                "at": at,
                "published": float(theirs),
                "lab": float(ours),
                "difference": abs(float(ours - theirs)),
            }
            for at, *both in zip(
                self.numbers.given["at"], self.numbers.published, self.values, strict=True
            )
            for theirs, ours in zip(*both, strict=True)
        ]

    def format_rows(self) -> list[tuple[str, str, str, str]]:
        """The rows as texts: a new time or step, both values with the published digits, and the
        difference.
        """
        texts = []
        for i, row in enumerate(self.rows()):
            at = "" if i % len(self.numbers.published[0]) else show(row["at"])
            digits = len(repr(abs(row["published"])).partition("e")[0].replace(".", "").strip("0"))
            values = (
                format_measured(row["published"], max(digits, 1)),
                format_measured(row["lab"], max(digits, 6)),
            )
            texts.append((at, *values, format_measured(row["difference"])))
        return texts

    @property
    def sentence(self) -> str:
        """What the difference means."""
        words = {"difference": self.difference, "instead": self.instead}
        unit = f" {self.numbers.unit}".rstrip()
        return self.numbers.says.format(
            **{name: format_measured(x) + unit for name, x in words.items()}
        )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The numbers of a source for one motion.

    Attributes
    ----------
    reference, where : the source, BibTeX, and the place in it.
    about : the body and its motion.
    known : how the lab's numbers are computed, and what confirms them.
    terms : the terms of the source.
    setting : the same motion in the lab.
    """

    key: str
    title: str
    reference: str
    where: str
    about: str
    known: str
    terms: str
    problem: Problem
    setting: LabSetting
    numbers: tuple[Published, ...]

    def compare(self, cancel: threading.Event | None = None) -> tuple[Compared, ...]:
        """Compute the lab's numbers anew; raises `Cancelled` if that is cancelled."""
        return tuple(
            numbers.compare(self.problem, Executor(cancel=cancel)) for numbers in self.numbers
        )


FIELDS = Published.__dataclass_fields__.keys() - {"given"}


def _read_comparison(key: str, table: dict[str, Any]) -> Comparison:
    name = table["problem"].pop("key")
    lab = table.pop("lab")
    setting = LabSetting(
        name, tuple(lab["methods"]), lab["dt"], lab["duration"], dict(table["problem"])
    )
    problem = find_problem(name, Problem, **table.pop("problem"), duration=lab["duration"])
    common = table.pop("common", {})
    rows = [common | each for each in table.pop("numbers")]
    numbers = tuple(
        Published(**{field: row[field] for field in FIELDS & row.keys()}, given=row) for row in rows
    )
    reference = bibtex(table.pop("source"))
    return Comparison(
        key, problem=problem, setting=setting, numbers=numbers, reference=reference, **table
    )


@functools.cache
def read_comparisons() -> dict[str, Comparison]:
    """Return every comparison by its key, source by source."""
    files = sorted((Path(__file__).parent / "numbers").glob("*.toml"))
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return {key: _read_comparison(key, each) for table in tables for key, each in table.items()}
