"""The engines and codes whose rules can be looked at: what people call them, and with which of their flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import engine
from engine.algorithms import sources
from engine.algorithms.method import Method
from engine.citations import entries

ENGINES, CODES = "Physics engines", "Molecular dynamics and DEM codes"
BUILT_ON = {
    "Jolt": "Godot",
    "PhysX": "Unity Unreal Isaac Omniverse",
    "Bullet": "PyBullet Blender",
    "Rapier": "Bevy three.js Rust",
    "Avian": "Bevy Rust",
    "Bepu 2": "Stride",
    "MuJoCo": "robot Gymnasium",
    "ODE": "Open Dynamics Engine Gazebo Webots",
    "Newton": "Warp Isaac robot",
    "Simbody": "OpenSim",
    "cannon-es": "three.js JavaScript",
}
"""What people may look for who have these."""


@dataclass(frozen=True)
class Program:
    """An engine or a code, with some of its flags.

    Attributes
    ----------
    key : its name in links, and that of its rule.
    title : what people call it.
    flags : how it is set, in its own words.
    read : BibTeX of the program as it was read.
    defaults : what it sets by default of steps in a frame, damping and caps, as far as that was read.
    group : among which it is listed.
    """

    key: str
    title: str
    flags: str
    read: str
    group: str
    defaults: tuple[sources.Default, ...] = ()

    @property
    def method(self) -> Method:
        """Its rule."""
        return engine.algorithm(self.key)

    @property
    def sets(self) -> str:
        """What it sets by default, with the lines that say so."""
        return sources.set_by(self.defaults)

    @property
    def words(self) -> str:
        """More by which it is found: what it is built into, and its rule."""
        return f"{BUILT_ON.get(self.title, '')} {self.key} {self.method.key} {self.method.name}"

    @property
    def where(self) -> str:
        """What was read, in a line: the program, its commit and its files."""
        (entry,) = entries(self.read)
        said = entry.fields
        return f"{said['title']}, {said['version']}: {said['note'].partition('read: ')[2].replace(chr(92), '')}"


def _programs() -> Iterator[Program]:
    """In the order in which they are listed."""
    s = sources
    none, default = "no gyroscopic term", "as it comes"
    for key, title, flags, read, defaults in (
        ("jolt-default", "Jolt", f"{default}: {none}", s.JOLT, s.JOLT_DEFAULTS),
        ("jolt", "Jolt", "mApplyGyroscopicForce", s.JOLT, s.JOLT_DEFAULTS),
        ("physx-default", "PhysX", f"{default}: {none}", s.PHYSX, s.PHYSX_DEFAULTS),
        ("physx", "PhysX", "eENABLE_GYROSCOPIC_FORCES", s.PHYSX, s.PHYSX_DEFAULTS),
        ("bullet", "Bullet", f"{default}: …_GYROSCOPIC_FORCE_IMPLICIT_BODY", s.BULLET, s.BULLET_DEFAULTS),
        ("bullet-explicit", "Bullet", "…_GYROSCOPIC_FORCE_EXPLICIT", s.BULLET, s.BULLET_DEFAULTS),
        ("godot", "Godot Physics", none, s.GODOT, s.GODOT_DEFAULTS),
        ("box3d", "Box3D", default, s.BOX3D, s.BOX3D_DEFAULTS),
        ("rapier", "Rapier", default, s.RAPIER, s.RAPIER_DEFAULTS),
        ("avian", "Avian", default, s.AVIAN, s.AVIAN_DEFAULTS),
        ("spiers", "Avian", "Spiers' proposal", s.SPIERS, ()),
        ("spiers-velocity", "Avian", "Spiers' proposal, for a velocity", s.SPIERS, ()),
        ("bepu-default", "Bepu 2", f"Nonconserving, {default}: {none}", s.BEPU, s.BEPU_DEFAULTS),
        ("bepu-momentum", "Bepu 2", "ConserveMomentum", s.BEPU, s.BEPU_DEFAULTS),
        ("bepu", "Bepu 2", "ConserveMomentumWithGyroscopicTorque", s.BEPU, s.BEPU_DEFAULTS),
        ("mujoco-euler", "MuJoCo", f"Euler, {default}", s.MUJOCO, s.MUJOCO_DEFAULTS),
        ("mujoco-implicit", "MuJoCo", "implicit", s.MUJOCO, s.MUJOCO_DEFAULTS),
        ("mujoco-rk4", "MuJoCo", "RK4", s.MUJOCO, s.MUJOCO_DEFAULTS),
        ("mujoco-midpoint", "MuJoCo", "free bodies from April to July 2026", s.MUJOCO, s.MUJOCO_DEFAULTS),
        ("ode", "ODE", default, s.ODE, s.ODE_DEFAULTS),
        ("ode-finite", "ODE", "finite rotation mode", s.ODE, s.ODE_DEFAULTS),
        ("newton-physics", "Newton", "SemiImplicit", s.NEWTON, s.NEWTON_DEFAULTS),
        ("xpbd", "Newton", "XPBD", s.NEWTON, s.XPBD_DEFAULTS),
        ("kamino", "Newton", "Kamino, Moreau–Jean", s.NEWTON, s.KAMINO_DEFAULTS),
        ("chrono", "Chrono", f"EULER_IMPLICIT_LINEARIZED, {default}", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-rk4", "Chrono", "Runge–Kutta", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-heun", "Chrono", "Heun", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-leapfrog", "Chrono", "Leapfrog", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-trapezoidal", "Chrono", "Trapezoidal", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-newmark", "Chrono", "Newmark", s.CHRONO, s.CHRONO_DEFAULTS),
        ("chrono-hht", "Chrono", "HHT, with steps of one size", s.CHRONO, s.CHRONO_DEFAULTS),
        ("exudyn", "Exudyn", "explicit, RK44, nodes of a rotation vector", s.EXUDYN, ()),
        ("dart-variational", "DART", "variational, as for a ball joint", s.DART, ()),
        ("simbody", "Simbody", "Verlet, with steps of one size", s.SIMBODY, ()),
        ("reactphysics3d", "ReactPhysics3D", none, s.REACT, s.REACT_DEFAULTS),
        ("cannon-es", "cannon-es", none, s.CANNON, s.CANNON_DEFAULTS),
    ):
        yield Program(key, title, flags, read, ENGINES, defaults)
    for key, title, flags, read in (
        ("lammps-rigid", "LAMMPS", "fix rigid/nve", s.LAMMPS),
        ("lammps", "LAMMPS", "fix rigid, nve/asphere, nve/body", s.LAMMPS),
        ("hoomd", "HOOMD-blue", default, s.HOOMD),
        ("liggghts", "LIGGGHTS", f"integration_scheme 1, {default}", s.LIGGGHTS),
        ("liggghts-0", "LIGGGHTS", "integration_scheme 0", s.LIGGGHTS),
        ("liggghts-2", "LIGGGHTS", "integration_scheme 2", s.LIGGGHTS),
        ("liggghts-3", "LIGGGHTS", "integration_scheme 3", s.LIGGGHTS),
        ("yade", "Yade", f"SPIRAL, {default}", s.YADE),
        ("yade-fincham", "Yade", "Fincham's leapfrog, as it is coded", s.YADE),
        ("yade-omelyan", "Yade", "Omelyan's leapfrog", s.YADE),
        ("woo", "Woo", default, s.WOO),
        ("jaxdem", "JaxDEM", f"verletspiral, {default}", s.JAXDEM),
        ("spiral-synchronous", "JaxDEM", "spiral", s.JAXDEM),
        ("ls1-mardyn", "ls1 mardyn", default, s.LS1),
        ("espresso", "ESPResSo", default, s.ESPRESSO),
        ("mercurydpm", "MercuryDPM", f"particles that are no clumps: {none}", s.MERCURY),
        ("mercurydpm-clump", "MercuryDPM", "clumps", s.MERCURY),
        ("pfc", "PFC", "as MercuryDPM has it", s.MERCURY),
        ("PCDM", "QuaternionIntegrator.jl", "predictor–corrector", s.INTEGRATOR_JL),
    ):
        yield Program(key, title, flags, read, CODES)


PROGRAMS = {program.key: program for program in _programs()}
"""By their names in links."""
