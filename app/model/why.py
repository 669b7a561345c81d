"""Why each method does what it does, in three sentences: what it makes of the equations, and what follows.

What is in brackets is measured, or declared and tested; `engine.told` tells how.
"""

from __future__ import annotations

from engine import Method
from engine.told import (
    ALONG,
    BODIES,
    FREE,
    PAIRS,
    REGULAR,
    TOPS,
    Defined,
    declares,
    falls,
    grows,
    keeps,
    loses,
    measured,
    near,
    swings,
    times,
    told_each,
    wanders,
)  # fmt: skip

Sentences = tuple[str, ...]

ROUNDOFF = 1e-11
NO_DRIFT = swings(REGULAR)
ONE_SIDED = declares(reversible=False)
LONG = ("prism", "dumbbell")
"""Free bodies that spin about an axis of least inertia."""
COMPACT = ("free", "plate", "random 1", "random 2", "random 3")
"""The other free bodies."""
CHAOTIC = {"dt": 0.05, "steps": 1_000_000}
"""A million steps of the asymmetric top."""

WHY: dict[str, Sentences] = {
    # Newmark
    "NMB": told_each(
        "On the free body its half-step velocities obey the implicit midpoint rule, so that it [keeps E + Δt²/8 "
        "A·JA], and E itself [swings] as the acceleration A does.",
        measured("half-step energy", FREE, 0, ROUNDOFF),
        swings(FREE),
        "Momentum follows from a balance of rates in the body's frame and is not carried over in space, so it is "
        "[not kept].",
        loses("pi", "pi_e3"),
        "The step is time-reversible, and where the motion is regular energy [does not drift]; but it is not "
        "symplectic, and on the chaotic asymmetric top its energy [wanders].",
        NO_DRIFT,
        wanders(("asymmetric-top",), **CHAOTIC),
    ),
    "ELN": told_each(
        "Its velocities on the free body are those of NMB, and its energy is [the same there].",
        times("energy", "NMB", FREE, 0.999, 1.001),
        "The Cayley map turns by 2 atan(|v|/2) in place of |v|, which [falls short by about |v|³/12].",
        measured("ahead", FREE, -1 / 12, -1 / 12.1),
        "That is an error of phase, the same in each step of a steady spin, so it adds up: after 400 steps of "
        "0.05 rad a free body's attitude is [{} times] as far off as with NMB.",
        times("attitude", "NMB", FREE, 1.6, 450),
    ),
    "SQ-M": told_each(
        "Attitude and velocity are advanced by the mean of the accelerations at both ends, and the balance of "
        "rates holds at the end of the step.",
        "That balance is one in the body's frame, so the momentum in space is not handed on and [not kept].",
        loses("pi", "pi_e3"),
        "Both ends enter alike, the step is reversible, and on regular motions energy [swings without drift].",
        (declares(reversible=True), *NO_DRIFT),
    ),
    "GEN-ALPHA": told_each(
        "The acceleration that moves the body follows that of the balance with a lag, by which what turns fast in a "
        "step is damped.",
        "The weights γ and β are such that the lag takes no order, and it is [of second order].",
        declares(order=(2, 2)),
        "It is [not reversible], and the balance is one in the body's frame, so that momentum is [not kept].",
        ONE_SIDED,
        loses("pi", "pi_e3"),
    ),
    "SVQ-TLN": told_each(
        "It is the trapezoidal rule for the body's rates, and turns by the mean velocity with the Cayley map.",
        "On a symmetric top Ω₃ is constant and the gyroscopic term linear: trapezoidal and midpoint rule are "
        "then the same, and it [keeps energy and π·e₃] as AKW does.",
        (keeps(energy="symmetric tops", pi_e3="symmetric tops"), keeps(of="AKW", energy="tops", pi_e3="tops")),
        "On other bodies the mean of the squares is not the square of the mean: a free body's energy [swings].",
        swings(FREE),
    ),
    "SW": told_each(
        "It adds the impulse to the momentum in space, so a free body's momentum is [handed on untouched].",
        keeps(pi="free", pi_e3="always"),
        "Energy is not in its equations, and [swings] on regular motions.",
        NO_DRIFT,
        "The acceleration comes from A₁ = 2/Δt (Ω₁ − Ω₀) − A₀, without damping: an error there changes its sign "
        "with each step, and on the book toss with Δt = 0.05 it [grows until the energy is {} times NMB's].",
        near("largest energy", 4.32, ("book-toss",), over="NMB", dt=0.05, steps=2000),
    ),
    # Midpoint
    "AKW": told_each(
        "With the Cayley map the momentum Π and the vertical Γ, seen from the body, obey the implicit midpoint "
        "rule, which [keeps every quadratic invariant].",
        keeps(energy="tops", pi_e3="tops", casimir="free", gamma_norm="always"),
        "Energy, Π·Γ and |Γ| of a heavy top are such, and |Π| of a free body; so they are [kept to roundoff].",
        keeps(energy="tops", pi_e3="tops", casimir="free", gamma_norm="always"),
        "But the Cayley map turns by 2 atan(x/2) in place of x, so in a steady spin the body lags behind, [by "
        "about x³/12 in each step].",
        measured("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
    "IMID": told_each(
        "The change of momentum in the body is at right angles to its mean and to the mean velocity, so |Π| and "
        "the energy of a free body [are kept].",
        keeps(energy="free", casimir="free"),
        "The momentum thereby turns as the Cayley map does, while the attitude is turned by the exponential map.",
        "The two angles differ, and so does R Π from what it was: [its length is kept, its direction not].",
        (keeps(pi_norm="free"), loses("pi")),
    ),
    "TRAP": told_each(
        "It takes the two halves of IMID, an explicit and an implicit half step of Euler's method, in the other "
        "order.",
        "Seen half a step of Euler's further on its motion is that of IMID, which [keeps energy and |Π| of a "
        "free body].",
        keeps(of="IMID", energy="free", casimir="free"),
        "In its own states both are [not kept], and energy [swings without drift] on regular motions.",
        loses("energy", "casimir"),
        NO_DRIFT,
    ),
    "IMIDM": told_each(
        "The momentum is turned back by just the rotation by which the body is turned, so it [stays in space].",
        keeps(pi="free", pi_e3="always"),
        "The velocity is that of the middle of the step, where the momentum has been turned by half of it; "
        "energy does not enter, and is [not kept].",
        loses("energy"),
        "The step reads the same from both ends, so the energy [swings and does not drift on regular motions].",
        (declares(reversible=True), *NO_DRIFT),
    ),
    "TRAPM": told_each(
        "It is IMIDM with its halves exchanged, so that each is the other seen half a step further on.",
        "The momentum is turned with the body and [stays in space]; energy [swings], as with IMIDM.",
        keeps(pi="free", pi_e3="always"),
        NO_DRIFT,
        "With ζ other than ½ the ends of the step weigh differently: the order [falls to one], and a free body's "
        "energy [still swings, a thousand times as far or more] with ζ = 0.4.",
        declares(of="TRAPM(zeta=0.4)", order=(1, 1)),
        (times("energy", "TRAPM", FREE, 1000, of="TRAPM(zeta=0.4)"), *swings(FREE, of="TRAPM(zeta=0.4)")),
    ),
    "SW-C1": told_each(
        "A free body turns about the mean of the velocities at both ends, and the momentum is turned back by the "
        "same rotation: it [stays in space].",
        keeps(pi="free", pi_e3="always"),
        "What a turn about the mean velocity changes in Π is at right angles to that velocity, and so [costs no "
        "energy].",
        keeps(energy="free"),
        "With torque the impulse is taken half way: [π·e₃ is still kept, energy is not].",
        (keeps(pi_e3="always", energy="free"), measured("energy", TOPS, 1e-8, 1)),
    ),
    "BBTRAP": told_each(
        "On the free body it is SW-C1: a turn about the mean velocity [changes neither momentum in space nor "
        "energy].",
        (keeps(pi="free", energy="free"), times("attitude", "SW-C1", FREE, 0.999, 1.001)),
        "With torque it takes half of the impulse at either end of the step, which [keeps π·e₃ but not energy].",
        (keeps(pi_e3="always"), measured("energy", TOPS, 1e-8, 1)),
        "The mean velocity by Δt is not quite the rotation vector, which is an error of phase of second order.",
    ),
    "BBTRAP-DEXP": told_each(
        "Here the velocity at the end is brought into the Lie algebra properly, by dexp⁻¹.",
        "The axis of the turn is then no longer the mean velocity, and on free bodies and fast or slow tops "
        "energy [is lost, slowly and for good].",
        falls((*FREE, "slow-top", "fast-top")),
        "As the start is treated otherwise than the end, the step is not reversible, and so this can add up; the "
        "momentum is still turned with the body, and [stays].",
        (ONE_SIDED, keeps(pi="free", pi_e3="always")),
    ),
    # Variational
    "DMV": told_each(
        "It follows from a principle of least action with discrete time, and so it [is symplectic and keeps "
        "momentum]; a free body is turned about the mean velocity, which [keeps energy] as well.",
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        keeps(energy="free"),
        "The angle θ of that turn has sin θ = Δt |ω| in a steady spin: [beyond Δt |ω| = 1 there is none], and "
        "the method has no solution.",
        measured("largest turn", FREE, 0.999, 1.001),
        "Since the arc is longer than its sine the body runs ahead there, by [about x³/6 in a step of x "
        "radians]: [twice as far] as AKW lags behind.",
        measured("ahead", FREE, 1 / 6, 1 / 5.9),
        times("ahead", "AKW", FREE, -2.02, -1.98),
    ),
    "LS": told_each(
        "In the reading that fits what is told of it, the body turns about the mean velocity by the arc sine of "
        "Δt |ω|, and that is DMV.",
        "Of [all functions of Δt |ω|] that could stand there, each [keeps energy and momentum] of the free body; "
        "with the arc sine the map is symplectic.",
        Defined("a turn about the mean velocity, by whatever angle, changes neither"),
        (
            keeps(energy="free", pi="free"),
            keeps(of="BBTRAP", energy="free", pi="free"),
            declares(symplectic=True),
        ),
        "It also [inherits DMV's limit, as no sine is larger than one].",
        measured("largest turn", FREE, 0.999, 1.001),
    ),
    "MLEOK": told_each(
        "It is DMV with [all of the impulse] at the end of the step, in place of half of it at either end.",
        Defined("its step"),
        "Seen half a kick further on, its states are those of DMV: it [is symplectic, and energy swings without "
        "drift] on tops as with DMV.",
        (declares(symplectic=True), *swings(TOPS), *swings(TOPS, of="DMV")),
        "The states it reports are half a kick off, and so it is of first order wherever a torque acts.",
    ),
    "DMV4": told_each(
        "DMV traces the right curve of a free body's momentum, at a slightly wrong pace.",
        "A step of Δt (1 + Δt² s), with s from the energy and |Π|, [which are kept], corrects the pace to order "
        "four.",
        keeps(energy="free", casimir="free"),
        "The attitude has an error besides, which another time does not mend: it is of order two.",
    ),
    "KEK": told_each(
        "The energy is parted into that of the free body and the potential; each part's motion is exact, and a step "
        "[symplectic].",
        declares(symplectic=True),
        "Where there is no torque the whole motion is exact, and energy and momentum [are kept].",
        keeps(energy="free", pi="free"),
        "What is off comes from the torque: after 400 steps of 0.05 rad the attitude of a heavy top is [{} times] as "
        "far off as with MR2.",
        times("attitude", "MR2", TOPS, 0.0062, 0.75),
    ),
    "KDK": told_each(
        "Half the impulse, a free step of AKW, half the impulse: the free step [keeps energy and momentum].",
        keeps(energy="free", pi="free"),
        "The torque is needed at the ends, where the attitude is known, so it is explicit in it; but the kicks "
        "do not know the potential, and the energy of a top [swings].",
        swings(TOPS),
        "It lacks the term of second order that makes VLV symplectic; without it the free step [lags as AKW's does].",
        measured("ahead", FREE, -1 / 12, -1 / 12.1),
    ),
    "VLV": told_each(
        "It follows from a discrete principle of least action written with the Cayley map, and so it is "
        "[symplectic and keeps momentum].",
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        "A symplectic method follows the motion of a slightly different energy very nearly, so the true "
        "energy [swings without drift], on the asymmetric top as well.",
        (*NO_DRIFT, *swings(("asymmetric-top",), **CHAOTIC)),
        "The Cayley map reaches [every angle below half a turn]: in a steady spin there is a solution [for all "
        "steps up to Δt |ω| = 4 at least], and [up to 1] with DMV.",
        Defined("2 atan(|v|/2)"),
        measured("largest turn", FREE, 4),
        measured("largest turn", FREE, 0.999, 1.001, of="DMV"),
    ),
    "LIEMID-E1": told_each(
        "[All] of the impulse comes at the start of the step, and a midpoint step of the free body follows.",
        Defined("its step"),
        "One end sees the torque, which costs an order: it is of first order with torque, of second without.",
        "The impulse is added to the momentum in space and the free step turns it with the body, so it is [kept].",
        keeps(pi="free", pi_e3="always"),
    ),
    "LIEMID-E2": told_each(
        "A midpoint step of the free body comes first, and [all] of the impulse at its end.",
        Defined("its step"),
        "It is LIEMID-E1 run backwards in time, and its errors of odd order have the other sign.",
        "Therefore a half step of each, one after the other, is of second order: that is LIEMID-EA.",
    ),
    "LIEMID-EA": told_each(
        "Half a step of LIEMID-E1 and half a step of LIEMID-E2, each the other's reverse, make a step that reads "
        "the same from both ends.",
        "Errors of odd order cancel, which gives second order, and energy [swings without drift on regular motions].",
        NO_DRIFT,
        "It solves two equations a step, each for half the angle.",
    ),
    "PDMV4": told_each(
        "Each step of DMV is given a slightly different inertia, chosen so that its discrete motion is the true "
        "one to order four.",
        "That inertia has the same axes and depends on energy and |Π|, so both are [still kept], and in a free "
        "motion it is the same in each step.",
        keeps(energy="free", casimir="free"),
        "With torque it stands between two half kicks, and that splitting is of order two, whatever is in the "
        "middle.",
    ),
    "PDMV": told_each(
        "It goes on where PDMV4 stops, with further terms of the inertia that makes DMV's discrete motion the true "
        "one.",
        "Energy and |Π| of a free body [do not change], so the inertia and what has to be solved for are the "
        "same in each step.",
        keeps(energy="free", casimir="free"),
        "The terms are powers of Δt: [at 0.05 rad a step the attitude of a free body is within 10⁻¹²] of the "
        "exact one after 400 steps, [at 0.8 rad within 2·10⁻⁵]; and the kicks of a torque bring the order back "
        "to two.",
        measured("attitude", FREE, 0, 1e-12),
        measured("attitude", FREE, 0, 2e-5, turn=0.8),
    ),
    # Splitting
    "MR2": told_each(
        "The kinetic energy is cut into its three squares, and each by itself turns the body about one of its "
        "axes, for which there is a formula.",
        "Five such turns are symplectic, as each is, and they turn momentum along with the body, so that it "
        "[stays in space].",
        (declares(symplectic=True), keeps(pi="free", pi_e3="always")),
        "Together they follow a slightly different energy very nearly: the true one [swings without drift], "
        "and how far is a matter of the axes' order: in steps of 0.05 rad the prism's goes [{} times] as far "
        "with axes=123 as with 231, the dumbbell's [{} times].",
        NO_DRIFT,
        times("energy", "MR2(axes=231)", ("prism",), 510, 518),
        times("energy", "MR2(axes=231)", ("dumbbell",), 0.052, 0.054),
    ),
    "MR4": told_each(
        "Three steps of MR2, of [1.35, −1.70 and 1.35 times Δt], are laid so that their errors of third order "
        "cancel.",
        Defined("Yoshida's coefficients, 1/(2 − 2^(1/3)) and what they leave of 1"),
        "What is made of symplectic and reversible steps [is symplectic and reversible, and keeps momentum] as "
        "they do.",
        (declares(symplectic=True, reversible=True), keeps(pi="free", pi_e3="always")),
        "Its advantage comes with small steps: in 400 steps of 0.2 rad MR2's attitude of a free body ends [{} "
        "times] as far off, in 400 of 0.05 rad [{} times].",
        times("attitude", "MR4", FREE, 7.0, 380, of="MR2", turn=0.2),
        times("attitude", "MR4", FREE, 110, 5800, of="MR2"),
    ),
    # Explicit
    "HSTAGM": told_each(
        "Two tracks, half a step apart, each turn with the other's velocity, and impulses are added in space: "
        "momentum [is kept].",
        keeps(pi="free", pi_e3="always"),
        "The two tracks are not held together, and a difference between them changes its sign with each half step.",
        "On free bodies it stays small, and energy [swings]; on the slow top it [grows until the tracks part and "
        "the energy blows up].",
        swings(FREE),
        measured("energy", ("slow-top",), 100, dt=0.05),
    ),
    "KB": told_each(
        "The first half turn takes the velocity at the start, the second one predicted from the torque half way.",
        "The momentum is turned back with the body and gets its impulse in space, so it is [kept].",
        keeps(pi="free", pi_e3="always"),
        "As the end does not enter, the step is not reversible, and the error in energy adds up: free "
        "bodies and fast or slow tops [lose energy], but a body whose momentum points nearly along its axis of "
        "least inertia [gains it].",
        (ONE_SIDED, falls((*FREE, "slow-top", "fast-top"))),
        grows(ALONG),
    ),
    "TERZE": told_each(
        "The body turns by a velocity that is predicted by turning momentum by half a step of the old one.",
        "Momentum itself is turned back by the very rotation of the body, and is [kept to roundoff].",
        keeps(pi="free", pi_e3="always"),
        "The prediction looks from one end, so the step is not reversible: a free body's energy [creeps up], "
        "until the body spins about the axis where it is largest.",
        (ONE_SIDED, grows(FREE)),
    ),
    # Runge–Kutta on the group
    "CF4": told_each(
        "Its exponentials hold sums of the stages' velocities, and their order in the product does the work of "
        "the commutators that Runge–Kutta–Munthe-Kaas needs.",
        "The momentum in space is a plain vector that adds up impulses, so a free body's is [kept].",
        keeps(pi="free", pi_e3="always"),
        "It is not reversible, and a free body's energy [drifts]; but as a high power of Δt: in 200,000 steps of "
        "0.05 rad by [less than 10⁻⁴].",
        (ONE_SIDED, measured("|drift|", FREE, 1e-10, 1)),
        measured("|drift|", FREE, 0, 1e-4),
    ),
    "CG2": told_each(
        "Half a step is tried with the velocity at the start, and the whole made with the velocity found there.",
        "Products of rotations are taken, so R [remains one], and impulses add up in space, so momentum is [kept].",
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        "The trial looks from one end, and energy [drifts: upwards] on free bodies and on slow and fast tops.",
        (ONE_SIDED, grows((*FREE, "slow-top", "fast-top"))),
    ),
    "CG3": told_each(
        "The step is a product of turns, one for each stage, and turns do not commute.",
        "Third order asks for other coefficients for that reason than with vectors; these were found for it.",
        "Momentum is a vector in space and [kept], while energy [is lost], as the step is not reversible.",
        keeps(pi="free", pi_e3="always"),
        (ONE_SIDED, falls(BODIES)),
    ),
    "CG4": told_each(
        "For turns that do not commute, order four takes five stages where vectors need four, and coefficients "
        "that are no round numbers.",
        "Momentum is summed in space, so a free body's is [kept] whatever the coefficients are.",
        keeps(pi="free"),
        "Energy is not: the step is not reversible, so the error [adds up], slowly, as it is of a high power of Δt.",
        (ONE_SIDED, measured("|drift|", FREE, 1e-10, 1e-3)),
    ),
    "CG-RK4": told_each(
        "The classical coefficients are of order four because sums may be taken in any order.",
        "In a product of turns the order matters, the commutators are left over, and they are of third power in "
        "Δt: the method is of order two.",
        "Impulses add up in space as vectors, so the momentum [is kept] even so.",
        keeps(pi="free", pi_e3="always"),
    ),
    "RKMK": told_each(
        "The rotation vector of the step lives in a flat space, where a Runge–Kutta method [keeps its order]; "
        "dexp⁻¹ says how fast it changes.",
        declares(order=(4, 4)),
        "One exponential brings it back, so R [remains a rotation], and the momentum adds up impulses in space, "
        "so it is [kept].",
        keeps(orthogonality="always"),
        keeps(pi="free", pi_e3="always"),
        "Explicit stages look from one end: the step is not reversible, and a free body's energy [drifts], in "
        "[200,000 steps of 0.05 rad by less than 10⁻⁴].",
        (ONE_SIDED, measured("|drift|", FREE, 1e-10, 1)),
        measured("|drift|", FREE, 0, 1e-4),
    ),
    # Taylor
    "BUSS1": told_each(
        "The body turns by the velocity at the start of the step, while the true one moves on during it.",
        "The momentum is left where it is in space, and so is [exact] on a free body.",
        keeps(pi="free"),
        "The lag has one sign: a free body's energy [grows] until the body spins about its axis of least "
        "inertia, where a given momentum has the most.",
        measured("energy", FREE, 0.01, 10),
    ),
    "BUSS2": told_each(
        "It takes the velocity half a step ahead, from the first derivative, and so is of second order.",
        "What a turning axis adds to a rotation, a commutator, is left out.",
        "The rest of the error is one-sided: the momentum [stays], and on free bodies and fast or slow tops "
        "energy [grows], [more slowly than with BUSS1].",
        keeps(pi="free", pi_e3="always"),
        grows((*FREE, "slow-top", "fast-top")),
        times("energy", "BUSS1", (*FREE, "slow-top", "fast-top"), 0, 0.2),
    ),
    "BUSS2-AUG": told_each(
        "A turn by the mean velocity is not the rotation, because rotations about a moving axis do not commute; "
        "the term Δt²/12 ω̇ × ω accounts for that.",
        "In steps of 0.05 rad it [keeps energy better than BUSS2, with {} times the error], on long bodies, the "
        "prism and the dumbbell, and on slow and fast tops; [worse, with {} times], on compact free bodies and "
        "the plate.",
        times("energy", "BUSS2", (*LONG, "slow-top", "fast-top"), 0.08, 0.84),
        times("energy", "BUSS2", COMPACT, 1.5, 1.8),
        "The mean velocity is still that of BUSS2, so the order is two, and the step looks forward from one end.",
    ),
    "BUSS3-FALSE": told_each(
        "It has the mean velocity to third order, as if rotations were vectors.",
        "They are not: without the commutator Δt²/12 ω̇ × ω the method is of order two.",
        "The sign of what energy does is a matter of the body: it [grows] on long bodies, the prism and the "
        "dumbbell, and on slow and fast tops, and [falls] on compact ones and on the plate.",
        grows((*LONG, "slow-top", "fast-top")),
        falls(COMPACT),
    ),
    "BUSS3": told_each(
        "It has both the mean velocity to third order and the commutator that a moving axis calls for.",
        "An error of even power in Δt is left, which has one sign for as long as the motion is of one kind: "
        "energy [falls] on compact free bodies, the plate, the dumbbell and the slow top, and [grows] on the "
        "prism and the fast top.",
        falls((*COMPACT, "dumbbell", "slow-top")),
        grows(("prism", "fast-top")),
        "Much of its error is that change of energy: on free bodies, after 400 steps of 0.05 rad, BUSS3 is [{} "
        "times] as far off as BUSS3+E.",
        times("attitude", "BUSS3+E", FREE, 36, 93),
    ),
    "BUSS4": told_each(
        "One rotation a step, whose vector is the first terms of Magnus's series, with the derivatives of ω from "
        "Euler's equations.",
        "Momentum [stays in space] by construction.",
        keeps(pi="free", pi_e3="always"),
        "The step looks forward from one end, is not reversible, and so a free body's energy [drifts], by [less "
        "than 10⁻⁵ in 200,000 steps] of 0.05 rad.",
        (ONE_SIDED, measured("|drift|", FREE, 1e-10, 1)),
        measured("|drift|", FREE, 0, 1e-5),
    ),
    "BUSS5": told_each(
        "It adds the terms of fifth order to one rotation a step: nested commutators of the derivatives of ω.",
        "Those derivatives follow from Euler's equations if no torque acts; a torque would have to tell its own "
        "rates of change.",
        "Momentum is [exact], and energy [drifts, by less than 10⁻⁶ in 200,000 steps] of 0.05 rad.",
        keeps(pi="free"),
        measured("|drift|", FREE, 1e-10, 1e-6),
    ),
    "BUSS6": told_each(
        "One rotation a step whose vector is right to the sixth order, nested commutators included.",
        "It evaluates [nothing but ω and its derivatives at the start, with no stages and nothing to solve].",
        (Defined("its step"), declares(implicit=False)),
        "Momentum is [exact]; the series is of powers of Δt, so the gain over BUSS4 shrinks with larger steps: "
        "within 10⁻⁶ rad BUSS4 needs [{} times] as many steps, within 10⁻³ rad [{} times].",
        keeps(pi="free"),
        times("steps within 1e-6 rad", "BUSS6", FREE, 2.9, 6.3, of="BUSS4"),
        times("steps within 1e-3 rad", "BUSS6", FREE, 1.7, 3.8, of="BUSS4"),
    ),
    "SW-BUSS": told_each(
        "The velocity half a step ahead is guessed from the last two: ν + (ν − ν before)/2, in the body.",
        "The momentum [stays in space]; the guess leans on the past, so that the step is not reversible and "
        "energy [grows] on free bodies and on slow and fast tops.",
        keeps(pi="free", pi_e3="always"),
        (ONE_SIDED, measured("drift", (*FREE, "slow-top", "fast-top"), 1e-10)),
        "As run for the tables its acceleration was not divided by the step, which [leaves nothing but first order].",
        declares(of="SW-BUSS(variant=as-run)", order=(1, 1)),
    ),
    # Physics engines
    "SEMI-EULER": told_each(
        "Euler's equations take a plain explicit step, and the body turns by what comes of it.",
        "The change of momentum is at right angles to it in the body's frame, so each step makes it longer, and a "
        "free body's energy [grows].",
        measured("energy at the end", FREE, 1.1, steps=20_000),
        "Without the gyroscopic term a free body spins on about one axis: energy and the length of momentum "
        "[are kept], but it is [of order zero], no method for a rigid body.",
        keeps(of="SEMI-EULER(gyroscopic=off)", energy="free", pi_norm="free"),
        declares(of="SEMI-EULER(gyroscopic=off)", order=(0, 0)),
    ),
    "RESTORED": told_each(
        "An explicit step makes the momentum longer; taking that off again leaves a turn on its sphere, so its "
        "length [is kept].",
        keeps(casimir="free", pi_norm="free"),
        "The turn is along the curve's tangent, and its direction in space [is not kept], nor is energy.",
        loses("pi", "energy"),
        "Energy goes from both sides to that of a spin about the middle axis, which is unstable, and [ends there].",
        measured("of the middle energy", FREE, 0.99, 1.01, steps=200_000),
    ),
    "NEWTON-1": told_each(
        "The gyroscopic term is that of the step's end, found by one step of Newton's method from the old velocity.",
        "An implicit Euler step damps what turns about, so a free body's energy [falls].",
        measured("energy at the end", FREE, 0, 0.999, steps=20_000),
        "The balance is one in the body's frame, and momentum [is not kept], neither its direction nor its length.",
        loses("pi", "pi_norm", "casimir"),
    ),
    "LINEAR-EULER": told_each(
        "Of the two velocities in the gyroscopic term one is new, so the equation is linear and takes one solution.",
        "What is solved for is the velocity in the old attitude, and momentum [is not kept].",
        loses("pi", "pi_norm", "casimir"),
        "A free body's energy [falls], as with a step of implicit Euler.",
        measured("energy at the end", FREE, 0, 0.9999, steps=20_000),
    ),
    "CARRIED": told_each(
        "The body turns by the velocity at the start of the step, while the true one moves on during it.",
        "Momentum is turned back by the rotation of the body, and [stays in space].",
        keeps(pi="free", pi_e3="always"),
        "A free body's energy [grows to the most] that its momentum allows, a spin about the axis of least inertia.",
        measured("part of the most energy", FREE, 0.99, 1.01),
    ),
    "OSCULATING": told_each(
        "A free symmetric top turns about its axis and about its momentum, each at a constant rate.",
        "Each step is that of the symmetric top with the body's velocity and acceleration; momentum is turned back "
        "with the body, and [is kept].",
        keeps(pi="free", pi_e3="always"),
        "The top that fits changes from step to step, so the order is [one], and energy [is not kept].",
        declares(order=(1, 1)),
        loses("energy"),
    ),
    "MOREAU-JEAN": told_each(
        "Two half turns about a kick would be of second order, if the kick did not depend on the velocity.",
        "The gyroscopic term does, and is that of the velocity before the kick: the step is [of first order].",
        declares(order=(1, 1)),
        "As with explicit Euler each step makes the momentum longer, and a free body's energy [grows].",
        measured("energy at the end", FREE, 1.1, steps=20_000),
    ),
    "VERLET-LAGGED": told_each(
        "Verlet's step is of second order where accelerations depend on the attitude alone.",
        "A body's depends on its velocity too, here on that before, and so it is [of first order].",
        declares(order=(1, 1)),
        "A free body's energy [grows].",
        measured("energy at the end", FREE, 1.1, steps=20_000),
    ),
    "RK-MEAN": told_each(
        "Velocities of different stages belong to different frames, and their sum is taken as if they did not.",
        "What dexp⁻¹ would correct is of third power in Δt in a step, so attitudes are [of second order] with any "
        "tableau; a free body's velocity does not see its attitude, and [keeps the order four].",
        declares(order=(2, 2)),
        declares(free_order=(2, 4)),
        "Energy and momentum [are not kept], as with explicit stages in general.",
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    "RK-VECTOR": told_each(
        "The turn of a step is a rotation vector, whose rate is dexp⁻¹ of the velocity: so attitudes are [of fourth "
        "order], and by RK-MEAN, which leaves it out, [of second].",
        declares(order=(4, 4)),
        declares(of="RK-MEAN", order=(2, 2)),
        "Velocities of several stages are summed as they are seen from the body, by Euler's equation, so momentum "
        "[is not kept].",
        loses("pi", "pi_norm", "casimir"),
        "Stages are explicit, and energy [is not kept].",
        loses("energy"),
    ),
    "MIDPOINT-HELD": told_each(
        "The velocity between the ends solves the balance of rates, and the body turns by it.",
        "For a free body that is IMID, whose change of momentum is at right angles to the mean velocity: energy and "
        "the length of momentum [are kept].",
        keeps(energy="free", pi_norm="free", casimir="free"),
        "A torque is taken at the start and held, which looks from one end: the order is [one].",
        declares(order=(1, 1)),
    ),
    "VERLET-QUAT": told_each(
        "The quaternion goes by its first and second rate and is made a unit, which is a turn by the Cayley map.",
        "Its velocities are those of NMB on the free body, and so is its [energy].",
        times("energy", "NMB", FREE, 0.999, 1.001),
        "Velocity follows from rates in the body's frame, so momentum [is not kept].",
        loses("pi", "pi_norm", "casimir"),
    ),
    # Molecular dynamics and DEM
    "RICHARDSON": told_each(
        "The quaternion goes by a linear step and is made a unit, a turn by the Cayley map; a step and two halves of "
        "it are extrapolated.",
        "Momentum is turned back by the rotation of the body, and [stays in space].",
        keeps(pi="free", pi_e3="always"),
        "The extrapolation looks from the start of the step to its end, and a free body's energy [grows].",
        grows(FREE),
    ),
    "FINCHAM": told_each(
        "The body turns by the velocity that its momentum has in the attitude half way, as in the explicit midpoint "
        "rule; momentum [stays in space].",
        keeps(pi="free", pi_e3="always"),
        "A free body's energy [grows].",
        grows(FREE),
        "With the attitude at the start, as Yade codes it, a free body turns by the velocity at the start: as with "
        "CARRIED, energy [grows to the most] that momentum allows.",
        measured("part of the most energy", FREE, 0.99, 1.01, of="FINCHAM(attitude=start)"),
    ),
    "OMELYAN": told_each(
        "The products of velocities in Euler's equations are means of those half a step before and after, as in the "
        "trapezoidal rule.",
        "Step and turn are the same forwards and backwards, so a free body's energy [swings without drift].",
        swings(FREE),
        "Velocity follows from rates in the body's frame, so momentum [is not kept].",
        loses("pi", "pi_norm", "casimir"),
    ),
    "SPIRAL": told_each(
        "The velocity takes a Runge–Kutta step of order three with the torque held, so the free body's is [of third "
        "order].",
        declares(free_order=(2, 3)),
        "The turn is by the velocity half way as if its direction stayed: what is left out is of third power in the "
        "step, and attitudes are [of second order].",
        declares(order=(2, 2)),
        "The step is not the same backwards, and [energy and momentum are not kept].",
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    "HALVES": told_each(
        "The turn is about the velocity, which stays as it is seen from the body: a free body's velocity goes by "
        "Euler's equations alone, in two halves.",
        "Energy and the length of momentum are quadratic, and so [kept] by the midpoint rule; momentum's direction "
        "[is not].",
        keeps(energy="free", pi_norm="free", casimir="free"),
        loses("pi"),
        "Two halves by implicit Euler, as in PFC, damp: energy [falls].",
        measured("energy at the end", FREE, 0, 0.9999, of="HALVES(half=euler)", steps=20_000),
    ),
    "VERLET-SINE": told_each(
        "The quaternion goes by its first and second rate, and a Lagrange multiplier brings it back to unit length: "
        "the turn has the sine where VERLET-QUAT has the tangent.",
        "Its velocities are those of NMB on the free body, and so is its [energy].",
        times("energy", "NMB", FREE, 0.999, 1.001),
        "Velocity follows from rates in the body's frame, so momentum [is not kept].",
        loses("pi", "pi_norm", "casimir"),
    ),
    "ZHAO-WACHEM": told_each(
        "The velocity takes the explicit midpoint rule, and the body turns by the velocity in the middle.",
        "Explicit stages from the start of the step: a free body's energy [grows].",
        grows(FREE),
        "Velocity follows from rates in the body's frame, so momentum [is not kept].",
        loses("pi", "pi_norm", "casimir"),
    ),
    # Multistep and baselines
    "ABAM": told_each(
        "It means the velocities of the last steps with the coefficients of a method of order four.",
        "The means are of vectors, and rotations about a moving axis do not add like vectors: order two is what "
        "remains.",
        "As it was run for the tables it also carries a velocity by the old attitude, and a free body's energy "
        "is off [{} times] as far, in steps of 0.05 rad.",
        measured("energy", FREE, 5.1, 650, of="ABAM(variant=as-run)", over="ABAM"),
    ),
    "RK4-AVG": told_each(
        "It makes four velocities as the classical Runge–Kutta method does, and turns by their mean.",
        "The mean is of vectors: the commutators of a moving axis are left out, and order two remains.",
        "The momentum [stays in space]; with BUSS2 a free body's energy is off [{} times] as far in steps of "
        "0.05 rad, for one velocity a step in place of four.",
        keeps(pi="free", pi_e3="always"),
        times("energy", "RK4-AVG", FREE, 1.6, 18, of="BUSS2"),
    ),
    "RK4-MATRIX": told_each(
        "Each stage adds a tangent to R, entry by entry, and a tangent leads off the rotations.",
        "They are not led back: RᵀR − 1 [grows, and with it R Π].",
        (loses("orthogonality", "pi"), measured("orthogonality", FREE, 1e-8, 1)),
        "It is of order four even so, and with small steps it takes long to notice, and then goes on.",
    ),
    "RK2-MATRIX": told_each(
        "It adds one tangent a step to the nine entries of R, taken half way.",
        "That lengthens the columns of R a little, with one sign, until R is [visibly no rotation].",
        measured("orthogonality", FREE, 0.001, 10),
        "The velocity is treated in the same way, and on free bodies energy [grows] with it.",
        grows(FREE),
    ),
    "IMR-MATRIX": told_each(
        "The implicit midpoint rule [keeps every quadratic invariant], and RᵀR = 1 is made of such.",
        keeps(orthogonality="always", energy="tops", casimir="free"),
        "For the nine entries it amounts to a turn by the Cayley map, although the middle of the step is no "
        "rotation.",
        "Energy and momentum are quadratic too, and so are [kept], with the [lag of the Cayley map as in AKW].",
        keeps(energy="tops", pi="free"),
        times("ahead", "AKW", FREE, 0.999, 1.001),
    ),
    "RK4-QUAT": told_each(
        "The four entries of the quaternion are treated as [any four numbers], and its length changes with each "
        "step.",
        Defined("its step"),
        "Setting the length right, as most programs do, [mends RᵀR = 1], but not what follows from the velocity.",
        keeps(of="RK4-QUAT(renormalise=yes)", orthogonality="always"),
        "Energy follows from the velocity, which is summed in the body's frame: it [drifts], downwards on the "
        "plate, the dumbbell, the prism and on tops.",
        falls(("plate", "dumbbell", "prism", *TOPS)),
    ),
    "RK-QUAT": told_each(
        "It is RK4-QUAT with a tableau of high order, so the error in a step is very small.",
        "Small is not zero: length, energy and momentum [are not kept], as they are not in the equations.",
        loses("orthogonality", "energy", "pi"),
        "[At 0.05 rad a step nothing but roundoff is lost] of the energy of free bodies and of fast and slow "
        "tops, even after 200,000 steps.",
        measured("|drift|", (*FREE, "slow-top", "fast-top"), 0, 1e-10),
    ),
    # Adaptive and exact
    "DOP853": told_each(
        "It makes each step as long as its estimate of the error allows, and [keeps to the tolerance, not to the "
        "motion's invariants].",
        loses("energy", "pi", "orthogonality"),
        "Energy therefore goes [with the tolerance: with rtol = 10⁻⁶ it is off {} times as far as with 10⁻⁹].",
        measured("energy", FREE, 420, 2200, of="DOP853(rtol=1e-6)", over="DOP853(rtol=1e-9)"),
        "Its steps change with the motion, which would spoil the long-time behaviour even of a reversible method.",
    ),
    "RK45": told_each(
        "Two formulas of orders five and four share their stages, and their difference tells how long a step may be.",
        "The body's geometry is not in them, so that energy, momentum and |q| [are not kept]: with rtol = "
        "10⁻⁶ energy is off [{} times as far as with 10⁻⁹].",
        loses("energy", "pi", "orthogonality"),
        measured("energy", FREE, 600, 880, of="RK45(rtol=1e-6)", over="RK45(rtol=1e-9)"),
        "With rtol = 10⁻⁹ it evaluates the velocity [{} times] as often as DOP853, whose order is higher.",
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 2.2, 3.1, of="RK45(rtol=1e-9)"),
    ),
    "RADAU": told_each(
        "Its implicit stages end at the end of the step, which damps what the step does not resolve.",
        "What it damps of a spinning body is true motion, and energy [is not kept].",
        loses("energy"),
        "With a small tolerance that is little, and dear: each step solves for three stages at once, and with "
        "rtol = 10⁻⁹ it evaluates torques [{} times] as often as DOP853.",
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 10, 14, of="RADAU(rtol=1e-9)"),
    ),
    "LSODA": told_each(
        "It goes on from the past by polynomials of varying order and step, and so takes [{} times] the "
        "evaluations of DOP853 with rtol = 10⁻⁹.",
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 0.73, 0.87, of="LSODA(rtol=1e-9)"),
        "Each change of order or step leaves an error of the tolerance's size in energy, momentum and |q|: they "
        "[are not kept].",
        loses("energy", "pi", "orthogonality"),
        "Where the equations are not stiff, as those of a rigid body, it stays with its explicit Adams formulas.",
    ),
    "EXACT": told_each(
        "Euler found that the free body's momentum moves on the curve where the spheres |Π| and the energy's "
        "ellipsoid meet, and Jacobi how fast: in elliptic functions.",
        "A symmetric top's attitude has a formula as well, in theta functions; states are evaluated at each time "
        "anew, so that no error adds up.",
        "Where the motion has no formula, as with the asymmetric top, a run so fine that [little but roundoff "
        "is lost] stands in for it, until that has grown too much.",
        measured("energy", ("asymmetric-top",), 0, 1e-9),
    ),
}


WHY_OF_TWO: dict[str, Sentences] = {
    "LGVI": told_each(
        "It follows from a principle of least action with discrete time, in which each attitude is the one "
        "before multiplied by a rotation; so R₁ and R₂ [stay rotations, and the map is symplectic].",
        (keeps(orthogonality="always"), declares(symplectic=True)),
        "Neither a shift nor a turn of the whole changes that discrete action, and so [both total momenta are "
        "kept to roundoff], at any step with which it has a solution.",
        keeps(linear_momentum="always", angular_momentum="always"),
        "Energy [is not kept but swings]; the force is needed [once a step], and each body's turn comes from an "
        "equation of three unknowns that Newton's method solves.",
        swings(PAIRS, steps=15_000),
        declares(torque_evaluations=1),
    ),
    "LGVI4": told_each(
        "Three steps of LGVI, the middle one backwards, cancel each other's errors of order two: a symmetric "
        "method composed in this way gets order four.",
        "Each of the three [keeps both momenta, the rotations and the symplectic form], and so does the whole.",
        (
            keeps(linear_momentum="always", angular_momentum="always", orthogonality="always"),
            declares(symplectic=True),
        ),
        "The outer steps are [1.35 h long and the inner one −1.70 h], and [three forces] are needed; with h = "
        "0.002 LGVI's energy is off [{} times] as far.",
        Defined("Yoshida's coefficients, 1/(2 − 2^(1/3)) and what they leave of 1"),
        declares(torque_evaluations=3),
        times("energy", "LGVI4", PAIRS, 1200, 74_000, of="LGVI", steps=15_000),
    ),
    "LGM": told_each(
        "Its stages turn the attitudes by exponentials, so that R₁ and R₂ [stay rotations] to roundoff.",
        keeps(orthogonality="always"),
        "It comes from no variational principle and is not symmetric in time: where the bodies tumble fast, as "
        "in DB4, energy [goes on in one direction], and angular momentum is [not kept].",
        (ONE_SIDED, falls(("DB4",), steps=15_000)),
        loses("angular_momentum"),
        "The velocity of body 1 is found from V in the turning frame of body 2, and [the stages do not keep such "
        "a product: linear momentum is off as well].",
        loses("linear_momentum"),
    ),
    "RK2": told_each(
        "It adds multiples of derivatives to the entries of R and R₂, and a rotation plus something that is "
        "tangent to it is no rotation: [‖RᵀR − 1‖ grows] from the first step.",
        (loses("orthogonality"), measured("orthogonality", PAIRS, 1e-6, 1, steps=15_000)),
        "What is no longer a rotation puts the masses at wrong distances, and so the forces are those of other "
        "bodies.",
        "Energy and momenta are [not kept]; where the bodies tumble fast, as in DB4, energy [goes on in one "
        "direction, {} times] as fast as LGM's with h = 0.002.",
        loses("energy", "linear_momentum", "angular_momentum"),
        (times("drift", "LGM", ("DB4",), 10.9, 10.9, steps=15_000), falls(("DB4",), steps=15_000)),
    ),
    "SRK": told_each(
        "The implicit midpoint rule [keeps whatever is quadratic] in the unknowns: RᵀR, and the linear momentum "
        "with its product of R₂ and V.",
        keeps(orthogonality="always", linear_momentum="always"),
        "Angular momentum is of higher degree in these variables, and energy is no polynomial: the one is [not "
        "kept], the other [swings].",
        loses("angular_momentum"),
        swings(PAIRS, steps=15_000),
        "Its equations are solved by sweeps to roundoff, each with a force of its own: [{} "
        "times] the forces of LGVI with h = 0.002.",
        times("evaluations", "LGVI", PAIRS, 6.7, 10, steps=1000),
    ),
    "RKF78": told_each(
        "Its order is eight: at the step of the paper the error of a step is roundoff, and energy is [within 10⁻¹²].",
        measured("energy", PAIRS, 0, 1e-12, steps=15_000),
        "[Nothing is kept] by its structure: with h = 0.02 energy and RᵀR of DB2 and DB4 "
        "are off by [more than 10⁻⁹].",
        loses("energy", "linear_momentum", "angular_momentum", "orthogonality"),
        (
            measured("energy", ("DB2", "DB4"), 1e-9, 1, dt=0.02, steps=1500),
            measured("orthogonality", ("DB2", "DB4"), 1e-9, 1, dt=0.02, steps=1500),
        ),
        "[Twelve forces a step] pay where forces are cheap, as of two dumbbells, and not where bodies have many "
        "masses.",
        declares(torque_evaluations=12),
    ),
    "DOP853": told_each(
        "It chooses its steps by an estimate of the error in each; Δt is [only how far apart the states are that "
        "are kept].",
        Defined("SciPy's solver, with dense output at multiples of Δt"),
        "Its error goes with the tolerance and not with Δt: energy is [within 10⁻⁷ with Δt = 0.002 and with "
        "Δt = 0.02].",
        (
            measured("energy", PAIRS, 1e-12, 1e-7, steps=15_000),
            measured("energy", PAIRS, 1e-12, 1e-7, dt=0.02, steps=1500),
        ),
        "In a close encounter it takes smaller steps by itself, where a method of one step size needs that size "
        "throughout.",
    ),
}
"""The same of methods for two bodies."""


def why(method: Method) -> Sentences | None:
    """The three sentences on a method; None for one that a visitor's own module or a plugin has declared."""
    return {"so3": WHY, "se3": WHY_OF_TWO}[method.space].get(method.key)
