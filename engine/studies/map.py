"""Maps: one measure over two parameters, coarse first and then ever finer."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.method import Method
from ..charts import Axes, Axis, Chart, Image, bounds
from ..checks import Array
from ..onebody.run import TRACKED_FORCED, TRACKED_FREE
from ..plan import Plan
from ..problems.problem import LONGEST, Problem, find_problem
from ..spec import Number, OneOf, Parameter
from ..wording import sentence, short
from .fitting import fitting
from .result import Result
from .study import DURATION, SHORTER, study
from .sweep import TRIED, Gathered, Sweep, sweep_of
from .sweeps.axes import COMPONENTS, axes_of, title_of
from .sweeps.block import DONE, STATUS, BlockValues, of_point
from .sweeps.measures import MEASURES
from .sweeps.ranges import Varied, read_over
from .sweeps.variables import variables
from .work import Progress

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

LINEAR = ("steps", "torques", "iterations", "period", "flips", "cos_tilt")
"""Measures whose colours go evenly, and not by powers of ten."""
STEPS_OF_A_TRUTH = 10_000
"""About as many steps as an exact motion takes, which all steps and durations share."""
ROUNDOFF = 1e-16
"""Relative errors below this have the first colour."""

ACROSS, UP = (
    Parameter(name, Varied(), f"what is varied {where}, with its values; else {own}", label=label)
    for name, where, own, label in (
        ("across", "from left to right", "the step", "Across"),
        ("up", "from below to above", "the largest component of the angular velocity", "Up"),
    )
)
MEASURE = Parameter(
    "measure",
    OneOf(
        means={name: name for name in MEASURES if name not in ("seconds", *TRACKED_FORCED) or name in TRACKED_FREE},
        words={one.name: one.doc for one in MEASURES.values()},
    ),
    "what is measured",
    "energy",
    label="Measure",
)
LEVEL = Parameter(
    "level",
    Number(-LONGEST, LONGEST),
    "a value at which an edge is drawn; else only where runs begin to fail",
    label="Edge at",
)
ROW = ("method", "across", "x", "up", "y", "measure", "value", "status", "level")


@dataclass(frozen=True, eq=False, repr=False)
class Map(Result):
    """One measure of one method or two over two parameters.

    Attributes
    ----------
    problem, across, up, measure : what was mapped.
    rows : one for each point, as `to_frame` has them.
    found : the same as arrays.
    gone : why it is not all, if the workers went meanwhile; empty if they did not.
    """

    problem: Problem
    across: str
    up: str
    measure: str
    rows: tuple[dict[str, Any], ...]
    found: Gathered
    finished: bool = True
    gone: str = ""

    @functools.cached_property
    def data(self) -> xr.Dataset:
        """All of it as `engine.studies.sweep` returns it."""
        return self.found.asked.dataset(self.found)

    def point(self, method: str, x: float, y: float) -> tuple[Problem, Plan]:
        """The problem of the point nearest to x and y, and how it was run."""
        asked = self.found.asked
        near = [int(np.argmin(np.abs(axis.values - at))) for axis, at in zip(asked.grid.axes, (x, y), strict=True)]
        one = asked.grid.part([slice(i, i + 1) for i in near])
        return of_point(asked.request, [m.label for m in asked.request.methods].index(method), one)

    @property
    def methods(self) -> tuple[str, ...]:
        """The labels of the methods."""
        return tuple(dict.fromkeys(row["method"] for row in self.rows))

    def to_frame(self) -> pd.DataFrame:
        """A row for each point that was measured."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(ROW))

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        gone = [sentence(self.gone)] if self.gone else []
        return " ".join([*gone, *(self._concluded(method) for method in self.methods)])

    def _concluded(self, method: str) -> str:
        rows = [row for row in self.rows if row["method"] == method]
        values = np.array([row["value"] for row in rows if row["status"] == STATUS[DONE]], float)
        values = values[np.isfinite(values)]
        said = f"{method}: {len(values):,} of {len(rows):,} points ran to the end"
        if len(values):
            said += f"; {self.measure} from {short(values.min(), 3)} to {short(values.max(), 3)}, "
            said += f"{short(float(np.median(values)), 3)} in the median"
        return f"{said}."


def steps_of_map(problem: Problem, methods: Sequence[str], values: Mapping[str, Any]) -> float:
    """All points of all methods, each of the duration, with what the exact motion takes where it is needed."""
    lengths: dict[str, Any] = {"dt": problem.dt, "duration": values["duration"], "steps": None}
    points = motions = float(len(methods))
    for text in axes_or_own(problem, values.get("across"), values.get("up")):
        ((name, given),) = read_over(text).items()
        at = np.asarray(Varied.values(given, name))
        points *= len(at)
        if name in lengths and at.dtype.kind in "if":
            lengths[name] = at
        else:
            motions *= len(at)
    run = np.mean(lengths["duration"]) * np.mean(1.0 / np.asarray(lengths["dt"]))
    if lengths["steps"] is not None:
        run = np.mean(lengths["steps"])
    truly = MEASURES[values.get("measure", MEASURE.default)].of is None
    tried = 2 * TRIED * values["duration"] / np.min(lengths["dt"])  # to see how long they take
    return (points + len(methods)) * float(run) + tried + motions * STEPS_OF_A_TRUTH * truly


def drawn(frame: pd.DataFrame) -> Chart:
    """A heat map for each method, with lines where runs begin to fail and where the level is passed."""
    if not len(frame):
        return Chart((), ())
    first = frame.iloc[0]
    x_axis, y_axis = (
        Axis(_label(name), log=_is_log(np.unique(frame[column].to_numpy(float))))
        for name, column in ((first["across"], "x"), (first["up"], "y"))
    )
    about = MEASURES[first["measure"]]
    colours = Axis(about.doc, log=about.name not in LINEAR)
    axes, images = [], []
    ends = _ends(frame["value"].to_numpy(float), colours.log)
    for plot, (method, rows) in enumerate(frame.groupby("method", sort=False)):
        axes.append(Axes(x_axis, y_axis, f"{method}: {about.doc}"))
        x, i = np.unique(rows["x"].to_numpy(float), return_inverse=True)
        y, j = np.unique(rows["y"].to_numpy(float), return_inverse=True)
        values, regions = np.full((len(y), len(x)), np.nan), np.full((len(y), len(x)), np.nan)
        value, level = rows["value"].to_numpy(float), rows["level"].to_numpy(float)
        values[j, i] = value
        above = np.where(np.isnan(level), 0.0, np.where(value > level, 1.0, 0.0))
        regions[j, i] = np.where((rows["status"] == STATUS[DONE]) & ~np.isnan(value), above, -1.0)
        values, regions = _filled(values, regions)
        edges = _edges(x, y, regions, x_axis.log, y_axis.log)
        images.append(Image(str(method), x, y, values, colours, ends, edges, plot))
    return Chart(tuple(axes), (), tuple(images))


@study(
    key="map",
    title="Map",
    sentence="One measure over two parameters, as a picture: where a method is good, and where it fails.",
    arguments=(ACROSS, UP, MEASURE, LEVEL, DURATION),
    fields=(ACROSS, UP, MEASURE, LEVEL, SHORTER),
    example=("NMB",),
    most=2,
    told_by=("method", "x", "y"),
    unit="points",
    steps=steps_of_map,
    eager=True,
    coloured=False,
    chart=drawn,
    presets={
        "How often a tennis racket turns over": {
            "problem": "free",
            "methods": "MR4",
            "J": "1, 2, 2.5",
            "Omega0": "0.01, 1, 0",
            "across": "Omega0.x=log:1e-4:1:60",
            "up": "J.y=1.05:2.45:60",
            "measure": "flips",
            "duration": "100",
        },
        "Where DMV finds no solution, and NMB's energy is off by a hundredth": {
            "problem": "free",
            "methods": "DMV,NMB",
            "across": "dt=log:0.05:3:60",
            "up": "J.z=1:1.95:60",
            "duration": "50",
            "level": "0.01",
        },
        "The energy of tops, by step and spin": {
            "problem": "slow-top",
            "methods": "NMB,MR2",
            "across": "dt=log:0.005:1:80",
            "up": "Omega0.z=1:50:80",
            "duration": "5",
            "level": "0.001",
        },
    },
    place=7,
)
def parameter_map(
    problem: str | Problem,
    methods: str | Sequence[str],
    across: str | None = None,
    up: str | None = None,
    *,
    measure: str = "energy",
    level: float | None = None,
    duration: float | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Map:
    """Measure runs of one method or two over two parameters.

    What is varied is written as in `engine.studies.sweep`: `dt=log:0.01:1:60`, `Omega0.z=1:50:60`, `J.x=0.5:2:40`.
    The points come coarse first: every eighth along each axis, then what lies between. If the workers of an
    executor go meanwhile, what is there is returned, and the conclusion tells.

    Raises
    ------
    ValueError
        For a problem, a method or a parameter that is not known or do not fit.
    """
    body = find_problem(problem)
    chosen, _ = fitting(body, methods)
    over = check_axes(body, chosen, axes_or_own(body, across, up))
    asked = sweep_of(body, chosen, over, measure, {"duration": None if "steps" in over else duration}, 0.01, {})
    names, in_turn = tuple(over), {method.label: i for i, method in enumerate(asked.request.methods)}
    rows: list[dict[str, Any]] = []

    def seen(at: tuple[Any, ...], answer: BlockValues, done: int, total: int) -> None:
        new = list(_rows(asked, at, answer, names, measure, level))
        rows.extend(new)
        if progress is not None:
            for row in new:
                progress(done, total, row)

    found, gone = Gathered(asked), ""
    try:
        asked.found(executor, cancel=cancel, seen=seen, found=found)
    except ConnectionError as error:
        if not rows:
            raise
        gone = str(error)
    rows.sort(key=lambda row: in_turn[row["method"]])  # which came first was the threads' to say
    return Map(body, names[0], names[1], measure, tuple(rows), found, found.finished, gone)


def axes_or_own(problem: Problem, across: str | None = None, up: str | None = None) -> tuple[str, str]:
    """What is varied; where it is not asked for, the step, and the largest component of the angular velocity."""
    there = variables(problem, ())
    spin = f"Omega0.{'xyz'[int(np.argmax(np.abs(problem.Omega0)))]}"
    return across or f"dt={there['dt'].usual}", up or f"{spin}={there[spin].usual}"


def check_axes(problem: Problem, methods: Sequence[Method], texts: Sequence[str]) -> dict[str, str]:
    """Axes with their values; refused if a map of these methods cannot have one, or not all of them."""
    over: dict[str, str] = {}
    for text in texts:
        over |= read_over(text)
    if len(over) < len(texts):
        raise ValueError(f"a map has two parameters; got {next(iter(over))} twice")
    for axis in axes_of(over, problem, methods):
        if axis.values.ndim > 1 or axis.values.dtype.kind not in "iuf":
            raise ValueError(
                f"a map has numbers along its axes, and {axis.name} is no single number; a sweep takes it"
            )
    return over


def _rows(
    asked: Sweep, at: tuple[Any, ...], answer: BlockValues, names: tuple[str, ...], measure: str, level: float | None
) -> Any:
    """A row for each point of an answer."""
    method = asked.request.methods[at[0].start].label
    x, y = (axis.values[which] for axis, which in zip(asked.grid.axes, at[1:], strict=True))
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2).tolist()
    known = {"method": method, "across": names[0], "up": names[1], "measure": measure, "level": level}
    for (a, b), status, value in zip(points, answer.status.tolist(), answer.values[measure].tolist(), strict=True):
        yield known | {"x": a, "y": b, "value": value, "status": STATUS[status]}


def _label(name: str) -> str:
    """What an axis is called: as a form calls the parameter, if all problems have it."""
    whole, _, component = name.partition(".")
    common = {p.name: p for p in Problem.common}
    return title_of(common[whole], COMPONENTS.get(component)) if whole in common else name


def _is_log(places: Array) -> bool:
    """Whether values lie evenly on a logarithmic axis rather than on a linear one."""
    if len(places) < 3 or places[0] <= 0:
        return False
    return bool(
        np.ptp(np.diff(np.log(places))) / np.log(places[-1] / places[0]) < np.ptp(np.diff(places)) / np.ptp(places)
    )


def _ends(values: Array, log: bool) -> tuple[float, float]:
    """From which value to which the colours go; what blows up, which few points do, has the last colour."""
    there = values[np.isfinite(values)]
    if not len(there):
        return (0.1, 1.0) if log else (0.0, 1.0)
    low, high = float(there.min()), float(there.max())
    if log:
        high = min(high, 10.0 * float(np.quantile(there, 0.98)))
        high = max(high, 10.0 * ROUNDOFF)
        return min(max(low, ROUNDOFF), high / 10.0), high
    return low, high if high > low else low + 1.0


def _filled(values: Array, regions: Array) -> tuple[Array, Array]:
    """What was not looked at yet as the nearest place that was."""
    missing = np.isnan(regions)
    if not missing.any():
        return values, regions
    from scipy.ndimage import distance_transform_edt

    nearest = tuple(distance_transform_edt(missing, return_distances=False, return_indices=True))
    return values[nearest], regions[nearest]


def _edges(x: Array, y: Array, regions: NDArray[np.float64], log_x: bool, log_y: bool) -> Array:
    """Segments between cells of different regions."""
    across, up = (bounds(places, log) for places, log in ((x, log_x), (y, log_y)))
    j, i = np.nonzero(regions[:, 1:] != regions[:, :-1])
    upright = np.stack([across[i + 1], up[j], across[i + 1], up[j + 1]], axis=1)
    j, i = np.nonzero(regions[1:] != regions[:-1])
    level = np.stack([across[i], up[j + 1], across[i + 1], up[j + 1]], axis=1)
    return np.concatenate([upright, level])
