"""What a simulation returns: the motion, its invariants, how it ended, and where it came from."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from .algorithms import Method
    from .problems import Problem

Array = NDArray[np.float64]


class Extrema(NamedTuple):
    """Least, largest and last value of one quantity, over every step of a run, also those not kept."""

    min: Any
    max: Any
    last: Any


@dataclass(frozen=True)
class Cost:
    """What a run cost."""

    steps: int
    torque_evaluations: int
    newton_iterations: int
    seconds: float

    @property
    def ns_per_step(self) -> float:
        """Nanoseconds a step in the kernel."""
        return 1e9 * self.seconds / self.steps if self.steps else float("nan")


@dataclass(frozen=True, eq=False)
class Run:
    """The motion that a method made of a problem.

    Attributes
    ----------
    t : (n,) times of the kept rows, multiples of dt; the first is 0, the last that of the last valid state.
    R : (n, 3, 3) attitude, body to space.
    Omega, Pi : (n, 3) angular velocity and momentum in the body's frame.
    pi : (n, 3) angular momentum in space, as the method itself carries it where it does.
    energy : (n,) kinetic plus potential energy; the kinetic one alone where the torque has no potential.
    orthogonality : (n,) ‖RᵀR − 1‖, Frobenius.
    increment : (n,) angle in radians of the step that ends at the row; nan at the first.
    extrema : least, largest and last of each invariant over every step.
    status : "done", "no-solution", "diverged" or "cancelled"; with `failed_step` and a `message` in words.
    """

    problem: Problem
    method: Method
    dt: float
    steps: int
    every: int
    t: Array
    R: Array
    Omega: Array
    pi: Array
    energy: Array
    orthogonality: Array
    increment: Array
    observed: dict[str, Array]
    extrema: dict[str, Extrema]
    status: str
    failed_step: int | None
    messages: tuple[str, ...]
    cost: Cost
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What there is to say of the run, in sentences; empty if nothing."""
        return " ".join(self.messages)

    @functools.cached_property
    def Pi(self) -> Array:
        """(n, 3) angular momentum in the body's frame."""
        momentum: Array = self.Omega @ self.problem.J
        return momentum

    @property
    def casimirs(self) -> dict[str, Array]:
        """The problem's Casimirs and other invariants besides energy and π, each (n,)."""
        names = [name for name in self.problem.invariants if name not in ("energy", "pi")]
        return {name: self.observed[name] for name in names}

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        end = f"{self.cost.steps} steps of {self.dt:g}"
        return f"<run of {self.method.label} on {self.problem.label}: {end}, {len(self)} rows, {self.status}>"

    def rerun(self, **changes: Any) -> Run:
        """The same run once more, with what is given changed."""
        from .simulate import simulate

        given: dict[str, Any] = {"dt": self.dt, "steps": self.steps, "every": self.every}
        if "duration" in changes:
            del given["steps"]
        if "samples" in changes:
            del given["every"]
        return simulate(self.problem, self.method, **(given | changes))

    def to_frame(self) -> pd.DataFrame:
        """All series as a pandas table, one row for each kept state; components are named R11, Omega1, pi1 …"""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, Array]:
        """All series by name, each (n,)."""
        series = {"t": self.t}
        series |= {f"R{i + 1}{j + 1}": self.R[:, i, j] for i in range(3) for j in range(3)}
        series |= {f"Omega{i + 1}": self.Omega[:, i] for i in range(3)}
        series |= {f"Pi{i + 1}": self.Pi[:, i] for i in range(3)}
        series |= {f"pi{i + 1}": self.pi[:, i] for i in range(3)}
        return (
            series
            | {"energy": self.energy, "orthogonality": self.orthogonality, "increment": self.increment}
            | self.observed
        )

    def save(self, path: str | Path) -> Path:
        """Write the run, with all that is needed to make it again, as .parquet, .npz or .csv."""
        from .files import save

        return save(self, path)

    def replace(self, **changes: Any) -> Run:
        """A copy with fields changed."""
        return dataclasses.replace(self, **changes)
