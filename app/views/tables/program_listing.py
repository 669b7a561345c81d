"""The listing of a method as a program, with the choice of its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from engine.algorithms import Method
from engine.programs import LANGUAGES, SHAPES, Example, Unwritable, find_step, program

from ...asset_files import render_template
from .highlighting import highlight_code

TITLES: Mapping[str, str] = {key: one.title for key, one in [*SHAPES.items(), *LANGUAGES.items()]}
"""The shapes and the languages on screen."""


class Listing(NamedTuple):
    """A program as text, the program and its step as HTML, or the reason why there is none."""

    text: str = ""
    whole: str = ""
    step: str = ""
    refusal: str = ""


def write_listing(method: Method, language: str, example: Example | None = None) -> Listing:
    """Return the listing of a method in a language, or in the shape of an engine's function."""
    try:
        text = (
            program(method, shape=language)
            if language in SHAPES
            else program(method, language, example=example)
        )
    except Unwritable as refused:
        return Listing(refusal=str(refused))
    mark = highlight_code if language == "python" else escape
    return Listing(text, mark(text), mark(find_step(text)))


def languages_html(chosen: str, shapes: Sequence[str] = ()) -> str:
    """Return the choice of the language, after these shapes."""
    titles = {key: TITLES[key] for key in (*shapes, *LANGUAGES)}
    return render_template("languages", titles=titles, chosen=chosen)
