"""RKMK853 for an attitude with given rates: an embedded pair that chooses its own steps.

A step turns the attitude by exp ψ, and dexp⁻¹ gives the rate of ψ. Hairer's program DOP853 has the
pair and the controller; here the norm of the error's rotation vector takes the place of those of
components. Each row ends a step, so that no dense output is needed.
"""

from __future__ import annotations

from math import nan
from typing import Any

from ...algebra import Mat3, Vec3, Weights, combination, dexpinv, dot, exp, norm
from ...text import bibtex, keeps
from ..adaptive import COMPILED_TOLERANCES
from ..core import PAIRS, Gyro, OwnSteps, register
from ..core.docstring import read_docstring
from ..rkmk_adaptive import LEAST, MOST, MOST_ATTEMPTS, MOST_TURN, SAFETY, WEIGHT_OF_OTHER

PAIR = PAIRS["dop853"]
STAGES = tuple(zip(map(Weights, PAIR.tableau.a), PAIR.tableau.c, strict=True))[1:]
END = Weights(PAIR.tableau.b)
EXPONENT = 0.5 / PAIR.tableau.order
FIRST_TURN = 0.01
"""Radians that the first step turns at most."""


def start(
    gyro: Gyro, t: float, h: float, R: Mat3, rtol: float, atol: float
) -> tuple[Mat3, float, float]:
    """The first state: the attitude, the size of the first step, and its time."""
    stop, _ = gyro.next_stop(t)
    return R, min(FIRST_TURN / (norm(gyro.rate(t)) + FIRST_TURN), stop), t


def step(
    gyro: Gyro, t: float, h: float, R: Mat3, size: float, at: float, rtol: float, atol: float
) -> tuple[Mat3, float, float]:
    r"""An explicit embedded pair, compiled like a method of fixed step.

    .. math::
        \dot\psi = \mathrm{dexp}^{-1}_{-\psi}\, \omega(t), \quad R = R_n \exp\psi, \quad
        \|\psi - \hat\psi\| \le \text{tolerance}

    - A step is as long as the estimated error of its turn allows. The estimate is a vector, whose
      length does not depend on axes.
    - A turn leads from attitude to attitude, so R [remains a rotation].
    - Each stored row ends a step, so that many rows shorten the steps.
    """
    for i in range(MOST_ATTEMPTS):
        left = t - at
        h = left if 0.99 * left < size else size
        K: tuple[Any, ...] = (gyro.rate(at),)
        for row, c in STAGES:
            K += (find_rate(gyro, at + c * h, h * combination(row, K)),)
        turn = h * combination(END, K)
        K += (find_rate(gyro, at + h, turn),)
        e = estimate([h * combination(weights, K) for weights in PAIR.errors]) / (atol + rtol) ** 2
        angle = norm(turn)
        change = max(e**EXPONENT / SAFETY, 1.0 / MOST, angle / (SAFETY * MOST_TURN))
        again = h / min(change, 1.0 / LEAST)
        if e <= 1.0 and angle <= MOST_TURN:
            gyro.count_own(1, i)
            end = t if h == left else at + h
            if end > at:
                return R @ exp(turn), max(again, size) if h < size else again, end
            break
        size = again if e > 1.0 else LEAST * h
    gyro.not_found()
    return nan * R, size, nan


def find_rate(gyro: Gyro, t: float, ψ: Vec3) -> Vec3:
    """The rate of the turn ψ since the start of the step."""
    return dexpinv(-ψ, gyro.rate(t))


def estimate(found: list[Vec3]) -> float:
    """The squared error of a step, from the errors of two lower orders."""
    e, *rest = [dot(v, v) for v in found]
    for other in rest:
        if e > 0.0:
            e = e * e / (e + WEIGHT_OF_OTHER * other)
    return e


def reach(
    gyro: Gyro, t: float, h: float, R: Mat3, size: float, at: float, rtol: float, atol: float
) -> tuple[Mat3, float, float]:
    """The state at the row at t, which ends a step."""
    return R, size, at


register(
    OwnSteps.declare(
        key="RKMK853",
        name="Runge–Kutta–Munthe-Kaas of order 8, adaptive",
        short="Adaptive Munthe-Kaas 8",
        family="Adaptive",
        step=step,
        start=start,
        reach=reach,
        rates_at=(),
        options=COMPILED_TOLERANCES,
        conserves={"orthogonality": "always"},
        reference=bibtex("MuntheKaas1998", "HairerNorsettWanner1993"),
        **read_docstring(step, (keeps(orthogonality="always"),)),
    )
)
