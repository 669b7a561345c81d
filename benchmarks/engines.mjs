// A free body by an engine for Node: `node engines.mjs FOLDER PACKAGE RULE SETTING`; see engines.py.

import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [folder, name, rule, setting] = process.argv.slice(2);
const [J, OMEGA0, STEP, STEPS] = JSON.parse(setting);
const require = createRequire(path.resolve(folder, "package.json"));

/** A module that has no form for `require`. */
const load = name => import(pathToFileURL(require.resolve(name)).href);

/** Bullet in JavaScript. */
async function runAmmo(name) {
  const loaded = require(name),
    Ammo = typeof loaded === "function" ? await loaded() : loaded;
  const configuration = new Ammo.btDefaultCollisionConfiguration();
  const world = new Ammo.btDiscreteDynamicsWorld(
    new Ammo.btCollisionDispatcher(configuration),
    new Ammo.btDbvtBroadphase(),
    new Ammo.btSequentialImpulseConstraintSolver(),
    configuration,
  );
  world.setGravity(new Ammo.btVector3(0, 0, 0));
  const place = new Ammo.btTransform();
  place.setIdentity();
  const box = new Ammo.btBoxShape(new Ammo.btVector3(0.1, 0.1, 0.1));
  const body = new Ammo.btRigidBody(
    new Ammo.btRigidBodyConstructionInfo(
      1,
      new Ammo.btDefaultMotionState(place),
      box,
      new Ammo.btVector3(...J),
    ),
  );
  body.setAngularVelocity(new Ammo.btVector3(...OMEGA0));
  body.setActivationState(4); // never asleep
  world.addRigidBody(body);
  for (let i = 0; i < STEPS; i++) world.stepSimulation(STEP, 0);
  const q = body.getWorldTransform().getRotation(),
    w = body.getAngularVelocity();
  return {q: [q.w(), q.x(), q.y(), q.z()], w: [w.x(), w.y(), w.z()]};
}

async function runCannon() {
  const {Body, Box, Vec3, World} = require("cannon-es");
  const world = new World(),
    body = new Body({mass: 1, shape: new Box(new Vec3(0.1, 0.1, 0.1))});
  body.angularVelocity.set(...OMEGA0);
  world.addBody(body);
  body.inertia.set(...J);
  body.invInertia.set(...J.map(moment => 1 / moment));
  for (let i = 0; i < STEPS; i++) world.step(STEP);
  const {quaternion: q, angularVelocity: w} = body;
  return {q: [q.w, q.x, q.y, q.z], w: [w.x, w.y, w.z]};
}

async function runJolt(gyroscopic) {
  const Jolt = await (await load("jolt-physics")).default();
  const settings = new Jolt.JoltSettings(),
    layers = new Jolt.ObjectLayerPairFilterTable(1);
  const phases = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
  phases.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
  settings.mObjectLayerPairFilter = layers;
  settings.mBroadPhaseLayerInterface = phases;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(
    phases,
    1,
    layers,
    1,
  );
  const jolt = new Jolt.JoltInterface(settings),
    system = jolt.GetPhysicsSystem();
  system.SetGravity(new Jolt.Vec3(0, 0, 0));
  const made = new Jolt.BodyCreationSettings(
    new Jolt.BoxShape(new Jolt.Vec3(0.5, 0.5, 0.5)),
    new Jolt.RVec3(0, 0, 0),
    new Jolt.Quat(0, 0, 0, 1),
    Jolt.EMotionType_Dynamic,
    0,
  );
  made.mAllowSleeping = false;
  if (gyroscopic) made.mApplyGyroscopicForce = true;
  made.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
  made.mMassPropertiesOverride.mMass = 1;
  made.mMassPropertiesOverride.mInertia = Jolt.Mat44.prototype.sScaleVec3(new Jolt.Vec3(...J));
  const bodies = system.GetBodyInterface(),
    body = bodies.CreateBody(made);
  bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
  body.SetAngularVelocity(new Jolt.Vec3(...OMEGA0));
  for (let i = 0; i < STEPS; i++) jolt.Step(STEP, 1);
  const q = body.GetRotation(),
    w = body.GetAngularVelocity();
  return {q: [q.GetW(), q.GetX(), q.GetY(), q.GetZ()], w: [w.GetX(), w.GetY(), w.GetZ()]};
}

/** PhysX in WebAssembly, which is built for browsers: it has to find a window, and no Node. */
async function runPhysx(gyroscopic) {
  const entry = require.resolve("physx-js-webidl");
  Object.defineProperty(process, "versions", {value: {...process.versions, node: undefined}});
  Object.assign(globalThis, {window: globalThis, document: {}});
  const {default: load} = await import(pathToFileURL(entry).href),
    PhysX = await load({wasmBinary: readFileSync(entry.replace(/mjs$/, "wasm"))}),
    top = PhysX.PxTopLevelFunctions.prototype;
  const foundation = top.CreateFoundation(
    PhysX.PHYSICS_VERSION,
    new PhysX.PxDefaultAllocator(),
    new PhysX.PxDefaultErrorCallback(),
  );
  const physics = top.CreatePhysics(
      PhysX.PHYSICS_VERSION,
      foundation,
      new PhysX.PxTolerancesScale(),
    ),
    described = new PhysX.PxSceneDesc(physics.getTolerancesScale());
  described.set_gravity(new PhysX.PxVec3(0, 0, 0));
  described.set_cpuDispatcher(top.DefaultCpuDispatcherCreate(0));
  described.set_filterShader(top.DefaultFilterShader());
  const scene = physics.createScene(described),
    body = physics.createRigidDynamic(new PhysX.PxTransform(PhysX.PxIDENTITYEnum.PxIdentity));
  body.setMass(1);
  body.setMassSpaceInertiaTensor(new PhysX.PxVec3(...J));
  body.setRigidBodyFlag(1 << 10, gyroscopic); // eENABLE_GYROSCOPIC_FORCES, for which the package has no name
  body.setSleepThreshold(0);
  scene.addActor(body);
  body.setAngularVelocity(new PhysX.PxVec3(...OMEGA0));
  for (let i = 0; i < STEPS; i++) {
    scene.simulate(STEP);
    scene.fetchResults(true);
  }
  const q = body.getGlobalPose().get_q(),
    w = body.getAngularVelocity();
  return {
    q: [q.get_w(), q.get_x(), q.get_y(), q.get_z()],
    w: [w.get_x(), w.get_y(), w.get_z()],
  };
}

async function runRapier() {
  const rapier = require("@dimforge/rapier3d-compat");
  await rapier.init();
  const vector = ([x, y, z]) => ({x, y, z}),
    world = new rapier.World(vector([0, 0, 0]));
  world.timestep = STEP;
  const made = rapier.RigidBodyDesc.dynamic()
    .setCanSleep(false)
    .setAngvel(vector(OMEGA0))
    .setAdditionalMassProperties(1, vector([0, 0, 0]), vector(J), {x: 0, y: 0, z: 0, w: 1});
  const body = world.createRigidBody(made);
  for (let i = 0; i < STEPS; i++) world.step();
  const q = body.rotation(),
    w = body.angvel();
  return {q: [q.w, q.x, q.y, q.z], w: [w.x, w.y, w.z]};
}

const RUNS = {
  "ammo.js": () => runAmmo("ammo.js"),
  "ammojs-typed": () => runAmmo("ammojs-typed"),
  "cannon-es": runCannon,
  "jolt-physics": () => runJolt(rule === "jolt"),
  "physx-js-webidl": () => runPhysx(rule === "physx"),
  "@dimforge/rapier3d-compat": runRapier,
};
console.log(JSON.stringify(await RUNS[name]()));
process.exit(0);
