"""What a paper claims, how it is measured here, and whether it holds.

A claim is declared around the function that measures it. The function yields one named figure after another; `says`
is the paper's statement, and `paper` what that statement requires of the figures: the verdict follows from them.
`expected` holds what was measured when the claim was entered, where that tells more than the paper; the tests hold
the engine to it. `why` tells of single figures why they are not as the paper has them.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..algorithms.method import Method, find_method
from ..cancelling import Cancelled, cancelled
from ..problems.problem import Posed, Problem, find_problem, posed
from ..studies.steps_to_accuracy import StepsToAccuracy, steps_to_accuracy
from ..studies.true_end import End, true_end
from ..studies.work import completed
from ..warm import FOR_REFERENCE, make, missing
from ..wording import short

if TYPE_CHECKING:
    import pandas as pd

Item = TypeVar("Item")
Value = float | str
Progress = Callable[[float, int], Any]
"""Called with what is done, whole numbers and, within a long run, parts of one, and with what there is in all."""

REPRODUCED, PARTLY, REFUTED = "reproduced", "partly", "refuted"


class Check(Protocol):
    """What is required of a figure; as text it completes "the figure is …"."""

    def holds(self, value: Value) -> bool:
        """Whether the figure is so."""


@dataclass(frozen=True)
class Near:
    """A number, within a part of itself."""

    value: float
    within: float = 0.02

    def holds(self, value: Value) -> bool:
        """Whether it is near enough."""
        return isinstance(value, float | int) and abs(value - self.value) <= self.within * abs(self.value)

    def __str__(self) -> str:
        return f"{short(self.value)} ± {short(100 * self.within)} %"


@dataclass(frozen=True)
class Between:
    """A range, ends included."""

    low: float
    high: float

    def holds(self, value: Value) -> bool:
        """Whether it is in the range."""
        return isinstance(value, float | int) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"at least {short(self.low)}"
        return f"at most {short(self.high)}" if self.low == -math.inf else f"{short(self.low)} to {short(self.high)}"


def at_least(value: float) -> Between:
    """No less than this."""
    return Between(value, math.inf)


def at_most(value: float) -> Between:
    """No more than this."""
    return Between(-math.inf, value)


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it, met to its last digit (and a little for the paper's own rounding)."""

    digits: str

    def holds(self, value: Value) -> bool:
        """Whether it would be printed so."""
        last = Decimal(1).scaleb(int(Decimal(self.digits).as_tuple().exponent))
        return isinstance(value, float | int) and abs(value - float(self.digits)) <= 0.6 * float(last)

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


class Bench:
    """What a measurement works with: the engine's studies, which end it when it is cancelled."""

    def __init__(self, cancel: threading.Event | None = None, along: Callable[[float], Any] | None = None) -> None:
        self.cancel, self.along = cancel, along

    def prepare(self, problem: str | Posed, methods: Iterable[str | Method]) -> None:
        """Compile what runs of these would wait for one after the other, several at a time."""
        found = missing(posed(problem), [find_method(method) for method in methods])
        make([kernel for kernel in found if kernel[0] != FOR_REFERENCE], cancel=self.cancel)

    def simulate(self, problem: str | Posed, method: str | Method, **given: Any) -> Any:
        """As `engine.simulate`; `along` is told the part that is done."""
        along = self.along
        told = None if along is None else (lambda done, of: along(done / of))
        return completed(problem, method, cancel=self.cancel, progress=told, **given)

    def true_end(self, problem: str | Problem, duration: float, within: float = 1e-9) -> End:
        """The end of the exact motion."""
        return true_end(find_problem(problem), duration, within, self.cancel)

    def steps_to_accuracy(self, *given: Any, **named: Any) -> StepsToAccuracy:
        """As `engine.studies.steps_to_accuracy`."""
        found = steps_to_accuracy(*given, cancel=self.cancel, **named)
        if not found.finished:
            raise Cancelled
        return found


Measure = Callable[[Bench], Iterator[tuple[str, Value]]]


def collected(
    measure: Callable[[Bench], Iterator[Item]], of: int, cancel: threading.Event | None, progress: Progress | None
) -> tuple[list[Item], float, bool]:
    """All that a measurement yields, the seconds that it took, and whether it was not cancelled."""
    begun = time.perf_counter()
    found: list[Item] = []
    latest = 0.0

    def along(part: float) -> None:
        """Several short runs may make one figure: the progress does not go back with each."""
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
            if cancelled(cancel):
                raise Cancelled
    except Cancelled:
        finished = False
    return found, time.perf_counter() - begun, finished


@dataclass(frozen=True, eq=False)
class OfPaper:
    """What a claim and a figure have in common.

    Attributes
    ----------
    key : its name here.
    reference : the paper, BibTeX.
    where : the figure or section.
    by : measures or computes it; its docstring says how.
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
        """How it is measured or computed, in words."""
        return " ".join((self.by.__doc__ or "").split())


@dataclass(frozen=True, eq=False)
class Claim(OfPaper):
    """A statement, figure or table of a paper.

    Attributes
    ----------
    says : what the paper says, in a sentence.
    paper : what that requires of each figure that is measured.
    expected : what was measured when the claim was entered, in place of or besides the paper's.
    verdict : "reproduced" if all that the paper requires holds, "partly" or "refuted" if nothing does.
    reason : why it came out so, and what the figures mean.
    why : of single figures, why they are not what the paper requires.
    """

    says: str
    paper: Mapping[str, Check]
    verdict: str
    reason: str
    expected: Mapping[str, Check] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<claim {self.key}: {self.verdict}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that are measured."""
        return tuple(dict.fromkeys([*self.paper, *self.expected]))

    def measure(self, cancel: threading.Event | None = None, progress: Progress | None = None) -> Measured:
        """Measure it; `progress` is called with (figures done, figures in all). If cancelled, what there is."""
        found, seconds, finished = collected(self.by, len(self.names), cancel, progress)
        return Measured(self, dict(found), seconds, finished)


@dataclass(frozen=True, eq=False)
class Measured:
    """The figures that were measured for a claim, and what follows."""

    claim: Claim
    values: Mapping[str, Value]
    seconds: float
    finished: bool = True

    @property
    def holding(self) -> int:
        """How many of the paper's requirements hold."""
        return sum(check.holds(self.values[name]) for name, check in self.claim.paper.items() if name in self.values)

    @property
    def verdict(self) -> str:
        """What the figures say of the paper's statement."""
        if not self.finished:
            return "cancelled"
        return REPRODUCED if self.holding == len(self.claim.paper) else PARTLY if self.holding else REFUTED

    @property
    def surprises(self) -> dict[str, Value]:
        """The figures that are not as they were when the claim was entered."""
        checks = {**self.claim.paper, **self.claim.expected}
        return {name: value for name, value in self.values.items() if not checks[name].holds(value)}

    def rows(self) -> list[tuple[str, Value, bool | None]]:
        """Each figure's name, its value, and whether it is what the paper requires, if that requires anything."""
        paper = self.claim.paper
        return [(name, v, paper[name].holds(v) if name in paper else None) for name, v in self.values.items()]

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each figure: what the paper has, what was expected and measured, and why."""
        import pandas as pd

        claim = self.claim
        rows = [
            {
                "figure": name,
                "paper": str(claim.paper.get(name, "")),
                "expected": str(claim.expected.get(name, "")),
                "measured": value,
                "holds": holds,
                "why": claim.why.get(name, ""),
            }
            for name, value, holds in self.rows()
        ]
        return pd.DataFrame(rows)


def claim(**declaration: Any) -> Callable[[Measure], Claim]:
    """Declare a claim; the function below measures it, and its docstring says how."""
    return lambda by: Claim(by=by, **declaration)
