"""The body in space, with several motions in one scene, as a shape or as a visitor's mesh."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import engine
from engine.problems import Body, InsideOut
from engine.text.formatting import capitalise, show

from ...scene import upload
from ...server.worker import FILES, Progress, Task, Worker
from ...state import AUTO
from ...state.view import SHAPES as SHAPE_KEYS
from ..controls.appearance import OWN, Appearance
from .poinsot import Poinsot3D

SHAPES = [[AUTO, "As in the problem"], *([shape, capitalise(shape)] for shape in SHAPE_KEYS)]


class Body3D(Poinsot3D):
    """The 3D view of the body, with its axes, Ω, π and traces; the bodies of other methods are
    translucent.

    `on_body` receives the body that a visitor's mesh encloses, of mass 1 and in the units of the
    file, whose inertia the problem takes.
    """

    kind = "body"
    label = label_with_torque = "The body in space"

    def __init__(
        self,
        on_body: Callable[[Body], Any] | None = None,
        appearance: Appearance | None = None,
        on_turn: Callable[[str, bool], Any] | None = None,
    ) -> None:
        super().__init__(appearance, on_turn)
        self._on_body = on_body
        self._worker = Worker(FILES)
        self._inside_out: tuple[str, bytes] | None = None
        self.panel = self._make_player(
            on_file=self._load, on_offer=self._turn_faces, bodies=SHAPES, body=AUTO
        )
        self.panel.param.watch(self._set_shape, "body")

    def use_mesh(self, own: upload.OwnBody) -> None:
        """Use the inertia and the surface of a mesh."""
        self._appearance.own = own
        self.panel.param.update(bodies=[*SHAPES, [OWN, own.body.name]], said=describe_mesh(own))
        if self.panel.body == OWN:
            self._use_inertia(own.body)
        else:
            self.panel.body = OWN

    def _set_shape(self, event: Any) -> None:
        self._appearance.shape = event.new
        if event.new == OWN and self._appearance.own is not None:
            self._use_inertia(self._appearance.own.body)
        elif self._results is not None:
            self.show(self._results)

    def _use_inertia(self, body: Body) -> None:
        if self._on_body is not None:
            try:
                self._on_body(body)
            except ValueError as error:
                self.panel.said = str(error)

    def _load(self, name: str, data: bytes, turn: bool = False) -> None:
        """Read a visitor's file beside the page; a newer file replaces it."""
        self._inside_out = None
        self.panel.offer = ""
        self.panel.said = f"Reading {name} …"
        work = partial(read_mesh, name, data, turn)
        self._worker.start(Task(work, partial(self._take, name, data), on_error=self._show_error))

    def _turn_faces(self) -> None:
        """Read a file again whose faces point inwards, and turn them."""
        if self._inside_out is not None:
            self._load(*self._inside_out, turn=True)

    def _take(self, name: str, data: bytes, own: upload.OwnBody | ValueError | None) -> None:
        """Use a mesh that was read, or show why it cannot be; None if reading was stopped."""
        if isinstance(own, ValueError):
            self._show_refusal(name, data, own)
        elif own is not None:
            self.use_mesh(own)
        else:
            self.panel.said = ""

    def _show_error(self, error: Exception) -> None:
        self.panel.said = f"The file could not be read: {error}"

    def _show_refusal(self, name: str, data: bytes, error: ValueError) -> None:
        if isinstance(error, InsideOut):
            self._inside_out = (name, data)
            self.panel.offer = TURN
        self.panel.said = str(error)


TURN = "Turn the faces"


def read_mesh(
    name: str, data: bytes, turn: bool, cancel: engine.Cancellation, _: Progress
) -> upload.OwnBody | ValueError:
    """Return the body of a mesh, or the reason why there is none."""
    try:
        return upload.read_mesh(name, data, turn, cancel)
    except ValueError as refusal:
        return refusal


def describe_mesh(own: upload.OwnBody) -> str:
    """Return the number of faces, how many are drawn, and the moments of inertia."""
    moments = ", ".join(show(x, 4) for x in own.body.principal()[0])
    drawn = f", drawn with {own.drawn}" if own.drawn < own.faces else ""
    return f"{own.faces} faces{drawn}. Principal moments of inertia for mass 1: {moments}."
