"""Steps with numbers of 32 bits, and frames of several steps over which the torque is held."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from covering import first

import engine
from engine import studies

TUMBLING = engine.Problem(J=(1.0, 2.0, 2.8), Omega0=(1.2, 1.9, 1.5))


def single(values):
    return np.asarray(values, np.float32).astype(float)


@pytest.mark.parametrize("method", first(["jolt", "NMB", "DMV", "MR2", "RK4-QUAT", "BUSS3+E"], 2))
def test_what_is_carried_has_32_bits_and_what_is_watched_64(method):
    run = engine.simulate(TUMBLING, method, dt="1/60", steps=60, precision="single")
    exact = engine.simulate(TUMBLING, method, dt="1/60", steps=60)
    assert run.status == "done" and run.cost.torque_evaluations == exact.cost.torque_evaluations
    assert run.t[-1] == exact.t[-1] == 1.0
    if run.method.carries[1] == "Ω":
        np.testing.assert_array_equal(run.Omega, single(run.Omega))
    assert not np.array_equal(run.energy, single(run.energy))
    np.testing.assert_allclose(run.R, exact.R, atol=3e-5)
    assert np.abs(run.R - exact.R).max() > 1e-8


def test_the_body_that_is_moved_is_the_one_that_is_watched():
    """A spin about an axis and its energy stay constant to the last bit."""
    run = engine.simulate(
        TUMBLING.replace(Omega0=(0.0, 0.0, 0.7)), "jolt", dt=0.1, steps=100, precision="single"
    )
    assert (
        run.energy[0] == 0.5 * single(2.8) * single(0.7) ** 2
        and run.extrema["energy"].max == run.energy[0]
    )


def test_the_time_is_not_summed():
    """A torque is evaluated at k·Δt, rounded once."""
    asked = []
    body = TUMBLING.replace(torque=lambda t, R: asked.append(t) or (0.0, 0.0, 0.1))
    engine.simulate(body, "SEMI-EULER", dt=0.01, steps=1000, samples=1, precision="single")
    np.testing.assert_array_equal(asked[-1000:], single(np.arange(1000) * 0.01))


@pytest.mark.parametrize(
    "method", first(["bullet", "mujoco-midpoint", "AKW", "LIEMID-EA", "DMV(solver=cayley)", "SQ-M"])
)
def test_newton_s_tolerance_follows_the_precision(method):
    """As many rounds as with 64 bits, or fewer."""
    runs = [
        engine.simulate("slow-top", method, steps=300, precision=word)
        for word in ("single", "double")
    ]
    assert (
        runs[0].status == "done"
        and runs[0].cost.newton_iterations <= runs[1].cost.newton_iterations
    )
    np.testing.assert_allclose(runs[0].R[-1], runs[1].R[-1], atol=1e-3)


def test_every_way_to_ask_for_it(tmp_path):
    """As an argument, in the name, prepared, saved, rerun, in an ensemble and in a sweep."""
    run = engine.simulate(TUMBLING, "jolt", dt="1/60", steps=100, precision="single")
    assert run.method.label == engine.algorithm(
        "jolt(precision=single)"
    ).label and "precision=single" in repr(run)
    again = engine.load(run.save(tmp_path / "run.npz"))
    again_made = [
        again,
        again.rerun(),
        engine.simulate(TUMBLING, run.method.label, dt="1/60", steps=100),
    ]
    again_made.append(engine.prepared(TUMBLING, "jolt", dt="1/60", steps=100, precision="single")())
    prepared = engine.prepared(
        TUMBLING.replace(Omega0=(1, 1, 1)), "jolt", dt="1/60", steps=100, precision="single"
    )
    again_made.append(prepared(Omega0=(1.2, 1.9, 1.5)))
    for other in again_made:
        np.testing.assert_array_equal(other.R, run.R)
        np.testing.assert_array_equal(other.energy, run.energy)
    double = run.rerun(precision="double")
    assert double.method.label == engine.algorithm("jolt").label and not np.array_equal(
        double.R, run.R
    )
    many = studies.ensemble(TUMBLING, run.method, members=3, dt=1 / 60, duration=100 / 60)
    np.testing.assert_array_equal(many.Omega[0], run.Omega[-1])
    assert many.least[0] == run.extrema["energy"].min
    words = ["single", "double"]
    swept = studies.sweep(
        TUMBLING, ["jolt"], over={"precision": words}, measure=["energy"], dt=1 / 60, steps=100
    )
    away = [float(one.deviation("energy") / one.energy[0]) for one in (run, double)]
    np.testing.assert_array_equal(swept["energy"].values.ravel(), away)


@pytest.mark.parametrize("problem, method, words", [
    ("free", "EXACT", "precision is for methods that move one body by steps, and EXACT has no steps of a given size"),
    ("free", "DOP853", "and DOP853 has no steps of a given size"),
    ("dumbbells", "LGVI", "and LGVI moves two"),
])  # fmt: skip
def test_what_has_64_bits_always(problem, method, words):
    with pytest.raises(ValueError, match=words):
        engine.simulate(problem, method, precision="single")
    engine.simulate(problem, method, precision="double", steps=1)


# ----------------------------------------------------------------- frames


@pytest.mark.parametrize(
    "method", first(["jolt", "bullet", "RK-MEAN", "IMID", "MR2", "NMB", "RK4-QUAT"])
)
def test_a_frame_is_so_many_steps(method):
    """For a free body they equal smaller steps; for a top the torque is evaluated once per
    frame.
    """
    frames = engine.simulate(TUMBLING, method, dt=0.04, steps=50, substeps=4)
    steps = engine.simulate(TUMBLING, method, dt=0.01, steps=200)
    np.testing.assert_allclose(frames.R[-1], steps.R[-1], atol=1e-12)
    top = engine.simulate("slow-top", method, dt=0.01, steps=50, substeps=4)
    assert top.cost.torque_evaluations in (50, 51)  # some ask at the start as well


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", first(["SEMI-EULER", "IMID", "MR2", "NMB"], 2))
def test_the_torque_is_held_in_space(method):
    """A frame is the steps with the torque in space of its start."""
    top = engine.problem("slow-top")
    run = engine.simulate(top, method, dt=0.02, steps=3, substeps=4)
    for before, after in itertools.pairwise(range(4)):
        R = run.R[before]
        Omega = run.Omega[before]
        torque = top.values["Mgl"] * np.cross((0.0, 0.0, 1.0), R[:, 2])
        body = engine.Problem(J=top.J, R0=R, Omega0=Omega, torque=lambda t, R, held=torque: held)
        one = engine.simulate(body, method, dt=0.005, steps=4)
        np.testing.assert_allclose(one.R[-1], run.R[after], atol=1e-12)
        np.testing.assert_allclose(one.Omega[-1], run.Omega[after], atol=1e-12)


@pytest.mark.parametrize("method, free", [("SEMI-EULER", 1), ("RK-MEAN", 2), ("MR2", 2)])
def test_a_held_torque_is_of_first_order(method, free):
    divided = engine.algorithm(method, substeps=4)
    assert divided.order == (1, 1) and divided.order_on(True)[0] == free
    assert engine.algorithm("SEMI-EULER", gyroscopic="off", substeps=4).order == (0, 0)
    top = engine.problem("slow-top").replace(R0=(0.3, 0.0, 0.0))
    ends = [
        engine.simulate(top, divided, dt=h, duration=0.5, samples=1).R[-1]
        for h in (0.01, 0.005, 0.0025)
    ]
    ratio = np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2])
    assert np.log2(ratio) == pytest.approx(1, abs=0.2)


def test_what_is_chosen_again():
    divided = engine.algorithm("IMID(substeps=3)")
    assert divided.label == "IMID(substeps=3)" and divided.with_options(substeps=1).order == (2, 2)
    assert divided.with_options(precision="single").label == "IMID(substeps=3, precision=single)"
    for refused in ("MR2(substeps=2)*yoshida4", "BUSS1(substeps=2)+E", "EXACT(substeps=2)"):
        with pytest.raises(
            ValueError, match=r"divides a frame|is composed already|no steps of a given size"
        ):
            engine.algorithm(refused)
    with pytest.raises(ValueError, match="so its steps cannot be divided"):
        engine.algorithm("MR2*yoshida4").with_options(substeps=2)
