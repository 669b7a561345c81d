// Orbits of a free body's Π on the sphere of its length: intersections of the sphere with ellipsoids of energy, in closed form.

import {dot} from "../core/algebra.js";

const AROUND = 361; // points of a polhode
const COARSE = 121; // points of one of many
const LEVELS = [0.04, 0.16, 0.36, 0.64, 0.9]; // of energies: (largest width / radius)²
const SAME = 1e-9; // relative difference of equal moments

/** The two loops about a principal axis on which n·J⁻¹n is `energy2` and |n| is 1; null if none is there. */
function findLoops(a, k, energy2, count) {
  const i = (k + 1) % 3,
    j = (k + 2) % 3;
  // With n·n = 1: (a_k − a_i) n_i² + (a_k − a_j) n_j² = a_k − energy2, an ellipse as seen along k.
  const widths = [i, j].map(other => (a[k] - energy2) / (a[k] - a[other]));
  if (!widths.every(width => width >= 0 && width <= 1 + 1e-12)) return null;
  const [u, v] = widths.map(Math.sqrt);
  return [1, -1].map(side =>
    Array.from({length: count}, (_, step) => {
      const φ = (2 * Math.PI * step) / (count - 1),
        point = [0, 0, 0];
      point[i] = u * Math.cos(φ);
      point[j] = v * Math.sin(φ);
      point[k] = side * Math.sqrt(Math.max(0, 1 - point[i] ** 2 - point[j] ** 2));
      return point;
    }),
  );
}

const findExtremes = a => [Math.max(...a), Math.min(...a)].map(extreme => a.indexOf(extreme));

/** The closed curve of Π of a free body, in principal axes; one point if Π does not move. */
export function computeMomentumLoop(moments, Π) {
  const size = Math.hypot(...Π),
    n = Π.map(x => x / size),
    a = moments.map(J => 1 / J),
    energy2 = dot(
      n,
      n.map((x, i) => x * a[i]),
    );
  for (const k of findExtremes(a)) {
    const loops = findLoops(a, k, energy2, AROUND);
    if (loops) return loops[n[k] < 0 ? 1 : 0].map(point => point.map(x => size * x));
  }
  return [Π];
}

/** Orbits of evenly spread energies on the unit sphere, and the separatrix, which a body with two equal moments lacks. */
export function listOrbits(moments) {
  const a = moments.map(J => 1 / J),
    ends = findExtremes(a),
    middle = a[3 - ends[0] - ends[1]],
    orbits = [],
    separatrix = [];
  if (ends[0] === ends[1]) return {orbits, separatrix}; // a ball: every point is at rest
  const isSame = k => Math.abs(a[k] - middle) <= SAME * middle,
    hasThree = !ends.some(isSame);
  for (const k of ends.filter(k => !isSame(k)))
    for (const level of LEVELS)
      orbits.push(
        ...(findLoops(
          a,
          k,
          a[k] + level * ((hasThree ? middle : a[ends.find(isSame)]) - a[k]),
          COARSE,
        ) ?? []),
      );
  if (hasThree) separatrix.push(...findLoops(a, ends[0], middle, COARSE));
  return {orbits, separatrix};
}

/** The segments of closed curves, as pairs of points. */
export function joinLoops(loops) {
  const points = new Float32Array(6 * loops.reduce((n, {length}) => n + length - 1, 0));
  let at = 0;
  for (const loop of loops)
    for (let i = 1; i < loop.length; i++, at += 6) {
      points.set(loop[i - 1], at);
      points.set(loop[i], at + 3);
    }
  return points;
}
