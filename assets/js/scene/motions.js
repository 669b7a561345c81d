// Scenes of runs of the browser: their facts and motions (build-scene.js describes both).

import {
  IDENTITY,
  apply,
  combine,
  computeQuaternions,
  inertiaMatrix,
  multiply,
} from "../core/algebra.js";
import {norms, quantile} from "../core/series.js";

const MOST_ROWS = 2002; // of a motion: fewer than of a curve, since a drag builds the scene anew at each move

/** Each k-th row of a series of vectors of this size, and the last. */
function thinRows(values, size, k) {
  if (k === 1) return values;
  const last = values.length / size - 1,
    out = new Float64Array(size * (Math.ceil(last / k) + 1));
  for (let to = 0, row = 0; to < out.length; row = Math.min(row + k, last))
    for (let from = size * row; from < size * (row + 1); from++) out[to++] = values[from];
  return out;
}

/** The motion of a body, from its attitudes, its angular velocities and its places, if it moves. */
function createMotion({t, length, status}, R, Omega, {x, ...more}) {
  const k = Math.ceil(length / MOST_ROWS);
  return {
    t: thinRows(t, 1, k),
    q: computeQuaternions(thinRows(R, 9, k)),
    Omega: thinRows(Omega, 3, k),
    ...(x && {x: thinRows(x, 3, k)}),
    ended: status,
    ...more,
  };
}

/** The facts and motions of runs [{method, label, colour, run, exact?}], from the facts of the problem; `given` has the numbers that are chosen. */
export function describeScene(facts, runs, {duration, given}) {
  return facts.kind === "pair"
    ? describeTwoBodies({...facts, duration}, runs)
    : describeOneBody({...facts, duration}, runs, given);
}

/** One body; the scene stretches its meshes to the inertia that is chosen, unless its rates are given. */
function describeOneBody(facts, runs, {J}) {
  const motions = runs.map(({run, ...more}) =>
      createMotion(run, run.series("R"), run.series("Omega"), more),
    ),
    first = runs[0]?.run;
  const initial = first && {
    R0: [...first.series("R").subarray(0, 9)],
    ...(J && {
      J: inertiaMatrix(first.header.axes.R, J),
      Omega0: [...first.series("Omega").subarray(0, 3)],
    }),
  };
  return {facts: {...facts, ...initial}, motions};
}

/** Two bodies, about their centre of mass or as seen from body 2. */
function describeTwoBodies(facts, runs) {
  const {
    masses: [m1, m2],
    J1,
    J2,
    relative,
  } = facts;
  const motions = runs.flatMap(({run, ...more}) => {
    const [R1, R2, Omega1, Omega2, x1, x2] = ["R1", "R2", "Omega1", "Omega2", "x1", "x2"].map(
        name => run.series(name),
      ),
      one = {...more, J: J1},
      other = {...more, J: J2};
    if (relative) {
      const back = R2.map(
          (_, i) => R2[9 * Math.floor(i / 9) + 3 * (i % 3) + Math.floor((i % 9) / 3)],
        ),
        apart = x1.map((x, i) => x - x2[i]);
      return [
        createMotion(run, mapRows(back, R1, 9, multiply), Omega1, {
          ...one,
          x: mapRows(back, apart, 3, apply),
        }),
        createMotion(
          run,
          R2.map((_, i) => IDENTITY[i % 9]),
          Omega2,
          {...other, x: x2.map(() => 0)},
        ),
      ];
    }
    const centre = x1.map((x, i) => (m1 * x + m2 * x2[i]) / (m1 + m2));
    return [
      createMotion(run, R1, Omega1, {...one, x: x1.map((x, i) => x - centre[i])}),
      createMotion(run, R2, Omega2, {...other, x: x2.map((x, i) => x - centre[i])}),
    ];
  });
  const first = runs[0]?.run,
    initial = first && {
      momentum: [...first.series("angular_momentum").subarray(0, 3)],
      reach: measureReach(motions, facts),
    };
  return {facts: {...facts, ...initial}, motions};
}

/** act(A, v) for each row of matrices A and of values of this size. */
function mapRows(matrices, values, size, act) {
  const out = new Float64Array(values.length);
  for (let a = 0, b = 0; b < values.length; a += 9, b += size)
    out.set(act(matrices.subarray(a, a + 9), values.subarray(b, b + size)), b);
  return out;
}

const FARTHEST = 4,
  MOST_OF = 0.95,
  ROUND = 1.25; // as in app/scene/two_bodies.py

/** The largest distance from the middle in the narrowest motion, as `find_reach` in app/scene/two_bodies.py finds it. */
function measureReach(motions, {sizes}) {
  const farthest = new Map(),
    apart = Math.max(...sizes, Math.hypot(...combine([1, motions[0].x], [-1, motions[1].x])));
  const computed = motions.filter(({exact}) => !exact),
    whole = computed.filter(({ended}) => ended === "done");
  (whole.length ? whole : computed).forEach(({label, x}, i) =>
    farthest.set(
      label,
      Math.max(
        farthest.get(label) ?? 0,
        quantile(
          norms(x).map(far => far || 0),
          MOST_OF,
        ) + sizes[i % 2],
      ),
    ),
  );
  return (
    ROUND **
    Math.ceil(
      Math.log(Math.max(...sizes, Math.min(...farthest.values(), FARTHEST * apart))) /
        Math.log(ROUND),
    )
  );
}
