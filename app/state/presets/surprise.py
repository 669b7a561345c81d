"""Random settings: a body, its motion, methods and a step, within the bounds of the page."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np

import engine

from ..choice import Choice, choose_problem
from ..fitting import find_misfits

CANDIDATES = (
    "NMB", "SW", "AKW", "IMIDM", "SW-C1", "DMV", "VLV", "LIEMID-EA", "PDMV4", "MR2", "MR4", "KB", "TERZE", "CF4",
    "CG3", "RKMK", "BUSS3", "RK4-MATRIX", "RK4-QUAT",
)  # fmt: skip
"""Methods that are worth a look beside each other."""
DEGREES = (2.0, 45.0)
"""Between which angles a step turns the body."""
STEPS = (200, 2000)


def surprise(rng: Random) -> Choice:
    """A body, its motion, methods and a step, none of them out of bounds."""
    problem = rng.choice([p for p in engine.problems() if p.group != "Your own" and p.of_a_body])
    drawn = choose_problem(problem.label)
    if problem.key == "free":
        drawn = drawn.with_changes(J=some_moments(rng), Omega0=some_spin(rng, 1.0))
    elif problem.key in ("slow-top", "fast-top", "lagrange-top", "asymmetric-top"):
        tilt = rng.uniform(0.1, 1.2)
        about = rng.uniform(-math.pi, math.pi)
        R0 = tuple(round(tilt * part, 3) for part in (math.cos(about), math.sin(about), 0.0))
        drawn = drawn.with_changes(R0=R0, Omega0=(0.0, 0.0, round(rng.uniform(2, 20), 1)))
    body = drawn.build_problem()
    if problem.key in (
        "magnet",
        "soft-wall",
    ):  # forces that change suddenly decide the step, not the speed
        dt = significant(problem.dt * spread(rng, 0.25, 1.0))
        steps = 400
    else:
        dt = significant(
            math.radians(spread(rng, *DEGREES))
            / max(math.hypot(*np.ravel(body.value("Omega0"))), 1.0)
        )
        steps = round(spread(rng, *STEPS))
    fit = [m for m in CANDIDATES if m not in find_misfits(CANDIDATES, body)]
    methods = tuple(rng.sample(fit, rng.randint(2, 3)))
    return replace(drawn, methods=methods, dt=dt, duration=significant(dt * steps))


def surprise_of_two(rng: Random) -> Choice:
    """Two dumbbells that spin in any direction on a bound orbit, and two or three methods."""
    problem = engine.problem("dumbbells")
    drawn = choose_problem(problem.label).with_changes(
        Omega1=some_spin(rng, rng.uniform(0, 15)),
        Omega2=some_spin(rng, rng.uniform(0, 5)),
        V=(0.0, round(rng.uniform(0.75, 1.1), 2), round(rng.uniform(-0.3, 0.3), 2)),
    )
    methods = ("LGVI", *rng.sample(["LGM", "RK2", "SRK", "LGVI4"], rng.randint(1, 2)))
    return replace(
        drawn, methods=methods, dt=rng.choice((0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01))
    )


def surprise_of_rates(rng: Random) -> Choice:
    """Coning of some angle and frequency, and two or three methods."""
    drawn = choose_problem("coning").with_changes(
        cone=significant(spread(rng, 0.1, 20.0)), frequency=significant(spread(rng, 1.0, 100.0))
    )
    methods = tuple(rng.sample([one.key for one in engine.algorithms("rates")], rng.randint(2, 3)))
    return replace(drawn, methods=methods, dt=rng.choice((0.0005, 0.001, 0.002, 0.004)))


def some_moments(rng: Random) -> tuple[float, ...]:
    """Moments that a body has: sums of pairs of three positive numbers, in no order."""
    a, b, c = (rng.uniform(0.1, 1.0) for _ in range(3))
    return tuple(round(moment, 3) for moment in (a + b, b + c, c + a))


def some_spin(rng: Random, speed: float) -> tuple[float, ...]:
    """A velocity in any direction."""
    parts = [rng.gauss(0, 1) for _ in range(3)]
    return tuple(round(speed * part / math.hypot(*parts), 3) for part in parts)


def spread(rng: Random, low: float, high: float) -> float:
    """A number between two others, evenly by its logarithm."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def significant(value: float) -> float:
    """A number with two digits, as a person would type it."""
    return float(f"{value:.2g}")
