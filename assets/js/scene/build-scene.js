// Scenes: the tracks and parts that the player draws, from facts of a problem and the rows of its motions. The motions come
// from the server (app/scene/one_body.py) or from runs in the browser.
//
// facts of one body:   {kind: "poinsot" | "body" | "momentum", J, axes?, J0?, R0, Omega0, free, top, axis, duration, thinned?}; matrices are row by
//                      row, `axis` is that of a top, `axes` has the principal axes as columns, J0 is the inertia of the meshes if it is not J
// facts of a body whose rates are given: {kind: "body" | "axis", given: true, J, R0, free, top, duration, thinned?}; no momentum is known, and J is
//                      that of what is drawn
// facts of two bodies: {kind: "pair", relative, momentum, reach, sizes, masses, J1, J2, period, duration, thinned?}; `relative` if body 2
//                      is at rest, the total angular momentum, the largest distance from the middle, the time of one revolution
// motions:             [{method, label, variant?, colour, exact?, ended?, t, q, Omega, x?, torque?, J?}] with n rows each, in typed arrays; q are unit
//                      quaternions, each near the one before (`computeQuaternions`); `ended` is the status of the run;
//                      two bodies have two motions for each method, of body 1 and body 2, each with its J

import {
  IDENTITY,
  apply,
  cross,
  dot,
  invert,
  momentsAbout,
  rotateUpright,
  transpose,
} from "../core/algebra.js";
import {formatNumber} from "../core/numbers.js";
import {norms, quantile} from "../core/series.js";
import {computeMomentumLoop} from "./polhode.js";

const FINE = 800; // rows that an exact motion has at least; interpolation adds what is missing
const MOST_POINTS = 400; // marks of computed points on a method's curve
const MOST_UNJOINED = 2000; // points of a curve that is drawn as points
const MEASURED = 500; // steps of a curve that decide its length, or a few more
const LONGEST = 50, // of a curve, where the body reaches to about 1; the parts of a longer curve overlap
  LATEST = 12; // of a curve that a torque moves, whose parts cross each other
const JUMPS = 0.05; // part of a track's rows with more than half a turn each from which its curves are drawn as points
export const MOST_OF = 0.95; // of the rows, whose angular velocities decide the length of arrows
const LONGEST_ARROW = 0.34;
const FLOOR = -0.5; // height of the plane with two bodies' shadows, where the bodies reach to about 1
const THINNEST = 0.07; // thickness of a flat body, of its largest side
export const GLASS = "#6f8fbf";
export const MOMENTUM = "#56B4E9";
const SPIN = "#E69F00",
  TORQUE = "#C2328F";
const SPINS = "angular velocity";
export const ORBIT = "orbit"; // the part that follows the start while a person drags it
export const INK = "ink"; // the page's text colour
const ENDED = {"no-solution": "no solution found from t = {} on", diverged: "blew up at t = {}"};

/** What builds a scene, by its kind; other scripts add those that only the page shows. */
export const BUILDERS = {
  poinsot: (facts, ...rest) =>
    (facts.free && turns(facts) ? buildPoinsot : buildTraces)(facts, ...rest),
  body: buildBody,
  pair: buildPair,
};

/** Build the scene of motions. */
export function buildScene(facts, motions) {
  const {kind} = facts;
  const tracks = motions.map(motion => buildTrack(motion, facts));
  const {parts, caption, ...frame} = BUILDERS[kind](facts, tracks, motions),
    [readable, remark] = simplifyCurves(parts, tracks, facts.free === false ? LATEST : LONGEST);
  return {
    kind,
    tracks,
    ...frame,
    parts: stretchMeshes(readable, facts),
    duration: Math.max(0, ...tracks.map(({n, t}) => t[n - 1])),
    solid: tracks[0]?.label ?? "",
    note: tracks.length ? "" : "No motion: none of the methods fits this problem.",
    caption: caption + (facts.thinned ?? "") + describeJumps(facts, motions) + remark,
  };
}

/** The track of a motion. */
function buildTrack(motion, facts) {
  const {method, label, variant, colour, exact = false, t, J = facts.J} = motion,
    n = t.length;
  const ended = ENDED[motion.ended]?.replace("{}", formatNumber(t[n - 1], 4)) ?? "";
  const rows = {
    n,
    t,
    q: zeroNonFinite(motion.q),
    Omega: zeroNonFinite(motion.Omega),
    x: motion.x && zeroNonFinite(motion.x),
    torque: motion.torque,
  };
  // Interpolation needs rows that are near each other.
  const refines =
    exact && facts.free && n > 2 && n < FINE && largestLength(rows.Omega) * longestStep(t) < 2;
  return {
    method,
    label,
    variant,
    colour,
    exact,
    ended,
    J,
    ...(refines ? refineRows(rows, J) : rows),
  };
}

// ---- rows ---------------------------------------------------------------------------------------------------------

/** The numbers, with 0 for those that are not finite. */
function zeroNonFinite(numbers) {
  for (let i = 0; i < numbers.length; i++)
    if (!Number.isFinite(numbers[i])) return numbers.map(x => (Number.isFinite(x) ? x : 0));
  return numbers;
}

/** The largest |A v| of the first rows of vectors. */
function largestLength(vectors, A = IDENTITY, rows = vectors.length / 3) {
  let most = 0;
  for (let a = 0; a < 3 * rows; a += 3) {
    const x = vectors[a],
      y = vectors[a + 1],
      z = vectors[a + 2];
    const u = A[0] * x + A[1] * y + A[2] * z,
      v = A[3] * x + A[4] * y + A[5] * z,
      w = A[6] * x + A[7] * y + A[8] * z;
    most = Math.max(most, u * u + v * v + w * w);
  }
  return Math.sqrt(most);
}

function longestStep(t) {
  let longest = 0;
  for (let i = 1; i < t.length; i++) longest = Math.max(longest, t[i] - t[i - 1]);
  return longest;
}

/** A quantile of a body's angular velocity over its rows. */
function spinQuantile({Omega}, part) {
  return quantile(norms(Omega), part);
}

// A free motion at `FINE` times or a few more, by cubic Hermite interpolation between its rows. The slopes follow from the
// equations, dq/dt = q Ω / 2 and J dΩ/dt = JΩ × Ω; the interpolation is of fourth order.
function refineRows({n, t, q, Omega}, J) {
  const pieces = Math.ceil(FINE / (n - 1)),
    m = pieces * (n - 1) + 1,
    inverse = invert(J);
  const slopes = {q: new Float64Array(4 * n), Omega: new Float64Array(3 * n)};
  for (let i = 0; i < n; i++) {
    const [w, ...v] = q.subarray(4 * i, 4 * i + 4),
      Ω = Omega.subarray(3 * i, 3 * i + 3),
      turned = cross(v, Ω);
    slopes.q.set(
      [-dot(v, Ω), w * Ω[0] + turned[0], w * Ω[1] + turned[1], w * Ω[2] + turned[2]].map(
        x => x / 2,
      ),
      4 * i,
    );
    slopes.Omega.set(apply(inverse, cross(apply(J, Ω), Ω)), 3 * i);
  }
  const fine = (y, dy, wide) => {
    const found = new Float64Array(wide * m);
    for (let k = 0; k + 1 < m; k++) {
      const i = Math.floor(k / pieces),
        s = (k % pieces) / pieces,
        r = 1 - s,
        h = t[i + 1] - t[i];
      const A = (1 + 2 * s) * r * r,
        B = s * s * (3 - 2 * s),
        C = h * s * r * r,
        D = -h * s * s * r;
      for (let c = 0, left = wide * i, right = left + wide; c < wide; c++, left++, right++)
        found[wide * k + c] = A * y[left] + B * y[right] + C * dy[left] + D * dy[right];
    }
    found.set(y.subarray(wide * (n - 1)), wide * (m - 1));
    return found;
  };
  const turns = fine(q, slopes.q, 4),
    at = new Float64Array(m);
  for (let k = 0; k < m; k++) {
    const i = Math.min(n - 2, Math.floor(k / pieces)),
      norm = Math.hypot(...turns.subarray(4 * k, 4 * k + 4));
    at[k] = t[i] + ((k - i * pieces) / pieces) * (t[i + 1] - t[i]);
    for (let c = 0; c < 4; c++) turns[4 * k + c] /= norm;
  }
  return {n: m, t: at, q: turns, Omega: fine(Omega, slopes.Omega, 3)};
}

// ---- parts --------------------------------------------------------------------------------------------------------
// A part is a mesh, an arrow, the curve of a track or its computed points. Its frame is a body ("body", of the track `of`) or
// space; it is drawn always, only for the solid motion, or only for the others ("ghost").

/** A surface; by default solid, in its own size. */
export const mesh = (name, colour, more) => ({
  kind: "mesh",
  mesh: name,
  colour,
  opacity: 1,
  size: 1,
  ...more,
});

/** An arrow with its name at the tip, and what it `means` for the legend; by default in space. */
export const arrow = (colour, label, more) => ({
  kind: "arrow",
  frame: "space",
  colour,
  label,
  ...more,
});

/** The three axes of a frame, of one length or of a length each. */
export const triad = (lengths, more) =>
  ["e₁", "e₂", "e₃"].map((label, i) =>
    arrow(INK, label, {
      vector: IDENTITY.slice(3 * i, 3 * i + 3),
      length: lengths[i] ?? lengths,
      thin: true,
      layer: "axes",
      ...more,
    }),
  );

/** The arrow of a typed torque; its largest value has this length. */
function torqueArrows([track], length) {
  const most = largestLength(track?.torque ?? []);
  const [curve, when, layer] = ["torque", "solid", "torque"];
  return most
    ? [arrow(TORQUE, "torque", {means: "torque", curve, scale: length / most, when, layer})]
    : [];
}

const listTorque = arrows => arrows.length && {torque: "Torque"};

/** The layers that a person can hide, by the keys that parts name; all but `off` are visible at first. */
export const layers = (labels, off) =>
  Object.entries(labels).map(([key, label]) => ({key, label, on: key !== off}));

/** A line for each motion that grows with time; below them the whole line of the exact motion, in ink. */
export function curves(tracks, curve, scale, frame, more) {
  return tracks
    .map(({exact, colour}, of) => ({
      kind: "line",
      curve,
      scale,
      frame,
      of,
      timed: !exact,
      ...(exact ? {colour: INK, width: 1.6, strength: 0.5} : {colour, width: 2}),
      ...more,
    }))
    .reverse();
}

/** Marks of each method's computed points. */
export function dots(tracks, curve, scale, frame, more) {
  return tracks
    .map(({n, colour}, of) => ({
      kind: "points",
      colour,
      width: 6.5,
      curve,
      scale,
      frame,
      of,
      timed: true,
      stride: Math.ceil(n / MOST_POINTS),
      ...more,
    }))
    .filter(({of}) => !tracks[of].exact);
}

/** The factors along the principal axes by which a mesh of any shape follows a change of the moments. */
export function stretchFactors(name, before, moments) {
  if (name === "ellipsoid") return moments.map((J, i) => Math.sqrt(before[i] / J)); // the ellipsoid of inertia
  const [was, is] = [before, moments].map(([J1, J2, J3]) => {
    const squares = [J2 + J3 - J1, J3 + J1 - J2, J1 + J2 - J3],
      thinnest = THINNEST ** 2 * Math.max(...squares);
    return squares.map(square => Math.max(square, thinnest)); // ∫x², ∫y², ∫z² over the body
  });
  return is.map((square, i) => Math.sqrt(square / was[i]));
}

/** Stretch meshes of the inertia J0 to the inertia J. */
function stretchMeshes(parts, {J, J0, axes = IDENTITY}) {
  if (!J0 || String(J0) === String(J)) return parts;
  const [before, moments] = [J0, J].map(inertia => momentsAbout(axes, inertia));
  const follows = part => part.mesh === "body" || part.mesh === "ellipsoid";
  return parts.map(part =>
    follows(part) ? {...part, axes, stretch: stretchFactors(part.mesh, before, moments)} : part,
  );
}

/** A remark on bodies that turn too far in a row. */
function describeJumps({kind}, motions) {
  const fast = motion =>
    kind === "pair" ? spinQuantile(motion, 0.5) : largestLength(motion.Omega, IDENTITY, 1);
  const jumps = motions.some(
    motion =>
      !motion.exact && motion.t.length > 1 && fast(motion) * (motion.t[1] - motion.t[0]) > Math.PI,
  );
  return jumps ? " Steps of more than half a turn are shown as jumps." : "";
}

// Draw a curve as points where the body turns by more than half a turn from row to row, since a line would show a wrong path; and
// only the part about the present time of a curve longer than `longest`. Returns the parts and a remark on these changes.
function simplifyCurves(parts, tracks, longest) {
  const unjoined = tracks.map(jumpsOften),
    lengths = new Map();
  const long = (of, curve, axis) => {
    const key = `${of} ${curve} ${axis}`;
    if (!lengths.has(key)) lengths.set(key, measureCurve(tracks[of], curve, axis));
    return lengths.get(key);
  };
  let points = false,
    recent = false;
  const simpler = parts.flatMap(part => {
    const {kind, of, curve, scale, axis, tail} = part;
    if ((kind !== "line" && kind !== "points") || !curve || tail !== undefined) return [part];
    const {n, t} = tracks[of];
    if (n < 2) return []; // a point alone is no curve
    if (curve !== "place" && unjoined[of]) {
      points = true; // the marks are among these points
      return kind === "line"
        ? [{...part, kind: "points", width: 2.6, stride: Math.ceil(n / MOST_UNJOINED)}]
        : [];
    }
    // ω = RΩ is as long as Ω, since dω/dt = R dΩ/dt.
    const length = scale * long(of, curve === "omega" ? "Omega" : curve, axis);
    if (!(length > longest)) return [part];
    recent = true;
    const stride = kind === "points" && {
      stride: Math.max(1, Math.ceil(Math.floor((n * longest) / length) / MOST_POINTS)),
    };
    return [{...part, recent: (t[n - 1] * longest) / length, timed: true, ...stride}];
  });
  return [
    simpler,
    (points ? " Their curves are drawn as points." : "") +
      (recent ? " Long curves fade with age." : ""),
  ];
}

function jumpsOften({n, t, Omega}) {
  const speeds = norms(Omega);
  let far = 0;
  for (let i = 0; i + 1 < n; i++) if (speeds[i] * (t[i + 1] - t[i]) >= Math.PI) far++;
  return far / (n - 1) > JUMPS;
}

// The approximate length of a motion's curve: Omega, "Pi", "pi", "place", or the tip of an "axis" of the body. It uses the median of
// some of the steps, which the last steps of a diverging run hardly change.
export function measureCurve({n, t, Omega, x, J}, curve, axis) {
  if (n < 2) return 0;
  const k = Math.ceil((n - 1) / MEASURED),
    moved = new Float64Array(Math.ceil((n - 1) / k)),
    vectors = curve === "place" ? x : Omega,
    turned = curve === "axis" || curve === "pi";
  const A = curve === "pi" || curve === "Pi" ? J : IDENTITY,
    own = Number(curve === "pi");
  for (let i = 0, a = 0; i + 1 < n; i += k, a += 3 * k) {
    const h = t[i + 1] - t[i],
      p = Omega[a],
      q = Omega[a + 1],
      r = Omega[a + 2];
    const x = vectors[a + 3] - vectors[a],
      y = vectors[a + 4] - vectors[a + 1],
      z = vectors[a + 5] - vectors[a + 2];
    let u = A[0] * x + A[1] * y + A[2] * z,
      v = A[3] * x + A[4] * y + A[5] * z,
      w = A[6] * x + A[7] * y + A[8] * z;
    if (turned) {
      // A vector v of the body moves by Ω × v in space; π also changes in the body.
      const [a1, a2, a3] = own
        ? [
            A[0] * p + A[1] * q + A[2] * r,
            A[3] * p + A[4] * q + A[5] * r,
            A[6] * p + A[7] * q + A[8] * r,
          ]
        : axis;
      u = own * u + (q * a3 - r * a2) * h;
      v = own * v + (r * a1 - p * a3) * h;
      w = own * w + (p * a2 - q * a1) * h;
    }
    moved[i / k] = Math.sqrt(u * u + v * v + w * w);
  }
  return (n - 1) * quantile(moved, 0.5) || 0;
}

/** The words on the solid body, if there are several motions. */
const describeSolid = (tracks, follows) =>
  new Set(tracks.map(({label}) => label)).size > 1
    ? `The solid ${follows} the motion chosen above; the others are translucent. `
    : "";

/** The words on the exact motion, if there are others. */
export const describeExact = tracks =>
  tracks.some(({exact}) => exact) && tracks.some(({exact}) => !exact)
    ? " The exact path is grey."
    : "";

// ---- one body -----------------------------------------------------------------------------------------------------

/** The inertia ellipsoid that rolls on the invariable plane. */
function buildPoinsot({J, axes = IDENTITY, R0, Omega0}, tracks) {
  const moments = momentsAbout(axes, J),
    Π = apply(J, Omega0),
    π = apply(R0, Π),
    energy2 = dot(Omega0, Π);
  const scale = Math.sqrt(Math.min(...moments) / energy2),
    distance = (scale * energy2) / Math.hypot(...π);
  const curve = computeMomentumLoop(moments, apply(transpose(axes), Π)).map(point =>
    apply(
      axes,
      point.map((x, i) => (scale * x) / moments[i]),
    ),
  );
  const farthest = Math.sqrt(Math.max(0, ...curve.map(point => dot(point, point) - distance ** 2)));
  const plane = Math.max(1.3 * farthest, 0.95),
    points = new Float32Array(curve.flat());
  return {
    up: rotateUpright(π),
    height: distance,
    target: [0, 0, 0.12 * distance],
    reach: Math.max(1.04, plane),
    view: [-0.9, 0.5],
    layers: layers({
      ellipsoid: "Ellipsoid",
      body: "Body",
      points: "Polhode points",
      herpolhode: "Herpolhode",
    }),
    parts: [
      mesh("ellipsoid", GLASS, {
        frame: "body",
        when: "solid",
        opacity: 0.2,
        glass: true,
        edges: 0.34,
        layer: "ellipsoid",
      }),
      mesh("disc", INK, {
        frame: "up",
        size: plane,
        at: distance,
        opacity: 0.055,
        glass: true,
        edges: 0.2,
      }),
      mesh("body", "solid", {frame: "body", when: "solid", size: 0.7, layer: "body"}),
      {kind: "line", points, frame: "body", when: "solid", colour: INK, width: 2.4, strength: 0.85},
      ...curves(tracks, "Omega", scale, "body", {width: 1.4, layer: "points"})
        .filter(({of}) => !tracks[of].exact)
        .reverse(),
      ...dots(tracks, "Omega", scale, "body", {layer: "points"}),
      ...curves(tracks, "omega", scale, "space", {layer: "herpolhode"}),
      ...dots(tracks, "omega", scale, "space", {layer: "herpolhode", width: 4}),
      arrow(MOMENTUM, "π", {
        means: "momentum",
        frame: "up",
        vector: [0, 0, 1],
        length: distance + 0.28,
      }),
      arrow(SPIN, "ω", {means: SPINS, curve: "omega", scale, when: "solid"}),
      {kind: "contact", curve: "omega", scale, frame: "space", when: "solid", colour: "solid"},
    ],
    caption:
      "The inertia ellipsoid rolls on the invariable plane. Exact polhode and herpolhode are grey, and dots show each method’s ω.",
  };
}

/** The curves of π, ω and the body's axis in space, about a faint sphere. */
function buildTraces(facts, tracks, motions) {
  const {axis, name} = chooseAxis(facts),
    [Ω, π] = findLargest(facts, motions).map(invertSize),
    torque = torqueArrows(tracks, 0.9);
  return {
    up: IDENTITY,
    target: [0, 0, 0],
    reach: 0.97,
    view: [-0.9, 0.42],
    layers: layers(
      {body: "Body", axis: `Axis ${name}`, omega: "ω", pi: "π", ...listTorque(torque)},
      "omega",
    ),
    parts: [
      mesh("sphere", GLASS, {frame: "space", opacity: 0.09, glass: true, edges: 0.16}),
      mesh("body", "solid", {
        frame: "body",
        when: "solid",
        size: facts.top ? 1 : 0.9,
        layer: "body",
      }),
      ...curves(tracks, "axis", 1, "space", {axis, layer: "axis"}),
      ...dots(tracks, "axis", 1, "space", {axis, layer: "axis", width: 5}),
      ...curves(tracks, "omega", Ω, "space", {layer: "omega", width: 1.5}),
      ...curves(tracks, "pi", π, "space", {layer: "pi", width: 1.5}),
      arrow("solid", name, {
        means: "axis of the body",
        curve: "axis",
        axis,
        scale: 1,
        when: "solid",
        layer: "axis",
      }),
      arrow(SPIN, "ω", {means: SPINS, curve: "omega", scale: Ω, when: "solid", layer: "omega"}),
      arrow(MOMENTUM, "π", {means: "momentum", curve: "pi", scale: π, when: "solid", layer: "pi"}),
      ...torque,
    ],
    caption:
      `The sphere shows the paths of the body's axis ${name} and of π in space. Exact paths are grey. ` +
      "ω and π are relative to their largest values.",
  };
}

/** The body of the solid motion and the others as ghosts, with axes, Ω, π and the trace of an axis. */
function buildBody(facts, tracks, motions) {
  const {J, R0, Omega0, free, top, given, duration} = facts,
    {axis, name} = chooseAxis(facts),
    [Ω, π] = findLargest(facts, motions),
    torque = torqueArrows(tracks, 1.1);
  const up = rotateUpright(free ? apply(R0, apply(J, Omega0)) : [0, 0, 0]);
  const tail = top ? 0.2 * duration : Math.min(Ω ? (4 * Math.PI) / Ω : 2, 0.5 * duration); // the time of two turns
  const lowest = top ? lowestTip(tracks, up.slice(6), axis) : -1,
    standing = lowest > 0.1,
    frame = top ? frameTop(lowest) : {middle: 0.04, reach: 1.2},
    floor = standing ? -0.02 : top ? 1.1 * Math.min(0, lowest) - 0.25 : -1.1;
  const post =
    top && !standing
      ? [arrow(INK, "", {frame: "up", vector: [0, 0, -1], length: -floor, headless: true})]
      : [];
  return {
    up,
    target: [0, 0, frame.middle],
    reach: frame.reach,
    view: [-0.9, 0.36],
    layers: layers({
      ghosts: "Ghosts",
      axes: "Body axes",
      vectors: given ? "ω" : "Ω and π",
      trace: `Trace of ${name}`,
      ...listTorque(torque),
    }),
    parts: [
      mesh("disc", INK, {
        frame: "up",
        size: 1.6,
        at: floor,
        opacity: 0.045,
        glass: true,
        edges: 0.13,
        ground: true,
      }),
      mesh("body", "solid", {frame: "body", when: "solid", shadow: floor}),
      ...tracks.map(({colour}, of) =>
        mesh("body", colour, {
          frame: "body",
          when: "ghost",
          of,
          opacity: 0.16,
          edges: 0.5,
          layer: "ghosts",
        }),
      ),
      ...curves(tracks, "axis", top ? 1.01 : 1.1, "space", {
        axis,
        layer: "trace",
        tail,
        timed: true,
      }),
      ...triad(top ? axis.map(x => 0.6 + 0.46 * Math.abs(x)) : 1.1, {frame: "body", when: "solid"}),
      arrow(SPIN, given ? "ω" : "Ω", {
        means: SPINS,
        curve: "omega",
        scale: (top ? 0.9 : 1.1) * invertSize(Ω),
        when: "solid",
        layer: "vectors",
      }),
      ...(given
        ? []
        : [
            arrow(MOMENTUM, "π", {
              means: "momentum",
              curve: "pi",
              scale: (top ? 1 : 1.2) * invertSize(π),
              when: "solid",
              layer: "vectors",
            }),
          ]),
      ...torque,
      ...post,
    ],
    caption:
      `${describeSolid(tracks, "body follows")}The curve is the latest path of the tip of ${name} in space.` +
      describeExact(tracks),
  };
}

const turns = ({Omega0}) => Omega0.some(x => x !== 0);

/** The body axis to trace, and its name: a top's axis, or the axis that a free body turns about most; the third where rates are given. */
export function chooseAxis({J, Omega0 = [0, 0, 0], top, axis}) {
  const Π = apply(J, Omega0).map(Math.abs),
    own = top
      ? axis.findIndex(x => Math.abs(x) === 1)
      : turns({Omega0})
        ? Π.indexOf(Math.max(...Π))
        : 2;
  if (own < 0) return {axis, name: "axis"}; // oblique to the body's axes
  const sense = top ? axis[own] : 1;
  return {
    axis: IDENTITY.slice(3 * own, 3 * own + 3).map(x => sense * x),
    name: `${sense < 0 ? "−" : ""}e${"₁₂₃"[own]}`,
  };
}

/** The largest |Ω| and |π| of the exact motion, or of the first run without its last tenth, in which it may diverge. */
export function findLargest({J}, motions) {
  if (!motions.length) return [1, 1];
  const exact = motions.find(motion => motion.exact),
    {t, Omega} = exact ?? motions[0];
  const rows = exact ? t.length : Math.max(1, Math.floor((t.length * 9) / 10));
  return [
    largestLength(zeroNonFinite(Omega), IDENTITY, rows),
    largestLength(zeroNonFinite(Omega), J, rows),
  ];
}

/** The height of the middle and the reach of a picture in which a top's tip, as low as this, stays in view. */
function frameTop(lowest) {
  const down = Math.max(0, -lowest),
    wide = lowest > 0 ? Math.sqrt(1 - Math.min(1, lowest) ** 2) : 1;
  return {
    middle: 0.5 - 0.5 * down,
    reach: Math.max(0.66, 0.5 + 0.445 * down, 0.93 * wide),
  };
}

const invertSize = size => (size > 0 ? 1 / size : 1);

/** The lowest height of the tip of a body axis in the methods' motions, along a direction in space. */
function lowestTip(tracks, up, axis) {
  let least = Infinity;
  for (const track of tracks.filter(({exact}) => !exact))
    for (const tip of listTips(track, axis)) least = Math.min(least, dot(up, tip));
  return Number.isFinite(least) ? least : 0;
}

/** Where the tip of a body axis is in each row of a track. */
export function listTips({q}, axis) {
  const tips = [];
  for (let b = 0; b < q.length; b += 4) {
    const v = [q[b + 1], q[b + 2], q[b + 3]],
      half = cross(v, axis),
      more = cross(v, half);
    tips.push(axis.map((x, i) => x + 2 * (q[b] * half[i] + more[i])));
  }
  return tips;
}

// ---- two bodies ---------------------------------------------------------------------------------------------------

/** Two bodies with their paths, in space about their centre of mass or relative to body 2. */
function buildPair({relative, momentum, reach, sizes, period, duration}, tracks) {
  const scale = 1 / reach,
    tail = Math.min(period, 0.5 * duration);
  const fast = tracks.map(track => spinQuantile(track, MOST_OF)),
    pairs = fast.filter((_, k) => k % 2).map((second, m) => Math.max(fast[2 * m], second));
  const slowest = pairs.length ? Math.min(...pairs) : 0,
    long = slowest ? LONGEST_ARROW / slowest : 0;
  const where = relative
    ? "Body 1 moves relative to body 2, with place X and attitude R."
    : "Both bodies move about their centre of mass. The total angular momentum points upwards.";
  return {
    up: relative ? IDENTITY : rotateUpright(momentum),
    target: [0, 0, relative ? 0 : -0.14],
    reach: 0.92,
    frames: sizes.map(size => size * scale),
    view: [-0.9, 0.55],
    layers: layers({
      ghosts: "Ghosts",
      vectors: "Ω₁ and Ω₂",
      trail: "Trails",
      path: "Whole path",
      ...(relative && {axes: "Axes of body 2"}),
    }),
    parts: [
      ...tracks.flatMap(({colour}, of) => {
        const name = `body${(of % 2) + 1}`,
          body = {frame: "body", of, size: scale, place: scale};
        return [
          mesh(name, "solid", {when: "solid", ...body, ...(!relative && {shadow: FLOOR})}),
          mesh(name, colour, {when: "ghost", opacity: 0.2, layer: "ghosts", ...body}),
          arrow(SPIN, `Ω${"₁₂"[of % 2]}`, {
            means: `angular velocity of body ${(of % 2) + 1}`,
            curve: "omega",
            scale: long,
            when: "solid",
            of,
            place: scale,
            layer: "vectors",
          }),
        ];
      }),
      ...(relative
        ? triad(0.3)
        : [
            mesh("disc", INK, {
              frame: "up",
              size: 0.9,
              at: FLOOR,
              opacity: 0.045,
              glass: true,
              edges: 0.13,
              ground: true,
            }),
          ]),
      ...curves(tracks, "place", scale, "space", {layer: "trail", tail, timed: true, width: 2.2}),
      ...curves(tracks, "place", scale, "space", {
        layer: "path",
        timed: false,
        width: 1,
        strength: 0.4,
        when: "solid",
      }),
    ],
    caption: `${where} ${describeSolid(tracks, "bodies follow")}Trails show the last ${formatNumber(tail, 2)} units of time.${describeExact(tracks)}`,
  };
}
