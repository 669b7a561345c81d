// Curves of quantities of runs, on all hosts.

import {measure} from "./setting-runs.js";

/**
 * The curves of a quantity {key, relative, exact} of results: that of the exact motion, if it has one, with the slot 0 and a label and
 * a colour, and those of the methods. None of a quantity that is measured against an exact motion which is not known.
 */
export function listCurves({key, relative, exact}, {label, colour}, results) {
  const {lines, exactMotion, quantities} = results;
  if (quantities.isCompared(key) && !exactMotion) return [];
  const runs = [
    ...(exact && exactMotion ? [{slot: 0, label, colour, run: exactMotion.run}] : []),
    ...lines.map(({label, colour, run}, i) => ({slot: i + 1, label, colour, run})),
  ];
  return runs.map(({run, ...curve}) => ({
    ...curve,
    t: run.t,
    y: measure(key, run, results, relative),
  }));
}
