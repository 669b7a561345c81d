"""DOP853 for two bodies: SciPy's solver on the 36 numbers, to a tolerance."""

from __future__ import annotations

import numpy as np

from ...algebra import Gravity, Relative
from ...parameters.validation import Array
from ...problems.two_bodies.pair import EQUATIONS
from ...text import PAIRS, bibtex, loses, measures
from ..adaptive import TOLERANCES, A, Question, solve
from ..core import Bodies, solver
from .runge_kutta import State, find_gravity, start, view
from .runge_kutta import rates as of_the_state

SIZE = 36


def rates(bodies: Bodies, t: float, h: float, y: Relative, g: Gravity) -> State:
    """The rates in a state, with the gravity there instead of the one in the state."""
    g = find_gravity(bodies, y)
    return of_the_state(bodies, y, g), g


def view_pairs(states: Array) -> tuple[Array, Array]:
    """(n, 2, 3, 3) attitudes and (n, 18) Ω1, Ω2, x1, x2, v1, v2 of (n, 36) states."""
    X, V, Ω, Ω2, x2, v2 = (states[:, at : at + 3] for at in (0, 3, 15, 18, 21, 24))
    R, R2 = states[:, 6:15].reshape(-1, 3, 3), states[:, 27:].reshape(-1, 3, 3)
    Ω1 = np.einsum("nji,nj->ni", R, Ω)
    x1, v1 = (theirs + np.einsum("nij,nj->ni", R2, mine) for theirs, mine in ((x2, X), (v2, V)))
    return np.stack([R2 @ R, R2], axis=1), np.concatenate([Ω1, Ω2, x1, x2, v1, v2], axis=1)


@solver(
    key="DOP853",
    name="Dormand and Prince's method of order 8, adaptive",
    short="Dormand–Prince 8",
    family="Adaptive",
    equations=EQUATIONS,
    reference=bibtex("HairerNorsettWanner1993"),
    rates=rates,
    start=start,
    view=view,
    options=TOLERANCES,
    evidence=(
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        (
            measures("energy", PAIRS, 1e-12, 1e-7, steps=15_000),
            measures("energy", PAIRS, 1e-12, 1e-7, dt=0.02, steps=1500),
        ),
    ),
)
def solve_pair(question: Question[A], rtol: float, atol: float) -> A:
    """SciPy's solver, with a tolerance in place of a step. It takes shorter steps in a close
    encounter, and its structure [conserves nothing].

    - It chooses its steps by an estimate of the error in each. Δt sets how far apart the stored
      states are.
    - Its error depends on the tolerance, not on Δt. Energy is [within 10⁻⁷ with Δt = 0.002 and with
      Δt = 0.02].
    - In a close encounter it takes shorter steps. A method with steps of one size needs such short
      steps throughout.
    """
    return solve(question, "DOP853", rtol, atol, SIZE, view_pairs)
