"""Polhode's engine: how time integrators treat a rotating rigid body.

>>> import engine
>>> run = engine.simulate("slow-top", "NMB", dt=0.01, duration=10)
>>> run.energy.max() - run.energy.min()  # doctest: +SKIP
"""

from __future__ import annotations

from . import body
from .algorithms import Method
from .algorithms import find as algorithm
from .algorithms import registered as algorithms
from .compiler.driver import Cancellation
from .files import load
from .problems import Problem
from .problems import find as problem
from .problems import registered as problems
from .run import Run
from .simulate import simulate
from .torque import potential, torque
from .warm import warm

__all__ = [
    "Cancellation",
    "Method",
    "Problem",
    "Run",
    "algorithm",
    "algorithms",
    "body",
    "load",
    "potential",
    "problem",
    "problems",
    "simulate",
    "torque",
    "warm",
]
