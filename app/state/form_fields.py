"""Fields of forms, and numbers as people type them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.parameters.parameter import Parameter, Switch, Words
from engine.parameters.validation import entries_of
from engine.problems import DT, AnyProblem
from engine.text.formatting import finish_sentence, format_plain


def format_field_number(value: float) -> str:
    """A number as fields have it."""
    return format_plain(value, 8)


def format_numbers(value: Any, write: Callable[[float], str] = format_field_number) -> str:
    """A number, or several separated by commas; by default as `parse_numbers` reads them."""
    return ", ".join(map(write, np.ravel(value).tolist()))


def parse_numbers(text: str) -> tuple[float, ...]:
    """The numbers of a text, or a `ValueError` in one sentence."""
    try:
        return tuple(float(part) for part in entries_of(text)) if text.strip() else ()
    except ValueError:
        raise ValueError("type numbers separated by commas, like 0.9, 1.1, 1.7") from None


ON = "on"
"""The value of a switch that is on; it is empty for one that is off."""


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    Attributes
    ----------
    name, label : its name in messages, and its label on the page.
    about : its purpose, in a sentence.
    kind : "text"; "slider", a number with a slider of its logarithm; "menu"; "switch"; or "words",
        a heading.
    options, words : the values of a menu, and their labels if these differ.
    first : how many of them a menu offers first; the others follow under "More". 0 for all.
    ends : the ends of the slider, in powers of ten.
    buttons : the buttons beside a slider, each with its name, text and description.
    placeholder : shown in an empty text.
    colour : of the dot before a heading.
    half : whether it takes half of a line.
    """

    name: str
    label: str
    about: str = ""
    kind: str = "text"
    options: Sequence[str] = ()
    words: Sequence[str] = ()
    first: int = 0
    ends: tuple[int, int] = (0, 0)
    buttons: Sequence[tuple[str, str, str]] = ()
    placeholder: str = ""
    colour: str = ""
    half: bool = False


SCALED = ("time", "mass", "length")
"""Words of units that a problem leaves open."""


def make_label(parameter: Parameter) -> str:
    """The label of a parameter, with its unit if the problem fixes that."""
    is_fixed = parameter.unit and not any(word in parameter.unit for word in SCALED)
    return f"{parameter.title}, {parameter.unit}" if is_fixed else parameter.title


def make_field(parameter: Parameter) -> FormField:
    """The field of a parameter."""
    words = [parameter.kind.label(choice) for choice in parameter.choices]
    kind = "switch" if isinstance(parameter.kind, Switch) else "menu" if words else "text"
    about = finish_sentence(parameter.about)
    return FormField(
        parameter.name,
        make_label(parameter),
        about,
        kind,
        options=tuple(parameter.choices),
        words=words,
    )


def format_value(
    parameter: Parameter, value: Any, write: Callable[[float], str] = format_field_number
) -> str:
    """The value of a parameter, with the fewest numbers; by default as its field reads them."""
    if isinstance(parameter.kind, Switch):
        return ON if value else ""
    in_words = isinstance(parameter.kind, Words)
    return (
        parameter.format(value) if in_words else format_numbers(parameter.kind.reduce(value), write)
    )


UNIT_OF_TIME = "the problem's unit of time"
HALVE = "halve"
DOUBLE = "double"
SLIDERS = (
    FormField(
        "dt", "Δt", f"The step, in {UNIT_OF_TIME}.", "slider", ends=(-4, 1),
        buttons=((HALVE, "½×", "Halve Δt"), (DOUBLE, "2×", "Double Δt")),
    ),
    FormField("duration", "Duration", f"How long to run, in {UNIT_OF_TIME}.", "slider", ends=(-1, 5)),
)  # fmt: skip
"""The fields of a step and of a duration."""


def make_sliders(problem: AnyProblem) -> list[FormField]:
    """The fields of a step and of a duration, with the unit of a problem's times."""
    declared = problem.declarations
    return [
        replace(
            field,
            label=make_label(declared[field.name]),
            about=field.about.replace(UNIT_OF_TIME, name_time(problem)),
        )
        for field in SLIDERS
    ]


def name_time(problem: AnyProblem) -> str:
    """The unit of a problem's times, in words."""
    unit = problem.declarations[DT.name].unit
    return UNIT_OF_TIME if unit == DT.unit else unit
