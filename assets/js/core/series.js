// What runs of the engine's kernels show: departures from the start, components, and the distance from another run.

import {apply} from "./algebra.js";

/** A number for each index below n; `Float64Array.from` takes ten times as long. */
export function fill(n, find) {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = find(i);
  return out;
}

/** Each k-th of three numbers. */
export const pick = (v, k) => fill(v.length / 3, i => v[3 * i + k]);
const WHOLE_RANGE = 0.9 * Math.PI; // as in engine/exact/errors.py
export const toDegrees = angles => angles.map(x => (x * 180) / Math.PI);

/** The lengths of vectors. */
export const norms = v =>
  fill(v.length / 3, i => Math.sqrt(v[3 * i] ** 2 + v[3 * i + 1] ** 2 + v[3 * i + 2] ** 2)); // Math.hypot takes longer

/** The distances between vectors at each common row. */
export const measureDistance = (a, b) =>
  fill(Math.min(a.length, b.length) / 3, i =>
    Math.sqrt(
      (a[3 * i] - b[3 * i]) ** 2 +
        (a[3 * i + 1] - b[3 * i + 1]) ** 2 +
        (a[3 * i + 2] - b[3 * i + 2]) ** 2,
    ),
  );

/** The quantile of numbers, which change their order. */
export function quantile(numbers, part) {
  const at = part * (numbers.length - 1),
    below = Math.floor(at),
    share = at - below;
  return (1 - share) * selectRank(numbers, below) + share * selectRank(numbers, Math.ceil(at));
}

/** The k-th smallest of numbers, which change their order (Hoare's selection). */
export function selectRank(numbers, k) {
  for (let low = 0, high = numbers.length - 1; low < high;) {
    const middle = numbers[k];
    let i = low,
      j = high;
    while (i <= j) {
      while (numbers[i] < middle) i++;
      while (numbers[j] > middle) j--;
      if (i <= j) {
        const other = numbers[i];
        numbers[i++] = numbers[j];
        numbers[j--] = other;
      }
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
  return numbers[k];
}

/** The angle between two runs' attitudes at each common row. */
export function measureAngle(run, other) {
  const A = run.series("R"),
    B = other.series("R"),
    out = new Float64Array(Math.min(run.length, other.length));
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
  const values = run.series(name),
    [, size] = run.header.series[name],
    start = name.startsWith("orthogonality") ? [0] : values.slice(0, size);
  const out = new Float64Array(run.length);
  for (let i = 0; i < out.length; i++) {
    if (size === 1) {
      out[i] = (values[i] - start[0]) / whole;
      continue;
    }
    let square = 0;
    for (let k = 0; k < size; k++) square += (values[size * i + k] - start[k]) ** 2;
    out[i] = Math.sqrt(square) / whole;
  }
  return out;
}

/** A series by its name, also Π = J Ω. */
export function readSeries({run, J}, name) {
  if (name !== "Pi") return run.series(name);
  const Ω = run.series("Omega"),
    Π = new Float64Array(Ω.length);
  for (let i = 0; i < Ω.length; i += 3) Π.set(apply(J, Ω.subarray(i, i + 3)), i);
  return Π;
}

/** The values of quantities that are no errors, of {run, J}, by the kinds of `Quantity.measure` in app/state/quantities.py. */
export const PLAIN = {
  series: ({run}, name) => run.series(name),
  component: (what, name, k) => pick(readSeries(what, name), k),
  length: (what, name) => norms(readSeries(what, name)),
  between: ({run}, one, other) => measureDistance(run.series(one), run.series(other)),
  angles: ({run}, name) => toDegrees(run.series(name)),
};
