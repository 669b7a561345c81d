"""Buss, Accurate and efficient simulation of rigid-body rotations: the tables of Figures 3 to 7,
and a long run.

Figures 1 and 2 are sketches, of Poinsot's ellipsoid and of a rolling disk, and have nothing to
measure.

The tables hold the numbers that the paper prints. Its energies are those after one step fewer than
its text says: with N − 1 steps they agree to the last digit, with N steps they do not. Its accuracy
tables do run N steps, and print the number after the last one that fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..studies.core.errors_at_end import End
from ..studies.steps_to_accuracy import attitude_error
from ..text import read_toml
from .claim import Bench, Between, Check, Near, Printed, Value, at_least, claim

TABLES: dict[str, Any] = {
    table: {
        method: tuple(None if cell == "" else cell for cell in row) for method, row in rows.items()
    }
    for table, rows in read_toml(__file__, "buss_tables").items()
}
"""The printed numbers, by method; None where the paper prints none."""
Energies = Mapping[str, tuple[str, ...]]
Steps = Mapping[str, tuple[int | None, ...]]

WEIGHTS = (1, 8, 5, 3)
"""The cost of a multiplication, a sine or cosine, a square root and a division, in multiplications.
"""
ROTATION = (21, 2, 1, 1)
ENERGY_STEP = (27, 0, 3, 1)
"""In addition to a rotation. The text has 32 multiplications; the table follows from 27."""
OPERATIONS: Mapping[str, tuple[int, int, int, int]] = TABLES["operations"]
"""The cost of a step, as the text counts it; Buss's own methods take a rotation in addition."""
FIGURE_3: Mapping[str, tuple[float, float]] = TABLES["figure_3"]
"""The cost of a step without and with energy correction, relative to BUSS3+E."""

FIGURE_4_STEPS = (
    (0.0001, 100_000),
    (0.0005, 800_000),
    (0.001, 400_000),
    (0.002, 200_000),
    (0.004, 100_000),
)
"""The step h and the number N of each column."""
FIGURE_4: Energies = TABLES["figure_4"]

FIGURE_5_STEPS = ((0.004, 1000), (0.008, 500), (0.016, 250), (0.02, 200))
FIGURE_5: Energies = TABLES["figure_5"]

FIGURE_6_GOALS = ((0.4, 1e-3, 20480), (0.4, 1e-6, 20480), (4.0, 1e-3, 20480))
"""The duration T, the accuracy in radians, and the steps at which the paper gives up, of each
column.
"""
FIGURE_6: Steps = TABLES["figure_6"]

FIGURE_7_GOALS = ((4.0, 1e-6, 40960), (40.0, 1e-3, 40960), (40.0, 1e-6, 163840))
FIGURE_7: Steps = TABLES["figure_7"]

Rotations = Mapping[str, tuple[str | None, ...]]
ENERGY_ROTATIONS = {float(h): printed for h, (printed,) in TABLES["energy_rotations"].items()}
"""The mean rotation in a step, in degrees, by the steps of Figures 4 and 5."""
FIGURE_6_ROTATIONS: Rotations = TABLES["figure_6_rotations"]
"""The mean rotation in a step, in degrees, for each number of steps in Figure 6."""
FIGURE_7_ROTATIONS: Rotations = TABLES["figure_7_rotations"]


def name_energy(method: str, h: float) -> str:
    """The name of an energy."""
    return f"{method}, h={h:g}"


def name_steps(method: str, T: float, accuracy: float) -> str:
    """The name of a number of steps."""
    return f"{method}, T={T:g}, ε={accuracy:g}"


def name_error(method: str, T: float, steps: int) -> str:
    """The name of an error."""
    return f"error of {method}, T={T:g}, in {steps} steps (rad)"


def require_energies(table: Energies, columns: tuple[tuple[float, int], ...]) -> dict[str, Check]:
    """The printed energies, to be met to their last digit."""
    return {
        name_energy(method, h): Printed(energy)
        for method, energies in table.items()
        for energy, (h, _) in zip(energies, columns, strict=True)
    }


def measure_energies(
    bench: Bench, table: Energies, columns: tuple[tuple[float, int], ...]
) -> Iterator[tuple[str, Value]]:
    """The energies after N − 1 steps."""
    bench.prepare("prism", table)
    for method in table:
        for h, steps in columns:
            yield (
                name_energy(method, h),
                bench.simulate("prism", method, dt=h, steps=steps - 1, samples=1).energy[-1],
            )


EXACTLY = {False: 17_000, True: 5_300}
"""Numbers of steps below this, without and with energy correction, are met to one step."""
NEARLY = 0.003
AT_THE_REFERENCE_S_LIMIT = 0.01
"""The reference orientation of the paper at T = 40 is itself off by about 4e-8."""


def require_steps(table: Steps, columns: tuple[tuple[float, float, int], ...]) -> dict[str, Check]:
    """The printed numbers of steps, or that they are beyond the paper's limit."""
    return {
        name_steps(method, T, accuracy): near_steps(
            steps, method.endswith("+E"), (T, accuracy) == (40.0, 1e-6)
        )
        if steps is not None
        else at_least(most + 1)
        for method, row in table.items()
        for steps, (T, accuracy, most) in zip(row, columns, strict=True)
    }


def near_steps(steps: int, corrected: bool, at_the_limit: bool) -> Check:
    """A number of steps, as near as can be expected."""
    if at_the_limit:
        return Near(steps, AT_THE_REFERENCE_S_LIMIT)
    return Between(steps - 1, steps + 1) if steps < EXACTLY[corrected] else Near(steps, NEARLY)


def measure_steps(
    bench: Bench, table: Steps, columns: tuple[tuple[float, float, int], ...]
) -> Iterator[tuple[str, Value]]:
    """The steps needed; infinite beyond the paper's limit."""
    bench.prepare("prism", table)
    for T, accuracy, most in columns:
        study = bench.steps_to_accuracy("prism", list(table), accuracy, duration=T, most_steps=most)
        for method in table:
            yield name_steps(method, T, accuracy), study.steps(method, accuracy) or math.inf


def count_multiplications(operations: tuple[int, int, int, int]) -> int:
    """The cost of operations, in multiplications."""
    return sum(n * weight for n, weight in zip(operations, WEIGHTS, strict=True))


def find_cost(method: str) -> int:
    """The cost of a step by the text's counts, in multiplications; of NAME+E with the energy
    correction.
    """
    base = method.removesuffix("+E")
    corrected = method.endswith("+E")
    multiplications = count_multiplications(OPERATIONS[base]) + (
        count_multiplications(ROTATION) if base.startswith("BUSS") else 0
    )
    return multiplications + (
        count_multiplications(ENERGY_STEP) + count_multiplications(ROTATION) if corrected else 0
    )


@claim(
    key="buss-figure-3",
    paper={
        method + ending: Between(round(printed - 0.01, 2), round(printed + 0.01, 2))
        for method, row in FIGURE_3.items()
        for ending, printed in zip(("", "+E"), row, strict=True)
    },
)
def figure_3(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Multiplications, sines, roots and divisions as the text counts and weighs them, in units of
    BUSS3+E.
    """
    for method in FIGURE_3:
        for name in (method, f"{method}+E"):
            yield name, find_cost(name) / find_cost("BUSS3+E")


@claim(key="buss-figure-4", paper=require_energies(FIGURE_4, FIGURE_4_STEPS))
def figure_4(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The energy of the prism after N − 1 steps of h."""
    return measure_energies(bench, FIGURE_4, FIGURE_4_STEPS)


@claim(key="buss-figure-5", paper=require_energies(FIGURE_5, FIGURE_5_STEPS))
def figure_5(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The energy of the prism after N − 1 steps of h."""
    return measure_energies(bench, FIGURE_5, FIGURE_5_STEPS)


@claim(key="buss-figure-6", paper=require_steps(FIGURE_6, FIGURE_6_GOALS))
def figure_6(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The steps from which on the prism's attitude at T is within ε rad of a reference of sixth
    order.
    """
    return measure_steps(bench, FIGURE_6, FIGURE_6_GOALS)


@claim(key="buss-figure-7", paper=require_steps(FIGURE_7, FIGURE_7_GOALS))
def figure_7(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The steps from which on the prism's attitude at T is within ε rad of a reference of sixth
    order; the error with the most steps that the paper tried, where it calls the method failed.
    """
    yield from measure_steps(bench, FIGURE_7, FIGURE_7_GOALS)
    for T, steps, methods in (
        (4.0, 40960, ("MR2(axes=231)", "MR2(axes=231)+E")),
        (40.0, 163840, ("MR4(axes=231)+E",)),
    ):
        end = bench.find_exact_end("prism", T)
        for method in methods:
            run = bench.simulate("prism", method, dt=T / steps, steps=steps, samples=1)
            yield (
                name_error(method, T, steps),
                attitude_error(End(run.R[-1], run.Pi[-1], math.nan), end),
            )


def list_rotations(
    table: Rotations, numbers: Steps, columns: tuple[tuple[float, float, int], ...]
) -> Iterator[Any]:
    """The name of each cell, the printed rotation, the time and the printed steps."""
    for method, row in table.items():
        for printed, steps, (T, accuracy, _) in zip(row, numbers[method], columns, strict=True):
            if printed is not None:
                yield f"θ of {name_steps(method, T, accuracy)} (°)", printed, T, steps


OF_ACCURACY = (
    *list_rotations(FIGURE_6_ROTATIONS, FIGURE_6, FIGURE_6_GOALS),
    *list_rotations(FIGURE_7_ROTATIONS, FIGURE_7, FIGURE_7_GOALS),
)


def near_print(printed: str) -> Check:
    """Within one per cent, or within the last digit where that is coarser."""
    value = float(printed)
    last = 10.0 ** -len(printed.partition(".")[2])
    within = max(0.01 * value, 0.6 * last)
    return Between(round(value - within, 6), round(value + within, 6))


@claim(
    key="buss-rotations",
    paper={
        **{f"θ of h={h:g} (°)": Printed(printed) for h, printed in ENERGY_ROTATIONS.items()},
        **{name: near_print(printed) for name, printed, _, _ in OF_ACCURACY},
    },
)
def mean_rotations(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The mean speed of the exact motion times h, or times T / (N − 1) of the printed N, in
    degrees.
    """
    speeds = {
        T: math.degrees(bench.find_exact_end("prism", T, 1e-8).mean_speed) for T in (0.4, 4.0, 40.0)
    }
    for h in ENERGY_ROTATIONS:
        yield f"θ of h={h:g} (°)", speeds[4.0] * h
    for name, _, T, steps in OF_ACCURACY:
        yield name, speeds[T] * T / (steps - 1)


LONG_RUN = 200_000_000
"""Steps."""
LONG_RUN_PRINTS = {"MR2(axes=123)": 75.2587, "MR2(axes=231)": 82.1218}
"""The energy at the end."""


@claim(key="buss-long-run")
def long_run(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The energy of the prism after N − 1 steps of 0.02, and its extremes over all of them."""
    for method in LONG_RUN_PRINTS:
        run = bench.simulate("prism", method, dt=0.02, steps=LONG_RUN - 1, samples=1)
        yield f"energy at the end, {method}", float(run.energy[-1])
        yield f"least energy, {method}", run.extrema["energy"].min
        yield f"largest energy, {method}", run.extrema["energy"].max
