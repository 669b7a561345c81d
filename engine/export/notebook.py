"""What a notebook shows of methods, problems and runs: tables, equations, and the energy of a
run.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from ..algorithms.core import description
from ..algorithms.core.method import Catalogue, Method
from ..parameters.validation import Array
from ..problems.problem import AnyProblem
from ..simulation import AnyRun
from ..text.formatting import format_entries, format_measured, format_step, show

WIDTH, HEIGHT, MOST = 320, 64, 400
"""Pixels of a plot, and the rows that it draws."""


def _write_table(rows: Iterable[Sequence[str]], *head: str) -> str:
    lines = [(head, "th"), *((row, "td") for row in rows)]
    cells = [
        "".join(f"<{tag} style='text-align:left'>{escape(x)}</{tag}>" for x in row)
        for row, tag in lines
    ]
    return f"<table><tr>{'</tr><tr>'.join(cells)}</tr></table>"


def _write_card(what: Method | AnyProblem, rows: Iterable[Sequence[str]], *head: str) -> str:
    equations = escape(inspect.cleandoc(what.equations))
    lines = f"$$\\begin{{gathered}}{equations}\\end{{gathered}}$$" if equations else ""
    head_line = f"<b>{escape(what.label)}</b> {escape(what.name)}<p>{escape(what.summary)}</p>"
    return f"{head_line}{lines}{_write_table(rows, *head)}"


def show_method(method: Method) -> str:
    """Return the facts of a method with its equations."""
    kept = [
        (f"conserves {quantity}", when)
        for _, quantity, when in description.describe_conserved(method)
    ]
    return _write_card(method, [*description.describe_method(method), *kept])


def show_methods(methods: Catalogue) -> str:
    """Return a table of methods."""
    rows = [(m.key, m.name, m.family, *description.list_cells(m)) for m in methods]
    return _write_table(
        rows, "", "", "family", "order", "torques", "step", "reversible", "symplectic"
    )


def show_problem(problem: AnyProblem) -> str:
    """Return the parameters of a problem with its equations."""
    values = [
        (p.name, p.abbreviate(problem.value(p.name)), p.about)
        for p in problem.declarations.values()
    ]
    return _write_card(problem, values, "parameter", "value", "")


def show_run(run: AnyRun) -> str:
    """Return how a run ended, its invariants, and its energy over time."""
    facts = f"{run.status}: {run.cost.steps:,} steps of {format_step(run.dt)}, {len(run):,} rows {run.message}"
    kept = run.method.conserves
    rows = [
        (
            name,
            _write_value(run.first(name)),
            format_measured(run.deviation(name), 3),
            kept.get(name, "–"),
        )
        for name in run.problem.invariants
    ]
    table = _write_table(rows, "invariant", "initial", "largest deviation", "conserved")
    words = f"<b>{escape(run.problem.label)} · {escape(run.method.given_name)}</b><p>{escape(facts)}</p>{table}"
    return words + (
        _draw(run.t, run.quantity("energy"), "energy") if "energy" in run.problem.invariants else ""
    )


def _write_value(value: Any) -> str:
    return format_entries(value, 5) if np.ndim(value) else show(value, 9)


def _draw(t: Array, values: Array, name: str) -> str:
    """Return a line over time, with its extremes in words."""
    rows = np.linspace(0, len(t) - 1, min(len(t), MOST)).astype(int)
    t, y = t[rows], values[rows]
    low, high = y.min(), y.max()
    x = WIDTH * (t - t[0]) / ((t[-1] - t[0]) or 1.0)
    up = HEIGHT * (high - y) / ((high - low) or 1.0)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, up, strict=True) if np.isfinite(b))
    line = f"<polyline points='{points}' fill='none' stroke='currentColor' stroke-width='1.2'/>"
    box = f"width='{WIDTH}' height='{HEIGHT}' viewBox='-2 -2 {WIDTH + 4} {HEIGHT + 4}' role='img' aria-label='{name}'"
    words = f"{name} from {show(low, 9)} to {show(high, 9)}, t to {show(t[-1])}"
    return f"<figure><svg {box}>{line}</svg><figcaption>{words}</figcaption></figure>"


# These types lie below this module and cannot import it.
for _kind, _show in (
    (Method, show_method),
    (Catalogue, show_methods),
    (AnyProblem, show_problem),
    (AnyRun, show_run),
):
    type.__setattr__(_kind, "_repr_html_", _show)
