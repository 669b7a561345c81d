// The start of a motion on the momentum sphere in space: a ring that a person drags, or moves with the arrow keys; the orbit follows
// at once, and the server's runs when they come. Fetched on demand.

import {combine, dot, turnPoint} from "../core/algebra.js";
import {create} from "../core/dom.js";
import {WAYS, sendInTurn} from "../core/pacing.js";
import {computePolhode} from "./orbits.js";

const DEGREE = Math.PI / 180;
const HELP = "Drag the start, or press an arrow key to move it by a degree, with Shift by ten degrees; Ω₀ follows";

/** Where a ray meets the sphere about the origin: its nearer place (side 1) or its farther one (−1), or the rim for a ray beside it. */
export function meetSphere(eye, direction, radius, side) {
  const along = dot(eye, direction) / dot(direction, direction), nearest = combine([1, eye], [-along, direction]), beside = Math.hypot(...nearest);
  if (beside >= radius) return nearest.map(x => x * radius / beside);
  return combine([1, nearest], [-side * Math.sqrt((radius ** 2 - beside ** 2) / dot(direction, direction)), direction]);
}

/** Add the grip to a view; `send` receives the direction of Π₀ in principal axes, and whether a person still holds it. */
export function addStartGrip(view, stage, send) {
  const grip = create("div", {className: "grip", hidden: true, role: "slider", title: HELP, tabIndex: 0, ariaLabel: "Start Π₀ on the momentum sphere", ariaValueMin: 0, ariaValueMax: 180});
  let point = null, grabbed = null;
  const moves = sendInTurn(to => send({turn: to, held: !!grabbed}));
  const pane = () => view.panes.find(({solid}) => view.tracks[solid]?.label === view.solid?.label) ?? view.panes[0];
  stage.append(grip);

  function go(to) {
    point = to;
    view.showOrbit(computePolhode(view.scene.moments, to));
    moves.move(to);
    grip.dispatchEvent(new Event("input", {bubbles: true, composed: true})); // like a slider's
  }
  grip.addEventListener("pointerdown", event => {
    event.preventDefault();
    event.stopPropagation();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    const {camera} = pane(), {x, y} = view.project(point, pane());
    grabbed = {radius: Math.hypot(...point), side: dot(point, combine([1, camera.eye], [-1, point])) < 0 ? -1 : 1, beside: [event.clientX - x, event.clientY - y]};
  });
  grip.addEventListener("pointermove", event => {
    if (!grabbed || !grip.hasPointerCapture(event.pointerId)) return;
    const {radius, side, beside} = grabbed;
    go(meetSphere(pane().camera.eye, view.castRay(event.clientX - beside[0], event.clientY - beside[1], pane()), radius, side));
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
    const {right, up, back} = pane().camera;
    go(turnPoint(point, [right, up, back], way, (event.shiftKey ? 10 : 1) * DEGREE));
  });

  return {
    /** Put the ring where the start is, after each drawing. */
    place() {
      const {start} = view.scene, there = pane();
      if (!grabbed && !moves.underway) point = start;
      grip.hidden = !Math.hypot(...point ?? []);
      if (grip.hidden) return;
      const {x, y} = view.project(point, there), toEye = combine([1, there.camera.eye], [-1, point]);
      grip.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px)`;
      grip.classList.toggle("behind", dot(point, toEye) < 0);
      grip.ariaValueNow = Math.round(Math.acos(Math.max(-1, Math.min(1, point[2] / Math.hypot(...point)))) / DEGREE);
      grip.ariaValueText = `Π₀ along (${point.map(x => (x / Math.hypot(...point)).toFixed(2)).join(", ")})`;
    },
    receive() { if (moves.receive()) view.redraw(); },
    remove() { grip.remove(); },
  };
}
