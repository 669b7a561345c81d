"""Two bodies: their runs, and the kernels that make them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np

from ..algebra import Mat3, Vec3
from ..algorithms.core import Method, Solver
from ..kernels import Parts, Place, compiles, layout, make_parts, make_watcher, write_values
from ..kernels.driver import Outcome, ReadyKernel, make_ready_kernel
from ..parameters.validation import Array
from ..problems.field import Attraction
from ..problems.problem import all_problems, store_in_problem
from ..problems.two_bodies.pair import TwoBodies, place_bodies
from ..text.formatting import show
from .request import RunRequest
from .result import BodyRun, Larger, RowFormat, Series
from .setup import Setup

# ----------------------------------------------------------------- runs


class SeenFromBody2:
    """Body 1 as seen from body 2, of a motion that has both in space."""

    R1: Any
    R2: Any
    x1: Any
    x2: Any
    v1: Any
    v2: Any

    @functools.cached_property
    def R(self) -> Array:
        """(n, 3, 3) attitude of body 1 seen from body 2, R2ᵀR1."""
        return np.asarray(np.swapaxes(self.R2, -1, -2) @ self.R1)

    @functools.cached_property
    def X(self) -> Array:
        """(n, 3) place of body 1 seen from body 2, R2ᵀ(x1 − x2)."""
        return _rotate_back(self.R2, self.x1 - self.x2)

    @functools.cached_property
    def V(self) -> Array:
        """(n, 3) R2ᵀ(v1 − v2)."""
        return _rotate_back(self.R2, self.v1 - self.v2)


class TwoBodyRun(SeenFromBody2, BodyRun):
    """The motion that a method computes for two bodies.

    Its messages also report if the bodies came nearer than their sizes, or than the step can
    follow.
    """

    joint = "_"

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
        return self.Omega1 @ self.problem.body1.J

    @functools.cached_property
    def Pi2(self) -> Array:
        """(n, 3) the same of body 2."""
        return self.Omega2 @ self.problem.body2.J

    @functools.cached_property
    def problem(self) -> TwoBodies:
        """The problem that ran."""
        return cast(TwoBodies, super().problem)


def _rotate_back(R: Array, v: Array) -> Array:
    return np.einsum("...ji,...j->...i", R, v)


def _find_places() -> dict[str, Place | Larger]:
    """Where each series stands in a kernel's rows."""
    observed = {name: layout.TWO_BODIES.observed + i for i, name in enumerate(layout.OBSERVED_PAIR)}
    squared = ("orthogonality1", "orthogonality2", "distance")
    tracked = {name: Place(observed[f"{name}_squared"], squared=True) for name in squared}
    return {
        **{
            name: Place(at, layout.TWO_BODIES.parts[name])
            for name, at in layout.TWO_BODIES.at.items()
        },
        **{
            f"increment{i + 1}": Place(layout.TWO_BODIES.size + i)
            for i in range(layout.TWO_BODIES.attitudes)
        },
        "energy": Place(observed["energy"]),
        **{
            f"{which}_momentum": Place(observed[f"{which}_x"], 3) for which in ("linear", "angular")
        },
        "orthogonality": Larger(tracked["orthogonality1"], tracked["orthogonality2"]),
        **tracked,
    }


PLACES = _find_places()

# ----------------------------------------------------------------- execution

run_type: type[TwoBodyRun] = TwoBodyRun


def find_axes(problem: TwoBodies) -> dict[str, Array]:
    """The series that a kernel stores in principal axes, with these axes as columns."""
    both = {"1": problem.body1, "2": problem.body2}
    return {
        f"{series}{i}": body.principal[1] for i, body in both.items() for series in ("R", "Omega")
    }


def set_up(request: RunRequest, brief: bool = False) -> Setup:
    """The setup of a run of two bodies; `ValueError` if the method does not fit them.

    A `brief` run has no extrema; its kernel is compiled in the same way, which is soon.
    """
    problem = cast(TwoBodies, request.problem)
    method = request.method
    reason = why_not(problem, method, request.dt)
    if reason is not None:
        raise ValueError(f"{problem.label}: {reason}")
    prepare = functools.partial(prepare_kernel, problem, method, compiles())
    observer = prepare(watching=True) if isinstance(method, Solver) else None
    return Setup(
        prepare(tracked=not brief),
        observer,
        RowFormat(PLACES, layout.TWO_BODIES.observed, find_axes(problem)),
    )


def list_remarks(request: RunRequest, outcome: Outcome) -> list[str]:
    """Sentences on how near the bodies came."""
    nearest = PLACES["distance"].of(outcome.extrema, layout.TWO_BODIES.observed)
    return describe_encounters(
        cast(TwoBodies, request.problem), request.method, request.dt, float(nearest)
    )


TRUSTED = 0.1
"""The largest step, over the time in which bodies as near as they came would fall together, that
can be trusted.
"""


def describe_encounters(problem: TwoBodies, method: Method, h: float, least: float) -> list[str]:
    """Sentences on how near the bodies came; none if they kept their distance."""
    sentences = []
    if least < problem.contact:
        sentences.append(
            f"The bodies came within {show(least, 3)} of each other and would have touched at "
            f"{show(problem.contact, 3)}; the contact is not simulated."
        )
    if not method.adaptive and h > TRUSTED * problem.falling_time(least):
        sentences.append(
            "Do not trust what follows the closest approach. At a distance of "
            f"{show(least, 3)}, the bodies would fall together in {show(problem.falling_time(least), 2)} "
            f"units of time, and a step takes {show(h)}."
        )
    return sentences


def why_not(problem: TwoBodies, method: Method, dt: float) -> str | None:
    """Why a method that needs series does not run on two bodies of point masses; None if it does."""
    if method.promises.needs_series and problem.attraction.pairs is None:
        return (
            f"{method.given_name} needs a Taylor series of the gravity, which only two dumbbells have; "
            "use DOP853"
        )
    return None


def find_fitting_dt(problem: TwoBodies, methods: Iterable[Method], dt: float) -> float:
    """The step itself: whether a method fits does not depend on it."""
    return dt


def list_kernels(
    problem: TwoBodies, method: Method, dt: float, *, brief: bool = False
) -> list[Parts]:
    """The kernels that a run compiles: the method's own, and the watching one if it takes no steps
    of one size.
    """
    if why_not(problem, method, dt) is not None:
        return []
    watching = [make_watcher(problem.attraction)] if isinstance(method, Solver) else []
    return [make_parts(method, problem.attraction, tracked=not brief), *watching]


def list_kinds(problems: Iterable[TwoBodies] | None = None) -> dict[str, TwoBodies]:
    """A registered problem for each kind of gravity that these have, by its key."""
    registered = (
        problem for problem in all_problems(TwoBodies.space) if isinstance(problem, TwoBodies)
    )
    known: dict[Attraction, TwoBodies] = {problem.attraction: problem for problem in registered}
    chosen = known if problems is None else [problem.attraction for problem in problems]
    return {known[attraction].key: known[attraction] for attraction in chosen}


@store_in_problem
def prepare_kernel(
    problem: TwoBodies,
    method: Method,
    compiled: bool,
    *,
    tracked: bool = True,
    brief: bool = False,
    watching: bool = False,
) -> ReadyKernel:
    """The kernel of a run with its memory, which the step does not change; stored for repeated
    runs.
    """
    gravity = problem.attraction
    parts = make_watcher(gravity) if watching else make_parts(method, gravity, tracked, brief)
    return make_ready_kernel(
        parts, method, compiled, fill_memory(problem), layout.OBSERVED_PAIR, layout.TWO_BODIES
    )


def fill_memory(problem: TwoBodies) -> tuple[Array, Array]:
    """The kernel's parameters and its initial state, both bodies in their principal axes."""
    J1, J2 = problem.body1.principal[0], problem.body2.principal[0]
    head = np.zeros(layout.PARAMETERS)
    head[layout.PAIR_MASSES : layout.PAIR_MASSES + 2] = problem.body1.mass, problem.body2.mass
    head[layout.PAIR_INERTIA : layout.PAIR_INERTIA + 6] = *J1, *J2
    parameters = np.concatenate([head, problem.numbers])
    initial = np.zeros(layout.TWO_BODIES.size)
    vectors = tuple(Vec3(*getattr(problem, name).tolist()) for name in VECTORS)
    attitudes = tuple(Mat3(*R.ravel().tolist()) for R in (problem.R1, problem.R2))
    write_start(parameters, initial, Fixed.of(problem), problem.G, vectors, attitudes)
    return parameters, initial


VECTORS = ("X", "V", "Omega1", "Omega2", "drift")
"""The vectors of an initial state."""


class Fixed(NamedTuple):
    """The constants of two bodies in all runs: principal axes, shares of their distance, strength
    of gravity.
    """

    Q1: Mat3
    Q2: Mat3
    shares: tuple[float, float]
    strength: float

    @classmethod
    def of(cls, problem: TwoBodies) -> Fixed:
        """The constants of these two."""
        Q1, Q2 = (Mat3(*b.principal[1].ravel().tolist()) for b in (problem.body1, problem.body2))
        return cls(Q1, Q2, problem.shares, problem.strength)


def write_start(
    parameters: Any,
    initial: Any,
    pair: Fixed,
    G: float,
    vectors: tuple[Vec3, ...],
    attitudes: tuple[Mat3, ...],
) -> None:
    """Write what differs between the runs of one pair; also compiled to WebAssembly
    (`export/two_bodies.py`).
    """
    (X, V, Omega1, Omega2, drift) = vectors
    (R1, R2) = attitudes
    write_values(parameters, layout.PARAMETERS, (G * pair.strength,))
    write_values(initial, 0, (R1 @ pair.Q1, R2 @ pair.Q2, pair.Q1.T @ Omega1, pair.Q2.T @ Omega2))
    write_values(initial, layout.TWO_BODIES.at["x1"], place_bodies(pair.shares, X, V, drift))
