// What runs of the engine's kernels show: departures from the start, components, and the distance from another run.

/** A number for each index below n; `Float64Array.from` takes ten times as long. */
function fill(n, find) {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = find(i);
  return out;
}

/** Each k-th of three numbers. */
export const pick = (v, k) => fill(v.length / 3, i => v[3 * i + k]);
const WHOLE_RANGE = 0.9 * Math.PI; // as in engine/exact/errors.py
const toDegrees = angles => angles.map(x => x * 180 / Math.PI);

/** The lengths of vectors. */
export const norms = v => fill(v.length / 3, i => Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
export const subtract = (a, b) => a.map((x, i) => x - b[i]);

/** The components of a vector, its length, and the angles of the steps in degrees, as functions of a run. */
export const readComponent = (name, k) => run => pick(run.series(name), k);
export const readLength = name => run => norms(run.series(name));
export const readAngles = name => run => toDegrees(run.series(name));

/** The angle between two runs' attitudes at each common row. */
export function measureAngle(run, other) {
  const A = run.series("R"), B = other.series("R"), out = new Float64Array(Math.min(run.length, other.length));
  for (let i = 0; i < out.length; i++) {
    let square = 0;
    for (let k = 9 * i; k < 9 * i + 9; k++) square += (A[k] - B[k]) ** 2;
    out[i] = 2 * Math.asin(Math.min(1, Math.sqrt(square / 8)));
  }
  return out;
}

/** The first time at which an attitude error spans nearly its whole range, after which it is noise; undefined if it never does. */
export const findPhaseLoss = (t, attitude) => t[attitude.findIndex(angle => angle > WHOLE_RANGE)];

/** The longest part of a curve in which its values are known. */
export function takeKnown(t, y) {
  let part = [0, 0];
  for (let i = 0, from = 0; i <= y.length; i++) {
    if (Number.isFinite(y[i])) continue;
    if (i - from > part[1] - part[0]) part = [from, i];
    from = i + 1;
  }
  return {t: t.subarray(...part), y: y.subarray(...part)};
}

/** The departure of a quantity from its start at each row, divided by `whole`; for a vector its length. */
export function measureDeparture(name, run, whole = 1) {
  const values = run.series(name), [, size] = run.header.series[name], start = name.startsWith("orthogonality") ? [0] : values.slice(0, size);
  const out = new Float64Array(run.length);
  for (let i = 0; i < out.length; i++) {
    if (size === 1) { out[i] = (values[i] - start[0]) / whole; continue; }
    let square = 0;
    for (let k = 0; k < size; k++) square += (values[size * i + k] - start[k]) ** 2;
    out[i] = Math.sqrt(square) / whole;
  }
  return out;
}
