"""What can be taken along: a link, a snippet, the run files, and a replay that needs neither server nor network."""

from __future__ import annotations

import base64
import io
import json
import math
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

import engine

from .results import EXACT_COLOUR, Results, energy_error, momentum_error
from .session import Choice

Array = NDArray[np.float64]

MOST_BYTES = 50_000_000
"""What a download may hold at most."""
DIGITS = 22
"""Bytes that a number takes in a CSV file, with its comma."""
ENDINGS = ("parquet", "npz", "csv")


class TooLarge(ValueError):
    """What was asked for holds more than a download may."""


def polhode_version() -> str:
    """The version that links and files carry."""
    try:
        return version("polhode")
    except PackageNotFoundError:
        return "not installed"


def link(choice: Choice) -> str:
    """The query that leads to a choice, with the version that made it."""
    return "?" + urlencode(choice.query() | {"version": polhode_version()}, safe=",()*")


# ------------------------------------------------------------------------------------------------- run files


def run_files(results: Results, ending: str = "parquet", most: int = MOST_BYTES) -> bytes:
    """A zip file with each run as .parquet, .npz or .csv, and the snippet that makes them again.

    Raises
    ------
    TooLarge
        If the files would hold more than `most` bytes before they are packed, in one sentence.
    """
    if ending not in ENDINGS:
        raise ValueError(f"runs are saved as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; got {ending!r}")
    size = sum(len(run) * len(run.columns()) for run in runs(results)) * (DIGITS if ending == "csv" else 8)
    if size > most:
        raise TooLarge(
            f"The runs hold {size / 1e6:,.0f} MB as .{ending}, and a download may hold {most / 1e6:,.0f} MB; "
            "the Python snippet makes them on your own machine."
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, tempfile.TemporaryDirectory() as folder:
        for run in runs(results):
            saved = run.save(Path(folder) / f"{filename(run)}.{ending}")
            archive.write(saved, saved.name)
        archive.writestr("runs.py", results.choice.snippet())
        archive.writestr("link.txt", link(results.choice) + "\n")
    return packed.getvalue()


def runs(results: Results) -> list[engine.Run]:
    """The runs that there are."""
    return [line.run for line in results.lines if line.run is not None]


def filename(run: engine.Run) -> str:
    """Problem and method, in letters that every file system takes."""
    name = f"{run.problem.label} {run.method.label}"
    return "".join(c if c.isalnum() or c in "+-=." else "_" for c in name).strip("_")


# ------------------------------------------------------------------------------------------------- the replay


def replay(results: Results) -> str:
    """One HTML file with the bodies turning and the errors growing; it opens anywhere, and asks for nothing."""
    choice, problem = results.choice, results.problem
    title = f"{problem.name}: {', '.join(choice.methods)}"
    said = {line.label: line.run.message if line.run is not None else line.why_not for line in results.lines}
    notes = [f"{label}: {text}" for label, text in said.items() if text]
    filled = {
        "TITLE": escape(title),
        "SUMMARY": escape(problem.summary),
        "SETTING": escape(
            f"Δt = {choice.dt:.6g}, duration {choice.duration:.6g}, {choice.steps:,} steps; "
            f"made by Polhode, version {polhode_version()}"
        ),
        "NOTES": "".join(f"<p class=note>{escape(note)}</p>" for note in notes),
        "PLOTS": "".join(svg(*plot) for plot in plots(results)),
        "SNIPPET": escape(choice.snippet()),
        "LINK": escape(link(choice)),
        "DATA": json.dumps(motions(results), ensure_ascii=False).replace("<", "\\u003c"),
    }
    page = TEMPLATE.read_text(encoding="utf-8")
    for name, text in filled.items():
        page = page.replace(f"<!--{name}-->", text)
    return page


TEMPLATE = files("app") / "replay.html"
"""The page, with its script and places for what is filled in."""


def motions(results: Results) -> dict[str, Any]:
    """What the replay's script draws: the box, and of each motion the quaternions at the rows kept."""
    bodies = [
        {"label": line.label, "colour": line.colour, "t": packed(line.run.t), "q": packed(quaternions(line.run.R))}
        | {"stopped": line.run.status != "done", "pi": np.round(line.run.pi[0], 9).tolist()}
        for line in results.lines
        if line.run is not None
    ]
    if results.exact is not None:
        exact = results.exact
        told = {"label": "exact", "colour": EXACT_COLOUR, "stopped": False}
        motion = {"t": packed(np.atleast_1d(exact.t)), "q": packed(quaternions(exact.R.reshape(-1, 3, 3)))}
        bodies.append(told | motion | {"pi": np.round(exact.pi.reshape(-1, 3)[0], 9).tolist()})
    moments, axes = results.problem.principal
    return {
        "box": sides(moments),
        "axes": axes.tolist(),
        "free": results.free,
        "duration": max((float(run.t[-1]) for run in runs(results)), default=0.0),
        "speed": natural_speed(float(np.linalg.norm(results.problem.Omega0))),
        "bodies": bodies,
    }


def sides(moments: Array) -> list[float]:
    """The box that has these moments of inertia, the longest side being 2; no side is less than a tenth of it."""
    squares = np.sum(moments) / 2 - moments
    lengths = np.sqrt(np.maximum(squares, 0.0))
    return [float(side) for side in np.maximum(2 * lengths / lengths.max(), 0.2)]


def natural_speed(rate: float) -> float:
    """Units of time for a second of the replay: so that the body turns once in two seconds, rounded to 1, 2 or 5."""
    wanted = math.pi / rate if rate > 1e-9 else 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= wanted * (1 + 1e-9))


def quaternions(R: Array) -> Array:
    """(n, 4) of attitudes (n, 3, 3), w first, with no jumps of sign; of no rotation the nearest direction."""
    diagonal = np.diagonal(R, axis1=1, axis2=2)
    trace = diagonal.sum(axis=1)
    squares = np.column_stack([1 + trace, *(1 + 2 * diagonal.T - trace)])
    at = np.argmax(squares, axis=1)
    i, j, k = 0, 1, 2
    w = R[:, k, j] - R[:, j, k], R[:, i, k] - R[:, k, i], R[:, j, i] - R[:, i, j]
    xy, xz, yz = R[:, i, j] + R[:, j, i], R[:, i, k] + R[:, k, i], R[:, j, k] + R[:, k, j]
    from_each = np.stack(
        [
            np.column_stack([squares[:, 0], *w]),
            np.column_stack([w[0], squares[:, 1], xy, xz]),
            np.column_stack([w[1], xy, squares[:, 2], yz]),
            np.column_stack([w[2], xz, yz, squares[:, 3]]),
        ],
        axis=1,
    )
    q = from_each[np.arange(len(R)), at]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    jumps = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(jumps)[:, None]
    return q


def packed(series: Array) -> str:
    """Numbers as the script reads them: 32-bit, in base 64."""
    return base64.b64encode(np.ascontiguousarray(series, dtype="<f4").tobytes()).decode()


# ------------------------------------------------------------------------------------------------- its plots

WIDTH, HEIGHT = 560, 168
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 26, 24
COLUMNS = 500
"""Of the times that fall into one of so many columns the least and the largest value are drawn."""
FLOOR = 1e-17

Curve = tuple[str, str, Array, Array]
"""Label, colour, times and values."""


def plots(results: Results) -> Iterator[tuple[str, list[Curve]]]:
    """The curves of each plot."""
    lines = results.runs
    kept = results.problem.invariants
    measures: list[tuple[str, Any]] = []
    if "energy" in kept:
        measures.append(("Energy error |ΔE/E₀|", energy_error))
    if "pi" in kept:
        measures.append(("Momentum error |Δπ|/|π₀|", lambda run: np.linalg.norm(momentum_error(run), axis=1)))
    elif "pi_e3" in kept:
        measures.append(("|Δ(π·e3)|", lambda run: run.observed["pi_e3"] - run.observed["pi_e3"][0]))
    measures.append(("‖RᵀR − 1‖", lambda run: run.orthogonality))
    for title, measure in measures:
        yield title, [(one.label, one.colour, one.run.t, np.abs(measure(one.run))) for one in lines if one.run]
    attitude = [(one.label, one.colour, one.error.t, one.error.attitude) for one in lines if one.error]
    if attitude:
        yield "Attitude error, rad", attitude


def svg(title: str, curves: Sequence[Curve]) -> str:
    """A plot with a logarithmic scale and a place for the time's cursor."""
    curves = [(label, colour, t, np.where(np.isfinite(y), y, np.inf)) for label, colour, t, y in curves]
    finite = [y[np.isfinite(y) & (y > FLOOR)] for *_, y in curves]
    low = min((math.floor(math.log10(y.min())) for y in finite if y.size), default=-16)
    high = max((math.ceil(math.log10(y.max())) for y in finite if y.size), default=0)
    high = max(high, low + 1)
    end = max((float(t[-1]) for _, _, t, _ in curves), default=0.0) or 1.0
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(t: Array, y: Array) -> str:
        logs = np.log10(np.clip(y, 10.0**low, 10.0**high))
        xs, ys = LEFT + across * t / end, TOP + down * (high - logs) / (high - low)
        return " ".join(f"{x:.1f},{v:.1f}" for x, v in zip(xs.tolist(), ys.tolist(), strict=True))

    every = max(1, math.ceil((high - low) / 4))
    grid = [
        f"<path d='M{LEFT} {y:.1f}H{WIDTH - RIGHT}'/><text x='{LEFT - 6}' y='{y + 4:.1f}'>10"
        f"<tspan dy='-4' font-size='8'>{str(power).replace('-', '−')}</tspan></text>"
        for power in range(low, high + 1, every)
        for y in [TOP + down * (high - power) / (high - low)]
    ]
    times = [
        f"<text class='t' x='{LEFT + across * part:.1f}' y='{HEIGHT - 6}'>{end * part:.4g}</text>"
        for part in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    drawn = [
        f"<polyline stroke='{colour}' points='{place(*thinned(t, y))}'><title>{escape(label)}</title></polyline>"
        for label, colour, t, y in curves
    ]
    return (
        f"<svg class='plot' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{escape(title, True)} over time' "
        f"data-end='{end!r}' data-left='{LEFT}' data-across='{across}'>"
        f"<text class='title' x='{LEFT}' y='15'>{escape(title)}</text>"
        f"<g class='grid'>{''.join(grid)}{''.join(times)}</g>{''.join(drawn)}"
        f"<path class='cursor' d='M{LEFT} {TOP}V{HEIGHT - BOTTOM}'/></svg>"
    )


def thinned(t: Array, y: Array) -> tuple[Array, Array]:
    """The least and the largest value of each column, in the order in which they come."""
    if len(t) <= 2 * COLUMNS:
        return t, y
    kept = [0, len(t) - 1]
    for rows in np.array_split(np.arange(len(t)), COLUMNS):
        kept += [int(rows[np.argmin(y[rows])]), int(rows[np.argmax(y[rows])])]
    at = np.unique(kept)
    return t[at], y[at]
