// The words on the curve of a deviation, by the rules of `describe_trend` in engine/studies/core/measurements.py, and roundoff.

import {formatMeasured} from "./numbers.js";

const PARTS = 20,
  A_PART = 3; // parts whose means show a drift, and the least number of values of each
const CERTAIN = 8,
  NOTABLE = 0.1; // a drift is at least so many times its uncertainty, and this part of the range

/** The slope of evenly spaced values, and its standard error with correlated neighbours (Newey-West). */
function fitLine(y) {
  const n = y.length,
    mean = y.reduce((sum, value) => sum + value, 0) / n,
    x = y.map((_, i) => i - (n - 1) / 2);
  const product = (a, b, lag = 0) =>
    a.reduce((sum, value, i) => (i < lag ? sum : sum + value * b[i - lag]), 0);
  const squares = product(x, x),
    slope = product(x, y) / squares,
    u = y.map((value, i) => x[i] * (value - mean - slope * x[i]));
  const reach = Math.round(Math.sqrt(n));
  let variance = product(u, u);
  for (let lag = 1; lag <= reach; lag++)
    variance += 2 * (1 - lag / (reach + 1)) * product(u, u, lag);
  return [slope, Math.sqrt(Math.max(variance, 0)) / squares];
}

/** What matters of a deviation: its drift per unit of t, if that is certain and large, or its amplitude. */
export function describeTrend(t, y, roundoff = 0) {
  let low = 0,
    high = 0,
    least = Infinity,
    most = -Infinity;
  for (const value of y) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const size = Math.max(high, -low),
    n = Math.floor((y.length - 1) / PARTS);
  if (size <= roundoff) return size ? "roundoff" : "exactly 0";
  if (n >= A_PART) {
    const means = Array.from(
      {length: PARTS},
      (_, k) => y.subarray(k * n, k * n + n).reduce((sum, value) => sum + value, 0) / n,
    );
    const [slope, uncertainty] = fitLine(means);
    if (
      Math.abs(slope) > CERTAIN * uncertainty &&
      PARTS * Math.abs(slope) > NOTABLE * (most - least)
    )
      return `${slope > 0 ? "+" : ""}${formatMeasured(slope / (t[n] - t[0]))} per t`;
  }
  return `${low < 0 && high > 0 ? "±" : "≤ "}${formatMeasured(size)}`;
}

/** The roundoff that may accumulate in a run of a method, as `grow_roundoff` in app/state/results.py finds it. */
export const findRoundoff = ({roundoff: [least, biased], run}) =>
  biased ? Math.max(least, biased * run.done) : least * Math.max(1, Math.sqrt(run.done / 100));
