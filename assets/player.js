// The 3D player: bodies, curves and arrows in WebGL2, moved by one clock for the whole page.
// It is given two packed buffers (app/player/packing.py says what is in them) and needs the server no more.
// `mount(host, {shapes, scene})` works by itself, its scene packed or as {facts, motions} that the browser has made;
// `render` is what Panel calls.

import {given, sceneOf, unpacked} from "./scene.js";
import {marked, showMeanings} from "./terms.js";

const FIELD_OF_VIEW = 0.56;
const FARTHEST = 6; // of a curve from the middle, where the body reaches to about 1
const MOST_PIECES = 6000; // of one curve
const FAINT = 0.2; // of a curve's strength where time has not come yet
const LATE = 24; // milliseconds between frames from which on the picture is made cheaper
const CLEARANCE = 17; // pixels between the middles of two labels
const CHUNK = 1 << 20; // bytes of a file in one message
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const REST = 4000; // milliseconds for which what plays by itself rests after a person has done something else
const BRIEF = 2, LONG = 100; // units of time: what lasts less or more is played in 20 seconds, unless a speed is chosen
const STOPPED = "polhode-stopped"; // that a person has stopped it, as long as the visit lasts
const SPEEDS = [["1/16", "¹⁄₁₆×"], ["1/4", "¼×"], ["1/2", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["8", "8×"], ["fit", "in 20 s"]];

// ---- tracks -------------------------------------------------------------------------------------------------------

/** Attitude, angular velocity and place of one body of a motion at any time; past its last row it stays where it ended. */
export class Track {
  constructor({t: times, q: quaternions, x: places = null, ...rest}) {
    Object.assign(this, rest, {times, quaternions, places});
    this.curves = new Map();
    this.fine = null; // states between the rows, see `finely`
  }

  /** The row at or before a time, and how far towards the next, from 0 to 1. */
  row(time) {
    const t = this.times, last = this.n - 1;
    if (!(time > t[0]) || last < 1) return [0, 0];
    if (time >= t[last]) return [last - 1, 1];
    let low = Math.min(last - 1, Math.floor(time / t[last] * last)), high = last;
    if (t[low] > time) [low, high] = [0, low];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    return [low, (time - t[low]) / (t[low + 1] - t[low])];
  }

  at(time) { const [i, f] = this.row(time); return i + f; }

  /** Between rows that are more than half a turn apart nobody knows the way: the pose changes from row to row. */
  between(i, f) {
    const a = 3 * i, Ω = Math.hypot(this.Omega[a], this.Omega[a + 1], this.Omega[a + 2]);
    return Ω * (this.times[i + 1] - this.times[i]) < Math.PI ? f : Math.floor(f);
  }

  /** (w, x, y, z) so far on between a row and the next, by spherical interpolation along the shorter way. */
  pose(i, f) {
    const q = this.quaternions, a = 4 * i, b = a + 4;
    if (this.n < 2) return q.subarray(0, 4);
    f = this.between(i, f);
    let cosine = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
    const sign = cosine < 0 ? -1 : 1;
    cosine = Math.min(1, cosine * sign);
    let u = 1 - f, v = f;
    if (cosine < 0.9995) {
      const angle = Math.acos(cosine), sine = Math.sin(angle);
      u = Math.sin(u * angle) / sine;
      v = Math.sin(v * angle) / sine;
    }
    v *= sign;
    const out = [u * q[a] + v * q[b], u * q[a + 1] + v * q[b + 1], u * q[a + 2] + v * q[b + 2], u * q[a + 3] + v * q[b + 3]];
    const norm = Math.hypot(...out) || 1;
    return out.map(x => x / norm);
  }

  attitude(time) { return rotation(this.pose(...this.row(time))); }

  /** How many pieces a row's curve in space is drawn with, so that it is round where the body turns far in a row. */
  pieces(curve) {
    if (curve === "Omega" || curve === "place" || this.n < 2) return 1;
    let widest = 0;
    for (let i = 0; i + 1 < this.n; i++) {
      const angle = Math.hypot(this.Omega[3 * i], this.Omega[3 * i + 1], this.Omega[3 * i + 2]) * (this.times[i + 1] - this.times[i]);
      if (angle < Math.PI) widest = Math.max(widest, angle);
    }
    return Math.max(1, Math.min(Math.ceil(widest / 0.12), Math.floor(MOST_PIECES / this.n)));
  }

  /** All points of a curve in the body or in space: Omega, omega = RΩ, pi = RJΩ, the tip of an axis, R·axis, or the place. */
  curve(part) {
    const key = `${part.curve} ${part.scale} ${part.axis ?? ""}`;
    if (!this.curves.has(key)) {
      const pieces = this.pieces(part.curve);
      this.curves.set(key, {points: this.drawn(part, pieces === 1 ? this : this.finely(pieces)), pieces});
    }
    return this.curves.get(key);
  }

  /** Angular velocity and attitude at so many places from each row to the next: as `pose`, and as `drawn` without an array for each. */
  finely(pieces) {
    if (this.fine?.pieces === pieces) return this.fine;
    const rows = this.n - 1, n = rows * pieces + 1, Omega = new Float32Array(3 * n), quaternions = new Float32Array(4 * n);
    const {Omega: Ω, quaternions: q} = this;
    for (let i = 0; i < rows; i++) {
      const a = 3 * i, b = 4 * i, jumps = this.between(i, 0.5) === 0;
      const cosine = q[b] * q[b + 4] + q[b + 1] * q[b + 5] + q[b + 2] * q[b + 6] + q[b + 3] * q[b + 7], sign = cosine < 0 ? -1 : 1;
      const angle = Math.acos(Math.min(1, cosine * sign)), bent = cosine * sign < 0.9995;
      for (let p = 0; p < pieces; p++) {
        const k = i * pieces + p, f = p / pieces, g = jumps ? 0 : f;
        for (let c = 0; c < 3; c++) Omega[3 * k + c] = (1 - f) * Ω[a + c] + f * Ω[a + 3 + c];
        const u = bent ? Math.sin((1 - g) * angle) : 1 - g, v = sign * (bent ? Math.sin(g * angle) : g);
        let square = 0;
        for (let c = 0; c < 4; c++) square += (quaternions[4 * k + c] = u * q[b + c] + v * q[b + 4 + c]) ** 2;
        const norm = Math.sqrt(square) || 1;
        for (let c = 0; c < 4; c++) quaternions[4 * k + c] /= norm;
      }
    }
    Omega.set(Ω.subarray(3 * rows), 3 * (n - 1));
    quaternions.set(q.subarray(4 * rows), 4 * (n - 1));
    return this.fine = {pieces, n, Omega, quaternions};
  }

  /** A curve through these states: thousands, and each time that something changes, so without an array for each. */
  drawn({curve, scale, axis}, {n, Omega, quaternions: q}) {
    if (curve === "place") return Float32Array.from(this.places, x => bounded(scale * x));
    const {J} = this, points = new Float32Array(3 * n), turned = curve !== "Omega";
    for (let i = 0; i < n; i++) {
      const a = 3 * i, b = 4 * i;
      let x = Omega[a], y = Omega[a + 1], z = Omega[a + 2];
      if (curve === "axis") [x, y, z] = axis;
      else if (curve === "pi") [x, y, z] = [J[0] * x + J[1] * y + J[2] * z, J[3] * x + J[4] * y + J[5] * z, J[6] * x + J[7] * y + J[8] * z];
      if (turned) {
        const w = q[b], u = q[b + 1], v = q[b + 2], s = q[b + 3];
        const e = 2 * (v * z - s * y), f = 2 * (s * x - u * z), g = 2 * (u * y - v * x); // 2 (u, v, s) × (x, y, z)
        x += w * e + v * g - s * f;
        y += w * f + s * e - u * g;
        z += w * g + u * f - v * e;
      }
      points[a] = bounded(scale * x);
      points[a + 1] = bounded(scale * y);
      points[a + 2] = bounded(scale * z);
    }
    return points;
  }

  /** So far on between a row of vectors and the next. */
  mean(vectors, i, f) {
    const a = 3 * i, b = this.n > 1 ? a + 3 : a;
    return [0, 1, 2].map(k => (1 - f) * vectors[a + k] + f * vectors[b + k]);
  }

  place(i, f) { return this.places ? this.mean(this.places, i, f) : [0, 0, 0]; }

  /** One point of such a curve: so far on between a row and the next. */
  vector({curve, scale, axis}, i, f) {
    if (curve === "place") return this.place(i, f).map(x => bounded(scale * x));
    const Ω = this.mean(this.Omega, i, f);
    let v = curve === "pi" ? times(this.J, Ω) : curve === "axis" ? axis : Ω;
    if (curve !== "Omega") v = times(rotation(this.pose(i, f)), v);
    return v.map(x => bounded(scale * x));
  }
}

const bounded = x => Math.max(-FARTHEST, Math.min(FARTHEST, x));

/** Row by row. */
function rotation([w, x, y, z]) {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}
const times = (A, v) => [0, 3, 6].map(r => A[r] * v[0] + A[r + 1] * v[1] + A[r + 2] * v[2]);
const product = (A, B) => [0, 3, 6].flatMap(r => [0, 1, 2].map(c => A[r] * B[c] + A[r + 1] * B[c + 3] + A[r + 2] * B[c + 6]));
const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1], ORIGIN = [0, 0, 0], SLANT = [0.18, -0.12];

/** Column by column, for the graphics card: x ↦ size·A x + shift. */
function affine(A, size = 1, shift = [0, 0, 0]) {
  return new Float32Array([
    size * A[0], size * A[3], size * A[6], 0,
    size * A[1], size * A[4], size * A[7], 0,
    size * A[2], size * A[5], size * A[8], 0,
    ...shift, 1,
  ]);
}
/** What such a matrix does to directions. */
const directions = A => [A[0], A[1], A[2], A[4], A[5], A[6], A[8], A[9], A[10]];
function multiplied(A, B) {
  const C = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
    C[4 * c + r] = A[r] * B[4 * c] + A[4 + r] * B[4 * c + 1] + A[8 + r] * B[4 * c + 2] + A[12 + r] * B[4 * c + 3];
  return C;
}

/** What draws a surface that reaches to 1 out along axes, so that it reaches to 1 again; and the inverse of that. */
function drawnOut(points, axes, factors) {
  const along = factors => IDENTITY.map((_, i) =>
    factors.reduce((sum, factor, k) => sum + factor * axes[i - i % 3 + k] * axes[3 * (i % 3) + k], 0));
  const [a, b, c, d, e, f, g, h, k] = along(factors);
  let reach = 0;
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i], y = points[i + 1], z = points[i + 2];
    reach = Math.max(reach, (a * x + b * y + c * z) ** 2 + (d * x + e * y + f * z) ** 2 + (g * x + h * y + k * z) ** 2);
  }
  const fitted = factors.map(factor => factor / Math.sqrt(reach));
  return {out: along(fitted), back: along(fitted.map(factor => 1 / factor))};
}

/** A rotation whose third column is the direction. */
function along(v) {
  const n = Math.hypot(...v) || 1, [x, y, z] = v.map(c => c / n);
  if (z < -0.999999) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
  const k = 1 / (1 + z);
  return [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z];
}

// ---- one clock for the page ---------------------------------------------------------------------------------------

/** Time, and who follows it. All players of a page share it, and which motion is the solid one. */
class Clock {
  time = 0; playing = false; speed = ""; loop = true; duration = 0; solid = ""; pinned = null; // a time that stays marked
  players = new Set();
  cursors = new Cursors(this);
  sound = null; // what is heard of it, while that is wanted
  #frame = 0; #before = 0; #looked = 0;
  #byItself = false; #stopped = remembered(STOPPED); #resting = 0;

  constructor() {
    for (const kind of ["keydown", "pointerdown", "input", "wheel"])
      document.addEventListener(kind, event => {
        if (!event.composedPath().some(part => part.classList?.contains("polhode-player"))) this.#rest();
      }, {capture: true, passive: true});
  }

  join(player) { this.players.add(player); this.changed(); }

  leave(player) {
    this.players.delete(player);
    if (this.players.size) return;
    this.playing = false;
    this.sound?.hear(this);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.cursors.clear();
  }

  /** The runs changed: the time stays where it is, if there is such a time still. */
  lasts(duration) {
    if (duration === this.duration) return;
    this.duration = duration;
    this.time = Math.min(this.time, duration);
    this.changed();
  }

  /** A person goes to a time; what plays by itself is not to leave it. */
  seek(time) {
    if (this.#byItself) this.set({playing: false});
    this.time = Math.max(0, Math.min(this.duration, time));
    this.changed();
  }

  /** A person has it play or stop, or chooses how it plays. */
  set(changes) {
    if ("playing" in changes) {
      this.#byItself = false;
      this.#stopped = !changes.playing;
      remember(STOPPED, this.#stopped);
    }
    this.#put(changes);
  }

  #put(changes) {
    Object.assign(this, changes);
    if (changes.playing && this.time >= this.duration) this.time = 0;
    this.changed();
  }

  /** Plays by itself, unless a person has stopped it in this visit or wants no motion. */
  begin() {
    if (this.#stopped || this.playing || STILL.matches) return;
    this.#byItself = true;
    this.#put({playing: true});
  }

  /** A row of a track on, or back: of the motion that is seen to be solid, if nothing else is said. */
  step(direction, track = [...this.players].find(player => player.solid)?.solid) {
    let to = this.time + direction * this.duration / 100;
    if (track) {
      const at = track.at(this.time), near = 1e-4;
      const row = direction > 0 ? Math.floor(at + near) + 1 : Math.ceil(at - near) - 1;
      to = track.times[Math.max(0, Math.min(track.n - 1, row))];
    }
    this.set({playing: false});
    this.seek(to);
  }

  /** Another setting is opened, to be seen from its start and at its own speed; `look` tells of each by its number. */
  open(look, speed, plays) {
    if (look <= this.#looked) return;
    this.#looked = look;
    this.#put({time: 0, speed});
    if (plays) this.begin();
  }

  /** What plays by itself waits until a person has not done anything else for a while. */
  #rest() {
    if (!this.#byItself) return;
    clearTimeout(this.#resting);
    if (this.playing) this.#put({playing: false});
    this.#resting = setTimeout(() => { if (this.#byItself && this.players.size) this.#put({playing: true}); }, REST);
  }

  follow(label) { this.solid = label; for (const player of this.players) player.followed?.(); this.changed(); }

  /** Something is to be drawn anew. */
  changed() {
    for (const player of this.players) player.stale = true;
    this.cursors.stale = true;
    this.wake();
  }

  /** A time with as many digits as are told apart. */
  written(t) { return t.toFixed(this.duration >= 1000 ? 0 : this.duration >= 50 ? 1 : this.duration >= 2 ? 2 : 3); }

  wake() { if (!this.#frame) { this.#before = 0; this.#frame = requestAnimationFrame(now => this.#tick(now)); } }

  /** The speed that was chosen, or else one that suits the duration. */
  get pace() { return this.speed || (this.duration > LONG || this.duration < BRIEF ? "fit" : "1"); }

  get rate() { return this.pace === "fit" ? this.duration / 20 : this.pace.split("/").reduce((a, b) => a / b); }

  #tick(now) {
    this.#frame = 0;
    // After a pause of the browser's the motion goes on where it was.
    const passed = this.#before ? Math.min(now - this.#before, 100) / 1000 : 0;
    const interval = this.#before ? now - this.#before : 0;
    if (this.playing && this.duration > 0) {
      this.time += passed * this.rate;
      if (this.time >= this.duration) {
        if (this.loop) this.time %= this.duration;
        else { this.time = this.duration; this.playing = false; }
      }
      for (const player of this.players) player.stale = true;
      this.cursors.stale = true;
    }
    for (const player of this.players) player.frame(now, this.playing ? interval : 0);
    this.cursors.draw(now);
    this.sound?.hear(this);
    if (this.playing && this.players.size) {
      this.#frame = requestAnimationFrame(next => this.#tick(next));
      this.#before = now;
    }
  }

  /** What the page can be asked for: of a player that is seen, if there is one. */
  get state() {
    const players = [...this.players].filter(player => player.solid);
    const player = players.find(p => p.visible) ?? players[0];
    if (!player) return {time: this.time, playing: this.playing, attitude: null, solid: "", bodies: []};
    const {time, bodies} = player.visible && player.drawn ? player.drawn : player.told(this.time);
    return {time, playing: this.playing, attitude: bodies[0].attitude, solid: player.solid.label, bodies};
  }
}

/** What a visit keeps in mind, where the browser lets it. */
function remembered(name) { try { return sessionStorage.getItem(name) !== null; } catch { return false; } }
function remember(name, so) { try { if (so) sessionStorage.setItem(name, "yes"); else sessionStorage.removeItem(name); } catch {} }

/** A hair line over each Bokeh figure that is tagged as a plot over time. */
class Cursors {
  stale = true;
  #lines = new Map(); #looked = -Infinity; #timer = 0;

  constructor(clock) { this.clock = clock; }

  draw(now) {
    if (now - this.#looked > 500) { this.#look(); this.#looked = now; }
    // Figures come, are zoomed and resized without telling: a look now and then is enough.
    if (!this.#timer) this.#timer = setInterval(() => { if (!document.hidden) { this.#looked = -Infinity; this.draw(performance.now()); } }, 400);
    for (const [view, line] of this.#lines) place(view, line, this.clock);
  }

  clear() {
    clearInterval(this.#timer);
    this.#timer = 0;
    for (const line of this.#lines.values()) line.remove();
    this.#lines.clear();
  }

  #look() {
    let found;
    try { found = new Set(figures().filter(view => view.model.tags.includes("timeplot"))); } catch { return; }
    for (const [view, line] of this.#lines) if (!found.has(view) || !line.isConnected) { line.remove(); this.#lines.delete(view); }
    for (const view of found) {
      if (this.#lines.has(view) || !view.shadow_el) continue;
      const line = handle(view, this.clock);
      view.shadow_el.appendChild(line);
      this.#lines.set(view, line);
    }
  }
}

const GRIP = 6; // pixels on both sides of the line by which it is taken

/** The hair line of a plot, by which the time is dragged. */
function handle(view, clock) {
  const grip = document.createElement("div"), line = document.createElement("div");
  grip.className = "time-cursor";
  grip.title = "Drag to another time";
  grip.setAttribute("aria-hidden", "true"); // for a keyboard there is the slider
  grip.style.cssText = `position:absolute;left:${-GRIP}px;top:0;width:${2 * GRIP}px;z-index:5;will-change:transform;cursor:ew-resize;touch-action:none`;
  line.style.cssText = `height:100%;width:0;margin-left:${GRIP}px;border-left:1px dashed currentColor;opacity:.55`;
  grip.appendChild(line);
  grip.addEventListener("pointerdown", event => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    clock.set({playing: false});
  });
  grip.addEventListener("pointermove", event => {
    if (!grip.hasPointerCapture(event.pointerId)) return;
    const left = view.el.getBoundingClientRect().left;
    clock.seek(view.frame.x_scale.invert(event.clientX - left));
  });
  return grip;
}

/** Bokeh's figures on this page. */
export function figures() {
  const found = [];
  const visit = view => {
    if (view?.frame) found.push(view);
    else for (const child of view?.children_views?.() ?? view?.children?.() ?? []) visit(child);
  };
  for (const root of window.Bokeh?.index?.roots ?? []) visit(root);
  return found;
}

function place(view, line, clock) {
  try {
    const {frame} = view, box = frame.bbox, x = frame.x_scale.compute(clock.time);
    const inside = clock.duration > 0 && x >= box.left - 1 && x <= box.right + 1;
    line.style.display = inside ? "" : "none";
    if (!inside) return;
    line.style.height = `${box.height}px`;
    line.style.transform = `translate(${x}px,${box.top}px)`;
  } catch { line.style.display = "none"; } // not laid out yet
}

export const clock = (globalThis[Symbol.for("polhode.clock")] ??= new Clock());

// ---- drawing ------------------------------------------------------------------------------------------------------

const COMMON = `#version 300 es
precision highp float;
`;
const MESH = [COMMON + `
layout(location=0) in vec3 position; layout(location=1) in vec3 normal; layout(location=2) in float tint;
uniform mat4 view, projection, model; uniform mat3 upright;
out vec3 n, eye; out float paper;
void main() {
  vec4 p = view * model * vec4(position, 1.);
  eye = p.xyz; n = mat3(view) * upright * normal; paper = tint;
  gl_Position = projection * p;
}`, COMMON + `
in vec3 n, eye; in float paper;
uniform vec4 colour; uniform vec3 sky; uniform float glass;
out vec4 result;
void main() {
  vec3 v = normalize(-eye), m = normalize(n);
  if (dot(m, v) < 0.) m = -m;
  vec3 key = normalize(vec3(-.45, .75, .8));
  vec3 base = pow(mix(colour.rgb, vec3(.95, .93, .89), paper), vec3(2.2));
  float up = .5 + .5 * dot(m, sky), facing = dot(m, v);
  vec3 light = mix(vec3(.23, .21, .22), vec3(.56, .59, .63), up) + .62 * max(dot(m, key), 0.) + .1 * max(dot(m, vec3(.8, .1, .3)), 0.);
  float shine = .16 * pow(max(dot(m, normalize(key + v)), 0.), 36.);
  float edge = pow(1. - facing, 2.5);
  vec3 c = pow(base * light + shine + .06 * edge, vec3(1. / 2.2));
  float a = mix(colour.a, min(1., colour.a * (.55 + 2.6 * edge) + shine), glass);
  result = vec4(c, 1.) * a;
}`];
// Flat colour: discs of the floor and the plane, and shadows.
const FLAT = [MESH[0], COMMON + `
in vec3 n, eye; in float paper; uniform vec4 colour; out vec4 result;
void main() { result = vec4(colour.rgb, 1.) * colour.a; }`];
// Thick lines: each segment is a rectangle on the screen with round ends, two triangles between two texels of a texture
// of points. (As an instance with attributes each segment would cost a call of its own where there is no graphics card.)
const ROW = 1024;
const LINE = [COMMON + `
uniform highp sampler2D points; uniform int apart;
uniform mat4 all; uniform vec2 size; uniform float width, now, nearer, depth, tail; uniform int timed;
out vec2 along; out float across, len, past, age;
vec4 point(int i) { return all * vec4(texelFetch(points, ivec2(i % ${ROW}, i / ${ROW}), 0).xyz, 1.); }
void main() {
  int segment = gl_VertexID / 6, corner = gl_VertexID % 6;
  corner = corner < 3 ? corner : corner == 3 ? 2 : corner == 4 ? 1 : 3;
  vec4 a = point(segment * apart), b = point(segment * apart + 1);
  vec2 p = a.xy / a.w * size * .5, q = b.xy / b.w * size * .5;
  vec2 d = q - p; len = length(d);
  d = len > 1e-4 ? d / len : vec2(1., 0.);
  float r = width * .5 + 1., end = float(corner & 1), side = float(corner >> 1) * 2. - 1.;
  vec2 s = mix(p - d * r, q + d * r, end) + vec2(-d.y, d.x) * side * r;
  vec4 c = mix(a, b, end);
  along = vec2(dot(s - p, d), 0.); across = side * r;
  float index = float(segment);
  past = timed == 0 ? 2e9 : (now - index) * max(len, 1e-3);
  age = tail > 0. ? clamp((now - index - end) / tail, 0., 1.) : 0.;
  gl_Position = vec4(s / size * 2. * c.w, c.z + c.w * (depth / (c.w - nearer) - depth / c.w), c.w);
}`, COMMON + `
in vec2 along; in float across, len, past, age;
uniform vec4 colour; uniform float width, faint;
out vec4 result;
void main() {
  float x = along.x, r = width * .5;
  bool done = x <= past;
  float strength = colour.a * (done ? 1. - age : faint);
  // Round ends overlap where segments meet, which would be seen if they were translucent.
  float beyond = x < 0. ? -x : max(x - len, 0.);
  if (strength < .99 && (x < 0. || x >= len)) discard;
  float a = clamp(r + .5 - length(vec2(beyond, across)), 0., 1.) * strength;
  if (a < .01) discard;
  result = vec4(colour.rgb, 1.) * a;
}`];
const POINT = [COMMON + `
layout(location=0) in vec3 position;
uniform mat4 all; uniform float width, now, nearer, depth, stride; uniform int timed;
out float strength, r;
void main() {
  gl_Position = all * vec4(position, 1.);
  gl_Position.z += gl_Position.w * (depth / (gl_Position.w - nearer) - depth / gl_Position.w);
  bool past = timed == 0 || float(gl_VertexID) * stride <= now + 1e-3;
  strength = past ? 1. : .28;
  r = .5 * width * (past ? 1. : .72);
  gl_PointSize = 2. * r + 2.;
}`, COMMON + `
in float strength, r; uniform vec4 colour; out vec4 result;
void main() {
  vec2 p = (gl_PointCoord - .5) * (2. * r + 2.);
  float d = length(p), a = clamp(r + .5 - d, 0., 1.) * strength * colour.a;
  if (a < .01) discard;
  float light = .3 * clamp(1. - length(p + vec2(r * .35, r * .35)) / r, 0., 1.) - .22 * smoothstep(r * .55, r, d);
  result = vec4(clamp(colour.rgb + light, 0., 1.), 1.) * a;
}`];

class Painter {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", {antialias: false, alpha: true, premultipliedAlpha: true, powerPreference: "high-performance"});
    if (!gl) throw new Error("This browser offers no WebGL 2.");
    this.gl = gl;
    this.canvas = canvas;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
    this.samples = /swiftshader|llvmpipe|software/i.test(renderer) ? 0 : Math.min(4, gl.getParameter(gl.MAX_SAMPLES));
    // All are given out to be compiled before one is asked after, which waits for it.
    const linked = Object.entries({MESH, FLAT, LINE, POINT}).map(([name, sources]) => [name, this.#linked(sources)]);
    this.programs = Object.fromEntries(linked.map(([name, program]) => [name, {program, uniforms: this.#uniforms(program)}]));
    this.surfaces = new Map();
    this.arrow = {shaft: this.#lathe([[1, 0], [1, 1]]), head: this.#lathe([[0, 0], [1, 0], [0, 1]])};
    this.ball = this.#lathe(Array.from({length: 13}, (_, i) => [Math.sin(i * Math.PI / 12), -Math.cos(i * Math.PI / 12)]));
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #linked(sources) {
    const {gl} = this, program = gl.createProgram();
    sources.forEach((source, i) => {
      const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    gl.linkProgram(program);
    return program;
  }

  #uniforms(program) {
    const {gl} = this, uniforms = {};
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error([gl.getProgramInfoLog(program), ...gl.getAttachedShaders(program).map(shader => gl.getShaderInfoLog(shader))].join(" "));
    for (const shader of gl.getAttachedShaders(program) ?? []) gl.deleteShader(shader);
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const {name} = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return uniforms;
  }

  buffer(data, target = this.gl.ARRAY_BUFFER) {
    const made = this.gl.createBuffer();
    this.gl.bindBuffer(target, made);
    this.gl.bufferData(target, data, this.gl.STATIC_DRAW);
    return made;
  }

  attribute(location, data, numbers, stride = 0) {
    const {gl} = this, made = this.buffer(data);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, numbers, gl.FLOAT, false, stride, 0);
    return made;
  }

  surface(points, normals, tint, triangles, edges) {
    const {gl} = this, vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    const buffers = [this.attribute(0, points, 3), this.attribute(1, normals, 3), this.attribute(2, tint, 1), this.buffer(triangles, gl.ELEMENT_ARRAY_BUFFER)];
    return {vao, buffers, count: triangles.length, type: triangles.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT, edges: edges?.length ? this.line(edges, {pairs: true}) : null};
  }

  /** A line through points, or segments between each two of them. */
  line(points, {pairs = false} = {}) {
    const {gl} = this, texture = gl.createTexture(), n = points.length / 3, full = Math.floor(n / ROW);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB32F, ROW, Math.ceil(n / ROW) || 1);
    if (full) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, full, gl.RGB, gl.FLOAT, points);
    if (n % ROW) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, full, n % ROW, 1, gl.RGB, gl.FLOAT, points, 3 * ROW * full);
    return {texture, apart: pairs ? 2 : 1, count: pairs ? n / 2 : Math.max(0, n - 1)};
  }

  /** Of so many points each first one; picked here, as WebGL itself takes strides of at most 255 bytes. */
  points(points, stride) {
    const {gl} = this, vao = gl.createVertexArray(), count = Math.ceil(points.length / 3 / stride), picked = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) picked[3 * i + k] = points[3 * stride * i + k];
    gl.bindVertexArray(vao);
    return {vao, buffers: [this.attribute(0, picked, 3)], count};
  }

  free(thing) {
    if (!thing) return;
    const {gl} = this;
    gl.deleteTexture(thing.texture ?? null);
    gl.deleteVertexArray(thing.vao ?? null);
    thing.buffers?.forEach(b => gl.deleteBuffer(b));
    this.free(thing.edges);
  }

  /** A surface of revolution about e3 from (radius, height) pairs, with flat bands where they bend. */
  #lathe(profile) {
    const around = 24, points = [], normals = [], triangles = [];
    for (let k = 0; k + 1 < profile.length; k++) {
      const [[r, z], [R, Z]] = [profile[k], profile[k + 1]], n = Math.hypot(Z - z, R - r) || 1, base = points.length / 3;
      for (let j = 0; j <= around; j++) {
        const c = Math.cos(2 * Math.PI * j / around), s = Math.sin(2 * Math.PI * j / around);
        points.push(r * c, r * s, z, R * c, R * s, Z);
        for (let twice = 0; twice < 2; twice++) normals.push((Z - z) / n * c, (Z - z) / n * s, (r - R) / n);
        if (j < around) triangles.push(base + 2 * j, base + 2 * j + 2, base + 2 * j + 1, base + 2 * j + 1, base + 2 * j + 2, base + 2 * j + 3);
      }
    }
    return this.surface(new Float32Array(points), new Float32Array(normals), new Float32Array(points.length / 3), new Uint32Array(triangles));
  }

  setSurfaces(packed) {
    this.surfaces.forEach(s => this.free(s));
    this.surfaces.clear();
    for (const [name, m] of Object.entries(packed?.header.meshes ?? {})) {
      const [points, ...others] = ["points", "normals", "tint", "triangles", "edges"].map(part => packed.numbers(m[part]));
      this.surfaces.set(name, {...this.surface(points, ...others), points});
    }
  }

  begin(width, height, camera) {
    const {gl, canvas} = this;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    this.#target(width, height);
    Object.assign(this, {width, height, camera});
    gl.viewport(0, 0, width, height);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  }

  /** A multisampled picture, where it is not too slow, is drawn aside and copied. */
  #target(width, height) {
    const {gl} = this, wanted = `${width} ${height} ${this.samples}`;
    if (this.made !== wanted) {
      if (this.frame) { gl.deleteFramebuffer(this.frame); this.stores.forEach(s => gl.deleteRenderbuffer(s)); }
      this.frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
      this.stores = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT]].map(([format, place]) => {
        const store = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, store);
        gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, format, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
        return store;
      });
      this.made = wanted;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
  }

  end() {
    const {gl, width, height} = this;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindVertexArray(null);
  }

  #use({program, uniforms}, values) {
    const {gl} = this;
    gl.useProgram(program);
    for (const [name, value] of Object.entries(values)) {
      const at = uniforms[name];
      if (at === undefined) continue;
      if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else if (value.length === 9) gl.uniformMatrix3fv(at, false, value);
      else if (value.length === 4) gl.uniform4fv(at, value);
      else if (value.length === 3) gl.uniform3fv(at, value);
      else if (value.length === 2) gl.uniform2fv(at, value);
      else if (name === "timed" || name === "apart") gl.uniform1i(at, value);
      else gl.uniform1f(at, value);
    }
  }

  /** A solid, or glass, which is drawn from within first and leaves no mark in the depth. */
  mesh(surface, model, colour, {glass = 0, flat = false, shell = false, upright = directions(model)} = {}) {
    const {gl, camera} = this;
    this.#use(this.programs[flat ? "FLAT" : "MESH"], {view: camera.view, projection: camera.projection, model, upright, colour, sky: camera.sky, glass});
    gl.bindVertexArray(surface.vao);
    const draw = () => gl.drawElements(gl.TRIANGLES, surface.count, surface.type, 0);
    const clear = glass || flat || shell;
    gl.depthMask(!clear);
    if (glass || shell) {
      gl.enable(gl.CULL_FACE);
      if (glass) { gl.cullFace(gl.FRONT); draw(); }
      gl.cullFace(gl.BACK); draw();
      gl.disable(gl.CULL_FACE);
    } else draw();
    gl.depthMask(true);
  }

  /** Each pixel is darkened once only, however often the flattened body covers it. */
  shadow(surface, model, strength) {
    const {gl} = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.mesh(surface, model, [0, 0, 0, strength], {flat: true});
    gl.disable(gl.STENCIL_TEST);
  }

  thick(line, model, colour, width, {timed = 0, now = 0, tail = 0, ahead = 0, nearer = 0.012, marks = true} = {}) {
    const {gl, camera} = this;
    this.#use(this.programs.LINE, {all: multiplied(camera.all, model), apart: line.apart, size: [this.width, this.height], width, now, tail, nearer, depth: camera.projection[14], timed, colour, faint: tail && !ahead ? 0 : FAINT});
    gl.bindVertexArray(null);
    gl.bindTexture(gl.TEXTURE_2D, line.texture);
    gl.depthMask(marks);
    // What is older than the tail, or still to come, would be computed for nothing.
    const first = tail ? Math.max(0, Math.floor(now - tail)) : 0, last = tail ? Math.min(line.count, Math.ceil(Math.max(now, ahead)) + 1) : line.count;
    if (last > first) gl.drawArrays(gl.TRIANGLES, 6 * first, 6 * (last - first));
    gl.depthMask(true);
  }

  dots(points, model, colour, width, {timed = 0, now = 0, tail = 0, ahead = 0, stride = 1, nearer} = {}) {
    const {gl, camera} = this;
    this.#use(this.programs.POINT, {all: multiplied(camera.all, model), width, now, nearer, depth: camera.projection[14], stride, timed, colour});
    gl.bindVertexArray(points.vao);
    const first = tail ? Math.max(0, Math.ceil((now - tail) / stride)) : 0, last = tail ? Math.min(points.count, Math.floor(Math.max(now, ahead) / stride) + 1) : points.count;
    if (last > first) gl.drawArrays(gl.POINTS, first, last - first);
  }

  arrowAt(model, vector, colour, thickness, headless) {
    const length = Math.hypot(...vector);
    if (length < 1e-3) return;
    const turn = along(vector), head = headless ? 0 : Math.min(5.4 * thickness, 0.6 * length);
    const scaled = (r, l, z) => multiplied(model, multiplied(affine(turn), new Float32Array([r, 0, 0, 0, 0, r, 0, 0, 0, 0, l, 0, 0, 0, z, 1])));
    this.mesh(this.arrow.shaft, scaled(thickness, length - head, 0), colour);
    if (head) this.mesh(this.arrow.head, scaled(2.6 * thickness * head / (5.4 * thickness), head, length - head), colour);
  }

  dispose() {
    this.setSurfaces(null);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function parsed(colour) {
  if (colour.startsWith("#")) return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255);
  const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return numbers.slice(0, 3).map(x => (colour.startsWith("color(") ? x : x / 255));
}

// ---- the view: camera, picture, labels ----------------------------------------------------------------------------

class View {
  stale = true; visible = false; drawn = null; solid = null; lent = false;
  #parts = []; #planned = null; #poses = []; #labels = []; #labelled = 0; #late = []; #ratio = 1; #resting = 0;

  constructor(root, canvas, overlay) {
    Object.assign(this, {root, canvas, overlay});
    this.painter = new Painter(canvas);
    this.hidden = new Set();
    this.reset({view: [-0.9, 0.45], reach: 1.4, target: [0, 0, 0]});
    this.#steer();
    this.observer = new ResizeObserver(() => { this.stale = true; clock.wake(); });
    this.observer.observe(canvas);
    this.sight = new IntersectionObserver(entries => { this.visible = entries.at(-1).isIntersecting; this.stale = true; clock.wake(); });
    this.sight.observe(canvas);
    addEventListener("beforeprint", this.print);
    canvas.addEventListener("webglcontextlost", event => {
      event.preventDefault();
      this.lost = true;
      if (!this.dead) this.onlost?.(true);
    });
    canvas.addEventListener("webglcontextrestored", () => {
      if (this.dead) return;
      this.lost = false;
      this.onlost?.(false);
      this.#parts = []; // what was made of them went with the context
      this.painter = new Painter(canvas);
      this.setShapes(this.shapes);
      this.setScene(this.scene);
    });
  }

  /** WebGL leaves paper empty: a copy of the picture is printed, as large as it is seen. */
  print = () => {
    const {canvas, canvas: {clientWidth: w, clientHeight: h, parentElement: stage}} = this;
    if (this.lost || !this.scene || !w) return;
    this.draw(w, h);
    const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height});
    copy.getContext("2d").drawImage(canvas, 0, 0);
    canvas.after(copy);
    stage.style.cssText = `flex: none; margin: auto; width: ${w}px; height: ${h}px`; // paper is laid out anew
    addEventListener("afterprint", () => { copy.remove(); stage.style.cssText = ""; }, {once: true});
  };

  setShapes(shapes) { this.shapes = shapes; this.painter.setSurfaces(shapes); this.replan(); }

  setScene(scene) {
    if (!scene) return;
    const before = this.scene;
    this.scene = scene;
    this.#parts.forEach(part => this.painter.free(part.made));
    this.tracks = scene.tracks.map(track => new Track(track));
    this.#parts = scene.parts.map(part => ({...part}));
    for (const layer of scene.layers)
      if (!(before?.layers ?? []).some(l => l.key === layer.key) && !layer.on) this.hidden.add(layer.key);
    if (!before || before.view.join() !== scene.view.join() || before.target.join() !== scene.target.join() || before.reach !== scene.reach) {
      const {azimuth, elevation, zoom, turnedByHand} = this;
      this.reset(scene);
      if (turnedByHand) Object.assign(this, {azimuth, elevation, zoom, turnedByHand});
    }
    this.followed();
    clock.lasts(scene.duration);
    this.redraw();
  }

  /** The track that the solid body follows: what the page follows, if this scene has it. */
  followed() {
    const {tracks = [], scene} = this;
    this.solid = tracks.find(t => t.label === clock.solid) ?? tracks.find(t => t.label === scene?.solid) ?? tracks[0] ?? null;
    this.#planned = null;
    this.onfollow?.();
  }

  reset({view, reach, target}) {
    [this.azimuth, this.elevation, this.zoom] = [...this.from ?? view, 1];
    Object.assign(this, {reach, target, turnedByHand: false});
    this.turned();
  }

  /** From where it is seen is another; who asks after that is told when it has come to rest. */
  turned() {
    this.redraw();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.onrest?.(this.turnedByHand ? this.camera : this.from ?? []), 300);
  }

  /** Azimuth, elevation and how near. */
  get camera() { return [this.azimuth, this.elevation, this.zoom].map(x => Number(x.toFixed(3))); }
  set camera(place) {
    [this.azimuth, this.elevation, this.zoom] = place;
    this.turnedByHand = true;
    this.redraw();
  }

  /** From where it is seen until another such place is told: azimuth, elevation and how near; none is the scene's own. */
  look(from) {
    this.from = from?.length ? from : null;
    if (this.scene) this.reset(this.scene);
  }

  orbit(right, up) {
    this.azimuth -= right;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + up));
    this.turnedByHand = true;
    this.turned();
  }

  magnify(factor) { this.zoom = Math.max(0.25, Math.min(6, this.zoom * factor)); this.turnedByHand = true; this.turned(); }

  /** What is drawn has changed, and not only the time or the camera. */
  replan() { this.#planned = null; this.redraw(); }

  redraw() { this.stale = true; clock.wake(); }

  #steer() {
    const {canvas} = this, fingers = new Map();
    let spread = 0;
    const apart = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (fingers.size === 2) spread = apart();
      canvas.classList.add("held");
    });
    canvas.addEventListener("pointermove", event => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
      finger.x = event.clientX; finger.y = event.clientY;
      if (fingers.size === 1) (this.hand ?? this).orbit(0.0075 * dx, 0.0075 * dy);
      else if (fingers.size === 2) { const now = apart(); this.magnify(now / (spread || now)); spread = now; }
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(end, event => { fingers.delete(event.pointerId); if (fingers.size) return; canvas.classList.remove("held"); this.hand?.rest(); });
    // A wheel that passes over it scrolls the page, as anywhere else; with Ctrl, or once it was clicked, it is for the picture.
    canvas.addEventListener("wheel", event => {
      if (!event.ctrlKey && canvas.getRootNode().activeElement !== canvas) return;
      event.preventDefault();
      this.magnify(Math.exp(-0.0012 * event.deltaY * (event.deltaMode ? 30 : 1)));
    }, {passive: false});
    canvas.addEventListener("dblclick", () => this.scene && this.reset(this.scene));
  }

  #camera(aspect) {
    const {azimuth: a, elevation: e} = this, [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
    const back = [ce * ca, ce * sa, se], right = [-sa, ca, 0], up = [-se * ca, -se * sa, ce];
    const distance = 1.1 * this.reach / Math.tan(FIELD_OF_VIEW / 2) / Math.min(1, aspect * 1.05) / this.zoom;
    const dot = v => v[0] * this.target[0] + v[1] * this.target[1] + v[2] * this.target[2];
    const view = new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right), -dot(up), -dot(back) - distance, 1]);
    const f = 1 / Math.tan(FIELD_OF_VIEW / 2), near = Math.max(0.05, distance - 4), far = distance + 8;
    const projection = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
    return {view, projection, all: multiplied(projection, view), sky: [right[2], up[2], back[2]], eye: back.map((x, i) => this.target[i] + distance * x)};
  }

  frame(now, interval) {
    if (interval && this.visible) this.#hurry(interval);
    if (!this.stale || this.lost || this.dead || this.lent || !this.scene) return;
    const {clientWidth, clientHeight} = this.canvas;
    if (!this.visible || !clientWidth || !clientHeight) return;
    this.stale = false;
    this.draw(clientWidth, clientHeight);
    this.ondraw?.();
  }

  /** Where frames come late, first without multisampling, then with fewer pixels. */
  #hurry(interval) {
    this.#late.push(interval);
    if (this.#late.length < 30) return;
    const middle = this.#late.sort((a, b) => a - b)[15];
    this.#late = [];
    if (middle < LATE) return;
    if (this.painter.samples) this.painter.samples = 0;
    else if (this.#ratio > 0.7 && this.#ratio * (window.devicePixelRatio || 1) > 1) this.#ratio *= 0.75;
  }

  /** What is drawn, sorted and coloured: the same from frame to frame, until the scene, the solid motion or a layer changes. */
  #plan() {
    // A motion of two bodies has two tracks of one label; its parts say of which of them they are.
    const solid = this.tracks.indexOf(this.solid), ink = parsed(getComputedStyle(this.root).color);
    const isSolid = k => this.tracks[k].label === this.solid.label;
    const colour = (p, alpha) => [...(p.colour === "ink" ? ink : parsed(p.colour === "solid" ? this.solid.colour : p.colour)), alpha];
    const seen = solid < 0 ? [] : this.#parts
      .filter(p => !this.hidden.has(p.layer) && (!p.when || (p.when === "solid") === isSolid(p.of ?? solid)))
      .map(p => ({part: p, track: this.tracks[p.of ?? solid], of: p.of ?? solid, pose: p.when ? p.of ?? solid : solid, colour: colour(p, p.opacity ?? p.strength ?? 1), edges: colour(p, p.edges ?? 0)}));
    const kind = (...kinds) => seen.filter(({part}) => kinds.includes(part.kind));
    const meshes = kind("mesh"), solids = meshes.filter(({part}) => part.opacity === 1);
    for (const item of solids) item.edges = [...item.colour.slice(0, 3).map(x => 0.5 * x), 0.75];
    for (const item of meshes) {
      const {part: {mesh, axes, stretch}} = item, surface = this.painter.surfaces.get(mesh);
      if (stretch && surface) item.drawn = drawnOut(surface.points, axes, stretch);
    }
    const turning = [...new Set(seen.map(item => item.pose))];
    return {
      solid, turning, solids,
      ground: meshes.filter(({part}) => part.ground),
      shadows: meshes.filter(({part}) => part.shadow !== undefined),
      arrows: kind("arrow", "contact"),
      curves: kind("line", "points"),
      clear: meshes.filter(({part}) => part.opacity < 1 && !part.ground),
    };
  }

  /** The picture at another size, for who has borrowed it (`lent`), and the names in it with their places. */
  drawnAt(w, h, ratio) {
    if (!this.lost && this.scene) this.draw(w, h, ratio);
    return {canvas: this.canvas, names: this.#labels};
  }

  draw(w, h, ratio = Math.min(2, window.devicePixelRatio || 1) * this.#ratio) {
    const {painter, scene: {up}} = this;
    const plan = (this.#planned ??= this.#plan()), camera = this.#camera(w / h), time = clock.time;
    const width = x => x * ratio * Math.max(0.8, Math.min(1.25, h / 480));
    this.#labelled = 0;
    painter.begin(Math.round(w * ratio), Math.round(h * ratio), camera);
    for (const k of plan.turning) this.#poses[k] = product(up, this.tracks[k].attitude(time));
    const frame = ({part, pose}) => (part.frame === "up" ? IDENTITY : part.frame === "space" ? up : this.#poses[pose]);
    const shift = ({part, track}) =>
      part.place ? times(up, track.place(...track.row(time)).map(x => x * part.place)) : part.at ? [0, 0, part.at] : ORIGIN;
    const model = item => affine(item.drawn ? product(frame(item), item.drawn.out) : frame(item), item.part.size ?? 1, shift(item));
    const upright = item => item.drawn && directions(affine(product(frame(item), item.drawn.back)));

    for (const item of plan.ground) this.#clearMesh(item, model(item), width);
    for (const item of plan.shadows) this.#shadow(item, model(item), camera);
    for (const item of plan.solids) {
      const surface = painter.surfaces.get(item.part.mesh);
      if (!surface) continue;
      painter.mesh(surface, model(item), item.colour, {upright: upright(item)});
      if (surface.edges) painter.thick(surface.edges, model(item), item.edges, width(1.2), {nearer: 0.006});
    }
    for (const item of plan.arrows) this.#arrow(item, affine(frame(item), 1, shift(item)), time);
    for (const item of plan.curves) this.#curve(item, affine(frame(item)), time, width, plan.solid);
    // What is seen through comes last, from far to near.
    const far = ({part}) => (part.at === undefined ? 1 : camera.eye[2] > part.at ? 0 : 2);
    for (const item of plan.clear.sort((a, b) => far(b) - far(a))) this.#clearMesh(item, model(item), width, upright(item));
    painter.end();
    this.#write(camera, w, h);
    this.drawn = plan.solid < 0 ? null : this.told(time);
  }

  #clearMesh({part, colour, edges}, model, width, upright) {
    const {painter} = this, surface = painter.surfaces.get(part.mesh), flat = part.mesh === "disc";
    if (!surface) return;
    painter.mesh(surface, model, colour, {flat, glass: part.glass && !flat ? 1 : 0, shell: part.when === "ghost", upright});
    if (part.edges && surface.edges) painter.thick(surface.edges, model, edges, width(1.1), {nearer: 0.003, marks: false});
  }

  #shadow({part}, model, camera) {
    const surface = this.painter.surfaces.get(part.mesh), [x, y] = SLANT, floor = part.shadow + 0.004;
    if (!surface || camera.eye[2] < part.shadow) return;
    const flat = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -x, -y, 0, 0, x * floor, y * floor, floor, 1]);
    this.painter.shadow(surface, multiplied(flat, model), 0.16);
  }

  /** Where the bodies of the solid motion are at a time, and how they are turned. */
  told(time) {
    const bodies = this.tracks.filter(track => track.label === this.solid.label);
    return {time, bodies: bodies.map(track => ({attitude: track.attitude(time), place: track.place(...track.row(time))}))};
  }

  #arrow({part, track, colour}, model, time) {
    const v = part.vector ? part.vector.map(x => x * (part.length ?? 1)) : track.vector(part, ...track.row(time));
    if (part.kind === "contact") { this.painter.mesh(this.painter.ball, multiplied(model, affine(IDENTITY, 0.032, v)), colour); return; }
    this.painter.arrowAt(model, v, colour, part.thin ? 0.011 : 0.017, part.headless);
    if (part.label) { const n = Math.hypot(...v) || 1; this.#label(part.label, transformed(model, v.map(x => x * (1 + 0.11 / n)))); }
  }

  #curve({part, track, colour, of}, model, time, width, solid) {
    const made = (part.made ??= this.#make(part));
    if (!made) return;
    const pieces = part.pieces ?? 1, options = {stride: pieces * (part.stride ?? 1)};
    const front = this.tracks[of].label === this.tracks[solid]?.label; // the solid motion's curve on top
    options.nearer = (part.kind === "line" ? 0.012 : 0.02) + (front ? 0.006 : 0);
    if (part.timed) Object.assign(options, {timed: 1, now: pieces * track.at(time)});
    const past = part.tail ?? part.recent;
    if (past) options.tail = Math.max(1, options.now - pieces * track.at(time - past));
    if (part.recent) options.ahead = pieces * track.at(part.recent); // at the beginning it is what is to come
    if (part.timed && part.kind === "line" && clock.pinned !== null)
      this.painter.mesh(this.painter.ball, multiplied(model, affine(IDENTITY, 0.04, track.vector(part, ...track.row(clock.pinned)))), colour);
    if (part.kind === "line") this.painter.thick(made, model, colour, width(part.width), options);
    else this.painter.dots(made, model, colour, width(part.width), options);
  }

  #make(p) {
    if (p.points) return this.painter.line(p.points);
    const track = this.tracks[p.of];
    if (!track || track.n < 2) return null;
    const {points, pieces} = track.curve(p);
    p.pieces = pieces;
    return p.kind === "line" ? this.painter.line(points) : this.painter.points(points, pieces * (p.stride ?? 1));
  }

  /** Names of axes are text over the picture; the elements are used again from frame to frame. */
  #label(text, at) {
    const k = this.#labelled++;
    const label = (this.#labels[k] ??= {element: this.overlay.appendChild(document.createElement("span")), text: "", x: 0, y: 0});
    if (label.text !== text) label.element.textContent = label.text = text;
    label.at = at;
  }

  #write({all}, w, h) {
    const labels = this.#labels, n = this.#labelled;
    for (const {element} of labels.splice(n)) element.remove();
    for (const label of labels) {
      const [x, y, z] = label.at, along = r => all[r] * x + all[4 + r] * y + all[8 + r] * z + all[12 + r], deep = along(3);
      label.x = (0.5 + 0.5 * along(0) / deep) * w;
      label.y = (0.5 - 0.5 * along(1) / deep) * h;
    }
    // Those that would lie on one another give way, each by half.
    for (let again = 0; again < 3; again++)
      for (let i = 0; i < n; i++)
        for (let j = 0; j < i; j++) {
          const a = labels[i], b = labels[j], dx = a.x - b.x, dy = a.y - b.y, apart = Math.hypot(dx, dy);
          if (apart >= CLEARANCE) continue;
          const push = (CLEARANCE - apart) / 2, ux = apart > 0.5 ? dx / apart : 1, uy = apart > 0.5 ? dy / apart : 0;
          a.x += push * ux; a.y += push * uy;
          b.x -= push * ux; b.y -= push * uy;
        }
    for (const {element, x, y} of labels)
      element.style.transform = `translate(-50%,-50%) translate(${Math.max(9, Math.min(w - 9, x)).toFixed(1)}px,${Math.max(9, Math.min(h - 9, y)).toFixed(1)}px)`;
  }

  dispose() {
    this.dead = true;
    clearTimeout(this.#resting);
    this.observer.disconnect();
    this.sight.disconnect();
    removeEventListener("beforeprint", this.print);
    this.#parts.forEach(part => this.painter.free(part.made));
    this.painter.dispose();
  }
}

const transformed = (M, v) => [0, 1, 2].map(r => M[r] * v[0] + M[4 + r] * v[1] + M[8 + r] * v[2] + M[12 + r]);

// ---- the transport ------------------------------------------------------------------------------------------------

const STYLE = `
:host { display: block; }
.polhode-player { position: relative; display: flex; flex-direction: column; width: 100%; height: 100%; min-height: 160px; padding: 6px 10px 8px; container-type: size; color: inherit;
  font-family: var(--bokeh-base-font, inherit); font-size: 13px; line-height: 1.4; --line: color-mix(in srgb, currentColor 22%, transparent); --accent: var(--panel-primary-color, #0b5cad);
  --paper: var(--panel-surface-color, Canvas); transition: color 1ms; -webkit-user-select: none; user-select: none; }
.polhode-player, .polhode-player * { box-sizing: border-box; }
.stage { position: relative; flex: 1 1 0; min-height: 0; overflow: hidden; }
.stage canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: pan-y; border-radius: 6px; }
.stage canvas.held { cursor: grabbing; }
.names { position: absolute; inset: 0; pointer-events: none; overflow: hidden; }
.names span { position: absolute; left: 0; top: 0; font: italic 600 15px/1 "Cambria Math", "STIX Two Math", Georgia, serif; will-change: transform;
  text-shadow: 0 0 2px var(--paper), 0 0 2px var(--paper), 0 0 5px var(--paper); }
.note { position: absolute; left: 0; bottom: 0; max-width: 100%; margin: 0; padding: 3px 10px; border-radius: 6px; font-size: 12px; pointer-events: none;
  background: color-mix(in srgb, var(--paper) 82%, transparent); border-left: 3px solid var(--accent); }
.note.ended { border-color: #c4351c; }
.note:empty { display: none; }
.head { display: flex; align-items: flex-start; gap: 6px; padding-bottom: 4px; min-height: 30px; position: relative; z-index: 2; }
.chips, .choices { display: flex; flex-wrap: wrap; gap: 4px 6px; border: 0; margin: 0; padding: 0; min-width: 0; }
.chips { flex: 1; }
.more, .turn { position: relative; flex: none; font-size: 12px; }
.more[hidden] { display: none; }
.more summary, .turn { list-style: none; cursor: pointer; padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px; white-space: nowrap; }
.turn { font: inherit; font-size: 12px; color: inherit; background: none; }
.turn[hidden] { display: none; }
.turn[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
.turn[aria-disabled=true] { opacity: .6; cursor: help; }
.more summary::after { content: " ▾"; opacity: .7; }
.more summary:hover, .more[open] summary, .turn:hover { background: color-mix(in srgb, currentColor 9%, transparent); }
.sheet { position: absolute; right: 0; top: calc(100% + 4px); padding: 6px; border-radius: 8px; background: var(--paper); box-shadow: 0 4px 18px rgb(0 0 0 / .22); }
.sheet p { margin: 4px 8px; width: 210px; line-height: 1.35; overflow-wrap: anywhere; white-space: normal; }
.sheet p:empty { display: none; }
.choices { flex-direction: column; gap: 0; }
.file { display: block; width: 100%; margin-top: 4px; padding: 5px 9px; font: inherit; color: inherit; text-align: left; cursor: pointer; background: none; border: 1px dashed var(--line); border-radius: 5px; }
.file:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
legend, .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.chip { position: relative; display: inline-flex; align-items: center; gap: 6px; padding: 1px 9px; min-height: 24px; border: 1px solid var(--line); border-radius: 99px; cursor: pointer; font-size: 12px; white-space: nowrap; }
.chip:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
.chip input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.chip i { width: 9px; height: 9px; border-radius: 50%; background: var(--c, currentColor); flex: none; }
.chip:has(input:checked) { border-color: color-mix(in srgb, var(--c, currentColor) 75%, transparent); background: color-mix(in srgb, var(--c, currentColor) 13%, transparent); }
.choices .chip { border: 0; min-height: 28px; border-radius: 5px; background: none; }
.choices .chip:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
.choices .chip i { border-radius: 2px; width: 8px; height: 8px; background: transparent; border: 1px solid currentColor; }
.choices .chip input[type=radio] + i { border-radius: 50%; }
.choices .chip:has(input:checked) i { background: currentColor; }
.chip:has(input:focus-visible), .more summary:focus-visible, .turn:focus-visible, .file:focus-visible, .transport :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.stage canvas:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.chip em { font-style: normal; color: #c4351c; font-weight: 700; }
.transport { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 6px; padding-top: 4px; flex: none; }
.transport button, .transport select { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 6px; height: 32px; cursor: pointer; flex: none; }
.transport button { width: 32px; padding: 0; display: grid; place-items: center; }
.transport button:hover, .transport select:hover { background: color-mix(in srgb, currentColor 9%, transparent); }
.transport button[aria-pressed=true] { color: var(--accent); background: color-mix(in srgb, var(--accent) 12%, transparent); }
.transport button.play { background: var(--accent); color: var(--panel-surface-color, #fff); border-radius: 50%; }
.transport button.play:hover { background: color-mix(in srgb, var(--accent) 86%, #000); }
.transport button[hidden] { display: none; }
.transport svg { width: 16px; height: 16px; fill: currentColor; display: block; }
.transport select { padding: 0 2px; }
.transport select option { color: CanvasText; background: Canvas; }
.transport input[type=range] { flex: 1 1 120px; min-width: 0; accent-color: var(--accent); height: 20px; margin: 0; cursor: pointer; }
.transport output { flex: none; font-variant-numeric: tabular-nums; white-space: nowrap; }
.transport output small { opacity: .75; font-size: inherit; }
.caption { margin: 2px 0 0; font-size: 12px; line-height: 1.35; min-height: 4.05em; opacity: .8; flex: none; }
.caption .term { font: inherit; color: inherit; padding: 0; border: 0; background: none; cursor: help; text-decoration: underline dotted; text-underline-offset: 3px; }
.sorry { padding: 24px; margin: 0; }
.stage > .sorry { position: absolute; inset: 0; background: var(--paper); }
@media print { .head, .transport { display: none; } }
@container (max-width: 620px) {
  .transport input[type=range] { order: -1; flex-basis: 100%; }
  .transport output { flex: 1; padding-left: 4px; }
}
@container (max-width: 380px) { .transport output small { display: none; } }
@container (max-height: 330px) { .caption { display: none; } }
@container (max-height: 230px) { .head { display: none; } }
`;
const ICON = {
  play: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 2.2v11.6L13.6 8z"/></svg>',
  pause: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 2h3v12h-3zm6 0h3v12h-3z"/></svg>',
  back: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 2.5h2v11H3zm10 0v11L6 8z"/></svg>',
  forth: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 2.5h2v11h-2zM3 2.5v11L10 8z"/></svg>',
  sound: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 5.6h2.6L8.4 2v12L4.6 10.4H2zM10.2 5.2a4 4 0 0 1 0 5.6l-.9-.9a2.7 2.7 0 0 0 0-3.8zM12.2 3a7 7 0 0 1 0 10l-.9-.9a5.8 5.8 0 0 0 0-8.2z"/></svg>',
  loop: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 1l3.2 2.8L11 6.6V4.7H6A2.8 2.8 0 0 0 3.2 7.5V8H1.3v-.5A4.7 4.7 0 0 1 6 2.8h5zM5 15l-3.2-2.8L5 9.4v1.9h5a2.8 2.8 0 0 0 2.8-2.8V8h1.9v.5A4.7 4.7 0 0 1 10 13.2H5z"/></svg>',
};

const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const TURN = "The body is turned, and not the view: its attitude at the start, R₀. An arrow key turns it by a degree, with Shift by ten.";
const KEYS = "Space plays and pauses, T has it heard or not, left and right arrow step, Home and End go to the ends, " +
  "Shift with an arrow turns the view, plus and minus zoom, as does the wheel with Control or after a click, zero resets the view. " +
  "With R held, what turns the view turns the body.";
const MARKUP = `
<div class="head">
  <fieldset class="chips"><legend>Motion that the solid body follows</legend></fieldset>
  <button class="turn" type="button" aria-pressed="false" hidden>Turn</button>
  <details class="more body" hidden><summary title="What the body looks like">Body</summary>
    <div class="sheet"><fieldset class="choices shapes"><legend>Shape of the body</legend></fieldset>
      <button class="file" type="button" title="A closed surface of at most 20 MB and 200 000 faces: STL, PLY or OBJ. Its inertia is then used.">Your own mesh …</button>
      <input class="picked" type="file" accept=".stl,.ply,.obj" aria-label="Your own mesh: STL, PLY or OBJ" hidden>
      <p class="said" role="status"></p><button class="file offer" type="button" hidden></button></div></details>
  <details class="more"><summary title="What is shown">Show</summary>
    <div class="sheet"><fieldset class="choices layers"><legend>What is shown</legend></fieldset></div></details>
</div>
<div class="stage"><canvas tabindex="0" role="application" aria-describedby="keys"></canvas>
  <div class="names" aria-hidden="true"></div><p class="note" role="status"></p>
  <span class="sr" id="keys">${KEYS}</span></div>
<div class="transport" role="group" aria-label="Transport">
  <button class="play" type="button"></button>
  <button class="back" type="button" aria-label="One step back" title="One step back (←)">${ICON.back}</button>
  <button class="forth" type="button" aria-label="One step on" title="One step on (→)">${ICON.forth}</button>
  <input class="scrub" type="range" min="0" max="1" step="any" value="0" aria-label="Time" title="Time; ← and → step, Home and End go to the ends">
  <output class="readout" aria-live="off"><span class="now"></span> <small></small></output>
  <select class="speed" aria-label="Speed" title="Speed: units of time a second">${SPEEDS.map(([v, t]) => `<option value="${v}">${t}</option>`).join("")}</select>
  <button class="loop" type="button" aria-label="Loop" title="Begin again at the end">${ICON.loop}</button>
  <button class="sound" type="button" aria-label="Sound" aria-pressed="false" title="Sound: each method's energy error as a tone (T)" hidden>${ICON.sound}</button>
</div>
<p class="caption"></p><span class="sr spoken" aria-live="polite"></span>`;
const PARTS = ["head", "stage", "turn", "transport", "chips", "layers", "shapes", "body", "file", "picked", "said", "offer", "scrub", "speed", "loop", "sound",
  "play", "back", "forth", "now", "caption", "names", "note", "spoken"];

/** Puts a player into an element; returns what feeds it and takes it away. `words` of its caption say what they mean; `ask(name, value)` is told what is wanted of the server. */
export function mount(host, {shapes = null, scene = null, label = "3D view", words = {}, ask = null} = {}) {
  showMeanings();
  const root = document.createElement("div");
  root.className = "polhode-player";
  root.innerHTML = `<style>${STYLE}</style>${MARKUP}`;
  host.appendChild(root);
  const part = Object.fromEntries(PARTS.map(name => [name, root.querySelector(`.${name}`)]));
  const canvas = root.querySelector("canvas"), duration = root.querySelector("output small");
  canvas.setAttribute("aria-label", label);

  let view;
  try {
    view = new View(root, canvas, part.names);
  } catch (error) {
    const sorry = document.createElement("p");
    sorry.className = "sorry";
    sorry.setAttribute("role", "status");
    sorry.textContent = `The 3D view cannot be drawn here: ${error.message} All else on the page works without it.`;
    part.stage.replaceChildren(sorry);
    for (const without of [part.head, part.transport, part.caption]) without.remove();
    return {shapes() {}, scene() {}, turnable() {}, answered() {}, heard() {}, bodies() {}, body() {}, said() {}, offer() {}, look() {}, camera() {}, dispose() { root.remove(); }};
  }

  const step = direction => view.solid && clock.step(direction, view.solid);
  const toggle = () => clock.set({playing: !clock.playing});

  // What turns the camera turns the body while that is wanted; `fixed` is why it cannot, "" if it can, null if nobody asks.
  let fixed = null, pressed = false, holding = false, hand = null;
  const grasp = async () => {
    const wanted = fixed === "" && (pressed || holding);
    part.turn.setAttribute("aria-pressed", wanted);
    if (wanted) hand ??= (await import("./turning.js")).turning(view, clock, told => ask("turn", told));
    view.hand = fixed === "" && (pressed || holding) ? hand : null;
    canvas.style.touchAction = view.hand ? "none" : "";
    if (view.scene) view.onfollow?.();
  };
  const hold = on => { if (holding !== on) { holding = on; grasp(); } };
  const turnable = why => {
    fixed = why;
    part.turn.hidden = why === null;
    part.turn.setAttribute("aria-disabled", !!why);
    part.turn.title = why || `${TURN} (hold R)`;
    grasp();
  };
  part.turn.onclick = () => { pressed = !pressed; grasp(); };
  const keys = event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const picture = event.target === canvas;
    const by = (event.shiftKey ? 10 : 1) * Math.PI / 180, way = WAYS[event.key];
    const orbits = {ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[event.key];
    const action =
      picture && event.key === "r" && fixed !== null ? () => { if (!event.repeat) hold(true); }
      : picture && view.hand && way ? () => view.hand.orbit(by * way[0], by * way[1], false)
      : picture && orbits && (event.shiftKey || orbits[1]) ? () => view.orbit(...orbits)
      : event.key === "ArrowLeft" ? () => step(-1)
      : event.key === "ArrowRight" ? () => step(1)
      : event.key === "Home" ? () => clock.seek(0)
      : event.key === "End" ? () => clock.seek(clock.duration)
      : event.key === "t" && !part.sound.hidden ? sound
      : event.key === " " && event.target.tagName !== "BUTTON" ? toggle
      : picture && (event.key === "+" || event.key === "=") ? () => view.magnify(1.15)
      : picture && event.key === "-" ? () => view.magnify(1 / 1.15)
      : picture && event.key === "0" ? () => view.reset(view.scene)
      : null;
    if (action) { event.preventDefault(); event.stopPropagation(); action(); }
  };
  canvas.addEventListener("keyup", ({key}) => { if (key === "r" || key === "R") hold(false); });
  canvas.addEventListener("blur", () => hold(false));
  for (const element of [canvas, part.scrub, part.play, part.back, part.forth, part.loop, part.sound]) element.addEventListener("keydown", keys);
  part.play.onclick = toggle;
  part.back.onclick = () => step(-1);
  part.forth.onclick = () => step(1);
  part.scrub.oninput = () => clock.seek(Number(part.scrub.value));
  part.speed.onchange = () => clock.set({speed: part.speed.value});
  // A browser makes a sound only where a person has asked for it, so that this begins with the click itself.
  const sound = async () => {
    const before = clock.sound, context = before ? null : new AudioContext();
    before?.end();
    clock.sound = before ? null : new (await import("./sound.js")).Sound(context);
    ask("sounding", !before);
    clock.changed();
  };
  part.sound.hidden = !ask || !globalThis.AudioContext;
  part.sound.onclick = sound;
  part.loop.onclick = () => clock.set({loop: !clock.loop});

  const chip = (box, kind, name, checked, text, {colour, title, mark} = {}) => {
    const element = document.createElement("label");
    element.className = "chip";
    if (colour) element.style.setProperty("--c", colour);
    if (title) element.title = title;
    const input = document.createElement("input");
    Object.assign(input, {type: kind, name, checked});
    element.append(input, document.createElement("i"), text);
    if (mark) { const cross = document.createElement("em"); cross.textContent = "✕"; element.append(cross); input.setAttribute("aria-label", `${text}, ${title}`); }
    box.appendChild(element);
    return input;
  };
  let listed = "";
  const group = `solid-${Math.random().toString(36).slice(2)}`;
  view.onfollow = () => {
    const {layers, caption, kind, note: without} = view.scene, tracks = view.tracks.filter((t, i, all) => all.findIndex(o => o.label === t.label) === i);
    const wanted = JSON.stringify([tracks.map(t => [t.label, t.colour, t.ended]), layers]);
    if (wanted !== listed) {
      listed = wanted;
      const focused = root.getRootNode().activeElement?.closest?.(".chip")?.textContent;
      for (const box of [part.chips, part.layers]) box.querySelectorAll(".chip").forEach(c => c.remove());
      for (const t of tracks) {
        const title = t.ended || (t.exact ? "The exact motion" : `Let the solid body follow ${t.label}`);
        chip(part.chips, "radio", group, false, t.label, {colour: t.colour, title, mark: t.ended}).onchange = () => clock.follow(t.label);
      }
      for (const l of layers)
        chip(part.layers, "checkbox", "", !view.hidden.has(l.key), l.label).onchange = ({target}) => { view.hidden[target.checked ? "delete" : "add"](l.key); view.replan(); };
      if (focused) [...root.querySelectorAll(".chip")].find(c => c.textContent === focused)?.querySelector("input").focus();
    }
    part.chips.querySelectorAll("input").forEach((input, i) => { input.checked = tracks[i]?.label === view.solid?.label; });
    if (part.caption.textContent !== caption) part.caption.replaceChildren(...marked(caption, words));
    const ended = view.solid?.ended, stays = kind === "pair" ? "bodies stay" : "body stays";
    const note = pressed && fixed ? fixed : view.hand ? TURN : ended ? `${view.solid.label}: ${ended}; the ${stays} there.` : without || told;
    if (part.note.textContent !== note) part.note.textContent = note;
    part.note.classList.toggle("ended", !!ended && !view.hand);
  };
  view.onlost = lost => {
    part.stage.querySelector(".sorry")?.remove();
    if (!lost) return;
    const sorry = document.createElement("p");
    sorry.className = "sorry";
    sorry.setAttribute("role", "status");
    sorry.textContent = "The graphics card has dropped this picture; it comes back by itself as soon as the browser can draw again.";
    part.stage.appendChild(sorry);
  };

  const shown = {};
  const show = (name, value, put) => { if (shown[name] !== value) { shown[name] = value; put(value); } };
  // A screen reader hears of the time when it has come to rest, and not twice: the slider tells its own.
  let resting = 0;
  const speak = () => {
    clearTimeout(resting);
    if (clock.playing || root.getRootNode().activeElement === part.scrub) return;
    resting = setTimeout(() => { part.spoken.textContent = `Time ${clock.written(clock.time)} of ${clock.written(clock.duration)}`; }, 700);
  };
  view.ondraw = () => {
    show("duration", clock.duration, d => {
      part.scrub.max = d || 1;
      duration.textContent = `of ${clock.written(d)}`;
      part.now.style.cssText = `display:inline-block;min-width:${clock.written(d).length + 2.6}ch`;
    });
    if (Number(part.scrub.value) !== clock.time) part.scrub.value = clock.time;
    show("now", `t = ${clock.written(clock.time)}`, text => {
      part.now.textContent = text;
      if (!clock.playing) part.scrub.setAttribute("aria-valuetext", `${text} of ${clock.written(clock.duration)}`);
      if (shown.playing === false) speak();
    });
    show("playing", clock.playing, on => {
      if (!on && shown.said) speak();
      shown.said = true;
      part.play.innerHTML = on ? ICON.pause : ICON.play;
      part.play.setAttribute("aria-label", on ? "Pause" : "Play");
      part.play.title = on ? "Pause (space)" : "Play (space)";
    });
    show("speed", clock.pace, s => {
      if (!SPEEDS.some(([value]) => value === s)) part.speed.add(new Option(`${s}×`, s)); // a link may have any
      part.speed.value = s;
    });
    show("chosen", clock.speed, s => ask?.("speed", s));
    show("sounding", !!clock.sound, on => { part.sound.setAttribute("aria-pressed", on); if (!on) heard(null); });
    show("loop", clock.loop, on => part.loop.setAttribute("aria-pressed", on));
  };

  let told = "";
  const heard = data => {
    const {header, numbers} = (data && unpacked(data)) || {header: {voices: [], told: ""}};
    clock.sound?.sing(header.voices.map(({t, level}) => ({t: numbers(t), level: numbers(level)})));
    told = header.told;
    if (view.scene) view.onfollow();
  };

  // What the body looks like, and a mesh of the person's own, sent in parts.
  const kinds = `shape-${group}`;
  const bodies = offered => {
    part.body.hidden = !offered?.length;
    part.shapes.querySelectorAll(".chip").forEach(c => c.remove());
    for (const [key, name] of offered ?? []) {
      const input = chip(part.shapes, "radio", kinds, false, name);
      input.value = key;
      input.onchange = () => ask?.("body", key);
    }
  };
  const body = key => part.shapes.querySelectorAll("input").forEach(input => { input.checked = input.value === key; });
  const said = text => { part.said.textContent = text; };
  const offer = text => { part.offer.hidden = !text; part.offer.textContent = text; };
  part.offer.onclick = () => ask?.("offer", true);
  part.file.onclick = () => part.picked.click();
  part.picked.onchange = async () => {
    const [file] = part.picked.files;
    if (!file) return;
    part.picked.value = "";
    const parts = Math.max(1, Math.ceil(file.size / CHUNK));
    if (!/\.(stl|ply|obj)$/i.test(file.name)) return said("A mesh is a file whose name ends in .stl, .ply or .obj.");
    if (file.size > 20 * CHUNK) return said(`A mesh may have at most 20 MB; this file has ${Math.ceil(file.size / CHUNK)} MB.`);
    for (let k = 0; k < parts; k++) {
      said(`Sending … ${Math.round(100 * k / parts)} %`);
      ask?.("file", {name: file.name, part: k, parts, data: await file.slice(k * CHUNK, (k + 1) * CHUNK).arrayBuffer()});
    }
    said("Reading …");
  };

  const sheets = [...root.querySelectorAll(".more")];
  for (const sheet of sheets) {
    sheet.addEventListener("keydown", event => { if (event.key === "Escape") { sheet.open = false; sheet.querySelector("summary").focus(); } });
    sheet.addEventListener("focusout", event => { if (event.relatedTarget && !sheet.contains(event.relatedTarget)) sheet.open = false; });
  }
  part.stage.addEventListener("pointerdown", () => { for (const sheet of sheets) sheet.open = false; });
  root.addEventListener("transitionend", event => { if (event.propertyName === "color") view.replan(); });

  view.onrest = camera => ask?.("camera", camera);
  clock.join(view);
  if (clock.sound) ask?.("sounding", true); // which was begun in another picture
  const feed = {
    shapes: data => view.setShapes(unpacked(data)),
    scene: data => {
      const found = given(data);
      view.setScene(found && sceneOf(found.facts, found.motions));
    },
    bodies, body, said, offer, turnable, heard,
    answered() { hand?.answered(); },
    look: ([number, speed, from, plays] = []) => {
      if (!number) return;
      view.look(from);
      clock.open(number, speed, plays);
    },
    camera: place => { if (place.length) view.camera = place; },
    dispose() { clock.leave(view); view.dispose(); root.remove(); },
  };
  if (shapes) feed.shapes(shapes);
  if (scene) feed.scene(scene);
  return feed;
}

export function render({model}) {
  const host = document.createElement("div");
  host.style.cssText = "width:100%;height:100%";
  const ask = (name, value) => {
    if (name === "file" || name === "turn") model.send_msg(value); else if (name === "offer") model.send_msg({offer: value}); else model[name] = value;
  };
  const feed = mount(host, {label: model.label, words: Object.fromEntries(model.words), ask});
  for (const name of ["shapes", "turnable", "scene", "bodies", "body", "said", "offer", "look", "heard"]) {
    feed[name](model[name]);
    model.on(name, () => feed[name](model[name]));
  }
  feed.camera(model.camera); // as it was left, if another picture has been seen since
  model.on("msg:custom", () => feed.answered());
  model.on("bodies", () => feed.body(model.body));
  model.on("solid", () => clock.follow(model.solid));
  model.on("playing", () => clock.set({playing: model.playing}));
  if (model.solid) clock.follow(model.solid);
  if (model.playing) clock.begin();
  model.on("remove", () => feed.dispose());
  return host;
}

export default {render};
