// Points of curves, which arrive in one buffer, for the plots' sources (app/views/plots/plot_sources.py); and changes to Bokeh's
// internals that skip work on what has not changed. Where Bokeh's internal names differ, nothing is changed.

import {page} from "../core/page.js";

const FAINT = 0.15; // opacity of curves while another stands out

const inner = (module, name) => { try { return window.Bokeh.require(module)[name].prototype; } catch { return {}; } };

// Write the styles of a figure's parts only if they differ, which is rare.
const sheet = inner("core/dom", "InlineStyleSheet"), write = sheet._update;
if (write) sheet._update = function (css) { if (css !== this.el.textContent) write.call(this, css); };

// No style sheet here sets a colour of a plot; Bokeh would look for one some hundred times.
const visual = inner("core/visuals/visual", "VisualProperties");
if (visual._get_css_value) visual._get_css_value = () => "";

// Leave the element of a curve where it is, since nothing here uses it; each move would make the browser compute the
// page's styles again before it writes the next label.
const curve = inner("models/renderers/glyph_renderer", "GlyphRendererView");
if (curve.update_position) curve.update_position = () => {};

// Read a figure's font once; each read would make the browser lay out what has changed elsewhere.
const plot = inner("models/plots/plot_canvas", "PlotView"), font = Object.getOwnPropertyDescriptor(plot, "base_font_size");
if (font) Object.defineProperty(plot, "base_font_size", {
  ...font, get() { return this.polhode_font_size ??= font.get.call(this); },
});

// Skip the layout of a time plot, whose borders have room for any labels of its axes.
const laid = plot._invalidate_layout_if_needed;
if (laid) plot._invalidate_layout_if_needed = function () { if (!this.model.tags.includes("timeplot")) laid.call(this); };

// Skip the layout of what only became longer, as a table with another row does: no figure in it changes its size.
const box = inner("models/layouts/layout_dom", "LayoutDOMView"), resized = box._after_resize;
if (resized) box._after_resize = function () {
  const {width} = this.bbox;
  if (width !== this.polhode_width) resized.call(this);
  this.polhode_width = width;
};

export function render({model, view}) {
  const fill = () => {
    const points = new Float32Array(model.points);
    let at = 0;
    for (const id of points.length ? model.sources : []) {
      const n = points[at++], t = points.subarray(at, at += n), y = points.subarray(at, at += n);
      const source = view.model.document.get_model_by_id(id);
      // Without a message: the server has these points.
      if (n || source.data.t.length) source.setv({data: {t, y}}, {sync: false});
    }
  };
  const showWords = () => {
    for (const [id, words] of Object.entries(model.words)) {
      page.words.set(id, words);
      page.plots.get(window.Bokeh.index.find_one_by_id(id))?.annotate();
    }
  };
  // Have the curves of one motion stand out; of none, after null.
  const opacities = new Map(), leaving = new AbortController();
  const standOut = moment => {
    for (const [glyph, opacity] of opacities) glyph.setv({line_alpha: opacity}, {sync: false});
    opacities.clear();
    const curves = Object.keys(model.words).flatMap(id => view.model.document.get_model_by_id(id).renderers).filter(({name}) => name);
    if (curves.some(({name}) => name === moment?.of))
      for (const {glyph} of curves.filter(({name}) => name !== moment.of)) {
        opacities.set(glyph, glyph.line_alpha);
        glyph.setv({line_alpha: FAINT}, {sync: false});
      }
  };
  page.offer("show moment", standOut, leaving.signal);
  model.on("remove", () => leaving.abort());
  model.on("points", fill);
  model.on("words", showWords); // which may change after the points
  fill();
  showWords();
  return document.createElement("div");
}

export default {render};
