"""What an engine's rule does with a free body at its frame rate: energy, momentum, attitude, and its end."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..algorithms.method import PRECISION, SUBSTEPS, Method
from ..charts import Axes, Axis, Chart, by_method
from ..exact import Cancelled
from ..exact.errors import error, length
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
AXES = ("least", "middle", "greatest")

IN_SIX_ENGINES = {
    "problem": "custom",
    "methods": "jolt,bullet,ode,bepu-momentum,mujoco-rk4,mujoco-midpoint",
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
    the momentum has turned in space, and `attitude` that from the exact motion; `axis` is the inertia, least, middle
    or greatest, of the axis about which a spin with this momentum has this energy, if there is one.
    """

    method: str
    t: float
    energy: float
    length: float
    direction: float
    attitude: float
    axis: str


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
            told.append(
                f"{method}: after {short(early.t)} and {short(late.t)} the body has {short(early.energy, 4)} and "
                f"{short(late.energy, 4)} times its energy, and {short(early.length, 4)} and {short(late.length, 4)} "
                f"times its momentum, which has turned by {short(math.degrees(late.direction), 2)}° then{spins}."
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
    steps=lambda problem, methods, values: len(methods) * values["substeps"] * values["duration"] / values["dt"],
    chart=drawn,
    classes=(AfterATime,),
    presets={
        "Six engines at 60 Hz": IN_SIX_ENGINES,
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
    L = length(run.pi)
    attitude = error(run, cancel=cancel).attitude
    at_axes = np.outer(L**2, 0.5 / np.sort(run.problem.principal[0]))
    told = []
    for i in np.unique(np.rint(np.geomspace(1, len(run) - 1, MARKS)).astype(int)):
        off = np.abs(run.energy[i] / at_axes[i] - 1.0)
        turned = np.arctan2(np.linalg.norm(np.cross(run.pi[0], run.pi[i])), run.pi[0] @ run.pi[i])
        axis = AXES[off.argmin()] if off.min() < NEAR else ""
        ratios = float(run.energy[i] / run.energy[0]), float(L[i] / L[0])
        told.append(AfterATime(run.method.label, float(run.t[i]), *ratios, float(turned), float(attitude[i]), axis))
    return told
