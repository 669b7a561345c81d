"""The order of a body's axes: every result is the same for all six, and for other body axes.

The same body is described in six ways: its axes are numbered anew, and where that makes them
left-handed, all turn round. A seventh has axes that are not the principal ones.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import engine
from engine import studies
from engine.studies.sweeps.measures import MEASURES


def relabellings():
    """Rotations from the first axes to the others, by name."""
    for order in itertools.permutations(range(3)):
        P = np.eye(3)[list(order)]
        yield "".join(str(i + 1) for i in order), P * np.linalg.det(P)
    x, y, z = 0.3, -0.7, 0.4
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    yield "oblique", np.linalg.solve(np.eye(3) - skew, np.eye(3) + skew)


AXES = dict(relabellings())
OTHERS = list(AXES)[1:]
START = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
FREE = engine.Problem(J=(1.0, 2.0, 2.8), R0=START, Omega0=(0.01, 2.0, 0.02))
TOP = engine.problem("asymmetric-top", R0=START)
KOVALEVSKAYA = engine.problem("kovalevskaya-top", R0=START)
SYMMETRIC = engine.Problem(J=(2.0, 2.0, 1.0), R0=START, Omega0=(0.3, 0.4, 1.0))
BODIES = {"free": FREE, "top": TOP, "kovalevskaya": KOVALEVSKAYA, "symmetric": SYMMETRIC}


def describe_in_axes(body, name):
    """The same body and start, seen from other body axes."""
    Q = AXES[name]
    changed = {"J": Q @ body.J @ Q.T, "R0": body.R0 @ Q.T, "Omega0": Q @ body.Omega0}
    if "chi" in body.values:
        changed["chi"] = Q @ np.array(body.values["chi"])
    return body.replace(**changed)


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
    expected, found = measure(kind, "123"), measure(kind, axes)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-4, abs=1e-10, nan_ok=True), name
