"""The simple view of the lab: what it shows first, its plain names, and its sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from engine.algorithms import name_methods
from engine.exact import Motion
from engine.parameters.validation import Array
from engine.problems import AnyProblem
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


def relate_energy(energy: Array) -> Array:
    """An energy as a part of the first."""
    return 1.0 + (energy - energy[0]) / (abs(energy[0]) or 1.0)


def find_exact_energy(motion: Motion, problem: AnyProblem) -> Array:
    """The energy of the exact motion, as a part of the first."""
    kinetic: Array = np.sum(motion.Pi * motion.Omega, axis=1) / 2
    return np.ones(len(kinetic)) if "energy" in problem.invariants else relate_energy(kinetic)


def tell_energies(results: Results, names: Mapping[str, tuple[str, str]]) -> str:
    """What each method has lost or gained of the energy at the end, after the words “With this Δt”.

    No sentence has more than `MOST_WORDS` words.
    """
    keeps = "energy" in results.problem.invariants
    if results.is_free and not results.problem.Omega0.any():
        return "the body is at rest and has no energy to lose."
    if not keeps and not results.problem.Omega0.any():
        return "the torque moves the body from rest. Compare each attitude with the exact motion."
    right = 1.0 if keeps else _find_right_end(results)
    lead = ""
    if not keeps and math.isnan(right):
        lead = "the torque changes the energy."
    elif not keeps:
        lead = f"the torque leaves {_format_part(right)} of the first energy."
    does: dict[str, list[str]] = {}
    for line in results.runs:
        what = _tell_end(line) if keeps else _tell_part(line, right)
        does.setdefault(what, []).append(_in_sentence(names[line.label][0]))
    aside = "No torque acts, so nothing should change it." if results.is_free else ""
    if list(does) == [KEEPS]:
        whole = "all methods keep" if len(results.runs) > 1 else f"{does[KEEPS][0]} keeps"
        words = [f"{whole} the energy.", aside, "Make Δt longer, and watch."]
    else:
        clauses = [_join_clause(who, what, len(results.runs)) for what, who in does.items()]
        first = MOST_WORDS - (0 if lead else len(INTRODUCTION.split()))
        words = [lead, *_pack(clauses, first), aside]
    return " ".join(filter(None, words))


INTRODUCTION = "With Δt = 0.25,"
"""How the first sentence begins, with some Δt."""
MOST_WORDS = 22
"""The most words of a sentence."""
KEEPS, IS_RIGHT = "kept the energy", "ended with this energy"
"""What a method did that has neither lost nor gained energy, and where a torque changes it, one that
is right.
"""
MOST_TIMES = 10
"""From how many times the first energy on the number no longer counts."""
FAILS = "broke down before the end"
"""What a method did whose run has no end."""


def _find_right_end(results: Results) -> float:
    """The part of the first energy that the exact motion has at the end; nan if that is unknown."""
    motion = results.exact
    if motion is None or motion.t[-1] < results.choice.duration - results.choice.dt:
        return math.nan
    return float(find_exact_energy(motion, results.problem)[-1])


def _tell_end(line: RunLine) -> str:
    """What a method did to an energy that nothing changes."""
    if line.run.status != "done":
        return FAILS
    part = float(relate_energy(line.run.energy)[-1])
    if abs(part - 1) <= KEPT:
        return KEEPS
    if part < 1:
        return f"lost {100 * (1 - part):.0f} % of the energy"
    if part < 2:
        return f"ended with {100 * (part - 1):.0f} % more energy"
    times = f"{part:.2g} times" if part < MOST_TIMES else f"more than {MOST_TIMES} times"
    return f"ended with {times} the energy"


def _tell_part(line: RunLine, right: float) -> str:
    """What a method leaves of an energy that a torque changes."""
    if line.run.status != "done":
        return FAILS
    part = float(relate_energy(line.run.energy)[-1])
    if math.isnan(right):
        return f"ended with {_format_part(part)} of the first"
    is_right = abs(part - right) <= KEPT * max(1.0, right)
    return IS_RIGHT if is_right else f"ended with {_format_part(part)}"


def _format_part(part: float) -> str:
    """A part of the first energy in percent, as in energies.js."""
    return f"{100 * part:.0f} %" if part < MOST_TIMES else f"over {100 * MOST_TIMES} %"


def _join_clause(who: Sequence[str], what: str, of: int) -> str:
    """What some of the methods did; they are counted if their names are too many words."""
    named = f"{join_words(who)} {what}"
    fits = len(named.split()) <= MOST_WORDS - len(INTRODUCTION.split())
    return named if fits else f"{len(who)} of {of} methods {what}"


def _pack(clauses: Sequence[str], first: int) -> list[str]:
    """Sentences with as many clauses as fit; the first has at most `first` words."""
    sentences: list[str] = []
    most = first
    for clause in clauses:
        longer = f"{sentences[-1]}; {clause}" if sentences else clause
        if sentences and len(longer.split()) > most:
            most = MOST_WORDS
            sentences.append(f"{clause[:1].upper()}{clause[1:]}")
        else:
            sentences[-1:] = [longer]
    return [finish_sentence(one) for one in sentences]


def _in_sentence(name: str) -> str:
    return f"{name[:1].lower()}{name[1:]}" if name in PLAIN_NAMES.values() else name
