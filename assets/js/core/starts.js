// Starts of a motion that a person drags in a picture, with no more digits than the picture resolves.

import {apply} from "./algebra.js";

const DIGITS = 5; // of the largest component: a hundred-thousandth of a turn is less than a pixel

function roundVector(vector) {
  const largest = Math.max(...vector.map(Math.abs));
  if (largest < 1e-300) return [0, 0, 0];
  const unit = 10 ** (Math.floor(Math.log10(largest)) + 1 - DIGITS);
  return vector.map(x => Number((Math.round(x / unit) * unit).toPrecision(15)));
}

/** Ω₀ for a momentum of the length of `Pi0`, in this direction of the principal axes, which are the columns of `axes`. */
export function findSpin({axes, moments, Pi0}, direction) {
  const scale = Math.hypot(...Pi0) / Math.hypot(...direction);
  return roundVector(
    apply(
      axes,
      direction.map((x, i) => (scale * x) / moments[i]),
    ),
  );
}

/** R₀ for an attitude (w, x, y, z), as a rotation vector of at most half a turn. */
export function findTurn([w, ...axis]) {
  const size = Math.hypot(...axis),
    sign = w < 0 ? -1 : 1,
    angle = 2 * Math.atan2(size, Math.abs(w));
  return roundVector(axis.map(x => (size ? (sign * x * angle) / size : 0)));
}
