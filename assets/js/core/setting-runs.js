// The runs of a setting on the page and in demos: of its methods, and of the exact motion by a method of high order at fine steps. What
// computes them in several rounds is a generator: it yields the jobs of a round, [kernel, options], and receives their runs.

import {countSteps} from "./engine.js";

export const TURN = {so3: 0.15, se3: 0.05}; // radians in a step of the reference method: of order 8 for one body, 4 for two

/** The steps of a setting's runs, and the rows that they store, at most about `most`. */
export function planRows({dt, duration, given}, most) {
  const steps = countSteps(dt, duration),
    every = Math.ceil(steps / most);
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

/** The largest angular velocity in the first rows of a run, of the body that turns fastest. */
export function findSpeed(run, rows = run.length) {
  let most = 0;
  for (const name of ["Omega", "Omega1", "Omega2"]) {
    if (!(name in run.header.series)) continue;
    const Ω = run.series(name);
    for (let i = 0; i < 3 * rows; i += 3)
      most = Math.max(most, Math.sqrt(Ω[i] ** 2 + Ω[i + 1] ** 2 + Ω[i + 2] ** 2) || 0); // Math.hypot takes longer
  }
  return most;
}

/** An even number of steps between two rows that turn a body of the angular velocity Ω by at most `turn` each. */
export const countTurns = ({spacing}, Ω, turn) => 2 * Math.ceil((spacing * Ω) / turn / 2);

/**
 * The exact motion with `times` steps between rows, or more: until `judge` finds that a run is near enough to the one with half as many
 * steps. Null if it would take more than `most` steps.
 */
export function* followMotion(kernels, plan, times, most, judge) {
  let [run, rough] = yield [times, times / 2].map((k, i) => [kernels[i], divideRows(plan, k)]);
  for (let round = 1; !judge(run, rough); round++) {
    times *= 2;
    if (plan.rows * times > most) return null;
    rough = run;
    [run] = yield [[kernels[round % 2], divideRows(plan, times)]];
  }
  return run;
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
