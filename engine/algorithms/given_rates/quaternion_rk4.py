"""RK4 on the quaternion of an attitude with given rates."""

from __future__ import annotations

from ...algebra import Quat
from ...text import bibtex
from ..core import Gyro, method


@method(
    key="RK4-QUAT",
    name="Runge–Kutta 4 on the quaternion",
    short="RK4 on quaternion",
    family="Baseline",
    order=(4,),
    rates_at=(0.0, 0.5, 1.0),
    torque_evaluations=3,
    reference=bibtex("Kutta1901"),
)
def step(gyro: Gyro, t: float, h: float, q: Quat) -> tuple[Quat]:
    r"""Kutta's method for the four numbers of the quaternion, from the rates at the start, the middle
    and the end of a step. It is not normalised.

    .. math::
        \dot q = \tfrac12 q\,\omega(t), \quad k_1 = \tfrac12 q_n\,\omega_0, \quad
        k_2 = \tfrac12 (q_n + \tfrac h2 k_1)\,\omega_{1/2}, \quad
        k_3 = \tfrac12 (q_n + \tfrac h2 k_2)\,\omega_{1/2} \\
        k_4 = \tfrac12 (q_n + h k_3)\,\omega_1, \quad
        q_{n+1} = q_n + \tfrac h6 (k_1 + 2 k_2 + 2 k_3 + k_4)

    - The rate of a quaternion is linear in it, and the stages are those of a general differential
      equation, which know nothing of rotations.
    - The errors of a step change the length of the quaternion as well, which therefore drifts. The
      attitude is that of the quaternion divided by its length.
    - Two of its four stages are at the middle of the step, so that it needs rates at half the
      interval of its steps.
    """
    ω0, middle, ω1 = gyro.rate(t), gyro.rate(t + 0.5 * h), gyro.rate(t + h)
    k1 = 0.5 * (q @ ω0)
    k2 = 0.5 * ((q + 0.5 * h * k1) @ middle)
    k3 = 0.5 * ((q + 0.5 * h * k2) @ middle)
    k4 = 0.5 * ((q + h * k3) @ ω1)
    return (q + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4),)
