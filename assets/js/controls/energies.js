// The energies of the opening view: a bar for each motion, which follows the clock; see app/views/dialogs/opening.py.

import {create} from "../core/dom.js";
import {clock} from "../scene/clock.js";

const WIDEST = 2,
  NOTED = 0.005; // parts of the first energy: at the end of the bar, and from which on a change is marked

/** A part of the first energy, in percent. */
export const formatPart = part => (part < 10 ? `${Math.round(100 * part)} %` : "over 1000 %");

export function render({model}) {
  const box = create("div", {className: "bars"});
  const play = create("button", {
    type: "button",
    onclick: () => clock.set({playing: !clock.playing}),
  });
  let bars = [];

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

  function build() {
    bars = model.motions.map(([title, about, colour, energies]) => {
      const fill = create("i"),
        part = create("output", {ariaLive: "off"});
      const element = create(
        "div",
        {className: "energy", title: about},
        create("b", {}, create("i"), title),
        part,
        create("div", {className: "bar"}, fill),
      );
      element.style.setProperty("--colour", colour);
      return {element, fill, part, energies};
    });
    box.replaceChildren(...bars.map(({element}) => element));
    bars[0]?.element.after(play);
    draw();
  }

  function draw() {
    const words = clock.playing ? "Pause" : "Play";
    if (play.textContent !== words) play.textContent = words;
    for (const {element, fill, part, energies} of bars) {
      const at = (clock.duration ? clock.time / clock.duration : 0) * (energies.length - 1),
        i = Math.min(Math.floor(at), energies.length - 2);
      const energy = energies[i] + (at - i) * (energies[i + 1] - energies[i]),
        text = `energy ${formatPart(energy)}`;
      fill.style.transform = `scaleX(${Math.min(1, energy / WIDEST)})`;
      element.classList.toggle("off", Math.abs(energy - 1) > NOTED);
      element.classList.toggle("beyond", energy > WIDEST);
      if (part.textContent !== text) part.textContent = text;
    }
  }

  model.on("motions", build);
  model.on("remove", () => clock.leave(follower));
  build();
  clock.join(follower);
  return box;
}

export default {render};
