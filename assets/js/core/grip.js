// A point of a sphere that a person drags, or moves with the arrow keys.

import {dot, turnPoint} from "./algebra.js";
import {create} from "./dom.js";
import {page} from "./page.js";
import {WAYS, sendInTurn} from "./pacing.js";

const DEGREE = Math.PI / 180;

/**
 * Create a grip. `grab(point, x, y)` begins a drag at a place of the window and returns what follows it: a function of the place that
 * returns the point. `axes()` are the directions to the right, up and near; `show(point)` draws a move; `send(point, held)` sends it, unless `follow(point)`
 * returns that the browser has computed what follows.
 */
export function createGrip({className, subject, label, grab, axes, show, send, follow}) {
  const title = `Drag the ${subject}, or press an arrow key to move it by a degree, with Shift by ten degrees; Ω₀ follows`;
  const element = create("div", {
    className,
    title,
    hidden: true,
    role: "slider",
    tabIndex: 0,
    ariaLabel: label,
    ariaValueMin: 0,
    ariaValueMax: 180,
  });
  let point = null,
    drag = null;
  const moves = sendInTurn(to => send(to, !!drag), follow);

  function go(to) {
    point = to;
    element.dispatchEvent(new Event("input", {bubbles: true, composed: true})); // like a slider's
    show(to);
    moves.move(to);
  }
  element.addEventListener("pointerenter", () => page.request("prepare drag"));
  element.addEventListener("focus", () => page.request("prepare drag"));
  element.addEventListener("pointerdown", event => {
    event.preventDefault();
    event.stopPropagation();
    element.focus();
    element.setPointerCapture(event.pointerId);
    drag = grab(point, event.clientX, event.clientY);
  });
  element.addEventListener("pointermove", event => {
    if (drag && element.hasPointerCapture(event.pointerId)) go(drag(event.clientX, event.clientY));
  });
  for (const end of ["pointerup", "pointercancel"])
    element.addEventListener(end, () => {
      if (!drag) return;
      drag = null;
      moves.finish(point);
    });
  element.addEventListener("keydown", event => {
    const way = WAYS[event.key];
    if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    go(turnPoint(point, axes(), way, (event.shiftKey ? 10 : 1) * DEGREE));
  });

  return {
    element,
    receive: () => moves.receive(),
    /** The point: the given one, unless a person moves it. */
    settle(start) {
      return (point = drag || moves.underway ? point : start);
    },
    /** Put the grip at a place of its parent; `near` points to the viewer, and `pole` is at zero degrees. */
    place(x, y, near, pole, words) {
      element.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px)`;
      element.classList.toggle("behind", dot(point, near) < -1e-9 * Math.hypot(...point));
      element.ariaValueNow = Math.round(
        Math.acos(Math.max(-1, Math.min(1, dot(point, pole) / Math.hypot(...point)))) / DEGREE,
      );
      element.ariaValueText = words;
    },
  };
}
