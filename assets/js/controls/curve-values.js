// What plots show of the browser's runs, as Python describes it: `Quantity.measure` in app/state/quantities.py.

import {apply, cross, dot, invert, multiply, transpose} from "../core/algebra.js";
import {
  PLAIN,
  fill,
  measureAngle,
  measureDeparture,
  measureDistance,
  pick,
  readSeries,
  toDegrees,
} from "../core/series.js";

const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const LEAVES = 5; // times the first value beyond which a ratio is not drawn

const MEASURES = {
  ...PLAIN,
  departure: ({run, relative}, name) =>
    measureDeparture(name, run, relative ? findSize(run, name) : 1),
  shift({run, relative}, name, k) {
    const values = pick(run.series(name), k),
      whole = relative ? findSize(run, name) : 1;
    return values.map(x => (x - values[0]) / whole);
  },
  larger({run}, one, other) {
    const [a, b] = [one, other].map(name => run.series(name));
    return a.map((x, i) => Math.max(x, b[i]));
  },
  ratio({run}, name) {
    const values = run.series(name),
      beyond = values.findIndex(x => !(Math.abs(x / values[0]) < LEAVES));
    return values.map((x, i) => (beyond < 0 || i < beyond ? x / values[0] : NaN));
  },
  turn({run}, name) {
    const v = run.series(name),
      first = v.subarray(0, 3),
      now = i => v.subarray(3 * i, 3 * i + 3);
    return toDegrees(
      fill(v.length / 3, i => Math.atan2(Math.hypot(...cross(first, now(i))), dot(first, now(i)))),
    );
  },
  modified({run, J, dt, relative}, name) {
    // over 1 − Δt²/24 tr B², as HIROTA-KIMURA conserves it; B is the derivative of Euler's equations
    const Ω = run.series("Omega"),
      inverse = invert(J),
      values = run.series(name).map((x, i) => {
        const v = Ω.subarray(3 * i, 3 * i + 3),
          Π = apply(J, v);
        const columns = AXES.flatMap(e =>
          apply(
            inverse,
            cross(apply(J, e), v).map((y, k) => y + cross(Π, e)[k]),
          ),
        );
        const square = multiply(columns, columns);
        return x / (1 - ((dt * dt) / 24) * (square[0] + square[4] + square[8]));
      });
    const whole = relative ? findSize(run, name) : 1;
    return values.map(x => (x - values[0]) / whole);
  },
  error: ({run, exactMotion}) => measureAngle(run, exactMotion),
  degrees: ({run, exactMotion}) => toDegrees(measureAngle(run, exactMotion)),
  spectral({run, exactMotion}) {
    const R = run.series("R"),
      S = exactMotion.series("R");
    return fill(Math.min(R.length, S.length) / 9, row =>
      findSpectralNorm(Array.from({length: 9}, (_, i) => R[9 * row + i] - S[9 * row + i])),
    );
  },
  distance: ({run, exactMotion, J}, name) =>
    measureDistance(readSeries({run, J}, name), readSeries({run: exactMotion, J}, name)),
  gap({run, exactMotion}, name, k) {
    const [own, exact] = [run, exactMotion].map(one => pick(one.series(name), k));
    return fill(Math.min(own.length, exact.length), i => own[i] - exact[i]);
  },
};

/** The size of a quantity at the start, which divides its relative changes; 1 if it is nearly zero. */
function findSize(run, name) {
  const size = Math.hypot(...run.series(name).subarray(0, run.header.series[name][1]));
  return size > 1e-9 ? size : 1;
}

/** The largest singular value of a matrix: the root of the largest eigenvalue of AᵀA, in closed form. */
function findSpectralNorm(A) {
  const size = Math.hypot(...A);
  if (!(size > 0 && size < Infinity)) return size;
  const unit = A.map(x => x / size),
    square = multiply(transpose(unit), unit),
    C = square.map((x, i) => x - (i % 4 ? 0 : 1 / 3));
  const spread = Math.sqrt(C.reduce((sum, x) => sum + x * x, 0) / 6);
  if (!(spread > 1e-8)) return size / Math.sqrt(3);
  const half = dot(C.slice(0, 3), cross(C.slice(3, 6), C.slice(6, 9))) / (2 * spread ** 3);
  return (
    size * Math.sqrt(1 / 3 + 2 * spread * Math.cos(Math.acos(Math.max(-1, Math.min(1, half))) / 3))
  );
}

/** The values of a quantity of {run, exactMotion, relative, J}, which a kind and its arguments describe. */
export const measure = (what, [kind, ...more]) => MEASURES[kind](what, ...more);
