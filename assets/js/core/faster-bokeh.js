// Changes to Bokeh's internals (read in 3.9 and 3.10) that skip work on what has not changed or is not used in the page's plots over
// time. Where Bokeh's internal names differ, nothing is changed.

import {strokeCurve} from "./plot.js";

const inner = (module, name) => { try { return window.Bokeh.require(module)[name].prototype; } catch { return {}; } };
const isTimed = view => view.plot_view.model.tags.includes("timeplot");

const NOWHERE = {x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity};

function paintCurve(g, {model: {glyph, data_source: {data: {t, y}}}, coordinates: {x_scale, y_scale}}) {
  const across = x_scale.s_compute, up = y_scale.s_compute;
  g.save();
  Object.assign(g, {strokeStyle: glyph.line_color.value, lineWidth: glyph.line_width.value, globalAlpha: glyph.line_alpha.value});
  g.setLineDash(glyph.line_dash.value ?? []);
  strokeCurve(g, t.length, i => across(t[i]), i => up(y[i]));
  g.restore();
}

/** Make these changes, once. */
export function skipUnusedWork() {
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

  // Draw the curves of time plots from their points. Bokeh would copy the points into six glyphs for selections and the
  // like, which these plots do not have.
  const {set_data: setData, _paint: paint, bounds, log_bounds: logBounds} = curve, isCurve = view => view.model.glyph.type === "Line" && isTimed(view);
  if (setData && paint) Object.assign(curve, {
    async set_data(indices) { if (!isCurve(this)) await setData.call(this, indices); },
    _paint(g) { if (isCurve(this)) paintCurve(g, this); else paint.call(this, g); },
    // The axes have ends of their own.
    bounds(...given) { return isCurve(this) ? NOWHERE : bounds.apply(this, given); },
    log_bounds(...given) { return isCurve(this) ? NOWHERE : logBounds.apply(this, given); },
  });

  // Set the font of an axis' labels once: where it is set already, the browser does not look for it again.
  const axis = inner("models/axes/axis", "AxisView"), drawLabels = axis._draw_oriented_labels;
  if (drawLabels) axis._draw_oriented_labels = function (g, labels, ...more) {
    g.save();
    if (this.polhode_font) g.font = this.polhode_font;
    drawLabels.call(this, g, labels, ...more);
    this.polhode_font = labels.items[0]?.font;
    g.restore();
  };

  // Read a figure's font once; each read would make the browser lay out what has changed elsewhere.
  const plot = inner("models/plots/plot_canvas", "PlotView"), font = Object.getOwnPropertyDescriptor(plot, "base_font_size");
  if (font) Object.defineProperty(plot, "base_font_size", {
    ...font, get() { return this.polhode_font_size ??= font.get.call(this); },
  });

  // Skip the layout of a time plot, whose borders have room for any labels of its axes.
  const laid = plot._invalidate_layout_if_needed;
  if (laid) plot._invalidate_layout_if_needed = function () { if (!this.model.tags.includes("timeplot")) laid.call(this); };

  // Skip the layout of what has the width of its last layout: a figure changes no other size.
  const box = inner("models/layouts/layout_dom", "LayoutDOMView"), {_after_resize: resized, after_layout: finished} = box;
  if (resized && finished) Object.assign(box, {
    _after_resize() { if (this.bbox.width !== this.polhode_width) resized.call(this); },
    after_layout() {
      this.polhode_width = this.bbox.width;
      finished.call(this);
    },
  });
}
