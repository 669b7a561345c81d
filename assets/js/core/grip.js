// The start Π₀ on a momentum sphere, a point that a person drags, or moves with the arrow keys.

import {dot, turnPoint} from "./algebra.js";
import {create} from "./dom.js";
import {formatList} from "./numbers.js";
import {page} from "./page.js";
import {WAYS, sendInTurn} from "./pacing.js";
import {findSpin} from "./starts.js";

const DEGREE = Math.PI / 180;

/**
 * Create a grip. `grab(point, x, y)` begins a drag at a place of the window and returns what follows it: a function of the place that
 * returns the point. `axes()` are the directions to the right, up and near; `show(point)` draws a move; `send({start, held})` sends Ω₀ as a
 * text, and whether a person still holds the point.
 */
export function createGrip({className, target, label, grab, axes, show, send}) {
  const title = `Drag the ${target}, or press an arrow key to move it by a degree, with Shift by ten degrees; Ω₀ follows`;
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
    body = null, // the axes, moments and Π₀ at the beginning of the movement
    drag = null;
  const moves = sendInTurn(
    Omega0 => send({start: formatList(Omega0), held: !!drag}),
    Omega0 => page.request("drag", {Omega0}),
  );

  function go(to) {
    point = to;
    element.dispatchEvent(new Event("input", {bubbles: true, composed: true})); // like a slider's
    show(to);
    moves.move(findSpin(body, to));
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
      moves.finish(findSpin(body, point));
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
    /** The point: the given one of a body, unless a person moves it. */
    settle(at, of) {
      if (!drag && !moves.underway) [point, body] = [at, of];
      return point;
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
