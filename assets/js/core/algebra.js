// Vectors, 3×3 matrices row by row, unit quaternions (w, x, y, z), and moments of inertia.

export const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** A v. */
export const apply = (A, [x, y, z]) => [
  A[0] * x + A[1] * y + A[2] * z,
  A[3] * x + A[4] * y + A[5] * z,
  A[6] * x + A[7] * y + A[8] * z,
];
export const transpose = A => [A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]];
/** A B. */
export const multiply = (A, B) =>
  [0, 3, 6].flatMap(r =>
    [0, 1, 2].map(c => A[r] * B[c] + A[r + 1] * B[c + 3] + A[r + 2] * B[c + 6]),
  );

export function invert(A) {
  const [a, b, c] = [A.slice(0, 3), A.slice(3, 6), A.slice(6, 9)],
    columns = [cross(b, c), cross(c, a), cross(a, b)];
  const volume = dot(a, columns[0]);
  return [0, 1, 2].flatMap(r => columns.map(column => column[r] / volume));
}

/** The least rotation that takes a direction to e₃. */
export function rotateUpright(direction) {
  const length = Math.hypot(...direction);
  if (length === 0) return IDENTITY;
  const [x, y, z] = direction.map(c => c / length);
  if (z < -0.999999) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
  const k = 1 / (1 + z);
  return [1 - k * x * x, -k * x * y, -x, -k * x * y, 1 - k * y * y, -y, x, y, z];
}

/** The matrix of a quaternion. */
export function rotationMatrix([w, x, y, z]) {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}

/** A quaternion after a turn about a vector of space, by the vector's length. */
export function turnQuaternion([w, x, y, z], vector) {
  const angle = Math.hypot(...vector),
    c = Math.cos(angle / 2),
    s = angle ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, d] = vector.map(component => s * component);
  const turned = [
    c * w - a * x - b * y - d * z,
    c * x + a * w + b * z - d * y,
    c * y + b * w + d * x - a * z,
    c * z + d * w + a * y - b * x,
  ];
  const norm = Math.hypot(...turned);
  return turned.map(component => component / norm);
}

/** Quaternions of (n, 9) attitudes, each near the one before (Shepperd's method). A row that is not finite repeats the last. */
export function computeQuaternions(R) {
  const q = new Float64Array((R.length / 9) * 4);
  let w = 1,
    x = 0,
    y = 0,
    z = 0;
  for (let a = 0, b = 0; a < R.length; a += 9, b += 4) {
    const xx = R[a],
      xy = R[a + 1],
      xz = R[a + 2],
      yx = R[a + 3],
      yy = R[a + 4],
      yz = R[a + 5],
      zx = R[a + 6],
      zy = R[a + 7],
      zz = R[a + 8];
    const ww = 1 + xx + yy + zz,
      uu = 1 + xx - yy - zz,
      vv = 1 - xx + yy - zz,
      ss = 1 - xx - yy + zz,
      largest = Math.max(ww, uu, vv, ss);
    // Of the products with one component, those with the largest are free of cancellation.
    let W = zy - yz,
      X = xz - zx,
      Y = yx - xy,
      Z = NaN;
    if (largest === ww) [W, X, Y, Z] = [ww, W, X, Y];
    else if (largest === uu) [X, Y, Z] = [uu, yx + xy, xz + zx];
    else if (largest === vv) [W, X, Y, Z] = [X, yx + xy, vv, zy + yz];
    else if (largest === ss) [W, X, Y, Z] = [Y, xz + zx, zy + yz, ss];
    const norm =
      Math.sqrt(W * W + X * X + Y * Y + Z * Z) * (b && W * w + X * x + Y * y + Z * z < 0 ? -1 : 1);
    if (Math.abs(norm) < Infinity) [w, x, y, z] = [W / norm, X / norm, Y / norm, Z / norm];
    q[b] = w;
    q[b + 1] = x;
    q[b + 2] = y;
    q[b + 3] = z;
  }
  return q;
}

/** Σ factor·v of pairs [factor, v]. */
export const combine = (...terms) =>
  [0, 1, 2].map(i => terms.reduce((all, [factor, v]) => all + factor * v[i], 0));

/** Move a point of a sphere by an angle to the right or upwards, also beyond the rim. */
export function turnPoint(point, [right, up, near], [across, along], angle) {
  const way = across ? right : up,
    turn = (across || along) * angle,
    [a, b] = [dot(point, way), dot(point, near)];
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return combine([1, point], [a * (c - 1) + b * s, way], [b * (c - 1) - a * s, near]);
}

/** Whether a rigid body can have these principal moments: they are positive, and none exceeds the sum of the others. */
export const areMoments = moments =>
  moments.every(x => x > 0 && 2 * x <= moments.reduce((a, b) => a + b) * (1 + 1e-9));

/** Moments of inertia about axes, the columns of a matrix. */
export function momentsAbout(axes, J) {
  return [0, 1, 2].map(i => {
    const e = [axes[i], axes[i + 3], axes[i + 6]];
    return dot(e, apply(J, e));
  });
}

/** Q diag(moments) Qᵀ. */
export const inertiaMatrix = (Q, moments) =>
  Array.from({length: 9}, (_, i) =>
    [0, 1, 2].reduce(
      (sum, k) => sum + Q[3 * Math.floor(i / 3) + k] * moments[k] * Q[3 * (i % 3) + k],
      0,
    ),
  );
