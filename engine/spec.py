"""What can be asked for: a parameter, with its kind, its bounds and its words.

The arguments of problems, methods and studies are made of it, and options of the shell, fields of the page, links,
snippets, files and the documentation follow from it. A kind knows which values there are: it checks one, reads one
from text, and writes one as text or as Python.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from .body import check_inertia
from .checks import attitude, entries_of, number, reals, rotation_vector, three_numbers, whole_number
from .formula import Formula, NotAFormula
from .names import folded, meant, under_known_names
from .wording import quoted, short

DIGITS = 12
"""Of a number in a link."""
MOST_NUMBERS = 40
"""In a list of several."""
LONGEST_NUMBER = 40
"""Characters of a number and what separates it from the next."""


class Kind:
    """Which values there are; what is refused is refused in one sentence, as a `ValueError`."""

    longest: int = 1_000
    """Characters of a value that a person types; a longer text is not read."""
    counts: tuple[int, ...] = (1,)
    """How many numbers a value is written with; none if it is no number, and any number of them if that varies."""
    example = "0.5"
    """A value as a person types it."""
    means: Mapping[str, Any] = {}
    """The words to choose from, with what each stands for; none if it is no choice."""

    def checked(self, value: Any, name: str) -> Any:
        """The value that was meant."""
        raise NotImplementedError

    def parsed(self, text: str, name: str) -> Any:
        """What a person typed, to be checked."""
        needs = " or ".join(map(str, self.counts))
        needed = f"{name} takes {needs}{' ' * bool(needs)}numbers with commas between them"
        try:
            numbers = [float(entry) for entry in entries_of(text)]
        except ValueError:
            raise ValueError(f"{needed}, like {self.example}; got {quoted(text)}") from None
        if self.counts and len(numbers) not in self.counts:
            raise ValueError(f"{needed}; got {len(numbers)}")
        return tuple(numbers)

    def fewest(self, value: Any) -> Any:
        """The value in the fewest numbers that say it, as a person reads it."""
        return value

    def written(self, value: Any, digits: int | None = DIGITS) -> str:
        """The value as a person types it, so that `parsed` reads it again; without `digits` with all it needs."""
        return ",".join(f"{x:.{digits}g}" if digits else repr(x) for x in np.ravel(value).tolist())

    def python(self, value: Any) -> str:
        """The value as it stands in Python."""
        return repr(np.asarray(_square(value), dtype=float).tolist())

    def called(self, word: str) -> str:
        """What one of its words is called, where a person reads it."""
        return word


@dataclass(frozen=True)
class Number(Kind):
    """A number between two bounds."""

    low: float = -1e9
    high: float = 1e9

    def checked(self, value: Any, name: str) -> float:
        """The number, as a float."""
        return number(value, name, self.low, self.high)

    def parsed(self, text: str, name: str) -> float:
        """One number."""
        return _number(text, name)


@dataclass(frozen=True)
class Step(Number):
    """A step of time, which people also write as a fraction, 1/60, or by its rate, 60 Hz (times in seconds)."""

    example = "1/60"

    def checked(self, value: Any, name: str) -> float:
        """The number, also of one that was written."""
        return super().checked(self.parsed(value, name) if isinstance(value, str) else value, name)

    def parsed(self, text: str, name: str) -> float:
        """A number, a fraction, or one over a rate."""
        above, is_fraction, below = text.partition("/")
        if text.rstrip().lower().endswith("hz"):
            above, below = "1", text.rstrip()[:-2]
        elif not is_fraction:
            return super().parsed(text, name)
        try:
            return float(above) / float(below)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"{name} must be a number, or like 1/60 or 60 Hz; got {quoted(text)}") from None


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two bounds."""

    low: int = 0
    high: int = 10**15
    example = "1000"

    def checked(self, value: Any, name: str) -> int:
        """The number, as an integer."""
        return whole_number(value, name, self.low, self.high)

    def parsed(self, text: str, name: str) -> float:
        """One number, which may be written as 1e6."""
        with suppress(ValueError):
            return int(text)
        return _number(text, name)

    def written(self, value: Any, digits: int | None = DIGITS) -> str:
        """All its digits."""
        return str(int(value))

    def python(self, value: Any) -> str:
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
        """Characters of so many numbers."""
        return self.most * LONGEST_NUMBER

    def checked(self, value: Any, name: str) -> tuple[float, ...]:
        """The numbers; one alone is a list of one."""
        given = reals(value, f"{name} takes at most {self.most} numbers", self.most)
        return tuple(number(x, name, self.low, self.high) for x in np.atleast_1d(given).ravel().tolist())


@dataclass(frozen=True)
class Vector(Kind):
    """Three numbers, none of them beyond a bound."""

    high: float = 1e9
    counts = (3,)
    example = "0, 0, 4"

    @property
    def low(self) -> float:
        """The least that a component can be."""
        return -self.high

    def checked(self, value: Any, name: str) -> tuple[float, ...]:
        """The three numbers."""
        vector = three_numbers(value, name)
        largest = np.abs(vector).max()
        if largest > self.high:
            raise ValueError(f"{name} must have no component beyond {short(self.high)}; got {short(largest)}")
        return tuple(float(x) for x in vector)


@dataclass(frozen=True)
class Attitude(Kind):
    """A rotation: a matrix, a rotation vector in radians, or a quaternion (w, x, y, z)."""

    counts = (3, 4, 9)
    example = "0.3, 0, 0"

    def checked(self, value: Any, name: str) -> Any:
        """The rotation, (3, 3)."""
        return attitude(_square(value))

    def fewest(self, value: Any) -> Any:
        """The rotation vector."""
        return rotation_vector(self.checked(value, ""))


@dataclass(frozen=True)
class Inertia(Kind):
    """Three principal moments, or a symmetric matrix; `of_a_body` refuses what no body can have."""

    of_a_body: bool = True
    counts = (3, 9)
    example = "1, 2, 2.5"

    def checked(self, value: Any, name: str) -> Any:
        """The matrix, (3, 3)."""
        return check_inertia(_square(value), self.of_a_body)

    def fewest(self, value: Any) -> Any:
        """The moments, if there is nothing beside the diagonal."""
        J = check_inertia(_square(value), of_a_body=False)
        return np.diag(J) if np.array_equal(J, np.diag(np.diag(J))) else J


class Words(Kind):
    """What is written in words, and not in numbers."""

    counts = ()

    def parsed(self, text: str, name: str) -> Any:
        """The text itself."""
        return text

    def written(self, value: Any, digits: int | None = DIGITS) -> str:
        """The word itself."""
        return str(value)

    def python(self, value: Any) -> str:
        """The word in quotes."""
        return repr(str(value))


@dataclass(frozen=True)
class OneOf(Words):
    """One of a few words.

    Attributes
    ----------
    means : the words, with what each stands for.
    words : what some of them are called, where a person reads them.
    """

    means: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def checked(self, value: Any, name: str) -> str:
        """The word as it is declared; case, spaces and underscores do not matter."""
        meant = {folded(word): word for word in self.means}.get(folded(str(value)))
        if meant is None:
            raise ValueError(f"{name} is one of {', '.join(self.means)}; got {quoted(value)}")
        return meant

    def called(self, word: str) -> str:
        """What a word is called."""
        return self.words.get(word, word)


@dataclass(frozen=True)
class Text(Words):
    """A text, such as the name of a file."""

    longest = 4_096
    example = "rows.parquet"

    def checked(self, value: Any, name: str) -> str:
        """The text."""
        return str(value)


@dataclass(frozen=True)
class FormulaText(Words):
    """A formula in t, R and Ω (see `engine.formula`): a torque in space, or a potential, which may be left empty."""

    potential: bool = False
    example = "2*cross(R[:, 2], e3)"

    def checked(self, value: Any, name: str) -> str:
        """The text, if it can be read."""
        text = " ".join(str(value).split())
        if text or not self.potential:
            try:
                Formula(text, "number" if self.potential else "vector")
            except NotAFormula as refused:
                where = f" (at {quoted(text[refused.at :])})" if 0 < refused.at < len(text) else ""
                raise ValueError(f"{name}: {refused}{where}") from None
        return text


ON, OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0", "")


@dataclass(frozen=True)
class Switch(Words):
    """On or off."""

    example = "on"
    means = MappingProxyType({"off": False, "on": True})

    def checked(self, value: Any, name: str) -> bool:
        """Whether it is on."""
        if isinstance(value, bool | np.bool_):
            return bool(value)
        word = folded(str(value))
        if word not in (*ON, *OFF):
            raise ValueError(f"{name} is on or off; got {quoted(value)}")
        return word in ON

    def written(self, value: Any, digits: int | None = DIGITS) -> str:
        """On or off."""
        return "on" if value else "off"

    def python(self, value: Any) -> str:
        """True or False."""
        return repr(bool(value))


@dataclass(frozen=True)
class Parameter:
    """One thing that can be asked for.

    Attributes
    ----------
    name : as it stands in Python, in links and in the shell.
    kind : which values there are.
    doc : what it is, in a sentence.
    default : the value if none is given; None where what asks for it has a default of its own.
    unit : of its numbers.
    label : what a form calls it; its name if that is empty.
    only : of another parameter the name, and the choices of it for which this one matters; nothing if it always does.
    of_frame : whether its number is of a whole frame, of which each step has its part.
    """

    name: str
    kind: Kind
    doc: str
    default: Any = None
    unit: str = ""
    label: str = ""
    only: tuple[str, ...] = ()
    of_frame: bool = False

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
        """What it is, with its unit."""
        return f"{self.doc} ({self.unit})" if self.unit else self.doc

    @property
    def range(self) -> str:
        """What a value can be, in words; nothing where that is not for a few words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.kind, Number | Whole | Numbers):
            return f"from {short(self.kind.low)} to {short(self.kind.high)}"
        return ""

    def meaning(self, value: Any) -> Any:
        """What a choice stands for."""
        return self.choices[self.written(value)]

    @property
    def title(self) -> str:
        """What a form calls it."""
        return self.label or self.name

    def matters(self, values: Mapping[str, Any]) -> bool:
        """Whether it has an effect where the others have these values."""
        return not self.only or values[self.only[0]] in self.only[1:]

    def with_default(self, default: Any) -> Parameter:
        """The same with another default."""
        return dataclasses.replace(self, default=default)

    def checked(self, value: Any) -> Any:
        """The value that was meant, or a `ValueError` in one sentence."""
        return self.kind.checked(value, self.name)

    def parsed(self, text: str) -> Any:
        """What a person typed, checked; or a `ValueError` in one sentence."""
        return self.checked(self.typed(text))

    def taken(self, value: Any) -> Any:
        """A value, or what a person typed for it, checked."""
        return self.parsed(value) if isinstance(value, str) else self.checked(value)

    def typed(self, text: str) -> Any:
        """What a person typed, as it was meant and not checked: a rotation vector stays one."""
        if len(text) > self.kind.longest:
            raise ValueError(f"{self.name} takes at most {self.kind.longest:,} characters; got {len(text):,}")
        return self.kind.parsed(text, self.name)

    def written(self, value: Any, digits: int | None = DIGITS) -> str:
        """A value as a person types it; without `digits` with all that it needs."""
        return self.kind.written(value, digits)

    def python(self, value: Any) -> str:
        """A value as it stands in Python."""
        return self.kind.python(value)


def named(parameters: Iterable[Parameter]) -> dict[str, Parameter]:
    """Parameters by their names."""
    return {parameter.name: parameter for parameter in parameters}


def known(parameters: Mapping[str, Parameter], name: str, of: str, what: str = "parameter") -> Parameter:
    """The parameter that is meant; its name is folded as other names are, unless two would be the same."""
    found = parameters.get(meant(name, parameters))
    if found is None:
        has = f"its {what}s are {', '.join(parameters)}" if parameters else "it has none"
        raise ValueError(f"{of} has no {what} {quoted(name)}; {has}")
    return found


def under_names(
    parameters: Mapping[str, Parameter], given: Mapping[str, Any], of: str, what: str = "parameter"
) -> dict[str, Any]:
    """What was given, under the names that were meant; `of` and `what` are for the sentence that refuses one."""
    found = under_known_names(given, parameters)
    return {known(parameters, name, of, what).name: value for name, value in found.items()}


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number; got {quoted(text)}") from None


def _square(value: Any) -> Any:
    """Nine numbers in a row as a matrix, as links have them."""
    if isinstance(value, np.ndarray):
        return value.reshape(3, 3) if value.shape == (9,) else value
    nine = isinstance(value, list | tuple) and len(value) == 9
    return [value[i : i + 3] for i in (0, 3, 6)] if nine else value
