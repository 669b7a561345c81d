"""The motion of a file as plots and pictures show it beside runs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

import engine
from engine.exact import Errors
from engine.parameters.validation import Array
from engine.problems import Problem
from engine.referee import Verdict
from engine.referee.inertia import find_mean_rates
from engine.studies.engines import AfterATime

from ..results import COLOURS, RunLine

COLOUR = COLOURS[2]
MOST_ROWS = 4000
"""Rows of a longer motion are thinned to this number, which is that of pictures."""
END = "end_"
"""How the names of numbers begin that say what became of the body."""
STATED = "motion_"
"""How the words of a link begin that state something of a file."""


class Origin(NamedTuple):
    """The file of a motion, by its name and a hash of its content, and what a person states of it, by the
    names of fields.
    """

    name: str
    content: int = 0
    stated: tuple[tuple[str, str], ...] = ()

    def query(self) -> dict[str, str]:
        """The words of a link, which does not contain the motion."""
        return {"motion": self.name} | {STATED + field: text for field, text in self.stated}


@dataclass(frozen=True, eq=False, repr=False)
class FileMotion:
    """A motion with the attributes of a run that plots and pictures read; it has no method.

    Attributes
    ----------
    origin : the file, and how it was read.
    problem : the free body with the first state.
    t, R, Omega : (n,), (n, 3, 3), (n, 3) times, attitudes, and angular velocities in the body's
        principal axes; without velocities in the file, those of the middles between its rows.
    dt : the mean step of the file.
    every : the number of rows of the file from one to the next.
    end : what became of the body.
    """

    origin: Origin
    problem: Problem
    t: Array
    R: Array
    Omega: Array
    dt: float
    every: int
    end: AfterATime
    method: ClassVar[None] = None
    status: ClassVar[str] = "done"
    messages: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_arrays(cls, origin: Origin, arrays: dict[str, Array]) -> FileMotion:
        """The motion of a file from what `thin_motion` returns."""
        numbers: dict[str, Any] = {one: x.item() for one, x in arrays.items() if not x.ndim}
        end = {one.removeprefix(END): x for one, x in numbers.items() if one.startswith(END)}
        return cls(
            origin,
            Problem(J=arrays["J"], R0=arrays["R0"], Omega0=arrays["Omega0"]),
            arrays["t"],
            arrays["R"],
            arrays["Omega"],
            numbers["dt"],
            numbers["every"],
            AfterATime(**end),
        )

    def __len__(self) -> int:
        return len(self.t)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.origin.name

    @cached_property
    def Pi(self) -> Array:
        """(n, 3) the momentum in the body's axes."""
        return self.Omega @ self.problem.J

    @cached_property
    def pi(self) -> Array:
        """(n, 3) the spatial momentum."""
        return np.einsum("nij,nj->ni", self.R, self.Pi)

    @cached_property
    def pi_norm(self) -> Array:
        """(n,) its length."""
        return np.linalg.norm(self.pi, axis=1)

    @cached_property
    def energy(self) -> Array:
        """(n,) the energy."""
        return 0.5 * (self.Pi * self.Omega).sum(axis=1)

    @cached_property
    def line(self) -> RunLine:
        """The motion beside runs, with its errors against the exact motion at its own times."""
        run: Any = self
        errors: Errors = engine.error(run, engine.exact(self.problem, self.t, dt=self.dt))
        return RunLine(self.name, self.name, COLOUR, run, errors)


def thin_motion(verdict: Verdict) -> dict[str, Any]:
    """The motion of a verdict as numbers and arrays, with at most about `MOST_ROWS` rows."""
    own, body = verdict.trajectory, verdict.compared.body
    t, R, Omega = own.t, own.R, own.Omega
    if Omega is None:
        t, R, Omega = find_mean_rates(t, R)
    every = -(-len(t) // MOST_ROWS)
    rows = np.unique([*range(0, len(t), every), len(t) - 1])
    dt = verdict.dt if math.isfinite(verdict.dt) else own.t[-1] / (len(own.t) - 1)
    series = {"t": t[rows], "R": R[rows], "Omega": Omega[rows], "dt": dt, "every": every}
    start = {"J": verdict.moments, "R0": body.R0, "Omega0": body.Omega0}
    return series | start | {END + name: x for name, x in asdict(verdict.compared.end).items()}
