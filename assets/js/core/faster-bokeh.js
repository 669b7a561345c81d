// Changes to Bokeh's internals (read in 3.9 and 3.10) that skip work on what has not changed or is not used in the page's plots over
// time. Where Bokeh's internal names differ, nothing is changed.

import {strokeCurve} from "./plot.js";

const load = module => {
  try {
    return window.Bokeh.require(module);
  } catch {
    return {};
  }
};
const inner = (module, name) => load(module)[name]?.prototype ?? {};
const isTimed = view => view.plot_view.model.tags.includes("timeplot");

const EDGE = 8; // pixels of a frame that its axes may draw in
const NOWHERE = {x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity};

function paintCurve(
  g,
  {
    model: {
      glyph,
      data_source: {
        data: {t, y},
      },
    },
    coordinates: {x_scale, y_scale},
  },
) {
  const across = x_scale.s_compute,
    up = y_scale.s_compute;
  g.save();
  Object.assign(g, {
    strokeStyle: glyph.line_color.value,
    lineWidth: glyph.line_width.value,
    globalAlpha: glyph.line_alpha.value,
  });
  g.setLineDash(glyph.line_dash.value ?? []);
  strokeCurve(
    g,
    t.length,
    i => across(t[i]),
    i => up(y[i]),
  );
  g.restore();
}

/** Make these changes, once. */
export function skipUnusedWork() {
  // Write the styles of a figure's parts only if they differ, which is rare.
  const sheet = inner("core/dom", "InlineStyleSheet"),
    write = sheet._update;
  if (write)
    sheet._update = function (css) {
      if (css !== this.el.textContent) write.call(this, css);
    };

  // No style sheet here sets a colour of a plot; Bokeh would look for one some hundred times.
  const visual = inner("core/visuals/visual", "VisualProperties");
  if (visual._get_css_value) visual._get_css_value = () => "";

  // Leave the element of a curve where it is, since nothing here uses it; each move would make the browser compute the
  // page's styles again before it writes the next label.
  const curve = inner("models/renderers/glyph_renderer", "GlyphRendererView");
  if (curve.update_position) curve.update_position = () => {};

  // Draw the curves of time plots from their points. Bokeh would copy the points into six glyphs for selections and the
  // like, which these plots do not have.
  const {set_data: setData, _paint: paint, bounds, log_bounds: logBounds} = curve,
    isCurve = view => view.model.glyph.type === "Line" && isTimed(view);
  if (setData && paint)
    Object.assign(curve, {
      async set_data(indices) {
        if (!isCurve(this)) await setData.call(this, indices);
      },
      _paint(g) {
        if (isCurve(this)) paintCurve(g, this);
        else if (!isTimed(this) || this.model.data_source.get_length()) paint.call(this, g);
      },
      // The axes have ends of their own.
      bounds(...given) {
        return isCurve(this) ? NOWHERE : bounds.apply(this, given);
      },
      log_bounds(...given) {
        return isCurve(this) ? NOWHERE : logBounds.apply(this, given);
      },
    });

  // Find the points of such a curve that are visible only once: all are, and nothing else reads which.
  const sourceView = inner("models/sources/cds_view", "CDSViewView"),
    {compute_indices: choose} = sourceView;
  if (setData && paint && choose)
    sourceView.compute_indices = function () {
      if (!isCurve(this.parent) || !this.model.indices_map) choose.call(this);
    };

  // Draw an axis of a time plot on a canvas of its own and copy that until the axis changes: to set, measure and draw the labels
  // takes longer than the curves.
  const axis = inner("models/axes/axis", "AxisView"),
    {_paint: paintAxis} = axis,
    {CanvasLayer} = load("core/util/canvas");
  if (paintAxis && CanvasLayer)
    axis._paint = function (g) {
      const {layer, model} = this;
      if (g !== layer.ctx || !isTimed(this)) return paintAxis.call(this, g); // exports have a context of their own
      if (!this.polhode_copy) {
        const forget = () => {
          this.polhode_key = "";
        };
        for (const {change} of [model, model.ticker, model.formatter]) this.connect(change, forget);
      }
      const copy = (this.polhode_copy ??= new CanvasLayer("canvas", layer.hidpi)),
        {start, end} = this.ranges[0];
      const {
          bbox: {width, height},
          pixel_ratio: ratio,
        } = layer,
        frame = this.plot_view.frame.bbox,
        key = [start, end, width, height, ratio, ...frame.args].join();
      if (!width || !height) return;
      if (key !== this.polhode_key) {
        this.polhode_key = key;
        copy.resize(width, height);
        paintAxis.call(this, copy.prepare());
        copy.finish();
      }
      const part = this.dimension
        ? [0, 0, frame.left + EDGE, height]
        : [0, frame.bottom - EDGE, width, height - frame.bottom + EDGE];
      const scale = by => part.map(z => Math.round(z * by));
      layer.undo_transform(target =>
        target.drawImage(copy.canvas, ...scale(copy.pixel_ratio), ...scale(ratio)),
      );
    };

  // Read a figure's font once; each read would make the browser lay out what has changed elsewhere.
  const plot = inner("models/plots/plot_canvas", "PlotView"),
    font = Object.getOwnPropertyDescriptor(plot, "base_font_size");
  if (font)
    Object.defineProperty(plot, "base_font_size", {
      ...font,
      get() {
        return (this.polhode_font_size ??= font.get.call(this));
      },
    });

  // Skip the layout of a time plot, whose borders have room for any labels of its axes.
  const laid = plot._invalidate_layout_if_needed;
  if (laid)
    plot._invalidate_layout_if_needed = function () {
      if (!this.model.tags.includes("timeplot")) laid.call(this);
    };

  // Skip the layout of what has the width of its last layout: a figure changes no other size.
  const box = inner("models/layouts/layout_dom", "LayoutDOMView"),
    {_after_resize: resized, after_layout: finished} = box;
  if (resized && finished)
    Object.assign(box, {
      _after_resize() {
        if (this.bbox.width !== this.polhode_width) resized.call(this);
      },
      after_layout() {
        this.polhode_width = this.bbox.width;
        finished.call(this);
      },
    });
}
