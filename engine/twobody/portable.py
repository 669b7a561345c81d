"""Two bodies without Python: what is written into WebAssembly of their runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..algebra import exp
from ..algorithms.method import Method
from ..checks import rotation_vector
from ..kernels.driver import Setting
from ..kernels.layout import Place
from ..kernels.memory import vector_at
from ..kernels.parts import Parts
from ..spec import Parameter, named
from .problem import TwoBodies
from .run import PLACES
from .setting import VECTORS, Fixed, begin, parts_of, setting_of


def kernel(problem: TwoBodies, method: Method, dt: float) -> tuple[Parts, Setting, Mapping[str, Place]]:
    """What a kernel is made of, what it is given, and where a row has what."""
    return parts_of(method, problem), setting_of(problem, method, compiled=False), PLACES


def axes_of(problem: TwoBodies) -> dict[str, list[float]]:
    """The series that a kernel has in principal axes, and those axes, by rows, as columns."""
    both = {"1": problem.body1, "2": problem.body2}
    return {f"{series}{i}": b.principal[1].ravel().tolist() for i, b in both.items() for series in ("R", "Omega")}


def given_of(problem: TwoBodies) -> dict[str, tuple[Parameter, list[float]]]:
    """What a run begins with, in numbers: places, velocities and attitudes, these as rotation vectors, and G."""
    common = named(problem.common)
    start: dict[str, Any] = {name: getattr(problem, name) for name in VECTORS}
    start |= {name: rotation_vector(getattr(problem, name)) for name in ("R1", "R2")}
    start["G"] = problem.G
    return {p.name: (p, np.ravel(start[p.name]).tolist()) for p in common.values() if p.name in start}


def beginning(problem: TwoBodies, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes what a kernel is given of these numbers."""
    at, pair = {name: place.at for name, place in chosen.items()}, Fixed.of(problem)

    def begins(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        X, V, Omega1, Omega2, drift, turn1, turn2 = (vector_at(given, at[name]) for name in (*VECTORS, "R1", "R2"))
        begin(parameters, initial, pair, given[at["G"]], X, V, exp(turn1), exp(turn2), Omega1, Omega2, drift)

    return begins
