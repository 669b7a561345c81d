"""Explicit Runge–Kutta tableaux, and chains of their stages; the numbers and their sources are in
`tableaux.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...algebra import Mat3, Quat, Vec3, Weights, Zero3, combination
from ...parameters.parameter import OneOf, Parameter
from ...text import bibtex, read_toml


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta tableau: rows of a, weights b, source; the nodes c are the sums of
    the rows.
    """

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    name: str = ""
    source: str = ""

    @property
    def c(self) -> tuple[float, ...]:
        """The nodes."""
        return tuple(float(sum(row)) for row in self.a)


@dataclass(frozen=True)
class LowStorage:
    """A Runge–Kutta scheme in Williamson's form: each stage makes ΔY ← Aᵢ ΔY + h f and then Y ← Y +
    Bᵢ ΔY.
    """

    order: int
    A: tuple[float, ...]
    B: tuple[float, ...]
    name: str
    source: str

    @property
    def c(self) -> tuple[float, ...]:
        """The nodes."""
        nodes, weight = [0.0], 0.0
        for A, B in zip(self.A, self.B, strict=True):
            weight = A * weight + 1.0
            nodes.append(nodes[-1] + B * weight)
        return tuple(nodes[:-1])


@dataclass(frozen=True)
class Pair:
    """An embedded pair: a tableau, the weights of its estimates of the error, and its dense output.

    The stage at the end of a step follows those of the tableau; then come the `further` ones of the
    dense output.
    """

    tableau: Tableau
    errors: tuple[Weights, ...]
    further: Tableau
    dense: tuple[Weights, ...]


def read_numbers(text: str) -> tuple[float, ...]:
    """The doubles nearest to fractions and decimals that blanks separate."""
    return tuple(float(Fraction(word)) for word in text.split())


def read_tableau(order: int, a: Sequence[str], b: str, name: str = "", source: str = "") -> Tableau:
    """The tableau of a table of the data file."""
    return Tableau(
        order, tuple(map(read_numbers, a)), read_numbers(b), name, bibtex(source) if source else ""
    )


def read_low_storage(order: int, A: str, B: str, name: str, source: str) -> LowStorage:
    """The scheme of a table of the data file."""
    return LowStorage(order, read_numbers(A), read_numbers(B), name, bibtex(source))


def read_pair(
    errors: Sequence[str], further: Sequence[str], dense: Sequence[str], **tableau: Any
) -> Pair:
    """The pair of a table of the data file, of its own tableau or an offered one."""
    own = read_tableau(**tableau) if "a" in tableau else TABLEAUX[tableau["of"]]
    read = [tuple(Weights(read_numbers(row)) for row in rows) for rows in (errors, dense)]
    return Pair(own, read[0], read_tableau(own.order, further, ""), read[1])


TABLES = read_toml(__file__)
TABLEAUX, CROUCH_GROSSMAN = (
    {key: read_tableau(**table) for key, table in TABLES[group].items()}
    for group in ("offered", "crouch_grossman")
)
"""The tableaux that the option `tableau` offers, and those of methods that multiply rotations."""
LOW_STORAGE = {key: read_low_storage(**table) for key, table in TABLES["low_storage"].items()}
"""The schemes that LOW-STORAGE offers."""
PAIRS = {key: read_pair(**table) for key, table in TABLES["pairs"].items()}
"""The pairs of methods that choose their steps."""

End = tuple[Mat3 | Quat | Vec3, Vec3 | Zero3]
"""The result of a step: its end state, or the sums h Σ bᵢ Kᵢ and h Σ bᵢ Lᵢ."""
Stage = Callable[..., End]
"""(body, t, h, X, Y, K, L) → the result of the step from the state X, Y at its start; K, L are the
slopes so far.
"""


def chain_stages(
    tableau: Tableau,
    first: Callable[[Stage], Stage],
    later: Callable[..., Stage],
    last: Callable[[Weights], Stage],
) -> Callable[..., End]:
    """The stages of a step, from the state at its start.

    first, later : make the stage at the start of the step, and any later one from its row of a and
        its node. A stage appends its slopes to K and L and calls the next stage, which is the last
        argument.
    last : makes the end of the step from the weights b.
    """
    chain = last(Weights(tableau.b))
    for row, c in reversed(list(zip(tableau.a, tableau.c, strict=True))):
        chain = later(Weights(row), c, chain) if row else first(chain)

    def stages(body: Any, t: float, h: float, X: Any, Y: Any) -> End:
        return chain(body, t, h, X, Y, (), ())

    return stages


def tableau_option(
    first: Callable[[Stage], Stage], later: Callable[..., Stage], default: str
) -> Parameter:
    """The option for the tableau of a method; its value is a function that returns h Σ bᵢ Kᵢ and h
    Σ bᵢ Lᵢ.
    """
    steps = {
        key: chain_stages(tableau, first, later, sum_slopes) for key, tableau in TABLEAUX.items()
    }
    kind = OneOf(steps, {key: tableau.name for key, tableau in TABLEAUX.items()})
    return Parameter("tableau", kind, "the Runge–Kutta tableau", default, label="Tableau")


def promise_tableau(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost of the chosen tableau; nothing else than declared if none is chosen."""
    if "tableau" not in chosen:
        return {}
    tableau = (TABLEAUX | LOW_STORAGE)[chosen["tableau"]]
    return {"order": (tableau.order, tableau.order), "torque_evaluations": len(tableau.c)}


def sum_slopes(b: Weights) -> Stage:
    """The end of a step: the sums of the slopes."""

    def sums(body: Any, t: float, h: float, X: Any, Y: Any, K: Any, L: Any) -> End:
        return h * combination(b, K), h * combination(b, L)

    return sums
