"""SEMI-EULER: an explicit step of the velocity, then a turn by the new velocity.

Most engines use this step. Many omit the gyroscopic term JΩ × Ω, by which a free body tumbles:
Godot's own engine, ReactPhysics3D, cannon-es, oimo, crashcat, Havok and two of Brax's pipelines
have none, and in Jolt, PhysX and Bepu it is off by default. The usual line for the quaternion,
q ← unit(q + h/2 [ω] q), is the Cayley map, and so is Drake's, which does not normalise q. MuJoCo's
Euler integrator, DART, Drake, Brax's generalized pipeline and Chrono's default have the term, and
so do Newton's SemiImplicit, Featherstone and XPBD and Kamino before version 1.7. XPBD has a
deprecated flag, off by default, by which it takes the velocity from the turn, as Brax's positional
pipeline does: 2/h times the vector of its quaternion. Bullet's explicit option limits |JΩ × Ω| to
100, and its exponential the turn to π/4.

PyBullet makes a multibody of each body unless it is asked to use maximal coordinates. Its step is
explicit, with Bullet's turn; it damps by 0.04 (1 + |Ω|), and cuts each component of ω in space to
100 rad/s. Jolt and PhysX damp and cap the velocity after the torque, Godot and cannon-es damp it
before, and Newton's SemiImplicit and Havok after the turn. The names of the engines have their defaults, each
with the line that sets it in `programs.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, tan
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross, norm, quaternion_of, times_cay, times_exp
from ..text import FREE, bibtex, declares, keeps, loses, measures
from .core import (
    BODY_RATES,
    DAMPING,
    MAX_COMPONENT,
    MAX_SPEED,
    ON_THE_GROUP,
    Body,
    cap,
    cap_components,
    damp,
    engine_rule,
    offer,
    reduce_promises,
)

CAP = 100.0
"""The largest of Bullet's explicit gyroscopic torques, by default."""
MOST_TURN = pi / 4
LONGER = 8.0 * tan(pi / 8) / pi


def turn_clamped(R: Mat3, v: Vec3) -> Mat3:
    """R exp(v) up to π/4; beyond, the tangent of half the angle grows with |v|: Bullet shortens
    |v|, but not v.
    """
    return times_exp(R, v) if norm(v) <= MOST_TURN else times_cay(R, LONGER * v)


MAP = offer(
    "map",
    "how the velocity turns the body: by the exponential, by Cayley's map, or as in Bullet. Cayley's "
    "map takes a linear step of the quaternion and normalises it. Bullet turns by less beyond π/4",
    "How the velocity turns the body",
    {
        "exp": (times_exp, "exponential"),
        "cay": (times_cay, "Cayley"),
        "clamped": (turn_clamped, "exponential up to π/4"),
    },
)


def gyroscopic_term(body: Body, Ω: Vec3) -> Vec3:
    """JΩ × Ω."""
    return cross(body.J @ Ω, Ω)


def cap_gyroscopic_term(body: Body, Ω: Vec3) -> Vec3:
    """JΩ × Ω, cut to the length CAP."""
    G = gyroscopic_term(body, Ω)
    return G * (CAP / norm(G)) if norm(G) > CAP else G


def omit_gyroscopic_term(body: Body, Ω: Vec3) -> Zero3:
    """No gyroscopic term."""
    return Zero3()


def damp_after_torque(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The velocity that turns the body and the one that is handed on; the new one is damped, and
    then capped.
    """
    Ω = cap(damp(Ω + gained, c, h), most)
    return Ω, Ω


def damp_before_torque(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same with damping of the old velocity."""
    Ω = cap(damp(Ω, c, h) + gained, most)
    return Ω, Ω


def damp_by_power(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same, leaving the part (1 − c)^h of the old velocity."""
    Ω = cap((Ω * ((1.0 - c) ** h if c < 1.0 else 0.0) if c > 0.0 else Ω) + gained, most)
    return Ω, Ω


def damp_by_speed(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same with damping of the old velocity by c (1 + |Ω|)."""
    Ω = cap((Ω * (1.0 - c * (1.0 + norm(Ω)) * h) if c > 0.0 else Ω) + gained, most)
    return Ω, Ω


def damp_after_turn(h: float, Ω: Vec3, gained: Any, c: float, most: float) -> tuple[Vec3, Vec3]:
    """The same with damping of the velocity that is handed on."""
    Ω = cap(Ω + gained, most)
    return Ω, damp(Ω, c, h)


def keep_velocity(h: float, Ω: Vec3, R: Mat3, R1: Mat3) -> Vec3:
    """The velocity that turned the body."""
    return Ω


def find_turn_velocity(h: float, Ω: Vec3, R: Mat3, R1: Mat3) -> Vec3:
    """2/h times the vector of the turn's quaternion, whose scalar is not negative."""
    q = quaternion_of(R.T @ R1)
    return Vec3(q.x, q.y, q.z) * ((2.0 if q.w >= 0.0 else -2.0) / h)


def promise(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the gyroscopic term it is no method for Euler's equations: its errors do not go to
    zero with h.
    """
    keeps, order = BODY_RATES, (1, 1)
    if chosen.get("gyroscopic") == "off":
        keeps, order = BODY_RATES | dict.fromkeys(("energy", "pi_norm", "casimir"), "free"), (0, 0)
    if chosen.get("velocity") == "turn":
        keeps = ON_THE_GROUP
    return reduce_promises(chosen, {"order": order, "conserves": keeps})


@engine_rule(
    key="SEMI-EULER",
    name="Semi-implicit Euler",
    short="Semi-implicit Euler",
    variants={
        "chrono": {},
        "mujoco-euler": {},
        "dart": {},
        "kamino-explicit": {},
        "jolt-default": {"gyroscopic": "off"},
        "physx-default": {"gyroscopic": "off"},
        "bepu-default": {"gyroscopic": "off"},
        "godot": {"gyroscopic": "off", "damped": "before"},
        "reactphysics3d": {"gyroscopic": "off", "map": "cay"},
        "cannon-es": {"gyroscopic": "off", "map": "cay", "damped": "power"},
        "newton-physics": {"map": "cay", "damped": "turned"},
        "xpbd": {"map": "cay"},
        "xpbd-turn": {"map": "cay", "velocity": "turn"},
        "bullet-explicit": {"gyroscopic": "capped", "map": "clamped"},
        "pybullet": {"map": "clamped", "damped": "speed"},
        "ammojs-typed": {"gyroscopic": "off", "map": "clamped"},
        "drake": {"map": "cay"},
        "newton-featherstone": {"map": "cay"},
        "brax": {},
        "brax-positional": {"gyroscopic": "off", "map": "cay", "velocity": "turn"},
        "brax-spring": {"gyroscopic": "off", "map": "cay"},
        "havok": {"gyroscopic": "off", "damped": "turned"},
        "oimo": {"gyroscopic": "off", "map": "cay"},
        "crashcat": {"gyroscopic": "off"},
    },
    reference=bibtex(
        "MuJoCo2026",
        "Chrono2026",
        "Godot2014",
        "ReactPhysics3D2025",
        "Cannon2024",
        "Newton2026",
        "Bullet2025",
        "Drake2026",
        "Brax2026",
        "Havok2026",
        "Oimo2021",
        "Crashcat2026",
    ),
    options=(
        offer(
            "gyroscopic",
            "whether the velocity changes by JΩ × Ω, which many engines omit and Bullet limits to "
            "100",
            "Gyroscopic term",
            {
                "on": (gyroscopic_term, "kept"),
                "capped": (cap_gyroscopic_term, "limited to 100"),
                "off": (omit_gyroscopic_term, "left out"),
            },
            brief="gyroscopic term {label}",
        ),
        MAP,
        offer(
            "velocity",
            "the velocity that is handed on: that of the step, or as in XPBD that of the turn's "
            "quaternion",
            "Velocity handed on",
            {
                "new": (keep_velocity, "the one that turned it"),
                "turn": (find_turn_velocity, "that of the turn's quaternion"),
            },
            brief="velocity by {value}",
        ),
        DAMPING,
        offer(
            "damped",
            "when damping c removes the part ch of the velocity: after the torque, before it, or "
            "after the turn. Two more act before the torque: one leaves (1 − c)^h, one removes "
            "ch (1 + |Ω|)",
            "When the velocity is damped",
            {
                "after": (damp_after_torque, "after the torque"),
                "before": (damp_before_torque, "before the torque"),
                "power": (damp_by_power, "before it, by a power"),
                "speed": (damp_by_speed, "before it, more the faster"),
                "turned": (damp_after_turn, "after the turn"),
            },
            brief="damping {label}",
        ),
        MAX_SPEED,
        MAX_COMPONENT,
    ),
    given_options=promise,
    evidence=(
        measures("energy at the end", FREE, 1.1, steps=20_000),
        loses("energy", "pi", "pi_norm", "casimir"),
        measures("energy at the end", FREE, 1.1, steps=20_000),
        keeps(of="SEMI-EULER(gyroscopic=off)", energy="free", pi_norm="free"),
        declares(of="SEMI-EULER(gyroscopic=off)", order=(0, 0)),
    ),
)
def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, gyroscopic: Any, map: Any, velocity: Any, damping: float,
    damped: Any, max_speed: float, max_component: float,
) -> tuple[Mat3, Vec3]:  # fmt: skip
    r"""The velocity by an explicit step, then the turn by the new velocity. A free body's energy
    [grows], and [neither energy nor momentum is conserved].

    .. math::
        \Omega_{n+1} = \Omega_n + h J^{-1}(J\Omega_n \times \Omega_n + T_n), \quad R_{n+1} = R_n \exp(h\,\Omega_{n+1})

    - Euler's equations take an explicit step, and the body turns by the new velocity.
    - In the body's frame the change of momentum is at right angles to the momentum. So each step
      makes it longer, and a free body's energy [grows].
    - Without the gyroscopic term a free body spins on about one axis. Energy and the length of
      momentum [are conserved], but the method is [of order zero].
    """
    gained = h * (body.Jinv @ (body.torque(t, R, Ω) + gyroscopic(body, Ω)))
    turning, Ω = damped(h, Ω, gained, damping, max_speed)
    turning, Ω = cap_components(R, turning, max_component), cap_components(R, Ω, max_component)
    R1 = map(R, h * turning)
    return R1, velocity(h, Ω, R, R1)
