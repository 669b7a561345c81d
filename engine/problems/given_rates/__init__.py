"""Attitudes with given rates, as a gyroscope measures them.

>>> import engine
>>> run = engine.simulate("coning", "RK4-QUAT", duration=1)
>>> turning = engine.Problem(rate=lambda t: (0.0, 0.1 * t, 1.0))
"""

from . import coning, custom
from .given import GivenRates, given_rates

__all__ = ["GivenRates", "coning", "custom", "given_rates"]
