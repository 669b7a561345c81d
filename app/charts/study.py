"""What is drawn of a study: its rows as curves in frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.charts import Axes, Axis, Chart, Curve, by_method

if TYPE_CHECKING:
    import pandas as pd

# ------------------------------------------------------------------------------------------------- the studies

ERRORS = {
    "attitude": "attitude error at the end, rad",
    "momentum": "momentum error at the end, relative",
    "energy": "largest energy error, relative",
}


def convergence(frame: pd.DataFrame) -> Chart:
    """Errors by the step."""
    axes = [Axes(Axis("Δt", log=True), Axis(label, log=True)) for label in ERRORS.values()]
    return by_method(frame, axes, [("dt", kind) for kind in ERRORS])


def work_precision(frame: pd.DataFrame) -> Chart:
    """Errors by what they cost."""
    error = Axis(ERRORS["attitude"], log=True)
    forced = "torque_evaluations" in frame and (frame["torque_evaluations"] > 0).any()
    work = "torque_evaluations" if forced else "steps"
    axes = [
        Axes(Axis("seconds in the kernel", log=True), error),
        Axes(Axis("torque evaluations" if forced else "steps (there is no torque)", log=True), error),
    ]
    return by_method(frame, axes, [("seconds", "attitude"), (work, "attitude")])


def long_run(frame: pd.DataFrame) -> Chart:
    """The energy's means over blocks, and between which bounds it swings in them."""
    axes = Axes(Axis("t"), Axis("energy error, relative: mean, least and most of blocks"))
    parts = [by_method(frame, [axes], [("t", column)]) for column in ("mean", "low", "high")]
    return Chart((axes,), tuple(curve for part in parts for curve in part.curves))


def steps_to_accuracy(frame: pd.DataFrame) -> Chart:
    """How many steps are needed, and how far each of them turns the body."""
    allowed = Axis("error allowed", log=True)
    axes = [
        Axes(allowed, Axis("steps needed", log=True)),
        Axes(allowed, Axis("mean rotation in a step, degrees", log=True)),
    ]
    reached = frame[frame["steps"].notna()] if "steps" in frame else frame
    if "rotation" in reached:
        reached = reached.assign(degrees=np.degrees(reached["rotation"].astype(float)))
    return by_method(reached, axes, [("accuracy", "steps"), ("accuracy", "degrees")])


def stability_edge(frame: pd.DataFrame) -> Chart:
    """The largest steps, method by method."""
    asked = {"runs": "runs", "energy": "keeps the energy"}
    methods = list(dict.fromkeys(frame["method"])) if len(frame) else []
    axes = Axes(Axis("method", ticks=tuple(methods)), Axis("largest Δt", log=True))
    curves = []
    for key, name in asked.items():
        rows = frame[(frame["asked"] == key) & (frame["dt"] > 0)] if len(frame) else frame
        if len(rows):
            places = np.array([methods.index(m) for m in rows["method"]], float)
            curves.append(Curve(name, places, rows["dt"].to_numpy(float), marks=True))
    return Chart((axes,), tuple(curves))


def ensemble(frame: pd.DataFrame) -> Chart:
    """How the energy errors of many starts spread with time."""
    axes = Axes(Axis("t"), Axis("energy error, relative"))
    names = {
        "median": "median",
        "q05": "5 % and 95 %",
        "q95": "5 % and 95 %",
        "least": "extremes",
        "most": "extremes",
    }
    there = frame.dropna() if len(frame) else frame
    curves = [
        Curve(name, there["t"].to_numpy(float), there[column].to_numpy(float), marks=True)
        for column, name in names.items()
        if len(there)
    ]
    return Chart((axes,), tuple(curves))


def advise(frame: pd.DataFrame) -> Chart:
    """What was tried: the errors that runs end with, by what they take."""
    axes = Axes(Axis("seconds in the kernel", log=True), Axis("error", log=True))
    return by_method(frame, [axes], [("seconds", "error")], line=False)


DRAWN: dict[str, Callable[[Any], Chart]] = {
    f.__name__: f
    for f in (convergence, work_precision, long_run, steps_to_accuracy, stability_edge, ensemble, advise)
}
"""By the names of the studies' functions."""
RESULTS = {
    "Convergence": "convergence", "WorkPrecision": "work_precision", "LongRuns": "long_run",
    "StepsToAccuracy": "steps_to_accuracy", "StabilityEdges": "stability_edge", "Ensemble": "ensemble",
    "Advised": "advise",
}  # fmt: skip


def rows(result: Any) -> pd.DataFrame:
    """The table of a study from which it is drawn: of an ensemble all members together, of advice what was tried."""
    for name in ("spreads_to_frame", "tried_to_frame", "to_frame"):
        if hasattr(result, name):
            frame: pd.DataFrame = getattr(result, name)()
            return frame
    raise TypeError(f"{type(result).__name__} is no result of a study")


def chart_of(result: Any) -> Chart:
    """The chart of what a study found."""
    name = RESULTS.get(type(result).__name__)
    if name is None:
        raise ValueError(f"a result of engine.studies is wanted, as of {', '.join(DRAWN)}")
    return DRAWN[name](rows(result))
