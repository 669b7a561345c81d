"""What codes of molecular dynamics and for granular matter say about their steps, in the files that
are named.

The runs are of the rules, in double precision and without damping; they are not runs of the codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..problems.problem import Problem, find_problem
from ..studies.core.charts import Axes, Axis, Curve
from .claim import Bench, Value, claim
from .figure import LabSetting, figure
from .physics_engines import (
    IN_THE_LAB,
    MOST_ENERGY,
    TUMBLING,
    declare_energy_figure,
    declare_error_figure,
    run_100_s,
)
from .shared_measures import measure_orders, name_orders

orders_of = partial(measure_orders, h=1 / 128)


@claim(key="spiral-order")
def third_order(bench: Bench) -> Iterator[tuple[str, Value]]:
    """All orders from a halved step after 2 s, free and on the slow top; the synchronous form is
    JaxDEM's.
    """
    for form in ("leapfrog", "synchronous"):
        for on, problem in (("", TUMBLING), (", on a top", find_problem("slow-top", Problem))):
            for what, order in zip(
                ("attitude", "momentum"),
                orders_of(bench, problem, f"SPIRAL(form={form})"),
                strict=True,
            ):
                yield f"order of the {what}{on}, {form}", order


@claim(key="yade-fincham")
def fincham(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The order from a halved step after 2 s, and the energy after 100 s at 60 Hz, of both
    forms.
    """
    yield "order of the attitude, as printed", orders_of(bench, TUMBLING, "fincham")[0]
    yield "order of the attitude, as coded", orders_of(bench, TUMBLING, "yade-fincham")[0]
    run = run_100_s(bench, "fincham", samples=1)
    yield "energy after 100 s, as printed (times the first)", float(run.energy[-1] / run.energy[0])
    run = run_100_s(bench, "yade-fincham", samples=1)
    yield "energy after 100 s, as coded (of the most energy)", float(run.energy[-1]) / MOST_ENERGY


@claim(key="yade-omelyan")
def three_iterations(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest deviations in 100 s, by three iterations and solved to roundoff, one over the
    other.
    """
    for rate, turn in ((6000, "0.026°"), (600, "0.26°"), (60, "2.6°")):
        rounds, solved = (
            bench.simulate(TUMBLING, name, dt=1 / rate, steps=100 * rate, samples=1).deviation(
                "energy"
            )
            for name in ("yade-omelyan", "OMELYAN")
        )
        yield f"energy off in steps of {turn} (times as solved)", float(rounds / solved)


@claim(key="lammps-rigid")
def miller(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest deviations in 100 s at 60 Hz, one over the other."""
    rigid, nve = (run_100_s(bench, name, samples=1) for name in ("lammps", "lammps-rigid"))
    yield (
        "largest deviation of the energy (times that of rigid/nve)",
        rigid.deviation("energy") / nve.deviation("energy"),
    )


@claim(key="mercurydpm-clumps")
def clumps(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The order from a halved step after 2 s, and the energy after 100 s at 60 Hz."""
    yield "order of the attitude", orders_of(bench, TUMBLING, "mercurydpm-clump")[0]
    run = run_100_s(bench, "mercurydpm-clump", samples=1)
    yield "energy after 100 s (times the first)", float(run.energy[-1] / run.energy[0])


@claim(key="liggghts-2")
def walton_braun(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Both orders from a halved step after 2 s; the largest relative deviation in 100 s at 60
    Hz.
    """
    yield from name_orders(orders_of(bench, TUMBLING, "liggghts-2"))
    run = run_100_s(bench, "liggghts-2", samples=1)
    yield "largest deviation of the energy", float(run.deviation("energy") / run.energy[0])


STEADY = TUMBLING.replace(Omega0=(0.0, 0.0, 1.0))


@claim(key="espresso-limit")
def limit(bench: Bench) -> Iterator[tuple[str, Value]]:
    """By bisection, of a step about the third axis."""
    low, high = 1.0, 4.0
    while high - low > 1e-6:
        h = (low + high) / 2
        run = bench.simulate(STEADY, "espresso", dt=h, steps=1)
        low, high = (h, high) if run.status == "done" else (low, h)
    yield "largest h|Ω| of a steady spin", low


SPIRAL_ORDERS = declare_error_figure(
    third_order, "SPIRAL", "SPIRAL(form=synchronous)", "RKMK(tableau=kutta3)"
)
FINCHAM_ENERGY = declare_energy_figure(fincham, "FINCHAM", "FINCHAM(attitude=start, middle=as-is)")
OMELYAN_ENERGY = declare_energy_figure(three_iterations, "OMELYAN(solution=rounds)", "OMELYAN")
LAMMPS_ENERGY = declare_energy_figure(miller, "RICHARDSON", "MR2(axes=321)")
CLUMP_ENERGY = declare_energy_figure(
    clumps, "HALVES(half=euler, map=exp)", "HALVES", also=(walton_braun,)
)
TURNING = ("VERLET-SINE", "VERLET-QUAT", "NMB", "ELN")


@figure(
    limit,
    axes=(Axes(Axis("Δt|Ω|"), Axis("turn of a step, rad")),),
    setting=LabSetting(
        "custom", TURNING, 1.9, 19.0, {"J": IN_THE_LAB["J"], "Omega0": STEADY.Omega0.tolist()}
    ),
    count=len(TURNING),
)
def turns(bench: Bench) -> Iterator[Curve]:
    """The angle of one step of each size."""
    steps = np.linspace(0.05, 2.5, 50)
    for method in TURNING:
        runs = [bench.simulate(STEADY, method, dt=h, steps=1) for h in steps]
        done = [run.status == "done" for run in runs]
        yield Curve(method, steps[done], np.array([run.increment[-1] for run in runs])[done])
