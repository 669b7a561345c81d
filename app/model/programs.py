"""The engines and codes whose rules can be looked at: what people call them, and with which of their flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import engine
from engine.algorithms import sources
from engine.algorithms.method import Method
from engine.citations import entries

ENGINES, CODES = "Physics engines", "Molecular dynamics and DEM codes"
BARE = "SEMI-EULER(gyroscopic=off)"
"""What several have unless they are asked for more."""
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
    key : its name in links.
    title : what people call it.
    flags : how it is set, in its own words.
    rule : the label of the method that has its rule.
    read : BibTeX of the program as it was read.
    group : among which it is listed.
    """

    key: str
    title: str
    flags: str
    rule: str
    read: str
    group: str

    @property
    def method(self) -> Method:
        """Its rule."""
        return engine.algorithm(self.rule)

    @property
    def words(self) -> str:
        """More by which it is found: what it is built into, and its rule."""
        return f"{BUILT_ON.get(self.title, '')} {self.rule} {self.method.key} {self.method.name}"

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
    for key, title, flags, rule, read in (
        ("jolt-default", "Jolt", f"{default}: {none}", BARE, s.JOLT),
        ("jolt", "Jolt", "mApplyGyroscopicForce", "jolt", s.JOLT),
        ("physx-default", "PhysX", f"{default}: {none}", BARE, s.PHYSX),
        ("physx", "PhysX", "eENABLE_GYROSCOPIC_FORCES", "physx", s.PHYSX),
        ("bullet", "Bullet", f"{default}: …_GYROSCOPIC_FORCE_IMPLICIT_BODY", "bullet", s.BULLET),
        ("bullet-explicit", "Bullet", "…_GYROSCOPIC_FORCE_EXPLICIT", "bullet-explicit", s.BULLET),
        ("godot", "Godot Physics", none, "godot", s.GODOT),
        ("box3d", "Box3D", default, "box3d", s.BOX3D),
        ("rapier", "Rapier", default, "rapier", s.RAPIER),
        ("avian", "Avian", default, "avian", s.AVIAN),
        ("spiers", "Avian", "Spiers' proposal", "spiers", s.SPIERS),
        ("spiers-velocity", "Avian", "Spiers' proposal, for a velocity", "spiers-velocity", s.SPIERS),
        ("bepu-default", "Bepu 2", f"Nonconserving, {default}: {none}", BARE, s.BEPU),
        ("bepu-momentum", "Bepu 2", "ConserveMomentum", "bepu-momentum", s.BEPU),
        ("bepu", "Bepu 2", "ConserveMomentumWithGyroscopicTorque", "bepu", s.BEPU),
        ("mujoco-euler", "MuJoCo", f"Euler, {default}", "mujoco-euler", s.MUJOCO),
        ("mujoco-implicit", "MuJoCo", "implicit", "mujoco-implicit", s.MUJOCO),
        ("mujoco-rk4", "MuJoCo", "RK4", "mujoco-rk4", s.MUJOCO),
        ("mujoco-midpoint", "MuJoCo", "free bodies from April to July 2026", "mujoco-midpoint", s.MUJOCO),
        ("ode", "ODE", default, "ode", s.ODE),
        ("ode-finite", "ODE", "finite rotation mode", "ode-finite", s.ODE),
        ("newton-physics", "Newton", "SemiImplicit", "newton-physics", s.NEWTON),
        ("xpbd", "Newton", "XPBD", "xpbd", s.NEWTON),
        ("kamino", "Newton", "Kamino, Moreau–Jean", "kamino", s.NEWTON),
        ("chrono", "Chrono", f"EULER_IMPLICIT_LINEARIZED, {default}", "chrono", s.CHRONO),
        ("chrono-rk4", "Chrono", "Runge–Kutta", "chrono-rk4", s.CHRONO),
        ("chrono-heun", "Chrono", "Heun", "chrono-heun", s.CHRONO),
        ("chrono-leapfrog", "Chrono", "Leapfrog", "chrono-leapfrog", s.CHRONO),
        ("chrono-trapezoidal", "Chrono", "Trapezoidal", "chrono-trapezoidal", s.CHRONO),
        ("chrono-newmark", "Chrono", "Newmark", "chrono-newmark", s.CHRONO),
        ("chrono-hht", "Chrono", "HHT, with steps of one size", "chrono-hht", s.CHRONO),
        ("exudyn", "Exudyn", "explicit, RK44, nodes of a rotation vector", "exudyn", s.EXUDYN),
        ("dart-variational", "DART", "variational, as for a ball joint", "dart-variational", s.DART),
        ("simbody", "Simbody", "Verlet, with steps of one size", "simbody", s.SIMBODY),
        ("reactphysics3d", "ReactPhysics3D", none, "reactphysics3d", s.REACT),
        ("cannon-es", "cannon-es", none, "cannon-es", s.CANNON),
    ):
        yield Program(key, title, flags, rule, read, ENGINES)
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
        yield Program(key, title, flags, key, read, CODES)


PROGRAMS = {program.key: program for program in _programs()}
"""By their names in links."""
