// Kernels of a setting, which the server sends, and the runs that they compute.

import {inertiaMatrix, multiply, transpose} from "../core/algebra.js";
import {Kernel} from "../core/engine.js";
import {decodeBytes} from "../core/files.js";
import {Quantities} from "../core/quantities.js";
import {
  TURN,
  countTurns,
  divideRows,
  findSpeed,
  followMotion,
  planRows,
} from "../core/setting-runs.js";

const ROWS = 4000; // stored rows of a run
const MOST_STEPS = 60_000,
  MOST_FINE_STEPS = 16_000; // of all methods, and of the exact motion
const WIDE = 0.3; // radians in a step of the reference method where the motion is checked, unless EXACT is chosen, whose curves show the errors of the exact motion
const GOOD = 1e-6,
  GAIN = 32; // radians by which the exact motion may be off, and how much half the step gains at least (2⁸ in the limit)
const SURE = 0.03,
  NEAR = 0.1,
  AGAIN = 8; // part of that error, change of Δt and duration, and number of runs for which it is not checked again

/** A module with its bytes, which the message has or the server sends by its key. */
async function decode({header, code, key}) {
  if (code) return {header, key, code: await decodeBytes(code)};
  const answer = await fetch(`kernels/${key}`);
  if (!answer.ok) throw new Error(`kernel ${key}: ${answer.status}`);
  return {header, key, code: new Uint8Array(await answer.arrayBuffer())};
}

/** Modules with their kernels, by the modules' keys. */
const listModules = ({lines, reference, exact, modules}) =>
  new Map(
    [{module: modules.beginning}, ...lines, {...exact, kernel: reference}]
      .filter(({module}) => module)
      .map(({module, kernel}) => [module.key, {module, kernel}]),
  );

/**
 * The modules of a setting, as `list_runs` in app/demos/live.py packs them, with their bytes. Those of `known` kernels of the same problem
 * are used again.
 */
export async function fetchModules({lines, reference, beginning, quantities, free}, known = null) {
  const there = known && listModules(known),
    find = one => there?.get(one.key)?.module ?? decode(one);
  const fetchOf = async one => one && {...one, module: one.module && (await find(one.module))};
  const [start, measures, exactMotion, ...methods] = await Promise.all([
    find(beginning),
    decode(quantities),
    fetchOf(reference),
    ...lines.map(fetchOf),
  ]);
  return {lines: methods, reference: exactMotion, beginning: start, quantities: measures, free};
}

/** Kernels of such modules; `known` kernels of the same problem are used again. */
export async function instantiate({lines, reference, beginning, quantities, free}, known = null) {
  const there = known && listModules(known),
    make = module => there?.get(module.key)?.kernel ?? Kernel.instantiate(module, beginning);
  return {
    lines: await Promise.all(
      lines.map(async line => ({...line, kernel: line.module && (await make(line.module))})),
    ),
    reference: reference && (await make(reference.module)),
    rough: reference && (known?.rough ?? (await Kernel.instantiate(reference.module, beginning))), // with half the steps
    quantities: await Quantities.instantiate(quantities),
    exact: reference,
    free,
    axes: reference?.module.header.axes.R,
    given: Object.fromEntries(beginning.header.given.map(one => [one.name, one])),
  };
}

/**
 * Runs of all methods, null for EXACT, and of one body its exact motion at their rows. Null, if they would take long, or the exact
 * motion is not known well. `kernels.known` is where it was last known very well, and by how many times as many steps.
 */
export function* planRuns(kernels, numbers) {
  const {lines, reference, rough, free, known, quantities} = kernels,
    {dt, duration, given} = numbers,
    plan = planRows(numbers, ROWS),
    {steps, rows, spacing} = plan;
  if (steps < 1 || steps * lines.length > MOST_STEPS) return null;
  const jobs = lines.flatMap(({kernel}) => (kernel ? [[kernel, plan]] : [])),
    found = yield jobs,
    runs = lines.map(({kernel}) => kernel && found.shift());
  if (!reference) return {runs, exactMotion: null};
  const Ω = Math.max(
      1e-3,
      Math.hypot(...given.Omega0),
      ...runs.map(run => (run ? findSpeed(run) : 0)),
    ),
    turn = free || !runs.every(Boolean) ? TURN.so3 : WIDE,
    times = free ? Math.max(1, Math.ceil((spacing * Ω) / turn)) : countTurns(plan, Ω, turn),
    isNear = (x, y) => Math.abs(x - y) <= NEAR * y;
  if (!(rows * times <= MOST_FINE_STEPS)) return null;
  let finer = free ? 1 : 0; // by how many times as many steps the motion is known well; 0 if that has to be checked
  if (known && known.left-- > 0 && isNear(dt, known.dt) && isNear(duration, known.duration))
    finer = known.finer;
  if (finer) {
    const [exactMotion] = yield [[reference, divideRows(plan, finer * times)]];
    return {runs, exactMotion};
  }
  const exactMotion = yield* followMotion(
    [reference, rough],
    plan,
    times,
    MOST_FINE_STEPS,
    (run, before) => {
      const apart = quantities
        .evaluate("attitude", {run: before, exactMotion: run})
        .reduce((most, x) => Math.max(most, x), 0);
      finer = finer ? 2 * finer : 1;
      kernels.known = apart <= SURE * GAIN * GOOD ? {dt, duration, finer, left: AGAIN} : null;
      return apart <= GAIN * GOOD;
    },
  );
  return exactMotion && {runs, exactMotion};
}

/** Run the jobs of each round at once; returns what the generator returns. */
export function runAtOnce(rounds) {
  let round = rounds.next();
  while (!round.done)
    round = rounds.next(
      round.value.map(([kernel, options]) => {
        const running = kernel.start(options);
        running.advance();
        return running.result({copy: false}); // each kernel's last run is read before its next one
      }),
    );
  return round.value;
}

/** The last state of a run, as app/browser/script_api.py publishes it. */
function describeEnd(run) {
  const read = (name, size) => [...run.series(name).slice(-size)];
  if ("R" in run.header.series) return {R: read("R", 9)};
  const [R1, R2] = [read("R1", 9), read("R2", 9)];
  return {R: multiply(transpose(R2), R1), R1, R2, x1: read("x1", 3), x2: read("x2", 3)};
}

/** What the page shows of runs: see "show runs" in core/page.js. */
export function describeRuns(
  {lines, exact, axes, quantities},
  {dt, duration, given},
  {runs, exactMotion},
) {
  const shown = lines.map(({label, colour}, i) => {
    const run = runs[i] ?? exactMotion;
    return {label, colour, run, end: describeEnd(run)};
  });
  const all = {dt, duration, given, axes, quantities, exactMotion, lines: shown};
  if (!exactMotion) return {...all, motions: shown};
  const motions = runs.some(Boolean)
    ? [...shown, {label: "exact", colour: exact.colour, run: exactMotion, exact: true}]
    : shown;
  return {...all, J: inertiaMatrix(axes, given.J), motions};
}
