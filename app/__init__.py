"""The page, served by `panel serve app`; and the same in a notebook: `app.explorer(problem="slow-top")`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["explorer"]


def explorer(
    problem: str = "free",
    methods: str | Sequence[str] = ("NMB", "AKW", "DMV"),
    *,
    dt: float | None = None,
    duration: float | None = None,
    view: str | None = None,
    **changes: Any,
) -> Any:
    """The page in a notebook, or one view of it.

    Parameters
    ----------
    problem, methods : names, as `engine.problem` and `engine.algorithm` take them; at most four methods.
    dt, duration : in the problem's unit of time; the problem's own without them.
    view : one of "plots", "Poinsot", "body", "sphere", "flat", "ledger" and "card", to have that alone.
    changes : parameters of the problem, such as J or Omega0.

    Raises
    ------
    ValueError
        If something is asked for that can not be had, in one sentence.
    """
    import panel as pn

    from .page import Explorer
    from .session import Choice, checked, of_problem

    pn.extension()
    labels = (methods,) if isinstance(methods, str) else tuple(methods)
    own = of_problem(problem)
    choice = Choice(own.problem, labels, own.dt if dt is None else dt, own.duration if duration is None else duration)
    page = Explorer(checked(choice.with_changes(**changes)))
    return page.in_notebook() if view is None else page.alone(view)
