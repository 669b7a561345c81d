// The heading of a plot: its title, its formula, and a menu of downloads; and over a plot against time the words on its curves, and
// the values under the pointer. See app/views/plots/time_plots.py.

import {create} from "../core/dom.js";
import {colourText} from "../core/figures.js";
import {saveDrawing, saveFile} from "../core/files.js";
import {explainWords, showMeanings} from "../core/meanings.js";
import {formatValue} from "../core/numbers.js";
import {page} from "../core/page.js";
import {readRow} from "../core/rows.js";
import {placeWords} from "../core/plot.js";

const FORMATS = ["table", "CSV", "PNG", "SVG"];
const NOTCH = 20; // pixels of a wheel for the least change: 20 notches of 100 pixels are a power of ten
const FRAME =
  "position:absolute;left:64px;top:4px;bottom:22px;pointer-events:none;font:12px/14px var(--bokeh-base-font,sans-serif)";
const EDGES = 26,
  LINE = 14; // pixels above and below the frame of a plot over time, and between two lines of words
const APART = 14; // pixels between the pointer and the values

const findView = model => window.Bokeh.index.find_one_by_id(model.figure_id);

function showTable(dialog, {caption, columns, rows}) {
  const cells = (name, texts, more) =>
    texts.map(textContent => create(name, {textContent, ...more}));
  dialog.querySelector("caption").textContent = caption;
  dialog
    .querySelector("thead")
    .replaceChildren(create("tr", {}, ...cells("th", columns, {scope: "col"})));
  dialog
    .querySelector("tbody")
    .replaceChildren(...rows.map(texts => create("tr", {}, ...cells("td", texts))));
  if (dialog.isConnected) dialog.showModal(); // a page change may have removed the plot
}

/** The visible curves of a plot over time, the exact one last. */
function readCurves({model}) {
  const [exact, ...methods] = model.renderers.filter(({glyph}) => glyph.type === "Line");
  return [...methods, exact]
    .filter(({visible, data_source}) => visible && data_source.get_column("t")?.length)
    .map(({name, glyph, data_source}) => ({
      label: name,
      colour: glyph.line_color.value,
      width: glyph.line_width.value,
      dash: glyph.line_dash.value ?? [],
      opacity: glyph.line_alpha.value,
      t: data_source.get_column("t"),
      y: data_source.get_column("y"),
    }));
}

/** With Alt, the wheel over a plot moves the slider of Δt, if the page has one, and does not scroll. */
function steerStepSize(element) {
  let rest = 0;
  element.addEventListener(
    "wheel",
    event => {
      if (!event.altKey || event.ctrlKey || event.metaKey) return;
      rest -= (event.deltaY * (event.deltaMode ? 30 : 1)) / NOTCH;
      const by = Math.trunc(rest);
      if (page.request("change step size", by)) event.preventDefault();
      rest -= by;
    },
    {passive: false},
  );
}

const PAPER = "color-mix(in srgb, var(--panel-surface-color, Canvas) 85%, transparent)"; // between curves and a word over them
const place = (element, style) => {
  element.style.cssText = `position:absolute;${style}`;
  return element;
};

/** Draw the words on the curves beside the frame, with lines at places that matter. */
function drawWords(view, box) {
  const {x_range: X, y_range: Y, height} = view.model,
    bottom = height - EDGES;
  const across = x => (100 * (x - X.start)) / (X.end - X.start),
    up = y => (bottom * (Y.end - y)) / (Y.end - Y.start);
  const {lines, labels} = placeWords(
    page.words.get(view.model.id) ?? [],
    {across, up, left: 0, top: 0, right: 100, bottom},
    LINE,
  );
  const parts = lines.flatMap(({text, x, y}) => [
    place(
      create("div"),
      `opacity:.7;${x === null ? `left:0;right:0;top:${y}px;border-top` : `left:${x}%;top:0;bottom:0;border-left`}:1px dotted`,
    ),
    ...(x === null
      ? []
      : [
          place(
            create("span", {textContent: text}),
            `top:0;padding:0 4px;background:${PAPER};border-radius:4px;${x > 50 ? `right:${100 - x}` : `left:${x}`}%`,
          ),
        ]),
  ]);
  box.replaceChildren(
    ...parts,
    ...labels.map(({text, colour, y}) => {
      const dash = create("b", {textContent: colour ? "━ " : ""});
      dash.style.color = colour;
      return place(
        create("span", {}, dash, text),
        `left:100%;top:${y - LINE / 2}px;padding-left:4px;white-space:nowrap`,
      );
    }),
  );
}

export function render({model, el}) {
  showMeanings();
  const root = create("div", {className: "plot-head"});
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="take"></span>
    <div class="menu" role="menu" popover></div><div class="values" popover="manual" aria-hidden="true"></div>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, take, menu, values, dialog] = [
    "h3",
    ".formula",
    ".take",
    ".menu",
    ".values",
    "dialog",
  ].map(name => root.querySelector(name));
  const reset = create("button", {
    textContent: "reset zoom",
    hidden: true,
    title: "Show the whole plot, like a double click in it",
  });
  reset.onclick = () => findView(model).model.reset.emit();
  const opens = create("button", {
    className: "opens",
    textContent: "⋯",
    "aria-haspopup": "menu",
    popoverTargetElement: menu,
  });
  take.append(reset, opens);
  const dashes = create("button", {
    textContent: "dashed curves",
    role: "menuitemcheckbox",
    hidden: true,
  });
  menu.append(
    ...FORMATS.map(textContent => create("button", {textContent, role: "menuitem"})),
    dashes,
  );
  menu.addEventListener("click", ({target}) => {
    if (target === menu) return;
    menu.hidePopover();
    model.send_msg({want: target === dashes ? "dashes" : target.textContent.toLowerCase()});
  });
  menu.addEventListener("toggle", ({newState}) => {
    if (newState !== "open") return;
    const at = opens.getBoundingClientRect(),
      below = at.bottom + menu.offsetHeight < innerHeight;
    Object.assign(menu.style, {
      left: `${Math.max(8, at.right - menu.offsetWidth)}px`,
      top: `${below ? at.bottom : at.top - menu.offsetHeight}px`,
    });
    menu.firstChild.focus();
  });
  menu.addEventListener("keydown", event => {
    const items = [...menu.children].filter(item => !item.hidden),
      by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    items.at((items.indexOf(event.target) + by) % items.length).focus();
  });

  const box = place(create("div", {ariaHidden: "true"}), FRAME),
    marks = create("div"),
    words = create("div");
  box.append(words, marks);
  let due = 0;
  /** Draw the words before the next frame, once. */
  const annotate = () => {
    due ||= requestAnimationFrame(() => {
      due = 0;
      drawWords(watched, words);
    });
  };

  /** Show all curves' values at the stored time next to t, and mark them; without t, show nothing. */
  function showValues(view, t) {
    const {time, rows} = readRow(t === undefined ? [] : readCurves(view), t);
    marks.replaceChildren();
    if (!rows.length)
      return values.isConnected && values.matches(":popover-open") && values.hidePopover();
    const {x_range: X, y_range: Y} = view.model,
      across = (100 * (time - X.start)) / (X.end - X.start);
    for (const {value, colour} of rows) {
      const up = (100 * (Y.end - value)) / (Y.end - Y.start);
      if (up >= 0 && up <= 100)
        marks.append(
          place(
            create("div"),
            `left:${across}%;top:${up}%;width:8px;height:8px;margin:-4px;border-radius:50%;background:${colour}`,
          ),
        );
    }
    values.replaceChildren(
      create("b", {textContent: `t = ${formatValue(time, false)}`}),
      ...rows.map(({label, colour, value}) => {
        const dot = create("i");
        dot.style.background = colour;
        return create(
          "span",
          {},
          dot,
          create("em", {textContent: label}),
          ` ${formatValue(value, shown.log)}`,
        );
      }),
    );
    if (!values.matches(":popover-open")) values.showPopover();
    const at = box.getBoundingClientRect(),
      x = at.left + (at.width * across) / 100,
      {offsetWidth: wide, offsetHeight: tall} = values;
    const left = x + APART + wide < innerWidth ? x + APART : Math.max(0, x - APART - wide);
    Object.assign(values.style, {
      left: `${left}px`,
      top: `${Math.max(0, Math.min(at.top, innerHeight - tall))}px`,
    });
  }

  let watched = null,
    shown = model; // or what the browser draws of another problem
  function watch(view) {
    if (!view || view === watched) return;
    watched = view;
    colourText(view);
    // A finger that moves up or down scrolls the page, as it does elsewhere.
    const events = view.canvas_view?.events_el,
      timed = view.model.tags.includes("timeplot");
    if (events) events.style.touchAction = "pan-y";
    if (timed) {
      steerStepSize(view.el);
      view.model.on_event("mousemove", ({x}) => showValues(view, x));
      view.model.on_event("mouseleave", () => showValues(view));
      box.style.right = `${view.model.min_border_right}px`;
      view.shadow_el?.append(box);
      annotate();
    }
    const ranges = [view.model.x_range, view.model.y_range];
    const note = () => {
      reset.hidden = ranges.every(
        range => range.start === range.reset_start && range.end === range.reset_end,
      );
      if (timed) annotate();
    };
    for (const range of ranges) {
      const {start, end, reset_start, reset_end} = range.properties;
      range.on_change([start, end, reset_start, reset_end], note);
    }
    note();
  }

  function label() {
    const {title: name, formula: text, log, means} = shown,
      view = findView(model);
    title.replaceChildren(...explainWords(name, means ? {[name]: means} : {}));
    title.dataset.whole = name;
    formula.textContent = formula.dataset.whole = text;
    for (const button of [reset, ...menu.children])
      button.setAttribute("aria-label", `${name}: ${button.textContent}`);
    opens.ariaLabel = opens.title = `${name}: save or change`;
    menu.ariaLabel = name;
    dashes.hidden = model.dashed === null;
    dashes.ariaChecked = model.dashed;
    dialog.setAttribute("aria-label", `${name}, table`);
    watch(view);
    if (!view) return;
    const describe = plan => {
      shown = plan ?? model;
      label();
    };
    page.plots.set(view, {
      title: name,
      formula: text,
      log,
      annotate,
      describe,
      readCurves: () => readCurves(view),
    });
    view.el.setAttribute("role", "img");
    view.el.setAttribute("aria-label", `${name} ${text}, against ${model.across}`);
  }

  for (const property of ["title", "formula", "means", "log", "dashed"])
    model.on(property, () => {
      shown = model;
      label();
    });
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
