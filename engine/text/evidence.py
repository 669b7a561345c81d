"""Evidence for sentences: what a sentence states, and the measurement that shows it.

A sentence that states a figure, a comparison or an "always" marks that part in brackets, and the
evidence for each mark follows in the same order:

    sentence(
        "Explicit; [keeps momentum], and in the median of random bodies the attitude error is "
        "[{} times] that of NMB.",
        keeps(pi="free"),
        typically("attitude", "NMB", 20),
    )

The docstring of a method's step has such sentences, and the declaration of the method has their
`evidence`.

The evidence fills in a mark's `{}`, so that text and measurement agree.
`tests/evidence_measures.py` measures the quantities, and `tests/text/test_sentences.py` checks all
sentences.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

ALONG = ("along 1", "along 2", "along 3")
"""Free bodies with a momentum nearly along the axis of least inertia."""
FREE = ("free", "prism", "plate", "dumbbell", "random 1", "random 2", "random 3")
"""Free bodies, by their names in `tests/evidence_measures.py`."""
TOPS = ("slow-top", "fast-top", "lagrange-top")
"""Symmetric heavy tops."""
RANDOM = tuple(f"drawn {i}" for i in range(1, 41))
"""Free bodies drawn at random, for typical values."""
REGULAR = (*FREE, *TOPS)
"""Bodies whose motion is integrable."""
BODIES = (*REGULAR, "asymmetric-top")
RATES = ("coning", "spinning-cone", "constant-rate", "slew", "drone-flip", "random-rates")
"""Attitudes with given rates."""
TURNTABLES = tuple(f"constant-rate(omega={rate})" for rate in ("0.6 -0.9 3", "0 0 1", "2 1 0"))
"""Constant rates."""
CONES = tuple(f"coning(cone={cone})" for cone in (0.05, 0.1, 0.2))
"""Coning of small angles."""
HERE = ("here",)
"""The setting of the sentence itself: that of its preset or problem."""
PAIRS = ("DB1", "DB2", "DB4")
"""Two dumbbells."""


@dataclass(frozen=True)
class InRange:
    """A number that lies from `low` to `high` on each of some bodies.

    Attributes
    ----------
    what : what is measured, a key of `QUANTITIES` in `tests/evidence_measures.py`.
    on : the bodies.
    low, high : the range, ends included.
    of : the method; by default that of the sentence.
    over : another method; the number is then the ratio to that method's.
    turn : the rotation of the first step, in rad; two bodies and given rates use their problem's
        step.
    steps : the number of steps, if not the quantity's own.
    dt : the step, instead of `turn`.
    written : whether the sentence states the ends of the range.
    typical : whether the median on the bodies, not each number, lies in the range; if the ends are
        equal, the median is rounded to their digits.
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
    typical: bool = False

    def holds(self, values: Iterable[float]) -> bool:
        """Return whether all numbers lie in the range and, if the sentence states its ends, reach
        them.
        """
        found = list(values)
        if self.typical:
            found = [statistics.median(found)]
        if self.typical and self.low == self.high:
            digits = len(f"{self.low:.12g}".replace(".", "").strip("0"))
            return round_to_digits(found[0], digits) == self.low
        if self.written:
            within = EXACTLY if self.low == self.high else ROUNDED
            ends = ((min(found), self.low), (max(found), self.high))
            return all(
                math.isinf(end) or abs(value - end) <= within * abs(end) for value, end in ends
            )
        return all(self.low <= value <= self.high for value in found)

    @property
    def figure(self) -> str:
        """The number or the range in words: "about 20", "1.6 to 450", or "81" for a narrow one."""
        if self.typical:
            return f"about {self.low:,.12g}"
        if self.low == self.high:
            return f"{self.low:,.12g}"
        if self.low > 0 and self.high / self.low < NARROW:
            return round_to_two_digits(math.sqrt(self.low * self.high))
        if math.isinf(self.high):
            return f"{round_to_two_digits(self.low)} or more"
        return f"{round_to_two_digits(self.low)} to {round_to_two_digits(self.high)}"


ROUNDED = 0.06
"""Relative difference that two digits and another processor allow."""
EXACTLY = 0.01
"""The same for a single number."""


NARROW = 1.1
"""A range whose ends have a smaller ratio is written as one number."""


def round_to_digits(value: float, digits: int) -> float:
    """Round a number to significant digits; nan stays nan."""
    return float(f"{value:.{digits - 1}e}")


def round_to_two_digits(value: float) -> str:
    """Format a number with two significant digits and separators of thousands."""
    digits = 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(digits, 0)}f}"


@dataclass(frozen=True)
class Declared:
    """A property that the method declares; the tests of the methods measure it.

    `kept` has quantities with the motions that conserve them, `lost` those not conserved, `other`
    attributes.
    """

    kept: tuple[tuple[str, str], ...] = ()
    lost: tuple[str, ...] = ()
    other: tuple[tuple[str, Any], ...] = ()
    of: str = ""


Evidence = InRange | Declared
Proof = Evidence | tuple[Evidence, ...]


class Sentence(str):
    """One sentence or several; `marks` are the measured parts, each with its evidence."""

    marks: tuple[tuple[str, tuple[Evidence, ...]], ...]
    written: str


MARK = re.compile(r"\[([^][]*+)\]")


def sentence(text: str, *evidence: Proof) -> Sentence:
    """Return the text without its brackets, with the evidence for each mark."""
    proofs: list[tuple[Evidence, ...]] = [
        one if isinstance(one, tuple) else (one,) for one in evidence
    ]
    if len(MARK.findall(text)) != len(proofs):
        raise ValueError(
            f"{len(proofs)} pieces of evidence for {len(MARK.findall(text))} marks: {text}"
        )
    marks: list[tuple[str, tuple[Evidence, ...]]] = []

    def plain(match: re.Match[str]) -> str:
        words = match[1]
        proof = proofs[len(marks)]
        if "{}" in words:
            first, *rest = proof
            assert isinstance(first, InRange), f"a figure is measured: {words}"
            words = words.replace("{}", first.figure)
            proof = (replace(first, written=True), *rest)
        marks.append((words, proof))
        return words

    found = Sentence(MARK.sub(plain, text))
    found.marks = tuple(marks)
    found.written = text
    return found


def prove(texts: Sequence[str], evidence: Sequence[Proof]) -> list[str]:
    """Return texts with the evidence for all their marks, in order; unchanged if there is no
    evidence.
    """
    if not evidence:
        return list(texts)
    rest = list(evidence)
    found: list[str] = []
    for text in texts:
        count = len(MARK.findall(text))
        found.append(sentence(text, *rest[:count]))
        del rest[:count]
    if rest:
        raise ValueError(f"{len(rest)} pieces of evidence more than marks: {' '.join(texts)}")
    return found


# -------------------------------------------------------------------------------------------------
# evidence, in short


def keeps(*, of: str = "", **kept: str) -> Declared:
    """Quantities that are conserved to roundoff, each with the motions for which it is."""
    return Declared(kept=tuple(kept.items()), of=of)


def loses(*quantities: str, of: str = "") -> Declared:
    """Quantities that are conserved on no motion."""
    return Declared(lost=quantities, of=of)


def declares(*, of: str = "", **other: Any) -> Declared:
    """Attributes of the method: order=(2, 2), reversible=True, symplectic=False,
    torque_evaluations=3, …
    """
    return Declared(other=tuple(other.items()), of=of)


def measures(
    what: str, on: tuple[str, ...], low: float, high: float = math.inf, **given: Any
) -> InRange:
    """A number in a range."""
    return InRange(what, on, low, high, **given)


def times(
    what: str, over: str, on: tuple[str, ...], low: float, high: float = math.inf, **given: Any
) -> InRange:
    """The ratio to the same measurement of the method `over`."""
    return InRange(what, on, low, high, over=over, **given)


def typically(what: str, over: str, value: float, **given: Any) -> InRange:
    """The ratio to the same measurement of the method `over`, in the median of random bodies."""
    return InRange(what, RANDOM, value, value, over=over, typical=True, **given)


def near(what: str, value: float, on: tuple[str, ...] = HERE, **given: Any) -> InRange:
    """A number, to the stated digits."""
    return InRange(what, on, value, value, **given)


DRIFTING = 1e-10
"""A steady relative change of the energy beyond roundoff."""
ROUNDOFF = 1e-9
"""The change that roundoff may cause in as many steps."""


def grows(on: tuple[str, ...], **given: Any) -> InRange:
    """The energy drifts upwards."""
    return InRange("drift", on, DRIFTING, math.inf, **given)


def falls(on: tuple[str, ...], **given: Any) -> InRange:
    """The energy drifts downwards."""
    return InRange("drift", on, -math.inf, -DRIFTING, **given)


def wanders(on: tuple[str, ...], **given: Any) -> InRange:
    """In a long run the energy moves further than it oscillates in a short one."""
    return InRange("wander", on, 1.0, math.inf, **given)


def swings(on: tuple[str, ...], **given: Any) -> tuple[InRange, ...]:
    """The energy oscillates without drift."""
    return (
        InRange("drift", on, -ROUNDOFF, ROUNDOFF, **given),
        InRange("energy", on, DRIFTING, math.inf, **given),
    )


def integral_swings(on: tuple[str, ...], **given: Any) -> tuple[InRange, ...]:
    """The problem's further integral oscillates without drift."""
    return (
        InRange("|integral drift|", on, 0.0, ROUNDOFF, **given),
        InRange("integral", on, DRIFTING, math.inf, **given),
    )


def integral_drifts(on: tuple[str, ...], **given: Any) -> InRange:
    """The problem's further integral drifts."""
    return InRange("|integral drift|", on, 1e-6, math.inf, **given)
