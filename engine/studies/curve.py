"""Curves: one measure over one parameter, for each method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Unpack

import numpy as np

from ..algorithms.core.method import Method
from ..problems.given_rates.given import GivenRates
from ..problems.problem import AnyProblem, Problem, find_problem
from ..text.formatting import show
from .core import (
    DURATION,
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
from .core.charts import Axes, Axis, Chart, Frame, draw_by_method
from .core.placement import draw_slopes
from .map import (
    ACROSS,
    LINEAR,
    MEASURE,
    axes_or_own,
    check_axes,
    fit_measure,
    is_log,
    name_axis,
)
from .sweep import count_steps
from .sweeps.axes import read_over
from .sweeps.block import MISSING, STATUS, BlockValues, PointBlock
from .sweeps.measures import choose_measure, list_measures
from .sweeps.runner import SweptPoints, describe_outcomes, make_sweep

STRAIGHT = 0.05
"""The largest root mean square of decimal logarithms about a line that is called a power."""
LEAST = 0.5
"""The least power that is one; a smaller one is that of a measure that hardly changes."""
FEWEST = 5
"""Points of a power."""


@dataclass(frozen=True)
class PointOfCurve:
    """One run: its method, the parameter's value, and the measure."""

    method: str
    parameter: str
    x: float
    measure: str
    value: float
    status: str


class Power(NamedTuple):
    """The power of a parameter that a measure follows, and from which value on; whether that is a
    part of the curve.
    """

    value: float
    since: float
    is_part: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curves(StudyResult):
    """One measure of methods over one parameter.

    Attributes
    ----------
    across, measure : the parameter and what was measured.
    points : a row for each method and value.
    """

    table = "points", PointOfCurve
    across: str
    measure: str
    points: tuple[PointOfCurve, ...]

    def power(self, method: str | Method) -> Power | None:
        """Fit the power of the parameter that the measure follows, perhaps from some value on; None
        if it follows none.
        """
        x, y = np.array([(row.x, row.value) for row in self.of(method)]).T
        known = np.isfinite(y) & (y > 0.0) & (x > 0.0)
        x, y = np.log10(x[known]), np.log10(y[known])
        for first in range(len(x) - FEWEST + 1):
            part = slice(first, None)
            power, height = np.polyfit(x[part], y[part], 1)
            off = y[part] - height - power * x[part]
            if math.sqrt(float(np.mean(off**2))) <= STRAIGHT:
                if abs(power) < LEAST:
                    return None
                return Power(float(power), float(10.0 ** x[first]), first > 0)
        return None

    def _conclude(self, method: str) -> str:
        rows = self.of(method)
        codes = {word: code for code, word in STATUS.items()}
        outcomes = describe_outcomes(np.array([codes[row.status] for row in rows]))
        text = f"{self.names[method]}: {outcomes}."
        power = self.power(method)
        if power is not None:
            since = f" from {show(power.since, 2)} on" if power.is_part else ""
            text += f" The {self.measure} follows the power {show(power.value, 2)} of {self.across}{since}."
        return text

    @classmethod
    def draw_rows(cls, frame: Frame, problem: AnyProblem) -> Chart:
        """Draw a curve for each method, and slopes on logarithmic axes."""
        return cls.draw_chart(call_by_names(frame, problem.space), problem)

    @classmethod
    def draw_chart(cls, frame: Frame, problem: AnyProblem | None = None) -> Chart:
        """Draw a curve for each method; without a problem, the axes have the names of the columns."""
        if not len(frame):
            return Chart((), ())
        frame = frame.sort_values("x", kind="stable")
        first = frame.iloc[0]
        label, about = first["parameter"], first["measure"]
        if problem is not None:
            label = name_axis(label, problem)
            about = list_measures(problem.space)[about].doc
        across = Axis(label, log=is_log(np.unique(frame["x"].to_numpy(float))))
        up = Axis(about, log=first["measure"] not in LINEAR)
        chart = draw_by_method(frame, [(Axes(across, up), "x", "value")])
        return chart.with_guides(*draw_slopes(chart))


@study(
    key="curve",
    title="One parameter",
    sentence="One measure over one parameter: a curve for each method.",
    row_keys=("method", "x"),
    unit="points",
    place=7,
    spaces=OF_TURNING,
    fit_field=fit_measure,
    arguments=(ACROSS, MEASURE, DURATION),
    fields=(ACROSS, MEASURE, SHORTER),
    steps=lambda problem, methods, values: count_steps(
        problem,
        methods,
        values | {"over": read_over(axes_or_own(problem, values.get("across"), "-")[0])},
    ),
)
def parameter_curve(
    problem: str | Turning,
    methods: str | Method | Sequence[str | Method],
    across: str | None = None,
    *,
    measure: str | None = None,
    duration: float | None = None,
    **options: Unpack[ExecutorOptions],
) -> Curves:
    """Measure runs of methods over one parameter, such as `frequency=log:5:200:40`.

    Raises
    ------
    ValueError
        For a problem, a method or a parameter that is unknown or does not fit.
    """
    body = find_problem(problem, Problem, GivenRates)
    measure = measure or choose_measure(body)
    execution = Executor(**options)
    chosen, _ = fitting(body, methods)
    text, _ = axes_or_own(body, across, "-")
    over = read_over(text)
    check_axes(body, chosen, [text])
    (name,) = over
    asked = make_sweep(
        body, chosen, over, measure, {"duration": None if "steps" in over else duration}
    )
    swept = SweptPoints(asked)
    x = asked.grid.axes[0].values

    def observe(block: PointBlock, values: BlockValues, done: int, total: int) -> None:
        columns = {
            "method": chosen[block.method].given_name,
            "parameter": name,
            "x": x[block.at[1]],
            "measure": measure,
            "value": values.values[measure],
            "status": np.array([STATUS[int(code)] for code in values.status], object),
        }
        execution.report(done, total, columns)

    asked.run(replace(execution, progress=None), coarse_to_fine=True, points=swept, observe=observe)
    value, status = swept.values[measure], swept.status
    points = (
        PointOfCurve(
            method.given_name,
            name,
            float(x[i]),
            measure,
            float(value[m, i]),
            STATUS[int(status[m, i])],
        )
        for m, method in enumerate(chosen)
        for i in np.flatnonzero(status[m] != MISSING)
    )
    return Curves(
        problem=body, across=name, measure=measure, points=tuple(points), finished=swept.finished
    )
