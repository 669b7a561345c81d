"""The page: `panel serve app` serves it; in a notebook `explorer` shows it, and `figure` its plots.

`demo` makes a file in which methods run in the browser. `study_figure` draws what a study found, `paper_figure` a
paper's figure, computed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .live import Demo
    from .model.session import Choice

__all__ = ["demo", "explorer", "figure", "paper_figure", "study_figure"]


def explorer(
    problem: str = "free",
    methods: str | Sequence[str] = (),
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    view: str | None = None,
    **changes: Any,
) -> Any:
    """The page in a notebook, or one view of it.

    Parameters
    ----------
    problem, methods : names, as `engine.problem` and `engine.algorithm` take them, of one body or of two; at most
        four methods, and those that the page begins with if none is given.
    dt, duration : in the problem's unit of time, the step also as "1/60" or "60 Hz"; the problem's own without them.
    view : one of "plots", "Poinsot", "body", "sphere", "flat", "ledger" and "card", to have that alone; of two bodies
        "plots", "space", "relative", "ledger" and "card".
    changes : parameters of the problem, such as J or Omega0.

    Raises
    ------
    ValueError
        If something is asked for that cannot be had, in one sentence.
    """
    import panel as pn

    from .page import Explorer

    pn.extension()
    page = Explorer(_choice(problem, methods, dt, duration, changes))
    return page.in_notebook() if view is None else page.alone(view)


def figure(
    problem: str = "free",
    methods: str | Sequence[str] = (),
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    group: str = "What is kept",
    vector: str = "Ω",
    log: bool = True,
    relative: bool = True,
    **changes: Any,
) -> Any:
    """The page's plots as a HoloViews layout: to be shown in a notebook, composed with others, or saved.

    Parameters
    ----------
    problem, methods, dt, duration, changes : as for `explorer`.
    group : "What is kept", "Motion", "Attitude" or "Steps"; of two bodies "What is kept", "Orbit" or "Rotation".
    vector : of the motion, "Ω" or "Π".
    log, relative : how errors are drawn.

    Raises
    ------
    ValueError
        If something is asked for that cannot be had, in one sentence.
    """
    from .charts import lab
    from .charts.holoviews import layout
    from .model.results import compute

    results = compute(_choice(problem, methods, dt, duration, changes))
    return layout(lab.chart(results, group, vector, log, relative), lab.looks(results))


def demo(
    problem: str = "free",
    methods: str | Sequence[str] = (),
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    **changes: Any,
) -> Demo:
    """A live demo: methods that run in the browser, with sliders, in a file that needs no server and no network.

    A notebook shows it; `save("demo.html")` writes the file. `problem`, `methods`, `dt`, `duration` and `changes` are
    what it begins with, as for `explorer`.

    Raises
    ------
    ValueError
        If something is asked for that cannot be had, or if none of the methods runs in a browser, in one sentence.
    """
    from .live import made

    return made(_choice(problem, methods, dt, duration, changes))


def study_figure(result: Any) -> Any:
    """What a study of `engine.studies` found, as a HoloViews layout: to be shown in a notebook, or saved.

    Raises
    ------
    ValueError
        If the result is of no study that is drawn.
    """
    from engine.studies.study import chart_of

    from .charts.holoviews import layout
    from .charts.look import looks

    chart = chart_of(result)
    return layout(chart, looks(chart.curves))


def paper_figure(key: str, *, columns: int = 1) -> Any:
    """A paper's figure, computed anew and drawn as on the page of the papers: to be shown in a notebook, or saved.

    Parameters
    ----------
    key : as in `engine.papers.figures()`, such as "krysl-endres-figure-4".
    columns : of plots, where the figure has several.

    Raises
    ------
    ValueError
        If there is no such figure.
    """
    import panel as pn

    from engine import papers

    from .reproduced import plots

    pn.extension()
    return pn.GridBox(*plots(papers.find_figure(key).curves()), ncols=columns, sizing_mode="stretch_width")


def _choice(
    problem: str,
    methods: str | Sequence[str],
    dt: float | str | None,
    duration: float | None,
    changes: dict[str, Any],
) -> Choice:
    from engine.problems.problem import DT

    from .model.session import Choice, checked, of_problem

    own = of_problem(problem)
    labels = ((methods,) if isinstance(methods, str) else tuple(methods)) or own.methods
    times = own.dt if dt is None else DT.checked(dt), own.duration if duration is None else duration
    return checked(Choice(own.problem, labels, *times, space=own.space).with_changes(**changes))
