// The transport: play, step, time, speed, loop and sound.

import {page} from "../core/page.js";
import {clock} from "./clock.js";

const SPEEDS = [
  ["1/16", "¹⁄₁₆×"],
  ["1/4", "¼×"],
  ["1/2", "½×"],
  ["1", "1×"],
  ["2", "2×"],
  ["4", "4×"],
  ["8", "8×"],
  ["fit", "in 20 s"],
];
const QUIET = 700; // milliseconds of rest before the time is announced
const ICONS = {
  play: "M4.5 2.2v11.6L13.6 8z",
  pause: "M3.5 2h3v12h-3zm6 0h3v12h-3z",
  back: "M3 2.5h2v11H3zm10 0v11L6 8z",
  forth: "M11 2.5h2v11h-2zM3 2.5v11L10 8z",
  sound:
    "M2 5.6h2.6L8.4 2v12L4.6 10.4H2zM10.2 5.2a4 4 0 0 1 0 5.6l-.9-.9a2.7 2.7 0 0 0 0-3.8zM12.2 3a7 7 0 0 1 0 10l-.9-.9a5.8 5.8 0 0 0 0-8.2z",
  loop: "M11 1l3.2 2.8L11 6.6V4.7H6A2.8 2.8 0 0 0 3.2 7.5V8H1.3v-.5A4.7 4.7 0 0 1 6 2.8h5zM5 15l-3.2-2.8L5 9.4v1.9h5a2.8 2.8 0 0 0 2.8-2.8V8h1.9v.5A4.7 4.7 0 0 1 10 13.2H5z",
};
const icon = name => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
const button = (name, label, title, more = "") =>
  `<button class="${name}" type="button" aria-label="${label}" title="${title}" ${more}>${icon(name)}</button>`;

export const TRANSPORT = `<div class="transport" role="group" aria-label="Transport">
  ${button("play", "Play", "Play (space)")}
  ${button("back", "One step back", "One step back (←)")}
  ${button("forth", "One step on", "One step on (→)")}
  <input class="scrub" type="range" min="0" max="1" step="any" value="0" aria-label="Time" title="Time; ← and → step, Home and End go to the ends">
  <output class="readout" aria-live="off"><span class="now"></span> <small class="end"></small></output>
  <select class="speed" aria-label="Speed" title="Speed: units of time a second">${SPEEDS.map(([value, text]) => `<option value="${value}">${text}</option>`).join("")}</select>
  ${button("loop", "Loop", "Begin again at the end")}
  ${button("sound", "Sound", "Sound: each method's energy error as a tone (T)", 'aria-pressed="false" hidden')}
</div>`;

/** Connect a player's transport to the clock; `ask` sends the speed and the sound to the server, if there is one. */
export function connectTransport(part, view, ask) {
  const shown = {};
  let resting = 0,
    opened = false;

  const step = direction => {
    if (view.solid) clock.step(direction, view.solid);
  };
  const toggle = () => clock.set({playing: !clock.playing});
  async function toggleSound() {
    // Browsers allow sound only in response to an action, which is why the context is created here.
    const before = clock.sound,
      context = before ? null : new AudioContext();
    before?.close();
    clock.sound = before ? null : new (await import("./sound.js")).Sound(context);
    ask("sounding", !before);
    clock.redraw();
  }
  part.play.onclick = toggle;
  part.back.onclick = () => step(-1);
  part.forth.onclick = () => step(1);
  part.scrub.oninput = () => clock.seek(Number(part.scrub.value));
  part.speed.onchange = () => clock.set({speed: part.speed.value});
  part.loop.onclick = () => clock.set({loop: !clock.loop});
  part.sound.onclick = toggleSound;
  part.sound.hidden = !ask || !globalThis.AudioContext;

  /** Show a value if it has changed. */
  const show = (name, value, act) => {
    if (shown[name] !== value) {
      shown[name] = value;
      act(value);
    }
  };

  /** Announce the time to screen readers when it rests. The slider announces its own changes. */
  function announce() {
    clearTimeout(resting);
    if (clock.playing || part.scrub.getRootNode().activeElement === part.scrub) return;
    resting = setTimeout(() => {
      part.spoken.textContent = `Time ${clock.format(clock.time)} of ${Number(clock.format(clock.duration))}`;
    }, QUIET);
  }

  return {
    step,
    toggle,
    toggleSound: () => {
      if (!part.sound.hidden) toggleSound();
    },
    update() {
      show("duration", clock.duration, duration => {
        part.scrub.max = duration || 1;
        part.end.textContent = `of ${clock.format(duration)}`;
        part.now.style.cssText = `display:inline-block;min-width:${clock.format(duration).length + 2.6}ch`;
      });
      if (Number(part.scrub.value) !== clock.time) part.scrub.value = clock.time;
      show("now", `t = ${clock.format(clock.time)}`, text => {
        part.now.textContent = text;
        // A slider with the focus would read out every moment of the motion.
        if (!clock.playing || part.scrub.getRootNode().activeElement !== part.scrub)
          part.scrub.setAttribute(
            "aria-valuetext",
            `${text} of ${Number(clock.format(clock.duration))}`,
          );
        if (shown.playing === false) announce();
      });
      show("playing", clock.playing, playing => {
        if (!playing && opened) announce();
        opened = true;
        part.play.innerHTML = icon(playing ? "pause" : "play");
        part.play.ariaLabel = playing ? "Pause" : "Play";
        part.play.title = `${part.play.ariaLabel} (space)`;
      });
      show("held", page.held, held => {
        for (const name of ["play", "back", "forth", "scrub"]) part[name].disabled = held;
      });
      show("pace", clock.pace, pace => {
        if (!SPEEDS.some(([value]) => value === pace)) part.speed.add(new Option(`${pace}×`, pace)); // a link may have any
        part.speed.value = pace;
      });
      show("speed", clock.speed, speed => ask?.("speed", speed));
      show("sound", !!clock.sound, on => part.sound.setAttribute("aria-pressed", on));
      show("loop", clock.loop, on => part.loop.setAttribute("aria-pressed", on));
    },
  };
}
