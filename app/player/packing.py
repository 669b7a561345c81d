"""How motions travel to the player: as packed bytes, a header in JSON and little-endian arrays behind it.

What is only looked at travels as whole numbers of 16 bits. A motion is t, or its even spacing, R as a quaternion
(w, x, y, z) and Ω, and of a body that moves about its place x; all that is drawn of it follows from these and from
the facts beside them in the browser (assets/scene.js).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.wording import ordinal

from .meshes import Surface

Floats = NDArray[np.float64]

MOST_SAMPLES = 4000
"""Of one track; a longer run is drawn at evenly chosen rows."""
MESH_KINDS = {"points": "i2", "normals": "i1", "tint": "i1", "triangles": "u2", "edges": "i2"}
"""How the parts of a mesh travel; triangles of many points in 32 bits."""


def packed(header: Mapping[str, Any], arrays: Sequence[bytes]) -> bytes:
    """The header's length, the header, and the arrays; all at multiples of four bytes."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *arrays])


def unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header, and what the offsets in it point into."""
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def quaternions(R: Floats) -> Floats:
    """(n, 4) unit quaternions (w, x, y, z) of (n, 3, 3) attitudes, each near the one before (Shepperd)."""
    diagonal = np.einsum("nii->ni", R)
    trace = diagonal.sum(1)
    # Twice each component squared twice, and the products, of which the largest one's row is free of cancellation.
    products = np.empty((len(R), 4, 4))
    products[:, 0, 0] = 1 + trace
    products[:, (1, 2, 3), (1, 2, 3)] = 1 - trace[:, None] + 2 * diagonal
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[:, 0, i + 1] = products[:, i + 1, 0] = R[:, k, j] - R[:, j, k]
        products[:, i + 1, j + 1] = products[:, j + 1, i + 1] = R[:, j, i] + R[:, i, j]
    largest = np.argmax(np.einsum("nii->ni", products), axis=1)
    q = products[np.arange(len(R)), largest]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    signs = np.sign(np.einsum("ni,ni->n", q[1:], q[:-1]))
    q[1:] *= np.cumprod(np.where(signs == 0, 1.0, signs))[:, None]
    return q


def surfaces(drawn: Mapping[str, Surface]) -> bytes:
    """Meshes by name, packed."""
    arrays: list[bytes] = []
    header = {
        name: {
            part: put(arrays, values, "u4" if part == "triangles" and len(x.points) > 65535 else kind)
            for values, (part, kind) in zip(x, MESH_KINDS.items(), strict=True)
        }
        for name, x in drawn.items()
    }
    return packed({"meshes": header}, arrays)


def stride_of(n: int, most: int = MOST_SAMPLES) -> int:
    """Of so many rows each which one is drawn."""
    return -(-n // most)


def downsampled(n: int, most: int = MOST_SAMPLES) -> NDArray[np.intp]:
    """The rows that are drawn, the last among them."""
    rows = np.arange(0, n, stride_of(n, most))
    return rows if rows[-1] == n - 1 else np.append(rows, n - 1)


def thinning(runs: Sequence[Any], most: int = MOST_SAMPLES) -> str:
    """What is said where less is drawn than was computed."""
    stride = max((stride_of(len(run), most) for run in runs), default=1)
    return f" Of long runs each {ordinal(stride)} state is drawn." if stride > 1 else ""


def packed_motion(
    t: Floats, q: Floats, Omega: Floats, arrays: list[bytes], *, x: Floats | None = None, **told: Any
) -> dict[str, Any]:
    """A motion's part of the header, with what else is `told` of it; its numbers go to `arrays`."""
    motion: dict[str, Any] = told | {"n": len(t)}
    spacing = float(t[-1]) / max(len(t) - 1, 1)
    if np.abs(t - spacing * np.arange(len(t))).max() <= 1e-9 * t[-1]:
        motion["spacing"] = spacing
    else:
        motion["t"] = put(arrays, t)
    motion |= {"q": put(arrays, q), "Omega": put(arrays, Omega, "i2")}
    return motion if x is None else motion | {"x": put(arrays, x, "i2")}


def put(arrays: list[bytes], values: NDArray[Any], kind: str = "f4") -> list[Any]:
    """Add an array to the others: its offset in bytes, count and kind of numbers, and what 1 of them stands for.

    Signed whole numbers ("i1", "i2") stand for fractions of the largest value.
    """
    offset, unit = sum(map(len, arrays)), 1.0
    if kind.startswith("i"):
        unit = float(np.abs(values).max(initial=0.0)) / np.iinfo(kind).max or 1.0
        values = np.rint(values / unit)
    data = np.ascontiguousarray(values, f"<{kind}").tobytes()
    arrays.append(data + bytes(-len(data) % 4))
    return [offset, values.size, kind, unit]
