"""The method card: what a method is, declares and was measured to do, its source, and why it
behaves so.
"""

from __future__ import annotations

import functools

import engine
from engine.algorithms import (
    Method,
    Variants,
    describe_conserved,
    describe_method,
    find_sources,
)
from engine.programs import LANGUAGES
from engine.studies.core import stored_properties

from ...asset_files import render_template
from ...state.pages.equations import mathml
from ...state.results import Line, Results
from ..dialogs.html_block import HtmlBlock
from ..dialogs.terms import add_stop, explain_word
from .highlighting import highlight_code
from .program_listing import Listing, languages_html, write_listing

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
def method_html(label: str, space: str = "so3", language: str = "") -> str:
    """Return the card of a method, without the chips that choose it; with the method as a program
    if a language is chosen.
    """
    method = engine.algorithm(label, space=space)
    code = next(iter(find_sources(method)), None)
    listing = write_listing(method, language) if language else Listing()
    card = render_template(
        "method-card",
        method=method,
        equations=mathml(method.equations) if method.equations else "",
        properties=[(explain_word(name), words) for name, words in list_properties(method)],
        findings=list_findings(method),
        code=code,
        source=highlight_code(code.text) if code else "",
        languages=languages_html(language),
        listing=listing,
        citation=engine.cite(method),
    )
    return add_stop(card)


def list_texts(label: str, space: str, language: str) -> dict[str, str]:
    """Return the texts to copy from the card of a method."""
    method = engine.algorithm(label, space=space)
    text = write_listing(method, language).text if language else ""
    return {"bibtex": engine.cite(method) + "\n", "program": text}


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
        self._chosen = self._language = ""
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
        elif what == "language" and label in LANGUAGES:
            self._language = label
            self._update()

    def _update(self) -> None:
        chips = [(one.label, one.colour) for one in self._lines]
        about = self._chosen, self._space, self._language, chips
        if self._chosen and about != self._shown:
            self._shown = about
            card = method_html(self._chosen, self._space, self._language)
            texts = list_texts(self._chosen, self._space, self._language)
            html = render_template(
                "chosen-method",
                lines=self._lines,
                variants=self._variants,
                chosen=self._chosen,
                card=card,
            )
            self.panel.param.update(html=html, texts=texts)
