"""An attitude with given rates in WebAssembly: the kernels of methods and the start of a run.

Samples stay on the server: how many a run needs depends on its duration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from ..algebra import exp
from ..algorithms.core.method import Method
from ..kernels import Parts, Place, ReadyKernel, inline_rate, make_parts, vector_at
from ..parameters.parameter import Number, Parameter, Vector, index_by_name
from ..parameters.validation import rotation_vector
from ..problems.given_rates.given import GivenRates
from ..problems.given_rates.sensor import PARAMETERS
from ..problems.problem import store_in_problem
from ..simulation import given_rates
from .one_body import Values


def make_kernel(
    problem: GivenRates, method: Method, dt: float
) -> tuple[Parts, ReadyKernel, Mapping[str, Place]]:
    """The parts of a kernel that calls nothing of this process, the kernel, and the places in its
    rows.
    """
    if problem.interval is not None:
        raise ValueError(f"{problem.label} has samples, which browsers do not have")
    if reason := given_rates.why_not(problem, method, dt):
        raise ValueError(f"{problem.label}: {reason}")
    rate = given_rates.find_kind(problem)
    if problem.custom:
        rate = inline_rate(problem.rate, problem.in_space)
    kernel = given_rates.prepare_kernel(problem, method, compiled=False)
    return make_parts(method, rate), kernel, given_rates.PLACES


def list_axes(problem: GivenRates) -> dict[str, list[float]]:
    """The series that a kernel stores in principal axes: none."""
    return {}


def list_start(problem: GivenRates) -> dict[str, tuple[Parameter, list[float]]]:
    """The parameters of a start, with their numbers: R₀ as a rotation vector, and those of the
    rates, if compiled code can compute these. A parameter that R₀ follows is not among them.
    """
    start = {"R0": (index_by_name(problem.common)["R0"], rotation_vector(problem.R0).tolist())}
    own = {} if problem.custom else _list_numbers(problem)
    return start | (own if own and _compiles(problem) else {})


def _list_numbers(problem: GivenRates) -> dict[str, tuple[Parameter, list[float]]]:
    """The problem's own numbers and vectors, but for the sensor's."""
    found = {}
    for one in problem.specific:
        value = problem.values[one.name]
        followed = problem.settle is not None and problem.settle(problem.values, {one.name: value})
        if isinstance(one.kind, Number | Vector) and one not in PARAMETERS and not followed:
            found[one.name] = one, np.ravel(value).tolist()
    return found


@store_in_problem
def _compiles(problem: GivenRates) -> bool:
    """Whether compiled code can compute the rates from the problem's own numbers."""
    from ..compiler.frontend import compilation
    from ..compiler.frontend.refusal import NotCompiled

    sizes = {"R0": 3} | {name: len(values) for name, (_, values) in _list_numbers(problem).items()}
    begins = accumulate(sizes.values(), initial=0)
    chosen = {name: Place(at, sizes[name]) for name, at in zip(sizes, begins, strict=False)}
    try:
        writer = make_start_writer(problem, chosen)
        compilation.text_of(writer, ("real*", "real", "real*", "real*"), fused=False)
    except NotCompiled:
        return False
    return True


def make_start_writer(problem: GivenRates, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes the initial attitude and, if some are
    chosen, the numbers of the rates.
    """
    at = chosen["R0"].at
    act = problem.act if len(chosen) > 1 else None
    constants = dict(problem.values)

    def write(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        numbers: Any = ()
        if act is not None:
            values: Any = Values(given, chosen, constants)
            numbers = act(values).numbers
        given_rates.write_start(parameters, initial, exp(vector_at(given, at)), numbers)

    return write
