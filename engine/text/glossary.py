"""What technical words mean, each in a sentence or two: for the page and for the documentation.

What a table or a plot has is called here as it is there.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word, what it means, and other ways in which it is written."""

    word: str
    meaning: str
    also: tuple[str, ...] = ()


GLOSSARY: dict[str, tuple[Term, ...]] = {
    "The body and its motion": (
        Term("attitude",
             "How the body is turned: the rotation R that takes directions in the body to those in space.", ("R",)),
        Term("angular velocity",
             "About which axis the body turns, and how fast: Ω as seen from the body, ω = RΩ in space.",
             ("Ω", "ω")),
        Term("Π",
             "The angular momentum as it is seen from the body, Π = JΩ. Of a free body it keeps its length, and "
             "its direction moves through the body.", ("body momentum", "momentum in the body")),
        Term("π",
             "The angular momentum in space, π = RΠ. Of a free body it stays as it is, in length and in "
             "direction.", ("spatial momentum", "momentum in space")),
        Term("moments of inertia",
             "How hard it is to turn a body about each of its three principal axes; J has them.", ("inertia", "J")),
        Term("energy", "Of the motion, Ω·JΩ / 2, and the potential energy of what acts, if it has one."),
        Term("free body", "A body on which no torque acts. It keeps its energy, and its momentum in space."),
        Term("top",
             "A body with one point held, in gravity. It is symmetric if two of its moments are equal and its "
             "centre of mass is on the axis of the third."),
        Term("middle axis",
             "The axis of the middle one of three moments of inertia. A spin about it is unstable: the body "
             "turns over, again and again, as a tennis racket does that is thrown with a flip.",
             ("tennis racket effect", "intermediate axis")),
        Term("Poinsot's construction",
             "The motion of a free body as a picture: its inertia ellipsoid rolls, without sliding, on a plane "
             "that stays where it is.", ("Poinsot",)),
        Term("inertia ellipsoid",
             "A surface in the body: where the angular velocities end that have the same energy."),
        Term("invariable plane",
             "The plane on which the inertia ellipsoid of a free body rolls; the momentum is at right angles to "
             "it."),
        Term("polhode",
             "The curve that the point of contact draws on the inertia ellipsoid: the path of the angular "
             "velocity in the body."),
        Term("herpolhode",
             "The curve that the same point draws on the invariable plane: the path of the angular velocity in "
             "space."),
        Term("precession", "The slow turn of a top's axis about the vertical."),
        Term("nutation", "The nodding of a top's axis, up and down, while it goes around."),
        Term("time t",
             "In the unit of time that the problem's own numbers are in: seconds, where these are in SI units.",
             ("t",)),
    ),
    "What is kept": (
        Term("kept", "Of a quantity: it stays what it was at the start, up to roundoff, over every step."),
        Term("roundoff", "What is left out when a computer writes numbers with 16 digits, and what adds up of it."),
        Term("Casimir",
             "|Π|², the square of the momentum's length. A motion without torque keeps it, however the energy "
             "depends on Π: it belongs to the space of rotations, and not to the body.", ("|Π|²", "|Π| sphere")),
        Term("π·e₃",
             "The momentum about the vertical, which gravity does not change.", ("momentum about the vertical",)),
        Term("π·χ",
             "The momentum about the body's own axis, which gravity does not change on a symmetric top.",
             ("momentum about the body's axis",)),
        Term("Γ = Rᵀe₃", "The vertical as it is seen from the body.", ("Γ", "length of Γ = Rᵀe₃")),
        Term("orthogonality",
             "How far R is from a rotation: the size of RᵀR − 1, which is 0 of a rotation.", ("‖RᵀR − 1‖",)),
        Term("energy error", "By how much the energy has left its first value, which the motion keeps."),
        Term("momentum error",
             "By how much the momentum in space is off: from where it began if the motion keeps it, and else "
             "from the exact one.", ("spatial momentum error",)),
        Term("linear momentum error", "By how much the momentum of both bodies together has left its first value."),
        Term("angular momentum error", "The same of their angular momentum, of spin and orbit together."),
        Term("attitude error",
             "The angle of the turn that takes a method's attitude to the exact one, in radians.",
             ("angle to the exact solution",)),
        Term("attitude error, spectral norm",
             "The size of R less the exact one, ‖R − Rₑₓ‖₂: 0 if they are the same, and 2 if they are half a "
             "turn apart."),
        Term("body momentum error", "By how much Π, the momentum as seen from the body, is off from the exact one."),
        Term("drift", "What the energy does in the long run: a drift goes on in one direction, a swing comes back."),
        Term("exact motion",
             "The motion itself, in closed form for free bodies and symmetric tops, and else by a far finer run; "
             "how far it may be off is told below the plots.", ("exact",)),
    ),
    "Methods": (
        Term("method", "A rule that makes one step: from attitude and velocity now to those a little later."),
        Term("Δt", "The step: by how much a method goes on in time at once.", ("step",)),
        Term("order",
             "How fast the error falls with the step: with order p, half the step has about 2ᵖ times less error. "
             "The two numbers are those of the attitude and of the momentum."),
        Term("symplectic",
             "A step is such a map as the motion itself is: it keeps areas in the space of attitude and "
             "momentum. Over long times the energy of such a method swings, and does not drift, if the step is "
             "small."),
        Term("reversible", "A step forwards and a step back lead to where it began."),
        Term("explicit", "A step is computed straight away, without solving an equation.", ("each step",)),
        Term("implicit", "A step solves an equation, in a few iterations of Newton's method."),
        Term("variational",
             "Made from a sum in place of the integral of least action; such a method is symplectic."),
        Term("composition", "A step made of several of another method, forwards and backwards, for a higher order."),
        Term("energy correction",
             "Buss's: after each step a free body is turned a little, until it has its first energy again."),
        Term("Newton iteration", "One improvement of the solution of an implicit step's equation."),
        Term("rotation per step", "The angle by which a step turns the body, in degrees."),
    ),
    "The ledger": (
        Term("max |ΔE/E₀|", "Largest change of the energy over every step, relative to the first energy."),
        Term("drift of E", "Slope of a line through the means of the energy, ΔE/E₀ for each unit of time."),
        Term("max |Δπ|/|π₀|", "Largest change of the angular momentum in space, relative to the first."),
        Term("max |Δ(π·e₃)|", "Largest change of the momentum about the vertical."),
        Term("max |Δπ|", "The torque changes the momentum here, so that no method should keep it."),
        Term("max |Δp|", "Largest change of the total linear momentum p = m₁v₁ + m₂v₂."),
        Term("max ‖RᵀR − 1‖", "How far R is from a rotation, over every step; of two bodies the worse of both."),
        Term("torques a step", "Evaluations of the torque for each step; a free body has none."),
        Term("forces a step", "Evaluations of the mutual force and moment for each step."),
        Term("Newton a step", "Iterations of Newton's method for each step."),
        Term("ns a step", "Time of one step in the kernel, in nanoseconds."),
    ),
}  # fmt: skip
"""All words, in groups by what they are about."""


@functools.cache
def _by_name() -> dict[str, Term]:
    return {
        name.casefold() if len(name) > 1 else name: term
        for terms in GLOSSARY.values()
        for term in terms
        for name in (term.word, *term.also)
    }


def names() -> tuple[str, ...]:
    """Every word, as it is looked up."""
    return tuple(_by_name())


def meaning(name: str) -> str:
    """What a word means; nothing if it is not here. Of single letters Π and π are two words."""
    term = _by_name().get(name.casefold() if len(name) > 1 else name)
    return term.meaning if term else ""
