// The line above a plot: its title, its formula, and what can be taken from it; see app/views/plots.py.

import {made} from "./made.js";
import {marked, showMeanings} from "./terms.js";

function plot(model) { return window.Bokeh.index.find_one_by_id(model.figure_id); }

function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A drawing's pixels, two for each of its own, on the white that it has as its ground.
async function pixels(drawing) {
  const address = URL.createObjectURL(new Blob([drawing], {type: 'image/svg+xml'}));
  const image = new Image(), canvas = document.createElement('canvas');
  image.src = address;
  await image.decode().finally(() => URL.revokeObjectURL(address));
  Object.assign(canvas, {width: 2 * image.width, height: 2 * image.height});
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

function show_table(root, data) {
  const dialog = root.querySelector('dialog');
  const [head, body, caption] = ['thead', 'tbody', 'caption'].map((name) => dialog.querySelector(name));
  const cell = (name, text) => { const x = document.createElement(name); x.textContent = text; return x; };
  const row = (name, texts) => { const x = document.createElement('tr'); x.append(...texts.map((t) => cell(name, t)));
                                 return x; };
  caption.textContent = data.caption;
  head.replaceChildren(row('th', data.columns));
  for (const th of head.querySelectorAll('th')) th.scope = 'col';
  body.replaceChildren(...data.rows.map((texts) => row('td', texts)));
  if (dialog.isConnected) dialog.showModal();  // the plot may have been replaced since it was asked
}

// What the curves of a plot over time, as they are drawn, are at a time: of each that goes as far, the exact one last.
function values_at(view, t) {
  const hover = view.model.toolbar.tools.find(({formatters}) => formatters?.['@y']), found = [];
  const [exact, ...methods] = hover.renderers;
  for (const {name, visible, glyph, data_source} of [...methods, exact]) {
    const times = data_source.get_column('t'), values = data_source.get_column('y');
    if (!visible || times.length < 2 || !(t >= times[0] && t <= times[times.length - 1])) continue;
    const i = Math.max(1, times.findIndex((time) => time >= t)), part = (t - times[i - 1]) / (times[i] - times[i - 1]);
    const value = values[i - 1] + part * (values[i] - values[i - 1]);
    found.push({name, colour: glyph.line_color.value, text: hover.formatters['@y'].format(value, '', {})});
  }
  return found;
}

const NOTCH = 20;  // pixels of a wheel for the least change: a notch of 100 is a power of ten in twenty

// With Alt the wheel over a plot moves the slider of Δt, if the page has one (form.js), and nothing is scrolled.
function turns_dt(element) {
  let rest = 0;
  element.addEventListener('wheel', (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    rest -= event.deltaY * (event.deltaMode ? 30 : 1) / NOTCH;
    const by = Math.trunc(rest);
    if (!document.dispatchEvent(new CustomEvent('polhode:dt', {detail: by, cancelable: true}))) event.preventDefault();
    rest -= by;
  }, {passive: false});
}

export function render({model, el}) {
  showMeanings();
  const root = document.createElement('div');
  root.className = 'plot-head';
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="values" aria-hidden="true" hidden></span>
    <span class="take" role="group"></span>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, values, take] = ['h3', '.formula', '.values', '.take'].map((name) => root.querySelector(name));
  const wants = {
    table: () => model.send_msg({want: 'table'}),
    CSV: () => model.send_msg({want: 'csv'}),
    PNG: () => model.send_msg({want: 'png'}),
    SVG: () => model.send_msg({want: 'svg'}),
  };
  const reset = document.createElement('button');
  reset.textContent = 'reset zoom'; reset.hidden = true; reset.title = 'All of its axes, as a double click in the plot';
  reset.onclick = () => plot(model).model.reset.emit();
  take.append(reset);
  for (const [name, action] of Object.entries(wants)) {
    const button = document.createElement('button');
    button.textContent = name; button.onclick = action; take.append(button);
  }
  let watched = null;
  const watch = (view) => {
    if (!view || view === watched) return;
    watched = view;
    // A finger that moves up or down scrolls the page, as anywhere else.
    const touched = view.canvas_view?.events_el;
    if (touched) touched.style.touchAction = 'pan-y';
    const ranges = [view.model.x_range, view.model.y_range];
    const zoomed = () => {
      reset.hidden = ranges.every((r) => r.start === r.reset_start && r.end === r.reset_end);
    };
    if (view.model.tags.includes('timeplot')) {
      turns_dt(view.el);
      const told = (t) => {
        const found = t === undefined ? [] : values_at(view, t);
        values.replaceChildren(`t = ${Number(t).toPrecision(4)}`, ...found.map(({name, colour, text}) => {
          const dot = made('i');
          dot.style.background = colour;
          return made('b', {}, dot, `${name} ${text}`);
        }));
        values.hidden = !found.length;
        formula.hidden = !values.hidden;
      };
      view.model.on_event('mousemove', ({x}) => told(x));
      view.model.on_event('mouseleave', () => told());
    }
    for (const range of ranges) {
      const {start, end, reset_start, reset_end} = range.properties;
      range.on_change([start, end, reset_start, reset_end], zoomed);
    }
    zoomed();
  };
  const name = () => {
    title.replaceChildren(...marked(model.title, model.means ? {[model.title]: model.means} : {})); title.title = model.means ? '' : model.title;
    formula.textContent = formula.title = model.formula;
    for (const b of take.children) b.setAttribute('aria-label', `${model.title}: ${b.textContent}`);
    take.setAttribute('aria-label', `Take along: ${model.title}`);
    root.querySelector('dialog').setAttribute('aria-label', `${model.title}, table`);
    const view = plot(model);
    watch(view);
    if (view) { view.el.plot = {title: model.title, formula: model.formula, at: (t) => values_at(view, t)};  // for stage.js
                view.el.setAttribute('role', 'img');
                view.el.setAttribute('aria-label', `${model.title} ${model.formula}, against ${model.across}`); }
  };
  for (const what of ['title', 'formula', 'means']) model.on(what, name);
  model.on('msg:custom', (data) => {
    if (data.columns) show_table(root, data);
    else if (data.type === 'image/png') pixels(data.text).then((blob) => save(data.name, blob));
    else save(data.name, new Blob([data.text], {type: data.type}));
  });
  name(); model.on('after_render', name); setTimeout(name, 500);
  el.append(root);
}

export default {render};
