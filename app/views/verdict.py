"""What becomes of a body by an engine's rule: the table of it, the rule that cures, and both rules to be pasted."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from engine.facts import sources

from ..model import engines
from ..model.engines import Asked, Told
from ..model.results import EXACT_COLOUR, Ran
from .card import folded, highlighted


def table(told: Told) -> str:
    """The verdict, and below it the numbers of both runs and of the exact motion."""
    head = "".join(f"<th scope='col'>{escape(name).replace(chr(10), '<br>')}</th>" for _, name in engines.COLUMNS)
    rows = [_row(told.rule, told.asked.title, engines.row(told.rule, told.became))]
    if told.cure is not None and told.cured is not None:
        rows.append(_row(told.cure, told.cure.run.method.name, engines.row(told.cure, told.cured)))
    exact = "".join(f"<td>{engines.EXACT.get(key, '')}</td>" for key, _ in engines.COLUMNS)
    rows.append(f"<tr><th scope='row'><i class='dot' style='background:{EXACT_COLOUR}'></i>exact</th>{exact}</tr>")
    return (
        f"<h2 id='verdict'>{escape(engines.verdict(told))}</h2>"
        "<div class='ledger sideways' id='became' role='region' aria-label='What became of the body' tabindex='0'>"
        f"<table><thead><tr><th scope='col'>Rule</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(line: Ran, words: str, cells: dict[str, str]) -> str:
    name = (
        f"<th scope='row'><i class='dot' style='background:{line.colour}'></i>{escape(line.label)}"
        f"<small>{escape(words)}</small></th>"
    )
    return f"<tr>{name}{''.join(f'<td>{escape(cells[key])}</td>' for key, _ in engines.COLUMNS)}</tr>"


def cure(told: Told, lab: str) -> str:
    """The rule that cures, and why; and the ways on."""
    rule, found = told.rule.run.method, told.cure
    if found is None:
        title = "Nothing to cure here"
    else:
        name = f"{found.run.method.key}, {found.run.method.name}"
        sound = engines.is_sound(told.rule, told.became)
        title = f"{'Nearer still, at the same cost' if sound else 'What cures it, at the same cost'}: {name}"
    program = told.asked.about
    read = f" Read in {escape(program.where)}." if program else ""
    if program and program.sets:
        read += f" By default it sets {escape(program.sets)}."
    card = escape(f"?{urlencode({'page': 'methods', 'open': rule.key})}", quote=True)
    six = escape(f"?{urlencode(engines.six(told.asked), safe=',')}", quote=True)
    return (
        f"<div class='card'><h2>{escape(title)}</h2><p id='why'>{escape(engines.why(told))}</p>"
        f"<div class='ways'><a class='lab' href='{escape(lab, quote=True)}'>Open in the lab</a>"
        f"<a href='{six}'>Six engines with this body, without damping</a>"
        f"<a href='{card}'>All about {escape(rule.key)}</a></div>"
        f"<p class='quiet'>It is the rule that is run here, on a free body, without contacts and joints; "
        f"not the engine.{read}</p></div>"
    )


def listing(told: Told) -> tuple[str, dict[str, str]]:
    """Both rules as they can be pasted, and the texts that are copied."""
    texts: dict[str, str] = {}
    parts = []
    for key, line in (("rule", told.rule), ("cure", told.cure)):
        if line is not None:
            parts.append(_listed(key, line, texts))
    return f"<div class='card listings'>{''.join(parts)}</div>", texts


def _listed(key: str, line: Ran, texts: dict[str, str]) -> str:
    title = f"<h2><i class='dot' style='background:{line.colour}'></i>{escape(line.label)}, to paste</h2>"
    found = engines.listings(line)
    if found is None:
        there = "".join(f"; its source is {escape(source.where)}" for source in sources(line.run.method)[:1])
        return f"<section>{title}<p>Its step is not written out{there}.</p></section>"
    program, signs = found
    texts |= {f"{key}-python": program, f"{key}-signs": signs}
    step = program[program.index("def step(") :].partition("\n\n\n")[0]
    whole = _code(f"{key}-program", f"Program of {line.label}", highlighted(program))
    return (
        f"<section>{title}{_headed('As pseudo-code', f'{key}-signs', 'Copy pseudo-code')}"
        f"{_code(f'{key}-pseudo', f'Pseudo-code of {line.label}', escape(signs))}"
        f"{_headed('In Python, with NumPy', f'{key}-python', 'Copy Python')}"
        f"{_code(f'{key}-step', f'Step of {line.label} in Python', highlighted(step))}"
        f"{folded(f'{key}-whole', 'The whole program, with what the step calls and this body', whole)}</section>"
    )


def _headed(title: str, text: str, copies: str) -> str:
    return f"<div class='row'><h3>{title}</h3><button id='copy-{text}' data-copy='{text}'>{copies}</button></div>"


def _code(name: str, label: str, html: str) -> str:
    label = escape(label, quote=True)
    return f"<pre tabindex='0' id='{name}' role='region' aria-label='{label}'><code>{html}</code></pre>"


def picked(asked: Asked) -> str:
    """The program that is looked at, and the rule that it has."""
    return (
        f"<div class='about'><b>{escape(asked.title)}</b>: {escape(asked.rule.key)}, {escape(asked.rule.name)}.</div>"
    )


def begins(asked: Asked) -> str:
    """What the page is for, and what there is to begin with."""
    links = "".join(
        f"<button id='begin-{one.key}' data-ask='begin' value='{one.key}'"
        f"{' disabled' if one.asked == asked else ''}>{escape(one.title)}</button>"
        for one in engines.beginnings()
    )
    return (
        "<div class='begins'><p>Why does a body blow up, stop tumbling, or come to spin about another axis? Pick "
        "your engine and its flags, and see what its rule does with a free body, beside the exact motion.</p>"
        f"<div class='row'>{links}</div></div>"
    )
