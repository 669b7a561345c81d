"""A question to the page Engines: a program with its flags, a free body, and a frame rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.algorithms import (
    PRECISION,
    PROGRAMS,
    STEP_OPTIONS,
    SUBSTEPS,
    FixedStep,
    Method,
    Program,
    name_method,
)
from engine.problems import DT
from engine.referee.cures import list_candidates
from engine.text.formatting import quote, show

from ..choice import Choice, Refusal, attempt, validate
from ..form_fields import FormField, format_value, make_field
from ..links import read_query as read_choice
from ..presets import PRESETS
from .file_motion import STATED, FileMotion

OWN = "own"
OWN_WORDS = ("engine", "problem", "motion")
"""The words of a link that are not those of a choice, besides those that begin with `STATED`."""


@dataclass(frozen=True)
class NamedBody:
    """A free body with an initial state, and its shape."""

    key: str
    title: str
    start: Mapping[str, Any]
    shape: str = "box"


_STARTS = {preset.key: dict(preset.choice.changes) for preset in PRESETS}
BODIES = (
    NamedBody(
        "tumbling", "A block that tumbles", {"J": (1.0, 2.0, 2.8), "Omega0": (1.2, 1.9, 1.5)}
    ),
    NamedBody("middle", "A block thrown about its middle axis", _STARTS["engines-turn-over"]),
    NamedBody("stable", "A block spun about a stable axis", _STARTS["engines-unstable"]),
    NamedBody("handle", "A T-handle, as in orbit", _STARTS["racket-nut"], "T-handle"),
    NamedBody("racket", "A tennis racket", _STARTS["racket"], "racket"),
)
"""The bodies of the menu; the form also takes any other moments and initial velocity."""

PROGRAM = "bullet"
"""The program that the page opens with."""
FIRST = Choice("custom", (PROGRAM,), 1 / 60, 100.0).with_changes(**BODIES[0].start)
DURATIONS = (10.0, 100.0)


@dataclass(frozen=True)
class EngineQuestion:
    """A program with its flags, and the choice that they make: one method on a free body.

    `motion` is that of a visitor's file on the same body, which the page shows beside the rule.
    """

    program: str
    choice: Choice
    motion: FileMotion | None = None

    @property
    def rule(self) -> Method:
        """The program's rule."""
        return self.choice.algorithms[0]

    @property
    def listed_program(self) -> Program | None:
        """The program, if its rule is still the listed one."""
        found = PROGRAMS.get(self.program)
        return (
            found
            if found is not None and own_rule(found.method).label == own_rule(self.rule).label
            else None
        )

    @property
    def title(self) -> str:
        """The program and its flags, in a few words."""
        found = PROGRAMS.get(self.program)
        if found is None:
            return name_method(self.rule)
        return (
            f"{found.title} ({found.flags})" if self.listed_program else f"{found.title}, changed"
        )

    @property
    def body(self) -> str:
        """The key of the body, `OWN` if it is none of `BODIES`."""
        now = dict(self.choice.changes)
        return next((one.key for one in BODIES if one.start == now), OWN)

    def with_candidates(self) -> Choice:
        """The choice of the rule and of the rules that may cure it."""
        methods = (
            self.rule.given_name,
            *(m.label for m in list_candidates(self.rule, self.program)),
        )
        return validate(replace(self.choice, methods=methods))

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = (
            {"page": "engines"}
            | ({"engine": self.program} if self.program else {})
            | self.choice.query()
            | ({} if self.motion is None else self.motion.origin.query())
        )
        return words | {"dt": format_rate(self.choice.dt)}

    # ------------------------------------------------------------------ the form

    def fields(self) -> list[FormField]:
        """The fields of the form, without the program."""
        problem = self.choice.build_problem()
        flags = [
            replace(make_field(option), name=f"flag {option.name}") for option in self.rule.options
        ]
        durations = [f"{t:g}" for t in dict.fromkeys((*DURATIONS, self.choice.duration))]
        bodies = [*(one.key for one in BODIES), OWN]
        return [
            *([FormField("of the rule", "Its rule", kind="words")] if flags else []),
            *flags,
            FormField("of frames", "Its frames", kind="words"),
            FormField("rate", "Frame rate", "Like 60 Hz, or a step, like 1/60."),
            FormField(
                "duration",
                "How long",
                kind="menu",
                options=durations,
                words=[f"{t} s" for t in durations],
            ),
            *(replace(make_field(one), name=f"flag {one.name}") for one in (SUBSTEPS, PRECISION)),
            FormField("of the body", "The body", kind="words"),
            FormField(
                "body",
                "Body",
                kind="menu",
                options=bodies,
                words=[*(one.title for one in BODIES), "Your own"],
            ),
            *(make_field(problem.declarations[name]) for name in ("J", "Omega0")),
        ]

    def values(self) -> dict[str, str]:
        """The values of the fields."""
        problem = self.choice.build_problem()
        rule = self.rule
        chosen = rule.option_values() | {
            one.name: rule.chosen.get(one.name, one.default) for one in STEP_OPTIONS
        }
        flags = {
            f"flag {one.name}": format_value(one, chosen[one.name]) for one in rule.all_options
        }
        own = {
            name: format_value(problem.declarations[name], problem.value(name))
            for name in ("J", "Omega0")
        }
        times = {"rate": format_rate(self.choice.dt), "duration": f"{self.choice.duration:g}"}
        return flags | own | times | {"body": self.body}

    def with_entry(self, name: str, text: str) -> EngineQuestion:
        """The same question with another entry in a field, or a `Refusal`."""
        choice = attempt(name, lambda: check_moves(validate(self._change(name, text))))
        is_same_body = choice.changes == self.choice.changes
        return EngineQuestion(self.program, choice, self.motion if is_same_body else None)

    def _change(self, name: str, text: str) -> Choice:
        choice = self.choice
        if name.startswith("flag "):
            rule = self.rule.with_options(**{name.removeprefix("flag "): text})
            return replace(choice, methods=(rule.given_name,))
        if name == "rate":
            return replace(choice, dt=parse_rate(text))
        if name == "duration":
            return replace(choice, duration=float(text))
        if name == "body":
            start = next((one.start for one in BODIES if one.key == text), {})
            return choice.with_changes(R0=None, **start)
        value = choice.build_problem().declarations[name].read_text(text)
        return choice.with_changes(R0=None, **{name: value})


def check_moves(choice: Choice) -> Choice:
    """The choice, if its body moves; else a `Refusal`."""
    if not np.any(choice.build_problem().value("Omega0")):
        raise Refusal("Omega0", "A body at rest stays there; give it an angular velocity.")
    return choice


def choose_program(
    key: str, before: Choice = FIRST, motion: FileMotion | None = None
) -> EngineQuestion:
    """A program with its flags and its substeps; frame rate, precision and body stay as they
    were, with the motion of a file.
    """
    precision = before.algorithms[0].chosen.get(PRECISION.name, PRECISION.default)
    rule = PROGRAMS[key].method.with_options(precision=precision)
    return EngineQuestion(key, validate(replace(before, methods=(rule.given_name,))), motion)


def own_rule(method: Method) -> Method:
    """A method with its own options alone, without substeps and precision."""
    return method.with_options(**{one.name: one.default for one in STEP_OPTIONS})


def call_by_program(rule: Method, key: str) -> str:
    """A rule under the name of a program whose rule it is, also with other options."""
    if key not in PROGRAMS or PROGRAMS[key].method.key != rule.key:
        return rule.given_name
    values = {one.name: rule.chosen.get(one.name, one.default) for one in rule.all_options}
    return PROGRAMS[key].method.with_options(**values).given_name


def describe_setting(choice: Choice) -> str:
    """The frame rate, the duration, the body and a precision of 32 bits, in a line."""
    start = dict(choice.changes)
    body = next((one.title for one in BODIES if one.start == start), "your own body")
    single = " · 32 bits" if choice.algorithms[0].single else ""
    return f"{format_rate(choice.dt)} · {show(choice.duration)} s · {body}{single}"


def format_rate(dt: float) -> str:
    """A step as frames in a second, if they are whole; else as a step."""
    frames = round(1 / dt)
    return (
        f"{frames} Hz" if frames and math.isclose(frames * dt, 1.0, rel_tol=1e-9) else DT.format(dt)
    )


def parse_rate(text: str) -> float:
    """The step of a text that gives frames in a second, like 60 or 60 Hz, or a step, like 1/60."""
    if text.strip().isdigit() and int(text) > 0:
        return 1 / int(text)
    step = DT.read_text(text)
    assert isinstance(step, float)
    return step


def read_query(query: Mapping[str, str]) -> tuple[EngineQuestion, list[str]]:
    """Return the question of a link, and a notice for each refused part, which takes the page's
    first value.
    """
    key = query.get("engine", "")
    notices = []
    if key not in PROGRAMS:
        notices += [f"There is no engine {key[:30]!r} here."] if key else []
        named = query.get("methods", PROGRAM).partition("(")[0]
        key = named if named in PROGRAMS else ""
    first = choose_program(key or PROGRAM)
    if query.get("motion"):
        notices.append(
            f"A link does not hold a motion. Choose {quote(query['motion'][:60])} again, and this page shows it."
        )
    if query.get("problem", "custom") != "custom":
        notices.append("problem: this page shows a free body; set it by J and Omega0.")
    words = {
        name: text
        for name, text in query.items()
        if name not in OWN_WORDS and not name.startswith(STATED)
    }
    choice, more = read_choice(first.choice.query() | {"dt": format_rate(first.choice.dt)} | words)
    if len(choice.methods) > 1:
        more.append(f"This page shows one rule: {next(iter(choice.names.values()))}.")
    choice = replace(choice, methods=(call_by_program(choice.algorithms[0], key),))
    question = EngineQuestion(key, choice)
    refusal = find_refusal(question)
    return (choose_program(PROGRAM) if refusal else question), [*notices, *more, *refusal]


def find_refusal(question: EngineQuestion) -> list[str]:
    """Why the page cannot answer a question, if it cannot."""
    if not isinstance(question.rule, FixedStep):
        return [f"{name_method(question.rule)} takes no steps of one size, as engines do."]
    try:
        check_moves(question.choice)
        question.with_candidates()
    except Refusal as refusal:
        return [str(refusal)]
    return []


# -------------------------------------------------------------------------------------------------
# examples


@dataclass(frozen=True)
class Example:
    """A question behind a button of the page."""

    key: str
    title: str
    program: str
    body: str
    undamped: bool = False

    @property
    def question(self) -> EngineQuestion:
        """The question."""
        found = choose_program(self.program).with_entry("body", self.body)
        return found.with_entry("flag damping", "0") if self.undamped else found


EXAMPLES = (
    Example(
        "dzhanibekov",
        "Dzhanibekov: a block that should turn over",
        "godot",
        "middle",
        undamped=True,
    ),
    Example("unstable", "It ends on its unstable axis", "jolt", "stable", undamped=True),
    Example("stops", "It stops tumbling", "ode", "handle"),
    Example("blows-up", "It blows up", "mujoco-euler", "tumbling"),
    Example("rk4", "RK4 of second order, in MuJoCo 3", "mujoco-rk4-mean", "tumbling"),
)
"""The questions that the page begins with."""

SIX = ("jolt-default", "bullet", "ode", "rapier", "box3d", "avian")
"""Engines as they come, at their own defaults, for a comparison on one body."""


def query_of_six(question: EngineQuestion) -> dict[str, str]:
    """The words of a link to the study of six engines on the same body."""
    choice = question.choice
    chosen = question.rule.chosen
    words = {"page": "studies", "study": "engines", "problem": "custom", "methods": ",".join(SIX)}
    how = {one.name: str(chosen[one.name]) for one in STEP_OPTIONS if one.name in chosen}
    times = {"dt": format_rate(choice.dt), "duration": f"{choice.duration:g}"}
    return words | choice.write_changes() | times | how
