// A stage: the page's scene and its plots on one canvas of any size, in large type, for lecture mode, pictures, videos and paper.

import {findFigures} from "../core/figures.js";
import {formatValue} from "../core/numbers.js";
import {page} from "../core/page.js";
import {readRow} from "../core/rows.js";
import {drawPlot} from "../core/plot.js";
import {clock} from "./clock.js";

const SCENE = "The scene",
  ALL = "Scene and plots";
const WAITING = ["Predict first", "Answer the question. Then the plots appear here."]; // see hidden in page.js
const WIDE = 1.15; // width / height of a canvas from which the plots are beside the scene, not below it
const SMALLEST = 15; // pixels of a plot's title among several; its other words are a little smaller
const OFTEN = 400; // milliseconds between two searches for plots

/** The names of the views that a stage can show: the scene with all plots, the scene, and each plot. */
export function listViews() {
  const plots = findPlots();
  return [...(plots.length ? [ALL] : []), SCENE, ...plots.map(({title}) => title)];
}

const isVisible = element => element?.isConnected && element.offsetWidth > 0;
const findPlots = () =>
  [...page.plots].filter(({element, curves}) => isVisible(element) && curves.length);
const findPictures = () => findFigures().filter(({el}) => isVisible(el));
const findPlayer = () =>
  [...clock.players].find(player => player.solid && player.canvas?.clientWidth > 0);

export class Stage {
  stale = true;
  visible = true;
  solid = null;
  places = [];
  #ground = null;
  #player = null;

  // `describe` returns the title, the setting and the result; `size` is width, height and pixels for each, of a canvas outside the
  // page; `bare` leaves out all but the scene, for paper.
  constructor(canvas, {describe, view = ALL, size = null, bare = false}) {
    Object.assign(this, {canvas, describe, view, size, bare});
    this.watch = setInterval(() => this.replan(), OFTEN);
    this.observer = new ResizeObserver(() => this.replan());
    this.observer.observe(canvas);
    if (!clock.duration) clock.setDuration(page.state.choice.duration ?? 0); // without any player
    clock.join(this);
  }

  show(view) {
    this.view = view;
    this.replan();
  }

  /** Draw again when more than the time may have changed. */
  replan() {
    this.#ground = null;
    this.stale = true;
    clock.wake();
  }

  leave() {
    clearInterval(this.watch);
    this.observer.disconnect();
    clock.leave(this);
    this.#borrow(null);
  }

  frame() {
    if (!this.stale) return;
    this.stale = false;
    this.draw();
    this.ondraw?.();
  }

  /** Borrow the view of a player of the page, which then draws for the stage alone; give back the one before. */
  #borrow(player) {
    if (this.#player === player) return;
    if (this.#player) {
      this.#player.lent = false;
      this.#player.redraw();
    }
    if (player) player.lent = true;
    this.#player = player;
  }

  orbit(right, up) {
    this.#player?.orbit(right, up);
    this.stale = true;
  }

  magnify(factor) {
    this.#player?.magnify(factor);
    this.stale = true;
  }

  /** The time of the states that is nearest to a time, if there are plots. */
  findState(time) {
    const [plot] = this.places.length ? this.places.map(place => place.plot) : findPlots();
    return plot ? readRow(plot.curves, time).time : time;
  }

  toggleSound() {
    this.#player?.toggleSound();
  }

  draw() {
    const {canvas, size} = this,
      {clientWidth: w, clientHeight: h} = size
        ? {clientWidth: size[0], clientHeight: size[1]}
        : canvas;
    if (!w || !h) return;
    const ratio = size ? size[2] : Math.min(2, devicePixelRatio || 1),
      [width, height] = [Math.round(w * ratio), Math.round(h * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      Object.assign(canvas, {width, height});
      this.#ground = null;
    }
    this.#ground ??= this.#drawGround(w, h, ratio);
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.drawImage(this.#ground, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.scene) this.#drawScene(g, this.scene, ratio);
    for (const place of this.places) this.#drawTimes(g, place);
    this.#drawText(
      g,
      `t = ${clock.format(clock.time)} of ${clock.format(clock.duration)}`,
      w - this.margin,
      h - 0.5 * this.margin,
      {align: "right", base: "bottom", size: 0.9, bold: true},
    );
  }

  /** Draw what does not change with time: words and plots. */
  #drawGround(w, h, ratio) {
    const ground = document.createElement("canvas"),
      g = ground.getContext("2d");
    Object.assign(ground, {width: Math.round(w * ratio), height: Math.round(h * ratio)});
    g.scale(ratio, ratio);
    const dark = !this.bare && isDark(),
      type = (this.type = Math.max(13, Math.min(w / 46, h / 27))),
      margin = (this.margin = 1.1 * type);
    Object.assign(this, {
      ink: dark ? "#fff" : "#000",
      paper: dark ? "#000" : "#fff",
      font: getComputedStyle(document.body).fontFamily,
    });
    g.fillStyle = this.paper;
    g.fillRect(0, 0, w, h);
    const [title = "", setting = "", result = ""] = this.describe();
    let top = margin;
    top = this.#drawWords(g, title, margin, top - 0.6 * type, w - 2 * margin, {
      size: 1.3,
      bold: true,
    });
    const titled = g.measureText(title).width + type;
    g.font = `400 ${0.8 * type}px ${this.font}`;
    if (titled + g.measureText(setting).width < w - 2 * margin)
      this.#drawText(g, setting, margin + titled, top, {size: 0.8});
    else top = this.#drawWords(g, setting, margin, top, w - 2 * margin, {size: 0.8});
    top = this.#drawWords(g, result, margin, top + 0.2 * type, w - 2 * margin, {
      size: 0.9,
      most: 3,
    });
    const plots = findPlots(),
      alone = plots.filter(({title}) => title === this.view),
      all = this.view === ALL;
    const shown = all ? plots : alone,
      hasScene = all || !alone.length;
    top = this.#drawLegend(
      g,
      plots.length && !this.bare ? plots[0].curves : [],
      margin,
      top + 0.3 * type,
      w - 2 * margin,
    );
    const room = {left: margin, top: top + 0.4 * type, right: w - margin, bottom: h - 1.9 * type},
      wide = w > WIDE * h;
    const beside = wide
      ? {...room, right: (room.left + room.right) / 2 - margin}
      : {...room, bottom: room.top + (room.bottom - room.top) * 0.45};
    const waits = page.hidden.includes("plots");
    this.scene = hasScene ? (shown.length || waits ? beside : room) : null;
    const left = !hasScene
      ? room
      : wide
        ? {...room, left: beside.right + margin}
        : {...room, top: beside.bottom + type};
    if (waits) this.#drawWaiting(g, left);
    const small = shown.length > 1 ? Math.max(0.66 * type, SMALLEST) : type;
    g.font = `${0.85 * small}px ${this.font}`;
    const words = shown.flatMap(({words}) => words).filter(([, x]) => x === null);
    this.beside = Math.max(0, ...words.map(([text]) => g.measureText(text).width + 1.2 * small));
    this.places = shown.map((plot, i) =>
      this.#drawPlot(
        g,
        plot,
        divide(left, i, shown.length),
        i === shown.length - 1 || !wide,
        small,
      ),
    );
    this.#borrow(this.scene ? (findPlayer() ?? null) : null);
    return ground;
  }

  /** Draw an empty frame with what is to be done before it has plots. */
  #drawWaiting(g, {left, top, right, bottom}) {
    const [title, sentence] = WAITING,
      {type} = this,
      width = right - left - 2 * type;
    Object.assign(g, {strokeStyle: this.ink, lineWidth: 0.06 * type, globalAlpha: 0.6});
    g.setLineDash([0.5 * type, 0.4 * type]);
    g.strokeRect(left, top, right - left, bottom - top);
    g.setLineDash([]);
    const y = this.#drawWords(g, title, left + type, (top + bottom) / 2 - 3 * type, width, {
      size: 1.3,
      bold: true,
    });
    this.#drawWords(g, sentence, left + type, y + 0.3 * type, width, {size: 1, most: 4});
  }

  #drawText(
    g,
    text,
    x,
    y,
    {size = 1, bold = false, align = "left", base = "alphabetic", colour = this.ink} = {},
  ) {
    g.globalAlpha = 1;
    g.fillStyle = colour;
    g.font = `${bold ? 600 : 400} ${size * this.type}px ${this.font}`;
    Object.assign(g, {textAlign: align, textBaseline: base});
    g.fillText(text, x, y);
  }

  /** Draw words in as many lines as they need, up to `most`; returns the place of their end. */
  #drawWords(g, text, x, y, width, {size, bold = false, most = 2}) {
    g.font = `${bold ? 600 : 400} ${size * this.type}px ${this.font}`;
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && g.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    if (lines.length > most) lines.splice(most - 1, Infinity, `${lines[most - 1]} …`);
    for (const line of lines.filter(Boolean))
      this.#drawText(g, line, x, (y += 1.3 * size * this.type), {size, bold});
    return y;
  }

  /** Draw the names of curves with their colours; returns the place of their end. */
  #drawLegend(g, curves, left, top, width) {
    let x = left,
      y = top + this.type;
    g.font = `600 ${0.95 * this.type}px ${this.font}`;
    for (const {label, colour, dash} of curves) {
      const sample = (dash.length ? 2 : 0.8) * this.type,
        wide = g.measureText(label).width + sample + 1.6 * this.type;
      if (x > left && x + wide > left + width) {
        x = left;
        y += 1.4 * this.type;
      }
      Object.assign(g, {
        strokeStyle: colour,
        lineWidth: (dash.length ? 0.2 : 0.5) * this.type,
        globalAlpha: 1,
      });
      g.setLineDash(dash.map(length => (length * this.type) / 12));
      g.beginPath();
      g.moveTo(x, y - 0.37 * this.type);
      g.lineTo(x + sample, y - 0.37 * this.type);
      g.stroke();
      g.setLineDash([]);
      this.#drawText(g, label, x + sample + 0.3 * this.type, y, {size: 0.95, bold: true});
      x += wide;
    }
    return curves.length ? y : top;
  }

  /** Draw a plot, with the values at a marked time above it. */
  #drawPlot(g, plot, {left, top, right, bottom}, timed, type) {
    const {title, formula, log, curves, words, times, ends} = plot,
      size = type / this.type;
    this.#drawText(g, title, left, top + 1.1 * type, {size, bold: true});
    const titled = left + g.measureText(title).width + type;
    let above = top;
    if (clock.pinned !== null)
      above =
        this.#drawValues(
          g,
          curves,
          log,
          {left: titled, start: left, right, top: top + 1.1 * type},
          0.85 * size,
        ) -
        1.1 * type;
    else if (titled + 0.8 * g.measureText(formula).width < right)
      this.#drawText(g, formula, titled, top + 1.1 * type, {size: 0.8 * size});
    const box = {
      left: left + 4.2 * type,
      top: above + 1.85 * type,
      right: right - this.beside,
      bottom: bottom - (timed ? 1.7 : 0.5) * type,
    };
    const drawn = drawPlot(g, box, {
      curves: curves.toReversed(),
      log,
      ink: this.ink,
      paper: this.paper,
      font: this.font,
      type: 0.85 * type,
      timed,
      words,
      times,
      values: ends,
    });
    g.globalAlpha = 1;
    return {plot, box, type, ...drawn};
  }

  /** Draw the time in a plot, and the marked time. */
  #drawTimes(g, {box, across, type}) {
    const line = (time, dash, width) => {
      const x = across(time);
      if (!(x >= box.left && x <= box.right)) return null;
      g.strokeStyle = this.ink;
      g.lineWidth = width;
      g.setLineDash(dash);
      g.beginPath();
      g.moveTo(x, box.top);
      g.lineTo(x, box.bottom);
      g.stroke();
      g.setLineDash([]);
      return x;
    };
    line(clock.time, [0.4 * type, 0.3 * type], 0.09 * type);
    if (clock.pinned !== null) line(clock.pinned, [], 0.14 * type);
  }

  /** Draw the values at the marked time in as many lines as they need; returns the place of the last. */
  #drawValues(g, curves, log, {left, start, right, top}, size) {
    const {time, rows} = readRow(curves, clock.pinned),
      type = size * this.type;
    let x = left,
      y = top;
    g.font = `600 ${type}px ${this.font}`;
    for (const {label, colour, value} of [{label: `t = ${formatValue(time, false)}`}, ...rows]) {
      const text = colour ? `${label} ${formatValue(value, log)}` : label,
        wide = g.measureText(text).width + (colour ? 2.2 : 1) * type;
      if (x + wide > right && x > start) {
        x = start;
        y += 1.3 * type;
      }
      g.fillStyle = colour ?? this.ink;
      if (colour) g.fillRect(x, y - 0.6 * type, 0.7 * type, 0.5 * type);
      this.#drawText(g, text, x + (colour ? type : 0), y, {size, bold: true});
      x += wide;
    }
    return y;
  }

  #drawScene(g, box, ratio) {
    const width = box.right - box.left,
      height = box.bottom - box.top,
      player = this.#player;
    if (!player) return this.#drawPictures(g, box);
    const draw = () => player.drawAt(width, height, ratio),
      {canvas, names} = this.bare ? withInk(player, this.ink, draw) : draw();
    g.drawImage(canvas, box.left, box.top, width, height);
    for (const {text, x, y} of names)
      this.#drawText(g, text, box.left + x, box.top + Math.max(0.8 * this.type, y), {
        align: "center",
        base: "middle",
        size: 1.1,
        bold: true,
      });
    if (clock.pinned !== null)
      this.#drawText(
        g,
        `● marked: t = ${clock.format(clock.pinned)}`,
        box.left,
        box.top + this.type,
        {size: 0.85, bold: true},
      );
  }

  /** Draw Bokeh's pictures in 2D again. */
  #drawPictures(g, box) {
    const shown = findPictures(),
      wide = box.right - box.left > box.bottom - box.top;
    shown.forEach((view, i) => {
      const place = divide(box, i, shown.length, wide),
        side = Math.min(place.right - place.left, place.bottom - place.top);
      const {x_range: X, y_range: Y, renderers} = view.model,
        middle = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
      const across = x => middle[0] + ((x - X.start) / (X.end - X.start) - 0.5) * side,
        up = y => middle[1] - ((y - Y.start) / (Y.end - Y.start) - 0.5) * side;
      g.save();
      g.beginPath();
      g.rect(middle[0] - side / 2, middle[1] - side / 2, side, side);
      g.clip();
      for (const {visible, glyph, data_source: source} of renderers)
        if (visible) this.#drawGlyph(g, glyph, source, across, up, side / 370);
      g.restore();
    });
    g.globalAlpha = 1;
  }

  #drawGlyph(g, glyph, source, across, up, scale) {
    const {x, y, xs, ys, alpha, text} = Object.fromEntries(
      source.columns().map(name => [name, source.get_column(name)]),
    );
    if (text)
      text.forEach((words, i) =>
        this.#drawText(g, words, across(x[i]), up(y[i]), {align: "center", base: "middle"}),
      );
    else if (alpha && glyph.size) {
      g.fillStyle = glyph.fill_color.value;
      for (let i = 0; i < x.length; i++) {
        g.globalAlpha = alpha[i];
        g.beginPath();
        g.arc(across(x[i]), up(y[i]), (glyph.size.value / 2) * scale, 0, 7);
        g.fill();
      }
    } else {
      Object.assign(g, {
        strokeStyle: glyph.line_color.value,
        lineWidth: glyph.line_width.value * scale,
        lineJoin: "round",
      });
      (xs ? xs.map((line, i) => [line, ys[i]]) : [[x, y]]).forEach(([u, v], k) => {
        g.globalAlpha = alpha?.[k] ?? glyph.line_alpha.value;
        g.beginPath();
        let begun = false;
        for (let i = 0; i < u.length; i++) {
          if (Number.isNaN(u[i])) begun = false;
          else {
            g[begun ? "lineTo" : "moveTo"](across(u[i]), up(v[i]));
            begun = true;
          }
        }
        g.stroke();
      });
    }
  }
}

/** The i-th of n parts of a box, one below the other or side by side. */
function divide({left, top, right, bottom}, i, n, beside = false) {
  const wide = (right - left) / n,
    high = (bottom - top) / n;
  return beside
    ? {left: left + i * wide, top, right: left + (i + 1) * wide, bottom}
    : {left, top: top + i * high, right, bottom: top + (i + 1) * high};
}

/** Act while a player draws with this text colour. */
function withInk(player, colour, act) {
  const {style} = player.root,
    before = style.cssText;
  style.cssText += `;transition:none;color:${colour}`;
  player.replan();
  try {
    return act();
  } finally {
    style.cssText = before;
    player.replan();
  }
}

const isDark = () => {
  const {theme} = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
