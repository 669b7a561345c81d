// The runs of a setting on the page: the modules that the server sends, how well the exact motion has to be known, and what scripts outside
// see of runs.

import {multiply, transpose} from "../core/algebra.js";
import {Kernel} from "../core/engine.js";
import {
  TURN,
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
  MOST_FINE_STEPS = 16_000; // of all methods, and of the exact motion; the server makes longer runs
const WIDE = 0.3; // radians in a step of the reference method where the motion is checked, unless EXACT is chosen, whose curves show the errors of the exact motion
const GOOD = 1e-6,
  GAIN = 32; // radians by which the exact motion may be off, and how much half the step gains at least (2⁸ in the limit)
const SURE = 0.03,
  NEAR = 0.1,
  AGAIN = 8; // part of that error, change of Δt and duration, and number of runs for which it is not checked again

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

/**
 * The exact motion for a drag; null if it is not known well. `kernels.known` is where it was last known very well, and by how many times as
 * many steps.
 */
function* follow(kernels, plan, runs) {
  const {lines, reference, free, known} = kernels,
    {dt, given, rows, steps, spacing} = plan,
    Ω = Math.max(Math.hypot(...given.Omega0), findSpeed(runs)),
    turn = free || runs.length < lines.length ? TURN.so3 : WIDE,
    times = free ? Math.max(1, Math.ceil((spacing * Ω) / turn)) : countTurns(plan, Ω, turn),
    isNear = (x, y) => Math.abs(x - y) <= NEAR * y;
  if (!(rows * times <= MOST_FINE_STEPS)) return null;
  let finer = free ? 1 : 0; // by how many times as many steps the motion is known well; 0 if that has to be checked
  if (known && known.left-- > 0 && isNear(dt, known.dt) && isNear(steps * dt, known.duration))
    finer = known.finer;
  if (finer) {
    const [run] = yield [[reference, divideRows(plan, finer * times)]];
    return {run};
  }
  return yield* followMotion(kernels, plan, times, MOST_FINE_STEPS, ({most}) => {
    finer = finer ? 2 * finer : 1;
    kernels.known =
      most <= SURE * GAIN * GOOD ? {dt, duration: steps * dt, finer, left: AGAIN} : null;
    return most <= GAIN * GOOD;
  });
}

/** The rounds of runs of a drag; they end with null if the server has to compute them. */
export const planDrag = (kernels, numbers) =>
  planRuns(kernels, numbers, {most: MOST_STEPS, follow});

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
export function describeRuns(kernels, numbers, found) {
  const {lines, ...results} = describeResults(kernels, numbers, found);
  return {...results, lines: lines.map(line => ({...line, end: describeEnd(line.run)}))};
}
