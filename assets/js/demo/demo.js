// A live demo, which app/demos/live.py packs into one file. Each change of a field runs the chosen methods again, in the browser,
// and shows what they conserve and lose; then it computes the exact motion.

import {createDialog, selectParts} from "../controls/embed.js";
import {render as renderForm} from "../controls/form.js";
import {listCurves} from "../core/curves.js";
import {create, showBriefly} from "../core/dom.js";
import {copyText} from "../core/files.js";
import {formatMeasured, formatNumber, formatValue} from "../core/numbers.js";
import {page} from "../core/page.js";
import {Plot} from "../core/plot.js";
import {findRoundoff, takeKnown} from "../core/series.js";
import {clock} from "../scene/clock.js";
import {choice} from "./choice.js";
import {data, isPair} from "./data.js";
import {createLedger} from "./ledger.js";
import {findInvariants} from "./invariants.js";
import {Model} from "./model.js";
import {Computation} from "./runs.js";
import {createScenes} from "./scenes.js";

const PLOTS = 8,
  INVARIANTS = 3; // plots, and those of them that show invariants

const find = id => document.getElementById(id);

// ---- the form ------------------------------------------------------------------------------------------------------

const form = new Model(
  {fields: data.fields, values: {}, wrong: {}, title: ""},
  ({name, text, held}) => {
    try {
      if (name === "halve" || name === "double")
        [name, text] = ["dt", String(choice.state.dt * (name === "halve" ? 0.5 : 2))];
      choice.change(name, text);
      form.set({wrong: {}, values: choice.texts});
    } catch (error) {
      form.set({wrong: {[name]: error.message}, values: choice.texts});
      return;
    }
    compute(held);
    requestAnimationFrame(() => form.answer(name));
  },
);

function createDot(colour) {
  const dot = create("i");
  dot.style.setProperty("--c", colour);
  return dot;
}

const boxes = data.lines.map(({method, label, colour}) => {
  const box = create("input", {type: "checkbox", value: method});
  box.addEventListener("change", () => {
    choice.chooseMethods(boxes.filter(({checked}) => checked).map(({value}) => value));
    compute();
  });
  document.querySelector(".methods").append(create("label", {}, box, createDot(colour), label));
  return box;
});

// ---- scenes and plots ----------------------------------------------------------------------------------------------

const scenes = await createScenes(
  document.querySelector(".views"),
  find("player-style").textContent,
);

const plots = Array.from({length: PLOTS}, () => {
  const title = create("h2"),
    formula = create("span", {className: "formula"}),
    values = create("div", {className: "values"}),
    axis = create("button", {type: "button"}),
    host = create("div", {className: "plot"});
  const frame = create(
    "section",
    {},
    create("div", {className: "heading"}, title, formula, axis, values),
    host,
  );
  document.querySelector(".plots").append(frame);
  axis.addEventListener("click", () => {
    choice.state.log = !choice.state.log;
    draw();
    remember();
  });
  const plot = new Plot(host, {
    label: "Curves over time",
    seek: time => clock.seek(time),
    read: (found, time) =>
      values.replaceChildren(
        create("span", {textContent: `t = ${formatNumber(time, 4)}`}),
        ...found.map(({label, colour, value}) =>
          create(
            "span",
            {},
            createDot(colour),
            `${label} ${axis.hidden ? formatValue(value, false) : value === 0 ? "exactly 0" : formatMeasured(value)}`,
          ),
        ),
      ),
  });
  return {frame, title, formula, axis, plot};
});

// The plots follow the clock like a player.
clock.join({
  solid: null,
  visible: true,
  stale: true,
  frame() {
    for (const {plot} of plots) if (plot.time !== clock.time) plot.moveTo(clock.time);
  },
});

/** A mark at the last time of good attitudes of the exact motion, if it goes beyond. */
function markHorizon({run, apart}) {
  const beyond = isPair ? -1 : apart.findIndex(far => !(far <= data.good));
  return beyond < 0 ? [] : [["horizon of the exact motion", run.t[Math.max(0, beyond - 1)]]];
}

/** The known errors against the exact motion, and its own. */
function listErrors({lines, exactMotion}) {
  if (!exactMotion) return {curves: []};
  const known = ({run}) => takeKnown(run.t, computation.measureError(run)),
    own = {colour: "ink", faint: true, label: "exact motion"};
  return {
    curves: [
      ...lines.map((line, i) => ({
        ...data.looks[i + 1],
        ...line,
        floor: findRoundoff(line),
        ...known(line),
      })),
      {...own, t: exactMotion.run.t, y: exactMotion.apart},
    ],
    words: markHorizon(exactMotion),
  };
}

function draw() {
  const {results} = computation,
    {lines} = results,
    {duration, log} = choice.state,
    invariants = findInvariants(results);
  const listAll = quantity =>
    listCurves(quantity, data.looks[0], results).map(curve => ({
      ...(lines.length ? data.looks[curve.slot] : {}), // the exact motion alone is a plain line
      ...curve,
    }));
  const drawn = [
    ...invariants
      .filter(({part}) => choice.showsPart(part))
      .slice(0, INVARIANTS)
      .map(quantity => ({
        ...quantity,
        curves: listAll(quantity).map((curve, i) => ({
          ...curve,
          floor: findRoundoff(lines[i]),
        })),
      })),
    ...(choice.showsPart(data.error.part) ? [{...data.error, ...listErrors(results)}] : []),
    ...data.motions
      .filter(({part}) => choice.words.show && choice.showsPart(part))
      .map(quantity => ({...quantity, curves: listAll(quantity)})),
  ];
  document.querySelector(".plots").dataset.count = drawn.length;
  plots.forEach(({frame, title, formula, axis, plot}, i) => {
    frame.hidden = i >= drawn.length;
    if (frame.hidden) return;
    const quantity = drawn[i];
    title.textContent = quantity.title;
    formula.textContent = quantity.formula;
    axis.hidden = !quantity.log;
    axis.textContent = log ? "log" : "linear";
    axis.ariaLabel = `${quantity.title}: ${axis.textContent} axis; change it`;
    plot.front.ariaLabel = `${quantity.title}, over time`;
    plot.show({
      curves: quantity.curves,
      words: quantity.words,
      log: log && quantity.log,
      end: duration,
    });
  });
  for (const scene of scenes) scene.draw(results);
  find("ledger").replaceChildren(createLedger(invariants, computation));
  find("snippet").textContent = choice.writeProgram();
  find("link").textContent = choice.writeLink();
}

// ---- runs ----------------------------------------------------------------------------------------------------------

const computation = new Computation(find("engine").textContent, {draw, report});

/** Run what is chosen; the address changes at once, or when a slider is released. */
function compute(held = false) {
  find("reset").disabled = choice.isInitial;
  if (!held) remember();
  return computation.compute(choice.state);
}

/** Show progress with a button that stops the runs, or nothing. */
function report(text, stop = null) {
  const line = find("state");
  if (!text) line.replaceChildren();
  else {
    if (!line.firstChild)
      line.append(create("span"), create("button", {type: "button", textContent: "Stop"}));
    line.firstChild.textContent = text;
    line.lastChild.onclick = stop;
  }
  for (const {frame} of [...scenes, ...plots])
    frame.classList.toggle("old", text.startsWith("Computing …"));
}

// ---- the address, and links ----------------------------------------------------------------------------------------

const base = () => location.href.split("#")[0];
let later = 0;

/** Write the address, without an entry in the history. */
function writeAddress() {
  const address = choice.formatAddress();
  try {
    history.replaceState(null, "", address ? `#${address}` : base());
  } catch {
    /* a frame without an address */
  }
}

/** Write the address when the changes rest. */
function remember() {
  clearTimeout(later);
  later = setTimeout(writeAddress, 200);
}

/** Show the choice in all fields. */
function show() {
  const {state, words} = choice;
  form.set({
    fields: data.fields.filter(({name}) => choice.showsField(name)),
    values: choice.texts,
    wrong: {},
  });
  for (const box of boxes) box.checked = state.methods.includes(box.value);
  document.querySelector(".methods").hidden = !boxes.length || !choice.showsField("methods");
  for (const {frame, part} of scenes) frame.hidden = !choice.showsPart(part);
  for (const part of ["ledger", "about"])
    document.querySelector(`[data-part=${part}]`).hidden = !choice.showsPart(part);
  document.querySelector("[data-part=controls]").hidden = words.controls === "none";
  if (words.caption !== undefined) document.querySelector("header p").textContent = words.caption;
}

function openAddress() {
  find("refused").className = "";
  find("refused").textContent = [...data.refused, ...choice.readAddress()].join(" ");
  page.hide(choice.words.play === "held" ? ["picture"] : []);
  show();
  return compute();
}

find("reset").addEventListener("click", () => {
  choice.reset();
  show();
  compute();
});
find("copy").addEventListener("click", async ({target}) => {
  writeAddress();
  showBriefly(
    target,
    (await copyText(location.href, document.body)) ? "Copied" : "See the address",
  );
});
addEventListener("message", ({data: message, source}) => {
  // from the text of a lesson around the demo
  if (source !== parent || parent === window) return;
  const {moment, change, lit} = message ?? {},
    {time, of, camera} = moment ?? {},
    turns = Array.isArray(camera) && camera.length === 3 && camera.every(Number.isFinite);
  if (Number.isFinite(change?.by)) page.request("change step size", change);
  if (typeof lit === "string")
    for (const {frame, title} of plots)
      frame.classList.toggle("lit", !!lit && title.textContent.startsWith(lit));
  if (Number.isFinite(time))
    clock.showMoment({
      time: Math.max(0, time),
      of: String(of ?? ""),
      note: "",
      camera: turns && camera,
    });
});
page.offer("show step size", () => {
  if (parent !== window) parent.postMessage({stepSize: page.stepSize}, "*");
});
addEventListener("hashchange", () => {
  if (location.hash.slice(1) === choice.formatAddress()) return;
  openAddress();
  if (choice.words.play !== "no") clock.begin();
});

const file = location.protocol.startsWith("http")
  ? base()
  : decodeURIComponent(location.pathname.match(/[^/]+\.html?$/)?.[0] ?? "demo.html");
const fields = [["methods", "Methods"], ...data.fields.map(({name, label}) => [name, label])];
const addressOf = words =>
  choice.formatAddress(
    selectParts(
      words,
      data.parts.map(([word]) => word),
      fields.map(([name]) => name),
    ),
  );
const embedding = createDialog(
  words => [
    {
      title: "A line of HTML",
      about: "With this file in the folder of the page, or by its own address.",
      src: `${file}#${addressOf(words)}`,
      sandbox: true,
    },
  ],
  words => location.protocol !== "about:" && `${base()}#${addressOf(words)}`,
);
document.body.append(embedding.box);
find("embed").addEventListener("click", () => {
  const invariants = findInvariants(computation.results),
    lost = data.invariants.filter(quantity => !invariants.includes(quantity)).map(({part}) => part);
  const parts = data.parts.filter(([word]) => !lost.includes(word));
  embedding.open({
    title: document.title,
    parts,
    controls: fields,
    show: [parts[0][0], "energy"],
    asks: ["dt"],
  });
});

// ---- the start -----------------------------------------------------------------------------------------------------

choice.readAddress();
find("form")
  .attachShadow({mode: "open"})
  .append(
    create("style", {textContent: find("form-style").textContent}),
    renderForm({model: form}),
  );
await computation.load();
globalThis.polhodeDemo = {
  get state() {
    return structuredClone(choice.state);
  },
  get runs() {
    return computation.results.lines;
  },
  get exactMotion() {
    return computation.results.exactMotion;
  },
};
openAddress();
if (choice.words.play !== "no") clock.begin();
