"""The headline: it follows from the setting, and every statement is true."""

from __future__ import annotations

import pytest

from app.state.choice import FIRST, Choice
from app.state.narration import narrate
from app.state.results import compute

FREE = Choice("custom", ("MR2",), 0.05, 5.0)
TYPED = Choice("custom(torque=formula)", ("MR2",), 0.05, 5.0)
SAID = [
    (FIRST["so3"], "its inertia ellipsoid rolls", "NMB ends nearest to the exact motion; DMV loses phase."),
    (FREE.with_changes(Omega0=(1, 0.1, 0.1)), "Ω circles the axis of least inertia.", ""),
    (FREE.with_changes(Omega0=(0.1, 0.1, 1)), "Ω circles the axis of greatest inertia.", ""),
    (FREE.with_changes(Omega0=(0.01, 1, 0.01)), "near its middle axis, it turns over again and again.", ""),
    (FREE.with_changes(Omega0=(0, 2, 0)), "spins about a principal axis", ""),
    (FREE.with_changes(J=(1, 1, 1.5), Omega0=(0.2, 0, 1)), "polhode is a circle, because two moments are equal", ""),
    (FREE.with_changes(Omega0=(0, 0, 0)), "A free body at rest.", ""),
    (Choice("slow-top", ("NMB", "DMV"), 0.01, 1.0), "A symmetric top: its axis nods", "NMB ends nearest to the"),
    (Choice("asymmetric-top", ("NMB",), 0.01, 1.0), "that conserves energy and momentum about the vertical.", ""),
    (Choice("book-toss", ("NMB",), 0.05, 1.0), "Book toss: the torque does work.", ""),
    (TYPED.with_changes(formula="cross(R[:, 2], e3)"), "Your own body: the torque does work.", ""),
    (TYPED.with_changes(formula="R[0, 0] * 0 * e3"), "Your own body: the torque does no work here.", ""),
    (Choice("free", ("NMB", "DMV"), 5.0, 100.0), "free body", "NMB loses phase; DMV does not reach the end."),
    (FIRST["se3"].with_changes(), "Two bodies attract each other", ""),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "motion", "methods"), SAID)
def test_it_says_what_moves_and_what_the_methods_make_of_it(choice, motion, methods):
    words = narrate(compute(choice))
    assert motion in words and methods in words, words
