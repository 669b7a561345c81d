"""Sweeps: any measure over any parameters, for as many points as it takes, as one labelled data set."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.method import Method, find_method
from ..cancelling import Cancelled, cancelled
from ..compiler.fingerprint import fingerprint
from ..problems.problem import DT, DURATION, Posed, posed
from ..provenance import versions
from ..spec import Number
from .ensemble import SPREAD
from .sweeps import refined
from .sweeps.axes import MOST_POINTS, STEPS, Grid, SweptAxis, axes_of
from .sweeps.block import MISSING, MOST_REASONS, SKIPPED, STATUS, BlockValues, Request, answered
from .sweeps.measures import measures_of
from .sweeps.store import ASKED, ZarrStore, in_blocks, status
from .sweeps.workers import PointBlock, Workers, answers, workers_of
from .work import Progress

if TYPE_CHECKING:
    import xarray as xr

LARGEST_BLOCK = 500_000
"""Points, so that what is sent of a block stays small."""
TRIED = 64
"""Points by which the time of a point is measured before the blocks are cut."""
BLOCKS_A_WORKER = 4
"""At least, as long as blocks are not a handful of points."""


Seen = Callable[[tuple[Any, ...], BlockValues, int, int], Any]
"""Told of each answer as it comes: where it belongs, the answer, how many points are done, and of how many."""


def sweep(
    problem: str | Posed,
    methods: str | Method | Sequence[str | Method],
    *,
    over: Mapping[str, Any] | Any,
    measure: Any = "energy",
    dt: float | str | None = None,
    duration: float | None = None,
    steps: int | None = None,
    spread: float = SPREAD.default,
    executor: Any = None,
    keep: str | Path | None = None,
    refine: Any = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    **options: Any,
) -> xr.Dataset:
    """Measure runs of methods at every point of a grid, or of a list of points.

    Bodies are run side by side, if what is measured is the energy, the steps, or where they end.

    Parameters
    ----------
    problem, methods : keys or aliases, or what `engine.problem` and `engine.algorithm` return.
    over : what is varied: names with their values, of which every combination is run; or a list of points, as a
        pandas table or a list of mappings, all of the same names. A name is `dt`, `duration`, `steps`, a parameter of
        the problem, of which `.x`, `.y` or `.z` is one component (`Omega0.z`, `J.x`), an option of a method, or
        `seed`, which draws a start about the problem's own. Values are a list or an array, of vectors (n, 3), or a
        text like `1:50:100` or `log:1e-3:1:60`.
    measure : names of `engine.studies.MEASURES`, or functions of a run that return a number; one or several.
    dt, duration, steps : of all runs, where they are not varied; the problem's own if they are not given.
    spread : how widely `seed` draws starts, as in `engine.studies.ensemble`.
    executor : None or "threads", "processes", a `concurrent.futures.Executor`, a `dask.distributed.Client`, or the
        address of a Dask scheduler.
    keep : the folder of a Zarr store, in which every block is put as soon as it is there; the same sweep with the
        same folder does only what is missing or damaged, and `sweep.status(folder)` tells how far it is. Several
        processes can work on one folder.
    refine : look closer only along a boundary: "status", or a name that is measured, to separate its values, or a
        name with a level, as in `{"energy": 0.01}`. Cells whose corners lie in one region are not looked into.
    progress : called with (points done, in all).
    cancel : an `engine.Cancellation` or `threading.Event`; what was measured until then is returned.
    **options : of the methods.

    Returns
    -------
    xarray.Dataset
        With the dimensions `method` and the names of `over` (or `point`), a variable for each measure, and `status`:
        a point that has none of a measure has NaN there, and its status says why.

    Raises
    ------
    ValueError
        For what the caller got wrong, in one sentence; what a method does to a body is never an exception.
    OSError, ConnectionError
        If the store cannot be written any more or the cluster has gone; what was kept before stays.
    """
    asked = sweep_of(
        problem, methods, over, measure, {"dt": dt, "duration": duration, "steps": steps}, spread, options
    )
    boundary = asked.boundary(refine)
    return asked.dataset(asked.found(executor, keep, boundary, progress, cancel), boundary)


sweep.status = status  # type: ignore[attr-defined]


def sweep_of(
    problem: Any,
    methods: Any,
    over: Any,
    measure: Any,
    lengths: Mapping[str, Any],
    spread: float,
    options: Mapping[str, Any],
) -> Sweep:
    """The request and its points; `ValueError` for what the caller got wrong."""
    body = posed(problem)
    named = [methods] if isinstance(methods, str | Method) else list(methods)
    chosen = tuple(find_method(m, space=body.space, **options) for m in named)
    if not chosen:
        raise ValueError("give at least one method")
    labels = [m.label for m in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{label} is there twice")
    columns, product = _columns(over)
    grid = Grid(axes_of(columns, body, chosen), product)
    total = len(chosen) * math.prod(grid.shape)
    if total > MOST_POINTS:
        raise ValueError(f"these are {total:,} points; at most {MOST_POINTS:,} can be swept at once")
    swept = {axis.parameter.name for axis in grid.axes}
    taken = {one.name: one for one in (DT, DURATION, STEPS)}
    setting = {name: taken[name].checked(value) for name, value in lengths.items() if value is not None}
    for name in setting:
        if name in swept:
            raise ValueError(f"{name} is swept and given; leave one of them away")
    if {"duration", "steps"} <= {*setting, *(swept & {"duration", "steps"})}:
        raise ValueError("give the duration or the number of steps, not both")
    measures = measures_of(measure, body)
    width = Number(0.0, 10.0).checked(spread, "spread")
    request = Request(body, chosen, measures, setting, width)
    return Sweep(dataclasses.replace(request, lanes=request.in_lanes(grid)), grid)


def _columns(over: Any) -> tuple[Mapping[str, Any], bool]:
    """Names and values, and whether they span a grid; else each row is a point."""
    if hasattr(over, "columns") and hasattr(over, "to_dict"):
        return {str(name): over[name].to_numpy() for name in over.columns}, False
    if isinstance(over, Mapping):
        return over, True
    if isinstance(over, Sequence) and not isinstance(over, str) and all(isinstance(one, Mapping) for one in over):
        names = list(over[0]) if over else []
        if any(list(one) != names for one in over):
            raise ValueError("all points of a list have the same names, in the same order")
        return {name: [one[name] for one in over] for name in names}, False
    raise ValueError("over is a dict of names and values, or a list of points (a pandas table, or a list of dicts)")


class Sweep:
    """A request at every point of a grid.

    Attributes
    ----------
    request, grid : what is asked, and where.
    shape : of what is found: the methods first.
    """

    def __init__(self, request: Request, grid: Grid) -> None:
        self.request, self.grid = request, grid
        self.shape = (len(request.methods), *grid.shape)

    def boundary(self, refine: Any) -> refined.Boundary | None:
        """The boundary that is meant, if one is; `ValueError` where there is none."""
        if refine is None:
            return None
        if not self.grid.product:
            raise ValueError("a list of points has no neighbours between which to refine; sweep a grid")
        return refined.boundary_of(refine, self.request.measures)

    def found(
        self,
        executor: Any = None,
        keep: str | Path | None = None,
        boundary: refined.Boundary | None = None,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
        seen: Seen | None = None,
        found: Gathered | None = None,
    ) -> Gathered:
        """The answer, as arrays. Who wants to see it come has it coarse first and then ever finer.

        `found` is where it goes, for who wants to keep what is there also if the workers go.
        """
        request, found = self.request, Gathered(self) if found is None else found
        with workers_of(executor, request, cancel) as where:
            blocks = (1, *self._block(where, cancel))
            store = None if keep is None else ZarrStore(keep, self.dataset(found, boundary), blocks)
            if store is not None:
                blocks = store.blocks
                found.take(*store.known())
                found.damaged = store.damaged
            find = _Finding(self, where, found, store, progress, cancel, seen)
            if boundary is None and seen is not None:
                find.coarse_to_fine(blocks)
            elif boundary is None:
                find.whole(blocks)
            else:
                found.region = np.full(self.shape, np.nan)
                for m in range(len(request.methods)):
                    find.along(m, boundary, math.prod(blocks))
                if not cancelled(cancel):
                    found.status = refined.skipped(found.status)
        return found

    def _block(self, where: Workers, cancel: threading.Event | None) -> tuple[int, ...]:
        """The size of a block along each axis: about `where.seconds` long, all starts together."""
        if cancelled(cancel):
            return self.grid.shape
        axes, order = self._axes_by_shares()
        middle = [slice(len(axis) // 2, len(axis) // 2 + 1) for axis in axes]
        middle[order[0]] = slice(0, TRIED)
        tried = self.grid.part(middle)
        seconds = math.inf
        for _ in range(2):  # the first compiles
            begun = time.perf_counter()
            try:
                answered(self.request, 0, tried, cancel)
            except Cancelled:
                return self.grid.shape
            seconds = min(seconds, time.perf_counter() - begun)
        a_point = max(seconds / len(tried), 1e-9)
        most = min(where.seconds / a_point, LARGEST_BLOCK, len(self.grid) / (BLOCKS_A_WORKER * where.at_a_time()))
        sizes = [1] * len(axes)
        for i in order:
            sizes[i] = max(1, min(len(axes[i]), int(most)))
            most /= sizes[i]
        return tuple(sizes)

    def _axes_by_shares(self) -> tuple[tuple[SweptAxis, ...], list[int]]:
        """The axes that are cut into blocks, and their numbers: first those along which points share the most."""
        axes = self.grid.axes if self.grid.product else self.grid.axes[:1]
        return axes, sorted(range(len(axes)), key=lambda i: (axes[i].of != self.request.shared_by, -i))

    # ------------------------------------------------------------------ as it is returned

    def dataset(self, found: Gathered, boundary: refined.Boundary | None = None) -> xr.Dataset:
        """What is found so far, labelled."""
        import xarray as xr

        dims = ("method", *self.grid.dims)
        variables: dict[str, Any] = {
            one.name: (dims, found.values[one.name], _attributes(one.doc, one.unit)) for one in self.request.measures
        }
        flags = {"flag_values": np.array(list(STATUS), np.int8), "flag_meanings": " ".join(STATUS.values())}
        variables["status"] = dims, found.status, {"long_name": "what became of the run"} | flags
        if found.region is not None and boundary is not None:
            told = {"long_name": f"region, by {boundary}", "meaning": boundary.meaning}
            variables["region"] = dims, found.region, told
        coordinates: dict[str, Any] = {"method": [m.label for m in self.request.methods]}
        for axis, dim in zip(self.grid.axes, self.grid.dims * len(self.grid.axes), strict=False):
            coordinates |= _coordinates(axis, dim)
        data = xr.Dataset(variables, coordinates)
        data.attrs = self._about(boundary) | {"finished": int(found.finished)}
        if found.why:
            data.attrs["refused"] = "; ".join(list(found.why)[:MOST_REASONS])
        if found.damaged:
            blocks = "1 kept block was" if found.damaged == 1 else f"{found.damaged:,} kept blocks were"
            data.attrs["damaged"] = f"{blocks} damaged, and computed again"
        if boundary is not None:
            data.attrs["runs"] = int((found.status >= 0).sum() - (found.status == SKIPPED).sum())
        return data

    def _about(self, boundary: refined.Boundary | None) -> dict[str, Any]:
        """What was asked, in words, and with what."""
        request = self.request
        told: dict[str, Any] = {
            "problem": request.problem.told(),
            "methods": [m.label for m in request.methods],
            "over": [axis.told() for axis in self.grid.axes],
            "grid": self.grid.product,
            "measure": [one.name for one in request.measures],
            "setting": dict(request.setting),
            "spread": request.spread,
            "refine": None if boundary is None else str(boundary),
            "versions": versions(),
        }
        own = (getattr(request.problem, "torque", None), getattr(request.problem, "potential", None))
        code = (*own, *(m.step or m.solve for m in request.methods), *(one.of for one in request.measures))
        text = json.dumps(told, sort_keys=True, default=str)
        return {
            "title": f"{', '.join(told['methods'])} on {request.problem.name}",
            "problem": request.problem.label,
            "setting": json.dumps({k: v for k, v in told.items() if k != "over"}, default=str),
            ASKED: fingerprint(code, text),
        }


class Gathered:
    """What is found so far, as arrays over methods and points."""

    def __init__(self, asked: Sweep) -> None:
        self.asked = asked
        self.status: NDArray[np.int8] = np.full(asked.shape, MISSING, np.int8)
        self.values = {one.name: np.full(asked.shape, np.nan) for one in asked.request.measures}
        self.region: NDArray[np.float64] | None = None
        self.why: dict[str, None] = {}
        self.damaged = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is missing."""
        return not bool((self.status == MISSING).any())

    def take(self, status: NDArray[np.int8], values: Mapping[str, NDArray[Any]]) -> None:
        """What was found before."""
        self.status[...] = status
        for name, value in values.items():
            self.values[name][...] = value

    def put(self, at: tuple[Any, ...], answer: BlockValues, shape: tuple[int, ...] | None) -> None:
        """One answer: at a part of the grid, or, without a shape, at some of its points."""
        self.why |= dict.fromkeys(answer.why)
        self.status[at] = answer.status if shape is None else answer.status.reshape(shape)
        for name, value in answer.values.items():
            self.values[name][at] = value if shape is None else value.reshape(shape)


class _Finding:
    """The work of one sweep: what is to be answered, and where the answers go."""

    def __init__(
        self,
        asked: Sweep,
        where: Workers,
        found: Gathered,
        store: ZarrStore | None,
        progress: Progress | None,
        cancel: threading.Event | None,
        seen: Seen | None,
    ) -> None:
        self._asked, self._where, self._found, self._store = asked, where, found, store
        self._progress, self._cancel, self._seen = progress, cancel, seen
        self._done = int((found.status != MISSING).sum())
        self._tell()

    def whole(self, blocks: Sequence[int]) -> None:
        """Every point, block by block."""
        self._answer(self._tasks(blocks))

    def coarse_to_fine(self, blocks: Sequence[int]) -> None:
        """Every point: those of a coarse grid first, then what lies between, of all methods alike."""
        shape, most = self._asked.grid.shape, math.prod(blocks)
        whole = [axis.of == "run" and self._asked.request.shared_by == "run" for axis in self._asked.grid.axes]
        self._answer(
            PointBlock(((slice(m, m + 1), *which), (1, *part.shape)), m, part)
            for lattice in refined.lattices(shape)
            for m in range(len(self._asked.request.methods))
            for which in refined.cut(lattice, shape, most, whole)
            for part in [self._asked.grid.part(which)]
        )

    def _tasks(self, blocks: Sequence[int]) -> Iterator[PointBlock]:
        shape = self._asked.shape
        for _, at in in_blocks(shape, blocks):
            if (self._found.status[at] == MISSING).any():
                part = self._asked.grid.part(at[1:])
                yield PointBlock((at, self._found.status[at].shape), at[0].start, part)

    def along(self, method: int, boundary: refined.Boundary, block: int) -> None:
        """The points of one method that a boundary asks for."""
        found, shape = self._found, self._asked.grid.shape
        assert found.region is not None

        def known() -> tuple[Any, dict[str, Any]]:
            return found.status[method], {name: values[method] for name, values in found.values.items()}

        for missing in refined.rounds(shape, boundary, known, found.region[method]):
            parts = np.array_split(missing, -(-len(missing) // max(1, block)))
            self._answer(
                PointBlock(((method, *np.unravel_index(part, shape)), None), method, self._asked.grid.points(part))
                for part in parts
            )
            if cancelled(self._cancel):
                return

    def _answer(self, tasks: Iterator[PointBlock]) -> None:
        for (at, shape), answer in answers(self._where, tasks, self._cancel):
            self._found.put(at, answer, shape)
            if self._store is not None:
                self._store.put(at, answer, shape)
            self._done += len(answer.status)
            if self._seen is not None:
                self._seen(at, answer, self._done, self._found.status.size)
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done, self._found.status.size)


def _attributes(words: str, unit: str) -> dict[str, str]:
    return {"long_name": words} | ({"units": unit} if unit else {})


def _coordinates(axis: SweptAxis, dim: str) -> dict[str, Any]:
    """The values of an axis; vectors by their components."""
    told = _attributes(axis.title, axis.parameter.unit)
    if axis.values.ndim == 1:
        return {axis.name: ((dim,), axis.values, told)}
    letters = "xyz" if axis.values.shape[1] == 3 else [str(i) for i in range(axis.values.shape[1])]
    return {f"{axis.name}.{letter}": ((dim,), axis.values[:, i], told) for i, letter in enumerate(letters)}
