"""The method card: what a method is, declares and was measured to do, its source, and why it behaves so."""

from __future__ import annotations

import functools
import io
import keyword
import token
import tokenize
from collections.abc import Iterator, Sequence
from html import escape

import engine
from engine.algorithms import Method, describe_conserved, describe_method, find_sources
from engine.studies.core import stored_properties
from engine.text.formatting import format_powers

from ...state.results import Line, Results
from ...state.topics.equations import mathml
from ..dialogs.sheet import Sheet
from ..dialogs.terms import add_stop, explain_word

# ------------------------------------------------------------------------------------------------- source


def highlight_code(code: str) -> str:
    """Return Python as HTML with highlighted syntax."""
    return "".join(f"<i class={kind}>{escape(text)}</i>" if kind else escape(text) for kind, text in split_code(code))


def split_code(code: str) -> Iterator[tuple[str, str]]:
    """Yield pieces of code with their CSS classes: k, c, n, s, d for a definition, or none."""
    lines = code.splitlines(keepends=True)
    row, column, defines = 1, 0, False
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


# ------------------------------------------------------------------------------------------------- properties


def list_properties(method: Method) -> list[tuple[str, str]]:
    """Return a method's declaration, what it conserves, and its options, in words."""
    # An isolated pair of bodies conserves all of these in every motion.
    conserved = [f"{what} {when if method.space == 'so3' else ''}".strip() for what, when in list_conserved(method)]
    values = method.option_values()
    options = [
        (o.title, f"option {o.name}={o.format(values[o.name], None)} ({o.range}): {o.doc}") for o in method.options
    ]
    return [*describe_method(method), ("Keeps to roundoff", "; ".join(conserved) or "nothing"), *options]


def list_conserved(method: Method) -> list[tuple[str, str]]:
    """Return the conserved quantities, without those that follow from π as a vector and from R as a rotation."""
    implied = {"pi_norm", "gamma_norm"} | ({"casimir"} if "pi" in method.conserves else set())
    return [(quantity, when) for name, quantity, when in describe_conserved(method) if name not in implied]


# ------------------------------------------------------------------------------------------------- HTML


@functools.lru_cache(maxsize=256)
def method_html(label: str, space: str = "so3") -> str:
    """Return the card of a method, without the chips that choose it."""
    method = engine.algorithm(label, space=space)
    because = "".join(f"<li>{escape(sentence)}</li>" for sentence in method.why)
    properties = (f"<dt>{explain_word(name)}</dt><dd>{escape(words)}</dd>" for name, words in list_properties(method))
    declared = add_stop("".join(properties))
    code = next(iter(find_sources(method)), None)
    aliases = (
        f" <span class='quiet'>also called {escape(', '.join(method.other_names))}</span>" if method.aliases else ""
    )
    parts = [
        f"<h2>{escape(method.name)}</h2><p>{escape(method.summary)}{aliases}</p>",
        f"<div class='maths sideways' id='equations' tabindex='0' role='region' aria-label='Equations'>"
        f"{mathml(method.equations)}</div>" if method.equations else "",
        f"<h3>Why it behaves so</h3><ol class='why'>{because}</ol>" if because else "",
        details_html("properties", "Declared properties", f"<dl class='facts'>{declared}</dl>"),
        details_html("measured", "Measured properties", findings_html(method)),
        details_html(
            "source",
            "Source code",
            f"<div class='quiet'>{escape(code.where)}</div><pre tabindex='0' id='code' role='region' "
            f"aria-label='Source code'><code>{highlight_code(code.text)}</code></pre>" if code else "",
        ),
        details_html(
            "reference",
            "Reference",
            f"<div class='row'><span class='quiet'>BibTeX of the method and of Polhode</span>"
            "<button id='card-bibtex' data-copy='bibtex'>Copy BibTeX</button></div>"
            f"<pre tabindex='0' id='bibtex' role='region' aria-label='BibTeX'>{escape(engine.cite(method))}</pre>",
        ),
    ]  # fmt: skip
    return "".join(parts)


def details_html(key: str, title: str, content: str) -> str:
    """Return a part that can be unfolded, or an empty text without content."""
    return f"<details id='card-{key}'><summary>{title}</summary>{content}</details>" if content else ""


def findings_html(method: Method) -> str:
    """Return a table of declared and measured properties; those of methods for two bodies are not recorded."""
    lines, before = [], ""
    known = stored_properties().get(method.key, []) if method.space == "so3" else []
    place = {what: i for i, what in reversed(list(enumerate(line[0] for line in known)))}
    for what, on, declared, found, contradiction in sorted(known, key=lambda line: place[line[0]]):
        first, before = what != before, what
        found, contradiction = format_powers(found), format_powers(contradiction)
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


def chips_html(lines: Sequence[Line], chosen: str) -> str:
    """Return the methods to choose from."""
    labels = "".join(
        f"<label><input type='radio' name='method' id='card-{i}' value='{escape(one.label, True)}'"
        f"{' checked' if one.label == chosen else ''}><i class='dot' style='background:{one.colour}'></i>"
        f"{escape(one.label)}</label>"
        for i, one in enumerate(lines)
    )
    return f"<fieldset class='chips'><legend class='unseen'>Method</legend>{labels}</fieldset>"


class MethodCard:
    """The card of one of the chosen methods."""

    def __init__(self) -> None:
        self.panel = Sheet(self._on_ask, style="method-card")
        self._lines: tuple[Line, ...] = ()
        self._space = ""
        self._chosen = ""
        self._shown: object = None

    def show(self, results: Results) -> None:
        """Show the same method as before, if it is still chosen, otherwise the first."""
        self._lines, self._space = results.lines, results.choice.space
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
            html = chips_html(self._lines, self._chosen) + method_html(self._chosen, self._space)
            self.panel.param.update(
                html=f"<div class='card'>{html}</div>", texts={"bibtex": engine.cite(method) + "\n"}
            )
