// The ticks of axes and the numbers at them, by the rules of app/charts/scales.py. Bokeh's models format their ticks with them, too.

import {formatPower, formatTimesPower} from "./numbers.js";

const WHOLE = 1e-9; // by which a number may miss an integer

/**
 * Ticks from `low` to `high`: round numbers, at most `most` apart. On a logarithmic axis, whose places are decimal logarithms, powers of ten,
 * with their 2 and 5 if there are fewer than two.
 */
export function findTicks([low, high], log, most = 5) {
  const rough = (high - low) / most,
    unit = 10 ** Math.floor(Math.log10(rough)),
    round = [1, 2, 5, 10].find(k => k * unit >= rough * (1 - WHOLE)) * unit,
    step = log ? Math.max(1, Math.round(round)) : round;
  const first = Math.ceil(low / step - WHOLE),
    last = Math.floor(high / step + WHOLE);
  const found = Array.from({length: Math.max(0, last - first + 1)}, (_, i) => (first + i) * step);
  if (!log || found.length > 1) return found;
  const powers = Array.from(
    {length: Math.ceil(high) - Math.floor(low) + 1},
    (_, i) => Math.floor(low) + i,
  );
  return powers
    .flatMap(power => [1, 2, 5].map(k => Math.log10(k) + power))
    .filter(place => place >= low && place <= high);
}

/** A number with two digits more than neighbours `apart` need; if `largest` is very large or small, as a multiple of its power of ten. */
function formatAmong(value, largest, apart) {
  if (value === 0) return "0";
  if (value < 0) return `−${formatAmong(-value, largest, apart)}`;
  const power = Math.floor(Math.log10(largest)),
    unit = power >= -3 && power < 5 ? 1 : 10 ** power,
    decimals = Math.max(0, 2 - Math.floor(Math.log10(apart / unit))),
    mantissa = Number((value / unit).toFixed(decimals));
  return unit === 1 ? String(mantissa) : formatTimesPower(mantissa, power);
}

/** A tick of a linear axis, whose ticks have one power of ten in common. */
export function formatLinearTick(tick, ticks) {
  const largest = Math.max(...ticks.map(Math.abs));
  return formatAmong(
    tick,
    largest,
    ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest / 100,
  );
}

/** A tick of a logarithmic axis. */
export function formatLogTick(tick) {
  const power = Math.log10(tick),
    whole = Math.round(power);
  return Math.abs(power - whole) < WHOLE ? formatPower(whole) : formatAmong(tick, tick, 10 * tick);
}

/** A tick of an axis of decimal logarithms. */
export const formatExponentTick = tick => formatLogTick(10 ** tick);
