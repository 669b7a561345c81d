"""The pictures of each page by name; dragging in a picture changes the widgets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...scene import two_bodies
from ..controls.appearance import Appearance
from ..controls.chooser import Chooser
from .body_scene import Body3D
from .flat_poinsot import FlatPoinsot
from .momentum_sphere import Momentum3D, MomentumSphere
from .poinsot import Poinsot3D
from .two_bodies import TwoBodies3D

Pictures = dict[str, Callable[[], Any]]


def list_one_body(chooser: Chooser, appearance: Appearance) -> Pictures:
    """Return the pictures of one body, which share its appearance."""
    return {
        "Poinsot": partial(Poinsot3D, appearance, chooser.drag_handler("R0")),
        "Body in space": partial(Body3D, chooser.set_body, appearance, chooser.drag_handler("R0")),
        "|Π| sphere": partial(Momentum3D, appearance, chooser.drag_handler("Omega0")),
        "|Π| flat": partial(MomentumSphere, chooser.drag_handler("Omega0")),
        "Flat views": FlatPoinsot,
    }


def list_two_bodies(*_: Any) -> Pictures:
    """Return the pictures of two bodies: in space, and relative to body 2."""
    return {frame: partial(TwoBodies3D, frame) for frame in (two_bodies.INERTIAL, two_bodies.RELATIVE)}


PICTURES: dict[str, Callable[[Chooser, Appearance], Pictures]] = {"so3": list_one_body, "se3": list_two_bodies}
"""Pictures by the space of a choice."""
