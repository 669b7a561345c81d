"""A request to many runs, and how a part of it is answered where the runs are made."""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algorithms.method import Method
from ...cancelling import Cancelled, cancelled
from ...checks import Array
from ...kernels import build
from ...kernels.batch import Batch
from ...kernels.driver import FIRST_BLOCK, Setting
from ...kernels.layout import INERTIA, ONE_BODY, OWN_SIZE, OWN_STEP, OWN_STEPS, PARAMETERS, STATES
from ...onebody.setting import acting, setting_of
from ...plan import Plan
from ...prepared import prepared
from ...problems.problem import FASTEST, Posed, Problem
from ...run import Extrema
from ...simulate import planned, simulate
from ...torque import Called
from ..ensemble import SPREAD, drawn_about
from .axes import Grid, SweptAxis, put_component
from .measures import Measure, OfTheEnd, measured

MISSING, DONE, NO_SOLUTION, DIVERGED, REFUSED, NOT_MEASURED, SKIPPED = range(-1, 6)
STATUS = {
    MISSING: "missing",
    DONE: "done",
    NO_SOLUTION: "no-solution",
    DIVERGED: "diverged",
    REFUSED: "refused",
    NOT_MEASURED: "not-measured",
    SKIPPED: "skipped",
}
"""What became of a point; refused is what no body or method can have, skipped what a refinement had no need of."""
CODES = {word: code for code, word in STATUS.items()}
MOST_KEPT = 10_000
"""Of the problems that a sweep makes; each takes some kilobytes."""
IN_LANES = 16
"""From so many points on they are run side by side, where what is measured allows it."""


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of every point.

    Attributes
    ----------
    problem, methods : to begin with; the points change them.
    measures : what is found of each run.
    setting : dt, duration, steps and what else `simulate` takes, where it is given for all.
    spread : how widely starts are drawn by `seed`, as in an ensemble.
    lanes : whether bodies are run side by side.
    changed : problems that were made for some points, and that others share.
    """

    problem: Posed
    methods: tuple[Method, ...]
    measures: tuple[Measure, ...]
    setting: Mapping[str, Any] = field(default_factory=dict)
    spread: float = SPREAD.default
    lanes: bool = False
    changed: dict[tuple[bytes, ...], Any] = field(default_factory=dict)

    @property
    def shared_by(self) -> str:
        """Along which axes points share the most: starts a kernel's call, or times an exact motion."""
        return "run" if any(one.of is None for one in self.measures) else "start"

    def problem_of(self, group: PointsOfOneKind) -> Any:
        """The problem of these points, made once for all blocks; `ValueError` if there is no such."""
        key = group.key("problem")
        problem = self.changed.get(key)  # another thread may clear it all meanwhile
        if problem is None:
            if len(self.changed) > MOST_KEPT:
                self.changed.clear()
            problem = self.changed[key] = self.problem.replace(**group.changes(self.problem))
        return problem

    def in_lanes(self, grid: Grid) -> bool:
        """Whether kernels of many bodies can answer it, and there are enough of them."""
        return (
            self.problem.space == "so3"
            and len(grid) >= IN_LANES
            and all(one.in_lanes for one in self.measures)
            and build.compiles()
        )


def of_point(request: Request, method: int, point: Grid) -> tuple[Any, Plan]:
    """The problem of a single point, and how it is run; `ValueError` if there is no such."""
    (group,) = _groups(request.methods[method], point)
    problem = request.problem_of(group)
    plan = group.planned(request, problem)
    if group.starts:
        (R0,), (Omega0,) = group.begun(problem, request.spread)
        problem = problem.replace(R0=R0, Omega0=Omega0)
    return problem, plan


class BlockValues(NamedTuple):
    """What was found: of each method and point the status and what was measured; and why points were refused."""

    status: NDArray[np.int8]
    values: dict[str, Array]
    why: tuple[str, ...] = ()


def answered_by_pickle(request: bytes, method: int, grid: Grid) -> BlockValues:
    """As `answered`, in another process."""
    return answered(_unpickled(request), method, grid)


@functools.lru_cache(maxsize=4)
def _unpickled(request: bytes) -> Request:
    found: Request = pickle.loads(request)
    return found


def answered(request: Request, method: int, grid: Grid, cancel: threading.Event | None = None) -> BlockValues:
    """What is found of one method at the points of a grid, flat.

    Raises
    ------
    Cancelled
        If it was cancelled before all of it was answered.
    """
    answer = BlockValues(
        np.full(len(grid), MISSING, np.int8), {m.name: np.full(len(grid), np.nan) for m in request.measures}
    )
    why: dict[str, None] = {}
    together: dict[Any, Together] = {}
    plans: dict[Any, Plan] = {}
    end = OfTheEnd(cancel)
    for group in _groups(request.methods[method], grid):
        if cancelled(cancel):
            raise Cancelled
        try:
            problem, of_run = request.problem_of(group), group.key("run", "method")
            if of_run not in plans:
                plans[of_run] = group.planned(request, problem)
            plan = plans[of_run]
            if request.lanes and plan.method.step is not None:
                action, called = acting(problem, plan.method, plan.dt)
                setting = setting_of(problem, plan.method, action, True, side_by_side=True, varied=True)
                R0, Omega0 = group.begun(problem, request.spread)
                good = np.flatnonzero(_within(group.points, Omega0, answer, why))
                kernel = together.setdefault(id(setting.advance), Together(setting, called, end))
                for some in np.array_split(good, max(1, -(-len(good) // TOGETHER))):
                    kernel.add(group.points[some], R0[some], Omega0[some], problem, setting, plan)
                    if kernel.count >= TOGETHER:
                        why |= dict.fromkeys(kernel.answer(request, answer, cancel))
            else:
                _one_by_one(request, group, problem, plan, answer, why, end, cancel)
        except ValueError as refused:
            answer.status[group.points] = REFUSED
            why[str(refused)] = None
    for kernel in together.values():
        why |= dict.fromkeys(kernel.answer(request, answer, cancel))
    return answer._replace(why=tuple(why)[:MOST_REASONS])


MOST_REASONS = 2
TOGETHER = 8192
"""From so many points on they are run before more are added: side by side a body takes 1.5 kB."""


@dataclass(frozen=True, eq=False)
class PointsOfOneKind:
    """Points that share all but the start.

    Attributes
    ----------
    points : (n,) where they stand in the grid.
    shared : the axes besides those of the start, each with its value here.
    starts : the axes of the start, each with the values of the points.
    """

    method: Method
    points: NDArray[np.intp]
    shared: tuple[tuple[SweptAxis, Any], ...]
    starts: tuple[tuple[SweptAxis, NDArray[Any]], ...]

    def key(self, *whose: str) -> tuple[Any, ...]:
        """The values of the axes of these, as something that can be looked up."""
        return tuple(value.tobytes() for axis, value in self.shared if axis.of in whose)

    def changes(self, problem: Posed) -> dict[str, Any]:
        """In what the problem of these points differs from the one of the request."""
        changes: dict[str, Any] = {}
        for axis, value in self.shared:
            name = axis.parameter.name
            if axis.of != "problem":
                continue
            if axis.component is None:
                changes[name] = _plain(value)
            else:
                whole = np.asarray(changes.get(name, problem.value(name)), float)
                changes[name] = put_component(whole, axis.component, value).tolist()
        return changes

    def planned(self, request: Request, problem: Posed) -> Plan:
        """The method with its options, the step and how many; `ValueError` if there is no such."""
        method, asked = self.method, dict(request.setting)
        for axis, value in self.shared:
            name = axis.parameter.name
            if axis.of == "run":
                asked[name] = _plain(value)
            elif axis.of == "method" and any(option.name == name for option in method.asked):
                method = method.with_options(**{name: _plain(value)})
        lengths = {"dt": None, "duration": None, "steps": None} | asked
        rows = max(one.rows for one in request.measures)
        _, plan = planned(
            problem, method, **lengths, every=None, samples=rows, energy_correction=False, compose=None, options={}
        )
        return plan

    def begun(self, problem: Problem, spread: float) -> tuple[Array, Array]:
        """(n, 3, 3) and (n, 3), how the points start: R0 and Omega0."""
        n = len(self.points)
        R0, Omega0 = np.broadcast_to(problem.R0, (n, 3, 3)), np.broadcast_to(problem.Omega0, (n, 3)).copy()
        Pi0: Array | None = None
        vectors: Array | None = None
        for axis, values in self.starts:
            name, at = axis.parameter.name, axis.component
            if name == "seed":
                drawn = [drawn_about(problem, 2, spread, int(seed)) for seed in values]
                R0, Omega0 = (np.array([one[i][1] for one in drawn]) for i in (0, 1))
            elif name == "R0":
                if at is not None:
                    vectors = np.tile(axis.parameter.kind.fewest(problem.R0), (n, 1)) if vectors is None else vectors
                    vectors[:, at] = values
                else:
                    R0 = np.array([axis.parameter.checked(value.tolist()) for value in values])
            else:
                if name == "Pi0" and Pi0 is None:
                    Pi0 = _seen_from(problem.J, Omega0)
                vector = Omega0 if Pi0 is None else Pi0
                vector[:, slice(None) if at is None else at] = values
        if vectors is not None:
            from scipy.spatial.transform import Rotation

            R0 = Rotation.from_rotvec(vectors).as_matrix()
        if Pi0 is not None:
            Omega0 = np.linalg.solve(problem.J, Pi0[..., None])[..., 0]
        return R0, Omega0


def _groups(method: Method, grid: Grid) -> Iterator[PointsOfOneKind]:
    """The points of a grid, by what they share."""
    shared, starts = list(grid.of("run", "problem", "method")), list(grid.of("start"))
    kinds = np.zeros(len(grid), np.intp)
    for axis, at in shared:
        same = at if grid.product else np.unique(axis.values, axis=0, return_inverse=True)[1].reshape(-1)
        kinds = np.unique(kinds * (same.max(initial=0) + 1) + same, return_inverse=True)[1]
    order = np.argsort(kinds, kind="stable")
    ends = np.flatnonzero(np.diff(kinds[order], append=-1)) + 1
    for begin, end in zip((0, *ends[:-1]), ends, strict=True):
        points = order[begin:end]
        yield PointsOfOneKind(
            method,
            points,
            tuple((axis, axis.values[at[points[0]]]) for axis, at in shared),
            tuple((axis, axis.values[at[points]]) for axis, at in starts),
        )


class Together:
    """Points that one kernel runs side by side, each with its own parameters, step and number of steps."""

    def __init__(self, setting: Setting, called: Called | None, end: OfTheEnd) -> None:
        self._setting, self._called, self._end = setting, called, end
        self._points: list[NDArray[np.intp]] = []
        self._bodies: list[tuple[Problem, Array, Array]] = []
        self._starts: list[Array] = []
        self._own: list[Array] = []

    @property
    def count(self) -> int:
        """How many points there are."""
        return sum(map(len, self._points))

    def add(
        self, points: NDArray[np.intp], R0: Array, Omega0: Array, problem: Problem, setting: Setting, plan: Plan
    ) -> None:
        """More points, of one problem and plan."""
        axes = problem.principal[1]
        own = np.empty((len(points), OWN_SIZE))
        own[:, :PARAMETERS], own[:, OWN_STEP], own[:, OWN_STEPS] = setting.parameters, plan.dt, plan.steps
        self._points.append(points)
        self._bodies += zip([problem] * len(points), R0, Omega0, strict=True)
        self._starts.append(np.concatenate([_seen_from(axes, R0).reshape(-1, 9), _seen_from(axes, Omega0)], axis=1))
        self._own.append(own)

    def answer(self, request: Request, answer: BlockValues, cancel: threading.Event | None) -> list[str]:
        """Find how each ended, its steps, and the extremes of its energy; and what a caller's torque raised.

        After that there are none.
        """
        if not self.count:
            return []
        points, starts = np.concatenate(self._points), np.concatenate(self._starts)
        own, bodies = np.concatenate(self._own), self._bodies
        self._points, self._starts, self._own, self._bodies = [], [], [], []
        order = np.argsort(own[:, OWN_STEPS], kind="stable")  # those that end at the same time beside each other
        points, starts, own, bodies = points[order], starts[order], own[order], [bodies[i] for i in order]
        batch = Batch(
            self._setting, starts, 0.0, self._called.pointers() if self._called is not None else (0, 0), own
        )
        if not batch.advance_here(int(own[:, OWN_STEPS].max()), cancel):
            raise Cancelled
        energy0 = batch.first_energy
        low, high = batch.extremes()
        away = Extrema(low, high, batch.energy).away(energy0) / np.where(energy0 == 0.0, 1.0, np.abs(energy0))
        codes = np.array([CODES.get(word, MISSING) for word in STATES.values()], np.int8)
        status = codes[batch.outcomes.astype(int)]
        answer.status[points] = status
        found = {"energy": away, "steps": batch.steps.astype(float)}
        if any(one.name not in found for one in request.measures):
            found |= self._of_ends(batch, own, bodies, status == DONE, request.measures)
        for one in request.measures:
            answer.values[one.name][points] = np.where((status == DONE) | one.always, found[one.name], np.nan)
        if self._called is None:
            return []
        self._called.look_into(batch.failed)
        return [f"the {self._called.failure.told()}"] if self._called.failure else []

    def _of_ends(
        self,
        batch: Batch,
        own: Array,
        bodies: list[tuple[Problem, Array, Array]],
        done: NDArray[np.bool_],
        measures: tuple[Measure, ...],
    ) -> dict[str, Array]:
        """What is measured of the last states of those that came to their end."""
        R = batch.state(ONE_BODY.at["R"], 9).reshape(-1, 3, 3)
        momenta = own[:, INERTIA : INERTIA + 3] * batch.state(ONE_BODY.at["Omega"], 3)
        pi = (R * momenta[:, None, :]).sum(axis=-1)
        R = R @ np.array([problem.principal[1].T for problem, *_ in bodies])
        found = {"cos_tilt": R[:, 2, 2]}
        if any(one.of is None for one in measures):
            at = np.flatnonzero(done)
            dts, steps = own[at, OWN_STEP], own[at, OWN_STEPS]
            truly = self._end.off([bodies[i] for i in at], steps * dts, dts, R[at], pi[at])
            for name, off in truly.items():
                found[name] = np.full(len(done), np.nan)
                found[name][at] = off
        return found


def _seen_from(axes: Array, vectors: Array) -> Array:
    """Vectors (…, 3) along axes, the columns: the same to the last digit however many there are, as `@` is not."""
    return vectors[..., :1] * axes[0] + vectors[..., 1:2] * axes[1] + vectors[..., 2:] * axes[2]


def _within(points: NDArray[np.intp], Omega0: Array, answer: BlockValues, why: dict[str, None]) -> NDArray[np.bool_]:
    """Which points start at a speed that can be had; the others are refused."""
    good: NDArray[np.bool_] = np.abs(Omega0).max(axis=1) <= FASTEST
    if not good.all():
        answer.status[points[~good]] = REFUSED
        why[f"no component of Omega0 may be beyond {FASTEST:g}"] = None
    return good


def _one_by_one(
    request: Request,
    group: PointsOfOneKind,
    problem: Any,
    plan: Plan,
    answer: BlockValues,
    why: dict[str, None],
    end: OfTheEnd,
    cancel: threading.Event | None,
) -> None:
    """The points of a group one after the other, each with a run of its own."""
    for point, run in _runs(request, group, problem, plan, answer, why, cancel):
        if run.status == "cancelled":
            raise Cancelled
        answer.status[point] = CODES[run.status]
        try:
            values = measured(request.measures, run, problem, end)
        except Cancelled:
            raise
        except Exception as error:  # of a function of the caller's own
            answer.status[point] = NOT_MEASURED
            why[f"{type(error).__name__}: {error}"] = None
            continue
        for one, value in zip(request.measures, values, strict=True):
            answer.values[one.name][point] = value


def _runs(
    request: Request,
    group: PointsOfOneKind,
    problem: Any,
    plan: Plan,
    answer: BlockValues,
    why: dict[str, None],
    cancel: threading.Event | None,
) -> Iterator[tuple[int, Any]]:
    """The runs of a group, each with its point."""
    asked: dict[str, Any] = {"dt": plan.dt, "steps": plan.steps, "every": plan.every}
    if not group.starts:
        run = simulate(problem, plan.method, cancel=cancel, **asked)
        yield from ((int(point), run) for point in group.points)
        return
    R0, Omega0 = group.begun(problem, request.spread)
    good = _within(group.points, Omega0, answer, why)
    quick = None
    if plan.steps <= FIRST_BLOCK[True] and {axis.parameter.name for axis, _ in group.starts} <= {"Omega0", "Pi0"}:
        quick = prepared(problem, plan.method, **asked)
    for point in np.flatnonzero(good):
        Omega = Omega0[point].tolist()
        run = quick and quick(Omega0=Omega)
        if run is None:
            run = simulate(problem.replace(R0=R0[point], Omega0=Omega), plan.method, cancel=cancel, **asked)
        yield int(group.points[point]), run


def _plain(value: Any) -> Any:
    """As `replace` takes it."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
