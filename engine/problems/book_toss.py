"""A book spun up about its middle axis by a torque, kicked, and let go.

A problem from Simo and Wong. Krysl and Endres's closed intervals overlap at the switching times;
here they are half open. No body has the moments 5, 10, 1 (5 + 1 < 10), but Euler's equations hold
all the same. The kick has a given impulse and lasts one step of the run, so the run's Δt is one of
the field's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, hat
from ..parameters.parameter import Number, Parameter
from ..text.bibliography import bibtex
from .field import Field, Numbers, nothing
from .problem import Action, problem

GUARD = 1e-9
"""A time that is less than this part of a step before a switching time counts as there."""


def space_torque(t: float, p: Numbers) -> Vec3:
    """A torque along e1, then a kick along e2 for one step, then nothing."""
    switch = p[0]
    step = p[1]
    strength = p[2]
    impulse = p[3]
    t = t + GUARD * step
    along_x = strength if t < switch else 0.0
    along_y = impulse / step if switch <= t < switch + step else 0.0
    return Vec3(along_x, along_y, 0.0)


def torque(t: float, R: Mat3, p: Numbers) -> Vec3:
    """T = Rᵀ t(t)."""
    return R.T @ space_torque(t, p)


def tangent(t: float, R: Mat3, M: Mat3, p: Numbers) -> Mat3:
    """D M; a turn δ changes T by T × δ."""
    return hat(R.T @ space_torque(t, p)) @ M


# Between the switches the torque in space does not change.
BOOK_TOSS = Field("book-toss", torque, None, tangent, nothing, nothing)


@problem(
    key="book-toss",
    name="Book toss",
    group="Krysl & Endres",
    place=2,
    summary="Spun up about the middle axis, kicked, and released into an unstable spin.",
    aliases=("book",),
    words="racket phone throw flip",
    J=(5.0, 10.0, 1.0),
    of_a_body=False,
    Omega0=(0.0, 0.0, 0.0),
    dt=0.05,
    duration=10.0,
    equations=r"""t = \begin{cases} 20\, e_1 & t < t_d \\ \frac{1}{5 \Delta t}\, e_2 & t_d \le t < t_d + \Delta t \\
        0 & \text{after} \end{cases}""",
    invariants=("gamma_norm",),
    specific=(
        Parameter(
            "td",
            Number(0.0),
            "when the torque is switched",
            2.0,
            unit="time",
            label="Time of the kick",
        ),
        Parameter(
            "torque",
            Number(),
            "the first torque, along e1 in space",
            20.0,
            unit="mass·length²/time²",
            label="Torque until the kick, about e₁",
        ),
        Parameter(
            "kick",
            Number(),
            "impulse of the kick, along e2 in space",
            0.2,
            unit="mass·length²/time",
            label="Impulse of the kick, about e₂",
        ),
    ),
    reference=bibtex("KryslEndres2005"),
)
def book_toss(values: Mapping[str, Any], dt: float) -> Action:
    """The schedule of torque and kick, which depends on the step."""
    switch = values["td"]
    return Action(
        BOOK_TOSS, (switch, dt, values["torque"], values["kick"]), jumps=(switch, switch + dt)
    )
