"""Rules of physics engines on a free body at their frame rate: energy, momentum, attitude and the
final motion.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core import PRECISION, SUBSTEPS, Method, find_method
from ..algorithms.core.programs import PROGRAMS, name_engines
from ..exact import Cancelled
from ..exact.errors import Errors, describe_attitude_errors, error, length
from ..parameters.validation import Array
from ..problems.field import FREE
from ..problems.mass_properties import rank_moments
from ..problems.problem import AnyProblem, Problem, find_problem
from ..simulation.one_body import Run
from ..text.formatting import show
from .core import (
    Axes,
    Axis,
    Chart,
    Executor,
    ExecutorOptions,
    Frame,
    StudyResult,
    fitting,
    with_steps,
)
from .core.result import name_in_sentences
from .core.study import DT, DURATION, SHORTER, narrow, study

FRAME = 1 / 60
LONG = 100.0
ROWS, MARKS = 1000, 13
"""States of a run, and how many the study reports, four to the decade of time."""
NEAR = 0.01
"""The relative distance within which the energy counts as that of a spin about an axis."""
CONE = math.radians(15)
"""The body spins about an axis if its momentum lies within this angle of it."""
WOBBLE = math.radians(30)
"""The body does not tumble if its momentum stays within this angle of one of its axes."""
TURNS = 3
"""Turns with the first angular velocity for which a spin has to last."""
TIME = Axis("t", log=True)


@dataclass(frozen=True)
class AfterATime:
    """The state of the body after a time.

    Attributes
    ----------
    energy, length : the energy and the length of the momentum over those of the start.
    direction, swung : the angle in radians by which the momentum has turned in space, and the
        largest until then.
    attitude : the angle in radians from the exact attitude.
    axis : "least", "middle" or "greatest", the inertia of the axis about which a spin with this
        momentum has this energy; empty if there is none, or if several would do.
    stopped : when the body came to spin near one of its axes. It stays there for `TURNS` turns at
        least, and for more than twice as long as the exact motion ever does; NaN if it does not.
    phase_lost : when the attitude error first spanned its whole range, after which it ranks
        nothing; NaN if never.
    exact_axis, exact_angle : the inertia of the axis to which the exact motion stays nearest, and
        the largest angle in radians from it. The inertia is empty for a spherical body.
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
    phase_lost: float
    exact_axis: str
    exact_angle: float

    @property
    def should_tumble(self) -> bool:
        """Whether the exact motion stays near no axis of the body."""
        return self.exact_angle > WOBBLE

    @property
    def is_conserved(self) -> bool:
        """Whether energy and momentum changed by little."""
        off = max(abs(self.energy - 1.0), abs(self.length - 1.0))
        return off < SMALL and self.swung < SMALL_TURN

    @property
    def attitude_rank(self) -> float:
        """The attitude error for comparisons: infinite if the phase is lost, 0 if it is too small
        to be known.
        """
        return math.inf if self.phase_lost >= 0 else float(np.nan_to_num(self.attitude))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Rules(StudyResult):
    """The motion of a free body by rules, a row for each method and time; `ended` says why runs
    ended early.
    """

    table = "rows", AfterATime
    plots = (
        (Axes(TIME, Axis("energy, % of the first")), "t", "energy"),
        (Axes(TIME, Axis("angle of the spatial momentum, rad", log=True)), "t", "direction"),
        (Axes(TIME, Axis("attitude error, rad", log=True)), "t", "attitude"),
    )
    dt: float
    rows: tuple[AfterATime, ...]
    ended: dict[str, str]

    @classmethod
    def draw_rows(cls, frame: Frame, problem: AnyProblem) -> Chart:
        """Draw a curve for each method, which names the engines with this rule."""
        if not len(frame):
            return cls.draw_chart(frame)
        names = name_rules(frame["method"].unique())
        return cls.draw_chart(
            frame.assign(method=frame["method"].map(names), energy=100 * frame["energy"])
        )

    def to_frame(self) -> Frame:
        """Return the rows, each with the engines that have the method's rule."""
        frame = super().to_frame()
        frame.insert(
            1,
            "engines",
            frame["method"].map({one: name_engines(find_method(one)) for one in self.methods}),
        )
        return frame

    @property
    def conclusion(self) -> str:
        """The motion by each method, and the attitude errors at the end."""
        assert isinstance(self.problem, Problem)
        text = []
        ends = [self.of(method)[-1] for method in self.methods]
        names = name_rules([*self.methods, *self.ended])
        for late in ends:
            text.append(f"{names[late.method]}: at t = {show(late.t)}, {describe_changes(late)}")
            if late.axis:
                axis = name_axis(self.problem, late.axis)
                text.append(f"Its energy is that of a spin about {axis}.")
            if late.stopped >= 0:
                since = show(late.stopped, 3)
                tumbles = f"By t = {since}, it has stopped tumbling."
                text.append(
                    tumbles
                    if late.should_tumble
                    else f"From t = {since} on, it stays near one of its axes."
                )
        errors: dict[str, float | None] = dict.fromkeys(names[method] for method in self.ended)
        for late in ends:
            if late.method not in self.ended:
                off = late.attitude_rank
                errors[names[late.method]] = math.nan if off == math.inf else off
        return " ".join([*text, *describe_attitude_errors(errors), *self.ended.values()])


def name_rules(methods: Iterable[str]) -> dict[str, str]:
    """The names on screen of rules, with the engines that have them: Linearly implicit Euler (ODE)."""
    names = name_in_sentences(methods, Problem.space)
    for method, name in names.items():
        rule = find_method(method)
        engines = "" if rule.called in PROGRAMS else name_engines(rule)
        notes = ", ".join(filter(None, [engines, "32 bits" if rule.single else ""]))
        names[method] = f"{name} ({notes})".replace(") (", ", ") if notes else name
    return names


SMALL, SMALL_TURN = 1e-3, math.radians(0.1)
"""Largest relative change of energy and of |π|, and largest turn of π, that count as small."""


LEAST_PART, MANY, BLOWS_UP = 1e-4, 10.0, 1e6
"""The smallest part of a first value that is stated, the first ratio that is no percentage, and the
first that has no number.
"""


def describe_changes(end: AfterATime) -> str:
    """How energy and momentum changed, which a free body conserves, in two sentences; the first
    begins with a small letter.
    """
    turn = (
        f"less than {show(math.degrees(SMALL_TURN))}°"
        if end.swung < SMALL_TURN
        else f"up to {show(math.degrees(end.swung), 2)}°"
    )
    momentum = describe_change(end.length)
    return f"the energy {describe_change(end.energy)}. The momentum {momentum} and turns by {turn}."


def describe_change(ratio: float) -> str:
    """How a value changed whose ratio to the first one is given: "falls to 88 % of the first"."""
    if abs(ratio - 1.0) < SMALL:
        return f"stays within {show(100 * SMALL)} % of the first"
    if ratio > BLOWS_UP:
        return "blows up"
    if ratio < LEAST_PART:
        return f"falls to less than {show(100 * LEAST_PART)} % of the first"
    changes = "rises" if ratio > 1.0 else "falls"
    to = f"{show(ratio, 2)} times" if ratio >= MANY else f"{format_percent(ratio)} % of"
    return f"{changes} to {to} the first"


def format_percent(ratio: float) -> str:
    """A ratio as a percentage, without the sign, to two digits; above 100 and near it, to two digits
    of the difference: 88, 0.0047, 217, 99.27.
    """
    percent = 100 * ratio
    if 0.9 < ratio < 10.0:
        return show(100 + float(f"{percent - 100:.2g}"), 8)
    return show(percent, 2)


def describe_end(body: Problem, end: AfterATime) -> list[str]:
    """What became of the motion, and how far the attitude is off, in sentences."""
    text = []
    if end.stopped >= 0:
        text.append(describe_settled_motion(body, end))
    elif end.axis and not end.is_conserved:
        unstable = ", which is unstable" if end.axis == "middle" else ""
        axis = name_axis(body, end.axis)
        text.append(f"Its energy is that of a spin about {axis}{unstable}.")
    if end.phase_lost >= 0:
        text.append(
            f"It loses phase at t = {show(end.phase_lost, 2)} s: its attitude is then unrelated to the exact one."
        )
    elif math.isfinite(end.attitude):
        text.append(f"Its final attitude is off by {format_angle(end.attitude)}.")
    return text


def describe_settled_motion(problem: Problem, end: AfterATime) -> str:
    """When the body came to stay near an axis, and what the exact motion does."""
    motion = "spins about" if end.axis else "stays near"
    spins = f"{motion} {name_axis(problem, end.axis)}"
    if not end.should_tumble:
        near = name_axis(problem, end.exact_axis)
        exact = f"stays within {format_angle(end.exact_angle)} of {near}"
        since = f"From t = {show(end.stopped, 2)} s on, it" if end.stopped else "It"
        return f"{since} {spins}. The exact motion {exact}."
    tumbles = (
        f"By t = {show(end.stopped, 2)} s, it has stopped tumbling"
        if end.stopped
        else "It never tumbles"
    )
    return f"{tumbles}{f' and {spins}' if end.axis else ''}. The exact motion keeps tumbling."


def format_angle(radians: float) -> str:
    """An angle in degrees to two digits; an angle of roundoff as 0°."""
    return f"{show(math.degrees(radians), 2)}°" if radians > 1e-9 else "0°"


@study(
    key="engines",
    title="Engines",
    sentence="The motion of a free body by the rules of physics engines at their frame rate, "
    "against the exact one.",
    example=("RESTORED", "NEWTON-1", "LINEAR-EULER", "MR2"),
    row_keys=("method", "t"),
    place=9,
    arguments=(DT, DURATION, PRECISION, SUBSTEPS),
    fields=(
        narrow(DT, FRAME, high=1e7),
        narrow(SHORTER, LONG),
        PRECISION,
        narrow(SUBSTEPS, SUBSTEPS.default),
    ),
    steps=lambda problem, methods, values: (
        sum(max(find_method(m).substeps, values["substeps"]) for m in methods)
        * (values["duration"] / values["dt"] + 1)
    ),
    classes=(AfterATime,),
)
def engines(
    problem: str | Problem,
    methods: str | Method | Sequence[str | Method],
    *,
    dt: float = FRAME,
    duration: float = LONG,
    precision: str = "double",
    substeps: int = 1,
    **options: Unpack[ExecutorOptions],
) -> Rules:
    """Run rules of engines at one frame rate, and compare the motion of a free body with the exact
    one.
    """
    body = find_problem(problem, Problem)
    executor = Executor(**options)
    if body.torque is not None or body.action(dt).field is not FREE:
        raise ValueError(f"this study needs a free body; a torque acts on {body.label}")
    if not body.Omega0.any():
        raise ValueError("a body at rest stays there; give it an angular velocity")
    given = (PRECISION, precision), (SUBSTEPS, substeps)
    changed = {one.name: value for one, value in given if value != one.default}
    rules = [method.with_options(**changed) for method in fitting(body, methods, with_steps)[0]]
    steps = max(1, round(duration / dt))
    every = -(-steps // ROWS)
    rows: list[AfterATime] = []
    ended: dict[str, str] = {}
    finished = False
    with suppress(Cancelled):
        for done, rule in enumerate(rules, start=1):
            run = executor.simulate(body, rule, dt=dt, steps=steps, every=every)
            if run.status != "done":
                ended[rule.given_name] = run.message
            found = sample(run, executor.cancel)
            rows += found
            for row in found[-1:]:
                executor.report(done, len(rules), asdict(row))
        finished = True
    return Rules(problem=body, dt=dt, rows=tuple(rows), ended=ended, finished=finished)


def sample(run: Run, cancel: threading.Event | None = None) -> list[AfterATime]:
    """Return the state of the body at times that lie closer at the beginning."""
    if len(run) < 2:
        return []
    off = error(run, cancel=cancel)
    rows = np.unique(np.rint(np.geomspace(1, len(run) - 1, MARKS)).astype(int))
    return [measure_at(run, off, int(row)) for row in rows]


def measure_at(run: Run, off: Errors, row: int) -> AfterATime:
    """Return the state of the body at this row of its run."""
    shared = off.rows <= row
    moved = Motion(run.t[: row + 1], run.energy[: row + 1], run.pi[: row + 1])
    compared = Comparison(
        off.t[shared],
        run.Pi[off.rows[shared]],
        off.against.Pi[off.reference_rows[shared]],
        off.attitude[shared],
        off.phase_lost,
    )
    return measure_motion(run.method.given_name, run.problem, moved, compared)


class Motion(NamedTuple):
    """The times of a motion, its energies, and its momenta in space."""

    t: Array
    energy: Array
    pi: Array


class Comparison(NamedTuple):
    """A motion beside the exact one at common times: the momenta of both in the body's frame, the angle
    between their attitudes, and when the phase is lost, or NaN.
    """

    t: Array
    Pi: Array
    exact: Array
    attitude: Array
    phase_lost: float


def measure_motion(name: str, body: Problem, moved: Motion, compared: Comparison) -> AfterATime:
    """Return the state of a free body at the end of a motion."""
    lengths = length(moved.pi)
    moments = body.principal[0]
    with np.errstate(invalid="ignore"):  # a body at rest is near no spin
        from_spins = np.abs(moved.energy[-1] * 2 * moments / lengths[-1] ** 2 - 1.0)
    spins = {
        rank for rank, away in zip(rank_moments(moments), from_spins, strict=True) if away < NEAR
    }
    turned = find_turn(moved.pi)
    farthest = {
        rank: math.acos(min(1.0, find_cosines(compared.exact, axis).min()))
        for rank, axis in find_axes(body, compared.exact[0]).items()
    }
    nearest = min(farthest, key=farthest.__getitem__)
    return AfterATime(
        name,
        float(moved.t[-1]),
        energy=float(moved.energy[-1] / moved.energy[0]),
        length=float(lengths[-1] / lengths[0]),
        direction=float(turned[-1]),
        swung=float(turned.max()),
        attitude=float(compared.attitude[-1]),
        phase_lost=compared.phase_lost if compared.phase_lost <= moved.t[-1] else math.nan,
        axis=spins.pop() if len(spins) == 1 else "",
        stopped=find_stop(
            compared.t,
            compared.Pi,
            compared.exact,
            list(find_axes(body, compared.Pi[-1]).values()),
            TURNS * math.tau / float(np.linalg.norm(body.Omega0)),
        ),
        exact_axis=nearest,
        exact_angle=farthest[nearest],
    )


def find_axes(problem: Problem, Pi: Array) -> dict[str, Array]:
    """Return the body's axes by the ranks of their moments. Where moments are equal, every direction
    in the plane or space of their axes is an axis, and this is the nearest to a momentum.
    """
    moments, axes = problem.principal
    ranks = np.array(rank_moments(moments))
    found = {}
    for rank in dict.fromkeys(ranks.tolist()):
        alike = axes[:, ranks == rank]
        along = alike @ (alike.T @ Pi)
        found[rank] = along / length(along) if alike.shape[1] > 1 and along.any() else alike[:, 0]
    return found


def find_cosines(Pi: Array, axis: Array) -> Array:
    """Return the cosines of the angles between vectors and an axis, which has no sense."""
    return np.asarray(np.abs(Pi @ axis) / length(Pi))


def name_axis(problem: Problem, rank: str) -> str:
    """Name a body's axis by the rank of its moment, which several axes may share."""
    if not rank:
        return "one of its axes"
    alone = rank_moments(problem.principal[0]).count(rank) == 1
    return f"{'its' if alone else 'an'} axis of {rank} inertia"


def find_turn(pi: Array) -> Array:
    """Return the angles in radians between a vector in space and the first one."""
    across = length(np.cross(pi[0], pi))
    return np.asarray(np.arctan2(across, pi @ pi[0]))


def find_stop(t: Array, Pi: Array, exact: Array, axes: Sequence[Array], least: float) -> float:
    """Return when a body came to stay near one of these axes (see `AfterATime`), by its momenta, or
    NaN.

    `least` is how long it has to spin near the axis.
    """
    with np.errstate(invalid="ignore"):
        axis = max(axes, key=lambda one: find_cosines(Pi[-1:], one)[0])
        since = find_stretches(find_cosines(Pi, axis) > math.cos(CONE))
    should = find_stretches(find_cosines(exact, axis) > math.cos(CONE))
    longest = max((t[end - 1] - t[first] for first, end in should), default=0.0)
    if (
        not len(since)
        or since[-1][1] < len(t)
        or t[-1] - t[since[-1][0]] <= max(2 * longest, least)
    ):
        return math.nan
    return float(t[since[-1][0]])


def find_stretches(near: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return where each stretch of true values begins and ends."""
    return np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
