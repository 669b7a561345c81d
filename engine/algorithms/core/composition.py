"""Symmetric compositions: from a time-reversible method of order two, one of order four, six or
eight.

A step of h consists of steps γ₁h, γ₂h, …, γ₁h, some of them backwards (Yoshida; Suzuki; Kahan and
Li). The coefficients of order six and eight, in `composition.toml`, are Kahan and Li's of 9 and 17
stages.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from ...parameters.names import fold
from ...text import bibtex, quote, read_toml


@dataclass(frozen=True)
class Composition:
    """The parts of a step, symmetric and of sum one, and the order of the result."""

    key: str
    name: str
    order: int
    parts: tuple[float, ...]
    reference: str

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The place of each part in the step, and its size."""
        begins = (0.0, *accumulate(self.parts[:-1]))
        return tuple(zip(begins, self.parts, strict=True))


def mirror(*half: float) -> tuple[float, ...]:
    """The parts before the middle one, mirrored about a middle one that makes the sum one."""
    middle = 1.0 - 2.0 * sum(half)
    return (*half, middle, *reversed(half))


YOSHIDA = bibtex("Yoshida1990")
SUZUKI = bibtex("Suzuki1990")
KAHAN_LI = bibtex("KahanLi1997")

S = 1.0 / (4.0 - 4.0 ** (1 / 3))
"""Suzuki's coefficient."""
KAHAN_AND_LI = read_toml(__file__)

COMPOSITIONS = {
    composition.key: composition
    for composition in (
        Composition("yoshida4", "Yoshida", 4, mirror(1.0 / (2.0 - 2.0 ** (1 / 3))), YOSHIDA),
        Composition("suzuki4", "Suzuki", 4, mirror(S, S), SUZUKI),
        Composition("kahan-li6", "Kahan–Li", 6, mirror(*KAHAN_AND_LI["kahan-li6"]), KAHAN_LI),
        Composition("kahan-li8", "Kahan–Li", 8, mirror(*KAHAN_AND_LI["kahan-li8"]), KAHAN_LI),
    )
}
"""The compositions, by name."""


def find_composition(name: str) -> Composition:
    """Return the composition of this name; `ValueError` if there is none."""
    found = {fold(key): c for key, c in COMPOSITIONS.items()}.get(fold(str(name)))
    if found is None:
        raise ValueError(
            f"there is no composition {quote(name)}; there are {', '.join(COMPOSITIONS)}"
        )
    return found
