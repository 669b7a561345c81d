"""Cards of methods, problems, runs and claims: as data for scripts, and as lines to read."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.core import Method, Source, all_methods, description
from ..algorithms.core.description import find_source as source_of
from ..algorithms.core.description import find_sources as sources_of
from ..exact import estimate_effort, has_exact
from ..exact.errors import error as compare_with_exact
from ..parameters.parameter import Parameter
from ..problems.problem import AnyProblem, all_problems
from ..simulation import GivenRatesRun
from ..simulation.result import AnyRun
from ..text import SPACES, formatting
from .console import Style, choose_columns, columns, pairs, spell_arguments, table, wrapped

if TYPE_CHECKING:
    from ..papers import Compared, Comparison, Drawn, Figure, Measured
    from ..studies.properties import Properties

Lines = list[str]

# -------------------------------------------------------------------------------------------------
# declarations


def declaration(what: Method | AnyProblem) -> dict[str, Any]:
    """Return the declared properties of a method or a problem."""
    return _method_declaration(what) if isinstance(what, Method) else _problem_declaration(what)


def _method_declaration(method: Method) -> dict[str, Any]:
    own = (
        "key", "label", "name", "aliases", "space", "family", "summary", "why", "torque_evaluations", "implicit",
        "self_starting", "reversible", "symplectic", "reference", "conserves",
    )  # fmt: skip
    values = method.option_values()
    return {name: getattr(method, name) for name in own} | {
        "needs_rates": method.promises.needs_rates,
        "needs_series": method.promises.needs_series,
        "torque_of_velocity": method.promises.torque_of_velocity,
        "variants": {name: dict(options) for name, options in method.variants.items()},
        "equations": inspect.cleandoc(method.equations),
        "order": method.order and dict(zip(("attitude", "momentum"), method.order, strict=False)),
        "options": [_parameter_declaration(o) | {"value": values[o.name]} for o in method.options],
        "takes_energy_correction": description.explain_no_correction(method) is None,
    }


def _parameter_declaration(parameter: Parameter) -> dict[str, Any]:
    of_each = ("name", "doc", "unit", "default", "low", "high")
    return {name: getattr(parameter, name) for name in of_each} | {
        "choices": list(parameter.choices)
    }


def _problem_declaration(problem: AnyProblem) -> dict[str, Any]:
    own = (
        "key", "label", "name", "aliases", "space", "group", "summary", "dt", "duration", "invariants", "reference",
    )  # fmt: skip
    bodies = {
        name: getattr(problem, name)
        for name in ("J", "R0", "Omega0", "Pi0")
        if hasattr(problem, name)
    }
    bodies |= {
        name: getattr(problem, name).to_json()
        for name in ("body1", "body2")
        if hasattr(problem, name)
    }
    parameters = [_parameter_declaration(p) for p in problem.parameters.values()]
    more = {"equations": inspect.cleandoc(problem.equations), "parameters": parameters}
    return {name: getattr(problem, name) for name in own} | bodies | more


# -------------------------------------------------------------------------------------------------
# lists


def method_list(style: Style, spaces: Sequence[str]) -> Lines:
    """Return the methods of these spaces by families, with the names of their variants."""
    methods = {space: all_methods(space) for space in spaces}
    every = [method for found in methods.values() for method in found]
    head = ("", "order R/Π", "torques", "solves", "reversible", "symplectic", "")
    rows = [
        Row(
            description.find_heading(method),
            (method.key, *description.list_cells(method), method.name),
            ", ".join(method.variants),
        )
        for method in every
    ]
    lines = _by_groups(head, "<<><<<<", rows, style, droppable=(2, 5, 4, 3))
    if any(isinstance(method.reversible, str) for method in every):
        lines.append(style.dim("(yes): under a condition; `polhode show NAME` states it."))
    first, *others = methods
    counts = [f"{len(methods[space])} for {SPACES[space].short}" for space in others]
    most = f"{len(methods[first])} methods for {SPACES[first].short}"
    return [style.bold(formatting.join_words([most, *counts])), *lines]


def problem_list(style: Style, spaces: Sequence[str]) -> Lines:
    """Return the problems of these spaces by their sources."""
    rows = [
        Row(p.group, (p.key, formatting.format_step(p.dt), formatting.show(p.duration), p.name))
        for space in spaces
        for p in all_problems(space)
    ]
    return [
        style.bold(f"{len(rows)} problems"),
        *_by_groups(("", "dt", "duration", ""), "<>><", rows, style),
    ]


class Row(NamedTuple):
    """A row of a list, with further names of what it is about."""

    group: str
    cells: tuple[str, ...]
    others: str = ""


def _by_groups(
    head: tuple[str, ...],
    align: str,
    entries: Iterable[Row],
    style: Style,
    droppable: Sequence[int] = (),
) -> Lines:
    """Return a table with a heading before each group, in the order of the first entries; a
    terminal that is too narrow lacks the first of the `droppable` columns.
    """
    groups: dict[str, list[Row]] = {}
    for row in entries:
        groups.setdefault(row.group, []).append(row)
    listed = [row for rows in groups.values() for row in rows]
    whole = [head, *((f"  {row.cells[0]}", *row.cells[1:]) for row in listed)]
    kept = choose_columns(whole, droppable)
    shown = [[cells[i] for i in kept] for cells in whole]
    title, *lines = table(shown, "".join(align[i] for i in kept), style)
    found = [title]
    for row, line in zip(listed, lines, strict=True):
        if row is groups[row.group][0]:
            found.append(style.bold(row.group))
        also = wrapped(f"also {row.others}", 4) if row.others else []
        found += [line, *(f"    {part}" for part in also)]
    return found


# -------------------------------------------------------------------------------------------------
# cards


def card(what: Method | AnyProblem, style: Style) -> Lines:
    """Return the card of a method or a problem."""
    return [
        f"{style.bold(what.label)}  {what.name}",
        *wrapped(what.summary),
        "",
        *(_about_method(what, style) if isinstance(what, Method) else _about_problem(what, style)),
        *_section(
            "Equations (LaTeX)",
            [f"  {line}" for line in wrapped(inspect.cleandoc(what.equations), 2)],
            style,
        ),
        *_section("Reference", textwrap.indent(what.reference, "  ").splitlines(), style),
    ]


def _section(title: str, lines: Lines, style: Style) -> Lines:
    return ["", style.bold(title), *lines] if lines else []


def _also_called(names: Sequence[str]) -> list[tuple[str, str]]:
    return [("also called", ", ".join(names))] if names else []


def _about_method(method: Method, style: Style) -> Lines:
    facts = [
        (f"{label[:1].lower()}{label[1:]}", value)
        for label, value in description.describe_method(method)
    ]
    values = method.option_values()
    options = [
        (
            f"{o.name} = {o.abbreviate(values[o.name])}",
            parameter_words(o, f"default {o.abbreviate(o.default)}"),
        )
        for o in method.options
    ]
    keeps = [
        (f"  {name}", quantity, when)
        for name, quantity, when in description.describe_conserved(method)
    ]
    return [
        *pairs([*_also_called(method.other_names), *facts]),
        *_section("Why", [line for one in method.why for line in wrapped(one)], style),
        *_section("Options (--option NAME=VALUE)", pairs(options, "  "), style),
        *_section("Keeps", columns(keeps, "<<<") if keeps else ["  nothing to roundoff"], style),
    ]


def _about_problem(problem: AnyProblem, style: Style) -> Lines:
    facts = [*_also_called(problem.aliases), ("group", problem.group)]
    parameters = [
        (f"{p.name} = {p.abbreviate(problem.value(p.name))}", parameter_words(p))
        for p in problem.declarations.values()
    ]
    return [
        *pairs(facts),
        *_section("Parameters (--set NAME=VALUE)", pairs(parameters, "  "), style),
        *_section("Invariants", pairs(description.describe_invariants(problem), "  "), style),
    ]


def parameter_words(parameter: Parameter, *more: str) -> str:
    """Return what a parameter is, and below it its possible values."""
    return f"{parameter.about}\n{'; '.join(filter(None, (parameter.range, *more)))}".strip()


def source(what: Method | AnyProblem, style: Style) -> Lines:
    """Return the source of a method's step, or of a problem's torque and potential."""
    found = (
        sources_of(what)
        if isinstance(what, Method)
        else [source_of(function) for function in what.functions]
    )
    return [line for one in found or [None] for line in _source_section(one, style)]


def _source_section(source: Source | None, style: Style) -> Lines:
    if source is None:
        return _section("Source", ["  not available"], style)
    text = textwrap.indent(source.text, "  ")
    return _section(f"Source ({source.module}, line {source.line})", text.splitlines(), style)


# -------------------------------------------------------------------------------------------------
# runs

RELATIVE = ("energy", "casimir")
"""Invariants whose deviation is relative to the initial value."""

STATUS = {
    "done": "done",
    "no-solution": "NO SOLUTION: the run ended early",
    "diverged": "DIVERGED: the run ended early",
    "cancelled": "cancelled: the run ended early",
}
"""The status of a run in words."""

KEPT: dict[str | None, str] = {
    None: "–",
    "always": "always",
    "free": "on free bodies",
    "tops": "on tops and free bodies",
    "symmetric tops": "on symmetric tops",
}
"""When a method conserves an invariant, in few words."""


SHORT_REFERENCE = 100_000
"""The most steps of a reference run that a summary waits for, about a tenth of a second."""


def about_run(run: AnyRun, paths: Sequence[Path]) -> dict[str, Any]:
    """Return the summary of a run as data."""
    increments = run.increment[np.isfinite(run.increment)]
    degrees = np.degrees(increments) if increments.size else np.array([np.nan])
    cost = run.cost
    counts = ("seconds", "ns_per_step", "torque_evaluations", "newton_iterations")
    own = {name: getattr(run, name) for name in ("status", "message", "failed_step", "dt", "every")}
    what = {
        "problem": run.problem.label,
        "problem_data": run.problem.to_json(),
        "method": run.method.given_name,
    }
    return (
        what
        | own
        | {
            "steps": cost.steps,
            "steps_wanted": None if run.method.adaptive else run.steps,
            "rows": len(run),
            "t_start": run.t[0],
            "t_end": run.t[-1],
            "invariants": {name: _about_invariant(run, name) for name in run.problem.invariants},
            "orthogonality": {
                "max": run.extrema["orthogonality"].max,
                "last": run.extrema["orthogonality"].last,
            },
            "rotation_per_step_degrees": {"min": degrees.min(), "max": degrees.max()},
            "attitude_error": _about_error(run),
            "cost": {name: getattr(cost, name) for name in counts}
            | {
                "newton_iterations_per_step": cost.newton_iterations / cost.steps
                if cost.steps
                else None
            },
            "provenance": run.provenance,
            "files": [str(path) for path in paths],
        }
    )


def _about_error(run: AnyRun) -> dict[str, Any] | None:
    """Return how far the attitude of a run with given rates is from the exact one at the end, and
    how fast the error grows; None of other runs, and where the exact motion takes long.
    """
    if not (isinstance(run, GivenRatesRun) and len(run) > 1 and has_exact(run.problem)):
        return None
    if estimate_effort(run.problem, run.t[-1], run.dt) > SHORT_REFERENCE:
        return None
    found = compare_with_exact(run)
    return {
        "degrees": float(np.degrees(found.attitude[-1])),
        "drift_degrees_per_hour": float(np.linalg.norm(found.drift)),
    }


def _about_invariant(run: AnyRun, name: str) -> dict[str, Any]:
    """Return the extremes of an invariant over every step; of a vector, those of the component that
    moved most.
    """
    initial = run.first(name)
    extrema = run.extrema[name]
    deviation = run.deviation(name)
    relative = name in RELATIVE and initial != 0.0
    return {
        "initial": initial,
        "min": extrema.min,
        "max": extrema.max,
        "last": extrema.last,
        "largest_deviation": deviation / abs(initial) if relative else deviation,
        "relative": relative,
        "promised": run.method.conserves.get(name),
    }


def summary(run: AnyRun, about: Mapping[str, Any], settings: Sequence[str], style: Style) -> Lines:
    """Return the summary of a run as lines; `about` is that of `about_run`, `settings` those of
    --set.
    """
    messages = map(spell_arguments, run.messages)
    facts = [("status", "\n".join([STATUS[run.status], *messages]))]
    if settings:
        facts.append(("with", ", ".join(settings)))
    facts += [("steps", _steps(run)), ("rotation", _rotation(run, about)), ("cost", _cost(run))]
    if about["attitude_error"] is not None:
        degrees, drift = map(formatting.format_measured, about["attitude_error"].values())
        facts.append(("error", f"{degrees}° in attitude at the end; drift {drift} °/h"))
    if about["files"]:
        facts.append(("file", "\n".join(f"{path} ({_size(path)})" for path in about["files"])))
    status, *rest = pairs(facts)
    shown = style.good if run.status == "done" else style.bad
    return [
        f"{style.bold(f'{run.problem.label} · {run.method.given_name}')}  {run.problem.name} by {run.method.name}",
        status.replace(STATUS[run.status], shown(STATUS[run.status])),
        *rest,
        "",
        *_invariants(run, about, style),
    ]


def _steps(run: AnyRun) -> str:
    rows = f"from t = 0 to {formatting.show(run.t[-1], 10)}; {formatting.format_count(len(run), 'row')} kept"
    if run.method.adaptive:
        return f"{run.cost.steps:,} of its own choice, {rows}, one each {formatting.show(run.dt * run.every)}"
    done = (
        f"{run.cost.steps:,}"
        if run.cost.steps == run.steps
        else f"{run.cost.steps:,} of {run.steps:,}"
    )
    stride = f", one each {run.every:,} steps" if run.every > 1 else ""
    return f"{done}, dt = {formatting.format_step(run.dt)}, {rows}{stride}"


def _rotation(run: AnyRun, about: Mapping[str, Any]) -> str:
    low, high = about["rotation_per_step_degrees"].values()
    if math.isnan(low):
        return "–"
    each = f"in each {formatting.show(run.dt)} of time" if run.method.adaptive else "per step"
    return f"{formatting.show(low, 4)}° to {formatting.show(high, 4)}° {each}" + (
        " (at the rows kept)" if about["every"] > 1 else ""
    )


def _cost(run: AnyRun) -> str:
    cost = run.cost
    if not cost.steps:
        return "–"
    what = f"{SPACES[run.problem.space].evaluates} evaluation"
    words = [
        f"{cost.ns_per_step:,.0f} ns",
        formatting.format_count(cost.torque_evaluations / cost.steps, what),
    ]
    if cost.newton_iterations:
        words.append(
            formatting.format_count(cost.newton_iterations / cost.steps, "Newton iteration")
        )
    return f"{', '.join(words)} per step; {formatting.format_seconds(cost.seconds)} in all"


def _size(path: str) -> str:
    return f"{formatting.format_with_prefix(Path(path).stat().st_size)}B"


def _invariants(run: AnyRun, about: Mapping[str, Any], style: Style) -> Lines:
    """Return the table of invariants."""
    rows = [("", "initial", "largest deviation", "", "last", f"kept by {run.method.given_name}")]
    write = formatting.format_measured
    for name, one in about["invariants"].items():
        deviation = write(one["largest_deviation"], 3)
        relative = "relative" if one["relative"] else ""
        rows.append(
            (
                name,
                _value(one["initial"]),
                deviation,
                relative,
                _value(one["last"]),
                KEPT[one["promised"]],
            )
        )
    error = about["orthogonality"]
    promised = KEPT[run.method.conserves.get("orthogonality")]
    rows.append(
        ("orthogonality", "", write(error["max"], 3), "", write(error["last"], 3), promised)
    )
    return table(rows, "<>><><", style)


def _value(value: Any) -> str:
    return formatting.format_entries(value, 5) if np.ndim(value) else formatting.show(value, 9)


# -------------------------------------------------------------------------------------------------
# properties


def properties_card(found: Properties, style: Style) -> Lines:
    """Return the properties of one method, with the contradictions below them."""
    from ..studies.all_properties import MARK  # imported here, so that other cards load sooner

    rows = [("", "on", "measured", "declared", "")]
    for finding in found.findings:
        mark = MARK if finding.contradiction else ""
        rows.append(
            (
                finding.property,
                finding.on,
                formatting.format_powers(finding.measured),
                finding.declared,
                mark,
            )
        )
    below = (
        ["", *(style.bad(formatting.format_powers(one)) for one in found.contradictions)]
        if found.contradictions
        else []
    )
    return [
        style.bold(f"{found.method.label}, {found.method.name}"),
        *table(rows, "<<<<<", style),
        *below,
    ]


# -------------------------------------------------------------------------------------------------
# papers


def verdict(measured: Measured, style: Style) -> Lines:
    """Return the verdict on a claim, what the paper says, and the reason."""
    claim = measured.claim
    colour = style.good if measured.verdict == "reproduced" else style.bad
    holds = f"{measured.holding} of {len(claim.paper)}"
    seconds = formatting.format_seconds(measured.seconds)
    head = f"{style.bold(claim.key)}  {colour(measured.verdict)}, {holds} hold, in {seconds}"
    source = f"{claim.source}, {claim.where}"
    return [
        head,
        *pairs([("source", source), ("says", claim.says), ("reason", claim.reason)], "  "),
        "",
    ]


HOLDS = {True: "holds", False: "no", None: ""}


def claim_card(measured: Measured, style: Style) -> Lines:
    """Return the verdict with every figure: the paper's, the measured one, and why one does not
    hold.
    """
    claim = measured.claim
    rows = [
        (
            "",
            formatting.format_signs(name),
            str(claim.paper.get(name, "")),
            plainly(value),
            HOLDS[holds],
        )
        for name, value, holds in measured.rows()
    ]
    why = [
        line
        for name, text in claim.why.items()
        for line in wrapped(f"{formatting.format_signs(name)}: {text}", 2)
    ]
    return [
        *verdict(measured, style)[:-1],
        *pairs([("how", claim.how)], "  "),
        *table([("", "figure", "paper", "measured", ""), *rows], "<<>><", style),
        *(f"  {line}" for line in why),
        "",
    ]


def plainly(value: float | str) -> str:
    """Return a figure with six digits; of an infinite one the sign."""
    if isinstance(value, str):
        return value
    return formatting.show(value) if math.isfinite(value) else formatting.format_measured(value)


def about_figure(figure: Figure) -> dict[str, Any]:
    """Return the declared properties of a figure."""
    own = {name: getattr(figure, name) for name in ("source", "where", "title", "plotted", "see")}
    return {"figure": figure.key} | own | {"claims": " ".join(figure.claims)}


def figure_head(figure: Figure, style: Style) -> Lines:
    """Return the title, the source and the content of a figure."""
    facts = [
        ("source", f"{figure.source}, {figure.where}"),
        ("plotted", figure.plotted),
        ("see", figure.see),
    ]
    first, *rest = pairs([(figure.key, figure.title)])
    return [first.replace(figure.key, style.bold(figure.key), 1), *rest, *pairs(facts, "  ")]


def figure_card(drawn: Drawn, style: Style) -> Lines:
    """Return the head of a figure, a line for each curve, and the cells of a table."""
    curves = [
        ("", axes.name, curve.name, f"{len(curve.x)}", curve_range(curve.x), curve_range(curve.y))
        for plot, axes in enumerate(drawn.figure.axes)
        for curve in drawn.of(plot)
    ]
    cells = [
        ("", cell.row, cell.column, cell.paper, plainly(cell.measured), "" if cell.holds else "no")
        for cell in drawn.cells
    ]
    lines: Lines = []
    for head, rows, form in (
        (("", "plot", "curve", "points", "x", "y"), curves, "<<<>>>"),
        (("", "row", "column", "paper", "measured", ""), cells, "<<<>>>"),
    ):
        if rows:
            lines += ["", *table([head, *rows], form, style)]
    return [*figure_head(drawn.figure, style), *lines, ""]


def comparison_card(one: Comparison, compared: Sequence[Compared], style: Style) -> Lines:
    """Return the numbers of others, the lab's and the differences, with a verdict on each
    source's.
    """
    facts = [("motion", one.about), ("the lab", one.known), ("terms", one.terms)]
    lines = [f"{style.bold(one.key)}  {one.title}: {one.where}", *pairs(facts, "  "), ""]
    for c in compared:
        numbers = c.numbers
        colour = style.good if c.verdict == "agrees" else style.bad
        rows = [("", *texts) for texts in c.format_rows()]
        head = f"{style.bold(numbers.who)}, {numbers.what}: {colour(c.verdict)}"
        lines += [f"  {head}", *(f"  {line}" for line in wrapped(c.sentence, 2))]
        lines += [
            *table(
                [("", numbers.symbol, "published", "the lab", "difference"), *rows], "<<>>>", style
            ),
            "",
        ]
    return lines


def curve_range(values: Any) -> str:
    """Return the least and the largest number in words."""
    finite = values[np.isfinite(values)]
    return (
        f"{formatting.show(finite.min(), 4)} to {formatting.show(finite.max(), 4)}"
        if len(finite)
        else ""
    )
