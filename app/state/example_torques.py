"""Torques of your own body to start from, which a click types."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.problems import find_problem
from engine.text import read_toml

from .choice import Choice


@dataclass(frozen=True)
class ExampleTorque:
    """A torque: its words on the page, its formula, the frame of that, and its potential energy."""

    words: str
    formula: str
    frame: str = "space"
    potential: str = ""

    def choose(self, choice: Choice) -> Choice:
        """The choice with this torque."""
        problem = find_problem(choice.problem).replace(torque="formula", frame=self.frame)
        with_frame = replace(choice, problem=problem.label)
        return with_frame.with_changes(formula=self.formula, potential=self.potential or None)


EXAMPLE_TORQUES = tuple(ExampleTorque(words, **of) for words, of in read_toml(__file__).items())
