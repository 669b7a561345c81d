// The computation of a demo: the runs of the chosen methods and of the exact motion, between frames or in a worker.

import {Background} from "../core/engine.js";
import {maskUnknown} from "../core/series.js";
import {
  TURN,
  countTurns,
  describeResults,
  findSpeed,
  followMotion,
  loadKernels,
  measure,
  planRuns,
  runInRounds,
} from "../core/setting-runs.js";
import {data} from "./data.js";
import {timeStep} from "./timing.js";

const MOST_FINE_STEPS = 2e6; // of the exact motion
const SLICE = 12; // milliseconds of computation between two frames
const LONG = 3e5; // steps from which a run goes to a worker
const SLOW = 300; // milliseconds until progress is shown

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

/** The exact motion, however well it is known. A body that starts at rest may come to turn faster than the first steps allow. */
function* follow(kernels, plan, runs) {
  const most = Math.max(2, 2 * Math.floor(MOST_FINE_STEPS / plan.rows / 2)),
    turn = TURN[data.space],
    times = Math.min(most, countTurns(plan, findSpeed(runs, 1), turn)),
    isFine = ({run}, k) => 2 * k > most || plan.spacing * findSpeed([run]) <= 2 * turn * k;
  return yield* followMotion(kernels, plan, times, Infinity, isFine);
}

/** Computes runs; `draw` shows new results, `report(text, stop)` shows progress. */
export class Computation {
  results = {lines: [], exactMotion: null}; // of `describeResults`
  stepTimes = new Map(); // least nanoseconds a step of each method with the present step; not of one that ends too soon
  #kernels;
  #background;
  #current = null;
  #timed = null;

  constructor(source, {draw, report}) {
    Object.assign(this, {source, draw, report});
  }

  async load() {
    this.#kernels = await loadKernels(data);
  }

  /** Run the chosen methods, then the exact motion. A newer call cancels an older one. */
  async compute({dt, duration, methods, given}) {
    const task = (this.#current = {begun: performance.now()}),
      numbers = {dt, duration: Math.max(dt, duration), given: {...given}},
      lines = this.#kernels.lines.filter(({method}) => methods.includes(method)),
      kernels = {...this.#kernels, lines};
    this.results = {...this.results, exactMotion: null}; // that of the choice before
    let isLate = false; // the exact motion, without which the results are drawn if it does not come soon
    const show = found => {
      this.results = describeResults(kernels, numbers, found);
      isLate = !found.exactMotion;
      if (this.#timed !== dt) this.stepTimes.clear();
      this.#timed = dt;
    };
    const run = jobs =>
      isLate
        ? this.#run(jobs, task, "Computing the exact motion", this.draw)
        : this.#run(jobs, task, "Computing");
    const found = await runInRounds(
      planRuns(kernels, numbers, {most: Infinity, follow, show}),
      run,
    );
    if (!found) return;
    show(found);
    this.draw();
    await this.#time(numbers, task);
  }

  /** Time the methods that are not timed yet, and show the times. */
  async #time(numbers, task) {
    const untimed = this.results.lines.filter(({method}) => !this.stepTimes.has(method));
    for (const {method, kernel} of untimed) {
      const time = await timeStep(kernel, numbers, () => task === this.#current);
      if (task !== this.#current) return;
      this.stepTimes.set(method, time);
    }
    if (untimed.length) this.draw();
  }

  /** The error of a run against the exact motion at each common row; NaN where the exact motion may be off by as much. */
  measureError(run) {
    let off = 0;
    const estimates = this.results.exactMotion.apart.map(apart => (off = Math.max(off, apart)));
    return maskUnknown(measure(data.error.key, run, this.results), estimates);
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
