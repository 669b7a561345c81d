"""Parameters of problems, methods and studies: kinds, bounds, units and labels.

The options of the shell, the fields of the page, links, snippets, files and the documentation
follow from them. A kind checks values, parses them from text, and formats them as text or as
Python.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from reprlib import repr as shortened
from types import MappingProxyType
from typing import Any

import numpy as np

from ..text.formatting import format_plain, quote, show
from . import validation
from .formula import Formula, NotAFormula
from .names import fold, match_name, match_names

Value = object
"""A value of a parameter: a number, several, an array or a word."""
DIGITS = 12
"""The most characters of a number in a link."""
MOST_NUMBERS = 40
"""In a list of several."""
LONGEST_NUMBER = 40
"""Characters of a number and what separates it from the next."""


class Kind:
    """The kind of a value; an invalid one raises `ValueError` with one sentence."""

    longest: int = 1_000
    """The most characters of a typed value; a longer text is refused unread."""
    counts: tuple[int, ...] = (1,)
    """The possible numbers of entries; empty for words and for lists of any length."""
    needs = "numbers"
    """The numbers of a typed value, in words."""
    example = "0.5"
    """An example of a typed value."""
    means: Mapping[str, Any] = {}
    """The words to choose from, with what each stands for; none if it is no choice."""
    separator: str = ""
    """What separates the parts of a value, if the shell's option may be given once for each."""

    def check(self, value: Any, name: str) -> Value:
        """Return the valid value, or raise `ValueError`."""
        raise NotImplementedError

    def parse(self, text: str, name: str) -> Value:
        """Parse a typed value; `check` validates it."""
        needed = f"{name} takes {self.needs}, separated by commas"
        try:
            numbers = [float(entry) for entry in validation.entries_of(text)]
        except ValueError:
            raise ValueError(f"{needed}, like {self.example}; got {quote(text)}") from None
        if self.counts and len(numbers) not in self.counts:
            raise ValueError(f"{needed}; got {len(numbers)}")
        return tuple(numbers)

    def reduce(self, value: Any) -> Value:
        """Return the value with the fewest numbers that determine it."""
        return value

    def shorten(self, value: Any) -> Value:
        """Return the value with fewer numbers, if that loses no digit."""
        return value

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """Format the value for `parse`; without `digits`, with full precision."""
        return ",".join(
            format_plain(x, digits) if digits else repr(x) for x in np.ravel(value).tolist()
        )

    def to_python(self, value: Any) -> str:
        """Format the value as a Python expression."""
        return repr(np.asarray(_square(value), dtype=float).tolist())

    def label(self, word: str) -> str:
        """Return the label of a choice."""
        return word


@dataclass(frozen=True)
class Number(Kind):
    """A number between two bounds."""

    low: float = -1e9
    high: float = 1e9

    def check(self, value: Any, name: str) -> float:
        """The number, as a float."""
        if type(value) in (float, int) and self.low <= value <= self.high:
            return float(value)
        needs = f"{name} must be a number from {show(self.low)} to {show(self.high)}"
        given = validation.check_reals(value, needs, validation.FEW)
        if given.ndim or not self.low <= given <= self.high:
            got = f"shape {given.shape}" if given.ndim else show(float(given))
            raise ValueError(f"{needs}; got {got}")
        return float(given)

    def parse(self, text: str, name: str) -> float:
        """One number."""
        return parse_number(text, name)


@dataclass(frozen=True)
class Step(Number):
    """A step of time, which people also write as a fraction, 1/60, or by its rate, 60 Hz (times in
    seconds).
    """

    example = "1/60"

    def check(self, value: Any, name: str) -> float:
        """Return the number, also from text."""
        return super().check(self.parse(value, name) if isinstance(value, str) else value, name)

    def parse(self, text: str, name: str) -> float:
        """Parse a number, a fraction or a rate."""
        above, is_fraction, below = text.partition("/")
        if text.rstrip().lower().endswith("hz"):
            above = "1"
            below = text.rstrip()[:-2]
        elif not is_fraction:
            return super().parse(text, name)
        try:
            return float(above) / float(below)
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"{name} must be a number, or like 1/60 or 60 Hz; got {quote(text)}"
            ) from None

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """A decimal number, or 1/60 where that is exact and a short decimal number is not."""
        parts = round(1.0 / value) if abs(value) > 1e-15 else 0
        exact = parts and 1.0 / parts == value != float(f"{value:.5g}")
        return f"1/{parts}" if exact else super().format(value, digits)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two bounds."""

    low: int = 0
    high: int = 10**15
    example = "1000"

    def check(self, value: Any, name: str) -> int:
        """The number, as an integer."""
        low, high = self.low, self.high
        if type(value) is int and low <= value <= high:
            return value
        needs = f"{name} must be a whole number from {show(low)} to {show(high)}"
        if isinstance(value, int | np.integer) and not isinstance(value, bool):  # of any size
            if not low <= value <= high:
                raise ValueError(f"{needs}; got {shortened(value)}")
            return int(value)
        given = validation.check_reals(value, needs, validation.FEW)
        if given.ndim or not low <= given <= high or given != np.floor(given):
            got = f"shape {given.shape}" if given.ndim else show(float(given))
            raise ValueError(f"{needs}; got {got}")
        return int(given)

    def parse(self, text: str, name: str) -> float:
        """Parse one number, which may be written as 1e6."""
        with suppress(ValueError):
            return int(text)
        return parse_number(text, name)

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """All its digits."""
        return str(int(value))

    def to_python(self, value: Any) -> str:
        """The number."""
        return str(int(value))


@dataclass(frozen=True)
class Numbers(Kind):
    """Several numbers between two bounds."""

    low: float = -1e9
    high: float = 1e9
    most: int = MOST_NUMBERS
    counts = ()
    example = "0.1, 0.05"

    @property
    def longest(self) -> int:  # type: ignore[override]
        """The most characters of these numbers."""
        return self.most * LONGEST_NUMBER

    def check(self, value: Any, name: str) -> tuple[float, ...]:
        """The numbers; one alone is a list of one."""
        given = validation.check_reals(
            value, f"{name} takes at most {self.most} numbers", self.most
        )
        return tuple(
            Number(self.low, self.high).check(x, name)
            for x in np.atleast_1d(given).ravel().tolist()
        )


@dataclass(frozen=True)
class Vector(Kind):
    """Three numbers, none of them beyond a bound."""

    high: float = 1e9
    counts = (3,)
    needs = "3 numbers"
    example = "0, 0, 4"

    @property
    def low(self) -> float:
        """The least that a component can be."""
        return -self.high

    def check(self, value: Any, name: str) -> tuple[float, ...]:
        """The three numbers."""
        vector = validation.check_vector(value, name)
        largest = np.abs(vector).max()
        if largest > self.high:
            raise ValueError(
                f"{name} must have no component beyond {show(self.high)}; got {show(largest)}"
            )
        return tuple(float(x) for x in vector)


@dataclass(frozen=True)
class Attitude(Kind):
    """A rotation: a matrix, a rotation vector in radians, or a quaternion (w, x, y, z)."""

    counts = (3, 4, 9)
    needs = "3 numbers (rotation vector), 4 (quaternion) or 9 (matrix)"
    example = "0.3, 0, 0"

    def check(self, value: Any, name: str) -> validation.Array:
        """The rotation, (3, 3)."""
        return validation.check_attitude(_square(value))

    def reduce(self, value: Any) -> validation.Array:
        """The rotation vector."""
        return validation.rotation_vector(self.check(value, ""))


@dataclass(frozen=True)
class Inertia(Kind):
    """Three principal moments, or a symmetric matrix; with `of_a_body`, one that a rigid body can
    have.
    """

    of_a_body: bool = True
    counts = (3, 9)
    needs = "3 numbers (principal moments) or 9 (matrix)"
    example = "1, 2, 2.5"

    def check(self, value: Any, name: str) -> Value:
        """The matrix, (3, 3)."""
        return validation.check_inertia(_square(value), self.of_a_body)

    def reduce(self, value: Any) -> Value:
        """The moments, if there is nothing beside the diagonal."""
        return self.shorten(validation.check_inertia(_square(value), of_a_body=False))

    def shorten(self, value: Any) -> Value:
        """Return the moments, if there is nothing beside the diagonal."""
        J = _square(value)
        is_diagonal = np.shape(J) == (3, 3) and np.array_equal(J, np.diag(np.diag(J)))
        return np.diag(J) if is_diagonal else value


class Words(Kind):
    """A value written in words."""

    counts = ()

    def parse(self, text: str, name: str) -> Value:
        """The text itself."""
        return text

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """The word itself."""
        return str(value)

    def to_python(self, value: Any) -> str:
        """The word in quotes."""
        return repr(str(value))


@dataclass(frozen=True)
class OneOf(Words):
    """One of a few choices.

    Attributes
    ----------
    means : the choices with their meanings.
    words : labels of some of them.
    """

    means: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def check(self, value: Any, name: str) -> str:
        """Return the choice as it is declared; case, spaces and underscores do not matter."""
        meant = {fold(word): word for word in self.means}.get(fold(str(value)))
        if meant is None:
            raise ValueError(f"{name} is one of {', '.join(self.means)}; got {quote(value)}")
        return meant

    def label(self, word: str) -> str:
        """Return the label of a word."""
        return self.words.get(word, word)


@dataclass(frozen=True)
class Text(Words):
    """A text, such as the name of a file."""

    longest = 4_096
    example = "rows.parquet"

    def check(self, value: Any, name: str) -> str:
        """The text."""
        return str(value)


@dataclass(frozen=True)
class FormulaText(Words):
    """A formula in t, R and Ω (see `formula.py`): a torque in space; or a potential, which may be
    left empty; or a rate, in t alone.
    """

    potential: bool = False
    rate: bool = False
    example = "2*cross(R[:, 2], e3)"

    @property
    def result(self) -> str:
        """The kind of the formula, "number", "rate" or "vector"."""
        return "number" if self.potential else "rate" if self.rate else "vector"

    def check(self, value: Any, name: str) -> str:
        """The text, if it can be read."""
        text = " ".join(str(value).split())
        if text or not self.potential:
            try:
                Formula(text, self.result)
            except NotAFormula as refused:
                where = f" (at {quote(text[refused.at :])})" if 0 < refused.at < len(text) else ""
                raise ValueError(f"{name}: {refused}{where}") from None
        return text


ON = ("on", "true", "yes", "1")
OFF = ("off", "false", "no", "0", "")


@dataclass(frozen=True)
class Switch(Words):
    """On or off."""

    example = "on"
    means = MappingProxyType({"off": False, "on": True})

    def check(self, value: Any, name: str) -> bool:
        """Whether it is on."""
        if isinstance(value, bool | np.bool_):
            return bool(value)
        word = fold(str(value))
        if word not in (*ON, *OFF):
            raise ValueError(f"{name} is on or off; got {quote(value)}")
        return word in ON

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """On or off."""
        return "on" if value else "off"

    def to_python(self, value: Any) -> str:
        """True or False."""
        return repr(bool(value))


@dataclass(frozen=True)
class Parameter:
    """A parameter of a problem, a method or a study.

    Attributes
    ----------
    name : in Python, in links and in the shell.
    kind : the kind of its values.
    doc : a description.
    default : the default value; None if the function has its own default.
    unit : of its numbers.
    label : the label in forms, by default the name.
    only : the name of another parameter, and its choices for which this one has an effect; by
        default it always has.
    of_frame : whether its number holds for a whole frame, so that each substep takes its share.
    brief : a value in a few words, behind the name of a method; `{value}` and `{label}` stand for the
        value and for its label.
    """

    name: str
    kind: Kind
    doc: str
    default: Any = None
    unit: str = ""
    label: str = ""
    only: tuple[str, ...] = ()
    of_frame: bool = False
    brief: str = ""

    @property
    def low(self) -> float | None:
        """The least number, if there is a bound."""
        return getattr(self.kind, "low", None)

    @property
    def high(self) -> float | None:
        """The largest number, if there is a bound."""
        return getattr(self.kind, "high", None)

    @property
    def choices(self) -> Mapping[str, Any]:
        """The words to choose from, with what each stands for; none if it is no choice."""
        return self.kind.means

    @property
    def about(self) -> str:
        """The description with the unit."""
        return f"{self.doc} ({self.unit})" if self.unit else self.doc

    @property
    def range(self) -> str:
        """The possible values in words; empty if a few words cannot say it."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.kind, Number | Whole | Numbers):
            return f"from {show(self.kind.low)} to {show(self.kind.high)}"
        return ""

    def meaning(self, value: Any) -> Value:
        """Return the meaning of a choice."""
        return self.choices[self.format(value)]

    @property
    def title(self) -> str:
        """The label in forms."""
        return self.label or self.name

    def matters(self, values: Mapping[str, Any]) -> bool:
        """Return whether it has an effect with these values of the others."""
        return not self.only or values[self.only[0]] in self.only[1:]

    def with_default(self, default: Any) -> Parameter:
        """Return a copy with another default."""
        return dataclasses.replace(self, default=default)

    def check(self, value: Any) -> Value:
        """Return the valid value, or raise `ValueError` with one sentence."""
        return self.kind.check(value, self.name)

    def parse(self, text: str) -> Value:
        """Parse and check a typed value."""
        return self.check(self.read_text(text))

    def accept(self, value: Any) -> Value:
        """Check a value, or parse and check a text."""
        return self.parse(value) if isinstance(value, str) else self.check(value)

    def read_text(self, text: str) -> Value:
        """Parse a typed value without checking it: a rotation vector stays one."""
        if len(text) > self.kind.longest:
            raise ValueError(
                f"{self.name} takes at most {self.kind.longest:,} characters; got {len(text):,}"
            )
        return self.kind.parse(text, self.name)

    def format(self, value: Any, digits: int | None = DIGITS) -> str:
        """Format a value as text; without `digits`, with full precision."""
        return self.kind.format(value, digits)

    def abbreviate(self, value: Any) -> str:
        """Format a value in the fewest numbers that give it, in parentheses if there are
        several.
        """
        fewest = np.asarray(self.kind.reduce(value))
        if fewest.ndim:
            return f"({', '.join(f'{x + 0.0:.6g}' for x in np.ravel(fewest))})"
        return self.format(fewest, 6)

    def describe_briefly(self, value: Any) -> str:
        """Describe a value in a few words: axes 231, Cayley, damping 0.05."""
        written = self.format(value, 6)
        if isinstance(self.kind, OneOf):
            return (self.brief or "{label}").format(value=written, label=self.kind.label(written))
        return (self.brief or f"{self.name.replace('_', ' ')} {{value}}").format(value=written)

    def to_python(self, value: Any) -> str:
        """Format a value as a Python expression."""
        return self.kind.to_python(value)


def index_by_name(parameters: Iterable[Parameter]) -> dict[str, Parameter]:
    """Return the parameters by their names."""
    return {parameter.name: parameter for parameter in parameters}


def find_parameter(
    parameters: Mapping[str, Parameter], name: str, of: str, what: str = "parameter"
) -> Parameter:
    """Return the parameter with this name, normalised like other names unless that is ambiguous."""
    found = parameters.get(match_name(name, parameters))
    if found is None:
        has = f"its {what}s are {', '.join(parameters)}" if parameters else "it has none"
        raise ValueError(f"{of} has no {what} {quote(name)}; {has}")
    return found


def resolve_names(
    parameters: Mapping[str, Parameter], given: Mapping[str, Any], of: str, what: str = "parameter"
) -> dict[str, Any]:
    """Return the values under the parameters' names; `of` and `what` word the error."""
    found = match_names(given, parameters)
    return {find_parameter(parameters, name, of, what).name: value for name, value in found.items()}


def parse_number(text: str, name: str) -> float:
    """Parse one number; `ValueError` with one sentence if the text is none, or has a decimal
    comma.
    """
    with suppress(ValueError):
        return float(text)
    typed = text.strip().replace(",", ".")
    if typed.lstrip("+-").replace(".", "", 1).isdigit():
        raise ValueError(f"{name} needs a decimal point: {typed}")
    raise ValueError(f"{name} must be a number; got {quote(text)}")


def _square(value: Any) -> Any:
    """Return nine numbers in a row, as in links, as a matrix."""
    if isinstance(value, np.ndarray):
        return value.reshape(3, 3) if value.shape == (9,) else value
    nine = isinstance(value, list | tuple) and len(value) == 9
    return [value[i : i + 3] for i in (0, 3, 6)] if nine else value
