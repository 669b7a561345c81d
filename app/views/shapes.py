"""Inertia by a body's shape, sizes and mass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui

from engine import body

from .entries import TextEntry, numbers, told, typed

SIZES = "Lengths, with commas between them."
AS_IT_IS = "—"
SHAPES: dict[str, tuple[Callable[..., body.Body], tuple[float, ...]]] = {
    "Box": (body.box, (1.0, 2.0, 3.0)),
    "Cylinder": (body.cylinder, (0.5, 2.0)),
    "Ellipsoid": (body.ellipsoid, (1.0, 2.0, 3.0)),
    "Dumbbell": (body.dumbbell, (1.0, 1.0, 2.0, 0.3, 0.3)),
    "T-handle": (body.t_handle, (1.0, 0.1, 0.5, 0.08)),
}
"""What makes each, and sizes to begin with."""


class Shapes:
    """Entries for a shape; `made(body)` is called with each body that they describe, and may refuse it."""

    def __init__(self, made: Callable[[body.Body], Any]) -> None:
        self._made = made
        common: dict[str, Any] = {"size": "small", "sizing_mode": "stretch_width"}
        self.shape = pmui.Select(
            label="Shape", options=[AS_IT_IS, *SHAPES], value=AS_IT_IS, **common,
            **told("A solid of one material, turning about its centre of mass, whose inertia is taken"),
        )  # fmt: skip
        self.sizes = TextEntry(label="Sizes", visible=False, **common, **told("Lengths, with commas between them"))
        self.mass = TextEntry(label="Mass", value="1", visible=False, **common, **told("Of the whole body"))
        self.shape.param.watch(lambda _: self._another(), "value")
        for entry in (self.sizes, self.mass):
            entry.param.watch(lambda _: self._make(), "value")
        self._entries = pn.Column(sizing_mode="stretch_width", margin=0)
        self.panel = pmui.Details(
            self._entries, title="Inertia by shape", collapsed=True, outlined=False, sizing_mode="stretch_width",
            margin=(4, 0), sx={"& .MuiTypography-root": {"fontSize": 13}},
        )  # fmt: skip
        self.panel.param.watch(lambda _: self._unfold(), "collapsed")

    def _unfold(self) -> None:
        """The entries are in the page from the first time on that they are seen."""
        self._entries.objects = [self.shape, self.sizes, self.mass]

    def _another(self) -> None:
        """Another shape: its own sizes, and what they are called."""
        shown = self.shape.value != AS_IT_IS
        with pn.io.hold():
            if shown:
                make, sizes = SHAPES[self.shape.value]
                names = list(inspect.signature(make).parameters)[: len(sizes)]
                label = ", ".join(name.replace("_", " ") for name in names)
                self.sizes.param.update(label=label[:1].upper() + label[1:], value=numbers(sizes))
            self.sizes.visible = shown
            self.mass.visible = shown and self._has_mass()
        self._make()

    def _has_mass(self) -> bool:
        """A dumbbell has two of its own."""
        return "mass" in inspect.signature(SHAPES[self.shape.value][0]).parameters

    def _make(self) -> None:
        if self.shape.value == AS_IT_IS:
            return
        make, before = SHAPES[self.shape.value]
        try:
            sizes = typed(self.sizes.value)
            if len(sizes) != len(before):
                raise ValueError(f"{len(before)} numbers are wanted here, like {numbers(before)}")
            mass = {"mass": typed(self.mass.value)[0]} if self._has_mass() else {}
            self._made(make(*sizes, **mass))
        except (ValueError, IndexError) as error:
            words = str(error) if isinstance(error, ValueError) else "a number is wanted for the mass"
            self.sizes.param.update(error_state=True, helper_text=f"{words[:1].upper()}{words[1:].rstrip('.')}.")
        else:
            self.sizes.param.update(error_state=False, helper_text=SIZES)
