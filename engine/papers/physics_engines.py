"""What physics engines say about their own steps, in comments and documentation, in the files that
are named.

The runs are of the rules, with the engine's default steps in a frame and cap, without damping and,
unless stated otherwise, in double precision; they are not runs of the engines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..exact.errors import length
from ..problems.problem import Problem, find_problem
from ..simulation.one_body import Run
from ..studies.core.charts import Axes, Axis, Curve
from . import shared_measures as shared
from .claim import Bench, Claim, Value, claim
from .figure import Figure, LabSetting, figure

TUMBLING = Problem(J=(1.0, 2.0, 2.8), Omega0=(1.2, 1.9, 1.5))
"""A free body that turns by 2.7 rad/s about none of its axes."""
BALL = find_problem(
    "custom(torque=body)",
    Problem,
    J=(2.0, 2.0, 2.0),
    Omega0=(1.2, 1.9, 1.5),
    moment=(0.5, 0.2, -0.4),
)
"""A body of equal moments of inertia, with a moment fixed in it."""
MOST_ENERGY = float(TUMBLING.Pi0 @ TUMBLING.Pi0) / 2
"""The most energy that the body's momentum allows: that of a spin about the axis of least inertia,
which is one.
"""


def run_100_s(bench: Bench, method: str, steps: int = 6000, **setting: Any) -> Run:
    """The free body for 100 s at 60 Hz."""
    return bench.simulate(TUMBLING, method, dt=1 / 60, steps=steps, **setting)


@claim(key="mujoco-rk4")
def rk4(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Both orders from a halved step, on a free body after 2 s."""
    for version, method in (("3.17", "mujoco-rk4-mean"), ("4.0", "mujoco-rk4")):
        orders = shared.measure_orders(bench, TUMBLING, method, 1 / 32)
        for name, order in shared.name_orders(orders):
            yield f"{name}, {version}", order


@claim(key="mujoco-implicit")
def implicit(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest energy in 100 s at 60 Hz; the mean loss of a step over 1 s at 600 and at 1200
    Hz.
    """
    run = run_100_s(bench, "mujoco-implicit", samples=1)
    yield "largest energy (times the first)", float(run.extrema["energy"].max / run.energy[0])
    lost = []
    for rate in (600, 1200):
        run = bench.simulate(TUMBLING, "mujoco-implicit", dt=1 / rate, steps=rate, samples=1)
        lost.append((run.energy[0] - run.energy[-1]) / rate)
    yield "power of h in a step's loss", float(np.log2(lost[0] / lost[1]))


@claim(key="bepu-modes")
def modes(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The energy after 100 s at 60 Hz."""
    run = run_100_s(bench, "bepu-momentum", samples=1)
    yield "end of ConserveMomentum (of the most energy)", float(run.energy[-1]) / MOST_ENERGY
    run = run_100_s(bench, "bepu", samples=1)
    yield "end with the torque (of the first)", float(run.energy[-1] / run.energy[0])


@claim(key="avian-restored")
def length_restored(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The energy in 100 s at 60 Hz, and after 1000 s over that of a spin about the middle axis; six
    steps a frame.
    """
    run = run_100_s(bench, "avian", samples=1)
    yield "largest energy (times the first)", float(run.extrema["energy"].max / run.energy[0])
    run = run_100_s(bench, "avian", steps=60_000, samples=1)
    yield "end of 1000 s (of the middle energy)", float(run.energy[-1]) * 2 / MOST_ENERGY


@claim(key="chrono-leapfrog")
def leapfrog(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The attitude's order from a halved step after 2 s, of a ball with a moment fixed in it and of
    a free body.
    """
    for moments, body in (("alike", BALL), ("that differ", TUMBLING)):
        yield (
            f"order, moments {moments}",
            shared.measure_orders(bench, body, "chrono-leapfrog", 1 / 64)[0],
        )
    end = bench.find_exact_end(TUMBLING, 2.0, 1e-12)
    leap, euler = (
        shared.measure_errors(bench, TUMBLING, method, 1 / 128, 2.0, end)[0]
        for method in ("chrono-leapfrog", "chrono")
    )
    yield "error (times that of semi-implicit Euler)", leap / euler


@claim(key="mujoco-explicit")
def explicit(bench: Bench) -> Iterator[tuple[str, Value]]:
    """At 60 Hz, by MuJoCo's Euler integrator."""
    run = run_100_s(bench, "mujoco-euler")
    yield "time of twice the energy (s)", float(run.t[np.argmax(run.energy > 2 * run.energy[0])])
    yield "end of the run (s)", float(run.t[-1])


@claim(key="mujoco-midpoint")
def torque_held(bench: Bench) -> Iterator[tuple[str, Value]]:
    """In 100 s at 60 Hz, free; on the slow top at 60 and at 240 Hz."""
    run = run_100_s(bench, "mujoco-midpoint", samples=1)
    yield (
        "largest change of the energy, free (part of it)",
        float(run.deviation("energy") / run.energy[0]),
    )
    for name, rate in (
        ("energy on a top after 10 s (times the first)", 60),
        ("the same at 240 Hz", 240),
    ):
        run = bench.simulate("slow-top", "mujoco-midpoint", dt=1 / rate, steps=10 * rate, samples=1)
        yield name, float(run.energy[-1] / run.energy[0])


@claim(key="simbody-verlet")
def verlet(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Both orders from a halved step, on a free body after 2 s."""
    return shared.name_orders(shared.measure_orders(bench, TUMBLING, "simbody", 1 / 64))


@claim(key="rapier-gyroscopic")
def rapier(bench: Bench) -> Iterator[tuple[str, Value]]:
    """After and in 100 s at 60 Hz, four steps a frame; the implicit step is Box3D's, which turns as
    Rapier does.
    """
    run = run_100_s(bench, "box3d", samples=1)
    yield "energy by an implicit step (times the first)", float(run.energy[-1] / run.energy[0])
    run = run_100_s(bench, "rapier")
    yield (
        "length of the momentum, largest change (part of it)",
        float(np.abs(length(run.pi) / length(run.pi[:1]) - 1.0).max()),
    )
    yield "momentum, largest change (part of its length)", shared.find_momentum_change(run)


@claim(key="jolt-dzhanibekov")
def dzhanibekov(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Thrown about its middle axis, at 60 Hz, undamped; the exact motion, by MR4, turns over seven
    times in 60 s.
    """
    thrown = TUMBLING.replace(Omega0=(0.01, 3.0, 0.01))
    times = []
    for method in ("MR4", "jolt(damping=0)"):
        run = bench.simulate(
            thrown, method, dt=1 / 600 if method == "MR4" else 1 / 60, duration=60.0
        )
        times.append(run.t[1:][np.diff(np.sign(run.Omega[:, 1])) != 0])
    exact, jolt = times
    yield "first time that it turns over (times the exact one)", float(jolt[0] / exact[0])
    yield "how often it turns over in 60 s", len(jolt)


LONG_RUN = 10_000_000
RULES = {
    "jolt(damping=0)": "Jolt",
    "bullet": "Bullet",
    "ode": "ODE",
    "mujoco-rk4": "MuJoCo's RK4",
    "mujoco-midpoint": "MuJoCo's midpoint",
    "simbody": "Simbody",
}
"""The rules that run with both precisions, and their names in the table."""
BITS = {"double": "64 bits", "single": "32 bits"}


@claim(key="mujoco-single-precision")
def precisions(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The relative change of a free body's energy after 10⁷ steps of 1/240 s, of six rules with
    both precisions.
    """
    for rule, name in RULES.items():
        for precision, bits in BITS.items():
            run = bench.simulate(
                TUMBLING, rule, dt=1 / 240, steps=LONG_RUN, samples=1, precision=precision
            )
            yield f"{name}, {bits}", float(run.energy[-1] / run.energy[0] - 1.0)


IN_THE_LAB = {"J": TUMBLING.J.diagonal().tolist(), "Omega0": TUMBLING.Omega0.tolist()}


def declare_error_figure(one: Claim, *methods: str, also: Sequence[Claim] = ()) -> Figure:
    """A figure of the errors of rules by the step, for a claim and perhaps for others."""

    def errors(bench: Bench) -> Iterator[Curve]:
        """Errors on a free body after 2 s; RKMK, if it is shown, has dexp⁻¹."""
        return shared.draw_convergence(
            bench, TUMBLING, methods, [0.2 / 2**k for k in range(6)], 2.0
        )

    declared = figure(
        one,
        axes=shared.CONVERGENCE,
        setting=LabSetting("custom", methods, 1 / 60, 2.0, IN_THE_LAB),
        claims=tuple(claim.key for claim in (one, *also)),
        count=2 * len(methods),
    )
    return declared(errors)


ORDERS = declare_error_figure(rk4, "RK-MEAN", "RK-VECTOR", "VERLET-QUAT", also=(verlet,))


@figure(
    leapfrog,
    axes=(
        Axes(shared.STEP, shared.ATTITUDE_ERROR, "moments alike"),
        Axes(shared.STEP, shared.ATTITUDE_ERROR, "moments that differ"),
    ),
    setting=LabSetting("custom", ("VERLET-LAGGED", "SEMI-EULER"), 1 / 60, 2.0, IN_THE_LAB),
    count=4,
)
def orders_of_leapfrog(bench: Bench) -> Iterator[Curve]:
    """Errors after 2 s, of this step and of semi-implicit Euler."""
    for plot, body in enumerate((BALL, TUMBLING)):
        curves = shared.draw_convergence(
            bench, body, ("VERLET-LAGGED", "SEMI-EULER"), [0.2 / 2**k for k in range(6)], 2.0
        )
        yield from (dataclasses.replace(curve, plot=plot) for curve in curves if curve.plot == 1)


def declare_energy_figure(
    one: Claim, *methods: str, also: Sequence[Claim] = (), log: bool = False
) -> Figure:
    """A figure of the energy by rules, for a claim and perhaps for others."""

    def energies(bench: Bench) -> Iterator[Curve]:
        """The energy of a free body at 60 Hz, every step, thinned to extremes."""
        for method in methods:
            run = run_100_s(bench, method)
            yield shared.downsample(method, run.t, run.energy)

    declared = figure(
        one,
        axes=(Axes(shared.TIME, Axis("energy", log=log)),),
        setting=LabSetting("custom", methods, 1 / 60, 100.0, IN_THE_LAB),
        claims=tuple(claim.key for claim in (one, *also)),
        count=len(methods),
    )
    return declared(energies)


MUJOCO_ENERGY = declare_energy_figure(
    implicit, "NEWTON-1(torque=together)", "MIDPOINT-HELD", also=(torque_held,)
)
MUJOCO_GAIN = declare_energy_figure(explicit, "SEMI-EULER", log=True)
BEPU_ENERGY = declare_energy_figure(modes, "CARRIED", "NEWTON-1(torque=first, turn=before)")
AVIAN_ENERGY = declare_energy_figure(
    length_restored,
    "RESTORED(gyroscopic=after)",
    "RESTORED(gyroscopic=after, substeps=6)",
    also=(rapier, dzhanibekov),
)


@figure(
    precisions,
    axes=tuple(
        Axes(Axis("t", log=True), Axis("|E/E₀ − 1|", log=True), bits) for bits in BITS.values()
    ),
    setting=LabSetting(
        "custom",
        (
            "RK-VECTOR",
            "RK-VECTOR(precision=single)",
            "MIDPOINT-HELD",
            "MIDPOINT-HELD(precision=single)",
        ),
        1 / 240,
        100.0,
        IN_THE_LAB,
    ),
    count=len(RULES) * len(BITS),
)
def energies_by_precision(bench: Bench) -> Iterator[Curve]:
    """The relative change of a free body's energy in 10⁶ steps of 1/240 s."""
    steps = np.unique(np.geomspace(1, 1_000, 60).astype(int))
    for plot, precision in enumerate(BITS):
        for rule, name in RULES.items():
            run = bench.simulate(
                TUMBLING, rule, dt=1 / 240, steps=1_000_000, every=1_000, precision=precision
            )
            away = np.abs(run.energy / run.energy[0] - 1.0)[steps]
            yield Curve(name, run.t[steps][away > 0], away[away > 0], plot)
