"""Fuzzing of meshes: the reader answers or refuses, within its bounds on memory and time."""

from __future__ import annotations

import io
import os
import random
import struct
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from processes import worker
from trials import Cases, check_sentence, trial

from app.scene import upload
from app.state.reader import REFUSED
from engine.problems.mass_properties import InsideOut

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip
"""Of a cube, wound anticlockwise as seen from outside."""


def obj() -> bytes:
    return "".join(
        [
            *(f"v {x} {y} {z}\n" for x, y, z in CORNERS),
            *(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES),
        ]
    ).encode()


def stl() -> bytes:
    facets = (
        struct.pack("<12fH", 0, 0, 0, *(x for i in face for x in CORNERS[i]), 0) for face in FACES
    )
    return b"cube".ljust(80) + struct.pack("<I", len(FACES)) + b"".join(facets)


def stl_as_text() -> bytes:
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*CORNERS[i]) for i in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid cube\n{facets}endsolid cube\n".encode()


def ply() -> bytes:
    head = "ply\nformat ascii 1.0\nelement vertex 8\n" + "".join(
        f"property float {axis}\n" for axis in "xyz"
    )
    head += f"element face {len(FACES)}\nproperty list uchar int vertex_indices\nend_header\n"
    body = [
        *("{} {} {}\n".format(*corner) for corner in CORNERS),
        *("3 {} {} {}\n".format(*face) for face in FACES),
    ]
    return (head + "".join(body)).encode()


WHOLE = {"a.obj": obj, "b.stl": stl, "c.stl": stl_as_text, "d.ply": ply}
TOKENS = (
    b"nan",
    b"1e999",
    b"-1",
    b"99999999999",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\n",
    b" ",
    b"/",
    b"property",
    b"f 1",
)


def change_cube(chance: random.Random) -> tuple[str, bytes]:
    """Return a file name and a cube with some bytes changed, omitted, repeated or replaced by odd
    words.
    """
    name = chance.choice(sorted(WHOLE))
    data = bytearray(WHOLE[name]())
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.choice((1, 4, 12, 50, 400))]
            case 2:
                data[at:at] = data[at : at + chance.choice((1, 12, 50))] * chance.choice(
                    (1, 3, 100)
                )
            case 3:
                data[at : at + chance.choice((0, 1, 4))] = chance.choice(TOKENS)
            case _:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 4, 12))))
    return name, bytes(data)


def read_in_forks(folder: str, first: int, count: int) -> list[tuple[int, int, str]]:
    """In another process: read each mesh in a fork with the reader's bounds; return its outcome and
    words.
    """
    os.chdir(folder)
    import pyvista  # noqa: F401  once for all, as the two below
    import scipy.sparse.csgraph
    import scipy.spatial  # noqa: F401

    ends = []
    for number in range(first, first + count):
        name, data = change_cube(random.Random(number))
        Path(name).write_bytes(data)
        child = os.fork()
        if child == 0:
            code = 255
            try:
                os.close(2)
                said = io.StringIO()
                with redirect_stdout(said):
                    code = upload.main(name)
                Path("said").write_text(said.getvalue())
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ends.append((number, code, Path("said").read_text() if code == REFUSED else ""))
    return ends


@trial("meshes with changed, missing and repeated bytes, read as by the page", short=20, full=1_000)
def mesh_files(folder: Path) -> Iterator[Cases]:
    with worker() as there:

        def cases(first: int, count: int) -> None:
            for number, code, said in there.submit(
                read_in_forks, str(folder), first, count
            ).result():
                # A library that crashes ends this process alone, and the page says that the file is
                # damaged.
                ended = code < 0 or code in (0, REFUSED, upload.INSIDE_OUT)
                assert ended, f"case {number} ends with code {code}"
                assert code != REFUSED or not check_sentence(said.strip())

        yield cases


@trial(
    "the same through the page's own function, which starts the process that reads",
    short=1,
    full=30,
)
def uploads(folder: Path) -> Iterator[Cases]:
    def cases(first: int, count: int) -> None:
        for number in range(first, first + count):
            try:
                assert upload.read_mesh(*change_cube(random.Random(number))).faces > 0
            except (ValueError, InsideOut) as refused:
                check_sentence(refused)

    assert sys.platform != "win32"
    yield cases
