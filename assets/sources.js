// The points of curves, which come in one piece, into the plots' sources; see app/views/sources.py; and what keeps Bokeh from
// doing again, at each change, what has not changed. Where its inner names differ, all goes on as it was.

const inner = (module, name) => { try { return window.Bokeh.require(module)[name].prototype; } catch { return {}; } };

// The styles of all parts of a figure, which seldom change, are written only if they differ.
const sheet = inner("core/dom", "InlineStyleSheet"), write = sheet._update;
if (write) sheet._update = function (css) { if (css !== this.el.textContent) write.call(this, css); };

// No style sheet here sets a colour of a plot, which is asked for some hundred times.
const visual = inner("core/visuals/visual", "VisualProperties");
if (visual._get_css_value) visual._get_css_value = () => "";

// The element that goes with a curve, at which nothing here looks, need not be moved with it; each move has the browser
// work out the styles of the page anew before the next label is written.
const curve = inner("models/renderers/glyph_renderer", "GlyphRendererView");
if (curve.update_position) curve.update_position = () => {};

// A figure's font stays as it is; to ask for it has the browser lay out what has changed elsewhere so far.
const plot = inner("models/plots/plot_canvas", "PlotView"), font = Object.getOwnPropertyDescriptor(plot, "base_font_size");
if (font) Object.defineProperty(plot, "base_font_size", {
  ...font, get() { return this.polhode_font_size ??= font.get.call(this); },
});

// The borders of a time plot hold any labels of its axes.
const laid = plot._invalidate_layout_if_needed;
if (laid) plot._invalidate_layout_if_needed = function () { if (!this.model.tags.includes("timeplot")) laid.call(this); };

// What has only become longer, as a table with another row, has no figure of another size in it.
const box = inner("models/layouts/layout_dom", "LayoutDOMView"), resized = box._after_resize;
if (resized) box._after_resize = function () {
  const {width} = this.bbox;
  if (width !== this.polhode_width) resized.call(this);
  this.polhode_width = width;
};

export function render({model, view}) {
  const put = () => {
    const points = new Float32Array(model.points);
    let at = 0;
    for (const id of points.length ? model.sources : []) {
      const n = points[at++], t = points.subarray(at, at += n), y = points.subarray(at, at += n);
      const source = view.model.document.get_model_by_id(id);
      // The server knows them.
      if (n || source.data.t.length) source.setv({data: {t, y}}, {sync: false});
    }
  };
  model.on("points", put);
  put();
  return document.createElement("div");
}

export default {render};
