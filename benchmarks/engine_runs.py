"""A free body in each physics engine: how to make it, to step it, and to read its state.

Each function returns an `Engine`: a function that reads the attitude, as a quaternion with its
scalar first or as R, and the angular velocity, and one that makes a step. Both are as the engine
has them, in its own precision.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.parameters.validation import Array

J = (1.0, 2.0, 2.8)
OMEGA0 = (1.2, 1.9, 1.5)
STEP = 1 / 60
STEPS = 600
SCRIPT = Path(__file__).with_name("engines.mjs")
SIMBODY = Path(__file__).with_name("simbody.cpp")

Row: TypeAlias = tuple[Array, Array]
"""The attitude, as a quaternion with its scalar first or as R, and the angular velocity."""
Engine: TypeAlias = tuple[Callable[[], Row], Callable[[], Any]]
"""What reads a state, and what makes a step."""


def row(attitude: Sequence[float] | Array, velocity: Sequence[float] | Array) -> Row:
    """A state, copied, in 64 bits."""
    return np.array(attitude, float), np.array(velocity, float)


def row_of_scalar_last(attitude: Sequence[float], velocity: Sequence[float]) -> Row:
    """The same of a quaternion with its scalar last."""
    x, y, z, w = attitude
    return row((w, x, y, z), velocity)


def replay(rows: Sequence[Row]) -> Engine:
    """An engine that has made all its steps."""
    rest = iter(rows)
    return lambda: next(rest), lambda: None


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


def run_mujoco(integrator: str) -> Engine:
    """MuJoCo, with an integrator."""
    import mujoco

    model, data = make_mujoco(integrator)
    return lambda: row(data.qpos[3:], data.qvel[3:]), lambda: mujoco.mj_step(model, data)


def run_mjx(integrator: str) -> Engine:
    """MJX, MuJoCo's translation to JAX, in 64 bits."""
    import jax
    from mujoco import mjx

    jax.config.update("jax_enable_x64", True)
    model, data = make_mujoco(integrator)
    moved = mjx.put_model(model)
    make_step = jax.jit(mjx.step)
    place = mjx.put_data(model, data)

    def step() -> None:
        nonlocal place
        place = make_step(moved, place)

    return lambda: row(place.qpos[3:], place.qvel[3:]), step


def run_pybullet(maximal: bool, damping: float | None = None) -> Engine:
    """PyBullet, as a multibody or with maximal coordinates."""
    import pybullet

    world = {"physicsClientId": pybullet.connect(pybullet.DIRECT)}
    pybullet.setTimeStep(STEP, **world)
    box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[0.1] * 3, **world)
    body = pybullet.createMultiBody(1.0, box, useMaximalCoordinates=maximal, **world)
    damped = {} if damping is None else {"angularDamping": damping}
    pybullet.changeDynamics(body, -1, localInertiaDiagonal=J, **damped, **world)
    pybullet.resetBaseVelocity(body, [0.0] * 3, OMEGA0, **world)

    def read() -> Row:
        _, attitude = pybullet.getBasePositionAndOrientation(body, **world)
        return row_of_scalar_last(attitude, pybullet.getBaseVelocity(body, **world)[1])

    return read, lambda: pybullet.stepSimulation(**world)


def run_newton(solver: str) -> Engine:
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

    def step() -> None:
        nonlocal now, then
        now.clear_forces()
        stepper.step(now, then, control, contacts, STEP)
        now, then = then, now

    return (
        lambda: row_of_scalar_last(now.body_q.numpy()[0][3:], now.body_qd.numpy()[0][3:]),
        step,
    )


def run_dart() -> Engine:
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
    return (
        lambda: row(body.getWorldTransform().rotation(), skeleton.getVelocities()[:3]),
        world.step,
    )


def run_exudyn_alpha(tolerance: float = 1e-8) -> Engine:
    """Exudyn as it comes, by the generalized-α method for Euler parameters; a smaller tolerance is that
    of a full Newton method.
    """
    import exudyn
    from exudyn import itemInterface

    settings = exudyn.SimulationSettings()
    newton = settings.timeIntegration.newton
    if tolerance < newton.relativeTolerance:
        newton.relativeTolerance = newton.absoluteTolerance = tolerance
        newton.useModifiedNewton = False
    rates = [0.0, *(0.5 * speed for speed in OMEGA0)]
    node = itemInterface.NodeRigidBodyEP(
        referenceCoordinates=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        initialVelocities=[0.0, 0.0, 0.0, *rates],
    )
    return solve_exudyn(node, settings, exudyn.DynamicSolverType.GeneralizedAlpha)


def run_exudyn() -> Engine:
    """Exudyn's explicit RK44, with a node for Lie group integrators."""
    import exudyn
    from exudyn import itemInterface

    settings = exudyn.SimulationSettings()
    settings.timeIntegration.explicit.useLieGroupIntegration = True
    node = itemInterface.NodeRigidBodyRotVecLG(
        referenceCoordinates=[0.0] * 6, initialVelocities=[0.0, 0.0, 0.0, *OMEGA0]
    )
    return solve_exudyn(node, settings, exudyn.DynamicSolverType.RK44)


def solve_exudyn(node: Any, settings: Any, solver: Any) -> Engine:
    """Exudyn's motion of the body with this node."""
    import exudyn
    from exudyn import itemInterface

    system = exudyn.SystemContainer().AddSystem()
    number = system.AddNode(node)
    system.AddObject(
        itemInterface.ObjectRigidBody(mass=1.0, inertia=[*J, 0.0, 0.0, 0.0], nodeNumber=number)
    )
    settings.timeIntegration.numberOfSteps = STEPS
    settings.timeIntegration.endTime = STEPS * STEP
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    kinds = exudyn.OutputVariableType
    sensors = [
        system.AddSensor(
            itemInterface.SensorNode(nodeNumber=number, outputVariableType=kind, storeInternal=True)
        )
        for kind in (kinds.RotationMatrix, kinds.AngularVelocityLocal)
    ]
    system.Assemble()
    with contextlib.redirect_stdout(io.StringIO()):
        system.SolveDynamic(settings, solverType=solver)
    turned, velocities = (system.GetSensorStoredData(sensor)[:, 1:] for sensor in sensors)
    return replay([row(R.reshape(3, 3), Ω) for R, Ω in zip(turned, velocities, strict=True)])


def run_ode() -> Engine:
    """ODE, as Panda3D includes it."""
    from panda3d import ode

    world = ode.OdeWorld()
    body = ode.OdeBody(world)
    mass = ode.OdeMass()
    mass.setParameters(1.0, 0.0, 0.0, 0.0, *J, 0.0, 0.0, 0.0)
    body.setMass(mass)
    body.setAngularVel(*OMEGA0)
    return (
        lambda: row(list(body.getQuaternion()), list(body.getAngularVel())),
        lambda: world.step(STEP),
    )


def run_rapier() -> Engine:
    """Rapier, by its package for Python."""
    import rapier3d

    world = rapier3d.PhysicsWorld()
    world.integration_parameters.dt = STEP
    inertia = rapier3d.MassProperties((0.0, 0.0, 0.0), 1.0, J)
    made = rapier3d.RigidBody.dynamic().can_sleep(False).angvel(OMEGA0)
    handle = world.add_body(made.additional_mass_properties(inertia))

    def read() -> Row:
        body = world.rigid_bodies[handle]
        turned = body.rotation
        ω = body.angvel
        return row((turned.w, turned.i, turned.j, turned.k), (ω.x, ω.y, ω.z))

    return read, world.step


def run_box3d() -> Engine:
    """Box3D, as robox3d includes it."""
    from robox3d.core.world import World

    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.create_body()
    body.add_sphere(0.1)
    body.set_mass_data(1.0, (0.0, 0.0, 0.0), np.diag(J))
    body.angular_velocity = OMEGA0
    return (
        lambda: row_of_scalar_last(body.rotation, body.angular_velocity),
        lambda: world.step(STEP),
    )


def run_simbody(accuracy: float = 0.0) -> Engine:
    """Simbody's Verlet with steps of one size, by a program in C++; 0 is the default accuracy."""
    words = ["pkg-config", "--cflags", "--libs", "simbody"]
    flags = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    setting = [STEP, STEPS, accuracy, *J, *OMEGA0]
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "simbody")
        subprocess.run(["g++", "-w", str(SIMBODY), *flags, "-o", program], check=True)
        ran = subprocess.run([program, *map(repr, setting)], check=True, capture_output=True)
    table = np.array(ran.stdout.split(), float).reshape(-1, 12)
    return replay([row(line[:9].reshape(3, 3), line[9:]) for line in table])


def run_opensim() -> Engine:
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
    ends = itertools.count(1)

    def step() -> None:
        nonlocal state
        state = manager.integrate(next(ends) * STEP)

    def read() -> Row:
        model.realizeVelocity(state)
        rows = body.getTransformInGround(state).R().asMat33()
        ω = body.getAngularVelocityInGround(state)
        R = [[rows.get(i, k) for k in range(3)] for i in range(3)]
        return row(np.array(R), [ω.get(i) for i in range(3)])

    return read, step


def run_drake() -> Engine:
    """Drake, with a plant of discrete steps."""
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(STEP)
    plant.AddRigidBody("body", SpatialInertia(1.0, [0.0] * 3, UnitInertia(*J)))
    plant.mutable_gravity_field().set_gravity_vector([0.0] * 3)
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    plant.SetVelocities(context, [*OMEGA0, 0.0, 0.0, 0.0])
    simulator.Initialize()
    ends = itertools.count(1)
    return (
        lambda: row(plant.GetPositions(context)[:4], plant.GetVelocities(context)[:3]),
        lambda: simulator.AdvanceTo((next(ends) - 0.5) * STEP),
    )


BODY_IN_MJCF = (
    f"<mujoco><option gravity='0 0 0' timestep='{STEP!r}'/><worldbody><body><freejoint/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1 2 2.8'/>"
    "<geom type='sphere' size='0.1' mass='0' contype='0' conaffinity='0'/>"
    "</body></worldbody></mujoco>"
)
"""The body with a sphere without mass, which does not collide."""


def run_brax(pipeline: str) -> Engine:
    """Brax, with a pipeline, in 64 bits."""
    import importlib
    import warnings

    import jax
    from brax.io import mjcf

    jax.config.update("jax_enable_x64", True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is no longer maintained
        system = mjcf.loads(BODY_IN_MJCF)
    module = importlib.import_module(f"brax.{pipeline}.pipeline")
    still = jax.numpy.zeros(system.act_size())
    place = jax.numpy.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    state = module.init(system, place, jax.numpy.array([0.0, 0.0, 0.0, *OMEGA0]))
    make_step = jax.jit(module.step)

    def step() -> None:
        nonlocal state
        state = make_step(system, state, still)

    if pipeline == "generalized":
        return lambda: row(state.q[3:], state.qd[3:]), step
    return lambda: row(state.x.rot[0], state.xd.ang[0]), step


AIRCRAFT = f"""<?xml version="1.0"?>
<fdm_config name="body" version="2.0">
  <metrics>
    <wingarea>1</wingarea> <wingspan>1</wingspan> <chord>1</chord>
    <location name="AERORP"><x>0</x><y>0</y><z>0</z></location>
  </metrics>
  <mass_balance>
    <ixx>{J[0]}</ixx> <iyy>{J[1]}</iyy> <izz>{J[2]}</izz> <emptywt>1</emptywt>
    <location name="CG"><x>0</x><y>0</y><z>0</z></location>
  </mass_balance>
  <ground_reactions/> <propulsion/> <aerodynamics/>
</fdm_config>"""
"""A body without air, for JSBSim."""
PLANET = "<planet name='still'><rotation_rate unit='RAD/SEC'>0</rotation_rate></planet>"


def run_jsbsim(rate: int = 1, position: int = 1) -> Engine:
    """JSBSim with these integrators of rotations, by default those that it has as it comes: a body that
    falls to a planet that does not rotate.
    """
    import jsbsim

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "aircraft" / "body" / "body.xml"
        place.parent.mkdir(parents=True)
        place.write_text(AIRCRAFT, encoding="utf-8")
        planet = Path(folder) / "planet.xml"
        planet.write_text(PLANET, encoding="utf-8")
        jsbsim.FGJSBBase().debug_lvl = 0
        model = jsbsim.FGFDMExec(folder, None)
        model.load_planet(str(planet), False)
        model.load_model("body")
    model.set_dt(STEP)
    model["simulation/integrator/rate/rotational"] = rate
    model["simulation/integrator/position/rotational"] = position
    model["ic/h-sl-ft"] = 1e6
    for name, speed in zip("pqr", OMEGA0, strict=True):
        model[f"ic/{name}-rad_sec"] = speed
    model.run_ic()

    def read() -> Row:
        R = np.array(model.get_propagate().get_Tl2b()).T
        return row(R, [model[f"velocities/{name}i-rad_sec"] for name in "pqr"])

    return read, model.run


def run_genesis() -> Engine:
    """Genesis in 64 bits, with one step of its solver in each frame."""
    import genesis

    genesis.init(backend=genesis.cpu, precision="64", logging_level="error")
    scene = genesis.Scene(
        sim_options=genesis.options.SimOptions(dt=STEP, gravity=(0.0, 0.0, 0.0)),
        rigid_options=genesis.options.RigidOptions(enable_collision=False),
        show_viewer=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "body.xml"
        place.write_text(BODY_IN_MJCF, encoding="utf-8")
        body = scene.add_entity(genesis.morphs.MJCF(file=str(place)))
        scene.build()
    body.set_dofs_velocity([0.0, 0.0, 0.0, *OMEGA0])
    return lambda: row(body.get_quat(), body.get_dofs_velocity()[3:]), scene.step


def run_basilisk() -> Engine:
    """Basilisk's spacecraft, as it comes; its steps are whole nanoseconds."""
    from Basilisk.simulation import spacecraft
    from Basilisk.utilities import SimulationBaseClass, macros

    period = macros.sec2nano(STEP)
    base = SimulationBaseClass.SimBaseClass()
    base.CreateNewProcess("process").addTask(base.CreateNewTask("task", period))
    body = spacecraft.Spacecraft()
    body.hub.mHub = 1.0
    body.hub.IHubPntBc_B = np.diag(J).tolist()
    body.hub.omega_BN_BInit = [[speed] for speed in OMEGA0]
    base.AddModelToTask("task", body)
    base.InitializeSimulation()
    ends = itertools.count(1)

    def step() -> None:
        base.ConfigureStopTime(next(ends) * period)
        base.ExecuteSimulation()

    def read() -> Row:
        state = body.scStateOutMsg.read()
        σ = np.array(state.sigma_BN)
        return row((1.0 - σ @ σ, *(2.0 * σ)), state.omega_BN_B)

    base.ConfigureStopTime(0)
    base.ExecuteSimulation()
    return read, step


def run_node(folder: Path, package: str, rule: str) -> list[Row]:
    """The states of an engine for Node, by a script."""
    setting = json.dumps([J, OMEGA0, STEP, STEPS])
    command = ["node", str(SCRIPT), str(folder), package, rule, setting]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return [row(*one) for one in json.loads(ran.stdout.splitlines()[-1])]
