// Curves on axes: places of values, points that a screen can show, and the ends of axes, by the rules of app/charts/scales.py.

import {ZERO} from "./numbers.js";
import {selectRank} from "./series.js";

const LEAST = 10 ** ZERO,
  LARGEST = 1e30,
  NO_DECADE = [0.31, 0.69], // of a logarithmic axis of zeros only, which has no ticks
  FLATTEST = 1e-15; // the smallest span of a linear axis; smaller ones show roundoff only
const MOST_POINTS = 700;

/** The place of a value on an axis. */
export const toAxis = (x, log) =>
  log
    ? Math.abs(x) <= LEAST
      ? ZERO
      : Math.log10(Math.min(LARGEST, Math.abs(x)))
    : Math.max(-LARGEST, Math.min(LARGEST, x));

/**
 * At most about `most` rows of a curve, in order: the first, the last, the least and the largest value of each section, and every 2^k-th row, so
 * that curves of one plot have common times, as `downsample` in app/charts/downsample.py chooses them. On a logarithmic axis of |y|.
 */
export function chooseRows(y, log, most = MOST_POINTS) {
  const n = y.length,
    rows = [];
  let first = 0,
    last = n - 1;
  const read = i => (log ? Math.abs(y[i]) : y[i]),
    isFinite = i => y[i] - y[i] === 0;
  while (first < n && !isFinite(first)) first++;
  while (last > first && !isFinite(last)) last--;
  const isShort = n <= most || y.reduce((count, x) => count + (x - x === 0), 0) <= most,
    stride = isShort ? 1 : 2 ** Math.ceil(Math.log2((2 * n) / most)),
    width = isShort ? 1 : Math.ceil((2 * n) / (most - Math.ceil(n / stride)));
  for (let from = 0; from < n; from += width) {
    const end = Math.min(from + width, n);
    let low = -1,
      high = -1,
      least = Infinity,
      largest = -Infinity;
    for (let i = from; i < end; i++) {
      if (!isFinite(i)) continue;
      const value = read(i);
      if (low < 0 || value < least) [low, least] = [i, value];
      if (high < 0 || value > largest) [high, largest] = [i, value];
    }
    for (let i = Math.max(from, first); i < end && low >= 0; i++)
      if (i === low || i === high || i === first || i === last || (i % stride === 0 && isFinite(i)))
        rows.push(i);
  }
  return rows;
}

/** About as many points of a curve as a plot has pixels, on its axis. */
export function thin(t, y, log) {
  const rows = chooseRows(y, log),
    points = {t: new Float32Array(rows.length), y: new Float32Array(rows.length)};
  rows.forEach((row, i) => {
    points.t[i] = t[row];
    points.y[i] = toAxis(y[row], log);
  });
  return points;
}

/** The ends of an axis, round numbers around the curves' places, so that small changes do not move it. */
export function findLimits(drawn, log) {
  const values = drawn
    .map(y => (log ? y.filter(x => x > ZERO / 2) : y))
    .filter(({length}) => length);
  let least = Infinity,
    most = -Infinity;
  for (const y of values)
    for (let i = 0; i < y.length; i++) {
      if (y[i] < least) least = y[i];
      if (y[i] > most) most = y[i];
    }
  if (log) {
    if (!values.length) return NO_DECADE;
    const low = Math.min(...values.map(y => selectRank(y, Math.floor(y.length / 50)))),
      high = 2 * Math.ceil(most / 2);
    return [Math.min(2 * Math.floor(low / 2), high - 2) - 0.2, high + 0.2];
  }
  const [low, high] = values.length ? [least, most] : [0, 1];
  const span = Math.max(high - low, 1e-3 * Math.max(Math.abs(low), Math.abs(high)), FLATTEST),
    step = 10 ** Math.floor(Math.log10(span)) / 5;
  return [
    step * Math.floor((low - 0.04 * span) / step),
    step * Math.ceil((high + 0.04 * span) / step),
  ];
}

/** Curves with the points that a screen can show, and the ends of their axis. */
export function frameCurves(curves, log) {
  const drawn = curves.map(curve => ({...curve, ...thin(curve.t, curve.y, log)}));
  const values = findLimits(
    drawn.map(({y}) => y),
    log,
  );
  return {curves: drawn, values};
}
