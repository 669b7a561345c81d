// The body turned by hand: its initial attitude follows the pointer or the arrow keys. Fetched on demand.

import {turnQuaternion} from "../core/algebra.js";
import {formatList} from "../core/numbers.js";
import {sendInTurn} from "../core/pacing.js";
import {page} from "../core/page.js";
import {findTurn} from "../core/starts.js";

/** The directions to the right and up on the screen, in space; `up` is the matrix from space to the picture. */
export function screenAxes({azimuth: a, elevation: e, scene: {up}}) {
  const [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
  return [
    [-sa, ca, 0],
    [-se * ca, -se * sa, ce],
  ].map(v => [0, 1, 2].map(i => up[i] * v[0] + up[3 + i] * v[1] + up[6 + i] * v[2]));
}

/** Return what turns the body where a view would turn its camera; `send` receives R₀ as a text, and whether the body is held. */
export function turnBody(view, clock, send) {
  let attitude = null,
    held = false;
  page.request("prepare drag");
  const moves = sendInTurn(
    to => send({start: formatList(findTurn(to)), held}),
    to => page.request("drag", {R0: findTurn(to)}),
  );
  return {
    /** Turn the visible side to the right and down by some radians, at the start of the motion. */
    orbit(right, down, holding = true) {
      if (!view.solid) return;
      if (clock.playing || clock.time) clock.seek(0);
      held = holding;
      if (!attitude) attitude = [...view.solid.pose(0, 0)];
      const [across, along] = screenAxes(view);
      attitude = turnQuaternion(
        attitude,
        [0, 1, 2].map(i => right * along[i] + down * across[i]),
      );
      view.canvas.dispatchEvent(new Event("input", {bubbles: true, composed: true})); // like a slider's
      moves.move(attitude);
    },
    release() {
      if (!held) return;
      held = false;
      moves.finish(attitude);
    },
    /** Note the server's answer; afterwards the picture shows the attitude, unless it was refused. */
    receive() {
      if (moves.receive() && !held) attitude = null;
    },
  };
}
