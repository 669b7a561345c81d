"""Physics engines and particle codes whose rules are among the methods, with the flags that choose a rule."""

from __future__ import annotations

from dataclasses import dataclass

from . import sources as s
from .method import Method, find_method

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
"""Further words for the search: what a program is built into, and its language."""


@dataclass(frozen=True)
class Program:
    """An engine or a code, with some of its flags.

    Attributes
    ----------
    key : its name in links, and an alias of its rule.
    title, flags : its name, and its settings in its own words.
    read : BibTeX of the program at the commit that was read.
    group : `ENGINES` or `CODES`.
    defaults : its default substeps, damping and caps, as far as they were read.
    """

    key: str
    title: str
    flags: str
    read: str
    group: str
    defaults: tuple[s.Default, ...] = ()

    @property
    def method(self) -> Method:
        """Its rule."""
        return find_method(self.key)

    @property
    def default_settings(self) -> str:
        """Its defaults in words, with the lines that set them."""
        return s.describe_defaults(self.defaults)

    @property
    def words(self) -> str:
        """Further words for the search."""
        return f"{BUILT_ON.get(self.title, '')} {self.key} {self.method.key} {self.method.name}"


NO_TERM, DEFAULT = "no gyroscopic term", "as it comes"

_ENGINES = (
    ("jolt-default", "Jolt", f"{DEFAULT}: {NO_TERM}", s.JOLT, s.JOLT_DEFAULTS),
    ("jolt", "Jolt", "mApplyGyroscopicForce", s.JOLT, s.JOLT_DEFAULTS),
    ("physx-default", "PhysX", f"{DEFAULT}: {NO_TERM}", s.PHYSX, s.PHYSX_DEFAULTS),
    ("physx", "PhysX", "eENABLE_GYROSCOPIC_FORCES", s.PHYSX, s.PHYSX_DEFAULTS),
    ("bullet", "Bullet", f"{DEFAULT}: …_GYROSCOPIC_FORCE_IMPLICIT_BODY", s.BULLET, s.BULLET_DEFAULTS),
    ("bullet-explicit", "Bullet", "…_GYROSCOPIC_FORCE_EXPLICIT", s.BULLET, s.BULLET_DEFAULTS),
    ("godot", "Godot Physics", NO_TERM, s.GODOT, s.GODOT_DEFAULTS),
    ("box3d", "Box3D", DEFAULT, s.BOX3D, s.BOX3D_DEFAULTS),
    ("rapier", "Rapier", DEFAULT, s.RAPIER, s.RAPIER_DEFAULTS),
    ("avian", "Avian", DEFAULT, s.AVIAN, s.AVIAN_DEFAULTS),
    ("spiers", "Avian", "Spiers' proposal", s.SPIERS, ()),
    ("spiers-velocity", "Avian", "Spiers' proposal, for a velocity", s.SPIERS, ()),
    ("bepu-default", "Bepu 2", f"Nonconserving, {DEFAULT}: {NO_TERM}", s.BEPU, s.BEPU_DEFAULTS),
    ("bepu-momentum", "Bepu 2", "ConserveMomentum", s.BEPU, s.BEPU_DEFAULTS),
    ("bepu", "Bepu 2", "ConserveMomentumWithGyroscopicTorque", s.BEPU, s.BEPU_DEFAULTS),
    ("mujoco-euler", "MuJoCo", f"Euler, {DEFAULT}", s.MUJOCO, s.MUJOCO_DEFAULTS),
    ("mujoco-implicit", "MuJoCo", "implicit", s.MUJOCO, s.MUJOCO_DEFAULTS),
    ("mujoco-rk4", "MuJoCo", "RK4", s.MUJOCO, s.MUJOCO_DEFAULTS),
    ("mujoco-midpoint", "MuJoCo", "free bodies from April to July 2026", s.MUJOCO, s.MUJOCO_DEFAULTS),
    ("ode", "ODE", DEFAULT, s.ODE, s.ODE_DEFAULTS),
    ("ode-finite", "ODE", "finite rotation mode", s.ODE, s.ODE_DEFAULTS),
    ("newton-physics", "Newton", "SemiImplicit", s.NEWTON, s.NEWTON_DEFAULTS),
    ("xpbd", "Newton", "XPBD", s.NEWTON, s.XPBD_DEFAULTS),
    ("kamino", "Newton", "Kamino, Moreau–Jean", s.NEWTON, s.KAMINO_DEFAULTS),
    ("chrono", "Chrono", f"EULER_IMPLICIT_LINEARIZED, {DEFAULT}", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-rk4", "Chrono", "Runge–Kutta", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-heun", "Chrono", "Heun", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-leapfrog", "Chrono", "Leapfrog", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-trapezoidal", "Chrono", "Trapezoidal", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-newmark", "Chrono", "Newmark", s.CHRONO, s.CHRONO_DEFAULTS),
    ("chrono-hht", "Chrono", "HHT, with steps of one size", s.CHRONO, s.CHRONO_DEFAULTS),
    ("exudyn", "Exudyn", "explicit, RK44, nodes of a rotation vector", s.EXUDYN, ()),
    ("dart-variational", "DART", "variational, as for a ball joint", s.DART, ()),
    ("simbody", "Simbody", "Verlet, with steps of one size", s.SIMBODY, ()),
    ("reactphysics3d", "ReactPhysics3D", NO_TERM, s.REACT, s.REACT_DEFAULTS),
    ("cannon-es", "cannon-es", NO_TERM, s.CANNON, s.CANNON_DEFAULTS),
)
_CODES = (
    ("lammps-rigid", "LAMMPS", "fix rigid/nve", s.LAMMPS),
    ("lammps", "LAMMPS", "fix rigid, nve/asphere, nve/body", s.LAMMPS),
    ("hoomd", "HOOMD-blue", DEFAULT, s.HOOMD),
    ("liggghts", "LIGGGHTS", f"integration_scheme 1, {DEFAULT}", s.LIGGGHTS),
    ("liggghts-0", "LIGGGHTS", "integration_scheme 0", s.LIGGGHTS),
    ("liggghts-2", "LIGGGHTS", "integration_scheme 2", s.LIGGGHTS),
    ("liggghts-3", "LIGGGHTS", "integration_scheme 3", s.LIGGGHTS),
    ("yade", "Yade", f"SPIRAL, {DEFAULT}", s.YADE),
    ("yade-fincham", "Yade", "Fincham's leapfrog, as it is coded", s.YADE),
    ("yade-omelyan", "Yade", "Omelyan's leapfrog", s.YADE),
    ("woo", "Woo", DEFAULT, s.WOO),
    ("jaxdem", "JaxDEM", f"verletspiral, {DEFAULT}", s.JAXDEM),
    ("spiral-synchronous", "JaxDEM", "spiral", s.JAXDEM),
    ("ls1-mardyn", "ls1 mardyn", DEFAULT, s.LS1),
    ("espresso", "ESPResSo", DEFAULT, s.ESPRESSO),
    ("mercurydpm", "MercuryDPM", f"particles that are no clumps: {NO_TERM}", s.MERCURY),
    ("mercurydpm-clump", "MercuryDPM", "clumps", s.MERCURY),
    ("pfc", "PFC", "as MercuryDPM has it", s.MERCURY),
    ("PCDM", "QuaternionIntegrator.jl", "predictor–corrector", s.INTEGRATOR_JL),
)
PROGRAMS = {
    key: Program(key, title, flags, read, group, *defaults)
    for group, rows in ((ENGINES, _ENGINES), (CODES, _CODES))
    for key, title, flags, read, *defaults in rows
}
"""By their names in links, in the order of lists."""
