// Runs of the newest numbers of a setting, on the page or, if they take long, in a worker (run-worker.js).

import {computeRuns, unpackRuns} from "./compute-runs.js";

const LONG = 20,
  OFTEN = 3; // milliseconds of runs, so many times in a row, from which a worker computes the next ones

export class Runner {
  kernels = null; // of the setting on screen, null until they have come
  #worker = null;
  #slow = 0; // how many runs in a row took long
  #running = null;
  #next = null;

  /** `draw(numbers, found)` shows runs and returns whether it can; `take(numbers, found)` takes the worker's, null if there are none. */
  constructor(draw, take) {
    Object.assign(this, {draw, take});
  }

  /** Compute with these kernels from now on. */
  use(kernels) {
    if (kernels === this.kernels) return;
    this.close(); // the worker has other ones
    this.kernels = kernels;
  }

  /** Have the runs of {dt, duration, given} computed; returns false if there is nothing to show. */
  compute(numbers) {
    if (this.#worker) {
      this.#send(numbers);
      return true;
    }
    const begun = performance.now(),
      found = computeRuns(this.kernels, numbers),
      spent = performance.now() - begun;
    if (!found || !this.draw(numbers, found)) return false;
    this.#slow = spent > LONG ? this.#slow + 1 : 0; // the first runs take long, since browsers optimise code while it runs
    if (this.#slow >= OFTEN) this.#open();
    return true;
  }

  close() {
    this.#worker?.terminate();
    this.#worker = this.#running = this.#next = null;
    this.#slow = 0;
  }

  #open() {
    try {
      this.#worker = new Worker(new URL("./run-worker.js", import.meta.url), {type: "module"});
    } catch {
      return; // where a script has no address, as in a notebook, the page computes
    }
    this.#worker.postMessage({modules: this.kernels.modules});
    this.#worker.onmessage = ({data}) => this.#receive(data);
    this.#worker.onerror = () => this.#receive(null);
  }

  /** Send the newest numbers when the worker is free. */
  #send(numbers) {
    if (this.#running) {
      this.#next = numbers;
      return;
    }
    this.#running = numbers;
    this.#worker.postMessage({numbers});
  }

  #receive(packed) {
    const [numbers, next] = [this.#running, this.#next];
    this.#running = this.#next = null;
    if (!packed) this.close();
    else if (next) this.#send(next);
    this.take(numbers, packed && unpackRuns(this.kernels, packed));
  }
}
