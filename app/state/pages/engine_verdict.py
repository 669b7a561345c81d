"""The verdict on an engine's rule: what becomes of a free body at a frame rate, and the rule that
cures it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.algorithms import Method, Program, name_method
from engine.export.citations import parse_entries
from engine.programs import Example, Unwritable, find_shapes, write_pseudo_code
from engine.quantities import VERDICT
from engine.referee import cures
from engine.referee.cures import (
    MOST_COST,
    describe_cost_ratio,
    find_cheapest,
    list_candidates,
    rank_cure,
)
from engine.studies.engines import (
    BLOWS_UP,
    AfterATime,
    describe_changes,
    describe_end,
    format_angle,
    format_percent,
    measure_at,
    name_axis,
)
from engine.studies.replacements import holds_energy, step_time
from engine.text.formatting import (
    finish_sentence,
    format_measured,
    format_step,
    join_words,
    show,
)

from ..quantities import make_group
from ..results import Results, RunLine
from .engine_question import EngineQuestion, format_rate

STEADY = 1e-12
"""JΩ × Ω over the product of both lengths, below which it is roundoff."""
COLOURS = ("#D55E00", "#0072B2")
"""Colours of the rule and of its cure."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The runs of a rule and of its cure, and what became of the body by each.

    `cure` is None if the rule needs none: it is sound, and no other rule came nearer to the exact
    motion. `results` also have the motion of a visitor's file, if there is one, and `computed` only
    the runs.
    """

    question: EngineQuestion
    results: Results
    computed: Results
    rule: RunLine
    rule_end: AfterATime
    cure: RunLine | None = None
    cure_end: AfterATime | None = None


def judge(question: EngineQuestion, results: Results) -> Outcome | None:
    """The outcome of the runs of a rule and its candidates; None if the rule has no run of a step
    at least.
    """
    measured = [
        (line, measure_at(line.run, line.error, len(line.run) - 1))
        for line in results.runs
        if len(line.run) > 1 and line.error is not None
    ]
    if not measured or measured[0][0] is not results.lines[0]:
        return None
    (rule, end), *tried = measured
    best = sorted(tried, key=lambda pair: rank_cure(pair[0].run, pair[1]))[:1]
    if is_sound(rule, end):
        best = [pair for pair in best if pair[1].attitude_rank < end.attitude_rank]
    coloured = zip([measured[0], *best], COLOURS, strict=False)
    found = [(replace(line, colour=colour), end) for (line, end), colour in coloured]
    lines = tuple(line for line, _ in found)
    choice = replace(results.choice, methods=tuple(line.label for line in lines))
    cure = found[1] if best else (None, None)
    computed = replace(results, choice=choice, lines=lines)
    of_file = () if question.motion is None else (question.motion.line,)
    shown = replace(computed, lines=(*of_file, *lines))
    return Outcome(question, shown, computed, *found[0], *cure)


def is_sound(line: RunLine, end: AfterATime) -> bool:
    """Whether a run conserves energy and momentum of a free body but for small changes."""
    return line.run.status == "done" and end.is_conserved


# -------------------------------------------------------------------------------------------------
# in words


def write_verdict(outcome: Outcome) -> str:
    """What becomes of the body, in sentences."""
    run = outcome.rule.run
    end = outcome.rule_end
    rate = format_rate(run.dt)
    if run.status != "done":
        text = [f"At {rate}, {describe_early_end(run)}"]
    else:
        text = [f"In {show(run.t[-1], 3)} s at {rate}, {describe_changes(end)}"]
        text += describe_end(run.problem, end)
        text += [*describe_damping(run), *describe_orders(run.method)]
    if run.method.option_values().get("gyroscopic") == "off":
        text.append(describe_missing_term(run.problem))
    return " ".join([*text, *describe_default_step(outcome.question)])


def describe_default_step(question: EngineQuestion) -> list[str]:
    """The program's default step, if it is known and differs from the chosen one."""
    program = question.listed_program
    steps = [one.value for one in program.defaults if one.option == "dt"] if program else []
    others = [step for step in steps if not math.isclose(step, question.choice.dt)]
    return [
        f"By default, {program.title} takes steps of {format_step(step)} s."
        for step in others
        if program
    ]


def is_steady(problem: Any) -> bool:
    """Whether JΩ × Ω is zero at the start, as for a spin about a principal axis."""
    J, Ω = problem.J, problem.Omega0
    gyroscopic = np.linalg.norm(np.cross(J @ Ω, Ω))
    return bool(gyroscopic < STEADY * np.linalg.norm(J @ Ω) * np.linalg.norm(Ω))


def lacks_gyroscopic_term(run: Any) -> bool:
    """Whether a rule leaves out JΩ × Ω where it is not zero."""
    return run.method.option_values().get("gyroscopic") == "off" and not is_steady(run.problem)


def describe_missing_term(problem: Any) -> str:
    """The effect of leaving out JΩ × Ω, which is zero for a spin about a principal axis."""
    if is_steady(problem):
        return (
            "It leaves out the gyroscopic term, which is zero for this spin about a principal axis."
        )
    return (
        "It leaves out the gyroscopic term, so even in small steps no rigid body moves like this."
    )


def describe_damping(run: Any) -> list[str]:
    """What damping and a cap take from the velocity, apart from the errors of the rule."""
    method = run.method
    text = []
    values = method.option_values()
    c = values.get("damping", 0.0)
    fastest = np.linalg.norm(run.problem.Omega0)
    if c > 0.0 and values.get("damped") == "speed":
        text.append(
            f"Its angular damping, {show(c)} per second at rest and more at speed, slows the body."
        )
    elif c > 0.0:
        by_power = values.get("damped") == "power"
        left = max(1.0 - (c if by_power else c * run.dt / method.substeps), 0.0)
        left **= run.t[-1] * (1.0 if by_power else method.substeps / run.dt)
        text.append(
            f"Its angular damping alone reduces the momentum to {format_percent(left)} % of the first."
        )
    caps = [values.get("max_speed", 0.0), values.get("max_turn", 0.0) / run.dt]
    text += [
        f"Its limit of {show(most, 2)} rad/s cuts the first angular velocity."
        for most in caps
        if 0.0 < most < fastest
    ]
    return text


def describe_orders(method: Method) -> list[str]:
    """The declared orders of attitude and momentum of a free body, if they differ."""
    order = method.order_on(free=True)
    if order is None or order[0] == order[1]:
        return []
    return [f"Its attitude has order {order[0]}, and its angular velocity order {order[1]}."]


def describe_motion(outcome: Outcome) -> tuple[tuple[int, float], str]:
    """What the body does, beside the exact motion, in a few words, and its rank: the worst first."""
    run = outcome.rule.run
    end = outcome.rule_end
    if run.status != "done":
        return (0, run.t[-1]), "blows up" if run.status == "diverged" else "ends early"
    if end.stopped >= 0:
        if not end.should_tumble:
            return (1, end.stopped), f"goes over to {name_axis(run.problem, end.axis)}"
        since = f"stops tumbling at {show(end.stopped, 2)} s" if end.stopped else "never tumbles"
        return (1, end.stopped), since
    moves = "tumbles on" if end.should_tumble else "keeps its axis"
    if lacks_gyroscopic_term(run):
        return (2, 0.0), "unlike any rigid body"
    if end.phase_lost >= 0:
        return (3, end.phase_lost), f"{moves}, but loses phase at {show(end.phase_lost, 2)} s"
    if not math.isfinite(end.attitude):
        return (4, 0.0), moves
    return (4, -end.attitude), f"{moves}, off by {format_angle(end.attitude)}"


def describe_cause(run: Any) -> str:
    """What changes the energy and the momentum most: a setting of the engine, or its rule."""
    method = run.method
    values = method.option_values()
    if values.get("damping", 0.0) > 0.0:
        return f"angular damping, {show(values['damping'])} per second"
    return "no gyroscopic term" if lacks_gyroscopic_term(run) else method.short


def describe_early_end(run: Any) -> str:
    """How a run ended before its duration."""
    T = show(run.t[-1], 3)
    doubled = np.flatnonzero(run.energy > 2 * run.energy[0])
    if run.status != "diverged" or not len(doubled):
        return f"the run ends at t = {T} s: {finish_sentence(run.messages[-1] if run.messages else run.status)}"
    twice = show(run.t[doubled[0]], 3)
    return f"the run blows up. Its energy has doubled at t = {twice} s, and its numbers overflow at t = {T} s."


def explain_cure(outcome: Outcome) -> str:
    """Why this rule is proposed, or why none is."""
    rule = outcome.rule.run.method
    own = step_time(rule)
    tried = list_candidates(rule, outcome.question.program)
    if outcome.cure is None or outcome.cure_end is None:
        none = ("It comes no", "Neither comes", "None comes")[min(len(tried), 3) - 1]
        return (
            f"The page tried {join_words(m.short for m in tried)}. "
            f"{none} nearer to the exact motion."
        )
    cure = outcome.cure.run.method
    assert cure.order is not None
    held = " that is held over a frame" if cure.substeps > 1 else ""
    dearer = own is not None and (step_time(cure) or 0.0) > MOST_COST * own
    ratio = find_cost_ratio(outcome)
    lasts = f"{step_time(cure):.0f} ns"
    if ratio is not None:
        lasts = f"{describe_cost_ratio(ratio)} as one of {rule.short}"
    if find_shapes(outcome.question.program):
        text = [
            "It keeps the energy of a free body and the length of its momentum.",
            "It changes only the velocity. The engine then turns the body by that, so you can paste it.",
        ]
    else:
        text = [f"It keeps the momentum of a free body{_energy_of(cure)}."]
    text += [
        f"It {'solves an equation in each step' if cure.implicit else 'is explicit'} and needs only the torque. "
        f"With a torque{held}, it has order {min(cure.order)}.",
        f"A step takes {lasts}, as recorded on a top.{' No cheaper rule does that.' if dearer else ''}",
    ]
    rivals = [m.short for m in tried if m.key != cure.key and holds_energy(m) == holds_energy(cure)]
    if rivals and outcome.cure_end.attitude_rank < math.inf:
        text.append(f"Here it ends nearer to the exact motion than {join_words(rivals, 'or')}.")
    return " ".join(text)


def describe_cost(outcome: Outcome) -> str:
    """The cost of the cure as a part of that of the rule, for a title; empty if it is not recorded."""
    times = times_the_cost(outcome)
    if not times:
        return ""
    return ", at the same cost" if times == "1.0" else f", at {times} times the cost"


def times_the_cost(outcome: Outcome) -> str:
    """The cost of the cure over that of the rule; empty if it is not recorded."""
    ratio = find_cost_ratio(outcome)
    return "" if ratio is None else format_measured(ratio)


def find_cost_ratio(outcome: Outcome) -> float | None:
    """The cost of the cure over that of the rule, if both are recorded."""
    if outcome.cure is None:
        return None
    return cures.find_cost_ratio(outcome.cure.run.method, outcome.rule.run.method)


def _energy_of(cure: Method) -> str:
    """What a rule does with the energy, as the end of a sentence, and as a further one."""
    if "energy" in cure.conserves:
        return " and its energy"
    if cure.symplectic:
        return ". It is symplectic, so the energy swings without drift"
    firm = find_cheapest()
    return f", but the energy may drift. {firm.short} prevents that for {step_time(firm):.0f} ns a step"


def describe_source(program: Program) -> str:
    """The program, its commit and the files that were read, in a line."""
    (entry,) = parse_entries(program.read)
    fields = entry.fields
    return f"{fields['title']}, {fields['version']}: {fields['note'].partition('read: ')[2].replace(chr(92), '')}"


def describe_runs(program: Program) -> str:
    """The versions of a program that were run, and how far they agree with its rule."""
    if not program.ran:
        return f"Only its source was read: no run of {program.title} with this rule is recorded."
    sentences = [
        f"{run.setting}: {run.package} made 600 steps of 1/60 s with {run.bits} bits. Its attitude matrix differed "
        f"from that of {name_method(run.rule)} by {show(run.R)}, and its angular velocity by {show(run.Omega)} rad/s."
        for run in program.ran
    ]
    return " ".join(sentences)


COLUMNS = {
    "energy": "energy,\n% of the first",
    "length": "momentum,\n% of the first",
    "swung": "momentum,\nturned by",
    "axis": "energy fits\na spin about",
    "stopped": "stops\ntumbling",
    "attitude": "attitude,\noff at the end",
    "order": "order, attitude/\nmomentum",
    "cost": "ns\na step",
}
"""The columns of the table, each with its head in two lines."""
EXACT = {"energy": "100", "length": "100", "swung": "0°", "attitude": "0°"}
"""The row of the exact motion."""


def table_row(line: RunLine, end: AfterATime) -> dict[str, str]:
    """The row of a run; the motion of a file has no method."""
    method = line.run.method
    ns = None if method is None else step_time(method)
    order = None if method is None else method.order_on(free=True)
    unordered = "–" if method is None else "none"
    done = line.run.status == "done"
    return {
        "energy": format_part(find_part(line, end, end.energy)),
        "length": format_part(find_part(line, end, end.length)),
        "swung": format_angle(end.swung),
        "axis": name_spin(end) if done else "–",
        "stopped": f"at {show(end.stopped, 2)} s"
        if end.stopped >= 0 and end.should_tumble
        else "never",
        "attitude": describe_attitude(end),
        "order": "/".join(map(str, order)) if order and any(order) else unordered,
        "cost": f"{ns:.0f}" if ns is not None else "–",
    }


def find_part(line: RunLine, end: AfterATime, part: float) -> float:
    """What is left of the energy or the momentum, as a part of the first; infinite if the run blew up."""
    blew_up = line.run.status == "diverged" or max(end.energy, end.length) > BLOWS_UP
    return math.inf if blew_up else part


def format_part(part: float) -> str:
    """What `find_part` returns, as a percentage or in words."""
    return format_percent(part) if math.isfinite(part) else "blows up"


def name_spin(end: AfterATime) -> str:
    """The axis about which a spin has the energy of the body."""
    is_spherical = not end.exact_axis
    return "any axis" if is_spherical else f"{end.axis} axis" if end.axis else "no axis"


def describe_attitude(end: AfterATime) -> str:
    """The attitude error, unless it is unknown or noise."""
    if end.phase_lost >= 0:
        return "phase lost"
    return format_angle(end.attitude) if math.isfinite(end.attitude) else "–"


# -------------------------------------------------------------------------------------------------
# plots and listings


GROUPS = {VERDICT: make_group(VERDICT)}


def make_example(line: RunLine) -> Example:
    """This body and its start, in principal axes, as the run of a program."""
    problem = line.run.problem
    run = line.run
    moments, axes = problem.principal
    steps = round(run.t[-1] / run.dt)
    return Example(moments, axes.T @ problem.Omega0, (problem.R0 @ axes).ravel(), run.dt, steps)


def describe_step(line: RunLine) -> str:
    """A rule as pseudo-code; empty if it is not written out."""
    try:
        return write_pseudo_code(line.run.method)
    except Unwritable:
        return ""
