"""Forms of the studies: the question of a form, its link, and the study that answers it."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import engine
from engine import studies
from engine.algorithms import Method, name_variants
from engine.exact import find_missing_kernels
from engine.parameters.names import match_name, split_names
from engine.parameters.parameter import Parameter, Whole
from engine.problems import AnyProblem, find_problem
from engine.simulation import RunRequest
from engine.studies import Study, StudyResult
from engine.studies.map import axes_or_own, check_axes
from engine.studies.sweeps import Varied, find_variables
from engine.text import SPACES
from engine.text.formatting import finish_sentence, join_words, show

from .. import view
from ..choice import FIRST, Choice, ProblemChoice, Refusal, Value, freeze, list_parameters
from ..form_fields import FormField, make_field
from ..results import prepare_kernels
from .map_axes import AxisForm

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS, QUICK_STEPS = 1_000_000_000, 10_000_000
"""Largest numbers of steps of all runs: of a study, and of one that starts automatically."""
BOUNDING = ("duration", "steps", "members", "repetitions")
"""Fields whose smaller values take fewer steps."""
WORKERS = max(1, (os.cpu_count() or 2) - 1)
"""Threads of one study; one processor is left to the page."""


@dataclass
class Cluster:
    """The address of the Dask scheduler of other machines, or an empty text."""

    scheduler: str = ""


cluster = Cluster()
"""The cluster of this server."""

Progress = Callable[..., Any]
"""`progress(done, total, row=None, words="")`: parts done and in all, a new row, and what is being
done.
"""


def list_studies() -> dict[str, Study]:
    """The studies on the page, by their keys."""
    return {study.key: study for study in studies.registered() if study.on_page}


@dataclass(frozen=True)
class StudyQuestion(ProblemChoice):
    """A study of a problem and methods, with the texts of its fields."""

    study: str = "convergence"
    problem: str = "free"
    methods: tuple[str, ...] = ("NMB", "AKW", "MR4")
    texts: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def about(self) -> Study:
        """The study."""
        return list_studies()[self.study]

    @property
    def space(self) -> str:
        """The space of the problem and of the methods."""
        return find_problem(self.problem).space

    @property
    def fields(self) -> tuple[Parameter, ...]:
        """The fields of the study for this problem."""
        return self.about.fields_of(self.build_problem())

    def field(self, name: str) -> Parameter | None:
        """The field of this name or of this earlier name; None if there is none."""
        fields = {field.name: field for field in self.fields}
        name = match_name(name, (*self.about.old_words, *fields))
        return fields.get(self.about.old_words.get(name, name))

    def text(self, field: Parameter) -> str:
        """The text of a field."""
        own = "" if field.default is None else field.format(field.default)
        return dict(self.texts).get(field.name, own)

    def with_text(self, name: str, text: str) -> StudyQuestion:
        """The question with another text in a field, or a `Refusal`."""
        field = self.field(name)
        assert field is not None
        self._value(field, text.strip())
        return replace(self, texts=tuple((dict(self.texts) | {field.name: text.strip()}).items()))

    def with_entry(self, name: str, text: str) -> StudyQuestion:
        """The question with another entry in a field of the form; an axis has several fields."""
        of, _, part = name.partition(".")
        return (
            self.with_text(of, self.axes()[of].with_entry(part, text))
            if part
            else self.with_text(name, text)
        )

    def form(self) -> tuple[list[FormField], dict[str, str]]:
        """The fields of the form, and their values."""
        fields = list[FormField]()
        values = dict[str, str]()
        axes = self.axes()
        for field in self.fields:
            if field.name in axes:
                fields += axes[field.name].fields()
                values |= axes[field.name].values()
            else:
                fields.append(replace(make_field(field), placeholder="automatic"))
                values[field.name] = self.text(field)
        return fields, values

    def axes(self) -> dict[str, AxisForm]:
        """The axes of a map, by the names of its parameters."""
        fields = [field for field in self.fields if isinstance(field.kind, Varied)]
        if not fields:
            return {}
        problem = self.build_problem()
        texts = axes_or_own(problem, *map(self.text, fields))[: len(fields)]
        variables = find_variables(problem, self.algorithms)
        return {
            field.name: AxisForm(field, text, variables)
            for field, text in zip(fields, texts, strict=True)
        }

    def find_misfits(self) -> dict[str, str]:
        """Why an axis does not fit the problem or the methods, by the field of its variable."""
        texts: list[str] = []
        for name, axis in self.axes().items():
            texts.append(axis.text)
            try:
                check_axes(self.build_problem(), self.algorithms, texts)
            except ValueError as refused:
                return {f"{name}.of": finish_sentence(str(refused))}
        return {}

    @cached_property
    def algorithms(self) -> list[Method]:
        """The methods that the labels name."""
        return [engine.algorithm(label, space=self.space) for label in self.methods]

    @cached_property
    def names(self) -> str:
        """What the methods are called on screen."""
        return name_variants(self.methods, space=self.space).in_line

    def _value(self, field: Parameter, text: str) -> Any:
        """The value of a text, None if the study chooses it, or a `Refusal`."""
        if not text:
            if field.name in [argument.name for argument in self.about.needed()]:
                raise Refusal(field.name, f"{field.title} is needed, like {field.kind.example}.")
            return None
        try:
            return replace(field, name=field.title).parse(text)
        except ValueError as refused:
            raise Refusal(field.name, finish_sentence(str(refused))) from None

    def values(self) -> dict[str, Any]:
        """The arguments that the fields set."""
        found = {field.name: self._value(field, self.text(field)) for field in self.fields}
        return {name: value for name, value in found.items() if value is not None}

    # ------------------------------------------------------------------ the run

    def run(self, progress: Progress, cancel: threading.Event) -> StudyResult | None:
        """Run the study; None if it was cancelled before it began, a `ValueError` if it cannot
        run.
        """
        self.check_effort()
        if not self.about.side_by_side:
            missing = find_missing_kernels(self.build_problem(), self.algorithms)
            if not prepare_kernels(
                missing, cancel, lambda part, words: progress(0, 0, words=words)
            ):
                return None
        more: dict[str, Any] = {"workers": WORKERS} if self.about.takes_workers else {}
        if self.about.takes_executor and cluster.scheduler:
            more["executor"] = cluster.scheduler
        return self.about.function(**self._arguments(), **more, progress=progress, cancel=cancel)

    @property
    def steps(self) -> float:
        """The largest number of steps of all runs together."""
        return self.about.count_steps(self.build_problem(), self.methods, self.values())

    def check_effort(self) -> None:
        """Refuse a study that takes a server too long."""
        if self.steps > MOST_STEPS:
            raise Refusal(
                "steps",
                f"That takes up to {show(self.steps, 2)} steps of all methods together, and at most "
                f"{show(MOST_STEPS, 1)} can be made here; it fits with {join_words(self._ways_out(), 'or')}.",
            )

    def _ways_out(self) -> list[str]:
        """Changes of single fields that would be accepted, in words."""
        problem = self.build_problem()
        values = self.values()
        ways = list[str]()
        for field in self.fields:
            given = values.get(
                field.name, problem.duration if field.name == "duration" else field.default
            )
            if field.name not in BOUNDING or given is None or field.low is None:
                continue

            def fits(value: float, name: str = field.name) -> bool:
                return (
                    self.about.count_steps(problem, self.methods, values | {name: value})
                    <= MOST_STEPS
                )

            low, high = max(float(field.low), given * 1e-12), float(given)
            if fits(low):
                while high > 1.01 * low:
                    middle = math.sqrt(low * high)
                    low, high = (middle, high) if fits(middle) else (low, middle)
                most = math.floor(low) if isinstance(field.kind, Whole) else low
                ways.append(f"{field.title} of at most {_round_down(most)}")
        counts = {
            n: self.about.count_steps(problem, self.methods[:n], values)
            for n in range(1, len(self.methods))
        }
        most = max((n for n, steps in counts.items() if steps <= MOST_STEPS), default=0)
        if most:
            ways.append(f"the first {most} methods alone" if most > 1 else "the first method alone")
        return ways or ["larger steps or fewer of them"]

    @property
    def quick(self) -> bool:
        """Whether it takes at most a few seconds, so that it may start automatically."""
        usual = self.about.count_steps(
            self.build_problem(), self.methods, self.values(), usually=True
        )
        return self.about.eager and usual <= QUICK_STEPS and self.steps <= MOST_STEPS

    def _arguments(self) -> dict[str, Any]:
        """The arguments of the study's function."""
        problem = self.build_problem() if self.changes else self.problem
        return {"problem": problem} | self.about.check_methods(self.methods) | self.values()

    # ------------------------------------------------------------------ links and programs

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = {
            "page": "studies",
            "study": self.study,
            "problem": self.problem,
            "methods": ",".join(self.methods),
        }
        return words | self.write_changes() | {name: text for name, text in self.texts if text}

    def describe(self) -> str:
        """The setting in a line, for the title of a saved plot."""
        fields = [f"{f.title} = {text}" for f in self.fields if (text := self.text(f))]
        return " · ".join(
            [
                self.about.title,
                self.build_problem().name,
                self.names,
                *self.list_changes(),
                *fields,
            ]
        )

    def snippet(self) -> str:
        """A Python program that runs the study."""
        more, problem = (
            ("import engine\n", self.in_python()) if self.changes else ("", repr(self.problem))
        )
        written = {name: repr(value) for name, value in self._arguments().items()} | {
            "problem": problem
        }
        arguments = "".join(f"    {name}={value},\n" for name, value in written.items())
        return (
            f"{more}from engine import studies\n\nfound = studies.{self.about.name}(\n{arguments})\n"
            "print(found.conclusion)\nprint(found.to_frame())\n"
        )


def _round_down(value: float) -> str:
    """A number rounded down to two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return show(math.floor(value / unit) * unit, 2)


def latest_rows(study: Study, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows so far as a table, the last one of those with the same keys; a map's rows are
    columns.
    """
    import pandas as pd

    given = list(rows)
    if given and any(np.ndim(value) for value in given[0].values()):
        return pd.concat(map(pd.DataFrame, given), ignore_index=True)
    return pd.DataFrame(
        {tuple(row.get(name) for name in study.row_keys): row for row in given}.values()
    )


def list_presets(study: Study) -> dict[str, dict[str, str]]:
    """The presets of a study: the words of links by title."""
    here = {"page": "studies", "study": study.key}
    return {title: here | dict(words) for title, words in study.presets.items()}


OF_THE_LAB = ("dt", "duration", "lecture", "theme", "tab", *view.WORDS)
"""Words of the lab's links; a study uses those that it has fields for."""


def first_question(study: str = "convergence", space: str = "") -> StudyQuestion:
    """The question that a study starts with, in a space or in the first of the study's."""
    about = list_studies()[study]
    if space in ("", about.spaces[0]):
        return StudyQuestion(study, methods=about.example)
    first = FIRST[space]
    return StudyQuestion(study, first.problem, first.methods[: about.most])


def read_query(query: Mapping[str, str]) -> tuple[StudyQuestion, list[str]]:
    """Return the question of a link, and a notice for each refused part, which takes its
    default.
    """
    notices: list[str] = []
    key = query.get("study", "convergence")
    if key not in list_studies():
        notices.append(f"There is no study {key[:30]!r}.")
        key = "convergence"
    asked = first_question(key)
    problem_first = sorted(query.items(), key=lambda word: word[0] != "problem")
    for name, text in problem_first:
        try:
            own = list_parameters(asked.build_problem())
            changed = match_name(name, own)
            if name == "problem":
                asked, words = _take_problem(asked, find_problem(text))
                notices += words
            elif changed in own or _is_step_of_samples(asked, name):
                asked = with_change(asked, changed, text)
            elif name == "methods":
                names = split_names(text)
                asked = with_methods(asked, names[:1] if asked.about.most == 1 else names)
                if asked.about.most == 1 and len(names) > 1:
                    notices.append(
                        f"This study takes one method; it uses {asked.names}, the first of the link."
                    )
            elif asked.field(name) is not None:
                asked = asked.with_text(name, text)
            elif name not in ("study", "version", *OF_THE_LAB):
                notices.append(f"{name[:40]!r} is no name that this link can carry.")
        except ValueError as error:
            text = finish_sentence(str(error))
            is_named = (
                isinstance(error, Refusal) and asked.field(name) is not None
            )  # by the label of the field
            notices.append(text if is_named else f"{name}: {text}")
    return asked, notices


def _is_step_of_samples(asked: StudyQuestion, name: str) -> bool:
    """Whether this is the step of the problem, which says how many samples it has."""
    is_sampled = asked.build_problem().interval is not None
    return name == "dt" and asked.field(name) is None and is_sampled


def _take_problem(asked: StudyQuestion, problem: AnyProblem) -> tuple[StudyQuestion, list[str]]:
    """The question about the problem of a link; if its study does not take that, the first study
    does, and a notice says so.
    """
    first = first_question()
    if problem.space in asked.about.spaces or problem.space not in first.about.spaces:
        return with_problem(asked, problem.label), []
    words = f"{asked.about.title} is for {_name_spaces(asked.about)}; this is {first.about.title}."
    return with_problem(first, problem.label), [words]


def _name_spaces(study: Study) -> str:
    """What moves in the problems of a study."""
    return join_words([SPACES[space].moves for space in study.spaces], "or")


def with_problem(asked: StudyQuestion, label: str) -> StudyQuestion:
    """The question with another problem, and methods that move it; a `ValueError` if the study does
    not take it.
    """
    problem = find_problem(label)
    if problem.space not in asked.about.spaces:
        here = _name_spaces(asked.about)
        raise ValueError(
            f"{problem.key} is a problem of {SPACES[problem.space].moves}, and this study is for {here}"
        )
    if problem.space != asked.space:
        asked = first_question(asked.study, problem.space)
    return replace(asked, problem=label, changes=())


def with_change(asked: StudyQuestion, name: str, text: str) -> StudyQuestion:
    """The question with a changed parameter of the problem, or a `ValueError`."""
    changes = dict(asked.changes) | {
        name: freeze(cast(Value, asked.build_problem().declarations[name].read_text(text)))
    }
    changed = replace(asked, changes=tuple(sorted(changes.items())))
    changed.build_problem()
    return changed


def with_methods(asked: StudyQuestion, names: Iterable[str]) -> StudyQuestion:
    """The question with these methods, or a `ValueError`."""
    found: dict[str, str] = {}
    for name in names:
        method = engine.algorithm(name, space=asked.space)
        found.setdefault(method.label, method.given_name)
    labels = tuple(found.values())
    if not labels:
        raise Refusal("methods", "Choose at least one method.")
    if len(labels) > asked.about.most:
        most = asked.about.most
        raise Refusal(
            "methods",
            f"This study takes {'one method' if most == 1 else f'at most {most} methods'}.",
        )
    return replace(asked, methods=labels)


def find_choice(request: RunRequest) -> Choice:
    """The choice of the lab that makes this run."""
    problem = request.problem
    own = find_problem(problem.label)
    changes = {
        n: problem.value(n)
        for n in list_parameters(problem)
        if not np.array_equal(problem.value(n), own.value(n))
    }
    methods = (request.method.given_name,)
    duration = request.steps * request.dt
    choice = Choice(problem.label, methods, request.dt, duration, space=problem.space)
    return choice.with_changes(**changes)


@dataclass(frozen=True)
class Spot:
    """A point of a map in words, and the choice of the lab that shows it, if there is one."""

    words: str
    choice: Choice | None


def find_spot(found: studies.Map, method: str, x: float, y: float) -> Spot | None:
    """The nearest point of a map; None if it was not measured."""
    index = found.nearest(method, x, y)
    if index is None:
        return None
    _, x, y = found.place(index)
    number, status = found.look_up(index)
    outcome = status.replace("-", " ")
    if np.isfinite(number):
        outcome = f"{found.measure} {show(number, 4)}"
    elif status == "done":
        outcome = f"no {found.measure}"
    words = (
        f"{found.names[method]} at {found.across} = {show(x)}, {found.up} = {show(y)}: {outcome}."
    )
    try:
        return Spot(words, find_choice(found.point(method, x, y)))
    except ValueError:
        return Spot(words, None)


HEADS = {
    "dt": "Δt",
    "fails_at": "fails at Δt",
    "newton_iterations": "Newton iterations",
    "torque_evaluations": "evaluations",
    "q05": "5 %",
    "q25": "25 %",
    "q75": "75 %",
    "q95": "95 %",
}
"""The heads of columns, where they are not the column's name."""


def column_title(column: str) -> str:
    """The title of a column of a study's rows."""
    return HEADS.get(column, column.replace("_", " "))
