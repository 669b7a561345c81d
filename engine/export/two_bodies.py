"""Two bodies in WebAssembly: the kernels of methods and the start of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..algebra import exp
from ..algorithms.core.method import Method
from ..kernels import Parts, Place, ReadyKernel, make_parts, vector_at
from ..parameters.parameter import Parameter, index_by_name
from ..parameters.validation import rotation_vector
from ..problems.two_bodies.pair import TwoBodies
from ..simulation.two_bodies import (
    PLACES,
    VECTORS,
    Fixed,
    find_axes,
    prepare_kernel,
    why_not,
    write_start,
)


def make_kernel(
    problem: TwoBodies, method: Method, dt: float
) -> tuple[Parts, ReadyKernel, Mapping[str, Place]]:
    """The parts of a kernel, the kernel, and the places in its rows."""
    if reason := why_not(problem, method, dt):
        raise ValueError(f"{problem.label}: {reason}")
    places = {name: place for name, place in PLACES.items() if isinstance(place, Place)}
    return (
        make_parts(method, problem.attraction),
        prepare_kernel(problem, method, compiled=False),
        places,
    )


def list_axes(problem: TwoBodies) -> dict[str, list[float]]:
    """The series that a kernel stores in principal axes, and these axes, row by row, as columns."""
    return {name: axes.ravel().tolist() for name, axes in find_axes(problem).items()}


def list_start(problem: TwoBodies) -> dict[str, tuple[Parameter, list[float]]]:
    """The parameters of a start, with their numbers: places, velocities, attitudes as rotation
    vectors, and G.
    """
    common = index_by_name(problem.common)
    start: dict[str, Any] = {name: getattr(problem, name) for name in VECTORS}
    start |= {name: rotation_vector(getattr(problem, name)) for name in ("R1", "R2")}
    start["G"] = problem.G
    return {
        p.name: (p, np.ravel(start[p.name]).tolist()) for p in common.values() if p.name in start
    }


def make_start_writer(problem: TwoBodies, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes a kernel's parameters and initial
    state.
    """
    at = {name: place.at for name, place in chosen.items()}
    pair = Fixed.of(problem)

    def write(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        X, V, Omega1, Omega2, drift, turn1, turn2 = (
            vector_at(given, at[name]) for name in (*VECTORS, "R1", "R2")
        )
        vectors = X, V, Omega1, Omega2, drift
        write_start(parameters, initial, pair, given[at["G"]], vectors, (exp(turn1), exp(turn2)))

    return write
