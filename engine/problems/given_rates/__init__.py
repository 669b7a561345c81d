"""Attitudes with given rates, as a gyroscope measures them.

>>> import engine
>>> run = engine.simulate("coning", "RK4-QUAT", duration=1)
>>> turning = engine.Problem(rate=lambda t: (0.0, 0.1 * t, 1.0))
"""

from . import coning, custom, drone_flip, random_rates, spinning_cone, steady, thrown_body
from .given import GivenRates, given_rates

__all__ = [
    "GivenRates", "coning", "custom", "drone_flip", "given_rates", "random_rates", "spinning_cone", "steady",
    "thrown_body",
]  # fmt: skip
