"""The headline: it follows from the setting, and every statement is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from covering import first

import engine
from app.state.choice import FIRST, Choice
from app.state.narration import narrate
from app.state.results import compute

FREE = Choice("custom", ("MR2",), 0.05, 5.0)
TYPED = Choice("custom(torque=formula)", ("MR2",), 0.05, 5.0)
STEADY = TYPED.with_changes(
    formula="cross(R[:, 2], e3)",
    J=(1, 1, 1.5),
    R0=(0, 1, 0),
    Omega0=(-math.sin(1), 0, (math.cos(1) - 1) / 1.5),
)
"""A steady precession: a torque of the attitude that turns the momentum and is always normal to ω.
"""
SAID = [
    (FIRST["so3"], "its inertia ellipsoid rolls", "NMB ends nearest to the exact motion; DMV loses phase."),
    (FREE.with_changes(Omega0=(1, 0.1, 0.1)), "Ω circles the axis of least inertia.", ""),
    (FREE.with_changes(Omega0=(0.1, 0.1, 1)), "Ω circles the axis of greatest inertia.", ""),
    (FREE.with_changes(Omega0=(0.01, 1, 0.01)), "near its middle axis, it turns over again and again.", ""),
    (FREE.with_changes(Omega0=(0, 2, 0)), "spins about a principal axis", ""),
    (FREE.with_changes(J=(1, 1, 1.5), Omega0=(0.2, 0, 1)), "polhode is a circle, because two moments are equal", ""),
    (FREE.with_changes(Omega0=(0, 0, 0)), "A free body at rest.", ""),
    (FREE.with_changes(Omega0=(1e-200, 1e-201, 0)), "Ω circles the axis of least inertia.", ""),
    (Choice("slow-top", ("NMB", "DMV"), 0.01, 1.0), "A symmetric top: its axis nods", "NMB ends nearest to the"),
    (Choice("asymmetric-top", ("NMB",), 0.01, 1.0), "that conserves energy and momentum about the vertical.", ""),
    (Choice("book-toss", ("NMB",), 0.05, 1.0), "Book toss: the torque does work.", ""),
    (TYPED.with_changes(formula="cross(R[:, 2], e3)"), "Your own body: the torque does work.", ""),
    (TYPED.with_changes(formula="R[0, 0] * 0 * e3"), "Your own body: the torque does no work here.", ""),
    (Choice("free", ("NMB", "DMV"), 5.0, 100.0), "free body", "NMB loses phase; DMV does not reach the end."),
    (STEADY, "Your own body: the torque does no work here.", ""),
    (FIRST["se3"].with_changes(), "Two bodies attract each other", ""),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "motion", "methods"), SAID)
def test_it_says_what_moves_and_what_the_methods_make_of_it(choice, motion, methods):
    words = narrate(compute(choice))
    assert motion in words and methods in words, words


BODIES = (
    (0.9144, 1.098, 1.66),
    (1.0, 2.0, 3.0),
    (0.00121, 0.01638, 0.01748),
    (1.0, 1.0, 1.5),
    (2.0, 2.0, 2.0),
)


@pytest.mark.parametrize("J", first([(J,) for J in BODIES], 2))
@pytest.mark.parametrize("spin", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-8])
def test_a_spin_is_steady_only_if_it_does_not_leave_its_axis_within_the_duration(J, spin, off):
    for duration in (2.0, 60.0):
        choice = Choice("custom", ("MR2",), 0.05, duration)
        choice = choice.with_changes(
            J=J, Omega0=tuple(2.0 * np.array(spin) + off * np.array((1.0, 0.5, 0.3)))
        )
        Π = engine.exact(choice.build_problem(), np.linspace(0, duration, 400)).Pi
        cosines = Π @ Π[0] / (Π[0] @ Π[0])
        words = narrate(compute(choice))
        assert ("stays fixed" in words) == bool(cosines.min() > 0.99), words
        assert "stays fixed" in words or "it turns over again and again" in words
