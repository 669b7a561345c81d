"""SEMI-EULER: the velocity first, explicitly, then the attitude by the new velocity.

Most engines take this step. Many leave out the gyroscopic term JΩ × Ω, by which a free body tumbles: Godot's own
engine, ReactPhysics3D and cannon-es have none, and Jolt, PhysX and Bepu have none unless they are asked. The line
that most have for the quaternion, q ← unit(q + h/2 [ω] q), is the Cayley map. MuJoCo's Euler integrator and Chrono's
default have the term, and so has Newton, whose XPBD solver then takes the velocity from the turn that was made: 2/h
times the vector of its quaternion. Bullet's explicit option holds |JΩ × Ω| to at most 100, and its exponential π/4.

Jolt and PhysX damp and cap the velocity after the torque, Godot and cannon-es damp it before, and Newton's
SemiImplicit after the turn. The engines' names have their defaults, each with the line that sets it in `sources.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, tan
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross, norm, quaternion_of, times_cay, times_exp
from ..spec import OneOf, Parameter
from ..told import FREE, loses, measured, told
from .limits import DAMPING, MAX_SPEED, capped, damped, limited
from .method import ON_THE_GROUP
from .sources import (
    BULLET,
    CANNON,
    CANNON_DEFAULTS,
    CHRONO,
    GODOT,
    GODOT_DEFAULTS,
    JOLT_DEFAULTS,
    MUJOCO,
    NEWTON,
    NEWTON_DEFAULTS,
    PHYSX_DEFAULTS,
    REACT,
    chosen_by,
    engine_rule,
)

CAP = 100.0
"""The most that Bullet's explicit gyroscopic torque can be, by default."""
MOST_TURN = pi / 4
LONGER = 8.0 * tan(pi / 8) / pi


def times_exp_or_less(R: Mat3, v: Vec3) -> Mat3:
    """R exp(v) up to π/4; beyond, the half angle's tangent grows with |v|: Bullet shortens |v|, but not v itself."""
    return times_exp(R, v) if norm(v) <= MOST_TURN else times_cay(R, LONGER * v)


MAP = Parameter(
    "map",
    OneOf(
        {"exp": times_exp, "cay": times_cay, "clamped": times_exp_or_less},
        {"exp": "exponential", "cay": "Cayley", "clamped": "exponential up to π/4"},
    ),
    "how the velocity turns the body: by the exponential, by Cayley's map, which is a linear step of the quaternion "
    "made a unit, or by the exponential up to π/4 and by less beyond, as in Bullet",
    "exp",
    label="How the velocity turns the body",
)


def kept(body: Any, Ω: Vec3) -> Vec3:
    """JΩ × Ω."""
    return cross(body.J @ Ω, Ω)


def of_100_at_most(body: Any, Ω: Vec3) -> Vec3:
    """The same, or what has its direction and the length CAP if that is less."""
    G = kept(body, Ω)
    return G * (CAP / norm(G)) if norm(G) > CAP else G


def left_out(body: Any, Ω: Vec3) -> Zero3:
    """No gyroscopic term."""
    return Zero3()


def after_the_torque(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The velocity that turns the body and the one that is handed on; here the new one is damped, and then capped."""
    Ω = capped(damped(Ω + gained, c, h), most)
    return Ω, Ω


def before_the_torque(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same where the old one is damped."""
    Ω = capped(damped(Ω, c, h) + gained, most)
    return Ω, Ω


def by_a_power(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same where the power h of 1 − c is left of the old one."""
    Ω = capped((Ω * ((1.0 - c) ** h if c < 1.0 else 0.0) if c > 0.0 else Ω) + gained, most)
    return Ω, Ω


def after_the_turn(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same where the one that is handed on is damped."""
    Ω = capped(Ω + gained, most)
    return Ω, damped(Ω, c, h)


def as_it_is(h: float, Ω: Vec3, R: Mat3, R1: Mat3) -> Vec3:
    """The velocity by which the body was turned."""
    return Ω


def of_the_turn(h: float, Ω: Vec3, R: Mat3, R1: Mat3) -> Vec3:
    """2/h times the vector of the turn's quaternion, whose scalar is not negative."""
    q = quaternion_of(R.T @ R1)
    return Vec3(q.x, q.y, q.z) * ((2.0 if q.w >= 0.0 else -2.0) / h)


KEPT = ON_THE_GROUP | {"pi_chi": "symmetric tops"}


def promises(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the gyroscopic term it is no method for Euler's equations: its errors do not go to zero with h."""
    keeps, order = KEPT, (1, 1)
    if chosen.get("gyroscopic") == "off":
        keeps, order = KEPT | dict.fromkeys(("energy", "pi_norm", "casimir"), "free"), (0, 0)
    if chosen.get("velocity") == "turn":
        keeps = ON_THE_GROUP
    return limited(chosen, {"order": order, "conserves": keeps}, ON_THE_GROUP)


@engine_rule(
    key="SEMI-EULER",
    name="Semi-implicit Euler",
    aliases=("chrono", "mujoco-euler"),
    variants={
        "jolt-default": {"gyroscopic": "off"} | chosen_by(JOLT_DEFAULTS),
        "physx-default": {"gyroscopic": "off"} | chosen_by(PHYSX_DEFAULTS),
        "bepu-default": {"gyroscopic": "off"},
        "godot": {"gyroscopic": "off", "damped": "before"} | chosen_by(GODOT_DEFAULTS),
        "reactphysics3d": {"gyroscopic": "off", "map": "cay"},
        "cannon-es": {"gyroscopic": "off", "map": "cay", "damped": "power"} | chosen_by(CANNON_DEFAULTS),
        "newton-physics": {"map": "cay", "damped": "turned"} | chosen_by(NEWTON_DEFAULTS),
        "xpbd": {"map": "cay", "velocity": "turn"},
        "bullet-explicit": {"gyroscopic": "capped", "map": "clamped"},
    },
    summary=told(
        "The velocity by an explicit step, then the turn by the new velocity. A free body's energy [grows], and "
        "[neither it nor momentum is kept].",
        measured("energy at the end", FREE, 1.1, steps=20_000),
        loses("energy", "pi", "pi_norm", "casimir"),
    ),
    equations=r"\Omega_{n+1} = \Omega_n + h J^{-1}(J\Omega_n \times \Omega_n + T_n), \quad "
    r"R_{n+1} = R_n \exp(h\,\Omega_{n+1})",
    reference="\n".join((MUJOCO, CHRONO, GODOT, REACT, CANNON, NEWTON, BULLET)),
    options=(
        Parameter(
            "gyroscopic",
            OneOf(
                {"on": kept, "capped": of_100_at_most, "off": left_out},
                {"on": "kept", "capped": "of 100 at most", "off": "left out"},
            ),
            "whether the velocity changes by JΩ × Ω, which many engines leave out and Bullet holds to at most 100",
            "on",
            label="Gyroscopic term",
        ),
        MAP,
        Parameter(
            "velocity",
            OneOf(
                {"new": as_it_is, "turn": of_the_turn},
                {"new": "the one that turned it", "turn": "that of the turn's quaternion"},
            ),
            "the velocity that is handed on: that of the step, or as in XPBD that of the turn's quaternion",
            "new",
            label="Velocity handed on",
        ),
        DAMPING,
        Parameter(
            "damped",
            OneOf(
                {
                    "after": after_the_torque,
                    "before": before_the_torque,
                    "power": by_a_power,
                    "turned": after_the_turn,
                },
                {
                    "after": "after the torque",
                    "before": "before the torque",
                    "power": "before it, by a power",
                    "turned": "after the turn",
                },
            ),
            "when damping c takes the part ch of the velocity: after the torque, before it, or after the turn; or "
            "before the torque so that (1 − c)^h is left",
            "after",
            label="When the velocity is damped",
        ),
        MAX_SPEED,
    ),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=promises,
)
def step(
    body: Any,
    t: float,
    h: float,
    R: Mat3,
    Ω: Vec3,
    gyroscopic: Any,
    map: Any,
    velocity: Any,
    damping: float,
    damped: Any,
    max_speed: float,
) -> tuple[Mat3, Vec3]:
    """One step."""
    gained = h * (body.Jinv @ (body.torque(t, R, Ω) + gyroscopic(body, Ω)))
    turning, Ω = damped(h, Ω, gained, damping, max_speed)
    R1 = map(R, h * turning)
    return R1, velocity(h, Ω, R, R1)
