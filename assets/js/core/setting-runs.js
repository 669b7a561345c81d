// The runs of a setting on all hosts: of its methods, and of the exact motion by a method of high order at fine steps. What computes them
// in several rounds is a generator: it yields the jobs of a round, [kernel, options], and receives their runs.

import {inertiaMatrix} from "./algebra.js";
import {Kernel, countSteps} from "./engine.js";
import {decodeBytes} from "./files.js";
import {Quantities} from "./quantities.js";

export const TURN = {so3: 0.15, se3: 0.05, rates: 0.05}; // radians in a step of the reference method: of order 8 for one body, 4 for two, 6 for given rates
const ROWS = 4000; // stored rows of a run, about
const SLOWEST = 1e-3; // the least angular velocity by which steps are chosen

/** A module with its bytes, which are packed. */
export const decodeModule = async ({header, code, key}) => ({
  header,
  key,
  code: await decodeBytes(code),
});

/**
 * The kernels of a setting, from the modules that `pack_runs` in app/demos/live.py packs. `find` returns a module with its bytes, and
 * `make(module, beginning)` its kernel; of the reference method it also makes a "second" one.
 */
export async function loadKernels(
  {lines, reference, beginning, quantities, error},
  find = decodeModule,
  make = Kernel.instantiate,
) {
  const findOf = async one => one && {...one, module: one.module && (await find(one.module))};
  const [start, measures, exact, ...methods] = await Promise.all([
    find(beginning),
    find(quantities),
    findOf(reference),
    ...lines.map(findOf),
  ]);
  const makeOf = async (one, which) => one?.module && (await make(one.module, start, which));
  return {
    lines: await Promise.all(methods.map(async line => ({...line, kernel: await makeOf(line)}))),
    reference: await makeOf(exact),
    rough: await makeOf(exact, "second"), // with half the steps
    quantities: await Quantities.instantiate(measures),
    exact,
    error: error?.key ?? "attitude", // by which runs of the exact motion are compared
    beginning: start,
    axes: exact?.module.header.axes.R, // of one body
    given: Object.fromEntries(start.header.given.map(one => [one.name, one])),
  };
}

/** The steps of a setting's runs, and the rows that they store. */
export function planRows({dt, duration, given}) {
  const steps = countSteps(dt, duration),
    every = Math.ceil(steps / ROWS);
  return {dt, given, steps, every, rows: Math.floor(steps / every), spacing: every * dt};
}

/** The options of a run at the same rows with `times` steps from each to the next. */
export const divideRows = ({dt, given, rows, spacing}, times) => ({
  dt: spacing / times,
  steps: rows * times,
  every: times,
  given,
  of: dt,
});

/** The largest angular velocity in the first rows of runs, of the body that turns fastest. */
export function findSpeed(runs, rows = Infinity) {
  let most = SLOWEST;
  for (const run of runs)
    for (const name of ["Omega", "Omega1", "Omega2"]) {
      if (!(name in run.header.series)) continue;
      const Ω = run.series(name);
      for (let i = 0; i < Math.min(3 * rows, Ω.length); i += 3)
        most = Math.max(most, Math.sqrt(Ω[i] ** 2 + Ω[i + 1] ** 2 + Ω[i + 2] ** 2) || 0); // Math.hypot takes longer
    }
  return most;
}

/** An even number of steps between two rows that turn a body of the angular velocity Ω by at most `turn` each. */
export const countTurns = ({spacing}, Ω, turn) => 2 * Math.ceil((spacing * Ω) / turn / 2);

/**
 * Runs of all methods, null for EXACT, and the exact motion at their rows, which `follow(kernels, plan, runs)` computes in further rounds.
 * Null if the methods take more than `most` steps, or if `follow` returns null. `show` receives the runs before the exact motion is known.
 */
export function* planRuns(kernels, numbers, {most, follow, show = () => {}}) {
  const {lines, reference} = kernels,
    plan = planRows(numbers);
  if (plan.steps < 1 || plan.steps * lines.length > most) return null;
  const found = yield lines.flatMap(({kernel}) => (kernel ? [[kernel, plan]] : [])),
    runs = lines.map(({kernel}) => kernel && found.shift());
  show({runs, exactMotion: null});
  if (!reference) return {runs, exactMotion: null};
  const exactMotion = yield* follow(kernels, plan, runs.filter(Boolean));
  return exactMotion && {runs, exactMotion};
}

/**
 * The exact motion with `times` steps between rows, or more, until `judge` accepts it. `apart` is its distance from the run with half as many
 * steps at each row, which is far more than its own error, except where a torque sets in suddenly. Null if it would take more than `most` steps.
 */
export function* followMotion({reference, rough, quantities, error}, plan, times, most, judge) {
  const kernels = [reference, rough];
  let [run, before] = yield [times, times / 2].map((k, i) => [kernels[i], divideRows(plan, k)]);
  for (let round = 1; ; round++) {
    const apart = quantities.evaluate(error, {run: before, exactMotion: run}),
      motion = {run, apart, most: apart.reduce((far, x) => (x > far ? x : far), 0)};
    if (judge(motion, times)) return motion;
    times *= 2;
    if (plan.rows * times > most) return null;
    before = run;
    [run] = yield [[kernels[round % 2], divideRows(plan, times)]];
  }
}

/** Have `run` run the jobs of each round; returns what the generator returns, undefined if `run` returns nothing. */
export async function runInRounds(rounds, run) {
  let round = rounds.next();
  while (!round.done) {
    const runs = await run(round.value);
    if (!runs) return undefined;
    round = rounds.next(runs);
  }
  return round.value;
}

/**
 * What hosts show of runs: `lines` [{method, label, colour, run}] of methods, `exactMotion` {run, apart, most}, and the `motions` of the picture, among
 * them the exact one, unless EXACT stands for it.
 */
export function describeResults(
  {lines, exact, axes, quantities},
  {dt, duration, given},
  {runs, exactMotion},
) {
  const shown = lines.map((line, i) => ({...line, run: runs[i] ?? exactMotion.run})),
    J = given.J && inertiaMatrix(axes, given.J),
    isShown = exactMotion && (runs.some(Boolean) || !lines.length);
  const motions = shown.map(({method, label, variant, colour, run}) => ({
    method,
    label,
    variant,
    colour,
    run,
  }));
  if (isShown)
    motions.push({
      method: exact.label,
      label: exact.label,
      colour: exact.colour,
      run: exactMotion.run,
      exact: true,
    });
  return {dt, duration, given, axes, J, quantities, exactMotion, lines: shown, motions};
}

/** The values of a quantity of a run among such results, relative or not. */
export const measure = (key, run, {quantities, exactMotion, ...settings}, relative) =>
  quantities.evaluate(key, {...settings, run, exactMotion: exactMotion?.run, relative});
