"""Presets of the papers: the settings of their figures and tables, and what the text says besides."""

from __future__ import annotations

import math
from functools import partial

import engine
from engine.text.evidence import (
    HERE,
    falls,
    keeps,
    loses,
    measures,
    near,
    sentence,
    swings,
    times,
    wanders,
)  # fmt: skip

from ..view import View
from .preset import BODY, ENDS, ORDER, OWN, Preset, choice, of_figure, of_paper, preset

krysl_endres = partial(of_paper, "Krysl & Endres", "krysl-endres-")
buss = partial(of_paper, "Buss", "buss-")
terze = partial(of_paper, "Terze, Müller & Zlatar", "terze-")
notes = partial(of_paper, "Notes on SO(3) integrators", "")
lee = partial(of_paper, "Lee, Leok & McClamroch", "lee-")

# ------------------------------------------------------------------------------------------------- Krysl and Endres


def describe_book_toss(dt: float) -> str:
    """What is seen of SW and NMB with this step."""
    begin = "The book is spun up about its middle axis, kicked at t = 2 and let go. "
    if dt == 0.05:
        return sentence(
            begin
            + "With this step SW's energy [runs away, to {} times] the exact one, though it [keeps] momentum once "
            "released; NMB's is at most [{} times] it.",
            near("largest energy", 1.48, of="SW", over="EXACT"),
            keeps(of="SW", pi="free"),
            near("largest energy", 0.975, of="NMB", over="EXACT"),
        )
    return sentence(
        begin + "With this step the largest energy of SW and of NMB is [within 1.1 %] of the exact one.",
        tuple(times("largest energy", "EXACT", HERE, 0.989, 1.011, of=method) for method in ("SW", "NMB")),
    )


def describe_soft_wall(sign: str, T: float) -> str:
    """What is seen of the four methods after this time."""
    others = ("AKW", "SW", "HSTAGM")
    if sign == "as-printed":
        return sentence(
            "With the sign as printed the pull repels, there is no wall to meet, and NMB ends [nearer than the "
            "others], in attitude and in momentum.",
            tuple(times(what, "NMB", HERE, 1, of=m) for what in ("attitude", "body momentum") for m in others),
        )
    begin = "With the sign that the words describe the body meets the wall; after this time NMB's attitude is "
    if T < 50:
        return sentence(
            begin + "[further off than the others'].",
            tuple(times("attitude", "NMB", HERE, 0, 1, of=m) for m in others),
        )
    return sentence(
        begin + "[nearer than the others'].", tuple(times("attitude", "NMB", HERE, 1, of=m) for m in others)
    )


KRYSL_ENDRES: tuple[Preset, ...] = (
    *(
        krysl_endres(
            f"1-2-dt{dt:g}",
            f"Figures 1 and 2, Δt = {dt:g}",
            of_figure("krysl-endres-figure-1", dt=dt),
            "A free body in large steps: NMB's energy goes up and down by [{} %], and in 200,000 steps it [does "
            "not drift].",
            near("energy range (%)", swing, of="NMB"),
            swings(HERE, of="NMB", steps=200_000),
        )
        for dt, swing in ((4.0, 13.6), (2.0, 4.26), (1.0, 1.14), (0.5, 0.291))
    ),
    krysl_endres(
        "3",
        "Figure 3, Δt = 5",
        of_figure("krysl-endres-figure-3"),
        "NMB and AKW [get through] steps of five; the Moser–Veselov methods have [no solution in the first] of them.",
        (measures("part done", HERE, 1, of="NMB"), measures("part done", HERE, 1, of="AKW")),
        (measures("part done", HERE, 0, 0, of="DMV"), measures("part done", HERE, 0, 0, of="DMV4")),
        ends={"DMV": "no-solution", "DMV4": "no-solution"},
    ),
    *(
        krysl_endres(
            f"4-dt{shown.replace('/', '-')}",
            f"Figure 4, Δt = {shown}",
            of_figure("krysl-endres-figure-4", "NMB AKW SW SW-C1", dt),
            "Attitude of the free body: AKW, whose Cayley map turns too little, ends [{} times] as far from the "
            "exact one as NMB.",
            near("attitude", attitude, of="AKW", over="NMB"),
        )
        for dt, shown, attitude in ((0.5, "1/2", 77.5), (1 / 16, "1/16", 80.7), (1 / 256, "1/256", 80.7))
    ),
    *(
        krysl_endres(
            f"5-dt{shown.replace('/', '-')}",
            f"Figure 5, Δt = {shown}",
            of_figure("krysl-endres-figure-5", "NMB AKW DMV DMV4", dt),
            "Momentum of the free body, seen from it: AKW's is off by [{} times] what NMB's is, DMV's by [more "
            "than 20 times]; DMV4 is of order four there.",
            near("body momentum", 0.49, of="AKW", over="NMB"),
            times("body momentum", "NMB", HERE, 20, of="DMV"),
        )
        for dt, shown in ((0.5, "1/2"), (1 / 16, "1/16"), (1 / 256, "1/256"))
    ),
    krysl_endres(
        "4-5-more",
        "Figures 4 and 5, the others, Δt = 1/256",
        of_figure("krysl-endres-figure-4", "HSTAGM MR2 LS SW-C1"),
        "The staggered, the splitting and the conserving methods on the same free body.",
    ),
    *(
        krysl_endres(
            f"6-7-dt{dt:g}",
            f"Figures 6 and 7, Δt = {dt:g}",
            of_figure("krysl-endres-figure-6", dt=dt),
            describe_book_toss(dt),
            view=View(BODY, axis="Linear"),
        )
        for dt in (0.05, 0.02, 0.001)
    ),
    krysl_endres(
        "6-7-long",
        "Figures 6 and 7, ten times as long",
        of_figure("krysl-endres-figure-6", duration=100),
        "SW's instability goes on, to [{} times] the exact energy at most, and NMB's is still [{} times] it.",
        near("largest energy", 4.21, of="SW", over="EXACT"),
        near("largest energy", 0.975, of="NMB", over="EXACT"),
    ),
    krysl_endres(
        "8-9",
        "Figures 8 and 9, Δt = 0.05",
        of_figure("krysl-endres-figure-8"),
        "Lagrange's top: NMB's energy is off by up to [{} %] [without drift], and π·χ is [kept to roundoff].",
        near("energy (%)", 0.91, of="NMB"),
        swings(HERE, of="NMB", steps=200_000),
        keeps(of="NMB", pi_chi="symmetric tops"),
    ),
    krysl_endres(
        "8-spin",
        "Figure 8, spin 20",
        of_figure("krysl-endres-figure-8", Omega0=(0, 0, 20)),
        "With this spin NMB's energy is [within the half per cent] that the paper tells; with that of Lagrange's "
        "top in Figure 8 it is [not].",
        measures("energy (%)", HERE, 0, 0.5, of="NMB"),
        measures("energy (%)", ("lagrange-top",), 0.5, 1, of="NMB", dt=0.05),
    ),
    *(
        krysl_endres(
            f"crouch-grossman-dt{dt:g}",
            f"Section 3.3, Δt = {dt:g}",
            of_figure("krysl-endres-crouch-grossman", dt=dt),
            "NMB and Crouch–Grossman with the classical tableau on Lagrange's top: the paper finds them alike, "
            "here the latter's attitude ends [{} times] as far off.",
            near("attitude", attitude, of="CG-RK4", over="NMB"),
        )
        for dt, attitude in ((0.05, 40.4), (0.0125, 11.4))
    ),
    *(
        krysl_endres(
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
        for dt, attitude in ((0.005, 72.4), (0.0025, 91.9), (0.00125, 100.6))
    ),
    krysl_endres(
        "11-12",
        "Figures 11 and 12, Δt = 1/640",
        of_figure("krysl-endres-figure-11", "NMB AKW"),
        "The slow top tips over: AKW's attitude ends [{} times] as far off as NMB's, its momentum [{} times].",
        near("attitude", 8.81, of="AKW", over="NMB"),
        near("body momentum", 2.58, of="AKW", over="NMB"),
    ),
    *(
        krysl_endres(
            f"11-12-unstable-dt{dt:g}",
            f"Figures 11 and 12, HSTAGM, Δt = {dt:g}",
            of_figure("krysl-endres-figure-11", "HSTAGM NMB AKW", dt, 40),
            "HSTAGM's two tracks part on the slow top: from [about t = {}] its energy is off by [more than all] "
            "of it.",
            near("time of doubled energy", t, of="HSTAGM"),
            measures("energy", HERE, 1, of="HSTAGM"),
        )
        for dt, t in ((0.1, 11.3), (0.05, 12.95), (0.025, 15.85), (0.0125, 19.9))
    ),
    *(
        krysl_endres(
            f"13-{sign}-T{T}",
            f"Figure 13, {sign}, T = {T}",
            of_figure("krysl-endres-figure-13", duration=T, problem=f"soft-wall(sign={sign})"),
            describe_soft_wall(sign, T),
        )
        for sign, durations in (("as-printed", (10, 20, 50, 100)), ("physical", (10, 20, 50)))
        for T in durations
    ),
    krysl_endres(
        "drift-of-sw",
        "Discussion: does SW drift?",
        of_figure("krysl-endres-drift-of-sw"),
        "[A hundred thousand steps] of the free body: SW's energy [swings, and no drift is seen].",
        near("steps", 100_000, of="SW"),
        swings(HERE, of="SW"),
    ),
)

# ------------------------------------------------------------------------------------------------- Buss

METHODS = {
    "4": {
        "Taylor": "BUSS2 BUSS2-AUG BUSS3 BUSS4",
        "first and false third": "BUSS1 BUSS3-FALSE SW-BUSS(variant=as-run)",
        "splitting and Runge–Kutta": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
    },
    "5": {
        "Taylor": "BUSS2-AUG BUSS3 BUSS4",
        "others": "MR2(axes=123) MR2(axes=231) RK4-AVG(mean=vector) ABAM(variant=as-run)",
    },
}
"""The methods of Figures 4 and 5, as many as the lab compares at once."""
COLUMNS = {
    "4": ((0.0001, 100_000), (0.0005, 800_000), (0.001, 400_000), (0.002, 200_000), (0.004, 100_000)),
    "5": ((0.004, 1000), (0.008, 500), (0.016, 250), (0.02, 200)),
}
"""Steps and their numbers in Figures 4 and 5; the printed energies are those one step earlier."""
GOALS = (
    ("6", 0.4, 1e-3, 37), ("6", 0.4, 1e-6, 209), ("6", 4.0, 1e-3, 652),
    ("7", 4.0, 1e-6, 3700), ("7", 40.0, 1e-3, 11_621), ("7", 40.0, 1e-6, 65_631),
)  # fmt: skip
"""Figure, duration, accuracy, and the number of steps of BUSS3 with energy correction that reach it."""
WRITTEN = {1e-3: "10⁻³", 1e-6: "10⁻⁶"}


def describe_energies(figure: str, h: float) -> str:
    """What the energies of the prism are to be compared with."""
    if figure == "4":
        return sentence(
            "Energy of the prism after many small steps: it begins at [{}], and [{}] is the most there can be.",
            near("first energy", 82.1, of="BUSS4"),
            near("most energy", 150, of="BUSS4"),
        )
    return sentence(
        "Energy of the prism after 4 s of large steps, [{} degrees] each at first: it begins at [{}].",
        near("degrees of a step", round(math.degrees(h * PRISM_SPEED), 1), of="BUSS4"),
        near("first energy", 82.1, of="BUSS4"),
    )


PRISM_SPEED = math.hypot(*engine.problem("prism", engine.Problem).Omega0)


BUSS: tuple[Preset, ...] = (
    *(
        buss(
            f"{figure}-h{h:g}-{i}",
            f"Figure {figure}, h = {h:g}, {which}",
            of_figure(f"buss-figure-{figure}", methods, h, round(h * (steps - 1), 9)),
            describe_energies(figure, h),
        )
        for figure, columns in COLUMNS.items()
        for h, steps in columns
        for i, (which, methods) in enumerate(METHODS[figure].items(), 1)
    ),
    *(
        buss(
            f"{figure}-T{T:g}-N{steps}",
            f"Figure {figure}, T = {T:g}, {WRITTEN[accuracy]} rad",
            of_figure(f"buss-figure-{figure}", dt=T / steps, duration=T),
            f"In [{steps:,} steps] BUSS3 with energy correction and MR4 "
            f"[end within {WRITTEN[accuracy]} rad]; BUSS4, with and without it, [does not].",
            near("steps", steps, of="BUSS4"),
            tuple(measures("attitude", HERE, 0, accuracy, of=m) for m in ("BUSS3+E", "MR4(axes=231)")),
            tuple(measures("attitude", HERE, accuracy, of=m) for m in ("BUSS4", "BUSS4+E")),
        )
        for figure, T, accuracy, steps in GOALS
    ),
)

# ------------------------------------------------------------------------------------------------- the others

OTHERS: tuple[Preset, ...] = (
    terze(
        "free",
        "Momentum is kept, energy is not",
        choice("free", "TERZE DMV", 0.5, 1000),
        "The scheme [keeps momentum to roundoff], but energy [creeps up by {} %], to [the most] that the "
        "momentum allows.",
        keeps(of="TERZE", pi="free"),
        near("energy range (%)", 16.1, of="TERZE"),
        measures("part of the most energy", HERE, 0.99, 1.01, of="TERZE"),
    ),
    terze(
        "top",
        "Energy grows on the slow top",
        of_figure("terze-energy"),
        "The scheme is not reversible: by t = 100 the slow top has [{} times] the energy that it had.",
        near("energy at the end", 3.16, of="TERZE"),
    ),
    notes(
        "magnet",
        "The magnet, Δt = 0.25",
        of_figure("notes-magnet", "SVQ-TLN VLV LIEMID-EA SW"),
        "[Forty thousand steps] in a field that is singular at two attitudes: the energy of VLV, which is "
        "symplectic, [swings without drift], and that of SVQ-TLN and SW [wanders].",
        near("steps", 40_000, of="VLV"),
        swings(HERE, of="VLV"),
        (wanders(HERE, of="SVQ-TLN"), wanders(HERE, of="SW")),
    ),
    notes(
        "magnet-short",
        "The magnet, the beginning",
        of_figure("notes-magnet", "SVQ-TLN VLV NMB RKMK", duration=100),
        "The same for a short time, to watch the body.",
    ),
)

LEE_LEOK_MCCLAMROCH: tuple[Preset, ...] = (
    lee(
        "2",
        "Figure 2, the bodies' paths",
        of_figure("lee-figure-2"),
        "Two dumbbells tumble around each other; LGVI with the step of the paper.",
    ),
    lee(
        "3",
        "Figure 3, h = 0.002",
        of_figure("lee-figure-3", "LGVI RK2 LGM SRK"),
        "LGVI's energy [swings and does not drift], nor does SRK's; RK2's and the Crouch–Grossman method's [fall].",
        (*swings(HERE, of="LGVI"), *swings(HERE, of="SRK")),
        (falls(HERE, of="RK2"), falls(HERE, of="LGM")),
    ),
    lee(
        "3-large",
        "Figure 3, h = 0.016",
        of_figure("lee-figure-3", "LGVI RK2 LGM SRK", 0.016),
        "[Eight times the step]: RK2's attitudes [leave the rotations until it blows up]; LGVI's [stay to roundoff].",
        near("step over the problem's own", 8, of="RK2"),
        (loses("orthogonality", of="RK2"), measures("part done", HERE, 0, 0.9, of="RK2")),
        measures("orthogonality", HERE, 0, 1e-12, of="LGVI"),
        ends={"RK2": "diverged"},
    ),
    lee(
        "slow",
        "DB1, a slow tumble",
        choice("DB1", "LGVI RK2 LGM", 0.002, 30),
        "At first body 2 does not turn, and gravity alone makes it: spin and orbit exchange momentum.",
    ),
    lee(
        "close",
        "DB2, they meet and part",
        choice("DB2", "LGVI RK2 LGM", 0.002, 30),
        "The initial state of the authors' first paper: a close encounter, from which the bodies part for good. "
        "It is soon over: the largest error of LGVI's energy is [{} times] RK2's, and [{} times] the "
        "Crouch–Grossman method's.",
        near("energy", 1.22, of="LGVI", over="RK2"),
        near("energy", 1.88, of="LGVI", over="LGM"),
    ),
    preset(
        "collision",
        ENDS,
        "Too near to be trusted",
        choice("DB1", "LGVI RK2 LGM", 0.01, 60),
        "DB1 with a step of 0.01 to t = 60: the spheres would touch, and from there on each method goes its own "
        "way; LGVI [finds no solution] in the end.",
        measures("part done", HERE, 0.5, 0.999, of="LGVI"),
        ends={"LGVI": "no-solution"},
    ),
    preset(
        "lgvi4",
        ORDER,
        "Order two and four, with the same step",
        choice("DB4", "LGVI LGVI4", 0.008, 30),
        "LGVI4 is three steps of LGVI: it [keeps the same], and LGVI's energy is off [{} times] as far.",
        keeps(of="LGVI4", linear_momentum="always", angular_momentum="always", orthogonality="always"),
        near("energy", 70.5, of="LGVI", over="LGVI4"),
    ),
    preset(
        "rubble",
        OWN,
        "Two piles of rubble",
        choice("two-bodies", "LGVI RK2", 0.02, 50),
        "[Forty masses] in each body, so that a force is the sum over [1600 pairs].",
        near("masses of a body", 40, of="RK2"),
        near("pairs of masses", 1600, of="RK2"),
    ),
)
