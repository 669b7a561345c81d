"""What the body looks like in all pictures of a page: its appearance."""

from __future__ import annotations

import numpy as np

from ..model.results import Results
from ..model.view import AUTO, SHAPES
from ..player import meshes, upload
from .shapes import Shapes

OWN = "own"


class Appearance:
    """A shape, or a visitor's own mesh; that is drawn as long as the problem has its inertia, and no longer.

    Attributes
    ----------
    shape : the key of a shape; `AUTO` is the problem's, or that of which its inertia was taken; `OWN` is the mesh.
    own : the mesh, once there is one.
    """

    def __init__(self, shapes: Shapes | None = None) -> None:
        self._shapes = shapes
        self.shape = AUTO
        self.own: upload.Own | None = None

    @property
    def told(self) -> str:
        """The shape as a link can have it: of a mesh it has nothing."""
        return AUTO if self.shape == OWN else self.shape

    def on(self, results: Results) -> tuple[str, meshes.Surface | None]:
        """The shape to be drawn, and a surface of one's own in its place."""
        own = self.own
        if self.shape == OWN and own is not None and np.allclose(own.body.J, results.problem.J, rtol=1e-6):
            return AUTO, own.surface
        shaped = self._shapes.body if self._shapes is not None and self.shape == AUTO else None
        if shaped is not None and shaped.name in SHAPES and np.allclose(shaped.J, results.problem.J, rtol=1e-9):
            return shaped.name, None
        return self.shape, None
