"""The property table: all methods, declared and measured side by side, each contradiction marked."""

from __future__ import annotations

import contextvars
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from ..algorithms.method import Method, all_methods, find_method
from ..files import strict
from . import measure
from .properties import Finding, Properties, chosen, properties

if TYPE_CHECKING:
    import pandas as pd

SYMBOLS = {
    "energy": "E", "pi": "π", "pi_norm": "|π|", "casimir": "|Π|", "pi_e3": "π·e3", "pi_chi": "π·χ",
    "gamma_norm": "|Γ|", "orthogonality": "RᵀR",
}  # fmt: skip
MARK = "✗"


class Comparison(NamedTuple):
    """What a table says of one property."""

    declared: str
    measured: str
    contradicted: bool = False


def variants(method: Method) -> list[Method]:
    """The method with each named choice of its options that is not the default one, one option at a time."""
    return [
        method.with_options(**{option.name: choice})
        for option in method.options
        for choice in option.choices
        if choice != option.written(option.default)
    ]


def property_table(
    methods: Iterable[str | Method] | None = None,
    *,
    quick: bool = False,
    with_variants: bool = False,
    threads: int | None = None,
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
    which: Iterable[str] | None = None,
) -> PropertyTable:
    """Measure many methods.

    Parameters
    ----------
    methods : keys, aliases or methods; all that are registered if not given.
    with_variants : whether each is followed by its variants, one for every choice of an option.
    threads : how many work at a time, one for each processor if not given; speeds are measured after all else, alone.
    quick, cancel, progress, which : as in `properties`, but progress counts methods, from the threads that
        measure them. Cancelled, the table has the methods that were finished.

    Quick, the whole catalogue takes a few seconds where its kernels are compiled; in full about a minute.
    """
    groups = chosen(which, quick)
    measured = [find_method(method, space="so3") for method in (all_methods() if methods is None else methods)]
    if with_variants:
        measured = [m for method in measured for m in (method, *variants(method))]
    done = itertools.count(1)
    stop = cancel or threading.Event()
    at_once = tuple(group for group in groups if group != "speed")

    def one(method: Method) -> Properties | None:
        if stop.is_set():
            return None
        found = properties(method, cancel=stop, which=at_once)
        if progress is not None:
            progress(next(done), len(measured))
        return None if stop.is_set() else found

    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    try:
        # Who is told of what the caller compiles is told of what is compiled here, too.
        tasks = [pool.submit(contextvars.copy_context().run, one, method) for method in measured]
        rows = [found for found in (task.result() for task in tasks) if found is not None]
    except BaseException:  # an interrupt: what is under way is to end soon
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True)
    if "speed" in groups:
        stepping = [i for i, row in enumerate(rows) if not row.note]
        for i, found in zip(stepping, measure.speeds([rows[i].method for i in stepping], stop), strict=True):
            rows[i] = replace(rows[i], speed=found)
    return PropertyTable(tuple(rows))


@dataclass(frozen=True, eq=False)
class PropertyTable:
    """The measured properties of methods, a row for each."""

    rows: tuple[Properties, ...]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """All contradictions, in the order of the rows."""
        return tuple(sentence for row in self.rows for sentence in row.contradictions)

    @property
    def headings(self) -> list[str]:
        """The properties that some method was measured for."""
        return list(dict.fromkeys(heading for row in self.rows for heading in cells(row)))

    def to_frame(self) -> pd.DataFrame:
        """A row for each method, and for each property two columns, what is declared and what was measured."""
        import pandas as pd

        told = {
            row.method.label: {
                (heading, name): getattr(cell, name)
                for heading, cell in cells(row).items()
                for name in ("declared", "measured")
            }
            for row in self.rows
        }
        both = pd.MultiIndex.from_product([self.headings, ["declared", "measured"]])
        frame = pd.DataFrame.from_dict(told, orient="index").reindex(columns=both).fillna("")
        return frame.loc[:, (frame != "").any()].rename_axis("method")

    def data(self) -> list[dict[str, Any]]:
        """Everything, as JSON takes it: for each method its findings and contradictions."""
        return [
            {
                "method": row.method.label,
                "findings": [asdict(finding) for finding in row.findings],
                "contradictions": list(row.contradictions),
            }
            for row in self.rows
        ]

    def to_json(self) -> str:
        """`data` as strict JSON; a number that is not finite becomes null."""
        return json.dumps(strict(self.data()), ensure_ascii=False, allow_nan=False, indent=2)

    def to_markdown(self) -> str:
        """A table in Markdown, and the contradictions below it."""
        shown = self._columns()
        lines = [
            "| " + " | ".join(["method", *(f"{heading}, {name}" for heading, name in shown)]) + " |",
            "|" + " --- |" * (len(shown) + 1),
        ]
        for row in self.rows:
            told = cells(row)
            texts = [_marked(told[h], name) if h in told else "" for h, name in shown]
            lines.append("| " + " | ".join(_in_markdown(text) for text in (row.method.label, *texts)) + " |")
        lines += ["", *(f"- {_in_markdown(sentence)}" for sentence in self.contradictions)]
        return "\n".join(lines if self.contradictions else lines[:-1]) + "\n"

    def to_html(self) -> str:
        """A table in HTML that needs nothing else, and the contradictions below it."""
        shown = self._columns()
        groups = [
            f'<th scope="colgroup" colspan="{len(list(both))}">{escape(heading)}</th>'
            for heading, both in itertools.groupby(shown, key=lambda column: column[0])
        ]
        names = "".join(f'<th scope="col">{name}</th>' for _, name in shown)
        lines = [
            '<div class="polhode-properties">',
            f"<style>{STYLE}</style>",
            "<table><caption>Properties of the methods, declared and measured; "
            f"{MARK} marks a contradiction.</caption>",
            f'<thead><tr><th scope="col" rowspan="2">method</th>{"".join(groups)}</tr>',
            f"<tr>{names}</tr></thead>",
            "<tbody>",
        ]
        for row in self.rows:
            told = cells(row)
            entries = []
            for heading, name in shown:
                cell = told.get(heading, Comparison("", ""))
                wrong = ' class="contradicted"' if cell.contradicted and name == "measured" else ""
                entries.append(f"<td{wrong}>{escape(_marked(cell, name))}</td>")
            lines.append(f'<tr><th scope="row">{escape(row.method.label)}</th>{"".join(entries)}</tr>')
        lines.append("</tbody></table>")
        if self.contradictions:
            lines.append(f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in self.contradictions)}</ul>")
        return "\n".join([*lines, "</div>"]) + "\n"

    def _columns(self) -> list[tuple[str, str]]:
        """The columns that say something."""
        told = [cells(row) for row in self.rows]
        return [
            (heading, name)
            for heading in self.headings
            for name in ("declared", "measured")
            if any(getattr(row[heading], name) for row in told if heading in row)
        ]


STYLE = (
    ".polhode-properties{overflow-x:auto}.polhode-properties table{border-collapse:collapse}"
    ".polhode-properties th,.polhode-properties td{border:1px solid #8888;padding:.2em .5em;text-align:left}"
    ".polhode-properties .contradicted{background:#b001;font-weight:bold}"
)


def cells(found: Properties) -> dict[str, Comparison]:
    """The findings of one method, drawn together: a cell for each column of the table."""
    if found.note:
        return {"order, free": Comparison(found.method.order_in_words, found.note)}
    told: dict[str, Comparison] = {}
    for record in found.order:
        lines = [f for part in ("attitude", "momentum") for f in found.of(f"order of the {part}")]
        lines = [finding for finding in lines if finding.on == record.problem]
        measured = record.note or " / ".join("?" if f.value is None else f"{f.value:.2f}" for f in lines)
        told[f"order, {record.problem}"] = _cell(lines, "/".join(f.declared for f in lines), measured)
    for kept in found.conservation:
        lines = [f for f in found.findings if f.property.startswith("conservation") and f.on == kept.motion]
        declared = _symbols(f for f in lines if f.declared == "kept")
        measured = kept.note or _symbols(f for f in lines if not f.measured.startswith("not kept"))
        told[f"kept, {kept.motion}"] = _cell(lines, declared, measured)
    for heading in (
        "reversibility", "symplecticity", "volume", "energy drift", "largest step", "torque evaluations a step",
        "Newton iterations a step", "ns per step",
    ):  # fmt: skip
        for finding in found.of(heading):
            on = f", {finding.on}" if heading in SEVERAL else ""
            told[f"{heading}{on}"] = _cell([finding], finding.declared, finding.measured)
    return told


SEVERAL = ("reversibility", "energy drift", "torque evaluations a step", "Newton iterations a step", "ns per step")
"""What is measured on several problems."""


def _cell(findings: list[Finding], declared: str, measured: str) -> Comparison:
    return Comparison(declared, measured, any(finding.contradiction for finding in findings))


def _symbols(findings: Iterable[Finding]) -> str:
    """The symbols of the quantities, a question mark after one that is undecided."""
    names = [(f.property.removeprefix("conservation of "), f.measured.startswith("undecided")) for f in findings]
    return ", ".join(f"{SYMBOLS[name]}{'?' if unsure else ''}" for name, unsure in names) or "nothing"


def _marked(cell: Comparison, name: str) -> str:
    """What stands in a cell: what was measured has a mark if it is not what is declared."""
    text: str = getattr(cell, name)
    return f"{MARK} {text}" if cell.contradicted and name == "measured" else text


def _in_markdown(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
