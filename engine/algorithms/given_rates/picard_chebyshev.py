"""PICARD: Picard's iteration for the quaternion at Chebyshev's nodes of a step, as Bai and Junkins.

Each round puts the quaternions at the nodes into the differential equation, takes the polynomial
through the rates, and integrates it from the start of the step to each node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...algebra import Quat
from ...text import bibtex, declares, loses
from ..core import Gyro, method
from .coning import offer_numbers
from .turns import RENORMALISE, find_meaning, promise_length

DEGREE = offer_numbers(
    "degree",
    "the degree of the polynomial of the rate",
    "Degree",
    (2, 3, 4, 6, 8),
    4,
    "degree {value}",
)
ROUNDS = offer_numbers(
    "rounds",
    "the number of rounds of Picard's iteration",
    "Rounds",
    range(1, 13),
    6,
    "{value} rounds",
)


def find_nodes(degree: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Chebyshev's extreme points, from 0 to 1; the middle and simple fractions are exact."""
    return np.sin(np.pi / (2 * degree) * np.arange(degree + 1)) ** 2


def find_integrals(degree: int) -> tuple[tuple[float, ...], ...]:
    """The weights of the rates at the nodes in the integral from 0 to each node but the first."""
    nodes = find_nodes(degree)
    series = np.polynomial.chebyshev
    values = series.chebvander(2 * nodes - 1, degree)
    integrals = [
        series.Chebyshev(row, (0.0, 1.0)).integ(lbnd=0.0)(nodes[1:])
        for row in np.linalg.inv(values).T
    ]
    return tuple(tuple(map(float, row)) for row in np.transpose(integrals))


def make_step(degree: int, rounds: int) -> Any:
    """The step of a degree and a number of rounds."""
    nodes = tuple(round(float(node), 15) for node in find_nodes(degree))
    integrals = find_integrals(degree)

    def step(gyro: Gyro, t: float, h: float, q: Quat, renormalise: Any) -> tuple[Quat]:
        r"""Picard's iteration at Chebyshev's nodes: of order [six] with five nodes and six rounds. Its
        length [is not conserved] unless it is restored.

        .. math::
            q_i^{(k+1)} = q_n + \tfrac h2 \int_0^{c_i} p^{(k)}(s)\,ds, \quad
            p^{(k)}(c_j) = q_j^{(k)} \otimes \omega(t_n + c_j h), \quad
            c_j = \sin^2 \frac{\pi j}{2 N}

        - Two rounds gain two orders, until the order is that of the nodes. One round of two leaves its
          error in the length of the quaternion.
        - The weights are integrals of polynomials through the rates. Chebyshev's nodes are dense at both
          ends, where a polynomial of high degree would oscillate.
        - The nodes of a round can be computed at the same time, which is what the method is for.
        """
        ω = tuple([gyro.rate(t + node * h) for node in nodes])
        half = h / 2
        path = (q,) * len(nodes)
        for _ in range(rounds):
            slopes = tuple([half * (one @ rate) for one, rate in zip(path, ω, strict=True)])
            path = (q, *[add(q, weights, slopes) for weights in integrals])
        return (renormalise(path[-1]),)

    return step


def add(q: Quat, weights: tuple[float, ...], slopes: tuple[Quat, ...]) -> Quat:
    """q and the weighted sum."""
    for weight, slope in zip(weights, slopes, strict=True):
        q = q + weight * slope
    return q


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The step, and what it is given."""
    degree, rounds = find_meaning(chosen, DEGREE), find_meaning(chosen, ROUNDS)
    nodes = tuple(round(float(node), 15) for node in find_nodes(degree))
    found = {
        "step": make_step(degree, rounds),
        "order": (min(rounds + rounds % 2, degree + 2 - degree % 2),),
        "rates_at": nodes,
        "torque_evaluations": len(nodes),
    }
    return found | promise_length(chosen)


DEFAULTS = promise({})
PICARD = method(
    key="PICARD",
    name="Picard–Chebyshev iteration",
    short="Picard–Chebyshev",
    family="Collocation",
    reference=bibtex("BaiJunkins2011"),
    options=(DEGREE, ROUNDS, RENORMALISE),
    **{name: value for name, value in DEFAULTS.items() if name != "step"},
    given_options=promise,
    evidence=(declares(order=(6,)), loses("orthogonality")),
)(DEFAULTS["step"])
