"""States at which formulas have special cases: steady spins, bodies at rest, equal moments, tops
that sleep or hang, and the separatrix.

Each method runs and has its derivatives there, closed forms hold, and studies give numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_sensitivity import difference, end_of, turn_start

import engine
from engine.simulation.sensitivity import find_obstacle

J = (1.0, 2.0, 2.8)
E = np.eye(3)
SPIN = (0.3, 0.5, 0.9)


def list_states():
    """The states, by name."""
    for i, axis in enumerate(("least", "middle", "greatest")):
        yield f"steady about the {axis} axis", engine.Problem(J=J, Omega0=1.3 * E[i])
    yield "at rest", engine.Problem(J=J, Omega0=(0, 0, 0))
    # 2E = |Π|²/J₂
    separatrix = engine.Problem(J=(1.0, 2.0, 2.9), Omega0=(1.0, 0.0, (1 / (2.9 * 0.9)) ** 0.5))
    yield "on the separatrix", separatrix
    yield "spherical", engine.Problem(J=(2, 2, 2), Omega0=SPIN)
    yield "spherical, of thirds", engine.Problem(J=(1 / 3, 1 / 3, 1 / 3), Omega0=SPIN)
    for i in range(3):
        for moment, shape in ((1.0, "slender"), (3.0, "flat")):
            body = engine.Problem(J=np.where(np.arange(3) == i, moment, 2.0), Omega0=SPIN)
            yield f"{shape} along axis {i + 1}", body
            yield f"{shape}, about axis {i + 1}", body.replace(Omega0=1.3 * E[i])
            across = 1.3 * E[(i + 1) % 3] + 0.4 * E[(i + 2) % 3]
            yield f"{shape}, across axis {i + 1}", body.replace(Omega0=across)
    yield "nearly spherical", engine.Problem(J=(2, 2 + 2e-12, 2 - 2e-12), Omega0=SPIN)
    yield "nearly steady", engine.Problem(J=J, Omega0=(1e-9, 1.3, 1e-9))
    yield "top, from rest", engine.problem("asymmetric-top", Omega0=(0, 0, 0))
    slow = engine.problem("slow-top")
    yield "top", slow
    yield "top, hanging", slow.replace(R0=(np.pi, 0, 0), Omega0=(0, 0, 0))
    yield "top, hanging and spinning", slow.replace(R0=(np.pi, 0, 0), Omega0=(0, 0, 2))
    yield "top, sleeping", engine.problem("fast-top", R0=(0, 0, 0), Omega0=(0, 0, 5))
    yield "top, upright at rest", slow.replace(R0=(0, 0, 0), Omega0=(0, 0, 0))
    yield "top, spherical", slow.replace(J=(2, 2, 2))


STATES = dict(list_states())
STEADY = {name for name in STATES if "steady" in name or ", across axis" in name}
"""States in which a body of unequal moments across its spin turns about a fixed axis."""
EQUAL = {
    name
    for name, body in STATES.items()
    if np.ptp(np.unique(np.diag(body.J).round(9))) == 0 or len(set(np.diag(body.J).round(9))) < 3
}
"""States of bodies with equal moments."""
WITHOUT = {
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
QUICK = ("KEK", "GAUSS", "LS", "SPHERICAL-MIDPOINT")
METHODS = [
    pytest.param(method.key, marks=() if method.key in QUICK else pytest.mark.exhaustive)
    for method in engine.algorithms()
    if not find_obstacle(STATES["at rest"], method)
]


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


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_are_those_of_differences(method):
    special, without = WITHOUT.get(method, ((), ()))
    for name, body in STATES.items():
        if not suits(body, method):
            continue
        found = engine.differentiate_step(body, method, dt=DT)
        for which, expected in differ(body, method).items():
            if name in special and which in without:
                continue
            off = np.abs(getattr(found, which) - expected).max()
            assert off <= 1e-9 * max(1.0, np.abs(expected).max()), f"{name}, {which}: {off:.1e}"
