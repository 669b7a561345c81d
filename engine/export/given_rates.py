"""An attitude with given rates in WebAssembly: the kernels of methods and the start of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..algebra import exp
from ..algorithms.core.method import Method
from ..kernels import Parts, Place, ReadyKernel, inline_rate, make_parts, vector_at, write_values
from ..parameters.parameter import Parameter, index_by_name
from ..parameters.validation import rotation_vector
from ..problems.given_rates.given import GivenRates
from ..simulation.given_rates import PLACES, find_kind, prepare_kernel, why_not


def make_kernel(
    problem: GivenRates, method: Method, dt: float
) -> tuple[Parts, ReadyKernel, Mapping[str, Place]]:
    """The parts of a kernel that calls nothing of this process, the kernel, and the places in its
    rows.
    """
    if reason := why_not(problem, method, dt):
        raise ValueError(f"{problem.label}: {reason}")
    if problem.interval is not None:
        raise ValueError(f"{problem.label}: samples of rates are not written into a module")
    is_custom = bool(problem.custom)
    rate = inline_rate(problem.rate, problem.in_space) if is_custom else find_kind(problem)
    return make_parts(method, rate), prepare_kernel(problem, method, False), PLACES


def list_axes(problem: GivenRates) -> dict[str, list[float]]:
    """No series is stored in other axes."""
    return {}


def list_start(problem: GivenRates) -> dict[str, tuple[Parameter, list[float]]]:
    """The attitude at the start, as a rotation vector; the numbers of the rates are the kernel's."""
    parameter = index_by_name(problem.common)["R0"]
    return {"R0": (parameter, rotation_vector(problem.R0).tolist())}


def make_start_writer(problem: GivenRates, chosen: Mapping[str, Place]) -> Callable[..., None]:
    """A function (given, dt, parameters, initial) that writes the initial attitude."""
    at = chosen["R0"].at if "R0" in chosen else 0

    def write(given: Any, dt: float, parameters: Any, initial: Any) -> None:
        write_values(initial, 0, (exp(vector_at(given, at)),))

    return write
