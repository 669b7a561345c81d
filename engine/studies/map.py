"""Maps: one measure over two parameters, coarse first and then ever finer."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..algorithms.core.method import Method
from ..parameters.parameter import Number, OneOf, Parameter, index_by_name
from ..parameters.validation import Array
from ..problems.given_rates.given import GivenRates
from ..problems.problem import LONGEST, AnyProblem, Problem, find_problem
from ..simulation import RunRequest
from ..text.formatting import capitalise, finish_sentence, show
from .core import (
    DURATION,
    KINDS,
    OF_TURNING,
    SHORTER,
    Executor,
    ExecutorOptions,
    StudyResult,
    Turning,
    call_by_names,
    fitting,
    study,
)
from .core.charts import Axes, Axis, Chart, Frame, Image, bounds
from .core.result import recognise
from .sweep import count_steps
from .sweeps.axes import COMPONENTS, SweptAxis, Varied, make_axes, read_over, title_of
from .sweeps.block import DONE, MISSING, STATUS, BlockValues, PointBlock, of_point
from .sweeps.measures import MEASURES, choose_measure, list_measures
from .sweeps.runner import Sweep, SweptPoints, describe_outcomes, make_sweep, summarize
from .sweeps.variables import find_variables

if TYPE_CHECKING:
    import xarray as xr

LINEAR = ("steps", "torques", "iterations", "period", "flips", "cos_tilt")
"""Measures whose colours are linear, and not logarithmic."""
ROUNDOFF = 1e-16
"""Relative errors below this have the first colour."""

ACROSS = Parameter(
    "across",
    Varied(),
    "the parameter on the horizontal axis, with its values; by default the step",
    label="Across",
)
UP = Parameter(
    "up",
    Varied(),
    "the parameter on the vertical axis, with its values; by default the largest component of the "
    "angular velocity, or the first number of given rates",
    label="Up",
)
_OF_ALL = {name: one for space in OF_TURNING for name, one in list_measures(space).items()}
MEASURE = Parameter(
    "measure",
    OneOf({name: name for name in _OF_ALL}, {one.name: one.doc for one in MEASURES.values()}),
    "the measure; by default the energy, or the attitude with given rates",
    label="Measure",
)
LEVEL = Parameter(
    "level",
    Number(-LONGEST, LONGEST),
    "a value of the measure: the map draws a line where it is reached. Without it, the line is "
    "where runs begin to fail",
    label="Edge at",
)
COLUMNS = ("method", "across", "x", "up", "y", "measure", "value", "status", "level")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Map(StudyResult):
    """One measure of one method or two over two parameters.

    Attributes
    ----------
    across, up, measure, level : what the map shows.
    sweep, points : the request with its grid, and the values as arrays (methods, across, up).
    lost : why points are missing, if the workers were lost; else empty.
    """

    across: str
    up: str
    measure: str
    level: float | None
    sweep: Sweep
    points: SweptPoints
    lost: str = ""

    @functools.cached_property
    def data(self) -> xr.Dataset:
        """The data set, as `engine.studies.sweep` returns it."""
        return self.sweep.dataset(self.points)

    @property
    def values(self) -> Array:
        """(methods, across, up) the measure; NaN where there is none."""
        return self.points.values[self.measure]

    @property
    def methods(self) -> tuple[str, ...]:
        """The given names of the methods that were measured."""
        measured = (self.points.status != MISSING).any(axis=(1, 2))
        return tuple(name for name, some in zip(self._given_names, measured, strict=True) if some)

    @functools.cached_property
    def _given_names(self) -> list[str]:
        return [m.given_name for m in self.sweep.request.methods]

    def nearest(self, method: str, x: float, y: float) -> tuple[int, int, int] | None:
        """Return the index of the measured point nearest to x and y, or None."""
        m = self._given_names.index(recognise(method, self._given_names, self.problem.space))
        measured = self.points.status[m] != MISSING
        place = [m]
        for axis, at, side in zip(self.sweep.grid.axes, (x, y), (1, 0), strict=True):
            there = np.flatnonzero(measured.any(axis=side))
            if not len(there):
                return None
            place.append(int(there[np.argmin(np.abs(axis.values[there] - at))]))
        m, i, j = place
        return (m, i, j) if measured[i, j] else None

    def place(self, index: tuple[int, int, int]) -> tuple[str, float, float]:
        """Return the method and the numbers x and y of a point."""
        m, *at = index
        x, y = (float(axis.values[i]) for axis, i in zip(self.sweep.grid.axes, at, strict=True))
        return self._given_names[m], x, y

    def look_up(self, index: tuple[int, int, int]) -> tuple[float, str]:
        """Return the value and the status of a point."""
        return float(self.values[index]), STATUS[int(self.points.status[index])]

    def find_extreme(self, largest: bool) -> tuple[str, float, float] | None:
        """Return the method and the place of the largest or the least value, or None if there is
        none.
        """
        if not np.isfinite(self.values).any():
            return None
        finite = np.where(np.isfinite(self.values), self.values, -np.inf if largest else np.inf)
        m, i, j = np.unravel_index((np.argmax if largest else np.argmin)(finite), finite.shape)
        return self.place((int(m), int(i), int(j)))

    def point(self, method: str, x: float, y: float) -> RunRequest:
        """Return the run of the measured point nearest to x and y."""
        index = self.nearest(method, x, y)
        if index is None:
            raise ValueError(f"no point of {method} was measured there")
        m, i, j = index
        return of_point(
            self.sweep.request, m, self.sweep.grid.part([slice(i, i + 1), slice(j, j + 1)])
        )

    def to_frame(self) -> Frame:
        """Return a row for each measured point."""
        import pandas as pd

        m, i, j = np.nonzero(self.points.status != MISSING)
        x, y = (axis.values[at] for axis, at in zip(self.sweep.grid.axes, (i, j), strict=True))
        names = np.array(self._given_names, object)[m]
        status = self.points.status[m, i, j]
        return pd.DataFrame(
            _rows(self, names, x, y, self.values[m, i, j], status), columns=list(COLUMNS)
        )

    def summary_frame(self) -> Frame:
        """Return the least, the median and the largest value of each method."""
        return summarize(self._given_names, self.points.values)

    def chart_frame(self) -> Frame:
        """Return all points."""
        return self.to_frame()

    @property
    def conclusion(self) -> str:
        """How many points of each method ran to the end, and their values."""
        return " ".join(
            filter(None, [self.lost and finish_sentence(self.lost), super().conclusion])
        )

    def _conclude(self, method: str) -> str:
        m = self._given_names.index(method)
        status = self.points.status[m]
        done = status == DONE
        values = self.values[m][done & np.isfinite(self.values[m])]
        outcomes = describe_outcomes(status[status != MISSING])
        return f"{self.names[method]}: {outcomes}.{self._describe_values(values, int(done.sum()))}"

    def _describe_values(self, values: Array, done: int) -> str:
        """Say what the values of one method are, of which there may be fewer than points that are
        done.
        """
        if not done:
            return ""
        what = capitalise(f"{self.measure} error" if self.measure in KINDS else self.measure)
        if not len(values):
            return f" {what}: no point has a value."
        middle, high = (show(float(f(values)), 2) for f in (np.median, np.max))
        low = show(float(values.min()), 2)
        text = f"median {middle}, largest {high}"
        if low == high:
            text = low if len(values) < done else f"{low} at each point"
        some = "" if len(values) == done else f", at {len(values):,} of these points"
        return f" {what}: {text}{some}."

    @classmethod
    def draw_rows(cls, frame: Frame, problem: AnyProblem) -> Chart:
        """Draw rows, whose measure is that of the problem's space."""
        return cls.draw_chart(call_by_names(frame, problem.space), problem)

    @staticmethod
    def draw_chart(frame: Frame, problem: AnyProblem | None = None) -> Chart:
        """Draw a heat map for each method, with lines where runs begin to fail and where the level
        is passed; without a problem, that of a body.
        """
        if not len(frame):
            return Chart((), ())
        first = frame.iloc[0]
        about = list_measures(problem.space if problem else Problem.space)[first["measure"]]
        x_axis, y_axis = (
            Axis(name_axis(name, problem), log=is_log(np.unique(frame[column].to_numpy(float))))
            for name, column in ((first["across"], "x"), (first["up"], "y"))
        )
        colours = Axis(about.doc, log=about.name not in LINEAR)
        axes = []
        images = []
        ends = _ends(frame["value"].to_numpy(float), colours.log)
        for plot, (method, rows) in enumerate(frame.groupby("method", sort=False)):
            axes.append(Axes(x_axis, y_axis, f"{method}: {about.doc}"))
            x, i = np.unique(rows["x"].to_numpy(float), return_inverse=True)
            y, j = np.unique(rows["y"].to_numpy(float), return_inverse=True)
            values = np.full((len(y), len(x)), np.nan)
            regions = np.full((len(y), len(x)), np.nan)
            value = rows["value"].to_numpy(float)
            level = rows["level"].to_numpy(float)
            values[j, i] = value
            above = np.where(np.isnan(level), 0.0, np.where(value > level, 1.0, 0.0))
            regions[j, i] = np.where(
                (rows["status"] == STATUS[DONE]) & ~np.isnan(value), above, -1.0
            )
            values, regions = _fill(values, regions)
            edges = _edges(x, y, regions, x_axis.log, y_axis.log)
            images.append(Image(str(method), x, y, values, colours, ends, edges, plot))
        return Chart(tuple(axes), (), tuple(images))


def _rows(
    found: Map, methods: Any, x: Array, y: Array, value: Array, status: NDArray[np.int8]
) -> dict[str, Any]:
    """Return columns of points, arrays of one length, or one value for all."""
    words = np.array([STATUS[code] for code in range(MISSING, len(STATUS) + MISSING)], object)
    about = {"across": found.across, "up": found.up, "measure": found.measure}
    level = np.nan if found.level is None else found.level
    return about | {
        "method": methods,
        "x": x,
        "y": y,
        "value": value,
        "status": words[status - MISSING],
        "level": level,
    }


def fit_measure(field: Parameter, problem: AnyProblem) -> Parameter:
    """Offer the measures of the problem's space."""
    if field.name != MEASURE.name:
        return field
    measures = list_measures(problem.space)
    kind = OneOf({name: name for name in measures}, {n: one.doc for n, one in measures.items()})
    return replace(field, kind=kind, default=choose_measure(problem))


@study(
    key="map",
    title="Map",
    sentence="One measure over two parameters, as a picture: where a method is accurate, and where "
    "it fails.",
    example=("NMB",),
    most=2,
    row_keys=("method", "x", "y"),
    unit="points",
    coloured=False,
    place=8,
    spaces=OF_TURNING,
    fit_field=fit_measure,
    arguments=(ACROSS, UP, MEASURE, LEVEL, DURATION),
    fields=(ACROSS, UP, MEASURE, LEVEL, SHORTER),
    steps=lambda problem, methods, values: count_steps(
        problem,
        methods,
        values | {"over": _read_axes(axes_or_own(problem, values.get("across"), values.get("up")))},
    ),
)
def parameter_map(
    problem: str | Turning,
    methods: str | Sequence[str],
    across: str | None = None,
    up: str | None = None,
    *,
    measure: str | None = None,
    level: float | None = None,
    duration: float | None = None,
    executor: Any = None,
    **options: Unpack[ExecutorOptions],
) -> Map:
    """Measure runs of one method or two over two parameters.

    Axes are written as in `engine.studies.sweep`: `dt=log:0.01:1:60`, `Omega0.z=1:50:60`,
    `J.x=0.5:2:40`. The points come coarse first: every eighth along each axis, then those between.
    Rows of the progress are columns of points. If the workers are lost, the map has the points
    measured until then, and the conclusion says so.

    Raises
    ------
    ValueError
        For a problem, a method or a parameter that is unknown or does not fit.
    """
    body = find_problem(problem, Problem, GivenRates)
    measure = measure or choose_measure(body)
    execution = Executor(**options)
    chosen, _ = fitting(body, methods)
    over = _read_axes(axes_or_own(body, across, up))
    asked = make_sweep(
        body, chosen, over, measure, {"duration": None if "steps" in over else duration}
    )
    _check_axes(asked.grid.axes, 2)
    points = SweptPoints(asked)
    x_name, y_name = over
    found = Map(
        problem=body,
        across=x_name,
        up=y_name,
        measure=measure,
        level=level,
        sweep=asked,
        points=points,
    )

    def observe(block: PointBlock, values: BlockValues, done: int, total: int) -> None:
        x, y = (
            at.ravel()
            for at in np.meshgrid(*(axis.values for axis in block.grid.axes), indexing="ij")
        )
        name = asked.request.methods[block.method].given_name
        execution.report(
            done, total, _rows(found, name, x, y, values.values[measure], values.status)
        )

    lost = ""
    try:
        asked.run(
            replace(execution, progress=None),
            executor,
            coarse_to_fine=True,
            points=points,
            observe=observe,
        )
    except ConnectionError as error:
        if not found.methods:
            raise
        lost = str(error)
    return replace(found, finished=points.finished, lost=lost)


def axes_or_own(
    problem: AnyProblem, across: str | None = None, up: str | None = None
) -> tuple[str, str]:
    """Return the given axes; by default the step, or the sample rate of a sensor, and the largest
    component of the angular velocity, or the first number of given rates.
    """
    if across and up:
        return across, up
    there = find_variables(problem, ())
    own = "sample_rate" if "sample_rate" in there else "dt"
    if isinstance(problem, Problem):
        number = f"Omega0.{'xyz'[int(np.argmax(np.abs(problem.Omega0)))]}"
    else:
        numbers = (name for name in there if name.partition(".")[0] in problem.values)
        number = next((name for name in numbers if name != own), "duration")
    return across or f"{own}={there[own].usual}", up or f"{number}={there[number].usual}"


def _read_axes(texts: Sequence[str]) -> dict[str, str]:
    return {name: values for text in texts for name, values in read_over(text).items()}


def _check_axes(axes: Sequence[SweptAxis], count: int) -> None:
    """Refuse axes whose values are not single numbers, and fewer than there should be."""
    if len(axes) < count:
        raise ValueError(f"a map has two parameters; got {axes[0].name} twice")
    for axis in axes:
        if axis.values.ndim > 1 or axis.values.dtype.kind not in "iuf":
            raise ValueError(
                f"a map has numbers along its axes, and {axis.name} is no single number; a sweep takes it"
            )


def check_axes(problem: AnyProblem, methods: Sequence[Method], texts: Sequence[str]) -> None:
    """Refuse axes that a map of these methods cannot have."""
    _check_axes(make_axes(_read_axes(texts), problem, methods), len(texts))


def name_axis(name: str, problem: AnyProblem | None) -> str:
    """Return the label of an axis: that of the parameter, if the problem or every body has it."""
    known = problem.declarations if problem else index_by_name(Problem.common)
    whole, _, component = name.partition(".")
    return title_of(known[whole], COMPONENTS.get(component)) if whole in known else name


def is_log(places: Array) -> bool:
    """Return whether values are spaced evenly on a logarithmic axis rather than on a linear one."""
    if len(places) < 3 or places[0] <= 0:
        return False
    return bool(
        np.ptp(np.diff(np.log(places))) / np.log(places[-1] / places[0])
        < np.ptp(np.diff(places)) / np.ptp(places)
    )


def _ends(values: Array, log: bool) -> tuple[float, float]:
    """Return the first and the last value of the colours; the few values that blow up have the last
    colour.
    """
    there = values[np.isfinite(values)]
    if not len(there):
        return (0.1, 1.0) if log else (0.0, 1.0)
    low, high = float(there.min()), float(there.max())
    if log:
        high = min(high, 10.0 * float(np.quantile(there, 0.98)))
        high = max(high, 10.0 * ROUNDOFF)
        return min(max(low, ROUNDOFF), high / 10.0), high
    return low, high if high > low else low + 1.0


def _fill(values: Array, regions: Array) -> tuple[Array, Array]:
    """Fill points that are not measured yet with the nearest that are."""
    missing = np.isnan(regions)
    if not missing.any():
        return values, regions
    from scipy.ndimage import distance_transform_edt

    nearest = tuple(distance_transform_edt(missing, return_distances=False, return_indices=True))
    return values[nearest], regions[nearest]


def _edges(x: Array, y: Array, regions: NDArray[np.float64], log_x: bool, log_y: bool) -> Array:
    """Return segments between cells of different regions."""
    across, up = (bounds(places, log) for places, log in ((x, log_x), (y, log_y)))
    j, i = np.nonzero(regions[:, 1:] != regions[:, :-1])
    upright = np.stack([across[i + 1], up[j], across[i + 1], up[j + 1]], axis=1)
    j, i = np.nonzero(regions[1:] != regions[:-1])
    level = np.stack([across[i], up[j + 1], across[i + 1], up[j + 1]], axis=1)
    return np.concatenate([upright, level])
