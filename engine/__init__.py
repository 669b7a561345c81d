"""Polhode's engine: how time integrators treat a rotating rigid body.

>>> import engine
>>> run = engine.simulate("slow-top", "NMB", dt=0.01, duration=10)
>>> run.energy.max() - run.energy.min()  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

# ruff: noqa: E402  (Ctrl-C is taken over before the imports that take long)
from .cli import interrupt

interrupt.begin()

from . import body, plugins
from .algorithms import Method, method
from .algorithms import all_methods as algorithms
from .algorithms import find_method as algorithm
from .exact import exact, warm
from .exact.errors import error
from .exact.exact_method import EXACT
from .export import notebook as _notebook  # which gives notebooks what they show
from .export import webassembly as web
from .export.citations import cite
from .export.files import load
from .kernels import Cancellation
from .kernels.custom_torque import potential, rate, torque
from .parameters.names import announce_plugins
from .problems import GivenRates, Problem
from .problems import all_problems as problems
from .problems import find_problem as problem
from .problems import two_bodies as twobody
from .problems.given_rates.recording import read_rates
from .programs import program
from .simulation import GivenRatesRun, Prepared, Run, TwoBodyRun, prepared, simulate
from .simulation.sensitivity import differentiate_step
from .text.extras import MissingPackages

if TYPE_CHECKING:
    from .referee import judge

announce_plugins(plugins.warn_of_installed)
sys.meta_path.append(MissingPackages())
# Scripts import this by the name of the package, as in `from engine.twobody import Masses`.
sys.modules |= {f"{__name__}.twobody": twobody}

__all__ = [
    "EXACT", "Cancellation", "GivenRates", "GivenRatesRun", "Method", "Prepared", "Problem", "Run", "TwoBodyRun",
    "algorithm", "algorithms", "body", "cite", "differentiate_step", "error", "exact", "judge", "load", "method",
    "plugins", "potential", "prepared", "problem", "problems", "program", "rate", "read_rates", "simulate", "torque",
    "twobody", "warm", "web",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what few programs need when it is first used."""
    if name == "judge":
        from .referee import judge

        return judge
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
