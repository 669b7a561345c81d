"""The method card: what a method is, promises and was measured to do, its source, and why it does what it does."""

from __future__ import annotations

import functools
import inspect
import io
import keyword
import re
import token
import tokenize
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from math_core import LatexToMathML

import engine
from engine.algorithms.method import Method
from engine.facts import facts, kept, sources
from engine.studies.stored import stored_properties
from engine.wording import spelled

from ..model.results import Line, Results
from ..model.why import why
from .sheet import Sheet
from .terms import named

# ------------------------------------------------------------------------------------------------- equations


@functools.lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    return LatexToMathML()


@functools.lru_cache(maxsize=256)
def mathml(latex: str) -> str:
    """LaTeX as MathML, which browsers draw by themselves; rows stand one below the other, at their left."""
    rows = inspect.cleandoc(latex)
    if r"\\" in rows and r"\begin" not in rows:
        rows = r"\begin{aligned}" + re.sub(r"(^|\\\\)", r"\1 & ", rows) + r"\end{aligned}"
    return _converter().convert_with_local_state(rows, displaystyle=True)


# ------------------------------------------------------------------------------------------------- source


def highlighted(code: str) -> str:
    """Python as HTML, with words, comments, numbers and texts apart."""
    return "".join(f"<i class={kind}>{escape(text)}</i>" if kind else escape(text) for kind, text in pieces(code))


def pieces(code: str) -> Iterator[tuple[str, str]]:
    """The code in pieces, each with its kind: k, c, n, s, d for what is defined, or nothing."""
    lines = code.splitlines(keepends=True)
    row, column, defines = 1, 0, False
    for found in tokenize.generate_tokens(io.StringIO(code).readline):
        if found.type in (token.NEWLINE, token.NL, token.INDENT, token.DEDENT, token.ENDMARKER):
            continue
        yield "", between(lines, (row, column), found.start)
        yield kind_of(found, defines), found.string
        defines = found.string in ("def", "class")
        row, column = found.end
    yield "", between(lines, (row, column), (len(lines) + 1, 0))


def between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one place, by line and column, to another."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return "".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], last])


def kind_of(found: tokenize.TokenInfo, defined: bool) -> str:
    """The kind of a token."""
    if found.type == token.NAME:
        return "d" if defined else "k" if keyword.iskeyword(found.string) else ""
    return {token.COMMENT: "c", token.NUMBER: "n", token.STRING: "s"}.get(found.type, "")


# ------------------------------------------------------------------------------------------------- properties


def told(method: Method) -> list[tuple[str, str]]:
    """What is declared of a method, what it keeps, and its options, in words."""
    # Two bodies by themselves keep all of these in every motion.
    keeps = [f"{what} {when if method.space == 'so3' else ''}".strip() for what, when in told_apart(method)]
    values = method.option_values()
    options = [
        (o.title, f"option {o.name}={o.written(values[o.name], None)} ({o.range}): {o.doc}") for o in method.options
    ]
    return [*facts(method), ("Keeps to roundoff", "; ".join(keeps) or "nothing"), *options]


def told_apart(method: Method) -> list[tuple[str, str]]:
    """What is kept, without what follows from π as a vector and from R as a rotation."""
    follows = {"pi_norm", "gamma_norm"} | ({"casimir"} if "pi" in method.conserves else set())
    return [(quantity, when) for name, quantity, when in kept(method) if name not in follows]


# ------------------------------------------------------------------------------------------------- HTML


@functools.lru_cache(maxsize=256)
def as_html(label: str, space: str = "so3") -> str:
    """All about a method, but for the chips to choose it by."""
    method = engine.algorithm(label, space=space)
    sentences = why(engine.algorithm(method.key, space=space))
    because = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences or ())
    declared = "".join(f"<dt>{named(name)}</dt><dd>{escape(words)}</dd>" for name, words in told(method))
    code = next(iter(sources(method)), None)
    aliases = (
        f" <span class='quiet'>also called {escape(', '.join(method.other_names))}</span>" if method.aliases else ""
    )
    parts = [
        f"<h2>{escape(method.name)}</h2><p>{escape(method.summary)}{aliases}</p>",
        f"<div class='maths sideways' id='equations' tabindex='0' role='region' aria-label='Equations'>"
        f"{mathml(method.equations)}</div>" if method.equations else "",
        f"<h3>Why does it do that?</h3><ol class='why'>{because}</ol>" if because else "",
        folded("properties", "What is declared", f"<dl class='facts'>{declared}</dl>"),
        folded("measured", "What was measured", findings(method)),
        folded(
            "source",
            "Source, as the engine runs it",
            f"<div class='quiet'>{escape(code.where)}</div><pre tabindex='0' id='code' role='region' "
            f"aria-label='Source code'><code>{highlighted(code.text)}</code></pre>" if code else "",
        ),
        folded(
            "reference",
            "Reference",
            f"<div class='row'><span class='quiet'>BibTeX of the method and of Polhode</span>"
            "<button id='card-bibtex' data-copy='bibtex'>Copy BibTeX</button></div>"
            f"<pre tabindex='0' id='bibtex' role='region' aria-label='BibTeX'>{escape(engine.cite(method))}</pre>",
        ),
    ]  # fmt: skip
    return "".join(parts)


def folded(key: str, title: str, content: str) -> str:
    """A part that opens when it is asked for; nothing if it is empty."""
    return f"<details id='card-{key}'><summary>{title}</summary>{content}</details>" if content else ""


def findings(method: Method) -> str:
    """What was measured beside what is declared, as a table; nothing of methods for two bodies is written down."""
    lines, before = [], ""
    known = stored_properties().get(method.key, []) if method.space == "so3" else []
    place = {what: i for i, what in reversed(list(enumerate(line[0] for line in known)))}
    for what, on, declared, found, contradiction in sorted(known, key=lambda line: place[line[0]]):
        first, before = what != before, what
        found, contradiction = spelled(found), spelled(contradiction)
        told = f"{escape(found)}<br><b>{escape(contradiction)}</b>" if contradiction else escape(found)
        lines.append(
            f"<tr{' class=first' if first else ''}><th scope='row'>{escape(what) if first else ''}</th>"
            f"<td>{escape(on)}</td><td>{escape(declared) or '–'}</td><td>{told}</td></tr>"
        )
    if not lines:
        return ""
    head = "".join(f"<th scope='col'>{name}</th>" for name in ("property", "on", "declared", "measured"))
    return (
        "<div class='measured' id='findings' tabindex='0' role='region' aria-label='Measured properties'><table>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        "<div class='quiet'>With the options' default values.</div></div>"
    )


def chips(lines: Sequence[Line], chosen: str) -> str:
    """The methods to choose from."""
    labels = "".join(
        f"<label><input type='radio' name='method' id='card-{i}' value='{escape(one.label, True)}'"
        f"{' checked' if one.label == chosen else ''}><i class='dot' style='background:{one.colour}'></i>"
        f"{escape(one.label)}</label>"
        for i, one in enumerate(lines)
    )
    return f"<fieldset class='chips'><legend class='unseen'>Method to tell about</legend>{labels}</fieldset>"


class Card:
    """One of the chosen methods, in full."""

    def __init__(self) -> None:
        self.panel = Sheet(self._asked, style="card")
        self._lines: tuple[Line, ...] = ()
        self._space = ""
        self._chosen = ""
        self._told: Any = None

    def show(self, results: Results) -> None:
        """Tell about the method that was told about before, if it is still among those chosen, or else the first."""
        self._lines, self._space = results.lines, results.choice.space
        if self._chosen not in [one.label for one in self._lines]:
            self._chosen = self._lines[0].label if self._lines else ""
        self._tell()

    def choose(self, label: str) -> None:
        """Tell about another of the methods."""
        if label in [one.label for one in self._lines]:
            self._chosen = label
            self._tell()

    def _asked(self, what: str, label: str) -> None:
        if what == "method":
            self.choose(label)

    def _tell(self) -> None:
        about = self._chosen, self._space, [(one.label, one.colour) for one in self._lines]
        if self._chosen and about != self._told:
            self._told = about
            method = engine.algorithm(self._chosen, space=self._space)
            html = f"<div class='card'>{chips(self._lines, self._chosen)}{as_html(self._chosen, self._space)}</div>"
            self.panel.param.update(html=html, texts={"bibtex": engine.cite(method) + "\n"})
