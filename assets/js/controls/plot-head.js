// The head of a plot: its title, its formula, and a menu of downloads. See app/views/plots/plot_head.py.

import {create} from "../core/dom.js";
import {colourText} from "../core/figures.js";
import {saveDrawing, saveFile} from "../core/files.js";
import {explainWords, showMeanings} from "../core/meanings.js";

const FORMATS = ["table", "CSV", "PNG", "SVG"];

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

/**
 * Create the head of a plot. `send(want)` asks for a download, or for other dashes; `reset()` shows the whole plot. Returns the element,
 * `describe({title, formula, means})`, `receive(message)` and `mark({zoomed, dashed})`, whose `dashed` is missing where curves have none.
 */
export function createHead({send, reset}) {
  showMeanings();
  const root = create("div", {className: "plot-head"});
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="take"></span>
    <div class="menu" role="menu" popover></div>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, take, menu, dialog] = ["h3", ".formula", ".take", ".menu", "dialog"].map(
    name => root.querySelector(name),
  );
  const back = create("button", {
    textContent: "reset zoom",
    hidden: true,
    title: "Show the whole plot, like a double click in it",
    onclick: reset,
  });
  const opens = create("button", {
    className: "opens",
    textContent: "⋯",
    "aria-haspopup": "menu",
    popoverTargetElement: menu,
  });
  take.append(back, opens);
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
    send(target === dashes ? "dashes" : target.textContent.toLowerCase());
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

  return {
    root,
    describe({title: name, formula: text, means}) {
      title.replaceChildren(...explainWords(name, means ? {[name]: means} : {}));
      title.dataset.whole = name;
      formula.textContent = formula.dataset.whole = text;
      for (const button of [back, ...menu.children])
        button.setAttribute("aria-label", `${name}: ${button.textContent}`);
      opens.ariaLabel = opens.title = `${name}: save or change`;
      menu.ariaLabel = name;
      dialog.setAttribute("aria-label", `${name}, table`);
    },
    receive(message) {
      if (message.columns) showTable(dialog, message);
      else if (message.type === "image/png") saveDrawing(message.text, message.name);
      else saveFile(message.text, message.name, message.type);
    },
    mark({zoomed, dashed}) {
      back.hidden = !zoomed;
      dashes.hidden = dashed === undefined;
      dashes.ariaChecked = dashed;
    },
  };
}

export function render({model, el}) {
  const findFigure = () => window.Bokeh.index.find_one_by_id(model.figure_id);
  const head = createHead({
    send: want => model.send_msg({want}),
    reset: () => findFigure().model.reset.emit(),
  });

  let watched = null;
  function watch(view) {
    if (!view || view === watched) return;
    watched = view;
    colourText(view);
    // A finger that moves up or down scrolls the page, as it does elsewhere.
    const events = view.canvas_view?.events_el;
    if (events) events.style.touchAction = "pan-y";
    const ranges = [view.model.x_range, view.model.y_range];
    const note = () =>
      head.mark({
        zoomed: ranges.some(
          range => range.start !== range.reset_start || range.end !== range.reset_end,
        ),
      });
    for (const range of ranges) {
      const {start, end, reset_start, reset_end} = range.properties;
      range.on_change([start, end, reset_start, reset_end], note);
    }
    note();
  }

  function label() {
    const {title, formula, across} = model,
      view = findFigure();
    head.describe({title, formula});
    watch(view);
    view?.el.setAttribute("role", "img");
    view?.el.setAttribute("aria-label", `${title} ${formula}, against ${across}`);
  }

  for (const property of ["title", "formula"]) model.on(property, label);
  model.on("msg:custom", head.receive);
  model.on("after_render", label);
  label();
  setTimeout(label, 500);
  el.append(head.root);
}

export default {render};
