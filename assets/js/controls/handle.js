// A point on the sphere of a picture, to drag or to move with arrow keys; see app/views/controls/handle.py.

import {combine, dot} from "../core/algebra.js";
import {create} from "../core/dom.js";
import {createGrip} from "../core/grip.js";

/** The point of a sphere at (x, y) of the picture, on the front (side 1) or the back (-1); its rim for a place beside it. */
export function pointAt(x, y, size, [right, up, near], side) {
  const out = Math.max(1, Math.hypot(x, y) / size),
    [u, v] = [x / out, y / out];
  return combine(
    [u, right],
    [v, up],
    [side * Math.sqrt(Math.max(0, size * size - u * u - v * v)), near],
  );
}

export function render({model}) {
  let view = null;
  const scales = () => [view.frame.x_scale, view.frame.y_scale];
  const grip = createGrip({
    className: "handle",
    target: "point",
    label: model.label,
    axes: () => model.axes,
    show: place,
    grab(point, fromX, fromY) {
      const [right, up, near] = model.axes,
        [x, y] = scales(),
        size = Math.hypot(...point),
        side = dot(point, near) < 0 ? -1 : 1;
      const before = [x.compute(dot(point, right)), y.compute(dot(point, up))];
      return (toX, toY) =>
        pointAt(
          x.invert(toX - fromX + before[0]),
          y.invert(toY - fromY + before[1]),
          size,
          model.axes,
          side,
        );
    },
    send: start => model.send_msg(start),
  });
  const root = create("div", {className: "about-picture"}, grip.element);

  function place() {
    if (!view) return;
    try {
      const point = grip.settle([...model.at], {...model.body, Pi0: model.at}),
        [right, up, near] = model.axes,
        [x, y] = scales(),
        {left, right: end, top, bottom} = view.frame.bbox;
      const at = [x.compute(dot(point, right)), y.compute(dot(point, up))];
      grip.element.hidden =
        !model.at.length || at[0] < left || at[0] > end || at[1] < top || at[1] > bottom;
      const frame = view.el.getBoundingClientRect(),
        own = root.getBoundingClientRect();
      grip.place(
        at[0] + frame.left - own.left,
        at[1] + frame.top - own.top,
        near,
        near,
        model.words,
      );
    } catch {
      grip.element.hidden = true;
    } // the figure has no layout yet
  }

  // The point is beside the picture, which has no accessible content, and follows its size; the picture may come later.
  const later = () => requestAnimationFrame(place),
    sized = new ResizeObserver(later);
  let looking = 0;
  (function look() {
    view = window.Bokeh.index.find_one_by_id(model.figure_id);
    if (!view?.frame || !root.isConnected) {
      looking = setTimeout(look, 50);
      return;
    }
    for (const element of [view.el, root.getRootNode().host.getRootNode().host])
      sized.observe(element);
    for (const range of [view.model.x_range, view.model.y_range])
      range.on_change([range.properties.start, range.properties.end], later);
  })();
  model.on("at", () => {
    grip.receive();
    place();
  });
  for (const what of ["axes", "words"]) model.on(what, later);
  model.on("msg:custom", ({stands}) => {
    if (stands) place();
    else grip.receive();
  });
  model.on("remove", () => {
    clearTimeout(looking);
    sized.disconnect();
  });
  return root;
}

export default {render};
