"""Polhode's engine: how time integrators treat a rotating rigid body.

>>> import engine
>>> run = engine.simulate("slow-top", "NMB", dt=0.01, duration=10)
>>> run.energy.max() - run.energy.min()  # doctest: +SKIP
"""

from __future__ import annotations

# ruff: noqa: E402  (Ctrl-C is taken over before the imports that take long)
from . import starting

starting.begin()

from . import body, plugins, twobody, web
from .algorithms import Method, method, when_looked_up
from .algorithms import all_methods as algorithms
from .algorithms import find_method as algorithm
from .cancelling import Cancellation
from .citations import cite
from .exact import exact
from .exact.errors import error
from .exact.method import EXACT
from .files import load
from .onebody import Run
from .prepared import Prepared, prepared
from .problems import Problem
from .problems import all_problems as problems
from .problems import posed as problem
from .simulate import simulate
from .torque import potential, torque
from .warm import warm

when_looked_up(plugins.warn_of_installed)

__all__ = [
    "EXACT",
    "Cancellation",
    "Method",
    "Prepared",
    "Problem",
    "Run",
    "algorithm",
    "algorithms",
    "body",
    "cite",
    "error",
    "exact",
    "load",
    "method",
    "plugins",
    "potential",
    "prepared",
    "problem",
    "problems",
    "simulate",
    "torque",
    "twobody",
    "warm",
    "web",
]
