"""The studies that the page offers: what each asks for, and how it is carried out. There is no Panel here."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import engine
from engine import studies
from engine.charts import Chart
from engine.compiler.telling import compiling
from engine.names import meant
from engine.problems import find as find_problem
from engine.studies.long_run import FEWEST_STEPS, Blocks
from engine.warm import make, missing
from engine.wording import listed, short

from ..charts.study import DRAWN
from .entries import sentence, typed
from .session import COMMON, Refused, built, frozen, in_python, split_methods, written

if TYPE_CHECKING:
    import pandas as pd

MOST_METHODS = 12
MOST_STEPS, QUICK_STEPS = 1_000_000_000, 10_000_000
"""Of all runs together; and how many are made without being asked for."""
LADDER, EDGE = 1024, 200
"""How many times the steps of a run with the problem's own Δt the runs have in which a study makes it smaller."""
MOST_NUMBERS = 40
"""In a list of several."""
WORKERS = max(1, (os.cpu_count() or 2) - 1)
"""Threads of one study: one processor is left to the page."""

Progress = Callable[..., Any]
"""`progress(done, total, row=None, words="")`: parts done, and in all; a new row; what is being done besides."""


@dataclass(frozen=True)
class Field:
    """Something that a study asks for besides problem and methods.

    Attributes
    ----------
    name : of the argument.
    default : what stands there at first; an empty text leaves it to the study.
    choices : the words to choose from, if it is not a number.
    many : whether several numbers may be given.
    low, high : bounds of a number.
    """

    name: str
    label: str
    doc: str
    default: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    low: float = 1e-15
    high: float = 1e7

    def value(self, text: str) -> Any:
        """What the text says; None if it is empty. `Refused` if it cannot be had."""
        text = text.strip()
        if not text:
            return None
        if self.choices:
            if text not in self.choices:
                raise Refused(self.name, f"{self.label} is {listed(self.choices, 'or')}.")
            return text
        try:
            numbers = typed(text)
        except ValueError:
            numbers = ()
        if not numbers or (len(numbers) > 1 and not self.many):
            wanted = "Numbers with commas between them are" if self.many else "One number is"
            raise Refused(self.name, f"{wanted} wanted here, like {self.default or '0.5'}.")
        if len(numbers) > MOST_NUMBERS:
            raise Refused(self.name, f"At most {MOST_NUMBERS} numbers are possible here.")
        for x in numbers:
            if not self.low <= x <= self.high:
                raise Refused(self.name, f"From {short(self.low)} to {short(self.high)} is possible here.")
        return list(numbers) if self.many else numbers[0]


DURATION = Field(
    "duration", "Duration", "How long to run, in the problem's unit of time; empty for the problem's own."
)
DTS = Field(
    "dts",
    "Steps Δt",
    "Several, with commas; empty for eleven, each half of the one before, from twice the problem's own.",
    many=True,
)
DT = Field("dt", "Δt", "The step; empty for the problem's own.")
KIND = Field("kind", "Error of", "What the error is taken of.", "attitude", ("attitude", "momentum", "energy"))


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes
    ----------
    key : its name in links.
    sentence : what it finds out.
    function : of `engine.studies`.
    fields : what it asks for besides problem and methods.
    example : the methods that it begins with.
    most : how many methods it takes.
    told_by : the columns by which a row that comes while it works is known; none if it tells no rows.
    side_by_side : whether its kernels are those of many bodies at once.
    threads : whether it can be told on how many threads to work.
    coloured : whether each method has a colour in its chart.
    """

    key: str
    title: str
    sentence: str
    function: Callable[..., Any]
    fields: tuple[Field, ...]
    example: tuple[str, ...] = ("NMB", "AKW", "MR4")
    most: int = MOST_METHODS
    told_by: tuple[str, ...] = ()
    threads: bool = False
    side_by_side: bool = False
    coloured: bool = True

    @property
    def chart(self) -> Callable[[pd.DataFrame], Chart]:
        """What is drawn of its rows."""
        return DRAWN[self.function.__name__]


@dataclass(frozen=True)
class Asked:
    """What a visitor wants to know: a study of a problem and methods, and the texts of its fields.

    `changes` are the parameters in which the problem differs from the one of its name, as a lab's setting has them.
    """

    study: str = "convergence"
    problem: str = "free"
    methods: tuple[str, ...] = ("NMB", "AKW", "MR4")
    texts: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, Any], ...] = ()

    def built(self) -> Any:
        """The problem, as the engine takes it."""
        return built(self.problem, self.changes)

    @property
    def about(self) -> Study:
        """The study."""
        return STUDIES[self.study]

    def text(self, name: str) -> str:
        """What stands in a field."""
        given = dict(self.texts)
        return given[name] if name in given else next(f.default for f in self.about.fields if f.name == name)

    def with_text(self, name: str, text: str) -> Asked:
        """The same with another text in a field; refused if that cannot be had."""
        asked = next(f for f in self.about.fields if f.name == name)
        asked.value(text)
        texts = {**dict(self.texts), name: text.strip()}
        return replace(self, texts=tuple((key, value) for key, value in texts.items()))

    def values(self) -> dict[str, Any]:
        """The arguments that the fields give."""
        found = {f.name: f.value(self.text(f.name)) for f in self.about.fields}
        return {name: value for name, value in found.items() if value is not None}

    # ------------------------------------------------------------------ carried out

    def carry_out(self, progress: Progress, cancel: threading.Event) -> Any:
        """Do it; `ValueError` in one sentence if it cannot be done, None if it was cancelled before it began."""

        self.check()
        about, far = self.about, (0, 0)

        def told(done: int, total: int, row: Mapping[str, Any] | None = None) -> None:
            nonlocal far
            far = done, total
            progress(done, total, row)

        def blocks(method: str, found: Blocks) -> None:
            for block in zip(*found, strict=True):
                progress(*far, {"method": method} | dict(zip(found._fields, block, strict=True)))

        if not about.side_by_side and not self._compiled(progress, cancel):
            return None
        more: dict[str, Any] = {"workers": WORKERS} if about.threads else {}
        if about.function is studies.long_run:
            more["along"] = blocks
        if about.function is studies.ensemble:
            more["found"] = lambda spread: progress(*far, vars(spread))
        return about.function(**self._arguments(), **more, progress=told, cancel=cancel)

    def _compiled(self, progress: Progress, cancel: threading.Event) -> bool:
        """Compile what is not there yet; whether all is there now."""

        def told(number: int, of: int, method: str) -> None:
            progress(0, 0, words=compiling(method, number, of))

        methods = [engine.algorithm(label) for label in self.methods]
        return make(missing(self.built(), methods), told, cancel)

    @property
    def steps(self) -> float:
        """About how many steps all runs together have, where that is for the visitor to choose."""
        given, problem = self.values(), self.built()
        duration = given.get("duration", problem.duration)
        whole = duration / given.get("dt", problem.dt)
        each = {
            "convergence": sum(duration / dt for dt in given.get("dts", ())) or LADDER * whole,
            "work-precision": sum(duration / dt for dt in given.get("dts", ())) or LADDER * whole,
            "long-run": given.get("steps", 0),
            "edge": EDGE * whole,
            "ensemble": given.get("members", 0) * whole,
        }
        return float(each.get(self.study, 0) * len(self.methods))

    def check(self) -> None:
        """Refuse what would take a server too long."""
        if self.steps > MOST_STEPS:
            raise Refused(
                "steps",
                f"That takes about {short(self.steps, 1)} steps of all methods together; "
                f"at most {short(MOST_STEPS, 1)} can be made here.",
            )

    @property
    def quick(self) -> bool:
        """Whether it takes a few seconds at most, so that it may begin by itself."""
        return self.study not in ("work-precision", "advise") and self.steps <= QUICK_STEPS

    def _arguments(self) -> dict[str, Any]:
        """The arguments, as a person would write them."""
        one = self.about.most == 1
        methods = {"method": self.methods[0]} if one else {"methods": list(self.methods)}
        return {"problem": self.built() if self.changes else self.problem} | methods | self.values()

    # ------------------------------------------------------------------ taken along

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = {"page": "studies", "study": self.study, "problem": self.problem, "methods": ",".join(self.methods)}
        words |= {name: written(value) for name, value in self.changes}
        return words | {name: text for name, text in self.texts if text}

    def told(self) -> str:
        """The setting in a line, as it stands below the title of a plot that is taken along."""
        changes = [f"{name} = {written(value)}" for name, value in self.changes]
        fields = [f"{f.label} = {text}" for f in self.about.fields if (text := self.text(f.name))]
        return " · ".join([self.about.title, self.built().name, ", ".join(self.methods), *changes, *fields])

    def snippet(self) -> str:
        """Python that does the same."""
        arguments = "".join(
            f"    {name}={value!r},\n" for name, value in self._arguments().items() if name != "problem"
        )
        engine_too, problem = ("", repr(self.problem))
        if self.changes:
            engine_too, problem = "import engine\n", in_python(self.problem, self.changes)
        arguments = f"    problem={problem},\n{arguments}"
        called = f"studies.{self.about.function.__name__}(\n{arguments})"
        return (
            f"{engine_too}from engine import studies\n\nfound = {called}\n"
            "print(found.conclusion)\nprint(found.to_frame())\n"
        )


def live(study: Study, told: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows that have been told so far; of those about the same the last one."""
    import pandas as pd

    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in told:
        parts = row.get("edges") or [{}]  # of the edge of stability one row has several
        for part in parts:
            flat = {name: value for name, value in row.items() if name != "edges"} | part
            rows[tuple(flat.get(name) for name in study.told_by)] = flat
    return pd.DataFrame(rows.values())


STUDIES = {
    study.key: study
    for study in (
        Study(
            "convergence",
            "Convergence",
            "The errors at the end by the step, with the slopes that the methods show.",
            studies.convergence,
            (DURATION, DTS),
            told_by=("method", "dt"),
            threads=True,
        ),
        Study(
            "work-precision",
            "Work and precision",
            "The error at the end by what it costs: all methods take turns, each with ever smaller steps.",
            studies.work_precision,
            (
                DURATION,
                DTS,
                Field("repetitions", "Repetitions", "How often each run is timed.", "5", low=1, high=100),
            ),
            example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT"),
            told_by=("method", "setting"),
        ),
        Study(
            "long-run",
            "Long run",
            "What becomes of the energy in very many steps: whether it drifts, and between which bounds it swings.",
            studies.long_run,
            (Field("steps", "Steps", "How many.", "1e6", low=FEWEST_STEPS, high=MOST_STEPS), DT),
            example=("MR2",),
            told_by=("method", "t"),
        ),
        Study(
            "steps-to-accuracy",
            "Steps to an accuracy",
            "How many steps methods need to end within an error, as in Buss's tables.",
            studies.steps_to_accuracy,
            (
                Field("accuracy", "Errors allowed", "One or several.", "1e-2, 1e-4", many=True, low=1e-12, high=3),
                DURATION,
                Field("error", "Error of", "What the error is taken of.", "attitude", ("attitude", "momentum")),
            ),
        ),
        Study(
            "edge",
            "Edge of stability",
            "The largest step with which methods run to the end, and with which they keep the energy.",
            studies.stability_edge,
            (
                DURATION,
                Field(
                    "energy_within", "Energy within", "The relative bound of the energy's error.", "0.01", high=100
                ),
            ),
            example=("NMB", "AKW", "DMV", "MR2"),
            told_by=("method", "asked"),
            threads=True,
            coloured=False,
        ),
        Study(
            "ensemble",
            "Ensemble",
            "One method from many initial states side by side: how their energy errors spread.",
            studies.ensemble,
            (
                Field("members", "Members", "How many initial states are drawn.", "1000", low=1, high=100_000),
                Field(
                    "spread", "Spread", "How widely they are drawn, in radians and relative.", "0.01", low=0, high=1
                ),
                Field("seed", "Seed", "The same seed draws the same states.", "0", low=0, high=2**53),
                DT,
                DURATION,
            ),
            example=("MR2",),
            most=1,
            told_by=("t",),
            threads=True,
            side_by_side=True,
            coloured=False,
        ),
        Study(
            "advise",
            "Advice",
            "For an error wanted, the methods and steps that reach it in the least time, each of them run and timed.",
            studies.advise,
            (
                Field("within", "Error wanted", "The largest that is allowed.", "1e-6", low=1e-12, high=1),
                KIND,
                DURATION,
                Field("budget", "Seconds at most", "What is not decided by then is told.", "20", low=1, high=120),
            ),
            example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT", "DOP853"),
            told_by=("method", "setting"),
        ),
    )
}


OF_THE_LAB = ("dt", "duration", "theme", "tab")
"""Words of the lab's links, which a study takes over if it has a field for them."""


def first(study: str = "convergence", problem: str = "free") -> Asked:
    """What a study begins with."""
    return Asked(study, engine.problem(problem).label, STUDIES[study].example)


def from_query(query: Mapping[str, str]) -> tuple[Asked, list[str]]:
    """What a link asks for, and what of it could not be had; there the defaults stand in."""
    notices: list[str] = []
    key = query.get("study", "convergence")
    if key not in STUDIES:
        notices.append(f"There is no study {key[:30]!r}.")
        key = "convergence"
    asked = first(key)
    problem_first = sorted(query.items(), key=lambda word: word[0] != "problem")
    for name, text in problem_first:
        try:
            own = [p.name for p in engine.problem(asked.problem).specific if not p.choices]
            changed = meant(name, (*COMMON["so3"], *own))
            if name == "problem":
                asked = replace(asked, problem=find_problem(text).label)
            elif changed in (*COMMON["so3"], *own):
                asked = with_change(asked, changed, text)
            elif name == "methods":
                names = split_methods(text)
                asked = with_methods(asked, names[:1] if asked.about.most == 1 else names)
                if asked.about.most == 1 and len(names) > 1:
                    notices.append(f"This study takes one method; of those of the link it is {asked.methods[0]}.")
            elif name in [f.name for f in asked.about.fields]:
                asked = asked.with_text(name, text)
            elif name not in ("study", "version", *OF_THE_LAB):
                notices.append(f"{name[:40]!r} is no name that this link can carry.")
        except ValueError as error:
            notices.append(f"{name}: {sentence(str(error))}")
    return asked, notices


def with_change(asked: Asked, name: str, text: str) -> Asked:
    """The same with a parameter of the problem changed; refused if no body is like that."""
    numbers = typed(text)
    if not numbers:
        raise Refused(name, "numbers are wanted here")
    changes = dict(asked.changes) | {name: frozen(numbers if len(numbers) > 1 else numbers[0])}
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
