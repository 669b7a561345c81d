"""Presets that show one thing each, as a teacher thinks: what flips, what stands, what a method gets wrong."""

from __future__ import annotations

from engine.text.evidence import (
    HERE,
    declares,
    integral_drifts,
    integral_swings,
    keeps,
    measures,
    near,
    swings,
    times,
    wanders,
)

from ..view import View
from .preset import (
    AXES,
    BODY,
    ENDS,
    INTEGRALS,
    ORDER,
    OWN,
    RACKET,
    SPHERE,
    SYMPLECTIC,
    TOPS,
    Preset,
    choice,
    of_figure,
    preset,
)

OF_A_RACKET = {"J": (0.00121, 0.01638, 0.01748)}
"""Moments of a tennis racket in kg m²: about its handle, about the axis across it, and out of the strings."""
OF_A_HANDLE = {"J": (0.031724, 0.065801, 0.092961)}
"""Moments of a T-handle."""
TURNING = View(BODY, plots="Motion")
FLIPS = "flip flips Dzhanibekov tennis racket effect intermediate axis theorem"


AROUND = "stable: Π goes around it, at most [{} degrees] from where it began"
ACROSS = "unstable: Π leaves it and comes to the other side, [{} degrees] from where it began"
UPRIGHT = {"R0": (0.01, 0.0, 0.0)}
"""A top that stands nearly upright."""

TEACHING: tuple[Preset, ...] = (
    # What turns over when it spins about its middle axis
    preset(
        "racket",
        RACKET,
        "Throw a racket, and it turns over",
        choice("custom", "MR4", 0.01, 20, **OF_A_RACKET, Omega0=(0.05, 6, 0)),
        "A racket that is thrown to spin about the axis across its handle: in the air it turns over, first after "
        "[{} s], and [nearly all the way]. Watch Ω₂, which changes its sign.",
        near("first flip", 1.15, of="MR4"),
        measures("turn of Π", HERE, 175, 180, of="MR4"),
        view=View(BODY, plots="Motion", speed="1/2", shape="racket", camera=(-0.9, 0.2, 1.05)),
        words=FLIPS,
    ),
    preset(
        "racket-nut",
        RACKET,
        "The handle that tumbles in space",
        choice("custom", "MR4", 0.02, 30, **OF_A_HANDLE, Omega0=(0.01, 3, 0)),
        "A T-handle, as astronauts let go of one: it spins steadily for a while, turns over at [t = {}], and again. "
        "No torque does that: its momentum [stays where it is].",
        near("first flip", 4.19, of="MR4"),
        keeps(of="MR4", pi="free"),
        view=View(BODY, plots="Motion", shape="T-handle", camera=(-0.9, 0.2, 1.05)),
        words=f"{FLIPS} wing nut astronaut",
    ),
    preset(
        "racket-off",
        RACKET,
        "Spun nearly about the middle axis",
        choice("custom", "MR4", 0.02, 60, Omega0=(1e-2, 2, 0)),
        "Set spinning a little off its middle axis, the body turns over first at [t = {}], and then again and again.",
        near("first flip", 5.79, of="MR4"),
        view=TURNING,
        words=FLIPS,
    ),
    preset(
        "racket-near",
        RACKET,
        "Spun nearer to it: the flip comes later",
        choice("custom", "MR4", 0.02, 60, Omega0=(1e-6, 2, 0)),
        "The same body with Ω₁ = 10⁻⁶ in place of 10⁻²: it turns over nevertheless, first at "
        "[t = {}]. Care puts the flip off, and does not prevent it.",
        near("first flip", 13.765, of="MR4"),
        view=TURNING,
        words=FLIPS,
    ),
    preset(
        "racket-late",
        RACKET,
        "Kept to the last digit, and flipped at another time",
        choice("custom", "MR4 AKW", 0.2, 60, Omega0=(0.01, 2, 0)),
        "AKW [keeps energy and momentum to roundoff], and turns over as it should, but not when it should: at the "
        "end its attitude is off by [{} rad], and MR4's [by less than a hundredth of that].",
        keeps(of="AKW", energy="tops", pi="free"),
        near("attitude", 1.78, of="AKW"),
        measures("attitude", HERE, 0.0, 0.01, of="MR4", over="AKW"),
        view=View(BODY),
        words=FLIPS,
    ),
    # The same body, spun nearly about each of its axes
    *(
        preset(
            f"axis-{name}",
            AXES,
            f"About the axis of {name} inertia",
            choice("custom", "MR2 NMB", 0.05, 60, Omega0=Omega0),
            f"A spin about this axis is {says}.",
            near("turn of Π", turn, of="MR2"),
            view=View(SPHERE, along=f"axis {axis}", plots="Motion", vector="Π"),
            words="stability separatrix energy sphere",
        )
        for axis, name, Omega0, turn, says in (
            (1, "least", (1, 0.05, 0.05), 20.6, AROUND),
            (2, "middle", (0.05, 1, 0.05), 172, ACROSS),
            (3, "greatest", (0.05, 0.05, 1), 4.72, AROUND),
        )
    ),
    # Symmetric tops at several spins
    preset(
        "top-sleeps",
        TOPS,
        "A top that sleeps",
        choice("fast-top", "MR2", 0.005, 20, **UPRIGHT, Omega0=(0, 0, 30)),
        "Nearly upright and fast: it stands as if it did not move, [{} degrees] from the vertical at most.",
        near("greatest tilt", 0.769, of="MR2"),
        view=TURNING,
        words="gyroscope sleeping stable",
    ),
    preset(
        "top-wakes",
        TOPS,
        "The same, too slow to sleep",
        choice("fast-top", "MR2", 0.005, 20, **UPRIGHT, Omega0=(0, 0, 15)),
        "With half the spin the same start does not stand: the top leans down to [{} degrees] from the vertical, and "
        "comes up again.",
        near("greatest tilt", 82.8, of="MR2"),
        view=TURNING,
        words="gyroscope unstable",
    ),
    preset(
        "top-nods",
        TOPS,
        "A top that nods",
        choice("fast-top", "MR2", 0.005, 20, R0=(0.5, 0, 0), Omega0=(0, 0, 30)),
        "Let go at rest but for its spin, it goes around the vertical and nods, between [{}] and [{} degrees]: its "
        "tip draws a curve with cusps.",
        near("least tilt", 28.6, of="MR2"),
        near("greatest tilt", 37.2, of="MR2"),
        view=TURNING,
        words="gyroscope nutation precession",
    ),
    preset(
        "top-falls",
        TOPS,
        "A top that falls",
        choice("slow-top", "MR2", 0.01, 10),
        "Too slow by far: it tips through the horizontal, to [{} degrees] from the vertical, and comes up again.",
        near("greatest tilt", 151, of="MR2"),
        view=TURNING,
        words="gyroscope",
    ),
    # Energy in the long run
    preset(
        "runs-away",
        SYMPLECTIC,
        "RK4 loses energy, and they do not",
        choice("custom", "RK4-QUAT MR2 DMV", 0.4, 500, Omega0=(1, 0.5, 2)),
        "A free body in large steps. RK4-QUAT, of order four, ends with [{}] of its energy. MR2 and DMV are of order "
        "two and [symplectic]: the energy of MR2 [swings], and that of DMV is [kept].",
        near("energy at the end", 0.862, of="RK4-QUAT"),
        (declares(of="MR2", symplectic=True, order=(2, 2)), declares(of="DMV", symplectic=True, order=(2, 2))),
        swings(HERE, of="MR2"),
        keeps(of="DMV", energy="free"),
        view=View(axis="Linear"),
        words="Runge–Kutta drift runs away",
    ),
    preset(
        "million",
        SYMPLECTIC,
        "A million steps",
        of_figure("krysl-endres-symplectic"),
        "[A million steps] of the asymmetric top, whose motion is chaotic. NMB goes back as it came, and is not "
        "symplectic: its energy [wanders]. MR2's and DMV's, which are, [swing without drift].",
        near("steps", 1_000_000, of="NMB"),
        wanders(HERE, of="NMB"),
        (*swings(HERE, of="MR2"), *swings(HERE, of="DMV")),
        words="reversible chaos long run",
    ),
    # Integrals besides energy and momentum
    preset(
        "kovalevskaya",
        INTEGRALS,
        "Kovalevskaya's top: an integral that no method knows of",
        choice("kovalevskaya-top", "MR2 CG3 RK4-QUAT", 0.1, 1000, R0=(1.5, 0.3, 0), Omega0=(1, 0.2, 2)),
        "Kovalevskaya found that K is constant too, and no method here was made for that. K of MR2, which is "
        "symplectic, [swings, by {} %]; that of CG3, of order three, goes off by [{} %]; that of RK4-QUAT by [{} %], "
        "and [drifts].",
        (near("integral (%)", 1.17, of="MR2"), *integral_swings(HERE, of="MR2", steps=200_000)),
        near("integral (%)", 93.9, of="CG3"),
        near("integral (%)", 0.0638, of="RK4-QUAT"),
        integral_drifts(HERE, of="RK4-QUAT"),
        words="Kowalewski Sofia integrable fourth integral",
    ),
    preset(
        "rotor-holds",
        INTEGRALS,
        "A rotor that keeps a satellite from tumbling",
        choice("gyrostat", "RKMK RK4-QUAT", 0.02, 60, Omega0=(0.01, 2, 0), rotor=(0, 3, 0)),
        "A body spun a little off its middle axis turns over. With a rotor along that axis it does not: Π goes "
        "at most [{} degrees] from where it began.",
        near("turn of Π", 0.574, of="RKMK"),
        view=TURNING,
        words="gyrostat flywheel momentum wheel reaction wheel stabilise",
    ),
    # What the order of a method leaves open
    preset(
        "kept-and-off",
        ORDER,
        "Energy and momentum to roundoff, and far off",
        choice("free", "NMB AKW DMV", 0.5, 100),
        "Three methods of [order two]. AKW and DMV [keep energy and momentum to roundoff], NMB neither; yet AKW's "
        "attitude ends [{} times] as far off as NMB's, and DMV's [{} times].",
        tuple(declares(of=m, order=(2, 2)) for m in ("NMB", "AKW", "DMV")),
        (keeps(of="AKW", energy="tops", pi="free"), keeps(of="DMV", energy="free", pi="free")),
        near("attitude", 77.5, of="AKW", over="NMB"),
        near("attitude", 102.5, of="DMV", over="NMB"),
        words="conserve invariants",
    ),
    preset(
        "order-large-steps",
        ORDER,
        "In large steps order four is not the best",
        choice("free", "NMB RK4-QUAT", 2.0, 100),
        "[Fifty steps] of a free body: RK4-QUAT, of order four, ends [further off] than NMB, of order two.",
        near("steps", 50, of="NMB"),
        times("attitude", "NMB", HERE, 1.0, of="RK4-QUAT"),
        words="Runge–Kutta",
    ),
    preset(
        "order-no-rotation",
        ORDER,
        "Order four, and no rotation any more",
        choice("fast-top", "RK4-QUAT MR2", 0.03, 30),
        "RK4-QUAT adds to its quaternion and does not bring it back to length one: in large steps it shrinks, and R "
        "with it, until ‖RᵀR − 1‖ is [{}]. MR2 turns R by rotations, and it [is one to roundoff].",
        near("orthogonality", 1.71, of="RK4-QUAT"),
        measures("orthogonality", HERE, 0, 1e-12, of="MR2"),
        view=View(BODY, plots="Steps", axis="Linear"),
        words="Runge–Kutta quaternion norm orthogonality",
    ),
    # Runs that end early, and runs that should have
    preset(
        "no-solution",
        ENDS,
        "No solution",
        choice("slow-top", "NMB DMV MR2", 0.2, 20),
        "The equation of DMV's step has a solution as long as the body turns little in it. Here it finds [none in "
        "the first step]; NMB and MR2 [go on].",
        measures("part done", HERE, 0, 0, of="DMV"),
        tuple(measures("part done", HERE, 1, 1, of=m) for m in ("NMB", "MR2")),
        words="Newton fails implicit",
        ends={"DMV": "no-solution"},
    ),
    preset(
        "blows-up",
        ENDS,
        "Blown up",
        choice("custom", "SEMI-EULER RKMK", 0.1, 100, Omega0=(0.5, 2, 1)),
        "Many games move bodies by such a step as SEMI-EULER, here with the gyroscopic term: energy [grows without "
        "bound], until numbers end, at a fifth of the run.",
        measures("part done", HERE, 0.19, 0.21, of="SEMI-EULER"),
        words="game engine diverges explode",
        ends={"SEMI-EULER": "diverged"},
    ),
    preset(
        "tracks-part",
        ENDS,
        "Two tracks that part",
        choice("slow-top", "HSTAGM NMB", 0.05, 40),
        "HSTAGM goes by two tracks that have to agree. On the slow top they part: its energy is off by [more than "
        "all of it] from [t = {}] on.",
        measures("energy", HERE, 1.0, of="HSTAGM"),
        near("time of doubled energy", 12.95, of="HSTAGM"),
        words="unstable staggered leapfrog",
    ),
    # Starting points for your own body and torque
    preset(
        "own-body",
        OWN,
        "A body of your own",
        choice("custom", "RKMK NMB", 0.05, 50),
        "Type its moments, its spin, and what acts on it, or take the inertia of a shape below them.",
        view=View(BODY),
    ),
    preset(
        "own-spring",
        OWN,
        "A torque of your own: a spring",
        choice(
            "custom(torque=formula)",
            "RKMK MR2",
            0.02,
            20,
            formula="2*cross(R[:,2], e3)",
            potential="-2*R[2,2]",
            J=(1, 1, 2),
            R0=(0.5, 0, 0),
            Omega0=(0, 0, 3),
        ),
        "A spring draws the body's third axis to the vertical: a formula for the torque, and one for its energy. The "
        "body nods between [{}] and [{} degrees].",
        near("least tilt", 26.0, of="RKMK"),
        near("greatest tilt", 28.6, of="RKMK"),
        view=TURNING,
        words="formula",
    ),
    preset(
        "own-friction",
        OWN,
        "A torque of your own: friction",
        choice("custom(torque=formula)", "RKMK CF4", 0.02, 20, formula="-0.1*R@Omega", Omega0=(0, 3, 0.01)),
        "A torque against the angular velocity: after t = 20 the body has [{}] of its energy.",
        near("energy at the end", 0.129, of="RKMK"),
        view=TURNING,
        words="formula damping drag",
    ),
)
