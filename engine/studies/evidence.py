"""Measures what a sentence of the catalogue states: each quantity on each body, by the measures of the studies.

`engine.told` has what sentences declare; here is what it is measured by. A number is measured once, however many
sentences rest on it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..algorithms.method import Method
from ..algorithms.method import find as find_method
from ..exact.errors import error
from ..problems.problem import Posed, Problem, posed
from ..simulate import simulate
from ..told import Measured
from .edge import edge
from .measure import LONG, deviation, drift_of
from .steps_to_accuracy import steps_to_accuracy
from .true_end import TrueEnd

DRIFT_STEPS = 200_000
ROWS = 64 * 499
"""States that a drift is told from: the blocks of `drift_of`, and an odd number in each."""
SHORT = 400
"""Steps after which an attitude is compared with the exact one."""

AT = {
    "plate": ((1.0, 2.2, 3.1), (0.6, 0.3, 1.0)),
    "dumbbell": ((0.2, 1.0, 1.1), (1.0, 0.4, 0.2)),
    "random 1": ((1.57, 1.71, 1.46), (-0.89, -0.45, -0.99)),
    "random 2": ((0.944, 1.656, 0.922), (-0.62, 0.49, 0.357)),
    "random 3": ((0.83, 1.055, 0.883), (0.695, -1.344, -0.458)),
}
"""Moments and velocities of free bodies besides those of the catalogue; the last three were drawn once."""


@functools.cache
def body(name: str) -> Posed:
    """A body by the name that sentences have for it."""
    if name not in AT:
        return posed(f"dumbbells(case={name})") if name.startswith("DB") else posed(name)
    moments, velocity = AT[name]
    return Problem(J=moments, Omega0=tuple(np.array(velocity) / np.linalg.norm(velocity)))


# ------------------------------------------------------------------------------------------------- quantities

Measure = Callable[[Method, Any, float, int], float]
"""What is measured of a method on a problem, with a step and a number of steps."""


@functools.lru_cache(maxsize=512)
def _run(method: Method, problem: Posed, dt: float, steps: int, every: int = 1) -> Any:
    return simulate(problem, method, dt=dt, steps=steps, every=every)


def energy(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The largest relative deviation of the energy over every step."""
    run = _run(method, problem, dt, steps, steps)
    return deviation(run, "energy") if run.status == "done" else math.nan


def energy_in_per_cent(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The same in per cent."""
    return 100 * energy(method, problem, dt, steps)


def first_energy(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The energy that the motion begins with."""
    return float(_run(method, problem, dt, 1).energy[0])


def most_energy(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """The most energy that a free body's momentum allows: that of a spin about the axis of least inertia."""
    return float(problem.Pi0 @ problem.Pi0) / (2 * float(problem.J.diagonal().min()))


def energy_range(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """By how much the energy's largest and least values differ, in per cent of the first."""
    run = _run(method, problem, dt, steps, steps)
    found = run.extrema["energy"]
    return 100 * float((found.max - found.min) / abs(run.energy[0]))


def largest_energy(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The largest energy of all steps."""
    return float(_run(method, problem, dt, steps, steps).extrema["energy"].max)


def part_of_the_most(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """The largest energy, in times the most that a free body's momentum allows."""
    return largest_energy(method, problem, dt, steps) / most_energy(method, problem, dt, steps)


def drift(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """What a steady drift makes of the energy in all steps, relative to the first; 0 if there is none."""
    found = _drift(method, problem, dt, steps)
    return math.nan if found.ended is not None else found.slope * steps * found.verdict.startswith("drifts")


def drift_either_way(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The same without its sign."""
    return abs(drift(method, problem, dt, steps))


def wander(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """How far the means of the energy's blocks lie apart, in times what it swings within a block."""
    found = _drift(method, problem, dt, steps)
    return found.spread / found.swing if found.ended is None else math.nan


@functools.lru_cache(maxsize=2048)
def _drift(method: Method, problem: Posed, dt: float, steps: int) -> Any:
    return drift_of(simulate(problem, method, dt=dt, steps=steps, every=max(1, steps // ROWS)), steps)


def attitude(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """How far the attitude is from the exact one at the end (rad)."""
    return _off(method, problem, dt, steps)["attitude"]


def momentum(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """How far π is from the exact one at the end, relative to its largest."""
    return _off(method, problem, dt, steps)["momentum"]


def body_momentum(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """How far Π is from the exact one at the end, in the body's frame."""
    run = _run(method, problem, dt, steps, steps)
    return float(error(run, _end(problem, dt * steps, dt).motion).last.Pi) if run.status == "done" else math.nan


@functools.lru_cache(maxsize=512)
def _off(method: Method, problem: Problem, dt: float, steps: int) -> dict[str, float]:
    return _end(problem, dt * steps, dt).off(_run(method, problem, dt, steps, steps))


@functools.lru_cache(maxsize=512)
def _end(problem: Problem, duration: float, dt: float) -> TrueEnd:
    return TrueEnd.of(problem, duration, dt)


def kept(name: str) -> Measure:
    """The largest deviation of one of the run's invariants, relative to its size."""

    def measure(method: Method, problem: Posed, dt: float, steps: int) -> float:
        run = _run(method, problem, dt, steps, steps)
        if run.status != "done":
            return math.nan
        if name not in run.motion:
            return deviation(run, name)
        start, found = run.motion[name][0], run.extrema[name]
        off = np.maximum(np.abs(found.max - start), np.abs(found.min - start))
        return float(np.max(off) / max(1.0, float(np.linalg.norm(start))))

    return measure


def half_step_energy(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """The relative deviation of E + Δt²/8 A·JA, where A is the angular acceleration of a free body."""
    run = _run(method, problem, dt, steps)
    torque = np.cross(run.Pi, run.Omega)  # JA
    total = run.energy + dt**2 / 8 * np.einsum("ij,ij->i", torque, np.linalg.solve(problem.J, torque.T).T)
    return float(np.ptp(total) / total[0])


def done(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The part of the steps that is made."""
    return simulate(problem, method, dt=dt, steps=steps, samples=1).cost.steps / steps


def energy_doubled(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The time at which the energy is first off by more than its first value."""
    run = _run(method, problem, dt, steps)
    return float(run.t[np.abs(run.energy - run.energy[0]) > abs(run.energy[0])][0])


def last_energy(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """The energy at the end, in times the first."""
    run = _run(method, problem, dt, steps, steps)
    return float(run.energy[-1] / run.energy[0])


def evaluations(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """How often what acts is evaluated in the whole run."""
    return float(_run(method, problem, dt, steps, steps).cost.torque_evaluations)


def iterations(method: Method, problem: Posed, dt: float, steps: int) -> float:
    """Newton iterations in the whole run."""
    return float(_run(method, problem, dt, steps, steps).cost.newton_iterations)


def lowest(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """The least R₃₃: how far the body's third axis comes down, as the cosine of its angle with the vertical."""
    return float(_run(method, problem, dt, steps).R[:, 2, 2].min())


def degrees_of_a_step(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """By how much a step turns the body at first (degrees)."""
    return math.degrees(dt * float(np.linalg.norm(problem.Omega0)))


def steady(problem: Problem) -> Problem:
    """The same body in a steady spin of one radian in unit time about its third axis."""
    return problem.replace(Omega0=(0.0, 0.0, 1.0))


def ahead(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """In a steady spin, by what part of x³ a step of x radians turns the body further than it should."""
    return (float(simulate(steady(problem), method, dt=dt, steps=1).increment[-1]) - dt) / dt**3


def largest_turn(method: Method, problem: Problem, dt: float, steps: int) -> float:
    """In a steady spin, the largest Δt |ω| with which steps can be made."""
    found = edge(steady(problem), method, duration=float(steps), smallest=0.25, largest=4.0, workers=1)
    return found.of(method).dt


def steps_within(accuracy: float) -> Measure:
    """The steps that a method needs to end within an attitude error (rad), in as long as these steps take."""

    def measure(method: Method, problem: Problem, dt: float, steps: int) -> float:
        needed = steps_to_accuracy(problem, method, accuracy, duration=dt * steps).rows[0].steps
        return float(needed) if needed else math.nan

    return measure


QUANTITIES: dict[str, tuple[Measure, int]] = {
    "energy": (energy, LONG),
    "energy (%)": (energy_in_per_cent, LONG),
    "first energy": (first_energy, 1),
    "most energy": (most_energy, 1),
    "energy range (%)": (energy_range, LONG),
    "largest energy": (largest_energy, LONG),
    "part of the most energy": (part_of_the_most, 20_000),
    "energy at the end": (last_energy, LONG),
    "time of doubled energy": (energy_doubled, LONG),
    "drift": (drift, DRIFT_STEPS),
    "|drift|": (drift_either_way, DRIFT_STEPS),
    "wander": (wander, DRIFT_STEPS),
    "attitude": (attitude, SHORT),
    "momentum": (momentum, SHORT),
    "body momentum": (body_momentum, SHORT),
    "orthogonality": (kept("orthogonality"), LONG),
    "linear momentum": (kept("linear_momentum"), LONG),
    "angular momentum": (kept("angular_momentum"), LONG),
    "|Π|²": (kept("casimir"), LONG),
    "π·χ": (kept("pi_chi"), LONG),
    "half-step energy": (half_step_energy, LONG),
    "part done": (done, LONG),
    "evaluations": (evaluations, SHORT),
    "Newton iterations": (iterations, SHORT),
    "least R₃₃": (lowest, LONG),
    "degrees of a step": (degrees_of_a_step, 1),
    "ahead": (ahead, 1),
    "largest turn": (largest_turn, 100),
    "steps within 1e-3 rad": (steps_within(1e-3), SHORT),
    "steps within 1e-6 rad": (steps_within(1e-6), SHORT),
    "steps within 1e-8 rad": (steps_within(1e-8), SHORT),
}
"""What can be measured, and in how many steps unless it is said otherwise."""


@functools.cache
def _value(what: str, method: Method, problem: Posed, dt: float, steps: int) -> float:
    return QUANTITIES[what][0](method, problem, dt, steps)


def values(measured: Measured, method: str = "", space: str = "so3", here: Any = None) -> dict[str, float]:
    """What is measured on each body; `method` is the sentence's, `here` its (problem, step, number of steps)."""
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


def _first_step(problem: Posed, turn: float) -> float:
    """The step that turns a body by so much at first; two bodies take their problem's."""
    return turn / float(np.linalg.norm(problem.Omega0)) if isinstance(problem, Problem) else problem.dt
