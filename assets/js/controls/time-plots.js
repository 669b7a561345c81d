// The plots over time of the page: the server's runs, whose points arrive in one buffer, or the browser's own. See
// app/views/plots/plot_canvas.py.

import {listCurves} from "../core/curves.js";
import {create} from "../core/dom.js";
import {page} from "../core/page.js";
import {frameCurves} from "../core/scales.js";
import {TimePlot} from "./time-plot.js";

const INSIDE = 0.07; // distance of a mark from the ends of the axis, as in app/views/plots/time_plots.py

/** The plans of the server with the points of their curves. */
function readPlans(plans, bytes) {
  const points = new Float32Array(bytes),
    all = JSON.parse(plans);
  let at = 0;
  const take = n => points.subarray(at, (at += n));
  for (const {curves} of all.plots)
    for (const curve of curves) Object.assign(curve, {t: take(curve.n), y: take(curve.n)});
  return all;
}

/** What a plot with this plan shows of runs of the browser. */
function drawRuns(plan, [look], results) {
  const {curves, values} = frameCurves(listCurves(plan, look, results), plan.log),
    [low, high] = values,
    inside = INSIDE * (high - low);
  const marks = results.lines.flatMap(({label, colour, run}, i) => {
    if (run.status === "done") return [];
    const last = curves.find(({slot}) => slot === i + 1)?.y.at(-1) ?? low,
      y = Math.max(low + inside, Math.min(high - inside, last));
    return [{t: run.t.at(-1), y, colour, label, why: run.message}];
  });
  return {...plan, curves, values, marks, words: [], waiting: ""};
}

export function render({model}) {
  const root = create("div", {className: "time-plots"}),
    tabs = create("div", {className: "which", role: "group", ariaLabel: "Plots on screen"}),
    leaving = new AbortController(),
    {signal} = leaving;
  root.style.setProperty("--tall", model.tall);
  let served = readPlans(model.plans, model.points),
    own = null, // of the browser's runs, until the server's arrive
    plots = [],
    width = 0,
    due = 0;

  const findPart = (axis, whole) => model.zoom.find(([name]) => name === axis)?.slice(1) ?? whole;

  /** Show parts of the time axis and of a plot's axis, or all of one for null. */
  function zoom(plot, times, values) {
    const {duration, plots: plans} = own ?? served,
      axes = [duration, ...plans.map(({axis}) => axis)];
    const changed = new Map(model.zoom.map(([axis, ...ends]) => [axis, ends]));
    if (times !== undefined) changed.set(duration, times);
    if (values !== undefined) changed.set(plot.shown.axis, values);
    model.zoom = axes.flatMap(axis => (changed.get(axis) ? [[axis, ...changed.get(axis)]] : []));
  }

  const isOpen = ({title, opens}) => opens !== model.turned.includes(title);

  /** Open or close a plot. */
  function turn({title}) {
    const {turned} = model;
    model.turned = turned.includes(title)
      ? turned.filter(other => other !== title)
      : [...turned, title];
  }

  /** List the plots as switches that open and close them, if not all are open from the start. */
  function listPlots(plans) {
    const listed = plans.every(({opens}) => opens) ? [] : plans;
    tabs.hidden = !listed.length;
    while (tabs.children.length > listed.length) tabs.lastChild.remove();
    listed.forEach((plan, i) => {
      const button =
        tabs.children[i] ?? tabs.appendChild(create("button", {type: "button", role: "switch"}));
      button.textContent = plan.title;
      button.ariaChecked = isOpen(plan);
      button.onclick = () => turn(plan);
    });
  }

  function createPlot() {
    const plot = new TimePlot({
      send: want => model.send_msg({want, plot: plot.title}),
      zoom: (times, values) => zoom(plot, times, values),
      reset: () => zoom(plot, null, null),
    });
    return plot;
  }

  function show() {
    const {looks, dashed} = served,
      {duration, margin, plots: plans} = own ?? served;
    while (plots.length < plans.length) plots.push(createPlot());
    for (const plot of plots) page.plots.delete(plot); // which lists the open ones in their order
    plots.splice(plans.length);
    root.style.minHeight = plans.length ? 0 : `calc(${model.most} * (${model.tall} + 24px))`;
    if (root.children.length !== plots.length + 1)
      root.replaceChildren(tabs, ...plots.map(({element}) => element));
    listPlots(plans);
    const whole = [-margin * duration, (1 + margin) * duration],
      times = findPart(duration, whole);
    plans.forEach((plan, i) => {
      const ends = findPart(plan.axis, plan.values),
        zoomed = times !== whole || ends !== plan.values;
      const curves = plan.curves.map(curve => ({...looks[curve.slot], ...curve}));
      plots[i].show({...plan, curves}, {times, ends, zoomed, dashed});
      const {element} = plots[i];
      element.hidden = !isOpen(plan);
      if (!element.hidden) page.plots.add(plots[i]);
    });
    drawSoon();
  }

  /** Draw all plots before the next frame, once. */
  function drawSoon() {
    due ||= requestAnimationFrame(draw);
  }

  function draw() {
    cancelAnimationFrame(due);
    due = 0;
    if (!width || !root.isConnected) return;
    const style = getComputedStyle(root),
      {moment, lit} = page,
      isThere = of => plots.some(({shown}) => shown.curves.some(({label}) => label === of));
    const look = {
      width,
      right: model.right,
      ink: style.color,
      paper: style.backgroundColor, // computed: a canvas does not know light-dark()
      font: style.fontFamily,
      stands: [lit, moment?.of].find(isThere),
    };
    plots.forEach((plot, i) => {
      const {hidden, classList} = plot.element,
        isLit = names(plot);
      classList.toggle("lit", isLit && !hidden);
      tabs.children[i]?.classList.toggle("lit", isLit);
      if (!hidden) plot.draw(look);
    });
    page.clock?.wake();
  }

  /** Whether a text names a plot just now. */
  const names = ({title}) => !!page.lit && title.startsWith(page.lit);

  let arrived = false;
  /** Show what the server has sent, once all of a message has arrived. */
  function receive() {
    if (arrived) return;
    arrived = true;
    queueMicrotask(() => {
      arrived = false;
      served = readPlans(model.plans, model.points);
      own = null;
      show();
    });
  }

  page.offer(
    "show runs",
    runs => {
      const plans = runs.view?.plots ?? served.plots;
      own = {
        duration: runs.duration,
        margin: served.margin,
        plots: plans.map(plan => drawRuns(plan, served.looks, runs)),
      };
      show();
    },
    signal,
  );
  page.offer(
    "runs answered",
    () => {
      if (!own) return;
      own = null;
      show();
    },
    signal,
  ); // also if the points are the same
  page.offer("show moment", drawSoon, signal);
  page.offer(
    "light up",
    ({scrolls}) => {
      drawSoon();
      const found = plots.find(names) ?? plots[0];
      if (!scrolls || !found) return;
      if (found.element.hidden) turn(found.shown);
      found.element.scrollIntoView({block: "nearest"});
    },
    signal,
  );
  page.offer("repaint", drawSoon, signal);
  for (const property of ["plans", "points"]) model.on(property, receive);
  for (const property of ["zoom", "turned"]) model.on(property, show);
  model.on("msg:custom", message =>
    plots.find(({title}) => title === message.plot)?.head.receive(message),
  );
  const sized = new ResizeObserver(([{contentRect}]) => {
    width = contentRect.width;
    draw(); // at once: until then, the browser would stretch the plots of the size before
  });
  sized.observe(root);
  model.on("remove", () => {
    leaving.abort();
    sized.disconnect();
    for (const plot of plots) page.plots.delete(plot);
  });
  show();
  return root;
}

export default {render};
