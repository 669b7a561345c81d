"""The format of motions and meshes for the player: a JSON header, followed by little-endian arrays.

Numbers that are only drawn are integers of 16 bits. A motion has t or its even spacing, R as a
quaternion (w, x, y, z), Ω, x if the body moves, and the torque in space if it is typed.
assets/js/scene/build-scene.js draws a scene from these and from its facts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.text.formatting import format_ordinal

from .meshes import Surface

Floats = NDArray[np.float64]

MOST_SAMPLES = 4000
"""Largest number of rows of a track; a longer run is drawn at evenly spaced rows."""
MESH_KINDS = {"points": "i2", "normals": "i1", "tint": "i1", "triangles": "u2", "edges": "i2"}
"""The types of the parts of a mesh; triangles of many points take 32 bits."""


def pack(header: Mapping[str, Any], arrays: Sequence[bytes]) -> bytes:
    """The length of the header, the header, and the arrays, each at a multiple of four bytes."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *arrays])


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header, and the bytes that its offsets refer to."""
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def pack_surfaces(drawn: Mapping[str, Surface]) -> bytes:
    """Meshes by name, packed."""
    arrays: list[bytes] = []
    header = {
        name: {
            part: append_array(
                arrays, values, "u4" if part == "triangles" and len(x.points) > 65535 else kind
            )
            for values, (part, kind) in zip(x, MESH_KINDS.items(), strict=True)
        }
        for name, x in drawn.items()
    }
    return pack({"meshes": header}, arrays)


def row_stride(n: int, most: int) -> int:
    """The distance of the rows that are drawn."""
    return -(-n // most)


def choose_rows(n: int, most: int = MOST_SAMPLES) -> NDArray[np.intp]:
    """The rows that are drawn, with the last."""
    rows = np.arange(0, n, row_stride(n, most))
    return rows if rows[-1] == n - 1 else np.append(rows, n - 1)


def describe_thinning(runs: Sequence[Any], most: int = MOST_SAMPLES) -> str:
    """A sentence on the rows that are drawn, if not all are."""
    stride = max((row_stride(len(run), most) for run in runs), default=1)
    return (
        f" Pictures of long runs show every {format_ordinal(stride)} state." if stride > 1 else ""
    )


def pack_motion(
    t: Floats,
    q: Floats,
    Omega: Floats,
    arrays: list[bytes],
    *,
    x: Floats | None = None,
    torque: Floats | None = None,
    **labels: Any,
) -> dict[str, Any]:
    """The part of the header for a motion, with its `labels`; its numbers are added to `arrays`."""
    motion: dict[str, Any] = labels | {"n": len(t)}
    spacing = float(t[-1]) / max(len(t) - 1, 1)
    if np.abs(t - spacing * np.arange(len(t))).max() <= 1e-9 * t[-1]:
        motion["spacing"] = spacing
    else:
        motion["t"] = append_array(arrays, t)
    motion |= {"q": append_array(arrays, q), "Omega": append_array(arrays, Omega, "i2")}
    given = {"x": x, "torque": torque}
    return motion | {
        name: append_array(arrays, values, "i2")
        for name, values in given.items()
        if values is not None
    }


def append_array(arrays: list[bytes], values: NDArray[Any], kind: str = "f4") -> list[Any]:
    """Add an array; return its offset in bytes, its count and type of numbers, and the unit of the
    numbers.

    Signed integers ("i1", "i2") are fractions of the largest value.
    """
    offset = sum(map(len, arrays))
    unit = 1.0
    if kind.startswith("i"):
        unit = float(np.abs(values).max(initial=0.0)) / np.iinfo(kind).max or 1.0
        values = np.rint(values / unit)
    data = np.ascontiguousarray(values, f"<{kind}").tobytes()
    arrays.append(data + bytes(-len(data) % 4))
    return [offset, values.size, kind, unit]
