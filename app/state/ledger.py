"""The ledger: a row of deviations and costs for each method, and a sentence that compares the
methods.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.algorithms import Method, Variants, join_names, use_short_names
from engine.problems import AnyProblem
from engine.simulation import AnyRun, BodyRun
from engine.studies.core import CERTAIN, fit_line
from engine.text import glossary
from engine.text.formatting import (
    finish_sentence,
    format_measured,
    format_seconds,
    join_words,
    round_half_up,
    show,
)

from .results import (
    Line,
    Results,
    RunLine,
    is_nearly_zero,
    keeps_energy,
    random_roundoff,
    roundoff,
    scale_of,
)

FAR, MANY, BLOWS_UP = 1.0, 10.0, 1e6
"""The relative change of the energy from which on the conclusion mentions it, gives it as a
multiple, and gives no number.
"""
TINY = 1e-5
"""The change of the energy, as a part of the first, below which it is not given in percent."""
EXACT = "EXACT"
"""The method that is the exact motion."""
TWO_LINES = 112
"""Characters of a headline of two lines."""
BLOCKS, ROWS_A_BLOCK = 20, 3
"""A drift is the slope of a line through the means of blocks; with fewer rows a block it is not
determined.
"""

STATUS = {
    "done": "done",
    "no-solution": "no solution",
    "diverged": "diverged",
    "cancelled": "stopped",
}
"""The status of a run, in words."""
KEPT = (
    ("exact", "{text}, which is roundoff"),
    ("32-bit roundoff", "{text}, which is roundoff of 32 bits"),
)
"""The word for a change within roundoff, with a sentence: for numbers of 64 bits, and of 32."""
LOST = {
    "phase": "phase lost at t = {t}",
    "never": "never flips",
    "stops": "stops flipping at t = {t}",
    "once": "flips once, not {exact} times",
    "often": "flips {own} times, not {exact}",
    "noise": "From t = {t} on, this error is noise.",
}
"""What a body does whose phase is lost, in place of its attitude error, and what that error is."""
FROM_ZERO = "The first value is 0, so this is the change itself."
"""What a cell says whose column has relative changes."""
DOES = {
    "never": "never does",
    "stops": "does so until t = {t}",
    "once": "does so once",
    "often": "does so {own} times",
}
"""What the conclusion says of a body that does not flip as often as it should."""

# -------------------------------------------------------------------------------------------------
# what is measured


@dataclass(frozen=True)
class LedgerColumn:
    """A column: its key, its head in two lines, and its meaning if the glossary has none."""

    key: str
    head: str
    meaning: str = ""

    @property
    def means(self) -> str:
        """Its meaning, with the unit."""
        return self.meaning or glossary.meaning(self.head.replace("\n", " "))


@dataclass(frozen=True)
class ChangeColumn(LedgerColumn):
    """The column of the largest change of an invariant over every step.

    Attributes
    ----------
    of : the invariant.
    relative : whether the change is relative to the length at the start.
    from_zero : whether the change is from zero, not from the start.
    sizes, factor : series whose largest lengths, multiplied with each other and by the factor,
        roundoff is relative to, if that is larger.
    """

    of: str = ""
    relative: bool = False
    from_zero: bool = False
    sizes: tuple[str, ...] = ()
    factor: float = 1.0


@dataclass(frozen=True)
class LedgerCell:
    """One number of the ledger.

    Attributes
    ----------
    value, text, about : the number, None if there is none; the number in words, and more words on
        it.
    close : of an energy, whether it counts as kept, if only within a bound.
    exact, bits : whether the method conserves the quantity to roundoff, of numbers of so many bits.
    near : whether the change is within roundoff of 64 bits here, although the method does not
        conserve the quantity.
    best, ranked : whether it is the best of its column, and whether it can be.
    from_zero : whether a change that is relative in its column is not, since its first value is nearly
        zero.
    lost : whether the text says what a body does whose phase is lost, by a key of `LOST`.
    flips, does : how often a body should flip that does not, and what the conclusion says of it.
    """

    value: float | None
    text: str
    about: str = ""
    close: bool = False
    exact: bool = False
    near: bool = False
    best: bool = False
    ranked: bool = True
    from_zero: bool = False
    bits: int = 64
    lost: str = ""
    flips: int = 0
    does: str = ""


NOTHING = LedgerCell(None, "–")

ENERGY = ChangeColumn("energy", "max\n|ΔE/E₀|", of="energy", relative=True)
DRIFT = LedgerColumn("drift", "drift\nof E")
ROTATION = ChangeColumn("orthogonality", "max\n‖RᵀR − 1‖", of="orthogonality", from_zero=True)
NEWTON = LedgerColumn("newton", "Newton\na step")


@dataclass(frozen=True)
class LedgerRow:
    """The row of a method, under its label and its name on screen; `why` is a sentence on a run that
    ended early, or on a method that does not fit, with the Δt that fits it, if one does.
    """

    label: str
    name: str
    colour: str
    status: str
    cells: dict[str, LedgerCell]
    why: str = ""
    fitting_dt: float | None = None

    def cell(self, key: str) -> LedgerCell:
        """The cell of a column."""
        return self.cells.get(key, NOTHING)


@dataclass(frozen=True)
class Table:
    """The filled ledger: columns, rows, the conclusion in sentences, what of it fits into two lines,
    the messages of the runs, and the names of the rows in two parts.
    """

    columns: tuple[LedgerColumn, ...]
    rows: tuple[LedgerRow, ...]
    conclusion: str
    headline: str
    notes: tuple[str, ...]
    variants: Variants


@dataclass(frozen=True)
class Ledger:
    """How the ledger of a lab is filled.

    Attributes
    ----------
    changes : lists the columns of what motions of a problem may conserve besides the energy.
    columns : lists the columns for some results, between the leading ones and those of the costs.
    cells : fills these columns for a method, and replaces common cells that differ.
    invariants : lists what the problem conserves, as pairs of a column and a name.
    evaluations : the head of the column of torque evaluations.
    iterates : whether methods may iterate in a step.
    leading : the first columns.
    tell : says what matters first of finished rows, in sentences.
    """

    changes: Callable[[Any], list[ChangeColumn]]
    columns: Callable[[Results], Iterable[LedgerColumn]]
    cells: Callable[[RunLine, Results], dict[str, LedgerCell]]
    invariants: Callable[[Results], list[tuple[str, str]]]
    evaluations: str = "torques\na step"
    iterates: bool = True
    leading: Sequence[LedgerColumn] = (ENERGY, DRIFT)
    tell: Callable[[Sequence[LedgerRow]], Iterable[str]] = lambda rows: ()

    @property
    def costs(self) -> tuple[LedgerColumn, ...]:
        """The columns of what a step costs."""
        evaluations = LedgerColumn("torques", self.evaluations)
        return (evaluations, NEWTON) if self.iterates else (evaluations,)

    def table(self, results: Results) -> Table:
        """The ledger of these results, with the best cell of each column marked among the finished
        runs.
        """
        rows = mark_best([self._row(line, results) for line in results.lines])
        space = results.choice.space
        messages = [
            use_short_names(text, space)
            for line in results.runs
            if line.run.status == "done"
            for text in line.run.messages
        ]
        notes = tuple(dict.fromkeys(messages))
        costs = (*self.costs, LedgerColumn("ns", "ns\na step"))
        columns = (*self.leading, *self.columns(results), ROTATION, *costs)
        found = conclude(rows, self.invariants(results), self.tell)
        variants = results.choice.variants
        return Table(columns, tuple(rows), found.text, found.headline, notes, variants)

    def _row(self, line: Line, results: Results) -> LedgerRow:
        space = results.choice.space
        if not isinstance(line, RunLine):
            return LedgerRow(
                line.label,
                line.name,
                line.colour,
                "does not fit",
                {},
                line.why_not,
                line.fitting_dt,
            )
        run = line.run
        cells = self.cells(line, results) if run.cost.steps else {}
        if run.status == "done":
            return LedgerRow(line.label, line.name, line.colour, STATUS["done"], cells)
        at = f" at step {run.failed_step:,}" if run.failed_step else ""
        why = run.message or f"It ended at t = {show(run.t[-1])}."
        return LedgerRow(
            line.label,
            line.name,
            line.colour,
            f"{STATUS[run.status]}{at}",
            cells,
            use_short_names(why, space),
        )


def deviation(run: AnyRun, name: str) -> float:
    """The largest change of an invariant: of its components over every step, of a vector's length
    at stored rows.
    """
    most = run.deviation(name)
    if np.ndim(run.first(name)):
        with np.errstate(over="ignore"):  # of a run that blew up
            most = max(
                most, float(np.linalg.norm(run.quantity(name) - run.first(name), axis=1).max())
            )
    return most


def is_promised(method: Method, problem: AnyProblem, quantity: str) -> bool:
    """Whether a method declares that it conserves a quantity on the motions of a problem."""
    kept = getattr(problem, "invariants", ())
    needs = {"free": ("pi",), "tops": ("pi_e3",), "symmetric tops": ("pi_e3", "pi_chi")}
    declared = method.conserves.get(quantity)
    return declared is not None and ("pi" in kept or set(needs.get(declared, ())) <= set(kept))


def change_cell(run: AnyRun, column: ChangeColumn) -> LedgerCell:
    """The largest change of an invariant."""
    of = column.of
    change = float(run.extrema[of].max) if column.from_zero else deviation(run, of)
    first = float(np.linalg.norm(run.first(of)))
    scale = scale_of(first) if column.relative else 1.0
    lengths = [find_largest(run, name) for name in column.sizes]
    size = math.prod(lengths, start=column.factor) if lengths else 0.0
    within = roundoff(run) * max(size / scale, 1.0)
    cell = format_deviation(run, change / scale, within, is_promised(run.method, run.problem, of))
    if not column.relative or column.from_zero or not is_nearly_zero(first):
        return cell
    return replace(cell, from_zero=True, about=cell.about or FROM_ZERO)


def find_largest(run: AnyRun, name: str) -> float:
    """The largest length of a series in the stored rows."""
    values = run.quantity(name)
    with np.errstate(over="ignore"):  # of a run that blew up
        return float(np.linalg.norm(values.reshape(len(values), -1), axis=1).max())


def common_cells(run: BodyRun) -> dict[str, LedgerCell]:
    """The energy, its drift, the orthogonality, and the costs."""
    energy = replace(change_cell(run, ENERGY), close=keeps_energy(run))
    return {ENERGY.key: energy, DRIFT.key: drift_cell(run)} | cost_cells(run)


def cost_cells(run: AnyRun) -> dict[str, LedgerCell]:
    """The orthogonality, and the cost of a step in evaluations, iterations and nanoseconds."""
    cost = run.cost
    found = {ROTATION.key: change_cell(run, ROTATION)}
    for key, value in (("torques", cost.torque_evaluations), ("newton", cost.newton_iterations)):
        each = value / cost.steps
        found[key] = LedgerCell(each, format_share(each), f"{value:,} in all")
    ns = LedgerCell(
        cost.ns_per_step, f"{cost.ns_per_step:,.0f}", f"{format_seconds(cost.seconds)} in all"
    )
    return found | {"ns": ns}


def format_share(each: float) -> str:
    """How many a step: without a digit behind the point if that is 0."""
    return round_half_up(each, ".0f" if abs(each - round(each)) < 0.05 else ".1f")


def format_deviation(run: AnyRun, value: float, roundoff: float, promised: bool) -> LedgerCell:
    """A deviation, or "exact" if it is within roundoff and the method promises it."""
    text = format_measured(value)
    single = run.method.single
    if not value <= roundoff < math.inf:  # of a run that blew up, both are infinite
        return LedgerCell(value, text)
    if not promised:
        return LedgerCell(value, text, near=not single)
    word, about = KEPT[single]
    return LedgerCell(value, word, about.format(text=text), exact=True, bits=32 if single else 64)


def drift_cell(run: BodyRun) -> LedgerCell:
    """The slope of the energy's block means, if it exceeds its uncertainty."""
    rows = (len(run) - 1) // BLOCKS  # without the last row, which may be nearer to its neighbour
    if rows < ROWS_A_BLOCK:
        return LedgerCell(None, "–", f"A drift takes at least {BLOCKS * ROWS_A_BLOCK} states.")
    blocks = (run.energy[: rows * BLOCKS] / scale_of(run.energy[0])).reshape(BLOCKS, rows)
    means = blocks.mean(axis=1)
    spread = float(np.ptp(means))
    if not spread <= BLOWS_UP:
        return LedgerCell(None, "–", "The energy blows up.")
    block = rows * (run.t[1] - run.t[0])
    slope, uncertainty = (float(x) / block for x in fit_line(means))
    about = f"± {format_measured(uncertainty)} per unit of time"
    if spread <= random_roundoff(run) or abs(slope) <= CERTAIN * uncertainty:
        about = f"The slope is {format_measured(slope)} {about}"
        if spread <= random_roundoff(run) or spread <= 2 * float(np.median(np.ptp(blocks, axis=1))):
            return LedgerCell(0.0, "none", about)
        return LedgerCell(
            spread / run.t[-1],
            "unsteady",
            f"The means of the energy lie {format_measured(spread)} apart. {about}",
        )
    return LedgerCell(slope, f"{'+' if slope > 0 else ''}{format_measured(slope)}", about)


def mark_best(rows: Sequence[LedgerRow]) -> list[LedgerRow]:
    """Mark the best cells of each column among the finished runs, unless all of them are equal."""
    finished = [row for row in rows if row.status == "done"]
    best: dict[str, float] = {}
    for key in {key for row in finished for key in row.cells}:
        cells = (row.cell(key) for row in finished)
        values = [rank_cell(cell) for cell in cells if cell.value is not None and cell.ranked]
        if len(values) > 1 and min(values) < max(values):
            best[key] = min(values)

    def mark(key: str, cell: LedgerCell) -> LedgerCell:
        is_best = cell.value is not None and rank_cell(cell) == best.get(key)
        return replace(cell, best=is_best and cell.ranked)

    return [
        replace(row, cells={key: mark(key, cell) for key, cell in row.cells.items()})
        if row in finished
        else row
        for row in rows
    ]


def rank_cell(cell: LedgerCell) -> float:
    """The value by which cells are compared; all values within the roundoff of 64 bits are
    equal.
    """
    return (
        0.0
        if cell.near or (cell.exact and cell.bits == 64) or cell.value is None
        else abs(cell.value)
    )


# -------------------------------------------------------------------------------------------------
# the conclusion


UNFINISHED = (
    ("no solution", "finds no solution", "find no solution"),
    ("diverged", "diverges", "diverge"),
    ("stopped", "was stopped", "were stopped"),
    ("does not fit", "does not fit this problem", "do not fit this problem"),
)
"""How a status begins, and what the conclusion says of one method and of several."""


@dataclass(frozen=True)
class Conclusion:
    """What follows from the rows of a ledger.

    Attributes
    ----------
    first : what a lab says first; how often the body flips, and sentences that refer to it on methods
        that lose its phase.
    invariants, brief : which methods conserve what, and that in fewer words, the fewest last.
    others : other sentences, each of which stands alone.
    """

    first: tuple[str, ...]
    invariants: str
    brief: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(filter(None, [*self.first, self.invariants, *self.others]))

    @property
    def headline(self) -> str:
        """What matters most, in two lines: what comes first, invariants, and what else fits."""
        choices = (
            (*self.first[:most], kept) for most in (2, 1) for kept in (self.invariants, *self.brief)
        )
        text = ""
        for sentences in choices:
            text = " ".join(filter(None, sentences))
            if len(text) <= TWO_LINES:
                break
        for sentence in self.others:
            longer = f"{text} {sentence}".lstrip()
            text = longer if len(longer) <= TWO_LINES or not text else text
        return text


def conclude(
    rows: Sequence[LedgerRow],
    invariants: Sequence[tuple[str, str]],
    tell: Callable[[Sequence[LedgerRow]], Iterable[str]],
) -> Conclusion:
    """What follows from the rows; `invariants` are columns and names of what the problem
    conserves, and `tell` says more.
    """
    done = [row for row in rows if row.status == "done" and row.cells]
    ranked = [row for row in done if row.label != EXACT]
    others = [] if ranked else ["This is the exact motion." for _ in done]
    others += describe_lost_phases(ranked)
    others += filter(None, map(describe_energy_error, ranked))
    others += describe_nearest(ranked)
    for status, of_one, of_several in UNFINISHED:
        ended = [row.name for row in rows if row.status.startswith(status)]
        if ended:
            others.append(f"{join_names(ended)} {of_several if len(ended) > 1 else of_one}.")
    kept = describe_invariants(ranked, invariants, whole=len(ranked) == len(rows))
    if len(ranked) > 2:
        brief = [count_invariants(ranked, invariants, apart) for apart in (True, False)]
    else:
        sentences = re.split(r"(?<=\.) ", kept)
        brief = [" ".join(sentences[:most]) for most in range(len(sentences) - 1, 0, -1)]
    return Conclusion((*tell(ranked), *tell_flips(ranked)), kept, tuple(brief), tuple(others))


def describe_energy_error(row: LedgerRow) -> str:
    """Say how large the energy error becomes, if it is as large as the energy itself."""
    cell = row.cell("energy")
    worst = cell.value or 0.0
    if worst <= FAR:
        return ""
    if worst > BLOWS_UP:
        return f"The energy of {row.name} blows up."
    much = (
        f"{show(100 * worst, 2)} %" if worst < MANY else f"{show(worst, 2)} times the first energy"
    )
    return f"The energy error of {row.name} reaches {show(worst, 2) if cell.from_zero else much}."


def count_invariants(
    rows: Sequence[LedgerRow], invariants: Sequence[tuple[str, str]], apart: bool
) -> str:
    """How many methods conserve which invariants; if `apart`, also how many do so to roundoff where
    others keep a bound.
    """
    kept: dict[int, list[str]] = {}
    found = [(key, name, find_holders(rows, key, name)) for key, name in invariants]
    claims = [(key, holders.methods, holders.what) for key, _, holders in found]
    if apart:
        claims += [
            (key, holders.apart, f"{name} to roundoff")
            for key, name, holders in found
            if holders.apart
        ]
    for key, methods, what in claims:
        number = sum(row.name in methods or row.cell(key).near for row in rows)
        kept.setdefault(number, []).append(what)
    clauses: list[str] = []
    for number, names in sorted(kept.items(), reverse=True):
        all_of = f" of {len(rows)}" if not clauses else ""
        if number == len(rows):
            clauses.append(f"all keep {join_words(names)}")
        elif number:
            clauses.append(f"{number}{all_of} keep{'s' * (number == 1)} {join_words(names)}")
        else:
            clauses.append(f"none keeps {join_words(names, 'or')}")
    *most, last = clauses or [""]
    return finish_sentence(f"{', '.join(most)}, and {last}" if most else last)


def tell_flips(rows: Sequence[LedgerRow]) -> Iterator[str]:
    """Say how often the body flips, and how often it does with methods that lose its phase."""
    found: dict[str, list[str]] = {}
    for row in rows:
        end = row.cell("attitude")
        if end.does:
            if not found:
                yield f"The body flips {end.flips} times."
            found.setdefault(end.does, []).append(row.name)
    for does, names in found.items():
        yield f"With {join_names(names)}, it {does}."


def describe_lost_phases(rows: Sequence[LedgerRow]) -> Iterator[str]:
    """Say which methods lose the phase, where flips do not show it."""
    lost = [row.name for row in rows if row.cell("attitude").lost == "phase"]
    if lost:
        s, ends = ("s", "its attitude ends") if len(lost) == 1 else ("", "their attitudes end")
        yield f"{join_names(lost)} lose{s} phase: {ends} unrelated to the exact one."


def describe_nearest(rows: Sequence[LedgerRow]) -> Iterator[str]:
    """Say which attitude ends nearest to the exact one, unless all are equally near."""
    cells = [(row.name, row.cell("attitude")) for row in rows]
    found = {name: rank_cell(cell) for name, cell in cells if cell.value is not None}
    least = min(found.values(), default=0.0)
    names = [name for name, off in found.items() if off == least]
    if len(names) == len(found) != 1:
        return
    off = f"{format_measured(least)} rad off" if least else "within roundoff"
    if len(rows) == 1:
        yield f"The attitude ends {off}."
    elif len(found) == 1:
        yield f"The attitude of {names[0]} ends {off}."
    else:
        end = "end" if len(names) > 1 else "ends"
        yield f"{join_names(names)} {end} nearest to the exact motion, {off}."


def describe_invariants(
    rows: Sequence[LedgerRow], invariants: Sequence[tuple[str, str]], whole: bool
) -> str:
    """Which methods conserve which invariants, and which only stay near them here; empty if there
    is nothing. "Both", "all" and "none" stand for these methods if they are the `whole` table.
    """
    kept: dict[tuple[tuple[str, ...], str], list[str]] = {}
    near: dict[tuple[str, ...], dict[str, float]] = {}
    for key, name in invariants if rows else ():
        holders = find_holders(rows, key, name)
        close = {
            row.name: row.cell(key).value or 0.0
            for row in rows
            if row.cell(key).near and row.name not in holders.methods
        }
        if holders.methods or not close:
            kept.setdefault((holders.methods, holders.to_roundoff), []).append(holders.what)
        if close:
            near.setdefault(tuple(close), {})[name] = max(close.values())
    lost = kept.pop(((), ""), [])
    text = []
    all_of, none_of = ("both", "neither") if len(rows) == 2 else ("all", "none")
    for (methods, to_roundoff), names in sorted(kept.items(), key=lambda pair: -len(pair[0][0])):
        who = all_of if whole and 1 < len(methods) == len(rows) else join_names(methods)
        text.append(f"{who} keep{'s' * (len(methods) == 1)} {join_words(names)}{to_roundoff}")
    keepers = {name for methods in (*(methods for methods, _ in kept), *near) for name in methods}
    left = [row.name for row in rows if row.name not in keepers]
    if left and kept:
        one = ("does not", "keeps neither", "keeps none")
        many = ("do not", "keep neither", "keep none")
        how = min(sum(map(len, kept.values())), 3) - 1
        text.append(f"{join_names(left)} {(one if len(left) == 1 else many)[how]}")
    if lost and len(rows) == 1:
        text = [
            f"{text[0]}, not {join_words(lost, 'or')}"
            if text
            else describe_losses(rows[0].name, lost)
        ]
    elif lost:
        who = join_names([row.name for row in rows])
        keep = f"{none_of} keeps" if whole else f"{who} do not keep"
        text.append(f"{keep} {join_words(lost, 'or')}")
    for who_is_near, changes in near.items():
        stay = (
            f"change{'s' * (len(changes) == 1)} by at most {bound_by_power(max(changes.values()))}"
        )
        text.append(f"with {join_names(who_is_near)}, {join_words(changes)} {stay}")
    return " ".join(map(finish_sentence, text))


def describe_losses(name: str, lost: Sequence[str]) -> str:
    """Say that a method conserves none of these."""
    return (
        f"{name} keeps neither {' nor '.join(lost)}"
        if len(lost) == 2
        else f"{name} does not keep {join_words(lost, 'or')}"
    )


@dataclass(frozen=True)
class Holders:
    """The methods that keep an invariant.

    Attributes
    ----------
    methods, what : the methods, and the invariant's name, with a bound of its change unless all of
        them keep it to roundoff.
    apart : those of them that keep it to roundoff, if the others do not.
    to_roundoff : which of them keep it to roundoff, and of how many bits, as the end of a sentence.
    """

    methods: tuple[str, ...]
    what: str
    apart: tuple[str, ...]
    to_roundoff: str


def find_holders(rows: Sequence[LedgerRow], key: str, name: str) -> Holders:
    """Find the methods that keep an invariant to roundoff; those that lose and gain little energy
    keep it within a bound, unless their change is roundoff here.
    """
    cells = {row.name: row.cell(key) for row in rows}
    exact = tuple(method for method, cell in cells.items() if cell.exact)
    close = {method: cell for method, cell in cells.items() if cell.close and not cell.exact}
    if all(cell.near for cell in close.values()):
        close = {}
    methods = tuple(method for method in cells if method in exact or method in close)
    apart = exact if close else ()
    single = [method for method in exact if cells[method].bits == 32]
    double = [method for method in apart if method not in single]
    if single and len(single) == len(methods):
        to_roundoff = " to 32-bit roundoff"
    else:
        of_bits = ((double, "to roundoff"), (single, "to 32-bit roundoff"))
        ends = [f"{join_names(some)} {end}" for some, end in of_bits if some]
        to_roundoff = f", {join_words(ends)}" if ends else ""
    bound = max((cell.value or 0.0 for cell in close.values()), default=0.0)
    what = f"{name} within {format_bound(bound)}" if close else name
    return Holders(methods, what, apart, to_roundoff)


def format_bound(part: float) -> str:
    """A bound of a part: 0.73 %, or the power of ten above a tiny one."""
    if part < TINY:
        return bound_by_power(part)
    unit = 10.0 ** (math.floor(math.log10(100 * part)) - 1)
    return f"{show(math.ceil(100 * part / unit - 1e-9) * unit, 2)} %"


def bound_by_power(value: float) -> str:
    """The power of ten that bounds a number: 10⁻¹⁵."""
    return show(10.0 ** math.ceil(math.log10(max(value, 1e-16))))
