// Motions of a scene from runs of the browser.

import {computeQuaternions} from "../core/algebra.js";

const MOST_ROWS = 2002; // of a motion; a demo stores as many

/** Each k-th row of a series of vectors of this size, and the last. */
function thinRows(values, size, k) {
  if (k === 1) return values;
  const last = values.length / size - 1, out = new Float64Array(size * (Math.ceil(last / k) + 1));
  for (let to = 0, row = 0; to < out.length; row = Math.min(row + k, last))
    for (let from = size * row; from < size * (row + 1); from++) out[to++] = values[from];
  return out;
}

/** The motion of a body, by the names of its series. */
export function createMotion(run, R, Omega, more) {
  const k = Math.ceil(run.length / MOST_ROWS);
  return {t: thinRows(run.t, 1, k), q: computeQuaternions(thinRows(run.series(R), 9, k)), Omega: thinRows(run.series(Omega), 3, k), ended: run.status, ...more};
}
