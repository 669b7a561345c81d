"""What a simulation of one body returns, and how it is made of what a kernel leaves."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..checks import Array
from ..field import FREE, Field
from ..kernels import build
from ..kernels.driver import Outcome
from ..kernels.layout import ROW_INCREMENT, ROW_OBSERVED, ROW_VELOCITY, Place
from ..plan import Plan
from ..problems.problem import Problem
from ..run import AnyRun, Extrema, Lazily, Series
from ..torque import Called
from .setting import acting, observed_in, setting_of


@dataclass(frozen=True, eq=False, repr=False)
class Run(AnyRun):
    """The motion that a method made of a problem of one body.

    Attributes
    ----------
    t : (n,) times of the kept rows, multiples of dt; the first is 0, the last that of the last valid state.
    motion : R, Omega, pi, energy, orthogonality and increment, which are attributes of the run as well.
    observed : the other quantities that were tracked, each (n,).
    extrema : least, largest and last of each invariant over every step.
    status : "done", "no-solution", "diverged" or "cancelled"; with `failed_step` and a `message` in words.
    """

    problem: Problem

    R = Series("attitude, body to space.", 3, 3)
    Omega = Series("angular velocity in the body's frame.", 3)
    Pi = Series("angular momentum in the body's frame.", 3, follows=lambda run: run.Omega @ run.problem.J)
    pi = Series("angular momentum in space.", 3)
    increment = Series("angle in radians of the step that ends at the row.")

    @property
    def casimirs(self) -> dict[str, Array]:
        """The problem's Casimirs and other invariants besides energy and π, each (n,)."""
        names = [name for name in self.problem.invariants if name not in ("energy", "pi")]
        return {name: self.observed[name] for name in names}


def run_of(problem: Problem, plan: Plan) -> Run:
    """The run that a plan makes of a problem."""
    action, called = acting(problem, plan.method, plan.dt)
    compiled = build.compiles()
    pointers = called.pointers() if called is not None and compiled else (0, 0)
    setting = partial(setting_of, problem, plan.method, action, compiled)
    outcome = plan.carried_out(problem, setting, pointers, action.jumps)
    if called is not None:
        called.look_into(outcome.failed)
    return made_of(problem, plan, action.field, lambda: outcome, called)


def made_of(
    problem: Problem,
    plan: Plan,
    field: Field,
    outcome: Callable[[], Outcome],
    called: Called | None = None,
    changed: Callable[[], Problem] | None = None,
) -> Run:
    """The run that an outcome is; `changed` is the problem if that is another, with the same body."""

    def fields() -> dict[str, Any]:
        end, where = outcome(), places(field)
        tracked = tracked_in(field)
        return {
            "motion": Lazily(Run.kept, partial(_motion, problem, end.rows, where)),
            "observed": Lazily(tracked, lambda name: where[name].of(end.rows)),
            "extrema": Lazily(("energy", "pi", "orthogonality", *tracked), partial(_extrema, end, where)),
            **plan.told(end, called),
        }

    return Run.later(changed or (lambda: problem), fields)


TRACKED_FREE = ("pi_norm", "casimir", "pi_e3")
TRACKED_FORCED = (*TRACKED_FREE, "pi_chi", "gamma_norm")
RAW = {
    "pi_norm": "pi_squared",
    "pi_e3": "pi_z",
    "gamma_norm": "gamma_squared",
    "orthogonality": "orthogonality_squared",
}
"""What a kernel keeps in place of a quantity: the square, to save a root in each step, or the component."""


def tracked_in(field: Field) -> tuple[str, ...]:
    """What is observed of a motion in a field besides its energy, π and orthogonality."""
    return TRACKED_FREE if field is FREE else (*TRACKED_FORCED, *(integral.key for integral in field.integrals))


@functools.cache
def places(field: Field) -> dict[str, Place]:
    """Where each series stands in a kernel's rows."""
    kept = {name: ROW_OBSERVED + i for i, name in enumerate(observed_in(field))}
    found = {"R": Place(0, 9), "Omega": Place(ROW_VELOCITY, 3), "increment": Place(ROW_INCREMENT)}
    found |= {"energy": Place(kept["energy"]), "pi": Place(kept["pi_x"], 3)}
    for name in ("orthogonality", *tracked_in(field)):
        raw = RAW.get(name, name)
        found[name] = Place(kept[raw], squared=raw.endswith("_squared"))
    return found


def _motion(problem: Problem, rows: Array, where: dict[str, Place], name: str) -> Array:
    """One of a run's series from a kernel's rows, which are seen from the principal axes."""
    values: Array = where[name].of(rows)
    if name == "R":
        R = values.reshape(-1, 3, 3)
        return R if problem.in_principal_axes else R @ problem.principal[1].T
    if name == "Omega":
        return values if problem.in_principal_axes else values @ problem.principal[1].T
    if name == "increment":
        increment = values.copy()
        increment[0] = np.nan
        return increment
    return values


def _extrema(outcome: Outcome, where: dict[str, Place], name: str) -> Extrema:
    """Least, largest and last value of a quantity."""
    each = (outcome.least, outcome.largest, outcome.rows[-1, ROW_OBSERVED:])
    values = [where[name].of(seen, ROW_OBSERVED) for seen in each]
    return Extrema(*(value.copy() if name == "pi" else float(value) for value in values))
