"""DOP853 for two bodies: SciPy's solver on the 36 numbers, to a tolerance."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..algebra import Gravity, Relative
from ..algorithms.adaptive import TOLERANCES, solve
from ..algorithms.method import Method, register
from ..algorithms.tableaux import HAIRER
from ..told import loses, told
from .problem import EQUATIONS
from .runge_kutta import State, start, there, view
from .runge_kutta import rates as of_the_state

SIZE = 36


def rates(bodies: Any, t: float, h: float, y: Relative, g: Gravity) -> State:
    """The rates in a state, with the gravity there in place of the one that is carried along."""
    g = there(bodies, y)
    return of_the_state(bodies, y, g), g


def in_space(states: Any) -> tuple[Any, Any]:
    """(n, 2, 3, 3) attitudes and (n, 18) Ω1, Ω2, x1, x2, v1, v2 of (n, 36) states, as they are."""
    X, V, Ω, Ω2, x2, v2 = (states[:, at : at + 3] for at in (0, 3, 15, 18, 21, 24))
    R, R2 = states[:, 6:15].reshape(-1, 3, 3), states[:, 27:].reshape(-1, 3, 3)
    Ω1 = np.einsum("nji,nj->ni", R, Ω)
    x1, v1 = (theirs + np.einsum("nij,nj->ni", R2, mine) for theirs, mine in ((x2, X), (v2, V)))
    return np.stack([R2 @ R, R2], axis=1), np.concatenate([Ω1, Ω2, x1, x2, v1, v2], axis=1)


register(
    Method(
        key="DOP853",
        name="Dormand and Prince's method of order 8, adaptive",
        family="Adaptive",
        space="se3",
        summary=told(
            "SciPy's, to a tolerance in place of a step: it slows down for a close encounter, and [keeps nothing "
            "by its structure].",
            loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        ),
        equations=EQUATIONS,
        reference=HAIRER,
        solve=functools.partial(solve, solver="DOP853", size=SIZE, shown=in_space),
        rates=rates,
        start=start,
        view=view,
        options=TOLERANCES,
    )
)
