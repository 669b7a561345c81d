// The runs of a demo: the chosen methods, and the exact motion by a method of high order at fine steps.

import {inertiaMatrix} from "../core/algebra.js";
import {Background, Kernel} from "../core/engine.js";
import {decodeBytes} from "../core/files.js";
import {Quantities} from "../core/quantities.js";
import {
  TURN,
  countTurns,
  findSpeed,
  followMotion,
  planRows,
  runInRounds,
} from "../core/setting-runs.js";
import {data} from "./data.js";
import {timeStep} from "./timing.js";

const ROWS = 2000; // stored rows of a run
const MOST_FINE_STEPS = 2e6;
const SLICE = 12; // milliseconds of computation between two frames
const LONG = 3e5; // steps from which a run goes to a worker
const SLOW = 300; // milliseconds until progress is shown

const decode = async ({header, code}) => ({header, code: await decodeBytes(code)});

const KNOWN = 1e-12; // an uncertainty of the exact motion that hides no error, as in engine/exact/errors.py

/** A run in a worker, with the interface of a run on the page. */
class WorkerRun {
  #stop = new AbortController();
  constructor(background, kernel, options, onfailure) {
    Object.assign(this, {steps: options.steps, done: 0, ended: false});
    background
      .run(kernel, options, {
        progress: done => {
          this.done = done;
        },
        signal: this.#stop.signal,
      })
      .then(
        run => Object.assign(this, {run, ended: true}),
        () => {
          onfailure();
          this.run = kernel.start(options);
          Object.assign(this, {
            advance: time => (this.ended = this.run.advance(time)),
            result: () => this.run.result(),
          });
        },
      );
  }
  advance() {
    return this.ended;
  }
  cancel() {
    this.#stop.abort();
    this.run?.cancel?.();
  }
  result() {
    return this.run;
  }
}

/** Computes runs; `draw` shows new results, `report(text, stop)` shows progress. */
export class Computation {
  runs = [];
  exactMotion = null; // {run, error, apart}: the exact motion, its uncertainty at each row, and the largest
  quantities; // what plots show of runs
  stepTimes = new Map(); // least nanoseconds a step of each method with the present step; not of one that ends too soon
  #kernels;
  #reference;
  #background;
  #current = null;
  #timed = null;
  #plan; // of the runs

  constructor(source, {draw, report}) {
    Object.assign(this, {source, draw, report});
  }

  async load() {
    this.quantities = await Quantities.instantiate(await decode(data.quantities));
    const modules = [...data.methods, data.reference, data.reference].map(async ({module}) => {
      return Kernel.instantiate(...(await Promise.all([module, data.beginning].map(decode))));
    });
    const kernels = await Promise.all(modules);
    [this.#kernels, this.#reference] = [kernels.slice(0, -2), kernels.slice(-2)];
  }

  /** Run the chosen methods, then the exact motion. A newer call cancels an older one. Returns whether this one was finished. */
  async compute({dt, duration, methods, given}) {
    const task = (this.#current = {begun: performance.now()}),
      plan = planRows({dt, duration: Math.max(dt, duration), given: {...given}}, ROWS);
    const chosen = data.methods.filter(({label}) => methods.includes(label)),
      jobs = chosen.map(({label}) => [this.#findKernel(label), plan]),
      runs = await this.#run(jobs, task, "Computing");
    if (!runs) return false;
    this.#plan = plan;
    this.runs = chosen.map((method, i) => ({...method, run: runs[i]}));
    if (this.#timed !== dt) this.stepTimes.clear();
    this.#timed = dt;
    this.exactMotion = null;
    // Draw once with the exact motion, if that is soon there.
    if (!(await this.#follow(plan, task))) return true;
    this.draw();
    await this.#time(plan, task);
    return true;
  }

  #findKernel(name) {
    return this.#kernels[data.methods.findIndex(({label}) => label === name)];
  }

  /** Time the methods that are not timed yet, and show the times. */
  async #time(plan, task) {
    const untimed = this.runs.filter(({label}) => !this.stepTimes.has(label));
    for (const {label} of untimed) {
      const time = await timeStep(this.#findKernel(label), plan, () => task === this.#current);
      if (task !== this.#current) return;
      this.stepTimes.set(label, time);
    }
    if (untimed.length) this.draw();
  }

  /** Compute the exact motion; its uncertainty is the distance from a run at twice the step. Returns false if it was cancelled. */
  async #follow(plan, task) {
    const most = Math.max(2, 2 * Math.floor(MOST_FINE_STEPS / plan.rows / 2));
    let error = null,
      Ω = Math.max(1e-3, ...this.runs.map(({run}) => findSpeed(run, 1)));
    const judge = (run, rough) => {
      error = this.measure(data.error.key, run, rough); // far more than the error itself, except where a torque sets in suddenly
      return true;
    };
    for (;;) {
      const times = Math.min(most, countTurns(plan, Ω, TURN[data.space])),
        rounds = followMotion(this.#reference, plan, times, MOST_FINE_STEPS, judge),
        run = await runInRounds(rounds, jobs =>
          this.#run(jobs, task, "Computing the exact motion", this.draw),
        );
      if (!run) return false;
      const fastest = Math.min(findSpeed(run), 1e6);
      if (!(fastest > 2 * Ω && times < most)) {
        this.exactMotion = {run, error, apart: Math.max(...error.filter(Number.isFinite))};
        return true;
      }
      Ω = fastest; // a body that starts at rest may come to turn faster than these steps allow
    }
  }

  /** The values of a quantity of a run, relative if it has a relative value. */
  measure(key, run, exactMotion = this.exactMotion?.run) {
    const {dt, given} = this.#plan,
      axes = run.header.axes.R,
      J = axes && inertiaMatrix(axes, given.J);
    return this.quantities.evaluate(key, {run, exactMotion, relative: true, dt, axes, J});
  }

  /** The error of a run against the exact motion at each common row; NaN where the exact motion may be off by as much. */
  measureError(run) {
    let off = 0;
    return this.measure(data.error.key, run).map((error, i) => {
      off = Math.max(off, this.exactMotion.error[i]);
      return error > off || off <= KNOWN ? error : NaN;
    });
  }

  #start(kernel, options) {
    if (options.steps >= LONG && this.#background !== null) {
      try {
        // A classic script: browsers accept no module for a worker of a page without an origin (a file, a sandboxed frame).
        const script = new Blob([this.source], {type: "text/javascript"});
        this.#background ??= new Background(new Worker(URL.createObjectURL(script)));
        return new WorkerRun(this.#background, kernel, options, () => {
          this.#background = null;
        });
      } catch {
        this.#background = null; /* the browser allows no worker here */
      }
    }
    return kernel.start(options);
  }

  /** Run jobs between frames; returns null if a newer task has begun. Calls `late` if they take longer than a frame. */
  async #run(jobs, task, activity, late = () => {}) {
    const all = jobs.map(job => this.#start(...job));
    for (let turn = 0; ; turn++) {
      const until = performance.now() + SLICE;
      for (const running of all)
        if (!running.ended) running.advance(Math.max(0, until - performance.now()));
      if (all.every(running => running.ended)) break;
      if (turn === 0) late();
      const sum = name => all.reduce((total, running) => total + running[name], 0),
        part = sum("done") / sum("steps");
      if (performance.now() - task.begun > SLOW)
        this.report(`${activity} … ${Math.round(100 * part)} %`, () =>
          all.forEach(running => running.cancel()),
        );
      await new Promise(requestAnimationFrame);
      if (task !== this.#current) {
        for (const running of all) running.cancel();
        return null;
      }
    }
    this.report("");
    return all.map(running => running.result());
  }
}
