"""Ensembles: many initial states of one problem, advanced side by side, and the spread of their
energy errors.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..algorithms import name_method
from ..algorithms.core.method import Method
from ..kernels import STATES, Called, Extrema, compiles
from ..kernels.batch import Batch
from ..parameters.parameter import Number, Parameter, Whole
from ..parameters.validation import ROUNDOFF, Array, check_attitude, check_reals
from ..problems.problem import FASTEST, Problem, find_problem
from ..simulation import find_action, prepare_kernel
from ..text.formatting import show
from .core import Executor, ExecutorOptions, StudyResult, Threads, fitting, frame_of, with_steps
from .core.charts import Axes, Axis, Chart, Curve, Frame
from .core.study import DT, DURATION, SHORTER, WORKERS, narrow, study

MOST_MEMBERS = 1_000_000
"""A member takes about half a kilobyte."""
MOST_STEPS = 1_000_000_000
MEMBERS = Parameter(
    "members", Whole(1, MOST_MEMBERS), "the number of initial states", 1000, label="Members"
)
SPREAD = Parameter(
    "spread",
    Number(0.0, 10.0),
    "the standard deviation of the initial attitudes (rad), and of the initial velocities as a part of "
    "Omega0's length; the first start is the problem's own",
    0.01,
    label="Spread",
)
SEED = Parameter(
    "seed", Whole(0, 2**53), "the same seed draws the same initial states", label="Seed"
)
SAMPLES = Parameter("samples", Whole(1, 100_000), "the number of blocks of time with energy errors")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Spread:
    """The relative energy errors of all members in one block of time.

    `mean`, `q05`, `q25`, `median`, `q75` and `q95` are of the members still running at the end `t`
    of the block; `least` and `most` are the extremes over all members and every step of the block.
    """

    t: float
    running: int
    mean: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    least: float
    most: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ensemble(StudyResult):
    """The runs of many initial states of one problem with one method and step.

    Attributes
    ----------
    method, dt, steps : of all runs.
    R0, Omega0 : (n, 3, 3) and (n, 3), the initial states, in the problem's body axes.
    R, Omega : the last valid states, alike.
    status : (n,) "done", "no-solution", "diverged" or "cancelled", of each member.
    made : (n,) steps that each member made.
    energy0, energy : (n,) at the start and at the last valid state.
    least, most : (n,) extremes of the energy over every step.
    spreads : the relative energy errors of all members, a row for each block of time.
    seconds : wall-clock time in the kernels; `workers` threads shared the members.
    message : the first exception of a custom torque.
    """

    problem: Problem
    method: Method
    dt: float
    steps: int
    R0: Array
    Omega0: Array
    R: Array
    Omega: Array
    status: NDArray[np.str_]
    made: NDArray[np.int64]
    energy0: Array
    energy: Array
    least: Array
    most: Array
    spreads: tuple[Spread, ...]
    seconds: float
    workers: int
    message: str = ""

    def __len__(self) -> int:
        return len(self.R0)

    def __repr__(self) -> str:
        return f"<ensemble of {len(self):,}: {self.method.label} on {self.problem.label}, {self.steps} steps>"

    @property
    def error(self) -> Array:
        """(n,) largest energy error of each member over every step, relative to the energy at its
        start.

        If the motion itself does not conserve the energy, this is the change of the energy.
        """
        return Extrema(self.least, self.most, self.energy).away(self.energy0) / _unit(self.energy0)

    @property
    def ns_per_step(self) -> float:
        """Nanoseconds a step and body."""
        made = int(self.made.sum())
        return 1e9 * self.seconds / made if made else math.nan

    def member(self, i: int) -> Problem:
        """Return the problem with the initial state of one member."""
        return self.problem.replace(R0=self.R0[i], Omega0=self.Omega0[i])

    def to_frame(self) -> Frame:
        """Return a pandas table with a row for each member."""
        import pandas as pd

        columns: dict[str, Any] = {"status": self.status, "steps": self.made}
        columns |= {
            "energy": self.energy,
            "least": self.least,
            "most": self.most,
            "error": self.error,
        }
        columns |= {f"Omega{i + 1}": self.Omega[:, i] for i in range(3)}
        columns |= {f"R{i + 1}{j + 1}": self.R[:, i, j] for i in range(3) for j in range(3)}
        return pd.DataFrame({"member": np.arange(len(self))} | columns)

    def summary_frame(self) -> Frame:
        """Return the table with a row for each block of time; that with a row for each member is
        for files.
        """
        return self.spreads_to_frame()

    def spreads_to_frame(self) -> Frame:
        """Return a pandas table with a row for each block of time."""
        return frame_of(self.spreads, Spread)

    @property
    def conclusion(self) -> str:
        """How many members run to the end, and their largest energy errors."""
        done = self.status == "done"
        said = f"{name_method(self.method)}: {int(done.sum()):,} of {len(self):,} members run to the end"
        for status, of_one, of_several in (
            ("no-solution", "finds no solution", "find no solution"),
            ("diverged", "blows up", "blow up"),
            ("cancelled", "was cancelled", "were cancelled"),
        ):
            if count := int((self.status == status).sum()):
                said += f", {count:,} {of_one if count == 1 else of_several}"
        if done.any() and "energy" in self.problem.invariants:
            error = self.error[done]
            worst = f"{show(error.max(), 2)}"
            if error.min() < error.max():
                said += f". The median energy error is {show(np.median(error), 2)}"
                said += (
                    f". The largest is {worst}, of member {np.flatnonzero(done)[error.argmax()]}"
                )
            else:
                said += f". The energy error is {worst}{' for each of them' * (len(error) > 1)}"
        return f"{said}.{f' {self.message}' if self.message else ''}"

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw how the energy errors spread with time: a fan of percentiles, and their median."""
        rows = {name: column.to_numpy(float) for name, column in frame.dropna().items()}
        curves = [
            Curve(
                name,
                rows["t"],
                rows[high],
                group="members",
                under=None if low == high else rows[low],
            )
            for name, (low, high) in FAN.items()
            if len(rows.get("t", ()))
        ]
        return Chart((Axes(Axis("t"), Axis("energy error, relative")),), tuple(curves))


FAN = {
    "extremes": ("least", "most"),
    "5 % to 95 %": ("q05", "q95"),
    "25 % to 75 %": ("q25", "q75"),
    "median": ("median", "median"),
}
"""The bands of the chart, widest first, and their columns."""


def side_by_side(m: Method) -> str:
    """Admit methods whose steps many bodies make at once."""
    return "" if m.fits_lanes else with_steps(m)


@study(
    key="ensemble",
    title="Ensemble",
    sentence="One method from many initial states side by side, and the spread of their energy "
    "errors.",
    example=("MR2",),
    most=1,
    row_keys=("t",),
    unit="steps",
    coloured=False,
    side_by_side=True,
    old_words={"dts": "dt"},
    place=7,
    arguments=(MEMBERS, SPREAD, SEED, DT, DURATION, SAMPLES, WORKERS),
    fields=(
        narrow(MEMBERS, MEMBERS.default, high=100_000),
        narrow(SPREAD, SPREAD.default, high=1.0),
        SEED,
        narrow(DT, high=1e7),
        SHORTER,
    ),
    steps=lambda problem, methods, values: values["members"] * values["duration"] / values["dt"],
    classes=(Spread,),
)
def ensemble(
    problem: str | Problem,
    method: str | Method,
    starts: Mapping[str, Any] | None = None,
    *,
    members: int | None = None,
    spread: float | None = None,
    seed: int = 0,
    dt: float | None = None,
    duration: float | None = None,
    samples: int = 50,
    **options: Unpack[ExecutorOptions],
) -> Ensemble:
    """Run one method from many initial states of one problem, side by side in one kernel.

    Members lie in blocks of lanes, so that the steps of different bodies overlap. A method that
    solves nothing at a step becomes vector instructions and takes a fraction of the time of one
    body after the other; one that iterates, is composed or has its energy corrected takes about the
    time that it takes alone. `TAYLOR` advances as many bodies at once as a vector register holds,
    each with steps of its own, of which one ends at each block of time. Threads share the blocks.

    `starts` gives the initial states: R0 (n, 3, 3), or Omega0 or Pi0 (n, 3), or R0 and one of
    these; the rest is the problem's own. Progress counts steps, after each block of time. A
    cancelled study has the members as far as they came.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, and for invalid starts.
    """
    body = find_problem(problem, Problem)
    executor = Executor(**options)
    (m,), _ = fitting(body, method, side_by_side)
    h, T = dt or body.dt, duration or body.duration
    n = math.floor(round(Number(0, MOST_STEPS).check(T / h, "duration divided by dt"), 9))
    R0, Omega0 = _choose_starts(body, starts, members, spread, seed)
    batch, called = _make_batch(body, m, h, R0, Omega0)
    threads = executor.workers or os.cpu_count() or 1
    spreads, least, most = _advance(batch, h, n, min(samples, n), threads, executor)
    if called is not None:
        called.describe_failure(batch.failed)  # raises an interrupt
    made = batch.own_steps if m.adaptive else batch.steps
    status = _statuses(batch, n)
    return Ensemble(
        problem=body,
        finished=not (status == "cancelled").any(),
        method=m,
        dt=h,
        steps=n,
        R0=R0,
        Omega0=Omega0,
        R=batch.state(0, 9).reshape(-1, 3, 3) @ body.principal[1].T,
        Omega=batch.state(9, 3) @ body.principal[1].T,
        status=status,
        made=made,
        energy0=batch.first_energy,
        energy=batch.energy,
        least=least,
        most=most,
        spreads=tuple(spreads),
        seconds=batch.seconds,
        workers=threads,
        message="" if called is None or not called.failure else f"The {called.failure.describe()}.",
    )


def _make_batch(
    body: Problem, m: Method, h: float, R0: Array, Omega0: Array
) -> tuple[Batch, Called | None]:
    """Return bodies that one kernel runs side by side, in their principal axes, and the custom
    torque.
    """
    action, called = find_action(body, m, h)
    compiled = compiles()
    axes = body.principal[1]
    kernel = prepare_kernel(body, m, action, compiled, side_by_side=True)
    starts = np.concatenate([(R0 @ axes).reshape(-1, 9), Omega0 @ axes], axis=1)
    return Batch(
        kernel, starts, h, called.pointers() if called is not None and compiled else (0, 0)
    ), called


def _statuses(batch: Batch, steps: int) -> NDArray[np.str_]:
    """Return how each member ended, in words."""
    words = np.array([STATES[int(outcome)] for outcome in batch.outcomes])
    return np.where((words == "done") & (batch.steps < steps), "cancelled", words)


def _advance(
    batch: Batch, h: float, steps: int, parts: int, threads: int, executor: Executor
) -> tuple[list[Spread], Array, Array]:
    """Advance all members in blocks of time; return the errors of each block, and the extremes of
    the energies.
    """
    least = most = batch.first_energy
    spreads: list[Spread] = []
    with Threads(threads) as pool:
        for part in range(parts):
            if executor.is_cancelled:  # a block may be over before anybody looks
                break
            before, after = part * steps // parts, (part + 1) * steps // parts
            finished = batch.advance(after - before, pool, threads, executor.cancel)
            energies = batch.extremes()
            least, most = np.fmin(least, energies.min), np.fmax(most, energies.max)
            if not finished:
                break
            spreads.append(_spread(after * h, batch, energies))
            executor.report(after, steps, vars(spreads[-1]))
    return spreads, least, most


def _unit(energy0: Array) -> Array:
    """Return (n,) what energy errors are divided by."""
    return np.where(energy0 == 0.0, 1.0, np.abs(energy0))


def _spread(t: float, batch: Batch, energies: Extrema) -> Spread:
    """Return the relative errors at the end of a block of time, and their extremes within it."""
    energy0 = batch.first_energy
    running = batch.outcomes == 0
    if not running.any():
        return Spread(t, 0, *[math.nan] * 8)
    unit = _unit(energy0)
    low, high, errors = (((energy - energy0) / unit)[running] for energy in energies)
    found = errors.mean(), *np.quantile(errors, QUANTILES), low.min(), high.max()
    return Spread(t, int(running.sum()), *map(float, found))


def _choose_starts(
    body: Problem,
    starts: Mapping[str, Any] | None,
    members: int | None,
    spread: float | None,
    seed: int,
) -> tuple[Array, Array]:
    """Return R0 (n, 3, 3) and Omega0 (n, 3), as given or drawn."""
    if starts is None:
        return draw_starts(body, members, spread, seed)
    if members is not None or spread is not None:
        raise ValueError("give starts, or members and spread, not both")
    return _check_starts(body, starts)


def draw_starts(
    body: Problem, members: int | None, spread: float | None, seed: int
) -> tuple[Array, Array]:
    """Draw initial states about the problem's own, which is the first."""
    from scipy.spatial.transform import Rotation

    n = members or MEMBERS.default
    width = SPREAD.default if spread is None else spread
    chance = np.random.default_rng(seed)
    turns, changes = width * chance.standard_normal((2, n, 3))
    turns[0] = changes[0] = 0.0
    R0 = body.R0 @ Rotation.from_rotvec(turns).as_matrix()
    return R0, body.Omega0 + np.linalg.norm(body.Omega0) * changes


def _check_starts(body: Problem, starts: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the given initial states; the rest is the problem's own."""
    shapes = {"R0": (3, 3), "Omega0": (3,), "Pi0": (3,)}
    if not starts or not set(starts) <= set(shapes) or {"Omega0", "Pi0"} <= set(starts):
        raise ValueError(
            f"starts are R0, Omega0 or Pi0, or R0 and one of these; got {', '.join(starts) or 'none'}"
        )
    arrays = {}
    for name, value in starts.items():
        needs = f"{name} of {'×'.join(map(str, ('n', *shapes[name])))} finite numbers is needed"
        arrays[name] = check_reals(value, needs)
        if arrays[name].shape[1:] != shapes[name]:
            raise ValueError(f"{needs}; got shape {arrays[name].shape}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{needs}; some are not finite")
    counts = {len(array) for array in arrays.values()}
    if len(counts) > 1:
        raise ValueError(
            f"starts must be as many of each; got {' and '.join(map(str, sorted(counts)))}"
        )
    (n,) = counts
    Number(1, MOST_MEMBERS).check(n, "the number of starts")
    R0 = arrays.get("R0", np.broadcast_to(body.R0, (n, 3, 3))).copy()
    off = np.abs(R0.transpose(0, 2, 1) @ R0 - np.eye(3)).max(axis=(1, 2))
    for i in np.flatnonzero((off > ROUNDOFF) | (np.linalg.det(R0) < 0)):
        R0[i] = check_attitude(R0[i])
    if "Pi0" in arrays:
        Omega0 = np.linalg.solve(body.J, arrays["Pi0"].T).T
    else:
        Omega0 = arrays.get("Omega0", np.broadcast_to(body.Omega0, (n, 3))).copy()
    if np.abs(Omega0).max() > FASTEST:
        raise ValueError(
            f"no component of Omega0 may be beyond {show(FASTEST)} rad per unit of time"
        )
    return R0, Omega0
