"""Upload of a visitor's own mesh, whose body and surface a separate process reads."""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.problems import Body, InsideOut, mass_properties

from ..state.reader import REFUSED, limit_resources, read_beside
from . import meshes

FORMATS = (".stl", ".ply", ".obj")
LARGEST = 20 * 2**20
"""Largest number of bytes of a file."""
MOST_FACES = 200_000


class OwnBody(NamedTuple):
    """The uniform body of mass 1 of a file, its surface, and the numbers of drawn faces and of all
    faces.
    """

    body: Body
    surface: meshes.Surface
    drawn: int
    faces: int


def read_mesh(
    name: str, data: bytes, turn: bool = False, cancel: threading.Event | None = None
) -> OwnBody:
    """The body inside the closed surface of a file, or a `ValueError` in a sentence; takes about a
    second.

    A surface that is inside out raises `InsideOut`, unless `turn` is set. `cancel` ends the reading
    process, and raises `Cancelled`.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(
            f"A mesh is a file whose name ends in .stl, .ply or .obj; {name!r} does not."
        )
    if len(data) > LARGEST:
        raise ValueError(
            f"A mesh may have at most {LARGEST // 2**20} MB; {name!r} has {len(data) / 2**20:.0f} MB."
        )
    with tempfile.TemporaryDirectory(prefix="polhode-mesh-") as folder:
        Path(folder, f"mesh{suffix}").write_bytes(data)
        arguments = [f"mesh{suffix}", *(["turn"] if turn else [])]
        child = read_beside(
            __name__, folder, arguments, cancel, name, "take a simpler mesh", others=(INSIDE_OUT,)
        )
        if child.returncode == INSIDE_OUT:
            raise InsideOut(
                f"The faces of {name} are wound the wrong way, so that its inside is outside."
            )
        with np.load(Path(folder, RESULT)) as made:
            body = Body(Path(name).stem, 1.0, made["J"], made["centre"])
            surface = meshes.Surface(*(made[field] for field in meshes.Surface._fields))
            return OwnBody(body, surface, len(surface.triangles), int(made["faces"]))


INSIDE_OUT = 4
"""The exit code of a process whose mesh could be turned."""
RESULT = "made.npz"


def main(path: str, turn: str = "") -> int:
    """Read a mesh file in the current folder, and write the result beside it."""
    limit_resources()
    # Refuse a larger mesh before the costly steps.
    mass_properties.MAX_TRIANGLES = MOST_FACES
    try:
        body = mass_properties.from_mesh(path, mass=1.0, turn=bool(turn))
    except InsideOut:
        return INSIDE_OUT
    except ValueError as error:
        print(error)
        return REFUSED
    assert body.mesh is not None
    surface = meshes.build_own(body.mesh.vertices, body.mesh.triangles, body.centre)
    np.savez(
        RESULT, J=body.J, centre=body.centre, faces=len(body.mesh.triangles), **surface._asdict()
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
