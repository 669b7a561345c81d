"""An axis of a map as fields of a form: what is varied, from where to where, and at how many places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engine.spec import Number, OneOf, Parameter, Whole
from engine.studies.sweeps.ranges import MOST_OF_A_MAP, Range, Varied, read_over, read_range, read_values
from engine.studies.sweeps.variables import POINTS, Variable
from engine.wording import quoted, sentence, short

from .entries import FormField
from .session import Refused

COUNT = Parameter("points", Whole(2, MOST_OF_A_MAP), "at how many places", POINTS, label="points")
EVENLY, BY_FACTORS, LISTED = "linear", "logarithmic", "list"
SPACING = Parameter(
    "spacing",
    OneOf(means=dict.fromkeys((EVENLY, BY_FACTORS, LISTED))),
    "evenly, each a constant factor above the one before, or values of one's own",
    label="spacing",
)
FEW = 5
"""Values of a list that is made of a range."""


@dataclass(frozen=True)
class AxisForm:
    """The fields of one axis.

    Attributes
    ----------
    asks : what it is asked by: its name begins the names of the fields, and its title their labels.
    text : the axis, as a link has it.
    there : what can be varied.
    """

    asks: Parameter
    text: str
    there: Mapping[str, Variable]

    @cached_property
    def given(self) -> tuple[str, str]:
        """What is varied, and its values."""
        ((name, values),) = read_over(self.text).items()
        return name, values

    @property
    def of(self) -> str:
        """What is varied."""
        return self.given[0]

    @cached_property
    def range(self) -> Range | None:
        """From where to where, if that is how the values are given."""
        return read_range(self.given[1], self.of)

    @property
    def kind(self) -> Number | Whole:
        """Which numbers there are of what is varied."""
        return self.there[self.of].kind if self.of in self.there else Number()

    # ------------------------------------------------------------------ shown

    def fields(self) -> list[FormField]:
        """What is to be filled in; a menu is the same whatever is picked, so that it keeps the focus."""
        names = list(dict.fromkeys((*self.there, self.of)))
        words = [self.there[name].title if name in self.there else name for name in names]
        about = sentence(self.asks.doc.partition(",")[0])
        found = [FormField(self._name("of"), self.asks.title, about, "menu", names, words)]
        if self.range is None:
            about = f"From 2 to {MOST_OF_A_MAP} numbers with commas between them."
            found += [FormField(self._name("values"), self._label("values"), about)]
        else:
            about = sentence(f"from {short(self.kind.low)} to {short(self.kind.high)}")
            found += [FormField(self._name(end), self._label(end), about, half=True) for end in ("from", "to")]
            found += [FormField(self._name("points"), self._label("points"), sentence(COUNT.doc), half=True)]
        options, about = tuple(SPACING.choices), sentence(SPACING.doc)
        return [*found, FormField(self._name("spacing"), self._label("spacing"), about, "menu", options, half=True)]

    def _name(self, part: str) -> str:
        return f"{self.asks.name}.{part}"

    def _label(self, part: str) -> str:
        return f"{self.asks.title}, {part}"

    def says(self) -> dict[str, str]:
        """What stands in the fields."""
        found = {"of": self.of}
        if self.range is None:
            found |= {"values": self.given[1], "spacing": LISTED}
        else:
            ends = {"from": f"{self.range.low:.8g}", "to": f"{self.range.high:.8g}"}
            spacing = BY_FACTORS if self.range.log else EVENLY
            found |= ends | {"points": str(self.range.count), "spacing": spacing}
        return {self._name(part): text for part, text in found.items()}

    # ------------------------------------------------------------------ changed

    def changed(self, part: str, text: str) -> str:
        """The axis where one of its fields says something else; `Refused` if that cannot be had."""
        try:
            if part == "of":
                if text not in self.there:
                    raise ValueError(f"{self.asks.title} cannot be {quoted(text)}")
                return f"{text}={self.there[text].usual}"
            values = text if part == "values" else str(self._changed(part, text))
            return Varied().checked(f"{self.of}={values}", self.asks.title)
        except ValueError as refused:
            raise Refused(self._name(part), sentence(str(refused))) from None

    def _changed(self, part: str, text: str) -> Range | str:
        if part == "spacing":
            return self._spaced(SPACING.checked(text))
        assert self.range is not None
        if part == "points":
            return replace(self.range, count=replace(COUNT, name=self._label(part)).parsed(text))
        label = self._label(part)
        end = float(self.kind.checked(self.kind.parsed(text, label), label))
        changed = replace(self.range, low=end) if part == "from" else replace(self.range, high=end)
        if changed.low == changed.high:
            raise ValueError(f"{self.asks.title} goes from {short(end)} to {short(end)}, and nothing is varied")
        if changed.log and changed.low * changed.high <= 0:
            raise ValueError(f"a logarithmic axis lies on one side of 0; got {short(end)}")
        return changed

    def _spaced(self, spacing: str) -> Range | str:
        """The same axis, as far as that can be, with another spacing."""
        own = self.range
        if own is None:
            listed = read_values(self.given[1], Number(), self.of)
            own = Range(min(listed), max(listed), POINTS)
        if spacing == LISTED:
            few = replace(own, count=FEW).values()
            return ", ".join(f"{x:.6g}" for x in few)
        if spacing == BY_FACTORS and own.low * own.high <= 0:  # from a thousandth on, on the longer side of 0
            far = max(own.high, own.low, key=abs)
            own = replace(own, low=far / 1000, high=far)
        return replace(own, log=spacing == BY_FACTORS)
