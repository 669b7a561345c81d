// A live demo: what app/demo.py packs into a file. Each change of a field runs the chosen methods anew, here, and shows
// what they keep and lose; then the motion itself is computed, by a method of high order at fine steps.

import {clock, mount} from "./player.js";
import {Background, Kernel, short} from "./engine.js";
import {quaternions} from "./scene.js";
import {render as form} from "./form.js";
import {made} from "./made.js";
import {Plot} from "./plot.js";
import {asking, dialog} from "./embed.js";

const ROWS = 2000; // of each run that are kept
const MOST_STEPS = 2e7;
const MOST_FINE_STEPS = 2e6;
const SLICE = 12; // milliseconds that a picture can wait for what is computed
const KEPT = 1e-8; // how far a quantity goes at most that the motion keeps
const ROUNDOFF = 1e-12; // what a hundred steps may bring in
const LONG = 3e5; // steps from which on a run goes to a worker
const PLOTS = 3; // besides that of the distance from the motion itself

const data = JSON.parse(document.getElementById("data").textContent);
const find = id => document.getElementById(id);
const one = data.space === "so3";
const TURN = one ? 0.15 : 0.05; // radians in a step of the method of high order: 8 of one body, 4 of two
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const unpacked = ({header, code}) => ({header, code: bytes(code)});

// ---- what is chosen, and its address ------------------------------------------------------------------------------

const given = data.beginning.header.given;
const declared = {dt: data.dt, duration: data.duration, log: true, methods: data.methods.map(m => m.label), given: Object.fromEntries(given.map(({name, value}) => [name, value]))};
const copy = state => ({...state, methods: [...state.methods], given: {...state.given}});
const written = values => values.map(x => String(Number(x.toPrecision(12)))).join(", ");
let state = copy(declared);
let words = {}; // of the address: show, controls, caption, play

const LIMITS = {dt: [1e-6, 1e3], duration: [1e-6, 1e7]};

/** A step, which people also write as a fraction, 1/60, or by its rate, 60 Hz. */
function step(text) {
  const rate = text.trim().match(/^(.+?)\s*hz$/i), [above, below] = rate ? [1, rate[1]] : text.split("/");
  return above === "" ? NaN : Number(above) / (below === undefined ? 1 : Number(below));
}

/** The number that was typed, or numbers; an error in a person's words. */
function parsed(name, text) {
  const field = data.fields.find(field => field.name === name), entry = given.find(g => g.name === name);
  const size = entry?.value.length ?? 1, parts = name === "dt" ? [text] : text.trim().split(/[\s,;]+/).filter(Boolean);
  const numbers = parts.map(name === "dt" ? step : Number);
  if (numbers.length !== size || !numbers.every(Number.isFinite)) throw new Error(`${field.label} takes ${size === 1 ? "a number" : `${size} numbers with commas between them`}, like ${written(entry?.value ?? [declared[name]])}.`);
  const [low, high] = LIMITS[name] ?? [entry.low ?? -1e9, entry.high ?? 1e9];
  if (numbers.some(x => x < low || x > high)) throw new Error(`${field.label} is from ${short(low)} to ${short(high)}.`);
  if (name === "J" && !numbers.every((x, i) => x > 0 && 2 * x <= numbers.reduce((a, b) => a + b) * (1 + 1e-9))) throw new Error("No body has these moments: each is positive, and none larger than the other two together.");
  return numbers;
}

/** The state with what was typed; refused if it takes too many steps. */
function changed(before, name, text) {
  const after = copy(before), numbers = parsed(name, text);
  if (name in LIMITS) after[name] = numbers[0]; else after.given[name] = numbers;
  if (after.duration / after.dt > MOST_STEPS) throw new Error(`That takes ${short(after.duration / after.dt, 3)} steps, and here at most ${short(MOST_STEPS)} are made.`);
  return after;
}

/** The address's part behind the #, with these words and what differs from what the file begins with. */
function address(asked = words) {
  const query = new URLSearchParams(asked);
  for (const name of ["dt", "duration"]) if (state[name] !== declared[name]) query.set(name, written([state[name]]));
  for (const {name, value} of given) if (String(state.given[name]) !== String(value)) query.set(name, written(state.given[name]).replaceAll(" ", ""));
  if (String(state.methods) !== String(declared.methods)) query.set("methods", state.methods.join(","));
  if (!state.log) query.set("axis", "linear");
  return String(query).replaceAll("%2C", ",").replaceAll("%28", "(").replaceAll("%29", ")");
}

/** Takes over what an address says; returns what of it cannot be had, in sentences. */
function arrive() {
  const wrong = [];
  state = copy(declared);
  words = {};
  for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
    try {
      if (name === "methods") {
        const asked = declared.methods.filter(label => listedIn(text).includes(label)), unknown = listedIn(text).filter(label => !declared.methods.includes(label));
        if (unknown.length) wrong.push(`This file has no method ${unknown.join(", ").slice(0, 80)}; it has ${declared.methods.join(", ")}.`);
        if (asked.length) state.methods = asked;
      } else if (name === "axis") state.log = text !== "linear";
      else if (data.words.includes(name)) words[name] = askedFor(name, text.slice(0, data.longest), wrong);
      else if (data.fields.some(field => field.name === name)) state = changed(state, name, text);
      else wrong.push(`Behind the # stands ${JSON.stringify(name.slice(0, 40))}, which means nothing here.`);
    } catch (error) { wrong.push(error.message); }
  }
  return wrong;
}

/** What a word of the address asks for, as far as it is here; what is not is told to `wrong`. */
function askedFor(name, text, wrong) {
  const here = {show: data.parts.map(([word]) => word), controls: ["methods", ...data.fields.map(field => field.name), "none"], play: ["yes", "no"]}[name];
  if (!here) return text;
  const [known, odd] = [true, false].map(is => listOf(text).filter(word => word && here.includes(word) === is));
  if (odd.length) wrong.push(`${name}: there is no ${odd.join(", ").slice(0, 80)} here; there are ${here.join(", ")}.`);
  return known.join(",");
}

/** Labels with commas between them, of which those within brackets are part of a label. */
const listedIn = text => text.match(/[^,(]+(\([^)]*\))?[^,(]*/g)?.map(label => label.trim()) ?? [];

// ---- the page ------------------------------------------------------------------------------------------------------

/** What the page's form asks of Panel's model: fields that can be set, whoever listens, and messages to whom it serves. */
class Model {
  constructor(fields, told) { Object.assign(this, fields, {told, listeners: []}); }
  on(name, listener) { this.listeners.push([name, listener]); }
  set(changes) {
    Object.assign(this, changes);
    for (const [name, listener] of this.listeners) if (name in changes) listener();
  }
  send_msg(message) { this.told(message); }
  answer(name) { for (const [kind, listener] of this.listeners) if (kind === "msg:custom") listener({answered: name}); }
}

const said = () => ({dt: written([state.dt]), duration: written([state.duration]), ...Object.fromEntries(given.map(({name}) => [name, written(state.given[name])]))});
const entries = new Model({fields: data.fields, values: {}, wrong: {}, title: ""}, ({name, text, held}) => {
  try {
    if (name === "halve" || name === "double") [name, text] = ["dt", String(state.dt * (name === "halve" ? 0.5 : 2))];
    state = changed(state, name, text);
    entries.set({wrong: {}, values: said()});
  } catch (error) {
    entries.set({wrong: {[name]: error.message}, values: said()});
    return;
  }
  compute(held);
  requestAnimationFrame(() => entries.answer(name));
});

const boxes = data.methods.map(({label, colour}) => {
  const input = made("input", {type: "checkbox"}), dot = made("i");
  dot.style.setProperty("--c", colour);
  input.addEventListener("change", () => {
    state.methods = declared.methods.filter((_, i) => boxes[i].checked);
    compute();
  });
  document.querySelector(".methods").append(made("label", {}, input, dot, label));
  return input;
});

const views = data.scenes.map(({label, facts, shapes}) => {
  const host = made("div", {className: "player"}), root = host.attachShadow({mode: "open"}), frame = made("section", {ariaLabel: label}, made("h2", {textContent: label}), host);
  frame.dataset.part = facts.kind === "pair" ? "space" : facts.kind;
  document.querySelector(".views").append(frame);
  const canvas = document.createElement("canvas"), drawn = Boolean(canvas.getContext("webgl2"));
  const box = made("div");
  box.style.height = "100%";
  root.append(box);
  if (drawn) return {frame, facts, player: mount(box, {shapes: bytes(shapes || data.scenes[0].shapes), label, words: data.means})};
  frame.append(made("p", {className: "without", textContent: "The height of the body's third axis, e₃·Re₃: this browser draws nothing in space (WebGL 2)."}));
  return {frame, facts, flat: new Plot(box, {label: `${label}, as a curve`})};
});

const plots = Array.from({length: PLOTS + 1}, (_, i) => {
  const title = made("h2"), formula = made("span", {className: "formula"}), values = made("div", {className: "values"}), axis = made("button", {type: "button"}), host = made("div", {className: "plot"});
  const frame = made("section", {}, made("div", {className: "heading"}, title, formula, axis, values), host);
  document.querySelector(".plots").append(frame);
  axis.addEventListener("click", () => { state.log = !state.log; draw(); remember(); });
  const plot = new Plot(host, {
    label: "Error over time",
    seek: time => { clock.set({playing: false}); clock.seek(time); },
    read: (found, time) => values.replaceChildren(made("span", {textContent: `t = ${short(time, 4)}`}), ...found.map(({label, colour, value}) => {
      const dot = made("i");
      dot.style.setProperty("--c", colour);
      return made("span", {}, dot, `${label} ${Number.isFinite(value) ? digits(value) : "–"}`);
    })),
  });
  return {frame, title, formula, axis, plot};
});

// The plots' cursors follow the clock of the players.
clock.join({
  solid: null, visible: true, stale: true,
  frame() { for (const {plot} of plots) if (plot.time !== clock.time) plot.at(clock.time); },
});

find("reset").addEventListener("click", () => { state = copy(declared); show(); compute(); });
find("copy").addEventListener("click", async ({target}) => {
  remember();
  try { await navigator.clipboard.writeText(location.href); target.textContent = "Copied"; }
  catch { target.textContent = "See the address"; }
  setTimeout(() => { target.textContent = "Copy link"; }, 1500);
});
const file = location.protocol.startsWith("http") ? location.href.split("#")[0] : decodeURIComponent(location.pathname.match(/[^/]+\.html?$/)?.[0] ?? "demo.html");
const fields = [["methods", "Methods"], ...data.fields.map(({name, label}) => [name, label])];
const behind = asked => address(asking(asked, data.parts.map(([word]) => word), fields.map(([name]) => name)));
const embedding = dialog(
  asked => [{title: "A line of HTML", about: "With this file beside the page, or by its own address.", src: `${file}#${behind(asked)}`, sandbox: true}],
  asked => location.protocol !== "about:" && `${location.href.split("#")[0]}#${behind(asked)}`,
);
document.body.append(embedding.box);
find("embed").addEventListener("click", () => {
  const kept = keptOnes(), gone = data.quantities.filter(quantity => !kept.includes(quantity)).map(({part}) => part);
  const parts = data.parts.filter(([word]) => !gone.includes(word));
  embedding.open({title: document.title, parts, controls: fields, show: [parts[0][0], "energy"], asks: ["dt"]});
});
addEventListener("hashchange", () => { if (location.hash.slice(1) !== address()) begin(); });

// ---- runs ----------------------------------------------------------------------------------------------------------

let kernels, fine, witness, underway = null, runs = [], truth = null;
const quickest = new Map(); // nanoseconds a step, of each method's quickest run: the browser compiles its code by and by

/** The runs of what is chosen, and then the motion; an earlier question that is still open is dropped. */
async function compute(held = false) {
  const asked = {dt: state.dt, steps: Math.max(1, Math.floor(state.duration / state.dt * (1 + 1e-9))), given: {...state.given}};
  asked.every = Math.ceil(asked.steps / ROWS);
  const mine = underway = {begun: performance.now()};
  find("reset").disabled = same(state, declared);
  const started = declared.methods.flatMap((label, i) => (state.methods.includes(label) ? [{...data.methods[i], running: start(kernels[i], asked)}] : []));
  if (!await finished(started.map(({running}) => running), mine, "Computing")) return;
  runs = started.map(({running, ...method}) => ({...method, run: running.result()}));
  for (const {label, run} of runs) quickest.set(label, Math.min(quickest.get(label) ?? Infinity, 1e9 * run.seconds / Math.max(1, run.done)));
  truth = null;
  if (!held) remember();
  // Drawn at once with the motion itself, if that does not take long.
  if (!runs.length || await follow(asked, mine, draw)) draw();
}

/** The motion itself: the run of high order, and how far it may be off, by its distance from one of twice its step; false if it is not wanted any more. */
async function follow(asked, mine, late, Ω = Math.max(1e-3, ...runs.map(({run}) => speed(run, 1)))) {
  const rows = Math.floor(asked.steps / asked.every), spacing = asked.every * asked.dt;
  const most = Math.max(2, 2 * Math.floor(MOST_FINE_STEPS / rows / 2)), times = Math.min(most, 2 * Math.ceil(spacing * Ω / TURN / 2));
  const at = k => ({given: asked.given, dt: spacing / k, steps: rows * k, every: k, of: asked.dt});
  const both = [start(fine, at(times)), start(witness, at(times / 2))];
  if (!await finished(both, mine, "Computing the motion itself", late)) return false;
  const [run, rough] = both.map(running => running.result()), swiftest = Math.min(speed(run), 1e6);
  // A body may begin at rest: one that comes to turn faster than the steps were made for is followed again, in finer ones.
  if (swiftest > 2 * Ω && times < most) return follow(asked, mine, late, swiftest);
  const off = DISTANCE.of(run, rough); // far less for the most part, but not where what acts sets in all at once
  truth = {run, off, apart: Math.max(...off.filter(Number.isFinite))};
  return true;
}

/** A run, here or in a worker if it is long. */
function start(kernel, asked) {
  if (asked.steps >= LONG && background !== null) {
    try {
      background ??= new Background(find("engine").textContent);
      return new Elsewhere(kernel, asked);
    } catch { background = null; /* there are none here */ }
  }
  return kernel.start(asked);
}
let background;

/** A run in the worker, asked as one that is here. */
class Elsewhere {
  #stop = new AbortController();
  constructor(kernel, asked) {
    Object.assign(this, {steps: asked.steps, done: 0, ended: false});
    background.run(kernel.modules, asked, {progress: done => { this.done = done; }, signal: this.#stop.signal}).then(
      run => Object.assign(this, {run, ended: true}),
      () => { background = null; this.run = kernel.start(asked); Object.assign(this, {advance: time => (this.ended = this.run.advance(time)), result: () => this.run.result()}); },
    );
  }
  advance() { return this.ended; }
  cancel() { this.#stop.abort(); this.run?.cancel?.(); }
  result() { return this.run; }
}

/** Lets runs go on without holding up the page; false if something else was asked for meanwhile. `late` is called if it takes longer. */
async function finished(all, mine, doing, late = () => {}) {
  for (let turn = 0; ; turn++) {
    const until = performance.now() + SLICE;
    for (const running of all) if (!running.ended) running.advance(Math.max(0, until - performance.now()));
    if (all.every(running => running.ended)) break;
    if (turn === 0) late();
    const done = all.reduce((sum, running) => sum + running.done, 0) / all.reduce((sum, running) => sum + running.steps, 0);
    if (performance.now() - mine.begun > 300) waiting(`${doing} … ${Math.round(100 * done)} %`, () => all.forEach(running => running.cancel()));
    await new Promise(requestAnimationFrame);
    if (mine !== underway) { for (const running of all) running.cancel(); return false; }
  }
  waiting("");
  return true;
}

function waiting(text, stop = null) {
  const line = find("state");
  if (!text) line.replaceChildren(); else {
    if (!line.firstChild) line.append(made("span"), made("button", {type: "button", textContent: "Stop"}));
    line.firstChild.textContent = text;
    line.lastChild.onclick = stop;
  }
  for (const {frame} of [...views, ...plots]) frame.classList.toggle("old", text.startsWith("Computing …"));
}

const same = (a, b) => JSON.stringify({...a, log: 0}) === JSON.stringify({...b, log: 0});

/** The largest angular velocity in so many rows, of the body that turns the fastest. */
function speed(run, rows = run.length) {
  let most = 0;
  for (const name of one ? ["Omega"] : ["Omega1", "Omega2"]) {
    const Ω = run.series(name);
    for (let i = 0; i < 3 * rows; i += 3) most = Math.max(most, Math.hypot(Ω[i], Ω[i + 1], Ω[i + 2]) || 0);
  }
  return most;
}

/** The angle between two attitudes at each row that both have. */
function attitude(run, other, name = "R") {
  const A = run.series(name), B = other.series(name), out = new Float64Array(Math.min(run.length, other.length));
  for (let i = 0; i < out.length; i++) {
    let square = 0;
    for (let k = 9 * i; k < 9 * i + 9; k++) square += (A[k] - B[k]) ** 2;
    out[i] = 2 * Math.asin(Math.min(1, Math.sqrt(square / 8)));
  }
  return out;
}

/** Of two bodies how far the places of the first are apart, at each row that both have. */
function separation(run, other) {
  const a = run.series("x1"), b = other.series("x1");
  return Float64Array.from({length: Math.min(run.length, other.length)}, (_, i) => Math.hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]));
}

/** How far a run is from the motion itself. */
const DISTANCE = one
  ? {title: "Attitude error", symbol: "angle to the motion itself, rad", of: attitude, head: "attitude error\nat the end, rad", unit: " rad"}
  : {title: "Place error", symbol: "distance of body 1 from its place in the motion itself", of: separation, head: "place error\nat the end", unit: ""};

// ---- what is seen of them ------------------------------------------------------------------------------------------

/** How large a quantity is at the start, by which its changes are divided; 1 if it begins at nothing. */
function scale(name, run) {
  if (name.startsWith("orthogonality")) return 1;
  const values = run.series(name), [, size] = run.header.series[name], first = Math.hypot(...values.subarray(0, size));
  return first > 1e-12 ? first : 1;
}

/** How far a quantity has gone from its start, at each row. */
function departure(name, run) {
  const values = run.series(name), [, size] = run.header.series[name], whole = scale(name, run), from = name.startsWith("orthogonality") ? [0] : values.slice(0, size);
  return Float64Array.from({length: run.length}, (_, i) => {
    if (size === 1) return (values[i] - from[0]) / whole;
    return Math.hypot(...Array.from({length: size}, (_, k) => values[size * i + k] - from[k])) / whole;
  });
}

/** The largest departure over every step. */
const farthest = (name, run) => (name.startsWith("orthogonality") ? run.extrema(name).max : run.deviation(name) / scale(name, run));

/** The quantities that the motion keeps, as the run of high order shows, with those that every attitude has. */
function keptOnes() {
  const all = data.quantities.filter(({name}) => name in data.methods[0].module.header.series);
  if (!truth) return lastKept ?? all;
  const allowed = Math.max(KEPT, 100 * truth.apart);
  const kept = all.filter(({name}) => farthest(name, truth.run) <= allowed);
  // Where π is kept, so is each part of it.
  return lastKept = kept.filter(({name}) => name !== "pi_e3" || !kept.some(other => other.name === "pi"));
}
let lastKept = null;

function draw() {
  const kept = keptOnes(), end = state.duration, drawn = kept.filter(({part}) => shown(part)).slice(0, PLOTS);
  const curves = make => runs.map(({label, colour, run}) => ({label, colour, t: run.t, y: make(run)}));
  plots.forEach(({frame, title, formula, axis, plot}, i) => {
    const quantity = drawn[i], last = i === PLOTS;
    frame.hidden = last ? !shown("attitude") : !quantity;
    if (frame.hidden) return;
    title.textContent = last ? DISTANCE.title : quantity.title;
    formula.textContent = last ? DISTANCE.symbol : quantity.symbol;
    axis.textContent = state.log ? "log" : "linear";
    axis.ariaLabel = `${title.textContent}: ${axis.textContent} axis; change it`;
    if (!last) return plot.show({curves: curves(run => departure(quantity.name, run)), log: state.log, end});
    const off = truth ? [{label: "motion itself", colour: "ink", faint: true, t: truth.run.t, y: truth.off}] : [];
    plot.show({curves: truth ? [...curves(run => DISTANCE.of(run, truth.run)), ...off] : [], log: state.log, end});
  });
  drawScenes();
  drawLedger(kept);
  find("snippet").textContent = snippet();
  find("link").textContent = link();
}

const motion = (run, name, Omega, more) => ({t: run.t, q: quaternions(run.series(name)), Omega: run.series(Omega), ended: run.status, ...more});

function drawScenes() {
  const all = [...runs.map(({label, colour, run}) => ({label, colour, run})), ...(truth && one ? [{label: "exact", colour: data.reference.colour, run: truth.run, exact: true}] : [])];
  for (const {facts, player, flat} of views) {
    const first = runs[0]?.run, told = {...facts, duration: state.duration};
    if (one && first) Object.assign(told, {J: inertia(first.header.axes.R, state.given.J), R0: [...first.series("R").subarray(0, 9)], Omega0: [...first.series("Omega").subarray(0, 3)]});
    if (flat) {
      flat.show({curves: all.map(({label, colour, run}) => ({label, colour, t: run.t, y: run.series(one ? "R" : "R1").filter((_, k) => k % 9 === 8)})), log: false, end: state.duration});
      continue;
    }
    const motions = one ? all.map(({run, ...more}) => motion(run, "R", "Omega", more)) : all.flatMap(({run, label, colour}) => both(run, facts, {label, colour}));
    player.scene({facts: one ? told : {...told, reach: reachOf(motions, facts)}, motions});
  }
}

/** Q diag(J) Qᵀ. */
const inertia = (Q, J) => Array.from({length: 9}, (_, i) => [0, 1, 2].reduce((sum, k) => sum + Q[3 * Math.floor(i / 3) + k] * J[k] * Q[3 * (i % 3) + k], 0));

/** The motions of two bodies, about the centre of mass of both. */
function both(run, {masses: [m1, m2], J1, J2}, more) {
  const x1 = run.series("x1"), x2 = run.series("x2"), centre = x1.map((x, i) => (m1 * x + m2 * x2[i]) / (m1 + m2));
  return [
    motion(run, "R1", "Omega1", {...more, J: J1, x: x1.map((x, i) => x - centre[i])}),
    motion(run, "R2", "Omega2", {...more, J: J2, x: x2.map((x, i) => x - centre[i])}),
  ];
}

/** How far from the middle bodies come that stay near; rounded, so that it seldom changes. */
function reachOf(motions, facts) {
  const far = Math.max(0, ...motions.filter(({ended}) => ended === "done").map(({x}) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));
  return far ? Math.min(4 * facts.reach, 1.25 ** Math.ceil(Math.log(1.1 * far) / Math.log(1.25))) : facts.reach;
}

function drawLedger(kept) {
  const head = ["Method", ...kept.map(({title}) => `largest change:\n${title}`), DISTANCE.head, "torques\na step", "Newton\na step", "least ns\na step", "ended"];
  const rows = runs.map(({label, colour, run}) => {
    const dot = made("i"), roundoff = ROUNDOFF * Math.max(1, Math.sqrt(run.done / 100)), each = n => (run.done ? short(n / run.done, 3) : "–");
    dot.style.cssText = `display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:7px;background:${colour}`;
    const name = made("th", {scope: "row"}, dot, label);
    if (run.message) name.append(made("small", {textContent: run.message}));
    const cells = kept.map(({name}) => { const far = farthest(name, run); return far <= roundoff ? made("td", {textContent: "exact", title: `${digits(far)}, which is roundoff`}) : made("td", {textContent: digits(far)}); });
    const error = made("td", {textContent: truth && run.status === "done" ? digits(DISTANCE.of(run, truth.run).at(-1)) : truth ? "–" : "…"});
    const costs = [each(run.torqueEvaluations), each(run.newtonIterations), run.done ? String(Math.round(quickest.get(label))) : "–", {done: "done", "no-solution": "no solution", diverged: "diverged", cancelled: "stopped"}[run.status]];
    return made("tr", {}, name, ...cells, error, ...costs.map(textContent => made("td", {textContent})));
  });
  const about = truth
    ? `Changes are relative to the start and over every step. The motion itself: ${data.reference.label} at fine steps, off by about ${digits(truth.apart)}${DISTANCE.unit} at most.`
    : "Changes are relative to the start and over every step.";
  const table = made("table", {}, made("caption", {textContent: runs.length ? about : "No method is chosen."}), made("thead", {}, made("tr", {}, ...head.map(text => made("th", {scope: "col", innerText: text})))), made("tbody", {}, ...rows));
  find("ledger").replaceChildren(made("div", {className: "ledger"}, table));
}

/** A measured number with two digits: 0.023, 1.8, 2.9·10⁻⁴. */
function digits(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : "∞";
  const power = value ? Math.floor(Math.log10(Math.abs(value))) : 0;
  return value && (power <= -4 || power >= 4) ? short(Number(value.toPrecision(2)), 6).replace(/^(10)/, "1·10") : String(Number(value.toPrecision(2)));
}

function changes() {
  return given.filter(({name, value}) => String(state.given[name]) !== String(value)).map(({name}) => [name, state.given[name]]);
}

function snippet() {
  const own = Object.entries(data.changes).filter(([name]) => !changes().some(([other]) => other === name)).map(([name, text]) => `, ${name}=${text.includes(",") ? `[${text}]` : text}`);
  const here = changes().map(([name, values]) => `, ${name}=${values.length > 1 ? `[${written(values)}]` : written(values)}`);
  const told = {problem: `engine.problem("${data.problem}"${[...own, ...here].join("")})`, methods: JSON.stringify(state.methods), times: `dt=${written([state.dt])}, duration=${written([state.duration])}`};
  return data.snippet.replace(/\{(problem|methods|times)\}/g, (_, name) => told[name]);
}

function link() {
  const query = new URLSearchParams({...(one ? {} : {page: "two-bodies"}), problem: data.problem, methods: state.methods.join(","), dt: written([state.dt]), duration: written([state.duration]), ...data.changes});
  for (const [name, values] of changes()) query.set(name, written(values).replaceAll(" ", ""));
  return `?${query}`.replaceAll("%2C", ",");
}

// ---- the address ---------------------------------------------------------------------------------------------------

let later = 0;
/** Writes the address when things have come to rest, without a place in the history for each touch. */
function remember() {
  clearTimeout(later);
  later = setTimeout(() => {
    const hash = address();
    try { history.replaceState(null, "", hash ? `#${hash}` : location.href.split("#")[0]); } catch { /* within a frame of its own */ }
  }, 200);
}

const listOf = text => text.split(",").map(word => word.trim());
const shown = part => !words.show || listOf(words.show).includes(part);

/** Everything that says what is chosen. */
function show() {
  entries.set({fields: data.fields.filter(({name}) => !words.controls || listOf(words.controls).includes(name)), values: said(), wrong: {}});
  boxes.forEach((box, i) => { box.checked = state.methods.includes(declared.methods[i]); });
  document.querySelector(".methods").hidden = Boolean(words.controls) && !listOf(words.controls).includes("methods");
  for (const {frame} of views) frame.hidden = !shown(frame.dataset.part);
  for (const part of ["ledger", "about"]) document.querySelector(`[data-part=${part}]`).hidden = !shown(part);
  document.querySelector("[data-part=controls]").hidden = words.controls === "none";
  if (words.caption !== undefined) document.querySelector("header p").textContent = words.caption;
}

function begin() {
  const wrong = arrive();
  find("refused").textContent = [...data.refused, ...wrong].join(" ");
  show();
  return compute();
}

arrive();
find("form").attachShadow({mode: "open"}).append(made("style", {textContent: find("form-style").textContent}), form({model: entries}));
const modules = [...data.methods, data.reference, data.reference].map(async ({module}) => {
  const both = [unpacked(module), unpacked(data.beginning)];
  return Object.assign(await Kernel.of(...both), {modules: both});
});
[kernels, [fine, witness]] = await Promise.all(modules).then(all => [all.slice(0, -2), all.slice(-2)]);
globalThis.polhodeDemo = {get state() { return copy(state); }, get runs() { return runs; }, get truth() { return truth; }};
begin();
if (words.play !== "no") clock.begin();
