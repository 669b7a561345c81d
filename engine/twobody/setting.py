"""The kernel of a method for two bodies, and what it is given; and what there is to say of a run's encounters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..algebra import Mat3, Vec3
from ..algorithms.method import Method
from ..checks import Array
from ..field import Attraction
from ..kernels import advance
from ..kernels.driver import Setting
from ..kernels.layout import OBSERVED_PAIR, PAIR_INERTIA, PAIR_MASSES, PARAMETERS, TWO_BODIES
from ..kernels.memory import put
from ..kernels.parts import Parts
from ..problems.problem import all_problems
from ..setting import options_of, setting_made
from ..wording import short
from .problem import TwoBodies, placed
from .runge_kutta import start, view

TRUSTED = 0.1
"""The largest step, over the time in which bodies as near as they came would fall together, that can be trusted."""


def why_not(problem: TwoBodies, method: Method, dt: float) -> str | None:
    """Nothing stands against it: every method for two bodies runs on every problem of two."""
    return None


def kernels(problem: TwoBodies, method: Method, dt: float) -> list[Parts]:
    """What a run compiles: the method's own kernel, and what watches it if it does not go by steps of one size."""
    watching = [watching_parts(problem)] if method.solve is not None else []
    return [parts_of(method, problem), *watching]


def kinds(problems: Iterable[TwoBodies] | None = None) -> dict[str, TwoBodies]:
    """A problem for each kind of gravity that these have, by the key of one that is all_problems."""
    known: dict[Attraction, TwoBodies] = {problem.attraction: problem for problem in all_problems(TwoBodies.space)}
    asked = known if problems is None else [problem.attraction for problem in problems]
    return {known[attraction].key: known[attraction] for attraction in asked}


@functools.lru_cache(maxsize=64)
def setting_of(
    problem: TwoBodies, method: Method, compiled: bool, *, tracked: bool = True, watching: bool = False
) -> Setting:
    """All that a run needs and its step does not change; kept, because a page asks for the same again and again."""
    parts = watching_parts(problem) if watching else parts_of(method, problem, tracked)
    return setting_made(parts, method, compiled, memory_of(problem), OBSERVED_PAIR, TWO_BODIES)


def parts_of(method: Method, problem: TwoBodies, tracked: bool = True) -> Parts:
    """What the kernel for this method and this gravity is made of; that of an adaptive method computes its rates."""
    step: Callable[..., Any] | None = method.step or method.rates
    assert step is not None and method.start is not None
    return Parts(
        step=step,
        start=method.start,
        carries=method.carries,
        options=options_of(method),
        field=problem.attraction,
        view=method.view,
        tracked=tracked and method.step is not None,
        stages=method.stages,
    )


def watching_parts(problem: TwoBodies) -> Parts:
    """What the kernel is made of that observes the states of a method without steps."""
    return Parts(_as_it_is, start, ("y", "g"), (), problem.attraction, view=view, template=advance.watch)


def _as_it_is(bodies: Any, t: float, h: float, y: Any, g: Any) -> tuple[Any, Any]:
    """Stands for the step where none is taken."""
    return y, g


def memory_of(problem: TwoBodies) -> tuple[Array, Array]:
    """The kernel's parameters, and what it is given, both bodies in their principal axes."""
    J1, J2 = problem.body1.principal[0], problem.body2.principal[0]
    head = np.zeros(PARAMETERS)
    head[PAIR_MASSES : PAIR_MASSES + 2] = problem.body1.mass, problem.body2.mass
    head[PAIR_INERTIA : PAIR_INERTIA + 6] = *J1, *J2
    parameters, initial = np.concatenate([head, problem.numbers]), np.zeros(TWO_BODIES.given)
    vectors = {name: Vec3(*getattr(problem, name).tolist()) for name in VECTORS}
    R1, R2 = (Mat3(*R.ravel().tolist()) for R in (problem.R1, problem.R2))
    begin(parameters, initial, Fixed.of(problem), problem.G, R1=R1, R2=R2, **vectors)
    return parameters, initial


VECTORS = ("X", "V", "Omega1", "Omega2", "drift")
"""Of what two bodies begin with."""


class Fixed(NamedTuple):
    """What is the same in all runs of two bodies: principal axes, shares of their distance, strength of gravity."""

    Q1: Mat3
    Q2: Mat3
    shares: tuple[float, float]
    strength: float

    @classmethod
    def of(cls, problem: TwoBodies) -> Fixed:
        """That of these two."""
        Q1, Q2 = (Mat3(*b.principal[1].ravel().tolist()) for b in (problem.body1, problem.body2))
        return cls(Q1, Q2, problem.shares, problem.strength)


def begin(
    parameters: Any, initial: Any, pair: Fixed, G: float,
    X: Vec3, V: Vec3, R1: Mat3, R2: Mat3, Omega1: Vec3, Omega2: Vec3, drift: Vec3,
) -> None:  # fmt: skip
    """Write what can differ of one pair's runs; it is written into WebAssembly as well (see `portable.py`)."""
    put(parameters, PARAMETERS, (G * pair.strength,))
    put(initial, 0, (R1 @ pair.Q1, R2 @ pair.Q2, pair.Q1.T @ Omega1, pair.Q2.T @ Omega2))
    put(initial, TWO_BODIES.at["x1"], placed(pair.shares, X, V, drift))


def encounters(problem: TwoBodies, method: Method, h: float, least: float) -> list[str]:
    """What there is to say of how near the bodies came; nothing if they kept their distance."""
    told = []
    if least < problem.contact:
        told.append(
            f"The bodies came within {short(least, 3)} of each other and would have touched at "
            f"{short(problem.contact, 3)}; "
            "the contact is not simulated."
        )
    if not method.adaptive and h > TRUSTED * problem.falling_time(least):
        told.append(
            f"Do not trust what follows the closest approach: at {short(least, 3)} of each other gravity acts within "
            f"{short(problem.falling_time(least), 2)}, and a step is {short(h)}."
        )
    return told
