// The view of a scene: camera, picture and names.

import {IDENTITY, apply, dot, invert, multiply, transpose} from "../core/algebra.js";
import {clock} from "./clock.js";
import {dividePanes, findSeenPart, hides, spreadNames} from "./layout.js";
import {affine, compose, linearPart, transform} from "./matrices.js";
import {Painter} from "./painter.js";
import {ORBIT} from "./build-scene.js";
import {Track} from "./track.js";

const FIELD_OF_VIEW = 0.56;
const LATE = 24; // milliseconds between frames from which the picture loses quality
const REST = 150; // milliseconds after which a picture that stands still is drawn with full quality
const MOST_PANES = 4;
const SHORTEST = 1e-3; // length of an arrow that is drawn
const BEHIND = -0.025; // how much farther translucent bodies are drawn: where they coincide with the solid one, it hides them
const AWAY = 13; // pixels from the tip of an arrow to the middle of its name
const NEAR = 1.4; // how much of a picture with two bodies close together is around them
const ORIGIN = [0, 0, 0],
  SLANT = [0.18, -0.12],
  SHADOW = 0.26; // of the light that casts shadows, and how dark they are

function parseColour(colour) {
  if (colour.startsWith("#")) return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255);
  const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return numbers.slice(0, 3).map(x => (colour.startsWith("color(") ? x : x / 255));
}

/** The matrix that stretches a surface of reach 1 along axes, scaled so that its reach is 1 again; and its inverse. */
function computeStretch(points, axes, factors) {
  const along = factors =>
    IDENTITY.map((_, i) =>
      factors.reduce(
        (sum, factor, k) => sum + factor * axes[i - (i % 3) + k] * axes[3 * (i % 3) + k],
        0,
      ),
    );
  const [a, b, c, d, e, f, g, h, k] = along(factors);
  let reach = 0;
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i],
      y = points[i + 1],
      z = points[i + 2];
    reach = Math.max(
      reach,
      (a * x + b * y + c * z) ** 2 + (d * x + e * y + f * z) ** 2 + (g * x + h * y + k * z) ** 2,
    );
  }
  const fitted = factors.map(factor => factor / Math.sqrt(reach));
  return {matrix: along(fitted), inverse: along(fitted.map(factor => 1 / factor))};
}

/** A picture of a scene on a canvas, with its camera and the names of its arrows. */
export class View {
  stale = true;
  visible = false;
  drawn = null;
  solid = null;
  lent = false;
  settling = 0; // until full quality
  panes = []; // box, track and camera of each view of the canvas
  #parts = [];
  #plans = new Map();
  #ink = null;
  #poses = [];
  #labels = [];
  #labelCount = 0;
  #titles = [];
  #intervals = [];
  #ratio = 1;
  #resting = 0;
  #size = [0, 0]; // of the canvas, which frames do not measure

  constructor(root, canvas, overlay) {
    Object.assign(this, {root, canvas, overlay});
    this.painter = new Painter(canvas);
    this.hidden = new Set();
    this.reset({view: [-0.9, 0.45], reach: 1.4, target: [0, 0, 0]});
    this.#steer();
    this.observer = new ResizeObserver(() => {
      this.#measure();
      this.frame(); // at once: until then, the browser would stretch the picture of the size before
    });
    this.observer.observe(canvas);
    this.sight = new IntersectionObserver(entries => {
      this.visible = entries.at(-1).isIntersecting;
      this.stale = true;
      clock.wake();
    });
    this.sight.observe(canvas);
    addEventListener("beforeprint", this.print);
    canvas.addEventListener("webglcontextlost", event => {
      event.preventDefault();
      this.lost = true;
      if (!this.dead) this.onlost?.(true);
    });
    canvas.addEventListener("webglcontextrestored", () => {
      if (this.dead) return;
      this.lost = false;
      this.onlost?.(false);
      this.#parts = []; // their buffers are gone with the context
      this.painter = new Painter(canvas);
      this.setShapes(this.shapes);
      this.setScene(this.scene);
    });
  }

  /** Put a copy of the picture in its place for paper, where WebGL would leave it empty. */
  print = () => {
    const {
      canvas,
      canvas: {clientWidth: w, clientHeight: h, parentElement: stage},
    } = this;
    if (this.lost || !this.scene || !w) return;
    this.painter.samples = this.painter.most;
    this.draw(w, h);
    const copy = Object.assign(document.createElement("canvas"), {
      width: canvas.width,
      height: canvas.height,
    });
    copy.getContext("2d").drawImage(canvas, 0, 0);
    canvas.after(copy);
    stage.style.cssText = `flex: none; margin: auto; width: ${w}px; height: ${h}px`; // in the layout of paper
    addEventListener(
      "afterprint",
      () => {
        copy.remove();
        stage.style.cssText = "";
      },
      {once: true},
    );
  };

  setShapes(shapes) {
    this.shapes = shapes;
    this.painter.setSurfaces(shapes);
    this.replan();
  }

  setScene(scene) {
    if (!scene) return;
    const before = this.scene;
    this.scene = scene;
    this.#parts.forEach(part => this.painter.free(part.buffers));
    this.tracks = scene.tracks.map(track => new Track(track));
    this.#parts = scene.parts.map(part => ({...part}));
    for (const layer of scene.layers)
      if (!(before?.layers ?? []).some(l => l.key === layer.key) && !layer.on)
        this.hidden.add(layer.key);
    if (
      !before ||
      before.view.join() !== scene.view.join() ||
      before.target.join() !== scene.target.join() ||
      before.reach !== scene.reach
    ) {
      const {azimuth, elevation, zoom, turnedByHand} = this;
      this.reset(scene);
      if (turnedByHand) Object.assign(this, {azimuth, elevation, zoom, turnedByHand});
    }
    this.updateSolid();
    const list = scene => String(scene?.tracks.map(({label}) => label));
    if (list(before) !== list(scene)) this.#measure(); // their names above the canvas may change its size, which would be drawn in the next frame
    clock.setDuration(scene.duration);
    this.redraw();
  }

  /** Take the size of the canvas. */
  #measure() {
    const {
      canvas: {clientWidth: width, clientHeight: height},
    } = this;
    if (width === this.#size[0] && height === this.#size[1]) return;
    this.#size = [width, height];
    this.redraw();
  }

  /** The arrows in the picture, each with its colour, its name and what it means. */
  listArrows() {
    const found = (this.scene?.parts ?? []).filter(
      ({kind, means, layer}) => kind === "arrow" && means && !this.hidden.has(layer),
    );
    return [...new Map(found.map(part => [part.label, part])).values()].map(part => ({
      ...part,
      colour: part.colour === "solid" ? this.solid?.colour : part.colour,
    }));
  }

  /** Choose the track that the solid body follows: the page's choice, if this scene has it. */
  updateSolid() {
    const {tracks = [], scene} = this;
    this.solid =
      tracks.find(t => t.label === clock.solid) ??
      tracks.find(t => t.label === scene?.solid) ??
      tracks[0] ??
      null;
    this.#plans.clear();
    this.onfollow?.();
  }

  reset({view, reach, target}) {
    [this.azimuth, this.elevation, this.zoom] = [...(this.from ?? view), 1];
    Object.assign(this, {reach, target, turnedByHand: false});
    this.reportCamera();
  }

  /** Draw from another camera, and report the camera when it rests. */
  reportCamera() {
    this.redraw();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(
      () => this.onrest?.(this.turnedByHand ? this.camera : (this.from ?? [])),
      300,
    );
  }

  /** Azimuth, elevation and magnification. */
  get camera() {
    return [this.azimuth, this.elevation, this.zoom].map(x => Number(x.toFixed(3)));
  }
  set camera(place) {
    [this.azimuth, this.elevation, this.zoom] = place;
    this.turnedByHand = true;
    this.redraw();
  }

  /** Take this camera for all scenes from now on; none means each scene's own. */
  setCamera(from) {
    this.from = from?.length ? from : null;
    if (this.scene) this.reset(this.scene);
  }

  orbit(right, up) {
    this.azimuth -= right;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + up));
    this.turnedByHand = true;
    this.reportCamera();
  }

  magnify(factor) {
    this.zoom = Math.max(0.25, Math.min(6, this.zoom * factor));
    this.turnedByHand = true;
    this.reportCamera();
  }

  /** Draw again when more than the time or the camera has changed. */
  replan() {
    this.#plans.clear();
    this.#ink = null;
    this.onplan?.();
    this.redraw();
  }

  redraw() {
    this.stale = true;
    clock.wake();
  }

  #steer() {
    const {canvas} = this,
      fingers = new Map();
    let spread = 0;
    const apart = () => {
      const [a, b] = [...fingers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (fingers.size === 2) spread = apart();
      canvas.classList.add("held");
    });
    canvas.addEventListener("pointermove", event => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const dx = event.clientX - finger.x,
        dy = event.clientY - finger.y;
      finger.x = event.clientX;
      finger.y = event.clientY;
      if (fingers.size === 1) (this.hand ?? this).orbit(0.0075 * dx, 0.0075 * dy);
      else if (fingers.size === 2) {
        const now = apart();
        this.magnify(now / (spread || now));
        spread = now;
      }
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(end, event => {
        fingers.delete(event.pointerId);
        if (fingers.size) return;
        canvas.classList.remove("held");
        this.hand?.release();
      });
    // The wheel scrolls the page, as it does elsewhere; it zooms with Ctrl, or if the picture has the focus.
    canvas.addEventListener(
      "wheel",
      event => {
        if (!event.ctrlKey && canvas.getRootNode().activeElement !== canvas) return;
        event.preventDefault();
        this.magnify(Math.exp(-0.0012 * event.deltaY * (event.deltaMode ? 30 : 1)));
      },
      {passive: false},
    );
    canvas.addEventListener("dblclick", () => this.scene && this.reset(this.scene));
  }

  /** The part of the picture that the solid motion's two bodies take now; all of it for one body. */
  #framePair(time) {
    const {scene, tracks, solid} = this,
      scale = scene.frames && scene.parts.find(part => part.place)?.place;
    if (!scale || !solid) return 1;
    const bodies = tracks.filter(({label}) => label === solid.label);
    const farthest = bodies.map(
      (track, k) => scale * Math.hypot(...track.place(...track.findRow(time))) + scene.frames[k],
    );
    return Math.min(1, NEAR * Math.max(...farthest));
  }

  #computeCamera(aspect, part) {
    const {azimuth: a, elevation: e} = this,
      reach = part * this.reach,
      target = this.target.map(x => part * x),
      [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
    const back = [ce * ca, ce * sa, se],
      right = [-sa, ca, 0],
      up = [-se * ca, -se * sa, ce];
    const distance =
      (1.1 * reach) / Math.tan(FIELD_OF_VIEW / 2) / Math.min(1, aspect * 1.05) / this.zoom;
    const depth = v => dot(v, target);
    const view = new Float32Array([
      right[0],
      up[0],
      back[0],
      0,
      right[1],
      up[1],
      back[1],
      0,
      right[2],
      up[2],
      back[2],
      0,
      -depth(right),
      -depth(up),
      -depth(back) - distance,
      1,
    ]);
    const f = 1 / Math.tan(FIELD_OF_VIEW / 2),
      near = Math.max(0.05, distance - 4),
      far = distance + 8;
    const projection = new Float32Array([
      f / aspect,
      0,
      0,
      0,
      0,
      f,
      0,
      0,
      0,
      0,
      (far + near) / (near - far),
      -1,
      0,
      0,
      (2 * far * near) / (near - far),
      0,
    ]);
    return {
      view,
      projection,
      all: compose(projection, view),
      sky: [right[2], up[2], back[2]],
      eye: back.map((x, i) => target[i] + distance * x),
      right,
      up,
      back,
    };
  }

  frame(now, interval) {
    if (interval && this.visible) this.#adaptQuality(interval);
    if (!this.stale || this.lost || this.dead || this.lent || !this.scene) return;
    const [width, height] = this.#size;
    if (!this.visible || !width || !height) return;
    this.stale = false;
    const {painter} = this,
      moves = this.settling !== null;
    clearTimeout(this.settling);
    painter.samples = moves ? painter.adapted : painter.most;
    this.draw(width, height, Math.min(2, window.devicePixelRatio || 1) * (moves ? this.#ratio : 1));
    const isFull = painter.samples === painter.most && (this.#ratio === 1 || !moves);
    this.settling =
      isFull || clock.playing
        ? 0
        : setTimeout(() => {
            this.settling = null;
            this.redraw();
          }, REST);
    this.ondraw?.();
  }

  /** If frames are late, draw without multisampling, and then with fewer pixels. */
  #adaptQuality(interval) {
    this.#intervals.push(interval);
    if (this.#intervals.length < 30) return;
    const middle = this.#intervals.sort((a, b) => a - b)[15];
    this.#intervals = [];
    if (middle < LATE) return;
    if (this.painter.adapted) this.painter.adapted = 0;
    else if (this.#ratio > 0.7 && this.#ratio * (window.devicePixelRatio || 1) > 1)
      this.#ratio *= 0.75;
  }

  /** The views of the canvas: one, or one for each motion. */
  #listPanes(width, height) {
    const {tracks} = this,
      labels = [...new Set(tracks.map(track => track.label))].slice(0, MOST_PANES),
      aside = clock.aside && labels.length > 1;
    if (!aside) return [{left: 0, top: 0, width, height, solid: tracks.indexOf(this.solid)}];
    return dividePanes(labels.length, width, height).map((box, i) => ({
      ...box,
      label: labels[i],
      solid: tracks.findIndex(track => track.label === labels[i]),
    }));
  }

  /** Sort and colour what a view draws; the plan holds until the scene, the solid motion or a layer changes. */
  #createPlan({solid, label}) {
    // A motion of two bodies has two tracks with one label; parts name their track.
    const ink = (this.#ink ??= parseColour(getComputedStyle(this.root).color)); // which makes the browser compute the page's styles
    const isSolid = k => this.tracks[k].label === this.tracks[solid].label;
    const belongs = p =>
      !label ||
      p.of === undefined ||
      isSolid(p.of) ||
      (p.when !== "ghost" && this.tracks[p.of].exact);
    const colour = (p, alpha) => [
      ...(p.colour === "ink"
        ? ink
        : parseColour(p.colour === "solid" ? this.tracks[solid].colour : p.colour)),
      alpha,
    ];
    const items =
      solid < 0
        ? []
        : this.#parts
            .filter(
              p =>
                !this.hidden.has(p.layer) &&
                belongs(p) &&
                (!p.when || (p.when === "solid") === isSolid(p.of ?? solid)),
            )
            .map(p => ({
              part: p,
              track: this.tracks[p.of ?? solid],
              of: p.of ?? solid,
              pose: p.when ? (p.of ?? solid) : solid,
              colour: colour(p, p.opacity ?? p.strength ?? 1),
              edges: colour(p, p.edges ?? 0),
            }));
    const kind = (...kinds) => items.filter(({part}) => kinds.includes(part.kind));
    const meshes = kind("mesh"),
      solids = meshes.filter(({part}) => part.opacity === 1);
    for (const item of solids) item.edges = [...item.colour.slice(0, 3).map(x => 0.5 * x), 0.75];
    for (const item of meshes) {
      const {
          part: {mesh, axes, stretch},
        } = item,
        surface = this.painter.surfaces.get(mesh);
      if (stretch && surface) item.stretch = computeStretch(surface.points, axes, stretch);
    }
    const turning = [...new Set(items.map(item => item.pose))];
    return {
      solid,
      turning,
      solids,
      ground: meshes.filter(({part}) => part.ground),
      shadows: meshes.filter(({part}) => part.shadow !== undefined),
      arrows: kind("arrow", "contact"),
      curves: kind("line", "points"),
      cores: meshes.filter(({part}) => part.core && this.painter.surfaces.has(part.mesh)),
      clear: meshes.filter(({part}) => part.opacity < 1 && !part.ground && !part.core),
    };
  }

  /** Draw at another size, for a stage that has borrowed the view (`lent`); returns the canvas and the names with their places. */
  drawAt(w, h, ratio) {
    if (!this.lost && this.scene) this.draw(w, h, ratio);
    return {
      canvas: this.canvas,
      names: [...this.#labels.filter(({element}) => !element.hidden), ...this.#titles],
    };
  }

  draw(w, h, ratio = Math.min(2, window.devicePixelRatio || 1) * this.#ratio) {
    const {painter} = this;
    this.panes = this.#listPanes(w, h);
    this.#labelCount = 0;
    painter.begin(Math.round(w * ratio), Math.round(h * ratio));
    for (const pane of this.panes) this.#drawPane(pane, h, ratio);
    painter.end();
    for (const {element} of this.#labels.splice(this.#labelCount)) element.remove();
    for (const label of this.#labels) {
      const place = `translate(-50%,-50%) translate(${label.x.toFixed(1)}px,${label.y.toFixed(1)}px)`;
      if (label.place !== place) label.element.style.transform = label.place = place;
    }
    this.#placeTitles();
    this.drawn = this.solid ? this.stateAt(clock.time) : null;
  }

  #drawPane(pane, full, ratio) {
    const {
        painter,
        scene: {up},
      } = this,
      {left, top, width: w, height: h, solid, label} = pane,
      first = this.#labelCount;
    if (!this.#plans.has(label)) this.#plans.set(label, this.#createPlan(pane));
    const plan = this.#plans.get(label),
      time = clock.time,
      part = this.#framePair(time),
      camera = (pane.camera = this.#computeCamera(w / h, part));
    const width = x => x * ratio * Math.max(0.8, Math.min(1.25, h / 480));
    painter.usePane(...[left, full - top - h, w, h].map(x => Math.round(x * ratio)), camera);
    for (const k of plan.turning) this.#poses[k] = multiply(up, this.tracks[k].attitude(time));
    const frame = ({part, pose}) =>
      part.frame === "up" ? IDENTITY : part.frame === "space" ? up : this.#poses[pose];
    const shift = ({part, track}) =>
      part.place
        ? apply(
            up,
            track.place(...track.findRow(time)).map(x => x * part.place),
          )
        : part.at
          ? [0, 0, part.at]
          : ORIGIN;
    const model = item =>
      affine(
        item.stretch ? multiply(frame(item), item.stretch.matrix) : frame(item),
        item.part.size ?? 1,
        shift(item),
      );
    const upright = item =>
      item.stretch && linearPart(affine(multiply(frame(item), item.stretch.inverse)));

    for (const item of plan.ground) this.#drawClearMesh(item, model(item), width);
    for (const item of plan.shadows) this.#drawShadow(item, model(item), camera);
    for (const item of plan.solids) {
      const surface = painter.surfaces.get(item.part.mesh);
      if (!surface) continue;
      painter.drawMesh(surface, model(item), item.colour, {upright: upright(item)});
      if (surface.edges)
        painter.drawLine(surface.edges, model(item), item.edges, width(1.2), {nearer: 0.006});
    }
    for (const item of plan.arrows)
      this.#drawArrow(
        item,
        affine(frame(item), item.part.place ? part : 1, shift(item)),
        time,
        pane,
      );
    // What lies behind or in a core shows faintly through it; what is in front is drawn again.
    for (const item of plan.cores) {
      for (const curve of plan.curves)
        this.#drawCurve(curve, affine(frame(curve)), time, width, solid, false);
      painter.drawMesh(painter.surfaces.get(item.part.mesh), model(item), item.colour, {
        core: true,
      });
    }
    for (const item of plan.curves)
      this.#drawCurve(item, affine(frame(item)), time, width, solid, true);
    // Transparent parts come last, from far to near.
    const far = ({part}) => (part.at === undefined ? 1 : camera.eye[2] > part.at ? 0 : 2);
    for (const item of plan.clear.sort((a, b) => far(b) - far(a)))
      this.#drawClearMesh(item, model(item), width, upright(item));
    this.#hideNames(plan.solids, model, camera, first);
    const seen = this.#labels.slice(first, this.#labelCount).filter(({element}) => !element.hidden);
    spreadNames(seen, pane);
  }

  #drawClearMesh({part, colour, edges}, model, width, upright) {
    const {painter} = this,
      surface = painter.surfaces.get(part.mesh),
      flat = part.mesh === "disc";
    if (!surface) return;
    const isGhost = part.when === "ghost",
      nearer = isGhost ? BEHIND : 0;
    painter.drawMesh(surface, model, colour, {
      flat,
      glass: part.glass && !flat ? 1 : 0,
      shell: isGhost,
      rings: flat ? part.edges : 0,
      nearer,
      upright,
    });
    if (part.edges && surface.edges && !flat)
      painter.drawLine(surface.edges, model, edges, width(1.1), {
        nearer: nearer + 0.003,
        marks: false,
      });
  }

  #drawShadow({part}, model, camera) {
    const surface = this.painter.surfaces.get(part.mesh);
    if (surface && camera.eye[2] >= part.shadow)
      this.painter.drawShadow(surface, model, SLANT, part.shadow + 0.004, SHADOW);
  }

  /** The attitudes and places of the solid motion's bodies at a time. */
  stateAt(time) {
    const bodies = this.tracks.filter(track => track.label === this.solid.label);
    return {
      time,
      bodies: bodies.map(track => ({
        attitude: track.attitude(time),
        place: track.place(...track.findRow(time)),
      })),
    };
  }

  #drawArrow({part, track, colour}, model, time, pane) {
    let v = part.vector
      ? part.vector.map(x => x * (part.length ?? 1))
      : track.vector(part, ...track.findRow(time));
    if (part.kind === "contact") {
      this.painter.drawMesh(this.painter.ball, compose(model, affine(IDENTITY, 0.032, v)), colour);
      return;
    }
    const length = Math.hypot(...v);
    if (!(length > SHORTEST)) return; // or not a number
    const seen = findSeenPart(pane.camera.all, transform(model, ORIGIN), transform(model, v));
    v = v.map(x => seen * x);
    this.painter.drawArrow(model, v, colour, part.thin ? 0.011 : 0.017, part.headless);
    if (part.label) this.#addLabel(part.label, transform(model, ORIGIN), transform(model, v), pane);
  }

  #drawCurve({part, track, colour, of}, model, time, width, solid, marks) {
    const buffers = (part.buffers ??= this.#createBuffers(part));
    if (!buffers) return;
    const pieces = part.pieces ?? 1,
      options = {marks, stride: pieces * (part.stride ?? 1)};
    const front = this.tracks[of].label === this.tracks[solid]?.label; // the solid motion's curve on top
    options.nearer = (part.kind === "line" ? 0.012 : 0.02) + (front ? 0.006 : 0);
    if (part.timed) Object.assign(options, {timed: 1, now: pieces * track.indexAt(time)});
    const past = part.tail ?? part.recent;
    if (past) options.tail = Math.max(1, options.now - pieces * track.indexAt(time - past));
    if (part.recent) options.ahead = pieces * track.indexAt(part.recent); // at the start, the part that is still to come
    if (part.timed && part.kind === "line" && clock.pinned !== null)
      this.painter.drawMesh(
        this.painter.ball,
        compose(model, affine(IDENTITY, 0.04, track.vector(part, ...track.findRow(clock.pinned)))),
        colour,
      );
    if (part.kind === "line")
      this.painter.drawLine(buffers, model, colour, width(part.width), options);
    else this.painter.drawPoints(buffers, model, colour, width(part.width), options);
  }

  #createBuffers(p) {
    if (p.points) return this.painter.createLine(p.points, p);
    const track = this.tracks[p.of];
    if (!track || track.n < 2) return null;
    const {points, pieces} = track.curve(p);
    p.pieces = pieces;
    return p.kind === "line"
      ? this.painter.createLine(points)
      : this.painter.createPoints(points, pieces * (p.stride ?? 1));
  }

  /** Hide the names, from the `first` on, of arrows whose tips are behind a solid body. */
  #hideNames(solids, model, {eye}, first) {
    const bodies = solids.flatMap(item => {
      const surface = this.painter.surfaces.get(item.part.mesh),
        matrix = model(item),
        back = invert(transpose(linearPart(matrix)));
      const inside = place =>
        apply(
          back,
          place.map((x, i) => x - matrix[12 + i]),
        );
      return surface ? [{surface, inside, eye: inside(eye)}] : [];
    });
    for (let k = first; k < this.#labelCount; k++) {
      const {element, tip} = this.#labels[k];
      const hidden = bodies.some(body => hides(body.surface, body.inside(tip), body.eye));
      if (element.hidden !== hidden) element.hidden = hidden;
    }
  }

  /** Put the name of an arrow beyond its tip on the screen, however it is foreshortened; an arrow that is only a spot there
   *  has none. Frames reuse the elements. */
  #addLabel(text, foot, tip, pane) {
    const from = this.project(foot, pane),
      to = this.project(tip, pane),
      [x, y] = [to.x - from.x, to.y - from.y],
      long = Math.hypot(x, y);
    if (!(long > AWAY)) return;
    const k = this.#labelCount++;
    const label = (this.#labels[k] ??= {
      element: this.overlay.appendChild(document.createElement("span")),
      text: "",
      x: 0,
      y: 0,
    });
    if (label.text !== text) label.element.textContent = label.text = text;
    Object.assign(label, to, {tip, x: to.x + (AWAY * x) / long, y: to.y + (AWAY * y) / long});
  }

  /** The place on the canvas of a point of the picture, and its depth. */
  project(point, {left, top, width, height, camera: {all}}) {
    const [x, y, z] = point,
      along = r => all[r] * x + all[4 + r] * y + all[8 + r] * z + all[12 + r],
      deep = along(3);
    return {
      x: left + (0.5 + (0.5 * along(0)) / deep) * width,
      y: top + (0.5 - (0.5 * along(1)) / deep) * height,
      deep,
    };
  }

  /** The direction from the eye through a place on the canvas. */
  castRay(x, y, {left, top, width, height, camera: {right, up, back}}) {
    const tangent = Math.tan(FIELD_OF_VIEW / 2),
      u = (((2 * (x - left)) / width - 1) * tangent * width) / height,
      v = (1 - (2 * (y - top)) / height) * tangent;
    return right.map((_, i) => u * right[i] + v * up[i] - back[i]);
  }

  /** Draw another orbit on the momentum sphere, until the next scene comes. */
  showOrbit(points) {
    const part = this.#parts.find(({key}) => key === ORBIT);
    if (part) {
      this.painter.free(part.buffers);
      Object.assign(part, {points: new Float32Array(points.flat()), buffers: null});
    }
    this.redraw();
  }

  /** The name of the motion of each view, if there are several. */
  #placeTitles() {
    const {overlay, panes} = this,
      titles = panes.filter(({label}) => label);
    for (const {element} of this.#titles.splice(titles.length)) element.remove();
    titles.forEach(({label, solid, left, top, width, height}, i) => {
      const title = (this.#titles[i] ??= {
          element: overlay.appendChild(document.createElement("b")),
          key: "",
        }),
        {colour, variant: [shared, own] = ["", label]} = this.tracks[solid];
      const key = [label, colour, left, top, width, height].join();
      if (title.key === key) return;
      Object.assign(title, {key, text: label, x: left + width / 2, y: top + 14});
      title.element.textContent = shared ? `${own} (${shared})` : own;
      title.element.style.cssText = `--c:${colour};left:${left}px;top:${top}px;width:${width}px;height:${height}px;border-width:${top ? 1 : 0}px 0 0 ${left ? 1 : 0}px`;
    });
  }

  dispose() {
    this.dead = true;
    clearTimeout(this.#resting);
    this.observer.disconnect();
    this.sight.disconnect();
    clearTimeout(this.settling);
    removeEventListener("beforeprint", this.print);
    this.#parts.forEach(part => this.painter.free(part.buffers));
    this.painter.dispose();
  }
}
