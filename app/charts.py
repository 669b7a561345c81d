"""What is drawn of a study: its rows as curves in frames; and these as HoloViews, for notebooks and for paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.charts import Axes, Axis, Chart, Curve, by_method

from .drawing import FLOOR, Stroke, svg
from .model.thin import evenly

if TYPE_CHECKING:
    import pandas as pd

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A8591", "#8C6D1F")
"""Okabe and Ito's, which people who see few colours can tell apart too, with two more for light and dark grounds."""
MARKS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex")
"""With the colours, so that curves can be told apart without them."""

MOST_DRAWN = 4000
"""Points of a curve in a picture."""


def look(chart: Chart, name: str) -> tuple[str, str]:
    """The colour and the mark of what has this name."""
    i = chart.names.index(name)
    return COLOURS[i % len(COLOURS)], MARKS[i % len(MARKS)]


# ------------------------------------------------------------------------------------------------- drawn


def span(axis: Axis, drawn: Sequence[Any]) -> tuple[float, float]:
    """From where to where an axis goes, with some room on both sides."""
    if axis.ticks:
        return -0.6, len(axis.ticks) - 0.4
    there = np.concatenate([np.asarray(values, float) for values in drawn]) if drawn else np.zeros(0)
    if not len(there):
        return (0.1, 1.0) if axis.log else (0.0, 1.0)
    low, high = float(there.min()), float(there.max())
    if axis.log:
        room = max((high / low) ** 0.06, 1.2)
        return low / room, high * room
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


def svg_of(axes: Axes, drawn: Sequence[tuple[Curve, Sequence[Stroke]]], title: str, setting: str) -> str:
    """A frame as a drawing; each curve comes with the strokes that it is drawn by, which have no points yet.

    What is not finite is left out, and zeros lie at the floor of a logarithmic axis.
    """

    def on(axis: Axis, values: Any) -> Any:
        return np.log10(np.clip(values, FLOOR, None)) if axis.log else np.asarray(values, float)

    points = {}
    for curve, _ in drawn:
        x, y = on(axes.x, curve.x), on(axes.y, curve.y)
        kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        points[curve] = x[kept[evenly(len(kept), MOST_DRAWN)]], y[kept[evenly(len(kept), MOST_DRAWN)]]
    strokes = [
        dataclasses.replace(stroke, t=points[curve][0], y=points[curve][1])
        for curve, all_ in drawn
        for stroke in all_
    ]
    across, values = (
        on(axis, span(axis, [10.0 ** xy[k] if axis.log else xy[k] for xy in points.values() if len(xy[k])]))
        for k, axis in enumerate((axes.x, axes.y))
    )
    return svg(
        title, axes.y.label if axes.y.label != title else "", strokes, tuple(across), tuple(values), log=axes.y.log,
        across=axes.x.label, log_across=axes.x.log, places=axes.x.ticks, size=(760, 420), setting=setting,
    )  # fmt: skip


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
        Curve(name, there["t"].to_numpy(float), there[column].to_numpy(float))
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


def study_figure(result: Any) -> Any:
    """A study's figure as HoloViews: to be shown in a notebook, composed with others, or saved."""
    name = RESULTS.get(type(result).__name__)
    if name is None:
        raise ValueError(f"a result of engine.studies is wanted, as of {', '.join(DRAWN)}")
    return layout(DRAWN[name](rows(result)))


def layout(chart: Chart) -> Any:
    """A chart as HoloViews: one plot for each frame."""
    import holoviews as hv

    hv.extension("bokeh", logo=False)
    plots = []
    for i, axes in enumerate(chart.axes):
        style = {"logx": axes.x.log, "logy": axes.y.log, "width": 460, "height": 320, "title": axes.title}
        if axes.x.ticks:
            style["xticks"] = list(enumerate(axes.x.ticks))
        x, y = hv.Dimension("x", label=axes.x.label), hv.Dimension("y", label=axes.y.label)
        items: list[Any] = []
        for curve in (c for c in chart.curves if c.plot == i and len(c.x)):
            colour, mark = look(chart, curve.name)
            points = hv.Scatter((curve.x, curve.y), x, y, label=curve.name)
            items.append(points.opts(hv.opts.Scatter(backend="bokeh", color=colour, marker=mark, size=6)))
            if not curve.marks:
                line = hv.Curve((curve.x, curve.y), x, y, label=curve.name)
                items.append(line.opts(hv.opts.Curve(backend="bokeh", color=colour)))
        plots.append(hv.Overlay(items).opts(hv.opts.Overlay(backend="bokeh", legend_position="right", **style)))
    return hv.Layout(plots).cols(2).opts(hv.opts.Layout(backend="bokeh", shared_axes=False))
