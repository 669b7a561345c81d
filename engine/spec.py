"""What can be asked for: a parameter, with its kind, its bounds and its words.

The arguments of problems, methods and studies are made of it, and options of the shell, fields of the page, links,
snippets, files and the documentation follow from it. A kind knows which values there are: it checks one, reads one
from text, and writes one as text or as Python.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .body import check_inertia
from .checks import LARGEST, attitude, entries_of, number, reals, three_numbers, whole_number
from .names import folded, meant
from .wording import quoted, short

DIGITS = 12
"""Of a number in a link."""
MOST_NUMBERS = 40
"""In a list of several."""


class Kind:
    """Which values there are; what is refused is refused in one sentence, as a `ValueError`."""

    counts: tuple[int, ...] = (1,)
    """How many numbers a value is written with; none if it is no number, and any number of them if that varies."""
    example = "0.5"
    """A value as a person types it."""

    def checked(self, value: Any, name: str) -> Any:
        """The value that was meant."""
        raise NotImplementedError

    def parsed(self, text: str, name: str) -> Any:
        """What a person typed, to be checked."""
        numbers = [_number(entry, name) for entry in entries_of(text)]
        if self.counts and len(numbers) not in self.counts:
            needed = " or ".join(map(str, self.counts))
            raise ValueError(f"{name} takes {needed} numbers with commas between them; got {len(numbers)}")
        return numbers[0] if self.counts == (1,) else tuple(numbers)

    def written(self, value: Any, digits: int = DIGITS) -> str:
        """The value as a person types it, so that `parsed` reads it again."""
        return ",".join(f"{x:.{digits}g}" for x in np.ravel(value).tolist())

    def python(self, value: Any) -> str:
        """The value as it stands in Python."""
        plain = np.asarray(value, dtype=float).tolist()
        return repr([plain[i : i + 3] for i in (0, 3, 6)] if np.shape(value) == (9,) else plain)


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


@dataclass(frozen=True)
class Numbers(Kind):
    """Several numbers between two bounds."""

    low: float = -1e9
    high: float = 1e9
    most: int = MOST_NUMBERS
    counts = ()
    example = "0.1, 0.05"

    def checked(self, value: Any, name: str) -> tuple[float, ...]:
        """The numbers; one alone is a list of one."""
        given = reals(value, f"{name} takes at most {self.most} numbers", self.most)
        return tuple(number(x, name, self.low, self.high) for x in np.atleast_1d(given).ravel().tolist())


@dataclass(frozen=True)
class Vector(Kind):
    """Three numbers, none of them beyond a bound."""

    high: float = LARGEST
    counts = (3,)
    example = "0, 0, 4"

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


@dataclass(frozen=True)
class Inertia(Kind):
    """Three principal moments, or a symmetric matrix; `of_a_body` refuses what no body can have."""

    of_a_body: bool = True
    counts = (3, 9)
    example = "1, 2, 2.5"

    def checked(self, value: Any, name: str) -> Any:
        """The matrix, (3, 3)."""
        return check_inertia(_square(value), self.of_a_body)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words.

    Attributes
    ----------
    means : the words, with what each stands for.
    words : what some of them are called, where a person reads them.
    """

    means: Mapping[str, Any]
    words: Mapping[str, str] = field(default_factory=dict)
    counts = ()

    def checked(self, value: Any, name: str) -> str:
        """The word as it is declared; case, spaces and underscores do not matter."""
        found = {folded(word): word for word in self.means}.get(folded(str(value)))
        if found is None:
            raise ValueError(f"{name} is one of {', '.join(self.means)}; got {quoted(value)}")
        return found

    def parsed(self, text: str, name: str) -> str:
        """The text itself."""
        return text

    def written(self, value: Any, digits: int = DIGITS) -> str:
        """The word itself."""
        return str(value)

    def python(self, value: Any) -> str:
        """The word in quotes."""
        return repr(str(value))

    def called(self, word: str) -> str:
        """What a word is called."""
        return self.words.get(word, word)


@dataclass(frozen=True)
class Text(Kind):
    """A text, such as the name of a file."""

    counts = ()
    example = "rows.parquet"

    def checked(self, value: Any, name: str) -> str:
        """The text."""
        return str(value)

    def parsed(self, text: str, name: str) -> str:
        """The text itself."""
        return text

    def written(self, value: Any, digits: int = DIGITS) -> str:
        """The text itself."""
        return str(value)

    def python(self, value: Any) -> str:
        """The text in quotes."""
        return repr(str(value))


ON, OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0", "")


@dataclass(frozen=True)
class Switch(Kind):
    """On or off."""

    counts = ()
    example = "on"

    def checked(self, value: Any, name: str) -> bool:
        """Whether it is on."""
        if isinstance(value, bool | np.bool_):
            return bool(value)
        word = folded(str(value))
        if word not in (*ON, *OFF):
            raise ValueError(f"{name} is on or off; got {quoted(value)}")
        return word in ON

    def parsed(self, text: str, name: str) -> bool:
        """Whether the text says that it is on."""
        return self.checked(text, name)

    def written(self, value: Any, digits: int = DIGITS) -> str:
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
    """

    name: str
    kind: Kind
    doc: str
    default: Any = None
    unit: str = ""
    label: str = ""
    only: tuple[str, ...] = ()

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
        return self.kind.means if isinstance(self.kind, Choice) else {}

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

    def typed(self, text: str) -> Any:
        """What a person typed, as it was meant and not checked: a rotation vector stays one."""
        return self.kind.parsed(text, self.name)

    def written(self, value: Any, digits: int = DIGITS) -> str:
        """A value as a person types it."""
        return self.kind.written(value, digits)

    def python(self, value: Any) -> str:
        """A value as it stands in Python."""
        return self.kind.python(value)


def known(parameters: Mapping[str, Parameter], name: str, of: str) -> Parameter:
    """The parameter that is meant; its name is folded as other names are, unless two would be the same."""
    found = parameters.get(meant(name, parameters))
    if found is not None:
        return found
    raise ValueError(f"{of} has no parameter {quoted(name)}; it has {', '.join(parameters)}")


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number; got {quoted(text)}") from None


def _square(value: Any) -> Any:
    """Nine numbers in a row as a matrix, as links have them."""
    return np.reshape(value, (3, 3)) if np.shape(value) == (9,) else value
