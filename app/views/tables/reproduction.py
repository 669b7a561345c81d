"""The open figure of a paper: its downloads and table, and the paper's claims with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from engine.papers import Cell, Drawn, Figure, LabSetting, Measured
from engine.text.formatting import capitalise, format_measured, format_seconds, format_signs, format_step

from ...state import SUBJECTS, link
from ...state.topics.paper_gallery import Item, find_choice
from ..plots.time_plots import PICTURES
from .gallery_cards import verdict_html

MANY = 8
"""Largest number of figures of a claim that are all visible at first."""


# ------------------------------------------------------------------------------------------------- in words


def format_figure(value: float | str) -> str:
    """Return a figure with six digits, or a whole number with all."""
    if isinstance(value, str):
        return escape(value)
    whole = math.isfinite(value) and value == round(value) and abs(value) < 1e9
    return f"{value:,.0f}".replace("-", "−") if whole else format_measured(value, 6)


def holds_html(so: bool | None) -> str:
    """Return whether a requirement holds; an empty text for what is not required."""
    return "" if so is None else "✓ holds" if so else "<span class=off>✗ does not hold</span>"


def describe_computation(drawn: Drawn) -> str:
    """Return what was computed, or how much of it before it was stopped."""
    parts = [(len(drawn.curves), "curve"), (len(drawn.cells), "cell")]
    what = " and ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n)
    if not drawn.finished:
        return f"Stopped after {format_seconds(drawn.seconds)} with {what or 'no curves'}, of {drawn.figure.count}."
    return f"Computed in {format_seconds(drawn.seconds)}: {what}."


# ------------------------------------------------------------------------------------------------- the figure


def downloads_html(drawn: Drawn) -> str:
    """Return the downloads of a figure, and its table."""
    table = "<button data-ask=table id=take-table>Table (CSV)</button>" if drawn.cells else ""
    kinds = PICTURES if drawn.curves else ()
    pictures = "".join(f"<button data-ask={kind} id=take-{kind}>{kind.upper()}</button>" for kind in kinds)
    return f"""<div class=part><div class=act role=group aria-label="Downloads of the figure">
<button data-ask=again id=again>Compute again</button><button data-ask=data id=take-data>Data (CSV)</button>{table}
{pictures}
<button data-copy=snippet id=take-python>Copy Python</button></div></div>{table_html(drawn.cells)}"""


def table_html(shown: tuple[Cell, ...]) -> str:
    """Return the paper's table: each cell has the measured value, and below it the printed one."""
    if not shown:
        return ""
    columns, rows = (list(dict.fromkeys(getattr(cell, name) for cell in shown)) for name in ("column", "row"))
    at = {(cell.row, cell.column): cell for cell in shown}
    why = list(dict.fromkeys(f"{cell.row}, {cell.column}: {cell.why}" for cell in shown if cell.why and not cell.holds))
    head = "".join(f"<th scope=col>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th scope=row>{escape(row)}</th>{''.join(_cell_html(at.get((row, column))) for column in columns)}</tr>"
        for row in rows
    )
    holding = sum(cell.holds for cell in shown)
    notes = f"<h3>Why some do not hold</h3><ol>{''.join(f'<li>{escape(x)}</li>' for x in why)}</ol>" if why else ""
    return f"""<div class=part><h2>The table</h2>
<p class=quiet>Each cell has the measured value, and below it the printed one; {holding} of {len(shown)} agree, ✗
marks the others.</p><div class=wide id=cells tabindex=0 role=region aria-label="The table"><table><thead><tr><th
scope=col> <span class=unseen>method</span></th>{head}</tr></thead><tbody>{body}</tbody></table></div>{notes}</div>"""


def _cell_html(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    value = format_figure(cell.measured)
    value = value if cell.holds else f"<span class=off>✗ {value}</span>"
    return f"<td>{value}<small>{escape(cell.paper)}</small></td>"


# ------------------------------------------------------------------------------------------------- beside it


def claims_html(item: Item, now: dict[str, Measured], failed: Mapping[str, str]) -> str:
    """Return what is plotted, and each claim with its recorded verdict and with a new one, if it was measured
    again."""
    about = _about_html(item.figure) if item.figure else ""
    return about + "".join(_claim_html(m, now.get(m.claim.key), failed.get(m.claim.key, "")) for m in item.recorded)


def _about_html(figure: Figure) -> str:
    return f"""<div class=part><h2>What is plotted</h2><p>{escape(figure.plotted)}</p>
<h3>How it is computed here</h3><p>{escape(figure.how)}</p><h3>What it shows</h3><p>{escape(figure.see)}</p>
{lab_link_html(figure.setting)}{_settings_html(figure)}</div>"""


def _settings_html(figure: Figure) -> str:
    """Return links to the settings of a figure, with what each shows."""
    presets = [preset for subject in SUBJECTS.values() for preset in subject.presets if preset.figure == figure.key]
    items = "".join(
        f"<li><a href='{escape(link(preset.choice, view=preset.view), True)}'>{escape(preset.title)}</a>: "
        f"{escape(preset.sentence)}"
        for preset in presets
    )
    return f"<h3>Settings to try</h3><ul>{items}</ul>" * bool(items)


def lab_link_html(setting: LabSetting) -> str:
    """Return a link to the lab with a setting."""
    choice = find_choice(setting)
    query, where = urlencode(choice.query(), safe=",()*"), SUBJECTS[choice.space].place
    return f"""<div class=act><a class=lab href="?{escape(query)}" id=open-in-lab>Open {where}</a>
<span class=quiet>{escape(setting.problem)}, {escape(", ".join(setting.methods))},
Δt = {format_step(setting.dt)}</span></div>"""


def _claim_html(recorded: Measured, now: Measured | None, failed: str) -> str:
    claim = recorded.claim
    again = ""
    if failed:
        again = f"<p class=error>This could not be measured: {escape(failed)}</p>"
    elif now is not None and not now.finished:
        again = f"<p>Measuring was stopped after {format_seconds(now.seconds)}.</p>"
    elif now is not None:
        same = "as recorded" if now.verdict == recorded.verdict else "not as recorded"
        again = f"""<div class=row><span class=quiet>measured now, in {format_seconds(now.seconds)}</span>
{verdict_html(now)}<span class=quiet>{same}</span></div>"""
    return f"""<section class=part aria-label="{escape(claim.key)}"><h2>The source says</h2>
<blockquote>{escape(claim.says)}</blockquote>
<div class=row><span class=quiet>recorded</span>{verdict_html(recorded)}</div>{again}
<p>{escape(claim.reason)}</p>{figures_html(recorded, now if now and now.finished else None)}
<p class=quiet><small>{escape(capitalise(claim.where))}. How it is measured: {escape(claim.how)}</small></p>
<button data-ask=measure value="{escape(claim.key)}" id="measure-{escape(claim.key)}"
title="{escape(claim.key)}">Measure the claim again</button></section>"""


def figures_html(recorded: Measured, now: Measured | None) -> str:
    """Return the figures of a claim: if there are many, those that do not hold first."""
    rows = recorded.rows()
    if len(rows) <= MANY:
        return _rows_html(recorded, now, rows)
    off = [row for row in rows if row[2] is False]
    first = _rows_html(recorded, now, off) if off else ""
    return f"""{first}<details id="all-{escape(recorded.claim.key)}"><summary>All {len(rows)} figures</summary>
{_rows_html(recorded, now, rows)}</details>"""


def _rows_html(recorded: Measured, now: Measured | None, rows: list[tuple[str, float | str, bool | None]]) -> str:
    claim = recorded.claim
    late = {} if now is None else {name: (value, so) for name, value, so in now.rows()}
    lines = []
    for name, value, so in rows:
        wanted = str(claim.paper[name]) if name in claim.paper else ""
        value_now, so_now = late.get(name, (None, so))
        fresh = "" if now is None else f"<td>{'–' if value_now is None else format_figure(value_now)}</td>"
        why = f"<small>{escape(claim.why[name])}</small>" if name in claim.why else ""
        lines.append(
            f"<tr><th scope=row>{escape(format_signs(name))}{why}</th><td>{escape(wanted)}</td>"
            f"<td>{format_figure(value)}</td>{fresh}"
            f"<td class=so>{holds_html(so_now)}</td></tr>"
        )
    fresh = "" if now is None else "<th scope=col>now</th>"
    label = escape(f"Figures of {claim.key}")
    return f"""<div class=wide tabindex=0 role=region aria-label="{label}"><table><thead><tr>
<th scope=col>figure</th><th scope=col>the paper</th><th scope=col>recorded</th>{fresh}<th scope=col class=so>
<span class=unseen>whether it holds</span></th></tr></thead><tbody>{"".join(lines)}</tbody></table></div>"""
