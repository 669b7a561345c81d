// Where views and names stand on the canvas.

const WIDE = 13,
  HIGH = 9; // half the room of a name, in pixels
const PASSES = 12;

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
