"""What a person types into and reads: fields of forms, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.checks import entries_of
from engine.spec import Parameter, Switch, Words
from engine.wording import sentence


def numbers(value: Any) -> str:
    """One number as a person types it, or several with commas between them."""
    return ", ".join(f"{x:.8g}" for x in np.ravel(value).tolist())


def typed(text: str) -> tuple[float, ...]:
    """What a person typed, as numbers; `ValueError` in one sentence if it is none."""
    try:
        return tuple(float(part) for part in entries_of(text)) if text.strip() else ()
    except ValueError:
        raise ValueError("numbers with commas between them are wanted here, like 0.9, 1.1, 1.7") from None


ON = "on"
"""What a switch says that is on; one that is off says nothing."""


@dataclass(frozen=True)
class FormField:
    """A part of a form.

    Attributes
    ----------
    name : by which it is told and asked.
    label : what a person calls it.
    about : what it is for, in a sentence.
    kind : "text"; "scale", a number and a slider for its logarithm; "menu"; "switch"; or "words", a heading.
    options : of a menu.
    words : what each of these is called, if not as it is.
    ends : of a slider, in powers of ten.
    buttons : beside a scale, each its name, its text and what it does; the form is told their names.
    placeholder : of a text that says nothing.
    colour : of a dot before a heading.
    half : whether it takes half of a line, beside another that does.
    """

    name: str
    label: str
    about: str = ""
    kind: str = "text"
    options: Sequence[str] = ()
    words: Sequence[str] = ()
    ends: tuple[int, int] = (0, 0)
    buttons: Sequence[tuple[str, str, str]] = ()
    placeholder: str = ""
    colour: str = ""
    half: bool = False


def entry(parameter: Parameter) -> FormField:
    """The field that asks for a parameter."""
    words = [parameter.kind.called(choice) for choice in parameter.choices]
    kind = "switch" if isinstance(parameter.kind, Switch) else "menu" if words else "text"
    about = sentence(parameter.about)
    return FormField(parameter.name, parameter.title, about, kind, options=tuple(parameter.choices), words=words)


def said(parameter: Parameter, value: Any) -> str:
    """What the field of a parameter says, in the fewest numbers."""
    if isinstance(parameter.kind, Switch):
        return ON if value else ""
    in_words = isinstance(parameter.kind, Words)
    return parameter.written(value) if in_words else numbers(parameter.kind.fewest(value))


HALVE, DOUBLE = "halve", "double"
SLIDERS = (
    FormField(
        "dt", "Δt", "The step, in the problem's unit of time.", "scale", ends=(-4, 1),
        buttons=((HALVE, "½×", "Halve Δt"), (DOUBLE, "2×", "Double Δt")),
    ),
    FormField("duration", "Duration", "How long to run, in the problem's unit of time.", "scale", ends=(-1, 5)),
)  # fmt: skip
"""The fields of a step and of a duration."""
