// Messages at the pace of their answers, and the keys for what a person moves.

import {page} from "./page.js";

/** Where arrow keys move what a person holds: to the right, and up. */
export const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

const REST = 100,
  PAUSE = 500; // milliseconds after which a value rests, and between moves that are not one movement

/**
 * Send one value at a time: the newest waits until the last is answered. For what a person moves continuously. Where the browser follows
 * a value itself, `follow` returns true, and only the value at rest is sent.
 */
export function sendInTurn(send, follow = () => false) {
  let underway = null,
    newest = null,
    resting = null,
    moved = -Infinity;
  function pass(value) {
    if (underway) {
      newest = value;
      return;
    }
    underway = value;
    send(...value);
  }
  function stopResting() {
    clearTimeout(resting?.timer);
    resting = null;
  }
  return {
    get underway() {
      return resting?.value ?? underway;
    },
    move(...value) {
      stopResting();
      const now = performance.now(),
        apart = now - moved; // on a busy computer, moves may come that late
      moved = now;
      if (!follow(...value)) return pass(value);
      const rest = apart < PAUSE ? Math.max(REST, 2 * apart) : REST;
      resting = {
        value,
        timer: setTimeout(() => {
          resting = null;
          page.request("drag rests");
          pass(value);
        }, rest),
      };
    },
    /** Send the last value, when it is released. */
    finish(...value) {
      stopResting();
      page.request("drag rests");
      if (underway) newest = value;
      else send(...value);
    },
    /** Note an answer; returns whether nothing more is under way. */
    receive() {
      const next = newest;
      underway = newest = null;
      if (next) pass(next);
      return !next && !resting;
    },
  };
}
