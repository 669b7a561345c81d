"""The studies that the page offers: what each asks for, and how it is carried out. There is no Panel here."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import engine
from engine import studies
from engine.algorithms.method import Method
from engine.compiler.telling import compiling
from engine.names import meant, split_names
from engine.plan import Plan
from engine.problems import Problem, find_problem
from engine.spec import Parameter, Whole
from engine.studies import Study
from engine.studies.map import axes_or_own, check_axes
from engine.studies.sweeps.ranges import Varied
from engine.studies.sweeps.variables import variables
from engine.warm import make, missing
from engine.wording import listed, sentence, short

from . import view
from .axes import AxisForm
from .entries import FormField, entry
from .session import Choice, Posing, Refused, asked_of, frozen

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS, QUICK_STEPS = 1_000_000_000, 10_000_000
"""Of all runs together; and how many are made without being asked for."""
BOUNDING = ("duration", "steps", "members", "repetitions")
"""Fields of which a smaller value takes fewer steps."""
WORKERS = max(1, (os.cpu_count() or 2) - 1)
"""Threads of one study: one processor is left to the page."""


@dataclass
class Cluster:
    """Other machines, for studies whose runs can be made there: the address of their Dask scheduler, or none."""

    scheduler: str = ""


cluster = Cluster()
"""That of this server."""

Progress = Callable[..., Any]
"""`progress(done, total, row=None, words="")`: parts done, and in all; a new row; what is being done besides."""


def offered() -> dict[str, Study]:
    """The studies of one body, by their keys."""
    return {study.key: study for study in studies.registered("so3")}


@dataclass(frozen=True)
class Asked(Posing):
    """What a visitor wants to know: a study of a problem and methods, and the texts of its fields.

    `changes` are the parameters in which the problem differs from the one of its name, as a lab's setting has them.
    """

    study: str = "convergence"
    problem: str = "free"
    methods: tuple[str, ...] = ("NMB", "AKW", "MR4")
    texts: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def about(self) -> Study:
        """The study."""
        return offered()[self.study]

    def field(self, name: str) -> Parameter | None:
        """The field of this name, which may be an old one; None if there is none."""
        fields = {field.name: field for field in self.about.fields}
        name = meant(name, (*self.about.old_words, *fields))
        return fields.get(self.about.old_words.get(name, name))

    def text(self, field: Parameter) -> str:
        """What stands in a field."""
        own = "" if field.default is None else field.written(field.default)
        return dict(self.texts).get(field.name, own)

    def with_text(self, name: str, text: str) -> Asked:
        """The same with another text in a field; refused if that cannot be had."""
        field = self.field(name)
        assert field is not None
        self._value(field, text.strip())
        return replace(self, texts=tuple((dict(self.texts) | {field.name: text.strip()}).items()))

    def with_entry(self, name: str, text: str) -> Asked:
        """The same with something else in one of the form's fields, of which an axis has several."""
        of, _, part = name.partition(".")
        return self.with_text(of, self.axes()[of].changed(part, text)) if part else self.with_text(name, text)

    def form(self) -> tuple[list[FormField], dict[str, str]]:
        """The fields that ask for all this, and what they say."""
        fields, says, axes = list[FormField](), dict[str, str](), self.axes()
        for field in self.about.fields:
            if field.name in axes:
                fields += axes[field.name].fields()
                says |= axes[field.name].says()
            else:
                fields.append(replace(entry(field), placeholder="automatic"))
                says[field.name] = self.text(field)
        return fields, says

    def axes(self) -> dict[str, AxisForm]:
        """The axes that a map has, by the names of what they are asked by."""
        asks = [field for field in self.about.fields if isinstance(field.kind, Varied)]
        if not asks:
            return {}
        problem = self.built()
        texts = axes_or_own(problem, *(self.text(field) for field in asks))
        there = variables(problem, self._algorithms())
        return {field.name: AxisForm(field, text, there) for field, text in zip(asks, texts, strict=True)}

    def misfits(self) -> dict[str, str]:
        """Why an axis cannot be had of this problem and these methods, by the name of the field that says which."""
        texts: list[str] = []
        for name, axis in self.axes().items():
            texts.append(axis.text)
            try:
                check_axes(self.built(), self._algorithms(), texts)
            except ValueError as refused:
                return {f"{name}.of": sentence(str(refused))}
        return {}

    def _algorithms(self) -> list[Method]:
        return [engine.algorithm(label, space="so3") for label in self.methods]

    def _value(self, field: Parameter, text: str) -> Any:
        """What a text means, None if it leaves that to the study; `Refused` if it cannot be had."""
        if not text:
            if field.name in [argument.name for argument in self.about.needed()]:
                raise Refused(field.name, f"{field.title} is needed, like {field.kind.example}.")
            return None
        try:
            return replace(field, name=field.title).parsed(text)
        except ValueError as refused:
            raise Refused(field.name, sentence(str(refused))) from None

    def values(self) -> dict[str, Any]:
        """The arguments that the fields give."""
        found = {field.name: self._value(field, self.text(field)) for field in self.about.fields}
        return {name: value for name, value in found.items() if value is not None}

    # ------------------------------------------------------------------ carried out

    def carry_out(self, progress: Progress, cancel: threading.Event) -> Any:
        """Do it; `ValueError` in one sentence if it cannot be done, None if it was cancelled before it began."""
        self.check()
        if not self.about.side_by_side and not self._compiled(progress, cancel):
            return None
        more: dict[str, Any] = {"workers": WORKERS} if self.about.threads else {}
        if self.about.goes_elsewhere and cluster.scheduler:
            more["executor"] = cluster.scheduler
        return self.about.function(**self._arguments(), **more, progress=progress, cancel=cancel)

    def _compiled(self, progress: Progress, cancel: threading.Event) -> bool:
        """Compile what is not there yet; whether all is there now."""

        def told(number: int, of: int, method: str) -> None:
            progress(0, 0, words=compiling(method, number, of))

        return make(missing(self.built(), self._algorithms()), told, cancel)

    @property
    def steps(self) -> float:
        """How many steps all runs together have at most."""
        return self.about.effort(self.built(), self.methods, self.values())

    def check(self) -> None:
        """Refuse what would take a server too long."""
        if self.steps > MOST_STEPS:
            raise Refused(
                "steps",
                f"That takes up to {short(self.steps, 1)} steps of all methods together, and at most "
                f"{short(MOST_STEPS, 1)} can be made here; it fits with {listed(self._ways_out(), 'or')}.",
            )

    def _ways_out(self) -> list[str]:
        """What would be accepted, a field at a time."""
        problem, values, ways = self.built(), self.values(), list[str]()
        for field in self.about.fields:
            given = values.get(field.name, problem.duration if field.name == "duration" else field.default)
            if field.name not in BOUNDING or given is None or field.low is None:
                continue

            def fits(value: float, name: str = field.name) -> bool:
                return self.about.effort(problem, self.methods, values | {name: value}) <= MOST_STEPS

            low, high = max(float(field.low), given * 1e-12), float(given)
            if fits(low):
                while high > 1.01 * low:
                    middle = math.sqrt(low * high)
                    low, high = (middle, high) if fits(middle) else (low, middle)
                most = math.floor(low) if isinstance(field.kind, Whole) else low
                ways.append(f"{field.title} of at most {_rounded_down(most)}")
        if len(self.methods) > 1 and self.about.effort(problem, self.methods[:1], values) <= MOST_STEPS:
            ways.append("fewer methods")
        return ways or ["fewer or larger steps"]

    @property
    def quick(self) -> bool:
        """Whether it takes a few seconds at most, so that it may begin by itself."""
        usual = self.about.effort(self.built(), self.methods, self.values(), usually=True)
        return self.about.eager and usual <= QUICK_STEPS and self.steps <= MOST_STEPS

    def _arguments(self) -> dict[str, Any]:
        """The arguments, as a person would write them."""
        problem = self.built() if self.changes else self.problem
        return {"problem": problem} | self.about.chosen(self.methods) | self.values()

    # ------------------------------------------------------------------ taken along

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = {"page": "studies", "study": self.study, "problem": self.problem, "methods": ",".join(self.methods)}
        return words | self.written() | {name: text for name, text in self.texts if text}

    def told(self) -> str:
        """The setting in a line, as it stands below the title of a plot that is taken along."""
        changes = [f"{name} = {text}" for name, text in self.written().items()]
        fields = [f"{f.title} = {text}" for f in self.about.fields if (text := self.text(f))]
        return " · ".join([self.about.title, self.built().name, ", ".join(self.methods), *changes, *fields])

    def snippet(self) -> str:
        """Python that does the same."""
        arguments = "".join(
            f"    {name}={value!r},\n" for name, value in self._arguments().items() if name != "problem"
        )
        engine_too, problem = ("", repr(self.problem))
        if self.changes:
            engine_too, problem = "import engine\n", self.in_python()
        arguments = f"    problem={problem},\n{arguments}"
        called = f"studies.{self.about.name}(\n{arguments})"
        return (
            f"{engine_too}from engine import studies\n\nfound = {called}\n"
            "print(found.conclusion)\nprint(found.to_frame())\n"
        )


def _rounded_down(value: float) -> str:
    """A number in two digits, none of which takes it beyond."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return short(math.floor(value / unit) * unit, 2)


def live(study: Study, told: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows that have been told so far; of those about the same the last one."""
    import pandas as pd

    rows = {tuple(row.get(name) for name in study.told_by): row for row in told}
    return pd.DataFrame(rows.values())


def presets(study: Study) -> dict[str, dict[str, str]]:
    """What a study has to begin with, as the words of links by their titles."""
    here = {"page": "studies", "study": study.key}
    return {title: here | dict(words) for title, words in study.presets.items()}


OF_THE_LAB = ("dt", "duration", "lecture", "theme", "tab", *view.WORDS)
"""Words of the lab's links, which a study takes over if it has a field for them."""


def first(study: str = "convergence", problem: str = "free") -> Asked:
    """What a study begins with."""
    return Asked(study, engine.problem(problem).label, offered()[study].example)


def from_query(query: Mapping[str, str]) -> tuple[Asked, list[str]]:
    """What a link asks for, and what of it could not be had; there the defaults stand in."""
    notices: list[str] = []
    key = query.get("study", "convergence")
    if key not in offered():
        notices.append(f"There is no study {key[:30]!r}.")
        key = "convergence"
    asked = first(key)
    problem_first = sorted(query.items(), key=lambda word: word[0] != "problem")
    for name, text in problem_first:
        try:
            own = asked_of(asked.built())
            changed = meant(name, own)
            if name == "problem":
                asked = replace(asked, problem=find_problem(text).label)
            elif changed in own:
                asked = with_change(asked, changed, text)
            elif name == "methods":
                names = split_names(text)
                asked = with_methods(asked, names[:1] if asked.about.most == 1 else names)
                if asked.about.most == 1 and len(names) > 1:
                    notices.append(f"This study takes one method; of those of the link it is {asked.methods[0]}.")
            elif asked.field(name) is not None:
                asked = asked.with_text(name, text)
            elif name not in ("study", "version", *OF_THE_LAB):
                notices.append(f"{name[:40]!r} is no name that this link can carry.")
        except ValueError as error:
            said = isinstance(error, Refused) and asked.field(name) is not None  # it begins with the field's label
            notices.append(sentence(str(error)) if said else f"{name}: {sentence(str(error))}")
    return asked, notices


def with_change(asked: Asked, name: str, text: str) -> Asked:
    """The same with a parameter of the problem changed; refused if no body is like that."""
    changes = dict(asked.changes) | {name: frozen(asked.built().declared[name].typed(text))}
    changed = replace(asked, changes=tuple(sorted(changes.items())))
    changed.built()
    return changed


def with_methods(asked: Asked, names: Iterable[str]) -> Asked:
    """The same with these methods; refused if there are too many, none, or one that is not known."""
    labels = tuple(dict.fromkeys(engine.algorithm(name, space="so3").label for name in names))
    if not labels:
        raise Refused("methods", "At least one method is wanted.")
    if len(labels) > asked.about.most:
        most = asked.about.most
        raise Refused("methods", f"This study takes {'one method' if most == 1 else f'at most {most} methods'}.")
    return replace(asked, methods=labels)


def in_the_lab(problem: Problem, plan: Plan) -> Choice:
    """The setting of the lab that makes this run."""
    own = find_problem(problem.label)
    changes = {n: problem.value(n) for n in asked_of(problem) if not np.array_equal(problem.value(n), own.value(n))}
    choice = Choice(problem.label, (plan.method.label,), plan.dt, plan.steps * plan.dt)
    return choice.with_changes(**changes)


@dataclass(frozen=True)
class Spot:
    """A point of a map: in words, and the setting of the lab that shows it; None if there is no such run."""

    words: str
    choice: Choice | None


def spot(found: studies.Map, method: str, x: float, y: float) -> Spot | None:
    """The point of a map that is nearest; None if it was not measured."""
    rows = [row for row in found.rows if row["method"] == method]
    if not rows:
        return None
    at = np.array([(row["x"], row["y"]) for row in rows])
    near = [places[np.argmin(np.abs(places - value))] for places, value in zip(at.T, (x, y), strict=True)]
    row = next((row for row in rows if (row["x"], row["y"]) == tuple(near)), None)
    if row is None:
        return None
    value = short(row["value"], 4) if np.isfinite(row["value"]) else row["status"].replace("-", " ")
    words = (
        f"{method} at {found.across} = {short(row['x'])}, {found.up} = {short(row['y'])}: {found.measure} {value}."
    )
    try:
        return Spot(words, in_the_lab(*found.point(method, row["x"], row["y"])))
    except ValueError:
        return Spot(words, None)


def extreme(found: studies.Map, largest: bool) -> tuple[str, float, float] | None:
    """Where the largest or the least value of a map lies: the method and the place."""
    rows = [row for row in found.rows if np.isfinite(row["value"])]
    if not rows:
        return None
    row = (max if largest else min)(rows, key=lambda row: row["value"])
    return row["method"], row["x"], row["y"]


HEADS = {"dt": "Δt", "fails_at": "fails at Δt", "q05": "5 %", "q95": "95 %"}


def head(column: str) -> str:
    """What a column of a study's rows is called."""
    return HEADS.get(column, column.replace("_", " "))
