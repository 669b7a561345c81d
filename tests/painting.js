// A scene painted in Node: a WebGL that records what is drawn with which values. tests/drawing.py puts the elements of a page before it.

import {page} from "../assets/js/core/page.js";
import {clock} from "../assets/js/scene/clock.js";
import {readMotions, unpack} from "../assets/js/scene/packing.js";
import {buildMomentum} from "../assets/js/scene/momentum-sphere.js";
import {BUILDERS, buildScene} from "../assets/js/scene/build-scene.js";
import {FLAT, LINE, MESH} from "../assets/js/scene/shaders.js";
import {Stage} from "../assets/js/scene/stage.js";
import {View} from "../assets/js/scene/view.js";

BUILDERS.momentum = buildMomentum;

const TYPES = {
  float: "FLOAT",
  vec2: "FLOAT_VEC2",
  vec3: "FLOAT_VEC3",
  vec4: "FLOAT_VEC4",
  mat3: "FLOAT_MAT3",
  mat4: "FLOAT_MAT4",
};

/** The uniforms that a shader declares: a name and a type. */
function listUniforms(source) {
  return [...source.matchAll(/uniform (?:highp )?(\w+) ([^;]+);/g)].flatMap(([, type, names]) =>
    names.split(",").map(name => ({name: name.trim(), type: TYPES[type] ?? type})),
  );
}

function createContext() {
  const drawn = [];
  let used = null;
  const draw = () => drawn.push({...used.values, line: used.sources.includes(LINE[0])});
  const set = (at, ...value) => {
    used.values[at] = value.at(-1);
  };
  const gl = {
    drawn,
    createShader: () => ({}),
    shaderSource: (shader, source) => {
      shader.source = source;
    },
    createProgram: () => ({values: {}, sources: []}),
    attachShader: (program, {source}) => program.sources.push(source),
    getProgramParameter: (program, name) =>
      name === "ACTIVE_UNIFORMS" ? program.sources.flatMap(listUniforms).length : true,
    getActiveUniform: (program, i) => program.sources.flatMap(listUniforms)[i],
    getUniformLocation: (_, name) => name,
    useProgram: program => {
      used = program;
    },
    getParameter: name => (name === "MAX_SAMPLES" ? 4 : "none"),
    isContextLost: () => false,
    getAttachedShaders: () => [],
    drawElements: draw,
    drawArrays: draw,
  };
  return new Proxy(gl, {
    get: (known, name) =>
      known[name] ?? (/^uniform/.test(name) ? set : /^[A-Z]/.test(name) ? name : () => ({})),
  });
}

function createView({packed, shapes, time, camera}) {
  const gl = createContext(),
    canvas = Object.assign(element(), {getContext: () => gl, clientWidth: 400, clientHeight: 300});
  const view = new View(element(), canvas, element()),
    {facts, motions} = readMotions(packed);
  view.setShapes(unpack(shapes));
  view.setScene(buildScene(facts, motions));
  if (camera) view.camera = camera;
  clock.time = time;
  gl.drawn.length = 0;
  return {view, drawn: gl.drawn};
}

/** What a view draws of a scene at a time, each time with all values of its program. */
export function paint(scene) {
  const {view, drawn} = createView(scene);
  view.draw(400, 300, 1);
  return drawn;
}

/** How much each of three frames draws: the first, the next, and one after a request. */
export function countFrames(scene) {
  const {view, drawn} = createView(scene);
  view.visible = true;
  const count = () => {
    drawn.length = 0;
    view.frame(0, 0);
    return drawn.length;
  };
  const frames = [count(), count()];
  view.redraw();
  return [...frames, count()];
}

/** The names that are seen in a view at a time. */
export const paintNames = scene =>
  createView(scene)
    .view.drawAt(400, 300, 1)
    .names.map(({text}) => text);

/** What the legend says of the arrows of a scene, without the layers of these keys. */
export function listMeanings({hidden = [], ...scene}) {
  const {view} = createView(scene);
  hidden.forEach(layer => view.hidden.add(layer));
  return view.listArrows().map(({label, means, colour}) => [label, means, colour]);
}

/** How far a view's camera is from its target at each of these times. */
export function followPair({times, ...scene}) {
  const {view} = createView({...scene, time: 0});
  return times.map(time => {
    clock.time = time;
    view.draw(400, 300, 1);
    const {eye} = view.panes[0].camera;
    return Math.hypot(...eye);
  });
}

/** What a stage draws on canvases of this width and height while the page hides some parts: each a name and its arguments. */
export function recordStage({size, hidden}) {
  const calls = [];
  const note =
    name =>
    (...given) => {
      calls.push([name, ...given]);
      return {width: 8 * `${given[0]}`.length};
    };
  const g = new Proxy({}, {get: (known, name) => known[name] ?? note(name)});
  document.createElement = () => Object.assign(element(), {getContext: () => g});
  document.documentElement.dataset = {};
  Object.assign(page, {hidden, state: {choice: {duration: 10}}});
  new Stage(document.createElement(), {describe: () => [], size: [...size, 1]}).draw();
  return calls;
}

/** How much farther a shader draws something at a distance w, in units of the depth buffer's range. */
export function findDepth({nearer, projection}, w) {
  const [, formula] = /gl_Position\.z \+= ([^;]+);/.exec(MESH[0]);
  return new Function(
    "gl_Position",
    "projection",
    "nearer",
    `return (${formula}) / gl_Position.w / 2`,
  )({w}, [0, 0, 0, {z: projection[14]}], nearer);
}

/** The strength of a piece of a line that is so many points old. */
export function findStrength({tail, fade, now}, old) {
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x)),
    [, formula] = /\bage = ([^;]+);/.exec(LINE[0]);
  const [, strength] = /float strength = ([^;]+);/.exec(LINE[1]);
  const age = new Function("tail", "fade", "now", "index", "end", "clamp", `return ${formula}`)(
    tail,
    fade,
    now,
    now - old,
    0,
    clamp,
  );
  return new Function("colour", "done", "age", "faint", `return ${strength}`)({a: 1}, true, age, 0);
}

/** The strength of the floor and of shadows at a pixel, as a part of that in the middle of the view. */
export function findFlatStrength({pane}, x, y) {
  const [left, bottom, width, height] = pane,
    inside = [x - left, y - bottom];
  const [, strength] = /result = vec4\(colour.rgb, 1.\) \* a \* ([^;]+);/.exec(FLAT[1]);
  const smoothstep = (low, high, at) => {
    const part = Math.min(1, Math.max(0, (at - low) / (high - low)));
    return part * part * (3 - 2 * part);
  };
  const edge = {
    x: Math.min(inside[0], width - inside[0]),
    y: Math.min(inside[1], height - inside[1]),
  };
  return new Function("pane", "edge", "smoothstep", "min", `return ${strength}`)(
    {w: height},
    edge,
    smoothstep,
    Math.min,
  );
}
