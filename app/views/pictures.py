"""What makes the pictures in space, by their names; a picture may change the widgets that it is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..player import two_bodies
from .appearance import Appearance
from .body import Body3D
from .chooser import Chooser
from .flat import FlatPoinsot
from .poinsot import Poinsot3D
from .sphere import MomentumSphere
from .two_bodies import TwoBodies3D

Pictures = dict[str, Callable[[], Any]]


def of_one_body(chooser: Chooser, appearance: Appearance) -> Pictures:
    """Those of one body, which all have it look alike."""
    return {
        "Poinsot": partial(Poinsot3D, appearance, chooser.dragging("R0")),
        "Body in space": partial(Body3D, chooser.take_body, appearance, chooser.dragging("R0")),
        "|Π| sphere": partial(MomentumSphere, chooser.dragging("Omega0")),
        "Flat views": FlatPoinsot,
    }


def of_two_bodies(*_: Any) -> Pictures:
    """Both bodies in space, and as they are seen from body 2."""
    return {frame: partial(TwoBodies3D, frame) for frame in (two_bodies.INERTIAL, two_bodies.RELATIVE)}


PICTURES: dict[str, Callable[[Chooser, Appearance], Pictures]] = {"so3": of_one_body, "se3": of_two_bodies}
"""By the space that a choice is of."""
