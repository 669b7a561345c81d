// Time cursors over the page's plots.

import {create} from "../core/dom.js";
import {findFigures} from "../core/figures.js";

const LOOK = 400; // milliseconds between two searches for plots
const NOTE =
  "position:absolute;top:2px;padding:0 4px;font-weight:600;white-space:nowrap;background:var(--panel-surface-color,Canvas);pointer-events:none";
const GRIP = 6; // pixels on both sides of a cursor by which it can be dragged

/** A line at the clock's time over each Bokeh figure that is tagged as a plot over time. */
export class Cursors {
  #lines = new Map();
  #looked = -Infinity;
  #timer = 0;

  constructor(clock) {
    this.clock = clock;
  }

  draw(now) {
    if (now - this.#looked > LOOK) {
      this.#look();
      this.#looked = now;
    }
    // No event reports that figures appear, zoom or change their size.
    if (!this.#timer)
      this.#timer = setInterval(() => {
        if (!document.hidden) {
          this.#looked = -Infinity;
          this.draw(performance.now());
        }
      }, LOOK);
    for (const [view, line] of this.#lines) placeCursor(view, line, this.clock);
    const [first] = this.#lines;
    if (first) writeNote(...first, this.clock);
  }

  clear() {
    clearInterval(this.#timer);
    this.#timer = 0;
    for (const line of this.#lines.values()) line.remove();
    this.#lines.clear();
  }

  #look() {
    let found;
    try {
      found = new Set(findFigures().filter(view => view.model.tags.includes("timeplot")));
    } catch {
      return;
    }
    for (const [view, line] of this.#lines)
      if (!found.has(view) || !line.isConnected) {
        line.remove();
        this.#lines.delete(view);
      }
    for (const view of found) {
      if (this.#lines.has(view) || !view.shadow_el) continue;
      const line = createCursor(view, this.clock);
      view.shadow_el.appendChild(line);
      this.#lines.set(view, line);
    }
  }
}

/** Create the cursor of a plot, by which a person drags the time. */
function createCursor(view, clock) {
  const grip = document.createElement("div"),
    line = document.createElement("div");
  grip.className = "time-cursor";
  grip.setAttribute("aria-hidden", "true"); // the keyboard has the slider
  grip.style.cssText = `position:absolute;left:${-GRIP}px;top:0;width:${2 * GRIP}px;z-index:5;will-change:transform;cursor:ew-resize;touch-action:none`;
  line.style.cssText = `height:100%;width:0;margin-left:${GRIP}px;border-left:1px dashed currentColor;opacity:.55`;
  grip.append(line, create("span", {style: NOTE}));
  grip.addEventListener("pointerdown", event => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    clock.set({playing: false});
  });
  grip.addEventListener("pointermove", event => {
    if (!grip.hasPointerCapture(event.pointerId)) return;
    const left = view.el.getBoundingClientRect().left;
    clock.seek(view.frame.x_scale.invert(event.clientX - left));
  });
  return grip;
}

/** Put a cursor at the clock's time; this runs for each frame, and so avoids Bokeh's slow scales. */
function placeCursor({frame}, {style}, {time, duration}) {
  const {start, end} = frame.x_range ?? {},
    {left, right, top, height} = frame.bbox,
    x = left + ((time - start) / (end - start)) * (right - left);
  const inside = duration > 0 && x >= left - 1 && x <= right + 1; // false without a layout
  const display = inside ? "" : "none",
    place = `translate(${x.toFixed(1)}px,${top}px)`,
    size = `${height}px`;
  if (style.display !== display) style.display = display;
  if (!inside) return;
  if (style.height !== size) style.height = size;
  if (style.transform !== place) style.transform = place;
}

/** Write a note beside the cursor, towards the middle of the plot. */
function writeNote(view, line, {note, time, duration}) {
  const words = line.lastChild,
    isLate = time > duration / 2;
  if (!note && words.hidden) return;
  words.hidden = !note;
  words.textContent = note;
  words.style[isLate ? "right" : "left"] = `${2 * GRIP}px`;
  words.style[isLate ? "left" : "right"] = "";
}
