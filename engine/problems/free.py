"""Free bodies, and your own body with a choice of torques."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from ..parameters.formula import Formula
from ..parameters.parameter import FormulaText, Number, OneOf, Parameter, Vector
from ..parameters.validation import Array
from ..text import bibtex, near, sentence
from . import shared_fields
from .problem import Action, problem
from .shared_fields import FREE_INVARIANTS

FREE_EQUATIONS = r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega"


def leave_free(values: Mapping[str, Any], dt: float) -> Action:
    """No torque."""
    return Action()


problem(
    key="free",
    name="Freely spinning body",
    group="Krysl & Endres",
    place=1,
    summary="McLachlan and Zanna's free body: three moments that differ, and no torque.",
    words="satellite asteroid space Poinsot",
    J=(0.9144, 1.098, 1.66),
    Omega0=(0.45549, 0.82623, 0.03476),
    dt=0.5,
    duration=100.0,
    equations=FREE_EQUATIONS,
    invariants=FREE_INVARIANTS,
    reference=bibtex("McLachlanZanna2003"),
)(leave_free)

problem(
    key="prism",
    name="Buss's prism",
    group="Buss",
    summary=sentence(
        "A long prism that wobbles about its axis of least inertia; a step of 0.004 turns it by [{}°].",
        near("degrees of a step", 16.3, of="MR2"),
    ),
    # The text's dimensions do not give the tables; these moments do: squared sides 1 : 0.8 : 18,
    # mass 0.2.
    J=(19 / 60, 1.8 / 60, 18.8 / 60),
    Pi0=(3 / sqrt(2), 3 / sqrt(2), 0.0),
    dt=0.004,
    duration=4.0,
    equations=FREE_EQUATIONS,
    invariants=FREE_INVARIANTS,
    reference=bibtex("Buss2000"),
)(leave_free)


ACTS = {
    "free": "nothing",
    "gravity": "its weight",
    "body": "a moment fixed in the body",
    "space": "a moment fixed in space",
    "formula": "a torque by formula",
}
"""The choices of what acts on your own body."""

FRAMES = {"space": "fixed in space", "body": "fixed in the body"}
"""The choices of axes for a formula."""


def find_invariants(values: Mapping[str, Any], J: Array) -> tuple[str, ...]:
    """What the motion of your own body conserves: a moment does work, and changes the momentum
    along itself.
    """
    if values["torque"] == "gravity":
        return shared_fields.find_invariants_in_gravity(J, values["Mgl"], values["chi"])
    if values["torque"] == "formula":
        return ()  # but for the energy, if it has a potential
    if values["torque"] == "free" or not any(values["moment"]):
        return FREE_INVARIANTS
    if values["torque"] == "space" and values["moment"][2] == 0.0:
        return ("pi_e3", "gamma_norm")
    return ("gamma_norm",)


def read_formulas(values: Mapping[str, Any]) -> tuple[Formula | None, Formula | None]:
    """The torque and the potential that are typed as formulas, if these act."""
    if values.get("torque") != "formula":
        return None, None
    torque = Formula(values["formula"], frame=values.get("frame", "space"))
    return torque, Formula(values["potential"], "number") if values["potential"] else None


@problem(
    key="custom",
    name="Your own body",
    group="Your own",
    summary="Any inertia, attitude and spin; free, in gravity, under a constant moment or a torque that you type.",
    words="racket wing nut T-handle Dzhanibekov flip gyroscope friction formula",
    J=(1.0, 2.0, 3.0),
    Omega0=(0.0, 1.0, 0.01),
    dt=0.05,
    duration=50.0,
    keeps=find_invariants,
    specific=(
        Parameter(
            "torque", OneOf(ACTS, ACTS), "what acts on the body", "free", label="What acts on it"
        ),
        Parameter(
            "Mgl",
            Number(0.0),
            "weight times distance of the centre of mass",
            1.0,
            unit="mass·length²/time²",
            label="Weight × arm Mgl",
            only=("torque", "gravity"),
        ),
        Parameter(
            "chi",
            Vector(),
            "direction of the centre of mass in the body",
            (0.0, 0.0, 1.0),
            label="Centre of mass χ, in the body",
            only=("torque", "gravity"),
        ),
        Parameter(
            "moment",
            Vector(),
            "the constant moment, in the body or in space",
            (0.0, 0.0, 0.1),
            unit="mass·length²/time²",
            label="Constant moment",
            only=("torque", "body", "space"),
        ),
        Parameter(
            "frame",
            OneOf(FRAMES, FRAMES),
            "the axes in which the formula gives the torque: those of space, or of the body",
            "space",
            label="Axes of the torque",
            only=("torque", "formula"),
        ),
        Parameter(
            "formula",
            FormulaText(),
            "the torque in t, R and Omega, the angular velocity in the body",
            "2*cross(R[:,2], e3)",
            unit="mass·length²/time²",
            label="Torque, a formula",
            only=("torque", "formula"),
        ),
        Parameter(
            "potential",
            FormulaText(potential=True),
            "the potential energy of that torque, in t and R, or nothing",
            "",
            unit="mass·length²/time²",
            label="Its potential energy",
            only=("torque", "formula"),
        ),
    ),
    typed_torque=read_formulas,
)
def custom(values: Mapping[str, Any], dt: float) -> Action:
    """The chosen torque."""
    if values["torque"] == "gravity":
        return shared_fields.gravity(values["Mgl"], values["chi"])
    if values["torque"] == "body":
        return Action(shared_fields.BODY_MOMENT, values["moment"])
    if values["torque"] == "space":
        return Action(shared_fields.SPACE_MOMENT, values["moment"])
    return Action()
