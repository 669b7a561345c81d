// Runs in the browser while a person drags or enters Δt, the duration or numbers of the problem: the plots and the picture follow at
// once. The server computes everything when the drag rests; until then, what only it computes is faded. See app/views/plots/local_runs.py.

import {IDENTITY, apply, areMoments, inertiaMatrix, transpose} from "../core/algebra.js";
import {decodeBytes} from "../core/files.js";
import {Kernel} from "../core/engine.js";
import {parseList, parseStep} from "../core/numbers.js";
import {page} from "../core/page.js";
import {measureAngle, norms} from "../core/series.js";

const ROWS = 4000; // stored rows of a run
const MOST_STEPS = 60_000, MOST_FINE_STEPS = 16_000; // of all methods, and of the true motion
const TURN = 0.15; // radians in a step of the reference method, of order 8
const GOOD = 1e-6, GAIN = 32; // radians by which the true motion may be off, and how much half the step gains at least (2⁸ in the limit)

const TIMES = {dt: parseStep, duration: Number, rate: text => parseStep(/^\d+$/.test(text.trim()) ? `1/${text}` : text)}; // `rate` is Δt, see app/state/topics/engine_question.py
const LATEST = 100; // milliseconds until an entry is sent
const SOON = 1500; // milliseconds after the page has come until it asks for its kernels, unless a person is faster

const decode = ({header, code}) => ({header, code: decodeBytes(code)});

/** Kernels of a setting, as app/demos/live.py packs those of demos. */
export async function instantiate({lines, reference, beginning, free}) {
  const start = decode(beginning), make = module => Kernel.instantiate(decode(module), start);
  return {
    lines: await Promise.all(lines.map(async line => ({...line, kernel: line.module && await make(line.module)}))),
    reference: reference && await make(reference.module), exact: reference, free, axes: reference?.module.header.axes.R,
    given: Object.fromEntries(start.header.given.map(one => [one.name, one])),
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

/** Runs of all methods and of one body its true motion at their rows; null if they would take long, or it is not known well. */
export function compute({lines, reference, exact, free, axes}, {dt, duration, given}) {
  const steps = countSteps(dt, duration), every = Math.ceil(steps / ROWS), rows = Math.floor(steps / every), spacing = every * dt;
  if (steps < 1 || steps * lines.length > MOST_STEPS) return null;
  const runs = lines.map(({kernel}) => kernel && run(kernel, {dt, steps, every, given}));
  const shown = runs.map((run, i) => ({label: lines[i].label, colour: lines[i].colour, run}));
  if (!reference) return {dt, duration, given, truth: null, lines: shown, motions: shown};
  const Ω = Math.max(1e-3, Math.hypot(...given.Omega0), ...runs.map(run => (run ? norms(run.series("Omega")).reduce((most, x) => Math.max(most, x)) : 0)));
  const turns = Math.max(1, Math.ceil(spacing * Ω / TURN)), times = free ? turns : 2 * Math.ceil(turns / 2); // half the steps tell how good a run is
  if (!(rows * times <= MOST_FINE_STEPS)) return null;
  const follow = k => run(reference, {dt: spacing / k, steps: rows * k, every: k, given, of: dt}), truth = follow(times);
  if (!free && !(Math.max(...measureAngle(follow(times / 2), truth)) <= GAIN * GOOD)) return null;
  const exactOnly = !runs.some(Boolean), last = {label: "exact", colour: exact.colour, run: truth, exact: true};
  for (const line of shown) line.run ??= truth;
  return {dt, duration, given, J: inertiaMatrix(axes, given.J), truth, lines: shown, motions: exactOnly ? shown : [...shown, last]};
}

const DIGITS = 5; // of a start that is dragged, as in app/state/dragging.py

function roundVector(vector) {
  const largest = Math.max(...vector.map(Math.abs));
  if (largest < 1e-300) return [0, 0, 0];
  const unit = 10 ** (Math.floor(Math.log10(largest)) + 1 - DIGITS);
  return vector.map(x => Number((Math.round(x / unit) * unit).toPrecision(15)));
}

/** Ω₀ for a momentum in this direction, in principal axes, with the length that it has. */
function spinAlong({J, Omega0}, axes, direction) {
  const length = Math.hypot(...apply(transpose(axes), Omega0).map((x, i) => J[i] * x)) / Math.hypot(...direction);
  return roundVector(apply(axes, direction.map((x, i) => length * x / J[i])));
}

/** R₀ for an attitude (w, x, y, z), as a rotation vector of at most half a turn. */
function turnTo([w, ...axis]) {
  const size = Math.hypot(...axis), sign = w < 0 ? -1 : 1, angle = 2 * Math.atan2(size, Math.abs(w));
  return roundVector(axis.map(x => (size ? sign * x * angle / size : 0)));
}

export function render({model}) {
  let setting = JSON.parse(model.setting);
  let kernels = null, ready = "", asked = "", latest = null; // latest: the setting on screen that the server does not have
  const leaving = new AbortController(), {signal} = leaving;

  /** Mark what only the server computes as old, or as current. */
  function setOld(old) {
    if (page.isAhead !== old) page.request("fade", page.isAhead = old);
  }

  /** Ask for the kernels of the setting before a person begins to drag. */
  const prepare = field => {
    const {key} = setting;
    if (field && !(field in TIMES || field in setting.given)) return false;
    if (!key || key === ready || key === asked) return false;
    model.send_msg({wanted: asked = key});
  };
  page.offer("prepare drag", prepare, signal);
  const first = setTimeout(prepare, SOON);

  /** Whether the kernels are those of the setting, also in numbers of the problem that they cannot change. */
  const isReady = () => !!setting.key && setting.key === ready
    && Object.entries(setting.given).every(([name, value]) => name in kernels.given || String(value) === String(kernels.built[name]));

  /** Compute and show; returns false if the server has to. */
  function show(dragged) {
    latest = null;
    const shown = isReady() && compute(kernels, dragged);
    if (!shown || !page.request("show runs", shown)) return false;
    latest = dragged;
    setOld(true);
    return true;
  }

  /** Whether the kernels take these numbers of the problem. */
  function canTake([name, numbers]) {
    const {value, low, high} = kernels.given[name] ?? {value: []};
    if (numbers.length !== value.length || !numbers.every(x => x >= (low ?? -Infinity) && x <= (high ?? Infinity))) return false;
    return name !== "J" || areMoments(numbers) && String(kernels.axes) === String(IDENTITY);
  }

  function drag({dt = setting.dt, duration = setting.duration, direction, attitude, ...entered}) {
    if (!isReady()) return false;
    if (direction) entered.Omega0 = spinAlong(setting.given, kernels.axes, direction);
    if (attitude) entered.R0 = turnTo(attitude);
    return dt > 0 && duration > 0 && Object.entries(entered).every(canTake) && show({dt, duration, given: {...setting.given, ...entered}});
  }
  page.offer("drag", drag, signal);

  /** Show the runs with an entry, and send it once they are painted, but before anything else happens. */
  page.offer("enter", ({name, text, before, send}) => {
    const read = TIMES[name] ?? (name in setting.given && parseList);
    if (!read || String(read(text)) === String(read(before)) || !drag({[name === "rate" ? "dt" : name]: read(text)})) return false;
    const sent = new AbortController();
    const act = () => {
      if (sent.signal.aborted) return;
      sent.abort();
      latest = null;
      send();
    };
    for (const kind of ["pointerup", "keydown"]) document.addEventListener(kind, act, {capture: true, signal: sent.signal});
    requestAnimationFrame(() => setTimeout(act));
    setTimeout(act, LATEST); // of a hidden page nothing is painted
  }, signal);

  page.offer("drag rests", () => { latest = null; }, signal);
  page.offer("forget drag", () => {
    latest = null;
    if (page.isAhead) page.request("restore runs");
    receive();
  }, signal);

  /** The server has answered; if a newer value is on screen, that stays there. */
  function receive() {
    setting = JSON.parse(model.setting);
    if (latest && show(latest)) return;
    page.request("runs answered");
    setOld(false);
  }

  async function load() {
    if (!model.kernels || !globalThis.WebAssembly) return;
    const {key, given, ...modules} = JSON.parse(model.kernels);
    try {
      kernels = {...await instantiate(modules), built: given};
      ready = key;
    } catch { ready = ""; } // where a policy forbids it, the server computes
  }

  model.on("kernels", load);
  model.on("setting", receive);
  model.on("remove", () => { clearTimeout(first); leaving.abort(); setOld(false); });
  return document.createElement("div");
}

export default {render};
