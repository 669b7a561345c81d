"""NEWTON-1 and LINEAR-EULER: the gyroscopic term by an implicit Euler step that is solved to first order.

NEWTON-1 takes one step of Newton's method from the velocity at hand. Bullet's IMPLICIT_BODY, which is its default,
and IMPLICIT_WORLD are the same map: both add the impulses of the torque and of the gyroscopic term, each found from
the old velocity. Box3D has the torque's before, MuJoCo's `implicit` (and, for bodies that stand alone,
`implicitfast`) solves for both together, and Bepu, asked for ConserveMomentumWithGyroscopicTorque, turns the body
before the gyroscopic term. Box3D's name has its defaults, four steps in a frame and a cap on the frame's turn.

LINEAR-EULER is ODE's: in h Ω₁ × JΩ the one Ω is new and the other old, so that the equation is linear. ODE's default
turn is the Cayley map, its finite rotation the exponential.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, hat, solve
from ..spec import OneOf, Parameter
from ..told import FREE, loses, measured, told
from .euler import one_minus_spin, spin
from .limits import MAX_TURN, limited, within
from .method import ON_THE_GROUP
from .semi_implicit import KEPT, MAP
from .sources import BEPU, BOX3D, BOX3D_DEFAULTS, BULLET, MUJOCO, ODE, chosen_by, engine_rule


def gain(body: Any, h: float, Ω: Vec3, A: Any) -> Vec3:
    """One step of Newton's method from Ω for Ω₁ − Ω = h J⁻¹ (JΩ₁ × Ω₁) + h A."""
    return solve(one_minus_spin(body.ratios, h, Ω), h * (spin(body.ratios, Ω) + A))


def added(body: Any, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """Before and after the gyroscopic term; here the torque's impulse is added to it, as in Bullet."""
    return Ω + h * A, Ω + (h * A + gain(body, h, Ω, Zero3()))


def first(body: Any, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """The torque before it, as in Box3D and Bepu."""
    return Ω + h * A, Ω + h * A + gain(body, h, Ω + h * A, Zero3())


def together(body: Any, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """The torque in the same equation, as in MuJoCo."""
    return Ω + h * A, Ω + gain(body, h, Ω, A)


def by_the_new(before: Vec3, after: Vec3) -> Vec3:
    """The turn comes after the gyroscopic term."""
    return after


def by_the_old(before: Vec3, after: Vec3) -> Vec3:
    """The turn comes before it, as in Bepu."""
    return before


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """A cap takes momentum."""
    return limited(chosen, {"conserves": KEPT}, ON_THE_GROUP)


@engine_rule(
    key="NEWTON-1",
    name="Implicit Euler by one Newton step",
    aliases=("bullet-implicit",),
    variants={
        "bullet": {"map": "clamped"},
        "box3d": {"torque": "first", "map": "cay"} | chosen_by(BOX3D_DEFAULTS),
        "mujoco-implicit": {"torque": "together"},
        "bepu": {"torque": "first", "turn": "before"},
    },
    summary=told(
        "An implicit step of one iteration, which damps: a free body's energy [falls], and [momentum is not kept].",
        measured("energy at the end", FREE, 0, 0.999, steps=20_000),
        loses("pi", "pi_norm", "casimir"),
    ),
    equations=r"""
        \left[J + h\,(\hat\Omega_n J - \widehat{J\Omega_n})\right] \Delta\Omega = h\,J\Omega_n \times \Omega_n, \quad
        \Omega_{n+1} = \Omega_n + \Delta\Omega + h J^{-1} T_n, \quad R_{n+1} = R_n \exp(h\,\Omega_{n+1})""",
    reference="\n".join((BULLET, BOX3D, MUJOCO, BEPU)),
    options=(
        Parameter(
            "torque",
            OneOf(
                {"added": added, "first": first, "together": together},
                {"added": "added to the gyroscopic term", "first": "before it", "together": "in the same equation"},
            ),
            "where the torque is: added, as in Bullet, before the gyroscopic term, as in Box3D, or solved with it",
            "added",
            label="The torque",
        ),
        Parameter(
            "turn",
            OneOf(
                {"after": by_the_new, "before": by_the_old},
                {"after": "after the gyroscopic term", "before": "before it"},
            ),
            "whether the body turns after the gyroscopic term, or before it, as in Bepu",
            "after",
            label="The turn",
        ),
        MAP,
        MAX_TURN,
    ),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=promises,
)
def step(
    body: Any, t: float, h: float, R: Mat3, Ω: Vec3, torque: Any, turn: Any, map: Any, max_turn: float
) -> tuple[Mat3, Vec3]:
    """One step."""
    before, Ω = torque(body, h, Ω, body.Jinv @ body.torque(t, R, Ω))
    Ω = within(Ω, max_turn, h)
    return map(R, h * turn(before, Ω)), Ω


@engine_rule(
    key="LINEAR-EULER",
    name="Linearly implicit Euler",
    aliases=("ode",),
    variants={"ode-finite": {"map": "exp"}},
    summary=told(
        "One Ω of the gyroscopic term is new, the other old: a linear equation. A free body's energy [falls], "
        "and [momentum is not kept].",
        measured("energy at the end", FREE, 0, 0.9999, steps=20_000),
        loses("pi", "pi_norm", "casimir"),
    ),
    equations=r"J(\Omega' - \Omega_n) = h\,J\Omega_n \times \Omega', \quad "
    r"\Omega_{n+1} = \Omega' + h J^{-1} T_n, \quad R_{n+1} = R_n\, \mathrm{cay}(h\,\Omega_{n+1})",
    reference=ODE,
    options=(MAP.with_default("cay"),),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=ON_THE_GROUP,
)
def linear(body: Any, t: float, h: float, R: Mat3, Ω: Vec3, map: Any) -> tuple[Mat3, Vec3]:
    """One step."""
    Π, A = body.J @ Ω, body.Jinv @ body.torque(t, R, Ω)
    Ω = solve(body.J + -h * hat(Π), Π) + h * A
    return map(R, h * Ω), Ω
