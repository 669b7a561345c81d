// What the player draws of motions: their tracks, and what of them is seen in which frame.
// `sceneOf(facts, motions)` has all of it from a few facts of the problem and from the motions' rows, so that motions
// that were computed in the browser are drawn as those that the server sends (app/player/scene.py).
//
// facts:   {kind: "poinsot" | "body", J, axes?, J0?, R0, Omega0, free, top, duration, thinned?} of one body: matrices
//          row by row, the principal axes as columns, J0 the inertia that the meshes were made for if it is another;
//          {kind: "pair", relative, momentum, reach, period, duration, thinned?} of two: whether they are seen from
//          body 2, their angular momentum, how far from the middle they come, and the time of one turn around each other
// motions: [{label, colour, exact?, ended?, t, q, Omega, x?, J?}], of n rows each in typed arrays: q (w, x, y, z) are
//          unit quaternions, each near the one before (`quaternions` makes them); `ended` is the status of its run;
//          of two bodies each method has that of body 1 and after it that of body 2, with their own J

const FINE = 800; // rows that an exact motion gets at least, put between those it has where they are few
const MOST_POINTS = 400; // computed points of one method that are marked on its curve
const MOST_UNJOINED = 2000; // points of a curve whose points are not joined
const LONGEST = 50; // of a curve, where the body reaches to about 1: of a longer one its parts could not be told apart
const JUMPS = 0.05; // the part of a track's rows, more than half a turn after the one before, from which on its points are not joined
const AROUND = 361; // points of a polhode
const MOST_OF = 0.95; // of the rows: how fast bodies spin in them decides how long arrows are
const LONGEST_ARROW = 0.34;
const FLOOR = -0.5; // how high the plane lies on which two bodies' shadows fall, where they reach to about 1
const THINNEST = 0.07; // of the largest side: what a flat body is drawn with
const GLASS = "#6f8fbf";
const INK = "ink"; // the colour of text on the page
const ENDED = {"no-solution": "no solution found from t = {} on", diverged: "blew up at t = {}"};

export function sceneOf(facts, motions) {
  const {kind} = facts, drawn = {poinsot: facts.free && turns(facts) ? poinsot : tracesInSpace, body: bodyInSpace, pair: twoBodies}[kind];
  const tracks = motions.map(motion => trackOf(motion, facts));
  const {parts, caption, ...seen} = drawn(facts, tracks, motions), [found, said] = legible(parts, tracks);
  return {
    kind, tracks, ...seen, parts: stretched(found, facts),
    duration: Math.max(0, ...tracks.map(({n, t}) => t[n - 1])),
    solid: tracks[0]?.label ?? "",
    note: tracks.length ? "" : "Nothing turns here: none of the methods fits this problem.",
    caption: caption + (facts.thinned ?? "") + jumping(facts, motions) + said,
  };
}

/** What of a motion is drawn. */
function trackOf(motion, facts) {
  const {label, colour, exact = false, t, J = facts.J} = motion, n = t.length;
  const ended = ENDED[motion.ended]?.replace("{}", Number(t[n - 1].toPrecision(4))) ?? "";
  const rows = {n, t, q: finite(motion.q), Omega: finite(motion.Omega), x: motion.x && finite(motion.x)};
  // Only where the rows are near enough for the pieces to follow.
  const refined = exact && facts.free && n > 2 && n < FINE && fastest(rows.Omega) * longestStep(t) < 2;
  return {label, colour, exact, ended, J, ...(refined ? betweenRows(rows, J) : rows)};
}

// ---- packed buffers -----------------------------------------------------------------------------------------------

const buffer = data =>
  data == null ? new ArrayBuffer(0)
  : data instanceof ArrayBuffer ? data
  : ArrayBuffer.isView(data) ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  : data.buffer ?? data;

const KINDS = {f4: Float32Array, u4: Uint32Array, u2: Uint16Array, i2: Int16Array, i1: Int8Array};

/** The header, and what makes numbers of a place that it names; nothing of an empty buffer. */
export function unpacked(data) {
  const bytes = buffer(data);
  if (bytes.byteLength < 4) return null;
  const length = new Uint32Array(bytes, 0, 1)[0];
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const numbers = ([offset, count, kind, unit]) => {
    const found = new KINDS[kind](bytes, 4 + length + offset, count);
    if (!kind.startsWith("i")) return found;
    const values = new Float32Array(found);
    for (let i = 0; i < count; i++) values[i] *= unit;
    return values;
  };
  return {header, numbers};
}

/** Facts and motions, as they are or as they come packed. */
export function given(data) {
  if (data?.facts) return data;
  const packed = unpacked(data);
  if (!packed) return null;
  const {header: {facts, motions}, numbers} = packed;
  return {facts, motions: motions.map(({n, spacing, t, q, Omega, x, ...rest}) => ({
    ...rest, t: t ? numbers(t) : Float32Array.from({length: n}, (_, i) => i * spacing),
    q: numbers(q), Omega: numbers(Omega), x: x && numbers(x),
  }))};
}

// ---- rows ---------------------------------------------------------------------------------------------------------

/** Unit quaternions of (n, 9) attitudes, each near the one before (Shepperd); what is no attitude is as before it. */
export function quaternions(R) {
  const q = new Float64Array(R.length / 9 * 4);
  let w = 1, x = 0, y = 0, z = 0;
  for (let a = 0, b = 0; a < R.length; a += 9, b += 4) {
    const xx = R[a], xy = R[a + 1], xz = R[a + 2], yx = R[a + 3], yy = R[a + 4], yz = R[a + 5], zx = R[a + 6], zy = R[a + 7], zz = R[a + 8];
    const ww = 1 + xx + yy + zz, uu = 1 + xx - yy - zz, vv = 1 - xx + yy - zz, ss = 1 - xx - yy + zz, largest = Math.max(ww, uu, vv, ss);
    // Of the products with a component, those with the largest are free of cancellation.
    let W = zy - yz, X = xz - zx, Y = yx - xy, Z = NaN;
    if (largest === ww) [W, X, Y, Z] = [ww, W, X, Y];
    else if (largest === uu) [X, Y, Z] = [uu, yx + xy, xz + zx];
    else if (largest === vv) [W, X, Y, Z] = [X, yx + xy, vv, zy + yz];
    else if (largest === ss) [W, X, Y, Z] = [Y, xz + zx, zy + yz, ss];
    const norm = Math.sqrt(W * W + X * X + Y * Y + Z * Z) * (b && W * w + X * x + Y * y + Z * z < 0 ? -1 : 1);
    if (Math.abs(norm) < Infinity) [w, x, y, z] = [W / norm, X / norm, Y / norm, Z / norm];
    q[b] = w; q[b + 1] = x; q[b + 2] = y; q[b + 3] = z;
  }
  return q;
}

/** The numbers, with nothing where they are none. */
function finite(numbers) {
  for (const x of numbers) if (!Number.isFinite(x)) return numbers.map(x => (Number.isFinite(x) ? x : 0));
  return numbers;
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (A, [x, y, z]) => [A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z];
const across = (A, v) => [0, 1, 2].map(c => A[c] * v[0] + A[c + 3] * v[1] + A[c + 6] * v[2]); // Aᵀv
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function inverse(A) {
  const [a, b, c] = [A.slice(0, 3), A.slice(3, 6), A.slice(6, 9)], columns = [cross(b, c), cross(c, a), cross(a, b)];
  const volume = dot(a, columns[0]);
  return [0, 1, 2].flatMap(r => columns.map(column => column[r] / volume));
}

/** The largest |A v| of the first rows of vectors. */
function fastest(vectors, A = IDENTITY, rows = vectors.length / 3) {
  let most = 0;
  for (let a = 0; a < 3 * rows; a += 3) {
    const x = vectors[a], y = vectors[a + 1], z = vectors[a + 2];
    const u = A[0] * x + A[1] * y + A[2] * z, v = A[3] * x + A[4] * y + A[5] * z, w = A[6] * x + A[7] * y + A[8] * z;
    most = Math.max(most, u * u + v * v + w * w);
  }
  return Math.sqrt(most);
}

function longestStep(t) {
  let longest = 0;
  for (let i = 1; i < t.length; i++) longest = Math.max(longest, t[i] - t[i - 1]);
  return longest;
}

/** What so large a part of the numbers is below; these change their places. */
function quantile(numbers, part) {
  const at = part * (numbers.length - 1), below = Math.floor(at), share = at - below;
  return (1 - share) * ranked(numbers, below) + share * ranked(numbers, Math.ceil(at));
}

/** The number that would stand there if they were sorted (Hoare's way, which does not sort them). */
function ranked(numbers, k) {
  for (let low = 0, high = numbers.length - 1; low < high;) {
    const middle = numbers[k];
    let i = low, j = high;
    while (i <= j) {
      while (numbers[i] < middle) i++;
      while (numbers[j] > middle) j--;
      if (i <= j) {
        const other = numbers[i];
        numbers[i++] = numbers[j];
        numbers[j--] = other;
      }
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
  return numbers[k];
}

/** How fast a body spins: not faster in so large a part of the rows. */
function spin({Omega}, part) {
  return quantile(Float64Array.from({length: Omega.length / 3}, (_, i) => Math.hypot(Omega[3 * i], Omega[3 * i + 1], Omega[3 * i + 2])), part);
}

/** A free motion at `FINE` times or a few more, by cubic Hermite pieces between its rows.
 * The slopes are those of the equations, dq/dt = q Ω / 2 and J dΩ/dt = JΩ × Ω, so that it is fourth order. */
function betweenRows({n, t, q, Omega}, J) {
  const pieces = Math.ceil(FINE / (n - 1)), m = pieces * (n - 1) + 1, back = inverse(J);
  const slopes = {q: new Float64Array(4 * n), Omega: new Float64Array(3 * n)};
  for (let i = 0; i < n; i++) {
    const [w, ...v] = q.subarray(4 * i, 4 * i + 4), Ω = Omega.subarray(3 * i, 3 * i + 3), turned = cross(v, Ω);
    slopes.q.set([-dot(v, Ω), w * Ω[0] + turned[0], w * Ω[1] + turned[1], w * Ω[2] + turned[2]].map(x => x / 2), 4 * i);
    slopes.Omega.set(times(back, cross(times(J, Ω), Ω)), 3 * i);
  }
  const fine = (y, dy, wide) => {
    const found = new Float64Array(wide * m);
    for (let k = 0; k + 1 < m; k++) {
      const i = Math.floor(k / pieces), s = (k % pieces) / pieces, r = 1 - s, h = t[i + 1] - t[i];
      const A = (1 + 2 * s) * r * r, B = s * s * (3 - 2 * s), C = h * s * r * r, D = -h * s * s * r;
      for (let c = 0, left = wide * i, right = left + wide; c < wide; c++, left++, right++)
        found[wide * k + c] = A * y[left] + B * y[right] + C * dy[left] + D * dy[right];
    }
    found.set(y.subarray(wide * (n - 1)), wide * (m - 1));
    return found;
  };
  const turns = fine(q, slopes.q, 4), at = new Float64Array(m);
  for (let k = 0; k < m; k++) {
    const i = Math.min(n - 2, Math.floor(k / pieces)), norm = Math.hypot(...turns.subarray(4 * k, 4 * k + 4));
    at[k] = t[i] + (k - i * pieces) / pieces * (t[i + 1] - t[i]);
    for (let c = 0; c < 4; c++) turns[4 * k + c] /= norm;
  }
  return {n: m, t: at, q: turns, Omega: fine(Omega, slopes.Omega, 3)};
}

// ---- parts --------------------------------------------------------------------------------------------------------
// A part is a mesh, the curve of a track, or its computed points: in the frame of a body ("body", of the track `of`)
// or in space, and drawn always, or only for the solid motion, or only for the others.

/** One of the surfaces, solid and of its own size if nothing else is said. */
const mesh = (name, colour, more) => ({kind: "mesh", mesh: name, colour, opacity: 1, size: 1, ...more});

/** An arrow in space, if nothing else is said, with its name at its tip. */
const arrow = (colour, label, more) => ({kind: "arrow", frame: "space", colour, label, ...more});

/** The three axes of a frame. */
const triad = (length, more) => ["e₁", "e₂", "e₃"].map((label, i) =>
  arrow(INK, label, {vector: IDENTITY.slice(3 * i, 3 * i + 3), length, thin: true, layer: "axes", ...more}));

/** What can be hidden, by the keys that parts name, and shown at first but for that which is `off`. */
const layers = (labels, off) => Object.entries(labels).map(([key, label]) => ({key, label, on: key !== off}));

/** A quantity of each motion as a line that grows with time; the exact one beneath, whole and in ink. */
function curves(tracks, curve, scale, frame, more) {
  return tracks.map(({exact, colour}, of) => ({
    kind: "line", curve, scale, frame, of, timed: !exact,
    ...(exact ? {colour: INK, width: 1.6, strength: 0.5} : {colour, width: 2}), ...more,
  })).reverse();
}

/** The computed points of each method, at most so many. */
function dots(tracks, curve, scale, frame, more) {
  return tracks.map(({n, colour}, of) => ({
    kind: "points", colour, width: 6.5, curve, scale, frame, of, timed: true, stride: Math.ceil(n / MOST_POINTS), ...more,
  })).filter(({of}) => !tracks[of].exact);
}

/** The least rotation, row by row, that takes a direction to e3. */
function upwards(direction) {
  const length = Math.hypot(...direction);
  if (length === 0) return IDENTITY;
  const [x, y, z] = direction.map(c => c / length);
  if (z < -0.999999) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
  const k = 1 / (1 + z);
  return [1 - k * x * x, -k * x * y, -x, -k * x * y, 1 - k * y * y, -y, x, y, z];
}

/** By how much a mesh, of whatever shape the body has, is drawn out along the principal axes when the moments change. */
export function stretches(name, before, moments) {
  if (name === "ellipsoid") return moments.map((J, i) => Math.sqrt(before[i] / J)); // that of inertia
  const [was, is] = [before, moments].map(([J1, J2, J3]) => {
    const squares = [J2 + J3 - J1, J3 + J1 - J2, J1 + J2 - J3], thinnest = THINNEST ** 2 * Math.max(...squares);
    return squares.map(square => Math.max(square, thinnest)); // ∫x², ∫y², ∫z² over the body
  });
  return is.map((square, i) => Math.sqrt(square / was[i]));
}

/** Principal moments about these axes. */
function momentsOf(J, axes) {
  return [0, 1, 2].map(i => { const e = [axes[i], axes[i + 3], axes[i + 6]]; return dot(e, times(J, e)); });
}

/** Meshes that were made for the inertia J0 drawn out for J. */
function stretched(parts, {J, J0, axes = IDENTITY}) {
  if (!J0) return parts;
  const [before, moments] = [J0, J].map(inertia => momentsOf(inertia, axes));
  const made = part => part.mesh === "body" || part.mesh === "ellipsoid";
  return parts.map(part => (made(part) ? {...part, axes, stretch: stretches(part.mesh, before, moments)} : part));
}

/** What is said where a body turns too far in a row. */
function jumping({kind}, motions) {
  const fast = motion => (kind === "pair" ? spin(motion, 0.5) : fastest(motion.Omega, IDENTITY, 1));
  const jumps = motions.some(motion => !motion.exact && motion.t.length > 1 && fast(motion) * (motion.t[1] - motion.t[0]) > Math.PI);
  return jumps ? " Steps of more than half a turn are shown as jumps." : "";
}

/** The parts as they can be read, and what is said of it.
 * Where a body turns by more than half a turn from row to row a curve is drawn as points: a line through them would
 * tell of a way that no one took. Of a curve longer than `LONGEST` only what is about the time shown is drawn. */
function legible(parts, tracks) {
  const unjoined = tracks.map(isUnjoined), lengths = new Map();
  const long = (of, curve, axis) => {
    const key = `${of} ${curve} ${axis}`;
    if (!lengths.has(key)) lengths.set(key, path(tracks[of], curve, axis));
    return lengths.get(key);
  };
  let points = false, recent = false;
  const found = parts.flatMap(part => {
    const {kind, of, curve, scale, axis, tail} = part;
    if ((kind !== "line" && kind !== "points") || !curve || tail !== undefined) return [part];
    const {n, t} = tracks[of];
    if (n < 2) return []; // a point alone is no curve
    if (curve !== "place" && unjoined[of]) {
      points = true; // the dots that there are besides are among them
      return kind === "line" ? [{...part, kind: "points", width: 2.6, stride: Math.ceil(n / MOST_UNJOINED)}] : [];
    }
    // ω = RΩ is as long as Ω, since dω/dt = R dΩ/dt.
    const length = scale * long(of, curve === "omega" ? "Omega" : curve, axis);
    if (!(length > LONGEST)) return [part];
    recent = true;
    const stride = kind === "points" && {stride: Math.max(1, Math.ceil(Math.floor(n * LONGEST / length) / MOST_POINTS))};
    return [{...part, recent: t[n - 1] * LONGEST / length, timed: true, ...stride}];
  });
  return [found, (points ? " Curves are points then." : "") + (recent ? " Of long curves the part about this time is drawn." : "")];
}

function isUnjoined({n, t, Omega}) {
  let far = 0;
  for (let i = 0; i + 1 < n; i++)
    if (Math.hypot(Omega[3 * i], Omega[3 * i + 1], Omega[3 * i + 2]) * (t[i + 1] - t[i]) >= Math.PI) far++;
  return far / (n - 1) > JUMPS;
}

/** About how long a motion's curve is: of Omega, of "pi", of its "place", or of the tip of an "axis" of the body.
 * By the median of its steps, which the last few of a run that blows up do not decide. */
export function path({n, t, Omega, x, J}, curve, axis) {
  if (n < 2) return 0;
  const moved = new Float64Array(n - 1), vectors = curve === "place" ? x : Omega;
  for (let i = 0, a = 0; i + 1 < n; i++, a += 3) {
    const h = t[i + 1] - t[i], p = Omega[a], q = Omega[a + 1], r = Omega[a + 2];
    let u = vectors[a + 3] - vectors[a], v = vectors[a + 4] - vectors[a + 1], w = vectors[a + 5] - vectors[a + 2];
    if (curve === "axis" || curve === "pi") {
      // What is carried along turns by Ω × it, and π changes in the body besides.
      const carried = curve === "axis" ? axis : times(J, [p, q, r]), [f, g, k] = curve === "axis" ? carried : times(J, [u, v, w]);
      const own = curve === "axis" ? 0 : 1;
      u = own * f + (q * carried[2] - r * carried[1]) * h;
      v = own * g + (r * carried[0] - p * carried[2]) * h;
      w = own * k + (p * carried[1] - q * carried[0]) * h;
    }
    moved[i] = Math.sqrt(u * u + v * v + w * w);
  }
  return moved.length * quantile(moved, 0.5) || 0;
}

// ---- one body -----------------------------------------------------------------------------------------------------

/** The inertia ellipsoid that rolls on the invariable plane. */
function poinsot({J, axes = IDENTITY, R0, Omega0}, tracks) {
  const moments = momentsOf(J, axes), Π = times(J, Omega0), π = times(R0, Π), energy2 = dot(Omega0, Π);
  const scale = Math.sqrt(Math.min(...moments) / energy2), distance = scale * energy2 / Math.hypot(...π);
  const curve = polhode(moments, across(axes, Π)).map(point => times(axes, point.map((x, i) => scale * x / moments[i])));
  const farthest = Math.sqrt(Math.max(0, ...curve.map(point => dot(point, point) - distance ** 2)));
  const plane = Math.max(1.3 * farthest, 0.95), points = new Float32Array(curve.flat());
  return {
    up: upwards(π), height: distance, target: [0, 0, 0.2 * distance], reach: Math.max(1.22, plane), view: [-0.9, 0.5],
    layers: layers({ellipsoid: "Ellipsoid", body: "Body", points: "Polhode points", herpolhode: "Herpolhode"}),
    parts: [
      mesh("ellipsoid", GLASS, {frame: "body", when: "solid", opacity: 0.2, glass: true, edges: 0.34, layer: "ellipsoid"}),
      mesh("disc", INK, {frame: "up", size: plane, at: distance, opacity: 0.055, glass: true, edges: 0.2}),
      mesh("body", "solid", {frame: "body", when: "solid", size: 0.44, layer: "body"}),
      {kind: "line", points, frame: "body", when: "solid", colour: INK, width: 2.4, strength: 0.85},
      ...curves(tracks, "Omega", scale, "body", {width: 1.4, layer: "points"}).filter(({of}) => !tracks[of].exact).reverse(),
      ...dots(tracks, "Omega", scale, "body", {layer: "points"}),
      ...curves(tracks, "omega", scale, "space", {layer: "herpolhode"}),
      ...dots(tracks, "omega", scale, "space", {layer: "herpolhode", width: 4}),
      arrow(INK, "π", {frame: "up", vector: [0, 0, 1], length: distance + 0.42}),
      arrow("solid", "ω", {curve: "omega", scale, when: "solid"}),
      {kind: "contact", curve: "omega", scale, frame: "space", when: "solid", colour: "solid"},
    ],
    caption: "The inertia ellipsoid rolls on the invariable plane. Without colour: the exact polhode " +
      "on it and the exact herpolhode in the plane; dots where each method puts ω.",
  };
}

/** The loop of Π on which a free body with this momentum stays, both in principal axes; that alone if it is all of it. */
export function polhode(moments, Π) {
  const size = Math.hypot(...Π), n = Π.map(x => x / size), a = moments.map(J => 1 / J), energy2 = dot(n, n.map((x, i) => x * a[i]));
  for (const extreme of [Math.max(...a), Math.min(...a)]) {
    const k = a.indexOf(extreme), i = (k + 1) % 3, j = (k + 2) % 3;
    // With n·n = 1: (a_k − a_i) n_i² + (a_k − a_j) n_j² = a_k − 2·energy, an ellipse as seen along k.
    const widths = [i, j].map(other => (a[k] - energy2) / (a[k] - a[other]));
    if (!widths.every(width => width >= 0 && width <= 1 + 1e-12)) continue;
    return Array.from({length: AROUND}, (_, step) => {
      const φ = 2 * Math.PI * step / (AROUND - 1), point = [0, 0, 0];
      point[i] = Math.sqrt(widths[0]) * Math.cos(φ);
      point[j] = Math.sqrt(widths[1]) * Math.sin(φ);
      point[k] = (n[k] < 0 ? -1 : 1) * Math.sqrt(Math.max(0, 1 - point[i] ** 2 - point[j] ** 2));
      return point.map(x => size * x);
    });
  }
  return [Π];
}

/** With torque: what π, ω and the body's axis draw in space, about a faint sphere. */
function tracesInSpace(facts, tracks, motions) {
  const {axis, name} = axisOf(facts), [Ω, π] = largest(facts, motions).map(flattened);
  return {
    up: IDENTITY, target: [0, 0, 0], reach: 1.3, view: [-0.9, 0.42],
    layers: layers({body: "Body", axis: `Axis ${name}`, omega: "ω", pi: "π"}, "omega"),
    parts: [
      mesh("sphere", GLASS, {frame: "space", opacity: 0.09, glass: true, edges: 0.16}),
      mesh("body", "solid", {frame: "body", when: "solid", size: facts.top ? 0.78 : 0.5, layer: "body"}),
      ...curves(tracks, "axis", 1, "space", {axis, layer: "axis"}),
      ...dots(tracks, "axis", 1, "space", {axis, layer: "axis", width: 5}),
      ...curves(tracks, "omega", Ω, "space", {layer: "omega", width: 1.5}),
      ...curves(tracks, "pi", π, "space", {layer: "pi", width: 1.5}),
      arrow("solid", name, {curve: "axis", axis, scale: 1, when: "solid", layer: "axis"}),
      arrow("#E69F00", "ω", {curve: "omega", scale: Ω, when: "solid", layer: "omega"}),
      arrow(INK, "π", {curve: "pi", scale: π, when: "solid", layer: "pi"}),
    ],
    caption: `On the unit sphere the curve that the body's axis ${name} draws in space, and that of π; ` +
      "without colour: the exact ones. ω and π are drawn relative to their largest.",
  };
}

/** The body of the solid motion, the others as ghosts, with axes, Ω, π and what the tip of an axis draws. */
function bodyInSpace(facts, tracks, motions) {
  const {J, R0, Omega0, free, top, duration} = facts, {axis, name} = axisOf(facts), [Ω, π] = largest(facts, motions);
  const up = upwards(free ? times(R0, times(J, Omega0)) : [0, 0, 0]);
  const tail = top ? 0.2 * duration : Math.min(Ω ? 4 * Math.PI / Ω : 2, 0.5 * duration); // of the time of two turns
  const standing = top && lowest(tracks, up.slice(6), axis) > 0.1, floor = standing ? -0.02 : -1.2;
  const post = top && !standing ? [arrow(INK, "", {frame: "up", vector: [0, 0, -1], length: -floor, headless: true})] : [];
  return {
    up, target: [0, 0, standing ? 0.45 : -0.12], reach: 1.58, view: [-0.9, 0.36],
    layers: layers({ghosts: "Ghosts", axes: "Body axes", vectors: "Ω and π", trace: `Trace of ${name}`}),
    parts: [
      mesh("disc", INK, {frame: "up", size: 1.6, at: floor, opacity: 0.045, glass: true, edges: 0.13, ground: true}),
      mesh("body", "solid", {frame: "body", when: "solid", shadow: floor}),
      ...tracks.map(({colour}, of) =>
        mesh("body", colour, {frame: "body", when: "ghost", of, opacity: 0.16, edges: 0.5, layer: "ghosts"})),
      ...curves(tracks, "axis", 1.16, "space", {axis, layer: "trace", tail, timed: true}),
      ...triad(1.16, {frame: "body", when: "solid"}),
      arrow("#E69F00", "Ω", {curve: "omega", scale: 1.25 * flattened(Ω), when: "solid", layer: "vectors"}),
      arrow("#56B4E9", "π", {curve: "pi", scale: 1.4 * flattened(π), when: "solid", layer: "vectors"}),
      ...post,
    ],
    caption: `Solid: the motion chosen above; translucent: the others. Behind it, what the tip of ${name} ` +
      "has just drawn in space; without colour: the exact motion.",
  };
}

const turns = ({Omega0}) => Omega0.some(x => x !== 0);

/** The body axis whose tip is followed, and its name: a top's, or the one that a free body turns about most. */
function axisOf({J, Omega0, top}) {
  const Π = times(J, Omega0).map(Math.abs), along = top || !turns({Omega0}) ? 2 : Π.indexOf(Math.max(...Π));
  return {axis: IDENTITY.slice(3 * along, 3 * along + 3), name: `e${"₁₂₃"[along]}`};
}

/** The largest |Ω| and |π| of the exact motion, or of the first run but for the tenth in which it may blow up. */
function largest({J}, motions) {
  if (!motions.length) return [1, 1];
  const exact = motions.find(motion => motion.exact), {t, Omega} = exact ?? motions[0];
  const rows = exact ? t.length : Math.max(1, Math.floor(t.length * 9 / 10));
  return [fastest(finite(Omega), IDENTITY, rows), fastest(finite(Omega), J, rows)];
}

const flattened = size => (size > 0 ? 1 / size : 1);

/** How far down an axis of the body goes in a method's motion, along a direction in space. */
function lowest(tracks, up, axis) {
  let least = Infinity;
  for (const {q} of tracks.filter(({exact}) => !exact))
    for (let b = 0; b < q.length; b += 4) {
      const v = [q[b + 1], q[b + 2], q[b + 3]], half = cross(v, axis), more = cross(v, half);
      least = Math.min(least, dot(up, axis.map((x, i) => x + 2 * (q[b] * half[i] + more[i]))));
    }
  return Number.isFinite(least) ? least : 0;
}

// ---- two bodies ---------------------------------------------------------------------------------------------------

/** Both as they move and turn, with their paths: in space about their centre of mass, or as they are seen from body 2. */
function twoBodies({relative, momentum, reach, period, duration}, tracks) {
  const scale = 1 / reach, tail = Math.min(period, 0.5 * duration);
  const fast = tracks.map(track => spin(track, MOST_OF)), pairs = fast.filter((_, k) => k % 2).map((second, m) => Math.max(fast[2 * m], second));
  const slowest = pairs.length ? Math.min(...pairs) : 0, long = slowest ? LONGEST_ARROW / slowest : 0;
  const where = relative
    ? "Body 2 at rest and body 1 as it is seen from there: place X and attitude R."
    : "Both bodies about their centre of mass; the total angular momentum points upwards.";
  return {
    up: relative ? IDENTITY : upwards(momentum), target: [0, 0, relative ? 0 : -0.14], reach: 0.92, view: [-0.9, 0.55],
    layers: layers({ghosts: "Ghosts", vectors: "Ω₁ and Ω₂", trail: "Trails", path: "Whole path", ...(relative && {axes: "Axes of body 2"})}),
    parts: [
      ...tracks.flatMap(({colour}, of) => {
        const name = `body${of % 2 + 1}`, body = {frame: "body", of, size: scale, place: scale};
        return [
          mesh(name, "solid", {when: "solid", ...body, ...(!relative && {shadow: FLOOR})}),
          mesh(name, colour, {when: "ghost", opacity: 0.2, layer: "ghosts", ...body}),
          arrow("#E69F00", `Ω${"₁₂"[of % 2]}`, {curve: "omega", scale: long, when: "solid", of, place: scale, layer: "vectors"}),
        ];
      }),
      ...(relative ? triad(0.3)
        : [mesh("disc", INK, {frame: "up", size: 0.9, at: FLOOR, opacity: 0.045, glass: true, edges: 0.13, ground: true})]),
      ...curves(tracks, "place", scale, "space", {layer: "trail", tail, timed: true, width: 2.2}),
      ...curves(tracks, "place", scale, "space", {layer: "path", timed: false, width: 1, strength: 0.4, when: "solid"}),
    ],
    caption: `${where} Solid: the motion chosen above; translucent: the others. Trails last ${Number(tail.toPrecision(2))}.`,
  };
}
