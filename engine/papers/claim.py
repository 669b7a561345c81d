"""Claims of papers: a statement, the function that measures it, and the verdict that follows from
the figures.

A claim is declared around its measuring function, which yields one named figure after another.
`says` is the paper's statement, and `paper` is what the statement requires of the figures; the
verdict follows from these, and `reason` explains it. `why` explains single figures that do not meet
the requirement. The figures and verdicts of the last recorded measurement are in
`engine/studies/core/verdicts.json`.
"""

from __future__ import annotations

import math
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..algorithms.core.method import Method, find_method
from ..exact.warm_up import FOR_REFERENCE, compile_kernels, find_missing_kernels
from ..kernels import Cancelled, is_cancelled
from ..problems.problem import AnyProblem, Problem, find_problem
from ..simulation import GivenRatesRun, Run, TwoBodyRun
from ..studies.core import End, Executor, Frame, find_exact_end, stored_verdicts
from ..studies.steps_to_accuracy import StepsToAccuracy, steps_to_accuracy
from ..text import bibtex
from ..text.formatting import show

Item = TypeVar("Item")
Value = float | str
Progress = Callable[[float, int], Any]
"""Called with the figures done and the figures in all; a long run reports parts of a figure as
fractions.
"""

REPRODUCED = "reproduced"
PARTLY = "partly"
REFUTED = "refuted"


class Check(Protocol):
    """A requirement for a figure; its text completes "the figure is …"."""

    def holds(self, value: Value) -> bool:
        """Whether the figure meets the requirement."""


@dataclass(frozen=True)
class Near:
    """A number, within a part of itself."""

    value: float
    within: float = 0.02

    def holds(self, value: Value) -> bool:
        """Whether it is near enough."""
        return isinstance(value, float | int) and abs(value - self.value) <= self.within * abs(
            self.value
        )

    def __str__(self) -> str:
        return f"{show(self.value)} ± {show(100 * self.within)} %"


@dataclass(frozen=True)
class Between:
    """A range, ends included; `words` describe it."""

    low: float
    high: float
    words: str = ""

    def holds(self, value: Value) -> bool:
        """Whether it is in the range."""
        return isinstance(value, float | int) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.words or self.high == math.inf:
            return self.words or f"at least {show(self.low)}"
        return (
            f"at most {show(self.high)}"
            if self.low == -math.inf
            else f"{show(self.low)} to {show(self.high)}"
        )


def at_least(value: float) -> Between:
    """No less than this."""
    return Between(value, math.inf)


def at_most(value: float) -> Between:
    """No more than this."""
    return Between(-math.inf, value)


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it, met to its last digit, with a margin for the paper's own
    rounding.
    """

    digits: str

    def holds(self, value: Value) -> bool:
        """Whether it would be printed so."""
        last = Decimal(1).scaleb(int(Decimal(self.digits).as_tuple().exponent))
        return isinstance(value, float | int) and abs(value - float(self.digits)) <= 0.6 * float(
            last
        )

    def __str__(self) -> str:
        return self.digits


@dataclass(frozen=True)
class Is:
    """A word, or a count."""

    value: str | int

    def holds(self, value: Value) -> bool:
        """Whether it is this."""
        return value == self.value

    def __str__(self) -> str:
        return str(self.value)


BOUND = re.compile(r"at (least|most) (\S+)")
RANGE = re.compile(r"([\d.e-]+) to ([\d.e-]+)(?:: (.+))?")
ABOUT = re.compile(r"(\S+) ± (\S+) %")


def read_check(text: str | int) -> Check:
    """Return the requirement that words state: "at least 0.1", "0.95 to 1.05", "1 to 2: words", "2
    ± 30 %", "done".
    """
    if found := BOUND.fullmatch(str(text)):
        return (at_least if found[1] == "least" else at_most)(float(found[2]))
    if found := RANGE.fullmatch(str(text)):
        return Between(float(found[1]), float(found[2]), found[3] or "")
    if found := ABOUT.fullmatch(str(text)):
        return Near(float(found[1]), float(found[2]) / 100)
    return Is(text)


class Bench:
    """The runs and studies that a measurement uses; they raise `Cancelled` when the measurement is
    cancelled.
    """

    def __init__(
        self, cancel: threading.Event | None = None, along: Callable[[float], Any] | None = None
    ) -> None:
        self.cancel = cancel
        self.along = along

    def prepare(self, problem: str | AnyProblem, methods: Iterable[str | Method]) -> None:
        """Compile the kernels of these methods, several at a time."""
        found = find_missing_kernels(
            find_problem(problem), [find_method(method) for method in methods]
        )
        compile_kernels(
            [kernel for kernel in found if kernel[0] != FOR_REFERENCE], cancel=self.cancel
        )

    def simulate(self, problem: str | Problem, method: str | Method, **setting: Any) -> Run:
        """As `engine.simulate`; `along` receives the part that is done."""
        run: Run = self._complete(problem, method, setting)
        return run

    def simulate_pair(self, problem: str, method: str, **setting: Any) -> TwoBodyRun:
        """The same for two bodies."""
        run: TwoBodyRun = self._complete(problem, method, setting)
        return run

    def simulate_attitude(
        self, problem: str | AnyProblem, method: str, **setting: Any
    ) -> GivenRatesRun:
        """The same for an attitude with given rates."""
        run: GivenRatesRun = self._complete(problem, method, setting)
        return run

    def _complete(
        self, problem: str | AnyProblem, method: str | Method, setting: dict[str, Any]
    ) -> Any:
        along = self.along
        progress = None if along is None else (lambda done, of: along(done / of))
        return Executor(cancel=self.cancel).simulate(problem, method, progress=progress, **setting)

    def find_exact_end(self, problem: str | Problem, duration: float, within: float = 1e-9) -> End:
        """The end of the exact motion."""
        return find_exact_end(find_problem(problem, Problem), duration, within, self.cancel)

    def steps_to_accuracy(self, *given: Any, **named: Any) -> StepsToAccuracy:
        """As `engine.studies.steps_to_accuracy`."""
        found = steps_to_accuracy(*given, cancel=self.cancel, **named)
        if not found.finished:
            raise Cancelled
        return found


Measure = Callable[[Bench], Iterator[tuple[str, Value]]]


def run_measure(
    measure: Callable[[Bench], Iterator[Item]],
    of: int,
    cancel: threading.Event | None,
    progress: Progress | None,
) -> tuple[list[Item], float, bool]:
    """The items that a measurement yields, the seconds that it took, and whether it was not
    cancelled.
    """
    begun = time.perf_counter()
    found: list[Item] = []
    latest = 0.0

    def along(part: float) -> None:
        """Report a part of an item; several short runs may make one item, and progress does not go
        back with each.
        """
        nonlocal latest
        if progress is not None and len(found) + part > latest and len(found) < of:
            latest = len(found) + part
            progress(latest, of)

    finished = True
    try:
        for item in measure(Bench(cancel, along if progress is not None else None)):
            found.append(item)
            if progress is not None:
                progress(len(found), of)
            if is_cancelled(cancel):
                raise Cancelled
    except Cancelled:
        finished = False
    return found, time.perf_counter() - begun, finished


@dataclass(frozen=True, eq=False)
class PaperItem:
    """What claims and figures have in common.

    Attributes
    ----------
    key : its name here.
    reference : the paper, BibTeX.
    where : the figure or section.
    by : the function that measures or computes it; its docstring explains how.
    """

    key: str
    reference: str
    where: str
    by: Callable[[Bench], Iterator[Any]] = field(kw_only=True)

    @property
    def source(self) -> str:
        """The paper's BibTeX key."""
        return self.reference.partition("{")[2].partition(",")[0]

    @property
    def how(self) -> str:
        """How it is measured or computed."""
        return " ".join((self.by.__doc__ or "").split())


@dataclass(frozen=True, eq=False)
class Claim(PaperItem):
    """A statement, figure or table of a paper.

    Attributes
    ----------
    says : the paper's statement, in a sentence.
    paper : what the statement requires, by the names of the figures.
    reason : why the verdict is as recorded, and what the figures mean.
    why : of single figures, why they do not meet the requirement.
    """

    says: str
    paper: Mapping[str, Check]
    reason: str
    why: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<claim {self.key}: {self.recorded_verdict}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that are measured: those of the requirements, and those that were recorded
        besides.
        """
        return tuple(dict.fromkeys([*self.paper, *self._record.get("measured", ())]))

    @property
    def recorded_verdict(self) -> str:
        """The verdict of the recorded measurement; empty if the claim has not been recorded."""
        return str(self._record.get("verdict", ""))

    @property
    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = stored_verdicts()["claims"].get(self.key, {})
        return record

    def measure(
        self, cancel: threading.Event | None = None, progress: Progress | None = None
    ) -> Measured:
        """Measure it; `progress` receives (figures done, figures in all). If cancelled, the figures
        so far.
        """
        found, seconds, finished = run_measure(self.by, len(self.names), cancel, progress)
        return Measured(self, dict(found), seconds, finished)


@dataclass(frozen=True, eq=False)
class Measured:
    """The measured figures of a claim, and what follows from them."""

    claim: Claim
    values: Mapping[str, Value]
    seconds: float
    finished: bool = True

    @property
    def holding(self) -> int:
        """The number of requirements that hold."""
        return sum(
            check.holds(self.values[name])
            for name, check in self.claim.paper.items()
            if name in self.values
        )

    @property
    def verdict(self) -> str:
        """The verdict: "reproduced" if every requirement holds, "refuted" if none does, else
        "partly".
        """
        if not self.finished:
            return "cancelled"
        return (
            REPRODUCED
            if self.holding == len(self.claim.paper)
            else PARTLY
            if self.holding
            else REFUTED
        )

    def rows(self) -> list[tuple[str, Value, bool | None]]:
        """Each figure's name, its value, and whether it meets the paper's requirement, if there is
        one.
        """
        paper = self.claim.paper
        return [
            (name, v, paper[name].holds(v) if name in paper else None)
            for name, v in self.values.items()
        ]

    def to_frame(self) -> Frame:
        """A pandas table with a row for each figure: requirement, measured value, and why it does
        not hold.
        """
        import pandas as pd

        paper = self.claim.paper
        why = self.claim.why
        rows = [
            (name, str(paper.get(name, "")), value, holds, why.get(name, ""))
            for name, value, holds in self.rows()
        ]
        return pd.DataFrame(rows, columns=["figure", "paper", "measured", "holds", "why"])


def read_words(group: str) -> dict[str, dict[str, Any]]:
    """Return the texts of claims or of figures by their keys, with their references, from the files
    of all papers.

    A `source`, a key of the bibliography, is that of an entry or of all entries of its file.
    """
    found: dict[str, dict[str, Any]] = {}
    for file in sorted((Path(__file__).parent / "words").glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        for key, words in table.get(group, {}).items():
            source = words.pop("source", table.get("source"))
            found[key] = words | ({"reference": bibtex(source)} if source else {})
    return found


WORDS = read_words("claims")


def claim(*, key: str, **declaration: Any) -> Callable[[Measure], Claim]:
    """Declare a claim; the function below it measures the figures, and its docstring explains how.

    Its texts and its requirements are declared here or in a file of `words`.
    """
    words = WORDS.get(key, {})
    paper = {name: read_check(text) for name, text in words.get("paper", {}).items()}
    return lambda by: Claim(key=key, by=by, **words | {"paper": paper} | declaration)
