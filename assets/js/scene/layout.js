// Where views and names stand on the canvas.

const WIDE = 13,
  HIGH = 9; // half the room of a name, in pixels
const PASSES = 12;
const EDGE = 0.94; // of the way from the middle of a view to its border, where an arrow ends at the latest
const TOUCHES = 1e-3; // of the way to the eye: a point so near to a surface is not behind it

/** Divide a canvas among n views, as near to squares as it goes; returns their boxes in pixels, row by row. */
export function dividePanes(n, width, height) {
  let best = {size: 0};
  for (let columns = 1; columns <= n; columns++) {
    const rows = Math.ceil(n / columns),
      size = Math.min(width / columns, height / rows);
    if (size > best.size * 1.001) best = {size, columns, rows};
  }
  const {columns, rows} = best;
  return Array.from({length: n}, (_, i) => {
    const row = Math.floor(i / columns),
      across = row === rows - 1 ? n - row * columns : columns;
    return {
      left: ((i % columns) * width) / across,
      top: (row * height) / rows,
      width: width / across,
      height: height / rows,
    };
  });
}

/** The part of an arrow, from its foot on, that a view of this matrix shows; all of it if the view does not show the foot. */
export function findSeenPart(all, foot, tip) {
  const find = ([x, y, z]) =>
    [0, 1, 3].map(r => all[r] * x + all[4 + r] * y + all[8 + r] * z + all[12 + r]);
  const [x, y, deep] = find(foot),
    [X, Y, end] = find(tip);
  // How far foot and tip are within each border, and before the middle of the way to the eye.
  const rooms = [
    [EDGE * deep - x, EDGE * end - X],
    [EDGE * deep + x, EDGE * end + X],
    [EDGE * deep - y, EDGE * end - Y],
    [EDGE * deep + y, EDGE * end + Y],
    [deep / 2, end - deep / 2],
  ];
  return Math.min(1, ...rooms.map(([a, b]) => (a > 0 && b < 0 ? a / (a - b) : 1)));
}

/** Move names apart that would overlap, within a box; each {x, y} is the middle of a name, and changes. */
export function spreadNames(names, {left, top, width, height}) {
  const keep = name => {
    name.x = Math.max(left + WIDE, Math.min(left + width - WIDE, name.x));
    name.y = Math.max(top + HIGH, Math.min(top + height - HIGH, name.y));
  };
  names.forEach(keep);
  for (let pass = 0, moved = true; moved && pass < PASSES; pass++) {
    moved = false;
    for (let i = 0; i < names.length; i++)
      for (let j = 0; j < i; j++) {
        const a = names[i],
          b = names[j],
          dx = a.x - b.x,
          dy = a.y - b.y,
          across = 2 * WIDE - Math.abs(dx),
          along = 2 * HIGH - Math.abs(dy);
        if (across <= 0.01 || along <= 0.01) continue;
        moved = true;
        // The shorter way apart; at the border only the way along it is open.
        const isHeld =
          (a.y <= top + HIGH && b.y <= top + HIGH) ||
          (a.y >= top + height - HIGH && b.y >= top + height - HIGH);
        if (across < along || isHeld) {
          const push = (dx < 0 ? -across : across) / 2;
          a.x += push;
          b.x -= push;
        } else {
          const push = (dy < 0 ? -along : along) / 2;
          a.y += push;
          b.y -= push;
        }
        keep(a);
        keep(b);
      }
  }
}

/** Whether a surface lies between a point and the eye, both in its own coordinates. */
export function hides({points, triangles}, [x, y, z], [X, Y, Z]) {
  const [dx, dy, dz] = [X - x, Y - y, Z - z];
  for (let i = 0; i < triangles.length; i += 3) {
    // The place where the way to the eye meets the plane of a triangle, as in Möller and Trumbore 1997.
    const a = 3 * triangles[i],
      b = 3 * triangles[i + 1],
      c = 3 * triangles[i + 2];
    const ax = points[b] - points[a],
      ay = points[b + 1] - points[a + 1],
      az = points[b + 2] - points[a + 2];
    const bx = points[c] - points[a],
      by = points[c + 1] - points[a + 1],
      bz = points[c + 2] - points[a + 2];
    const px = dy * bz - dz * by,
      py = dz * bx - dx * bz,
      pz = dx * by - dy * bx,
      volume = ax * px + ay * py + az * pz;
    if (!volume) continue;
    const sx = x - points[a],
      sy = y - points[a + 1],
      sz = z - points[a + 2],
      u = (sx * px + sy * py + sz * pz) / volume;
    if (u < 0 || u > 1) continue;
    const qx = sy * az - sz * ay,
      qy = sz * ax - sx * az,
      qz = sx * ay - sy * ax,
      v = (dx * qx + dy * qy + dz * qz) / volume,
      far = (bx * qx + by * qy + bz * qz) / volume;
    if (v >= 0 && u + v <= 1 && far > TOUCHES && far < 1) return true;
  }
  return false;
}
