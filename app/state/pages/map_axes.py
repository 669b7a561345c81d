"""An axis of a map as fields of a form: the variable, its range, and the number of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engine.parameters.parameter import Number, OneOf, Parameter, Whole
from engine.studies.sweeps import (
    MOST_OF_A_MAP,
    POINTS,
    Range,
    Variable,
    Varied,
    read_over,
    read_range,
    read_values,
)
from engine.text.formatting import finish_sentence, quote, show

from ..choice import Refusal
from ..form_fields import FormField, format_field_number

COUNT = Parameter("points", Whole(2, MOST_OF_A_MAP), "at how many places", POINTS, label="points")
EVENLY = "linear"
BY_FACTORS = "logarithmic"
LISTED = "list"
SPACING = Parameter(
    "spacing",
    OneOf(means=dict.fromkeys((EVENLY, BY_FACTORS, LISTED))),
    "evenly, by a constant factor, or a list of values",
    label="spacing",
)
FEW = 5
"""Number of values of a list that replaces a range."""


@dataclass(frozen=True)
class AxisForm:
    """The fields of one axis.

    Attributes
    ----------
    parameter : the study's parameter of the axis; its name begins the names of the fields, its
        title their labels.
    text : the axis as a link has it.
    variables : the variables to choose from.
    """

    parameter: Parameter
    text: str
    variables: Mapping[str, Variable]

    @cached_property
    def parts(self) -> tuple[str, str]:
        """The variable, and its values."""
        ((name, values),) = read_over(self.text).items()
        return name, values

    @property
    def of(self) -> str:
        """The name of the variable."""
        return self.parts[0]

    @cached_property
    def range(self) -> Range | None:
        """The range of the values; None if they are a list."""
        return read_range(self.parts[1], self.of)

    @property
    def kind(self) -> Number | Whole:
        """The kind of the variable."""
        return self.variables[self.of].kind if self.of in self.variables else Number()

    # ------------------------------------------------------------------ the fields

    def fields(self) -> list[FormField]:
        """The fields; a menu stays the same whatever is picked, so that it keeps the focus."""
        names = list(dict.fromkeys((*self.variables, self.of)))
        words = [self.variables[name].title if name in self.variables else name for name in names]
        about = finish_sentence(self.parameter.doc.partition(",")[0])
        found = [FormField(self._name("of"), self.parameter.title, about, "menu", names, words)]
        if self.range is None:
            about = f"From 2 to {MOST_OF_A_MAP} numbers, separated by commas."
            found += [FormField(self._name("values"), self._label("values"), about)]
        else:
            about = finish_sentence(f"from {show(self.kind.low)} to {show(self.kind.high)}")
            found += [
                FormField(self._name(end), self._label(end), about, half=True)
                for end in ("from", "to")
            ]
            found += [
                FormField(
                    self._name("points"),
                    self._label("points"),
                    finish_sentence(COUNT.doc),
                    half=True,
                )
            ]
        options = tuple(SPACING.choices)
        about = finish_sentence(SPACING.doc)
        return [
            *found,
            FormField(
                self._name("spacing"), self._label("spacing"), about, "menu", options, half=True
            ),
        ]

    def _name(self, part: str) -> str:
        return f"{self.parameter.name}.{part}"

    def _label(self, part: str) -> str:
        return f"{self.parameter.title}, {part}"

    def values(self) -> dict[str, str]:
        """The values of the fields."""
        found = {"of": self.of}
        if self.range is None:
            found |= {"values": self.parts[1], "spacing": LISTED}
        else:
            ends = {
                "from": format_field_number(self.range.low),
                "to": format_field_number(self.range.high),
            }
            spacing = BY_FACTORS if self.range.log else EVENLY
            found |= ends | {"points": str(self.range.count), "spacing": spacing}
        return {self._name(part): text for part, text in found.items()}

    # ------------------------------------------------------------------ entries

    def with_entry(self, part: str, text: str) -> str:
        """The axis with another entry in one of its fields, or a `Refusal`."""
        try:
            if part == "of":
                if text not in self.variables:
                    raise ValueError(f"{self.parameter.title} cannot be {quote(text)}")
                return f"{text}={self.variables[text].usual}"
            values = text if part == "values" else str(self._change(part, text))
            return Varied().check(f"{self.of}={values}", self.parameter.title)
        except ValueError as refused:
            raise Refusal(self._name(part), finish_sentence(str(refused))) from None

    def _change(self, part: str, text: str) -> Range | str:
        if part == "spacing":
            return self._space(str(SPACING.check(text)))
        assert self.range is not None
        if part == "points":
            count = replace(COUNT, name=self._label(part)).parse(text)
            assert isinstance(count, int)
            return replace(self.range, count=count)
        label = self._label(part)
        end = float(self.kind.check(self.kind.parse(text, label), label))
        changed = replace(self.range, low=end) if part == "from" else replace(self.range, high=end)
        if changed.low == changed.high:
            raise ValueError(
                f"{self.parameter.title} goes from {show(end)} to {show(end)}, and nothing is varied"
            )
        if changed.log and changed.low * changed.high <= 0:
            raise ValueError(f"a logarithmic axis lies on one side of 0; got {show(end)}")
        return changed

    def _space(self, spacing: str) -> Range | str:
        """The axis with another spacing, over the same range if possible."""
        own = self.range
        if own is None:
            listed = read_values(self.parts[1], Number(), self.of)
            own = Range(min(listed), max(listed), POINTS)
        if spacing == LISTED:
            few = replace(own, count=FEW).values()
            return ", ".join(f"{x:.6g}" for x in few)
        if (
            spacing == BY_FACTORS and own.low * own.high <= 0
        ):  # from a thousandth on, on the longer side of 0
            far = max(own.high, own.low, key=abs)
            own = replace(own, low=far / 1000, high=far)
        return replace(own, log=spacing == BY_FACTORS)
