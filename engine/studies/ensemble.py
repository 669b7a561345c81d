"""An ensemble: many initial states of one problem, advanced side by side, and how their energy errors spread."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.method import Method
from ..cancelling import cancelled
from ..charts import Axes, Axis, Chart, Curve
from ..checks import ROUNDOFF, Array, attitude, number, reals
from ..kernels.batch import Batch
from ..kernels.build import compiles
from ..kernels.layout import STATES
from ..onebody.setting import acting, setting_of
from ..problems.problem import FASTEST, Problem, find_problem
from ..run import Extrema
from ..spec import Number, Parameter, Whole
from ..wording import short
from .fitting import fitting, with_steps
from .result import Result, table_of
from .study import DT, DURATION, SHORTER, WORKERS, narrowed, study
from .work import Progress

if TYPE_CHECKING:
    import pandas as pd


MOST_MEMBERS = 1_000_000
"""Of about half a kilobyte each."""
MOST_STEPS = 1_000_000_000
MEMBERS = Parameter("members", Whole(1, MOST_MEMBERS), "how many initial states are drawn", 1000, label="Members")
SPREAD = Parameter(
    "spread",
    Number(0.0, 10.0),
    "how widely they are drawn: the attitude is turned by a vector with this standard deviation in each component "
    "(rad), and each component of Omega0 moved by this times its length; the first is the problem's own start",
    0.01,
    label="Spread",
)
SEED = Parameter("seed", Whole(0, 2**53), "the same seed draws the same states", label="Seed")
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Spread:
    """The relative energy errors of all members in one block of time.

    `mean`, `q05`, `median` and `q95` are of the members that run still, at the end `t` of the block; `least` and
    `most` the extremes over all members and every step of the block.
    """

    t: float
    running: int
    mean: float
    q05: float
    median: float
    q95: float
    least: float
    most: float


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble(Result):
    """What became of many initial states of one problem with one method and step.

    Attributes
    ----------
    problem, method, dt, steps : what was run.
    R0, Omega0 : (n, 3, 3) and (n, 3), the starts, in the problem's body axes.
    R, Omega : the last valid states, alike.
    status : (n,) "done", "no-solution", "diverged" or "cancelled", of each member.
    made : (n,) steps that each member made.
    energy0, energy : (n,) at the start and at the last valid state.
    least, most : (n,) extremes of the energy over every step.
    spreads : the relative energy errors of all members, a row for each block of time.
    seconds : in the kernels, by the clock on the wall; `workers` threads shared the members.
    message : what the caller's own torque raised first, if it did.
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
    def finished(self) -> bool:
        """Whether no member was cancelled."""
        return not bool((self.status == "cancelled").any())

    @property
    def error(self) -> Array:
        """(n,) largest energy error of each member over every step, relative to the energy at its start.

        Where the motion itself does not keep the energy this is no error, but how much the energy changes.
        """
        error: Array = Extrema(self.least, self.most, self.energy).away(self.energy0) / _unit(self.energy0)
        return error

    @property
    def ns_per_step(self) -> float:
        """Nanoseconds a step and body."""
        made = int(self.made.sum())
        return 1e9 * self.seconds / made if made else math.nan

    def member(self, i: int) -> Problem:
        """The problem with the start of one member, to be run alone."""
        return self.problem.replace(R0=self.R0[i], Omega0=self.Omega0[i])

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each member."""
        import pandas as pd

        columns: dict[str, Any] = {"status": self.status, "steps": self.made}
        columns |= {"energy": self.energy, "least": self.least, "most": self.most, "error": self.error}
        columns |= {f"Omega{i + 1}": self.Omega[:, i] for i in range(3)}
        columns |= {f"R{i + 1}{j + 1}": self.R[:, i, j] for i in range(3) for j in range(3)}
        return pd.DataFrame({"member": np.arange(len(self))} | columns)

    def shown(self) -> pd.DataFrame:
        """The table with a row for each block of time: one for each member is for files."""
        return self.spreads_to_frame()

    def spreads_to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each block of time."""
        return table_of(self.spreads, Spread)

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        done = self.status == "done"
        said = f"{self.method.label} with Δt = {short(self.dt)}: {int(done.sum()):,} of {len(self):,} members run"
        said += " to the end"
        for status, words in (
            ("no-solution", "find no solution"),
            ("diverged", "blow up"),
            ("cancelled", "were cancelled"),
        ):
            if count := int((self.status == status).sum()):
                said += f", {count:,} {words}"
        if done.any() and "energy" in self.problem.invariants:
            error = self.error[done]
            said += f". The largest energy error is {short(np.median(error), 3)} in the median"
            said += f" and {short(error.max(), 3)} at worst"
            said += f" (member {np.flatnonzero(done)[error.argmax()]})"
        return f"{said}.{f' {self.message}' if self.message else ''}"


CURVES = {"median": "median", "q05": "5 % and 95 %", "q95": "5 % and 95 %", "least": "extremes", "most": "extremes"}
"""What is drawn, and what it is called."""


def drawn(frame: pd.DataFrame) -> Chart:
    """How the energy errors of many starts spread with time."""
    axes = Axes(Axis("t"), Axis("energy error, relative"))
    there = frame.dropna()
    curves = [
        Curve(name, there["t"].to_numpy(float), there[column].to_numpy(float), marks=True)
        for column, name in CURVES.items()
        if len(there)
    ]
    return Chart((axes,), tuple(curves))


@study(
    key="ensemble",
    title="Ensemble",
    sentence="One method from many initial states side by side: how their energy errors spread.",
    arguments=(
        MEMBERS,
        SPREAD,
        SEED,
        DT,
        DURATION,
        Parameter("samples", Whole(1, 100_000), "in how many blocks of time the energy errors are told"),
        WORKERS,
    ),
    fields=(
        narrowed(MEMBERS, MEMBERS.default, high=100_000),
        narrowed(SPREAD, SPREAD.default, high=1.0),
        SEED,
        narrowed(DT, high=1e7),
        SHORTER,
    ),
    example=("MR2",),
    most=1,
    told_by=("t",),
    unit="steps",
    steps=lambda problem, methods, values: values["members"] * values["duration"] / values["dt"],
    coloured=False,
    side_by_side=True,
    old_words={"dts": "dt"},
    chart=drawn,
    classes=(Spread,),
    place=6,
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
    workers: int | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Ensemble:
    """Run one method from many initial states of one problem, side by side in one kernel.

    Members lie in blocks of lanes, so that the steps of different bodies overlap. A method that solves nothing at a
    step becomes vector instructions and takes a fraction of the time of one body after the other; one that iterates,
    is composed or has its energy corrected takes about the time that it takes alone. Blocks are shared by threads.

    The initial states may be given as `starts`: R0 (n, 3, 3), or Omega0 or Pi0 (n, 3), or R0 and one of these; what
    is not given is the problem's own. Progress is told after each block of time. When it is cancelled, members are
    left where they are.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, and for starts that are none.
    """
    body = find_problem(problem)
    (m,), _ = fitting(body, method, with_steps)
    h, T = dt or body.dt, duration or body.duration
    n = math.floor(round(number(T / h, "duration divided by dt", 0, MOST_STEPS), 9))
    parts = min(samples, n)
    threads = workers or os.cpu_count() or 1
    if starts is None:
        R0, Omega0 = drawn_about(body, members, spread, seed)
    elif members is not None or spread is not None:
        raise ValueError("give starts, or members and spread, not both")
    else:
        R0, Omega0 = _given(body, starts)

    action, called = acting(body, m, h)
    compiled = compiles()
    setting = setting_of(body, m, action, compiled, side_by_side=True)
    axes = body.principal[1]
    given = np.concatenate([(R0 @ axes).reshape(-1, 9), Omega0 @ axes], axis=1)
    batch = Batch(setting, given, h, called.pointers() if called is not None and compiled else (0, 0))
    energy0 = batch.first_energy
    least = most = energy0
    spreads: list[Spread] = []
    with ThreadPoolExecutor(threads, thread_name_prefix="ensemble") as pool:
        for part in range(parts):
            if cancelled(cancel):  # a block may be over before anybody looks
                break
            before, after = part * n // parts, (part + 1) * n // parts
            finished = batch.advance(after - before, pool, threads, cancel)
            low, high = batch.extremes()
            least, most = np.fmin(least, low), np.fmax(most, high)
            if not finished:
                break
            spreads.append(_spread(after * h, batch, low, high))
            if progress is not None:
                progress(after, n, vars(spreads[-1]))
    if called is not None:
        called.look_into(batch.failed)
    made, outcomes = batch.steps, batch.outcomes
    words = np.array([STATES[int(outcome)] for outcome in outcomes])
    return Ensemble(
        problem=body,
        method=m,
        dt=h,
        steps=n,
        R0=R0,
        Omega0=Omega0,
        R=batch.state(0, 9).reshape(-1, 3, 3) @ axes.T,
        Omega=batch.state(9, 3) @ axes.T,
        status=np.where((words == "done") & (made < n), "cancelled", words),
        made=made,
        energy0=energy0,
        energy=batch.energy,
        least=least,
        most=most,
        spreads=tuple(spreads),
        seconds=batch.seconds,
        workers=threads,
        message="" if called is None or not called.failure else f"The {called.failure.told()}.",
    )


def _unit(energy0: Array) -> Array:
    """(n,) what energy errors are divided by."""
    return np.where(energy0 == 0.0, 1.0, np.abs(energy0))


def _spread(t: float, batch: Batch, low: Array, high: Array) -> Spread:
    """The relative errors at the end of a block of time, and their extremes within it."""
    energy0, running = batch.first_energy, batch.outcomes == 0
    if not running.any():
        return Spread(t, 0, *[math.nan] * 6)
    unit = _unit(energy0)
    errors = ((batch.energy - energy0) / unit)[running]
    low, high = (((extreme - energy0) / unit)[running] for extreme in (low, high))
    q05, median, q95 = (float(q) for q in np.quantile(errors, QUANTILES))
    return Spread(
        t, int(running.sum()), float(errors.mean()), q05, median, q95, least=float(low.min()), most=float(high.max())
    )


def drawn_about(body: Problem, members: int | None, spread: float | None, seed: int) -> tuple[Array, Array]:
    """Starts about the problem's own, which is the first."""
    from scipy.spatial.transform import Rotation

    n = members or MEMBERS.default
    width = SPREAD.default if spread is None else spread
    chance = np.random.default_rng(seed)
    turns, changes = width * chance.standard_normal((2, n, 3))
    turns[0] = changes[0] = 0.0
    R0 = body.R0 @ Rotation.from_rotvec(turns).as_matrix()
    return R0, body.Omega0 + np.linalg.norm(body.Omega0) * changes


def _given(body: Problem, starts: Mapping[str, Any]) -> tuple[Array, Array]:
    """The starts that a caller gave, with the problem's own for what is not there."""
    shapes = {"R0": (3, 3), "Omega0": (3,), "Pi0": (3,)}
    if not starts or not set(starts) <= set(shapes) or {"Omega0", "Pi0"} <= set(starts):
        raise ValueError(f"starts are R0, Omega0 or Pi0, or R0 and one of these; got {', '.join(starts) or 'none'}")
    arrays = {}
    for name, value in starts.items():
        needs = f"{name} of {'×'.join(map(str, ('n', *shapes[name])))} finite numbers is needed"
        arrays[name] = reals(value, needs)
        if arrays[name].shape[1:] != shapes[name]:
            raise ValueError(f"{needs}; got shape {arrays[name].shape}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{needs}; some are not finite")
    counts = {len(array) for array in arrays.values()}
    if len(counts) > 1:
        raise ValueError(f"starts must be as many of each; got {' and '.join(map(str, sorted(counts)))}")
    (n,) = counts
    number(n, "the number of starts", 1, MOST_MEMBERS)
    R0 = arrays.get("R0", np.broadcast_to(body.R0, (n, 3, 3))).copy()
    off = np.abs(R0.transpose(0, 2, 1) @ R0 - np.eye(3)).max(axis=(1, 2))
    for i in np.flatnonzero((off > ROUNDOFF) | (np.linalg.det(R0) < 0)):
        R0[i] = attitude(R0[i])
    if "Pi0" in arrays:
        Omega0 = np.linalg.solve(body.J, arrays["Pi0"].T).T
    else:
        Omega0 = arrays.get("Omega0", np.broadcast_to(body.Omega0, (n, 3))).copy()
    if np.abs(Omega0).max() > FASTEST:
        raise ValueError(f"no component of Omega0 may be beyond {short(FASTEST)} rad per unit of time")
    return R0, Omega0
