"""The headline: it follows from the setting, and every statement is true."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from covering import first

import engine
from app.state.choice import FIRST, Choice
from app.state.labs import LABS
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
    (FIRST["so3"], "its inertia ellipsoid rolls"),
    (FREE.with_changes(Omega0=(1, 0.1, 0.1)), "Ω circles the axis of least inertia."),
    (FREE.with_changes(Omega0=(0.1, 0.1, 1)), "Ω circles the axis of greatest inertia."),
    (FREE.with_changes(Omega0=(0.01, 1, 0.01)), "near its middle axis, it flips again and again."),
    (FREE.with_changes(Omega0=(0, 2, 0)), "spins about a principal axis"),
    (FREE.with_changes(J=(1, 1, 1.5), Omega0=(0.2, 0, 1)), "polhode is a circle, because two moments are equal"),
    (FREE.with_changes(Omega0=(0, 0, 0)), "A free body at rest."),
    (FREE.with_changes(Omega0=(1e-200, 1e-201, 0)), "Ω circles the axis of least inertia."),
    (Choice("slow-top", ("NMB",), 0.01, 1.0), "A symmetric top: its axis nods"),
    (Choice("asymmetric-top", ("NMB",), 0.01, 1.0), "the torque conserves energy and momentum about the vertical."),
    (Choice("book-toss", ("NMB",), 0.05, 1.0), "Book toss: the torque does work."),
    (TYPED.with_changes(formula="cross(R[:, 2], e3)"), "Your own body: the torque does work."),
    (TYPED.with_changes(formula="R[0, 0] * 0 * e3"), "Your own body: the torque does no work here."),
    (STEADY, "Your own body: the torque does no work here."),
    (Choice("gyrostat", ("RK4-QUAT",), 0.05, 5.0).with_changes(Omega0=(0, 0, 0)), "the body stays at rest."),
    (FIRST["se3"].with_changes(), "Two bodies attract each other"),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "motion"), SAID)
def test_it_says_what_moves_and_leaves_the_methods_to_the_ledger(choice, motion):
    words = LABS[choice.space].narrate(compute(choice))
    assert motion in words, words
    assert not any(name in words for name in choice.names.values())


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
        assert "stays fixed" in words or "it flips again and again" in words


NEAR = "Near the separatrix, it pauses at its middle axis and flips, again and again."
APPROACHES = "On the separatrix, it approaches a spin about its middle axis."
ONCE = "On the separatrix, it flips once and approaches a spin about its middle axis."
AXES = {
    (1.5, 2.5, 3.0): {
        (0.01, 1.0, 0.02): "Spun near its middle axis, it flips again and again.",
        (1.0, 0.1, 0.01): "Ω circles the axis of least inertia.",
        (0.01, 0.1, 1.0): "Ω circles the axis of greatest inertia.",
        (1.0, 0.0, 1.0): APPROACHES,
        (1.0, 0.0, 1.001): NEAR,
        (0.05, 1.0, 0.05): APPROACHES,
        (0.05, 1.0, -0.05): ONCE,
        (0.5, -1.0, 0.5): ONCE,
        (0.0, 1.0, 0.0): "A free body spins about a principal axis, which stays fixed in space.",
    },
    (1.0, 2.0, 3.0): {(1.0, 0.0, 0.57735): NEAR},
}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_free_body_is_described_alike_in_each_order_of_its_axes(order):
    odd = round(np.linalg.det(np.eye(3)[list(order)])) < 0
    for moments, starts in AXES.items():
        for velocity, words in starts.items():
            # In an odd order of the axes, the reversed velocity gives the same motion, mirrored.
            J = tuple(moments[i] for i in order)
            Omega0 = tuple(-velocity[i] if odd else velocity[i] for i in order)
            report = narrate(compute(FREE.with_changes(J=J, Omega0=Omega0)))
            assert report.endswith(words), (J, Omega0, report)


@pytest.mark.parametrize("velocity", [one for one in AXES[1.5, 2.5, 3.0] if all(one)])
def test_a_body_flips_as_often_as_it_is_told(velocity):
    choice = FREE.with_changes(J=(1.5, 2.5, 3.0), Omega0=velocity)
    along = engine.exact(choice.build_problem(), np.linspace(0, 200, 4000)).Omega[:, 1]
    turns = np.count_nonzero(np.diff(np.sign(along)))
    words = narrate(compute(choice))
    if "Ω circles" not in words:
        assert min(turns, 2) == (2 if "again" in words else 1 if "once" in words else 0), words


TOP = Choice("slow-top", ("MR2",), 0.01, 20.0)
HANGING = (math.pi, 0.0, 0.0)
# Tilt or attitude, angular velocity; the words; and what the exact motion of the axis does.
TOPS_SAID = [
    ({}, "its axis nods 3 times while it turns about the vertical", "nods, turns"),
    ({"Omega0": (0, 0, 0)}, "without spin: its axis swings once like a pendulum", "nods, hangs"),
    ({"R0": (0, 0, 0), "Omega0": (0, 0, 0)}, "stands upright at rest", "stands"),
    ({"R0": (0, 0, 0), "Omega0": (0, 0, 50)}, "A sleeping top: it spins upright, fast enough", "stands"),
    ({"R0": (0, 0, 0), "Omega0": (0, 0, 5)}, "A sleeping top: it spins upright, not fast enough", "stands"),
    ({"R0": HANGING, "Omega0": (0, 0, 0)}, "hangs at rest", "hangs"),
    ({"R0": HANGING, "Omega0": (0, 0, 5)}, "hangs and spins about the vertical", "hangs"),
    ({"R0": HANGING, "Omega0": (30, 0, 0)}, "goes round 95 times in a vertical plane", "nods, hangs, stands"),
    ({"R0": (0, 0, 0), "Omega0": (1, 0, 5)}, "rises to the vertical and sinks again", "nods, turns, stands"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words", "does"), TOPS_SAID)
def test_a_top_is_described_as_its_exact_motion_goes(changes, words, does):
    results = compute(TOP.with_changes(**changes))
    assert words in narrate(results)
    axis = results.exact.R[:, :, 2]
    heights = axis[:, 2]
    highest = np.count_nonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:]))
    if number := re.search(r"(\d+) times", words):
        assert int(number[1]) in (highest, highest // 2)
    plane = np.linalg.matrix_rank(axis[:, :2], tol=1e-6)
    found = {
        "nods": np.ptp(heights) > 1e-3,
        "turns": plane == 2,
        "hangs": heights.min() < -0.999,
        "stands": heights.max() > 0.999,
    }
    assert ", ".join(name for name, is_so in found.items() if is_so) == does


@pytest.mark.parametrize("spin", [11.0, 50.0])
def test_a_sleeping_top_stays_upright_if_it_is_said_to(spin):
    upright = TOP.with_changes(R0=(0, 0, 0), Omega0=(0, 0, spin))
    words = narrate(compute(upright))
    pushed = compute(upright.with_changes(R0=(1e-3, 0, 0))).exact
    assert ("not fast enough" in words) == bool(pushed.R[:, 2, 2].min() < 0.9), words


def test_a_steady_precession_is_described_by_its_constant_height():
    problem = TOP.build_problem()
    A = problem.J[0, 0]
    C = problem.J[2, 2]
    Mgl = problem.parameters["Mgl"].default
    tilt = 0.5
    turn = 3.0
    spin = (Mgl + (A - C) * turn**2 * math.cos(tilt)) / (C * turn)
    start = TOP.with_changes(
        R0=(tilt, 0, 0),
        Omega0=(0.0, turn * math.sin(tilt), spin + turn * math.cos(tilt)),
    )
    results = compute(start)
    assert "at a constant height" in narrate(results), np.ptp(results.exact.R[:, 2, 2])
