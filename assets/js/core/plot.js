// Plots of curves against time on a canvas: the painter of all hosts, `drawPlot`, and the plots of demos, `Plot`, whose values follow the pointer
// or the clock; a click goes to that time.

import {findLimits, frameCurves, toAxis} from "./scales.js";
import {findTicks, formatExponentTick, formatLinearTick} from "./ticks.js";

const MANY_TURNS = 200,
  BAND_OPACITY = 0.5; // of a curve that fills a band, as in app/charts/downsample.py and style.py
export const ROOM = {left: 62, right: 16, top: 8, bottom: 24},
  TYPE = 12; // pixels around the frame without the words on its right, and of the type
const STYLE = `
:host { display: block; position: relative; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.front { cursor: crosshair; touch-action: pan-y; }`;

export class Plot {
  /** `seek` receives a time that was clicked; `read` receives the values at a time, as [{label, value}], and the time. */
  constructor(host, {label, seek = () => {}, read = () => {}}) {
    Object.assign(this, {
      host,
      seek,
      read,
      curves: [],
      drawn: [],
      values: findLimits([], true),
      words: [],
      right: ROOM.right,
      log: true,
      end: 1,
      time: 0,
      hovered: null,
    });
    const root = host.attachShadow({mode: "open"});
    root.innerHTML = `<style>${STYLE}</style><canvas></canvas><canvas class="front" role="img"></canvas>`;
    [this.back, this.front] = root.querySelectorAll("canvas");
    this.front.setAttribute("aria-label", label);
    this.front.addEventListener("pointermove", event => {
      this.hovered = this.timeAt(event);
      if (event.buttons) this.seek(this.hovered);
      this.drawCursor();
    });
    this.front.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.drawCursor();
    });
    this.front.addEventListener("pointerdown", event => this.seek(this.timeAt(event)));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  /**
   * Show curves [{label, colour, t, y, floor?, faint?}] over times from 0 to `end`, with a line at the roundoff of those that have a
   * `floor`; a logarithmic axis shows |y|. `words` are further words, as `drawPlot` takes them.
   */
  show({curves, log = true, end = 1, words = []}) {
    const {curves: drawn, values} = frameCurves(curves, log);
    Object.assign(this, {curves, drawn, values, log, end: end || 1, words});
    this.draw();
  }

  timeAt({offsetX}) {
    return (
      Math.max(
        0,
        Math.min(1, (offsetX - ROOM.left) / (this.host.clientWidth - ROOM.left - this.right)),
      ) * this.end
    );
  }

  /** Clear a canvas at its present size; returns its context, in pixels of the page. */
  clear(canvas) {
    const width = this.host.clientWidth,
      height = this.host.clientHeight;
    return {g: clearCanvas(canvas, width, height), width, height};
  }

  draw() {
    const {g, width, height} = this.clear(this.back),
      style = getComputedStyle(this.host),
      {color: ink, fontFamily: font} = style,
      paper = style.getPropertyValue("--panel-surface-color") || "Canvas",
      words = listWords(this);
    g.font = `${TYPE}px ${font}`;
    this.right = Math.max(
      ROOM.right,
      ...words.filter(([, x]) => x === null).map(([text]) => g.measureText(text).width + TYPE),
    );
    if (width < ROOM.left + this.right + 20) return;
    const box = {
      left: ROOM.left,
      top: ROOM.top,
      right: width - this.right,
      bottom: height - ROOM.bottom,
    };
    Object.assign(
      this,
      drawPlot(g, box, {
        curves: this.drawn,
        log: this.log,
        times: [0, this.end],
        values: this.values,
        ink,
        paper,
        font,
        words,
      }),
    );
    this.drawCursor();
  }

  moveTo(time) {
    this.time = time;
    if (this.hovered === null) this.drawCursor();
  }

  drawCursor() {
    if (!this.across) return;
    const {g, height} = this.clear(this.front),
      time = this.hovered ?? this.time,
      x = this.across(Math.min(time, this.end));
    g.strokeStyle = getComputedStyle(this.host).color;
    g.globalAlpha = this.hovered === null ? 0.45 : 0.8;
    g.setLineDash([3, 3]);
    g.beginPath();
    g.moveTo(x, ROOM.top);
    g.lineTo(x, height - ROOM.bottom);
    g.stroke();
    const values = this.curves
      .filter(({faint}) => !faint)
      .map(({label, colour, t, y}) => {
        const i = findRow(t, time),
          value = time >= t[0] && time <= t[t.length - 1] * (1 + 1e-12) ? y[i] : NaN;
        const v = toAxis(value, this.log);
        if (Number.isFinite(v)) {
          g.globalAlpha = 1;
          g.fillStyle = colour;
          g.beginPath();
          g.arc(this.across(t[i]), this.up(v), 3, 0, 7);
          g.fill();
        }
        return {label, colour, value};
      });
    const [first] = this.curves.filter(({faint}) => !faint);
    this.read(values, first?.t.length ? first.t[findRow(first.t, time)] : time);
  }
}

/** Clear a canvas of this size; returns its context, in pixels of the page. */
export function clearCanvas(canvas, width, height) {
  const sharp = devicePixelRatio || 1,
    [across, down] = [width, height].map(size => Math.round(size * sharp));
  if (canvas.width !== across || canvas.height !== down)
    Object.assign(canvas, {width: across, height: down});
  const g = canvas.getContext("2d");
  g.setTransform(sharp, 0, 0, sharp, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}

/** The line at roundoff on a logarithmic axis, and further lines, as `find_guides` in app/charts/lab_chart.py lists them. */
export function listWords({curves, log, words: more}) {
  const {floor} = curves.findLast(({floor, y}) => floor && Number.isFinite(y.at(-1))) ?? {};
  return [...(log && floor ? [["roundoff", null, toAxis(floor, log)]] : []), ...more];
}

/** The opacity of a curve with these places: translucent if it turns so often that it fills a band, which would cover other curves. */
export function chooseOpacity(places) {
  let turns = 0,
    before = NaN,
    way = NaN;
  for (const v of places) {
    if (!Number.isFinite(v)) continue;
    const next = Math.sign(v - before);
    turns += next !== way && way === way;
    [before, way] = [v, next];
  }
  return turns > MANY_TURNS ? BAND_OPACITY : 1;
}

const COLUMN = 2; // pixels
const PIECE = 64; // points of a stroke: many crossings with a row of pixels take a canvas without a graphics card longer

/**
 * Draw a curve through n points on the screen, with gaps where one is not finite. Of the points in a narrow column, it goes through the
 * lowest and the highest only, and its joins are mitred: on a canvas without a graphics card, this takes half of the time or less.
 */
export function strokeCurve(g, n, across, up) {
  let column = NaN,
    low = -1,
    high = -1,
    least = 0,
    most = 0,
    drawn = 0; // drawn: points of the stroke
  const longest = g.getLineDash().length ? Infinity : PIECE; // dashes go on through all points
  const add = i => {
    const x = across(i),
      y = up(i);
    if (drawn) g.lineTo(x, y);
    else g.moveTo(x, y);
    if (drawn++ < longest) return;
    g.stroke();
    g.beginPath();
    g.moveTo(x, y);
    drawn = 1;
  };
  const draw = () => {
    if (low >= 0) add(Math.min(low, high));
    if (high !== low) add(Math.max(low, high));
    low = high = -1;
  };
  g.lineJoin = "miter";
  g.miterLimit = 2;
  g.beginPath();
  for (let i = 0; i < n; i++) {
    const y = up(i),
      here = Math.floor(across(i) / COLUMN);
    if (here !== column) draw();
    column = here;
    if (!Number.isFinite(y)) {
      draw();
      drawn = 0;
      continue;
    }
    if (low < 0 || y < least) [low, least] = [i, y];
    if (high < 0 || y > most) [high, most] = [i, y];
  }
  draw();
  g.stroke();
}

/**
 * Draw curves with their axes into a box of a canvas; returns functions from a time and from a value to their places.
 *
 * The curves' values are places on the axis, and `times` and `values` the ends of the axes: decimal logarithms on a logarithmic one. `words` are
 * lines [text, x, y], with null for the direction of the line: its text is drawn beside the box, or over the curves on a ground of `paper`.
 * `marks` are crosses {t, y, colour}, and `waiting` is a word in the corner.
 */
export function drawPlot(
  g,
  {left, top, right, bottom},
  {
    curves,
    log,
    times: [first, last],
    values: [low, high],
    ink,
    paper,
    font,
    type = TYPE,
    timed = true,
    words = [],
    marks = [],
    waiting = "",
  },
) {
  const across = x => left + ((x - first) / (last - first)) * (right - left),
    up = v => bottom - ((v - low) / (high - low)) * (bottom - top);
  g.font = `${type}px ${font}`;
  g.fillStyle = g.strokeStyle = ink;
  g.lineWidth = type / 12;
  const line = (x, y, u, v, strength) => {
    g.globalAlpha = strength;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(u, v);
    g.stroke();
    g.globalAlpha = 1;
  };
  g.textAlign = "right";
  g.textBaseline = "middle";
  const most = (bottom - top) / type / (log ? 2 : 4),
    ticks = findTicks([low, high], log, Math.max(2, log ? Math.min(5, most) : most));
  for (const v of ticks) {
    line(left, up(v), right, up(v), 0.13);
    g.globalAlpha = 0.78;
    g.fillText((log ? formatExponentTick : formatLinearTick)(v, ticks), left - type / 2, up(v));
  }
  g.textAlign = "center";
  g.textBaseline = "top";
  const times = findTicks(
    [Math.max(0, first), last],
    false,
    Math.max(2, (right - left) / type / 8),
  );
  for (const t of times) {
    line(across(t), top, across(t), bottom, 0.08);
    g.globalAlpha = 0.78;
    if (timed)
      g.fillText(
        `${t === times.at(-1) ? "t = " : ""}${formatLinearTick(t, times)}`,
        Math.min(across(t), right - 1.3 * type),
        bottom + type / 2,
      );
  }
  line(left, bottom, right, bottom, 0.5);
  g.save();
  g.beginPath();
  g.rect(left, top - 3, right - left, bottom - top + 4);
  g.clip();
  for (const {t, y, colour, faint, width = 1.6, dash = [], opacity} of curves) {
    g.strokeStyle = colour === "ink" ? ink : colour;
    g.lineWidth = ((faint ? 1 : width) * type) / 12;
    g.setLineDash(faint ? [4, 4] : dash.map(length => (length * type) / 12));
    g.globalAlpha = faint ? 0.6 : (opacity ?? chooseOpacity(y));
    strokeCurve(
      g,
      t.length,
      i => across(t[i]),
      i => up(y[i]),
    );
  }
  g.lineWidth = type / 4;
  g.setLineDash([]);
  g.globalAlpha = 1;
  for (const {t, y, colour} of marks) drawCross(g, across(t), up(y), 0.45 * type, colour);
  g.restore();
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillText(waiting, left + type, top + 1.5 * type);
  g.lineWidth = type / 12;
  for (const [text, time, value] of words) {
    const x = time === null ? null : across(time),
      y = time === null ? up(value) : null;
    if (x !== null ? x < left || x > right : y < top || y > bottom) continue;
    g.setLineDash([type / 6, type / 4]);
    line(x ?? left, y ?? top, x ?? right, y ?? bottom, 0.7);
    if (x === null) {
      g.fillText(text, right + 0.6 * type, y);
      continue;
    }
    const wide = g.measureText(text).width + type / 2,
      start = x + wide < right ? x + type / 4 : x - wide;
    g.fillStyle = paper;
    g.fillRect(start, top - type / 4, wide - type / 4, 1.5 * type);
    g.fillStyle = ink;
    g.fillText(text, start, top + type / 2);
  }
  g.setLineDash([]);
  return {across, up};
}

function drawCross(g, x, y, size, colour) {
  g.strokeStyle = colour;
  g.beginPath();
  for (const way of [-1, 1]) {
    g.moveTo(x - size, y - way * size);
    g.lineTo(x + size, y + way * size);
  }
  g.stroke();
}

/** The last row at or before a time. */
function findRow(t, time) {
  let low = 0,
    high = t.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time * (1 + 1e-12)) low = middle;
    else high = middle;
  }
  return low;
}
