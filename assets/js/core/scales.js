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

/** About as many points of a curve as a plot has pixels, on its axis: the least and the largest value of each section. */
export function thin(t, y, log) {
  const width = Math.ceil((2 * y.length) / MOST_POINTS),
    rows = [];
  const add = row => {
    if (row >= 0 && row !== rows.at(-1)) rows.push(row);
  };
  for (let from = 0; from < y.length; from += width) {
    let low = -1,
      high = -1,
      least = Infinity,
      most = -Infinity;
    for (let i = from, end = Math.min(from + width, y.length); i < end; i++) {
      const value = log ? Math.abs(y[i]) : y[i];
      if (value - value !== 0) continue; // not finite
      if (low < 0 || value < least) [low, least] = [i, value];
      if (high < 0 || value > most) [high, most] = [i, value];
    }
    add(Math.min(low, high));
    add(Math.max(low, high));
  }
  if (Number.isFinite(y.at(-1))) add(y.length - 1);
  const points = {t: new Float32Array(rows.length), y: new Float32Array(rows.length)};
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
