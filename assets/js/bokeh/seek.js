// A click in a plot over time, see app/charts/bokeh.py.

/** Move the clock of the page, or of the cell of a notebook, to the time that was clicked in a figure; see core/page.js. */
export function seek({origin: figure, x: time}) {
  const name = "polhode.page",
    cell = `${name} ${figure.document.roots()[0].id}`,
    clock = (globalThis[Symbol.for(cell)] ?? globalThis[Symbol.for(name)])?.clock;
  if (time >= figure.x_range.start && time <= figure.x_range.end) clock?.seek(time);
}
