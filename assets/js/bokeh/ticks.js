// Numbers at the ticks of Bokeh's axes, see app/charts/bokeh.py.

import {formatPower, formatTimesPower} from "../core/numbers.js";

/** A number with a few digits; if `largest` is very large or small, as a multiple of its power of ten. */
function formatRounded(value, digits, largest) {
  const power = largest > 0 ? Math.floor(Math.log10(largest)) : 0,
    isPlain = value === 0 || (power >= -3 && power < 5),
    mantissa = Number((isPlain ? value : value / 10 ** power).toPrecision(digits));
  return isPlain ? String(mantissa).replace("-", "−") : formatTimesPower(mantissa, power);
}

/** A tick of a linear axis, whose ticks have one power of ten in common. */
export const formatLinearTick = (tick, ticks) =>
  formatRounded(tick, 5, Math.max(...ticks.map(Math.abs)));

/** A tick of a logarithmic axis. */
export function formatLogTick(tick) {
  const power = Math.log10(tick),
    whole = Math.round(power);
  return Math.abs(power - whole) < 1e-9 ? formatPower(whole) : formatRounded(tick, 2, tick);
}

/** A tick of an axis of decimal logarithms. */
export const formatExponentTick = tick => formatLogTick(10 ** tick);
