"""A method as a program in a language."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from ..algorithms.core import Method, find_method
from ..algorithms.core.description import describe_conserved
from ..export.citations import list_authors, parse_bibtex, parse_entries
from ..parameters.names import unknown_name
from ..text.formatting import join_words
from .language import Language
from .languages.c import C
from .languages.cpp import Cpp
from .languages.csharp import CSharp
from .languages.glsl import Glsl
from .languages.javascript import JavaScript
from .languages.matlab import Matlab
from .languages.python import Python
from .languages.rust import Rust
from .method_program import Example, assemble
from .shapes import SHAPES, write_velocity

LANGUAGES: dict[str, type[Language]] = {
    one.key: one for one in (Python, C, Cpp, CSharp, Rust, JavaScript, Matlab, Glsl)
}
"""The languages, by the names that `engine.program` takes."""
PRECISIONS = ("double", "single")
PARTS = ("program", "step")


def program(
    method: str | Method,
    language: str = "python",
    precision: str | None = None,
    *,
    part: str = "program",
    example: Example | None = None,
    shape: str | None = None,
) -> str:
    """Return a method as a program in a language, with the types and functions that it needs.

    The program moves a body in its principal axes, or turns an attitude by given rates. It is
    written from the method's own source, with the chosen options, and ends with a run that you can
    change. Fill in the torque, or the angular velocity and its integral, which are zero. Where
    Newton's method finds no solution, the state is nan.

    Parameters
    ----------
    method : a method or its name, with options, composition or energy correction.
    language : "python" (with NumPy), "c", "cpp", "csharp", "rust", "javascript", "matlab" or "glsl".
    precision : "double" or "single"; by default that of the method.
    part : "program", or "step" for its functions alone, to put into a project.
    example : the body and its run.
    shape : "jolt", "unity", "godot" (GDScript) or "godot-csharp", for what you can paste into that
        engine: its function that changes the angular velocity, in its own language and with numbers
        of 32 bits. The engine adds the torque and turns the body itself.

    Raises
    ------
    ValueError
        If no such program can be written, with the reason.
    """
    found = find_method(method)
    if shape is not None:
        if language != "python" or precision not in (None, "single") or example is not None:
            raise ValueError(
                "a shape is a function in its engine's own language with numbers of 32 bits; "
                "leave out language, precision and example"
            )
        return _write_shape(found, shape)
    if language not in LANGUAGES:
        raise unknown_name("language", language, LANGUAGES, LANGUAGES)
    if precision not in (None, *PRECISIONS):
        raise unknown_name("precision", str(precision), PRECISIONS, PRECISIONS)
    if part not in PARTS:
        raise unknown_name("part", part, PARTS, PARTS)
    if precision is not None:
        found = found.with_options(precision=precision)
    built = assemble(found, example or Example())
    words = list(_describe(found))
    return LANGUAGES[language](found.single).whole(built, words, alone=part == "step")


def _write_shape(method: Method, name: str) -> str:
    """A method in the shape of an engine's function."""
    if name not in SHAPES:
        raise unknown_name("shape", name, SHAPES, SHAPES)
    shape = SHAPES[name]
    built = write_velocity(method, shape.has, shape.arguments(), shape.engine)
    first, _, *others = _describe(built.method, axes=False)
    return shape(True).whole(built, [first, "", *shape.paste, "", *others])


def find_step(text: str) -> str:
    """The part of a program that defines the step."""
    for part in text.split("\n\n"):
        lines = [
            line for line in part.splitlines() if line.strip() and line.strip()[0] not in "/%#"
        ]
        if lines and re.search(r"\b(step|Step|frame|Frame)_?\(", lines[0]):
            return textwrap.dedent(part).strip("\n")
    return text


def _describe(method: Method, axes: bool = True) -> Iterator[str]:
    """The lines at the start of a program: the method, what it conserves, what its axes are, and its
    sources.
    """
    yield f"{method.given_name}, {method.name}{', with numbers of 32 bits' if method.single else ''}."
    yield ""
    if method.summary:
        yield method.summary
    kept: dict[str, list[str]] = {}
    for _, quantity, when in describe_conserved(method):
        kept.setdefault(when, []).append(quantity)
    if kept:
        how = "but for the roundoff of 32 bits, which adds up" if method.single else "to roundoff"
        yield (
            f"Conserved {how}: "
            + "; ".join(f"{when}, {join_words(what)}" for when, what in kept.items())
            + "."
        )
    if axes and method.space == "so3":
        yield (
            "The body's axes are its principal axes: of J = A diag(J₁, J₂, J₃) Aᵀ in other axes, with the "
            "rotation A, take R A and AᵀΩ."
        )
    for entry in parse_entries(method.reference):
        who = list_authors(entry) if "author" in entry.fields else entry.key
        yield f"Source: {who}: {parse_bibtex(entry.fields['title'])} ({entry.fields.get('year', 'no year')})."
    yield "Written by Polhode from its own source, which has the BSD 3-Clause licence."
