// A plot over time of the page: its head, its curves, which core/plot.js paints, the line at the clock's time, the values under the
// pointer, and the part in view. See app/views/plots/time_plots.py.

import {create} from "../core/dom.js";
import {formatNumber, formatValue} from "../core/numbers.js";
import {page} from "../core/page.js";
import {ROOM, clearCanvas, drawPlot} from "../core/plot.js";
import {readRow} from "../core/rows.js";
import {createHead} from "./plot-head.js";

const NOTCH = 20; // pixels of a wheel for the least change of Δt: 20 notches of 100 pixels are a power of ten
const WHEEL = 600; // pixels of a wheel that would leave nothing of the time axis
const CLICK = 4, // pixels: a pointer that moves less has clicked
  NEAR = 8, // between the pointer and the mark of a run that ended
  APART = 14; // between the pointer and the values
const FAINT = 0.15; // opacity of curves while another stands out

/** The pixels of a wheel's turn. */
const readWheel = ({deltaY, deltaMode}) => deltaY * (deltaMode ? 30 : 1);

export class TimePlot {
  /** `send(want)` asks for a download; `zoom(times, values)` shows parts of the axes, `reset()` all of them. */
  constructor({send, zoom, reset}) {
    this.zoom = zoom;
    this.reset = reset;
    this.head = createHead({send, reset});
    this.canvas = create("canvas");
    this.cursor = this.#createCursor();
    this.dots = create("div", {className: "dots"});
    this.frame = create("div", {className: "zoomed", hidden: true});
    this.values = create("div", {className: "values", popover: "manual", ariaHidden: "true"});
    this.picture = create(
      "div",
      {className: "picture", role: "img"},
      this.canvas,
      this.dots,
      this.frame,
      this.cursor,
      this.values,
    );
    this.element = create("section", {}, this.head.root, this.picture);
    this.#watchPointer();
    this.#watchWheel();
  }

  /** Show a plan of `PlotCanvas` with its curves, and the parts of the axes in view. */
  show(shown, {times, ends, zoomed, dashed}) {
    const {title, formula, means} = shown;
    if (title !== this.title || formula !== this.formula) {
      this.head.describe({title, formula, means});
      this.picture.ariaLabel = `${title} ${formula}, against time`;
    }
    this.head.mark({zoomed, dashed});
    Object.assign(this, {shown, title, formula, log: shown.log, words: shown.words, times, ends});
  }

  /** The curves with points, in the order in which people read them: the exact motion last. */
  get curves() {
    return this.shown.curves.toSorted((a, b) => !a.slot - !b.slot);
  }

  /** Draw the curves into a canvas of this width; those of all labels but `stands` are faint. */
  draw({width, right, ink, paper, font, stands}) {
    const height = this.picture.clientHeight,
      box = {left: ROOM.left, top: ROOM.top, right: width - right, bottom: height - ROOM.bottom},
      {shown} = this;
    const g = clearCanvas(this.canvas, width, height);
    if (box.right < box.left + 20) return;
    const {across, up} = drawPlot(g, box, {
      ...shown,
      curves: stands
        ? shown.curves.map(curve => (curve.label === stands ? curve : {...curve, opacity: FAINT}))
        : shown.curves,
      times: this.times,
      values: this.ends,
      ink,
      paper,
      font,
    });
    Object.assign(this, {box, across, up});
    this.#place();
  }

  // ---- the line at the clock's time ---------------------------------------------------------------------------------

  /** Show the time of a clock, with a note beside it, or no time. */
  showTime(clock, note = "") {
    this.clock = clock;
    this.note = note;
    this.#place();
  }

  #place() {
    const {style, lastChild: words} = this.cursor,
      {time, duration} = this.clock ?? {},
      x = this.across && duration > 0 ? this.across(time) : NaN,
      isInside = x >= this.box?.left - 1 && x <= this.box?.right + 1,
      display = isInside ? "" : "none",
      place = `translateX(${x.toFixed(1)}px)`;
    if (style.display !== display) style.display = display;
    if (!isInside) return;
    if (style.transform !== place) style.transform = place;
    if (!this.note && words.hidden) return;
    words.hidden = !this.note;
    words.textContent = this.note;
    words.className = time > duration / 2 ? "late" : "";
  }

  /** Create the line, by which a person drags the time. */
  #createCursor() {
    const cursor = create(
      "div",
      {className: "time-cursor", ariaHidden: "true"}, // the keyboard has the slider
      create("i"),
      create("span", {hidden: true}),
    );
    cursor.addEventListener("pointerdown", event => {
      event.preventDefault();
      event.stopPropagation();
      cursor.setPointerCapture(event.pointerId);
      this.clock.set({playing: false});
    });
    cursor.addEventListener("pointermove", event => {
      if (!cursor.hasPointerCapture(event.pointerId)) return;
      event.stopPropagation();
      this.clock.seek(this.#find(event).time);
    });
    return cursor;
  }

  // ---- the pointer --------------------------------------------------------------------------------------------------

  /** Where an event is, in pixels of the picture, and its time. */
  #find({clientX, clientY}) {
    const {left, top} = this.picture.getBoundingClientRect(),
      x = clientX - left;
    return {x, y: clientY - top, time: this.#timeAt(x)};
  }

  #timeAt(x) {
    const [first, last] = this.times,
      {left, right} = this.box;
    return first + ((x - left) / (right - left)) * (last - first);
  }

  #valueAt(y) {
    const [low, high] = this.ends,
      {top, bottom} = this.box;
    return low + ((bottom - y) / (bottom - top)) * (high - low);
  }

  #isInside({x, y}) {
    const {left, right, top, bottom} = this.box;
    return x >= left && x <= right && y >= top && y <= bottom;
  }

  /** A click goes to a time, a drag zooms into its box, and a double click shows the whole plot again. */
  #watchPointer() {
    const {picture} = this;
    let from = null;
    const clamp = ({x, y}) => ({
      x: Math.max(this.box.left, Math.min(this.box.right, x)),
      y: Math.max(this.box.top, Math.min(this.box.bottom, y)),
    });
    /** The box from the press to a place, the whole frame in a direction in which the pointer has not moved. */
    const findBox = to => {
      const {left, right, top, bottom} = this.box,
        sort = (a, b, ends) => (Math.abs(a - b) < CLICK ? ends : [Math.min(a, b), Math.max(a, b)]);
      return {across: sort(from.x, to.x, [left, right]), up: sort(from.y, to.y, [top, bottom])};
    };
    const hasMoved = to => Math.abs(to.x - from.x) >= CLICK || Math.abs(to.y - from.y) >= CLICK;
    const leave = () => {
      from = null;
      this.frame.hidden = true;
    };
    picture.addEventListener("pointerdown", event => {
      if (event.button || !this.box) return;
      const at = this.#find(event);
      if (!this.#isInside(at)) return;
      from = at;
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", event => {
      if (!this.box) return;
      const at = this.#find(event);
      if (from) {
        this.frame.hidden = !hasMoved(at);
        const {
          across: [left, right],
          up: [top, bottom],
        } = findBox(clamp(at));
        this.frame.style.cssText = `left:${left}px;top:${top}px;width:${right - left}px;height:${bottom - top}px`;
      }
      if (event.pointerType !== "touch") this.#showValues(this.#isInside(at) ? at : null);
    });
    picture.addEventListener("pointerup", event => {
      if (!from) return;
      const at = this.#find(event);
      if (!hasMoved(at)) page.clock?.seek(at.time);
      else {
        const {across, up} = findBox(clamp(at));
        this.zoom(
          across.map(x => this.#timeAt(x)),
          up.toReversed().map(y => this.#valueAt(y)),
        );
      }
      leave();
    });
    picture.addEventListener("pointercancel", leave);
    picture.addEventListener("pointerleave", () => this.#showValues(null));
    picture.addEventListener("dblclick", () => this.reset());
  }

  /** With Ctrl, the wheel zooms the time axis; with Alt, it moves the slider of Δt, if the page has one, and does not scroll. */
  #watchWheel() {
    let rest = 0;
    this.picture.addEventListener(
      "wheel",
      event => {
        const at = this.box && event.ctrlKey && this.#find(event);
        if (at && this.#isInside(at)) {
          const part = Math.max(-0.9, Math.min(0.9, -readWheel(event) / WHEEL)),
            [first, last] = this.times;
          this.zoom([first + part * (at.time - first), last - part * (last - at.time)]);
          event.preventDefault();
        }
        if (!event.altKey || event.ctrlKey || event.metaKey) return;
        rest -= readWheel(event) / NOTCH;
        const by = Math.trunc(rest);
        if (page.request("change step size", {by})) event.preventDefault();
        rest -= by;
      },
      {passive: false},
    );
  }

  /** Show all curves' values at the stored time next to a place, and mark them; without a place, show nothing. */
  #showValues(at) {
    const {values, dots, shown} = this,
      {time, rows} = readRow(at ? this.curves : [], at?.time);
    const ended = at
      ? shown.marks.filter(({t, y}) => Math.hypot(this.across(t) - at.x, this.up(y) - at.y) <= NEAR)
      : [];
    dots.replaceChildren();
    if (!rows.length && !ended.length)
      return values.isConnected && values.matches(":popover-open") && values.hidePopover();
    const left = this.across(time);
    for (const {value, colour} of rows) {
      const top = this.up(value);
      if (this.#isInside({x: left, y: top})) {
        const dot = create("i");
        dot.style.cssText = `left:${left}px;top:${top}px;background:${colour}`;
        dots.append(dot);
      }
    }
    values.replaceChildren(
      ...(rows.length ? [create("b", {textContent: `t = ${formatValue(time, false)}`})] : []),
      ...rows.map(({label, colour, value}) => {
        const dot = create("i");
        dot.style.background = colour;
        const name = create("em", {textContent: label});
        return create("span", {}, dot, name, ` ${formatValue(value, shown.log)}`);
      }),
      ...ended.map(({label, t, why}) =>
        create("span", {
          textContent: `${label} ended at t = ${formatNumber(Number(t.toFixed(4)))}: ${why}`,
        }),
      ),
    );
    if (!values.matches(":popover-open")) values.showPopover();
    const picture = this.picture.getBoundingClientRect(),
      x = picture.left + (rows.length ? left : at.x),
      {offsetWidth: wide, offsetHeight: tall} = values;
    const start = x + APART + wide < innerWidth ? x + APART : Math.max(0, x - APART - wide);
    Object.assign(values.style, {
      left: `${start}px`,
      top: `${Math.max(0, Math.min(picture.top, innerHeight - tall))}px`,
    });
  }
}
