// The body turned by hand: its attitude at the start follows the pointer or the arrow keys; fetched when it is first wanted.

import {inTurn} from "./made.js";

/** (w, x, y, z) after a turn about a vector of space by its length. */
export function turnedBy(q, vector) {
  const angle = Math.hypot(...vector), [w, x, y, z] = q, c = Math.cos(angle / 2), s = angle ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, d] = vector.map(component => s * component);
  const turned = [c * w - a * x - b * y - d * z, c * x + a * w + b * z - d * y, c * y + b * w + d * x - a * z, c * z + d * w + a * y - b * x];
  const norm = Math.hypot(...turned);
  return turned.map(component => component / norm);
}

/** What in space is to the right and up on the screen, row by row from space to the picture by `up`. */
export function seenFrom({azimuth: a, elevation: e, scene: {up}}) {
  const [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
  return [[-sa, ca, 0], [-se * ca, -se * sa, ce]].map(v => [0, 1, 2].map(i => up[i] * v[0] + up[3 + i] * v[1] + up[6 + i] * v[2]));
}

/** Takes what would turn the camera, and has the body turned instead; `send` is told its attitude, and whether it is held. */
export function turning(view, clock, send) {
  let attitude = null, held = false;
  const moves = inTurn(to => send({turn: to, held}));
  return {
    /** The side that is seen turned to the right and down, by so many radians; what is seen is the start. */
    orbit(right, down, holding = true) {
      if (!view.solid) return;
      if (clock.playing) clock.set({playing: false});
      if (clock.time) clock.seek(0);
      held = holding;
      if (!attitude) attitude = [...view.solid.pose(0, 0)];
      const [across, along] = seenFrom(view);
      attitude = turnedBy(attitude, [0, 1, 2].map(i => right * along[i] + down * across[i]));
      moves.move(attitude);
      view.canvas.dispatchEvent(new Event("input", {bubbles: true, composed: true})); // as a slider's
    },
    rest() {
      if (!held) return;
      held = false;
      moves.rest(attitude);
    },
    /** What is seen is what was asked for, or why it cannot be had is said at its field. */
    answered() { if (moves.answered() && !held) attitude = null; },
  };
}
