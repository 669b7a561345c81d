"""Narration of the results: what moves and how, and how the methods compare, in sentences."""

from __future__ import annotations

import math

import numpy as np

import engine
from engine.text.formatting import join_words

from .results import Results, RunLine

ALIKE = 1e-6
"""The largest relative difference of moments that count as equal, and of a spin from a principal axis."""
AT_THE_MIDDLE = 0.01
"""The largest difference from the energy of a spin about the middle axis, relative to the range at this momentum."""
COUNTS = ("No method", "One method", "Two methods", "Three methods", "Four methods")


def narrate(results: Results) -> str:
    """The motion, and how the methods compare."""
    return f"{describe_motion(results)} {compare_methods(results)}".strip()


def describe_motion(results: Results) -> str:
    """The motion, as far as it follows from the setting."""
    problem = results.problem
    if results.choice.space == "se3":
        return "Two bodies pull at each other: what one gains of momentum, the other loses."
    if results.is_free:
        return describe_free_motion(problem)
    invariants = problem.invariants
    if "pi_chi" in invariants and "energy" in invariants:
        return "A symmetric top: its axis goes up and down between two heights while it turns about the vertical."
    words = {"energy": "the energy", "pi_e3": "the momentum about the vertical"}
    words |= {one.key: one.name for one in problem.integrals}
    left = [words[name] for name in words if name in invariants]
    does = f"does not change {join_words(left, 'or')}" if left else "changes the energy and the momentum"
    return f"{problem.name}: a torque acts, which {does}."


def describe_free_motion(problem: engine.Problem) -> str:
    """The motion of a free body: Poinsot's picture, and the axis around which the polhode goes."""
    low, middle, high = np.sort(problem.principal[0])
    Ω, Π = problem.Omega0, problem.Pi0
    if not Ω.any():
        return "A free body at rest."
    if math.hypot(*np.cross(Ω, Π)) <= ALIKE * math.hypot(*Ω) * math.hypot(*Π):
        return "A free body that spins about a principal axis, which then stays where it is."
    rolls = "A free body: its inertia ellipsoid rolls on the invariable plane"
    if min(middle - low, high - middle) <= ALIKE * high:
        return f"{rolls}, around a circle, since two of its moments are equal."
    # 2E lies between |Π|²/high and |Π|²/low; at |Π|²/middle the polhode changes from one axis to the other.
    square = float(Π @ Π)
    beyond = (float(Ω @ Π) / square - 1 / middle) / (1 / low - 1 / high)
    if abs(beyond) < AT_THE_MIDDLE:
        return f"{rolls}. It was spun near its middle axis, and turns over, again and again."
    return f"{rolls}, around its axis of {'least' if beyond > 0 else 'greatest'} inertia."


def compare_methods(results: Results) -> str:
    """The number of methods, and which of them ends nearest to the exact motion."""
    runs = results.runs
    beside = " beside the exact motion" if results.exact is not None else ""
    if len(runs) == 1:
        return f"{runs[0].label}{beside}." if beside and last_error(runs[0]) != 0 else ""
    text = [f"{COUNTS[len(runs)]}{beside}"]
    off = {line.label: error for line in runs if (error := last_error(line)) is not None}
    if len(off) > 1 and min(off.values()) < max(off.values()):
        text.append(f"{min(off, key=lambda label: off[label])} ends nearest to it")
    early = [line.label for line in runs if line.run.status != "done"]
    if early:
        text.append(f"{join_words(early)} {'does' if len(early) == 1 else 'do'} not come to the end")
    return f"{text[0]}: {join_words(text[1:])}." if text[1:] else f"{text[0]}."


def last_error(line: RunLine) -> float | None:
    """The attitude error at the end; None for a run that ended early, or if it is not known."""
    if line.run.status != "done" or line.error is None or line.error.rows[-1] != len(line.run) - 1:
        return None
    off = float(line.error.attitude[-1])
    return off if math.isfinite(off) else None
