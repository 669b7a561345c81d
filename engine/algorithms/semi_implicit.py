"""SEMI-EULER: the velocity first, explicitly, then the attitude by the new velocity.

Most engines take this step. Many leave out the gyroscopic term JΩ × Ω, by which a free body tumbles: Godot's own
engine, ReactPhysics3D and cannon-es have none, and Jolt, PhysX and Bepu have none unless they are asked. The line
that most have for the quaternion, q ← unit(q + h/2 [ω] q), is the Cayley map. MuJoCo's Euler integrator and Chrono's
default have the term, and so has Newton, whose XPBD solver then takes the velocity from the turn that was made: 2/h
times the vector of its quaternion. Bullet's explicit option holds |JΩ × Ω| to at most 100, and its exponential π/4.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, tan
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross, norm, quaternion_of, times_cay, times_exp
from ..spec import OneOf, Parameter
from ..told import FREE, loses, measured, told
from .method import ON_THE_GROUP
from .sources import BULLET, CANNON, CHRONO, GODOT, MUJOCO, NEWTON, REACT, engine_rule

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


def capped(body: Any, Ω: Vec3) -> Vec3:
    """The same, or what has its direction and the length CAP if that is less."""
    G = kept(body, Ω)
    return G * (CAP / norm(G)) if norm(G) > CAP else G


def left_out(body: Any, Ω: Vec3) -> Zero3:
    """No gyroscopic term."""
    return Zero3()


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
    if chosen.get("velocity") == "turn":
        return {"order": (1, 1) if chosen.get("gyroscopic") != "off" else (0, 0), "conserves": ON_THE_GROUP}
    if chosen.get("gyroscopic") != "off":
        return {"order": (1, 1), "conserves": KEPT}
    return {"order": (0, 0), "conserves": KEPT | dict.fromkeys(("energy", "pi_norm", "casimir"), "free")}


@engine_rule(
    key="SEMI-EULER",
    name="Semi-implicit Euler",
    aliases=("chrono", "mujoco-euler"),
    variants={
        "godot": {"gyroscopic": "off"},
        "cannon-es": {"gyroscopic": "off", "map": "cay"},
        "reactphysics3d": {"gyroscopic": "off", "map": "cay"},
        "newton-physics": {"map": "cay"},
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
                {"on": kept, "capped": capped, "off": left_out},
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
    ),
    order=(1, 1),
    torque_evaluations=1,
    torque_of_velocity=True,
    conserves=KEPT,
    given_options=promises,
)
def step(
    body: Any, t: float, h: float, R: Mat3, Ω: Vec3, gyroscopic: Any, map: Any, velocity: Any
) -> tuple[Mat3, Vec3]:
    """One step."""
    Ω = Ω + h * (body.Jinv @ (body.torque(t, R, Ω) + gyroscopic(body, Ω)))
    R1 = map(R, h * Ω)
    return R1, velocity(h, Ω, R, R1)
