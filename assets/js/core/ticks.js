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

/** Whether numbers of this power of ten are written without it. */
const isPlain = power => power >= -3 && power < 5;

/** A number, as a multiple of a power of ten unless that is 0, with two digits more than neighbours `apart` need. */
function formatMultiple(value, power, apart) {
  if (value === 0) return "0";
  if (value < 0) return `−${formatMultiple(-value, power, apart)}`;
  const unit = 10 ** power,
    decimals = Math.max(0, 2 - Math.floor(Math.log10(apart / unit))),
    mantissa = Number((value / unit).toFixed(decimals));
  return power ? formatTimesPower(mantissa, power) : String(mantissa);
}

/** A tick of a linear axis; very large or small ticks have one power of ten in common. */
export function formatLinearTick(tick, ticks) {
  const largest = Math.max(...ticks.map(Math.abs)),
    power = largest ? Math.floor(Math.log10(largest)) : 0,
    apart = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest / 100;
  return formatMultiple(tick, isPlain(power) ? 0 : power, apart);
}

/** A tick of an axis of decimal logarithms, which has powers of ten only, or plain numbers, or multiples of powers of ten. */
export function formatExponentTick(tick, ticks) {
  if (ticks.every(place => Math.abs(place - Math.round(place)) < WHOLE))
    return formatPower(Math.round(tick));
  const [power, ...powers] = [tick, ...ticks].map(place => Math.floor(place + WHOLE));
  return formatMultiple(10 ** tick, powers.every(isPlain) ? 0 : power, 10 ** power);
}

/** A tick of a logarithmic axis. */
export const formatLogTick = (tick, ticks) =>
  formatExponentTick(Math.log10(tick), ticks.map(Math.log10));
