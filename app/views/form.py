"""A form: entries to type in, sliders, menus and switches, one below the other, all of them one component.

A change of the page tells the browser what all of them say at once, and it draws those that say something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import param

from ..bundle import ASSETS, fetched
from ..component import Component
from ..model.entries import FormField

LONGEST = 1000
"""Characters of a text that are looked at."""


class Form(Component):
    """Fields; `changed(name, text, dragging)` is called with what a person types, picks, switches or drags.

    With a title it is folded until its title is clicked.
    """

    fields = param.List(doc="Each a `FormField` as a dictionary.")
    values = param.Dict(default={}, doc="What they say, by name.")
    wrong = param.Dict(default={}, doc="Why what was asked of one cannot be had, by name.")
    title = param.String(doc="Under which they are folded, if there is one.")
    folded = param.Boolean(default=False, doc="Whether they are folded.")

    _bundle = ASSETS / "form.js"
    _stylesheets: ClassVar = [fetched("field"), fetched("form")]

    def __init__(
        self,
        changed: Callable[[str, str, bool], Any],
        released: Callable[[], Any] = lambda: None,
        fields: Sequence[FormField] = (),
        **params: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width", **({"margin": 0} | params))
        self._changed, self._released = changed, released
        self._asked: set[str] = set()
        self.ask(fields, self.values)

    def takes(self, name: str, value: Any) -> bool:
        """That it was folded or unfolded."""
        return name == "folded" and isinstance(value, bool)

    def ask(self, fields: Sequence[FormField], values: Mapping[str, str]) -> None:
        """Have other fields, which say this."""
        self._asked = {field.name for field in fields} | {button[0] for field in fields for button in field.buttons}
        self.param.update(fields=[asdict(field) for field in fields], values=dict(values), wrong={})

    def say(self, fields: Sequence[FormField], values: Mapping[str, str]) -> None:
        """Say this, in other fields only if they are others."""
        if [asdict(field) for field in fields] == self.fields:
            self.fill(values)
        else:
            self.ask(fields, values)

    def fill(self, values: Mapping[str, str]) -> None:
        """Let some of them say something else."""
        values = self.values | dict(values)
        if values != self.values:
            self.values = values

    def refuse(self, name: str, words: str) -> None:
        """Say at one of them why something cannot be had."""
        self.wrong = self.wrong | {name: words}

    def accept(self) -> None:
        """Take back what was said against any."""
        if self.wrong:
            self.wrong = {}

    def take(self, name: str, text: str, dragging: bool = False) -> None:
        """A person asks for this."""
        if name in self._asked:
            self._changed(name, text[:LONGEST], dragging)

    def _handle_msg(self, data: Any) -> None:
        name, text = (data.get("name"), data.get("text")) if isinstance(data, dict) else (None, None)
        if not (isinstance(name, str) and isinstance(text, str)):
            return
        before = self.values
        try:
            self.take(name, text, data.get("moved") is True)
            if data.get("held") is not True:
                self._released()
        finally:
            if self.values == before:  # or they are the answer
                self._send_msg({"answered": name})
