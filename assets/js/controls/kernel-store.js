// Kernels that the server has sent: those of the last settings, and those of what a person may choose next.

import {decodeBytes} from "../core/files.js";
import {fetchKernels} from "./compute-runs.js";

const KNOWN = 6; // settings whose kernels the page keeps

export class KernelStore {
  #known = new Map(); // kernels by the keys of their settings
  #others = new Map(); // settings with one more method or of another problem, by its name; null until the server has sent one
  asked = ""; // the key of the setting on screen, if the server is asked for its kernels

  find(key) {
    return this.#known.get(key);
  }

  /** The setting with one more method or of another problem: its key and what the page shows of it. */
  findOther(name) {
    return this.#others.get(name);
  }

  /** Note that the server is asked for such a setting; returns false if it is or has been. */
  askFor(name) {
    if (this.#others.has(name)) return false;
    for (const [before, other] of this.#others) if (!other) this.#others.delete(before); // the server may have left it for this one
    this.#others.set(name, null);
    return true;
  }

  /** Forget the settings that a person may choose next, since another one is on screen. */
  forgetOthers() {
    this.#others.clear();
  }

  /**
   * Take the kernels of a message; returns the key of their setting, and undefined where they cannot be used. `now` returns the key of the
   * setting on screen and its kernels, of which a setting with one more method takes those of the other methods.
   */
  async take(message, now) {
    const {key, given, name, of, view, ...packed} = JSON.parse(message);
    if (!globalThis.WebAssembly || (name && of !== now().key)) return undefined;
    try {
      const {kernels} = now(),
        same = name && !view && of === kernels?.key ? kernels : null;
      this.#known.set(key, {...(await fetchKernels(packed, same)), key, built: given});
      if (view) view.scene.shapes = await decodeBytes(view.scene.shapes); // before the choice, since it takes a while
    } catch {
      return undefined; // where a policy forbids it, the server computes
    }
    if (this.#known.size > KNOWN)
      this.#known.delete([...this.#known.keys()].find(other => other !== now().kernels?.key));
    if (of === now().key && this.#others.has(name))
      this.#others.set(name, {
        key,
        ...(view && {given, view, dt: view.choice.dt, duration: view.choice.duration}),
      });
    return key;
  }
}

/** Kernels without one of the methods; the others take the colours in their order. */
export function leaveOut({key, lines, ...same}, method) {
  const left = lines.filter(line => line.method !== method);
  return {
    ...same,
    key: `${key} − ${method}`,
    lines: left.map((line, i) => ({...line, colour: lines[i].colour})),
  };
}
