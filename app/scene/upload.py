"""Upload of a visitor's own mesh: the file arrives in parts, and a separate process reads its body
and surface.

A malicious file can crash the library that reads it, or exhaust the memory. The process has bounds
on time and memory, so that this results in a message to its sender and does not affect others.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from engine.kernels import Cancelled, is_cancelled
from engine.problems import Body, InsideOut, mass_properties
from engine.text.formatting import finish_sentence

from . import meshes

FORMATS = (".stl", ".ply", ".obj")
LARGEST = 20 * 2**20
"""Largest number of bytes of a file."""
MOST_FACES = 200_000
LONGEST, PATIENCE = 30, 300
"""Largest numbers of seconds for reading: of processor time, and in all, on a machine with other
work.
"""
CHECK_EVERY = 0.1
"""Seconds between two checks whether the visitor still waits for the body."""
MEMORY = 2**30
"""Bytes of the reading process, half of a container's: of address space, which the largest mesh
fills to 0.7; where the system does not limit that, of resident memory.
"""
BYTES = bytes | bytearray | memoryview
LONGEST_NAME = 60

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class OwnBody(NamedTuple):
    """The uniform body of mass 1 of a file, its surface, and the numbers of drawn faces and of all
    faces.
    """

    body: Body
    surface: meshes.Surface
    drawn: int
    faces: int


class FileParts:
    """Collects the parts of a file in their order, up to the largest size of a file."""

    def __init__(self) -> None:
        self._name = ""
        self._held: list[bytes] = []

    def add(self, message: Any) -> tuple[str, bytes] | None:
        """Add a part; return name and content after the last one. A part that does not fit raises a
        `ValueError`.
        """
        name, part, parts, data = _message(message)
        if part == 0:
            self._name = name
            self._held = []
        if name != self._name or part != len(self._held):
            self._held = []
            raise ValueError("A part of the file did not arrive; please choose it again.")
        if sum(map(len, self._held)) + len(data) > LARGEST:
            self._held = []
            raise ValueError(f"A mesh may have at most {LARGEST // 2**20} MB; this file has more.")
        self._held.append(data)
        if part + 1 < parts:
            return None
        whole = b"".join(self._held)
        self._held = []
        return name, whole


def _message(message: Any) -> tuple[str, int, int, bytes]:
    """Name, number of the part, number of parts, and bytes of a message."""
    match message:
        case {"name": str(name), "part": int(part), "parts": int(parts), "data": data} if (
            isinstance(data, BYTES)
        ):
            return name[-LONGEST_NAME:], part, parts, bytes(data)
    raise ValueError("This is no part of a file.")


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
        try:
            child = run_reader(folder, [f"mesh{suffix}", *(["turn"] if turn else [])], cancel)
        except subprocess.TimeoutExpired:
            raise ValueError(
                f"{name!r} takes more than {PATIENCE} seconds to read; take a simpler mesh."
            ) from None
        if child.returncode == TIME_IS_UP:
            raise ValueError(
                f"{name!r} takes more than {LONGEST} seconds to read; take a simpler mesh."
            )
        if child.returncode == MEMORY_IS_UP:
            raise ValueError(f"{name!r} takes too much memory to read; take a simpler mesh.")
        if child.returncode == INSIDE_OUT:
            raise InsideOut(
                f"The faces of {name} are wound the wrong way, so that its inside is outside."
            )
        if child.returncode == REFUSED:
            raise ValueError(finish_sentence(child.stdout.strip().replace(f"mesh{suffix}", name)))
        if child.returncode != 0:
            raise ValueError(f"{name!r} cannot be read: the file is damaged.")
        with np.load(Path(folder, RESULT)) as made:
            body = Body(Path(name).stem, 1.0, made["J"], made["centre"])
            surface = meshes.Surface(*(made[field] for field in meshes.Surface._fields))
            return OwnBody(body, surface, len(surface.triangles), int(made["faces"]))


def run_reader(
    folder: str, arguments: Sequence[str], cancel: threading.Event | None
) -> subprocess.CompletedProcess[str]:
    """Run `main` in a process of its own, in this folder."""
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", __name__, *arguments]
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen(
        command, cwd=folder, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as child:  # fmt: skip
        try:
            while True:
                if is_cancelled(cancel):
                    raise Cancelled
                with suppress(subprocess.TimeoutExpired):
                    printed, _ = child.communicate(timeout=CHECK_EVERY)
                    return subprocess.CompletedProcess(command, child.returncode, printed)
                if time.monotonic() > deadline:
                    raise subprocess.TimeoutExpired(command, PATIENCE)
                if excess := _find_excess(child.pid):
                    return subprocess.CompletedProcess(command, excess, "")
        finally:
            child.kill()


def _find_excess(process: int) -> int | None:
    """Return `MEMORY_IS_UP` or `TIME_IS_UP` if a process has used more than it may."""
    try:
        reader = psutil.Process(process)
        family = [
            reader,
            *reader.children(),
        ]  # on Windows, a virtual environment's Python starts another
        memory = sum(one.memory_info().rss for one in family)
        seconds = sum(sum(one.cpu_times()[:2]) for one in family)
    except psutil.Error:  # it has ended
        return None
    if memory > MEMORY:
        return MEMORY_IS_UP
    return TIME_IS_UP if seconds > LONGEST else None


REFUSED, INSIDE_OUT, MEMORY_IS_UP = 3, 4, 5
"""Exit codes of a process that printed its reason, of one whose mesh could be turned, and of one
that has taken too much memory.
"""
TIME_IS_UP = -getattr(signal, "SIGXCPU", sys.maxsize)
"""The exit code of a process that has used up its processor time."""
RESULT = "made.npz"


def main(path: str, turn: str = "") -> int:
    """Read a mesh file in the current folder, and write the result beside it."""
    _limit_resources()
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


def _limit_resources() -> None:
    """Have the system limit memory and time, as far as it does: `_find_excess` is for the rest."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError):  # macOS
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # The first of these limits sends a signal that gives the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
