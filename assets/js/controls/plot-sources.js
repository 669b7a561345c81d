// Points of curves, which arrive in one buffer, for the plots' sources (app/views/plots/plot_sources.py).

import {skipUnusedWork} from "../core/faster-bokeh.js";
import {page} from "../core/page.js";
import {chooseOpacity} from "../core/plot.js";
import {findLimits, thin} from "../core/scales.js";

const MARGIN = 0.012; // of the time axis, as in app/views/plots/time_plots.py
const FAINT = 0.15; // opacity of curves while another stands out

skipUnusedWork();

/** Set the points of a curve, without Bokeh's search for what else depends on them (faster-bokeh.js paints curves). */
function setPoints(source, data) {
  source.setv({data}, {silent: true});
  source.change.emit();
}

export function render({model, view}) {
  // What the browser has changed by itself, which the server does not know: when its next points arrive, each is undone.
  const undo = new Map();

  const views = new Map(); // of figures, which Bokeh finds slowly
  /** Draw the words of a figure. */
  function annotate(id) {
    if (!views.get(id)?.el.isConnected) views.set(id, window.Bokeh.index.find_one_by_id(id));
    page.plots.get(views.get(id))?.annotate();
  }

  const find = id => view.model.document.get_model_by_id(id),
    readPlans = () => JSON.parse(model.plans || "{}");

  /** Set the ends of a figure's axis, unless a person has zoomed. */
  function setEnds(id, axis, start, end, [low, high]) {
    const range = find(id)[axis],
      set = (start, end) =>
        range.setv({start, end, reset_start: start, reset_end: end}, {sync: false});
    if (!undo.has(range) && (range.start !== low || range.end !== high)) return;
    set(start, end);
    undo.set(range, () => {
      const plan = readPlans()[id];
      if (plan) set(...plan[axis]);
    });
  }

  /** Set the label, colour and opacity of a figure's curve; while another curve stands out, keep the opacity until that ends. */
  function setLook(id, i, source, look) {
    const renderer = find(id).renderers.find(({data_source}) => data_source.id === source),
      {glyph} = renderer;
    const set = ([label, colour, value]) => {
      if (label !== renderer.name || renderer.visible !== !!label)
        renderer.setv({name: label, visible: !!label}, {sync: false});
      if (colour !== glyph.line_color.value)
        glyph.setv({line_color: {value: colour}}, {sync: false});
      if (opacities.has(glyph)) opacities.set(glyph, {value});
      else if (glyph.line_alpha.value !== value) glyph.setv({line_alpha: {value}}, {sync: false});
    };
    set(look);
    undo.set(glyph, () => {
      const plan = readPlans()[id];
      if (plan) set(plan.looks[i]);
    });
  }

  /** Mark where runs ended early. */
  function setMarks(source, data) {
    if (!data.t.length && !source.data.t.length) return;
    const before = undo.get(source)?.before ?? source.data;
    source.setv({data}, {sync: false});
    undo.set(
      source,
      Object.assign(
        () => {
          if (source.data === data) source.setv({data: before}, {sync: false});
        },
        {before},
      ),
    );
  }

  function restore() {
    for (const act of undo.values()) act();
    if (undo.size) showWords();
    undo.clear();
  }

  /** Give a plot the title and formula of a quantity. */
  function describe(id, plan) {
    const {title, formula, describe} = page.plots.get(views.get(id)) ?? {};
    if (title === plan.title && formula === plan.formula) return;
    describe?.(plan);
    undo.set(id, () => describe?.(null));
  }

  /** Draw runs of the browser: {dt, duration, lines: [{label, colour, run}], exactMotion, quantities, J, axes}; of another problem as `view` describes. */
  function showRuns({dt, duration, lines, exactMotion, quantities, view, ...settings}) {
    for (const [i, [id, plan]] of Object.entries(readPlans()).entries()) {
      const now = view ? view.plots[i] : plan;
      if (!now) continue; // the other problem has fewer quantities
      const {key, relative, log, exact} = now,
        {lines: sources, looks, ends, x_range, y_range} = plan;
      const curves = [exact && exactMotion && {label: "exact", run: exactMotion}, ...lines],
        ended = {t: [], y: [], colour: [], label: [], why: []};
      const drawn = sources.map((source, k) => {
        const {label = "", colour = looks[k][1], run} = curves[k] || {};
        if (!k && !run && !view) return [];
        const data = run
          ? thin(
              run.t,
              quantities.evaluate(key, {...settings, run, exactMotion, relative, dt}),
              log,
            )
          : {t: [], y: []};
        setPoints(find(source), data);
        if (k || view)
          setLook(id, k, source, [label, colour, k ? chooseOpacity(data.y) : looks[k][2]]);
        return data.y;
      });
      const [low, high] = findLimits(drawn, log);
      setEnds(id, "y_range", low, high, y_range);
      lines.forEach(({label, colour, run}, i) => {
        if (run.status === "done") return;
        const y = drawn[i + 1].at(-1) ?? low,
          inside = 0.07 * (high - low);
        for (const [name, value] of Object.entries({
          t: run.t.at(-1),
          y: Math.max(low + inside, Math.min(high - inside, y)),
          colour,
          label,
          why: run.message,
        }))
          ended[name].push(value);
      });
      setMarks(find(ends), ended);
      setEnds(id, "x_range", -MARGIN * duration, (1 + MARGIN) * duration, x_range);
      page.words.set(id, []);
      annotate(id);
      describe(id, now);
    }
  }

  const fill = () => {
    restore();
    const points = new Float32Array(model.points);
    let at = 0;
    for (const id of points.length ? model.sources : []) {
      const n = points[at++],
        t = points.subarray(at, (at += n)),
        y = points.subarray(at, (at += n));
      const source = find(id);
      if (n || source.data.t.length) setPoints(source, {t, y});
    }
  };
  const showWords = () => {
    for (const [id, {words}] of Object.entries(readPlans())) {
      page.words.set(id, words);
      annotate(id);
    }
  };
  // Have the curves of the motion that a text is about stand out, also those that come later: their names and opacities may
  // arrive before or after the plans.
  const opacities = new Map(),
    watched = new WeakSet(),
    leaving = new AbortController();
  let waits = false,
    acts = false;
  const standOutSoon = () => {
    if (waits || acts) return;
    waits = true;
    queueMicrotask(() => {
      waits = false;
      standOut();
    });
  };
  const watch = renderer => {
    if (watched.has(renderer)) return;
    watched.add(renderer);
    for (const {change} of [renderer.properties.name, renderer.glyph.properties.line_alpha])
      change.connect(standOutSoon);
  };
  const standOut = () => {
    const {moment} = page;
    if (!moment && !opacities.size) return;
    const lines = Object.keys(readPlans())
      .flatMap(id => find(id).renderers)
      .filter(({name}) => name !== null); // marks have none
    lines.forEach(watch);
    acts = true;
    for (const [glyph, opacity] of opacities)
      if (glyph.line_alpha.value === FAINT) glyph.setv({line_alpha: opacity}, {sync: false});
    opacities.clear();
    if (lines.some(({name}) => name === moment?.of))
      for (const {glyph} of lines.filter(({name}) => name && name !== moment.of)) {
        opacities.set(glyph, glyph.line_alpha);
        glyph.setv({line_alpha: {value: FAINT}}, {sync: false});
      }
    acts = false;
  };
  page.offer("show moment", standOut, leaving.signal);
  page.offer("show runs", showRuns, leaving.signal);
  page.offer(
    "runs answered",
    () => {
      if (undo.size) fill();
    },
    leaving.signal,
  ); // also if the points are the same
  model.on("remove", () => leaving.abort());
  model.on("points", () =>
    queueMicrotask(() => {
      fill();
      standOut();
    }),
  ); // after the plans that come with them
  model.on("plans", () => {
    showWords();
    standOut();
  }); // which may change without the points
  fill();
  showWords();
  standOut();
  return document.createElement("div");
}

export default {render};
