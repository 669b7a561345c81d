"""What codes of molecular dynamics and for granular matter say about their steps, in the files that are named.

The runs are of the rules, in double precision and without damping; they are not runs of the codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..problems.problem import Problem, find_problem
from ..studies.core.charts import Axes, Axis, Curve
from ..text.bibliography import bibtex
from .claim import Bench, Between, Near, Value, at_least, claim
from .figure import LabSetting, figure
from .physics_engines import IN_THE_LAB, MOST_ENERGY, TUMBLING, declare_energy_figure, declare_error_figure, run_100_s
from .shared_measures import measure_orders, name_orders

orders_of = partial(measure_orders, h=1 / 128)


@claim(
    key="spiral-order",
    reference=bibtex("delValle2024"),
    where="the abstract",
    says="SPIRAL is a third-order integration algorithm for rotational motion, as a leapfrog and synchronous.",
    paper={
        f"order of the {what}, {form}": at_least(2.8)
        for form in ("leapfrog", "synchronous")
        for what in ("attitude", "momentum", "attitude, on a top", "momentum, on a top")
    },
    reason="A free body's velocity is of third order. Its attitude turns about one axis, or about two in turn, and "
    "is of second order. The torque is held during a step, which leaves second order half way, and first from an "
    "end.",
)
def third_order(bench: Bench) -> Iterator[tuple[str, Value]]:
    """All orders from a halved step after 2 s, free and on the slow top; the synchronous form is JaxDEM's."""
    for form in ("leapfrog", "synchronous"):
        for on, problem in (("", TUMBLING), (", on a top", find_problem("slow-top", Problem))):
            for what, order in zip(
                ("attitude", "momentum"), orders_of(bench, problem, f"SPIRAL(form={form})"), strict=True
            ):
                yield f"order of the {what}{on}, {form}", order


@claim(
    key="yade-fincham",
    reference=bibtex("YADE2008"),
    where="pkg/dem/NewtonIntegrator.cpp, leapfrogAsphericalRotate; formulation.rst, Orientation (aspherical)",
    says="Aspherical particles turn by the leapfrog of Fincham and of Allen and Tildesley; the velocity half way is "
    "that of the momentum there in the attitude at the start of the step.",
    paper={"order of the attitude, as printed": at_least(1.9), "order of the attitude, as coded": at_least(1.9)},
    reason="Allen and Tildesley's program F.6 takes the velocity half way in the attitude half way: second order. In "
    "the attitude at the start a free body turns by the velocity at the start: first order, and energy goes "
    "to that of a spin about the axis of least inertia.",
)
def fincham(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The order from a halved step after 2 s, and the energy after 100 s at 60 Hz, of both forms."""
    yield "order of the attitude, as printed", orders_of(bench, TUMBLING, "fincham")[0]
    yield "order of the attitude, as coded", orders_of(bench, TUMBLING, "yade-fincham")[0]
    run = run_100_s(bench, "fincham", samples=1)
    yield "energy after 100 s, as printed (times the first)", float(run.energy[-1] / run.energy[0])
    run = run_100_s(bench, "yade-fincham", samples=1)
    yield "energy after 100 s, as coded (of the most energy)", float(run.energy[-1]) / MOST_ENERGY


@claim(
    key="yade-omelyan",
    reference=bibtex("YADE2008"),
    where="pkg/dem/NewtonIntegrator.hpp, niterOmelyan1998",
    says="With a small enough timestep three iterations are enough for Omelyan's algorithm to converge.",
    paper={"energy off in steps of 0.026° (times as solved)": Between(0.95, 1.05)},
    reason="In a given time, the error that three iterations leave falls with the third power of the step, and that "
    "of the rule itself with the second: the former is small beside the latter in small steps, and larger in steps "
    "of degrees.",
)
def three_iterations(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest deviations in 100 s, by three iterations and solved to roundoff, one over the other."""
    for rate, turn in ((6000, "0.026°"), (600, "0.26°"), (60, "2.6°")):
        rounds, solved = (
            bench.simulate(TUMBLING, name, dt=1 / rate, steps=100 * rate, samples=1).deviation("energy")
            for name in ("yade-omelyan", "OMELYAN")
        )
        yield f"energy off in steps of {turn} (times as solved)", float(rounds / solved)


@claim(
    key="lammps-rigid",
    reference=bibtex("LAMMPS2003"),
    where="doc/src/fix_rigid.rst",
    says="rigid/nve uses Miller's method, which is thought to conserve energy better than the Richardson iterations "
    "of rigid.",
    paper={"largest deviation of the energy (times that of rigid/nve)": at_least(2)},
    reason="Miller's NO_SQUISH is a symplectic splitting: its energy swings. Richardson's iteration is an explicit "
    "step, and its energy drifts upwards.",
)
def miller(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest deviations in 100 s at 60 Hz, one over the other."""
    rigid, nve = (run_100_s(bench, name, samples=1) for name in ("lammps", "lammps-rigid"))
    yield (
        "largest deviation of the energy (times that of rigid/nve)",
        rigid.deviation("energy") / nve.deviation("energy"),
    )


@claim(
    key="mercurydpm-clumps",
    reference=bibtex("MercuryDPM2013"),
    where="Kernel/Particles/ClumpParticle.cc, integrateBeforeForceComputation",
    says="The step of a clump is that of velocity Verlet, its angular acceleration that of PFC 4.",
    paper={"order of the attitude": at_least(1.9), "energy after 100 s (times the first)": Between(0.99, 1.01)},
    reason="Both halves of the velocity's step take the gyroscopic term at their end: two steps of implicit Euler, "
    "of first order, which damp. Velocity Verlet takes it at the start in the first half.",
)
def clumps(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The order from a halved step after 2 s, and the energy after 100 s at 60 Hz."""
    yield "order of the attitude", orders_of(bench, TUMBLING, "mercurydpm-clump")[0]
    run = run_100_s(bench, "mercurydpm-clump", samples=1)
    yield "energy after 100 s (times the first)", float(run.energy[-1] / run.energy[0])


@claim(
    key="liggghts-2",
    reference=bibtex("LIGGGHTS2024"),
    where="src/fix_nve_asphere_base.cpp, integration_scheme 2",
    says="Direct integration, a second-order predictor-corrector.",
    paper={"order of the attitude": at_least(1.9), "order of the momentum": at_least(1.9)},
    reason="Each half of a step is the implicit midpoint rule, which also conserves a free body's energy to "
    "roundoff.",
)
def walton_braun(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Both orders from a halved step after 2 s; the largest relative deviation in 100 s at 60 Hz."""
    yield from name_orders(orders_of(bench, TUMBLING, "liggghts-2"))
    run = run_100_s(bench, "liggghts-2", samples=1)
    yield "largest deviation of the energy", float(run.deviation("energy") / run.energy[0])


STEADY = TUMBLING.replace(Omega0=(0.0, 0.0, 1.0))


@claim(
    key="espresso-limit",
    reference=bibtex("ESPResSo2024"),
    where="src/core/rotation.cpp, propagate_omega_quat_particle",
    says="If the time step times a component of the angular velocity is greater than about 2, the calculation might "
    "fail.",
    paper={"largest h|Ω| of a steady spin": Near(2.0)},
    reason="The vector of the quaternion is h/2 Ω, and that of a unit quaternion is not longer than 1.",
)
def limit(bench: Bench) -> Iterator[tuple[str, Value]]:
    """By bisection, of a step about the third axis."""
    low, high = 1.0, 4.0
    while high - low > 1e-6:
        h = (low + high) / 2
        run = bench.simulate(STEADY, "espresso", dt=h, steps=1)
        low, high = (h, high) if run.status == "done" else (low, h)
    yield "largest h|Ω| of a steady spin", low


SPIRAL_ORDERS = declare_error_figure(
    third_order,
    "Order of SPIRAL",
    "The error of momentum falls with the third power of the step, that of the attitude with the second; RKMK "
    "with a tableau of three stages has the third power in both.",
    "SPIRAL",
    "SPIRAL(form=synchronous)",
    "RKMK(tableau=kutta3)",
    plotted="The paper's figures were not available; its abstract calls the algorithm third-order.",
)
FINCHAM_ENERGY = declare_energy_figure(
    fincham,
    "Energy of Fincham's leapfrog, as printed and as coded",
    "With the attitude half way, the energy stays within a part in a hundred; with the attitude at the start, it "
    "rises to the most that momentum allows.",
    "FINCHAM",
    "FINCHAM(attitude=start, middle=as-is)",
)
OMELYAN_ENERGY = declare_energy_figure(
    three_iterations,
    "Energy of Omelyan's leapfrog, by three iterations and solved",
    "With three iterations the energy falls; solved to roundoff, it swings.",
    "OMELYAN(solution=rounds)",
    "OMELYAN",
)
LAMMPS_ENERGY = declare_energy_figure(
    miller,
    "Energy of LAMMPS's rigid and rigid/nve",
    "The energy of Richardson's iteration rises, that of NO_SQUISH swings.",
    "RICHARDSON",
    "MR2(axes=321)",
)
CLUMP_ENERGY = declare_energy_figure(
    clumps,
    "Energy by halves: a clump in MercuryDPM, and LIGGGHTS's scheme 2",
    "The energy falls where both halves of the velocity's step are by implicit Euler, and not with the midpoint "
    "rule.",
    "HALVES(half=euler, map=exp)",
    "HALVES",
    also=(walton_braun,),
)
TURNING = ("VERLET-SINE", "VERLET-QUAT", "NMB", "ELN")


@figure(
    limit,
    title="How far a step turns, with four Verlet methods on a steady spin",
    plotted="No figure: the comment states it in words.",
    see="NMB turns by Δt|Ω|, ELN by less; Simbody's and ESPResSo's steps by more, ESPResSo's up to half a turn.",
    axes=(Axes(Axis("Δt|Ω|"), Axis("turn of a step, rad")),),
    setting=LabSetting("custom", TURNING, 1.9, 19.0, {"J": IN_THE_LAB["J"], "Omega0": STEADY.Omega0.tolist()}),
    count=len(TURNING),
)
def turns(bench: Bench) -> Iterator[Curve]:
    """The angle of one step of each size."""
    steps = np.linspace(0.05, 2.5, 50)
    for method in TURNING:
        runs = [bench.simulate(STEADY, method, dt=h, steps=1) for h in steps]
        done = [run.status == "done" for run in runs]
        yield Curve(method, steps[done], np.array([run.increment[-1] for run in runs])[done])
