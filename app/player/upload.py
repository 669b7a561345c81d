"""A person's own mesh: a file comes in parts, is read in a process of its own, and gives a body and its surface.

A file can be made so that the library that reads it crashes or asks for all memory there is: in a process of its
own, with bounds on time and memory, that is one more sentence for the person who sent it, and nothing to others.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import engine.body
from engine.body import Body, InsideOut
from engine.wording import sentence

from . import meshes

FORMATS = (".stl", ".ply", ".obj")
LARGEST = 20 * 2**20
"""Bytes of a file."""
MOST_FACES = 200_000
LONGEST = 30
"""Seconds that reading may take."""
MEMORY = 2**30
"""Bytes of address space for the process that reads, half of what a container has; the most faces take 0.7 of it."""
LONGEST_NAME = 60

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Own(NamedTuple):
    """What was made of a file: a uniform body of mass 1, its surface, and how many faces of how many are drawn."""

    body: Body
    surface: meshes.Surface
    drawn: int
    faces: int


class FileParts:
    """Collects the parts of one file, in their order, never more than a file may have."""

    def __init__(self) -> None:
        self._name = ""
        self._held: list[bytes] = []

    def add(self, message: Any) -> tuple[str, bytes] | None:
        """Name and content, when this part was the last; `ValueError` in a sentence if it does not fit the others."""
        name, part, parts, data = _message(message)
        if part == 0:
            self._name, self._held = name, []
        if name != self._name or part != len(self._held):
            self._held = []
            raise ValueError("A part of the file did not arrive; please choose it again.")
        if sum(map(len, self._held)) + len(data) > LARGEST:
            self._held = []
            raise ValueError(f"A mesh may have at most {LARGEST // 2**20} MB; this file has more.")
        self._held.append(data)
        if part + 1 < parts:
            return None
        whole, self._held = b"".join(self._held), []
        return name, whole


def _message(message: Any) -> tuple[str, int, int, bytes]:
    """Name, number of the part, number of parts, and bytes."""
    if isinstance(message, Mapping):
        name, part, parts, data = (message.get(key) for key in ("name", "part", "parts", "data"))
        if (
            isinstance(name, str)
            and isinstance(part, int)
            and isinstance(parts, int)
            and isinstance(data, bytes | bytearray | memoryview)
        ):
            return name[-LONGEST_NAME:], part, parts, bytes(data)
    raise ValueError("This is no part of a file.")


def read(name: str, data: bytes, turn: bool = False) -> Own:
    """The body inside the closed surface of a file, or `ValueError` in a sentence; takes about a second.

    A surface that is inside out is refused by `InsideOut`, or turned.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"A mesh is a file whose name ends in .stl, .ply or .obj; {name!r} does not.")
    if len(data) > LARGEST:
        raise ValueError(f"A mesh may have at most {LARGEST // 2**20} MB; {name!r} has {len(data) / 2**20:.0f} MB.")
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryDirectory(prefix="polhode-mesh-") as folder:
        Path(folder, f"mesh{suffix}").write_bytes(data)
        try:
            child = subprocess.run(
                [sys.executable, "-m", __name__, f"mesh{suffix}", *(["turn"] if turn else [])],
                cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ValueError(f"{name!r} takes more than {LONGEST} seconds to read; take a simpler mesh.") from None
        if child.returncode == INSIDE_OUT:
            raise InsideOut(f"The faces of {name} are wound the wrong way, so that its inside is outside.")
        if child.returncode == REFUSED:
            raise ValueError(sentence(child.stdout.strip().replace(f"mesh{suffix}", name)))
        if child.returncode != 0:
            raise ValueError(f"{name!r} cannot be read: the file is damaged.")
        with np.load(Path(folder, RESULT)) as made:
            body = Body(Path(name).stem, 1.0, made["J"], made["centre"])
            surface = meshes.Surface(*(made[field] for field in meshes.Surface._fields))
            return Own(body, surface, len(surface.triangles), int(made["faces"]))


REFUSED, INSIDE_OUT = 3, 4
"""Exit codes of a process that has said why, and of one whose mesh could be turned."""
RESULT = "made.npz"


def main(path: str, turn: str = "") -> int:
    """Read a mesh file in the folder in which the process stands, and put what is made of it beside it."""
    _bound()
    # Refused before anything costly is done with so many.
    engine.body.MAX_TRIANGLES = MOST_FACES
    try:
        body = engine.body.from_mesh(path, mass=1.0, turn=bool(turn))
    except InsideOut:
        return INSIDE_OUT
    except ValueError as error:
        print(error)
        return REFUSED
    assert body.mesh is not None
    surface = meshes.own(body.mesh.vertices, body.mesh.triangles, body.centre)
    np.savez(RESULT, J=body.J, centre=body.centre, faces=len(body.mesh.triangles), **surface._asdict())
    return 0


def _bound() -> None:
    """Less memory and time than the machine has, where the system can be told so."""
    try:
        import resource
    except ImportError:  # Windows has none of it; there the time is bounded by the parent only
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
