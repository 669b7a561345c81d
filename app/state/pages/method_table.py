"""The table of all methods: what each declares, and what was measured and recorded of it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import engine
from engine.algorithms import FAMILIES, HOLDS, Method
from engine.parameters.names import split_names
from engine.studies.core import (
    DURATIONS,
    FINDING_FIELDS,
    KEPT_BY_THE_MOTION,
    stored_properties,
    stored_speeds,
    why_not,
)
from engine.text.formatting import format_measured, format_powers, raise_exponent

from ..links import summarise_refusals

MOST_COMPARED = 4
"""The number of methods that can be compared, as in the lab."""
LONGEST = 60
"""Largest number of characters of a search, and of any other word in a link."""


class CatalogueColumn(NamedTuple):
    """A property: its label, meaning, group and looks; whether it is in the table, and its label
    outside it.
    """

    key: str
    label: str
    meaning: str
    group: str = ""
    looks: str = "mark"
    in_table: bool = True
    alone: str = ""


@dataclass(frozen=True)
class CatalogueCell:
    """A property of a method: a text, a condition in small letters, and the measurements in words.

    `mark` is "kept", "declared" if it was not measured, "lost", or "wrong" if the measurement
    contradicts.
    """

    text: str
    more: str = ""
    words: Sequence[str] = ()
    sort: float | str | None = None
    mark: str = ""


@dataclass(frozen=True)
class CatalogueRow:
    """A method: its names, the properties to filter by, and a cell for each column."""

    key: str
    name: str
    aliases: tuple[str, ...]
    family: str
    order: int | None
    has: tuple[str, ...]
    cells: Mapping[str, CatalogueCell] = field(default_factory=dict)


COLUMNS = (
    CatalogueColumn("family", "Family", "Sorted in the order of the catalogue", looks="text"),
    CatalogueColumn(
        "order",
        "Order",
        "p of attitude/momentum with a torque; small, on the free body",
        looks="text",
    ),
    CatalogueColumn(
        "step", "Step", "Whether a step is explicit or solves an equation", looks="text"
    ),
    CatalogueColumn("energy", "E", "Keeps the total energy", group="Keeps", alone="keeps E"),
    CatalogueColumn(
        "pi",
        "π",
        "Keeps the spatial momentum, as a vector, on the free body",
        group="Keeps",
        alone="keeps π",
    ),
    CatalogueColumn(
        "casimir", "|Π|²", "Keeps |Π|² on the free body", group="Keeps", alone="keeps |Π|²"
    ),
    CatalogueColumn(
        "pi_e3",
        "π·e₃",
        "Keeps the momentum about the vertical, where the motion does",
        group="Keeps",
        alone="keeps π·e₃",
    ),
    CatalogueColumn(
        "pi_chi",
        "π·χ",
        "Keeps the momentum about the body's axis, on symmetric heavy tops",
        group="Keeps",
        alone="keeps π·χ",
    ),
    CatalogueColumn(
        "symplectic", "Sympl.", "A step is a symplectic map", group="Structure", alone="symplectic"
    ),
    CatalogueColumn(
        "reversible", "Revers.", "A step back undoes a step", group="Structure", alone="reversible"
    ),
    CatalogueColumn(
        "torques",
        "Torques",
        "Evaluations on a heavy top",
        group="Cost of a step",
        looks="number",
        alone="Torques a step",
    ),
    CatalogueColumn(
        "ns",
        "ns",
        "Nanoseconds on the free body",
        group="Cost of a step",
        looks="number",
        alone="ns a step, free",
    ),
    CatalogueColumn(
        "attitude",
        "Attitude",
        f"Error on the free body after {DURATIONS['free']:g} units of time, divided by Δtᵖ",
        group="Error ÷ Δtᵖ, free",
        looks="number",
        alone="Attitude error ÷ Δtᵖ, free",
    ),
    CatalogueColumn(
        "momentum",
        "Momentum",
        f"Relative error of Π on the free body after {DURATIONS['free']:g} units of time, divided by Δtᵖ",
        group="Error ÷ Δtᵖ, free",
        looks="number",
        alone="Momentum error ÷ Δtᵖ, free",
    ),
    CatalogueColumn("fits", "Takes a torque", "Whether it runs on a heavy top", in_table=False),
    CatalogueColumn("orthogonality", "Keeps RᵀR = 1", "R stays a rotation", in_table=False),
    CatalogueColumn(
        "ns-top", "ns a step, slow top", "With a torque", looks="number", in_table=False
    ),
    CatalogueColumn(
        "attitude-top",
        "Attitude error ÷ Δtᵖ, slow top",
        f"after {DURATIONS['slow-top']:g} units of time, divided by Δtᵖ",
        looks="number",
        in_table=False,
    ),
    CatalogueColumn(
        "momentum-top",
        "Momentum error ÷ Δtᵖ, slow top",
        f"after {DURATIONS['slow-top']:g} units of time, divided by Δtᵖ",
        looks="number",
        in_table=False,
    ),
    CatalogueColumn(
        "newton", "Newton iterations a step, free", "On average", looks="number", in_table=False
    ),
    CatalogueColumn(
        "largest",
        "Largest step, free",
        "With which a hundred steps can be made, in s",
        looks="text",
        in_table=False,
    ),
    CatalogueColumn(
        "drift",
        "Energy over a million steps, free",
        "At the problem's step",
        looks="text",
        in_table=False,
    ),
    CatalogueColumn(
        "drift-top",
        "Energy over a million steps, asymmetric top",
        "The same",
        looks="text",
        in_table=False,
    ),
)
FILTERS: dict[str, tuple[str, ...]] = {
    "energy": ("free bodies", "keeps E", "to roundoff"),
    "pi": ("free bodies", "keeps π", "the spatial momentum"),
    "torque": ("heavy tops", "takes a torque", "runs on a heavy top", "lagrange-top"),
    "tops-energy": (
        "heavy tops",
        "keeps E",
        "to roundoff, on symmetric and asymmetric tops",
        "lagrange-top",
    ),
    "tops-pi_e3": ("heavy tops", "keeps π·e₃", "the momentum about the vertical", "lagrange-top"),
    "tops-pi_chi": (
        "symmetric tops",
        "keeps π·χ",
        "the momentum about the body's axis",
        "lagrange-top",
    ),
    "symplectic": ("", "symplectic", "a step is a symplectic map"),
    "reversible": ("", "reversible", "some under a condition, which their row states"),
}
"""The switches of the filter: the problems that they are for, if not all, their labels and
meanings, and the problem that links to the lab open, if not the free body.
"""
STEPS = ("explicit", "implicit")
PARTS = ("attitude", "momentum")
"""What has an order, and an error."""

SHORT = {"tops": "free, tops", "free": "free", "symmetric tops": "sym. tops"}
"""Conditions as a cell shows them, the weakest first."""
MARKS = {
    "kept": ("✓", "declared, and measured so"),
    "declared": ("○", "declared, not measured"),
    "lost": ("–", "no"),
    "wrong": ("✗", "measured otherwise than declared"),
}
"""The marks of a cell, and their meanings for the legend."""


def write_notes() -> dict[str, str]:
    """Notes on how to read the table."""
    speeds = stored_speeds()
    versions = ", ".join(
        f"{name} {version}" for name, version in speeds["versions"].items() if version
    )
    return {
        "Kept": (
            "to roundoff, over thousands of steps. Small letters state a condition: “free” on "
            "the free body alone, “free, tops” on heavy tops too, “sym. tops” on symmetric "
            "heavy tops alone. Without one, a method keeps the quantity whenever the motion "
            "does."
        ),
        "Recorded": (
            "All measurements come from a record that is part of this version; this page "
            "computes nothing. All but the nanoseconds are the same on every machine, up to "
            "roundoff, which also decides how the energy of a chaotic top wanders in a "
            "million steps."
        ),
        "Order": (
            "of attitude/momentum as declared. The method's card has the measured slopes, and a "
            "mark shows where they differ. Adaptive methods and the exact motion have no order, so "
            "the filter by order hides them."
        ),
        "Error ÷ Δtᵖ": (
            f"The error after {DURATIONS['free']:g} units of time of the problem “free”, divided by the "
            "step to the power of the method's order there, which stands beside it. "
            "Attitude: spectral norm of the difference of the rotations. Momentum: of Π, "
            "relative to its length. Among methods of one order, less is better."
        ),
        "Nanoseconds": (
            f"The least of several runs on one core of {speeds['processor']} ({versions}), compiled, all "
            "invariants watched. They differ on other machines, and a difference of a fifth "
            "is not significant."
        ),
    }


@functools.lru_cache(maxsize=1)
def list_rows() -> tuple[CatalogueRow, ...]:
    """A row for each method, in the order of the catalogue."""
    return tuple(build_row(method) for method in engine.algorithms())


def build_row(method: Method) -> CatalogueRow:
    """The row of a method."""
    found = Findings(method.key)
    fits = not why_not(method, "slow-top")
    promises = {
        "energy": method.conserves.get("energy") in HOLDS["free"],
        "pi": method.conserves.get("pi") in HOLDS["free"],
        "tops-energy": fits and method.conserves.get("energy") in HOLDS["tops"],
        "tops-pi_e3": fits and method.conserves.get("pi_e3") in HOLDS["tops"],
        "tops-pi_chi": fits and method.conserves.get("pi_chi") in HOLDS["symmetric tops"],
        "symplectic": method.symplectic,
        "reversible": bool(method.reversible),
        "torque": fits,
    }
    family = FAMILIES.index(method.family) if method.family in FAMILIES else len(FAMILIES)
    step = STEPS[method.implicit]
    cells = {
        "family": CatalogueCell(method.family, sort=family),
        "order": order_cell(method, found),
        "step": CatalogueCell(step, sort=step),
        **{
            name: conservation_cell(method, name, found)
            for name in ("energy", "pi", "casimir", "pi_e3", "pi_chi", "orthogonality")
        },
        "symplectic": promise_cell(method.symplectic, "", found.lines("symplecticity")),
        "reversible": reversibility_cell(method, found),
        "torques": torque_cell(method, found),
        "ns": time_cell(method, "free"),
        "ns-top": time_cell(method, "slow-top"),
        **{
            f"{part}{end}": constant_cell(method, found, part, problem)
            for end, problem in (("", "free"), ("-top", "slow-top"))
            for part in PARTS
        },
        "fits": CatalogueCell("yes" if fits else "no"),
        "newton": found.cell("Newton iterations a step", "free", number=True),
        "largest": found.cell("largest step", "free"),
        "drift": found.cell("energy drift", "free"),
        "drift-top": found.cell("energy drift", "asymmetric-top"),
    }
    has = (step, *(name for name, promised in promises.items() if promised))
    least = min(method.order) if method.order else None
    return CatalogueRow(method.key, method.name, method.aliases, method.family, least, has, cells)


class Findings:
    """The recorded findings on one method."""

    def __init__(self, key: str) -> None:
        self._lines = [
            dict(zip(FINDING_FIELDS, line, strict=True))
            for line in stored_properties().get(key, ())
        ]

    def lines(self, name: str, on: str = "") -> list[dict[str, str]]:
        """The findings on a property, on one problem or on all, without those that only explain why
        there is none.
        """
        return [
            line
            for line in self._lines
            if line["property"] == name and line["on"] and on in ("", line["on"])
        ]

    def cell(self, name: str, on: str, number: bool = False) -> CatalogueCell:
        """A finding as a cell, which sorts as a number if it is one."""
        measured = next((line["measured"] for line in self.lines(name, on)), "")
        return CatalogueCell(measured, sort=float(measured) if number and measured else None)


NOTHING = CatalogueCell("")


def list_measurements(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """Findings in words, each with its contradiction."""
    return [
        format_powers(text)
        for line in lines
        for text in (f"{line['on']}: {line['measured']}", line["contradiction"])
        if text
    ]


def mark_wrong(lines: Iterable[Mapping[str, str]]) -> str:
    """The mark of a cell with a measurement that contradicts, else none."""
    return "wrong" if any(line["contradiction"] for line in lines) else ""


def promise_cell(
    promised: bool, condition: str, lines: Sequence[Mapping[str, str]]
) -> CatalogueCell:
    """A promise, and what was measured of it."""
    tested = any(
        line["declared"] and not line["measured"].startswith("undecided") for line in lines
    )
    mark = mark_wrong(lines) or ("lost" if not promised else "kept" if tested else "declared")
    words = list_measurements(lines) or ["not measured"]
    return CatalogueCell(
        MARKS[mark][0], condition if promised else "", words, sort=0 if promised else 9, mark=mark
    )


def conservation_cell(method: Method, quantity: str, found: Findings) -> CatalogueCell:
    """Whether a method conserves a quantity, and on which motions if not on all that conserve
    it.
    """
    declared = method.conserves.get(quantity)
    there = [motion for motion, names in KEPT_BY_THE_MOTION.items() if quantity in names]
    condition = "" if declared is None or [declared] == there else SHORT.get(declared, "")
    cell = promise_cell(declared is not None, condition, found.lines(f"conservation of {quantity}"))
    return (
        replace(cell, sort=1 + list(SHORT).index(declared))
        if declared is not None and condition
        else cell
    )


def reversibility_cell(method: Method, found: Findings) -> CatalogueCell:
    """Whether a step back undoes a step, and on which motions."""
    how = method.reversible if isinstance(method.reversible, str) else ""
    return promise_cell(bool(method.reversible), SHORT.get(how, how), found.lines("reversibility"))


def order_cell(method: Method, found: Findings) -> CatalogueCell:
    """The declared orders, and the measured slopes."""
    attitude, momentum = (found.lines(f"order of the {part}") for part in PARTS)
    lines = [*attitude, *momentum]
    words = [
        f"{one['on']}: {' / '.join(dict.fromkeys([one['measured'], other['measured']]))}"
        for one, other in zip(attitude, momentum, strict=True)
    ]
    words += [format_powers(line["contradiction"]) for line in lines if line["contradiction"]]
    free = (
        "/".join(map(str, method.promises.free_order)) + " free"
        if method.promises.free_order
        else ""
    )
    rank = (
        None
        if method.order is None
        else sum(method.order) + 0.01 * sum(method.promises.free_order or method.order)
    )
    return CatalogueCell(method.order_in_words, free, words, rank, mark_wrong(lines))


def torque_cell(method: Method, found: Findings) -> CatalogueCell:
    """Torque evaluations of a step: as declared, or as measured if they vary from step to step."""
    lines = found.lines("torque evaluations a step", "slow-top")
    declared = method.torque_evaluations
    words = list_measurements(lines)
    if declared is not None:
        return CatalogueCell(str(declared), "", words, declared, mark_wrong(lines))
    measured = found.cell("torque evaluations a step", "slow-top", number=True)
    return replace(measured, words=["on average", *words]) if words else CatalogueCell("varies")


def time_cell(method: Method, problem: str) -> CatalogueCell:
    """The recorded time of a step in ns."""
    ns = stored_speeds()["methods"].get(method.key, {}).get(problem)
    return NOTHING if ns is None else CatalogueCell(f"{ns:.0f}", sort=ns)


def constant_cell(method: Method, found: Findings, part: str, problem: str) -> CatalogueCell:
    """An error constant, with its power of the step."""
    orders = method.order_on(free=problem == "free")
    lines = found.lines(f"error constant of the {part}", problem)
    if not lines or orders is None:
        return NOTHING
    value = float(lines[0]["measured"].split()[0])
    power = raise_exponent(orders[PARTS.index(part)])
    return CatalogueCell(format_measured(value), f"Δt{power}", list_measurements(lines), value)


# -------------------------------------------------------------------------------------------------
# links


@dataclass(frozen=True)
class TableState:
    """The state of the page: filters, sorting, the method whose card is open, and the methods that
    are compared.
    """

    search: str = ""
    family: str = ""
    order: str = ""
    step: str = ""
    having: tuple[str, ...] = ()
    sort: str = ""
    open: str = ""
    compare: tuple[str, ...] = ()


def list_orders() -> list[str]:
    """The least orders to filter by."""
    return [
        str(order) for order in sorted({one.order for one in list_rows() if one.order is not None})
    ]


def list_families() -> list[str]:
    """The families, in the order of the catalogue."""
    return list(dict.fromkeys(one.family for one in list_rows()))


def read_query(query: Mapping[str, str]) -> tuple[TableState, list[str]]:
    """Return the state of a link, and a notice for each refused part."""
    notices: list[str] = []

    def one_of(word: str, known: Iterable[str]) -> str:
        asked = query.get(word, "").strip()
        if not asked or asked in known:
            return asked
        notices.append(f"{word}: there is no {asked[:LONGEST]!r}.")
        return ""

    def keys(word: str, most: int) -> tuple[str, ...]:
        found: list[str] = []
        refused: list[str] = []
        for name in split_names(query.get(word, "")[: LONGEST * most])[: 2 * most]:
            try:
                key = engine.algorithm(name[:LONGEST], space="so3").key
            except ValueError:
                refused.append(f"{word}: there is no method {name[:LONGEST]!r}.")
                continue
            found += [key] if key not in found else []
        notices.extend(summarise_refusals(refused))
        if len(found) > most:
            notices.append(f"{word}: only {most} methods are compared.")
        return tuple(found[:most])

    known = {column.key for column in COLUMNS if column.in_table} | {"method"}
    asked = [name for name in query.get("with", "")[: LONGEST * 2].split(",") if name]
    notices += summarise_refusals(
        [f"with: there is no {name[:LONGEST]!r}." for name in asked if name not in FILTERS]
    )
    shown = TableState(
        search=query.get("search", "")[:LONGEST],
        family=one_of("family", list_families()),
        order=one_of("order", list_orders()),
        step=one_of("step", STEPS),
        having=tuple(name for name in FILTERS if name in asked),
        sort=one_of("sort", known | {f"-{key}" for key in known}),
        open="".join(keys("open", 1)),
        compare=keys("compare", MOST_COMPARED),
    )
    return shown, notices


def as_json(shown: TableState) -> str:
    """The table and its first state, for the browser."""
    return json.dumps(
        {
            "columns": [column._asdict() for column in COLUMNS],
            "rows": [strip_row(one) for one in list_rows()],
            "families": list_families(),
            "orders": list_orders(),
            "steps": STEPS,
            "filters": [(name, *words) for name, words in FILTERS.items()],
            "legend": [(mark, *words) for mark, words in MARKS.items()],
            "notes": list(write_notes().items()),
            "most": MOST_COMPARED,
            "longest": LONGEST,
            "shown": asdict(shown),
        },
        ensure_ascii=False,
    )


def strip_row(one: CatalogueRow) -> dict[str, Any]:
    """A row without its empty attributes."""
    cells = {
        key: {name: x for name, x in vars(cell).items() if x not in ("", (), [], None)}
        for key, cell in one.cells.items()
    }
    return {**vars(one), "cells": cells}
