// The page's picture in space and its plots, composed on one canvas of any size, in large type: what lecture mode shows,
// and what a picture and a video of the motion have.

import {clock, figures} from "./player.js";
import {plotted} from "./plot.js";

const SCENE = "The scene", ALL = "Scene and plots";
const WIDE = 1.15; // of a canvas, from which on plots stand beside the scene and not below it
const OFTEN = 400; // milliseconds between looks at what has come or gone

/** What can be seen on a stage, by name: all together, the picture in space, and each plot. */
export function views() {
  const plots = plotsSeen();
  return [...(plots.length ? [ALL] : []), SCENE, ...plots.map(({el}) => el.plot.title)];
}

const seen = view => view.el?.isConnected && view.el.offsetWidth > 0;
const isPlot = view => view.model.tags.includes("timeplot");
const hover = ({toolbar}) => toolbar.tools.find(({formatters}) => formatters?.["@y"]); // which a plot has with its first curves
const plotsSeen = () => figures().filter(view => seen(view) && isPlot(view) && view.el.plot && hover(view.model)?.renderers.length);
const flatSeen = () => figures().filter(view => seen(view) && !isPlot(view));
const pictureSeen = () => [...clock.players].find(player => player.solid && player.canvas?.clientWidth > 0);

export class Stage {
  stale = true; visible = true; solid = null; places = [];
  #ground = null; #looked = 0; #picture = null;

  /** `told` gives title, setting and what follows from it; `size`, if it is no canvas of the page, its own pixels; `bare` is for paper, with the picture alone. */
  constructor(canvas, {told, view = ALL, size = null, bare = false}) {
    Object.assign(this, {canvas, told, view, size, bare});
    this.watch = setInterval(() => this.renew(), OFTEN);
    this.observer = new ResizeObserver(() => this.renew());
    this.observer.observe(canvas);
    if (!clock.duration) clock.lasts(window.polhode?.choice.duration ?? 0); // where no player has said so
    clock.join(this);
  }

  show(view) { this.view = view; this.renew(); }

  /** More than the time may have changed. */
  renew() { this.#ground = null; this.stale = true; clock.wake(); }

  leave() {
    clearInterval(this.watch);
    this.observer.disconnect();
    clock.leave(this);
    this.#lend(null);
  }

  frame() {
    if (!this.stale) return;
    this.stale = false;
    this.draw();
    this.ondraw?.();
  }

  /** The page's own picture draws for the stage alone, and is given back after it. */
  #lend(picture) {
    if (this.#picture === picture) return;
    if (this.#picture) { this.#picture.lent = false; this.#picture.redraw(); }
    if (picture) picture.lent = true;
    this.#picture = picture;
  }

  orbit(right, up) { this.#picture?.orbit(right, up); this.stale = true; }

  magnify(factor) { this.#picture?.magnify(factor); this.stale = true; }

  /** The sound of the page's own picture, on or off. */
  sound() { this.#picture?.root.querySelector(".sound:not([hidden])")?.click(); }

  draw() {
    const {canvas, size} = this, {clientWidth: w, clientHeight: h} = size ? {clientWidth: size[0], clientHeight: size[1]} : canvas;
    if (!w || !h) return;
    const ratio = size ? size[2] : Math.min(2, devicePixelRatio || 1), [width, height] = [Math.round(w * ratio), Math.round(h * ratio)];
    if (canvas.width !== width || canvas.height !== height) { Object.assign(canvas, {width, height}); this.#ground = null; }
    this.#ground ??= this.#still(w, h, ratio);
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.drawImage(this.#ground, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.scene) this.#scene(g, this.scene, ratio);
    for (const place of this.places) this.#times(g, place);
    this.#line(g, `t = ${clock.written(clock.time)} of ${clock.written(clock.duration)}`, w - this.margin, h - 0.5 * this.margin, {align: "right", base: "bottom", size: 0.9, bold: true});
  }

  /** What stays as the time goes on: the words, and the plots. */
  #still(w, h, ratio) {
    const ground = document.createElement("canvas"), g = ground.getContext("2d");
    Object.assign(ground, {width: Math.round(w * ratio), height: Math.round(h * ratio)});
    g.scale(ratio, ratio);
    const dark = !this.bare && isDark(), type = this.type = Math.max(13, Math.min(w / 46, h / 27)), margin = this.margin = 1.1 * type;
    Object.assign(this, {ink: dark ? "#fff" : "#000", paper: dark ? "#000" : "#fff", font: getComputedStyle(document.body).fontFamily});
    g.fillStyle = this.paper;
    g.fillRect(0, 0, w, h);
    const [title = "", setting = "", verdict = ""] = this.told();
    let top = margin;
    top = this.#words(g, title, margin, top - 0.6 * type, w - 2 * margin, {size: 1.3, bold: true});
    const titled = g.measureText(title).width + type;
    g.font = `400 ${0.8 * type}px ${this.font}`;
    if (titled + g.measureText(setting).width < w - 2 * margin) this.#line(g, setting, margin + titled, top, {size: 0.8});
    else top = this.#words(g, setting, margin, top, w - 2 * margin, {size: 0.8});
    top = this.#words(g, verdict, margin, top + 0.2 * type, w - 2 * margin, {size: 0.9, most: 3});
    const plots = plotsSeen(), alone = plots.filter(({el}) => el.plot.title === this.view), all = this.view === ALL;
    const shown = all ? plots : alone, picture = all || !alone.length;
    top = this.#legend(g, plots.length && !this.bare ? curvesOf(plots[0]) : [], margin, top + 0.3 * type, w - 2 * margin);
    const room = {left: margin, top: top + 0.4 * type, right: w - margin, bottom: h - 1.9 * type}, wide = w > WIDE * h;
    const beside = wide ? {...room, right: (room.left + room.right) / 2 - margin} : {...room, bottom: room.top + (room.bottom - room.top) * 0.45};
    this.scene = picture ? (shown.length ? beside : room) : null;
    const left = !picture ? room : wide ? {...room, left: beside.right + margin} : {...room, top: beside.bottom + type};
    this.places = shown.map((view, i) => this.#plot(g, view, part(left, i, shown.length), i === shown.length - 1 || !wide, shown.length > 1 ? 0.66 * type : type));
    this.#lend(this.scene ? pictureSeen() ?? null : null);
    return ground;
  }

  #line(g, text, x, y, {size = 1, bold = false, align = "left", base = "alphabetic", colour = this.ink} = {}) {
    g.globalAlpha = 1;
    g.fillStyle = colour;
    g.font = `${bold ? 600 : 400} ${size * this.type}px ${this.font}`;
    Object.assign(g, {textAlign: align, textBaseline: base});
    g.fillText(text, x, y);
  }

  /** Words in as many lines as they need, up to `most`; returns where they end. */
  #words(g, text, x, y, width, {size, bold = false, most = 2}) {
    g.font = `${bold ? 600 : 400} ${size * this.type}px ${this.font}`;
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && g.measureText(longer).width <= width) lines[lines.length - 1] = longer; else lines.push(word);
    }
    if (lines.length > most) lines.splice(most - 1, Infinity, `${lines[most - 1]} …`);
    for (const line of lines.filter(Boolean)) this.#line(g, line, x, y += 1.3 * size * this.type, {size, bold});
    return y;
  }

  /** The curves' names, each in its colour. */
  #legend(g, curves, left, top, width) {
    let x = left, y = top + this.type;
    g.font = `600 ${0.95 * this.type}px ${this.font}`;
    for (const {label, colour} of curves) {
      const wide = g.measureText(label).width + 2.4 * this.type;
      if (x > left && x + wide > left + width) { x = left; y += 1.4 * this.type; }
      g.fillStyle = colour;
      g.fillRect(x, y - 0.62 * this.type, 0.8 * this.type, 0.5 * this.type);
      this.#line(g, label, x + 1.1 * this.type, y, {size: 0.95, bold: true});
      x += wide;
    }
    return curves.length ? y : top;
  }

  /** A plot in so large type; of several, values that stay marked stand in the line of the title. */
  #plot(g, view, {left, top, right, bottom}, timed, type) {
    const {model, el} = view, size = type / this.type, small = size < 1;
    const box = {left: left + 4.2 * type, top: top + 1.85 * type, right, bottom: bottom - (timed ? 1.7 : 0.5) * type};
    this.#line(g, el.plot.title, left, top + 1.1 * type, {size, bold: true});
    const titled = left + g.measureText(el.plot.title).width + type;
    const free = !small || clock.pinned === null;
    if (free && titled + 0.8 * g.measureText(el.plot.formula).width < right) this.#line(g, el.plot.formula, titled, top + 1.1 * type, {size: 0.8 * size});
    const curves = curvesOf(view), log = model.left[0].ticker.min_interval === 1;
    const drawn = plotted(g, box, {
      curves: curves.toReversed(), log, on: v => v, ink: this.ink, font: this.font, type: 0.85 * type, timed,
      times: [model.x_range.start, model.x_range.end], values: [model.y_range.start, model.y_range.end],
    });
    g.globalAlpha = 1;
    return {view, box, titled, small, type, ...drawn};
  }

  /** Where the time is in a plot, and what stays marked, with its values. */
  #times(g, {view, box, across, titled, small, type}) {
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
    const x = clock.pinned === null ? null : line(clock.pinned, [], 0.14 * type);
    if (x === null) return;
    const size = 0.85 * type / this.type, found = [{name: `t = ${clock.written(clock.pinned)}`, text: "", colour: this.ink}, ...view.el.plot.at(clock.pinned)];
    g.font = `600 ${size * this.type}px ${this.font}`;
    if (small) return this.#beside(g, found, titled, box, size);
    const wide = Math.max(...found.map(({name, text}) => g.measureText(`${name} ${text}`).width)) + 1.6 * this.type;
    const left = x + wide + this.type < box.right ? x + 0.4 * this.type : x - wide - 0.4 * this.type, tall = (1.25 * found.length + 0.4) * size * this.type;
    g.globalAlpha = 0.94;
    g.fillStyle = this.paper;
    g.fillRect(left, box.top, wide, tall);
    found.forEach(({name, text, colour}, i) => {
      const y = box.top + (1.25 * i + 1.05) * size * this.type;
      g.globalAlpha = 1;
      g.fillStyle = colour;
      if (i) g.fillRect(left + 0.3 * this.type, y - 0.5 * this.type, 0.5 * this.type, 0.4 * this.type);
      this.#line(g, `${name} ${text}`, left + this.type, y, {size, bold: true});
    });
  }

  /** Values in a line, each in its colour, as many as there is room for. */
  #beside(g, [, ...found], left, {top, right}, size) {
    const {type} = this, y = top - 0.5 * size * type;
    let x = left;
    for (const {text, colour} of found) {
      if (x + g.measureText(text).width + 0.8 * size * type > right) break;
      g.fillStyle = colour;
      g.fillRect(x, y - 0.6 * size * type, 0.6 * size * type, 0.5 * size * type);
      this.#line(g, text, x + 0.8 * size * type, y, {size, bold: true});
      x += g.measureText(text).width + 1.6 * size * type;
    }
  }

  #scene(g, box, ratio) {
    const width = box.right - box.left, height = box.bottom - box.top, picture = this.#picture;
    if (!picture) return this.#flat(g, box);
    const drawn = () => picture.drawnAt(width, height, ratio), {canvas, names} = this.bare ? inked(picture, this.ink, drawn) : drawn();
    g.drawImage(canvas, box.left, box.top, width, height);
    for (const {text, x, y} of names) this.#line(g, text, box.left + x, box.top + Math.max(0.8 * this.type, y), {align: "center", base: "middle", size: 1.1, bold: true});
    if (clock.pinned !== null)
      this.#line(g, `● marked: t = ${clock.written(clock.pinned)}`, box.left, box.top + this.type, {size: 0.85, bold: true});
  }

  /** Flat pictures: what Bokeh draws of them, drawn again. */
  #flat(g, box) {
    const shown = flatSeen(), wide = box.right - box.left > box.bottom - box.top;
    shown.forEach((view, i) => {
      const place = part(box, i, shown.length, wide), side = Math.min(place.right - place.left, place.bottom - place.top);
      const {x_range: X, y_range: Y, renderers} = view.model, middle = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
      const across = x => middle[0] + ((x - X.start) / (X.end - X.start) - 0.5) * side, up = y => middle[1] - ((y - Y.start) / (Y.end - Y.start) - 0.5) * side;
      g.save();
      g.beginPath();
      g.rect(middle[0] - side / 2, middle[1] - side / 2, side, side);
      g.clip();
      for (const {visible, glyph, data_source: source} of renderers) if (visible) this.#glyph(g, glyph, source, across, up, side / 370);
      g.restore();
    });
    g.globalAlpha = 1;
  }

  #glyph(g, glyph, source, across, up, scale) {
    const {x, y, xs, ys, alpha, text} = Object.fromEntries(source.columns().map(name => [name, source.get_column(name)]));
    if (text) text.forEach((words, i) => this.#line(g, words, across(x[i]), up(y[i]), {align: "center", base: "middle"}));
    else if (alpha && glyph.size) {
      g.fillStyle = glyph.fill_color.value;
      for (let i = 0; i < x.length; i++) {
        g.globalAlpha = alpha[i];
        g.beginPath();
        g.arc(across(x[i]), up(y[i]), glyph.size.value / 2 * scale, 0, 7);
        g.fill();
      }
    } else {
      Object.assign(g, {strokeStyle: glyph.line_color.value, lineWidth: glyph.line_width.value * scale, globalAlpha: glyph.line_alpha.value, lineJoin: "round"});
      (xs ? xs.map((line, i) => [line, ys[i]]) : [[x, y]]).forEach(([u, v]) => {
        g.beginPath();
        let begun = false;
        for (let i = 0; i < u.length; i++) {
          if (Number.isNaN(u[i])) begun = false;
          else { g[begun ? "lineTo" : "moveTo"](across(u[i]), up(v[i])); begun = true; }
        }
        g.stroke();
      });
    }
  }
}

/** The curves of a plot, the exact one last. */
function curvesOf({model}) {
  const [exact, ...methods] = hover(model).renderers;
  return [...methods, exact].filter(({visible}) => visible).map(({name, glyph, data_source}) =>
    ({label: name, colour: glyph.line_color.value, width: glyph.line_width.value, t: data_source.get_column("t"), y: data_source.get_column("y")}));
}

/** The i-th of n parts of a box, below each other or beside each other. */
function part({left, top, right, bottom}, i, n, beside = false) {
  const wide = (right - left) / n, high = (bottom - top) / n;
  return beside ? {left: left + i * wide, top, right: left + (i + 1) * wide, bottom} : {left, top: top + i * high, right, bottom: top + (i + 1) * high};
}

/** Does something while the page's picture is drawn with this ink. */
function inked(picture, colour, act) {
  const {style} = picture.root, before = style.cssText;
  style.cssText += `;transition:none;color:${colour}`;
  picture.replan();
  try { return act(); } finally { style.cssText = before; picture.replan(); }
}

const isDark = () => {
  const {theme} = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
