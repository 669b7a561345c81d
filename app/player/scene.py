"""What the player draws of one body's motions: their tracks, and what of them is seen in which frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.curves import polhode
from ..model.results import EXACT_COLOUR, Results
from . import meshes
from .packing import Floats, downsampled, downsampling, ended, packed, packed_track, put, quaternions, surfaces
from .parts import EXACT, INK, Part, arrow, curves, dots, layers, legible, mesh, of_tracks, triad, upwards

FINE = 800
"""Samples that an exact motion gets at least, put between its rows where they are few."""
GLASS = "#6f8fbf"


def build(results: Results, kind: str) -> bytes:
    """The scene "poinsot" or "body" of these results, packed."""
    arrays: list[bytes] = []
    rows = [_rows(line.run) for line in results.runs]
    tracks = [
        packed_track(line.label, line.colour, *row, arrays, ended=ended(line.run))
        for line, row in zip(results.runs, rows, strict=True)
    ]
    if results.exact is not None:
        rows.append(_exact_rows(results))
        tracks.append(packed_track(EXACT, EXACT_COLOUR, *rows[-1], arrays))
    header = {"kind": kind, "J": results.problem.J.ravel().tolist()} | of_tracks(tracks)
    if kind == "body":
        header |= _body_in_space(results, tracks)
    elif results.free and results.problem.Omega0.any():
        header |= _poinsot(results, tracks, arrays)
    else:
        header |= _traces_in_space(results, tracks)
    motions = [(t, Omega, np.zeros((0, 3))) for t, _, Omega in rows]
    header["parts"], said = legible(header["parts"], tracks, motions, results.problem.J)
    header["caption"] += downsampling([line.run for line in results.runs], lambda run: _fastest(run.Omega[:1])) + said
    return packed(header, arrays)


def shapes(results: Results, kind: str, shape: str = "auto", surface: meshes.Surface | None = None) -> bytes:
    """The meshes of that scene, packed; they depend on the body only. `surface` is a person's own."""
    moments, axes = results.problem.principal
    J = (float(moments[0]), float(moments[1]), float(moments[2]))
    chosen = shape if shape in meshes.SHAPES else shape_of(results.problem)
    drawn = {"body": surface or meshes.turned(meshes.body(chosen, J), axes), "disc": meshes.disc()}
    if kind == "poinsot" and results.free:
        drawn["ellipsoid"] = meshes.turned(meshes.inertia_ellipsoid(J), axes)
    else:
        drawn["sphere"] = meshes.unit_sphere()
    return surfaces(drawn)


def shape_of(problem: Any) -> str:
    """What the body of a problem looks like if nobody says."""
    if problem.key.endswith("-top"):
        return "top"
    named = {"book-toss": "book", "prism": "prism"}.get(problem.key)
    low, middle, high = np.sort(problem.principal[0])
    return named or ("box" if low + middle > 1.02 * high else "ellipsoid")


def between_rows(t: Floats, R: Floats, Omega: Floats, J: Floats, most: int) -> tuple[Floats, Floats, Floats]:
    """A free motion at `most` times or a few more, by cubic Hermite pieces between its rows.

    The slopes are those of the equations, dq/dt = q Ω / 2 and J dΩ/dt = JΩ × Ω, so that it is fourth order.
    """
    q = quaternions(R)
    w, v = q[:, :1], q[:, 1:]
    dq = np.concatenate([-np.einsum("ni,ni->n", v, Omega)[:, None], w * Omega + np.cross(v, Omega)], axis=1) / 2
    dOmega = np.linalg.solve(J, np.cross(Omega @ J, Omega).T).T
    pieces = -(-most // (len(t) - 1))
    s = (np.arange(pieces) / pieces)[:, None]
    h = np.diff(t)[:, None, None]

    def fine(y: NDArray[Any], dy: NDArray[Any]) -> Floats:
        left, right = y[:-1, None], y[1:, None]
        inner = (
            (1 + 2 * s) * (1 - s) ** 2 * left
            + s**2 * (3 - 2 * s) * right
            + h * (s * (1 - s) ** 2 * dy[:-1, None] - s**2 * (1 - s) * dy[1:, None])
        )
        return np.concatenate([inner.reshape(-1, y.shape[1]), y[-1:]])

    times = np.append((t[:-1, None] + h[:, :, 0] * s.T).ravel(), t[-1])
    q = fine(q, dq)
    return times, q / np.linalg.norm(q, axis=1, keepdims=True), fine(Omega, dOmega)


def _rows(run: Any) -> tuple[Floats, Floats, Floats]:
    """t, q and Ω of a run at no more rows than are drawn, the last among them."""
    chosen = downsampled(len(run.t))
    finite = np.nan_to_num(run.Omega[chosen], posinf=0.0, neginf=0.0)
    return run.t[chosen], quaternions(np.nan_to_num(run.R[chosen])), finite


def _exact_rows(results: Results) -> tuple[Floats, Floats, Floats]:
    exact = results.exact
    assert exact is not None
    # Only where the rows are near enough for the pieces to follow.
    if results.free and 2 < len(exact.t) < FINE and _fastest(exact.Omega) * np.diff(exact.t).max() < 2.0:
        return between_rows(exact.t, exact.R, exact.Omega, results.problem.J, FINE)
    chosen = downsampled(len(exact.t))
    return exact.t[chosen], quaternions(exact.R[chosen]), exact.Omega[chosen]


def _fastest(Omega: Floats) -> float:
    return float(np.sqrt(np.einsum("ni,ni->n", Omega, Omega).max()))


def _flattened(Omega: float) -> float:
    return 1.0 / Omega if Omega > 0 else 1.0


def _poinsot(results: Results, tracks: Sequence[Mapping[str, Any]], arrays: list[bytes]) -> dict[str, Any]:
    """The inertia ellipsoid that rolls on the invariable plane."""
    problem = results.problem
    moments, axes = problem.principal
    π = problem.R0 @ problem.J @ problem.Omega0
    energy2 = float(problem.Omega0 @ problem.J @ problem.Omega0)
    scale = float(np.sqrt(moments.min() / energy2))
    distance = scale * energy2 / float(np.linalg.norm(π))
    curve = (polhode(moments, axes.T @ problem.Pi0) / moments) @ axes.T
    reach = scale * float(np.sqrt(np.maximum((curve**2).sum(1) - (distance / scale) ** 2, 0.0).max()))
    plane = max(1.3 * reach, 0.95)
    up = np.reshape(upwards(π), (3, 3))
    points = {"points": put(arrays, curve * scale), "kind": "line"}
    parts: list[Part] = [
        mesh("ellipsoid", GLASS, frame="body", when="solid", opacity=0.2, glass=True, edges=0.34, layer="ellipsoid"),
        mesh("disc", INK, frame="up", size=plane, at=distance, opacity=0.055, glass=True, edges=0.2),
        mesh("body", "solid", frame="body", when="solid", size=0.44, layer="body"),
        points | {"frame": "body", "when": "solid", "colour": INK, "width": 2.4, "strength": 0.85},
        *curves(tracks, "Omega", scale, "body", width=1.4, layer="points")[:: -1],
        *dots(tracks, "Omega", scale, "body", layer="points"),
        *curves(tracks, "omega", scale, "space", layer="herpolhode"),
        *dots(tracks, "omega", scale, "space", layer="herpolhode", width=4.0),
        arrow(INK, "π", frame="up", vector=[0, 0, 1], length=distance + 0.42),
        arrow("solid", "ω", curve="omega", scale=scale, when="solid"),
        {"kind": "contact", "curve": "omega", "scale": scale, "frame": "space", "when": "solid", "colour": "solid"},
    ]  # fmt: skip
    parts = [part for part in parts if not (part.get("curve") == "Omega" and tracks[part["of"]]["label"] == EXACT)]
    return {
        "up": up.ravel().tolist(),
        "height": distance,
        "target": [0, 0, 0.2 * distance],
        "reach": max(1.22, plane),
        "view": [-0.9, 0.5],
        "layers": layers(ellipsoid="Ellipsoid", body="Body", points="Polhode points", herpolhode="Herpolhode"),
        "parts": parts,
        "caption": "The inertia ellipsoid rolls on the invariable plane. Without colour: the exact polhode "
        "on it and the exact herpolhode in the plane; dots where each method puts ω.",
    }


def _traces_in_space(results: Results, tracks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """With torque: what π, ω and the body's axis draw in space, about a faint sphere."""
    axis, name = axis_of(results.problem)
    largest_Ω, largest_π = _largest(results)
    ω, π = _flattened(largest_Ω), _flattened(largest_π)
    parts: list[Part] = [
        mesh("sphere", GLASS, frame="space", opacity=0.09, glass=True, edges=0.16),
        mesh("body", "solid", frame="body", when="solid", size=0.78 if _is_top(results) else 0.5, layer="body"),
        *curves(tracks, "axis", 1.0, "space", axis=axis, layer="axis"),
        *dots(tracks, "axis", 1.0, "space", axis=axis, layer="axis", width=5.0),
        *curves(tracks, "omega", ω, "space", layer="omega", width=1.5),
        *curves(tracks, "pi", π, "space", layer="pi", width=1.5),
        arrow("solid", name, curve="axis", axis=axis, scale=1.0, when="solid", layer="axis"),
        arrow("#E69F00", "ω", curve="omega", scale=ω, when="solid", layer="omega"),
        arrow(INK, "π", curve="pi", scale=π, when="solid", layer="pi"),
    ]  # fmt: skip
    return {
        "up": np.eye(3).ravel().tolist(),
        "target": [0, 0, 0],
        "reach": 1.3,
        "view": [-0.9, 0.42],
        "layers": layers("omega", body="Body", axis=f"Axis {name}", omega="ω", pi="π"),
        "parts": parts,
        "caption": f"On the unit sphere the curve that the body's axis {name} draws in space, and that of π; "
        "without colour: the exact ones. ω and π are drawn relative to their largest.",
    }


def _body_in_space(results: Results, tracks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The body of the solid motion, the others as ghosts, with axes, Ω, π and what the tip of an axis draws."""
    problem = results.problem
    axis, name = axis_of(problem)
    top = _is_top(results)
    largest_Ω, largest_π = _largest(results)
    π0 = problem.R0 @ problem.J @ problem.Omega0
    up = np.reshape(upwards(π0 if results.free else np.zeros(3)), (3, 3))
    lowest = min((_lowest(line.run.R, up, axis) for line in results.runs if line.run is not None), default=0.0)
    turn = 2 * np.pi / largest_Ω if largest_Ω else 1.0
    tail = 0.2 * results.choice.duration if top else min(2 * turn, 0.5 * results.choice.duration)
    floor = (-0.02 if lowest > 0.1 else -1.2) if top else -1.2
    parts: list[Part] = [
        mesh("disc", INK, frame="up", size=1.6, at=floor, opacity=0.045, glass=True, edges=0.13, ground=True),
        mesh("body", "solid", frame="body", when="solid", shadow=floor),
        *(mesh("body", track["colour"], frame="body", when="ghost", of=k, opacity=0.16, edges=0.5, layer="ghosts")
          for k, track in enumerate(tracks)),
        *curves(tracks, "axis", 1.16, "space", axis=axis, layer="trace", tail=tail, timed=True),
        *triad(1.16, frame="body", when="solid"),
        arrow("#E69F00", "Ω", curve="omega", scale=1.25 * _flattened(largest_Ω), when="solid", layer="vectors"),
        arrow("#56B4E9", "π", curve="pi", scale=1.4 * _flattened(largest_π), when="solid", layer="vectors"),
    ]  # fmt: skip
    if top and floor < -1:
        parts.append(arrow(INK, "", frame="up", vector=[0, 0, -1], length=-floor, headless=True))
    return {
        "up": up.ravel().tolist(),
        "target": [0, 0, 0.45 if top and floor > -1 else -0.12],
        "reach": 1.58,
        "view": [-0.9, 0.36],
        "layers": layers(ghosts="Ghosts", axes="Body axes", vectors="Ω and π", trace=f"Trace of {name}"),
        "parts": parts,
        "caption": f"Solid: the motion chosen above; translucent: the others. Behind it, what the tip of {name} "
        "has just drawn in space; without colour: the exact motion.",
    }


def _is_top(results: Results) -> bool:
    return shape_of(results.problem) == "top"


def axis_of(problem: Any) -> tuple[list[float], str]:
    """The body axis whose tip is followed, and its name: a top's, or the one that a free body turns about most."""
    if problem.key.endswith("-top"):
        return [0.0, 0.0, 1.0], "e₃"
    along = int(np.argmax(np.abs(problem.Pi0))) if problem.Omega0.any() else 2
    return np.eye(3)[along].tolist(), f"e{'₁₂₃'[along]}"


def _largest(results: Results) -> tuple[float, float]:
    """The largest |Ω| and |π| of the exact motion, or of the first run but for the tenth in which it may blow up."""
    if results.exact is not None:
        Omega = results.exact.Omega
        return _fastest(Omega), _fastest(Omega @ results.problem.J)
    if not results.runs:
        return 1.0, 1.0
    run = results.runs[0].run
    assert run is not None
    Omega = np.nan_to_num(run.Omega[: max(1, len(run) * 9 // 10)])
    return _fastest(Omega), _fastest(Omega @ results.problem.J)


def _lowest(R: Floats, up: Floats, axis: Sequence[float]) -> float:
    return float(np.nanmin(R @ np.asarray(axis) @ up[2]))
