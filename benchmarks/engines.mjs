// A free body by an engine for Node: `node engines.mjs FOLDER PACKAGE RULE SETTING`; see engine_runs.py.
// Each function returns what reads the state, a quaternion with its scalar first and ω in space, and what makes a step.

import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const [folder, name, rule, setting] = process.argv.slice(2);
const [J, OMEGA0, STEP, STEPS] = JSON.parse(setting);
const require = createRequire(path.resolve(folder, "package.json"));

/** A module that has no form for `require`. */
const load = name => import(pathToFileURL(require.resolve(name)).href);

/** A quaternion and ω with their components by name. */
const list = (q, w) => [
  [q.w, q.x, q.y, q.z],
  [w.x, w.y, w.z],
];

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
  const read = () => {
    const q = body.getWorldTransform().getRotation(),
      w = body.getAngularVelocity();
    return [
      [q.w(), q.x(), q.y(), q.z()],
      [w.x(), w.y(), w.z()],
    ];
  };
  return [read, () => world.stepSimulation(STEP, 0)];
}

async function runCannon() {
  const {Body, Box, Vec3, World} = require("cannon-es");
  const world = new World(),
    body = new Body({mass: 1, shape: new Box(new Vec3(0.1, 0.1, 0.1))});
  body.angularVelocity.set(...OMEGA0);
  world.addBody(body);
  body.inertia.set(...J);
  body.invInertia.set(...J.map(moment => 1 / moment));
  return [() => list(body.quaternion, body.angularVelocity), () => world.step(STEP)];
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
  const read = () => {
    const q = body.GetRotation(),
      w = body.GetAngularVelocity();
    return [
      [q.GetW(), q.GetX(), q.GetY(), q.GetZ()],
      [w.GetX(), w.GetY(), w.GetZ()],
    ];
  };
  return [read, () => jolt.Step(STEP, 1)];
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
  const read = () => {
    const q = body.getGlobalPose().get_q(),
      w = body.getAngularVelocity();
    return [
      [q.get_w(), q.get_x(), q.get_y(), q.get_z()],
      [w.get_x(), w.get_y(), w.get_z()],
    ];
  };
  const step = () => {
    scene.simulate(STEP);
    scene.fetchResults(true);
  };
  return [read, step];
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
  return [() => list(body.rotation(), body.angvel()), () => world.step()];
}

async function runHavok() {
  const folderOfHavok = path.dirname(require.resolve("@babylonjs/havok")),
    wasmBinary = readFileSync(path.join(folderOfHavok, "HavokPhysics.wasm")),
    havok = await require("@babylonjs/havok")({wasmBinary});
  const [, world] = havok.HP_World_Create(),
    [, body] = havok.HP_Body_Create(),
    upright = [0, 0, 0, 1];
  havok.HP_World_SetGravity(world, [0, 0, 0]);
  const [, box] = havok.HP_Shape_CreateBox([0, 0, 0], upright, [0.2, 0.2, 0.2]);
  havok.HP_Body_SetShape(body, box);
  havok.HP_Body_SetMotionType(body, havok.MotionType.DYNAMIC);
  havok.HP_Body_SetMassProperties(body, [[0, 0, 0], 1, J, upright]);
  havok.HP_World_AddBody(world, body, false);
  havok.HP_Body_SetActivationControl(body, havok.ActivationControl.ALWAYS_ACTIVE);
  havok.HP_Body_SetAngularVelocity(body, OMEGA0);
  const read = () => {
    const [x, y, z, w] = havok.HP_Body_GetOrientation(body)[1];
    return [[w, x, y, z], havok.HP_Body_GetAngularVelocity(body)[1]];
  };
  return [read, () => havok.HP_World_Step(world, STEP)];
}

async function runOimo() {
  const {World} = require("oimo");
  const world = new World({timestep: STEP, gravity: [0, 0, 0]}),
    body = world.add({type: "box", size: [0.2, 0.2, 0.2], move: true, neverSleep: true});
  body.localInertia.set(J[0], 0, 0, 0, J[1], 0, 0, 0, J[2]);
  body.inverseLocalInertia.invert(body.localInertia);
  body.syncShapes();
  body.angularVelocity.set(...OMEGA0);
  return [() => list(body.orientation, body.angularVelocity), () => world.step()];
}

async function runCrashcat() {
  const place = path.join(folder, "node_modules", "crashcat", "dist", "index.js"),
    cat = await import(pathToFileURL(path.resolve(place)).href);
  cat.registerAll();
  const settings = cat.createWorldSettings(),
    layer = cat.addObjectLayer(settings, cat.addBroadphaseLayer(settings));
  settings.gravity = [0, 0, 0];
  const world = cat.createWorld(settings),
    inertia = [J[0], 0, 0, 0, 0, J[1], 0, 0, 0, 0, J[2], 0, 0, 0, 0, 1];
  const body = cat.rigidBody.create(world, {
    motionType: cat.MotionType.DYNAMIC,
    shape: cat.box.create({halfExtents: [0.1, 0.1, 0.1]}),
    objectLayer: layer,
    massPropertiesOverride: {mass: 1, inertia},
    allowSleeping: false,
  });
  cat.rigidBody.setAngularVelocity(world, body, OMEGA0);
  const read = () => {
    const [x, y, z, w] = body.quaternion;
    return [[w, x, y, z], [...body.motionProperties.angularVelocity]];
  };
  return [read, () => cat.updateWorld(world, undefined, STEP)];
}

const RUNS = {
  "ammo.js": () => runAmmo("ammo.js"),
  "ammojs-typed": () => runAmmo("ammojs-typed"),
  "cannon-es": runCannon,
  "jolt-physics": () => runJolt(rule === "jolt"),
  "physx-js-webidl": () => runPhysx(rule === "physx"),
  "@dimforge/rapier3d-compat": runRapier,
  "@babylonjs/havok": runHavok,
  oimo: runOimo,
  crashcat: runCrashcat,
};
const [read, step] = await RUNS[name](),
  rows = [read()];
for (let i = 0; i < STEPS; i++) {
  step();
  rows.push(read());
}
process.stdout.write(JSON.stringify(rows) + "\n", () => process.exit(0));
