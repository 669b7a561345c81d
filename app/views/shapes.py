"""Inertia by a body's shape, sizes and mass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from engine import body
from engine.wording import capital, sentence

from ..model.entries import FormField, numbers, typed
from .form import Form

AS_IT_IS = "—"
SHAPES: dict[str, tuple[Callable[..., body.Body], tuple[float, ...]]] = {
    "Box": (body.box, (1.0, 2.0, 3.0)),
    "Cylinder": (body.cylinder, (0.5, 2.0)),
    "Ellipsoid": (body.ellipsoid, (1.0, 2.0, 3.0)),
    "Dumbbell": (body.dumbbell, (1.0, 1.0, 2.0, 0.3, 0.3)),
    "T-handle": (body.t_handle, (1.0, 0.1, 0.5, 0.08)),
}
"""What makes each, and sizes to begin with."""
SHAPE = FormField(
    "shape", "Shape", "A solid of one material, turning about its centre of mass, whose inertia is taken.", "menu",
    options=(AS_IT_IS, *SHAPES),
)  # fmt: skip
MASS = FormField("mass", "Mass", "Of the whole body.")


class Shapes:
    """Entries for a shape; `made(body)` is called with each body that they describe, and may refuse it.

    Attributes
    ----------
    body : the last of these, if there is one.
    """

    def __init__(self, made: Callable[[body.Body], Any]) -> None:
        self._made = made
        self.body: body.Body | None = None
        self.form = Form(
            self._take, fields=[SHAPE], values={"shape": AS_IT_IS}, title="Inertia by shape", folded=True
        )

    def _take(self, name: str, text: str, _: bool) -> None:
        if name == "shape":
            if text not in SHAPE.options:
                return
            self._another(text)
        else:
            self.form.fill({name: text})
        self._make()

    def _another(self, shape: str) -> None:
        """Another shape: its own sizes, and what they are called."""
        values = {"shape": shape, "mass": self.form.values.get("mass", "1")}
        if shape == AS_IT_IS:
            self.form.ask([SHAPE], values)
            return
        make, sizes = SHAPES[shape]
        names = list(inspect.signature(make).parameters)[: len(sizes)]
        label = ", ".join(name.replace("_", " ") for name in names)
        entry = FormField("sizes", capital(label), "Lengths, with commas between them.")
        self.form.ask([SHAPE, entry, *([MASS] if _has_mass(shape) else [])], values | {"sizes": numbers(sizes)})

    def _make(self) -> None:
        shape = self.form.values["shape"]
        if shape == AS_IT_IS:
            return
        make, before = SHAPES[shape]
        field, given = "sizes", {}
        try:
            sizes = typed(self.form.values["sizes"])
            if len(sizes) != len(before):
                raise ValueError(f"{len(before)} numbers are wanted here, like {numbers(before)}")
            if _has_mass(shape):
                field = "mass"
                mass = typed(self.form.values["mass"])
                if len(mass) != 1 or not mass[0] > 0:
                    raise ValueError("one positive number is wanted here")
                field, given = "sizes", {"mass": mass[0]}
            self.body = make(*sizes, **given)
            self._made(self.body)
        except ValueError as error:
            self.form.accept()
            self.form.refuse(field, sentence(str(error)))
        else:
            self.form.accept()


def _has_mass(shape: str) -> bool:
    """A dumbbell has two of its own."""
    return "mass" in inspect.signature(SHAPES[shape][0]).parameters
