"""States at which formulas have special cases: steady spins, bodies at rest, equal moments, tops
that sleep or hang, and the separatrix.

Each method runs and has its derivatives there, closed forms hold, and studies give numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from covering import covering, first, some
from special_states import STATES, E
from test_sensitivity import difference, end_of, turn_start

import engine
from engine import studies
from engine.problems.field import FREE
from engine.simulation.sensitivity import find_obstacle
from engine.studies.sweeps.measures import MEASURES

STEADY = {name for name in STATES if "steady" in name or ", across axis" in name}
"""States in which a body of unequal moments across its spin turns about a fixed axis."""
EQUAL = {
    name
    for name, body in STATES.items()
    if np.ptp(np.unique(np.diag(body.J).round(9))) == 0 or len(set(np.diag(body.J).round(9))) < 3
}
"""States of bodies with equal moments."""
WITHOUT = {
    # At a half turn it takes other parameters, and the ends of the step differ by its error.
    "RK-MRP": ({"top, hanging and spinning"}, ("by_R",)),
    # Its inverse moment about Ω × Π has no limit where that product vanishes.
    "OSCULATING": (STEADY, ("by_Omega0",)),
    # Its correction is along the velocity across the vertical, which vanishes there.
    "DISCRETE-GRADIENT": ({"top, hanging and spinning", "top, sleeping"}, ("by_Omega0", "by_R")),
    # The order of their turns is that of the moments, which changes there.
    "DEDICATED": (EQUAL, ("by_J",)),
    "TOUMA-WISDOM": (EQUAL, ("by_J",)),
}
"""Methods whose step has no derivative in some states, and which."""
DT = 0.1
ALL = sorted(
    (method.key for method in engine.algorithms()),
    key=lambda key: (key != "SPHERICAL-MIDPOINT", key != "KEK"),
)
"""The first two are those of the quick tests: their derivatives compile fast, and KEK has cases."""
DIFFERENTIABLE = [key for key in ALL if not find_obstacle(STATES["at rest"], engine.algorithm(key))]


def suits(body, method):
    """Whether a method takes the problem's torque."""
    try:
        engine.simulate(body, method, dt=DT, steps=1)
    except ValueError as refusal:
        assert "higher rates of change" in str(refusal)
        return False
    return True


def differ(body, method):
    """The derivatives of a step by converged differences."""
    R, _ = end_of(body, method, DT)
    moments = np.diag(body.J)

    def with_moments(x):
        changed = moments + x
        return body.replace(J=changed, Omega0=body.Pi0 / changed), method, DT

    ways = {
        "by_Omega0": lambda x: (body.replace(Omega0=body.Omega0 + x), method, DT),
        "by_R": lambda x: (turn_start(body, x), method, DT),
        "by_J": with_moments,
    }
    found = {
        name: np.transpose([difference(R, lambda x, i=i, way=way: way(x * E[i])) for i in range(3)])
        for name, way in ways.items()
    }
    return found | {"by_dt": difference(R, lambda x: (body, method, DT + x))}


@pytest.mark.parametrize("method", first(DIFFERENTIABLE))
def test_derivatives_are_those_of_differences(method):
    special, without = WITHOUT.get(method, ((), ()))
    for name, body in some(STATES.items()):
        if not suits(body, method):
            continue
        found = engine.differentiate_step(body, method, dt=DT)
        for which, expected in differ(body, method).items():
            if name in special and which in without:
                continue
            off = np.abs(getattr(found, which) - expected).max()
            assert off <= 1e-8 * max(1.0, np.abs(expected).max()), f"{name}, {which}: {off:.1e}"


@pytest.mark.parametrize("method", first(ALL, 2))
def test_methods_run(method):
    """In small steps, each stays near the exact motion."""
    length = {"steps": 50, "dt": 0.02}
    if engine.algorithm(method).adaptive:
        length = {"duration": 1.0, "rtol": 1e-8, "atol": 1e-8, "samples": 20}
    for name, body in STATES.items():
        if not suits(body, method):
            continue
        run = engine.simulate(body, method, **length)
        assert run.status == "done", f"{name}: {run.message}"
        assert engine.error(run).attitude[-1] < 0.2, name
        if name == "at rest":
            assert np.array_equal(run.R[-1], np.eye(3)) and not run.Omega.any()


def test_kek_and_spherical_midpoint_are_exact_where_they_promise_it():
    """KEK is the free motion; the energy of a body at rest stays 0."""
    for name, body in STATES.items():
        if body.action(DT).field is not FREE or name == "nearly steady":
            continue
        run = engine.simulate(body, "KEK", dt=0.7, steps=50)
        assert np.nanmax(engine.error(run).attitude) < 1e-11, name
    run = engine.simulate(STATES["at rest"], "SPHERICAL-MIDPOINT", dt=0.7, steps=50)
    assert run.status == "done" and not run.energy.any()


def test_gauss_solves_the_equations_of_slender_bodies():
    """For these, rounds of substitution diverge; the solution has the order of the method."""
    body = engine.Problem(J=(1, 1, 0.01), Omega0=(1, 0.5, 0.2))
    errors = []
    for dt in (0.5, 0.25, 0.125):
        run = engine.simulate(body, "GAUSS", dt=dt, duration=5.0)
        assert run.status == "done", run.message
        errors.append(engine.error(run).attitude[-1])
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 3.5)


@pytest.mark.parametrize("name", STATES)
def test_closed_forms(name):
    """Against SciPy's solver, as far as the motion follows from its start."""
    body = STATES[name]
    found = engine.exact(body, [0.0, 10.0])
    run = engine.simulate(body, "DOP853", duration=10.0, rtol=1e-13, atol=1e-13, samples=3)
    assert np.isfinite(found.R).all() and np.isfinite(found.Pi).all()
    near = 1e-8 + 10 * found.estimate.attitude
    np.testing.assert_allclose(found.R[-1], run.R[-1], rtol=0, atol=near)
    np.testing.assert_allclose(found.Pi[-1], run.Pi[-1], rtol=0, atol=10 * near)


@pytest.mark.parametrize("name", STATES)
def test_measures_are_numbers(name):
    """But for the period of a body that does not flip, and the flips of one without a middle
    axis.
    """
    body = STATES[name]
    of_a_torque = {"pi_chi", "gamma_norm"} if body.action(DT).field is FREE else set()
    measures = [one for one in MEASURES if one not in {"seconds", *of_a_torque}]
    found = studies.sweep(body, ["NMB"], over={"dt": [0.05]}, measure=measures, duration=5.0)
    for measure in measures:
        value = float(found[measure].squeeze())
        if measure in ("flips", "period") and name in EQUAL:
            assert np.isnan(value), measure
        elif measure != "period":
            assert np.isfinite(value), measure
        if measure in ("energy", "pi", "orthogonality") and name == "at rest":
            assert value == 0.0
    if "steady" in name:
        assert float(found["flips"].squeeze()) == 0


@pytest.mark.parametrize("J", [(5, 5, 1), (2, 2, 3), (2, 2, 2)])
def test_a_torque_of_roundoff_is_no_motion_that_deviations_are_relative_to(J):
    """A top that hangs at rest is stable; exactly half a turn has a sine of 10⁻¹⁶."""
    body = engine.problem("slow-top", J=J, R0=(np.pi, 0, 0), Omega0=(0, 0, 0))
    found = studies.sweep(body, ["NMB"], over={"dt": [0.01, 0.05]}, measure="fli", duration=2.0)
    assert (found["fli"] < 3).all() and (found["fli"] > 0).all()


VALUES = {
    "duration": 2.0,
    "dts": (0.2, 0.1, 0.05, 0.025),
    "steps": 40_000,
    "within": 0.01,
    "members": 5,
    "budget": 1e3,
    "across": "dt=0.1:0.5:3",
    "up": "Omega0.z=1:2:2",
    "over": "dt=0.1:0.5:3",
}
"""Arguments of studies; each uses those that it has."""


@pytest.mark.parametrize(
    ("key", "name"),
    covering(
        (one.key, name) for one in studies.registered() if "so3" in one.spaces for name in STATES
    ),
)
def test_studies_have_conclusions(key, name):
    study = studies.find(key)
    values = {one.name: VALUES[one.name] for one in study.arguments if one.name in VALUES}
    if key == "sweep":
        del values["steps"]
    body = STATES[name]
    methods = study.example[: 1 if study.most == 1 else 2]
    if key == "engines" and (body.action(DT).field is not FREE or not body.Omega0.any()):
        with pytest.raises(ValueError, match=r"free body|at rest"):
            study.run(body, methods, **values)
        return
    words = study.run(body, methods, **values).conclusion
    assert words and "nan" not in words and "inf" not in words
