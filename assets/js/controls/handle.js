// A point on the sphere of a picture, to drag or to move with arrow keys; see app/views/controls/handle.py.

import {combine, dot, turnPoint} from "../core/algebra.js";
import {create} from "../core/dom.js";
import {WAYS, sendInTurn} from "../core/pacing.js";

const DEGREE = Math.PI / 180;
const HELP = "Drag the point, or press an arrow key to move it by a degree, with Shift by ten degrees; Ω₀ follows";

/** The point of a sphere at (x, y) of the picture, on the front (side 1) or the back (-1); its rim for a place beside it. */
export function pointAt(x, y, size, [right, up, near], side) {
  const out = Math.max(1, Math.hypot(x, y) / size), [u, v] = [x / out, y / out];
  return combine([u, right], [v, up], [side * Math.sqrt(Math.max(0, size * size - u * u - v * v)), near]);
}

export function render({model}) {
  const grip = create("div", {className: "handle", hidden: true, role: "slider", title: HELP, tabIndex: 0, ariaLabel: model.label, ariaValueMin: 0, ariaValueMax: 180});
  let view = null, point = [...model.at], grabbed = null;
  const moves = sendInTurn(to => model.send_msg({to, held: !!grabbed}));
  const root = create("div", {className: "about-picture"}, grip);
  const scales = () => [view.frame.x_scale, view.frame.y_scale];

  function place() {
    if (!view) return;
    try {
      const [right, up, near] = model.axes, [x, y] = scales(), {left, right: end, top, bottom} = view.frame.bbox;
      const at = [x.compute(dot(point, right)), y.compute(dot(point, up))], depth = dot(point, near);
      grip.hidden = !model.at.length || at[0] < left || at[0] > end || at[1] < top || at[1] > bottom;
      const frame = view.el.getBoundingClientRect(), own = root.getBoundingClientRect();
      grip.style.transform = `translate(${at[0] + frame.left - own.left}px,${at[1] + frame.top - own.top}px)`;
      grip.classList.toggle("behind", depth < -1e-9 * Math.hypot(...point));
      grip.ariaValueNow = Math.round(Math.acos(Math.max(-1, Math.min(1, depth / Math.hypot(...point)))) / DEGREE);
      grip.ariaValueText = model.words;
    } catch { grip.hidden = true; }  // the figure has no layout yet
  }
  function go(to) {
    point = to;
    place();
    moves.move(to);
    grip.dispatchEvent(new Event("input", {bubbles: true, composed: true}));  // like a slider's
  }
  function showModel() {
    if (!moves.underway && !grabbed) point = [...model.at];
    place();
  }

  grip.addEventListener("pointerdown", event => {
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    const {left, top} = view.el.getBoundingClientRect(), [right, up, near] = model.axes, [x, y] = scales();
    grabbed = {
      size: Math.hypot(...point), side: dot(point, near) < 0 ? -1 : 1,
      beside: [event.clientX - left - x.compute(dot(point, right)), event.clientY - top - y.compute(dot(point, up))],
    };
  });
  grip.addEventListener("pointermove", event => {
    if (!grabbed || !grip.hasPointerCapture(event.pointerId)) return;
    const {left, top} = view.el.getBoundingClientRect(), [x, y] = scales(), {size, side, beside} = grabbed;
    go(pointAt(x.invert(event.clientX - left - beside[0]), y.invert(event.clientY - top - beside[1]), size, model.axes, side));
  });
  for (const end of ["pointerup", "pointercancel"])
    grip.addEventListener(end, () => {
      if (!grabbed) return;
      grabbed = null;
      moves.finish(point);
    });
  grip.addEventListener("keydown", event => {
    const way = WAYS[event.key];
    if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    go(turnPoint(point, model.axes, way, (event.shiftKey ? 10 : 1) * DEGREE));
  });

  // The point is beside the picture, which has no accessible content, and follows its size; the picture may come later.
  const later = () => requestAnimationFrame(place), sized = new ResizeObserver(later);
  let looking = 0;
  (function look() {
    view = window.Bokeh.index.find_one_by_id(model.figure_id);
    if (!view?.frame || !root.isConnected) { looking = setTimeout(look, 50); return; }
    for (const element of [view.el, root.getRootNode().host.getRootNode().host]) sized.observe(element);
    for (const range of [view.model.x_range, view.model.y_range]) range.on_change([range.properties.start, range.properties.end], later);
  })();
  model.on("at", () => { moves.receive(); showModel(); });
  for (const what of ["axes", "words"]) model.on(what, later);
  model.on("msg:custom", ({stands}) => { if (stands) showModel(); else moves.receive(); });
  model.on("remove", () => { clearTimeout(looking); sized.disconnect(); });
  return root;
}

export default {render};
