// What several scripts make their parts with.

/** An element; what is no property of it, as aria-label, is set as an attribute. */
export function made(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key in element) element[key] = value; else element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** What somebody moves: one value at a time is on its way by `send`, and when that is `answered` the newest goes next. */
export function inTurn(send) {
  let underway = null, newest = null;
  return {
    get underway() { return underway; },
    move(...value) {
      if (underway) { newest = value; return; }
      underway = value;
      send(...value);
    },
    /** The last value, when it is let go. */
    rest(...value) { if (underway) newest ??= value; else send(...value); },
    /** Whether nothing is on its way any more. */
    answered() {
      const next = newest;
      underway = newest = null;
      if (next) this.move(...next);
      return !next;
    },
  };
}
