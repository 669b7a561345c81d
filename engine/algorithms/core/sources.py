"""The programs whose rules two families contain: authors, commit and files.

They are physics engines, and codes of molecular dynamics and for granular matter (DEM, the discrete element method).
Each rule is written anew from its formula. A run is of the rule and not of the program: without contacts, joints and
thermostats, and in double precision unless an option says otherwise. A program's defaults for steps in a frame,
damping and caps are here as well; a name of the program has them, and an option turns each off.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from .method import method

engine_rule = partial(method, family="Physics engines")
"""Declares the rule of an engine."""
particle_rule = partial(method, family="Molecular dynamics and DEM")
"""Declares the rule of a code that moves particles."""


def cite_program(key: str, author: str, title: str, repository: str, commit: str, licence: str, *files: str) -> str:
    """BibTeX of a program at the commit that was read; the key ends with the year of commit or copyright."""
    return f"""@software{{{key},
  author = {{{{{author}}}}},
  title  = {{{title}}},
  year   = {{{key[-4:]}}}, url = {{https://github.com/{repository}}}, version = {{commit {commit}}},
  note   = {{{licence}; read: {", ".join(files).replace("_", chr(92) + "_")}}}}}"""


class Default(NamedTuple):
    """A program's default of an option or of the step dt: its value, and file and line at the commit read."""

    option: str
    value: float
    where: str


WORDS = {
    "damping": "angular damping of {} a second",
    "max_speed": "at most {} rad/s",
    "max_turn": "a turn of at most {} rad in a frame",
    "substeps": "{} steps in a frame",
    "dt": "a step of {} s",
}
NONE = {"damping": "no angular damping", "max_speed": "no cap", "substeps": "one step in a frame"}


def describe_defaults(defaults: Sequence[Default]) -> str:
    """A program's defaults in words, each with its place; empty if none was read."""
    none = {one.option for one in defaults if one.option != "dt"} - list_options(defaults).keys()
    return "; ".join(
        f"{(NONE if option in none else WORDS)[option].format(f'{value:g}')} ({where})"
        for option, value, where in defaults
    )


def list_options(defaults: Sequence[Default]) -> dict[str, Any]:
    """The options of a program's defaults; 0 neither damps nor caps, and a frame of one step is not divided."""
    least = {"damping": 0.0, "max_speed": 0.0, "max_turn": 0.0, "substeps": 1}
    return {one.option: one.value for one in defaults if one.value > least.get(one.option, one.value)}


A_FRAME_S_TURN = 0.7853982
"""π/4, as the largest turn in a frame."""

JOLT = cite_program(
    "Jolt2026", "Jorrit Rouwe", "Jolt Physics", "jrouwe/JoltPhysics", "3b47ec39", "MIT",
    "Jolt/Physics/Body/MotionProperties.inl", "Jolt/Physics/Body/Body.inl", "Jolt/Physics/PhysicsSystem.cpp",
    "Jolt/Physics/Body/BodyCreationSettings.h",
)  # fmt: skip
JOLT_DEFAULTS = (
    Default("damping", 0.05, "Jolt/Physics/Body/BodyCreationSettings.h:110"),
    Default("max_speed", 47.12389, "Jolt/Physics/Body/BodyCreationSettings.h:112"),
)
PHYSX = cite_program(
    "PhysX2026", "NVIDIA", "PhysX", "NVIDIA-Omniverse/PhysX", "a3d8a641", "BSD-3-Clause",
    "physx/source/lowleveldynamics/src/DyRigidBodyToSolverBody.cpp", "DyTGSDynamics.cpp", "DyBodyCoreIntegrator.h",
)  # fmt: skip
PHYSX_DEFAULTS = (
    Default("damping", 0.05, "physx/source/simulationcontroller/src/ScBodyCore.cpp:54"),
    Default("max_speed", 100.0, "physx/source/simulationcontroller/src/ScBodyCore.cpp:52"),
)
RAPIER = cite_program(
    "Rapier2026", "Dimforge", "Rapier", "dimforge/rapier", "ccd01cd2", "Apache-2.0", "src/dynamics/rigid_body.rs",
    "src/dynamics/rigid_body_components.rs", "src/dynamics/solver/staged_island_solver/worker.rs",
)  # fmt: skip
RAPIER_DEFAULTS = (
    Default("max_turn", A_FRAME_S_TURN, "src/dynamics/solver/staged_island_solver/worker.rs:575"),
    Default("damping", 0.0, "src/dynamics/rigid_body.rs:1566"),
    Default("substeps", 4, "src/dynamics/integration_parameters.rs:389"),
)
AVIAN = cite_program(
    "Avian2025", "The Avian contributors", "Avian", "avianphysics/avian", "5bef3827", "MIT or Apache-2.0",
    "src/dynamics/integrator/mod.rs", "src/dynamics/solver/solver_body/plugin.rs",
)  # fmt: skip
AVIAN_DEFAULTS = (
    Default("damping", 0.0, "src/dynamics/integrator/mod.rs:290"),
    Default("max_speed", 0.0, "src/dynamics/integrator/mod.rs:470"),
    Default("substeps", 6, "src/dynamics/solver/schedule.rs:189"),
)
BULLET = cite_program(
    "Bullet2025", "Erwin Coumans and others", "Bullet", "bulletphysics/bullet3", "6c888f4a", "zlib",
    "src/BulletDynamics/Dynamics/btRigidBody.cpp", "src/LinearMath/btTransformUtil.h",
    "src/BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.cpp",
)  # fmt: skip
BULLET_DEFAULTS = (
    Default("substeps", 1, "src/BulletDynamics/Dynamics/btDiscreteDynamicsWorld.h:108"),
    Default("damping", 0.0, "src/BulletDynamics/Dynamics/btRigidBody.h:149"),
)
MUJOCO = cite_program(
    "MuJoCo2026", "Google DeepMind", "MuJoCo", "google-deepmind/mujoco", "a7255075", "Apache-2.0",
    "src/engine/engine_forward.c", "src/engine/engine_derivative.c", "src/engine/engine_util_spatial.c",
    "doc/computation/index.rst", "doc/changelog.rst",
)  # fmt: skip
MUJOCO_DEFAULTS = (Default("dt", 0.002, "src/engine/engine_init.c:56"),)
CHRONO = cite_program(
    "Chrono2026", "Project Chrono", "Chrono", "projectchrono/chrono", "7689fbc0", "BSD-3-Clause",
    "src/chrono/physics/ChBody.cpp", "src/chrono/timestepper/ChTimestepperExplicit.cpp", "ChTimestepperImplicit.cpp",
    "ChTimestepperHHT.cpp",
)  # fmt: skip
CHRONO_DEFAULTS = (Default("max_speed", 0.0, "src/chrono/physics/ChBody.cpp:37"),)
NEWTON = cite_program(
    "Newton2026", "The Newton Developers", "Newton", "newton-physics/newton", "41a5392c", "Apache-2.0",
    "newton/_src/solvers/solver.py", "newton/_src/solvers/xpbd/kernels.py",
    "newton/_src/solvers/kamino/_src/integrators/moreau.py", "newton/_src/solvers/kamino/_src/core/math.py",
)  # fmt: skip
NEWTON_DEFAULTS = (Default("damping", 0.05, "newton/_src/solvers/semi_implicit/solver_semi_implicit.py:77"),)
XPBD_DEFAULTS = (Default("damping", 0.0, "newton/_src/solvers/xpbd/solver_xpbd.py:113"),)
KAMINO_DEFAULTS = (Default("damping", 0.0, "newton/_src/solvers/kamino/_src/integrators/moreau.py:233"),)
GODOT = cite_program(
    "Godot2014", "The Godot Engine contributors", "Godot Physics", "godotengine/godot", "0a93d3b4", "MIT",
    "modules/godot_physics_3d/godot_body_3d.cpp",
)  # fmt: skip
GODOT_DEFAULTS = (
    Default("damping", 0.1, "servers/physics_3d/physics_server_3d.cpp (physics/3d/default_angular_damp) at db8de87d"),
)
REACT = cite_program(
    "ReactPhysics3D2025", "Daniel Chappuis", "ReactPhysics3D", "DanielChappuis/reactphysics3d", "7000610a", "zlib",
    "src/systems/DynamicsSystem.cpp",
)  # fmt: skip
REACT_DEFAULTS = (Default("damping", 0.0, "src/components/RigidBodyComponents.cpp:224"),)
CANNON = cite_program(
    "Cannon2024", "The cannon.js Authors", "cannon-es", "pmndrs/cannon-es", "dd971c4", "MIT", "src/objects/Body.ts",
    "src/math/Quaternion.ts",
)  # fmt: skip
CANNON_DEFAULTS = (Default("damping", 0.01, "src/objects/Body.ts:512"),)
BOX3D = cite_program(
    "Box3D2026", "Erin Catto", "Box3D", "erincatto/box3d", "30c67b5", "MIT", "src/solver.c", "src/math_internal.h",
)  # fmt: skip
BOX3D_DEFAULTS = (
    Default("max_turn", A_FRAME_S_TURN, "include/box3d/constants.h:76"),
    Default("damping", 0.0, "src/types.c:34"),
    Default("substeps", 4, "include/box3d/box3d.h:52"),
)
BEPU = cite_program(
    "Bepu2026", "Bepu Entertainment", "bepuphysics2", "bepu/bepuphysics2", "956a679f", "Apache-2.0",
    "BepuPhysics/PoseIntegrator.cs",
)  # fmt: skip
BEPU_DEFAULTS = (
    Default("damping", 0.0, "left to callbacks, of which the demos' have 0.03: Demos/DemoCallbacks.cs:60"),
)
ODE = cite_program(
    "ODE2024", "Russell L. Smith and others", "Open Dynamics Engine", "thomasmarsh/ODE", "bcfb66cd",
    "BSD or LGPL-2.1 or later", "ode/src/step.cpp", "ode/src/util.cpp",
)  # fmt: skip
ODE_DEFAULTS = (
    Default("damping", 0.0, "ode/src/objects.cpp:65"),
    Default("max_speed", 0.0, "ode/src/objects.cpp:115"),
)
EXUDYN = cite_program(
    "Exudyn2025", "Johannes Gerstmayr", "Exudyn", "jgerstmayr/EXUDYN", "00f5cfd9", "EXUDYN General License 1.0",
    "main/src/Solver/CSolverExplicit.cpp",
)  # fmt: skip
DART = cite_program(
    "DART2016", "Jeongseok Lee and others", "DART", "dartsim/dart", "395ba63e879d56326bdc1a38cdbb355ddee4c0d4",
    "BSD-2-Clause",
    "dart/dynamics/BodyNodeVariationalIntegrator.cpp",
)  # fmt: skip
SIMBODY = cite_program(
    "Simbody2026", "The Simbody contributors", "Simbody", "simbody/simbody", "f312d0dd", "Apache-2.0",
    "SimTKmath/Integrators/src/VerletIntegrator.cpp", "SimTKmath/Integrators/include/simmath/VerletIntegrator.h",
)  # fmt: skip
SPIERS = cite_program(
    "Spiers2026", "Ben Spiers", "spin analysis", "unpairedbracket/spin_analysis", "ce55b5b", "no licence is given",
    "src/integrators.rs",
)  # fmt: skip

# ------------------------------------------------------------------------------------- molecular dynamics and DEM

LAMMPS = cite_program(
    "LAMMPS2003", "Steve Plimpton and others", "LAMMPS", "lammps/lammps", "012003c6", "GPL-2.0", "src/math_extra.cpp",
    "src/ASPHERE/fix_nve_asphere.cpp", "src/RIGID/fix_rigid_nh.cpp", "doc/src/fix_rigid.rst",
)  # fmt: skip
HOOMD = cite_program(
    "HOOMD2024", "Joshua A. Anderson and others", "HOOMD-blue", "glotzerlab/hoomd-blue", "967b6a43", "BSD-3-Clause",
    "hoomd/md/TwoStepConstantVolume.cc",
)  # fmt: skip
LIGGGHTS = cite_program(
    "LIGGGHTS2024", "Christoph Kloss and others", "LIGGGHTS", "CFDEMproject/LIGGGHTS-PUBLIC", "3d5c00f2",
    "GPL-2.0 or later", "src/fix_nve_asphere_base.cpp", "doc/fix_nve_superquadric.txt",
)  # fmt: skip
LS1 = cite_program(
    "ls1mardyn2026", "The ls1 mardyn developers", "ls1 mardyn", "ls1mardyn/ls1-mardyn", "1c9a9d59", "BSD-2-Clause",
    "src/molecules/FullMolecule.cpp",
)  # fmt: skip
YADE = cite_program(
    "YADE2008", "Bruno Chareyre and others", "Yade", "mkt-kuno/yade_dev_trunk_nogui", "0fef5792", "GPL-2.0 or later",
    "pkg/dem/NewtonIntegrator.cpp", "pkg/dem/NewtonIntegrator.hpp", "doc/sphinx/formulation.rst",
)  # fmt: skip
WOO = cite_program(
    "Woo2015", "Vaclav Smilauer and others", "Woo", "Azeko2xo/woodem", "f94485cf", "GPL-2.0", "pkg/dem/Leapfrog.cpp"
)
JAXDEM = cite_program(
    "JaxDEM2026", "Carlos Andres del Valle and others", "JaxDEM", "cdelv/JaxDEM", "5d9c13ad", "BSD-3-Clause",
    "jaxdem/integrators/spiral.py", "jaxdem/integrators/velocity_verlet_spiral.py", "jaxdem/system.py",
)  # fmt: skip
ESPRESSO = cite_program(
    "ESPResSo2024", "The ESPResSo project", "ESPResSo", "espressomd/espresso", "f73f0f50", "GPL-3.0 or later",
    "src/core/rotation.cpp",
)  # fmt: skip
MERCURY = cite_program(
    "MercuryDPM2013", "The MercuryDPM Developers Team", "MercuryDPM", "kuwt/MercuryDPM_fork", "2478ed01",
    "BSD-3-Clause", "Kernel/Particles/ClumpParticle.cc", "Kernel/Particles/BaseParticle.cc",
)  # fmt: skip
INTEGRATOR_JL = cite_program(
    "QuaternionIntegrator2023", "dronir", "QuaternionIntegrator.jl", "dronir/QuaternionIntegrator.jl", "f3ae3b",
    "no licence is given", "src/QuaternionIntegrator.jl", "docs/src/algorithm.md",
)  # fmt: skip
