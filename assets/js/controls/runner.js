// Runs of the newest numbers of a setting, on the page or, if they take long, in a worker.

import {Background} from "../core/engine.js";
import {runInRounds} from "../core/setting-runs.js";
import {planDrag, runAtOnce} from "./compute-runs.js";

const LONG = 20,
  OFTEN = 3; // milliseconds of runs, so many times in a row, from which a worker computes the next ones

export class Runner {
  kernels = null; // of the setting on screen, null until they have come
  #background = null;
  #slow = 0; // how many runs in a row took long
  #isBusy = false;
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
    if (this.#background) {
      this.#computeInBackground(numbers);
      return true;
    }
    const begun = performance.now(),
      found = runAtOnce(planDrag(this.kernels, numbers)),
      spent = performance.now() - begun;
    if (!found || !this.draw(numbers, found)) return false;
    this.#slow = spent > LONG ? this.#slow + 1 : 0; // the first runs take long, since browsers optimise code while it runs
    if (this.#slow >= OFTEN) this.#open();
    return true;
  }

  close() {
    this.#background?.close();
    this.#background = this.#next = null;
    this.#isBusy = false;
    this.#slow = 0;
  }

  #open() {
    try {
      const address = new URL("../core/engine.js", import.meta.url);
      this.#background = new Background(new Worker(address, {type: "module"}));
    } catch {
      /* where a script has no address, as in a notebook, the page computes */
    }
  }

  /** Compute the newest numbers when the worker is free. */
  async #computeInBackground(numbers) {
    this.#next = numbers;
    if (this.#isBusy) return;
    const background = this.#background,
      run = jobs => Promise.all(jobs.map(job => background.run(...job)));
    this.#isBusy = true;
    this.#next = null;
    const found = await runInRounds(planDrag(this.kernels, numbers), run).catch(() => null);
    if (background !== this.#background) return; // closed meanwhile
    this.#isBusy = false;
    if (!found) this.close();
    else if (this.#next) this.#computeInBackground(this.#next);
    this.take(numbers, found);
  }
}
