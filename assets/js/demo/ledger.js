// The table of a demo: what each method conserved and lost, and what it cost.

import {create} from "../core/dom.js";
import {formatMeasured, formatNumber} from "../core/numbers.js";
import {findPhaseLoss} from "../core/series.js";
import {data, isOneBody} from "./data.js";
import {findRoundoff, isPromised, isSingle, maxDeparture} from "./invariants.js";

const UNIT = isOneBody ? " rad" : "";
const STATUS = {
  done: "done",
  "no-solution": "no solution",
  diverged: "diverged",
  cancelled: "stopped",
};

/** Create the cell of the error at the end, unless it is unknown, or noise because the phase is lost. */
function createErrorCell(run, computation) {
  const {exactMotion} = computation;
  if (!exactMotion || run.status !== "done")
    return create("td", {textContent: exactMotion ? "–" : "…"});
  const errors = computation.measureError(run),
    text = formatMeasured(errors.at(-1)),
    lost = isOneBody ? findPhaseLoss(run.t, errors) : undefined;
  if (lost === undefined)
    return create("td", {
      textContent: text,
      title: text === "–" ? "This error is below the uncertainty of the exact motion." : "",
    });
  return create("td", {
    textContent: "phase lost",
    title: `${text}${UNIT}; from t = ${formatNumber(lost)} on this error is noise`,
  });
}

/** Format nanoseconds a step: a dash if the method ends too soon, and dots until it is timed. */
const formatTime = time =>
  time === undefined ? "…" : time === null ? "–" : String(Math.round(time));

/** Create the table of `runs` with a column for each invariant. */
export function createLedger(invariants, computation) {
  const {runs, exactMotion, stepTimes} = computation;
  const head = [
    "Method",
    ...invariants.map(({title}) => `largest change:\n${title.replace(/ error$/, "")}`),
    `${data.error.title.toLowerCase()}\nat the end${UNIT && `,${UNIT}`}`,
    "torques\na step",
    "Newton\na step",
    "least ns\na step",
    "ended",
  ];
  const rows = runs.map(({label, colour, run}) => {
    const dot = create("i"),
      name = create("th", {scope: "row"}, dot, label);
    dot.style.cssText = `display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:8px;background:${colour}`;
    if (run.message) name.append(create("small", {textContent: run.message}));
    const roundoff = findRoundoff({label, run}),
      perStep = n => (run.done ? formatNumber(n / run.done, 3) : "–");
    const changes = invariants.map(quantity => {
      const change = maxDeparture(quantity, run, computation),
        text = formatMeasured(change);
      if (!(change <= roundoff && isPromised(label, quantity, computation)))
        return create("td", {textContent: text});
      const [word, of] = isSingle(label) ? ["32-bit roundoff", " of 32 bits"] : ["exact", ""];
      return create("td", {textContent: word, title: `${text}, which is roundoff${of}`});
    });
    const costs = [
      perStep(run.torqueEvaluations),
      perStep(run.newtonIterations),
      formatTime(stepTimes.get(label)),
      STATUS[run.status],
    ];
    return create(
      "tr",
      {},
      name,
      ...changes,
      createErrorCell(run, computation),
      ...costs.map(textContent => create("td", {textContent})),
    );
  });
  const about = [
    runs.length ? "Changes are relative to the start and over every step." : "No method is chosen.",
    exactMotion
      ? `The exact motion: ${data.reference.label} at fine steps, with an error of at most about ${formatMeasured(exactMotion.apart)}${UNIT}.`
      : "",
  ];
  return create(
    "div",
    {className: "ledger"},
    create(
      "table",
      {},
      create("caption", {textContent: about.join(" ")}),
      create(
        "thead",
        {hidden: !runs.length},
        create("tr", {}, ...head.map(innerText => create("th", {scope: "col", innerText}))),
      ),
      create("tbody", {}, ...rows),
    ),
  );
}
