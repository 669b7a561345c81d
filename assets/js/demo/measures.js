// What a demo measures of its runs: the distance from the exact motion, and the departure of conserved quantities.

import {
  PLAIN,
  measureAngle,
  measureDeparture as measureChange,
  measureDistance,
} from "../core/series.js";
import {data, isOneBody} from "./data.js";

const [ENERGY, ...OTHERS] = isOneBody
  ? [
      ["energy", "Energy", "ΔE / E₀"],
      ["pi", "Spatial momentum", "‖π − π₀‖ / ‖π₀‖"],
      ["casimir", "Casimir", "Δ|Π|² / |Π₀|²"],
      ["pi_e3", "Momentum about the vertical", "Δ(π·e₃) / π₀·e₃"],
      ["pi_chi", "Momentum about the body's axis", "Δ(π·χ) / π₀·χ₀"],
      ["orthogonality", "Orthogonality", "‖RᵀR − 1‖"],
    ]
  : [
      ["energy", "Energy", "ΔE / E₀"],
      ["linear_momentum", "Linear momentum", "‖p − p₀‖"],
      ["angular_momentum", "Angular momentum", "‖π − π₀‖ / ‖π₀‖"],
      ["orthogonality1", "Orthogonality of R₁", "‖R₁ᵀR₁ − 1‖"],
    ];

/** The invariants: energy, the problem's own integrals, and the others; a series, its title, and the formula of its deviation. */
export const QUANTITIES = [ENERGY, ...data.integrals, ...OTHERS].map(([name, title, symbol]) => ({
  name,
  title,
  symbol,
  part: name.replace(/1$/, ""),
}));

const CONSERVED = 1e-8; // the largest departure of a quantity that the motion conserves

/** The largest angular velocity in some rows, of the body that turns fastest. */
export function maxSpeed(run, rows = run.length) {
  let most = 0;
  for (const name of isOneBody ? ["Omega"] : ["Omega1", "Omega2"]) {
    const Ω = run.series(name);
    for (let i = 0; i < 3 * rows; i += 3)
      most = Math.max(most, Math.hypot(Ω[i], Ω[i + 1], Ω[i + 2]) || 0);
  }
  return most;
}

/** The error of a run against the exact motion. */
export const ERROR = isOneBody
  ? {
      title: "Attitude error",
      symbol: "angle to the exact motion, rad",
      measure: measureAngle,
      head: "attitude error\nat the end, rad",
      unit: " rad",
    }
  : {
      title: "Place error",
      symbol: "distance of body 1 from its place in the exact motion",
      measure: (run, other) => measureDistance(run.series("x1"), other.series("x1")),
      head: "place error\nat the end",
      unit: "",
    };

const KNOWN = 1e-12; // an uncertainty of the exact motion that hides no error, as in engine/exact/errors.py

/** The error of a run against the exact motion at each common row; NaN where the exact motion may be off by as much. */
export function measureError(run, exactMotion) {
  let off = 0;
  return ERROR.measure(run, exactMotion.run).map((error, i) => {
    off = Math.max(off, exactMotion.error[i]);
    return error > off || off <= KNOWN ? error : NaN;
  });
}

/** Quantities that are no errors, by the part that shows them: the titles, the formulas, and functions of a run. */
export const MOTIONS = Object.entries(data.groups).flatMap(([group, quantities]) =>
  quantities.map(([title, symbol, [kind, ...more]]) => ({
    part: group.toLowerCase(),
    title,
    symbol,
    measure: run => PLAIN[kind]({run}, ...more),
    ofSteps: kind === "angles",
  })),
);

const isOrthogonality = name => name.startsWith("orthogonality");

/** The size of a quantity at the start, which divides its changes; 1 for a quantity that starts at 0. */
function scaleOf(name, run) {
  if (isOrthogonality(name)) return 1;
  const [, size] = run.header.series[name],
    first = Math.hypot(...run.series(name).subarray(0, size));
  return first > 1e-12 ? first : 1;
}

/** The relative departure of a quantity from its start at each row. */
export const measureDeparture = (name, run) => measureChange(name, run, scaleOf(name, run));

/** The largest departure over every step. */
export const maxDeparture = (name, run) =>
  isOrthogonality(name) ? run.extrema(name).max : run.deviation(name) / scaleOf(name, run);

const methods = Object.fromEntries(data.methods.map(method => [method.label, method]));

/** The roundoff that may accumulate in a run of a method; with 32 bits it may be biased, and then grows with the steps. */
export function findRoundoff({label, run}) {
  const [least, biased] = methods[label].roundoff;
  return biased
    ? Math.max(least, biased * run.done)
    : least * Math.max(1, Math.sqrt(run.done / 100));
}

/** Whether a method computes with 32 bits. */
export const isSingle = label => methods[label].roundoff[1] > 0;

/** Whether a method promises to conserve a quantity. */
export const isPromised = (label, name) => methods[label].promised.includes(name);

let latest = null;

/** The quantities that the exact motion conserves; until it is known, those of the motion before. */
export function findInvariants(exactMotion) {
  const all = QUANTITIES.filter(({name}) => name in data.reference.module.header.series);
  if (!exactMotion) return latest ?? all;
  const bound = Math.max(CONSERVED, 100 * exactMotion.apart),
    conserved = all.filter(({name}) => maxDeparture(name, exactMotion.run) <= bound);
  // A conserved π includes its components.
  return (latest = conserved.filter(
    ({name}) => name !== "pi_e3" || !conserved.some(other => other.name === "pi"),
  ));
}
