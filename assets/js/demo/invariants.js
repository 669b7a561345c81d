// What the exact motion of a demo conserves.

import {data} from "./data.js";

const CONSERVED = 1e-8; // the largest departure of a quantity that the motion conserves

/** The largest change over every step of what a quantity shows, from the start or from zero, relative to its length at the start. */
function findDeparture({key}, run, quantities) {
  const series = quantities.listSeries(key);
  return key === "orthogonality"
    ? Math.max(...series.map(name => run.extrema(name).max))
    : run.deviation(series[0]) / quantities.findDivisor(key, run);
}

let latest = null;

/** The quantities that the exact motion conserves; until it is known, those of the motion before. */
export function findInvariants({exactMotion, quantities}) {
  if (!exactMotion) return latest ?? data.invariants;
  const bound = Math.max(CONSERVED, 100 * exactMotion.most),
    conserved = data.invariants.filter(
      one => findDeparture(one, exactMotion.run, quantities) <= bound,
    );
  // A conserved π includes its components.
  return (latest = conserved.filter(
    ({key}) => key !== "pi_e3" || !conserved.some(other => other.key === "pi"),
  ));
}
