"""Sweeps: any measure over any parameters, for as many points as needed, as one labelled data
set.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.core.method import Method
from ..parameters.names import split_names
from ..parameters.parameter import Number, Parameter, Text, Words
from ..problems.problem import LONGEST, AnyProblem, find_problem
from ..text import SPACES
from ..text.formatting import finish_sentence
from .core import (
    DT,
    DURATION,
    Chart,
    Executor,
    Frame,
    Progress,
    StudyResult,
    study,
)
from .ensemble import SPREAD
from .sweeps.axes import STEPS, Varied, read_columns, read_over
from .sweeps.measures import MEASURES, choose_measure
from .sweeps.runner import TRIED, describe_outcomes, make_sweep, summarize
from .sweeps.store import load, status

if TYPE_CHECKING:
    import xarray as xr

STEPS_OF_AN_EXACT_MOTION = 10_000
"""About as many steps as an exact motion takes, which all steps and durations share."""


@dataclass(frozen=True)
class TextOrValue(Words):
    """A value as `sweep` takes it in Python, or a text to read."""

    read: Callable[[str], Any]
    example: str
    separator: str = ""
    means: Mapping[str, Any] = field(default_factory=dict)
    longest = 100_000

    def check(self, value: Any, name: str) -> object:
        """Read a text."""
        return self.read(value) if isinstance(value, str) else value


def _read_boundary(text: str) -> str | dict[str, float]:
    """Read a name, or a name with a level."""
    name, is_level, level = (part.strip() for part in text.partition("="))
    return {name: Number().parse(level, name)} if is_level else text


OVER = Parameter(
    "over",
    TextOrValue(read_over, "dt=log:1e-3:1:60", ";"),
    "the parameters to vary: names with their values, in every combination; or a list of "
    "points, as a pandas table or a list of mappings, all of the same names. A name is "
    "`dt`, `duration`, `steps`, a parameter of the problem or one component of it "
    "(`Omega0.z`, `J.x`), an option of a method, or `seed`, which draws an initial state "
    "about the problem's own. Values are a list, an array, vectors (n, 3), or a text like "
    "`1:50:100` or `log:1e-3:1:60`",
)
_MEASURE_NAMES = TextOrValue(split_names, "energy,steps", means=dict.fromkeys(MEASURES))
MEASURE = Parameter(
    "measure",
    _MEASURE_NAMES,
    "the measures, one name or several with commas, in Python also functions of a run; by default "
    "the energy, or the attitude with given rates",
)
REFINE = Parameter(
    "refine",
    TextOrValue(_read_boundary, "energy=0.01"),
    'measure closely only along a boundary: "status", the name of a measure, which '
    "separates its values, or a measure with a level, like `energy=0.01`, in Python "
    '`{"energy": 0.01}`. Cells whose corners lie in one region are not split',
)
KEEP = Parameter(
    "keep",
    Text(),
    "a folder, which keeps every block as soon as it is there; with the same folder the sweep "
    "resumes",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SweepResult(StudyResult):
    """The data set of a sweep, as the shell shows and saves it."""

    endings = (".nc", ".csv")
    data: xr.Dataset

    @classmethod
    def wrap(cls, found: Any, problem: str | AnyProblem) -> SweepResult:
        """Return the result with a data set."""
        return cls(
            problem=find_problem(problem), data=found, finished=bool(found.attrs["finished"])
        )

    def to_frame(self) -> Frame:
        """Return a row for each method and point; `method` is the column of methods, as in all
        studies.
        """
        return self.data.to_dataframe().reset_index().rename(columns={"algorithm": "method"})

    def summary_frame(self) -> Frame:
        """Return the least, the median and the largest of each measure."""
        measures = self.data.drop_vars(["status", "region"], errors="ignore")
        values = {str(name): one.values for name, one in measures.data_vars.items()}
        return summarize(self.data["algorithm"].values, values)

    def save(self, path: Path) -> None:
        """Save the data set as NetCDF, or the table as CSV."""
        if path.suffix == ".nc":
            self.data.to_netcdf(path, engine="scipy")
        else:
            super().save(path)

    @property
    def conclusion(self) -> str:
        """How many points ran to the end, and the status of the others."""
        words = f"{describe_outcomes(self.data['status'].values)}."
        attrs = self.data.attrs
        more = (
            finish_sentence(attrs[name][:300]) for name in ("refused", "damaged") if name in attrs
        )
        return " ".join((words, *more))

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw nothing: a sweep may have any number of dimensions."""
        return Chart((), ())


def count_steps(problem: AnyProblem, methods: Sequence[str], values: Mapping[str, Any]) -> float:
    """Count the steps of all points, of those that measure the time of a point, and of exact
    motions if needed.
    """
    over, product = read_columns(OVER.check(values["over"]))
    columns = {
        name: np.asarray(Varied.values(given, name) if isinstance(given, str) else list(given))
        for name, given in over.items()
    }
    lengths: dict[str, Any] = {name: values.get(name) for name in ("dt", "duration", "steps")}
    lengths |= {
        name: at for name, at in columns.items() if name in lengths and at.dtype.kind in "iuf"
    }
    counts = {name: len(at) for name, at in columns.items()}
    points = math.prod(counts.values()) if product else max(counts.values())
    motions = (
        math.prod(n for name, n in counts.items() if name not in lengths) if product else points
    )
    mean = np.mean if product else np.max  # of a list of points the longest run counts
    if lengths["steps"] is None:
        steps = mean(lengths["duration"]) * mean(1.0 / np.asarray(lengths["dt"]))
        most = np.max(lengths["duration"]) / np.min(lengths["dt"])
    else:
        steps = mean(lengths["steps"])
        most = np.max(lengths["steps"])
    measures = values.get("measure", "energy")
    names = (
        [measures]
        if isinstance(measures, str)
        else [one for one in measures if isinstance(one, str)]
    )
    exact = any(name in MEASURES and MEASURES[name].of is None for name in names)
    runs = (points + 1) * float(steps) + motions * STEPS_OF_AN_EXACT_MOTION * exact
    return len(methods) * runs + 2 * TRIED * float(most)


@study(
    key="sweep",
    title="Sweep",
    sentence="Any measure over any parameters: a grid of runs, on this machine or on a Dask "
    "cluster.",
    spaces=tuple(SPACES),
    on_page=False,
    unit="points",
    eager=False,
    coloured=False,
    arguments=(
        OVER,
        MEASURE,
        DT,
        dataclasses.replace(DURATION, kind=Number(0.0, LONGEST)),
        dataclasses.replace(STEPS, doc="the number of steps, instead of a duration"),
        dataclasses.replace(
            SPREAD, doc="how widely `seed` draws initial states, as in `engine.studies.ensemble`"
        ),
        REFINE,
        KEEP,
    ),
    steps=count_steps,
    result_type=SweepResult,
)
def sweep(
    problem: str | AnyProblem,
    methods: str | Method | Sequence[str | Method],
    *,
    over: Mapping[str, Any] | Any,
    measure: Any = None,
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
    """Measure runs of methods at every point of a grid, or of a list of points; `options` are the
    methods'.

    The result has the dimensions `algorithm` and the names of `over` (or `point`), a variable for
    each measure, and `status`: a point without a measure has NaN there, and its status says why.
    Bodies run side by side if the measures are the energy, the steps, or errors at the end; `TAYLOR`
    then makes the steps that it makes in an ensemble.
    `sweep.status(folder)` reports how far a kept sweep is, and `sweep.load` reads it; several
    processes can work on one folder.

    Raises
    ------
    ValueError
        For a mistake of the caller, in one sentence; what a method does to a body is never an
        exception.
    OSError, ConnectionError
        If the store can no longer be written or the cluster is lost; what was kept before stays.
    """
    asked = make_sweep(
        problem,
        methods,
        over,
        choose_measure(find_problem(problem)) if measure is None else measure,
        {"dt": dt, "duration": duration, "steps": steps},
        spread,
        refine,
        **options,
    )
    return asked.dataset(asked.run(Executor(progress, cancel, keep=keep), executor))


sweep.load, sweep.status = load, status  # type: ignore[attr-defined]
