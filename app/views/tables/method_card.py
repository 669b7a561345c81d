"""The method card: what a method is, declares and was measured to do, its source, and why it
behaves so.
"""

from __future__ import annotations

import functools
import io
import keyword
import token
import tokenize
from collections.abc import Iterator, Sequence
from html import escape

import engine
from engine.algorithms import (
    Method,
    Variants,
    describe_conserved,
    describe_method,
    find_sources,
)
from engine.studies.core import stored_properties

from ...asset_files import render_template
from ...state.pages.equations import mathml
from ...state.results import Line, Results
from ..dialogs.html_block import HtmlBlock
from ..dialogs.terms import add_stop, explain_word

# -------------------------------------------------------------------------------------------------
# source


def highlight_code(code: str) -> str:
    """Return Python as HTML with highlighted syntax."""
    return "".join(
        f"<i class={kind}>{escape(text)}</i>" if kind else escape(text)
        for kind, text in split_code(code)
    )


def split_code(code: str) -> Iterator[tuple[str, str]]:
    """Yield pieces of code with their CSS classes: k, c, n, s, d for a definition, or none."""
    lines = code.splitlines(keepends=True)
    row = 1
    column = 0
    defines = False
    for piece in tokenize.generate_tokens(io.StringIO(code).readline):
        if piece.type in (token.NEWLINE, token.NL, token.INDENT, token.DEDENT, token.ENDMARKER):
            continue
        yield "", between(lines, (row, column), piece.start)
        yield kind_of(piece, defines), piece.string
        defines = piece.string in ("def", "class")
        row, column = piece.end
    yield "", between(lines, (row, column), (len(lines) + 1, 0))


def between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text between two positions, each a line and a column."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return "".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], last])


def kind_of(piece: tokenize.TokenInfo, defined: bool) -> str:
    """Return the CSS class of a token."""
    if piece.type == token.NAME:
        return "d" if defined else "k" if keyword.iskeyword(piece.string) else ""
    return {token.COMMENT: "c", token.NUMBER: "n", token.STRING: "s"}.get(piece.type, "")


# -------------------------------------------------------------------------------------------------
# properties


def list_properties(method: Method) -> list[tuple[str, str]]:
    """Return a method's declaration, what it conserves, and its options, in words."""
    # An isolated pair of bodies conserves all of these in every motion.
    conserved = [
        f"{what}, {when}" if method.space == "so3" else what
        for what, when in list_conserved(method)
    ]
    values = method.option_values()
    options = [
        (o.title, f"option {o.name}={o.format(values[o.name], None)} ({o.range}): {o.doc}")
        for o in method.options
    ]
    return [
        *describe_method(method),
        ("Keeps to roundoff", "; ".join(conserved) or "nothing"),
        *options,
    ]


def list_conserved(method: Method) -> list[tuple[str, str]]:
    """Return the conserved quantities, without those that follow from π as a vector and from R as a
    rotation.
    """
    implied = {"pi_norm", "gamma_norm"} | ({"casimir"} if "pi" in method.conserves else set())
    return [
        (quantity, when)
        for name, quantity, when in describe_conserved(method)
        if name not in implied
    ]


# -------------------------------------------------------------------------------------------------
# HTML


@functools.lru_cache(maxsize=256)
def method_html(label: str, space: str = "so3") -> str:
    """Return the card of a method, without the chips that choose it."""
    method = engine.algorithm(label, space=space)
    code = next(iter(find_sources(method)), None)
    card = render_template(
        "method-card",
        method=method,
        equations=mathml(method.equations) if method.equations else "",
        properties=[(explain_word(name), words) for name, words in list_properties(method)],
        findings=list_findings(method),
        code=code,
        program=highlight_code(code.text) if code else "",
        citation=engine.cite(method),
    )
    return add_stop(card)


def list_findings(method: Method) -> list[list[str]]:
    """Return the declared and measured properties; those of methods for two bodies are not
    recorded.
    """
    known = stored_properties().get(method.key, []) if method.space == "so3" else []
    place = {what: i for i, what in reversed(list(enumerate(line[0] for line in known)))}
    return sorted(known, key=lambda line: place[line[0]])


class MethodCard:
    """The card of one of the chosen methods."""

    def __init__(self) -> None:
        self.panel = HtmlBlock(self._on_ask, style="method-card")
        self._lines: tuple[Line, ...] = ()
        self._variants = Variants({}, {})
        self._space = ""
        self._chosen = ""
        self._shown: object = None

    def show(self, results: Results) -> None:
        """Show the same method as before, if it is still chosen, otherwise the first."""
        self._lines = results.lines
        self._variants = results.choice.variants
        self._space = results.choice.space
        if self._chosen not in [one.label for one in self._lines]:
            self._chosen = self._lines[0].label if self._lines else ""
        self._update()

    def choose(self, label: str) -> None:
        """Show another of the methods."""
        if label in [one.label for one in self._lines]:
            self._chosen = label
            self._update()

    def _on_ask(self, what: str, label: str) -> None:
        if what == "method":
            self.choose(label)

    def _update(self) -> None:
        about = self._chosen, self._space, [(one.label, one.colour) for one in self._lines]
        if self._chosen and about != self._shown:
            self._shown = about
            method = engine.algorithm(self._chosen, space=self._space)
            card = method_html(self._chosen, self._space)
            html = render_template(
                "chosen-method",
                lines=self._lines,
                variants=self._variants,
                chosen=self._chosen,
                card=card,
            )
            self.panel.param.update(html=html, texts={"bibtex": engine.cite(method) + "\n"})
