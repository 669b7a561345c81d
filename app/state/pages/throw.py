"""A recorded throw: the moments of the phone, and the setting with its motion.

As a module, it fits the motion to one file in a process of its own.
"""

from __future__ import annotations

import math
import sys
import threading
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import engine
from engine.body import ThrownBody
from engine.text import finish_sentence, show

from ..choice import choose_problem
from ..links import link
from ..reader import MEMORY_IS_UP, REFUSED, limit_resources, read_beside
from ..recordings import clean_name

DT, DURATION = 0.01, 2.0
"""The step, and the time that the lab shows: five times that of a flight."""
AXES = ("x, to the right", "y, along the long side", "z, out of the screen")
"""The axes of a phone that stands upright."""


MADE = "made.npz"
"""What the process writes beside the file that it reads."""


def fit_throw(name: str, data: bytes, cancel: threading.Event | None = None) -> ThrownBody:
    """Return the body of a recording, or raise `ValueError` in a sentence; takes some seconds. `cancel`
    ends the fit, and raises `Cancelled`.
    """
    name = clean_name(name)
    with TemporaryDirectory(prefix="polhode-throw-") as folder:
        Path(folder, name).write_bytes(data)
        read_beside(__name__, folder, [name], cancel, name, "take the part of the flight alone")
        with np.load(Path(folder, MADE)) as made:
            arrays = ("J", "moments", "errors", "axes", "axis_errors", "Omega0")
            begin, end = made["part"].tolist()
            return ThrownBody(
                **{field: made[field] for field in arrays},
                part=(begin, end),
                rows=int(made["rows"]),
                misfit=float(made["misfit"]),
                remarks=tuple(made["remarks"].tolist()),
            )


def main(path: str) -> int:
    """Fit the motion to a recording in the current folder, and write the body beside it."""
    limit_resources()
    try:
        body = engine.body.from_rates(path)
    except ValueError as error:
        print(error)
        return REFUSED
    except MemoryError:
        return MEMORY_IS_UP
    np.savez(MADE, **vars(body) | {"remarks": np.array(body.remarks, dtype=str)})
    return 0


def list_moments(body: ThrownBody) -> list[tuple[str, str, str]]:
    """Return for each principal axis the axis of the phone nearest to it, its moment over the largest
    one, and the error of that.
    """
    rows = []
    for moment, error, axis in zip(body.moments, body.errors, body.axes.T, strict=True):
        nearest = max(range(3), key=lambda k: abs(axis[k]))
        known = "unknown" if math.isnan(error) else f"± {error:.3f}" if error else "by definition"
        rows.append((AXES[nearest], f"{moment:.3f}", known))
    return rows


def describe_throw(body: ThrownBody) -> list[str]:
    """Return the flight, the misfit and what limits the result, in sentences."""
    begin, end = body.part
    return [
        f"The flight takes {show(end - begin, 3)} s from t = {show(begin, 3)} s, in {body.rows} rows, which deviate "
        f"from the motion of a free body by {show(body.misfit, 2)} rad/s.",
        *map(finish_sentence, body.remarks),
    ]


def link_motion(body: ThrownBody) -> str:
    """Return the link to the motion of this body from the same start, in the lab."""
    free = choose_problem("free").with_changes(
        J=body.J.ravel().tolist(), Omega0=body.Omega0.tolist()
    )
    return link(replace(free, dt=DT, duration=DURATION))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
