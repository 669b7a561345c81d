// The model of a component without a server.

/** The interface of Panel's model that the page's components use. */
export class Model {
  #listeners = [];
  constructor(properties, onmessage) {
    Object.assign(this, properties, {send_msg: onmessage});
  }
  on(name, listener) {
    this.#listeners.push([name, listener]);
  }
  set(changes) {
    Object.assign(this, changes);
    for (const [name, listener] of this.#listeners) if (name in changes) listener();
  }
  answer(name) {
    for (const [kind, listener] of this.#listeners)
      if (kind === "msg:custom") listener({answered: name});
  }
}
