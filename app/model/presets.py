"""Settings to begin with: those of the sources' figures, and one that is drawn at random."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import partial
from random import Random

import engine
from engine.papers.buss import FIGURE_4_STEPS, FIGURE_5_STEPS, FIGURE_6, FIGURE_6_GOALS, FIGURE_7, FIGURE_7_GOALS
from engine.papers.krysl_endres import FREE_STEPS
from engine.told import (
    HERE,
    Defined,
    declares,
    falls,
    keeps,
    loses,
    measured,
    near,
    swings,
    times,
    told,
    wanders,
)  # fmt: skip

from .preset import (
    BODY,
    ENDS,
    ENGINES,
    ORDER,
    OWN,
    PAPERS,
    PARTICLES,
    Preset,
    choice,
    in_groups,
    of_figure,
    of_paper,
    preset,
)
from .session import Choice, fitting, of_problem
from .teaching import teaching
from .view import View

# ------------------------------------------------------------------------------------------------- Krysl and Endres

KRYSL_ENDRES = "Krysl & Endres"


def krysl_endres() -> Iterator[Preset]:
    """Figures 1 to 13, and what the text says besides."""

    of_this = partial(of_paper, KRYSL_ENDRES, "krysl-endres")

    for dt, swing in zip(FREE_STEPS, (13.6, 4.26, 1.14, 0.291), strict=True):
        yield of_this(
            f"1-2-dt{dt:g}",
            f"Figures 1 and 2, Δt = {dt:g}",
            of_figure("krysl-endres-figure-1", dt=dt),
            "A free body in large steps: NMB's energy goes up and down by [{} %], and in 200,000 steps it [does "
            "not drift].",
            near("energy range (%)", swing, of="NMB"),
            swings(HERE, of="NMB", steps=200_000),
        )
    yield of_this(
        "3",
        "Figure 3, Δt = 5",
        of_figure("krysl-endres-figure-3"),
        "NMB and AKW [get through] steps of five; the Moser–Veselov methods have [no solution in the first] of them.",
        (measured("part done", HERE, 1, of="NMB"), measured("part done", HERE, 1, of="AKW")),
        (measured("part done", HERE, 0, 0, of="DMV"), measured("part done", HERE, 0, 0, of="DMV4")),
        DMV="no-solution",
        DMV4="no-solution",
    )
    for dt, attitude in ((0.5, 77.5), (1 / 16, 80.7), (1 / 256, 80.7)):
        shown = f"1/{1 / dt:.0f}" if dt < 1 else f"{dt:g}"
        yield of_this(
            f"4-dt{shown.replace('/', '-')}",
            f"Figure 4, Δt = {shown}",
            of_figure("krysl-endres-figure-4", "NMB AKW SW SW-C1", dt),
            "Attitude of the free body: AKW, whose Cayley map turns too little, ends [{} times] as far from the "
            "exact one as NMB.",
            near("attitude", attitude, of="AKW", over="NMB"),
        )
        yield of_this(
            f"5-dt{shown.replace('/', '-')}",
            f"Figure 5, Δt = {shown}",
            of_figure("krysl-endres-figure-5", "NMB AKW DMV DMV4", dt),
            "Momentum of the free body, seen from it: AKW's is off by [{} times] what NMB's is, DMV's by [more "
            "than 20 times]; DMV4 is of order four there.",
            near("body momentum", 0.49, of="AKW", over="NMB"),
            times("body momentum", "NMB", HERE, 20, of="DMV"),
        )
    yield of_this(
        "4-5-more",
        "Figures 4 and 5, the others, Δt = 1/256",
        of_figure("krysl-endres-figure-4", "HSTAGM MR2 LS SW-C1"),
        "The staggered, the splitting and the conserving methods on the same free body.",
    )
    for dt in (0.05, 0.02, 0.001):
        yield of_this(
            f"6-7-dt{dt:g}",
            f"Figures 6 and 7, Δt = {dt:g}",
            of_figure("krysl-endres-figure-6", dt=dt),
            book_toss(dt),
            view=View(BODY, axis="Linear"),
        )
    yield of_this(
        "6-7-long",
        "Figures 6 and 7, ten times as long",
        of_figure("krysl-endres-figure-6", duration=100),
        "SW's instability goes on, to [{} times] the exact energy at most, and NMB's is still [{} times] it.",
        near("largest energy", 4.21, of="SW", over="EXACT"),
        near("largest energy", 0.975, of="NMB", over="EXACT"),
    )
    yield of_this(
        "8-9",
        "Figures 8 and 9, Δt = 0.05",
        of_figure("krysl-endres-figure-8"),
        "Lagrange's top: NMB's energy is off by up to [{} %] [without drift], and π·χ is [kept to roundoff].",
        near("energy (%)", 0.91, of="NMB"),
        swings(HERE, of="NMB", steps=200_000),
        keeps(of="NMB", pi_chi="symmetric tops"),
    )
    yield of_this(
        "8-spin",
        "Figure 8, spin 20",
        of_figure("krysl-endres-figure-8", Omega0=(0, 0, 20)),
        "With this spin NMB's energy is [within the half per cent] that the paper tells; with that of Lagrange's "
        "top in Figure 8 it is [not].",
        measured("energy (%)", HERE, 0, 0.5, of="NMB"),
        measured("energy (%)", ("lagrange-top",), 0.5, 1, of="NMB", dt=0.05),
    )
    for dt, attitude in ((0.05, 40.4), (0.0125, 11.4)):
        yield of_this(
            f"crouch-grossman-dt{dt:g}",
            f"Section 3.3, Δt = {dt:g}",
            of_figure("krysl-endres-crouch-grossman", dt=dt),
            "NMB and Crouch–Grossman with the classical tableau on Lagrange's top: the paper finds them alike, "
            "here the latter's attitude ends [{} times] as far off.",
            near("attitude", attitude, of="CG-RK4", over="NMB"),
        )
    for dt, attitude in ((0.005, 72.4), (0.0025, 91.9), (0.00125, 100.6)):
        yield of_this(
            f"10-dt{dt:g}",
            f"Figure 10, Δt = {dt:g}",
            of_figure("krysl-endres-figure-10", "SW HSTAGM NMB AKW", dt),
            "The fast top: SW and HSTAGM end [almost alike, with errors within 5 %], and AKW's attitude is off "
            "[{} times] as far as NMB's.",
            (
                times("attitude", "HSTAGM", HERE, 0.95, 1.05, of="SW"),
                times("body momentum", "HSTAGM", HERE, 0.95, 1.05, of="SW"),
            ),
            near("attitude", attitude, of="AKW", over="NMB"),
        )
    yield of_this(
        "11-12",
        "Figures 11 and 12, Δt = 1/640",
        of_figure("krysl-endres-figure-11", "NMB AKW"),
        "The slow top tips over: AKW's attitude ends [{} times] as far off as NMB's, its momentum [{} times].",
        near("attitude", 8.81, of="AKW", over="NMB"),
        near("body momentum", 2.58, of="AKW", over="NMB"),
    )
    for dt, t in ((0.1, 11.3), (0.05, 12.95), (0.025, 15.85), (0.0125, 19.9)):
        yield of_this(
            f"11-12-unstable-dt{dt:g}",
            f"Figures 11 and 12, HSTAGM, Δt = {dt:g}",
            of_figure("krysl-endres-figure-11", "HSTAGM NMB AKW", dt, 40),
            "HSTAGM's two tracks part on the slow top: from [about t = {}] its energy is off by [more than all] "
            "of it.",
            near("time of doubled energy", t, of="HSTAGM"),
            measured("energy", HERE, 1, of="HSTAGM"),
        )
    for sign, durations in (("as-printed", (10, 20, 50, 100)), ("physical", (10, 20, 50))):
        for T in durations:
            yield of_this(
                f"13-{sign}-T{T}",
                f"Figure 13, {sign}, T = {T}",
                of_figure("krysl-endres-figure-13", duration=T, problem=f"soft-wall(sign={sign})"),
                soft_wall(sign, T),
            )
    yield of_this(
        "drift-of-sw",
        "Discussion: does SW drift?",
        of_figure("krysl-endres-drift-of-sw"),
        "[A hundred thousand steps] of the free body: SW's energy [swings, and no drift is seen].",
        Defined("the duration by Δt"),
        swings(HERE, of="SW"),
    )


def book_toss(dt: float) -> str:
    """What is seen of SW and NMB with this step."""
    begin = "The book is spun up about its middle axis, kicked at t = 2 and let go. "
    if dt == 0.05:
        return told(
            begin
            + "With this step SW's energy [runs away, to {} times] the exact one, though it [keeps] momentum once "
            "released; NMB's is at most [{} times] it.",
            near("largest energy", 1.48, of="SW", over="EXACT"),
            keeps(of="SW", pi="free"),
            near("largest energy", 0.975, of="NMB", over="EXACT"),
        )
    return told(
        begin + "With this step the largest energy of SW and of NMB is [within 1.1 %] of the exact one.",
        tuple(times("largest energy", "EXACT", HERE, 0.989, 1.011, of=method) for method in ("SW", "NMB")),
    )


def soft_wall(sign: str, T: float) -> str:
    """What is seen of the four methods after this time."""
    others = ("AKW", "SW", "HSTAGM")
    if sign == "as-printed":
        return told(
            "With the sign as printed the pull repels, there is no wall to meet, and NMB ends [nearer than the "
            "others], in attitude and in momentum.",
            tuple(times(what, "NMB", HERE, 1, of=m) for what in ("attitude", "body momentum") for m in others),
        )
    begin = "With the sign that the words describe the body meets the wall; after this time NMB's attitude is "
    if T < 50:
        return told(
            begin + "[further off than the others'].",
            tuple(times("attitude", "NMB", HERE, 0, 1, of=m) for m in others),
        )
    return told(begin + "[nearer than the others'].", tuple(times("attitude", "NMB", HERE, 1, of=m) for m in others))


# ------------------------------------------------------------------------------------------------- Buss

BUSS = "Buss"
FIGURE_4_METHODS = {
    "Taylor": "BUSS2 BUSS2-AUG BUSS3 BUSS4",
    "first and false third": "BUSS1 BUSS3-FALSE SW-BUSS(variant=as-run)",
    "splitting and Runge–Kutta": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
}
FIGURE_5_METHODS = {
    "Taylor": "BUSS2-AUG BUSS3 BUSS4",
    "others": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
}
WRITTEN = {1e-3: "10⁻³", 1e-6: "10⁻⁶"}


def energy_table(figure: str, h: float) -> str:
    """What the energies of the prism are to be compared with."""
    if figure == "4":
        return told(
            "Energy of the prism after many small steps: it begins at [{}], and [{}] is the most there can be.",
            near("first energy", 82.1, of="BUSS4"),
            near("most energy", 150, of="BUSS4"),
        )
    return told(
        "Energy of the prism after 4 s of large steps, [{} degrees] each at first: it begins at [{}].",
        near("degrees of a step", round(math.degrees(h * PRISM_SPEED), 1), of="BUSS4"),
        near("first energy", 82.1, of="BUSS4"),
    )


PRISM_SPEED = math.hypot(*engine.problem("prism").Omega0)


def buss() -> Iterator[Preset]:
    """The tables of Figures 4 to 7, column by column; their energies are those after one step less."""
    of_this = partial(of_paper, BUSS, "buss")
    for figure, table, columns in (("4", FIGURE_4_METHODS, FIGURE_4_STEPS), ("5", FIGURE_5_METHODS, FIGURE_5_STEPS)):
        for h, steps in columns:
            for i, (which, methods) in enumerate(table.items()):
                yield of_this(
                    f"{figure}-h{h:g}-{i + 1}",
                    f"Figure {figure}, h = {h:g}, {which}",
                    of_figure(f"buss-figure-{figure}", methods, h, round(h * (steps - 1), 9)),
                    energy_table(figure, h),
                )
    for figure, goals, rows in (("6", FIGURE_6_GOALS, FIGURE_6), ("7", FIGURE_7_GOALS, FIGURE_7)):
        needed = [n for n in rows["BUSS3+E"] if n is not None]
        for (T, accuracy, _), steps in zip(goals, needed, strict=True):
            yield of_this(
                f"{figure}-T{T:g}-N{steps}",
                f"Figure {figure}, T = {T:g}, {WRITTEN[accuracy]} rad",
                of_figure(f"buss-figure-{figure}", dt=T / steps, duration=T),
                f"In [{steps:,} steps] BUSS3 with energy correction and MR4 "
                f"[end within {WRITTEN[accuracy]} rad]; BUSS4, with and without it, [does not].",
                Defined("the duration by Δt"),
                tuple(measured("attitude", HERE, 0, accuracy, of=m) for m in ("BUSS3+E", "MR4(axes=231)")),
                tuple(measured("attitude", HERE, accuracy, of=m) for m in ("BUSS4", "BUSS4+E")),
            )


# ------------------------------------------------------------------------------------------------- the others


def others() -> Iterator[Preset]:
    """Terze and others' scheme, and the comparison of the notes."""
    terze = "Terze, Müller & Zlatar"
    yield of_paper(
        terze,
        "terze",
        "free",
        "Momentum is kept, energy is not",
        choice("free", "TERZE DMV", 0.5, 1000),
        "The scheme [keeps momentum to roundoff], but energy [creeps up by {} %], to [the most] that the "
        "momentum allows.",
        keeps(of="TERZE", pi="free"),
        near("energy range (%)", 16.1, of="TERZE"),
        measured("part of the most energy", HERE, 0.99, 1.01, of="TERZE"),
    )
    yield of_paper(
        terze,
        "terze",
        "top",
        "Energy grows on the slow top",
        of_figure("terze-energy"),
        "The scheme is not reversible: by t = 100 the slow top has [{} times] the energy that it had.",
        near("energy at the end", 3.16, of="TERZE"),
    )
    notes = "Notes on SO(3) integrators"
    yield preset(
        "magnet",
        PAPERS,
        "The magnet, Δt = 0.25",
        of_figure("notes-magnet", "SVQ-TLN VLV LIEMID-EA SW"),
        "[Forty thousand steps] in a field that is singular at two attitudes: the energy of VLV, which is "
        "symplectic, [swings without drift], and that of SVQ-TLN and SW [wanders].",
        Defined("the duration by Δt"),
        swings(HERE, of="VLV"),
        (wanders(HERE, of="SVQ-TLN"), wanders(HERE, of="SW")),
        paper=notes,
    )
    yield preset(
        "magnet-short",
        PAPERS,
        "The magnet, the beginning",
        of_figure("notes-magnet", "SVQ-TLN VLV NMB RKMK", duration=100),
        "The same for a short time, to watch the body.",
        paper=notes,
    )


ABOUT_THE_MIDDLE_AXIS = {"J": (1.0, 2.8, 2.0), "Omega0": (0.01, 0.01, 3.0)}
ABOUT_THE_GREATEST_AXIS = {"J": (1.0, 2.0, 2.8), "Omega0": (0.5, 0.5, 3.0)}


def physics_engines() -> Iterator[Preset]:
    """The steps of physics engines on free bodies, 60 in a second."""
    group = ENGINES
    yield preset(
        "engines-energy",
        group,
        "Where the energy goes in 100 s at 60 Hz",
        of_figure("bepu-modes", "NEWTON-1(map=clamped) LINEAR-EULER RESTORED CARRIED"),
        "At the end a free body has [{}] of its energy with Bullet's step, and [{}] with ODE's; with Jolt's, "
        "without its damping, it has [that of a spin about the middle axis], and with Bepu's, which carries the "
        "momentum, [the most] that the momentum allows.",
        near("energy at the end", 0.492, of="NEWTON-1(map=clamped)"),
        near("energy at the end", 0.876, of="LINEAR-EULER"),
        measured("of the middle energy", HERE, 0.99, 1.01, of="RESTORED"),
        measured("part of the most energy", HERE, 0.99, 1.01, of="CARRIED"),
        view=View(axis="Linear"),
    )
    yield preset(
        "engines-turn-over",
        group,
        "Thrown about the middle axis, at 60 Hz",
        choice(
            "custom", "SEMI-EULER(gyroscopic=off) NEWTON-1(map=clamped) MIDPOINT-HELD", 1 / 60, 60,
            **ABOUT_THE_MIDDLE_AXIS,
        ),
        "The body has to turn over, again and again. Without the gyroscopic term, as Godot and others have it, it "
        "[never does]; MuJoCo's midpoint rule [turns it over], and so does Bullet's step, which [loses energy].",
        measured("least R₃₃", HERE, 0.99, 1.0, of="SEMI-EULER(gyroscopic=off)"),
        measured("least R₃₃", HERE, -1.0, -0.99, of="MIDPOINT-HELD"),
        (
            measured("least R₃₃", HERE, -1.0, -0.95, of="NEWTON-1(map=clamped)"),
            measured("energy at the end", HERE, 0.0, 0.8, of="NEWTON-1(map=clamped)"),
        ),
        view=View(BODY, plots="Motion"),
    )  # fmt: skip
    yield preset(
        "engines-unstable",
        group,
        "Spun about its stable axis, it ends on the unstable one",
        choice("custom", "RESTORED MR2", 1 / 60, 100, **ABOUT_THE_GREATEST_AXIS),
        "A block is spun nearly about its axis of greatest inertia, and should go on so. With Jolt's step, without "
        "its damping, its energy comes to that of a spin about [the middle axis], which is unstable; MR2's [swings "
        "without drift].",
        measured("of the middle energy", HERE, 0.99, 1.01, of="RESTORED"),
        swings(HERE, of="MR2"),
        view=View(BODY, axis="Linear"),
        words="axis of middle inertia gains energy",
    )
    yield preset(
        "engines-rk4",
        group,
        "RK4 is not of fourth order",
        of_figure("mujoco-rk4", duration=20),
        "MuJoCo's RK4 turns the body by the mean of four velocities, which belong to four frames: the attitude is "
        "[of second order], and after 20 s [{} times] as far off as that of RKMK, which brings them to one frame.",
        declares(of="RK-MEAN", order=(2, 2), free_order=(2, 4)),
        near("attitude", 1730, of="RK-MEAN", over="RKMK"),
        view=View(plots="Attitude"),
    )


def particle_codes() -> Iterator[Preset]:
    """The steps of codes of molecular dynamics and for granular matter on the same body."""
    group = PARTICLES
    yield preset(
        "particles-fincham",
        group,
        "One leapfrog in two attitudes",
        of_figure("yade-fincham"),
        "Fincham's leapfrog takes the velocity half way in the attitude half way, and after 100 s the energy is [{} "
        "times] the first. Yade, as its file and its documentation have it, takes it in the attitude at the start: "
        "the energy goes to [the most] that the momentum allows.",
        near("energy at the end", 1.001, of="FINCHAM"),
        measured("part of the most energy", HERE, 0.99, 1.01, of="FINCHAM(attitude=start, middle=as-is)"),
    )
    yield preset(
        "particles-energy",
        group,
        "What a free grain has left after 100 s",
        of_figure("mercurydpm-clumps", "HALVES(half=euler) HALVES SPIRAL RICHARDSON"),
        "PFC takes the velocity's rate at the end of each half of a step, and [{}] of the energy is left; with the "
        "midpoint rule of Walton and Braun in its place energy is [kept]. Yade's SPIRAL [loses] a little of it, and "
        "LAMMPS's Richardson iteration [gains] a little.",
        near("energy at the end", 0.58, of="HALVES(half=euler)"),
        keeps(of="HALVES", energy="free"),
        measured("energy at the end", HERE, 0.9998, 0.99999, of="SPIRAL"),
        measured("energy at the end", HERE, 1.0005, 1.002, of="RICHARDSON"),
    )
    yield preset(
        "particles-spiral",
        group,
        "A third order that the attitude does not have",
        of_figure("spiral-order", duration=20),
        "SPIRAL's velocity takes a Runge–Kutta step, and its attitude turns by the velocity half way: a free body's "
        "velocity is [of third order, its attitude of second]. RKMK brings the velocities of its stages to one "
        "frame: with a tableau of three stages both are [of third order], for [three torques a step].",
        declares(of="SPIRAL", free_order=(2, 3)),
        declares(of="RKMK(tableau=kutta3)", order=(3, 3)),
        declares(of="RKMK(tableau=kutta3)", torque_evaluations=3),
    )


PRESETS: tuple[Preset, ...] = in_groups(
    *teaching(), *krysl_endres(), *buss(), *others(), *physics_engines(), *particle_codes()
)

# ------------------------------------------------------------------------------------------------- two bodies

LEE = "Lee, Leok & McClamroch"


def two_bodies() -> Iterator[Preset]:
    """The cases of Lee and others, and what can be seen of their methods."""

    of_this = partial(of_paper, LEE, "lee")
    yield of_this(
        "2",
        "Figure 2, the bodies' paths",
        of_figure("lee-figure-2"),
        "Two dumbbells tumble around each other; LGVI with the step of the paper.",
    )
    yield of_this(
        "3",
        "Figure 3, h = 0.002",
        of_figure("lee-figure-3", "LGVI RK2 LGM SRK"),
        "LGVI's energy [swings and does not drift], nor does SRK's; RK2's and the Crouch–Grossman method's [fall].",
        (*swings(HERE, of="LGVI"), *swings(HERE, of="SRK")),
        (falls(HERE, of="RK2"), falls(HERE, of="LGM")),
    )
    yield of_this(
        "3-large",
        "Figure 3, h = 0.016",
        of_figure("lee-figure-3", "LGVI RK2 LGM SRK", 0.016),
        "[Eight times the step]: RK2's attitudes [leave the rotations until it blows up]; LGVI's [stay to roundoff].",
        Defined("0.016 / 0.002"),
        (loses("orthogonality", of="RK2"), measured("part done", HERE, 0, 0.9, of="RK2")),
        measured("orthogonality", HERE, 0, 1e-12, of="LGVI"),
        RK2="diverged",
    )
    yield of_this(
        "slow",
        "DB1, a slow tumble",
        choice("DB1", "LGVI RK2 LGM", 0.002, 30),
        "At first body 2 does not turn, and gravity alone makes it: spin and orbit exchange momentum.",
    )
    yield of_this(
        "close",
        "DB2, they meet and part",
        choice("DB2", "LGVI RK2 LGM", 0.002, 30),
        "The initial state of the authors' first paper: a close encounter, from which the bodies part for good. "
        "It is soon over: the largest error of LGVI's energy is [{} times] RK2's, and [{} times] the "
        "Crouch–Grossman method's.",
        near("energy", 1.22, of="LGVI", over="RK2"),
        near("energy", 1.88, of="LGVI", over="LGM"),
    )
    yield preset(
        "collision",
        ENDS,
        "Too near to be trusted",
        choice("DB1", "LGVI RK2 LGM", 0.01, 60),
        "DB1 with a step of 0.01 to t = 60: the spheres would touch, and from there on each method goes its own "
        "way; LGVI [finds no solution] in the end.",
        measured("part done", HERE, 0.5, 0.999, of="LGVI"),
        LGVI="no-solution",
    )
    yield preset(
        "lgvi4",
        ORDER,
        "Order two and four, with the same step",
        choice("DB4", "LGVI LGVI4", 0.008, 30),
        "LGVI4 is three steps of LGVI: it [keeps the same], and LGVI's energy is off [{} times] as far.",
        keeps(of="LGVI4", linear_momentum="always", angular_momentum="always", orthogonality="always"),
        near("energy", 70.5, of="LGVI", over="LGVI4"),
    )
    yield preset(
        "rubble", OWN, "Two piles of rubble",
        choice("two-bodies", "LGVI RK2", 0.02, 50),
        "[Forty masses] in each body, so that a force is the sum over [1600 pairs].",
        Defined("the lengths of the problem's lists of masses"),
        Defined("40 · 40"),
    )  # fmt: skip


OF_TWO_BODIES: tuple[Preset, ...] = in_groups(*two_bodies())

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
