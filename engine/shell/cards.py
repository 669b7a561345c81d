"""What is told of methods, problems and runs: as data for scripts, and as the lines that a person reads."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.method import Method, all_methods
from ..facts import Source, facts, heading, in_a_list, kept, kept_by_motion, why_no_correction
from ..facts import source as source_of
from ..facts import sources as sources_of
from ..problems.problem import Posed, all_problems
from ..run import AnyRun
from ..spaces import SPACES
from ..spec import Parameter
from ..wording import counted, elapsed, prefixed
from .console import Style, columns, pairs, vector, wrapped

if TYPE_CHECKING:
    from ..papers import Drawn, Figure, Measured
    from ..studies.properties import Properties

Lines = list[str]

# ------------------------------------------------------------------------------------------------- what is declared


def declared(what: Method | Posed) -> dict[str, Any]:
    """All that is declared of a method or a problem."""
    return _declared_method(what) if isinstance(what, Method) else _declared_problem(what)


def _declared_method(method: Method) -> dict[str, Any]:
    own = (
        "key", "label", "name", "aliases", "space", "family", "summary", "torque_evaluations", "implicit",
        "self_starting", "reversible", "symplectic", "needs_rates", "torque_of_velocity", "reference", "conserves",
    )  # fmt: skip
    values = method.option_values()
    return {name: getattr(method, name) for name in own} | {
        "equations": inspect.cleandoc(method.equations),
        "order": method.order and dict(zip(("attitude", "momentum"), method.order, strict=True)),
        "options": [_declared_parameter(o) | {"value": values[o.name]} for o in method.options],
        "takes_energy_correction": why_no_correction(method) is None,
    }


def _declared_parameter(parameter: Parameter) -> dict[str, Any]:
    of_each = ("name", "doc", "unit", "default", "low", "high")
    return {name: getattr(parameter, name) for name in of_each} | {"choices": list(parameter.choices)}


def _declared_problem(problem: Posed) -> dict[str, Any]:
    own = (
        "key", "label", "name", "aliases", "space", "group", "summary", "dt", "duration", "invariants", "reference",
    )  # fmt: skip
    bodies = {name: getattr(problem, name) for name in ("J", "R0", "Omega0", "Pi0") if hasattr(problem, name)}
    bodies |= {name: getattr(problem, name).told() for name in ("body1", "body2") if hasattr(problem, name)}
    return (
        {name: getattr(problem, name) for name in own}
        | bodies
        | {
            "equations": inspect.cleandoc(problem.equations),
            "parameters": [_declared_parameter(p) for p in problem.parameters.values()],
        }
    )


# ------------------------------------------------------------------------------------------------- lists


def method_list(style: Style) -> Lines:
    """The methods by families, those for two bodies below."""
    one, two = all_methods("so3"), all_methods("se3")
    head = ("", "order R/Π", "torques", "solves", "reversible", "symplectic", "")
    rows = [(heading(method), (method.key, *in_a_list(method), method.name)) for method in one + two]
    lines = _by_groups(head, "<<><<<<", rows, style)
    if any(isinstance(method.reversible, str) for method in one + two):
        lines.append(style.dim("(yes): under a condition; `polhode show NAME` tells it."))
    return [style.bold(f"{len(one)} methods, and {len(two)} for two bodies"), *lines]


def problem_list(style: Style) -> Lines:
    """The problems by their sources."""
    rows = [(p.group, (p.key, f"{p.dt:g}", f"{p.duration:g}", p.name)) for p in all_problems(None)]
    return [style.bold(f"{len(rows)} problems"), *_by_groups(("", "dt", "duration", ""), "<>><", rows, style)]


def _by_groups(
    head: tuple[str, ...], align: str, entries: Iterable[tuple[str, tuple[str, ...]]], style: Style
) -> Lines:
    """A table with a heading before each group; groups stand in the order in which they are first met."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for group, (key, *cells) in entries:
        groups.setdefault(group, []).append((f"  {key}", *cells))
    title, *lines = columns([head, *(row for rows in groups.values() for row in rows)], align)
    told = [style.dim(title)]
    for group, rows in groups.items():
        told += [style.bold(group), *lines[: len(rows)]]
        del lines[: len(rows)]
    return told


# ------------------------------------------------------------------------------------------------- cards


def card(what: Method | Posed, style: Style) -> Lines:
    """All that is declared of a method or a problem, to be read."""
    return [
        f"{style.bold(what.label)}  {what.name}",
        *wrapped(what.summary),
        "",
        *(_about_method(what, style) if isinstance(what, Method) else _about_problem(what, style)),
        *_section("Equations (LaTeX)", [f"  {line}" for line in wrapped(inspect.cleandoc(what.equations), 2)], style),
        *_section("Reference", textwrap.indent(what.reference, "  ").splitlines(), style),
    ]


def _section(title: str, lines: Lines, style: Style) -> Lines:
    return ["", style.bold(title), *lines] if lines else []


def _also_called(names: Sequence[str]) -> list[tuple[str, str]]:
    return [("also called", ", ".join(names))] if names else []


def _about_method(method: Method, style: Style) -> Lines:
    told = [(f"{label[:1].lower()}{label[1:]}", value) for label, value in facts(method)]
    values = method.option_values()
    options = [
        (f"{o.name} = {as_typed(o, values[o.name])}", parameter_words(o, f"default {as_typed(o, o.default)}"))
        for o in method.options
    ]
    keeps = [(f"  {name}", quantity, when) for name, quantity, when in kept(method)]
    return [
        *pairs([*_also_called(method.other_names), *told]),
        *_section("Options (--option NAME=VALUE)", pairs(options, "  "), style),
        *_section("Keeps", columns(keeps, "<<<") if keeps else ["  nothing to roundoff"], style),
    ]


def _about_problem(problem: Posed, style: Style) -> Lines:
    facts = [*_also_called(problem.aliases), ("group", problem.group)]
    parameters = [
        (f"{p.name} = {as_typed(p, problem.value(p.name))}", parameter_words(p)) for p in problem.declared.values()
    ]
    return [
        *pairs(facts),
        *_section("Parameters (--set NAME=VALUE)", pairs(parameters, "  "), style),
        *_section("Invariants", pairs(kept_by_motion(problem), "  "), style),
    ]


def as_typed(parameter: Parameter, value: Any) -> str:
    """A value as --set and --option take it, in the fewest numbers that say it."""
    fewest = parameter.kind.fewest(value)
    return vector(np.ravel(fewest)) if np.ndim(fewest) else parameter.written(fewest, 6)


def parameter_words(parameter: Parameter, *more: str) -> str:
    """What a parameter is, and below it what it can be."""
    return f"{parameter.about}\n{'; '.join(filter(None, (parameter.range, *more)))}".strip()


def source(what: Method | Posed, style: Style) -> Lines:
    """The source of the method's step, or of the problem's torque and potential."""
    found = sources_of(what) if isinstance(what, Method) else [source_of(function) for function in what.functions]
    return [line for one in found or [None] for line in _told_source(one, style)]


def _told_source(source: Source | None, style: Style) -> Lines:
    if source is None:
        return _section("Source", ["  not there"], style)
    text = textwrap.indent(source.text, "  ")
    return _section(f"Source ({source.module}, line {source.line})", text.splitlines(), style)


# ------------------------------------------------------------------------------------------------- runs

RELATIVE = ("energy", "casimir")
"""The invariants whose deviation is told relative to the initial value."""

STATUS = {
    "done": "done",
    "no-solution": "NO SOLUTION: the run ended early",
    "diverged": "DIVERGED: the run ended early",
    "cancelled": "cancelled: the run ended early",
}
"""How a run ended, in words."""

KEPT = {
    None: "–",
    "always": "always",
    "free": "on free bodies",
    "tops": "on tops and free bodies",
    "symmetric tops": "on symmetric tops",
}
"""When a method keeps an invariant, in the fewest words."""


def about_run(run: AnyRun, paths: Sequence[Path] = ()) -> dict[str, Any]:
    """The summary of a run, as data."""
    increments = run.increment[np.isfinite(run.increment)]
    degrees = np.degrees(increments) if increments.size else np.array([np.nan])
    cost = run.cost
    return {
        "problem": run.problem.label,
        "problem_data": run.problem.told(),
        "method": run.method.label,
        "status": run.status,
        "message": run.message,
        "failed_step": run.failed_step,
        "dt": run.dt,
        "steps": cost.steps,
        "steps_wanted": None if run.method.adaptive else run.steps,
        "every": run.every,
        "rows": len(run),
        "t_start": run.t[0],
        "t_end": run.t[-1],
        "invariants": {name: _about_invariant(run, name) for name in run.problem.invariants},
        "orthogonality": {"max": run.extrema["orthogonality"].max, "last": run.extrema["orthogonality"].last},
        "rotation_per_step_degrees": {"min": degrees.min(), "max": degrees.max()},
        "cost": {
            "seconds": cost.seconds,
            "ns_per_step": cost.ns_per_step,
            "torque_evaluations": cost.torque_evaluations,
            "newton_iterations": cost.newton_iterations,
            "newton_iterations_per_step": cost.newton_iterations / cost.steps if cost.steps else None,
        },
        "provenance": run.provenance,
        "files": [str(path) for path in paths],
    }


def _about_invariant(run: AnyRun, name: str) -> dict[str, Any]:
    """What became of an invariant, over every step; of a vector, the component that moved most."""
    initial, extrema, deviation = run.first(name), run.extrema[name], run.deviation(name)
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
    """What a person wants to know of a run; `about` is what `about_run` tells, `settings` what --set was given."""
    facts = [("status", "\n".join([STATUS[run.status], *run.messages]))]
    if settings:
        facts.append(("with", ", ".join(settings)))
    facts += [("steps", _steps(run)), ("rotation", _rotation(run, about)), ("cost", _cost(run))]
    if about["files"]:
        facts.append(("file", "\n".join(f"{path} ({_size(path)})" for path in about["files"])))
    status, *rest = pairs(facts)
    shown = style.good if run.status == "done" else style.bad
    return [
        f"{style.bold(f'{run.problem.label} · {run.method.label}')}  {run.problem.name} by {run.method.name}",
        status.replace(STATUS[run.status], shown(STATUS[run.status])),
        *rest,
        "",
        *_invariants(run, about, style),
    ]


def _steps(run: AnyRun) -> str:
    kept = f"from t = 0 to {run.t[-1]:.10g}; {counted(len(run), 'row')} kept"
    if run.method.adaptive:
        return f"{run.cost.steps:,} of its own choice, {kept}, one each {run.dt * run.every:g}"
    done = f"{run.cost.steps:,}" if run.cost.steps == run.steps else f"{run.cost.steps:,} of {run.steps:,}"
    stride = f", one each {run.every:,} steps" if run.every > 1 else ""
    return f"{done}, dt = {run.dt:g}, {kept}{stride}"


def _rotation(run: AnyRun, about: Mapping[str, Any]) -> str:
    low, high = about["rotation_per_step_degrees"].values()
    if math.isnan(low):
        return "–"
    each = f"in each {run.dt:g} of time" if run.method.adaptive else "per step"
    return f"{low:.4g}° to {high:.4g}° {each}" + (" (at the rows kept)" if about["every"] > 1 else "")


def _cost(run: AnyRun) -> str:
    cost = run.cost
    if not cost.steps:
        return "–"
    what = f"{SPACES[run.problem.space].evaluates} evaluation"
    words = [f"{cost.ns_per_step:,.0f} ns", counted(cost.torque_evaluations / cost.steps, what)]
    if cost.newton_iterations:
        words.append(counted(cost.newton_iterations / cost.steps, "Newton iteration"))
    return f"{', '.join(words)} per step; {elapsed(cost.seconds)} in all"


def _size(path: str) -> str:
    return f"{prefixed(Path(path).stat().st_size)}B"


def _invariants(run: AnyRun, about: Mapping[str, Any], style: Style) -> Lines:
    """The table of what was kept."""
    rows = [("", "initial", "largest deviation", "", "last", f"kept by {run.method.label}")]
    for name, told in about["invariants"].items():
        deviation, relative = _deviation(told["largest_deviation"]), "relative" if told["relative"] else ""
        rows.append(
            (name, _value(told["initial"]), deviation, relative, _value(told["last"]), KEPT[told["promised"]])
        )
    error = about["orthogonality"]
    kept = KEPT[run.method.conserves.get("orthogonality")]
    rows.append(("orthogonality", "", _deviation(error["max"]), "", _deviation(error["last"]), kept))
    title, *lines = columns(rows, "<>><><")
    return [style.dim(title), *lines]


def _deviation(value: float) -> str:
    return f"{value:.2e}" if value else "0"


def _value(value: Any) -> str:
    return vector(value, 5) if np.ndim(value) else f"{value:.9g}"


# ------------------------------------------------------------------------------------------------- properties


def properties_of(found: Properties, style: Style) -> Lines:
    """What was measured of one method, to be read in a terminal, and the contradictions below it."""
    from ..studies.table import MARK  # imported here, so that other cards need not wait for it

    rows = [("", "on", "measured", "declared", "")]
    for finding in found.findings:
        mark = MARK if finding.contradiction else ""
        rows.append((finding.property, finding.on, finding.measured, finding.declared, mark))
    title, *told = columns(rows, "<<<<<")
    below = ["", *(style.bad(sentence) for sentence in found.contradictions)] if found.contradictions else []
    return [style.bold(f"{found.method.label}, {found.method.name}"), style.dim(title), *told, *below]


# ------------------------------------------------------------------------------------------------- papers


def verdict(measured: Measured, style: Style) -> Lines:
    """The verdict on a claim, what the paper says, and why."""
    claim = measured.claim
    colour = style.good if measured.verdict == "reproduced" else style.bad
    holds = f"{measured.holding} of {len(claim.paper)}"
    head = f"{style.bold(claim.key)}  {colour(measured.verdict)}, {holds} hold, in {elapsed(measured.seconds)}"
    source = f"{claim.source}, {claim.where}"
    return [head, *pairs([("source", source), ("says", claim.says), ("reason", claim.reason)], "  "), ""]


def claim_card(measured: Measured, style: Style) -> Lines:
    """The verdict with every figure: what the paper has, what was measured, and of what does not hold, why."""
    claim = measured.claim
    rows = [
        ("", name, str(claim.paper.get(name, "")), plainly(value), {True: "holds", False: "no", None: ""}[holds])
        for name, value, holds in measured.rows()
    ]
    title, *lines = columns([("", "figure", "paper", "measured", ""), *rows], "<<>><")
    why = [line for name, text in claim.why.items() for line in wrapped(f"{name}: {text}", 2)]
    return [
        *verdict(measured, style)[:-1],
        *pairs([("how", claim.how)], "  "),
        style.dim(title),
        *lines,
        *(f"  {line}" for line in why),
        "",
    ]


def plainly(value: float | str) -> str:
    """A figure with six digits."""
    return value if isinstance(value, str) else f"{value:.6g}"


def about_figure(figure: Figure) -> dict[str, Any]:
    """What is declared of a figure."""
    return {
        "figure": figure.key,
        "source": figure.source,
        "where": figure.where,
        "title": figure.title,
        "plotted": figure.plotted,
        "see": figure.see,
        "claims": " ".join(figure.claims),
    }


def figure_head(figure: Figure, style: Style) -> Lines:
    """What a figure is."""
    told = [("source", f"{figure.source}, {figure.where}"), ("plotted", figure.plotted), ("see", figure.see)]
    return [f"{style.bold(figure.key)}  {figure.title}", *pairs(told, "  ")]


def figure_card(drawn: Drawn, style: Style) -> Lines:
    """What a figure is, its curves in a line each, and the cells of a table."""
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
            title, *table = columns([head, *rows], form)
            lines += ["", style.dim(title), *table]
    return [*figure_head(drawn.figure, style), *lines, ""]


def curve_range(values: Any) -> str:
    """The least and the largest of some numbers."""
    finite = values[np.isfinite(values)]
    return f"{finite.min():.4g} to {finite.max():.4g}" if len(finite) else ""
