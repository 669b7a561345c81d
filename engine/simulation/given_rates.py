"""An attitude with given rates: its runs, and the kernels that make them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np

from ..algebra import Mat3
from ..algorithms.core import Method, Solver
from ..kernels import Parts, Place, compiles, layout, make_parts, make_watcher, write_values
from ..kernels.custom_torque import CalledRate, Compiled
from ..kernels.driver import Outcome, ReadyKernel, make_ready_kernel
from ..kernels.pointer import make_pointer_rate
from ..parameters.validation import Array
from ..problems.field import Rate
from ..problems.given_rates.given import FRAMES, GivenRates
from ..problems.problem import MissingFunction, all_problems, store_in_problem
from .one_body import check_function
from .request import RunRequest
from .result import AnyRun, RowFormat, Series
from .setup import Setup

# ----------------------------------------------------------------- runs


class GivenRatesRun(AnyRun):
    """The motion that a method computes for an attitude with given rates."""

    R = Series("attitude, body to space.", 3, 3)
    Omega = Series("given angular velocity, in the body's frame.", 3)

    orthogonality = Series("‖RᵀR − 1‖, Frobenius.")
    norm = Series("length of the quaternion that the method carries, or ‖R‖/√3, Frobenius.")
    increment = Series("angle in radians of the step that ends at the row.")

    @functools.cached_property
    def problem(self) -> GivenRates:
        """The problem that ran."""
        return cast(GivenRates, super().problem)


def _find_places() -> dict[str, Place]:
    """Where each series stands in a kernel's rows."""
    row = layout.ATTITUDE
    observed = {name: row.observed + i for i, name in enumerate(layout.OBSERVED_ATTITUDE)}
    return {
        "R": Place(row.at["R"], 9),
        "Omega": Place(observed["rate_x"], 3),
        "increment": Place(row.size),
        "orthogonality": Place(observed["orthogonality_squared"], squared=True),
        "norm": Place(observed["norm"]),
    }


PLACES = _find_places()

# ----------------------------------------------------------------- execution

run_type: type[GivenRatesRun] = GivenRatesRun


class Source(NamedTuple):
    """Where a run has its rates from: their kind, its numbers, and the custom function, if one
    gives them.
    """

    rate: Rate
    numbers: Array
    called: CalledRate | None = None


def set_up(request: RunRequest, brief: bool = False) -> Setup:
    """The setup of a run; `ValueError` if the method does not fit the problem."""
    problem = cast(GivenRates, request.problem)
    method = request.method
    reason = why_not(problem, method, request.dt)
    if reason is not None:
        raise ValueError(f"{problem.label}: {reason}")
    compiled = compiles()
    rate, _, called = source = find_source(problem)
    if called is not None and not compiled:
        rate = called.rate(problem.in_space)
    prepare = functools.partial(prepare_kernel, problem, method, rate, compiled)
    return Setup(
        kernel=prepare(brief=brief),
        observer=prepare(watching=True) if isinstance(method, Solver) else None,
        format=RowFormat(PLACES, layout.ATTITUDE.observed, {}),
        pointers=(0, 0) if called is None or not compiled else called.pointers(),
        torque=source.called,
    )


def find_source(problem: GivenRates) -> Source:
    """Where a run of this problem has its rates from; `ValueError` if the function does not fit."""
    if problem.rate is None:
        rate, numbers, *_ = problem.rates
        return Source(rate, np.array(numbers))
    if isinstance(problem.rate, MissingFunction):
        raise ValueError(
            "a file does not hold the custom rate of its run; give it again, as in "
            "engine.simulate(run.problem.replace(rate=…), run.method, dt=run.dt, steps=run.steps)"
        )
    check_function(cast(Any, problem.rate), "rate", 0.0)
    return Source(
        make_pointer_rate(problem.in_space), np.zeros(0), CalledRate(cast(Any, problem.rate))
    )


def list_remarks(request: RunRequest, outcome: Outcome) -> list[str]:
    """Why a function that should be compiled was not."""
    rate = cast(GivenRates, request.problem).rate
    refused = compiles() and isinstance(rate, Compiled) and rate.refusal
    return [refused] if refused else []


def why_not(problem: GivenRates, method: Method, dt: float) -> str | None:
    """Why a method cannot run with these rates, as the end of a sentence; None if it can."""
    return None


def list_kernels(
    problem: GivenRates, method: Method, dt: float, *, brief: bool = False
) -> list[Parts]:
    """The kernels that a run compiles: the method's own, and the watching one if it takes no steps
    of one size.
    """
    if why_not(problem, method, dt) is not None:
        return []
    rate = find_kind(problem)
    watching = [make_watcher(rate)] if isinstance(method, Solver) else []
    return [make_parts(method, rate, brief=brief), *watching]


def find_kind(problem: GivenRates) -> Rate:
    """The kind of the rates in compiled kernels, which call a custom one by its pointer."""
    if problem.rate is not None:
        return make_pointer_rate(problem.in_space)
    return problem.rates.rate


def list_kinds(problems: Iterable[GivenRates] | None = None) -> dict[str, GivenRates]:
    """A problem for each kind of rate that these have, by names that are the same in every process.

    Without problems, for every registered kind and for custom rates.
    """
    registered = [one for one in all_problems(GivenRates.space) if isinstance(one, GivenRates)]
    known: dict[Rate, tuple[str, GivenRates]] = {}
    for frame in FRAMES:
        for one in registered:
            variant = one.replace(frame=frame)
            name = "a custom rate" if one.rate is not None else one.key
            known.setdefault(find_kind(variant), (f"{name} {FRAMES[frame]}", variant))
    if problems is None:
        return dict(known.values())
    return dict(known[find_kind(problem)] for problem in problems)


@store_in_problem
def prepare_kernel(
    problem: GivenRates,
    method: Method,
    rate: Rate,
    compiled: bool,
    *,
    tracked: bool = True,
    brief: bool = False,
    watching: bool = False,
) -> ReadyKernel:
    """The kernel of a run with its memory, which the step does not change; stored for repeated
    runs.
    """
    parts = make_watcher(rate) if watching else make_parts(method, rate, tracked, brief)
    return make_ready_kernel(
        parts, method, compiled, fill_memory(problem), layout.OBSERVED_ATTITUDE, layout.ATTITUDE
    )


def fill_memory(problem: GivenRates) -> tuple[Array, Array]:
    """The kernel's parameters and its initial attitude."""
    numbers = find_source(problem).numbers
    parameters = np.concatenate([np.zeros(layout.PARAMETERS), numbers])
    initial = np.zeros(layout.ATTITUDE.size)
    write_values(initial, 0, (Mat3(*problem.R0.ravel().tolist()),))
    return parameters, initial
