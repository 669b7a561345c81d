"""What an engine's rule does with a free body at its frame rate: energy, momentum, attitude, and its end."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algorithms.method import PRECISION, SUBSTEPS, Method, find_method
from ..charts import Axes, Axis, Chart, by_method
from ..checks import Array
from ..exact import Cancelled
from ..exact.errors import Errors, error, length
from ..field import FREE
from ..onebody import Run
from ..problems.problem import Problem, find_problem
from ..wording import short
from .fitting import fitting, with_steps
from .result import Result
from .study import DT, DURATION, SHORTER, narrowed, study
from .work import Progress, completed

if TYPE_CHECKING:
    import pandas as pd

FRAME, LONG = 1 / 60, 100.0
ROWS, MARKS = 1000, 13
"""States that are kept, and how many are told, four to the decade of time."""
NEAR = 0.01
"""So near to the energy of a spin about an axis, relative, a body counts as there."""
CONE = math.radians(15)
"""Within which of an axis of the body its momentum lies, for it to spin about that axis."""
WOBBLE = math.radians(30)
"""If it stays within this of an axis of the body, its motion is no tumbling."""
TURNS = 3
"""With the first angular velocity."""
AXES = ("least", "middle", "greatest")

IN_SIX_ENGINES = {
    "problem": "custom",
    "methods": "jolt(damping=0),bullet,ode,bepu-momentum,mujoco-rk4,mujoco-midpoint",
    "J": "1, 2, 2.8",
    "Omega0": "1.2, 1.9, 1.5",
    "dt": "1/60",
    "duration": "100",
}
"""A body that tumbles."""


@dataclass(frozen=True)
class AfterATime:
    """What became of the body by a method after a time.

    `energy` and `length`, of the momentum, are over those of the start, `direction` is the angle in radians by which
    the momentum has turned in space, `swung` the largest until then, and `attitude` the angle from the exact motion;
    `axis` is the inertia, least, middle or greatest, of the axis about which a spin with this momentum has this
    energy, if there is one. `stopped` is when the body came to spin near one of its axes: it stays there for `TURNS`
    turns at least and for more than twice as long as it ever should. NaN, if it does not.
    `exact_axis` is the inertia of the axis to which the exact motion stays nearest, and `exact_angle` the largest
    angle in radians from it.
    """

    method: str
    t: float
    energy: float
    length: float
    direction: float
    swung: float
    attitude: float
    axis: str
    stopped: float
    exact_axis: str
    exact_angle: float

    @property
    def should_tumble(self) -> bool:
        """Whether the exact motion stays near no axis of the body."""
        return self.exact_angle > WOBBLE


@dataclass(frozen=True, eq=False, repr=False)
class Rules(Result):
    """What became of a free body, a row for each method and time."""

    problem: Problem
    dt: float
    rows: tuple[AfterATime, ...]
    ended: dict[str, str]
    finished: bool = True

    table: ClassVar = ("rows", AfterATime)

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        told, ends = [], []
        for method in self.methods:
            rows = [row for row in self.rows if row.method == method]
            early, late = rows[-len(rows) // 3], rows[-1]
            spins = f"; its energy is that of a spin about the axis of {late.axis} inertia" if late.axis else ""
            stays = "it no longer tumbles" if late.should_tumble else "it stays near one of its axes"
            spins += f"; from t = {short(late.stopped, 3)} on {stays}" if late.stopped >= 0 else ""
            told.append(
                f"{method}: after {short(early.t)} and {short(late.t)} the body has {short(early.energy, 4)} and "
                f"{short(late.energy, 4)} times its energy, and {short(early.length, 4)} and {short(late.length, 4)} "
                f"times its momentum, which has turned by {short(math.degrees(late.swung), 2)}° at most{spins}."
            )
            ends.append(late)
        known = [row for row in ends if math.isfinite(row.attitude) and row.method not in self.ended]
        if len(known) > 1:
            nearest = min(known, key=lambda row: row.attitude)
            told.append(f"{nearest.method} ends nearest to the exact motion, {short(nearest.attitude, 2)} rad off.")
        return " ".join([*told, *self.ended.values()])


def drawn(frame: pd.DataFrame) -> Chart:
    """Energy, and how far momentum and attitude have turned away, by the time."""
    time = Axis("t", log=True)
    axes = [
        Axes(time, Axis("energy over the first")),
        Axes(time, Axis("angle of momentum in space, rad", log=True)),
        Axes(time, Axis("attitude error, rad", log=True)),
    ]
    return by_method(frame, axes, [("t", "energy"), ("t", "direction"), ("t", "attitude")])


@study(
    key="engines",
    title="Engines",
    sentence="What a physics engine's rule does with a free body at its frame rate, beside the exact motion.",
    arguments=(DT, DURATION, PRECISION, SUBSTEPS),
    fields=(narrowed(DT, FRAME, high=1e7), narrowed(SHORTER, LONG), PRECISION, narrowed(SUBSTEPS, SUBSTEPS.default)),
    example=("RESTORED", "NEWTON-1", "LINEAR-EULER", "MR2"),
    told_by=("method", "t"),
    steps=lambda problem, methods, values: (
        sum(max(find_method(m).substeps, values["substeps"]) for m in methods)
        * (values["duration"] / values["dt"] + 1)
    ),
    chart=drawn,
    classes=(AfterATime,),
    presets={
        "Six engines at 60 Hz, without damping": IN_SIX_ENGINES,
        "The same with numbers of 32 bits, and four steps in a frame": IN_SIX_ENGINES
        | {"precision": "single", "substeps": "4"},
        "Thrown about the middle axis": IN_SIX_ENGINES | {"J": "1, 2, 3", "Omega0": "0.01, 3, 0.01"},
    },
    place=8,
)
def engines(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    *,
    dt: float = FRAME,
    duration: float = LONG,
    precision: str = "double",
    substeps: int = 1,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Rules:
    """Run rules of engines at one frame rate, and tell what becomes of a free body."""

    body = find_problem(problem)
    if body.torque is not None or body.action(dt).field is not FREE:
        raise ValueError(f"what engines do is looked at on a free body, and a torque acts on {body.label}")
    if not body.Omega0.any():
        raise ValueError("a body at rest stays there; give it an angular velocity")
    asked = {one.name: value for one, value in ((PRECISION, precision), (SUBSTEPS, substeps)) if value != one.default}
    rules = [method.with_options(**asked) for method in fitting(body, methods, with_steps)[0]]
    steps = max(1, round(duration / dt))
    every = -(-steps // ROWS)
    rows: list[AfterATime] = []
    ended: dict[str, str] = {}
    finished = True
    for done, rule in enumerate(rules):
        try:
            run = completed(body, rule, dt=dt, steps=steps, every=every, cancel=cancel)
            if run.status != "done":
                ended[rule.label] = run.message
            found = seen(run, cancel)
        except Cancelled:
            finished = False
            break
        rows += found
        for row in found[-1:]:
            if progress is not None:
                progress(done + 1, len(rules), asdict(row))
    return Rules(body, dt, tuple(rows), ended, finished)


def seen(run: Run, cancel: threading.Event | None = None) -> list[AfterATime]:
    """What became of the body, at times that lie closer at the beginning."""
    if len(run) < 2:
        return []
    off = error(run, cancel=cancel)
    rows = np.unique(np.rint(np.geomspace(1, len(run) - 1, MARKS)).astype(int))
    return [after(run, off, int(row)) for row in rows]


def after(run: Run, off: Errors, row: int) -> AfterATime:
    """What became of the body until this row of its run."""
    L = length(run.pi[: row + 1])
    at_axes = L[-1] ** 2 / 2 / np.sort(run.problem.principal[0])
    from_axes = np.abs(run.energy[row] / at_axes - 1.0)
    turned = turn_of(run.pi[: row + 1])
    shared = off.rows <= row
    axes = run.problem.principal[1]
    moved, exact = run.Pi[off.rows[shared]] @ axes, off.against.Pi[off.there[shared]] @ axes
    farthest = np.arccos((np.abs(exact) / length(exact)[:, None]).min(axis=0).clip(max=1.0))
    nearest = int(farthest.argmin())
    return AfterATime(
        run.method.label,
        float(run.t[row]),
        energy=float(run.energy[row] / run.energy[0]),
        length=float(L[-1] / L[0]),
        direction=float(turned[-1]),
        swung=float(turned.max()),
        attitude=float(off.attitude[shared][-1]),
        axis=AXES[from_axes.argmin()] if from_axes.min() < NEAR else "",
        stopped=stopped(off.t[shared], moved, exact, TURNS * math.tau / float(np.linalg.norm(run.problem.Omega0))),
        exact_axis=AXES[nearest],
        exact_angle=float(farthest[nearest]),
    )


def turn_of(pi: Array) -> Array:
    """The angles, in radians, between a vector in space and what it was first."""
    across = length(np.cross(pi[0], pi))
    return np.asarray(np.arctan2(across, pi @ pi[0]))


def stopped(t: Array, Pi: Array, exact: Array, least: float) -> float:
    """When a body came to stay near an axis (see `AfterATime`), of momenta in its principal axes; NaN, if it did not.

    `least` is how long it has to spin near an axis.
    """
    with np.errstate(invalid="ignore"):
        near = np.abs(Pi) > math.cos(CONE) * length(Pi)[:, None]
    axis = int(np.abs(Pi[-1]).argmax())
    since = stays(near[:, axis])
    should = stays(np.abs(exact[:, axis]) > math.cos(CONE) * length(exact))
    longest = max((t[end - 1] - t[first] for first, end in should), default=0.0)
    if not len(since) or since[-1][1] < len(t) or t[-1] - t[since[-1][0]] <= max(2 * longest, least):
        return math.nan
    return float(t[since[-1][0]])


def stays(near: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Where each stretch of what is true begins and ends."""
    return np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
