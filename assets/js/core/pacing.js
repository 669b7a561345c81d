// Messages at the pace of their answers, and the keys for what a person moves.

/** Where arrow keys move what a person holds: to the right, and up. */
export const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

/** Send one value at a time: the newest waits until the last is answered. For what a person moves continuously. */
export function sendInTurn(send) {
  let underway = null, newest = null;
  return {
    get underway() { return underway; },
    move(...value) {
      if (underway) { newest = value; return; }
      underway = value;
      send(...value);
    },
    /** Send the last value, when it is released. */
    finish(...value) { if (underway) newest ??= value; else send(...value); },
    /** Note an answer; returns whether nothing more is under way. */
    receive() {
      const next = newest;
      underway = newest = null;
      if (next) this.move(...next);
      return !next;
    },
  };
}
