"""Presets of physics engines, and of codes for molecular dynamics and granular matter: their steps on free bodies."""

from __future__ import annotations

from engine.text.evidence import HERE, declares, keeps, measures, near, swings

from ..view import View
from .preset import BODY, ENGINES, PARTICLES, Preset, choice, of_figure, preset

ABOUT_THE_MIDDLE_AXIS = {"J": (1.0, 2.8, 2.0), "Omega0": (0.01, 0.01, 3.0)}
ABOUT_THE_GREATEST_AXIS = {"J": (1.0, 2.0, 2.8), "Omega0": (0.5, 0.5, 3.0)}

PHYSICS_ENGINES: tuple[Preset, ...] = (
    preset(
        "engines-energy",
        ENGINES,
        "Where the energy goes in 100 s at 60 Hz",
        of_figure("bepu-modes", "NEWTON-1(map=clamped) LINEAR-EULER RESTORED CARRIED"),
        "At the end a free body has [{}] of its energy with Bullet's step, and [{}] with ODE's; with Jolt's, "
        "without its damping, it has [that of a spin about the middle axis], and with Bepu's, which carries the "
        "momentum, [the most] that the momentum allows.",
        near("energy at the end", 0.492, of="NEWTON-1(map=clamped)"),
        near("energy at the end", 0.876, of="LINEAR-EULER"),
        measures("of the middle energy", HERE, 0.99, 1.01, of="RESTORED"),
        measures("part of the most energy", HERE, 0.99, 1.01, of="CARRIED"),
        view=View(axis="Linear"),
    ),
    preset(
        "engines-turn-over",
        ENGINES,
        "Thrown about the middle axis, at 60 Hz",
        choice(
            "custom",
            "SEMI-EULER(gyroscopic=off) NEWTON-1(map=clamped) MIDPOINT-HELD",
            1 / 60,
            60,
            **ABOUT_THE_MIDDLE_AXIS,
        ),
        "The body has to turn over, again and again. Without the gyroscopic term, as Godot and others have it, it "
        "[never does]; MuJoCo's midpoint rule [turns it over], and so does Bullet's step, which [loses energy].",
        measures("least R₃₃", HERE, 0.99, 1.0, of="SEMI-EULER(gyroscopic=off)"),
        measures("least R₃₃", HERE, -1.0, -0.99, of="MIDPOINT-HELD"),
        (
            measures("least R₃₃", HERE, -1.0, -0.95, of="NEWTON-1(map=clamped)"),
            measures("energy at the end", HERE, 0.0, 0.8, of="NEWTON-1(map=clamped)"),
        ),
        view=View(BODY, plots="Motion"),
    ),
    preset(
        "engines-unstable",
        ENGINES,
        "Spun about its stable axis, it ends on the unstable one",
        choice("custom", "RESTORED MR2", 1 / 60, 100, **ABOUT_THE_GREATEST_AXIS),
        "A block is spun nearly about its axis of greatest inertia, and should go on so. With Jolt's step, without "
        "its damping, its energy comes to that of a spin about [the middle axis], which is unstable; MR2's [swings "
        "without drift].",
        measures("of the middle energy", HERE, 0.99, 1.01, of="RESTORED"),
        swings(HERE, of="MR2"),
        view=View(BODY, axis="Linear"),
        words="axis of middle inertia gains energy",
    ),
    preset(
        "engines-rk4",
        ENGINES,
        "RK4 is not of fourth order",
        of_figure("mujoco-rk4", duration=20),
        "MuJoCo's RK4 turns the body by the mean of four velocities, which belong to four frames: the attitude is "
        "[of second order], and after 20 s [{} times] as far off as that of RKMK, which brings them to one frame.",
        declares(of="RK-MEAN", order=(2, 2), free_order=(2, 4)),
        near("attitude", 1730, of="RK-MEAN", over="RKMK"),
        view=View(plots="Attitude"),
    ),
)

PARTICLE_CODES: tuple[Preset, ...] = (
    preset(
        "particles-fincham",
        PARTICLES,
        "One leapfrog in two attitudes",
        of_figure("yade-fincham"),
        "Fincham's leapfrog takes the velocity half way in the attitude half way, and after 100 s the energy is [{} "
        "times] the first. Yade, as its file and its documentation have it, takes it in the attitude at the start: "
        "the energy goes to [the most] that the momentum allows.",
        near("energy at the end", 1.001, of="FINCHAM"),
        measures("part of the most energy", HERE, 0.99, 1.01, of="FINCHAM(attitude=start, middle=as-is)"),
    ),
    preset(
        "particles-energy",
        PARTICLES,
        "What a free grain has left after 100 s",
        of_figure("mercurydpm-clumps", "HALVES(half=euler) HALVES SPIRAL RICHARDSON"),
        "PFC takes the velocity's rate at the end of each half of a step, and [{}] of the energy is left; with the "
        "midpoint rule of Walton and Braun in its place energy is [kept]. Yade's SPIRAL [loses] a little of it, and "
        "LAMMPS's Richardson iteration [gains] a little.",
        near("energy at the end", 0.58, of="HALVES(half=euler)"),
        keeps(of="HALVES", energy="free"),
        measures("energy at the end", HERE, 0.9998, 0.99999, of="SPIRAL"),
        measures("energy at the end", HERE, 1.0005, 1.002, of="RICHARDSON"),
    ),
    preset(
        "particles-spiral",
        PARTICLES,
        "A third order that the attitude does not have",
        of_figure("spiral-order", duration=20),
        "SPIRAL's velocity takes a Runge–Kutta step, and its attitude turns by the velocity half way: a free body's "
        "velocity is [of third order, its attitude of second]. RKMK brings the velocities of its stages to one "
        "frame: with a tableau of three stages both are [of third order], for [three torques a step].",
        declares(of="SPIRAL", free_order=(2, 3)),
        declares(of="RKMK(tableau=kutta3)", order=(3, 3)),
        declares(of="RKMK(tableau=kutta3)", torque_evaluations=3),
    ),
)
