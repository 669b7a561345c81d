"""NEWTON-1 and LINEAR-EULER: the gyroscopic term by an implicit Euler step that is solved to first
order.

NEWTON-1 takes one step of Newton's method from the old velocity. Bullet's IMPLICIT_BODY, its
default, and IMPLICIT_WORLD are the same map: both add the impulses of the torque and of the
gyroscopic term, each computed from the old velocity. Box3D applies the torque first, MuJoCo's
`implicit` (and, from version 3.11 on, for bodies without contacts and joints `implicitfast`) solves
for both together, and Bepu with ConserveMomentumWithGyroscopicTorque turns the body before the gyroscopic term. The
name `box3d` has Box3D's defaults, four steps in a frame and a cap on the turn of a frame.

LINEAR-EULER is ODE's: in h Ω₁ × JΩ one Ω is new and the other old, so that the equation is linear.
ODE's default turn is the Cayley map, its finite rotation the exponential.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, hat, solve
from ..text import FREE, bibtex, loses, measures
from .core import (
    MAX_TURN,
    Body,
    engine_rule,
    limit_turn,
    offer,
    one_minus_spin,
    reduce_promises,
    spin,
)
from .core.promises import BODY_RATES, ON_THE_GROUP
from .semi_implicit import MAP


def find_gain(body: Body, h: float, Ω: Vec3, A: Any) -> Vec3:
    """One step of Newton's method from Ω for Ω₁ − Ω = h J⁻¹ (JΩ₁ × Ω₁) + h A."""
    return solve(one_minus_spin(body.ratios, h, Ω), h * (spin(body.ratios, Ω) + A))


def add_torque(body: Body, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """The velocities before and after the gyroscopic term, to which the torque's impulse is added,
    as in Bullet.
    """
    return Ω + h * A, Ω + (h * A + find_gain(body, h, Ω, Zero3()))


def take_torque_first(body: Body, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """The same with the torque first, as in Box3D and Bepu."""
    return Ω + h * A, Ω + h * A + find_gain(body, h, Ω + h * A, Zero3())


def solve_together(body: Body, h: float, Ω: Vec3, A: Any) -> tuple[Vec3, Vec3]:
    """The same with the torque in the same equation, as in MuJoCo."""
    return Ω + h * A, Ω + find_gain(body, h, Ω, A)


def turn_by_new(before: Vec3, after: Vec3) -> Vec3:
    """Turn after the gyroscopic term."""
    return after


def turn_by_old(before: Vec3, after: Vec3) -> Vec3:
    """Turn before the gyroscopic term, as in Bepu."""
    return before


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """A cap removes momentum."""
    return reduce_promises(chosen, {"conserves": BODY_RATES})


@engine_rule(
    key="NEWTON-1",
    name="Implicit Euler by one Newton step",
    short="Implicit Euler",
    aliases=("bullet-implicit",),
    variants={
        "bullet": {"map": "clamped"},
        "box3d": {"torque": "first", "map": "cay"},
        "mujoco-implicit": {"torque": "together"},
        "mujoco-implicitfast": {"torque": "together"},
        "mujoco-discrete": {"torque": "together"},
        "newton-mujoco": {"torque": "together"},
        "bepu": {"torque": "first", "turn": "before"},
    },
    reference=bibtex("Bullet2025", "Box3D2026", "MuJoCo2026", "Bepu2026"),
    options=(
        offer(
            "torque",
            "where the torque enters: added, as in Bullet, before the gyroscopic term, as in "
            "Box3D, or solved with it",
            "The torque",
            {
                "added": (add_torque, "added to the gyroscopic term"),
                "first": (take_torque_first, "before it"),
                "together": (solve_together, "in the same equation"),
            },
            brief="torque {label}",
        ),
        offer(
            "turn",
            "whether the body turns after the gyroscopic term, or before it, as in Bepu",
            "The turn",
            {
                "after": (turn_by_new, "after the gyroscopic term"),
                "before": (turn_by_old, "before it"),
            },
            brief="turn {label}",
        ),
        MAP,
        MAX_TURN,
    ),
    given_options=promise,
    evidence=(
        measures("energy at the end", FREE, 0, 0.999, steps=20_000),
        loses("pi", "pi_norm", "casimir"),
        measures("energy at the end", FREE, 0, 0.999, steps=20_000),
        loses("pi", "pi_norm", "casimir"),
    ),
)
def step(
    body: Body,
    t: float,
    h: float,
    R: Mat3,
    Ω: Vec3,
    torque: Any,
    turn: Any,
    map: Any,
    max_turn: float,
) -> tuple[Mat3, Vec3]:
    r"""An implicit step of one iteration, which damps: a free body's energy [falls], and [momentum
    is not conserved].

    .. math::
        \left[J + h\,(\hat\Omega_n J - \widehat{J\Omega_n})\right] \Delta\Omega = h\,J\Omega_n \times \Omega_n, \quad
        \Omega_{n+1} = \Omega_n + \Delta\Omega + h J^{-1} T_n, \quad R_{n+1} = R_n \exp(h\,\Omega_{n+1})

    - It uses the gyroscopic term at the end of the step. One step of Newton's method finds it from
      the old velocity.
    - An implicit Euler step damps what turns, so a free body's energy [falls].
    - The balance is written in the body's frame, and momentum [is not conserved], neither its
      direction nor its length.
    """
    before, Ω = torque(body, h, Ω, body.Jinv @ body.torque(t, R, Ω))
    Ω = limit_turn(Ω, max_turn, h)
    return map(R, h * turn(before, Ω)), Ω


@engine_rule(
    key="LINEAR-EULER",
    name="Linearly implicit Euler",
    short="Linearly implicit Euler",
    variants={"ode": {}, "ode-finite": {"map": "exp"}},
    reference=bibtex("ODE2024"),
    options=(MAP.with_default("cay"),),
    conserves=ON_THE_GROUP,
    evidence=(
        measures("energy at the end", FREE, 0, 0.9999, steps=20_000),
        loses("pi", "pi_norm", "casimir"),
        loses("pi", "pi_norm", "casimir"),
        measures("energy at the end", FREE, 0, 0.9999, steps=20_000),
    ),
)
def linear(body: Body, t: float, h: float, R: Mat3, Ω: Vec3, map: Any) -> tuple[Mat3, Vec3]:
    r"""One velocity of the gyroscopic term is new and one old, so its equation is linear. A free
    body's energy [falls], and [momentum is not conserved].

    .. math::
        J(\Omega' - \Omega_n) = h\,J\Omega_n \times \Omega', \quad \Omega_{n+1} = \Omega' + h J^{-1} T_n, \quad
        R_{n+1} = R_n\, \mathrm{cay}(h\,\Omega_{n+1})

    - The gyroscopic term contains two velocities. One of them is new, so the equation is
      linear.
    - The unknown is the velocity in the old attitude, and momentum [is not conserved].
    - A free body's energy [falls], as with a step of implicit Euler.
    """
    Π, A = body.J @ Ω, body.Jinv @ body.torque(t, R, Ω)
    Ω = solve(body.J + -h * hat(Π), Π) + h * A
    return map(R, h * Ω), Ω
