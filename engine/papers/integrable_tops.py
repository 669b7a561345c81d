"""Further integrals of integrable tops over long runs, as the theory of geometric integration has
them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..problems.problem import Problem, find_problem
from ..studies.core import Axes, Axis, Curve, drift_of
from .claim import Bench, Value, claim
from .figure import LabSetting, figure
from .shared_measures import downsample

DT = 0.05
STEPS = 200_000
EVERY = 5
START = {"R0": [1.5, 0.3, 0.0], "Omega0": [1.0, 0.2, 2.0]}
TOPS = {
    "kovalevskaya": (
        find_problem("kovalevskaya-top", Problem),
        find_problem("kovalevskaya-top", Problem).replace(**START),
    ),
    "goryachev_chaplygin": (
        find_problem("goryachev-chaplygin-top", Problem),
        find_problem("goryachev-chaplygin-top", Problem).replace(Omega0=(0.5, 1.6, 0.0)),
    ),
}
"""By their integral, with two starts each."""
BY_STRUCTURE = {
    "symplectic": ("MR2", "DMV", "KEK"),
    "reversible": ("AKW", "ELN", "SW-C1"),
    "neither": ("RKMK", "CG3", "RK4-QUAT"),
}
"""Methods of each kind; those of the second are not symplectic on a top."""


@claim(key="integrals-of-integrable-tops")
def integrals(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Over both tops, two starts of each, three methods of a kind: 64 blocks' means, and the swing
    within a block.
    """
    for kind, methods in BY_STRUCTURE.items():
        apart = []
        away = []
        for name, starts in TOPS.items():
            for top in starts:
                for method in methods:
                    run = bench.simulate(top, method, dt=DT, steps=STEPS, every=EVERY)
                    drift = drift_of(run, STEPS, name)
                    apart.append(drift.spread / drift.swing)
                    away.append(run.deviation(name) / abs(run.first(name)))
        if kind == "neither":
            yield f"means apart (of a swing), {kind}, at least", min(apart)
            continue
        yield f"means apart (of a swing), {kind}", max(apart)
        yield f"largest departure, {kind}", max(away)
        top = TOPS["kovalevskaya"][0]
        coarse, fine = (
            bench.simulate(top, methods[0], dt=dt, duration=100.0, samples=1).deviation(
                "kovalevskaya"
            )
            for dt in (DT, DT / 2)
        )
        yield f"power of h in the departure, {kind}", float(np.log2(coarse / fine))


@figure(
    integrals,
    axes=(Axes(Axis("t", log=True), Axis("|K/K₀ − 1|", log=True)),),
    setting=LabSetting("kovalevskaya-top", ("MR2", "AKW", "CG3", "RK4-QUAT"), DT, 200.0, START),
    count=4,
)
def in_a_long_run(bench: Bench) -> Iterator[Curve]:
    """The largest departure until then, in 200,000 steps."""
    for method in ("MR2", "AKW", "CG3", "RK4-QUAT"):
        run = bench.simulate(TOPS["kovalevskaya"][1], method, dt=DT, steps=STEPS, every=10)
        K = run.observed["kovalevskaya"]
        most = np.maximum.accumulate(np.abs(K / K[0] - 1.0))[1:]
        yield downsample(method, run.t[1:], most)
