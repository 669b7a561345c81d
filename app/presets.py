"""Settings to begin with: those of the sources' figures, and one that is drawn at random."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import engine

from .session import Choice, fitting, of_problem


@dataclass(frozen=True)
class Preset:
    """A setting with a name; `ends` tells which of its runs do not come to their end, and how."""

    key: str
    group: str
    title: str
    sentence: str
    choice: Choice
    ends: Mapping[str, str] = field(default_factory=dict)


def choice(problem: str, methods: str, dt: float, duration: float, **changes: Any) -> Choice:
    """A choice, with the methods' names in one string."""
    return Choice(engine.problem(problem).label, tuple(methods.split()), dt, duration).with_changes(**changes)


# ------------------------------------------------------------------------------------------------- Krysl and Endres

KRYSL_ENDRES = "Krysl & Endres"


def krysl_endres() -> Iterator[Preset]:
    """Figures 1 to 13, and what the text says besides."""

    def preset(key: str, title: str, sentence: str, setting: Choice, **ends: str) -> Preset:
        return Preset(f"krysl-endres-{key}", KRYSL_ENDRES, title, sentence, setting, ends)

    for dt, swing in ((4.0, "13.6"), (2.0, "4.3"), (1.0, "1.1"), (0.5, "0.29")):
        yield preset(
            f"1-2-dt{dt:g}",
            f"Figures 1 and 2, Δt = {dt:g}",
            f"A free body in large steps: NMB's energy swings by {swing} % and never drifts.",
            choice("free", "NMB", dt, 100),
        )
    yield preset(
        "3",
        "Figure 3, Δt = 5",
        "NMB and AKW get through steps of five; the Moser–Veselov methods have no solution in the first of them.",
        choice("free", "NMB AKW DMV DMV4", 5, 100),
        DMV="no-solution",
        DMV4="no-solution",
    )
    for dt in (0.5, 1 / 16, 1 / 256):
        shown = f"1/{1 / dt:.0f}" if dt < 1 else f"{dt:g}"
        yield preset(
            f"4-dt{shown.replace('/', '-')}",
            f"Figure 4, Δt = {shown}",
            "Attitude of the free body: at small steps NMB ends eighty times nearer to the exact one than AKW, "
            "whose Cayley map turns too little.",
            choice("free", "NMB AKW SW SW-C1", dt, 100),
        )
        yield preset(
            f"5-dt{shown.replace('/', '-')}",
            f"Figure 5, Δt = {shown}",
            "Momentum of the free body: AKW is the best of second order, NMB follows; DMV4 is of order four there.",
            choice("free", "NMB AKW DMV DMV4", dt, 100),
        )
    yield preset(
        "4-5-more",
        "Figures 4 and 5, the others, Δt = 1/256",
        "The staggered, the splitting and the conserving methods on the same free body.",
        choice("free", "HSTAGM MR2 LS SW-C1", 1 / 256, 100),
    )
    for dt in (0.05, 0.02, 0.001):
        yield preset(
            f"6-7-dt{dt:g}",
            f"Figures 6 and 7, Δt = {dt:g}",
            "The book is spun up about its middle axis, kicked at t = 2 and let go. "
            + (
                "With this step SW's energy runs away while its momentum stays exact; NMB stays near."
                if dt == 0.05
                else "With this step SW is as good as NMB."
            ),
            choice("book-toss", "SW NMB", dt, 10, td=2),
        )
    yield preset(
        "6-7-long",
        "Figures 6 and 7, ten times as long",
        "SW's instability goes on, and NMB still stays near.",
        choice("book-toss", "SW NMB", 0.05, 100, td=2),
    )
    yield preset(
        "8-9",
        "Figures 8 and 9, Δt = 0.05",
        "Lagrange's top: NMB's energy is off by up to 0.9 % without drift, and π·χ is kept to roundoff.",
        choice("lagrange-top", "NMB", 0.05, 100),
    )
    yield preset(
        "8-spin",
        "Figure 8, spin 20",
        "Only if the top spins at 20 or more is NMB's energy within the half per cent that the paper tells.",
        choice("lagrange-top", "NMB", 0.05, 100, Omega0=(0, 0, 20)),
    )
    for dt in (0.05, 0.0125):
        yield preset(
            f"crouch-grossman-dt{dt:g}",
            f"Section 3.3, Δt = {dt:g}",
            "NMB and Crouch–Grossman with the classical tableau on Lagrange's top: the paper finds them alike, "
            "here NMB ends nearer.",
            choice("lagrange-top", "NMB CG-RK4", dt, 10),
        )
    for dt in (0.005, 0.0025, 0.00125):
        yield preset(
            f"10-dt{dt:g}",
            f"Figure 10, Δt = {dt:g}",
            "The fast top: SW and HSTAGM are almost the same, and AKW's attitude is ninety times worse than NMB's.",
            choice("fast-top", "SW HSTAGM NMB AKW", dt, 10),
        )
    yield preset(
        "11-12",
        "Figures 11 and 12, Δt = 1/640",
        "The slow top tips over: NMB is nearer to the exact motion than AKW, in attitude and in momentum.",
        choice("slow-top", "NMB AKW", 1 / 640, 10),
    )
    for dt, t in ((0.1, "11.3"), (0.05, "13"), (0.025, "15.9"), (0.0125, "19.9")):
        yield preset(
            f"11-12-unstable-dt{dt:g}",
            f"Figures 11 and 12, HSTAGM, Δt = {dt:g}",
            f"HSTAGM's two tracks part on the slow top: at t = {t} its energy is off by more than all of it.",
            choice("slow-top", "HSTAGM NMB AKW", dt, 40),
        )
    for sign, words in (
        ("as-printed", "With the sign as printed the pull repels, there is no wall to meet, and NMB is the best."),
        (
            "physical",
            "With the sign that the words describe the body meets the wall, and NMB is not the best at once.",
        ),
    ):
        for T in (10, 20, 50, 100) if sign == "as-printed" else (10, 20, 50):
            yield preset(
                f"13-{sign}-T{T}",
                f"Figure 13, {sign}, T = {T}",
                words,
                choice(f"soft-wall(sign={sign})", "NMB AKW SW HSTAGM", 1 / 320, T),
            )
    yield preset(
        "symplectic",
        "Discussion: is NMB symplectic?",
        "A million steps on the asymmetric top: NMB's energy wanders; MR2's and DMV's stay, which are symplectic.",
        choice("asymmetric-top", "NMB MR2 DMV", 0.05, 50_000),
    )
    yield preset(
        "drift-of-sw",
        "Discussion: does SW drift?",
        "A hundred thousand steps of the free body: SW's energy swings, and no drift is seen.",
        choice("free", "SW NMB", 0.5, 50_000),
    )


# ------------------------------------------------------------------------------------------------- Buss

BUSS = "Buss"
FIGURE_4 = ((0.0001, 100_000), (0.0005, 800_000), (0.001, 400_000), (0.002, 200_000), (0.004, 100_000))
"""The step and the number of steps of each column."""
FIGURE_4_METHODS = {
    "Taylor": "BUSS2 BUSS2-AUG BUSS3 BUSS4",
    "first and false third": "BUSS1 BUSS3-FALSE SW-BUSS(variant=as-run)",
    "splitting and Runge–Kutta": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
}
FIGURE_5 = ((0.004, 1000), (0.008, 500), (0.016, 250), (0.02, 200))
FIGURE_5_METHODS = {
    "Taylor": "BUSS2-AUG BUSS3 BUSS4",
    "others": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
}
ACCURACY = {
    "6": ((0.4, "10⁻³", 37), (0.4, "10⁻⁶", 209), (4.0, "10⁻³", 652)),
    "7": ((4.0, "10⁻⁶", 3700), (40.0, "10⁻³", 11_621), (40.0, "10⁻⁶", 65_631)),
}
"""Of each figure's columns the duration, the accuracy in radians, and the steps that BUSS3+E needs for it."""
FIGURE_4_SAYS = "Energy of the prism after many small steps: it begins at 82.1, and 150 is the most there can be."
FIGURE_5_SAYS = "Energy of the prism after 4 s of large steps, 16 to 81 degrees each: it begins at 82.1."


def buss() -> Iterator[Preset]:
    """The tables of Figures 4 to 7, column by column; their energies are those after one step less."""
    for figure, says, table, columns in (
        ("4", FIGURE_4_SAYS, FIGURE_4_METHODS, FIGURE_4),
        ("5", FIGURE_5_SAYS, FIGURE_5_METHODS, FIGURE_5),
    ):
        for h, steps in columns:
            for i, (which, methods) in enumerate(table.items()):
                yield Preset(
                    f"buss-{figure}-h{h:g}-{i + 1}",
                    BUSS,
                    f"Figure {figure}, h = {h:g}, {which}",
                    says,
                    choice("prism", methods, h, round(h * (steps - 1), 9)),
                )
    for figure, goals in ACCURACY.items():
        for T, accuracy, steps in goals:
            yield Preset(
                f"buss-{figure}-T{T:g}-N{steps}",
                BUSS,
                f"Figure {figure}, T = {T:g}, {accuracy} rad",
                f"In {steps:,} steps the third order with energy correction ends within {accuracy} rad; the fourth "
                "order without it needs more.",
                choice("prism", "BUSS3+E BUSS4 BUSS4+E MR4(axes=231)", T / steps, T),
            )


# ------------------------------------------------------------------------------------------------- the others


def others() -> Iterator[Preset]:
    """Terze and others' scheme, and the comparison of the notes."""
    yield Preset(
        "terze-free",
        "Terze, Müller & Zlatar",
        "Momentum is kept, energy is not",
        "The scheme keeps momentum to roundoff, but energy creeps up by 16 %, to the most that the momentum allows.",
        choice("free", "TERZE DMV", 0.5, 1000),
    )
    yield Preset(
        "terze-top",
        "Terze, Müller & Zlatar",
        "Energy grows on the slow top",
        "The scheme is not reversible: in time 100 the slow top gets three times the energy it had.",
        choice("slow-top", "TERZE NMB", 0.05, 100),
    )
    notes = "Notes on SO(3) integrators"
    yield Preset(
        "magnet",
        notes,
        "The magnet, Δt = 0.25",
        "Forty thousand steps in a field that is singular at two attitudes: energy swings, and should not drift.",
        choice("magnet", "SVQ-TLN VLV LIEMID-EA SW", 0.25, 10_000),
    )
    yield Preset(
        "magnet-short",
        notes,
        "The magnet, the beginning",
        "The same for a short time, to watch the body.",
        choice("magnet", "SVQ-TLN VLV NMB RKMK", 0.25, 100),
    )


PRESETS: tuple[Preset, ...] = (*krysl_endres(), *buss(), *others())

# ------------------------------------------------------------------------------------------------- two bodies

LEE = "Lee, Leok & McClamroch"


def two_bodies() -> Iterator[Preset]:
    """The cases of Lee and others, and what can be seen of their methods."""

    def preset(
        key: str, group: str, title: str, sentence: str, case: str, methods: str, dt: float, T: float, **ends: str
    ) -> Preset:
        setting = Choice(engine.problem(case).label, tuple(methods.split()), dt, T, space="se3")
        return Preset(key, group, title, sentence, setting, ends)

    yield preset(
        "lee-2",
        LEE,
        "Figure 2, the bodies' paths",
        "Two dumbbells tumble around each other; LGVI with the step of the paper.",
        "DB4",
        "LGVI",
        0.002,
        30,
    )
    yield preset(
        "lee-3",
        LEE,
        "Figure 3, h = 0.002",
        "LGVI's energy swings and does not drift; RK2's and the Crouch–Grossman method's go on and on.",
        "DB4",
        "LGVI RK2 LGM SRK",
        0.002,
        30,
    )
    yield preset(
        "lee-3-large",
        LEE,
        "Figure 3, h = 0.016",
        "Eight times the step: RK2's attitudes leave the rotations until it blows up; LGVI's stay to roundoff.",
        "DB4",
        "LGVI RK2 LGM SRK",
        0.016,
        30,
        RK2="diverged",
    )
    yield preset(
        "lee-slow",
        LEE,
        "DB1, a slow tumble",
        "Body 2 does not turn at first, and gravity alone makes it: spin and orbit exchange momentum.",
        "DB1",
        "LGVI RK2 LGM",
        0.002,
        30,
    )
    yield preset(
        "lee-close",
        LEE,
        "DB2, they meet and part",
        "The initial state of the authors' first paper: a close encounter, from which the bodies part for good.",
        "DB2",
        "LGVI RK2 LGM",
        0.002,
        30,
    )
    yield preset(
        "collision",
        "More",
        "Too near to be trusted",
        "DB1 with a step of 0.01 for twice as long: the spheres would touch, and from there on each method goes its "
        "own way; LGVI finds no solution in the end.",
        "DB1",
        "LGVI RK2 LGM",
        0.01,
        60,
        LGVI="no-solution",
    )
    yield preset(
        "lgvi4",
        "More",
        "Order two and four, with the same step",
        "LGVI4 is three steps of LGVI: it keeps the same, and its energy is seventy times nearer.",
        "DB4",
        "LGVI LGVI4",
        0.008,
        30,
    )
    yield preset(
        "rubble", "More", "Two piles of rubble",
        "Forty masses in each body, so that 1600 pairs attract each other and a force takes most of a step's time.",
        "two-bodies", "LGVI RK2", 0.02, 50,
    )  # fmt: skip


OF_TWO_BODIES: tuple[Preset, ...] = tuple(two_bodies())

# ------------------------------------------------------------------------------------------------- at random

CANDIDATES = (
    "NMB", "SW", "AKW", "IMIDM", "SW-C1", "DMV", "VLV", "LIEMID-EA", "PDMV4", "MR2", "MR4", "KB", "TERZE", "CF4",
    "CG3", "RKMK", "BUSS3", "RK4-MATRIX", "RK4-QUAT",
)  # fmt: skip
"""Methods that are worth a look beside each other."""
DEGREES = (2.0, 45.0)
"""Between which angles a step turns the body."""
STEPS = (200, 2000)


def surprise(rng: Random) -> Choice:
    """A body, its motion, methods and a step, none of them out of bounds."""
    problem = rng.choice([p for p in engine.problems() if p.group != "Your own" and p.of_a_body])
    drawn = of_problem(problem.label)
    if problem.key == "free":
        drawn = drawn.with_changes(J=some_moments(rng), Omega0=some_spin(rng, 1.0))
    elif problem.key in ("slow-top", "fast-top", "lagrange-top", "asymmetric-top"):
        tilt, about = rng.uniform(0.1, 1.2), rng.uniform(-math.pi, math.pi)
        R0 = tuple(round(tilt * part, 3) for part in (math.cos(about), math.sin(about), 0.0))
        drawn = drawn.with_changes(R0=R0, Omega0=(0.0, 0.0, round(rng.uniform(2, 20), 1)))
    body = drawn.built()
    if problem.key in ("magnet", "soft-wall"):  # forces that change suddenly decide the step, not the speed
        dt = significant(problem.dt * spread(rng, 0.25, 1.0), 2)
        steps = 400
    else:
        dt = significant(math.radians(spread(rng, *DEGREES)) / max(math.hypot(*body.Omega0), 1.0), 2)
        steps = round(spread(rng, *STEPS))
    fit = [m for m in CANDIDATES if m not in fitting(CANDIDATES, body)]
    methods = tuple(rng.sample(fit, rng.randint(2, 3)))
    return dataclasses.replace(drawn, methods=methods, dt=dt, duration=significant(dt * steps, 2))


def surprise_of_two(rng: Random) -> Choice:
    """Two dumbbells that spin in any direction on a bound orbit, and two or three methods."""
    problem = engine.problem("dumbbells")
    drawn = of_problem(problem.label).with_changes(
        Omega1=some_spin(rng, rng.uniform(0, 15)),
        Omega2=some_spin(rng, rng.uniform(0, 5)),
        V=(0.0, round(rng.uniform(0.75, 1.1), 2), round(rng.uniform(-0.3, 0.3), 2)),
    )
    methods = ("LGVI", *rng.sample(["LGM", "RK2", "SRK", "LGVI4"], rng.randint(1, 2)))
    return dataclasses.replace(
        drawn, methods=methods, dt=rng.choice((0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01))
    )


def some_moments(rng: Random) -> tuple[float, ...]:
    """Moments that a body has: sums of pairs of three positive numbers, in no order."""
    a, b, c = (rng.uniform(0.1, 1.0) for _ in range(3))
    return tuple(round(moment, 3) for moment in (a + b, b + c, c + a))


def some_spin(rng: Random, speed: float) -> tuple[float, ...]:
    """A velocity in any direction."""
    parts = [rng.gauss(0, 1) for _ in range(3)]
    return tuple(round(speed * part / math.hypot(*parts), 3) for part in parts)


def spread(rng: Random, low: float, high: float) -> float:
    """A number between two others, evenly by its logarithm."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def significant(value: float, digits: int) -> float:
    """A number with so many digits, as a person would type it."""
    return float(f"{value:.{digits}g}")
