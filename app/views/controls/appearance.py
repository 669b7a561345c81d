"""The appearance of the body in all pictures of a page."""

from __future__ import annotations

import numpy as np

from ...scene import meshes, upload
from ...state import AUTO, SHAPES, Results
from .shapes import Shapes

OWN = "own"


class Appearance:
    """A shape, or a visitor's mesh, which is drawn only while the problem has its inertia.

    Attributes
    ----------
    shape : the key of a shape; `AUTO` for the problem's, or for that which gave it its inertia;
        `OWN` for the mesh.
    own : the mesh, if there is one.
    """

    def __init__(self, shapes: Shapes | None = None) -> None:
        self._shapes = shapes
        self.shape = AUTO
        self.own: upload.OwnBody | None = None

    @property
    def link_shape(self) -> str:
        """The shape for a link, which cannot contain a mesh."""
        return AUTO if self.shape == OWN else self.shape

    def choose(self, results: Results) -> tuple[str, meshes.Surface | None]:
        """Return the shape to draw, and the visitor's surface to draw in its place, if any."""
        own = self.own
        if (
            self.shape == OWN
            and own is not None
            and np.allclose(own.body.J, results.problem.J, rtol=1e-6)
        ):
            return AUTO, own.surface
        body = self._shapes.body if self._shapes is not None and self.shape == AUTO else None
        if (
            body is not None
            and body.name in SHAPES
            and np.allclose(body.J, results.problem.J, rtol=1e-9)
        ):
            return body.name, None
        return self.shape, None
