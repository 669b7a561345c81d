"""The order of a body's axes: every result is the same for all six, and for other body axes.

The same body is described in six ways: its axes are numbered anew, and where that makes them
left-handed, all turn round. A seventh has axes that are not the principal ones.
"""

from __future__ import annotations

import numpy as np
import pytest
from body_axes import AXES, KOVALEVSKAYA, OTHERS, START, TOP, describe_in_axes
from covering import covering

import engine
from engine import studies
from engine.problems.mass_properties import rank_moments
from engine.studies.sweeps.measures import MEASURES

FREE = engine.Problem(J=(1.0, 2.0, 2.8), R0=START, Omega0=(0.01, 2.0, 0.02))
SYMMETRIC = engine.Problem(J=(2.0, 2.0, 1.0), R0=START, Omega0=(0.3, 0.4, 1.0))
BODIES = {"free": FREE, "top": TOP, "kovalevskaya": KOVALEVSKAYA, "symmetric": SYMMETRIC}


def list_measures(body):
    """The measures that a body has, but for the time they take, and the attitude of an axis that
    only the order of the axes names.
    """
    forced = body.values.get("chi") is not None
    left_out = {"seconds"} if forced else {"seconds", "cos_tilt", "pi_chi", "gamma_norm"}
    return [name for name in MEASURES if name not in left_out]


@pytest.fixture(scope="module")
def measure():
    """Measures of a body in some axes, each computed once."""
    found = {}

    def measures_of(kind, axes):
        if (kind, axes) not in found:
            body = describe_in_axes(BODIES[kind], axes)
            swept = studies.sweep(
                body, ["RKMK"], over={"dt": [0.02]}, measure=list_measures(body), duration=40.0
            )
            found[kind, axes] = {name: float(swept[name].squeeze()) for name in list_measures(body)}
        return found[kind, axes]

    return measures_of


@pytest.mark.parametrize("axes", OTHERS)
@pytest.mark.parametrize("kind", BODIES)
def test_measures(measure, kind, axes):
    expected = measure(kind, "123")
    found = measure(kind, axes)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-4, abs=1e-10, nan_ok=True), name


DETERMINISTIC = {
    "convergence": {"dts": (0.2, 0.1, 0.05, 0.025), "duration": 2.0},
    "steps-to-accuracy": {"within": (0.01,), "duration": 2.0},
    "edge": {"duration": 2.0, "within": 0.01},
    "engines": {"duration": 20.0},
}
"""Studies whose results do not depend on measured times or on random numbers, with arguments."""


@pytest.mark.parametrize(
    ("key", "axes"), covering((key, axes) for axes in OTHERS for key in DETERMINISTIC)
)
@pytest.mark.parametrize("kind", ["free", "symmetric"])
def test_conclusions_of_studies(key, axes, kind):
    """Also those that name an axis."""
    methods = ["bullet", "jolt"] if key == "engines" else ["RKMK", "GAUSS"]
    body = BODIES[kind] if key != "engines" else BODIES[kind].replace(J=(2.8, 1.0, 2.0))

    def conclude(axes):
        study = studies.find(key)
        return study.run(describe_in_axes(body, axes), methods, **DETERMINISTIC[key]).conclusion

    assert conclude(axes) == conclude("123")


@pytest.mark.parametrize("axes", AXES)
def test_ranks_of_moments(axes):
    """Equal moments have the same rank."""
    for J, expected in (
        ((1, 2, 2.8), {"least", "middle", "greatest"}),
        ((1, 1, 2), {"least", "greatest"}),
        ((1, 2, 2), {"least", "greatest"}),
        ((1, 1, 1), {""}),
    ):
        moments, _ = describe_in_axes(engine.Problem(J=J), axes).principal
        ranks = rank_moments(moments)
        assert set(ranks) == expected
        assert [J[np.abs(np.subtract(J, m)).argmin()] for m in moments] == pytest.approx(moments)
        for moment, rank in zip(moments, ranks, strict=True):
            assert rank != "least" or moment == pytest.approx(min(J))
            assert rank != "greatest" or moment == pytest.approx(max(J))


@pytest.mark.parametrize("axes", AXES)
def test_engines_name_the_axis_by_its_inertia(axes):
    """A body thrown about its second axis, whose inertia is the least, is not said to spin about
    another.
    """
    body = engine.Problem(J=(2.8, 1.0, 2.0), R0=START, Omega0=(0.01, 2.0, 0.01))
    found = studies.engines(describe_in_axes(body, axes), ["MR2"], duration=20.0)
    assert {row.exact_axis for row in found.rows} == {"least"}
    assert found.rows[-1].axis == "least"
