// Bars for the energies of all motions, which follow the clock; see app/views/pictures/energies.py.

import {create} from "../core/dom.js";
import {page} from "../core/page.js";
import {measure} from "../core/setting-runs.js";
import {clock} from "../scene/clock.js";
import {findScale} from "./energy-scale.js";

const WIDEST = 2,
  NOTED = 0.02, // parts of the first energy: at the end of the bar, and from which on a change is marked
  STRAIGHT = 0.5, // degrees that are none
  DEGREES = 180 / Math.PI;

export function render({model}) {
  const box = create("div", {className: model.follows ? "bars chosen" : "bars"});
  if (model.follows) Object.assign(box, {role: "group", ariaLabel: "The body follows"});
  const play = create("button", {
    type: "button",
    className: "play",
    onclick: () => clock.set({playing: !clock.playing}),
  });
  let bars = [],
    listed = ""; // their names

  // It joins the clock as a player does.
  const follower = {
    solid: null,
    visible: true,
    stale: true,
    frame() {
      if (this.stale) draw();
      this.stale = false;
    },
  };

  function createBar([title, note, label, colour]) {
    const fill = create("i"),
      part = create("output", {ariaLive: "off"}),
      angle = create("small", {className: "angle"}),
      name = create("b", {}, create("i"), title, ...(note ? [create("small", {}, note)] : []));
    const parts = [name, part, create("span", {className: "bar"}, fill), angle],
      element = model.follows
        ? create("button", {type: "button", onclick: () => clock.follow(label)}, ...parts)
        : create("div", {title: label}, ...parts);
    element.classList.add("energy");
    element.style.setProperty("--colour", colour);
    return {element, fill, part, angle, label};
  }

  /** Show the server's runs. */
  function show() {
    const names = model.motions.map(motion => String(motion.slice(0, 4)));
    if (String(names) !== listed) {
      listed = String(names);
      bars = model.motions.map(createBar);
      box.replaceChildren(...bars.map(({element}) => element));
      (model.follows ? bars.at(-1) : bars[0])?.element.after(play);
    }
    model.motions.forEach(([, , , , angles, energies], i) =>
      Object.assign(bars[i], {angles, energies, ends: null}),
    );
    draw();
  }

  /** The value of a bar at the time of the clock, of values at evenly spaced times. */
  function valueAt(values, ends) {
    const at = Math.min(1, ends ? clock.time / ends : 0) * (values.length - 1),
      i = Math.max(0, Math.min(Math.floor(at), values.length - 2));
    return values.length > 1 ? values[i] + (at - i) * (values[i + 1] - values[i]) : values[0];
  }

  const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };

  function draw() {
    setText(play, clock.playing ? "Pause" : "Play");
    if (!bars.length) return;
    const exact = bars.find(({label}) => label === "exact"),
      {findPart, format} = findScale((exact ?? bars[0]).energies),
      right = exact ? valueAt(exact.energies, exact.ends ?? clock.duration) : bars[0].energies[0],
      solid = (bars.find(({label}) => label === clock.solid) ?? bars.find(bar => bar !== exact))
        ?.label;
    for (const {element, fill, part, angle, label, angles, energies, ends} of bars) {
      const duration = ends ?? clock.duration,
        energy = valueAt(energies, duration);
      fill.style.transform = `scaleX(${Math.max(0, Math.min(1, findPart(energy) / WIDEST))})`;
      element.classList.toggle("off", Math.abs(findPart(energy) - findPart(right)) > NOTED);
      element.classList.toggle("beyond", findPart(energy) > WIDEST);
      setText(part, `energy ${format(energy)}`);
      if (!model.follows) continue;
      element.setAttribute("aria-pressed", label === solid);
      const off = angles.length ? valueAt(angles, duration) : 0;
      setText(
        angle,
        label === "exact"
          ? "where the body should be"
          : !angles.length
            ? ""
            : off < STRAIGHT
              ? "attitude right"
              : `attitude ${Math.round(off)}° off`,
      );
    }
  }

  /** Show runs of the browser. */
  function showRuns(runs) {
    const {lines, exactMotion} = runs;
    for (const bar of bars) {
      const line = lines.find(({label}) => label === bar.label),
        run = line?.run ?? exactMotion?.run;
      if (!run) continue;
      bar.energies = Array.from(run.series("energy"));
      bar.ends = run.t.at(-1);
      if (line && exactMotion)
        bar.angles = measure("attitude", run, runs, false).map(angle => angle * DEGREES);
    }
    follower.stale = true;
    clock.wake();
  }

  const leaving = new AbortController();
  page.offer("show runs", showRuns, leaving.signal);
  for (const name of ["runs answered", "restore runs"]) page.offer(name, show, leaving.signal);
  const light = () => box.classList.toggle("lit", page.lit === "Energy");
  page.offer("light up", light, leaving.signal);
  model.on("motions", show);
  model.on("remove", () => {
    leaving.abort();
    clock.leave(follower);
  });
  show();
  clock.join(follower);
  return box;
}

export default {render};
