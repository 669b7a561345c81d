"""What is told of runs in numbers and words: each method's row of deviations and costs, and a sentence on all.

What there is to tell is a matter of what moves, one body or two: a `Ledger`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine import glossary
from engine.run import AnyRun
from engine.studies.measure import CERTAIN
from engine.studies.measure import line as fitted
from engine.wording import elapsed, in_digits, listed, short

from .results import Line, Ran, Results, scale

ROUNDOFF, ROUNDOFF_OF_SINGLES = 1e-12, 1e-5
"""The relative deviation up to which a quantity counts as kept exactly, for up to a hundred steps."""
BIAS_OF_SINGLES = 2.0**-24
"""What 32 bits leave out of a step, at most: it may have the same sign in each."""
FAR = 1.0
"""A relative change of the energy that is told in the conclusion."""
BLOCKS, ROWS_A_BLOCK = 20, 3
"""A drift is a line through the means of blocks; with fewer rows than these there is none to be told."""

STATUS = {"done": "done", "no-solution": "no solution", "diverged": "diverged", "cancelled": "stopped"}
"""How a run ended, in words."""

# ------------------------------------------------------------------------------------------------- what is measured


@dataclass(frozen=True)
class LedgerColumn:
    """A column: its head, in two lines; what it means stands in the glossary unless it is told."""

    key: str
    head: str
    told: str = ""

    @property
    def means(self) -> str:
        """What it means, with the unit."""
        return self.told or glossary.meaning(self.head.replace("\n", " "))


@dataclass(frozen=True)
class LedgerCell:
    """One number of the ledger; `value` is None if there is none, and `about` says more.

    What is `exact` is kept to the roundoff of numbers of so many bits.
    """

    value: float | None
    text: str
    about: str = ""
    exact: bool = False
    best: bool = False
    bits: int = 64


NOTHING = LedgerCell(None, "–")

ENERGY = LedgerColumn("energy", "max\n|ΔE/E₀|")
DRIFT = LedgerColumn("drift", "drift\nof E")
NO_ROTATION = LedgerColumn("orthogonality", "max\n‖RᵀR − 1‖")
NEWTON = LedgerColumn("newton", "Newton\na step")
SPEED = LedgerColumn("ns", "ns\na step")


@dataclass(frozen=True)
class LedgerRow:
    """A method's line in the ledger; `why` is a sentence on a run that did not come to its end."""

    label: str
    colour: str
    status: str
    cells: dict[str, LedgerCell]
    why: str = ""

    def cell(self, key: str) -> LedgerCell:
        """What stands in a column."""
        return self.cells.get(key, NOTHING)


@dataclass(frozen=True)
class Table:
    """The ledger: its columns and rows, what follows in a sentence, and what the runs say besides."""

    columns: tuple[LedgerColumn, ...]
    rows: tuple[LedgerRow, ...]
    conclusion: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Ledger:
    """What is told of runs.

    Attributes
    ----------
    columns : those of a problem.
    cells : a method's numbers, by the keys of the columns.
    kept : what a problem keeps: the keys of its cells, and in words.
    """

    columns: Callable[[Results], tuple[LedgerColumn, ...]]
    cells: Callable[[Ran, Results], dict[str, LedgerCell]]
    kept: Callable[[Results], list[tuple[str, str]]]

    def table(self, results: Results) -> Table:
        """A row for each method, with the best of each column marked among those that came to the end."""
        found = marked([self._row(one, results) for one in results.lines])
        done = [one.run for one in results.runs if one.run.status == "done"]
        notes = tuple(dict.fromkeys(text for run in done for text in run.messages))
        return Table(self.columns(results), tuple(found), conclusion(found, self.kept(results)), notes)

    def _row(self, one: Line, results: Results) -> LedgerRow:
        if not isinstance(one, Ran):
            return LedgerRow(one.label, one.colour, "does not fit", {}, one.why_not)
        if (run := one.run).status == "done":
            return LedgerRow(one.label, one.colour, STATUS["done"], self._cells(one, results))
        at = f" at step {run.failed_step:,}" if run.failed_step else ""
        why = run.message or f"It ended at t = {short(run.t[-1])}."
        return LedgerRow(one.label, one.colour, f"{STATUS[run.status]}{at}", self._cells(one, results), why)

    def _cells(self, one: Ran, results: Results) -> dict[str, LedgerCell]:
        return self.cells(one, results) if one.run.cost.steps else {}


def random_roundoff(run: AnyRun) -> float:
    """What roundoff of either sign may bring in so many steps: it adds up like a random walk."""
    return (ROUNDOFF_OF_SINGLES if run.method.single else ROUNDOFF) * max(1.0, math.sqrt(run.cost.steps / 100))


def roundoff(run: AnyRun) -> float:
    """What roundoff may bring in so many steps: that of 32 bits may be biased, and then grows with their number."""
    if not run.method.single:
        return random_roundoff(run)
    return max(ROUNDOFF_OF_SINGLES, BIAS_OF_SINGLES * run.cost.steps * len(run.method.stages))


def of_singles(cell: LedgerCell, promised: bool) -> LedgerCell:
    """A number of a run with 32 bits: what roundoff may hide is kept only if the method promises it."""
    if not cell.exact or cell.value is None:
        return cell
    if not promised:
        return replace(cell, text=in_digits(cell.value), about="", exact=False)
    about = f"{in_digits(cell.value)}, which is roundoff of 32 bits"
    return replace(cell, text="32-bit roundoff", about=about, bits=32)


def deviation(run: AnyRun, name: str) -> float:
    """The largest change of an invariant: over every step by component, and of a vector at the rows kept."""
    most = run.deviation(name)
    if np.ndim(run.first(name)):
        with np.errstate(over="ignore"):  # of a run that blew up
            most = max(most, float(np.linalg.norm(run.motion[name] - run.first(name), axis=1).max()))
    return most


def energies(run: AnyRun) -> dict[str, LedgerCell]:
    """How far the energy went, and whether it went on."""
    return {"energy": told(deviation(run, "energy") / scale(run.energy[0]), roundoff(run)), "drift": drift(run)}


def costs(run: AnyRun) -> dict[str, LedgerCell]:
    """What a step took: evaluations of what acts, Newton iterations, nanoseconds."""
    cost = run.cost
    found = {}
    for key, value in (("torques", cost.torque_evaluations), ("newton", cost.newton_iterations)):
        each = value / cost.steps
        found[key] = LedgerCell(
            each, f"{each:.0f}" if abs(each - round(each)) < 0.05 else f"{each:.1f}", f"{value:,} in all"
        )
    return found | {"ns": LedgerCell(cost.ns_per_step, f"{cost.ns_per_step:,.0f}", f"{elapsed(cost.seconds)} in all")}


def told(value: float, roundoff: float) -> LedgerCell:
    """A deviation, or that it is nothing but roundoff."""
    if value <= roundoff:
        return LedgerCell(value, "exact", f"{in_digits(value)}, which is roundoff", exact=True)
    return LedgerCell(value, in_digits(value))


def drift(run: AnyRun) -> LedgerCell:
    """The slope of the energy's means, if it is more than its own uncertainty."""
    rows = (len(run) - 1) // BLOCKS  # a last row need not be as far from its neighbour as the others
    if rows < ROWS_A_BLOCK:
        return LedgerCell(None, "–", f"Too few states to tell; it takes {BLOCKS * ROWS_A_BLOCK}")
    blocks = (run.energy[: rows * BLOCKS] / scale(run.energy[0])).reshape(BLOCKS, rows)
    means, block = blocks.mean(axis=1), rows * (run.t[1] - run.t[0])
    slope, uncertainty = (float(x) / block for x in fitted(means))
    spread = float(np.ptp(means))
    if spread <= random_roundoff(run) or abs(slope) <= CERTAIN * uncertainty:
        told = f"The slope is {in_digits(slope)} ± {in_digits(uncertainty)} for each unit of time"
        if spread <= random_roundoff(run) or spread <= 2 * float(np.median(np.ptp(blocks, axis=1))):
            return LedgerCell(0.0, "none", told)
        return LedgerCell(spread / run.t[-1], "unsteady", f"The means lie {in_digits(spread)} apart. {told}")
    sign = "+" if slope > 0 else ""
    return LedgerCell(slope, f"{sign}{in_digits(slope)}", f"± {in_digits(uncertainty)} for each unit of time")


def marked(found: list[LedgerRow]) -> list[LedgerRow]:
    """Mark the best of each column: what is exact is as good as can be, and where all are alike there is no best."""
    finished = [row for row in found if row.status == "done"]
    best: dict[str, float] = {}
    for key in {key for row in finished for key in row.cells}:
        values = [worth(row.cell(key)) for row in finished if row.cell(key).value is not None]
        if len(values) > 1 and min(values) < max(values):
            best[key] = min(values)
    return [
        replace(
            row,
            cells={
                key: replace(cell, best=row in finished and cell.value is not None and worth(cell) == best.get(key))
                for key, cell in row.cells.items()
            },
        )
        for row in found
    ]


def worth(cell: LedgerCell) -> float:
    """What cells are compared by: nothing below the roundoff of 64 bits counts."""
    return 0.0 if (cell.exact and cell.bits == 64) or cell.value is None else abs(cell.value)


# ------------------------------------------------------------------------------------------------- the conclusion


UNFINISHED = (
    ("no solution", "finds no solution", "find no solution"),
    ("diverged", "diverges", "diverge"),
    ("stopped", "was stopped", "were stopped"),
    ("does not fit", "does not fit this problem", "do not fit this problem"),
)
"""How a status begins, and what is said of one method and of several."""


def conclusion(found: Sequence[LedgerRow], kept: Sequence[tuple[str, str]]) -> str:
    """What the rows tell, in a sentence; `kept` are the keys and names of what the problem keeps."""
    groups: dict[tuple[tuple[bool, ...], bool], list[LedgerRow]] = {}
    for row in found:
        if row.status == "done" and row.cells:
            alike = *(row.cell(key).exact for key, _ in kept), (row.cell("energy").value or 0.0) <= FAR
            groups.setdefault((alike, any(cell.bits == 32 for cell in row.cells.values())), []).append(row)
    parts = []
    for alike, single in sorted(groups, key=lambda group: (-sum(group[0]), not group[0][0], group[1])):
        members = groups[alike, single]
        names = {name: exact for (_, name), exact in zip(kept, alike, strict=False)}
        keeps = kept_in_words(names, len(members) > 1, "32-bit roundoff" if single else "roundoff")
        verbs = [words for words in (keeps, astray(members), off_in_words(members)) if words]
        if verbs:
            parts.append(f"{listed([row.label for row in members])} {listed(verbs)}")
    for status, of_one, of_several in UNFINISHED:
        stopped = [row.label for row in found if row.status.startswith(status)]
        if stopped:
            parts.append(f"{listed(stopped)} {of_several if len(stopped) > 1 else of_one}")
    return f"{'; '.join(parts)}." if parts else ""


def kept_in_words(names: Mapping[str, bool], several: bool, roundoff: str) -> str:
    """What a group of methods keeps of what is kept, beginning with the verb; True is for what is kept exactly."""
    keep = "keep" if several else "keeps"
    held = [name for name, exact in names.items() if exact]
    lost = [name for name in names if name not in held]
    if not names:
        return ""
    if held:
        return f"{keep} {listed(held)} to {roundoff}{f' but not {listed(lost)}' if lost else ''}"
    if len(lost) == 1:
        return f"{'do' if several else 'does'} not keep {lost[0]}"
    return f"{keep} neither {' nor '.join(lost)}"


def astray(members: Sequence[LedgerRow]) -> str:
    """Whether energy went far away."""
    worst = max((row.cell("energy").value or 0.0 for row in members), default=0.0)
    return (
        f"{'let' if len(members) > 1 else 'lets'} energy change by up to {in_digits(worst)} times its first value"
        if worst > 1.0
        else ""
    )


def off_in_words(members: Sequence[LedgerRow]) -> str:
    """How far from the exact attitude a group of methods ends."""
    off = [row.cell("attitude") for row in members]
    if any(cell.value is None for cell in off):
        return ""
    end = "end" if len(members) > 1 else "ends"
    if all(cell.exact for cell in off):
        return f"{end} where the exact motion does"
    return f"{end} {listed([in_digits(cell.value or 0.0) for cell in off])} rad off"
