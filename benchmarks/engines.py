"""Physics engines, run: how far the lab's rules reproduce a free body.

``python -m benchmarks.engines`` runs a free body with each engine that is installed, in the engine's
own precision, for 600 steps of 1/60 s, and prints the largest differences from the rule of its name:
of an element of R, and of a component of the angular velocity in the body's frame. With ``--record``
it also writes the engines' final states to ``tests/data/engine_states.json``, with which tests
compare the rules; the page Engines has the differences from `engine/algorithms/core/programs.toml`.
Engines that are not installed keep their entries there::

    pip install mujoco mujoco-mjx pybullet newton dartpy exudyn panda3d rapier3d robox3d opensim
    npm install --prefix FOLDER ammo.js ammojs-typed cannon-es jolt-physics physx-js-webidl \\
        @dimforge/rapier3d-compat
    apt install libsimbody-dev pkgconf g++
    python -m benchmarks.engines --node FOLDER --record
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine.parameters.validation import Array

from ._table import find_version, table

J = (1.0, 2.0, 2.8)
OMEGA0 = (1.2, 1.9, 1.5)
STEP = 1 / 60
STEPS = 600
STATES = Path(__file__).parents[1] / "tests" / "data" / "engine_states.json"
SCRIPT = Path(__file__).with_name("engines.mjs")
SIMBODY = Path(__file__).with_name("simbody.cpp")

State = tuple[Array, Array]
"""The final attitude R, and the angular velocity in the body's frame."""


def rotate(w: float, x: float, y: float, z: float) -> Array:
    """The rotation of a quaternion, which is made a unit."""
    q = np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z])
    vector = q[1:]
    hat = np.cross(q[1:], np.eye(3)).T
    return np.eye(3) + 2 * q[0] * hat + 2 * (np.outer(vector, vector) - vector @ vector * np.eye(3))


def from_space(R: Array, ω: Any) -> State:
    """A state with the angular velocity in space."""
    return R, R.T @ np.asarray(ω, float)


# -------------------------------------------------------------------------------------------------
# the engines


def make_mujoco(integrator: str) -> tuple[Any, Any]:
    """MuJoCo's model of the body, with an integrator, and its initial state."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option gravity='0 0 0' integrator='{integrator}'/><worldbody><body><freejoint/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 2 2.8'/></body></worldbody></mujoco>"
    )
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    data.qvel[3:] = OMEGA0
    return model, data


def run_mujoco(integrator: str) -> State:
    """MuJoCo, with an integrator."""
    import mujoco

    model, data = make_mujoco(integrator)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return rotate(*data.qpos[3:]), np.array(data.qvel[3:])


def run_mjx(integrator: str) -> State:
    """MJX, MuJoCo's translation to JAX, in 64 bits."""
    import jax
    from mujoco import mjx

    jax.config.update("jax_enable_x64", True)
    model, data = make_mujoco(integrator)
    moved, place = mjx.put_model(model), mjx.put_data(model, data)
    step = jax.jit(mjx.step)
    for _ in range(STEPS):
        place = step(moved, place)
    return rotate(*map(float, place.qpos[3:])), np.array(place.qvel[3:])


def run_pybullet(maximal: bool, damping: float | None = None) -> State:
    """PyBullet, as a multibody or with maximal coordinates."""
    import pybullet

    pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setTimeStep(STEP)
        box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[0.1] * 3)
        body = pybullet.createMultiBody(1.0, box, useMaximalCoordinates=maximal)
        damped = {} if damping is None else {"angularDamping": damping}
        pybullet.changeDynamics(body, -1, localInertiaDiagonal=J, **damped)
        pybullet.resetBaseVelocity(body, [0.0] * 3, OMEGA0)
        for _ in range(STEPS):
            pybullet.stepSimulation()
        _, (x, y, z, w) = pybullet.getBasePositionAndOrientation(body)
        return from_space(rotate(w, x, y, z), pybullet.getBaseVelocity(body)[1])
    finally:
        pybullet.disconnect()


def run_newton(solver: str) -> State:
    """Newton, with a solver."""
    import newton
    import warp

    warp.config.quiet = True
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_body(mass=1.0, inertia=warp.mat33(*np.diag(J).ravel()))
    model = builder.finalize(device="cpu")
    stepper = getattr(newton.solvers, solver)(model)
    control = model.control()
    contacts = model.contacts() if solver == "SolverKamino" else None
    now = model.state()
    then = model.state()
    speeds = now.body_qd.numpy()
    speeds[0] = (0.0, 0.0, 0.0, *OMEGA0)
    now.body_qd.assign(speeds)
    now.joint_qd.assign(speeds[0])
    for _ in range(STEPS):
        now.clear_forces()
        stepper.step(now, then, control, contacts, STEP)
        now, then = then, now
    x, y, z, w = now.body_q.numpy()[0][3:].astype(float)
    return from_space(rotate(w, x, y, z), now.body_qd.numpy()[0][3:])


def run_dart() -> State:
    """DART, by a free joint."""
    import dartpy

    world = dartpy.simulation.World()
    skeleton = dartpy.dynamics.Skeleton()
    world.setGravity([0.0] * 3)
    world.setTimeStep(STEP)
    _, body = skeleton.createFreeJointAndBodyNodePair()
    inertia = dartpy.dynamics.Inertia()
    inertia.setMass(1.0)
    inertia.setMoment(np.diag(J))
    body.setInertia(inertia)
    world.addSkeleton(skeleton)
    skeleton.setVelocities([*OMEGA0, 0.0, 0.0, 0.0])
    for _ in range(STEPS):
        world.step()
    R = np.array(body.getWorldTransform().rotation())
    return from_space(R, np.array(skeleton.getVelocities())[:3])


def run_exudyn() -> State:
    """Exudyn's explicit RK44, with a node for Lie group integrators."""
    import exudyn
    from exudyn import itemInterface

    system = exudyn.SystemContainer().AddSystem()
    node = system.AddNode(
        itemInterface.NodeRigidBodyRotVecLG(
            referenceCoordinates=[0.0] * 6, initialVelocities=[0.0, 0.0, 0.0, *OMEGA0]
        )
    )
    system.AddObject(
        itemInterface.ObjectRigidBody(mass=1.0, inertia=[*J, 0.0, 0.0, 0.0], nodeNumber=node)
    )
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = STEPS
    settings.timeIntegration.endTime = STEPS * STEP
    settings.timeIntegration.explicit.useLieGroupIntegration = True
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)
    kinds = exudyn.OutputVariableType
    R = system.GetNodeOutput(node, kinds.RotationMatrix).reshape(3, 3)
    return R, np.array(system.GetNodeOutput(node, kinds.AngularVelocityLocal))


def run_ode() -> State:
    """ODE, as Panda3D includes it."""
    from panda3d import ode

    world = ode.OdeWorld()
    body = ode.OdeBody(world)
    mass = ode.OdeMass()
    mass.setParameters(1.0, 0.0, 0.0, 0.0, *J, 0.0, 0.0, 0.0)
    body.setMass(mass)
    body.setAngularVel(*OMEGA0)
    for _ in range(STEPS):
        world.step(STEP)
    return from_space(rotate(*body.getQuaternion()), list(body.getAngularVel()))


def run_rapier() -> State:
    """Rapier, by its package for Python."""
    import rapier3d

    world = rapier3d.PhysicsWorld()
    world.integration_parameters.dt = STEP
    inertia = rapier3d.MassProperties((0.0, 0.0, 0.0), 1.0, J)
    made = rapier3d.RigidBody.dynamic().can_sleep(False).angvel(OMEGA0)
    handle = world.add_body(made.additional_mass_properties(inertia))
    for _ in range(STEPS):
        world.step()
    body = world.rigid_bodies[handle]
    turned, ω = body.rotation, body.angvel
    return from_space(rotate(turned.w, turned.i, turned.j, turned.k), [ω.x, ω.y, ω.z])


def run_box3d() -> State:
    """Box3D, as robox3d includes it."""
    from robox3d.core.world import World

    with World(gravity=(0.0, 0.0, 0.0)) as world:
        body = world.create_body()
        body.add_sphere(0.1)
        body.set_mass_data(1.0, (0.0, 0.0, 0.0), np.diag(J))
        body.angular_velocity = OMEGA0
        for _ in range(STEPS):
            world.step(STEP)
        x, y, z, w = body.rotation
        return from_space(rotate(w, x, y, z), body.angular_velocity)


def run_simbody(accuracy: float = 0.0) -> State:
    """Simbody's Verlet with steps of one size, by a program in C++; 0 is the default accuracy."""
    words = ["pkg-config", "--cflags", "--libs", "simbody"]
    flags = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    setting = [STEP, STEPS, accuracy, *J, *OMEGA0]
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "simbody")
        subprocess.run(["g++", "-w", str(SIMBODY), *flags, "-o", program], check=True)
        ran = subprocess.run([program, *map(repr, setting)], check=True, capture_output=True)
    found = np.array(ran.stdout.split(), float)
    return found[:9].reshape(3, 3), found[9:]


def run_opensim() -> State:
    """OpenSim's Verlet with steps of one size."""
    import opensim

    opensim.Logger.setLevelString("off")
    model = opensim.Model()
    model.setGravity(opensim.Vec3(0.0))
    body = opensim.Body("body", 1.0, opensim.Vec3(0.0), opensim.Inertia(*J))
    model.addBody(body)
    model.addJoint(opensim.FreeJoint("joint", model.getGround(), body))
    model.finalizeConnections()
    state = model.initSystem()
    for i, speed in enumerate(OMEGA0):
        model.getCoordinateSet().get(i).setSpeedValue(state, speed)
    manager = opensim.Manager(model)
    manager.setIntegratorMethod(opensim.Manager.IntegratorMethod_Verlet)
    manager.setIntegratorFixedStepSize(STEP)
    manager.initialize(state)
    state = manager.integrate(STEPS * STEP)
    model.realizeVelocity(state)
    rows = body.getTransformInGround(state).R().asMat33()
    R = np.array([[rows.get(i, k) for k in range(3)] for i in range(3)])
    ω = body.getAngularVelocityInGround(state)
    return from_space(R, [ω.get(i) for i in range(3)])


@dataclass(frozen=True)
class Trial:
    """An engine with its setting: the name of its rule in the lab, its package, and the bits of its
    numbers.
    """

    engine: str
    rule: str
    package: str
    bits: int
    run: Callable[[], State] | None = None
    """None for a package of Node."""


TRIALS = (
    Trial("MuJoCo, Euler", "mujoco-euler", "mujoco", 64, lambda: run_mujoco("Euler")),
    Trial("MuJoCo, RK4", "mujoco-rk4", "mujoco", 64, lambda: run_mujoco("RK4")),
    Trial("MuJoCo, implicit", "mujoco-implicit", "mujoco", 64, lambda: run_mujoco("implicit")),
    Trial(
        "MuJoCo, implicitfast",
        "mujoco-implicitfast",
        "mujoco",
        64,
        lambda: run_mujoco("implicitfast"),
    ),
    Trial("MuJoCo, discrete", "mujoco-implicit", "mujoco", 64, lambda: run_mujoco("discrete")),
    Trial("MJX, Euler", "mujoco-euler", "mujoco-mjx", 64, lambda: run_mjx("Euler")),
    Trial("MJX, implicitfast", "mujoco-euler", "mujoco-mjx", 64, lambda: run_mjx("implicitfast")),
    Trial("MJX, RK4", "mujoco-rk4-mean", "mujoco-mjx", 64, lambda: run_mjx("RK4")),
    Trial("PyBullet", "pybullet", "pybullet", 64, lambda: run_pybullet(False)),
    Trial(
        "PyBullet, angularDamping=0",
        "pybullet(damping=0)",
        "pybullet",
        64,
        lambda: run_pybullet(False, 0.0),
    ),
    Trial("PyBullet, useMaximalCoordinates", "bullet", "pybullet", 64, lambda: run_pybullet(True)),
    Trial("Bullet, in ammo.js", "bullet", "ammo.js", 32),
    Trial("ammojs-typed", "ammojs-typed", "ammojs-typed", 32),
    Trial("Jolt", "jolt-default", "jolt-physics", 32),
    Trial("Jolt, mApplyGyroscopicForce", "jolt", "jolt-physics", 32),
    Trial("PhysX", "physx-default", "physx-js-webidl", 32),
    Trial("PhysX, eENABLE_GYROSCOPIC_FORCES", "physx", "physx-js-webidl", 32),
    Trial("Rapier, in Node", "rapier", "@dimforge/rapier3d-compat", 32),
    Trial("Rapier, in Python", "rapier", "rapier3d", 32, run_rapier),
    Trial("Box3D, in robox3d", "box3d", "robox3d", 32, run_box3d),
    Trial("cannon-es", "cannon-es", "cannon-es", 64),
    Trial("ODE, in Panda3D", "ode", "panda3d", 32, run_ode),
    Trial(
        "Newton, SemiImplicit",
        "newton-physics",
        "newton",
        32,
        lambda: run_newton("SolverSemiImplicit"),
    ),
    Trial("Newton, XPBD", "xpbd", "newton", 32, lambda: run_newton("SolverXPBD")),
    Trial("Newton, Kamino", "kamino", "newton", 32, lambda: run_newton("SolverKamino")),
    Trial("DART", "dart", "dartpy", 64, run_dart),
    Trial("Exudyn, explicit RK44", "exudyn", "exudyn", 64, run_exudyn),
    Trial("Simbody, Verlet", "simbody", "simbody", 64, run_simbody),
    Trial(
        "Simbody, Verlet, setAccuracy(1e-9)", "simbody", "simbody", 64, lambda: run_simbody(1e-9)
    ),
    Trial("OpenSim, Verlet", "simbody", "opensim", 64, run_opensim),
)


def run_trial(trial: Trial, folder: Path | None) -> dict[str, Any] | None:
    """The final state of an engine, or None if it is not installed."""
    if trial.run is not None:
        number = find_version(trial.package) or find_library(trial.package)
        if number is None:
            return None
        with contextlib.redirect_stdout(io.StringIO()):
            R, Ω = trial.run()
    else:
        place = (folder or Path()) / "node_modules" / trial.package / "package.json"
        if folder is None or not place.exists():
            return None
        number = json.loads(place.read_text(encoding="utf-8"))["version"]
        setting = json.dumps([J, OMEGA0, STEP, STEPS])
        command = ["node", str(SCRIPT), str(folder), trial.package, trial.rule, setting]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        state = json.loads(ran.stdout.splitlines()[-1])
        R, Ω = from_space(rotate(*state["q"]), state["w"])
    return {
        "rule": trial.rule,
        "package": f"{trial.package} {number}",
        "bits": trial.bits,
        "R": np.asarray(R, float).tolist(),
        "Omega": np.asarray(Ω, float).tolist(),
    }


def find_library(name: str) -> str | None:
    """The version of a library that pkg-config knows, or None."""
    if shutil.which("pkg-config") is None:
        return None
    words = ["pkg-config", "--modversion", name]
    found = subprocess.run(words, check=False, capture_output=True, text=True)
    return found.stdout.strip() or None


def compare(state: Mapping[str, Any]) -> tuple[float, float]:
    """The largest differences of the rule from an engine's final state, in R and Ω."""
    body = engine.Problem(J=J, Omega0=OMEGA0)
    run = engine.simulate(body, state["rule"], dt=STEP, steps=STEPS, every=STEPS)
    return (
        float(np.abs(run.R[-1] - state["R"]).max()),
        float(np.abs(run.Omega[-1] - state["Omega"]).max()),
    )


def main() -> None:
    """Run the engines that are installed, and print the differences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--node", type=Path, help="the folder with engines for Node")
    parser.add_argument("--record", action="store_true", help=f"write {STATES.name}")
    options = parser.parse_args()
    states = {
        trial.engine: state
        for trial in TRIALS
        if (state := run_trial(trial, options.node)) is not None
    }
    rows = [
        (
            name,
            state["package"],
            f"{state['bits']}",
            state["rule"],
            *map("{:.0e}".format, compare(state)),
        )
        for name, state in states.items()
    ]
    print(table(("engine", "package", "bits", "rule", "R", "Ω"), rows))
    if options.record:
        found = json.loads(STATES.read_text(encoding="utf-8")) | states
        kept = {trial.engine: found[trial.engine] for trial in TRIALS if trial.engine in found}
        STATES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
