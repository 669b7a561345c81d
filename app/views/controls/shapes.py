"""Inertia by a body's shape, sizes and mass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine import body
from engine.text.formatting import capitalise, finish_sentence

from ...state.form_fields import FormField, format_numbers, parse_numbers
from .form import Form

AS_IT_IS = "—"
OWN_MESH = "Your own mesh …"


def racket(length: float, head_length: float, head_width: float, mass: float = 1.0) -> body.Body:
    """A racket of uniform density: a flat head, an ellipsoid, and the handle, a cylinder; both lie
    along e1.
    """
    handle = length - head_length
    if handle <= 0:
        raise ValueError("the head of a racket is shorter than the whole")
    head = body.ellipsoid(head_length / 2, head_width / 2, THIN * head_length, density=1.0)
    rod = body.cylinder(THIN * length, handle, density=1.0)
    rod = rod.place((-length / 2, 0, 0), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    whole = body.compose(head, rod, name="racket")
    return replace(whole, mass=mass, J=mass / whole.mass * whole.J)


THIN = 0.025
"""Half the thickness of a racket's head, and the radius of its handle, relative to their lengths.
"""
SHAPES: dict[str, tuple[Callable[..., body.Body], tuple[float, ...]]] = {
    "Box": (body.box, (1.0, 2.0, 3.0)),
    "Cylinder": (body.cylinder, (0.5, 2.0)),
    "Ellipsoid": (body.ellipsoid, (1.0, 2.0, 3.0)),
    "Dumbbell": (body.dumbbell, (1.0, 1.0, 2.0, 0.3, 0.3)),
    "Racket": (racket, (0.7, 0.36, 0.26)),
    "T-handle": (body.t_handle, (1.0, 0.1, 0.5, 0.08)),
}
"""The function that makes each shape, and its default sizes."""
SHAPE = FormField(
    "shape", "Shape", "A uniform solid that turns about its centre of mass. The body takes its inertia.", "menu",
    options=(AS_IT_IS, *SHAPES, OWN_MESH),
)  # fmt: skip
MASS = FormField("mass", "Mass", "The mass of the whole body.")


class Shapes:
    """Entries for a shape; `on_change(body)` receives each body that they describe, and may refuse
    it.

    Attributes
    ----------
    body : the last of these bodies, if any.
    ask_mesh : is called when a person wants the inertia of a mesh file.
    """

    def __init__(self, on_change: Callable[[body.Body], Any]) -> None:
        self._on_change = on_change
        self.body: body.Body | None = None
        self.ask_mesh: Callable[[], Any] = lambda: None
        self.form = Form(
            self._on_enter,
            fields=[SHAPE],
            values={"shape": AS_IT_IS},
            title="Inertia by shape",
            folded=True,
        )

    def _on_enter(self, name: str, text: str, _: bool) -> None:
        if name == "shape":
            if text not in SHAPE.options:
                return
            if text == OWN_MESH:
                self.form.set_values({"shape": AS_IT_IS})
                self.ask_mesh()
                return
            self._set_shape(text)
        else:
            self.form.set_values({name: text})
        self._make_body()

    def _set_shape(self, shape: str) -> None:
        """Show the fields of another shape, with their names."""
        values = {"shape": shape, "mass": self.form.values.get("mass", "1")}
        if shape == AS_IT_IS:
            self.form.set_fields([SHAPE], values)
            return
        make, sizes = SHAPES[shape]
        names = list(inspect.signature(make).parameters)[: len(sizes)]
        label = ", ".join(name.replace("_", " ") for name in names)
        entry = FormField("sizes", capitalise(label), "Lengths, separated by commas.")
        self.form.set_fields(
            [SHAPE, entry, *([MASS] if _has_mass(shape) else [])],
            values | {"sizes": format_numbers(sizes)},
        )

    def _make_body(self) -> None:
        shape = self.form.values["shape"]
        if shape == AS_IT_IS:
            return
        make, defaults = SHAPES[shape]
        field = "sizes"
        masses = {}
        try:
            sizes = parse_numbers(self.form.values["sizes"])
            if len(sizes) != len(defaults):
                raise ValueError(
                    f"{len(defaults)} numbers are needed here, like {format_numbers(defaults)}"
                )
            if _has_mass(shape):
                field = "mass"
                mass = parse_numbers(self.form.values["mass"])
                if len(mass) != 1 or not mass[0] > 0:
                    raise ValueError("one positive number is needed here")
                field = "sizes"
                masses = {"mass": mass[0]}
            self.body = make(*sizes, **masses)
            self._on_change(self.body)
        except ValueError as error:
            self.form.clear_errors()
            self.form.show_error(field, finish_sentence(str(error)))
        else:
            self.form.clear_errors()


def _has_mass(shape: str) -> bool:
    """Whether one mass belongs to a shape; a dumbbell has two."""
    return "mass" in inspect.signature(SHAPES[shape][0]).parameters
