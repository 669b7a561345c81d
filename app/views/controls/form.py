"""A form: entries, sliders, menus and switches, one below the other, in one component.

A change sends the values of all fields to the browser at once, which updates those that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import param

from ...browser.component import Component
from ...state.form_fields import FormField

LONGEST = 1000
"""Characters of a text that are read."""


class Form(Component):
    """Fields; `on_change(name, text, dragging)` receives what a person types, chooses, switches or
    drags.

    `on_release` is called at the end of each gesture. With a title, the fields are folded until it
    is clicked.
    """

    fields = param.List(doc="`FormField`s as dictionaries.")
    values = param.Dict(default={}, doc="The text of each field, by name.")
    wrong = param.Dict(default={}, doc="The error of a field, by name.")
    title = param.String(doc="The title under which the fields are folded, if any.")
    folded = param.Boolean(default=False, doc="Whether they are folded.")

    script = "controls/form.js"
    shared_styles = ("field", "form")

    def __init__(
        self,
        on_change: Callable[[str, str, bool], Any],
        on_release: Callable[[], Any] = lambda: None,
        fields: Sequence[FormField] = (),
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **({"margin": 0} | params))
        self._on_change = on_change
        self._on_release = on_release
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
        self.param.update(fields=[asdict(field) for field in fields], values=dict(values), wrong={})

    def set_values(self, values: Mapping[str, str]) -> None:
        """Change the values of some fields."""
        values = self.values | dict(values)
        if values != self.values:
            self.values = values

    def show_error(self, name: str, words: str) -> None:
        """Show an error at a field."""
        self.wrong = self.wrong | {name: words}

    def clear_errors(self) -> None:
        """Remove the errors of all fields."""
        if self.wrong:
            self.wrong = {}

    def enter(self, name: str, text: str, dragging: bool = False) -> None:
        """Enter a text into a field."""
        if name in self._names:
            self._on_change(name, text[:LONGEST], dragging)

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the name of the field that an entry fills."""
        name = data.get("name")
        return name if isinstance(name, str) else None

    def _receive(self, data: Any) -> None:
        name, text = (
            (data.get("name"), data.get("text")) if isinstance(data, dict) else (None, None)
        )
        if not (isinstance(name, str) and isinstance(text, str)):
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
