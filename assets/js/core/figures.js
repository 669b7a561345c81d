// Bokeh's figures, which only served pages have.

import {CELL} from "./page.js";

/** Bokeh's figures on this page, or in this cell of a notebook. */
export function findFigures() {
  const found = [];
  const visit = view => {
    if (view?.frame) found.push(view);
    else for (const child of view?.children_views?.() ?? view?.children?.() ?? []) visit(child);
  };
  for (const root of window.Bokeh?.index?.roots ?? [])
    if (!CELL || root.model.document.roots()[0].id === CELL) visit(root);
  return found;
}

/** Give a figure's text the colour of the theme (page.css), which Bokeh's glyphs do not read. */
export function colourText({model, el}) {
  const value = getComputedStyle(el).getPropertyValue("--plot-ink");
  for (const {glyph} of value ? model.renderers : [])
    if (glyph.type === "Text") glyph.setv({text_color: {value}}, {sync: false});
}
