"""What a paper claims, how it is measured here, and whether it holds.

A claim is declared around the function that measures it. The function yields one named figure after another; `says`
is the paper's statement, and `paper` what that statement requires of the figures: the verdict follows from them.
`expected` holds what was measured when the claim was entered, where that tells more than the paper; the tests hold
the engine to it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from ...algorithms.method import Method
from ...problems.problem import Posed, Problem
from ...problems.problem import find as find_problem
from ...simulate import simulate
from ..steps_to_accuracy import Cancelled, End, StepsToAccuracy, steps_to_accuracy, true_end

if TYPE_CHECKING:
    import pandas as pd

Value = float | str
Progress = Callable[[int, int], Any]

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
        return f"{self.value:g} ± {100 * self.within:g} %"


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
            return f"at least {self.low:g}"
        return f"at most {self.high:g}" if self.low == -math.inf else f"{self.low:g} to {self.high:g}"


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

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self.cancel = cancel

    def simulate(self, problem: str | Posed, method: str | Method, **given: Any) -> Any:
        """As `engine.simulate`."""
        run = simulate(problem, method, cancel=self.cancel, **given)
        if run.status == "cancelled":
            raise Cancelled
        return run

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


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement, figure or table of a paper.

    Attributes
    ----------
    key : its name here.
    reference : the paper, BibTeX.
    where : the figure or section.
    says : what the paper says, in a sentence.
    paper : what that requires of each figure that is measured.
    expected : what was measured when the claim was entered, in place of or besides the paper's.
    verdict : "reproduced" if all that the paper requires holds, "partly" or "refuted" if nothing does.
    reason : why it came out so, and what the figures mean.
    """

    key: str
    reference: str
    where: str
    says: str
    paper: Mapping[str, Check]
    verdict: str
    reason: str
    measured_by: Measure
    expected: Mapping[str, Check] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<claim {self.key}: {self.verdict}>"

    @property
    def source(self) -> str:
        """The paper's BibTeX key."""
        return self.reference.partition("{")[2].partition(",")[0]

    @property
    def how(self) -> str:
        """How it is measured, in words."""
        return " ".join((self.measured_by.__doc__ or "").split())

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that are measured."""
        return tuple(dict.fromkeys([*self.paper, *self.expected]))

    def measure(self, cancel: threading.Event | None = None, progress: Progress | None = None) -> Measured:
        """Measure it; `progress` is called with (figures done, figures in all). If cancelled, what there is."""
        begun = time.perf_counter()
        values: dict[str, Value] = {}
        try:
            for name, value in self.measured_by(Bench(cancel)):
                values[name] = value
                if progress is not None:
                    progress(len(values), len(self.names))
                if cancel is not None and cancel.is_set():
                    raise Cancelled
        except Cancelled:
            return Measured(self, values, time.perf_counter() - begun, finished=False)
        return Measured(self, values, time.perf_counter() - begun)


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

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each figure: what the paper has, what was expected and measured."""
        import pandas as pd

        paper, expected = self.claim.paper, self.claim.expected
        rows = [
            {
                "figure": name,
                "paper": str(paper.get(name, "")),
                "expected": str(expected.get(name, "")),
                "measured": value,
                "holds": paper[name].holds(value) if name in paper else None,
            }
            for name, value in self.values.items()
        ]
        return pd.DataFrame(rows)


def claim(**declaration: Any) -> Callable[[Measure], Claim]:
    """Declare a claim; the function below measures it, and its docstring says how."""
    return lambda measured_by: Claim(measured_by=measured_by, **declaration)
