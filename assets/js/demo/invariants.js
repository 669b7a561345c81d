// What the exact motion conserves, and how far methods depart from it; what counts as roundoff.

import {data} from "./data.js";

const CONSERVED = 1e-8; // the largest departure of a quantity that the motion conserves

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
export const isPromised = (label, {key}, {quantities}) =>
  methods[label].promised.includes(quantities.listSeries(key)[0]);

/** The largest departure of a quantity over every step, relative to its start. */
export function maxDeparture({key}, run, {quantities}) {
  const series = quantities.listSeries(key);
  return key === "orthogonality"
    ? Math.max(...series.map(name => run.extrema(name).max))
    : run.deviation(series[0]) / quantities.findDivisor(key, run);
}

let latest = null;

/** The quantities that the exact motion conserves; until it is known, those of the motion before. */
export function findInvariants({exactMotion, quantities}) {
  if (!exactMotion) return latest ?? data.invariants;
  const bound = Math.max(CONSERVED, 100 * exactMotion.apart),
    conserved = data.invariants.filter(
      one => maxDeparture(one, exactMotion.run, {quantities}) <= bound,
    );
  // A conserved π includes its components.
  return (latest = conserved.filter(
    ({key}) => key !== "pi_e3" || !conserved.some(other => other.key === "pi"),
  ));
}
