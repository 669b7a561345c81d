"""Blocks of a sweep: the request, and the runs of one method at some points, made where the workers
are.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algorithms.core import Method
from ...kernels import FIRST_BLOCK, Called, Cancelled, ReadyKernel, compiles, is_cancelled, layout
from ...kernels.batch import Batch
from ...parameters.validation import Array
from ...problems.problem import FASTEST, AnyProblem, Problem, find_problem
from ...simulation import (
    AnyRun,
    RunRequest,
    Steps,
    find_action,
    make_request,
    prepare_kernel,
    prepared,
    simulate,
)
from ...text.formatting import show
from ..ensemble import SPREAD, draw_starts
from .axes import Grid, SweptAxis, put_component
from .measures import EndErrors, Measure, evaluate

STATUS = dict(
    enumerate(
        ("missing", "done", "no-solution", "diverged", "refused", "not-measured", "skipped"),
        start=-1,
    )
)
"""The status of a point: refused if no body or method can have it, skipped if a refinement did not
need it.
"""
MISSING, DONE, NO_SOLUTION, DIVERGED, REFUSED, NOT_MEASURED, SKIPPED = STATUS
CODES = {word: code for code, word in STATUS.items()}
MOST_KEPT = 10_000
"""The most problems that a sweep keeps; each takes some kilobytes."""
IN_LANES = 16
"""The number of points from which bodies run side by side, if the measures allow it."""


@dataclass(frozen=True, eq=False)
class Request:
    """The runs of a sweep and what to measure.

    Attributes
    ----------
    problem, methods : of all points, which change them.
    measures : of each run.
    setting : dt, duration and steps, where all points share them.
    spread : of the initial states that `seed` draws, as in an ensemble.
    lanes : whether bodies run side by side.
    changed : the problems of points, which other points share.
    """

    problem: AnyProblem
    methods: tuple[Method, ...]
    measures: tuple[Measure, ...]
    setting: Mapping[str, Any] = field(default_factory=dict)
    spread: float = SPREAD.default
    lanes: bool = False
    changed: dict[tuple[bytes, ...], Any] = field(default_factory=dict)

    @property
    def shared_by(self) -> str:
        """The axes along which points share the most: starts share the call of a kernel, times an
        exact motion.
        """
        return "run" if any(one.of is None for one in self.measures) else "start"

    def problem_of(self, group: PointsOfOneKind) -> AnyProblem:
        """Return the problem of these points, made once for all blocks; `ValueError` if no body is
        like that.
        """
        key = group.key("problem")
        problem = self.changed.get(key)  # another thread may clear it all meanwhile
        if problem is None:
            if len(self.changed) > MOST_KEPT:
                self.changed.clear()
            changes = group.changes(self.problem)
            problem = self.changed[key] = find_problem(self.problem, **changes)
        return problem

    def measure(self, block: PointBlock, cancel: threading.Event | None = None) -> BlockValues:
        """Measure a block; the values are flat.

        Raises
        ------
        Cancelled
            If it is cancelled on the way.
        """
        return _Block(self, self.methods[block.method], block.grid, cancel).measure()

    def can_run_in_lanes(self, grid: Grid) -> bool:
        """Return whether kernels of many bodies can run the points, and there are enough of
        them.
        """
        return (
            self.problem.space == "so3"
            and len(grid) >= IN_LANES
            and all(one.in_lanes for one in self.measures)
            and compiles()
        )


class PointBlock(NamedTuple):
    """A part of a sweep: a method, by its number, at the points of a grid, which stand `at` a place
    of the result.

    `shape` is that of the place, None if `at` lists single points.
    """

    method: int
    grid: Grid
    at: tuple[Any, ...] = ()
    shape: tuple[int, ...] | None = None


def of_point(request: Request, method: int, point: Grid) -> RunRequest:
    """Return the run of a single point; `ValueError` if no body or method is like that."""
    (group,) = _groups(request.methods[method], point)
    problem = request.problem_of(group)
    plan = group.plan_run(request, problem)
    if isinstance(problem, Problem) and group.starts:
        (R0,), (Omega0,) = group.make_starts(problem, request.spread)
        plan = dataclasses.replace(plan, problem=problem.replace(R0=R0, Omega0=Omega0))
    return plan


class BlockValues(NamedTuple):
    """The status and the measures of points, and why some were refused."""

    status: NDArray[np.int8]
    values: dict[str, Array]
    why: tuple[str, ...] = ()


MOST_REASONS = 2
TOGETHER = 8192
"""So many points run before more are added: side by side a body takes 1.5 kB."""


@dataclass(frozen=True, eq=False)
class PointsOfOneKind:
    """Points that share all but the initial state.

    Attributes
    ----------
    points : (n,) places in the grid.
    shared : the axes besides those of the initial state, each with its value here.
    starts : the axes of the initial state, each with the values of the points.
    """

    method: Method
    points: NDArray[np.intp]
    shared: tuple[tuple[SweptAxis, Any], ...]
    starts: tuple[tuple[SweptAxis, NDArray[Any]], ...]

    def key(self, *whose: str) -> tuple[Any, ...]:
        """Return the values of these axes as a key."""
        return tuple(value.tobytes() for axis, value in self.shared if axis.of in whose)

    def changes(self, problem: AnyProblem) -> dict[str, Any]:
        """Return how the problem of these points differs from that of the request."""
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

    def plan_run(self, request: Request, problem: AnyProblem) -> RunRequest:
        """Return the method with its options, the step and how many; `ValueError` if they do not
        fit.
        """
        method = self.method
        setting = dict(request.setting)
        for axis, value in self.shared:
            name = axis.parameter.name
            if axis.of == "run":
                setting[name] = _plain(value)
            elif axis.of == "method" and any(option.name == name for option in method.all_options):
                method = method.with_options(**{name: _plain(value)})
        rows = max(one.rows for one in request.measures)
        return make_request(problem, method, Steps(**setting, samples=rows))

    def make_starts(self, problem: Problem, spread: float) -> tuple[Array, Array]:
        """Return R0 (n, 3, 3) and Omega0 (n, 3) of the points."""
        n = len(self.points)
        R0, Omega0 = (
            np.broadcast_to(problem.R0, (n, 3, 3)),
            np.broadcast_to(problem.Omega0, (n, 3)).copy(),
        )
        Pi0: Array | None = None
        vectors: Array | None = None
        for axis, values in self.starts:
            name = axis.parameter.name
            at = axis.component
            if name == "seed":
                drawn = [draw_starts(problem, 2, spread, int(seed)) for seed in values]
                R0, Omega0 = (np.array([one[i][1] for one in drawn]) for i in (0, 1))
            elif name == "R0":
                if at is not None:
                    vectors = (
                        np.tile(np.asarray(axis.parameter.kind.reduce(problem.R0)), (n, 1))
                        if vectors is None
                        else vectors
                    )
                    vectors[:, at] = values
                else:
                    R0 = np.array([axis.parameter.check(value.tolist()) for value in values])
            else:
                if name == "Pi0" and Pi0 is None:
                    Pi0 = _project(problem.J, Omega0)
                vector = Omega0 if Pi0 is None else Pi0
                vector[:, slice(None) if at is None else at] = values
        if vectors is not None:
            from scipy.spatial.transform import Rotation

            R0 = Rotation.from_rotvec(vectors).as_matrix()
        if Pi0 is not None:
            Omega0 = np.linalg.solve(problem.J, Pi0[..., None])[..., 0]
        return R0, Omega0


def _groups(method: Method, grid: Grid) -> Iterator[PointsOfOneKind]:
    """Group the points of a grid by what they share."""
    shared = list(grid.of("run", "problem", "method"))
    starts = list(grid.of("start"))
    kinds = np.zeros(len(grid), np.intp)
    for axis, at in shared:
        same = (
            at
            if grid.product
            else np.unique(axis.values, axis=0, return_inverse=True)[1].reshape(-1)
        )
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


class _Together:
    """Points that one kernel runs side by side, each with its own parameters, step and number of
    steps.
    """

    def __init__(self, kernel: ReadyKernel, called: Called | None) -> None:
        self._kernel = kernel
        self.called = called
        self._parts: list[tuple[Any, ...]] = []
        self._bodies: list[tuple[Problem, Array, Array]] = []

    def __len__(self) -> int:
        return len(self._bodies)

    def add(
        self, points: NDArray[np.intp], R0: Array, Omega0: Array, body: Problem, own: Array
    ) -> None:
        """Add points of one problem with their own numbers."""
        axes = body.principal[1]
        starts = np.concatenate([_project(axes, R0).reshape(-1, 9), _project(axes, Omega0)], axis=1)
        self._parts.append((points, starts, np.broadcast_to(own, (len(points), layout.OWN_SIZE))))
        self._bodies += zip([body] * len(points), R0, Omega0, strict=True)

    def run(
        self, cancel: threading.Event | None
    ) -> tuple[NDArray[np.intp], Batch, Array, list[tuple[Problem, Array, Array]]]:
        """Run the points and remove them; return them with their batch, their own numbers and
        bodies.
        """
        points, starts, own = (np.concatenate(one) for one in zip(*self._parts, strict=True))
        order = np.argsort(
            own[:, layout.OWN_STEPS], kind="stable"
        )  # those that end at the same time are neighbours
        own = own[order]
        bodies = [self._bodies[i] for i in order]
        self._parts = []
        self._bodies = []
        pointers = self.called.pointers() if self.called is not None else (0, 0)
        batch = Batch(self._kernel, starts[order], 0.0, pointers, own)
        if not batch.advance_here(int(own[:, layout.OWN_STEPS].max()), cancel):
            raise Cancelled
        return points[order], batch, own, bodies


class _Block:
    """The measurement of one method at the points of a grid."""

    def __init__(
        self, request: Request, method: Method, grid: Grid, cancel: threading.Event | None
    ) -> None:
        self._request = request
        self._method = method
        self._grid = grid
        self._cancel = cancel
        self._status = np.full(len(grid), MISSING, np.int8)
        self._values = {one.name: np.full(len(grid), np.nan) for one in request.measures}
        self._why: dict[str, None] = {}
        self._end = EndErrors(cancel)

    def measure(self) -> BlockValues:
        """Run and measure all points."""
        request = self._request
        together: dict[Any, _Together] = {}
        plans: dict[Any, RunRequest] = {}
        for group in _groups(self._method, self._grid):
            if is_cancelled(self._cancel):
                raise Cancelled
            try:
                problem = request.problem_of(group)
                of_run = group.key("run", "method")
                if of_run not in plans:
                    plans[of_run] = group.plan_run(request, problem)
                fits = plans[of_run].method.fits_lanes
                if request.lanes and fits and isinstance(problem, Problem):
                    self._gather(group, problem, plans[of_run], together)
                else:
                    self._run_one_by_one(group, problem, plans[of_run])
            except ValueError as refused:
                self._refuse(group.points, str(refused))
        for kernel in filter(len, together.values()):
            self._run_together(kernel)
        return BlockValues(self._status, self._values, tuple(self._why)[:MOST_REASONS])

    def _refuse(self, points: NDArray[np.intp], reason: str) -> None:
        self._status[points] = REFUSED
        self._why[reason] = None

    def _make_starts(
        self, group: PointsOfOneKind, problem: Problem
    ) -> tuple[NDArray[np.intp], Array, Array]:
        """Return the points with an allowed speed, R0 and Omega0; refuse the others."""
        R0, Omega0 = group.make_starts(problem, self._request.spread)
        good = np.abs(Omega0).max(axis=1) <= FASTEST
        if not good.all():
            self._refuse(
                group.points[~good], f"no component of Omega0 may be beyond {show(FASTEST)}"
            )
        return group.points[good], R0[good], Omega0[good]

    # ------------------------------------------------------------------ side by side

    def _gather(
        self,
        group: PointsOfOneKind,
        problem: Problem,
        plan: RunRequest,
        together: dict[Any, _Together],
    ) -> None:
        """Add points to those of their kernel, and run these when they are many. A method that chooses
        its steps has the same tolerances for all.
        """
        action, called = find_action(problem, plan.method, plan.dt)
        kernel = prepare_kernel(problem, plan.method, action, True, side_by_side=True, varied=True)
        points, R0, Omega0 = self._make_starts(group, problem)
        shared = slice(layout.OPTION_NUMBERS, layout.STOPS if plan.method.adaptive else 0)
        key = id(kernel.advance), kernel.parameters[shared].tobytes()
        gathered = together.setdefault(key, _Together(kernel, called))
        own = np.empty(layout.OWN_SIZE)
        own[: layout.PARAMETERS] = kernel.parameters
        own[layout.OWN_STEP] = plan.dt
        own[layout.OWN_STEPS] = plan.steps
        for some in np.array_split(np.arange(len(points)), max(1, -(-len(points) // TOGETHER))):
            gathered.add(points[some], R0[some], Omega0[some], problem, own)
            if len(gathered) >= TOGETHER:
                self._run_together(gathered)

    def _run_together(self, gathered: _Together) -> None:
        """Run points side by side, and enter their measures."""
        points, batch, own, bodies = gathered.run(self._cancel)
        energy0 = batch.first_energy
        away = batch.extremes().away(energy0) / np.where(energy0 == 0.0, 1.0, np.abs(energy0))
        codes = np.array([CODES.get(word, MISSING) for word in layout.STATES.values()], np.int8)
        status = codes[batch.outcomes.astype(int)]
        self._status[points] = status
        steps = batch.own_steps if self._method.adaptive else batch.steps
        found = {"energy": away, "steps": steps.astype(float)}
        if any(one.name not in found for one in self._request.measures):
            found |= self._measure_ends(batch, own, bodies, status == DONE)
        for one in self._request.measures:
            self._values[one.name][points] = np.where(
                (status == DONE) | one.always, found[one.name], np.nan
            )
        if gathered.called is not None:
            failure = gathered.called.describe_failure(batch.failed)
            if failure:
                self._why[f"the {failure}"] = None

    def _measure_ends(
        self,
        batch: Batch,
        own: Array,
        bodies: list[tuple[Problem, Array, Array]],
        done: NDArray[np.bool_],
    ) -> dict[str, Array]:
        """Measure the last states of the runs that reached their end."""
        R = batch.state(layout.ONE_BODY.at["R"], 9).reshape(-1, 3, 3)
        momenta = own[:, layout.INERTIA : layout.INERTIA + 3] * batch.state(
            layout.ONE_BODY.at["Omega"], 3
        )
        pi = (R * momenta[:, None, :]).sum(axis=-1)
        figure_axis = own[:, layout.FIGURE_AXIS : layout.FIGURE_AXIS + 3]
        found = {"cos_tilt": (R[:, 2] * figure_axis).sum(axis=-1)}
        R = R @ np.array([problem.principal[1].T for problem, *_ in bodies])
        if any(one.of is None for one in self._request.measures):
            at = np.flatnonzero(done)
            dts = own[at, layout.OWN_STEP]
            steps = own[at, layout.OWN_STEPS]
            errors = self._end.errors([bodies[i] for i in at], steps * dts, dts, R[at], pi[at])
            for name, error in errors.items():
                found[name] = np.full(len(done), np.nan)
                found[name][at] = error
        return found

    # ------------------------------------------------------------------ one by one

    def _run_one_by_one(self, group: PointsOfOneKind, problem: Any, plan: RunRequest) -> None:
        """Run and measure the points of a group one after the other."""
        for point, run in self._runs(group, problem, plan):
            if run.status == "cancelled":
                raise Cancelled
            self._status[point] = CODES[run.status]
            try:
                values = evaluate(self._request.measures, run, problem, self._end)
            except Cancelled:
                raise
            except Exception as error:  # of a custom measure
                self._status[point] = NOT_MEASURED
                self._why[f"{type(error).__name__}: {error}"] = None
                continue
            for one, value in zip(self._request.measures, values, strict=True):
                self._values[one.name][point] = value

    def _runs(
        self, group: PointsOfOneKind, problem: Any, plan: RunRequest
    ) -> Iterator[tuple[int, AnyRun]]:
        """Yield the runs of a group, each with its point."""
        setting: dict[str, Any] = {"dt": plan.dt, "steps": plan.steps, "every": plan.every}
        if not group.starts:
            once = simulate(problem, plan.method, cancel=self._cancel, **setting)
            yield from ((int(point), once) for point in group.points)
            return
        quick = None
        if plan.steps <= FIRST_BLOCK[True] and {
            axis.parameter.name for axis, _ in group.starts
        } <= {"Omega0", "Pi0"}:
            quick = prepared(problem, plan.method, **setting)
        for point, R0, Omega0 in zip(*self._make_starts(group, problem), strict=True):
            Omega = Omega0.tolist()
            run = quick(Omega0=Omega) if quick else None
            if run is None:
                changed = problem.replace(R0=R0, Omega0=Omega)
                run = simulate(changed, plan.method, cancel=self._cancel, **setting)
            yield int(point), run


def _project(axes: Array, vectors: Array) -> Array:
    """Return the components of vectors (…, 3) along axes, the columns.

    Unlike those of `@`, the last digits do not depend on how many vectors there are.
    """
    x, y, z = (vectors[..., i : i + 1] * axes[i] for i in range(3))
    return x + y + z


def _plain(value: Any) -> Any:
    """Return a value as `replace` takes it."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
