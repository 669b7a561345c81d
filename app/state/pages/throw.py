"""A recorded throw: the moments of the phone, and the setting with its motion."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import engine
from engine.body import ThrownBody
from engine.text import finish_sentence, show

from ..choice import choose_problem
from ..links import link

DT, DURATION = 0.01, 2.0
"""The step, and the time that the lab shows: five times that of a flight."""
AXES = ("x, to the right", "y, along the long side", "z, out of the screen")
"""The axes of a phone that stands upright."""


def fit_throw(recording: str) -> ThrownBody:
    """Return the body of a recording, a table as CSV."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "recording.csv")
        path.write_text(recording, encoding="utf-8")
        return engine.body.from_rates(path)


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
