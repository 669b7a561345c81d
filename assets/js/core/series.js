// Series of numbers: lengths of vectors, ranks and quantiles, the known part of a curve, and roundoff.

/** A number for each index below n; `Float64Array.from` takes ten times as long. */
function fill(n, find) {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = find(i);
  return out;
}

const WHOLE_RANGE = 0.9 * Math.PI,
  ROUNDOFF = 1e-12; // of a reference that hides no error, as in engine/exact/errors.py
/** The lengths of vectors. */
export const norms = v =>
  fill(v.length / 3, i => Math.sqrt(v[3 * i] ** 2 + v[3 * i + 1] ** 2 + v[3 * i + 2] ** 2)); // Math.hypot takes longer

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

/** The first time at which an attitude error spans nearly its whole range, after which it is noise; undefined if it never does. */
export const findPhaseLoss = (t, attitude) => t[attitude.findIndex(angle => angle > WHOLE_RANGE)];

/** The rows at which angles in degrees come from one end of their range to the other, as `list_flips` in engine/exact/errors.py. */
export function listFlips(angles, end = 60) {
  const rows = [];
  let before = 0;
  angles.forEach((angle, i) => {
    const side = (angle <= end) - (angle >= 180 - end);
    if (side && side === -before) rows.push(i);
    before = side || before;
  });
  return rows;
}

/** Errors, NaN where the estimated error of what they are measured against is as large, as `mask_unknown` in engine/exact/errors.py. */
export const maskUnknown = (errors, estimates) =>
  errors.map((error, i) => (error > estimates[i] || estimates[i] <= ROUNDOFF ? error : NaN));

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

/** The roundoff that may accumulate in a run of a method, as `grow_roundoff` in app/state/results.py finds it. */
export const findRoundoff = ({roundoff: [least, biased], run}) =>
  biased ? Math.max(least, biased * run.done) : least * Math.max(1, Math.sqrt(run.done / 100));
