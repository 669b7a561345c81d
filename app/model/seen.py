"""What is seen, in a sentence: what moves and how, and what the methods make of it. It follows from the results."""

from __future__ import annotations

import math

import numpy as np

from engine.wording import listed

from .results import Ran, Results

ALIKE = 1e-6
"""Relative difference up to which moments are taken for equal, and a spin for one about a principal axis."""
AT_THE_MIDDLE = 0.01
"""How near to that of a spin about the middle axis an energy is, of all that the momentum allows, to be called so."""
COUNTS = ("No method", "One method", "Two methods", "Three methods", "Four methods")


def seen(results: Results) -> str:
    """What moves, and beside what."""
    return f"{moves(results)} {compared(results)}".strip()


def moves(results: Results) -> str:
    """What is known of the motion from what is set."""
    problem = results.problem
    if results.choice.space == "se3":
        return "Two bodies pull at each other: what one gains of momentum, the other loses."
    if results.free:
        return free(problem)
    kept = problem.invariants
    if "pi_chi" in kept and "energy" in kept:
        return "A symmetric top: its axis goes up and down between two heights while it turns about the vertical."
    words = {"energy": "the energy", "pi_e3": "the momentum about the vertical"}
    words |= {one.key: one.name for one in problem.integrals}
    left = [words[name] for name in words if name in kept]
    does = f"does not change {listed(left, 'or')}" if left else "changes the energy and the momentum"
    return f"{problem.name}: a torque acts, which {does}."


def free(problem: object) -> str:
    """The same of a free body: Poinsot's picture, and which way its polhode goes."""
    low, middle, high = np.sort(problem.principal[0])  # type: ignore[attr-defined]
    Ω, Π = problem.Omega0, problem.Pi0  # type: ignore[attr-defined]
    if not Ω.any():
        return "A free body at rest."
    if math.hypot(*np.cross(Ω, Π)) <= ALIKE * math.hypot(*Ω) * math.hypot(*Π):
        return "A free body that spins about a principal axis, which then stays where it is."
    rolls = "A free body: its inertia ellipsoid rolls on the invariable plane"
    if min(middle - low, high - middle) <= ALIKE * high:
        return f"{rolls}, around a circle, since two of its moments are equal."
    # 2E between |Π|²/high and |Π|²/low; at |Π|²/middle the body comes from one side of its middle axis to the other.
    square = float(Π @ Π)
    beyond = (float(Ω @ Π) / square - 1 / middle) / (1 / low - 1 / high)
    if abs(beyond) < AT_THE_MIDDLE:
        return f"{rolls}. It was spun near its middle axis, and turns over, again and again."
    return f"{rolls}, around its axis of {'least' if beyond > 0 else 'greatest'} inertia."


def compared(results: Results) -> str:
    """How many methods, beside what, and which of them comes nearest."""
    runs = results.runs
    beside = " beside the exact motion" if results.exact is not None else ""
    if len(runs) == 1:
        return f"{runs[0].label}{beside}." if beside and last_error(runs[0]) != 0 else ""
    said = [f"{COUNTS[len(runs)]}{beside}"]
    off = {line.label: error for line in runs if (error := last_error(line)) is not None}
    if len(off) > 1 and min(off.values()) < max(off.values()):
        said.append(f"{min(off, key=lambda label: off[label])} ends nearest to it")
    early = [line.label for line in runs if line.run.status != "done"]
    if early:
        said.append(f"{listed(early)} {'does' if len(early) == 1 else 'do'} not come to the end")
    return f"{said[0]}: {listed(said[1:])}." if said[1:] else f"{said[0]}."


def last_error(line: Ran) -> float | None:
    """How far the attitude is off at the end, where that is known of a run that came to it."""
    if line.run.status != "done" or line.error is None or line.error.rows[-1] != len(line.run) - 1:
        return None
    off = float(line.error.attitude[-1])
    return off if math.isfinite(off) else None
