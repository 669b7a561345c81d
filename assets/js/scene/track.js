// Motions as the player uses them: the state at any time, and curves through all states.

import {IDENTITY, apply, rotationMatrix} from "../core/algebra.js";

const FARTHEST = 6; // of a curve from the middle, where the body reaches to about 1
const MOST_PIECES = 6000; // of one curve

const limit = x => Math.max(-FARTHEST, Math.min(FARTHEST, x));

/** A vector of at most that length. */
function shorten(v) {
  const length = Math.hypot(...v);
  return length > FARTHEST ? v.map(x => (x * FARTHEST) / length) : v;
}

/** A motion of one body: its attitude, angular velocity and place at any time. After its last row the body stays there. */
export class Track {
  constructor({t: times, q: quaternions, x: places = null, ...rest}) {
    Object.assign(this, rest, {times, quaternions, places});
    this.curves = new Map();
    this.fine = null; // states between the rows, see `refine`
  }

  /** The row at or before a time, and the part of the way to the next, from 0 to 1. */
  findRow(time) {
    const t = this.times,
      last = this.n - 1;
    if (!(time > t[0]) || last < 1) return [0, 0];
    if (time >= t[last]) return [last - 1, 1];
    let low = Math.min(last - 1, Math.floor((time / t[last]) * last)),
      high = last;
    if (t[low] > time) [low, high] = [0, low];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    return [low, (time - t[low]) / (t[low + 1] - t[low])];
  }

  /** A time as a row number with its fraction. */
  indexAt(time) {
    const [i, f] = this.findRow(time);
    return i + f;
  }

  /** The part of the way to use between two rows: none if they are more than half a turn apart, where the way is unknown. */
  limitPart(i, f) {
    return this.speedAt(i) * (this.times[i + 1] - this.times[i]) < Math.PI ? f : Math.floor(f);
  }

  /** |Ω| in a row. */
  speedAt(i) {
    const {Omega} = this,
      a = 3 * i;
    return Math.sqrt(Omega[a] ** 2 + Omega[a + 1] ** 2 + Omega[a + 2] ** 2);
  }

  /** The quaternion between a row and the next, by spherical interpolation along the shorter way. */
  pose(i, f) {
    const q = this.quaternions,
      a = 4 * i,
      b = a + 4;
    if (this.n < 2) return q.subarray(0, 4);
    f = this.limitPart(i, f);
    let cosine = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
    const sign = cosine < 0 ? -1 : 1;
    cosine = Math.min(1, cosine * sign);
    let u = 1 - f,
      v = f;
    if (cosine < 0.9995) {
      const angle = Math.acos(cosine),
        sine = Math.sin(angle);
      u = Math.sin(u * angle) / sine;
      v = Math.sin(v * angle) / sine;
    }
    v *= sign;
    const out = [
      u * q[a] + v * q[b],
      u * q[a + 1] + v * q[b + 1],
      u * q[a + 2] + v * q[b + 2],
      u * q[a + 3] + v * q[b + 3],
    ];
    const norm = Math.hypot(...out) || 1;
    return out.map(x => x / norm);
  }

  attitude(time) {
    return rotationMatrix(this.pose(...this.findRow(time)));
  }

  /** The number of pieces for each row of a curve in space, so that it is round where the body turns far in a row. */
  countPieces(curve) {
    if (curve === "Omega" || curve === "Pi" || curve === "place" || this.n < 2) return 1;
    let widest = 0;
    for (let i = 0; i + 1 < this.n; i++) {
      const angle = this.speedAt(i) * (this.times[i + 1] - this.times[i]);
      if (angle < Math.PI) widest = Math.max(widest, angle);
    }
    return Math.max(1, Math.min(Math.ceil(widest / 0.12), Math.floor(MOST_PIECES / this.n)));
  }

  /** All points of a curve: Omega and Pi = JΩ in the body; omega = RΩ, pi = RJΩ, the tip of an axis, R·axis, or the place in space; `about` is the point that is drawn in the middle. */
  curve(part) {
    const key = `${part.curve} ${part.scale} ${part.axis ?? ""} ${part.about ?? ""}`;
    if (!this.curves.has(key)) {
      const pieces = this.countPieces(part.curve);
      this.curves.set(key, {
        points: this.computeCurve(part, pieces === 1 ? this : this.refine(pieces)),
        pieces,
      });
    }
    return this.curves.get(key);
  }

  /** Angular velocity and attitude at several places from each row to the next: like `pose`, without an array for each. */
  refine(pieces) {
    if (this.fine?.pieces === pieces) return this.fine;
    const rows = this.n - 1,
      n = rows * pieces + 1,
      Omega = new Float32Array(3 * n),
      quaternions = new Float32Array(4 * n);
    const {Omega: Ω, quaternions: q} = this;
    for (let i = 0; i < rows; i++) {
      const a = 3 * i,
        b = 4 * i,
        jumps = this.limitPart(i, 0.5) === 0;
      const cosine =
          q[b] * q[b + 4] + q[b + 1] * q[b + 5] + q[b + 2] * q[b + 6] + q[b + 3] * q[b + 7],
        sign = cosine < 0 ? -1 : 1;
      const angle = Math.acos(Math.min(1, cosine * sign)),
        bent = cosine * sign < 0.95;
      for (let p = 0; p < pieces; p++) {
        const k = i * pieces + p,
          f = p / pieces,
          g = jumps ? 0 : f;
        for (let c = 0; c < 3; c++) Omega[3 * k + c] = (1 - f) * Ω[a + c] + f * Ω[a + 3 + c];
        const u = bent ? Math.sin((1 - g) * angle) : 1 - g,
          v = sign * (bent ? Math.sin(g * angle) : g);
        const norm = Math.sqrt(u * u + v * v + 2 * u * v * cosine) || 1; // of the sum of two unit quaternions
        for (let c = 0; c < 4; c++)
          quaternions[4 * k + c] = (u * q[b + c] + v * q[b + 4 + c]) / norm;
      }
    }
    Omega.set(Ω.subarray(3 * rows), 3 * (n - 1));
    quaternions.set(q.subarray(4 * rows), 4 * (n - 1));
    return (this.fine = {pieces, n, Omega, quaternions});
  }

  /** A curve through states. They are thousands at every change, so this creates no array for each. */
  computeCurve({curve, scale, axis, about = [0, 0, 0]}, {n, Omega, quaternions: q}) {
    if (curve === "place") return Float32Array.from(this.places, x => limit(scale * x));
    const points = new Float32Array(3 * n),
      turned = curve !== "Omega" && curve !== "Pi",
      M = curve === "pi" || curve === "Pi" ? this.J : IDENTITY;
    const fixed = curve === "axis" && axis;
    for (let i = 0; i < n; i++) {
      const a = 3 * i,
        b = 4 * i,
        Ω0 = Omega[a],
        Ω1 = Omega[a + 1],
        Ω2 = Omega[a + 2];
      let x = fixed ? fixed[0] : M[0] * Ω0 + M[1] * Ω1 + M[2] * Ω2;
      let y = fixed ? fixed[1] : M[3] * Ω0 + M[4] * Ω1 + M[5] * Ω2;
      let z = fixed ? fixed[2] : M[6] * Ω0 + M[7] * Ω1 + M[8] * Ω2;
      if (turned) {
        const w = q[b],
          u = q[b + 1],
          v = q[b + 2],
          s = q[b + 3];
        const e = 2 * (v * z - s * y),
          f = 2 * (s * x - u * z),
          g = 2 * (u * y - v * x); // 2 (u, v, s) × (x, y, z)
        x += w * e + v * g - s * f;
        y += w * f + s * e - u * g;
        z += w * g + u * f - v * e;
      }
      points[a] = limit(scale * (x - about[0]));
      points[a + 1] = limit(scale * (y - about[1]));
      points[a + 2] = limit(scale * (z - about[2]));
    }
    return points;
  }

  /** The vector between a row and the next. */
  interpolate(vectors, i, f) {
    const a = 3 * i,
      b = this.n > 1 ? a + 3 : a;
    return [0, 1, 2].map(k => (1 - f) * vectors[a + k] + f * vectors[b + k]);
  }

  place(i, f) {
    return this.places ? this.interpolate(this.places, i, f) : [0, 0, 0];
  }

  /** The point of a curve between a row and the next; nan for values beyond numbers of 32 bits. */
  vector({curve, scale, axis, about = [0, 0, 0]}, i, f) {
    if (curve === "place") return shorten(this.place(i, f).map(x => scale * x));
    if (curve === "torque") return shorten(this.interpolate(this.torque, i, f).map(x => scale * x));
    const Ω = this.interpolate(this.Omega, i, f);
    let v = curve === "pi" || curve === "Pi" ? apply(this.J, Ω) : curve === "axis" ? axis : Ω;
    if (curve !== "Omega" && curve !== "Pi") v = apply(rotationMatrix(this.pose(i, f)), v);
    return shorten(v.map((x, k) => scale * (x - about[k])));
  }
}
