// Messages at the pace of their answers.

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
