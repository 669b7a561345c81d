"""Sentences that carry what shows them.

A sentence that states a figure, a comparison or an "always" marks that part in brackets, and the evidence for each
mark follows in the same order:

    told(
        "Explicit; [keeps momentum], and on free bodies the attitude ends [{} times] as far off as with NMB.",
        keeps(pi="free"),
        times("attitude", "NMB", FREE, 1.6, 450),
    )

A mark's `{}` is written from its evidence, so that text and measurement cannot part. What is declared stands
here; `engine.studies.evidence` measures it, and `tests/test_sentences.py` holds all sentences to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

ALONG = ("along 1", "along 2", "along 3")
"""Free bodies whose momentum points nearly along their axis of least inertia."""
FREE = ("free", "prism", "plate", "dumbbell", "random 1", "random 2", "random 3")
"""Free bodies, by the names that `engine.studies.evidence.body` knows."""
TOPS = ("slow-top", "fast-top", "lagrange-top")
"""Symmetric heavy tops."""
REGULAR = (*FREE, *TOPS)
"""Bodies whose motion is integrable."""
BODIES = (*REGULAR, "asymmetric-top")
HERE = ("here",)
"""The setting that the sentence stands at: a preset's or a problem's own."""
PAIRS = ("DB1", "DB2", "DB4")
"""Two dumbbells."""


@dataclass(frozen=True)
class InRange:
    """A number that lies from `low` to `high` on each of some bodies.

    Attributes
    ----------
    what : what is measured, a key of `engine.studies.evidence.QUANTITIES`.
    on : the bodies.
    low, high : the range, ends included.
    of : the method; the sentence's own if it is not named.
    over : another method; the number is then the ratio to what is measured of that one.
    turn : by how much the first step turns the body (rad); two bodies take their problem's step.
    steps : how many are made, if not as many as the quantity takes by itself.
    dt : the step, in place of `turn`.
    written : whether the sentence has the range's ends in figures.
    """

    what: str
    on: tuple[str, ...]
    low: float
    high: float
    of: str = ""
    over: str = ""
    turn: float = 0.05
    steps: int = 0
    dt: float = 0.0
    written: bool = False

    def holds(self, values: Iterable[float]) -> bool:
        """Whether all numbers lie in the range, and, if the sentence has its ends, whether they reach these."""
        found = list(values)
        if self.written:
            within = EXACTLY if self.low == self.high else ROUNDED
            ends = ((min(found), self.low), (max(found), self.high))
            return all(math.isinf(told) or abs(value - told) <= within * abs(told) for value, told in ends)
        return all(self.low <= value <= self.high for value in found)

    @property
    def figure(self) -> str:
        """The range as a sentence has it: 1.6 to 450, or 81 for a narrow one."""
        if self.low == self.high:
            return f"{self.low:,.12g}"
        if self.low > 0 and self.high / self.low < NARROW:
            return rounded(math.sqrt(self.low * self.high))
        if math.isinf(self.high):
            return f"{rounded(self.low)} or more"
        return f"{rounded(self.low)} to {rounded(self.high)}"


ROUNDED = 0.06
"""What two digits may leave out, and another processor change."""
EXACTLY = 0.01
"""The same of one number."""


NARROW = 1.1
"""A range whose ends are nearer to each other than this is written as one number."""


def rounded(value: float) -> str:
    """Two digits, thousands apart."""
    digits = 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(digits, 0)}f}"


@dataclass(frozen=True)
class Declared:
    """What the method declares, which the tests of the methods measure.

    `kept` are quantities with the motions for which they are kept, `lost` those that are not; `other` are attributes.
    """

    kept: tuple[tuple[str, str], ...] = ()
    lost: tuple[str, ...] = ()
    other: tuple[tuple[str, Any], ...] = ()
    of: str = ""


@dataclass(frozen=True)
class Defined:
    """True by how the method or the problem is made; `how` says what to look at."""

    how: str


Evidence = InRange | Declared | Defined
Proof = Evidence | tuple[Evidence, ...]


class Told(str):
    """A sentence, or a few; `marks` are its measured parts, each with its evidence."""

    marks: tuple[tuple[str, tuple[Evidence, ...]], ...]
    written: str


MARK = re.compile(r"\[([^][]*+)\]")


def told(text: str, *evidence: Proof) -> Told:
    """The text with its marks taken off, and what they are evidence for."""
    proofs: list[tuple[Evidence, ...]] = [one if isinstance(one, tuple) else (one,) for one in evidence]
    if len(MARK.findall(text)) != len(proofs):
        raise ValueError(f"{len(proofs)} pieces of evidence for {len(MARK.findall(text))} marks: {text}")
    marks: list[tuple[str, tuple[Evidence, ...]]] = []

    def plain(match: re.Match[str]) -> str:
        words, proof = match[1], proofs[len(marks)]
        if "{}" in words:
            first, *rest = proof
            assert isinstance(first, InRange), f"a figure is measured: {words}"
            words, proof = words.replace("{}", first.figure), (replace(first, written=True), *rest)
        marks.append((words, proof))
        return words

    sentence = Told(MARK.sub(plain, text))
    sentence.marks = tuple(marks)
    sentence.written = text
    return sentence


def told_each(*parts: str | Proof) -> tuple[str, ...]:
    """Sentences, each followed by what its own marks are evidence for."""
    each: list[list[Any]] = []
    for part in parts:
        if isinstance(part, str):
            each.append([part])
        else:
            each[-1].append(part)
    return tuple(told(*one) for one in each)


# ------------------------------------------------------------------------------------------------- evidence, in short


def keeps(*, of: str = "", **kept: str) -> Declared:
    """Quantities that are kept to roundoff, each with the motions for which it is."""
    return Declared(kept=tuple(kept.items()), of=of)


def loses(*quantities: str, of: str = "") -> Declared:
    """Quantities that are not kept on any motion."""
    return Declared(lost=quantities, of=of)


def declares(*, of: str = "", **other: Any) -> Declared:
    """Attributes of the method: order=(2, 2), reversible=True, symplectic=False, torque_evaluations=3, …"""
    return Declared(other=tuple(other.items()), of=of)


def measured(what: str, on: tuple[str, ...], low: float, high: float = math.inf, **given: Any) -> InRange:
    """A number in a range."""
    return InRange(what, on, low, high, **given)


def times(what: str, over: str, on: tuple[str, ...], low: float, high: float = math.inf, **given: Any) -> InRange:
    """How many times as much is measured of the method as of the method `over`."""
    return InRange(what, on, low, high, over=over, **given)


def near(what: str, value: float, on: tuple[str, ...] = HERE, **given: Any) -> InRange:
    """A number, to the digits that are given."""
    return InRange(what, on, value, value, **given)


DRIFTING = 1e-10
"""A steady relative change of the energy that is no roundoff."""
ROUNDOFF = 1e-9
"""What roundoff may make of it in as many steps as a drift takes."""


def grows(on: tuple[str, ...], **given: Any) -> InRange:
    """Energy drifts upwards."""
    return InRange("drift", on, DRIFTING, math.inf, **given)


def falls(on: tuple[str, ...], **given: Any) -> InRange:
    """Energy drifts downwards."""
    return InRange("drift", on, -math.inf, -DRIFTING, **given)


def wanders(on: tuple[str, ...], **given: Any) -> InRange:
    """Energy goes further in the long run than it swings in a short one."""
    return InRange("wander", on, 1.0, math.inf, **given)


def swings(on: tuple[str, ...], **given: Any) -> tuple[InRange, ...]:
    """Energy is not kept and does not drift."""
    return (
        InRange("drift", on, -ROUNDOFF, ROUNDOFF, **given),
        InRange("energy", on, DRIFTING, math.inf, **given),
    )


def integral_swings(on: tuple[str, ...], **given: Any) -> tuple[InRange, ...]:
    """The same of the problem's further integral."""
    return (
        InRange("|integral drift|", on, 0.0, ROUNDOFF, **given),
        InRange("integral", on, DRIFTING, math.inf, **given),
    )


def integral_drifts(on: tuple[str, ...], **given: Any) -> InRange:
    """The further integral drifts, up or down."""
    return InRange("|integral drift|", on, 1e-6, math.inf, **given)
