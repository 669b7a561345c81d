"""Numbers of others beside the lab's, with the verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from engine.papers import AGREES, DIFFERS, WRONG, Compared, Comparison
from engine.text.formatting import show

from ...state.topics.paper_gallery import cite_paper
from .gallery_cards import badge_html, reference_html
from .reproduction import lab_link_html


def comparisons_html(found: Mapping[Comparison, Sequence[Compared]]) -> str:
    """Return the number of verdicts, and a part for each source's numbers of a motion."""
    verdicts = [c.verdict for compared in found.values() for c in compared]
    counts = "".join(f"<b>{verdicts.count(word)}</b>{badge_html(word)}" for word in (AGREES, DIFFERS, WRONG))
    parts = "".join(_part_html(one, compared) for one, compared in found.items())
    return f"<div class='part row' id=counts>{counts}</div>{parts}"


def _part_html(one: Comparison, compared: Sequence[Compared]) -> str:
    title = escape(one.title)
    return f"""<section class=part id="{one.key}" aria-label="{title}"><h2>{title}</h2>
{reference_html(cite_paper(one.reference))}<p>{escape(one.about)}</p>{lab_link_html(one.setting)}
<div class=blocks>{"".join(map(_block_html, compared))}</div>
<p class=quiet><small>From {escape(one.where)}. The lab: {escape(one.known)} Terms: {escape(one.terms)}</small></p>
</section>"""


def _block_html(c: Compared) -> str:
    numbers = c.numbers
    rows = "".join(
        f"<tr><th scope=row>{at}</th>{''.join(f'<td>{text}</td>' for text in texts)}</tr>"
        for at, *texts in c.format_rows()
    )
    label, unit = escape(f"{numbers.who}, {numbers.what}"), f" {escape(numbers.unit)}" * bool(numbers.unit)
    return f"""<article class=block><h3>{escape(numbers.who)} {badge_html(c.verdict)}</h3>
<p class=quiet>{escape(numbers.what)}{"," * bool(unit)}{unit}</p><p>{escape(c.sentence)}</p>
<div class=wide tabindex=0 role=region aria-label="{label}"><table><thead><tr><th scope=col>{numbers.symbol}</th>
<th scope=col>published</th><th scope=col>the lab</th><th scope=col>difference</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<p class=quiet><small>Tolerance {show(numbers.tolerance)}{unit}: {escape(numbers.because)}.</small></p></article>"""
