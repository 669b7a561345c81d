"""What stands beside and below a paper's figure that is open: its table, and what the paper says of it."""

from __future__ import annotations

import math
from html import escape
from urllib.parse import urlencode

from engine.papers import Cell, Drawn, Figure, LabSetting, Measured
from engine.wording import capital, elapsed, in_digits

from ..model.gallery import Item, choice_of
from ..model.subject import SUBJECTS
from .gallery import verdict
from .plots import PICTURES

MANY = 8
"""Figures of a claim from which on only those that matter most are seen at first."""


# ------------------------------------------------------------------------------------------------- in words


def told(value: float | str) -> str:
    """A figure, with six digits; what is counted as it is counted."""
    if isinstance(value, str):
        return escape(value)
    whole = math.isfinite(value) and value == round(value) and abs(value) < 1e9
    return f"{value:,.0f}".replace("-", "−") if whole else in_digits(value, 6)


def holds(so: bool | None) -> str:
    """Whether a requirement holds; nothing is said of what is not required."""
    return "" if so is None else "✓ holds" if so else "<span class=off>✗ does not hold</span>"


def computed(drawn: Drawn) -> str:
    """What was computed just now, or as much of it as there was when it was stopped."""
    parts = [(len(drawn.curves), "curve"), (len(drawn.cells), "cell")]
    what = " and ".join(f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n)
    if not drawn.finished:
        return (
            f"Stopped after {elapsed(drawn.seconds)}: there are {what or 'no curves yet'}, of {drawn.figure.count}."
        )
    return f"Computed just now in {elapsed(drawn.seconds)}: {what}."


# ------------------------------------------------------------------------------------------------- the figure


def below(drawn: Drawn) -> str:
    """What can be taken from a figure, and its table."""
    table = "<button data-ask=table id=take-table>Table (CSV)</button>" if drawn.cells else ""
    kinds = PICTURES if drawn.curves else ()
    pictures = "".join(f"<button data-ask={kind} id=take-{kind}>{kind.upper()}</button>" for kind in kinds)
    return f"""<div class=part><div class=act role=group aria-label="Take the figure along">
<button data-ask=again id=again>Compute again</button><button data-ask=data id=take-data>Data (CSV)</button>{table}
{pictures}
<button data-copy=snippet id=take-python>Copy Python</button></div></div>{cells(drawn.cells)}"""


def cells(shown: tuple[Cell, ...]) -> str:
    """A table as the paper has it: in each cell what was measured, and below it what the paper prints."""
    if not shown:
        return ""
    columns, rows = (list(dict.fromkeys(getattr(cell, name) for cell in shown)) for name in ("column", "row"))
    at = {(cell.row, cell.column): cell for cell in shown}
    why = list(
        dict.fromkeys(f"{cell.row}, {cell.column}: {cell.why}" for cell in shown if cell.why and not cell.holds)
    )
    head = "".join(f"<th scope=col>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th scope=row>{escape(row)}</th>{''.join(_cell(at.get((row, column))) for column in columns)}</tr>"
        for row in rows
    )
    holding = sum(cell.holds for cell in shown)
    notes = f"<h3>Why some do not hold</h3><ol>{''.join(f'<li>{escape(x)}</li>' for x in why)}</ol>" if why else ""
    return f"""<div class=part><h2>The table</h2>
<p class=quiet>Measured just now, and below it what the paper prints; {holding} of {len(shown)} agree, ✗ marks the
others.</p><div class=wide id=cells tabindex=0 role=region aria-label="The table"><table><thead><tr><th scope=col>
<span class=unseen>method</span></th>{head}</tr></thead><tbody>{body}</tbody></table></div>{notes}</div>"""


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    value = told(cell.measured)
    value = value if cell.holds else f"<span class=off>✗ {value}</span>"
    return f"<td>{value}<small>{escape(cell.paper)}</small></td>"


# ------------------------------------------------------------------------------------------------- beside it


def beside(item: Item, now: dict[str, Measured], failed: dict[str, str]) -> str:
    """What is plotted, and each claim with what was recorded and, if it was measured again, with what came out."""
    about = _about(item.figure) if item.figure else ""
    return about + "".join(_claim(m, now.get(m.claim.key), failed.get(m.claim.key, "")) for m in item.recorded)


def _about(figure: Figure) -> str:
    return f"""<div class=part><h2>What is plotted</h2><p>{escape(figure.plotted)}</p>
<h3>How it is computed here</h3><p>{escape(figure.how)}</p><h3>What there is to see</h3><p>{escape(figure.see)}</p>
{_way_to_the_lab(figure.setting)}</div>"""


def _way_to_the_lab(setting: LabSetting) -> str:
    choice = choice_of(setting)
    query, where = urlencode(choice.query(), safe=",()*"), SUBJECTS[choice.space].where
    return f"""<div class=act><a class=lab href="?{escape(query)}" id=open-in-lab>Open {where}</a>
<span class=quiet>{escape(setting.problem)}, {escape(", ".join(setting.methods))},
Δt = {setting.dt:.6g}</span></div>"""


def _claim(recorded: Measured, now: Measured | None, failed: str) -> str:
    claim = recorded.claim
    again = ""
    if failed:
        again = f"<p class=error>This could not be measured: {escape(failed)}</p>"
    elif now is not None and not now.finished:
        again = f"<p>Measuring was stopped after {elapsed(now.seconds)}.</p>"
    elif now is not None:
        same = "as recorded" if now.verdict == recorded.verdict else "not as recorded"
        again = f"""<div class=row><span class=quiet>measured just now, in {elapsed(now.seconds)}</span>
{verdict(now)}<span class=quiet>{same}</span></div>"""
    return f"""<section class=part aria-label="{escape(claim.key)}"><h2>The source says</h2>
<blockquote>{escape(claim.says)}</blockquote>
<div class=row><span class=quiet>recorded</span>{verdict(recorded)}</div>{again}
<p>{escape(claim.reason)}</p>{figures(recorded, now if now and now.finished else None)}
<p class=quiet><small>{escape(capital(claim.where))}. How it is measured: {escape(claim.how)}</small></p>
<button data-ask=measure value="{escape(claim.key)}" id="measure-{escape(claim.key)}"
title="{escape(claim.key)}">Measure the claim again</button></section>"""


def figures(recorded: Measured, now: Measured | None) -> str:
    """The figures of a claim: those that are not as the paper has them first, if there are many."""
    rows = recorded.rows()
    if len(rows) <= MANY:
        return _table(recorded, now, rows)
    off = [row for row in rows if row[2] is False]
    first = _table(recorded, now, off) if off else ""
    return f"""{first}<details id="all-{escape(recorded.claim.key)}"><summary>All {len(rows)} figures</summary>
{_table(recorded, now, rows)}</details>"""


def _table(recorded: Measured, now: Measured | None, rows: list[tuple[str, float | str, bool | None]]) -> str:
    claim = recorded.claim
    late = {} if now is None else {name: (value, so) for name, value, so in now.rows()}
    lines = []
    for name, value, so in rows:
        wanted = str(claim.paper[name]) if name in claim.paper else ""
        value_now, so_now = late.get(name, (None, so))
        fresh = "" if now is None else f"<td>{'–' if value_now is None else told(value_now)}</td>"
        why = f"<small>{escape(claim.why[name])}</small>" if name in claim.why else ""
        lines.append(
            f"<tr><th scope=row>{escape(name)}{why}</th><td>{escape(wanted)}</td><td>{told(value)}</td>{fresh}"
            f"<td class=so>{holds(so_now)}</td></tr>"
        )
    fresh = "" if now is None else "<th scope=col>now</th>"
    label = escape(f"Figures of {claim.key}")
    return f"""<div class=wide tabindex=0 role=region aria-label="{label}"><table><thead><tr>
<th scope=col>figure</th><th scope=col>the paper</th><th scope=col>recorded</th>{fresh}<th scope=col class=so>
<span class=unseen>whether it holds</span></th></tr></thead><tbody>{"".join(lines)}</tbody></table></div>"""
