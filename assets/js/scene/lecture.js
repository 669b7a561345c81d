// Lecture mode: the scene or a plot fills the screen, in large type, with keys and a presenter's remote; pictures and videos of it.
// Fetched on demand (script-api.js). stage.js draws.

import {clock} from "./clock.js";
import {create, loadStyle} from "../core/dom.js";
import {saveFile} from "../core/files.js";
import {page} from "../core/page.js";
import {Stage, listViews} from "./stage.js";

const PICTURE = [1280, 720, 2],
  VIDEO = [1280, 720, 1]; // width and height, and pixels for each
const LONGEST = 60; // seconds of a video; a longer motion is shown in 20 seconds
const PAUSE = 100,
  MOST_PAUSES = 100; // milliseconds between two looks for recorded data, and the number of looks
const FRAMES = 30; // a second
const KINDS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const root = document.documentElement;
let open = null; // the present lecture

const styled = loadStyle("lecture");

/** Open or close lecture mode; `describe` returns title, setting and result, `rename` updates the page's address. */
export async function openLecture({describe, rename = () => {}}) {
  if (open) return open.close();
  await styled;
  open ??= new Lecture(describe, rename, true);
}

/** Save a picture of the scene and the plots. */
export async function savePicture({describe}) {
  const canvas = document.createElement("canvas"),
    stage = new Stage(canvas, {describe, size: PICTURE, ...(open && {view: open.stage.view})});
  stage.draw();
  stage.leave();
  open?.stage.replan();
  save(await new Promise(done => canvas.toBlob(done, "image/png")), "png");
}

/** Record the motion once, with its plots, and save the video. */
export async function recordVideo({describe, rename = () => {}}) {
  await styled;
  open ??= new Lecture(describe, rename, false);
  open.record();
}

class Lecture {
  #left = document.activeElement;
  #filled = false;
  #recorder = null;
  #blank = false;
  #moved = null;
  #playing = null;

  constructor(describe, rename, wholeScreen) {
    Object.assign(this, {describe, rename, wholeScreen});
    const button = (text, label, act, more = {}) =>
      create("button", {
        type: "button",
        textContent: text,
        title: label,
        ariaLabel: label,
        onclick: act,
        ...more,
      });
    this.canvas = create("canvas", {tabIndex: 0, role: "img"});
    this.status = create("p", {role: "status"});
    this.time = create("input", {
      type: "range",
      min: 0,
      step: "any",
      ariaLabel: "Time",
      oninput: () => clock.seek(Number(this.time.value)),
    });
    this.play = button("▶", "Play (space)", () => clock.set({playing: !clock.playing}));
    this.pin = button("Mark", "Mark this time (M)", () => this.mark());
    this.film = button("Video", "Record the motion once (V)", () => this.record(), {
      className: "films",
    });
    this.steps = [
      button("‹", "Previous view (Page up)", () => this.go(-1)),
      button("›", "Next view (Page down)", () => this.go(1)),
      this.play,
      this.time,
      this.pin,
      button("Picture", "Save a picture (S)", () => savePicture({describe})),
      this.film,
    ];
    const bar = create(
      "div",
      {className: "bar", role: "toolbar", ariaLabel: "Lecture"},
      ...this.steps,
      this.status,
      button("×", "Leave (Escape)", () => this.close()),
    );
    this.dialog = create(
      "dialog",
      {className: "lecture", ariaLabel: "Lecture mode"},
      create("div", {className: "shown"}, this.canvas),
      bar,
    );
    this.dialog.addEventListener("keydown", event => this.act(event));
    this.dialog.addEventListener("cancel", event => {
      event.preventDefault();
      this.close();
    });
    this.dialog.addEventListener("pointerdown", () => this.fill(), {once: true});
    document.addEventListener("fullscreenchange", this.noteFullScreen);
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.takeLesson();
    this.stage = new Stage(this.canvas, {describe});
    this.stage.ondraw = () => this.update();
    this.steer();
    this.go(0);
    this.canvas.focus();
    this.fill();
    root.dataset.lecture = "";
    rename();
  }

  /** Fill the screen, if the browser allows it; in a frame or on a telephone, the window. */
  async fill() {
    if (!this.wholeScreen || document.fullscreenElement) return;
    try {
      await root.requestFullscreen?.();
      if (open !== this) await document.exitFullscreen(); // closed before the browser allowed it
    } catch {}
  }

  /** Close when the browser leaves full screen, as it does on Escape. */
  noteFullScreen = () => {
    if (document.fullscreenElement) this.#filled = true;
    else if (this.#filled) this.close();
  };

  close() {
    this.#recorder?.drop();
    this.stage.leave();
    document.removeEventListener("fullscreenchange", this.noteFullScreen);
    if (this.#filled && document.fullscreenElement) document.exitFullscreen();
    if (this.#moved) this.#moved.place.replaceWith(this.#moved.lesson);
    clock.pinned = null;
    this.dialog.close();
    this.dialog.remove();
    open = null;
    delete root.dataset.lecture;
    this.rename();
    clock.redraw();
    this.#left?.focus?.();
  }

  /** Put an open lesson beside the stage. */
  takeLesson() {
    const lesson = document.querySelector(".taught");
    if (!lesson || !root.hasAttribute("data-lesson")) return;
    const place = document.createComment("the lesson");
    lesson.replaceWith(place);
    this.dialog.querySelector(".shown").prepend(lesson);
    this.#moved = {lesson, place};
  }

  /** Act on a key or a button of a presenter's remote. */
  act(event) {
    const {key} = event,
      blank = this.#blank;
    if (
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      event.composedPath()[0].matches?.("textarea, [type=radio]")
    )
      return;
    if (blank) this.setBlank(false);
    const onButton = event.composedPath()[0].tagName === "BUTTON";
    const action =
      key === " "
        ? !onButton && (() => clock.set({playing: !clock.playing}))
        : key === "ArrowLeft"
          ? () => clock.step(-1)
          : key === "ArrowRight"
            ? () => clock.step(1)
            : key === "Home"
              ? () => clock.seek(0)
              : key === "End"
                ? () => clock.seek(clock.duration)
                : key === "PageDown" || key === "PageUp"
                  ? () => this.next(key === "PageDown" ? 1 : -1)
                  : key === "ArrowDown" || key === "ArrowUp"
                    ? () => this.go(key === "ArrowDown" ? 1 : -1)
                    : key === "." || key === "b"
                      ? () => this.setBlank(!blank)
                      : key === "m"
                        ? () => this.mark()
                        : key === "s"
                          ? () => savePicture({describe: this.describe})
                          : key === "v"
                            ? () => this.record()
                            : key === "t"
                              ? () => this.stage.toggleSound()
                              : key === "l" || key === "Escape"
                                ? () => this.close()
                                : key === "F5"
                                  ? () => this.fill() // Start on a remote, which would reload the page
                                  : null;
    event.stopPropagation(); // the page below has shortcuts, too
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Go on in an open lesson, or else to the next view. */
  next(way) {
    if (this.#moved) page.request("change lesson step", way);
    else this.go(way);
  }

  go(way) {
    const all = listViews(),
      at = Math.max(0, all.indexOf(this.stage.view));
    const view = all[(at + way + all.length) % all.length];
    this.stage.show(view);
    this.say(`${view}, ${all.indexOf(view) + 1} of ${all.length}`);
  }

  /** Mark a time, or none: the nearest at which the plots have states. */
  mark(time = clock.pinned === null ? clock.time : null) {
    if (time !== null) {
      time = this.stage.findState(time);
      clock.seek(time);
    }
    clock.pinned = time;
    this.stage.replan();
    clock.redraw();
    this.say(time === null ? "No time is marked" : `Marked: t = ${clock.format(time)}`);
  }

  setBlank(on) {
    this.#blank = on;
    this.dialog.classList.toggle("blank", on);
    this.say(on ? "Blank; any key shows it again" : this.stage.view);
  }

  say(text) {
    this.status.textContent = text;
    this.canvas.setAttribute("aria-label", `${this.stage.view}: ${this.describe().join(". ")}`);
  }

  /** A drag turns the scene; in a plot it goes to a time and marks it. */
  steer() {
    let held = null;
    const at = ({offsetX: x, offsetY: y}) =>
      this.stage.places.find(
        ({box}) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
      );
    const seek = ({offsetX: x}) => {
      const {box, across, plot} = held,
        [start, end] = plot.times;
      clock.seek(
        start +
          ((Math.max(box.left, Math.min(box.right, x)) - across(start)) /
            (across(end) - across(start))) *
            (end - start),
      );
    };
    const {canvas} = this;
    canvas.addEventListener("pointerdown", event => {
      if (this.#blank) return this.setBlank(false);
      canvas.setPointerCapture(event.pointerId);
      this.stage.frame(); // the places of a view that is not drawn yet
      held = at(event) ?? "scene";
      if (held !== "scene") seek(event);
    });
    canvas.addEventListener("pointermove", event => {
      if (held === "scene") this.stage.orbit(0.0075 * event.movementX, 0.0075 * event.movementY);
      else if (held) seek(event);
    });
    canvas.addEventListener("pointerup", () => {
      if (held && held !== "scene") this.mark(clock.time);
      held = null;
    });
    canvas.addEventListener("pointercancel", () => {
      held = null;
    });
    canvas.addEventListener(
      "wheel",
      event => {
        event.preventDefault();
        this.stage.magnify(Math.exp(-0.0012 * event.deltaY));
      },
      {passive: false},
    );
  }

  /** Update the bar after the stage has drawn. */
  update() {
    const text = `t = ${clock.format(clock.time)} of ${clock.format(clock.duration)}`;
    if (Number(this.time.max) !== clock.duration) this.time.max = clock.duration || 1;
    this.time.value = clock.time;
    this.time.setAttribute("aria-valuetext", text);
    if (this.#playing !== clock.playing) {
      this.#playing = clock.playing;
      this.play.textContent = clock.playing ? "❚❚" : "▶";
      this.play.ariaLabel = this.play.title = clock.playing ? "Pause (space)" : "Play (space)";
    }
    this.play.disabled = this.time.disabled = page.held;
    this.#recorder?.update();
  }

  record() {
    if (this.#recorder) return this.#recorder.stop();
    const kind = KINDS.find(type => window.MediaRecorder?.isTypeSupported(type));
    if (!kind || !this.canvas.captureStream)
      return this.say("This browser cannot record videos; you can save a picture.");
    const before = {loop: clock.loop, speed: clock.speed},
      {time} = clock,
      closes = !this.wholeScreen;
    this.stage.size = VIDEO;
    this.dialog.classList.add("records");
    this.stage.replan();
    this.stage.draw();
    const recorder = new MediaRecorder(this.canvas.captureStream(FRAMES), {
        mimeType: kind,
        videoBitsPerSecond: 6e6,
      }),
      parts = [];
    const speed = clock.duration / clock.rate > LONGEST ? "fit" : clock.speed;
    let keeps = true;
    recorder.ondataavailable = ({data}) => parts.push(data);
    recorder.onstop = () => {
      clock.set({...before, playing: false, time});
      this.#recorder = null;
      if (!keeps) return;
      this.stage.size = null;
      this.dialog.classList.remove("records");
      this.film.textContent = "Video";
      this.stage.replan();
      const video = new Blob(parts, {type: kind});
      if (!video.size)
        return this.say("This browser has recorded nothing; you can save a picture.");
      const name = save(video, kind.includes("mp4") ? "mp4" : "webm");
      this.say(`Saved ${name}, ${(video.size / 1e6).toFixed(1)} MB`);
      if (closes) this.close();
    };
    // A motion may end before a busy browser has recorded anything. Then show its end until there is data.
    const end = (looks = MOST_PAUSES) => {
      if (recorder.state === "inactive") return;
      if (!looks || parts.some(({size}) => size)) return recorder.stop();
      this.stage.replan();
      recorder.requestData();
      setTimeout(end, PAUSE, looks - 1);
    };
    let ended = false;
    this.#recorder = {
      stop: () => {
        if (!ended) end();
        ended = true;
      },
      drop: () => {
        keeps = false;
        recorder.stop();
      },
      update: () => {
        if (!clock.playing) {
          if (clock.time > 0) this.#recorder.stop();
          return;
        }
        const part = `${Math.floor((100 * clock.time) / clock.duration)} %`;
        if (this.status.textContent !== `Recording, ${part}`)
          this.status.textContent = `Recording, ${part}`;
      },
    };
    this.film.textContent = "Stop";
    clock.set({loop: false, speed, playing: false, time: 0});
    recorder.onstart = () => clock.set({playing: true});
    recorder.start(1000);
  }
}

/** Save a file under the problem's name; returns the name. */
function save(blob, ending) {
  const name = `${(page.state.choice.problem ?? "polhode").replace(/[^\w.-]+/g, "-")}.${ending}`;
  saveFile(blob, name);
  return name;
}
