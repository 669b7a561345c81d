// The values of curves at a time.

/** The row of a time in ascending times, or -1. */
function findSame(t, time) {
  const i = findNearest(t, time);
  return t[i] === time ? i : -1;
}

function findNearest(t, time) {
  let low = 0,
    high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  return time - t[low] <= t[high] - time ? low : high;
}

/** The stored time of all curves {t, y, …} that is nearest to a time, and the value of each curve there, NaN after its end. */
export function readRow(curves, time) {
  if (!curves.length) return {time, rows: []};
  const {t} = curves.reduce((a, b) => (b.t.at(-1) > a.t.at(-1) ? b : a)),
    near = findNearest(t, time);
  const isShared = at =>
    curves.every(({t: own}) => at > own.at(-1) || at < own[0] || findSame(own, at) >= 0);
  const way = time < t[near] ? -1 : 1;
  let at = t[near];
  for (let k = 1, all = t.length; k < 64 && !isShared(at); k++) {
    const i = near + (k % 2 ? way : -way) * Math.ceil(k / 2);
    if (i >= 0 && i < all) at = t[i];
  }
  return {
    time: at,
    rows: curves.map(({y, t: own, ...curve}) => ({...curve, value: y[findSame(own, at)] ?? NaN})),
  };
}
