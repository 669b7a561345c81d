"""Why each method does what it does, in three sentences: what it makes of the equations, and what follows."""

from __future__ import annotations

from engine import Method

Sentences = tuple[str, str, str]

WHY: dict[str, Sentences] = {
    # Newmark
    "NMB": (
        "On the free body its half-step velocities obey the implicit midpoint rule, so that it keeps E + Δt²/8 "
        "A·JA exactly, and E itself swings as the acceleration A does.",
        "Momentum follows from a balance of rates in the body's frame and is never carried over in space, so it "
        "swings as well.",
        "The step is time-reversible, which forbids drift where the motion is regular; but it is not symplectic, "
        "and on the chaotic asymmetric top its energy wanders.",
    ),
    "ELN": (
        "Its velocities on the free body are those of NMB, and energy and momentum swing as they do there.",
        "The Cayley map turns by 2 atan(|v|/2) in place of |v|, which falls short by about |v|³/12.",
        "That is an error of phase, the same in every step, so it adds up: on the free body the attitude is about a "
        "hundred times worse than with NMB.",
    ),
    "SQ-M": (
        "Attitude and velocity are advanced by the mean of the accelerations at both ends, and the balance of "
        "rates holds at the end of the step.",
        "That balance knows the body's frame only, so the momentum in space is not handed on and swings.",
        "Both ends enter alike, the step is reversible, and so energy swings about its value too.",
    ),
    "SVQ-TLN": (
        "It is the trapezoidal rule for the body's rates, and turns by the mean velocity with the Cayley map.",
        "On a symmetric top Ω₃ is constant and the gyroscopic term linear: trapezoidal and midpoint rule are then "
        "the same, and it keeps energy and π·e₃ as AKW does.",
        "On other bodies the mean of the squares is not the square of the mean, and both swing.",
    ),
    "SW": (
        "It adds the impulse to the momentum in space, so a free body's momentum is handed on untouched.",
        "Energy stands in none of its equations, and swings.",
        "The acceleration comes from A₁ = 2/Δt (Ω₁ − Ω₀) − A₀, which damps nothing: an error there changes its "
        "sign with every step, and grows on the book toss with Δt = 0.05.",
    ),
    # Midpoint
    "AKW": (
        "With the Cayley map the momentum Π and the vertical Γ, seen from the body, obey the implicit midpoint "
        "rule, which keeps every quadratic invariant.",
        "Energy, |Π|, Π·Γ and |Γ| of a heavy top are such, and so they are kept to roundoff.",
        "But the Cayley map turns by 2 atan(x/2) in place of x, so the body lags behind, by about x³/12 in each "
        "step.",
    ),
    "IMID": (
        "The change of momentum in the body is at right angles to its mean and to the mean velocity, so |Π| and "
        "the energy of a free body are kept.",
        "The momentum thereby turns as the Cayley map does, while the attitude is turned by the exponential map.",
        "The two angles differ, and R Π does not stay where it is: the momentum's length is kept, its direction not.",
    ),
    "TRAP": (
        "It takes the two halves of IMID, an explicit and an implicit half step of Euler's method, in the other "
        "order.",
        "Seen half a step of Euler's further on its motion is that of IMID, and what IMID keeps it keeps there.",
        "In its own states energy and |Π| therefore swing, within fixed bounds.",
    ),
    "IMIDM": (
        "The momentum is turned back by just the rotation by which the body is turned, so it stays in space.",
        "The velocity is that of the middle of the step, where the momentum has been turned by half of it; energy "
        "does not enter, and is kept nearly.",
        "The step reads the same from both ends, so the energy swings and does not drift on regular motions.",
    ),
    "TRAPM": (
        "It is IMIDM with its halves exchanged, so that each is the other seen half a step further on.",
        "The momentum is turned with the body and stays in space; energy swings, as with IMIDM.",
        "With ζ other than ½ one end of the step weighs more: the order falls to one, and nothing holds energy "
        "any longer.",
    ),
    "SW-C1": (
        "A free body turns about the mean of the velocities at both ends, and the momentum is turned back by the "
        "same rotation: it stays in space.",
        "What a turn about the mean velocity changes in Π is at right angles to that velocity, and so costs no "
        "energy.",
        "With torque the impulse is taken half way: π·e₃ is still kept, energy is not.",
    ),
    "BBTRAP": (
        "On the free body it is SW-C1: a turn about the mean velocity changes neither momentum in space nor energy.",
        "With torque it takes half of the impulse at either end of the step, which keeps π·e₃ but not energy.",
        "Mean velocity times Δt is not quite the rotation vector, which is an error of phase of second order.",
    ),
    "BBTRAP-DEXP": (
        "Here the velocity at the end is brought into the Lie algebra properly, by dexp⁻¹.",
        "The axis of the turn is then no longer the mean velocity, and energy is lost or won in every step.",
        "As the start is treated otherwise than the end, the step is not reversible, and nothing keeps that from "
        "adding up; the momentum is still turned with the body, and stays.",
    ),
    # Variational
    "DMV": (
        "It follows from a principle of least action with discrete time, and so it is symplectic and keeps "
        "momentum; a free body is turned about the mean velocity, which keeps energy as well.",
        "The angle θ of that turn has sin θ = Δt |ω|: beyond Δt |ω| = 1 there is none, and the method has no "
        "solution.",
        "Since the arc is longer than its sine the body runs ahead, by about x³/6 in a step of x radians: twice "
        "as far as AKW lags behind.",
    ),
    "LS": (
        "In the reading that fits what is told of it, the body turns about the mean velocity by the arc sine of "
        "Δt |ω|, and that is DMV.",
        "Of all functions of Δt |ω| that could stand there, each keeps energy and momentum of the free body, but "
        "only the arc sine was found to give a symplectic map.",
        "It also inherits DMV's limit, as no sine is larger than one.",
    ),
    "MLEOK": (
        "It is DMV with the whole impulse at the end of the step, in place of half of it at either end.",
        "Seen half a kick further on, its states are those of DMV: it is symplectic, and behaves as well in the "
        "long run.",
        "The states it reports are half a kick off, and so it is of first order wherever a torque acts.",
    ),
    "DMV4": (
        "DMV traces the right curve of a free body's momentum, at a slightly wrong pace.",
        "A step of Δt (1 + Δt² s), with s from the energy and |Π|, which are kept, corrects the pace to order four.",
        "The attitude has an error besides, which another time does not mend: it stays of order two.",
    ),
    "KDK": (
        "Half the impulse, a free step of AKW, half the impulse: the free step keeps energy and momentum.",
        "The torque is needed at the ends only, where the attitude is known, so it is explicit in it; but the "
        "kicks know nothing of the potential, and the energy of a top swings.",
        "It lacks the term of second order that makes VLV symplectic; without it the free step lags as AKW's does.",
    ),
    "VLV": (
        "It follows from a discrete principle of least action written with the Cayley map, and so it is "
        "symplectic and keeps momentum.",
        "A symplectic method follows the motion of a slightly different energy nearly exactly, so the true energy "
        "swings within bounds.",
        "The Cayley map reaches every angle below half a turn, which is why there is a solution where DMV has none.",
    ),
    "LIEMID-E1": (
        "All of the impulse comes at the start of the step, and a midpoint step of the free body follows.",
        "Only one end sees the torque, which costs an order: it is of first order with torque, of second without.",
        "The impulse is added to the momentum in space and the free step turns it with the body, so it is kept.",
    ),
    "LIEMID-E2": (
        "A midpoint step of the free body comes first, and all of the impulse at its end.",
        "It is LIEMID-E1 run backwards in time, and its errors of odd order have the other sign.",
        "Therefore a half step of each, one after the other, is of second order: that is LIEMID-EA.",
    ),
    "LIEMID-EA": (
        "Half a step of LIEMID-E1 and half a step of LIEMID-E2, each the other's reverse, make a step that reads "
        "the same from both ends.",
        "Errors of odd order cancel, which gives second order, and energy swings without drift on regular motions.",
        "It solves two equations a step, each for half the angle, and so gets along with larger steps.",
    ),
    "PDMV4": (
        "Each step of DMV is given a slightly different inertia, chosen so that its discrete motion is the true "
        "one to order four.",
        "That inertia has the same axes and depends on energy and |Π| only, so both are still kept, and in a free "
        "motion it is the same in each step.",
        "With torque it stands between two half kicks, and that splitting is of order two, whatever is in the "
        "middle.",
    ),
    "PDMV": (
        "It goes on where PDMV4 stops, with more terms of the inertia that makes DMV's discrete motion the true one.",
        "Energy and |Π| of a free body do not change, so the inertia and what has to be solved for are the same "
        "in each step.",
        "The terms are powers of Δt: they help while a step turns the body by less than about a radian, and the "
        "kicks of a torque bring the order back to two.",
    ),
    # Splitting
    "MR2": (
        "The kinetic energy is cut into its three squares, and each by itself turns the body about one of its "
        "axes, which can be done exactly.",
        "Five such turns are symplectic, as each is, and they turn momentum along with the body, so that it stays "
        "in space.",
        "Together they follow a slightly different energy nearly exactly: the true one swings, more or less as "
        "the order of the axes suits the body.",
    ),
    "MR4": (
        "Three steps of MR2, of 1.35, −1.70 and 1.35 times Δt, are laid so that their errors of third order cancel.",
        "What is made of symplectic and reversible steps is symplectic and reversible, and keeps momentum as they "
        "do.",
        "The parts are longer than the step itself, so its advantage comes with smaller steps only.",
    ),
    # Explicit
    "HSTAGM": (
        "Two tracks, half a step apart, each turn with the other's velocity, and impulses are added in space: "
        "momentum is kept.",
        "Nothing holds the two tracks together, and a difference between them changes its sign with every half step.",
        "On the free body it stays small; on the slow top it grows until the tracks part and the energy blows up.",
    ),
    "KB": (
        "The first half turn takes the velocity at the start, the second one predicted from the torque half way.",
        "The momentum is turned back with the body and gets its impulse in space, so it is kept.",
        "As the end never enters, the step is not reversible, and the error in energy has the same sign again and "
        "again: it drifts.",
    ),
    "TERZE": (
        "The body turns by a velocity that is predicted by turning momentum by half a step of the old one.",
        "Momentum itself is turned back by the very rotation of the body, and is kept to roundoff.",
        "The prediction looks from one end only, so the step is not reversible: a free body's energy creeps up, "
        "until the body spins about the axis where it is largest.",
    ),
    # Runge–Kutta on the group
    "CF4": (
        "Its exponentials hold sums of the stages' velocities, and their order in the product does the work of "
        "the commutators that Runge–Kutta–Munthe-Kaas needs.",
        "The momentum in space is a plain vector that adds up impulses, so a free body's is kept.",
        "It is not reversible, and energy drifts; but the drift is of a high power of Δt, and so slow.",
    ),
    "CG2": (
        "Half a step is tried with the velocity at the start, and the whole made with the velocity found there.",
        "Only products of rotations are taken, so R remains one, and impulses add up in space, so momentum is kept.",
        "The trial looks from one end only, and energy drifts.",
    ),
    "CG3": (
        "The step is a product of turns, one for each stage, and turns do not commute.",
        "Third order asks more of the coefficients for that reason than it does for vectors; these were found for "
        "it.",
        "Momentum is a vector in space and kept, while energy drifts, as no explicit step of this kind is "
        "reversible.",
    ),
    "CG4": (
        "For turns that do not commute, order four takes five stages where vectors need four, and coefficients "
        "that are no round numbers.",
        "Momentum is summed in space, so a free body's is kept whatever the coefficients are.",
        "Energy is not: the step is not reversible, so the error may add up, slowly, as it is of a high power of Δt.",
    ),
    "CG-RK4": (
        "The classical coefficients are of order four because sums may be taken in any order.",
        "In a product of turns the order matters, the commutators are left over, and they are of third power in "
        "Δt: the method is of order two.",
        "Impulses add up in space as vectors, so the momentum is kept even so.",
    ),
    "RKMK": (
        "The rotation vector of the step lives in a flat space, where a Runge–Kutta method keeps its order; "
        "dexp⁻¹ says how fast it changes.",
        "One exponential brings it back, so R remains a rotation, and the momentum adds up impulses in space, so "
        "it is kept.",
        "Explicit stages look from one end only: the step is not reversible, and energy drifts, slowly as the "
        "order is high.",
    ),
    # Taylor
    "BUSS1": (
        "The body turns by the velocity at the start of the step, while the true one moves on during it.",
        "The momentum is left where it is in space, and so is exact.",
        "The lag is always to the same side: energy grows until the body spins about its axis of least inertia, "
        "where a given momentum has the most.",
    ),
    "BUSS2": (
        "It takes the velocity half a step ahead, from the first derivative, and so is of second order.",
        "What a turning axis adds to a rotation, a commutator, is left out.",
        "The rest of the error is one-sided: the momentum stays, and energy grows, only later than with BUSS1.",
    ),
    "BUSS2-AUG": (
        "A turn by the mean velocity is not the rotation, because rotations about a moving axis do not commute; "
        "the term Δt²/12 ω̇ × ω accounts for that.",
        "On the fast top that term is most of the error, and energy is kept far better than by BUSS2; on a tumbling "
        "free body it is not, and energy grows faster than there.",
        "The mean velocity is still that of BUSS2, so the order is two, and the step looks forward from one end.",
    ),
    "BUSS3-FALSE": (
        "It has the mean velocity to third order, as if rotations were vectors.",
        "They are not: without the commutator Δt²/12 ω̇ × ω the method stays of order two.",
        "The better mean is of no use alone: on the fast top energy grows even a little faster than with BUSS2, and "
        "on a free body it falls instead.",
    ),
    "BUSS3": (
        "It has both the mean velocity to third order and the commutator that a moving axis calls for.",
        "An error of even power in Δt is left, which has one sign for as long as the motion is of one kind: a free "
        "body slowly loses energy, a fast top slowly wins some.",
        "Most of its error is that change of energy: with the correction, BUSS3+E ends about a hundred times nearer "
        "on a free body.",
    ),
    "BUSS4": (
        "One rotation a step, whose vector is the first terms of Magnus's series, with the derivatives of ω from "
        "Euler's equations.",
        "Momentum stays in space by construction.",
        "The step looks forward from one end, is not reversible, and so energy drifts, though by little.",
    ),
    "BUSS5": (
        "It adds the terms of fifth order to one rotation a step: nested commutators of the derivatives of ω.",
        "Those derivatives follow from Euler's equations if no torque acts; a torque would have to tell its own "
        "rates of change.",
        "Momentum is exact, and energy drifts so slowly that it takes large steps to see it.",
    ),
    "BUSS6": (
        "One rotation a step whose vector is right to the sixth order, nested commutators included.",
        "It evaluates nothing but ω and its derivatives at the start, with no stages and nothing to solve, and is "
        "cheap for what it gives.",
        "Momentum is exact; the series is of powers of Δt, so the gain is lost where a step turns the body too far.",
    ),
    "SW-BUSS": (
        "The velocity half a step ahead is guessed from the last two: ν + (ν − ν before)/2, in the body.",
        "The momentum stays in space; the guess leans on the past, so that the step is not reversible and energy "
        "grows.",
        "As run for the tables its acceleration was not divided by the step, which leaves nothing but first order.",
    ),
    # Multistep and baselines
    "ABAM": (
        "It means the velocities of the last steps with the coefficients of a method of order four.",
        "The means are of vectors, and rotations about a moving axis do not add like vectors: order two is what "
        "remains.",
        "As it was run for the tables it also carries a velocity by the old attitude, and energy grows; the clean "
        "variant does not, and its energy grows far less.",
    ),
    "RK4-AVG": (
        "It makes four velocities as the classical Runge–Kutta method does, and turns by their mean.",
        "The mean is of vectors: the commutators of a moving axis are left out, and order two remains.",
        "The momentum stays in space; energy changes less than with BUSS2, but four velocities are a high price for "
        "order two.",
    ),
    "RK4-MATRIX": (
        "Each stage adds a tangent to R, entry by entry, and a tangent leads off the rotations.",
        "Nothing leads back: RᵀR − 1 grows with each step, and with it R Π.",
        "It is of order four all the same, so with small steps it takes long to notice, and then goes on.",
    ),
    "RK2-MATRIX": (
        "It adds one tangent a step to the nine entries of R, taken half way.",
        "That lengthens the columns of R a little, always in the same direction, until R is visibly no rotation.",
        "The velocity is treated in the same way, and energy and momentum grow with it.",
    ),
    "IMR-MATRIX": (
        "The implicit midpoint rule keeps every quadratic invariant, and RᵀR = 1 is made of such.",
        "For the nine entries it amounts to a turn by the Cayley map, although the middle of the step is no "
        "rotation.",
        "Energy and momentum are quadratic too, and so are kept, with the lag of the Cayley map as in AKW.",
    ),
    "RK4-QUAT": (
        "The four entries of the quaternion are treated as any four numbers, and its length changes with each step.",
        "Setting the length right, as most programs do, mends RᵀR = 1 and the length of R Π, but not what follows "
        "from the velocity.",
        "Energy and momentum follow from the velocity, which is summed in the body's frame: both drift, slowly "
        "while the step is small.",
    ),
    "RK-QUAT": (
        "It is RK4-QUAT with a tableau of high order, so the error in a step is very small.",
        "Small is not nothing: length, energy and momentum still drift, as none of them is in the equations.",
        "Where the drift lies below roundoff for as long as one looks, it is as good as any method, and quick.",
    ),
    # Adaptive and exact
    "DOP853": (
        "It makes each step as long as its estimate of the error allows, and keeps to the tolerance, not to the "
        "motion's invariants.",
        "Length, energy and momentum drift by about the tolerance in each step.",
        "Its steps change with the motion, which would spoil the long-time behaviour even of a reversible method.",
    ),
    "RK45": (
        "Two formulas of orders five and four share their stages, and their difference tells how long a step may be.",
        "Nothing of the body's geometry is in them, so that energy, momentum and |q| drift, the faster the larger "
        "the tolerance.",
        "At a small tolerance it takes many more steps than DOP853, whose order is higher.",
    ),
    "RADAU": (
        "Its implicit stages end at the end of the step, which damps whatever is faster than the step.",
        "A spinning body has nothing to damp: what it loses there is true motion, and energy leaks away.",
        "With a small tolerance that is little, and dear: each step solves for three stages at once.",
    ),
    "LSODA": (
        "It goes on from the past by polynomials of varying order and step, and so takes few evaluations.",
        "Each change of order or step leaves an error of the tolerance's size in energy, momentum and |q|, and "
        "they add up.",
        "Rigid bodies are rarely stiff, and so it mostly stays with its explicit Adams formulas.",
    ),
    "EXACT": (
        "Euler found that the free body's momentum moves on the curve where the spheres |Π| and the energy's "
        "ellipsoid meet, and Jacobi how fast: in elliptic functions.",
        "A symmetric top's attitude has a formula as well, in theta functions; states are evaluated at each time "
        "anew, so that no error adds up.",
        "Where the motion has no formula, as with the asymmetric top, a run so fine that only roundoff is left "
        "stands in for it.",
    ),
}


WHY_OF_TWO: dict[str, Sentences] = {
    "LGVI": (
        "It follows from a principle of least action with discrete time, in which each attitude is the one before "
        "times a rotation; so R₁ and R₂ stay rotations, and the map is symplectic.",
        "Neither a shift nor a turn of the whole changes that discrete action, and so both total momenta are kept "
        "to roundoff, at any step.",
        "Energy is not kept but swings, as h², about a nearby energy that is; the force is needed only once a step, "
        "and each body's turn comes from an equation of three unknowns that Newton's method solves.",
    ),
    "LGVI4": (
        "Three steps of LGVI, the middle one backwards, cancel each other's errors of order two: a symmetric "
        "method composed in this way gets order four.",
        "Each of the three keeps both momenta, the rotations and the symplectic form, and so do all together.",
        "The outer steps are 1.35 h long and the inner one −1.70 h, so that it needs smaller steps than LGVI before "
        "its order shows, and three forces for each.",
    ),
    "LGM": (
        "Its stages turn the attitudes by exponentials, so that R₁ and R₂ stay rotations to roundoff.",
        "It comes from no variational principle and is not symmetric in time: where the bodies tumble fast, energy "
        "and angular momentum go on in one direction.",
        "The velocity of body 1 is found from V in the turning frame of body 2, and no explicit stage keeps such a "
        "product: linear momentum is off as well.",
    ),
    "RK2": (
        "It adds multiples of derivatives to the entries of R and R₂, and a rotation plus something that is "
        "tangent to it is no rotation: ‖RᵀR − 1‖ grows from the first step.",
        "What is no rotation any more puts the masses at wrong distances, and so the forces are those of other "
        "bodies.",
        "Nothing of the motion is kept exactly; where the bodies tumble fast, as in DB4, energy goes on in one "
        "direction, ten times faster than LGM's.",
    ),
    "SRK": (
        "The implicit midpoint rule keeps whatever is quadratic in the unknowns: RᵀR, and the linear momentum with "
        "its product of R₂ and V.",
        "Angular momentum is of higher degree in these variables, and energy is no polynomial: both swing.",
        "Its equations for all unknowns are solved by sweeps to roundoff, each with a force of its own, which makes "
        "it the most expensive of second order.",
    ),
    "RKF78": (
        "Its order is eight: at the step of the paper every error of a single step is roundoff, and all seems to "
        "be kept.",
        "Nothing is, by its structure: with a ten times larger step R leaves the rotations and energy drifts.",
        "Twelve forces a step pay where forces are cheap, as of two dumbbells, and not where bodies have many "
        "masses.",
    ),
    "DOP853": (
        "It chooses its steps by an estimate of the error in each; Δt is only how far apart the states are that "
        "are kept.",
        "What is lost goes with the tolerance and not with Δt: energy and attitudes drift slowly.",
        "In a close encounter it takes smaller steps by itself, where a method of one step size needs that size "
        "all along.",
    ),
}
"""The same of methods for two bodies."""


def why(method: Method) -> Sentences | None:
    """The three sentences on a method; None for one that a visitor's own module or a plugin has declared."""
    return (WHY if method.space == "so3" else WHY_OF_TWO).get(method.key)
