// Lecture mode: the scene or a plot fills the screen, in large type, for keys and a presenter's remote; and pictures and
// videos of it. Fetched when it is first used (bridge.js). What is shown is composed in stage.js.

import {clock} from "./player.js";
import {made} from "./made.js";
import {Stage, views} from "./stage.js";

const PICTURE = [1280, 720, 2], VIDEO = [1280, 720, 1]; // width and height, and pixels for each
const LONGEST = 60; // seconds of a video; what takes longer at its speed is shown in 20
const BETWEEN_LOOKS = 100, MOST_LOOKS = 100; // milliseconds between looks whether anything has been recorded, and how many
const FRAMES = 30; // a second
const KINDS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const root = document.documentElement;
let open = null; // the lecture that is going on

const styled = new Promise(done => {
  const href = new URL("./styles/lecture.css", import.meta.url).href;
  document.head.append(made("link", {rel: "stylesheet", href, onload: done, onerror: done}));
});

/** Opens lecture mode, or leaves it; `told` gives title, setting and what follows, `renamed` hears of another address. */
export async function lecture({told, renamed = () => {}}) {
  if (open) return open.close();
  await styled;
  open ??= new Lecture(told, renamed, true);
}

/** Saves a picture of the scene and the plots as they are. */
export async function picture({told}) {
  const canvas = document.createElement("canvas"), stage = new Stage(canvas, {told, size: PICTURE, ...(open && {view: open.stage.view})});
  stage.draw();
  stage.leave();
  open?.stage.renew();
  save(await new Promise(done => canvas.toBlob(done, "image/png")), "png");
}

/** Records the motion once, from its start to its end, with its plots, and saves that. */
export async function video({told, renamed = () => {}}) {
  await styled;
  open ??= new Lecture(told, renamed, false);
  open.record();
}

class Lecture {
  #left = document.activeElement; #filled = false; #recorder = null; #blank = false; #moved = null; #said = "";

  constructor(told, renamed, wholeScreen) {
    Object.assign(this, {told, renamed, wholeScreen});
    const button = (text, label, act, more = {}) => made("button", {type: "button", textContent: text, title: label, ariaLabel: label, onclick: act, ...more});
    this.canvas = made("canvas", {tabIndex: 0, role: "img"});
    this.status = made("p", {role: "status"});
    this.time = made("input", {type: "range", min: 0, step: "any", ariaLabel: "Time", oninput: () => clock.seek(Number(this.time.value))});
    this.play = button("▶", "Play (space)", () => clock.set({playing: !clock.playing}));
    this.pin = button("Mark", "Mark this time (M)", () => this.mark());
    this.film = button("Video", "Record the motion once (V)", () => this.record(), {className: "films"});
    this.steps = [
      button("‹", "Previous view (Page up)", () => this.go(-1)), button("›", "Next view (Page down)", () => this.go(1)),
      this.play, this.time, this.pin, button("Picture", "Save a picture (S)", () => picture({told})), this.film,
    ];
    const bar = made("div", {className: "bar", role: "toolbar", ariaLabel: "Lecture"}, ...this.steps, this.status, button("×", "Leave (Escape)", () => this.close()));
    this.dialog = made("dialog", {className: "lecture", ariaLabel: "Lecture mode"}, made("div", {className: "shown"}, this.canvas), bar);
    this.dialog.addEventListener("keydown", event => this.key(event));
    this.dialog.addEventListener("cancel", event => { event.preventDefault(); this.close(); });
    this.dialog.addEventListener("pointerdown", () => this.fill(), {once: true});
    document.addEventListener("fullscreenchange", this.filled);
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.lesson();
    this.stage = new Stage(this.canvas, {told});
    this.stage.ondraw = () => this.drawn();
    this.steer();
    this.go(0);
    this.canvas.focus();
    this.fill();
    root.dataset.lecture = "";
    renamed();
  }

  /** The whole screen, if the browser allows it; the window, if not, as in a frame or on a telephone. */
  fill() {
    if (this.wholeScreen && !document.fullscreenElement) root.requestFullscreen?.().catch(() => {});
  }

  /** Escape in full screen is the browser's: with it lecture mode ends as well. */
  filled = () => {
    if (document.fullscreenElement) this.#filled = true; else if (this.#filled) this.close();
  };

  close() {
    this.#recorder?.drop();
    this.stage.leave();
    document.removeEventListener("fullscreenchange", this.filled);
    if (this.#filled && document.fullscreenElement) document.exitFullscreen();
    if (this.#moved) this.#moved.place.replaceWith(this.#moved.lesson);
    clock.pinned = null;
    this.dialog.close();
    this.dialog.remove();
    open = null;
    delete root.dataset.lecture;
    this.renamed();
    clock.changed();
    this.#left?.focus?.();
  }

  /** A lesson that is open stands beside, itself. */
  lesson() {
    const lesson = document.querySelector(".taught");
    if (!lesson || !root.hasAttribute("data-lesson")) return;
    const place = document.createComment("the lesson");
    lesson.replaceWith(place);
    this.dialog.querySelector(".shown").prepend(lesson);
    this.#moved = {lesson, place};
  }

  key(event) {
    const {key} = event, shown = this.#blank;
    if (event.ctrlKey || event.altKey || event.metaKey || event.composedPath()[0].matches?.("textarea, [type=radio]")) return;
    if (shown) this.blank(false);
    const onButton = event.composedPath()[0].tagName === "BUTTON";
    const act =
      key === " " ? !onButton && (() => clock.set({playing: !clock.playing}))
      : key === "ArrowLeft" ? () => clock.step(-1)
      : key === "ArrowRight" ? () => clock.step(1)
      : key === "Home" ? () => clock.seek(0)
      : key === "End" ? () => clock.seek(clock.duration)
      : key === "PageDown" || key === "PageUp" ? () => this.next(key === "PageDown" ? 1 : -1)
      : key === "ArrowDown" || key === "ArrowUp" ? () => this.go(key === "ArrowDown" ? 1 : -1)
      : key === "." || key === "b" ? () => this.blank(!shown)
      : key === "m" ? () => this.mark()
      : key === "s" ? () => picture({told: this.told})
      : key === "v" ? () => this.record()
      : key === "t" ? () => this.stage.sound()
      : key === "l" || key === "Escape" ? () => this.close()
      : key === "F5" ? () => this.fill() // a remote's Start; the page is not to be loaded again before a class
      : null;
    event.stopPropagation(); // nothing of the page beneath is meant
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** A remote goes through the steps of a lesson, if one is open, and else through what there is to see. */
  next(way) {
    if (this.#moved) document.dispatchEvent(new CustomEvent("polhode:step", {detail: way})); else this.go(way);
  }

  go(way) {
    const all = views(), at = Math.max(0, all.indexOf(this.stage.view));
    const view = all[(at + way + all.length) % all.length];
    this.stage.show(view);
    this.say(`${view}, ${all.indexOf(view) + 1} of ${all.length}`);
  }

  mark(time = clock.pinned === null ? clock.time : null) {
    clock.pinned = time;
    this.stage.renew();
    clock.changed();
    this.say(time === null ? "Nothing is marked" : `Marked: t = ${clock.written(time)}`);
  }

  blank(on) {
    this.#blank = on;
    this.dialog.classList.toggle("blank", on);
    this.say(on ? "Blank; any key shows it again" : this.stage.view);
  }

  say(words) {
    this.status.textContent = words;
    this.canvas.setAttribute("aria-label", `${this.stage.view}: ${this.told().join(". ")}`);
  }

  /** A drag turns the scene; in a plot it goes to a time, which stays marked. */
  steer() {
    let held = null;
    const at = ({offsetX: x, offsetY: y}) => this.stage.places.find(({box}) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
    const seek = ({offsetX: x}) => {
      const {box, across, view} = held, {start, end} = view.model.x_range;
      clock.seek(start + (Math.max(box.left, Math.min(box.right, x)) - across(start)) / (across(end) - across(start)) * (end - start));
    };
    const {canvas} = this;
    canvas.addEventListener("pointerdown", event => {
      if (this.#blank) return this.blank(false);
      canvas.setPointerCapture(event.pointerId);
      this.stage.frame(); // what is meant is what is shown next, if that is not drawn yet
      held = at(event) ?? "scene";
      if (held !== "scene") { clock.set({playing: false}); seek(event); }
    });
    canvas.addEventListener("pointermove", event => {
      if (held === "scene") this.stage.orbit(0.0075 * event.movementX, 0.0075 * event.movementY); else if (held) seek(event);
    });
    canvas.addEventListener("pointerup", () => { if (held && held !== "scene") this.mark(clock.time); held = null; });
    canvas.addEventListener("pointercancel", () => { held = null; });
    canvas.addEventListener("wheel", event => { event.preventDefault(); this.stage.magnify(Math.exp(-0.0012 * event.deltaY)); }, {passive: false});
  }

  /** What stands in the bar follows what is drawn. */
  drawn() {
    const said = `t = ${clock.written(clock.time)} of ${clock.written(clock.duration)}`;
    if (Number(this.time.max) !== clock.duration) this.time.max = clock.duration || 1;
    this.time.value = clock.time;
    this.time.setAttribute("aria-valuetext", said);
    if (this.#said !== String(clock.playing)) {
      this.#said = String(clock.playing);
      this.play.textContent = clock.playing ? "❚❚" : "▶";
      this.play.ariaLabel = this.play.title = clock.playing ? "Pause (space)" : "Play (space)";
    }
    this.#recorder?.drawn();
  }

  record() {
    if (this.#recorder) return this.#recorder.stop();
    const kind = KINDS.find(type => window.MediaRecorder?.isTypeSupported(type));
    if (!kind || !this.canvas.captureStream) return this.say("This browser has no recorder of videos; a picture can be saved.");
    const before = {loop: clock.loop, speed: clock.speed}, {time} = clock, alone = !this.wholeScreen;
    this.stage.size = VIDEO;
    this.dialog.classList.add("records");
    this.stage.renew();
    this.stage.draw();
    const recorder = new MediaRecorder(this.canvas.captureStream(FRAMES), {mimeType: kind, videoBitsPerSecond: 6e6}), parts = [];
    const speed = clock.duration / clock.rate > LONGEST ? "fit" : clock.speed;
    let keeps = true;
    recorder.ondataavailable = ({data}) => parts.push(data);
    recorder.onstop = () => {
      clock.set({...before, playing: false});
      clock.seek(time);
      this.#recorder = null;
      if (!keeps) return;
      this.stage.size = null;
      this.dialog.classList.remove("records");
      this.film.textContent = "Video";
      this.stage.renew();
      const video = new Blob(parts, {type: kind});
      if (!video.size) return this.say("This browser has recorded nothing; a picture can be saved.");
      const name = save(video, kind.includes("mp4") ? "mp4" : "webm");
      this.say(`${name} is saved, ${(video.size / 1e6).toFixed(1)} MB`);
      if (alone) this.close();
    };
    // A motion may be over before a busy browser has recorded anything of it: its end is shown until there is something.
    const end = (looks = MOST_LOOKS) => {
      if (recorder.state === "inactive") return;
      if (!looks || parts.some(({size}) => size)) return recorder.stop();
      this.stage.renew();
      recorder.requestData();
      setTimeout(end, BETWEEN_LOOKS, looks - 1);
    };
    let ended = false;
    this.#recorder = {
      stop: () => { if (!ended) end(); ended = true; },
      drop: () => { keeps = false; recorder.stop(); },
      drawn: () => {
        if (!clock.playing) { if (clock.time > 0) this.#recorder.stop(); return; }
        const part = `${Math.floor(100 * clock.time / clock.duration)} %`;
        if (this.status.textContent !== `Recording, ${part}`) this.status.textContent = `Recording, ${part}`;
      },
    };
    this.film.textContent = "Stop";
    clock.set({loop: false, speed, playing: false});
    clock.seek(0);
    recorder.onstart = () => clock.set({playing: true});
    recorder.start(1000);
  }
}

/** Has the browser save what was made; returns the name of the file. */
function save(blob, ending) {
  const name = `${(window.polhode?.choice.problem ?? "polhode").replace(/[^\w.-]+/g, "-")}.${ending}`;
  const link = made("a", {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return name;
}
