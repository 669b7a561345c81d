// Whether a problem can have the numbers that a person enters or drags.

import {areMoments} from "./algebra.js";

const LARGEST = 1e9; // where no bounds are declared

/** The bounds of a setting's numbers. */
export const findRange = ({low, high}) => [low ?? -LARGEST, high ?? LARGEST];

/**
 * What is wrong with numbers for one of a setting, {name, value, low, high}: their "count", their "range", or that no "body" has these moments;
 * empty if nothing is.
 */
export function findFault({name, value, ...bounds}, numbers) {
  const [low, high] = findRange(bounds);
  if (numbers.length !== value.length || !numbers.every(Number.isFinite)) return "count";
  if (numbers.some(x => x < low || x > high)) return "range";
  return name === "J" && !areMoments(numbers) ? "body" : "";
}
