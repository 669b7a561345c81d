"""What a simulation of two bodies returns, and how it is made of what a kernel leaves."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..checks import Array
from ..kernels import build
from ..kernels.driver import Outcome
from ..kernels.layout import OBSERVED_PAIR, TWO_BODIES, Place
from ..plan import Plan
from ..run import AnyRun, Extrema, Lazily, Series
from .problem import TwoBodies
from .setting import encounters, setting_of

TRACKED = ("orthogonality1", "orthogonality2", "distance")
INVARIANTS = ("energy", "linear_momentum", "angular_momentum", "orthogonality", *TRACKED)


@dataclass(frozen=True, eq=False, repr=False)
class TwoBodyRun(AnyRun):
    """The motion that a method made of two bodies.

    Attributes
    ----------
    t : (n,) times of the kept rows, multiples of dt; the first is 0, the last that of the last valid state.
    motion : R1, R2, Omega1, Omega2, x1, x2, v1, v2, energy, linear_momentum, angular_momentum, orthogonality,
        increment1 and increment2, which are attributes of the run as well.
    observed : orthogonality1, orthogonality2, and distance, the least of a mass of one body from one of the other.
    extrema : least, largest and last of each invariant, and of `distance`, over every step.
    status : "done", "no-solution", "diverged" or "cancelled"; with `failed_step` and a `message` in words, which also
        tells if the bodies came nearer than their sizes, or than the step can follow.
    """

    joint: ClassVar[str] = "_"
    problem: TwoBodies

    R1 = Series("attitude of body 1, body to space.", 3, 3)
    R2 = Series("attitude of body 2.", 3, 3)
    Omega1 = Series("angular velocity of body 1, in its frame.", 3)
    Omega2 = Series("angular velocity of body 2, in its frame.", 3)
    x1 = Series("place of body 1's centre of mass in space.", 3)
    x2 = Series("place of body 2's centre of mass.", 3)
    v1 = Series("velocity of body 1 in space.", 3)
    v2 = Series("velocity of body 2 in space.", 3)
    linear_momentum = Series("of both together.", 3)
    angular_momentum = Series("of both together, about the origin.", 3)
    increment1 = Series("angle in radians by which body 1 turned in the step that ends at the row.")
    increment2 = Series("the same of body 2.")

    @functools.cached_property
    def increment(self) -> Array:
        """(n,) the larger of both."""
        return np.maximum(self.increment1, self.increment2)

    @property
    def distance(self) -> Array:
        """(n,) the least distance of a mass of one body from one of the other."""
        return self.observed["distance"]

    @functools.cached_property
    def Pi1(self) -> Array:
        """(n, 3) angular momentum of body 1 about its centre of mass, in its frame."""
        momentum: Array = self.Omega1 @ self.problem.body1.J
        return momentum

    @functools.cached_property
    def Pi2(self) -> Array:
        """(n, 3) the same of body 2."""
        momentum: Array = self.Omega2 @ self.problem.body2.J
        return momentum

    @functools.cached_property
    def R(self) -> Array:
        """(n, 3, 3) attitude of body 1 seen from body 2, R2ᵀR1."""
        R: Array = np.swapaxes(self.R2, 1, 2) @ self.R1
        return R

    @functools.cached_property
    def X(self) -> Array:
        """(n, 3) place of body 1 seen from body 2, R2ᵀ(x1 − x2)."""
        return _turned_back(self.R2, self.x1 - self.x2)

    @functools.cached_property
    def V(self) -> Array:
        """(n, 3) R2ᵀ(v1 − v2)."""
        return _turned_back(self.R2, self.v1 - self.v2)

    @property
    def casimirs(self) -> dict[str, Array]:
        """The invariants besides energy: both momenta, each (n, 3)."""
        return {name: self.motion[name] for name in self.problem.invariants if name != "energy"}


def _turned_back(R: Array, v: Array) -> Array:
    turned: Array = np.einsum("nji,nj->ni", R, v)
    return turned


def run_of(problem: TwoBodies, plan: Plan) -> TwoBodyRun:
    """The run that a plan makes of a problem."""
    compiled = build.compiles()
    outcome = plan.carried_out(problem, functools.partial(setting_of, problem, plan.method, compiled))
    extrema = Lazily(INVARIANTS, functools.partial(_extrema, outcome))
    plan.messages.extend(encounters(problem, plan.method, plan.dt, extrema["distance"].min))
    return TwoBodyRun(
        problem=problem,
        motion=Lazily(TwoBodyRun.kept, functools.partial(_motion, problem, outcome.rows)),
        observed=Lazily(TRACKED, functools.partial(_taken, outcome.rows)),
        extrema=extrema,
        **plan.told(outcome),
    )


def _places() -> dict[str, Place]:
    """Where each series stands in a kernel's rows; `orthogonality` is the larger of both bodies'."""
    kept = {name: TWO_BODIES.observed + i for i, name in enumerate(OBSERVED_PAIR)}
    found = {name: Place(at, TWO_BODIES.parts[name]) for name, at in TWO_BODIES.at.items()}
    found |= {f"increment{i + 1}": Place(TWO_BODIES.given + i) for i in range(TWO_BODIES.attitudes)}
    found |= {f"{momentum}_momentum": Place(kept[f"{momentum}_x"], 3) for momentum in ("linear", "angular")}
    found |= {name: Place(kept[f"{name}_squared"], squared=True) for name in TRACKED}
    return found | {"energy": Place(kept["energy"])}


PLACES = _places()


def _motion(problem: TwoBodies, rows: Array, name: str) -> Array:
    """One of a run's series from a kernel's rows, where the bodies' axes are the principal ones."""
    values = _taken(rows, name)
    if name.startswith(("R", "Omega")):
        return values.reshape(-1, *TwoBodyRun.series[name].axes) @ _axes(problem, name).T
    if name.startswith("increment"):
        increment = values.copy()
        increment[0] = np.nan
        return increment
    return values.reshape(-1, *TwoBodyRun.series[name].axes)


def _axes(problem: TwoBodies, name: str) -> Array:
    """The principal axes of the body that a name like R1 is of."""
    axes: Array = (problem.body1 if name.endswith("1") else problem.body2).principal[1]
    return axes


def _taken(rows: Array, name: str, first: int = 0) -> Array:
    """A quantity in rows, or in their part that begins at `first`."""
    if name == "orthogonality":
        return np.maximum(_taken(rows, "orthogonality1", first), _taken(rows, "orthogonality2", first))
    values: Array = PLACES[name].of(rows, first)
    return values


def _extrema(outcome: Outcome, name: str) -> Extrema:
    """Least, largest and last value of a quantity."""
    each = (outcome.least, outcome.largest, outcome.rows[-1, TWO_BODIES.observed :])
    values = (_taken(seen, name, TWO_BODIES.observed) for seen in each)
    return Extrema(*(value.copy() if np.ndim(value) else float(value) for value in values))
