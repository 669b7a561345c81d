"""Lists to choose from: problems by source, each with its picture, and methods by family."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np

import engine
from engine.algorithms import list_search_words
from engine.problems import AnyProblem

Entry = tuple[str, ...]
"""An entry: its key, title, description, the lines of its picture, 24 units wide, and optionally further words for
the search."""
Groups = Sequence[tuple[str, Sequence[Entry]]]
"""Entries under the titles of their groups."""


def list_problems(space: str = "so3") -> Groups:
    """Return the problems of one body, or of two."""
    groups: dict[str, list[Entry]] = {}
    for problem in engine.problems(space):
        picture = PICTURES.get(problem.key) or _draw_body(problem)
        groups.setdefault(problem.group, []).append((problem.key, problem.name, problem.summary, picture))
    return list(groups.items())


def list_methods(space: str = "so3") -> Groups:
    """Return the methods for one body, or for two, and their variants, with all names."""
    groups: dict[str, list[Entry]] = {}
    for method in engine.algorithms(space):
        names = {method.key: [name for name in method.aliases if name not in method.variants]}
        for name in method.variants:
            names.setdefault(engine.algorithm(name, space=space).label, []).append(name)
        for label, other_names in names.items():
            title = f"{label} · {method.name}"
            groups.setdefault(method.family, []).append(
                (label, title, ", ".join(other_names), "", list_search_words(method))
            )
    return list(groups.items())


# ------------------------------------------------------------------------------------------------- pictures


def _draw_block(a: float, b: float, c: float, size: float = 6.2) -> str:
    """Return the nine visible edges of a block, seen from above."""
    s, k = sin(radians(30)), cos(radians(30))

    def at(x: float, y: float, z: float) -> str:
        across, down = k * (x - y - (a - b) / 2), (a + b + 2 * c) / 4 - s * (x + y) - z
        return f"{12 + size * across:.1f} {12 + size * down:.1f}"

    top = f"M{at(0, 0, c)}L{at(a, 0, c)}L{at(a, b, c)}L{at(0, b, c)}Z"
    return f"{top}M{at(a, 0, c)}L{at(a, 0, 0)}L{at(0, 0, 0)}L{at(0, b, 0)}L{at(0, b, c)}M{at(0, 0, 0)}L{at(0, 0, c)}"


def _draw_top(lean: float, wide: float = 5.5, thick: float = 1.9) -> str:
    """Return a top on its tip that leans by this angle in degrees: its rim, the cone below and the stem above."""
    s, c = sin(radians(lean)), cos(radians(lean))
    x, y = 12 - 5 * s, 21 if c > 0 else 3

    def at(up: float, out: float) -> str:
        return f"{x + up * s + out * c:.1f} {y - up * c + out * s:.1f}"

    half = f"A{wide} {thick} {lean:g} 0 1"
    rim = f"M{at(10, -wide)}{half} {at(10, wide)}{half} {at(10, -wide)}"
    return f"{rim}L{at(0, 0)}L{at(10, wide)}M{at(10, 0)}L{at(15, 0)}"


def _draw_ball(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y:g}a{r} {r} 0 1 0 {2 * r:g} 0a{r} {r} 0 1 0 {-2 * r:g} 0"


def _draw_body(problem: AnyProblem) -> str:
    """Return a picture for a problem without one: a block with the body's moments, or two bodies."""
    if not isinstance(problem, engine.Problem):
        return PICTURES["two-bodies"]
    moments = problem.principal[0]
    sides = np.sqrt(np.maximum(moments.sum() - 2 * moments, 0.02 * moments.sum()))
    return _draw_block(*(1.5 * sides / sides.max()))


PICTURES = {
    "free": _draw_block(1, 0.8, 0.9) + "M4 7a8 3.4 0 0 1 16 0M18 5.4 20 7.2 21.6 5",
    "book-toss": _draw_block(1.5, 1.1, 0.3) + "M12 8V2M9.8 4 12 1.8 14.2 4",
    "lagrange-top": _draw_top(24),
    "fast-top": _draw_top(12) + "M3 9c0 3 2 5 4 5.6M21 8c0 3-1 5-3 6.4",
    "slow-top": _draw_top(128),
    "soft-wall": _draw_ball(7, 12, 4)
    + "M13 12h4M15.4 10.2 17.2 12 15.4 13.8M19.5 3v18M19.5 7 23 4M19.5 12 23 9M19.5 17 23 14",
    "asymmetric-top": _draw_top(36, wide=6.5, thick=3.2),
    "kovalevskaya-top": _draw_top(100, wide=4.5, thick=2.2),
    "goryachev-chaplygin-top": _draw_top(76, wide=3.4, thick=1.8),
    "gyrostat": _draw_block(1.3, 1.1, 1.1) + _draw_ball(12, 12, 2.4) + "M12 5.5V2.5M12 21.5v-3",
    "prism": _draw_block(0.5, 0.5, 2.2),
    "magnet": "M5 3v9a7 7 0 0 0 14 0V3h-4v9a3 3 0 0 1-6 0V3zM5 7h4M15 7h4",
    "custom": _draw_block(1, 0.8, 0.7) + "M19 2v6M16 5h6",
    "dumbbells": _draw_ball(5, 9, 2.6)
    + _draw_ball(13, 5, 2.6)
    + "M7.4 7.9 10.6 6.2"
    + _draw_ball(11, 19, 2.6)
    + _draw_ball(19, 16, 2.6)
    + "M13.5 18.1 16.6 16.9",
    "two-bodies": _draw_ball(7, 14, 4.5) + _draw_ball(17, 8, 3.5) + "M19 17v6M16 20h6",
}
"""The problems' pictures, as SVG paths."""
