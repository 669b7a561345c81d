"""Krysl and Endres's Figures 1 to 13, computed anew, and figures for statements of the text.

The text has no numbers for the figures; the claims state what they show. Where the paper does not
print the steps of a convergence plot, they are chosen here so that the slopes show.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..algorithms.core.method import find_method
from ..problems.problem import Problem, find_problem
from ..studies.core.charts import Axes, Axis, Curve
from . import krysl_endres as claims
from . import shared_measures as shared
from .claim import Bench
from .figure import figure
from .variants import CG_RK4_BODY, NMS


def halve(first: float, times: int) -> tuple[float, ...]:
    """A step, its half, and so on."""
    return tuple(first / 2**k for k in range(times))


# ----------------------------------------------------------------- the free body, section 3.1


@figure(claims.figure_1, axes=(Axes(shared.TIME, shared.ENERGY),), count=len(claims.FREE_STEPS))
def figure_1(bench: Bench) -> Iterator[Curve]:
    """Every step of runs over 100 units of time."""
    for dt in claims.FREE_STEPS:
        run = bench.simulate("free", "NMB", dt=dt, duration=claims.FREE_DURATION)
        yield Curve(f"Δt = {dt:g}", run.t, run.energy, marks=True)


@figure(
    claims.figure_2,
    axes=(Axes(shared.TIME, Axis("rotation in a step (°)")),),
    count=len(claims.FREE_STEPS),
)
def figure_2(bench: Bench) -> Iterator[Curve]:
    """|h (Ω + h/2 A)| at each step."""
    for dt in claims.FREE_STEPS:
        run = bench.simulate("free", "NMB", dt=dt, duration=claims.FREE_DURATION)
        yield Curve(f"Δt = {dt:g}", run.t[1:], np.degrees(shared.find_step_angles(run)), marks=True)


STEPS_OF_FIGURE_3 = (5.0, 4.0, 2.0, 0.125)


@figure(
    claims.figure_3,
    axes=tuple(Axes(shared.TIME, Axis(f"Ω{sub}")) for sub in "₁₂₃"),
    count=3 * len(STEPS_OF_FIGURE_3),
)
def figure_3(bench: Bench) -> Iterator[Curve]:
    """Every step of runs over 100 units of time."""
    for dt in STEPS_OF_FIGURE_3:
        run = bench.simulate("free", "NMB", dt=dt, duration=claims.FREE_DURATION)
        for i in range(3):
            yield Curve(f"Δt = {dt:g}", run.t, run.Omega[:, i], plot=i, marks=dt >= 2)


FREE_LADDER = halve(8.0, 12)
OF_FIGURE_4 = ("NMB", "SW", "LS", "SW-C1", "AKW")
OF_FIGURE_5 = ("NMB", "SW", "LS", "SW-C1", "MR2", "AKW", "DMV4")


@figure(claims.figure_4, axes=(Axes(shared.STEP, shared.ATTITUDE_ERROR),), count=len(OF_FIGURE_4))
def figure_4(bench: Bench) -> Iterator[Curve]:
    """‖R − R*‖₂. For Δt = 8 it uses 100/12, since 8 does not divide 100."""
    curves = shared.draw_convergence(
        bench, "free", OF_FIGURE_4, FREE_LADDER, claims.FREE_DURATION, first=-1
    )
    yield from (curve for curve in curves if curve.plot == 0)


@figure(claims.figure_5, axes=(Axes(shared.STEP, shared.MOMENTUM_ERROR),), count=len(OF_FIGURE_5))
def figure_5(bench: Bench) -> Iterator[Curve]:
    """|Π − Π*|. For Δt = 8 it uses 100/12, since 8 does not divide 100."""
    curves = shared.draw_convergence(bench, "free", OF_FIGURE_5, FREE_LADDER, claims.FREE_DURATION)
    yield from (curve for curve in curves if curve.plot == 0)


# ----------------------------------------------------------------- the book toss, section 3.2

BOOK_STEPS = (0.05, 0.001)
RELEASED = 2.0
"""The time of the kick and the release; the paper does not say."""


def draw_book(bench: Bench, quantity: str, symbol: str) -> Iterator[Curve]:
    """The components of a quantity of the tossed book: NMB in the first plot, SW in the second."""
    for plot, method in enumerate(("NMB", "SW")):
        for dt in BOOK_STEPS:
            run = bench.simulate(
                find_problem("book-toss", Problem, td=RELEASED), method, dt=dt, duration=10.0
            )
            yield from shared.split_components(
                symbol, f"Δt = {dt:g}", run.t, getattr(run, quantity), plot
            )


def make_book_axes(symbol: str) -> tuple[Axes, ...]:
    """The axes of Figures 6 and 7."""
    return tuple(Axes(shared.TIME, Axis(symbol), method) for method in ("NMB", "SW"))


@figure(claims.figures_6_and_7, key="krysl-endres-figure-6", axes=make_book_axes("Ω"), count=12)
def figure_6(bench: Bench) -> Iterator[Curve]:
    """Every step up to t = 10, thinned to extremes."""
    return draw_book(bench, "Omega", "Ω")


@figure(claims.figures_6_and_7, key="krysl-endres-figure-7", axes=make_book_axes("π"), count=12)
def figure_7(bench: Bench) -> Iterator[Curve]:
    """Every step up to t = 10, thinned to extremes."""
    return draw_book(bench, "pi", "π")


# ----------------------------------------------------------------- Lagrange's top, section 3.3


@figure(claims.figure_8, axes=(Axes(shared.TIME, Axis("energy error (%)")),), count=2)
def figure_8(bench: Bench) -> Iterator[Curve]:
    """(E − E₀)/|E₀| at every step, thinned to extremes."""
    for spin in (1, 20):
        run = bench.simulate(
            find_problem("lagrange-top", Problem, Omega0=(0, 0, spin)),
            "NMB",
            dt=0.05,
            duration=100.0,
        )
        yield shared.downsample(
            f"spin {spin}", run.t, 100 * (run.energy - run.energy[0]) / abs(run.energy[0])
        )


@figure(claims.crouch_grossman, axes=shared.CONVERGENCE, count=6)
def crouch_grossman(bench: Bench) -> Iterator[Curve]:
    """Errors at t = 10, the momentum of Crouch and Grossman's method summed in space (CG-RK4) and
    in the body.
    """
    methods = (find_method("NMB"), find_method("CG-RK4"), CG_RK4_BODY)
    return shared.draw_convergence(bench, "lagrange-top", methods, halve(0.1, 6), 10.0)


@figure(claims.figure_9, axes=(Axes(shared.TIME, Axis("change of π·χ")),), count=2)
def figure_9(bench: Bench) -> Iterator[Curve]:
    """(RΠ)·(Rχ) less its first value."""
    for name, t, about_axis in claims.follow_axis_momentum(bench):
        yield shared.downsample(name, t, about_axis - about_axis[0])


# ----------------------------------------------------------------- tops and the soft wall, sections
# 3.4 to 3.6


@figure(claims.figure_10, axes=shared.CONVERGENCE, count=2 * len(claims.COMPARED))
def figure_10(bench: Bench) -> Iterator[Curve]:
    """|Π − Π*| and ‖R − R*‖₂."""
    return shared.draw_convergence(bench, "fast-top", claims.COMPARED, halve(0.02, 7), 10.0)


@figure(
    claims.figures_11_and_12,
    key="krysl-endres-figure-11",
    axes=shared.CONVERGENCE,
    count=2 * len(claims.COMPARED),
)
def figure_11(bench: Bench) -> Iterator[Curve]:
    """|Π − Π*| and ‖R − R*‖₂."""
    return shared.draw_convergence(bench, "slow-top", claims.COMPARED, halve(0.1, 9), 10.0)


OF_FIGURE_12 = ("SW", "NMB", "HSTAGM")
RUNS_OF_FIGURE_12 = (("free", 0.5, 100.0), ("slow-top", 0.05, 14.0))


@figure(
    claims.figures_11_and_12,
    key="krysl-endres-figure-12",
    axes=tuple(Axes(shared.TIME, shared.ENERGY, problem) for problem, _, _ in RUNS_OF_FIGURE_12),
    count=len(OF_FIGURE_12) * len(RUNS_OF_FIGURE_12),
)
def figure_12(bench: Bench) -> Iterator[Curve]:
    """Every step."""
    for plot, (problem, dt, duration) in enumerate(RUNS_OF_FIGURE_12):
        bench.prepare(problem, OF_FIGURE_12)
        for method in OF_FIGURE_12:
            run = bench.simulate(problem, method, dt=dt, duration=duration)
            yield shared.downsample(method, run.t, run.energy, plot)


SIGNS = ("as-printed", "physical")


@figure(
    claims.figure_13,
    axes=tuple(
        Axes(axes.x, axes.y, f"{axes.title}, {sign}")
        for sign in SIGNS
        for axes in shared.CONVERGENCE
    ),
    count=2 * len(SIGNS) * len(claims.COMPARED),
)
def figure_13(bench: Bench) -> Iterator[Curve]:
    """|Π − Π*| and ‖R − R*‖₂ for both signs."""
    for i, sign in enumerate(SIGNS):
        wall = find_problem("soft-wall", Problem, sign=sign)
        yield from shared.draw_convergence(
            bench, wall, claims.COMPARED, halve(0.05, 7), 10.0, first=2 * i, within=1e-7
        )


# ----------------------------------------------------------------- statements of the text without a
# figure

OF_EQUIVALENCE = ("free", "slow-top", "book-toss")


@figure(
    claims.equivalence,
    axes=(Axes(shared.TIME, Axis("largest difference of R", log=True)),),
    count=len(OF_EQUIVALENCE),
)
def equivalence(bench: Bench) -> Iterator[Curve]:
    """In 200 steps of 0.05; steps without a difference are left out."""
    for problem in OF_EQUIVALENCE:
        body, space = (bench.simulate(problem, m, dt=0.05, steps=200) for m in ("NMB", NMS))
        apart = np.abs(body.R - space.R).max(axis=(1, 2))
        yield Curve(problem, body.t[apart > 0], apart[apart > 0])


@figure(
    claims.symmetry,
    axes=(Axes(Axis("method", ticks=claims.OF_SYMMETRY), Axis("difference", log=True)),),
    count=1,
)
def symmetry(bench: Bench) -> Iterator[Curve]:
    """20 steps of 0.05 on the asymmetric top and as many back, with all that the method carries."""
    left = np.array([claims.return_to_start(name) for name in claims.OF_SYMMETRY])
    yield Curve("20 steps forwards and back", np.arange(len(left), dtype=float), left, marks=True)


OF_DRIFT = ("NMB", "MR2", "DMV")


def average_energy(bench: Bench, problem: str, method: str, dt: float, steps: int) -> Curve:
    """The mean energy of each of 200 parts of a run, relative to its start, in per cent."""
    run = bench.simulate(problem, method, dt=dt, steps=steps, samples=100_000)
    off = 100 * (run.energy - run.energy[0]) / abs(run.energy[0])
    return shared.average_blocks(f"{method}, {problem}", run.t / run.dt, off)


@figure(
    claims.symplectic,
    axes=(Axes(Axis("steps"), Axis("mean energy error (%)")),),
    count=len(OF_DRIFT),
)
def symplectic(bench: Bench) -> Iterator[Curve]:
    """A million steps of 0.05."""
    yield from (
        average_energy(bench, "asymmetric-top", method, 0.05, 1_000_000) for method in OF_DRIFT
    )


@figure(
    claims.drift_of_sw,
    axes=(Axes(Axis("steps"), Axis("mean energy error (%)")),),
    count=len(claims.INTEGRABLE),
)
def drift_of_sw(bench: Bench) -> Iterator[Curve]:
    """100 000 steps of SW."""
    yield from (
        average_energy(bench, problem, "SW", steps[-1], 100_000)
        for problem, steps in claims.INTEGRABLE.items()
    )
