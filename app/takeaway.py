"""What can be taken along: a link, a snippet, the run files, and a replay that needs neither server nor network."""

from __future__ import annotations

import base64
import io
import json
import math
import tempfile
import zipfile
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from engine.checks import Array
from engine.provenance import version_of
from engine.run import AnyRun
from engine.wording import listed, short

from .charts.axes import limits, on_axis
from .charts.svg import Stroke, svg
from .model.downsample import downsampled, evenly
from .model.quantities import Quantity
from .model.results import EXACT_COLOUR, Results
from .model.session import Choice
from .model.studies import Asked
from .model.subject import SUBJECTS
from .player.meshes import ball_radius
from .player.packing import quaternions
from .player.two_bodies import about_centre, reach

MOST_BYTES = 50_000_000
"""What a download may hold at most."""
DIGITS = 22
"""Bytes that a number takes in a CSV file, with its comma."""
SPINS_AN_ORBIT = 5
"""So many times slower than the bodies spin is what the replay of two of them is to show."""
MOST_STATES = 3000
"""Of two bodies' motion that a replay holds, evenly chosen."""
ENDINGS = ("parquet", "npz", "csv")


class TooLarge(ValueError):
    """What was asked for holds more than a download may."""


def polhode_version() -> str:
    """The version that links and files carry."""
    return version_of() or "from a folder"


def link(asked: Choice | Asked) -> str:
    """The query that leads to what was chosen, or asked of a study, with the version that made it."""
    return "?" + urlencode(asked.query() | {"version": polhode_version()}, safe=",()*")


# ------------------------------------------------------------------------------------------------- run files


def run_files(results: Results, ending: str = "parquet", most: int = MOST_BYTES) -> bytes:
    """A zip file with each run as .parquet, .npz or .csv, and the snippet that makes them again.

    Raises
    ------
    TooLarge
        If the files would hold more than `most` bytes before they are packed, in one sentence.
    """
    if ending not in ENDINGS:
        raise ValueError(f"runs are saved as {listed(ENDINGS, 'or')}; got {ending!r}")
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


def runs(results: Results) -> list[Any]:
    """The runs that there are."""
    return [line.run for line in results.runs]


def filename(run: AnyRun) -> str:
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
    notes += [results.no_exact] if results.no_exact else []
    filled = {
        "TITLE": escape(title),
        "SUMMARY": escape(problem.summary),
        "SETTING": escape(
            f"Δt = {short(choice.dt)}, duration {short(choice.duration)}, {choice.steps:,} steps; "
            f"made by Polhode, version {polhode_version()}"
        ),
        "NOTES": "".join(f"<p class=note>{escape(note)}</p>" for note in notes),
        "PLOTS": "".join(drawn(results, quantity) for quantity in SUBJECTS[choice.space].replayed(results)),
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
    """What the replay's script draws: the bodies, and how they move at the rows kept."""
    seen = MOTIONS[results.choice.space](results)
    return seen | {"duration": max((float(run.t[-1]) for run in runs(results)), default=0.0)}


def motions_of_two(results: Results) -> dict[str, Any]:
    """The masses of each body, and of each motion the quaternions and the places of both."""
    problem = results.problem
    rows = [evenly(len(line.run), MOST_STATES) for line in results.runs]
    bodies = [
        {
            "label": line.label,
            "colour": line.colour,
            "stopped": line.run.status != "done",
            "t": packed(line.run.t[at]),
        }
        | {
            "both": [
                {"q": packed(quaternions(R[at])), "x": packed(x[at])}
                for R, x in (
                    (line.run.R1, about_centre(line.run, line.run.x1)),
                    (line.run.R2, about_centre(line.run, line.run.x2)),
                )
            ]
        }
        for line, at in zip(results.runs, rows, strict=True)
    ]
    fastest = max(float(np.linalg.norm(Omega)) for Omega in (problem.Omega1, problem.Omega2))
    return {
        "masses": [
            {"places": body.positions.tolist(), "radius": ball_radius(body), "rod": body.half_length is not None}
            for body in (problem.body1, problem.body2)
        ],
        "reach": reach(results),
        "speed": natural_speed(fastest / SPINS_AN_ORBIT),
        "bodies": bodies,
    }


def motions_of_one(results: Results) -> dict[str, Any]:
    """The box, and of each motion the quaternions."""
    bodies: list[dict[str, Any]] = [
        {"label": line.label, "colour": line.colour, "t": packed(line.run.t), "q": packed(quaternions(line.run.R))}
        | {"stopped": line.run.status != "done", "pi": np.round(line.run.pi[0], 9).tolist()}
        for line in results.runs
    ]
    if results.exact is not None:
        exact = results.exact
        told = {"label": "exact", "colour": EXACT_COLOUR, "stopped": bool(results.no_exact)}
        motion = {"t": packed(np.atleast_1d(exact.t)), "q": packed(quaternions(exact.R.reshape(-1, 3, 3)))}
        bodies.append(told | motion | {"pi": np.round(exact.pi.reshape(-1, 3)[0], 9).tolist()})
    moments, axes = results.problem.principal
    return {
        "box": sides(moments),
        "axes": axes.tolist(),
        "free": results.free,
        "speed": natural_speed(float(np.linalg.norm(results.problem.Omega0))),
        "bodies": bodies,
    }


MOTIONS = {"so3": motions_of_one, "se3": motions_of_two}
"""By the space that a choice is of."""


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


def packed(series: Array) -> str:
    """Numbers as the script reads them: 32-bit, in base 64."""
    return base64.b64encode(np.ascontiguousarray(series, dtype="<f4").tobytes()).decode()


# ------------------------------------------------------------------------------------------------- its plots

SIZE = 640, 210
"""Of a plot, in its own units."""


def drawn(results: Results, quantity: Quantity) -> str:
    """A quantity with a logarithmic axis, relative to what it starts from, downsampled as on the page."""
    strokes = []
    for line in results.runs:
        if curve := quantity.values(line, relative=True):
            t, y = curve[0], on_axis(curve[1], log=True)
            rows = downsampled(t, y)
            strokes.append(Stroke(line.label, line.colour, t[rows], y[rows]))
    end = max((float(stroke.t[-1]) for stroke in strokes if len(stroke.t)), default=0.0) or 1.0
    values = limits([stroke.y for stroke in strokes], log=True)
    formula = quantity.formula(True, True)
    return svg(quantity.title, formula, strokes, (0.0, end), values, log=True, size=SIZE, embedded=True)
