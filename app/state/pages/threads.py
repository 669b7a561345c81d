"""Questions that developers of engines ask in threads, each with a measured answer.

`python -m app.state.pages.threads` measures the figures of all answers, and writes them to
`threads.json`, which the page reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine import Run
from engine.algorithms import name_method
from engine.problems import Problem
from engine.text import read_toml
from engine.text.formatting import show

from .engine_question import BODIES, PROGRAM, choose_program

FIGURES = Path(__file__).with_suffix(".json")
"""The figures of all threads."""


def measure_energy(run: Run) -> float:
    """The energy at the end, as a part of the first."""
    return float(run.energy[-1] / run.energy[0])


def measure_most_energy(run: Run) -> float:
    """The largest energy, as a part of the first."""
    return float(run.energy.max() / run.energy[0])


def measure_energy_change(run: Run) -> float:
    """The largest change of the energy, as a part of the first."""
    return float(np.abs(run.energy / run.energy[0] - 1.0).max())


def measure_middle_energy(run: Run) -> float:
    """The energy at the end over that of a spin about the middle axis with the first momentum."""
    middle = float(np.sort(np.diagonal(run.problem.J))[1])
    return float(run.energy[-1]) * 2.0 * middle / float(run.pi[0] @ run.pi[0])


def measure_momentum_change(run: Run) -> float:
    """The largest change of the spatial momentum, as a part of its length."""
    return float(np.linalg.norm(run.pi - run.pi[0], axis=1).max() / np.linalg.norm(run.pi[0]))


def measure_momentum_turn(run: Run) -> float:
    """The largest angle between the spatial momentum and the first, in degrees."""
    lengths = np.linalg.norm(run.pi, axis=1) * np.linalg.norm(run.pi[0])
    return math.degrees(np.arccos(np.clip(run.pi @ run.pi[0] / lengths, -1.0, 1.0)).max())


def count_turns(run: Run) -> float:
    """How often the velocity about the middle axis changes its sign."""
    axis = int(np.argsort(np.diagonal(run.problem.J))[1])
    return float((np.diff(np.sign(run.Omega[:, axis])) != 0).sum())


def measure_attitude_error(run: Run) -> float:
    """The angle of the attitude at the end to the exact one, in degrees."""
    return math.degrees(engine.error(run).last.attitude)


def measure_departure(run: Run) -> float:
    """The largest ‖RᵀR − 1‖."""
    return float(run.orthogonality.max())


def measure_quaternion(run: Run) -> float:
    """The length of a quaternion that takes linear steps by the new velocities and is not
    normalised.
    """
    halves = run.dt / 2.0 * np.linalg.norm(run.Omega[1:], axis=1)
    return float(np.sqrt(1.0 + halves**2).prod())


def write_part(value: float) -> str:
    """A part in per cent."""
    return f"{show(100 * value, 4)} %"


def write_angle(value: float) -> str:
    """An angle in degrees."""
    return f"{show(value, 3)}°"


def write_number(value: float) -> str:
    """A number with two digits."""
    return show(value, 2)


def write_count(value: float) -> str:
    """A number of times."""
    return f"{value:.0f}"


MEASURES: dict[str, tuple[Callable[[Run], float], Callable[[float], str]]] = {
    "energy at the end": (measure_energy, write_part),
    "largest energy": (measure_most_energy, write_part),
    "change of the energy": (measure_energy_change, write_part),
    "energy over that of the middle axis": (measure_middle_energy, write_part),
    "change of the momentum": (measure_momentum_change, write_part),
    "turn of the momentum": (measure_momentum_turn, write_angle),
    "times that it turns over": (count_turns, write_count),
    "attitude error": (measure_attitude_error, write_angle),
    "departure of R from a rotation": (measure_departure, write_number),
    "length of a quaternion by linear steps": (measure_quaternion, write_part),
}
"""What is measured of a run, and how it is written."""


@dataclass(frozen=True)
class Thread:
    """A thread with its question, and the runs that answer it.

    Attributes
    ----------
    of, number, kind : its repository on GitHub, and there its number among "issues" or "pull".
    asks : the question.
    rules : the rules that are run.
    body : the key of a body of the page.
    rate, duration : steps in a second, and seconds.
    measures : what is measured of each run, of `MEASURES`.
    says : the answer, with a place for each figure.
    """

    of: str
    number: int
    kind: str
    asks: str
    rules: tuple[str, ...]
    body: str
    measures: str
    says: str
    rate: int = 60
    duration: float = 100.0

    @property
    def name(self) -> str:
        """The repository and the number."""
        return f"{self.of}#{self.number}"

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://github.com/{self.of}/{self.kind}/{self.number}"

    @property
    def setting(self) -> str:
        """The setting in words."""
        title = next(one.title for one in BODIES if one.key == self.body)
        return f"{title}, {self.rate} Hz, {show(self.duration)} s: {self.measures}."

    @property
    def query(self) -> dict[str, str]:
        """The words of the page's link to the first rule in this setting."""
        question = choose_program(PROGRAM).with_entry("body", self.body)
        words = question.choice.query() | {"methods": self.rules[0], "dt": f"{self.rate} Hz"}
        return {"page": "engines"} | words | {"duration": f"{self.duration:g}"}

    @property
    def first(self) -> str:
        """The name of the first rule."""
        return name_method(engine.algorithm(self.rules[0]))

    def measure(self) -> list[float]:
        """Run the rules, and return a figure for each."""
        start = next(one.start for one in BODIES if one.key == self.body)
        body = Problem(**start)
        measured, _ = MEASURES[self.measures]
        steps = round(self.duration * self.rate)
        return [
            measured(engine.simulate(body, rule, dt=1 / self.rate, steps=steps))
            for rule in self.rules
        ]

    @property
    def answer(self) -> str:
        """The answer with the recorded figures."""
        _, write = MEASURES[self.measures]
        return self.says.format(*map(write, recorded_figures()[self.name]))


def _make_thread(table: dict[str, Any]) -> Thread:
    return Thread(**table | {"rules": tuple(table["rules"])})


THREADS = tuple(_make_thread(table) for table in read_toml(__file__)["thread"])
"""All threads, in the order of the page."""


@cache
def recorded_figures() -> dict[str, list[float]]:
    """The recorded figures by the threads' names."""
    figures: dict[str, list[float]] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return figures


if __name__ == "__main__":
    measured = {thread.name: thread.measure() for thread in THREADS}
    FIGURES.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
