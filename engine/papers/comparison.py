"""Numbers that others published, beside the lab's, and the verdict that follows from both.

A file of `numbers` has the comparisons of one source. Each `[[…numbers]]` of a comparison has a `quantity` of
`QUANTITIES` with the published values at several times or steps, and a `tolerance` with its reason. `instead` is a
changed setting with which the lab has the published numbers: another reading of the source, or a `mistake`.
"""

from __future__ import annotations

import functools
import threading
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..exact.motion import Motion, exact
from ..parameters.validation import Array
from ..problems.problem import Problem, find_problem
from ..studies.core import Executor, Frame
from ..text.bibliography import bibtex
from ..text.formatting import format_measured
from .claim import Progress, Value
from .figure import LabSetting

AGREES, DIFFERS, WRONG = "agrees", "differs", "wrong"
UNITS = {"°": 180.0 / np.pi, "°/s": 180.0 / np.pi}
"""How many of a unit are one radian, or one radian per second; other units are the lab's own."""
WHOLE = 1e-9
"""A number of steps nearer to a whole one than this is whole."""


class Values(NamedTuple):
    """The lab's numbers (n, m) at n times or steps, and the largest error that they may have."""

    values: Array
    doubt: float


Given = Mapping[str, Any]
Measure = Callable[[Problem, Given, Executor], Values]


def _find_motion(problem: Problem, given: Given, executor: Executor) -> tuple[Motion, float]:
    """The exact motion at the given times, `late` by as much, and the largest relative error of its velocities."""
    motion = exact(problem, np.add(given["at"], given.get("late", 0.0)), cancel=executor.cancel)
    return motion, motion.estimate.attitude + motion.estimate.momentum * float(np.linalg.cond(problem.J))


def measure_rates(problem: Problem, given: Given, executor: Executor) -> Values:
    """Angular velocities in the body's frame, or in space; `scale` multiplies each component."""
    motion, doubt = _find_motion(problem, given, executor)
    in_space = given.get("frame") == "space"
    rates = np.einsum("nij,nj->ni", motion.R, motion.Omega) if in_space else motion.Omega
    rates = (rates * given.get("scale", 1.0))[:, given.get("components", [0, 1, 2])]
    return Values(rates, doubt * float(np.abs(rates).max()))


def measure_angles(problem: Problem, given: Given, executor: Executor) -> Values:
    """Yaw, pitch and roll from a frame that turns about its first axis by `turned` radians until each time."""
    motion, doubt = _find_motion(problem, given, executor)
    (c, s), R = (np.cos(given["turned"]), np.sin(given["turned"])), motion.R.transpose(1, 2, 0)
    x, y, z = R[0], c * R[1] + s * R[2], c * R[2] - s * R[1]
    angles = np.arctan2(y[0], x[0]), -np.arcsin(z[0]), np.arctan2(z[1], z[2])
    return Values(np.stack(angles, axis=1), doubt / float(np.cos(angles[1]).min()))


def measure_departure(problem: Problem, given: Given, executor: Executor) -> Values:
    """The largest angle, until each time and back to its negative, from a turn at the initial angular velocity."""
    largest, doubt = [], 0.0
    speed = float(np.linalg.norm(problem.Omega0))
    x, y, z = problem.Omega0 / speed
    hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    for T in given["at"]:
        t = np.linspace(-T, T, 2001)
        motion, doubt = _find_motion(problem, {"at": t}, executor)
        turn = np.sin(speed * t)[:, None, None] * hat + (1.0 - np.cos(speed * t))[:, None, None] * (hat @ hat)
        chord = np.linalg.norm(motion.R - problem.R0 @ (np.eye(3) + turn), axis=(1, 2)) / np.sqrt(8.0)
        largest.append([2.0 * float(np.arcsin(chord.max()))])
    return Values(np.array(largest), doubt)


def measure_momentum_turn(problem: Problem, given: Given, executor: Executor) -> Values:
    """The largest angle of the momentum in space from its start, until each time and back to its negative."""
    largest = []
    for T in given["at"]:
        pi = exact(problem, np.linspace(-T, T, 8001), cancel=executor.cancel).pi
        sine = np.linalg.norm(np.cross(pi, problem.R0 @ problem.Pi0), axis=1) / (problem.Pi0 @ problem.Pi0)
        largest.append([float(sine.max())])
    return Values(np.array(largest), 0.0)


def measure_rule(problem: Problem, given: Given, executor: Executor) -> Values:
    """Of a run by a `rule` with each step, the largest change of the momentum and of the energy.

    Both are parts: the momentum's of its length, and the energy's of `whole`. It includes that of a centre that falls
    by semi-implicit Euler, which at the time t has lost `falling` ht more than it should.
    """
    rows = []
    for dt in given["at"]:
        steps = ceil(problem.duration / dt - WHOLE)
        run = executor.simulate(problem, given["rule"], dt=dt, steps=steps)
        momentum = np.linalg.norm(run.pi - run.pi[0], axis=1).max() / np.linalg.norm(run.pi[0])
        energy = np.abs(run.energy - run.energy[0] - given["falling"] * dt * run.t).max() / given["whole"]
        rows.append([float(momentum), float(energy)])
    return Values(np.array(rows), 0.0)


QUANTITIES: dict[str, Measure] = {
    "rates": measure_rates,
    "angles": measure_angles,
    "departure": measure_departure,
    "momentum turn": measure_momentum_turn,
    "rule": measure_rule,
}


@dataclass(frozen=True, eq=False)
class Published:
    """Numbers that one source published for several times or steps.

    Attributes
    ----------
    who, what : who published them, and what they are.
    symbol : the sign of what `at` has: t or Δt.
    published : (n, m) the values.
    tolerance, because : the largest difference of numbers that agree, and why it is that.
    says : what the difference means; {difference} and {instead} are those of the two settings.
    instead : what differs in the other setting: of these numbers, or of the `problem`.
    given : what the quantity needs besides.
    """

    who: str
    what: str
    quantity: str
    published: Array
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
        factor = UNITS.get(self.unit, 1.0)
        return Values(values * factor, doubt * factor)

    def compare(self, problem: Problem, executor: Executor) -> Compared:
        """The lab's numbers beside them."""
        values, doubt = self.measure(problem, executor, {})
        other = None
        if self.instead is not None:
            other = float(np.abs(self.measure(problem, executor, self.instead).values - self.published).max())
        return Compared(self, values, doubt, other)


@dataclass(frozen=True, eq=False)
class Compared:
    """Published numbers, the lab's (n, m) with their largest error, and the difference with the other setting."""

    numbers: Published
    values: Array
    doubt: float
    instead: float | None

    @property
    def differences(self) -> Array:
        """(n,) the largest difference at each time or step."""
        differences: Array = np.abs(self.values - self.numbers.published).max(axis=1)
        return differences

    @property
    def difference(self) -> float:
        """The largest difference."""
        return float(self.differences.max())

    @property
    def verdict(self) -> str:
        """The verdict: "agrees" within the tolerance, "wrong" if no error of the lab's explains it, else "differs"."""
        numbers = self.numbers
        if self.difference <= numbers.tolerance:
            return AGREES
        read_otherwise = self.instead is not None and self.instead <= numbers.tolerance
        if read_otherwise and numbers.instead and not numbers.instead.get("mistake"):
            return DIFFERS
        return WRONG if self.difference - self.doubt > numbers.tolerance else DIFFERS

    @property
    def sentence(self) -> str:
        """What the difference means."""
        words = {"difference": self.difference, "instead": self.instead or 0.0}
        unit = self.numbers.unit and f"{'' if self.numbers.unit == '°' else ' '}{self.numbers.unit}"
        return self.numbers.says.format(**{name: format_measured(x) + unit for name, x in words.items()})


@dataclass(frozen=True, eq=False)
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

    def __repr__(self) -> str:
        return f"<comparison {self.key}: {self.title}>"

    def compare(
        self, cancel: threading.Event | None = None, progress: Progress | None = None
    ) -> tuple[Compared, ...]:
        """Compute the lab's numbers anew; `progress` receives (rows done, rows in all)."""
        found: list[Compared] = []
        for numbers in self.numbers:
            found.append(numbers.compare(self.problem, Executor(cancel=cancel)))
            if progress is not None:
                progress(len(found), len(self.numbers))
        return tuple(found)


def tabulate(compared: tuple[Compared, ...]) -> Frame:
    """A pandas table with a row for each published value: the lab's, the difference and the verdict."""
    import pandas as pd

    rows: list[dict[str, Value]] = [
        {"who": c.numbers.who, "what": c.numbers.what, "at": at, "published": float(theirs), "lab": float(ours),
         "difference": abs(float(ours - theirs)), "tolerance": c.numbers.tolerance, "verdict": c.verdict}
        for c in compared
        for at, published, values in zip(c.numbers.given["at"], c.numbers.published, c.values, strict=True)
        for theirs, ours in zip(published, values, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


FIELDS = tuple(name for name in Published.__dataclass_fields__ if name != "given")


def _read_numbers(table: Mapping[str, Any], common: Given) -> Published:
    table = {**common, **table}
    own = {name: table[name] for name in FIELDS if name in table}
    published = np.array(table["published"], float)
    return Published(**own | {"published": published}, given={k: v for k, v in table.items() if k not in FIELDS})


def _read_comparison(key: str, table: dict[str, Any]) -> Comparison:
    name, lab = table["problem"].pop("key"), table.pop("lab")
    setting = LabSetting(name, tuple(lab["methods"]), lab["dt"], lab["duration"], dict(table["problem"]))
    problem = find_problem(name, Problem, **table.pop("problem"), duration=lab["duration"])
    numbers = tuple(_read_numbers(each, table.get("common", {})) for each in table.pop("numbers"))
    table.pop("common", None)
    reference = bibtex(table.pop("source"))
    return Comparison(key, problem=problem, setting=setting, numbers=numbers, reference=reference, **table)


@functools.cache
def read_comparisons() -> dict[str, Comparison]:
    """Return every comparison by its key, source by source."""
    files = sorted((Path(__file__).parent / "numbers").glob("*.toml"))
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return {key: _read_comparison(key, each) for table in tables for key, each in table.items()}
