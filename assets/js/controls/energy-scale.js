// How energies are shown, as in app/state/simple.py.

import {formatNumber} from "../core/numbers.js";
import {LEAST} from "../core/quantities.js";

/** A part of the first energy, in percent. */
const formatPart = part =>
  part < 10 ? `${formatNumber(Number((100 * part).toFixed(0)))} %` : "over 1000 %";

/** How energies are shown: as parts of the first in percent, or as parts of the largest if the first is none. */
export function findScale(energies) {
  const first = energies[0] ?? 0;
  if (Math.abs(first) > LEAST) {
    const findPart = energy => 1 + (energy - first) / Math.abs(first);
    return {findPart, format: energy => formatPart(findPart(energy))};
  }
  const largest = Math.max(...energies.map(Math.abs)) || 1;
  return {findPart: energy => energy / largest, format: energy => formatNumber(energy, 2)};
}
