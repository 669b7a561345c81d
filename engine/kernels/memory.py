"""Reading and writing values, which lie in memory as their components, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algebra import Mat3, Vec3
from . import layout

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Failed(NamedTuple):
    """The first call of a caller's function that failed: of which function, and for which time, R
    and Ω.
    """

    function: int
    t: float
    motion: Any

    @classmethod
    def of(cls, ledger: Any) -> Failed | None:
        """The call that a ledger notes, if any."""
        if not ledger[layout.FAILED]:
            return None
        t, *motion = ledger[layout.FAILED_AT : layout.CHOSEN_STEPS].view(np.float64).tolist()
        return cls(int(ledger[layout.FAILED]), t, np.array(motion))


@dataclass(frozen=True)
class OptionNumber:
    """Stands among a method's options for a number that is read when the kernel runs."""

    slot: int


def options_of(options: tuple[Any, ...], parameters: Any) -> tuple[Any, ...]:
    """The options' values: constants, and numbers, which stand in the parameters so that they can
    change.
    """
    return tuple(
        float(parameters[layout.OPTION_NUMBERS + o.slot]) if isinstance(o, OptionNumber) else o
        for o in options
    )


def write_values(memory: Any, at: int, values: tuple[Any, ...]) -> None:
    """Write the components of the values one after the other."""
    for value in values:
        for component in (value,) if isinstance(value, float) else value:
            memory[at] = component
            at += 1


def unpack(memory: Any, at: int, like: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read values of the same make as `like`."""
    values: tuple[Any, ...] = ()
    for value in like:
        n = 1 if isinstance(value, float) else len(tuple(value))
        components = [float(x) for x in memory[at : at + n]]
        values += (components[0] if isinstance(value, float) else type(value)(*components),)
        at += n
    return values


def matrix_at(memory: Any, i: int) -> Mat3:
    """The matrix that stands in memory, by rows."""
    m = memory
    return Mat3(
        m[i], m[i + 1], m[i + 2], m[i + 3], m[i + 4], m[i + 5], m[i + 6], m[i + 7], m[i + 8]
    )


def vector_at(memory: Any, i: int) -> Vec3:
    """The vector that stands in memory."""
    return Vec3(memory[i], memory[i + 1], memory[i + 2])
