"""The ledger: what each method kept and lost, in one table, with a sentence that says it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from engine.run import Run
from engine.studies.measure import CERTAIN, line

from ..results import Ran, Results, scale
from .sheet import Sheet

ROUNDOFF = 1e-12
"""The relative deviation up to which a quantity counts as kept exactly, for up to a hundred steps."""
FAR = 1.0
"""A relative change of the energy that is told in the conclusion."""
BLOCKS, ROWS_A_BLOCK = 20, 3
"""A drift is a line through the means of blocks; with fewer rows than these there is none to be told."""

STATUS = {"done": "done", "no-solution": "no solution", "diverged": "diverged", "cancelled": "stopped"}
"""How a run ended, in words."""

# ------------------------------------------------------------------------------------------------- numbers in words

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 2) -> str:
    """A number as it is read: 0.023, 1.8, 2.9·10⁻⁴."""
    if not math.isfinite(value):
        return "∞" if math.isinf(value) else "–"
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 < power < 4:
        decimals = max(digits - 1 - power, 0)
        text = f"{abs(value):,.{decimals}f}"
    else:
        text = f"{mantissa}·10{str(power).translate(SUPERSCRIPT)}"
    return f"−{text}" if value < 0 else text


def listed(words: Sequence[str]) -> str:
    """a, b and c."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


# ------------------------------------------------------------------------------------------------- what is measured


@dataclass(frozen=True)
class Column:
    """A column: its head, in two lines, and what it means, with the unit."""

    key: str
    head: str
    means: str


@dataclass(frozen=True)
class Cell:
    """One number of the ledger; `value` is None if there is none, and `about` says more."""

    value: float | None
    text: str
    about: str = ""
    exact: bool = False
    best: bool = False


NOTHING = Cell(None, "–")

ENERGY = Column(
    "energy", "max\n|ΔE/E₀|", "Largest change of the energy over every step, relative to the first energy"
)
DRIFT = Column("drift", "drift\nof E", "Slope of a line through the means of the energy, ΔE/E₀ for each unit of time")
FREE_MOMENTUM = Column("momentum", "max\n|Δπ|/|π₀|", "Largest change of the momentum in space, relative to the first")
VERTICAL_MOMENTUM = Column("momentum", "max\n|Δ(π·e₃)|", "Largest change of the momentum about the vertical")
NO_MOMENTUM = Column(
    "momentum", "max\n|Δπ|", "The torque changes the momentum here, so that no method should keep it"
)
OTHERS = (
    Column("attitude", "attitude\nerror", "Angle to the exact attitude at the end, rad"),
    Column("orthogonality", "max\n‖RᵀR − 1‖", "How far R is from a rotation, over every step"),
    Column("torques", "torques\na step", "Evaluations of the torque for each step; a free body has none"),
    Column("newton", "Newton\na step", "Iterations of Newton's method for each step"),
    Column("ns", "ns\na step", "Time of one step in the kernel, ns"),
)


def columns(results: Results) -> tuple[Column, ...]:
    """The columns; which momentum there is to keep is a matter of the problem."""
    kept = results.problem.invariants
    momentum = FREE_MOMENTUM if "pi" in kept else VERTICAL_MOMENTUM if "pi_e3" in kept else NO_MOMENTUM
    return (ENERGY, DRIFT, momentum, *OTHERS)


def roundoff(run: Run) -> float:
    """What roundoff may bring in so many steps: it adds up like a random walk."""
    return ROUNDOFF * max(1.0, math.sqrt(run.cost.steps / 100))


def deviation(run: Run, name: str) -> float:
    """The largest change of an invariant: over every step by component, and of the vector at the rows kept."""
    extrema = run.extrema[name]
    series = run.pi if name == "pi" else run.energy if name == "energy" else run.observed[name]
    away = [np.abs(extrema.max - series[0]).max(), np.abs(extrema.min - series[0]).max()]
    if name == "pi":
        away.append(np.linalg.norm(series - series[0], axis=1).max())
    return float(np.max(away))


def cells(one: Ran, results: Results) -> dict[str, Cell]:
    """A method's numbers, by the keys of the columns."""
    run = one.run
    if run is None or run.cost.steps == 0:
        return {}
    kept = results.problem.invariants
    found: dict[str, Cell] = {}
    if "energy" in kept:
        found["energy"] = told(deviation(run, "energy") / scale(run.energy[0]), roundoff(run))
        found["drift"] = drift(run)
    else:
        found["energy"] = found["drift"] = Cell(None, "–", "The torque changes the energy here")
    if "pi" in kept:
        found["momentum"] = told(deviation(run, "pi") / scale(float(np.linalg.norm(run.pi[0]))), roundoff(run))
    elif "pi_e3" in kept:
        largest = float(np.linalg.norm(run.pi, axis=1).max())  # what its roundoff is relative to
        found["momentum"] = told(deviation(run, "pi_e3"), roundoff(run) * max(largest, 1.0))
    if one.error is not None:
        attitude = float(one.error.attitude[-1])
        about = f"{number(math.degrees(attitude), 3)}° at t = {one.error.t[-1]:.6g}"
        found["attitude"] = replace(told(attitude, roundoff(run)), about=about)
    elif results.no_exact:
        found["attitude"] = Cell(None, "–", results.no_exact)
    found["orthogonality"] = told(float(run.extrema["orthogonality"].max), roundoff(run))
    cost = run.cost
    for key, value in (("torques", cost.torque_evaluations), ("newton", cost.newton_iterations)):
        each = value / cost.steps
        found[key] = Cell(
            each, f"{each:.0f}" if abs(each - round(each)) < 0.05 else f"{each:.1f}", f"{value:,} in all"
        )
    found["ns"] = Cell(cost.ns_per_step, f"{cost.ns_per_step:,.0f}", f"{1e3 * cost.seconds:.3g} ms in all")
    return found


def told(value: float, roundoff: float) -> Cell:
    """A deviation, or that it is nothing but roundoff."""
    if value <= roundoff:
        return Cell(value, "exact", f"{number(value)}, which is roundoff", exact=True)
    return Cell(value, number(value))


def drift(run: Run) -> Cell:
    """The slope of the energy's means, if it is more than its own uncertainty."""
    rows = (len(run) - 1) // BLOCKS  # a last row need not be as far from its neighbour as the others
    if rows < ROWS_A_BLOCK:
        return Cell(None, "–", f"Too few states to tell; it takes {BLOCKS * ROWS_A_BLOCK}")
    blocks = (run.energy[: rows * BLOCKS] / scale(run.energy[0])).reshape(BLOCKS, rows)
    means, block = blocks.mean(axis=1), rows * (run.t[1] - run.t[0])
    slope, uncertainty = (float(x) / block for x in line(means))
    spread = float(np.ptp(means))
    if spread <= roundoff(run) or abs(slope) <= CERTAIN * uncertainty:
        told = f"The slope is {number(slope)} ± {number(uncertainty)} for each unit of time"
        if spread <= roundoff(run) or spread <= 2 * float(np.median(np.ptp(blocks, axis=1))):
            return Cell(0.0, "none", told)
        return Cell(spread / run.t[-1], "unsteady", f"The means lie {number(spread)} apart. {told}")
    sign = "+" if slope > 0 else ""
    return Cell(slope, f"{sign}{number(slope)}", f"± {number(uncertainty)} for each unit of time")


@dataclass(frozen=True)
class Row:
    """A method's line in the ledger; `why` is a sentence on a run that did not come to its end."""

    label: str
    colour: str
    status: str
    cells: dict[str, Cell]
    why: str = ""

    def cell(self, key: str) -> Cell:
        """What stands in a column."""
        return self.cells.get(key, NOTHING)


def rows(results: Results) -> list[Row]:
    """The ledger, with the best of each column marked among the methods that came to the end."""
    found = []
    for one in results.lines:
        if not isinstance(one, Ran):
            found.append(Row(one.label, one.colour, "does not fit", {}, one.why_not))
        elif (run := one.run).status == "done":
            found.append(Row(one.label, one.colour, STATUS["done"], cells(one, results)))
        else:
            at = f" at step {run.failed_step:,}" if run.failed_step else ""
            why = run.message or f"It ended at t = {run.t[-1]:.6g}."
            found.append(Row(one.label, one.colour, f"{STATUS[run.status]}{at}", cells(one, results), why))
    return marked(found)


def marked(found: list[Row]) -> list[Row]:
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


def worth(cell: Cell) -> float:
    """What cells are compared by: nothing below roundoff counts."""
    return 0.0 if cell.exact or cell.value is None else abs(cell.value)


# ------------------------------------------------------------------------------------------------- the conclusion


UNFINISHED = (
    ("no solution", "has no solution", "have no solution"),
    ("diverged", "diverges", "diverge"),
    ("stopped", "was stopped", "were stopped"),
    ("does not fit", "does not fit this problem", "do not fit this problem"),
)
"""How a status begins, and what is said of one method and of several."""


def conclusion(results: Results, found: Sequence[Row]) -> str:
    """The ledger in a sentence."""
    kept = results.problem.invariants
    momentum = "momentum" if "pi" in kept else "π·e₃" if "pi_e3" in kept else ""
    groups: dict[tuple[bool, bool, bool], list[Row]] = {}
    for row in found:
        if row.status == "done":
            energy = row.cell("energy")
            alike = energy.exact, row.cell("momentum").exact, (energy.value or 0.0) <= FAR
            groups.setdefault(alike, []).append(row)
    parts = []
    for alike in sorted(groups, key=lambda alike: (-sum(alike), not alike[0])):
        members = groups[alike]
        keeps = kept_in_words(alike[:2], "energy" in kept, momentum, len(members) > 1)
        verbs = [words for words in (keeps, astray(members), off_in_words(members)) if words]
        if verbs:
            parts.append(f"{listed([row.label for row in members])} {listed(verbs)}")
    for status, of_one, of_several in UNFINISHED:
        stopped = [row.label for row in found if row.status.startswith(status)]
        if stopped:
            parts.append(f"{listed(stopped)} {of_several if len(stopped) > 1 else of_one}")
    return f"{'; '.join(parts)}." if parts else ""


def kept_in_words(exact: tuple[bool, bool], energy: bool, momentum: str, several: bool) -> str:
    """What a group of methods keeps, beginning with the verb."""
    keep = "keep" if several else "keeps"
    names = [name for name, there in (("energy", energy), (momentum, bool(momentum))) if there]
    held = [name for name, is_exact in (("energy", exact[0]), (momentum, exact[1])) if is_exact and name in names]
    if not names:
        return ""
    if not held:
        return (
            f"{keep} neither {' nor '.join(names)}"
            if len(names) > 1
            else f"{'do' if several else 'does'} not keep {names[0]}"
        )
    lost = [name for name in names if name not in held]
    return f"{keep} {listed(held)} to roundoff{f' but not {lost[0]}' if lost else ''}"


def astray(members: Sequence[Row]) -> str:
    """Whether energy went far away."""
    worst = max((row.cell("energy").value or 0.0 for row in members), default=0.0)
    return (
        f"{'let' if len(members) > 1 else 'lets'} energy change by up to {number(worst)} times its first value"
        if worst > 1.0
        else ""
    )


def off_in_words(members: Sequence[Row]) -> str:
    """How far from the exact attitude a group of methods ends."""
    off = [row.cell("attitude") for row in members]
    if any(cell.value is None for cell in off):
        return ""
    end = "end" if len(members) > 1 else "ends"
    if all(cell.exact for cell in off):
        return f"{end} where the exact motion does"
    return f"{end} {listed([number(cell.value or 0.0) for cell in off])} rad off"


# ---------------------------------------------------------------------------------------------- as HTML and as text

STYLE = """
.ledger { overflow-x: auto; --ground: var(--panel-surface-color, Canvas); }
.ledger table { border-collapse: separate; border-spacing: 0; width: 100%; font-variant-numeric: tabular-nums; }
.ledger :is(th, td) { padding: 5px 6px; text-align: right; white-space: nowrap; }
.ledger tr > :last-child { padding-right: 14px; }
.ledger thead th { font-weight: 500; font-size: 12px; color: color-mix(in srgb, currentColor 78%, transparent); border-bottom: 1px solid var(--line); line-height: 1.3; padding-top: 9px; cursor: help; }
.ledger tr:not(.why) > :first-child { text-align: left; padding-left: 14px; position: sticky; left: 0; background: var(--ground); z-index: 1; }
.ledger tbody th { font-weight: 600; max-width: 150px; overflow: hidden; text-overflow: ellipsis; }
.ledger tbody th small { display: block; font-weight: 400; font-size: 11.5px; line-height: 1.2; padding-left: 17px; opacity: .82; white-space: normal; }
.ledger .instead, .ledger .why td { text-align: left; white-space: normal; }
.ledger tbody tr + tr:not(.why) > * { border-top: 1px solid var(--line); }
.ledger .why td { padding: 0 14px 7px 31px; }
.ledger .best span { background: color-mix(in srgb, currentColor 9%, transparent); border-radius: 5px; padding: 2px 5px; margin: -2px -5px; position: relative; }
.ledger .best span::before { content: "★"; font-size: 8px; margin-right: 2px; vertical-align: 3px; opacity: .8; }
.foot { display: flex; gap: 12px; align-items: flex-start; padding: 10px 14px 12px; border-top: 1px solid var(--line); min-height: 40px; }
.foot p { margin: 1px 0 0; flex: 1; }
.foot small { display: block; font-size: 12px; }
"""  # noqa: E501


def as_html(results: Results, found: Sequence[Row]) -> str:
    """The table, what follows from it, and the buttons."""
    heads = columns(results)
    head = "".join(
        f"<th scope='col' title='{escape(c.means, True)}'>{escape(c.head).replace(chr(10), '<br>')}</th>"
        for c in heads
    )
    notes = dict.fromkeys(
        text for one in results.lines if one.run is not None and one.run.status == "done" for text in one.run.messages
    )
    small = f"<small class='quiet'>{escape(' '.join(notes))}</small>" if notes else ""
    return (
        "<div class='ledger' id='ledger' role='region' aria-label='Ledger' tabindex='0'><table>"
        "<caption class='unseen'>What each method kept and lost; a star marks the best of a column</caption>"
        f"<thead><tr><th scope='col'>Method<br>and status</th>{head}</tr></thead>"
        f"<tbody>{''.join(row_html(row, heads) for row in found)}</tbody></table></div>"
        f"<div class='foot'><p>{escape(conclusion(results, found))}{small}</p>"
        "<button id='ledger-copy' data-copy='tsv' title='Copy the table, with tabs between the numbers'>Copy</button>"
        "<button id='ledger-csv' data-save='csv' data-file='ledger.csv' title='With all digits'>CSV</button>"
        "</div>"
    )


def row_html(row: Row, heads: Sequence[Column]) -> str:
    """A method's row, and below it the sentence on how it ended."""
    name = (
        f"<th scope='row'><i class='dot' style='background:{row.colour}'></i>{escape(row.label)}"
        f"<small>{escape(row.status)}</small></th>"
    )
    if row.cells or not row.why:
        body = "".join(cell_html(row.cell(c.key)) for c in heads)
        why = f"<td colspan='{len(heads) + 1}' class='quiet'>{escape(row.why)}</td>"
        return f"<tr>{name}{body}</tr>" + (f"<tr class='why'>{why}</tr>" if row.why else "")
    return f"<tr>{name}<td class='instead' colspan='{len(heads)}'>{escape(row.why)}</td></tr>"


def cell_html(cell: Cell) -> str:
    """A number; the best has a star, and a word for who does not see it."""
    about = f" title='{escape(cell.about, True)}'" if cell.about else ""
    text = f"<b>{cell.text}</b>" if cell.exact else escape(cell.text)
    if cell.best:
        return f"<td class='best'{about}><span>{text}</span><i class='unseen'> (best)</i></td>"
    return f"<td{about}>{text}</td>"


def as_lines(results: Results, found: Sequence[Row], digits: bool) -> Iterable[list[str]]:
    """The table as lines of cells: numbers with all digits, or as they are shown."""
    heads = columns(results)
    yield ["method", "status", *(c.head.replace("\n", " ") for c in heads), "message"]
    for row in found:
        shown = [row.cell(c.key) for c in heads]
        yield [
            row.label,
            row.status,
            *((f"{c.value!r}" if c.value is not None else "") if digits else c.text for c in shown),
            row.why,
        ]


def as_tsv(results: Results, found: Sequence[Row]) -> str:
    """As it is copied into a mail or a spreadsheet."""
    lines = ["\t".join(line) for line in as_lines(results, found, digits=False)]
    return "\n".join([*lines, conclusion(results, found), ""])


def as_csv(results: Results, found: Sequence[Row]) -> str:
    """As it is saved, with every digit."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(as_lines(results, found, digits=True))
    return text.getvalue()


class Ledger:
    """What each method kept and lost."""

    def __init__(self) -> None:
        self.panel = Sheet(style=STYLE)
        self.visible = True

    def show(self, results: Results) -> None:
        """Put other results into the table."""
        found = rows(results)
        texts: dict[str, Any] = {"tsv": as_tsv(results, found), "csv": as_csv(results, found)}
        self.panel.param.update(html=as_html(results, found), texts=texts)
