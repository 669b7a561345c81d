// Runs in the browser while a person drags Δt or the duration: plots and picture follow at once. The server computes everything
// where the drag rests; until then, what only it has counts as old. See app/views/plots/local_runs.py.

import {decodeBytes} from "../core/files.js";
import {Kernel} from "../core/engine.js";
import {norms} from "../core/measures.js";
import {page} from "../core/page.js";
import {createMotion} from "../scene/motions.js";

const ROWS = 4000; // stored rows of a run
const MOST_STEPS = 60_000, MOST_FINE_STEPS = 30_000; // of all methods, and of the true motion
const TURN = 0.15; // radians in a step of the reference method, of order 8
const OLD = 0.45; // opacity of what the server has not answered yet

const decode = ({header, code}) => ({header, code: decodeBytes(code)});

/** Kernels of a setting, as app/demos/live.py packs those of demos. */
async function instantiate({lines, reference, beginning}) {
  const start = decode(beginning), make = module => Kernel.instantiate(decode(module), start);
  return {
    lines: await Promise.all(lines.map(async line => ({...line, kernel: line.module && await make(line.module)}))),
    reference: await make(reference.module), exact: reference, given: Object.fromEntries(start.header.given.map(({name, value}) => [name, value])),
  };
}

/** The number of steps of a run, as `simulate` counts them. */
function countSteps(dt, duration) {
  const ratio = duration / dt, nearest = Math.round(ratio);
  return Math.abs(ratio - nearest) <= 1e-9 * Math.max(1, 1e-6 * ratio) ? nearest : Math.floor(ratio);
}

function run(kernel, options) {
  const running = kernel.start(options);
  running.advance();
  return running.result();
}

/** Runs of all methods and the true motion at their rows; null if they would take long. */
function compute({lines, reference, exact, given}, {dt, duration}) {
  const steps = countSteps(dt, duration), every = Math.ceil(steps / ROWS), rows = Math.floor(steps / every), spacing = every * dt;
  if (steps < 1 || steps * lines.length > MOST_STEPS) return null;
  const runs = lines.map(({kernel}) => kernel && run(kernel, {dt, steps, every, given}));
  const Ω = Math.max(1e-3, Math.hypot(...given.Omega0), ...runs.map(run => (run ? norms(run.series("Omega")).reduce((most, x) => Math.max(most, x)) : 0)));
  const times = Math.max(1, Math.ceil(spacing * Ω / TURN));
  if (!(rows * times <= MOST_FINE_STEPS)) return null;
  const truth = run(reference, {dt: spacing / times, steps: rows * times, every: times, given, of: dt});
  const done = lines.map(({label, colour}, i) => ({label, colour, run: runs[i] ?? truth}));
  const shown = runs.some(Boolean) ? [...done, {label: "exact", colour: exact.colour, run: truth, exact: true}] : done;
  return {dt, duration, truth, lines: done, motions: shown.map(({run, ...more}) => createMotion(run, "R", "Omega", more))};
}

export function render({model}) {
  let kernels = null, ready = "", asked = "", latest = null; // latest: Δt and duration that the server has not answered
  const leaving = new AbortController(), {signal} = leaving, setOld = strength => document.documentElement.style.setProperty("--polhode-stale", strength);

  /** Ask for the kernels of the setting before a person begins to drag. */
  page.offer("prepare drag", () => {
    if (!model.key || model.key === ready || model.key === asked) return false;
    model.send_msg({wanted: asked = model.key});
  }, signal);

  /** Compute and show; returns false if the server has to. */
  function show({dt, duration}) {
    latest = null;
    if (!model.key || model.key !== ready) return false;
    const shown = compute(kernels, {dt, duration});
    if (!shown || !page.request("show runs", shown)) return false;
    latest = {dt, duration};
    setOld(OLD);
  }

  page.offer("drag", change => show({...model.times, ...change}), signal);

  /** The server has answered; if a newer value is on screen, that stays there. */
  function receive() {
    const {dt, duration} = model.times;
    if (latest && (latest.dt !== dt || latest.duration !== duration) && show(latest) !== false) return;
    latest = null;
    setOld(1);
  }

  async function load() {
    if (!model.kernels || !globalThis.WebAssembly) return;
    const {key, ...modules} = JSON.parse(model.kernels);
    try {
      kernels = await instantiate(modules);
      ready = key;
    } catch { ready = ""; } // where a policy forbids it, the server computes
  }

  model.on("kernels", load);
  model.on("times", receive);
  model.on("remove", () => { leaving.abort(); setOld(1); });
  return document.createElement("div");
}

export default {render};
