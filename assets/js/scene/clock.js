// The page's clock, and automatic playback.

import {page} from "../core/page.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE = 700; // milliseconds
const BRIEF = 2,
  LONG = 100; // units of time: shorter and longer motions take 20 seconds, unless a speed is chosen

/** The time of the page. All its players share it, and the choice of the motion that the solid body follows. */
class Clock {
  time = 0;
  playing = false;
  speed = "";
  loop = true;
  duration = 0;
  solid = "";
  aside = false;
  asked = 0;
  pinned = null; // bodies side by side, a marked time
  players = new Set();
  sound = null; // plays the motion, while that is on
  #frame = 0;
  #before = 0;
  #opened = 0;
  note = "";
  #moment = null;
  #glide = null; // what a text shows, and the movement to it

  constructor() {
    page.offer("show moment", moment => this.showMoment(moment));
    for (const kind of ["keydown", "pointerdown", "input", "wheel"])
      document.addEventListener(
        kind,
        () => {
          this.#moment = null;
        },
        {capture: true, passive: true},
      );
  }

  /** Glide to a time, and to a camera, that a text is about, and have the solid body follow its motion; stay there after null. */
  showMoment(moment) {
    this.#moment = moment;
    this.note = moment?.note ?? "";
    if (!moment || page.held) return this.redraw();
    const from = this.time,
      to = Math.min(moment.time, this.duration),
      begun = performance.now();
    const cameras = [...this.players].flatMap(view =>
      moment.camera && view.camera ? [[view, view.camera]] : [],
    );
    this.set({playing: false});
    if (moment.of) this.follow(moment.of);
    const glide = (this.#glide = now => {
      if (glide !== this.#glide) return;
      const part = STILL.matches ? 1 : Math.min(1, Math.max(0, now - begun) / GLIDE);
      const glideFrom = (from, to) => from + (to - from) * part * part * (3 - 2 * part);
      this.time = glideFrom(from, to);
      for (const [view, before] of cameras)
        view.camera = before.map((x, i) => glideFrom(x, moment.camera[i]));
      this.redraw();
      if (part < 1) requestAnimationFrame(glide);
    });
    requestAnimationFrame(glide);
  }

  join(player) {
    this.players.add(player);
    this.redraw();
  }

  leave(player) {
    this.players.delete(player);
    if (this.players.size) return;
    this.playing = false;
    this.sound?.play(this);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (const plot of page.plots) plot.showTime(null);
  }

  /** Take the duration of new runs; the time stays, if they last as long. */
  setDuration(duration) {
    if (duration === this.duration) return;
    this.duration = duration;
    this.time = Math.min(this.time, duration);
    this.redraw();
  }

  /** Go to a time, and pause there. */
  seek(time) {
    this.set({playing: false, time: Math.max(0, Math.min(this.duration, time))});
  }

  /** Wait at the start while a lesson asks for it. */
  hold() {
    this.set({});
    this.#showMomentAgain();
  }

  /** Show the moment that a text asked for before its picture arrived; returns whether there is one. */
  #showMomentAgain() {
    if (this.#moment) this.showMoment(this.#moment);
    return !!this.#moment;
  }

  /** Play, pause, or change how it plays. */
  set(changes) {
    this.#glide = null;
    Object.assign(this, changes);
    if (page.held) Object.assign(this, {time: 0, playing: false});
    if (changes.playing && this.time >= this.duration) this.time = 0;
    this.redraw();
  }

  /** Start automatic playback, unless the system requests reduced motion. */
  begin() {
    if (!STILL.matches) this.set({playing: true});
  }

  /** Go to the next or previous row of a track; by default the track of the solid body. */
  step(direction, track = [...this.players].find(player => player.solid)?.solid) {
    let to = this.time + (direction * this.duration) / 100;
    if (track) {
      const at = track.indexAt(this.time),
        near = 1e-4;
      const row = direction > 0 ? Math.floor(at + near) + 1 : Math.ceil(at - near) - 1;
      to = track.times[Math.max(0, Math.min(track.n - 1, row))];
    }
    this.seek(to);
  }

  /** Show a newly opened setting from its start, at its own speed. Numbers identify settings; the latest is the highest. */
  open(number, speed, plays) {
    if (number <= this.#opened) return;
    this.#opened = number;
    this.set({time: 0, speed});
    if (!this.#showMomentAgain() && plays) this.begin();
  }

  follow(label) {
    this.solid = label;
    for (const player of this.players) player.updateSolid?.();
    this.redraw();
  }

  /** Show the motions' bodies side by side, or in one picture. */
  setAside(aside) {
    this.aside = aside;
    for (const player of this.players) player.onfollow?.();
    this.redraw();
  }

  /** Draw all players again, and the time in all plots. */
  redraw() {
    for (const player of this.players) player.stale = true;
    this.wake();
  }

  /** A time with the digits that matter for this duration. */
  format(t) {
    return t.toFixed(
      this.duration >= 1000 ? 0 : this.duration >= 50 ? 1 : this.duration >= 2 ? 2 : 3,
    );
  }

  wake() {
    if (!this.#frame) {
      this.#before = 0;
      this.#frame = requestAnimationFrame(now => this.#tick(now));
    }
  }

  /** The chosen speed, or one that suits the duration. */
  get pace() {
    return this.speed || (this.duration > LONG || this.duration < BRIEF ? "fit" : "1");
  }

  get rate() {
    return this.pace === "fit" ? this.duration / 20 : this.pace.split("/").reduce((a, b) => a / b);
  }

  #tick(now) {
    this.#frame = 0;
    // After a pause of the browser, the motion continues where it was.
    const passed = this.#before ? Math.min(now - this.#before, 100) / 1000 : 0;
    const interval = this.#before ? now - this.#before : 0;
    if (this.playing && this.duration > 0) {
      this.time += passed * this.rate;
      if (this.time >= this.duration) {
        if (this.loop) this.time %= this.duration;
        else {
          this.time = this.duration;
          this.playing = false;
        }
      }
      for (const player of this.players) player.stale = true;
    }
    for (const player of this.players) player.frame(now, this.playing ? interval : 0);
    if (this.players.size)
      [...page.plots].forEach((plot, i) => plot.showTime(this, i ? "" : this.note));
    this.sound?.play(this);
    if (this.playing && this.players.size) {
      this.#frame = requestAnimationFrame(next => this.#tick(next));
      this.#before = now;
    }
  }

  /** The state that `window.polhode.player` reports: of a visible player, if there is one. */
  get state() {
    const players = [...this.players].filter(player => player.solid);
    const player = players.find(p => p.visible) ?? players[0];
    if (!player)
      return {time: this.time, playing: this.playing, attitude: null, solid: "", bodies: []};
    const {time, bodies} =
      player.visible && player.drawn ? player.drawn : player.stateAt(this.time);
    return {
      time,
      playing: this.playing,
      attitude: bodies[0].attitude,
      solid: player.solid.method,
      bodies,
    };
  }
}

export const clock = (page.clock ??= new Clock());
