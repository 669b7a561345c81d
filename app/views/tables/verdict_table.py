"""What an engine's rule does to a body: the numbers, the rule that cures it, and both rules to paste."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from engine.algorithms import find_sources

from ...asset_files import read_html
from ...state.results import EXACT_COLOUR, RunLine
from ...state.topics import engine_verdict
from ...state.topics.engine_question import EXAMPLES, EngineQuestion, query_of_six
from ...state.topics.engine_verdict import Outcome
from .headline import link_lesson
from .method_card import details_html, highlight_code


def verdict_html(outcome: Outcome) -> str:
    """Return the verdict, and the numbers of both runs and of the exact motion."""
    head = "".join(
        f"<th scope='col'>{escape(name).replace(chr(10), '<br>')}</th>" for name in engine_verdict.COLUMNS.values()
    )
    rows = [_row_html(outcome.rule, outcome.question.title, engine_verdict.table_row(outcome.rule, outcome.rule_end))]
    if outcome.cure is not None and outcome.cure_end is not None:
        rows.append(
            _row_html(
                outcome.cure, outcome.cure.run.method.name, engine_verdict.table_row(outcome.cure, outcome.cure_end)
            )
        )
    exact = "".join(f"<td>{engine_verdict.EXACT.get(key, '')}</td>" for key in engine_verdict.COLUMNS)
    rows.append(f"<tr><th scope='row'><i class='dot' style='background:{EXACT_COLOUR}'></i>exact</th>{exact}</tr>")
    return (
        f"<h2 id='verdict'>{escape(engine_verdict.write_verdict(outcome))}</h2>"
        "<div class='ledger sideways' id='became' role='region' aria-label='What became of the body' tabindex='0'>"
        f"<table><thead><tr><th scope='col'>Rule</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row_html(line: RunLine, words: str, cells: dict[str, str]) -> str:
    name = (
        f"<th scope='row'><i class='dot' style='background:{line.colour}'></i>{escape(line.label)}"
        f"<small>{escape(words)}</small></th>"
    )
    return f"<tr>{name}{''.join(f'<td>{escape(cells[key])}</td>' for key in engine_verdict.COLUMNS)}</tr>"


def cure_html(outcome: Outcome, lab: str) -> str:
    """Return the rule that cures, why it does, and links."""
    rule, found = outcome.rule.run.method, outcome.cure
    if found is None:
        title = "Nothing to cure here"
    else:
        name = f"{found.run.method.key}, {found.run.method.name}"
        sound = engine_verdict.is_sound(outcome.rule, outcome.rule_end)
        title = f"{'Nearer still, at the same cost' if sound else 'What cures it, at the same cost'}: {name}"
    program = outcome.question.listed_program
    read = f" Read in {escape(engine_verdict.describe_source(program))}." if program else ""
    if program and program.default_settings:
        read += f" By default it sets {escape(program.default_settings)}."
    card = escape(f"?{urlencode({'page': 'methods', 'open': rule.key})}", quote=True)
    six = escape(f"?{urlencode(query_of_six(outcome.question), safe=',')}", quote=True)
    words = {"TITLE": escape(title), "WHY": escape(engine_verdict.explain_cure(outcome)), "RULE": escape(rule.key)}
    return read_html("cure", LAB=escape(lab, quote=True), SIX=six, CARD=card, READ=read, **words)


def programs_html(outcome: Outcome) -> tuple[str, dict[str, str]]:
    """Return both rules to paste, and the texts to copy."""
    texts: dict[str, str] = {}
    parts = []
    for key, line in (("rule", outcome.rule), ("cure", outcome.cure)):
        if line is not None:
            parts.append(_program_html(key, line, texts))
    return f"<div class='card listings'>{''.join(parts)}</div>", texts


def _program_html(key: str, line: RunLine, texts: dict[str, str]) -> str:
    title = f"<h2><i class='dot' style='background:{line.colour}'></i>{escape(line.label)}, to paste</h2>"
    found = engine_verdict.write_listings(line)
    if found is None:
        there = "".join(f"; its source is {escape(source.where)}" for source in find_sources(line.run.method)[:1])
        return f"<section>{title}<p>The page cannot write out its step{there}.</p></section>"
    program, signs = found
    texts |= {f"{key}-python": program, f"{key}-signs": signs}
    step = program[program.index("def step(") :].partition("\n\n\n")[0]
    whole = _code_html(f"{key}-program", f"Program of {line.label}", highlight_code(program))
    title_of_whole = "The whole program, with the functions of the step and this body"
    return (
        f"<section>{title}{_heading_html('As pseudo-code', f'{key}-signs', 'Copy pseudo-code')}"
        f"{_code_html(f'{key}-pseudo', f'Pseudo-code of {line.label}', escape(signs))}"
        f"{_heading_html('In Python, with NumPy', f'{key}-python', 'Copy Python')}"
        f"{_code_html(f'{key}-step', f'Step of {line.label} in Python', highlight_code(step))}"
        f"{details_html(f'{key}-whole', title_of_whole, whole)}</section>"
    )


def _heading_html(title: str, text: str, copies: str) -> str:
    return f"<div class='row'><h3>{title}</h3><button id='copy-{text}' data-copy='{text}'>{copies}</button></div>"


def _code_html(name: str, label: str, html: str) -> str:
    label = escape(label, quote=True)
    return f"<pre tabindex='0' id='{name}' role='region' aria-label='{label}'><code>{html}</code></pre>"


def program_html(question: EngineQuestion) -> str:
    """Return the chosen program and its rule."""
    rule = f"{question.rule.key}, {question.rule.name}"
    return f"<div class='about'><b>{escape(question.title)}</b>: {escape(rule)}.</div>"


def introduction_html(question: EngineQuestion) -> str:
    """Return the purpose of the page, and examples."""
    links = "".join(
        f"<button id='begin-{one.key}' data-ask='begin' value='{one.key}'"
        f"{' disabled' if one.question == question else ''}>{escape(one.title)}</button>"
        for one in EXAMPLES
    )
    return read_html("engines", EXAMPLES=links, LESSON=link_lesson("wing-nut"))
