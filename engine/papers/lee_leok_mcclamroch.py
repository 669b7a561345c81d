"""Lee, Leok and McClamroch, Lie group variational integrators for the full body problem in orbital
mechanics.

The paper prints no data but ratios; the dumbbells are those of the problem `dumbbells`. DB4, where
both tumble fast, is the case that is nearest to what the paper finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np

from ..exact import Cancelled
from ..simulation.result import BodyRun
from ..studies.full_body import METHODS, WHY, full_body
from .claim import Bench, Value, claim

FORMS = ("inertial-hamiltonian", "inertial-lagrangian", "relative-lagrangian")
COMPARED = METHODS[1:]


def average_energy_error(run: BodyRun) -> float:
    """Mean |E − E(0)| over the rows."""
    return float(np.abs(run.energy - run.energy[0]).mean())


@claim(key="lee-four-forms")
def four_forms(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest difference in place or attitude from the relative Hamiltonian form, DB1, h =
    0.002.
    """
    for steps in (1000, 15_000):
        one = bench.simulate_pair("DB1", "LGVI", steps=steps, every=steps)
        for form in FORMS:
            other = bench.simulate_pair("DB1", f"LGVI(form={form})", steps=steps, every=steps)
            names = ("x1", "x2", "R1", "R2")
            off = max(
                float(np.abs(getattr(one, name) - getattr(other, name)).max()) for name in names
            )
            yield f"{form}, after {steps} steps", off


@claim(key="lee-orders")
def orders(bench: Bench) -> Iterator[tuple[str, Value]]:
    """From a halved step, by the place of body 1 on DB1 after one unit of time; the reference is
    RKF78's.
    """
    true = bench.simulate_pair("DB1", "RKF78", dt=0.005, duration=1.0, every=200).x1[-1]
    for method in (*METHODS, "LGVI4"):
        dt = 0.02 if method == "LGVI4" else 0.004
        errors = [
            float(
                np.abs(
                    bench.simulate_pair("DB1", method, dt=h, duration=1.0, samples=1).x1[-1] - true
                ).max()
            )
            for h in (dt, dt / 2)
        ]
        yield f"order of {method}", log2(errors[0] / errors[1])


@claim(key="lee-conservation")
def conservation(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest change over 30 units of time on DB4, h = 0.002."""
    for method in METHODS:
        run = bench.simulate_pair("DB4", method)
        if method == "LGVI":
            p = run.linear_momentum
            yield "linear momentum, LGVI", float(np.abs(p - p[0]).max())
        L = run.angular_momentum
        yield f"angular momentum, {method}", float(np.abs(L - L[0]).max())
        if method in ("LGVI", "RK2"):
            yield f"orthogonality, {method}", float(run.orthogonality.max())


@claim(key="lee-figure-3b")
def energy_errors(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Ratios of mean |E − E(0)| over 30 units of time, h = 0.002; and the energy of DB4 at T =
    2000.
    """
    for case in ("DB4", "DB1", "DB2"):
        mean = {
            method: average_energy_error(bench.simulate_pair(case, method)) for method in METHODS
        }
        for method in COMPARED:
            yield f"{method} over LGVI, {case}", mean[method] / mean["LGVI"]
    for method in ("LGVI", "LGM", "RK2"):
        run = bench.simulate_pair("DB4", method, duration=2000.0, samples=20_000)
        if method == "LGVI":
            parts = [part.mean() for part in np.array_split(run.energy, 10)]
            yield (
                "drift of LGVI by T = 2000, over its range",
                float(np.ptp(parts) / np.ptp(run.energy)),
            )
        else:
            yield f"drift of {method} by T = 2000", float(run.energy[-1] - run.energy[0])


@claim(key="lee-figure-3c")
def orthogonality(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Mean ‖RᵀR − 1‖ of the worse body, and mean |E − E(0)|, over 30 units of time on DB4, h =
    0.002.
    """
    energy = {}
    for method in METHODS:
        run = bench.simulate_pair("DB4", method)
        energy[method] = average_energy_error(run)
        yield f"orthogonality, {method}", float(run.orthogonality.mean())
    yield "energy error of RK2 over SRK", energy["RK2"] / energy["SRK"]


@claim(key="lee-newton")
def newton_rounds(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Rounds for each equation, of which a step has two, over 30 units of time, h = 0.002."""
    for solver in ("exp", "cayley"):
        for case in ("DB4", "DB1"):
            cost = bench.simulate_pair(case, f"LGVI(solver={solver})", samples=1).cost
            yield f"{solver}, {case}", cost.newton_iterations / (2 * cost.steps)


@claim(key="lee-figure-3d")
def cost_of_a_step(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Forces by counting; times are the least of five runs of each in turn."""
    runs = [
        {method: bench.simulate_pair("DB4", method, samples=1) for method in METHODS}
        for _ in range(5)
    ]
    for method, run in runs[0].items():
        yield f"forces a step, {method}", run.cost.force_evaluations / run.cost.steps
    seconds = {method: min(run[method].cost.seconds for run in runs) for method in METHODS}
    yield "SRK is the slowest", "yes" if max(seconds, key=lambda m: seconds[m]) == "SRK" else "no"
    yield "LGVI is faster than RK2, dumbbells", "yes" if seconds["LGVI"] < seconds["RK2"] else "no"
    many = {
        method: min(
            bench.simulate_pair("two-bodies", method, steps=300, every=300).cost.seconds
            for _ in range(5)
        )
        for method in ("LGVI", "RK2")
    }
    yield (
        "LGVI is faster than RK2, bodies of 40 masses",
        "yes" if many["LGVI"] < many["RK2"] else "no",
    )


@claim(key="lee-equal-energy-error", reason=WHY)
def equal_energy_error(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Measure by `engine.studies.full_body` on DB4, in units of LGVI's cost with h = 0.002."""
    study = full_body("DB4", dts=(0.002, 0.001, 0.0005), cancel=bench.cancel)
    if not study.finished:
        raise Cancelled
    rows = {row.method: row for row in study.equal}
    for method in COMPARED:
        yield f"time of {method}", rows[method].seconds
        yield f"forces of {method}", rows[method].force_evaluations
    yield "order", ", ".join(sorted(COMPARED, key=lambda m: rows[m].seconds))
