"""Terze, Müller and Zlatar: a Lie-group scheme derived from that of Störmer and Verlet.

The printed Ω = Ṙ Rᵀ contradicts the rest of the paper; read Ω = Rᵀ Ṙ. The printed signs are right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..algorithms.terze import step as TERZE
from ..studies.core.charts import Axes, Curve
from .claim import Bench, Value, claim
from .figure import figure
from .shared_measures import CONVERGENCE, ENERGY, TIME, downsample, draw_convergence, measure_errors


@claim(key="terze-scheme")
def scheme(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Order from a halved step; the largest change of momentum and energy in 1000 units of time;
    energy of a top.
    """
    for problem, dt, duration in (
        ("free", 0.025, 8.0),
        ("slow-top", 0.005, 2.0),
        ("soft-wall", 0.005, 2.0),
    ):
        end = bench.find_exact_end(problem, duration)
        coarse, fine = (
            measure_errors(bench, problem, TERZE, h, duration, end) for h in (dt, dt / 2)
        )
        for what, one, half in zip(("attitude", "momentum"), coarse, fine, strict=True):
            yield f"order of the {what}, {problem}", float(np.log2(one / half))
    run = bench.simulate("free", TERZE, dt=0.5, duration=1000.0)
    yield "spatial momentum, free, dt=0.5", float(np.abs(run.pi - run.pi[0]).max())
    yield "energy, free, dt=0.5 (%)", 100 * float(np.abs(run.energy / run.energy[0] - 1).max())
    for duration in (100.0, 1000.0):
        run = bench.simulate("slow-top", TERZE, dt=0.05, duration=duration, samples=1000)
        name = f"energy, slow-top, dt=0.05, after {duration:g} (times the start)"
        yield name, float(run.energy[-1] / run.energy[0])


RUNS = (("free", 0.5, 1000.0), ("slow-top", 0.05, 100.0))


@figure(
    scheme,
    key="terze-energy",
    axes=tuple(Axes(TIME, ENERGY, problem) for problem, _, _ in RUNS),
    count=2 * len(RUNS),
)
def energies(bench: Bench) -> Iterator[Curve]:
    """Every step, thinned to extremes, of this scheme and of NMB."""
    for plot, (problem, dt, duration) in enumerate(RUNS):
        for method in ("TERZE", "NMB"):
            run = bench.simulate(problem, method, dt=dt, duration=duration)
            yield downsample(method, run.t, run.energy, plot)


@figure(scheme, key="terze-order", axes=CONVERGENCE, count=4)
def orders(bench: Bench) -> Iterator[Curve]:
    """Errors on the slow top at t = 2."""
    return draw_convergence(
        bench, "slow-top", ("TERZE", "NMB"), [0.04 / 2**k for k in range(6)], 2.0
    )
