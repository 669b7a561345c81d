"""The body turning in space, several motions in one scene."""

from __future__ import annotations

from typing import Any

from engine.body import Body

from ..player import meshes
from .poinsot import Poinsot3D


class Body3D(Poinsot3D):
    """The 3D view of the body itself, with its axes, Ω, π and traces; the other methods as ghosts.

    `shape` is "auto" or one of `meshes.SHAPES`; `own` a person's mesh, which goes before it. Both take effect at
    the next `show`.
    """

    kind = "body"
    label = "The body in space"

    def __init__(self) -> None:
        super().__init__()
        self.shape = "auto"
        self._own: meshes.Surface | None = None

    def look(self) -> tuple[Any, ...]:
        """The body's shape, and a surface of one's own."""
        return (self.shape, self._own)

    def use(self, body: Body | None) -> None:
        """Draw the surface of this body, if it has one, in place of a shape."""
        if body is None or body.mesh is None:
            self._own = None
        else:
            self._own = meshes.own(body.mesh.vertices, body.mesh.triangles, body.centre)
