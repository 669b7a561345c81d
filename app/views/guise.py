"""What the body looks like, in all pictures of a page."""

from __future__ import annotations

import numpy as np

from ..player import meshes, upload
from ..results import Results

AUTO, OWN = "auto", "own"


class Guise:
    """A shape, or a visitor's own mesh; that is drawn as long as the problem has its inertia, and no longer.

    Attributes
    ----------
    shape : the key of a shape; `AUTO` is the problem's, `OWN` the mesh.
    own : the mesh, once there is one.
    """

    def __init__(self) -> None:
        self.shape = AUTO
        self.own: upload.Own | None = None

    def on(self, results: Results) -> tuple[str, meshes.Surface | None]:
        """The shape to be drawn, and a surface of one's own in its place."""
        own = self.own
        if self.shape == OWN and own is not None and np.allclose(own.body.J, results.problem.J, rtol=1e-6):
            return AUTO, own.surface
        return self.shape, None
