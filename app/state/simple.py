"""The simple view of the lab: what it shows first, its plain names, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from engine.algorithms import join_names, name_methods
from engine.parameters.validation import Array
from engine.text.formatting import (
    finish_sentence,
    round_half_up,
    show,
)

from .choice import Choice
from .excerpt import SIMPLE, START
from .presets import PRESETS
from .results import ENERGY_KEPT, Results, RunLine, is_nearly_zero, keeps_energy
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


def find_exact_energy(results: Results) -> Array | None:
    """The energy of the exact motion at its times, if it is known."""
    motion = results.exact
    if motion is None:
        return None
    if "energy" in results.problem.invariants:
        return np.full(len(motion.t), results.runs[0].run.energy[0])
    kinetic: Array = np.sum(motion.Pi * motion.Omega, axis=1) / 2
    return kinetic


def tell_energies(results: Results, names: Mapping[str, tuple[str, str]]) -> str:
    """What each method has made of the energy at the end, after the words “With this Δt”.

    No sentence has more than `MOST_WORDS` words.
    """
    if not results.runs:
        return "none of the methods fits this problem."
    if results.stays_at_rest:
        why = "" if results.is_free else "the torque is zero: "
        return f"{why}the body is at rest and has no energy to lose."
    keeps = "energy" in results.problem.invariants
    exact = find_exact_energy(results)
    scale = EnergyScale(results.runs[0].run.energy if exact is None else exact)
    does: dict[str, list[str]] = {}
    for line in results.runs:
        does.setdefault(_tell_end(line, scale, keeps), []).append(
            _in_sentence(names[line.label][0])
        )
    if list(does) == [KEEPS]:
        whole = "all methods keep" if len(results.runs) > 1 else f"{does[KEEPS][0]} keeps"
        clauses = [f"{whole} the energy"]
        last = "Make Δt longer, and watch."
    else:
        clauses = [_join_clause(who, what, len(results.runs)) for what, who in does.items()]
        last = "" if keeps else _tell_exact_end(results, scale)
    aside = "No torque acts, so nothing should change it." if results.is_free else ""
    return " ".join(filter(None, [*_pack(clauses), aside, last]))


INTRODUCTION = "With Δt = 0.25,"
"""How the first sentence begins, with some Δt."""
MOST_WORDS = 22
"""The most words of a sentence."""
KEEPS = "kept the energy"
"""What a method did that has neither lost nor gained energy."""
MOST_TIMES = 10
"""From how many times the first energy on the number no longer counts."""
FAILS = "broke down before the end"
"""What a method did whose run has no end."""


class EnergyScale:
    """How energies are shown: in percent of the first, or as they are if that is nearly zero; as in
    energy-scale.js.
    """

    def __init__(self, energies: Array) -> None:
        self.first = float(energies[0])
        self.is_percentage = not is_nearly_zero(self.first)
        largest = float(np.abs(energies).max())
        self.unit = abs(self.first) if self.is_percentage else largest or 1.0

    def find_change(self, energy: float) -> float:
        """Return the change of the energy, as a part of the first or of the largest."""
        return (energy - self.first) / self.unit

    def format(self, energy: float) -> str:
        """Format an energy."""
        if not self.is_percentage:
            return show(energy, 2)
        part = 1.0 + self.find_change(energy)
        if part >= MOST_TIMES:
            return f"over {100 * MOST_TIMES} %"
        return f"{show(float(round_half_up(100 * part, '.0f')))} %"


def _tell_exact_end(results: Results, scale: EnergyScale) -> str:
    """Say with which energy the exact motion ends, which a torque changes."""
    exact = find_exact_energy(results)
    if exact is None or results.no_exact:
        return "The torque changes the energy."
    end = scale.format(float(exact[-1]))
    if scale.is_percentage:
        return f"The exact motion ends with {end} of it."
    return f"The exact motion ends with an energy of {end}."


def _tell_end(line: RunLine, scale: EnergyScale, keeps: bool) -> str:
    """Say what a method made of the energy."""
    if line.run.status != "done":
        return FAILS
    if keeps and keeps_energy(line.run):
        return KEEPS
    energy = float(line.run.energy[-1])
    if keeps and scale.is_percentage and abs(scale.find_change(energy)) <= ENERGY_KEPT:
        return (
            f"let the energy swing by {show(100 * line.run.deviation('energy') / scale.unit, 2)} %"
        )
    if scale.is_percentage:
        return f"ended with {scale.format(energy)} of the first energy"
    return f"ended with an energy of {scale.format(energy)}"


def _join_clause(who: Sequence[str], what: str, of: int) -> str:
    """What some of the methods did; they are counted if their names are too many words."""
    named = f"{join_names(who)} {what}"
    fits = len(named.split()) <= MOST_WORDS - len(INTRODUCTION.split())
    return named if fits else f"{len(who)} of {of} methods {what}"


def _pack(clauses: Sequence[str]) -> list[str]:
    """Sentences of one clause or two; the first follows the introduction."""
    pairs = [[INTRODUCTION]]
    for clause in clauses:
        last = pairs[-1]
        words = len(" ".join([*last, clause]).split()) + 1
        if len(last) > 2 or (last != [INTRODUCTION] and words > MOST_WORDS):
            pairs.append(["", clause])
        else:
            last.append(clause)
    first, *others = (", and ".join(pair[1:]) for pair in pairs)
    return [f"{first}.", *map(finish_sentence, others)]


def _in_sentence(name: str) -> str:
    return f"{name[:1].lower()}{name[1:]}" if name in PLAIN_NAMES.values() else name
