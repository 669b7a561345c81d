"""What the rules of engines and of codes for particles come to, side by side: what a free body keeps, and the orders.

It is the rule that is run here, with the program's default steps in a frame and cap, without damping and in double
precision, and not the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..exact.errors import length
from ..problems.problem import find_problem
from .claim import PARTLY, Bench, Between, Check, Claim, Is, Measure, Near, Value, at_least, at_most, claim
from .measures import largest_change, orders_after_2_s
from .physics_engines import TUMBLING, energy_of, errors_by_step, run_of_100_s

AS_READ = """@misc{Rules2026,
  author = {{Polhode}},
  title  = {Rules of physics engines and of codes for particles, as read in the files that the methods name},
  year   = {2026}}"""


class Rule(NamedTuple):
    """A rule and what it came to when it was entered.

    Attributes
    ----------
    method : its name here.
    left : energy and |L| after 100 s at 60 Hz over the first, and the largest change of L as part of |L|, as far as
        they are told; nothing, if it blows up.
    orders : of attitude and momentum, free, and the same on a top.
    """

    method: str
    left: tuple[float, ...]
    orders: tuple[int, int, int, int]


ENGINES = {
    "without a gyroscopic term": Rule("godot(damping=0)", (1.0, 1.0, 0.584), (0, 0, 0, 0)),
    "MuJoCo, Euler": Rule("mujoco-euler", (), (1, 1, 1, 1)),
    "Bullet, explicit": Rule("bullet-explicit", (53.1, 6.88), (1, 1, 1, 1)),
    "Jolt": Rule("jolt(damping=0)", (1.117, 1.0, 0.0481), (1, 1, 1, 1)),
    "Rapier": Rule("rapier", (1.066, 1.0, 0.0053), (1, 1, 1, 1)),
    "Avian": Rule("avian", (1.048, 1.0, 0.0032), (1, 1, 1, 1)),
    "Bullet": Rule("bullet", (0.4925, 0.7765, 0.224), (1, 1, 1, 1)),
    "Box3D": Rule("box3d", (0.7103, 0.8776, 0.122), (1, 1, 1, 1)),
    "ODE": Rule("ode", (0.8764, 1.0465, 0.0473), (1, 1, 1, 1)),
    "Bepu, momentum": Rule("bepu-momentum", (2.241, 1.0, 0.0), (1, 1, 1, 1)),
    "MuJoCo, midpoint": Rule("mujoco-midpoint", (1.0, 1.0, 0.0), (2, 2, 1, 1)),
    "MuJoCo, RK4": Rule("mujoco-rk4", (1.0, 1.0, 0.0), (2, 4, 2, 2)),
    "Chrono, Heun": Rule("chrono-heun", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Chrono, trapezoidal": Rule("chrono-trapezoidal", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Chrono, leapfrog": Rule("chrono-leapfrog", (), (1, 1, 1, 1)),
    "Newton, Kamino's Moreau–Jean": Rule("kamino", (), (1, 1, 1, 1)),
    "Simbody": Rule("simbody", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Spiers": Rule("spiers", (1.0, 1.0, 0.0), (1, 1, 1, 1)),
}
CODES = {
    "NO_SQUISH": Rule("lammps-rigid", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "LAMMPS, Richardson": Rule("lammps", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Fincham": Rule("fincham", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Fincham, as Yade": Rule("yade-fincham", (2.241, 1.0, 0.0), (1, 1, 1, 1)),
    "Omelyan": Rule("OMELYAN", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "SPIRAL": Rule("yade", (1.0, 1.0, 0.0), (2, 3, 2, 2)),
    "SPIRAL, synchronous": Rule("spiral-synchronous", (1.0, 1.0, 0.0), (2, 3, 1, 1)),
    "ESPResSo": Rule("espresso", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "Walton and Braun": Rule("liggghts-2", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
    "PFC": Rule("pfc", (0.5803, 0.8183, 0.182), (1, 1, 1, 1)),
    "MercuryDPM, no clumps": Rule("mercurydpm", (1.0, 1.0, 0.584), (0, 0, 0, 0)),
    "Zhao and van Wachem": Rule("PCDM", (1.0, 1.0, 0.0), (2, 2, 2, 2)),
}
"""Those that differ, of each list, by what they are called in it."""
KEPT: dict[str, Check] = {
    "energy": Between(0.99, 1.01),
    "|L|": Between(0.99, 1.01),
    "L off": at_most(0.01),
}
"""What a free body keeps, within a part in a hundred."""
BLOWN_UP = "blown up"


def left(rules: Mapping[str, Rule]) -> tuple[dict[str, Check], dict[str, Check], Measure]:
    """What is required of the rules after 100 s, what was found when it was entered, and how it is measured."""
    paper: dict[str, Check] = {}
    expected: dict[str, Check] = {}
    for name, rule in rules.items():
        asked = KEPT if rule.left else {"energy": KEPT["energy"]}
        for (what, check), value in zip(asked.items(), (*rule.left, None, None, None), strict=False):
            figure = f"{name}: {what}"
            paper[figure] = check
            if value is None:
                expected[figure] = at_least(0.99) if rule.left else Is(BLOWN_UP)
            elif not check.holds(value):
                expected[figure] = Near(value, 0.05)

    def measure(bench: Bench) -> Iterator[tuple[str, Value]]:
        """At 60 Hz, on a free body that turns by 2.7 rad/s; energy and |L| over the first, L off as part of |L|."""
        for name, rule in rules.items():
            run = run_of_100_s(bench, method=rule.method)
            if run.status != "done":
                yield f"{name}: energy", BLOWN_UP
                continue
            yield f"{name}: energy", float(run.energy[-1] / run.energy[0])
            yield f"{name}: |L|", float(length(run.pi[-1:])[0] / length(run.pi[:1])[0])
            yield f"{name}: L off", largest_change(run)

    return paper, expected, measure


ORDERS = ("attitude", "momentum", "attitude, top", "momentum, top")


def orders(rules: Mapping[str, Rule]) -> tuple[dict[str, Check], dict[str, Check], Measure]:
    """The same of the orders: that errors go to zero with the step is required."""
    paper: dict[str, Check] = {}
    expected: dict[str, Check] = {}
    for name, rule in rules.items():
        for what, order in zip(ORDERS, rule.orders, strict=True):
            paper[f"{name}: {what}"] = at_least(0.9)
            expected[f"{name}: {what}"] = Between(order - 0.1, order + 0.1)

    def measure(bench: Bench) -> Iterator[tuple[str, Value]]:
        """From a halved step of 1/128 s, on the free body and on the slow top after 2 s."""
        problems = (TUMBLING, find_problem("slow-top"))
        ends = [bench.true_end(problem, 2.0, 1e-12) for problem in problems]
        for problem in problems:
            bench.prepare(problem, [rule.method for rule in rules.values()])
        for name, rule in rules.items():
            found = [
                order
                for problem, end in zip(problems, ends, strict=True)
                for order in orders_after_2_s(bench, problem, rule.method, 1 / 128, end)
            ]
            for what, order in zip(ORDERS, found, strict=True):
                yield f"{name}: {what}", float(np.round(order, 6)) + 0.0

    return paper, expected, measure


def table(
    key: str, made: tuple[dict[str, Check], dict[str, Check], Measure], says: str, where: str, reason: str
) -> Claim:
    """The claim of a table."""
    paper, expected, measure = made
    declared = claim(
        key=key,
        reference=AS_READ,
        where=where,
        says=says,
        paper=paper,
        expected=expected,
        verdict=PARTLY,
        reason=reason,
    )
    return declared(measure)


A_BODY = "These are rules for the motion of a rigid body, of which a free one keeps energy and momentum."
A_STEP = "These are rules for the motion of a rigid body, to which they come the nearer the smaller the step."

ENGINES_LEFT = table(
    "engines-kept",
    left(ENGINES),
    A_BODY,
    "physics engines, a free body in 100 s at 60 Hz",
    "Rules of second order keep all three within a part in a hundred, and so does Spiers'. Explicit Euler blows up, "
    "and so do Chrono's leapfrog and Kamino's step. With the length of momentum restored, or with momentum carried, "
    "energy goes towards that of a spin about the middle or the least axis. Implicit Euler loses energy. Without a "
    "gyroscopic term L goes round with the body.",
)
ENGINES_ORDERS = table(
    "engines-orders",
    orders(ENGINES),
    A_STEP,
    "physics engines, orders free and on a top",
    "Without a gyroscopic term there is no order. The others have first or second; RK4 has the fourth for a free "
    "body's velocity alone, and the midpoint rule with a torque that is held the first.",
)
CODES_LEFT = table(
    "particle-codes-kept",
    left(CODES),
    A_BODY,
    "codes for particles, a free body in 100 s at 60 Hz",
    "Rules of second order keep all three within a part in a hundred. Fincham's leapfrog as Yade codes it brings "
    "the energy to that of a spin about the axis of least inertia, PFC's halves lose it, and without a gyroscopic "
    "term L goes round with the body.",
)
CODES_ORDERS = table(
    "particle-codes-orders",
    orders(CODES),
    A_STEP,
    "codes for particles, orders free and on a top",
    "SPIRAL has third order for a free body's velocity alone, and its synchronous form first with a torque. "
    "Fincham's leapfrog as Yade codes it and PFC's halves have first, and without a gyroscopic term there is none.",
)


NOT_PLOTTED = "No figure here: the rules are written in programs."

ENGINES_ENERGY = energy_of(
    ENGINES_LEFT,
    "Energy by four rules of engines",
    "It goes to that of a spin about the middle axis, falls, or rises to the most that momentum allows.",
    "RESTORED",
    "NEWTON-1(map=clamped)",
    "LINEAR-EULER",
    "CARRIED",
    plotted=NOT_PLOTTED,
)
ENGINES_ERRORS = errors_by_step(
    ENGINES_ORDERS,
    "Errors of three rules of engines by the step",
    "Without a gyroscopic term they stay; the others' fall with the first and the second power of the step.",
    "SEMI-EULER(gyroscopic=off)",
    "RESTORED",
    "MIDPOINT-HELD",
    plotted=NOT_PLOTTED,
)
CODES_ENERGY = energy_of(
    CODES_LEFT,
    "Energy by four rules of codes for particles",
    "It rises to the most that momentum allows, falls, or stays.",
    "FINCHAM(attitude=start, middle=as-is)",
    "HALVES(half=euler)",
    "RICHARDSON",
    "SPIRAL",
    plotted=NOT_PLOTTED,
)
CODES_ERRORS = errors_by_step(
    CODES_ORDERS,
    "Errors of three rules of codes for particles by the step",
    "They fall with the first, the second and, of one's momentum, the third power of the step.",
    "FINCHAM(attitude=start, middle=as-is)",
    "MR2(axes=321)",
    "SPIRAL",
    plotted=NOT_PLOTTED,
)
