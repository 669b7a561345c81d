// Numbers and lists as people read and write them, in the forms of engine/text/formatting.py and engine/parameters/.

/** 10⁻⁴ of -4. */
export const formatPower = power =>
  `10${String(power).replace(/[-\d]/g, c => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]))}`;

/** A number from its mantissa and its power of ten: 2.5·10⁻⁶, and 10⁹ for a mantissa of 1. */
export const formatTimesPower = (mantissa, power) =>
  `${mantissa === 1 ? "" : `${mantissa}·`}${formatPower(power)}`.replace("-", "−");

/** A number that was given or is a bound, without redundant zeros: 0.5, −1010, 10⁹, 2.5·10⁻⁶. */
export function formatNumber(value, digits = 6) {
  if (value < 0) return `−${formatNumber(-value, digits)}`;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : "inf";
  const [mantissa, power] = value
    .toExponential(digits - 1)
    .split("e")
    .map(Number);
  if (value === 0 || (power >= -4 && power < Math.max(digits, 6)))
    return String(Number(value.toPrecision(digits)));
  return formatTimesPower(mantissa, power);
}

/** A measured number, with two digits if it is small: 0.023, 1.8, 1,010, 2.9·10⁻⁴. */
export function formatMeasured(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : "∞";
  if (value === 0) return "0";
  const [mantissa, exponent] = Math.abs(value).toExponential(1).split("e"),
    power = Number(exponent),
    digits = Math.max(0, 1 - power);
  const text =
    Math.abs(power) < 4
      ? Math.abs(value)
          .toFixed(digits)
          .replace(/^\d(?=\d{3}$)/, "$&,")
      : formatTimesPower(mantissa, power);
  return value < 0 ? `−${text}` : text;
}

/** How many a step: without a digit behind the point if that is 0. */
export const formatShare = each =>
  Math.abs(each - Math.round(each)) < 0.05 ? String(Math.round(each)) : each.toFixed(1);

/** A text with words in place of their names in braces. */
export const fillText = (text, words) => text.replace(/\{(\w+)\}/g, (_, name) => words[name]);

export const ZERO = -99; // what is drawn for zero on a logarithmic axis, below all other values

/** The value of a curve in a plot, whose values are decimal logarithms on a logarithmic axis. */
export function formatValue(y, log) {
  if (Number.isNaN(y)) return "–";
  return log ? (y > ZERO / 2 ? formatNumber(10 ** y, 4) : "exactly 0") : formatNumber(y);
}

/** A number as fields, links and code have it, as "%.12g" writes it: 0.0001, 1e-05, 1e+12. */
export function formatPlain(x, digits = 12) {
  const [mantissa, power] = x
    .toExponential(digits - 1)
    .split("e")
    .map(Number);
  if (power >= -4 && power < digits) return String(Number(x.toPrecision(digits)));
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** A step as fields, links and code have it: 1/60 where that is exact and a short decimal number is not. */
export function formatStep(step) {
  const parts = step > 1e-15 ? Math.round(1 / step) : 0,
    isExact = parts && 1 / parts === step && step !== Number(step.toPrecision(5));
  return isExact ? `1/${parts}` : formatPlain(step);
}

/** Numbers as a field or a link has them. */
export const formatList = (values, separator = ", ", digits = 12) =>
  values.map(x => formatPlain(x, digits)).join(separator);

/** The step that a text gives as a number, a fraction (1/60) or a rate (60 Hz); NaN if it gives none. */
export function parseStep(text) {
  const rate = text.trim().match(/^(.+?)\s*hz$/i),
    parts = rate ? ["1", rate[1]] : text.split("/");
  if (parts.length > 2 || parts.some(part => part.trim() === "")) return NaN;
  const step = parts.map(Number).reduce((above, below) => above / below);
  return Number.isFinite(step) ? step : NaN;
}

/** The numbers of a text, separated by commas, semicolons or spaces, with or without brackets; NaN for what is no number. */
export const parseList = text =>
  text
    .replace(/[()[\]]/g, " ")
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

/** Names with commas between them; a comma within brackets belongs to a name. */
export const parseNames = text =>
  text
    .split(/,(?![^(]*\))/)
    .map(name => name.trim())
    .filter(Boolean);

/** The query of an address, in which the commas and brackets of names stay as they are. */
export const formatQuery = words =>
  String(new URLSearchParams(words))
    .replaceAll("%2C", ",")
    .replaceAll("%28", "(")
    .replaceAll("%29", ")");
