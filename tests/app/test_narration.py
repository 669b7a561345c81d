"""The headline: it follows from the setting, and every statement is true."""

from __future__ import annotations

import pytest

from app.state.choice import FIRST, Choice
from app.state.narration import narrate
from app.state.results import compute

FREE = Choice("custom", ("MR2",), 0.05, 5.0)
SAID = [
    (FIRST["so3"], "its inertia ellipsoid rolls", "Three methods beside the exact motion: NMB ends nearest"),
    (FREE.with_changes(Omega0=(1, 0.1, 0.1)), "around its axis of least inertia", "MR2 beside the exact motion."),
    (FREE.with_changes(Omega0=(0.1, 0.1, 1)), "around its axis of greatest inertia", ""),
    (FREE.with_changes(Omega0=(0.01, 1, 0.01)), "near its middle axis, and turns over, again and again", ""),
    (FREE.with_changes(Omega0=(0, 2, 0)), "spins about a principal axis", ""),
    (FREE.with_changes(J=(1, 1, 1.5), Omega0=(0.2, 0, 1)), "two of its moments are equal", ""),
    (FREE.with_changes(Omega0=(0, 0, 0)), "A free body at rest.", ""),
    (Choice("slow-top", ("NMB", "DMV"), 0.01, 1.0), "A symmetric top", "Two methods beside the exact motion"),
    (Choice("asymmetric-top", ("NMB",), 0.01, 1.0), "not change the energy or the momentum about the vertical", ""),
    (Choice("book-toss", ("NMB",), 0.05, 1.0), "Book toss: a torque acts, which changes the energy", ""),
    (Choice("free", ("NMB", "DMV"), 5.0, 100.0), "free body", "DMV does not come to the end"),
    (FIRST["se3"].with_changes(), "Two bodies pull at each other", "Three methods."),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "motion", "methods"), SAID)
def test_it_says_what_moves_and_what_the_methods_make_of_it(choice, motion, methods):
    words = narrate(compute(choice))
    assert motion in words and methods in words, words
