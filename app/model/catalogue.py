"""What the table of all methods says: of each what is declared and what was measured of it, as it was recorded."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import engine
from engine.algorithms.method import FAMILIES, Method
from engine.names import split_names
from engine.studies.measure import DURATIONS, KEPT_BY_THE_MOTION, why_not
from engine.studies.properties import HOLDS
from engine.studies.stored import TOLD, stored_properties, stored_speeds
from engine.wording import RAISED, in_digits

from .session import first_of

MOST_COMPARED = 4
"""As many as the lab takes."""
LONGEST = 60
"""Characters of a search, and of any other word in a link."""


class CatalogueColumn(NamedTuple):
    """A property: its name, its meaning, its group and looks, whether it is in the table, and its name alone."""

    key: str
    label: str
    meaning: str
    group: str = ""
    looks: str = "mark"
    in_table: bool = True
    alone: str = ""


@dataclass(frozen=True)
class CatalogueCell:
    """What is said of one property: a text, a condition in small letters, and what was measured in words.

    `mark` is "kept", "declared" if that was not measured, "lost", or "wrong" where the two disagree.
    """

    text: str
    more: str = ""
    words: Sequence[str] = ()
    sort: float | str | None = None
    mark: str = ""


@dataclass(frozen=True)
class CatalogueRow:
    """A method: what it is called, what it can be filtered by, and a cell for each column."""

    key: str
    name: str
    aliases: tuple[str, ...]
    family: str
    order: int | None
    has: tuple[str, ...]
    cells: Mapping[str, CatalogueCell] = field(default_factory=dict)


KEEPS, STRUCTURE, COST, CONSTANTS = "Keeps", "Structure", "Cost of a step", "Error ÷ Δtᵖ, free"
AFTER_FREE, AFTER_TOP = (f"after {DURATIONS[key]:g} s, divided by Δtᵖ" for key in ("free", "slow-top"))
COLUMNS = (
    CatalogueColumn("family", "Family", "Sorted as the catalogue has the families", looks="text"),
    CatalogueColumn("order", "Order", "p of attitude/momentum with a torque; small, on the free body", looks="text"),
    CatalogueColumn("step", "Step", "Whether a step is explicit or solves an equation", looks="text"),
    CatalogueColumn("energy", "E", "Keeps the total energy", KEEPS, alone="keeps E"),
    CatalogueColumn("pi", "π", "Keeps the spatial momentum, as a vector, on the free body", KEEPS, alone="keeps π"),
    CatalogueColumn(
        "casimir", "|Π|²", "Keeps the square of the momentum, on the free body", KEEPS, alone="keeps |Π|²"
    ),
    CatalogueColumn(
        "pi_e3", "π·e₃", "Keeps the momentum about the vertical, where the motion does", KEEPS, alone="keeps π·e₃"
    ),
    CatalogueColumn(
        "pi_chi", "π·χ", "Keeps the momentum about the body's axis, on symmetric heavy tops", KEEPS, alone="keeps π·χ"
    ),
    CatalogueColumn("symplectic", "Sympl.", "A step is a symplectic map", STRUCTURE, alone="symplectic"),
    CatalogueColumn("reversible", "Revers.", "A step back undoes a step", STRUCTURE, alone="reversible"),
    CatalogueColumn(
        "torques", "Torques", "Evaluations of the torque, on a heavy top", COST, "number", alone="Torques a step"
    ),
    CatalogueColumn(
        "ns",
        "ns",
        "Nanoseconds on the free body, of the machine that the notes name",
        COST,
        "number",
        alone="ns a step, free",
    ),
    CatalogueColumn(
        "attitude",
        "Attitude",
        f"Error on the free body {AFTER_FREE}",
        CONSTANTS,
        "number",
        alone="Attitude error ÷ Δtᵖ, free",
    ),
    CatalogueColumn(
        "momentum",
        "Momentum",
        f"Relative error of Π on the free body {AFTER_FREE}",
        CONSTANTS,
        "number",
        alone="Momentum error ÷ Δtᵖ, free",
    ),
    CatalogueColumn("fits", "Takes a torque", "Whether it runs on a heavy top", in_table=False),
    CatalogueColumn("orthogonality", "Keeps RᵀR = 1", "R stays a rotation", in_table=False),
    CatalogueColumn("ns-top", "ns a step, slow top", "With a torque", looks="number", in_table=False),
    CatalogueColumn("attitude-top", "Attitude error ÷ Δtᵖ, slow top", AFTER_TOP, looks="number", in_table=False),
    CatalogueColumn("momentum-top", "Momentum error ÷ Δtᵖ, slow top", AFTER_TOP, looks="number", in_table=False),
    CatalogueColumn("newton", "Newton iterations a step, free", "On average", looks="number", in_table=False),
    CatalogueColumn(
        "largest", "Largest step, free", "With which a hundred steps can be made, in s", looks="text", in_table=False
    ),
    CatalogueColumn(
        "drift", "Energy over a million steps, free", "At the problem's step", looks="text", in_table=False
    ),
    CatalogueColumn(
        "drift-top", "Energy over a million steps, asymmetric top", "The same", looks="text", in_table=False
    ),
)

FILTERS = {
    "energy": ("keeps E", "on the free body at least"),
    "pi": ("keeps π", "on the free body"),
    "symplectic": ("symplectic", "a step is a symplectic map"),
    "reversible": ("reversible", "some under a condition, which their row tells"),
    "torque": ("takes a torque", "runs on a heavy top"),
}
"""What can be asked for by a switch: its name and what it means."""
STEPS = ("explicit", "implicit")

SHORT = {"tops": "free, tops", "free": "free", "symmetric tops": "sym. tops"}
"""A condition in a cell, the widest first."""
MARKS = {"kept": "✓", "declared": "○", "lost": "–", "wrong": "✗"}
LEGEND = (
    ("kept", "declared, and measured so"),
    ("declared", "declared, not measured"),
    ("lost", "no"),
    ("wrong", "measured otherwise than declared"),
)


def notes() -> list[tuple[str, str]]:
    """How the table is to be read, beyond the marks."""
    speeds = stored_speeds()
    versions = ", ".join(f"{name} {version}" for name, version in speeds["versions"].items() if version)
    return [
        (
            "Kept",
            "to roundoff, over thousands of steps. Small letters tell a condition: “free” on the free body alone, "
            "“free, tops” on heavy tops too, “sym. tops” on symmetric heavy tops alone. Without one it is kept "
            "whenever the motion itself keeps it.",
        ),
        (
            "Recorded",
            "All that was measured comes from a record that is part of this version; nothing is computed for this "
            "page. All but the nanoseconds are the same on every machine, up to roundoff, which also decides how a "
            "chaotic top's energy wanders in a million steps.",
        ),
        (
            "Order",
            "of attitude/momentum as declared; the measured slopes are on the method's card, and one that is another "
            "would be marked. Adaptive methods and the exact motion have none, and a least order leaves them out.",
        ),
        (
            "Error ÷ Δtᵖ",
            f"The error after {DURATIONS['free']:g} s of the problem “free”, divided by the step, in seconds, to the "
            "power of the method's order there, which stands beside it. Attitude: spectral norm of the difference of "
            "the rotations. Momentum: of Π, relative to its length. Less is better among methods of one order.",
        ),
        (
            "Nanoseconds",
            f"The least of several runs on one core of {speeds['processor']} ({versions}), compiled, all invariants "
            "watched. On another machine they are others, and a difference of a fifth says nothing.",
        ),
    ]


@functools.lru_cache(maxsize=1)
def rows() -> tuple[CatalogueRow, ...]:
    """A row for each method that Polhode comes with, in the catalogue's order."""
    return tuple(row(method) for method in engine.algorithms())


def row(method: Method) -> CatalogueRow:
    """All that the table says of a method."""
    found = Found(method.key)
    fits = not why_not(method, "slow-top")
    promises = {
        "energy": method.conserves.get("energy") in HOLDS["free"],
        "pi": method.conserves.get("pi") in HOLDS["free"],
        "symplectic": method.symplectic,
        "reversible": bool(method.reversible),
        "torque": fits,
    }
    family = FAMILIES.index(method.family) if method.family in FAMILIES else len(FAMILIES)
    step = STEPS[method.implicit]
    cells = {
        "family": CatalogueCell(method.family, sort=family),
        "order": order(method, found),
        "step": CatalogueCell(step, sort=step),
        **{
            name: kept(method, name, found)
            for name in ("energy", "pi", "casimir", "pi_e3", "pi_chi", "orthogonality")
        },
        "symplectic": promise(method.symplectic, "", found.lines("symplecticity")),
        "reversible": reversible(method, found),
        "torques": torques(method, found),
        "ns": nanoseconds(method, "free"),
        "ns-top": nanoseconds(method, "slow-top"),
        "attitude": constant(method, found, "attitude", "free"),
        "momentum": constant(method, found, "momentum", "free"),
        "attitude-top": constant(method, found, "attitude", "slow-top"),
        "momentum-top": constant(method, found, "momentum", "slow-top"),
        "fits": CatalogueCell("yes" if fits else "no"),
        "newton": found.figure("Newton iterations a step", "free"),
        "largest": found.text("largest step", "free"),
        "drift": found.text("energy drift", "free"),
        "drift-top": found.text("energy drift", "asymmetric-top"),
    }
    has = (step, *(name for name, promised in promises.items() if promised))
    least = min(method.order) if method.order else None
    return CatalogueRow(method.key, method.name, method.aliases, method.family, least, has, cells)


class Found:
    """What is recorded of one method."""

    def __init__(self, key: str) -> None:
        self._lines = [dict(zip(TOLD, line, strict=True)) for line in stored_properties().get(key, ())]

    def lines(self, name: str, on: str = "") -> list[dict[str, str]]:
        """The lines on a property, on one problem or on all; without those that say only why there is nothing."""
        return [line for line in self._lines if line["property"] == name and line["on"] and on in ("", line["on"])]

    def text(self, name: str, on: str) -> CatalogueCell:
        """A finding in words."""
        return next((CatalogueCell(line["measured"]) for line in self.lines(name, on)), NOTHING)

    def figure(self, name: str, on: str) -> CatalogueCell:
        """A finding that is a number."""
        return next(
            (CatalogueCell(line["measured"], sort=float(line["measured"])) for line in self.lines(name, on)), NOTHING
        )


NOTHING = CatalogueCell("")


def said(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """What was measured, in words, and what is wrong with it."""
    return [text for line in lines for text in (f"{line['on']}: {line['measured']}", line["contradiction"]) if text]


def promise(promised: bool, condition: str, lines: Sequence[Mapping[str, str]]) -> CatalogueCell:
    """Whether something is promised, and what was measured of it."""
    wrong = any(line["contradiction"] for line in lines)
    tested = any(line["declared"] and not line["measured"].startswith("undecided") for line in lines)
    mark = "wrong" if wrong else "lost" if not promised else "kept" if tested else "declared"
    words = said(lines) or ["not measured"]
    return CatalogueCell(MARKS[mark], condition if promised else "", words, sort=0 if promised else 9, mark=mark)


def kept(method: Method, quantity: str, found: Found) -> CatalogueCell:
    """Whether a quantity is kept, and for which motions if that is not for all that keep it themselves."""
    declared = method.conserves.get(quantity)
    there = [motion for motion, names in KEPT_BY_THE_MOTION.items() if quantity in names]
    condition = "" if declared is None or [declared] == there else SHORT.get(declared, "")
    cell = promise(declared is not None, condition, found.lines(f"conservation of {quantity}"))
    return replace(cell, sort=1 + list(SHORT).index(declared)) if declared is not None and condition else cell


def reversible(method: Method, found: Found) -> CatalogueCell:
    """Whether a step can be undone, and how."""
    how = method.reversible if isinstance(method.reversible, str) else ""
    return promise(bool(method.reversible), SHORT.get(how, how), found.lines("reversibility"))


def order(method: Method, found: Found) -> CatalogueCell:
    """The orders, beside the slopes that were measured."""
    attitude, momentum = (found.lines(f"order of the {part}") for part in ("attitude", "momentum"))
    lines = [*attitude, *momentum]
    words = [
        f"{one['on']}: {' / '.join(dict.fromkeys([one['measured'], other['measured']]))}"
        for one, other in zip(attitude, momentum, strict=True)
    ]
    words += [line["contradiction"] for line in lines if line["contradiction"]]
    free = "/".join(map(str, method.free_order)) + " free" if method.free_order else ""
    rank = None if method.order is None else sum(method.order) + 0.01 * sum(method.free_order or method.order)
    mark = "wrong" if any(line["contradiction"] for line in lines) else ""
    return CatalogueCell(method.order_in_words, free, words, rank, mark)


def torques(method: Method, found: Found) -> CatalogueCell:
    """How often a step asks for the torque: as declared, or as measured where it differs from step to step."""
    lines = found.lines("torque evaluations a step", "slow-top")
    if method.torque_evaluations is not None:
        mark = "wrong" if any(line["contradiction"] for line in lines) else ""
        return CatalogueCell(str(method.torque_evaluations), "", said(lines), method.torque_evaluations, mark)
    measured = [line["measured"] for line in lines]
    return (
        CatalogueCell(measured[0], "", ["on average", *said(lines)], float(measured[0]))
        if measured
        else CatalogueCell("varies")
    )


def nanoseconds(method: Method, problem: str) -> CatalogueCell:
    """The time of a step, as it was recorded."""
    ns = stored_speeds()["methods"].get(method.key, {}).get(problem)
    return NOTHING if ns is None else CatalogueCell(f"{ns:.0f}", sort=ns)


def constant(method: Method, found: Found, part: str, problem: str) -> CatalogueCell:
    """An error constant, with the power of the step that it belongs to."""
    orders = method.order_on(free=problem == "free")
    lines = found.lines(f"error constant of the {part}", problem)
    if not lines or orders is None:
        return NOTHING
    value = float(lines[0]["measured"].split()[0])
    power = str(orders[("attitude", "momentum").index(part)]).translate(RAISED)
    return CatalogueCell(in_digits(value), f"Δt{power}", said(lines), value)


# ------------------------------------------------------------------------------------------------- links


@dataclass(frozen=True)
class Shown:
    """What the page shows: what the methods are filtered and sorted by, whose card is open, which are compared."""

    search: str = ""
    family: str = ""
    order: str = ""
    step: str = ""
    having: tuple[str, ...] = ()
    sort: str = ""
    open: str = ""
    compare: tuple[str, ...] = ()


def orders() -> list[str]:
    """The orders that a method can at least have."""
    return [str(order) for order in sorted({one.order for one in rows() if one.order is not None})]


def families() -> list[str]:
    """The families that there are, in the catalogue's order."""
    return list(dict.fromkeys(one.family for one in rows()))


def from_query(query: Mapping[str, str]) -> tuple[Shown, list[str]]:
    """What a link's query asks for, and what has to be said of it."""
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
        notices.extend(first_of(refused))
        if len(found) > most:
            notices.append(f"{word}: only {most} methods are compared.")
        return tuple(found[:most])

    known = {column.key for column in COLUMNS if column.in_table} | {"method"}
    asked = [name for name in query.get("with", "")[: LONGEST * 2].split(",") if name]
    notices += first_of([f"with: there is no {name[:LONGEST]!r}." for name in asked if name not in FILTERS])
    shown = Shown(
        search=query.get("search", "")[:LONGEST],
        family=one_of("family", families()),
        order=one_of("order", orders()),
        step=one_of("step", STEPS),
        having=tuple(name for name in FILTERS if name in asked),
        sort=one_of("sort", known | {f"-{key}" for key in known}),
        open="".join(keys("open", 1)),
        compare=keys("compare", MOST_COMPARED),
    )
    return shown, notices


def as_json(shown: Shown) -> str:
    """The table and what is shown of it at first, for the browser."""
    return json.dumps(
        {
            "columns": [column._asdict() for column in COLUMNS],
            "rows": [plain(one) for one in rows()],
            "families": families(),
            "orders": orders(),
            "steps": STEPS,
            "filters": [(name, *words) for name, words in FILTERS.items()],
            "legend": [(mark, MARKS[mark], words) for mark, words in LEGEND],
            "notes": notes(),
            "most": MOST_COMPARED,
            "longest": LONGEST,
            "shown": asdict(shown),
        },
        ensure_ascii=False,
    )


def plain(one: CatalogueRow) -> dict[str, Any]:
    """A row without what is empty."""
    cells = {
        key: {name: x for name, x in vars(cell).items() if x not in ("", (), [], None)}
        for key, cell in one.cells.items()
    }
    return {**vars(one), "cells": cells}
