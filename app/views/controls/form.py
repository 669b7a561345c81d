"""A form: entries, sliders, menus, switches and formulas, one below the other, in one component.

A change sends the values of all fields to the browser at once, which updates those that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import param

from engine.parameters.formula import FUNCTIONS, MEANINGS

from ...browser.component import Component
from ...state.form_fields import FormField

CHANGE = "Fill this in, or change it."
"""At a field that an error is about."""
LONGEST = 1000
"""Characters of a text that are read."""
WORDS = [[name, words, name in FUNCTIONS] for name, words in MEANINGS.items()]
"""The names in formulas, each with its meaning and whether it takes arguments."""
EXAMPLE = "example"
"""The name by which the number of an example is entered."""


class Form(Component):
    """Fields; `on_change(name, text, dragging)` receives what a person types, chooses, switches or
    drags.

    `on_release` is called at the end of each gesture, and `on_check(name, text)` while a person
    types a formula. With a title, the fields are folded until it is clicked.
    """

    fields = param.List(doc="`FormField`s as dictionaries.")
    values = param.Dict(default={}, doc="The text of each field, by name.")
    wrong = param.Dict(default={}, doc="The error of a field, by name.")
    places = param.Dict(
        default={}, doc="A text that is no formula, and the ends of what is wrong in it, by name."
    )
    notes = param.Dict(default={}, doc="A sentence on what a formula means, by name.")
    meanings = param.List(default=[], doc="`WORDS`, if there is a formula.")
    examples = param.Dict(default={}, doc="[words, formula] of each example, by name.")
    title = param.String(doc="The title under which the fields are folded, if any.")
    folded = param.Boolean(default=False, doc="Whether they are folded.")

    script = "controls/formula-form.js"
    shared_styles = ("field", "picker", "form", "formula")

    def __init__(
        self,
        on_change: Callable[[str, str, bool], Any],
        on_release: Callable[[], Any] = lambda: None,
        fields: Sequence[FormField] = (),
        on_check: Callable[[str, str], Any] = lambda name, text: None,
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **({"margin": 0} | params))
        self._on_change = on_change
        self._on_release = on_release
        self._on_check = on_check
        self._names: set[str] = set()
        self.set_fields(fields, self.values)

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser folds or unfolds the fields."""
        return name == "folded" and isinstance(value, bool)

    def set_fields(self, fields: Sequence[FormField], values: Mapping[str, str]) -> None:
        """Set the fields and their values, without errors."""
        self._names = {field.name for field in fields} | {
            button[0] for field in fields for button in field.buttons
        }
        has_formula = any(field.kind == "formula" for field in fields)
        if has_formula:
            self._names.add(EXAMPLE)
        self.param.update(
            meanings=WORDS if has_formula else [],
            fields=[asdict(field) for field in fields],
            values=dict(values),
            wrong={},
            places={},
        )

    def set_values(self, values: Mapping[str, str]) -> None:
        """Change the values of some fields; those of others are left out."""
        values = self.values | {name: x for name, x in values.items() if name in self.values}
        if values != self.values:
            self.values = values

    def has(self, name: str) -> bool:
        """Whether there is a field of this name."""
        return name in self._names

    def show_error(self, name: str, words: str, place: tuple[str, int, int] | None = None) -> None:
        """Show an error at a field; `place` has the wrong text and the ends of its wrong part."""
        places = {**self.places, name: list(place)} if place else self.places
        self.param.update(places=places, wrong=self.wrong | {name: words})

    def clear_errors(self, *names: str) -> None:
        """Remove the errors of these fields, by default of all."""
        if self.wrong:
            wrong = {name: x for name, x in self.wrong.items() if names and name not in names}
            places = {name: x for name, x in self.places.items() if name in wrong}
            self.param.update(places=places, wrong=wrong)

    def enter(self, name: str, text: str, dragging: bool = False) -> None:
        """Enter a text into a field."""
        if name in self._names:
            self._on_change(name, text[:LONGEST], dragging)

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the name of the field that an entry fills, or a check of one."""
        name = data.get("name")
        return (name, data.get("check") is True) if isinstance(name, str) else None

    def _receive(self, data: Any) -> None:
        name, text = (
            (data.get("name"), data.get("text")) if isinstance(data, dict) else (None, None)
        )
        if not (isinstance(name, str) and isinstance(text, str)):
            return
        if data.get("check") is True:
            if name in self._names:
                self._on_check(name, text[:LONGEST])
            return
        before = self.values
        try:
            self.enter(name, text, data.get("moved") is True)
            if data.get("held") is not True:
                self._on_release()
        finally:
            # Otherwise the new values are the answer.
            if self.values == before or (name in before and self.values.get(name) == before[name]):
                self._send({"answered": name})
