"""The property table: all methods with declared and measured properties, and contradictions
marked.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any, NamedTuple

from ..algorithms.core.method import Method, all_methods, find_method
from ..export.files import to_strict_json
from ..kernels import Cancelled
from .core import Executor, Frame, measurements
from .properties import Finding, Properties, choose_groups, properties

SYMBOLS = {
    "energy": "E", "pi": "π", "pi_norm": "|π|", "casimir": "|Π|", "pi_e3": "π·e3", "pi_chi": "π·χ",
    "gamma_norm": "|Γ|", "orthogonality": "RᵀR",
}  # fmt: skip
MARK = "✗"


class Comparison(NamedTuple):
    """One property in the table."""

    declared: str
    measured: str
    contradicted: bool = False


def variants(method: Method) -> list[Method]:
    """Return the method with each choice of its options that is not the default, one option at a
    time.
    """
    return [
        method.with_options(**{option.name: choice})
        for option in method.options
        for choice in option.choices
        if choice != option.format(option.default)
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
    methods : keys, aliases or methods; by default all that are registered.
    with_variants : whether to follow each with its variants, one for every choice of an option.
    threads : how many threads, by default one for each processor; speeds are measured last, on one
        thread.
    quick, cancel, progress, which : as in `properties`, but progress counts methods. A cancelled
        table has the methods finished until then.

    With compiled kernels a quick table of the whole catalogue takes a few seconds, a full one about
    a minute."""
    groups = choose_groups(which, quick)
    measured = [
        find_method(method, space="so3")
        for method in (all_methods() if methods is None else methods)
    ]
    if with_variants:
        measured = [m for method in measured for m in (method, *variants(method))]
    stop = cancel or threading.Event()
    at_once = tuple(group for group in groups if group != "speed")

    def measure(method: Method) -> dict[str, Any]:
        found = properties(method, cancel=stop, which=at_once)
        if stop.is_set():
            raise Cancelled
        return {"row": found}

    def report(done: int, total: int, _: object) -> None:
        if progress is not None:
            progress(done, total)

    rows = [
        found["row"] for found in Executor(report, stop, threads).carry_out(measured, measure)[0]
    ]
    if "speed" in groups:
        stepping = [i for i, row in enumerate(rows) if not row.note]
        for i, found in zip(
            stepping, measurements.speeds([rows[i].method for i in stepping], stop), strict=True
        ):
            rows[i] = replace(rows[i], speed=found)
    return PropertyTable(tuple(rows))


@dataclass(frozen=True, eq=False)
class PropertyTable:
    """The properties of methods, a row for each."""

    rows: tuple[Properties, ...]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """All contradictions, in the order of the rows."""
        return tuple(sentence for row in self.rows for sentence in row.contradictions)

    def to_frame(self) -> Frame:
        """Return a row for each method, and for each property a declared and a measured column."""
        return self._build_frame("")

    def _build_frame(self, mark: str) -> Frame:
        """Return the table, with a mark before measurements that contradict the declaration."""
        import pandas as pd

        texts: dict[str, dict[tuple[str, str], str]] = {}
        for row in self.rows:
            of_row = texts[row.method.label] = {}
            for heading, cell in cells(row).items():
                of_row[heading, "declared"] = cell.declared
                of_row[heading, "measured"] = f"{mark if cell.contradicted else ''}{cell.measured}"
        headings = dict.fromkeys(heading for of_row in texts.values() for heading, _ in of_row)
        both = pd.MultiIndex.from_product([headings, ["declared", "measured"]])
        frame = pd.DataFrame.from_dict(texts, orient="index").reindex(columns=both).fillna("")
        return frame.loc[:, (frame != "").any()].rename_axis("method")

    def data(self) -> list[dict[str, Any]]:
        """Return the findings and contradictions of each method as JSON takes them."""
        return [
            {
                "method": row.method.label,
                "findings": [asdict(finding) for finding in row.findings],
                "contradictions": list(row.contradictions),
            }
            for row in self.rows
        ]

    def to_json(self) -> str:
        """Return `data` as strict JSON; a number that is not finite becomes null."""
        return json.dumps(
            to_strict_json(self.data()), ensure_ascii=False, allow_nan=False, indent=2
        )

    def to_markdown(self) -> str:
        """Return a table in Markdown, with the contradictions below it."""
        frame = self._build_frame(f"{MARK} ")
        rows = [
            ["method", *map(", ".join, frame.columns)],
            ["---"] * (len(frame.columns) + 1),
            *frame.itertuples(),
        ]
        lines = ["| " + " | ".join(map(_in_markdown, row)) + " |" for row in rows]
        below = ["", *(f"- {_in_markdown(sentence)}" for sentence in self.contradictions)]
        return "\n".join(lines + below if self.contradictions else lines) + "\n"

    def to_html(self) -> str:
        """Return a self-contained table in HTML, with the contradictions below it."""
        frame = self._build_frame(f"{MARK} ")
        groups = (
            f'<th scope="colgroup" colspan="{len(list(both))}">{escape(heading)}</th>'
            for heading, both in itertools.groupby(heading for heading, _ in frame.columns)
        )
        names = "".join(f'<th scope="col">{name}</th>' for _, name in frame.columns)
        lines = [
            '<div class="polhode-properties">',
            f"<style>{STYLE}</style>",
            "<table><caption>Properties of the methods, declared and measured; "
            f"{MARK} marks a contradiction.</caption>",
            f'<thead><tr><th scope="col" rowspan="2">method</th>{"".join(groups)}</tr>',
            f"<tr>{names}</tr></thead>",
            "<tbody>",
        ]
        for label, *texts in frame.itertuples():
            kinds = (' class="contradicted"' if text.startswith(MARK) else "" for text in texts)
            entries = "".join(
                f"<td{kind}>{escape(text)}</td>" for kind, text in zip(kinds, texts, strict=True)
            )
            lines.append(f'<tr><th scope="row">{escape(label)}</th>{entries}</tr>')
        lines.append("</tbody></table>")
        if self.contradictions:
            lines.append(
                f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in self.contradictions)}</ul>"
            )
        return "\n".join([*lines, "</div>"]) + "\n"


STYLE = (
    ".polhode-properties{overflow-x:auto}.polhode-properties table{border-collapse:collapse}"
    ".polhode-properties th,.polhode-properties td{border:1px solid #8888;padding:.2em .5em;text-align:left}"
    ".polhode-properties .contradicted{background:#b001;font-weight:bold}"
)


def cells(found: Properties) -> dict[str, Comparison]:
    """Return the cells of one method by the columns of the table."""
    if found.note:
        return {"order, free": Comparison(found.method.order_in_words, found.note)}
    texts: dict[str, Comparison] = {}
    for record in found.order:
        lines = [f for part in ("attitude", "momentum") for f in found.of(f"order of the {part}")]
        lines = [finding for finding in lines if finding.on == record.problem]
        measured = record.note or " / ".join(
            "?" if f.value is None else f"{f.value:.2f}" for f in lines
        )
        texts[f"order, {record.problem}"] = _cell(
            lines, "/".join(f.declared for f in lines), measured
        )
    for kept in found.conservation:
        lines = [
            f
            for f in found.findings
            if f.property.startswith("conservation") and f.on == kept.motion
        ]
        declared = _symbols(f for f in lines if f.declared == "kept")
        measured = kept.note or _symbols(f for f in lines if not f.measured.startswith("not kept"))
        texts[f"kept, {kept.motion}"] = _cell(lines, declared, measured)
    for heading in (
        "reversibility", "symplecticity", "volume", "energy drift", "largest step", "torque evaluations a step",
        "Newton iterations a step", "ns per step",
    ):  # fmt: skip
        for finding in found.of(heading):
            on = f", {finding.on}" if heading in SEVERAL else ""
            texts[f"{heading}{on}"] = _cell([finding], finding.declared, finding.measured)
    return texts


SEVERAL = (
    "reversibility",
    "energy drift",
    "torque evaluations a step",
    "Newton iterations a step",
    "ns per step",
)
"""Properties that are measured on several problems."""


def _cell(findings: list[Finding], declared: str, measured: str) -> Comparison:
    return Comparison(declared, measured, any(finding.contradiction for finding in findings))


def _symbols(findings: Iterable[Finding]) -> str:
    """Return the symbols of the quantities, with a question mark after one that is undecided."""
    names = [
        (f.property.removeprefix("conservation of "), f.measured.startswith("undecided"))
        for f in findings
    ]
    return (
        ", ".join(f"{SYMBOLS[name]}{'?' if unsure else ''}" for name, unsure in names) or "nothing"
    )


def _in_markdown(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
