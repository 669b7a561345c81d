// The heading of a plot: its title, its formula, values under the pointer, and downloads; see app/views/plots/time_plots.py.

import {create} from "../core/dom.js";
import {saveDrawing, saveFile} from "../core/files.js";
import {explainWords, showMeanings} from "../core/meanings.js";
import {page} from "../core/page.js";

const FORMATS = ["table", "CSV", "PNG", "SVG"];
const NOTCH = 20; // pixels of a wheel for the least change: 20 notches of 100 pixels are a power of ten

const findView = model => window.Bokeh.index.find_one_by_id(model.figure_id);

function showTable(dialog, {caption, columns, rows}) {
  const cells = (name, texts, more) => texts.map(textContent => create(name, {textContent, ...more}));
  dialog.querySelector("caption").textContent = caption;
  dialog.querySelector("thead").replaceChildren(create("tr", {}, ...cells("th", columns, {scope: "col"})));
  dialog.querySelector("tbody").replaceChildren(...rows.map(texts => create("tr", {}, ...cells("td", texts))));
  if (dialog.isConnected) dialog.showModal(); // a page change may have removed the plot
}

/** The values of a plot's visible curves at a time, each with its name and colour; the exact curve is last. */
function readValues(view, t) {
  const hover = view.model.toolbar.tools.find(({formatters}) => formatters?.["@y"]), values = [];
  const [exact, ...methods] = hover.renderers;
  for (const {name, visible, glyph, data_source} of [...methods, exact]) {
    const times = data_source.get_column("t"), column = data_source.get_column("y");
    if (!visible || times.length < 2 || !(t >= times[0] && t <= times[times.length - 1])) continue;
    const i = Math.max(1, times.findIndex(time => time >= t)), part = (t - times[i - 1]) / (times[i] - times[i - 1]);
    const value = column[i - 1] + part * (column[i] - column[i - 1]);
    values.push({name, colour: glyph.line_color.value, text: hover.formatters["@y"].format(value, "", {})});
  }
  return values;
}

/** With Alt, the wheel over a plot moves the slider of Δt, if the page has one, and does not scroll. */
function steerStepSize(element) {
  let rest = 0;
  element.addEventListener("wheel", event => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    rest -= event.deltaY * (event.deltaMode ? 30 : 1) / NOTCH;
    const by = Math.trunc(rest);
    if (page.request("change step size", by)) event.preventDefault();
    rest -= by;
  }, {passive: false});
}

export function render({model, el}) {
  showMeanings();
  const root = create("div", {className: "plot-head"});
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="values" aria-hidden="true" hidden></span>
    <span class="take" role="group"></span>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, values, downloads, dialog] = ["h3", ".formula", ".values", ".take", "dialog"].map(name => root.querySelector(name));
  const reset = create("button", {textContent: "reset zoom", hidden: true, title: "Show the whole plot, like a double click in it"});
  reset.onclick = () => findView(model).model.reset.emit();
  downloads.append(reset, ...FORMATS.map(name => create("button", {textContent: name, onclick: () => model.send_msg({want: name.toLowerCase()})})));

  function showValues(view, t) {
    const found = t === undefined ? [] : readValues(view, t);
    values.replaceChildren(`t = ${Number(t).toPrecision(4)}`, ...found.map(({name, colour, text}) => {
      const dot = create("i");
      dot.style.background = colour;
      return create("b", {}, dot, `${name} ${text}`);
    }));
    values.hidden = !found.length;
    formula.hidden = !values.hidden;
  }

  let watched = null;
  function watch(view) {
    if (!view || view === watched) return;
    watched = view;
    // A finger that moves up or down scrolls the page, as it does elsewhere.
    const events = view.canvas_view?.events_el;
    if (events) events.style.touchAction = "pan-y";
    if (view.model.tags.includes("timeplot")) {
      steerStepSize(view.el);
      view.model.on_event("mousemove", ({x}) => showValues(view, x));
      view.model.on_event("mouseleave", () => showValues(view));
    }
    const ranges = [view.model.x_range, view.model.y_range];
    const offerReset = () => { reset.hidden = ranges.every(range => range.start === range.reset_start && range.end === range.reset_end); };
    for (const range of ranges) {
      const {start, end, reset_start, reset_end} = range.properties;
      range.on_change([start, end, reset_start, reset_end], offerReset);
    }
    offerReset();
  }

  function label() {
    const {title: name, means} = model, view = findView(model);
    title.replaceChildren(...explainWords(name, means ? {[name]: means} : {}));
    title.title = means ? "" : name;
    formula.textContent = formula.title = model.formula;
    for (const button of downloads.children) button.setAttribute("aria-label", `${name}: ${button.textContent}`);
    downloads.setAttribute("aria-label", `Download: ${name}`);
    dialog.setAttribute("aria-label", `${name}, table`);
    watch(view);
    if (!view) return;
    page.plots.set(view, {title: name, formula: model.formula, readValues: t => readValues(view, t)});
    view.el.setAttribute("role", "img");
    view.el.setAttribute("aria-label", `${name} ${model.formula}, against ${model.across}`);
  }

  for (const property of ["title", "formula", "means"]) model.on(property, label);
  model.on("msg:custom", message => {
    if (message.columns) showTable(dialog, message);
    else if (message.type === "image/png") saveDrawing(message.text, message.name);
    else saveFile(message.text, message.name, message.type);
  });
  model.on("after_render", label);
  label();
  setTimeout(label, 500);
  el.append(root);
}

export default {render};
