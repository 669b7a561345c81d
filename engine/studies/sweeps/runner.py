"""The runs of a sweep: its points in blocks, measured in order, coarse to fine, or along a
boundary.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...algorithms.core.method import Method, find_method
from ...compiler.fingerprint import fingerprint
from ...kernels import Cancelled
from ...problems.problem import AnyProblem, find_problem
from ...simulation.provenance import collect_versions
from ...text.formatting import format_count
from ..core import Executor, Frame
from ..core.executor import Workers, gather, start_workers
from ..ensemble import SPREAD
from . import refined
from .axes import MOST_POINTS, Grid, SweptAxis, make_axes, read_columns
from .block import MISSING, MOST_REASONS, SKIPPED, STATUS, BlockValues, PointBlock, Request
from .measures import find_measures
from .store import ASKED, SweepStore

if TYPE_CHECKING:
    import xarray as xr

LARGEST_BLOCK = 500_000
"""Points, so that messages stay small."""
TRIED = 64
"""Points that measure the time of a point before the blocks are cut."""
BLOCKS_A_WORKER = 4
"""The fewest, unless blocks would have only a handful of points."""
BlockWorkers = Workers[PointBlock, BlockValues]
Observer = Callable[[PointBlock, BlockValues, int, int], object]
"""Called with each block, its values, the number of points done, and of all."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A request at every point of a grid.

    Attributes
    ----------
    request, grid : what to measure, and where.
    boundary : along which to refine the grid; None to measure all points.
    """

    request: Request
    grid: Grid
    boundary: refined.Boundary | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result: the methods first."""
        return (len(self.request.methods), *self.grid.shape)

    def run(
        self,
        executor: Executor,
        where: Any = None,
        *,
        coarse_to_fine: bool = False,
        points: SweptPoints | None = None,
        observe: Observer | None = None,
    ) -> SweptPoints:
        """Measure the points on the workers of `where`.

        `points` receives the values, for a caller who needs them also if the workers are lost.
        """
        points = SweptPoints(self) if points is None else points
        with start_workers(where, self.request.measure, executor.cancel) as workers:
            sizes = (1, *self._block_sizes(workers, executor))
            store = None
            if executor.keep is not None:
                store = SweepStore(executor.keep, self.dataset(points), sizes)
                sizes = store.blocks
                points.restore(store)
            total = points.status.size
            done = int((points.status != MISSING).sum())
            executor.report(done, total)
            for blocks in self._rounds(points, sizes, coarse_to_fine):
                for block, values in gather(workers, blocks, executor.cancel):
                    points.enter(block, values)
                    if store is not None:
                        store.write(block.at, values)
                    done += len(values.status)
                    if observe is not None:
                        observe(block, values, done, total)
                    executor.report(done, total)
                if executor.is_cancelled:
                    return points
        if self.boundary is not None:
            points.status[points.status == MISSING] = SKIPPED
        return points

    # ------------------------------------------------------------------ blocks

    def _block_sizes(self, workers: BlockWorkers, executor: Executor) -> tuple[int, ...]:
        """Return the size of a block along each axis, for about `workers.seconds`; starts stay
        together.
        """
        if executor.is_cancelled:
            return self.grid.shape
        axes, order = self._axes_by_shares()
        middle = [slice(len(axis) // 2, len(axis) // 2 + 1) for axis in axes]
        middle[order[0]] = slice(0, TRIED)
        tried = PointBlock(0, self.grid.part(middle))
        seconds = math.inf
        for _ in range(2):  # the first compiles
            start = time.perf_counter()
            try:
                self.request.measure(tried, executor.cancel)
            except Cancelled:
                return self.grid.shape
            seconds = min(seconds, time.perf_counter() - start)
        a_point = max(seconds / len(tried.grid), 1e-9)
        most = min(
            workers.seconds / a_point,
            LARGEST_BLOCK,
            len(self.grid) / (BLOCKS_A_WORKER * workers.capacity()),
        )
        sizes = [1] * len(axes)
        for i in order:
            sizes[i] = max(1, min(len(axes[i]), int(most)))
            most /= sizes[i]
        return tuple(sizes)

    def _axes_by_shares(self) -> tuple[tuple[SweptAxis, ...], list[int]]:
        """Return the axes that blocks cut, and their numbers: first those along which points share
        the most.
        """
        axes = self.grid.axes if self.grid.product else self.grid.axes[:1]
        return axes, sorted(
            range(len(axes)), key=lambda i: (axes[i].of != self.request.shared_by, -i)
        )

    def _rounds(
        self, points: SweptPoints, sizes: Sequence[int], coarse_to_fine: bool
    ) -> Iterator[Iterable[PointBlock]]:
        """Yield blocks, each round to be measured before the next."""
        if self.boundary is not None:
            points.region = np.full(self.shape, np.nan)
            for method in range(len(self.request.methods)):
                yield from self._refine(method, points, math.prod(sizes))
        else:
            yield (
                self._coarse_to_fine(math.prod(sizes))
                if coarse_to_fine
                else self._missing(points, sizes)
            )

    def _missing(self, points: SweptPoints, sizes: Sequence[int]) -> Iterator[PointBlock]:
        """Yield the blocks that are not complete."""
        for at in cut_blocks(self.shape, sizes):
            status = points.status[at]
            if (status == MISSING).any():
                yield PointBlock(at[0].start, self.grid.part(at[1:]), at, status.shape)

    def _coarse_to_fine(self, most: int) -> Iterator[PointBlock]:
        """Yield the points of a coarse grid first, then those between, of all methods alike."""
        shape = self.grid.shape
        whole = [axis.of == "run" and self.request.shared_by == "run" for axis in self.grid.axes]
        for lattice in list_lattices(shape):
            for m in range(len(self.request.methods)):
                for which in cut_lattice(lattice, shape, most, whole):
                    part = self.grid.part(which)
                    yield PointBlock(m, part, (slice(m, m + 1), *which), (1, *part.shape))

    def _refine(self, m: int, points: SweptPoints, most: int) -> Iterator[Iterator[PointBlock]]:
        """Yield the points of one method that the boundary needs, round by round."""
        assert self.boundary is not None and points.region is not None
        shape = self.grid.shape

        def get_known() -> tuple[Any, dict[str, Any]]:
            return points.status[m], {name: values[m] for name, values in points.values.items()}

        for missing in refined.refine_cells(shape, self.boundary, get_known, points.region[m]):
            parts = np.array_split(missing, -(-len(missing) // max(1, most)))
            yield (
                PointBlock(m, self.grid.points(part), (m, *np.unravel_index(part, shape)))
                for part in parts
            )

    # ------------------------------------------------------------------ the data set

    def dataset(self, points: SweptPoints) -> xr.Dataset:
        """Return the points as a labelled data set."""
        import xarray as xr

        dims = ("algorithm", *self.grid.dims)
        variables: dict[str, Any] = {
            one.name: (dims, points.values[one.name], _attributes(one.doc, one.unit))
            for one in self.request.measures
        }
        flags = {
            "flag_values": np.array(list(STATUS), np.int8),
            "flag_meanings": " ".join(STATUS.values()),
        }
        variables["status"] = dims, points.status, {"long_name": "status of the run"} | flags
        if points.region is not None and self.boundary is not None:
            about = {"long_name": f"region, by {self.boundary}", "meaning": self.boundary.meaning}
            variables["region"] = dims, points.region, about
        coordinates: dict[str, Any] = {"algorithm": [m.given_name for m in self.request.methods]}
        for axis, dim in zip(self.grid.axes, self.grid.dims * len(self.grid.axes), strict=False):
            coordinates |= _coordinates(axis, dim)
        data = xr.Dataset(variables, coordinates)
        data.attrs = self._describe() | {"finished": int(points.finished)}
        if points.why:
            data.attrs["refused"] = "; ".join(list(points.why)[:MOST_REASONS])
        if points.damaged:
            blocks = (
                "1 kept block was"
                if points.damaged == 1
                else f"{points.damaged:,} kept blocks were"
            )
            data.attrs["damaged"] = f"{blocks} damaged, and computed again"
        if self.boundary is not None:
            data.attrs["runs"] = int((points.status >= 0).sum() - (points.status == SKIPPED).sum())
        return data

    def _describe(self) -> dict[str, Any]:
        """Return the request in words, with its versions and a fingerprint."""
        request = self.request
        about: dict[str, Any] = {
            "problem": request.problem.to_json(),
            "methods": [m.given_name for m in request.methods],
            "over": [axis.to_json() for axis in self.grid.axes],
            "grid": self.grid.product,
            "measure": [one.name for one in request.measures],
            "setting": dict(request.setting),
            "spread": request.spread,
            "refine": None if self.boundary is None else str(self.boundary),
            "versions": collect_versions(),
        }
        own = (
            getattr(request.problem, "torque", None),
            getattr(request.problem, "potential", None),
        )
        code = (*own, *(m.function for m in request.methods), *(one.of for one in request.measures))
        text = json.dumps(about, sort_keys=True, default=str)
        return {
            "title": f"{', '.join(about['methods'])} on {request.problem.name}",
            "problem": request.problem.label,
            "setting": json.dumps({k: v for k, v in about.items() if k != "over"}, default=str),
            ASKED: fingerprint(code, text),
        }


def make_sweep(
    problem: str | AnyProblem,
    methods: str | Method | Sequence[str | Method],
    over: Any,
    measure: Any,
    lengths: Mapping[str, Any],
    spread: float = SPREAD.default,
    refine: Any = None,
    **options: Any,
) -> Sweep:
    """Make a request and its grid; `ValueError` for a mistake of the caller."""
    body = find_problem(problem)
    named = [methods] if isinstance(methods, str | Method) else list(methods)
    chosen = tuple(find_method(m, space=body.space, **options) for m in named)
    if not chosen:
        raise ValueError("give at least one method")
    labels = [m.label for m in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{label} is given twice")
    columns, product = read_columns(over)
    grid = Grid(make_axes(columns, body, chosen), product)
    total = len(chosen) * math.prod(grid.shape)
    if total > MOST_POINTS:
        raise ValueError(
            f"these are {total:,} points; at most {MOST_POINTS:,} can be swept at once"
        )
    swept = {axis.parameter.name for axis in grid.axes}
    setting = {name: value for name, value in lengths.items() if value is not None}
    for name in setting:
        if name in swept:
            raise ValueError(f"{name} is swept and given; drop one of them")
    if {"duration", "steps"} <= {*setting, *(swept & {"duration", "steps"})}:
        raise ValueError("give the duration or the number of steps, not both")
    measures = find_measures(measure, body)
    if refine is not None and not product:
        raise ValueError("a list of points has no neighbours between which to refine; sweep a grid")
    boundary = None if refine is None else refined.find_boundary(refine, measures)
    request = Request(body, chosen, measures, setting, spread)
    return Sweep(dataclasses.replace(request, lanes=request.can_run_in_lanes(grid)), grid, boundary)


def cut_blocks(shape: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[slice, ...]]:
    """Yield the places of blocks of this size in an array of this shape."""
    for begin in np.ndindex(*(-(-n // size) for n, size in zip(shape, sizes, strict=True))):
        yield tuple(
            slice(i * size, min((i + 1) * size, n))
            for i, size, n in zip(begin, sizes, shape, strict=True)
        )


def list_lattices(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Yield parts of a grid, coarse ones first, that together have each point once."""
    strides = [refined.COARSEST if n > 1 else 1 for n in shape]
    yield tuple(slice(0, None, stride) for stride in strides)
    while max(strides) > 1:
        halves = [max(1, stride // 2) for stride in strides]
        for odd in itertools.product((False, True), repeat=len(shape)):
            if any(odd) and not any(o and s == 1 for o, s in zip(odd, strides, strict=True)):
                yield tuple(
                    slice(half if o else 0, None, stride)
                    for o, half, stride in zip(odd, halves, strides, strict=True)
                )
        strides = halves


def cut_lattice(
    lattice: tuple[slice, ...], shape: tuple[int, ...], most: int, whole: Sequence[bool]
) -> Iterator[tuple[slice, ...]]:
    """Cut a part of a grid into blocks of about `size` points, along the longest side that may be
    cut.
    """
    counts = [len(range(*which.indices(n))) for which, n in zip(lattice, shape, strict=True)]
    if 0 in counts:
        return
    longest = max(range(len(counts)), key=lambda i: (counts[i] > 1 and not whole[i], counts[i]))
    begin, end, stride = lattice[longest].indices(shape[longest])
    at_a_time = max(1, most * counts[longest] // math.prod(counts)) * stride
    for first in range(begin, end, at_a_time):
        which = list(lattice)
        which[longest] = slice(first, min(first + at_a_time, end), stride)
        yield tuple(which)


class SweptPoints:
    """The measurements so far, as arrays over methods and points.

    Attributes
    ----------
    status : codes, int8.
    values : of each measure.
    region : of a refined sweep; else None.
    why : reasons of refused points.
    damaged : how many kept blocks were damaged.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.status: NDArray[np.int8] = np.full(sweep.shape, MISSING, np.int8)
        self.values = {one.name: np.full(sweep.shape, np.nan) for one in sweep.request.measures}
        self.region: NDArray[np.float64] | None = None
        self.why: dict[str, None] = {}
        self.damaged = 0

    @property
    def finished(self) -> bool:
        """Whether no point is missing."""
        return not bool((self.status == MISSING).any())

    def restore(self, store: SweepStore) -> None:
        """Read what a store keeps."""
        status, values = store.load()
        self.status[...] = status
        for name, value in values.items():
            self.values[name][...] = value
        self.damaged = store.damaged

    def enter(self, block: PointBlock, found: BlockValues) -> None:
        """Enter the values of a block."""
        self.why |= dict.fromkeys(found.why)
        shape = found.status.shape if block.shape is None else block.shape
        self.status[block.at] = found.status.reshape(shape)
        for name, value in found.values.items():
            self.values[name][block.at] = value.reshape(shape)


def describe_outcomes(codes: NDArray[np.integer]) -> str:
    """Say how many points ran to the end, and what became of the others, by their status."""
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    done = f"{counts.pop('done'):,} of {format_count(codes.size, 'point')} ran to the end"
    rest = [
        f"{count:,} {word.replace('no-', 'without a ').replace('-', ' ')}"
        for word, count in counts.items()
        if count
    ]
    return "; ".join(filter(None, [done, ", ".join(rest)]))


def summarize(methods: Iterable[str], values: Mapping[str, NDArray[np.float64]]) -> Frame:
    """Return for each method and measure the number of points that have it, the least, the median
    and the largest.

    `values` has an array over methods and points for each measure.
    """
    import pandas as pd

    rows = []
    for i, method in enumerate(methods):
        for name, of_all in values.items():
            known = of_all[i][~np.isnan(of_all[i])]
            figures = [
                float(f(known)) if len(known) else math.nan for f in (np.min, np.median, np.max)
            ]
            rows.append([str(method), name, len(known), *figures])
    return pd.DataFrame(rows, columns=["method", "measure", "points", "least", "median", "largest"])


def _attributes(words: str, unit: str) -> dict[str, str]:
    return {"long_name": words} | ({"units": unit} if unit else {})


def _coordinates(axis: SweptAxis, dim: str) -> Mapping[str, Any]:
    """Return the values of an axis; vectors by their components."""
    about = _attributes(axis.title, axis.parameter.unit)
    if axis.values.ndim == 1:
        return {axis.name: ((dim,), axis.values, about)}
    letters = "xyz" if axis.values.shape[1] == 3 else [str(i) for i in range(axis.values.shape[1])]
    return {
        f"{axis.name}.{letter}": ((dim,), axis.values[:, i], about)
        for i, letter in enumerate(letters)
    }
