// Motions of a scene from runs of the browser.

import {computeQuaternions} from "../core/algebra.js";

const MOST_ROWS = 2002; // of a motion; a demo stores as many

/** Each k-th row of a series of vectors of this size, and the last. */
function thinRows(values, size, k) {
  const rows = values.length / size, kept = Array.from({length: Math.ceil(rows / k)}, (_, i) => i * k);
  if (k > 1 && kept.at(-1) !== rows - 1) kept.push(rows - 1);
  return k === 1 ? values : Float64Array.from(kept.flatMap(row => [...values.subarray(size * row, size * (row + 1))]));
}

/** The motion of a body, by the names of its series. */
export function createMotion(run, R, Omega, more) {
  const k = Math.ceil(run.length / MOST_ROWS);
  return {t: thinRows(run.t, 1, k), q: computeQuaternions(thinRows(run.series(R), 9, k)), Omega: thinRows(run.series(Omega), 3, k), ended: run.status, ...more};
}
