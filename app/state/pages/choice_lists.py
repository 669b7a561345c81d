"""Lists to choose from: problems by source, each with its picture, and methods by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, radians, sin

import numpy as np

import engine
from engine.algorithms import Method, list_search_words, name_method
from engine.problems import AnyProblem
from engine.text import read_toml

Entry = tuple[str, ...]
"""An entry: its key, title, description, the lines of its picture, 24 units wide, and optionally
further words for the search.
"""
Groups = Sequence[tuple[str, Sequence[Entry]]]
"""Entries under the titles of their groups."""


def list_problems(space: str = "so3") -> Groups:
    """Return the problems of one body, or of two."""
    groups: dict[str, list[Entry]] = {}
    for problem in engine.problems(space):
        picture = PICTURES.get(problem.key) or _draw_body(problem)
        groups.setdefault(problem.group, []).append(
            (problem.key, problem.name, problem.summary, picture)
        )
    return list(groups.items())


def list_methods(
    space: str = "so3", fits: Callable[[Method], bool] = lambda method: True
) -> Groups:
    """Return the methods of a lab that fit, with all names, and their variants."""
    groups: dict[str, list[Entry]] = {}
    for method in engine.algorithms(space):
        search = list_search_words(method)
        others = [name for name in method.aliases if name not in method.variants]
        entries = []
        if fits(method):
            entries.append((method.key, method.short, ", ".join([method.name, *others])))
        for name in method.variants:
            variant = engine.algorithm(name, space=space)
            if not fits(variant):
                continue
            entries.append((name, name_method(variant), variant.label))
        groups.setdefault(method.family, []).extend(
            (key, f"{short} · {key}", about, "", search) for key, short, about in entries
        )
    return [(family, entries) for family, entries in groups.items() if entries]


# -------------------------------------------------------------------------------------------------
# pictures


def _draw_block(a: float, b: float, c: float, size: float = 6.2) -> str:
    """Return the nine visible edges of a block, seen from above."""
    s, k = sin(radians(30)), cos(radians(30))

    def at(x: float, y: float, z: float) -> str:
        across = k * (x - y - (a - b) / 2)
        down = (a + b + 2 * c) / 4 - s * (x + y) - z
        return f"{12 + size * across:.1f} {12 + size * down:.1f}"

    top = f"M{at(0, 0, c)}L{at(a, 0, c)}L{at(a, b, c)}L{at(0, b, c)}Z"
    return f"{top}M{at(a, 0, c)}L{at(a, 0, 0)}L{at(0, 0, 0)}L{at(0, b, 0)}L{at(0, b, c)}M{at(0, 0, 0)}L{at(0, 0, c)}"


def _draw_body(problem: AnyProblem) -> str:
    """Return a picture for a problem without one: a block with the body's moments, or two
    bodies.
    """
    if not isinstance(problem, engine.Problem):
        return PICTURES[problem.space]
    moments = problem.principal[0]
    sides = np.sqrt(np.maximum(moments.sum() - 2 * moments, 0.02 * moments.sum()))
    return _draw_block(*(1.5 * sides / sides.max()))


PICTURES: dict[str, str] = read_toml(__file__)["pictures"]
"""The problems' pictures, as SVG paths."""
