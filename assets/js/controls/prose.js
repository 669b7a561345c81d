// Words of a text that act on the lab: numbers that are handles of Δt, and names that light up a plot or the curves of a method.
// app/state/lessons.py makes their elements.

import {parseStep} from "../core/numbers.js";
import {page} from "../core/page.js";

const APART = 2; // pixels of a drag for a place of the slider of Δt
const NOTCH = 5; // places for an arrow key, as for a notch of a wheel: a twentieth of a power of ten
const NOTCHES = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};

/** Have the handles and names of a text act; returns what to call after the text has changed. */
export function watchHandles(root, signal) {
  const listen = (kind, act) => root.addEventListener(kind, act);
  const move = (by, held = false) => page.request("change step size", {by, held});
  function showStepSize() {
    const text = page.stepSize;
    if (!text) return;
    for (const handle of root.querySelectorAll(".drag")) {
      handle.textContent = handle.ariaValueText = text;
      handle.ariaValueNow = parseStep(text);
    }
  }
  page.offer("show step size", showStepSize, signal);

  for (const kind of ["pointerover", "focusin"])
    listen(kind, ({target}) => {
      if (target.closest(".drag")) page.request("prepare drag");
    });
  listen("pointerdown", event => {
    const {target: handle, clientX, button} = event;
    if (button || !handle.matches(".drag")) return;
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    let moved = 0;
    const dragged = new AbortController(),
      follow = (kind, act) => window.addEventListener(kind, act, {signal: dragged.signal});
    for (const kind of ["pointermove", "pointerup"])
      follow(kind, now => {
        const places = Math.round((now.clientX - clientX) / APART);
        if (places !== moved) move(places - moved, true);
        moved = places;
      });
    for (const kind of ["pointerup", "pointercancel"])
      follow(kind, () => {
        dragged.abort();
        if (moved) move(0);
      });
  });
  listen("keydown", event => {
    const {target, key, shiftKey, ctrlKey, altKey, metaKey} = event,
      by = NOTCHES[key];
    if (!by || ctrlKey || altKey || metaKey || !target.matches(".drag")) return;
    event.preventDefault();
    move(NOTCH * (shiftKey && Math.abs(by) === 1 ? 10 * by : by));
  });

  let under = null,
    focused = null; // names
  function light(scrolls = false) {
    const lit = [under, focused].find(name => name?.isConnected)?.dataset.show ?? "";
    if (lit === page.lit && !scrolls) return;
    page.lit = lit;
    page.request("light up", {scrolls});
  }
  const findName = ({target}) => target.closest(".show");
  for (const [kind, act] of Object.entries({
    pointerover: name => (under = name),
    pointerout: () => (under = null),
    focusin: name => (focused = name),
    focusout: () => (focused = null),
  }))
    listen(kind, event => {
      act(findName(event));
      light();
    });
  listen("click", event => {
    if (findName(event)) light(true);
  });
  signal.addEventListener("abort", () => {
    page.lit = "";
  });
  return () => {
    showStepSize();
    light();
  };
}
