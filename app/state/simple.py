"""The simple view of the lab: what it shows first, its plain names, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from engine.algorithms import name_methods
from engine.text.formatting import finish_sentence, join_words

from .choice import Choice
from .excerpt import SIMPLE, START
from .presets import PRESETS
from .results import Results, RunLine
from .view import LAYOUTS, View

_START = next(preset for preset in PRESETS if preset.key == START)
RUNGE_KUTTA, SYMPLECTIC = "RK4-QUAT", "MR2"
"""The two rules of the simple view: a body gains or loses energy by the first, and keeps it by the
second.
"""
FIRST_SEEN: dict[str, tuple[Choice, View]] = {
    START: (_START.choice, _START.view),
    SIMPLE: (
        replace(_START.choice, methods=(RUNGE_KUTTA, SYMPLECTIC), dt=0.25, duration=30.0),
        replace(_START.view, layout=LAYOUTS[0]),
    ),
}
"""The choice and the view of the opening view and of the simple view, unless a link has others."""
SPINS, SLANTS = (4.0, 8.0), (0.02, 0.2)
"""Between which speeds in radians per second a body is thrown, and how much of it is beside the
axis.
"""
PLAIN_NAMES = {SYMPLECTIC: "A symplectic method"}
"""Names in plain words, in place of a method's own."""
KEPT = 0.02
"""The largest loss or gain that counts as none, as a part of the first energy; as in energies.js."""


def draw_spin(rng: Random) -> tuple[float, float, float]:
    """A random spin about the middle axis of the body of the opening view, which so turns over."""
    spin = rng.choice((-1, 1)) * rng.uniform(*SPINS)
    return round(spin * rng.uniform(*SLANTS), 2), round(spin, 2), 0.0


def name_plainly(results: Results) -> dict[str, tuple[str, str]]:
    """The name of each method in plain words, by its label, and what else it is called, if
    anything.
    """
    names = name_methods(line.label for line in results.runs)
    return {
        label: (PLAIN_NAMES[label], name) if label in PLAIN_NAMES else (name, "")
        for label, name in names.items()
    }


def measure_energy(line: RunLine) -> float:
    """The energy at the end of a run, as a part of the first."""
    first = float(line.run.energy[0])
    return 1.0 + (float(line.run.energy[-1]) - first) / (abs(first) or 1.0)


def tell_energies(results: Results, names: Mapping[str, tuple[str, str]]) -> str:
    """What each method has lost or gained of the energy at the end, after the words “With this Δt”."""
    if "energy" not in results.problem.invariants:
        return "the torque changes the energy: compare each method with the exact motion."
    if results.is_free and not results.problem.Omega0.any():
        return "the body is at rest and has no energy to lose."
    does: dict[str, list[str]] = {}
    for line in results.runs:
        does.setdefault(_tell_end(line), []).append(_in_sentence(names[line.label][0]))
    right = "No torque acts, so nothing should change it." if results.is_free else ""
    if list(does) == [KEEPS]:
        whole = "all methods keep" if len(results.runs) > 1 else f"{does[KEEPS][0]} keeps"
        words = [f"{whole} the energy.", right, "Make Δt longer, and watch."]
    else:
        said = "; ".join(f"{join_words(who)} {what}" for what, who in does.items())
        words = [finish_sentence(said), right]
    return " ".join(filter(None, words))


KEEPS = "kept the energy"
"""What a method did that has neither lost nor gained energy."""
MOST_TIMES = 10
"""From how many times the first energy on the number no longer counts."""


def _tell_end(line: RunLine) -> str:
    """What a method did to the energy."""
    if line.run.status != "done":
        return "broke down before the end"
    part = measure_energy(line)
    if abs(part - 1) <= KEPT:
        return KEEPS
    if part < 1:
        return f"lost {100 * (1 - part):.0f} % of the energy"
    if part < 2:
        return f"ended with {100 * (part - 1):.0f} % more energy"
    times = f"{part:.2g} times" if part < MOST_TIMES else f"more than {MOST_TIMES} times"
    return f"ended with {times} the energy"


def _in_sentence(name: str) -> str:
    return f"{name[:1].lower()}{name[1:]}" if name in PLAIN_NAMES.values() else name
