"""The page, which `panel serve app` serves, and its views for notebooks.

`explorer` shows the page or one view, `figure` its plots, `study_figure` the chart of a study, and
`paper_figure` a figure of a paper; `demo` and `lesson` build files in which methods run in the
browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import holoviews as hv

    from engine.studies import StudyResult

    from .compat.notebook_cells import Shown
    from .demos.live import Demo
    from .state.choice import Choice

__all__ = ["demo", "explorer", "figure", "lesson", "paper_figure", "study_figure"]


def explorer(
    problem: str = "free",
    methods: str | Sequence[str] = (),
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    view: str | None = None,
    **changes: Any,
) -> Shown:
    """The page in a notebook, or one of its views.

    Parameters
    ----------
    problem, methods : names as in `engine.problem` and `engine.algorithm`, of one body or of two;
        at most four methods, the first ones of the page if none is given.
    dt, duration : in the problem's unit of time, the step also as "1/60" or "60 Hz"; by default the
        problem's own.
    view : shows one view: "plots", "Poinsot", "body", "momentum", "sphere", "flat", "ledger" or
        "card"; of two bodies "plots", "space", "relative", "ledger" or "card"; of given rates
        "plots", "body", "axis", "ledger" or "card".
    changes : parameters of the problem, such as J or Omega0.

    Raises
    ------
    ValueError
        If an argument is invalid, in one sentence.
    """
    from .compat.notebook_cells import begin_notebook
    from .compat.templates import use_own_looks
    from .pages.lab import LabPage

    begin_notebook()
    with use_own_looks():
        page = LabPage(_choose(problem, methods, dt, duration, changes))
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
) -> hv.Layout:
    """The plots of the page as a HoloViews layout, which a notebook shows and which you can compose
    and save.

    Parameters
    ----------
    problem, methods, dt, duration, changes : as for `explorer`.
    group : "What is kept", "Motion", "Attitude" or "Steps"; of two bodies "What is kept", "Orbit"
        or "Rotation".
    vector : the vector of the motion, "Ω" or "Π".
    log, relative : whether errors are logarithmic and relative.

    Raises
    ------
    ValueError
        If an argument is invalid, in one sentence.
    """
    from .charts import lab_chart
    from .charts.holoviews import build_layout
    from .compat.notebook_cells import begin_notebook
    from .state.results import compute

    begin_notebook()
    results = compute(_choose(problem, methods, dt, duration, changes))
    chart = lab_chart.build_chart(results, group, vector, log, relative)
    return build_layout(chart, lab_chart.method_looks(results))


def demo(
    problem: str = "free",
    methods: str | Sequence[str] = (),
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    **changes: Any,
) -> Demo:
    """A live demo: methods that run in the browser, with sliders, in a file that needs no server
    and no network.

    A notebook shows it; `save("demo.html")` writes the file. The arguments are those of `explorer`.

    Raises
    ------
    ValueError
        If an argument is invalid, or if no browser can run any of the methods, in one sentence.
    """
    from .demos.live import build_demo

    return build_demo(_choose(problem, methods, dt, duration, changes))


def lesson(name: str) -> Demo:
    """A lesson beside live demos of its settings, in a file that needs no server and no network.

    `name` is a Markdown file, or a lesson of the lab such as "tennis-racket". A file that is no
    lesson raises a `ValueError`, with a line for each error.
    """
    from .demos.lessons import build_lesson, read_lesson

    return build_lesson(read_lesson(name))


def study_figure(result: StudyResult) -> hv.Layout:
    """The chart of a result of `engine.studies` as a HoloViews layout, which a notebook shows and
    which you can save.

    Raises
    ------
    ValueError
        If the result comes from no study.
    """
    from engine.studies import StudyResult, registered

    from .charts.holoviews import build_layout
    from .charts.style import choose_looks
    from .compat.notebook_cells import begin_notebook

    if not isinstance(result, StudyResult):
        names = ", ".join(one.name for one in registered())
        raise ValueError(f"a figure needs a result of engine.studies, as of {names}")
    begin_notebook()
    return build_layout(result.chart, choose_looks(result.chart.curves))


def paper_figure(key: str, *, columns: int = 1) -> Shown:
    """A figure of a paper, computed again, as the page Papers draws it; a notebook shows it, and
    you can save it.

    Parameters
    ----------
    key : as in `engine.papers.figures()`, such as "krysl-endres-figure-4".
    columns : the number of columns of plots.

    Raises
    ------
    ValueError
        If there is no such figure.
    """
    import panel as pn

    from engine import papers

    from .charts.paper_figures import draw_picture, draw_plots
    from .compat.notebook_cells import Shown, begin_notebook
    from .compat.templates import use_own_looks

    begin_notebook()
    drawn = papers.find_figure(key).curves()
    with use_own_looks():
        grid = pn.GridBox(*draw_plots(drawn), ncols=columns, sizing_mode="stretch_width")
        return Shown(grid, draw_still=lambda: draw_picture(drawn))


def _choose(
    problem: str,
    methods: str | Sequence[str],
    dt: float | str | None,
    duration: float | None,
    changes: dict[str, Any],
) -> Choice:
    from engine.problems import STEP

    from .state.choice import Choice, choose_problem, validate

    own = choose_problem(problem)
    labels = ((methods,) if isinstance(methods, str) else tuple(methods)) or own.methods
    times = (
        own.dt if dt is None else STEP.check(dt, "dt"),
        own.duration if duration is None else duration,
    )
    return validate(Choice(own.problem, labels, *times, space=own.space).with_changes(**changes))
