"""An attitude with given rates: its runs, and the kernels that make them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from fractions import Fraction
from math import ceil, degrees, lcm, sqrt
from typing import Any, NamedTuple, cast

import numpy as np

from ..algebra import Mat3
from ..algorithms.core import Method, RateState, Solver
from ..kernels import (
    Parts,
    Place,
    build,
    compiles,
    drive,
    layout,
    make_parts,
    make_watcher,
    write_values,
)
from ..kernels import given_rates as kernels
from ..kernels.custom_torque import CalledRate, Compiled
from ..kernels.driver import Outcome, ReadyKernel, make_ready_kernel
from ..kernels.memory import OptionNumber
from ..kernels.pointer import make_pointer_rate
from ..parameters.validation import Array
from ..problems.field import Rate
from ..problems.given_rates.given import FRAMES, GivenRates, turn_to_space
from ..problems.given_rates.samples import AXES, Flags, Samples
from ..problems.given_rates.sensor import SENSORS, WITHOUT, Measured, Sensor
from ..problems.given_rates.tables import KINDS, find_times, list_numbers
from ..problems.problem import MissingFunction, all_problems, store_in_problem
from ..text.formatting import (
    finish_sentence,
    format_count,
    format_measured,
    format_step,
    join_words,
    show,
)
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
    """Where a run has its rates from: their kind, its numbers, the custom function, if one gives
    them, and what is irregular in the samples of a sensor, in clauses.
    """

    rate: Rate
    numbers: Array
    called: CalledRate | None = None
    remarks: tuple[str, ...] = ()


def set_up(request: RunRequest, brief: bool = False) -> Setup:
    """The setup of a run; `ValueError` if the method does not fit the problem."""
    problem = cast(GivenRates, request.problem)
    method = request.method
    samples = problem.samples
    end = request.steps * request.dt
    reason = why_not(problem, method, request.dt)
    if reason is not None:
        raise ValueError(f"{problem.label}: {reason}")
    if samples is not None and end > problem.duration * (1 + NEAR):
        raise ValueError(
            f"the samples end at t = {show(problem.duration)}, and the run at t = {show(end)}"
        )
    prepare = functools.partial(prepare_kernel, problem, method, compiles())
    end = 0.0 if problem.sensor is None else end
    clock = None
    if samples is not None and samples.interval is None:
        clock = functools.partial(find_times, samples)
    called = find_source(problem, end).called
    return Setup(
        kernel=prepare(end=end, brief=brief),
        observer=prepare(end=end, watching=True) if isinstance(method, Solver) else None,
        format=RowFormat(
            PLACES,
            layout.ATTITUDE.observed,
            {},
            clock,
        ),
        pointers=(0, 0) if called is None or not compiles() else called.pointers(),
        torque=called,
    )


NEAR = 1e-9
"""How near to a whole number of intervals a step must be."""


@store_in_problem
def find_source(problem: GivenRates, end: float) -> Source:
    """Where a run of this problem until `end` has its rates from; `ValueError` if the function does
    not fit.
    """
    if problem.sensor is not None:
        samples = find_samples(problem, end)
        return Source(find_kind(problem), list_numbers(samples), remarks=samples.remarks)
    if not problem.custom:
        return Source(problem.rates.rate, np.asarray(problem.rates.numbers))
    function = cast(Any, problem.rate)
    if isinstance(function, MissingFunction):
        raise ValueError(
            "a file does not hold the custom rate of its run; give it again, as in "
            "engine.simulate(run.problem.replace(rate=…), run.method, dt=run.dt, steps=run.steps)"
        )
    check_function(function, "rate", 0.0)
    called = CalledRate(function)
    rate = find_kind(problem) if compiles() else called.rate(problem.in_space)
    return Source(rate, np.zeros(0), called)


def find_samples(problem: GivenRates, end: float) -> Samples:
    """The samples of a problem's sensor until a time, or those that give its rates."""
    if problem.samples is not None:
        return problem.samples
    sensor = problem.sensor
    if sensor is None:
        raise ValueError(f"{problem.label} has no sensor, and its rates are known at any time")
    ideal = problem.replace(sensor=WITHOUT, frame="body")  # the given numbers, in either frame
    source = find_source(ideal, 0.0)
    compiled = compiles()
    kernel = make_sampler(sensor, source, compiled)
    pointers = (0, 0) if source.called is None or not compiled else source.called.pointers()
    n = max(2, ceil(end / sensor.interval * (1 - NEAR)) + 1)
    outcome = drive(kernel, sensor.interval, n - 1, 1, pointers)
    if source.called is not None and (failure := source.called.describe_failure(outcome.failed)):
        raise ValueError(f"the sensor has no samples: the {failure}")
    true: Array = outcome.rows[:, 3:6] if sensor.integrated else outcome.rows[:, :3]
    t: Array = sensor.interval * np.arange(len(true), dtype=float)
    measured = sensor.measure(true)
    remarks = (*describe_clipping(sensor, measured.clipped), *describe_rounding(sensor, measured))
    return Samples(t, measured.values, measured.clipped, sensor.integrated, remarks)


def describe_clipping(sensor: Sensor, clipped: Flags) -> tuple[str, ...]:
    """A remark on samples that the range of a sensor clips, if there are any."""
    rows = int(clipped.any(axis=1).sum())
    if not rows:
        return ()
    return (
        f"the sensor's range of ±{show(sensor.range, 4)} clips {rows:,} of {len(clipped):,} samples, "
        f"about {join_words(axis for axis, column in zip(AXES, clipped.T, strict=True) if column.any())}",
    )


CANCELS = 4.0
"""By how many standard deviations the mean of rounding errors that cancel may differ from zero."""
TO_HOURS = degrees(3600.0)
"""From rad/s to degrees an hour."""


def describe_rounding(sensor: Sensor, measured: Measured) -> tuple[str, ...]:
    """A remark on the false bias that rounding makes, if its errors do not cancel in the mean."""
    shift = float(np.linalg.norm(measured.shift))
    # Independent errors are uniform within a step, of variance 1/12 in each of three axes.
    if shift <= CANCELS * measured.step * sqrt(3.0 / 12.0 / len(measured.values)):
        return ()
    return (
        f"rounding to {sensor.bits} bits, steps of {show(degrees(measured.step), 2)} °/s, adds a bias of "
        f"{format_measured(shift * TO_HOURS)} °/h. Noise of half a step would average it out",
    )


def make_sampler_parts(rate: Rate) -> Parts:
    """The parts of the kernel that samples a rate."""
    places = tuple(map(OptionNumber, range(3)))
    return Parts(
        kernels.sample, kernels.start_samples, kernels.view_samples, ("rate", "angle"), places, rate,
        kernels.SAMPLER,
    )  # fmt: skip


def make_sampler(sensor: Sensor, source: Source, compiled: bool) -> ReadyKernel:
    """The kernel that samples the rates of a source."""
    parameters = np.concatenate([np.zeros(layout.PARAMETERS), source.numbers])
    parameters[layout.OPTION_NUMBERS : layout.OPTION_NUMBERS + 3] = sensor.delay
    parts = make_sampler_parts(source.rate)
    advance = build.compile_kernel(parts, "the sensor") if compiled else None
    by_pointer = advance is not None
    return ReadyKernel(
        advance or build.build_plain(parts), by_pointer, parameters, np.zeros(0), ("finite",),
        layout.SAMPLES,
    )  # fmt: skip


def list_remarks(request: RunRequest, outcome: Outcome) -> list[str]:
    """Why a function that should be compiled was not, and what a sensor clips."""
    problem = cast(GivenRates, request.problem)
    if problem.sensor is not None:
        source = find_source(problem, request.steps * request.dt)
        return list(map(finish_sentence, source.remarks))
    refused = compiles() and isinstance(problem.rate, Compiled) and problem.rate.refusal
    return [refused] if refused else []


def why_not(problem: GivenRates, method: Method, dt: float) -> str | None:
    """Why a method cannot run with these rates, as the end of a sentence; None if it can."""
    interval = problem.interval
    if interval is None:
        return None
    name = method.given_name
    if method.adaptive or not isinstance(method.state, RateState):
        return (
            f"{name} asks for rates at times of its own, and here are samples, "
            f"one each {format_step(interval)}"
        )
    if any(part < 0.0 for _, part in method.stages):
        return f"{name} also steps back, between samples"
    multiple = count_intervals(method)
    if multiple is None:
        return f"{name} asks for rates between samples, at any step"
    rows = dt / interval
    if not is_whole(rows) or round(rows) < 1:
        reason = (
            f"{name} takes steps of whole intervals of the samples, which are {format_step(interval)} long; "
            f"this step of {format_step(dt)} spans {show(rows)}"
        )
    elif round(rows) % multiple:
        reason = (
            f"{name} reads samples within a step, which spans a multiple of {multiple} intervals; "
            f"this step spans {format_count(round(rows), 'interval')}"
        )
    else:
        return None
    return f"{reason}. The nearest step that fits is {format_step(find_fitting_dt(problem, [method], dt))}"


def count_intervals(method: Method) -> int | None:
    """The number of intervals of samples of which each step of a method spans a multiple; None if
    no step has samples at all places where the method reads them.
    """
    state = cast(RateState, method.state)
    own = [*state.rates_at, *(i / state.increments for i in range(state.increments))]
    places = [share + part * place for share, part in method.stages for place in (0.0, *own)]
    fractions = [Fraction(place).limit_denominator(FINEST) for place in places]
    if not all(
        abs(float(one) - place) < NEAR for one, place in zip(fractions, places, strict=True)
    ):
        return None
    return lcm(*(one.denominator for one in fractions))


FINEST = 64
"""The most parts of a step in which a method reads samples."""


def find_fitting_dt(problem: GivenRates, methods: Iterable[Method], dt: float) -> float:
    """The step nearest to dt that fits all methods, without those that no step fits."""
    interval = problem.interval
    if interval is None:
        return dt
    counts = [count_intervals(one) for one in methods if isinstance(one.state, RateState)]
    multiple = lcm(*(count for count in counts if count is not None))
    return max(1, round(dt / (multiple * interval))) * multiple * interval


def is_whole(number: float) -> bool:
    """Whether this is a whole number, but for roundoff."""
    return abs(number - round(number)) <= NEAR * max(1.0, abs(number))


def list_kernels(
    problem: GivenRates, method: Method, dt: float, *, brief: bool = False
) -> list[Parts]:
    """The kernels that a run compiles: the method's own, that of a sensor, and the watching one if
    the method takes no steps of one size.
    """
    if why_not(problem, method, dt) is not None:
        return []
    rate = find_kind(problem)
    found = [make_parts(method, rate, brief=brief)]
    if problem.sensor is not None:
        found.append(make_sampler_parts(find_kind(problem.replace(sensor=WITHOUT, frame="body"))))
    return [*found, make_watcher(rate)] if isinstance(method, Solver) else found


def find_kind(problem: GivenRates) -> Rate:
    """The kind of the rates in compiled kernels, which call a custom one by its pointer."""
    if problem.sensor is not None:
        rate = KINDS[problem.sensor.integrated, True]
        return turn_to_space(rate) if problem.in_space else rate
    return make_pointer_rate(problem.in_space) if problem.custom else problem.rates.rate


def list_kinds(problems: Iterable[GivenRates] | None = None) -> dict[str, GivenRates]:
    """A problem for each kind of rate that these have, by names that are the same in every process.

    Without problems, for every registered kind and for custom rates.
    """
    registered = [one for one in all_problems(GivenRates.space) if isinstance(one, GivenRates)]
    known: dict[Rate, tuple[str, GivenRates]] = {}
    for frame, sensor in itertools.product(FRAMES, SENSORS):
        for one in registered:
            variant = one.replace(frame=frame, sensor=sensor, sample_rate=1.0 / one.dt)
            name = "a custom rate" if one.custom else one.key
            name = name if sensor == WITHOUT else SENSORS[sensor]
            known.setdefault(find_kind(variant), (f"{name} {FRAMES[frame]}", variant))
    if problems is None:
        return dict(known.values())
    own = [(find_kind(problem), problem) for problem in problems]
    return dict(known.get(kind, (kind.name, problem)) for kind, problem in own)


@store_in_problem
def prepare_kernel(
    problem: GivenRates,
    method: Method,
    compiled: bool,
    *,
    end: float = 0.0,
    tracked: bool = True,
    brief: bool = False,
    watching: bool = False,
) -> ReadyKernel:
    """The kernel of a run with its memory, which the step does not change; stored for repeated
    runs.
    """
    rate, numbers, *_ = find_source(problem, end)
    parts = make_watcher(rate) if watching else make_parts(method, rate, tracked, brief)
    parameters = np.zeros(layout.PARAMETERS + len(numbers))
    initial = np.zeros(layout.ATTITUDE.size)
    write_start(parameters, initial, Mat3(*problem.R0.ravel().tolist()), numbers)
    memory = parameters, initial
    return make_ready_kernel(
        parts, method, compiled, memory, layout.OBSERVED_ATTITUDE, layout.ATTITUDE
    )


def write_start(parameters: Any, initial: Any, R0: Mat3, numbers: Any) -> None:
    """Write a kernel's parameters and initial attitude; also compiled to WebAssembly
    (`export/given_rates.py`).
    """
    write_values(initial, 0, (R0,))
    write_values(parameters, layout.PARAMETERS, (numbers,))
