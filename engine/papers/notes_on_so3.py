"""The comparison of the notes on the magnet: which methods bound the energy over 40 000 steps.

The notes print no numbers. The claim is that of the work that they follow: Lie–Newmark methods are
not variational, and a body in a potential shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..studies.core.charts import Axes, Axis, Curve
from .claim import Bench, Value, claim
from .figure import figure
from .shared_measures import TIME, average_blocks, find_drift

DT = 0.25
DURATION = 10_000.0
SYMPLECTIC = ("VLV", "DMV", "MR2")
OTHERS = ("ELN", "NMB", "SW", "LIEMID-EA", "RKMK", "SVQ-TLN", "AKW")
"""Roundoff decides the drifts of the last two: for six starts within 10⁻¹⁵, they were 3.9 to 5.7 %
and 5 to 17 %.
"""


@claim(key="notes-magnet")
def magnet(bench: Bench) -> Iterator[tuple[str, Value]]:
    """How far the mean energy of any tenth of the run is from that of any other, relative to the
    start.
    """
    methods = (*OTHERS, *SYMPLECTIC)
    bench.prepare("magnet", methods)
    for method in methods:
        run = bench.simulate("magnet", method, dt=DT, duration=DURATION)
        yield f"drift of {method} (%)", find_drift(run.energy)
    for problem, dt, duration in (("magnet", DT, DURATION), ("free", 0.5, 1000.0)):
        run = bench.simulate(problem, "DMV", dt=dt, duration=duration, samples=1)
        energy = run.extrema["energy"]
        yield (
            f"energy range of DMV, {problem} (%)",
            100 * (energy.max - energy.min) / abs(float(run.energy[0])),
        )


OF_FIGURE = ("ELN", "NMB", "SVQ-TLN", "SW", "LIEMID-EA", *SYMPLECTIC)


@figure(magnet, axes=(Axes(TIME, Axis("mean energy")),), count=len(OF_FIGURE))
def energies(bench: Bench) -> Iterator[Curve]:
    """The mean of each of 100 parts of the run."""
    bench.prepare("magnet", OF_FIGURE)
    for method in OF_FIGURE:
        run = bench.simulate("magnet", method, dt=DT, duration=DURATION)
        yield average_blocks(method, run.t, run.energy, 100)
