// The runs of a setting on the page: the modules that the server sends, how well the exact motion has to be known, and what scripts outside
// see of runs.

import {multiply, transpose} from "../core/algebra.js";
import {Kernel, Run} from "../core/engine.js";
import {
  countTurns,
  decodeModule,
  describeResults,
  divideRows,
  findSpeed,
  followMotion,
  loadKernels,
  planRuns,
} from "../core/setting-runs.js";

const MOST_STEPS = 60_000,
  MOST_TURNED = 4_000; // steps of all methods, and radians of the exact motion; the server makes longer runs
const PATIENCE = 250; // milliseconds of one run
const TOLERANCE = 1e-14,
  LOOSE = 1e-13; // of the exact motion, and of the run that shows how well it is known
const LAST_DIGIT = 4 * Number.EPSILON,
  MARGIN = 5,
  LOST = 0.1; // the estimate of its error in units of their distance, and radians from which it is not known; as in engine/exact/reference.py
const MOST_FINE_STEPS = 16_000; // of the exact motion where the torque has no series
const WIDE = 0.3; // radians in such a step
const GOOD = 1e-6,
  GAIN = 32; // radians by which that motion may be off, and how much half the step gains at least (2⁸ in the limit)

/** A module with its bytes, which the message has or the server sends by its key. */
async function findModule({header, code, key}) {
  if (code) return decodeModule({header, code, key});
  const answer = await fetch(`kernels/${key}`);
  if (!answer.ok) throw new Error(`kernel ${key}: ${answer.status}`);
  return {header, key, code: new Uint8Array(await answer.arrayBuffer())};
}

/** The kernels of a message. Modules and kernels of `known` kernels of the same problem are used again. */
export async function fetchKernels(packed, known = null) {
  const modules = new Map(),
    kernels = new Map();
  if (known) {
    const {lines, reference, rough, exact, beginning} = known;
    for (const {module, kernel, which = ""} of [
      {module: beginning},
      ...lines,
      {...exact, kernel: reference},
      {...exact, kernel: rough, which: "second"},
    ]) {
      if (!module) continue;
      modules.set(module.key, module);
      if (kernel) kernels.set(module.key + which, kernel);
    }
  }
  return loadKernels(
    packed,
    one => modules.get(one.key) ?? findModule(one),
    (module, start, which = "") =>
      kernels.get(module.key + which) ?? Kernel.instantiate(module, start),
  );
}

/** The exact motion for a drag, as far as it is known; null if the server has to compute it. */
function* follow(kernels, plan, runs) {
  const {lines, reference} = kernels,
    isSeries = "rtol" in reference.header.options,
    isWhole = runs.length < lines.length; // for EXACT, whose curves are those of the exact motion
  const motion = yield* (isSeries ? followSeries : followSteps)(kernels, plan, runs);
  return motion && (motion.run.length > plan.rows || !isWhole) ? motion : null;
}

/** Numbers of a problem with other last digits, some larger and some smaller. */
const changeLastDigits = given =>
  Object.fromEntries(
    Object.entries(given).map(([name, numbers]) => [
      name,
      [numbers].flat().map((x, i) => x * (1 + (i % 2 ? -LAST_DIGIT : LAST_DIGIT))),
    ]),
  );

/** By one method with two tolerances, the larger with other last digits of the start. */
function* followSeries({reference, rough, quantities}, plan, runs) {
  if (!(plan.rows * plan.spacing * findSpeed(runs, 1) <= MOST_TURNED)) return null;
  const [run, loose] = yield [
    [reference, TOLERANCE, plan.given],
    [rough, LOOSE, changeLastDigits(plan.given)],
  ].map(([kernel, rtol, given]) => [
    kernel,
    {...divideRows(plan, 1), given, options: {rtol, atol: rtol}},
  ]);
  const apart = quantities.evaluate("attitude", {run: loose, exactMotion: run}),
    lost = apart.findIndex(far => !(MARGIN * far <= LOST)),
    known = lost < 0 ? apart.length : lost;
  return known > 1 ? {run: cut(run, known)} : null;
}

/** A run up to its n-th row. */
const cut = ({header, record, width, every, done}, n) =>
  new Run(header, {
    ...record,
    rows: record.rows.subarray(0, n * width),
    done: Math.min((n - 1) * every, done),
  });

/** By steps of one size, halved until it is near enough. */
function* followSteps(kernels, plan, runs) {
  const Ω = Math.max(Math.hypot(...plan.given.Omega0), findSpeed(runs)),
    times = countTurns(plan, Ω, WIDE),
    isGood = ({most}) => most <= GAIN * GOOD;
  if (!(plan.rows * times <= MOST_FINE_STEPS)) return null;
  return yield* followMotion(kernels, plan, times, MOST_FINE_STEPS, isGood);
}

/** The rounds of runs of a drag; they end with null if the server has to compute them. */
export const planDrag = (kernels, numbers) =>
  planRuns(kernels, numbers, {most: MOST_STEPS, follow});

/** Run the jobs of each round at once; returns what the generator returns, and null if a run takes too long. */
export function runAtOnce(rounds) {
  let round = rounds.next();
  while (!round.done) {
    const runs = round.value.map(([kernel, options]) => {
      const running = kernel.start(options);
      return running.advance(PATIENCE) && running.result({copy: false}); // each kernel's last run is read before its next one
    });
    if (!runs.every(Boolean)) return null;
    round = rounds.next(runs);
  }
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
export function describeRuns(kernels, numbers, found) {
  const {lines, ...results} = describeResults(kernels, numbers, found);
  return {...results, lines: lines.map(line => ({...line, end: describeEnd(line.run)}))};
}
