"""The ledger: a row of deviations and costs for each method, and a sentence that compares the methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap

import numpy as np

from engine.simulation import AnyRun
from engine.studies.core import CERTAIN, fit_line
from engine.text import glossary
from engine.text.formatting import format_measured, format_seconds, join_words, show

from .results import Line, Results, RunLine, scale_of

ROUNDOFF, ROUNDOFF_OF_SINGLES = 1e-12, 1e-5
"""The largest relative deviation of a quantity that counts as exact, for up to a hundred steps."""
BIAS_OF_SINGLES = 2.0**-24
"""The largest roundoff of a step in 32 bits, which may have the same sign in each step."""
FAR = 1.0
"""The relative change of the energy from which on the conclusion mentions it."""
BLOCKS, ROWS_A_BLOCK = 20, 3
"""A drift is the slope of a line through the means of blocks; with fewer rows a block it is not determined."""

STATUS = {"done": "done", "no-solution": "no solution", "diverged": "diverged", "cancelled": "stopped"}
"""The status of a run, in words."""

# ------------------------------------------------------------------------------------------------- what is measured


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
class LedgerCell:
    """One number of the ledger.

    Attributes
    ----------
    value, text, about : the number, None if there is none; the number in words, and more words on it.
    exact, bits : whether the quantity is conserved to roundoff, of numbers of so many bits.
    best : whether it is the best of its column.
    """

    value: float | None
    text: str
    about: str = ""
    exact: bool = False
    best: bool = False
    bits: int = 64


NOTHING = LedgerCell(None, "–")

ENERGY = (LedgerColumn("energy", "max\n|ΔE/E₀|"), LedgerColumn("drift", "drift\nof E"))
ROTATION = LedgerColumn("orthogonality", "max\n‖RᵀR − 1‖")


@dataclass(frozen=True)
class LedgerRow:
    """The row of a method; `why` is a sentence on a run that ended early."""

    label: str
    colour: str
    status: str
    cells: dict[str, LedgerCell]
    why: str = ""

    def cell(self, key: str) -> LedgerCell:
        """The cell of a column."""
        return self.cells.get(key, NOTHING)


@dataclass(frozen=True)
class Table:
    """The filled ledger: columns, rows, the conclusion in a sentence, and the messages of the runs."""

    columns: tuple[LedgerColumn, ...]
    rows: tuple[LedgerRow, ...]
    conclusion: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Ledger:
    """How a ledger is filled, for one body or for two.

    Attributes
    ----------
    columns : lists the columns for a problem, between those of the energy and those of the costs.
    cells : fills these columns for a method, and replaces common cells that differ.
    invariants : lists what the problem conserves, as pairs of a column and a name.
    evaluations : the head of the column of torque evaluations.
    """

    columns: Callable[[Results], Iterable[LedgerColumn]]
    cells: Callable[[RunLine, Results], dict[str, LedgerCell]]
    invariants: Callable[[Results], list[tuple[str, str]]]
    evaluations: str = "torques\na step"

    def table(self, results: Results) -> Table:
        """The ledger of these results, with the best cell of each column marked among the finished runs."""
        rows = mark_best([self._row(line, results) for line in results.lines])
        done = [line.run for line in results.runs if line.run.status == "done"]
        notes = tuple(dict.fromkeys(text for run in done for text in run.messages))
        costs = {"torques": self.evaluations, "newton": "Newton\na step", "ns": "ns\na step"}
        columns = (*ENERGY, *self.columns(results), ROTATION, *starmap(LedgerColumn, costs.items()))
        return Table(columns, tuple(rows), write_conclusion(rows, self.invariants(results)), notes)

    def _row(self, line: Line, results: Results) -> LedgerRow:
        if not isinstance(line, RunLine):
            return LedgerRow(line.label, line.colour, "does not fit", {}, line.why_not)
        run = line.run
        cells = self.cells(line, results) if run.cost.steps else {}
        if run.status == "done":
            return LedgerRow(line.label, line.colour, STATUS["done"], cells)
        at = f" at step {run.failed_step:,}" if run.failed_step else ""
        why = run.message or f"It ended at t = {show(run.t[-1])}."
        return LedgerRow(line.label, line.colour, f"{STATUS[run.status]}{at}", cells, why)


def random_roundoff(run: AnyRun) -> float:
    """The roundoff that may accumulate in a run if its sign varies, as a random walk."""
    return (ROUNDOFF_OF_SINGLES if run.method.single else ROUNDOFF) * max(1.0, math.sqrt(run.cost.steps / 100))


def roundoff(run: AnyRun) -> float:
    """The roundoff that may accumulate in a run; in 32 bits it may be biased, and then grows with the steps."""
    if not run.method.single:
        return random_roundoff(run)
    return max(ROUNDOFF_OF_SINGLES, BIAS_OF_SINGLES * run.cost.steps * len(run.method.stages))


def label_single_precision(cell: LedgerCell, promised: bool) -> LedgerCell:
    """The cell of a run in 32 bits: a quantity within roundoff counts as conserved only if the method promises it."""
    if not cell.exact or cell.value is None:
        return cell
    if not promised:
        return replace(cell, text=format_measured(cell.value), about="", exact=False)
    about = f"{format_measured(cell.value)}, which is roundoff of 32 bits"
    return replace(cell, text="32-bit roundoff", about=about, bits=32)


def deviation(run: AnyRun, name: str) -> float:
    """The largest change of an invariant: of its components over every step, of a vector's length at stored rows."""
    most = run.deviation(name)
    if np.ndim(run.first(name)):
        with np.errstate(over="ignore"):  # of a run that blew up
            most = max(most, float(np.linalg.norm(run.quantity(name) - run.first(name), axis=1).max()))
    return most


def deviation_cell(run: AnyRun, name: str, size: float = 0.0, scale: float = 1.0) -> LedgerCell:
    """The largest change of an invariant, divided by `scale`; roundoff is relative to `size` if that is larger."""
    return format_deviation(deviation(run, name) / scale, roundoff(run) * max(size / scale, 1.0))


def common_cells(run: AnyRun) -> dict[str, LedgerCell]:
    """The energy, its drift, the orthogonality, and the cost of a step in evaluations, iterations and nanoseconds."""
    cost = run.cost
    found = {
        "energy": deviation_cell(run, "energy", scale=scale_of(run.energy[0])),
        "drift": drift_cell(run),
        "orthogonality": format_deviation(float(run.extrema["orthogonality"].max), roundoff(run)),
    }
    for key, value in (("torques", cost.torque_evaluations), ("newton", cost.newton_iterations)):
        each = value / cost.steps
        text = f"{each:.0f}" if abs(each - round(each)) < 0.05 else f"{each:.1f}"
        found[key] = LedgerCell(each, text, f"{value:,} in all")
    ns = LedgerCell(cost.ns_per_step, f"{cost.ns_per_step:,.0f}", f"{format_seconds(cost.seconds)} in all")
    return found | {"ns": ns}


def format_deviation(value: float, roundoff: float) -> LedgerCell:
    """A deviation, or "exact" if it is within roundoff."""
    if value <= roundoff:
        return LedgerCell(value, "exact", f"{format_measured(value)}, which is roundoff", exact=True)
    return LedgerCell(value, format_measured(value))


def drift_cell(run: AnyRun) -> LedgerCell:
    """The slope of the energy's block means, if it exceeds its uncertainty."""
    rows = (len(run) - 1) // BLOCKS  # without the last row, which may be nearer to its neighbour
    if rows < ROWS_A_BLOCK:
        return LedgerCell(None, "–", f"Too few states for a drift, which takes {BLOCKS * ROWS_A_BLOCK}")
    blocks = (run.energy[: rows * BLOCKS] / scale_of(run.energy[0])).reshape(BLOCKS, rows)
    means, block = blocks.mean(axis=1), rows * (run.t[1] - run.t[0])
    slope, uncertainty = (float(x) / block for x in fit_line(means))
    spread = float(np.ptp(means))
    about = f"± {format_measured(uncertainty)} per unit of time"
    if spread <= random_roundoff(run) or abs(slope) <= CERTAIN * uncertainty:
        about = f"The slope is {format_measured(slope)} {about}"
        if spread <= random_roundoff(run) or spread <= 2 * float(np.median(np.ptp(blocks, axis=1))):
            return LedgerCell(0.0, "none", about)
        return LedgerCell(spread / run.t[-1], "unsteady", f"The means lie {format_measured(spread)} apart. {about}")
    return LedgerCell(slope, f"{'+' if slope > 0 else ''}{format_measured(slope)}", about)


def mark_best(rows: Sequence[LedgerRow]) -> list[LedgerRow]:
    """Mark the best cells of each column among the finished runs, unless all of them are equal."""
    finished = [row for row in rows if row.status == "done"]
    best: dict[str, float] = {}
    for key in {key for row in finished for key in row.cells}:
        values = [rank_cell(row.cell(key)) for row in finished if row.cell(key).value is not None]
        if len(values) > 1 and min(values) < max(values):
            best[key] = min(values)

    def mark(key: str, cell: LedgerCell) -> LedgerCell:
        return replace(cell, best=cell.value is not None and rank_cell(cell) == best.get(key))

    return [
        replace(row, cells={key: mark(key, cell) for key, cell in row.cells.items()}) if row in finished else row
        for row in rows
    ]


def rank_cell(cell: LedgerCell) -> float:
    """The value by which cells are compared; all values within the roundoff of 64 bits are equal."""
    return 0.0 if (cell.exact and cell.bits == 64) or cell.value is None else abs(cell.value)


# ------------------------------------------------------------------------------------------------- the conclusion


UNFINISHED = (
    ("no solution", "finds no solution", "find no solution"),
    ("diverged", "diverges", "diverge"),
    ("stopped", "was stopped", "were stopped"),
    ("does not fit", "does not fit this problem", "do not fit this problem"),
)
"""How a status begins, and what the conclusion says of one method and of several."""


def write_conclusion(rows: Sequence[LedgerRow], invariants: Sequence[tuple[str, str]]) -> str:
    """What follows from the rows, in a sentence; `invariants` are columns and names of what the problem conserves."""
    groups: dict[tuple[tuple[bool, ...], bool], list[LedgerRow]] = {}
    for row in rows:
        if row.status == "done" and row.cells:
            alike = *(row.cell(key).exact for key, _ in invariants), (row.cell("energy").value or 0.0) <= FAR
            groups.setdefault((alike, any(cell.bits == 32 for cell in row.cells.values())), []).append(row)
    parts = []
    for alike, single in sorted(groups, key=lambda group: (-sum(group[0]), not group[0][0], group[1])):
        members = groups[alike, single]
        exact = {name: is_exact for (_, name), is_exact in zip(invariants, alike, strict=False)}
        keeps = describe_invariants(exact, len(members) > 1, "32-bit roundoff" if single else "roundoff")
        verbs = [words for words in (keeps, describe_energy_change(members), describe_attitude(members)) if words]
        if verbs:
            parts.append(f"{join_words([row.label for row in members])} {join_words(verbs)}")
    for status, of_one, of_several in UNFINISHED:
        ended = [row.label for row in rows if row.status.startswith(status)]
        if ended:
            parts.append(f"{join_words(ended)} {of_several if len(ended) > 1 else of_one}")
    return f"{'; '.join(parts)}." if parts else ""


def describe_invariants(exact: Mapping[str, bool], several: bool, roundoff: str) -> str:
    """Which invariants a group of methods conserves exactly, beginning with the verb."""
    keep = "keep" if several else "keeps"
    held = [name for name, is_exact in exact.items() if is_exact]
    lost = [name for name in exact if name not in held]
    if not exact:
        return ""
    if held:
        return f"{keep} {join_words(held)} to {roundoff}{f' but not {join_words(lost)}' if lost else ''}"
    if len(lost) == 1:
        return f"{'do' if several else 'does'} not keep {lost[0]}"
    return f"{keep} neither {' nor '.join(lost)}"


def describe_energy_change(members: Sequence[LedgerRow]) -> str:
    """The change of the energy, if it is large."""
    worst = max((row.cell("energy").value or 0.0 for row in members), default=0.0)
    let = "let" if len(members) > 1 else "lets"
    return f"{let} energy change by up to {format_measured(worst)} times its first value" if worst > FAR else ""


def describe_attitude(members: Sequence[LedgerRow]) -> str:
    """The distance from the exact attitude at the end."""
    off = [row.cell("attitude") for row in members]
    if any(cell.value is None for cell in off):
        return ""
    end = "end" if len(members) > 1 else "ends"
    if all(cell.exact for cell in off):
        return f"{end} where the exact motion does"
    return f"{end} {join_words([format_measured(cell.value or 0.0) for cell in off])} rad off"
