"""Requests: the arguments of `simulate`, and what they ask for."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from ..algorithms.core.method import Method
from ..problems.problem import AnyProblem


@dataclass(frozen=True)
class Steps:
    """The arguments that set the step, the length of a run and the rows it stores, as in
    `simulate`.
    """

    dt: float | str | None = None
    duration: float | None = None
    steps: int | None = None
    every: int | None = None
    samples: int | None = None

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that are set, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


ARGUMENTS = (
    *(field.name for field in dataclasses.fields(Steps)),
    "energy_correction", "compose", "precision", "substeps", "progress", "cancel",
)  # fmt: skip
"""The keywords of `simulate`; any other is an option of the method."""


@dataclass(frozen=True, eq=False)
class RunRequest:
    """A run to make: the problem, the method, the step, how many steps, and for every how many a
    row is stored.

    `messages` are remarks on the arguments, in sentences.
    """

    problem: AnyProblem
    method: Method
    dt: float
    steps: int
    every: int
    messages: tuple[str, ...] = ()
