// The line above a plot: its title, its formula, and what can be taken from it; see app/views/plots.py.

const ink = (el) => getComputedStyle(el).color;

function plot(model) { return window.Bokeh.index.find_one_by_id(model.figure_id); }

function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The plot's pixels on the page's ground, with its title above and the methods below.
function picture(model, root) {
  const source = plot(model).export('png', true).canvas;
  const k = window.devicePixelRatio || 1, band = 30 * k;
  const canvas = document.createElement('canvas');
  canvas.width = source.width; canvas.height = source.height + 2 * band;
  const pen = canvas.getContext('2d');
  const ground = getComputedStyle(root).getPropertyValue('--panel-surface-color').trim();
  pen.fillStyle = ground || '#fff'; pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(source, 0, band);
  pen.fillStyle = ink(root); pen.textBaseline = 'middle';
  pen.font = `600 ${13 * k}px sans-serif`; pen.fillText(model.title, 12 * k, band / 2);
  const width = pen.measureText(model.title).width;
  pen.font = `${13 * k}px sans-serif`; pen.fillText(model.formula, 22 * k + width, band / 2);
  let x = 64 * k; const y = canvas.height - band / 2;
  const named = plot(model).model.renderers.filter((curve) => curve.visible && curve.name);
  const legend = new Map(named.map(({name, glyph}) => [name, (glyph.fill_color ?? glyph.line_color).value]));
  for (const [name, colour] of legend) {
    pen.fillStyle = colour; pen.fillRect(x, y - 1.5 * k, 18 * k, 3 * k); x += 24 * k;
    pen.fillStyle = ink(root); pen.fillText(name, x, y); x += pen.measureText(name).width + 18 * k;
  }
  canvas.toBlob((blob) => save(`${model.title}.png`, blob), 'image/png');
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
  dialog.showModal();
}

export function render({model, el}) {
  const root = document.createElement('div');
  root.className = 'plot-head';
  root.innerHTML = `<h3></h3><span class="formula"></span><span class="take" role="group"></span>
    <dialog><form method="dialog"><button>Close</button></form>
    <div tabindex="0"><table><caption></caption><thead></thead><tbody></tbody></table></div></dialog>`;
  const [title, formula, take] = ['h3', '.formula', '.take'].map((name) => root.querySelector(name));
  const wants = {
    table: () => model.send_msg({want: 'table'}),
    CSV: () => model.send_msg({want: 'csv'}),
    PNG: () => picture(model, root),
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
    for (const range of ranges) {
      const {start, end, reset_start, reset_end} = range.properties;
      range.on_change([start, end, reset_start, reset_end], zoomed);
    }
    zoomed();
  };
  const name = () => {
    title.textContent = model.title; formula.textContent = model.formula;
    for (const b of take.children) b.setAttribute('aria-label', `${model.title}: ${b.textContent}`);
    take.setAttribute('aria-label', `Take along: ${model.title}`);
    root.querySelector('dialog').setAttribute('aria-label', `${model.title}, table`);
    const view = plot(model);
    watch(view);
    if (view) { view.el.setAttribute('role', 'img');
                view.el.setAttribute('aria-label', `${model.title} ${model.formula}, against ${model.across}`); }
  };
  model.on('title', name); model.on('formula', name);
  model.on('msg:custom', (data) => {
    if (data.columns) show_table(root, data);
    else save(data.name, new Blob([data.text], {type: data.type}));
  });
  name(); model.on('after_render', name); setTimeout(name, 500);
  el.append(root);
}

export default {render};
