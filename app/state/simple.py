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
    """What each method has left of the energy at the end, in two sentences."""
    if "energy" not in results.problem.invariants:
        return "The torque changes the energy: the exact motion says what is right."
    right = "No torque acts, so 100 % is right." if results.is_free else "100 % is right."
    parts: dict[str, float] = {}
    early: list[str] = []
    for line in results.runs:
        name = _in_sentence(names[line.label][0])
        if line.run.status == "done":
            parts[name] = measure_energy(line)
        else:
            early.append(name)
    if not early and all(abs(part - 1) <= KEPT for part in parts.values()):
        return f"All keep the energy at this Δt. {right} Make Δt longer, and watch."
    said = [f"{name} has {100 * part:.0f} %" for name, part in parts.items()]
    said += [f"{join_words(early)} break{'s' * (len(early) == 1)} down"] if early else []
    return f"{finish_sentence(f'Of the energy, {join_words(said)} at the end')} {right}"


def _in_sentence(name: str) -> str:
    return f"{name[:1].lower()}{name[1:]}" if name in PLAIN_NAMES.values() else name
