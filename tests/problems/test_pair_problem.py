"""Problems of two bodies: their parts, changes, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import studies
from engine.problems.two_bodies.dumbbells import CASES
from engine.problems.two_bodies.masses import Masses, dumbbell, fill
from engine.problems.two_bodies.pair import TwoBodies

CUBE = (
    np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float) + (3.0, 0.0, 0.0),
    np.array(
        [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
    ),
)  # fmt: skip


def test_the_cases_and_their_names():
    for key, case in CASES.items():
        pair = engine.problem(key)
        assert pair.key == "dumbbells" and pair.values["case"] == key and pair.space == "se3"
        assert engine.problem(f"dumbbells(case={key})").label == pair.label
        assert engine.problem(pair.label).Omega1 == pytest.approx(case["Omega1"])
        assert (pair.X == (1, 0, 0.3)).all() and (pair.V == (0, 1, 0)).all()
    assert engine.problem("dumbbells").label == "dumbbells"
    pair = engine.problem("dumbbells")
    assert pair.G * pair.body1.mass * pair.body2.mass == pytest.approx(1.0, rel=1e-15)
    assert np.diag(pair.body2.J) == pytest.approx((0.0030, 0.1905, 0.1905), rel=1e-15)
    assert [p.key for p in engine.problems("se3")] == ["dumbbells", "two-bodies"]
    assert all(p.space == "so3" for p in engine.problems())


def test_names_that_stand_for_two_methods():
    assert (
        engine.algorithm("SRK").key == "IMR-MATRIX"
        and engine.algorithm("SRK", space="se3").key == "SRK"
    )
    assert engine.algorithm("LGVI").space == "se3" and engine.algorithm("DOP853").space == "so3"
    for name in ("DOP853", "LGM", "SRK"):
        run = engine.simulate("DB1", name, duration=0.02)
        assert run.method.space == "se3" and run.status == "done"
        assert engine.simulate("free", name, duration=1.0).method.space == "so3"
    assert {m.space for m in engine.algorithms()} == {"so3"}
    assert [m.key for m in engine.algorithms("se3")][:2] == ["LGVI", "LGVI4"]


def test_no_linear_momentum_unless_it_is_asked_for():
    pair = engine.problem("dumbbells")
    m1, m2 = pair.body1.mass, pair.body2.mass
    x1, x2, v1, v2 = pair.start
    assert np.abs(m1 * v1 + m2 * v2).max() <= 1e-15 and np.abs(m1 * x1 + m2 * x2).max() <= 1e-15
    np.testing.assert_allclose(x1 - x2, pair.X)
    run = engine.simulate(pair.replace(drift=(0.1, 0, -0.2)), "LGVI", steps=100)
    np.testing.assert_allclose(run.linear_momentum, np.tile((0.45, 0, -0.9), (101, 1)), atol=1e-14)
    still = engine.simulate(pair, "LGVI", steps=100)
    np.testing.assert_allclose(run.R1, still.R1, atol=1e-13)  # what drifts does not turn otherwise


def test_a_dumbbell_that_is_changed_keeps_its_shape():
    pair = engine.problem("dumbbells")
    heavy = pair.replace(m1=3.0, l2=1.0)
    np.testing.assert_allclose(heavy.body1.J, 2 * pair.body1.J, rtol=1e-15)
    np.testing.assert_allclose(heavy.body2.J, 4 * pair.body2.J, rtol=1e-15)
    assert heavy.body1.half_length == 0.125 and heavy.body2.half_length == 0.5
    assert (heavy.Omega1 == pair.Omega1).all()
    assert (pair.replace(case="DB1").Omega1 == CASES["DB1"]["Omega1"]).all()
    assert (pair.replace(case="DB1", Omega1=(1, 2, 3)).Omega1 == (1, 2, 3)).all()
    written = engine.problem("dumbbells(case=DB1, m2=6)")
    assert written.body2.mass == 6.0 and written.values["case"] == "DB1"


def test_the_spheres_of_a_dumbbell():
    body = dumbbell(1.5, 0.25)
    np.testing.assert_allclose(np.diag(body.J), (0.000375, 0.0238125, 0.0238125), rtol=1e-14)
    assert body.mass == 1.5 and body.radius == 0.025
    np.testing.assert_allclose(
        np.diag(body.Jd), (0.0238125 - 0.0001875, 0.0001875, 0.0001875), rtol=1e-12
    )


def test_masses_are_taken_about_their_centre():
    rng = np.random.default_rng(5)
    masses = rng.uniform(1, 2, 7)
    places = rng.normal(size=(7, 3))
    body = Masses(masses, places)
    np.testing.assert_allclose(masses @ body.positions, np.zeros(3), atol=1e-14)
    np.testing.assert_allclose(body.Jd, (body.positions.T * masses) @ body.positions, atol=1e-13)
    moments, axes = body.principal
    np.testing.assert_allclose(axes.T @ body.J @ axes, np.diag(moments), atol=1e-13)
    np.testing.assert_allclose(
        Masses(masses, places + (5, 6, 7)).positions, body.positions, atol=1e-14
    )
    assert body.half_length is None


def test_a_body_filled_from_a_mesh():
    body = fill(CUBE, mass=6.0, count=64)
    assert len(body.masses) == 64 and body.mass == pytest.approx(6.0)
    np.testing.assert_allclose(body.J, np.eye(3), atol=1e-12)  # that of the solid cube, m a²/6
    assert np.abs(body.positions).max() == pytest.approx(0.375)
    run = engine.simulate(engine.problem("two-bodies", body1=body, X=(4, 0, 0)), "LGVI", steps=20)
    assert run.status == "done" and run.cost.force_evaluations == 21


def test_the_axes_a_body_is_given_in_do_not_matter():
    """With turned axes and the attitude turned back, it moves as before."""
    pair = engine.problem("two-bodies")
    Q = engine.parameters.validation.check_attitude((0.4, 1.1, -0.6))
    turned = Masses(pair.body1.masses, pair.body1.positions @ Q.T)
    other = pair.replace(body1=turned, R1=pair.R1 @ Q.T, Omega1=Q @ pair.Omega1)
    one, two = (engine.simulate(p, "LGVI", steps=200) for p in (pair, other))
    np.testing.assert_allclose(two.x1, one.x1, atol=1e-13)
    np.testing.assert_allclose(two.R1 @ Q, one.R1, atol=1e-12)
    np.testing.assert_allclose(two.Omega1 @ Q, one.Omega1, atol=1e-12)
    np.testing.assert_allclose(two.energy, one.energy, rtol=1e-13)


def test_bodies_of_many_masses_keep_what_dumbbells_keep():
    run = engine.simulate("two-bodies", "LGVI", duration=30.0)
    assert run.status == "done" and not run.message
    for series in (run.linear_momentum, run.angular_momentum):
        assert np.abs(series - series[0]).max() <= 1e-13
    halved = engine.simulate("two-bodies", "LGVI", dt=0.005, duration=30.0)
    errors = [np.abs(r.energy - r.energy[0]).mean() for r in (run, halved)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_problem_of_one_s_own():
    pair = TwoBodies(
        body1=dumbbell(1.0, 0.2),
        body2={"masses": (1, 1, 2), "positions": np.eye(3)},
        X=(2, 0, 0),
        G=1.0,
    )
    run = engine.simulate(pair, "LGVI", dt=0.01, steps=100)
    assert run.status == "done" and pair.attraction.name == "masses"
    assert np.abs(run.angular_momentum - run.angular_momentum[0]).max() < 1e-14


@pytest.mark.parametrize("change, sentence", [
    ({"mass": 1.0}, "dumbbells has no parameter 'mass'; its parameters are Omega1"),
    ({"case": "DB7"}, "case is one of DB4, DB1, DB2; got 'DB7'"),
    ({"m1": -1}, "m1 must be a number from 10⁻⁶"),
    ({"G": 0.0}, "G must be a number from 10⁻¹⁰⁰"),
    ({"X": (0.375, 0, 0)}, "a mass of one body lies on a mass of the other"),
    ({"Omega1": (1, 2)}, "Omega1 must be three finite numbers"),
    ({"Omega1": (1e10, 0, 0)}, "Omega1 must have no component beyond 10⁹"),
    ({"R1": np.ones((3, 3))}, "the rotation must be a proper 3×3 rotation matrix"),
    ({"body1": 3}, "a body is an engine.twobody.Masses; got int"),
    ({"dt": 0.0}, "dt must be a number"),
])  # fmt: skip
def test_what_is_refused(change, sentence):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refused:
        engine.problem("dumbbells", **change)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("given, sentence", [
    (((1, 1), ((0, 0, 0), (1, 0, 0))), "the masses lie on a line, so say what J is"),
    (((1, -1), ((0, 0, 0), (1, 0, 0))), "positive and finite"),
    (((1, 1), ((0, 0, 0),)), "as many positions"),
    (((1,), ((0, 0, np.inf),)), "positions finite"),
])  # fmt: skip
def test_bodies_that_are_none(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        Masses(*given)


@pytest.mark.parametrize("problem, method, sentence", [
    ("slow-top", "LGVI", "LGVI moves two bodies, and here is one"),
    ("dumbbells", "NMB", "NMB moves one body, and here are two; the methods for two are LGVI"),
    ("dumbbells", "LGVI+E", "the energy correction turns one free body, and LGVI moves two bodies"),
    ("dumbbells", "LGVI(form=inertial-lagrangian)*yoshida4", "a symmetric composition needs a time-reversible"),
    ("dumbbells", "LGVI(form=none)", "form is one of relative-hamiltonian"),
    ("dumbbells", "LGIV", "the nearest names are LGVI"),
    ("dumb-bells", "LGVI", "the nearest name is dumbbells"),
])  # fmt: skip
def test_pairs_that_do_not_fit(problem, method, sentence):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as refused:
        engine.simulate(problem, method, steps=1)
    assert sentence in str(refused.value)
    with pytest.raises(ValueError):
        engine.simulate(engine.problem("slow-top"), engine.algorithm("LGVI"), steps=1)


def test_studies_of_one_body_refuse_two():
    with pytest.raises(
        ValueError, match="dumbbells is a problem of two bodies, and this is for one body"
    ):
        studies.convergence("dumbbells", ["LGVI"])
