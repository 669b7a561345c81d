// The start of a motion on the momentum sphere in space: a ring to drag; the orbit follows at once, and the server's runs when they
// come. Fetched on demand.

import {combine, dot} from "../core/algebra.js";
import {createGrip} from "../core/grip.js";
import {computeMomentumLoop} from "./polhode.js";

/** Where a ray meets the sphere about the origin: its nearer place (side 1) or its farther one (−1), or the rim for a ray beside it. */
export function meetSphere(eye, direction, radius, side) {
  const along = dot(eye, direction) / dot(direction, direction),
    nearest = combine([1, eye], [-along, direction]),
    beside = Math.hypot(...nearest);
  if (beside >= radius) return nearest.map(x => (x * radius) / beside);
  return combine(
    [1, nearest],
    [-side * Math.sqrt((radius ** 2 - beside ** 2) / dot(direction, direction)), direction],
  );
}

/** Add the grip to a view; `send` receives the text of Ω₀, and whether a person still holds the grip. */
export function addStartGrip(view, stage, send) {
  const pane = () =>
    view.panes.find(({solid}) => view.tracks[solid]?.label === view.solid?.label) ?? view.panes[0];
  const findView = point => combine([1, pane().camera.eye], [-1, point]);
  const grip = createGrip({
    className: "grip",
    target: "start",
    label: "Start Π₀ on the momentum sphere",
    axes() {
      const {right, up, back} = pane().camera;
      return [right, up, back];
    },
    grab(point, fromX, fromY) {
      const {x, y} = view.project(point, pane()),
        radius = Math.hypot(...point),
        side = dot(point, findView(point)) < 0 ? -1 : 1;
      return (toX, toY) =>
        meetSphere(
          pane().camera.eye,
          view.castRay(toX - fromX + x, toY - fromY + y, pane()),
          radius,
          side,
        );
    },
    show: point => view.showOrbit(computeMomentumLoop(view.scene.body.moments, point)),
    send,
  });
  stage.append(grip.element);

  return {
    /** Put the ring where the start is, after each drawing. */
    place() {
      const point = grip.settle(view.scene.start, view.scene.body),
        size = Math.hypot(...(point ?? []));
      grip.element.hidden = !size;
      if (!size) return;
      const {x, y} = view.project(point, pane());
      grip.place(
        x,
        y,
        findView(point),
        [0, 0, 1],
        `Π₀ along (${point.map(v => (v / size).toFixed(2)).join(", ")})`,
      );
    },
    receive() {
      if (grip.receive()) view.redraw();
    },
    remove() {
      grip.element.remove();
    },
  };
}
