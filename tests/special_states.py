"""States at which formulas have special cases: steady spins, bodies at rest, equal moments, tops
that sleep or hang, and the separatrix.
"""

from __future__ import annotations

import numpy as np

import engine

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
