"""Evidence for sentences of the catalogue: each quantity on each body, by the measures of the
studies.

`engine.text.evidence` has what sentences declare. Each number is measured once for all sentences.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.algorithms.core.method import Method, find_method
from engine.exact.errors import error
from engine.parameters.validation import Array
from engine.problems.problem import AnyProblem, Problem, find_problem
from engine.simulation.one_body import Run
from engine.simulation.result import Extrema
from engine.simulation.simulate import simulate
from engine.studies.core.errors_at_end import TrueEnd
from engine.studies.core.measurements import LONG, Drift, deviation, drift_of
from engine.studies.edge import edge
from engine.studies.steps_to_accuracy import steps_to_accuracy
from engine.text.evidence import RANDOM, InRange

DRIFT_STEPS = 200_000
ROWS = 64 * 499
"""States for a drift: the blocks of `drift_of`, with an odd number in each."""
SHORT = 400
"""Steps after which to compare an attitude with the exact one."""

AT = {
    "along 1": ((1.0, 2.0, 3.0), (0.95, 0.0, 0.105)),
    "along 2": ((2.5, 1.0, 2.6), (0.1, 0.95, 0.05)),
    "along 3": ((2.8, 2.0, 1.0), (0.1, 0.05, 0.95)),
    "plate": ((1.0, 2.2, 3.1), (0.6, 0.3, 1.0)),
    "dumbbell": ((0.2, 1.0, 1.1), (1.0, 0.4, 0.2)),
    "random 1": ((1.57, 1.71, 1.46), (-0.89, -0.45, -0.99)),
    "random 2": ((0.944, 1.656, 0.922), (-0.62, 0.49, 0.357)),
    "random 3": ((0.83, 1.055, 0.883), (0.695, -1.344, -0.458)),
}
"""Moments and velocities of free bodies besides those of the catalogue; the random ones were drawn
once.
"""


def draw_bodies(count: int, seed: int) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Draw moments and velocities of free bodies: the second moments of the mass, from 0.05 to 1,
    uniformly in their logarithms, and Ω₀ uniformly in all directions.
    """
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        second = np.exp(random.uniform(math.log(0.05), 0.0, 3))
        moments = second.sum() - second
        drawn.append((tuple(moments / moments.max()), tuple(random.normal(size=3))))
    return drawn


OTHERS = tuple(f"other {i}" for i in range(1, len(RANDOM) + 1))
"""Random bodies on which no stated value was measured."""
AT |= dict(zip(RANDOM, draw_bodies(len(RANDOM), seed=1), strict=True))
AT |= dict(zip(OTHERS, draw_bodies(len(OTHERS), seed=2), strict=True))


@functools.cache
def body(name: str) -> AnyProblem:
    """Return a body by its name in sentences."""
    if name not in AT:
        return (
            find_problem(f"dumbbells(case={name})") if name.startswith("DB") else find_problem(name)
        )
    moments, velocity = AT[name]
    return Problem(J=moments, Omega0=tuple(np.array(velocity) / np.linalg.norm(velocity)))


def turns_steadily(name: str) -> bool:
    """Return whether a free body does not rest at its middle axis for long, near the separatrix,
    where a slope over many steps is no drift.
    """
    free = body(name)
    moment = float(free.Pi0 @ free.Pi0 / (free.Pi0 @ free.Omega0))
    return abs(moment / float(np.median(free.J.diagonal())) - 1.0) > 0.02


# -------------------------------------------------------------------------------------------------
# quantities


@dataclass(frozen=True)
class Case:
    """A method on a problem, with a step and a number of steps; measures share its runs."""

    method: Method
    problem: Any
    dt: float
    steps: int

    @functools.cached_property
    def run(self) -> Run:
        """The run with every state."""
        return simulate(self.problem, self.method, dt=self.dt, steps=self.steps)

    @functools.cached_property
    def ends(self) -> Run:
        """The run with the first and the last state, and the extremes over every step."""
        return simulate(self.problem, self.method, dt=self.dt, steps=self.steps, every=self.steps)

    @functools.cached_property
    def long(self) -> Run:
        """The run with as many states as a drift needs."""
        every = max(1, self.steps // ROWS)
        run: Run = simulate(self.problem, self.method, dt=self.dt, steps=self.steps, every=every)
        return run

    @functools.cached_property
    def drift(self) -> Drift:
        """The drift of the energy in the long run."""
        return drift_of(self.long, self.steps)

    @property
    def integral(self) -> str:
        """The name of the first further integral that the motion conserves."""
        return next(one.key for one in self.problem.integrals if one.key in self.problem.invariants)

    @property
    def find_exact_end(self) -> TrueEnd:
        """The end of the exact motion."""
        return _true_end(self.problem, self.dt * self.steps, self.dt)

    @property
    def first_energy(self) -> float:
        """The energy at the start."""
        return float(replace(self, steps=1).run.energy[0])

    @property
    def most_energy(self) -> float:
        """The largest energy that a free body's momentum allows: that of a spin about the axis of
        least inertia.
        """
        return float(self.problem.Pi0 @ self.problem.Pi0) / (
            2 * float(self.problem.J.diagonal().min())
        )

    @property
    def middle_energy(self) -> float:
        """The energy of a spin about the axis of middle inertia, with a free body's momentum."""
        return float(self.problem.Pi0 @ self.problem.Pi0) / (
            2 * float(np.median(self.problem.J.diagonal()))
        )

    @property
    def energies(self) -> Extrema:
        """The energy's extremes over every step."""
        found: Extrema = self.ends.extrema["energy"]
        return found

    def deviation(self, name: str) -> float:
        """Return the largest deviation of an invariant over every step, relative to its size."""
        return deviation(self.ends, name) if self.ends.status == "done" else math.nan

    def spin_steadily(self, steps: int) -> Run:
        """Run the same body in a steady spin of one radian per unit of time about its third
        axis.
        """
        run: Run = simulate(steady(self.problem), self.method, dt=self.dt, steps=steps)
        return run


@functools.lru_cache(maxsize=512)
def _true_end(problem: Problem, duration: float, dt: float) -> TrueEnd:
    return TrueEnd.of(problem, duration, dt)


def steady(problem: Any) -> Any:
    """Return the same body in a steady spin of one radian per unit of time about its third axis;
    given rates are constant already.
    """
    return problem.replace(Omega0=(0.0, 0.0, 1.0)) if isinstance(problem, Problem) else problem


def ahead(case: Case) -> float:
    """Return the excess rotation of a step of x radians in a steady spin, in units of x³."""
    run = case.spin_steadily(1)
    turn = case.dt * float(np.linalg.norm(run.Omega[0]))
    return (float(run.increment[-1]) - turn) / turn**3


def find_drift(case: Case) -> float:
    """Return the drift of the attitude where rates are given, in degrees an hour."""
    found: Any = error(case.run)
    return float(np.linalg.norm(found.drift))


def power_of_drift(case: Case) -> float:
    """Return the power of the step with which the drift falls, from half the step."""
    half = replace(case, dt=case.dt / 2, steps=2 * case.steps)
    return math.log2(find_drift(case) / find_drift(half))


def length_over_tangents(case: Case) -> float:
    """Return the length of the quaternion at the end, in units of those of all 1 + θ/2, with the
    rates at the ends of steps.
    """
    turns = case.dt * np.linalg.norm(case.run.Omega[1:], axis=1)
    return float(case.run.norm[-1] / np.sqrt(1 + turns**2 / 4).prod())


def drift(case: Case, found: Drift) -> float:
    """Return the change of the energy by a steady drift in all steps, relative to the first; 0
    without a drift.
    """
    return (
        math.nan
        if found.ended is not None
        else found.slope * case.steps * found.verdict.startswith("drifts")
    )


def wander(case: Case) -> float:
    """Return the range of the means of the energy's blocks, in units of its swing within a
    block.
    """
    return case.drift.spread / case.drift.swing if case.drift.ended is None else math.nan


def body_momentum(case: Case) -> float:
    """Return the error of Π at the end, in the body frame."""
    if case.ends.status != "done":
        return math.nan
    return float(error(case.ends, case.find_exact_end.motion).last.Pi)


def half_step_energy(case: Case) -> float:
    """Return the relative deviation of E + Δt²/8 A·JA, with the angular acceleration A of a free
    body.
    """
    run = case.run
    torque = np.cross(run.Pi, run.Omega)  # JA
    accelerations = np.linalg.solve(case.problem.J, torque.T).T
    total = run.energy + case.dt**2 / 8 * np.einsum("ij,ij->i", torque, accelerations)
    return float(np.ptp(total) / total[0])


def largest_turn(case: Case) -> float:
    """Return the largest Δt |ω| of a steady spin with which a method can run."""
    duration = float(case.steps)
    found = edge(
        steady(case.problem), case.method, duration=duration, smallest=0.25, largest=4.0, workers=1
    )
    return found.of(case.method).dt


def steps_within(accuracy: float) -> Measure:
    """Return a measure of the steps that a method needs to end within an attitude error (rad) after
    the same time.
    """

    def measure(case: Case) -> float:
        found = steps_to_accuracy(
            case.problem, case.method, accuracy, duration=case.dt * case.steps
        )
        return float(found.rows[0].steps or math.nan)

    return measure


def angles_from_start(run: Any) -> Array:
    """Return the angles (n,) in the body between Π and its first value."""
    Π = run.Pi / np.linalg.norm(run.Pi, axis=1, keepdims=True)
    return np.arccos(np.clip(Π @ Π[0], -1.0, 1.0))


def first_flip(case: Case) -> float:
    """Return the time, interpolated between rows, at which Π is first a right angle from its first
    value.
    """
    angles = angles_from_start(case.run)
    beyond = int(np.argmax(angles > math.pi / 2))
    rows = slice(beyond - 1, beyond + 1)
    return float(np.interp(math.pi / 2, angles[rows], case.run.t[rows]))


def point_masses(pair: Any) -> tuple[Array, Array]:
    """Return the point masses of both bodies."""
    return pair.body1.masses, pair.body2.masses


def time_of_doubling(case: Case) -> float:
    """Return the time at which the energy first deviates by more than its first value."""
    run = case.run
    return float(run.t[np.abs(run.energy - run.energy[0]) > abs(run.energy[0])][0])


Measure = Callable[[Case], float]

QUANTITIES: dict[str, tuple[Measure, int]] = {
    # The largest deviation over every step, relative to the quantity's size.
    "energy": (lambda x: x.deviation("energy"), LONG),
    "energy (%)": (lambda x: 100 * x.deviation("energy"), LONG),
    "orthogonality": (lambda x: x.deviation("orthogonality"), LONG),
    "half-step energy": (half_step_energy, LONG),
    # The range of what the method's divisor modifies, over all rows of a long run.
    "modified energy": (lambda x: float(np.ptp(x.long.modified("energy"))) / x.first_energy, LONG),
    "modified Casimir": (
        lambda x: float(np.ptp(x.long.modified("casimir")) / x.long.first("casimir")),
        LONG,
    ),
    # The range over all steps, in per cent of the first value.
    "energy range (%)": (
        lambda x: 100 * float((x.energies.max - x.energies.min) / abs(x.first_energy)),
        LONG,
    ),
    "first energy": (lambda x: x.first_energy, 1),
    "most energy": (lambda x: x.most_energy, 1),
    "largest energy": (lambda x: float(x.energies.max), LONG),
    "part of the most energy": (lambda x: float(x.energies.max) / x.most_energy, 20_000),
    "of the middle energy": (lambda x: float(x.ends.energy[-1]) / x.middle_energy, 20_000),
    # In units of the first.
    "energy at the end": (lambda x: float(x.ends.energy[-1] / x.ends.energy[0]), LONG),
    "energy at the end (%)": (
        lambda x: 100 * float(x.ends.energy[-1] / x.ends.energy[0]),
        LONG,
    ),
    "time of doubled energy": (time_of_doubling, LONG),
    "drift": (lambda x: drift(x, x.drift), DRIFT_STEPS),
    "|drift|": (lambda x: abs(drift(x, x.drift)), DRIFT_STEPS),
    "wander": (wander, DRIFT_STEPS),
    # The same of the further integral.
    "integral": (lambda x: x.deviation(x.integral), LONG),
    "integral (%)": (lambda x: 100 * x.deviation(x.integral), LONG),
    "|integral drift|": (
        lambda x: abs(drift(x, drift_of(x.long, x.steps, x.integral))),
        DRIFT_STEPS,
    ),
    # Errors at the end: of R in radians, and of Π.
    "attitude": (lambda x: x.find_exact_end.errors(x.ends)["attitude"], SHORT),
    "body momentum": (body_momentum, SHORT),
    # The attitude error at the end over the time, in degrees an hour, where rates are given.
    "degrees an hour": (
        lambda x: math.degrees(error(x.ends).attitude[-1]) * 3600 / (x.steps * x.dt),
        SHORT,
    ),
    # The power of the step with which the drift of an attitude falls.
    "power of the drift": (power_of_drift, SHORT),
    # The length of the quaternion at the end, and the largest error of a unit quaternion's.
    "length": (lambda x: float(x.ends.norm[-1]), SHORT),
    "length over √(1 + θ²/4)": (length_over_tangents, SHORT),
    "length error": (lambda x: float(np.abs(x.run.norm - 1.0).max()), SHORT),
    # The part of the steps before the run ends.
    "part done": (lambda x: x.ends.cost.steps / x.steps, LONG),
    # Evaluations of torque or gravity in the whole run, and iterations of Newton's method.
    "evaluations": (lambda x: float(x.ends.cost.torque_evaluations), SHORT),
    "Newton iterations": (lambda x: float(x.ends.cost.newton_iterations), SHORT),
    # The least and the largest angle of the third axis from the vertical, in degrees.
    "least tilt": (
        lambda x: math.degrees(math.acos(min(1.0, float(x.run.R[:, 2, 2].max())))),
        LONG,
    ),
    "greatest tilt": (
        lambda x: math.degrees(math.acos(max(-1.0, float(x.run.R[:, 2, 2].min())))),
        LONG,
    ),
    # The largest angle of Π in the body from its first value, in degrees, and when it first passes
    # a right angle.
    "turn of Π": (lambda x: math.degrees(float(angles_from_start(x.run).max())), LONG),
    "first flip": (first_flip, LONG),
    # The least cosine of the angle between the third axis and the vertical.
    "least R₃₃": (lambda x: float(x.run.R[:, 2, 2].min()), LONG),
    # The number of steps, and the step in units of the problem's own.
    "steps": (lambda x: float(x.steps), 1),
    "step over the problem's own": (lambda x: x.dt / x.problem.dt, 1),
    # Point masses of the smaller body, and the pairs whose attraction the field sums.
    "masses of a body": (lambda x: float(min(map(len, point_masses(x.problem)))), 1),
    "pairs of masses": (lambda x: float(math.prod(map(len, point_masses(x.problem)))), 1),
    # The first rotation in a step.
    "degrees of a step": (
        lambda x: math.degrees(x.dt * float(np.linalg.norm(x.problem.Omega0))),
        1,
    ),
    # In a steady spin, the excess rotation of a step of x radians, in units of x³.
    "ahead": (ahead, 1),
    "largest turn": (largest_turn, 100),
    "steps within 1e-3 rad": (steps_within(1e-3), SHORT),
    "steps within 1e-6 rad": (steps_within(1e-6), SHORT),
}
"""The quantities, with their default numbers of steps."""


_case = functools.lru_cache(maxsize=512)(Case)


@functools.cache
def _value(what: str, method: Method, problem: AnyProblem, dt: float, steps: int) -> float:
    return QUANTITIES[what][0](_case(method, problem, dt, steps))


def values(
    measured: InRange, method: str = "", space: str = "so3", here: Any = None
) -> dict[str, float]:
    """Measure on each body; `method` is the sentence's, `here` its (problem, step, number of
    steps).
    """
    found = {}
    for name in measured.on:
        problem, dt, steps = here if name == "here" else (body(name), 0.0, 0)
        dt = measured.dt or dt or _first_step(problem, measured.turn)
        steps = measured.steps or steps or QUANTITIES[measured.what][1]
        of, *over = (
            _value(measured.what, _method(label, space), problem, dt, steps)
            for label in (measured.of or method, *filter(None, [measured.over]))
        )
        found[name] = of / over[0] if over else of
    return found


@functools.cache
def _method(label: str, space: str) -> Method:
    return find_method(label, space=space)


def _first_step(problem: AnyProblem, turn: float) -> float:
    """Return the step that turns a body by this angle at first; of two bodies and given rates
    the problem's step.
    """
    return (
        turn / float(np.linalg.norm(problem.Omega0)) if isinstance(problem, Problem) else problem.dt
    )
