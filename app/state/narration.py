"""Narration of the motion of one body: what moves and how, in a sentence or two; the ledger compares the methods."""

from __future__ import annotations

import math

import numpy as np

import engine
from engine.exact import SymmetricTop, find_closed_form
from engine.text.formatting import join_words

from .results import Results

STEADY = 1e-9
"""The largest change of the height of an axis, the cosine of its angle, that counts as none."""
ALIKE = 1e-6
"""The largest relative difference of moments that count as equal, and of a spin from a principal
axis.
"""
DEPARTED = 0.1
"""The smallest sine of the angle between Ω and Π of a spin that has left a principal axis."""
AT_THE_MIDDLE = 0.01
"""The largest difference of 2E/|Π|² from that about the middle axis, relative to its range."""
NEAR = math.cos(math.radians(15))
"""The least cosine of the angle between Π and an axis near which a body is spun."""
FLIPS = "flips"
"""The word in the narration of a body that turns over."""


def narrate(results: Results) -> str:
    """The motion of one body, as far as it follows from the setting."""
    problem = results.problem
    if results.is_free:
        return describe_free_motion(problem, results.choice.duration)
    invariants = problem.invariants
    if "pi_chi" in invariants and "energy" in invariants:
        top = find_closed_form(problem)
        assert isinstance(top, SymmetricTop)
        return describe_top(top, results.choice.duration)
    if results.stays_at_rest:
        return f"{problem.name}: the torque vanishes, and the body stays at rest."
    words = {"energy": "energy", "pi_e3": "momentum about the vertical"}
    words |= {one.key: one.name for one in problem.integrals}
    left = [words[name] for name in words if name in invariants]
    if left:
        return f"{problem.name}: the torque conserves {join_words(left)}."
    work = measure_work(results)
    does = (
        "a torque acts"
        if work is None
        else f"the torque does {'work' if work > ALIKE else 'no work here'}"
    )
    return f"{problem.name}: {does}."


def measure_work(results: Results) -> float | None:
    """The range of the kinetic energy of the exact motion, relative to its largest value; None if
    unknown.
    """
    if results.exact is None:
        return None
    energies = 0.5 * np.sum(results.exact.Omega * results.exact.Pi, axis=-1)
    return float(np.ptp(energies)) / (float(np.max(energies)) or 1.0)


def describe_free_motion(problem: engine.Problem, duration: float) -> str:
    """The motion of a free body: Poinsot's picture, and the axis around which the polhode goes."""
    moments, axes = problem.principal
    turn = axes[:, np.argsort(moments)]
    low, middle, high = np.sort(moments)
    Ω, Π = problem.Omega0, problem.Pi0
    if not Π.any():
        return "A free body at rest."
    speed = math.hypot(*Ω)
    momentum = math.hypot(*Π)
    slant = math.hypot(*np.cross(Ω / speed, Π / momentum))
    moment = momentum / speed
    # The rate at which a small slant grows: it is zero at the least and at the greatest moment.
    rate = speed * math.sqrt(max(0.0, (moment - low) * (high - moment) / (low * high)))
    if slant <= ALIKE and (not slant or math.log(slant) + rate * duration < math.log(DEPARTED)):
        return "A free body spins about a principal axis, which stays fixed in space."
    rolls = "A free body: its inertia ellipsoid rolls on the invariable plane"
    if min(middle - low, high - middle) <= ALIKE * high:
        return f"{rolls}. Its polhode is a circle, because two moments are equal."
    # 2E lies between |Π|²/high and |Π|²/low; at |Π|²/middle the polhode changes from one axis to
    # the other.
    beyond = (float(Ω / speed @ Π / momentum) / moment - 1 / middle) / (1 / low - 1 / high)
    if abs(beyond) < AT_THE_MIDDLE:
        along = turn[:, 1] @ Π
        motion = find_closed_form(problem)
        assert motion is not None and not isinstance(motion, SymmetricTop)
        if math.isinf(motion.period):
            leaves = along * (turn[:, 1] @ np.cross(Π, Ω)) < 0.0
            once = f"{FLIPS} once and " if leaves else ""
            return f"{rolls}. On the separatrix, it {once}approaches a spin about its middle axis."
        if abs(along) > NEAR * momentum:
            return f"{rolls}. Spun near its middle axis, it {FLIPS} again and again."
        return f"{rolls}. Near the separatrix, it pauses at its middle axis and {FLIPS}, again and again."
    return f"{rolls}. Ω circles the axis of {'least' if beyond > 0 else 'greatest'} inertia."


def describe_top(top: SymmetricTop, duration: float) -> str:
    """The motion of the axis of a symmetric top in gravity."""
    low, high = top.heights
    spins = top.spin != 0.0
    if high - low < STEADY:
        if low > 1.0 - STEADY:
            if not spins:
                return "A symmetric top stands upright at rest; a small push makes it fall."
            stays = "fast enough" if top.stays_upright else "not fast enough"
            return f"A sleeping top: it spins upright, {stays} to stay there if it is pushed."
        if high < STEADY - 1.0:
            return (
                f"A symmetric top hangs {'and spins about the vertical' if spins else 'at rest'}."
            )
        return "A symmetric top: its axis turns about the vertical at a constant height."
    if top.regime == "separatrix":
        return "A symmetric top: its axis rises ever more slowly towards the vertical."
    nods = duration * top.nodding / (2 * math.pi)
    if top.regime == "pendulum":  # two equal heights in each swing to and fro
        return f"A symmetric top without spin: its axis swings{_count(nods / 2)} like a pendulum."
    if top.regime == "circling":
        return (
            f"A symmetric top without spin: its axis goes round{_count(nods)} in a vertical plane."
        )
    if high == 1.0:
        return (
            f"A symmetric top: its axis rises to the vertical and sinks again{_count(nods)}, "
            "turning about it."
        )
    return f"A symmetric top: its axis nods{_count(nods)} while it turns about the vertical."


def _count(times: float) -> str:
    """How often something has happened, if it has."""
    whole = math.floor(times)
    return "" if whole < 1 else " once" if whole == 1 else f" {whole:,} times"
