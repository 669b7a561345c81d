"""Values of an axis as people type them: a list, or a range like `1:50:100` or `log:1e-3:1:60`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...parameters.parameter import DIGITS, LONGEST_NUMBER, Kind, Number, OneOf, Whole, Words
from ...parameters.validation import LARGEST, Array, entries_of
from ...text.formatting import quote

MOST_VALUES = 10_000_000
"""The most values of one axis."""
ANY_NUMBER = Number(-LARGEST, LARGEST)
MOST_OF_A_MAP = 200
"""The most values of an axis of a picture."""


@dataclass(frozen=True)
class Range:
    """Numbers from one to another, evenly spaced, or with `log` each a constant factor above the
    last.
    """

    low: float
    high: float
    count: int
    log: bool = False

    def __str__(self) -> str:
        return f"{'log:' * self.log}{self.low:.{DIGITS}g}:{self.high:.{DIGITS}g}:{self.count}"

    def values(self) -> Array:
        """Return the numbers."""
        return (np.geomspace if self.log else np.linspace)(self.low, self.high, self.count)


def read_range(text: str, name: str) -> Range | None:
    """Read a range; None if the text is a list of values."""
    spacing, _, rest = text.partition(":")
    spaced = spacing.strip() in ("lin", "log")
    parts = (rest if spaced else text).split(":")
    if not spaced and len(parts) == 1:
        return None
    if len(parts) != 3:
        raise ValueError(
            f"a range of {name} is from:to:how many, as in 1:50:100, or log:1e-3:1:60; got {quote(text)}"
        )
    low, high = (ANY_NUMBER.check(Number().parse(part, name), name) for part in parts[:2])
    n = Whole(1, MOST_VALUES).check(Number().parse(parts[2], name), f"how many values {name} has")
    log = spacing.strip() == "log"
    if log and low * high <= 0:
        raise ValueError(f"a logarithmic range of {name} lies on one side of 0; got {quote(text)}")
    return Range(low, high, n, log)


def read_values(text: str, kind: Kind, name: str) -> list[Any] | NDArray[Any]:
    """Read the values of a parameter of this kind."""
    found = read_range(text, name)
    if found is not None:
        values = found.values()
        return np.rint(values).astype(np.int64) if isinstance(kind, Whole) else values
    if isinstance(kind, OneOf) or kind.means:
        return entries_of(text)
    read = kind if isinstance(kind, Number) else Number()
    return [ANY_NUMBER.check(read.parse(entry, name), name) for entry in entries_of(text)]


def read_over(text: str) -> dict[str, str]:
    """Read axes as people type them, `dt=log:1e-3:1:60; Omega0.z=1:50:100`."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, is_there, values = part.partition("=")
        if not is_there or not values.strip():
            raise ValueError(
                f"an axis is a name and its values, as in dt=log:1e-3:1:60; got {quote(part)}"
            )
        if name.strip() in found:
            raise ValueError(f"{name.strip()} is given twice")
        found[name.strip()] = values.strip()
    return found


class Varied(Words):
    """A parameter with its values, as `dt=log:0.01:1:60`."""

    longest = (MOST_OF_A_MAP + 1) * LONGEST_NUMBER
    example = "dt=log:0.01:1:60"

    def check(self, value: Any, name: str) -> str:
        """Return the text if it has one name with its values; the problem knows whether it has that
        parameter.
        """
        given = read_over(str(value))
        if len(given) != 1:
            raise ValueError(f"{name} is one parameter with its values, like {self.example}")
        ((of, values),) = given.items()
        count = len(self.values(values, of))
        if not 2 <= count <= MOST_OF_A_MAP:
            raise ValueError(f"{name} has from 2 to {MOST_OF_A_MAP} values; got {count:,}")
        return f"{of}={values}"

    @staticmethod
    def values(text: str, name: str) -> list[Any] | NDArray[Any]:
        """Return numbers, or words where the text has no numbers."""
        try:
            return read_values(text, Number(), name)
        except ValueError:
            if ":" in text:
                raise
            return entries_of(text)
