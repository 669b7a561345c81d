// The body thrown by hand: who lets go of the picture while dragging it gives the body a spin. Fetched on demand.

import {apply, transpose} from "../core/algebra.js";
import {formatList} from "../core/numbers.js";
import {clock} from "./clock.js";
import {screenAxes} from "./turn-body.js";

const RADIANS = 0.0075, // of a pixel, as for the camera
  RECENT = 100, // milliseconds of movement that are the throw, or more if events are rarer
  REST = 400, // milliseconds of rest before the end, after which nothing is thrown
  SLOWEST = 0.5,
  FASTEST = 12; // radians per second: of what is no throw, and of the fastest one

/** Have a view's body thrown; `send` receives the text of the angular velocity in the body. */
export function catchThrows(view, send, signal) {
  const {canvas} = view;
  let path = [];
  const note = ({clientX: x, clientY: y, timeStamp: at}) => path.push({x, y, at});
  const listen = (kind, act) =>
    canvas.addEventListener(
      kind,
      event => {
        if (event.isPrimary) act(event);
      },
      {signal},
    );
  listen("pointerdown", event => {
    path = [];
    note(event);
  });
  listen("pointermove", event => {
    if (path.length) note(event);
  });
  listen("pointercancel", () => {
    path = [];
  });
  listen("pointerup", ({timeStamp}) => {
    const last = path.at(-1),
      first = path.findLast(({at}) => last.at - at >= RECENT) ?? path[0];
    path = [];
    if (!view.solid || !last || timeStamp - last.at > REST) return;
    const per = (1000 * RADIANS) / Math.max(16, last.at - first.at),
      right = per * (last.x - first.x),
      down = per * (last.y - first.y),
      speed = Math.hypot(right, down);
    if (speed < SLOWEST) return;
    const [across, along] = screenAxes(view),
      size = Math.min(1, FASTEST / speed),
      spin = along.map((x, i) => size * (right * x + down * across[i]));
    send(formatList(apply(transpose(view.solid.attitude(clock.time)), spin), ", ", 3));
  });
}
