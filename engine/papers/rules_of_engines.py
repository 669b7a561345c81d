"""The rules of engines and of codes for particles side by side: what a free body conserves, and the
orders.

These are the rules, with the program's default steps in a frame and cap, without damping and in
double precision, and not the programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..exact.errors import length
from ..problems.problem import Problem, find_problem
from ..text import read_toml
from .claim import Bench, Between, Check, Measure, Value, at_least, at_most, claim
from .physics_engines import TUMBLING, declare_energy_figure, declare_error_figure, run_100_s
from .shared_measures import find_momentum_change, measure_orders

Rules = Mapping[str, str]
"""The names of methods, by their names in a table."""

TABLES = read_toml(__file__)
ENGINES: Rules = TABLES["engines"]
CODES: Rules = TABLES["codes"]
"""The rules that differ from one another."""
BLOWN_UP = "blown up"
BLOWING_UP = {"MuJoCo, Euler", "Chrono, leapfrog"}
"""Rules that blow up within 100 s, so that of them only the energy is required."""
CONSERVED: dict[str, Check] = {
    "energy": Between(0.99, 1.01),
    "length of the momentum": Between(0.99, 1.01),
    "change of the momentum": at_most(0.01),
}
"""What a free body conserves, within a part in a hundred."""


def require_invariants(rules: Rules) -> dict[str, Check]:
    """The requirements on what is left of the invariants after 100 s."""
    return {
        f"{name}: {what}": check
        for name in rules
        for what, check in CONSERVED.items()
        if what == "energy" or name not in BLOWING_UP
    }


def measure_invariants(rules: Rules) -> Measure:
    """The measurement of the invariants."""

    def measure(bench: Bench) -> Iterator[tuple[str, Value]]:
        """At 60 Hz, on a free body that turns by 2.7 rad/s. Energy and the length of the momentum
        are relative to the initial ones, the change of the momentum to its length.
        """
        for name, method in rules.items():
            run = run_100_s(bench, method)
            if run.status != "done":
                yield f"{name}: energy", BLOWN_UP
                continue
            yield f"{name}: energy", float(run.energy[-1] / run.energy[0])
            yield (
                f"{name}: length of the momentum",
                float(length(run.pi[-1:])[0] / length(run.pi[:1])[0]),
            )
            yield f"{name}: change of the momentum", find_momentum_change(run)

    return measure


ORDERS = ("attitude", "momentum", "attitude, top", "momentum, top")


def require_orders(rules: Rules) -> dict[str, Check]:
    """The requirements on the orders: errors go to zero with the step."""
    return {f"{name}: {what}": at_least(0.9) for name in rules for what in ORDERS}


def measure_rule_orders(rules: Rules) -> Measure:
    """The measurement of the orders."""

    def measure(bench: Bench) -> Iterator[tuple[str, Value]]:
        """From a halved step of 1/128 s, on the free body and on the slow top after 2 s."""
        problems = (TUMBLING, find_problem("slow-top", Problem))
        ends = [bench.find_exact_end(problem, 2.0, 1e-12) for problem in problems]
        for problem in problems:
            bench.prepare(problem, rules.values())
        for name, method in rules.items():
            found = [
                order
                for problem, end in zip(problems, ends, strict=True)
                for order in measure_orders(bench, problem, method, 1 / 128, end)
            ]
            for what, order in zip(ORDERS, found, strict=True):
                yield f"{name}: {what}", float(np.round(order, 6)) + 0.0

    return measure


ENGINES_LEFT = claim(key="engines-kept", paper=require_invariants(ENGINES))(
    measure_invariants(ENGINES)
)
ENGINES_ORDERS = claim(key="engines-orders", paper=require_orders(ENGINES))(
    measure_rule_orders(ENGINES)
)
CODES_LEFT = claim(key="particle-codes-kept", paper=require_invariants(CODES))(
    measure_invariants(CODES)
)
CODES_ORDERS = claim(key="particle-codes-orders", paper=require_orders(CODES))(
    measure_rule_orders(CODES)
)
ENGINES_ENERGY = declare_energy_figure(
    ENGINES_LEFT, "RESTORED", "NEWTON-1(map=clamped)", "LINEAR-EULER", "CARRIED"
)
ENGINES_ERRORS = declare_error_figure(
    ENGINES_ORDERS, "SEMI-EULER(gyroscopic=off)", "RESTORED", "MIDPOINT-HELD"
)
CODES_ENERGY = declare_energy_figure(
    CODES_LEFT,
    "FINCHAM(attitude=start, middle=as-is)",
    "HALVES(half=euler)",
    "RICHARDSON",
    "SPIRAL",
)
CODES_ERRORS = declare_error_figure(
    CODES_ORDERS, "FINCHAM(attitude=start, middle=as-is)", "MR2(axes=321)", "SPIRAL"
)
