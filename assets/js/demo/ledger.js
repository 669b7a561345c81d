// The table of a demo: what each method conserved and lost, and what it cost, with the columns and words of app/state/ledger.py.

import {create} from "../core/dom.js";
import {fillText, formatMeasured, formatNumber, formatShare} from "../core/numbers.js";
import {findPhaseLoss, findRoundoff, listFlips} from "../core/series.js";
import {findSpeed, measure} from "../core/setting-runs.js";
import {data, isPair} from "./data.js";

const UNIT = isPair ? "" : " rad";
const {columns, status, kept, lost} = data.ledger;
const KNOWN = 0.1, // radians by which the exact motion may be off where flips are counted
  STOPPED = 2; // times the longest time to a flip of the exact motion

/** The largest length of a series in the stored rows, or of its change since the start. */
function findLargest(run, name, isChange = false) {
  const values = run.series(name),
    size = run.header.series[name][1];
  let most = 0;
  for (let i = 0; i < values.length; i += size) {
    let square = 0;
    for (let k = 0; k < size; k++) square += (values[i + k] - (isChange ? values[k] : 0)) ** 2;
    most = Math.max(most, Math.sqrt(square) || 0);
  }
  return most;
}

/** Describe the largest change of an invariant, or name it if it is roundoff and the method promises to conserve that. */
function describeChange({of, series, relative, from_zero: fromZero, sizes, factor}, line, results) {
  const {run, promised, roundoff} = line,
    change = fromZero
      ? Math.max(...series.map(name => run.extrema(name).max))
      : Math.max(run.deviation(series[0]), findLargest(run, series[0], true)),
    scale = relative ? results.quantities.findDivisor(of, run) : 1,
    size = sizes.length
      ? sizes.reduce((all, name) => all * findLargest(run, name), factor / scale)
      : 0,
    text = formatMeasured(change / scale);
  if (!(change / scale <= findRoundoff(line) * Math.max(1, size) && promised.includes(of)))
    return {textContent: text};
  const [textContent, about] = kept[roundoff[1] > 0 ? 1 : 0];
  return {textContent, title: fillText(about, {text})};
}

/** Describe the error at the end, unless it is unknown, or noise because the phase is lost. */
function describeError({run}, computation) {
  const {exactMotion} = computation.results;
  if (!exactMotion || run.status !== "done") return {textContent: exactMotion ? "–" : "…"};
  const errors = computation.measureError(run),
    text = formatMeasured(errors.at(-1)),
    from = isPair ? undefined : findPhaseLoss(run.t, errors);
  if (from === undefined)
    return {
      textContent: text,
      title: text === "–" ? "This error is below the uncertainty of the exact motion." : "",
    };
  const t = formatNumber(from, 4),
    [key, values] = describeFlips(run, computation.results);
  return {
    textContent: fillText(lost[key], {t, ...values}),
    title: `${text}${UNIT}. ${fillText(lost.noise, {t})}`,
  };
}

/** What a body does whose phase is lost, by the rules of `Errors.flips` and of `describe_flips` in app/state/one_body.py. */
function describeFlips(run, results) {
  const exact = results.exactMotion.run,
    turn = findSpeed([run, exact]) * (run.t[1] - run.t[0]);
  if (!data.free || !(turn <= 1) || !(results.exactMotion.most <= KNOWN)) return ["phase"];
  const [angles, should] = [run, exact].map(one => measure("middle-axis", one, results)),
    own = listFlips(angles).map(i => run.t[i]),
    flips = listFlips(should).map(i => exact.t[i]),
    {length} = flips;
  if (length < 2 || listFlips(should, 40).length !== length) return ["phase"];
  if (!own.length) return ["never"];
  const longest = Math.max(...flips.map((t, i) => t - (flips[i - 1] ?? 0))),
    last = own.at(-1);
  if (run.t.at(-1) - last > STOPPED * longest) return ["stops", {t: formatNumber(last, 4)}];
  if (own.length === length) return ["phase"];
  return [own.length === 1 ? "once" : "often", {own: own.length, exact: length}];
}

/** How many a step. */
const describeCost = (count, {done}) => ({
  textContent: done ? formatShare(count / done) : "–",
  title: `${count.toLocaleString("en")} in all`,
});

/** Format nanoseconds a step: a dash if the method ends too soon, and dots until it is timed. */
const formatTime = time =>
  time === undefined ? "…" : time === null ? "–" : Math.round(time).toLocaleString("en");

/** What the cells of columns have that show no change of an invariant, by the columns' keys. */
const OTHERS = {
  attitude: describeError,
  torques: ({run}) => describeCost(run.torqueEvaluations, run),
  newton: ({run}) => describeCost(run.newtonIterations, run),
  ns: ({method}, {stepTimes}) => ({textContent: formatTime(stepTimes.get(method))}),
  status: ({run}) => ({textContent: status[run.status]}),
};

/** Create the table of the results of a computation, with a column for each of the invariants that has one. */
export function createLedger(invariants, computation) {
  const {results} = computation,
    {lines, exactMotion} = results,
    keys = invariants.map(({key}) => key),
    shown = columns.filter(({of}) => !of || keys.includes(of));
  const rows = lines.map(line => {
    const dot = create("i"),
      name = create("th", {scope: "row"}, dot, line.label);
    dot.style.cssText = `display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:8px;background:${line.colour}`;
    if (line.run.message) name.append(create("small", {textContent: line.run.message}));
    const cells = shown.map(column =>
      column.of ? describeChange(column, line, results) : OTHERS[column.key](line, computation),
    );
    return create("tr", {}, name, ...cells.map(cell => create("td", cell)));
  });
  const about = [
    lines.length ? "Changes are over every step." : "No method is chosen.",
    exactMotion
      ? `The exact motion: ${data.reference.method} at fine steps, with an error of at most about ${formatMeasured(exactMotion.most)}${UNIT}.`
      : "",
  ];
  const heads = ["Method", ...shown.map(({head}) => head)];
  return create(
    "div",
    {className: "ledger"},
    create(
      "table",
      {},
      create("caption", {textContent: about.join(" ")}),
      create(
        "thead",
        {hidden: !lines.length},
        create("tr", {}, ...heads.map(innerText => create("th", {scope: "col", innerText}))),
      ),
      create("tbody", {}, ...rows),
    ),
  );
}
