// Runs of the engine's kernels as WebAssembly, in browsers, their workers and Node. `engine/export/webassembly.py` builds
// the modules; their headers describe the memory. A run advances in slices, so that the page stays responsive; a worker
// takes long ones.

import {fillText, formatNumber} from "./numbers.js";

export const STACK = 1 << 16; // bytes, at the start of the memory
const PAGE = 1 << 16;
const FIRST = 64; // steps in the first block
const SHORTEST = 0.5,
  LONGEST = 40; // milliseconds of a block
const SLICE = 20; // milliseconds between two looks of a worker at its messages
const LIBRARY = {
  ...Object.fromEntries(Object.getOwnPropertyNames(Math).map(name => [name, Math[name]])),
  fabs: Math.abs,
  fmod: (x, y) => x % y,
};

/** The number of steps of a run, as `simulate` counts them. */
export function countSteps(dt, duration) {
  const ratio = duration / dt,
    nearest = Math.round(ratio);
  return Math.abs(ratio - nearest) <= 1e-9 * Math.max(1, 1e-6 * ratio)
    ? nearest
    : Math.floor(ratio);
}

/** Instantiate a module of the engine in a memory; returns its function. */
export async function instantiateModule(code, memory) {
  const stack = new WebAssembly.Global({value: "i32", mutable: true}, STACK);
  const env = {...LIBRARY, __linear_memory: memory, __stack_pointer: stack};
  return (await WebAssembly.instantiate(code, {env})).instance.exports.run;
}

/** Have a memory hold so many bytes. */
export function reserve(memory, bytes) {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

/** A kernel of a method on a problem, ready to run. */
export class Kernel {
  /** Instantiate a module {code, header}, and the module that computes the initial state of changed problems, if there is one. */
  static async instantiate({code, header}, beginning = null) {
    const memory = new WebAssembly.Memory({initial: 2});
    const [run, begin] = await Promise.all(
      [code, beginning?.code].map(bytes => bytes && instantiateModule(bytes, memory)),
    );
    const kernel = new Kernel(header, memory, run, begin, beginning?.header.given ?? []);
    return Object.assign(kernel, {modules: [{code, header}, beginning]}); // for workers
  }

  constructor(header, memory, run, begin, given) {
    Object.assign(this, {header, memory, begin, given, at: {}});
    this.call = run;
    this.width = header.memory.last;
    let place = STACK / 8;
    for (const [part, length] of Object.entries({
      ...header.memory,
      stop: 1,
      given: given.reduce((n, {value}) => n + value.length, 0),
    })) {
      this.at[part] = place;
      place += length;
    }
    this.at.rows = place;
  }

  /** Start a run. `given` and `options` have numbers by name that differ from the header's; `of` is the Δt that a torque of Δt is computed for. */
  start({
    dt = this.header.dt,
    steps = this.header.steps,
    every = 1,
    given = {},
    options = {},
    of = dt,
  } = {}) {
    const {header, at} = this;
    reserve(this.memory, 8 * (at.rows + (Math.floor(steps / every) + 2) * this.width));
    const numbers = new Float64Array(this.memory.buffer);
    numbers.fill(0, STACK / 8, at.rows + this.width);
    numbers.set(header.parameters, at.parameters);
    numbers.set(header.initial, at.state);
    numbers.fill(Infinity, at.extrema, at.extrema + header.memory.extrema / 2);
    numbers.fill(
      -Infinity,
      at.extrema + header.memory.extrema / 2,
      at.extrema + header.memory.extrema,
    );
    if (this.begin && Object.keys(given).length) {
      for (const {name, at: place, value} of this.given)
        numbers.set(given[name] ?? value, at.given + place);
      this.begin(8 * at.given, of, 8 * at.parameters, 8 * at.state);
    }
    for (const [name, value] of Object.entries(options))
      numbers[at.parameters + header.options[name]] = value;
    numbers[at.parameters + header.end] = steps * dt; // where a method that chooses its steps stops
    return new Running(this, dt, steps, every);
  }
}

/** A run that advances on request. A kernel has one at a time, in its memory. */
export class Running {
  constructor(kernel, dt, steps, every) {
    Object.assign(this, {kernel, dt, steps, every, seconds: 0, block: FIRST});
    const {at, header} = kernel;
    this.numbers = new Float64Array(kernel.memory.buffer);
    this.ledger = new BigInt64Array(kernel.memory.buffer, 8 * at.ledger, header.memory.ledger);
    if (steps === 0) this.call(0);
  }

  /** An entry of the kernel's ledger. */
  count(name) {
    return Number(this.ledger[this.kernel.header.ledger[name]]);
  }
  note(name, value) {
    this.ledger[this.kernel.header.ledger[name]] = BigInt(value);
  }

  get done() {
    return this.count("step");
  }
  get ended() {
    return this.done >= this.steps || this.count("outcome") !== this.kernel.header.outcomes.running;
  }

  cancel() {
    if (!this.ended) this.note("outcome", this.kernel.header.outcomes.cancelled);
  }

  /** Advance for some milliseconds, or a little longer; returns whether the run has ended. */
  advance(milliseconds = Infinity) {
    const begun = performance.now();
    let now = begun;
    do {
      if (this.ended) break;
      const before = this.done,
        n = Math.min(this.block, this.steps - before),
        left = Math.min(LONGEST, Math.max(SHORTEST, milliseconds - (now - begun)));
      this.call(n);
      if (this.count("outcome") > this.kernel.header.outcomes.cancelled) this.repeat(before);
      const spent = performance.now() - now;
      now += spent;
      this.block = Math.max(1, Math.floor(n * Math.min(8, left / Math.max(spent, 1e-3))));
    } while (now - begun < milliseconds);
    this.seconds += (now - begun) / 1000;
    return this.ended;
  }

  call(n) {
    const {
      kernel: {call, at},
      dt,
      every,
    } = this;
    call(
      8 * at.state,
      8 * at.parameters,
      8 * at.ledger,
      8 * at.stop,
      8 * at.rows,
      8 * at.last,
      8 * at.extrema,
      dt,
      BigInt(n),
      BigInt(every),
    );
  }

  /** After a failed step, repeat its block up to the last good step, without counting its costs twice. */
  repeat(before) {
    const counts = ["newton_iterations", "torque_evaluations", "uncorrected"];
    const good = this.done - before,
      counted = ["outcome", ...counts].map(name => [name, this.count(name)]);
    this.note("step", before);
    for (const name of ["outcome", "unsolved", "bad_torque"]) this.note(name, 0);
    if (good) this.call(good);
    for (const [name, value] of counted) this.note(name, value);
  }

  /** The run so far; its rows are a copy, or a part of the kernel's memory, which the next run overwrites. */
  result({copy = true} = {}) {
    const {
      kernel: {header, at, width},
      numbers,
      dt,
      steps,
      every,
      done,
      seconds,
    } = this;
    const end = at.rows + (Math.floor(done / every) + 1) * width,
      extra = done % every ? width : 0;
    numbers.copyWithin(end, at.last, at.last + extra);
    const rows = numbers[copy ? "slice" : "subarray"](at.rows, end + extra);
    return new Run(header, {
      dt,
      steps,
      every,
      done,
      seconds,
      rows,
      extremes: numbers.slice(at.extrema, at.extrema + header.memory.extrema),
      outcome: this.count("outcome"),
      newtonIterations: this.count("newton_iterations"),
      torqueEvaluations: this.count("torque_evaluations"),
    });
  }
}

/** The result of a run: the stored rows, the extremes over every step, and how it ended. */
export class Run {
  #times = null;
  #series = new Map(); // computed once
  constructor(header, record) {
    Object.assign(this, {header, record}, record);
    this.width = header.memory.last;
    this.length = record.rows.length / this.width;
  }

  /** The time of each row. */
  get t() {
    const {length, every, done, dt} = this,
      known = this.#times,
      t = (this.#times ??= new Float64Array(length));
    if (!known) for (let i = 0; i < length; i++) t[i] = Math.min(i * every, done) * dt;
    return t;
  }

  get status() {
    return this.header.states[this.outcome];
  }

  get failedStep() {
    return this.outcome > this.header.outcomes.cancelled ? this.done + 1 : null;
  }

  /** How it ended, in a sentence; empty if it finished. */
  get message() {
    const {
      header: {name, what},
      done,
      dt,
    } = this;
    const words = {
      method: name,
      what,
      steps: done,
      step: done + 1,
      t: formatNumber(done * dt),
      dt: formatNumber(dt),
    };
    return fillText(this.header.endings[this.outcome] ?? "", words);
  }

  /** A series by its name in Python, with all components of each row. */
  series(name) {
    const known = this.#series.get(name);
    if (known) return known;
    const [at, size, squared] = this.header.series[name] ?? refuseName(name, this.header);
    const {rows, width, length} = this,
      out = new Float64Array(length * size);
    for (let from = at, to = 0; to < out.length; from += width)
      for (let i = 0; i < size; i++) out[to++] = rows[from + i];
    if (squared) for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(out[i]);
    if (name.startsWith("increment")) out[0] = NaN;
    const Q = this.header.axes[name];
    if (Q && Q.some((x, i) => x !== +(i % 4 === 0))) turnBack(out, Q);
    this.#series.set(name, out);
    return out;
  }

  /** The least, largest and last value over every step, stored or not; lists for a vector. */
  extrema(name) {
    const [at, size, squared] = this.header.series[name] ?? refuseName(name, this.header),
      {observed} = this.header;
    const each = (values, from) => {
      const components = Array.from(values.subarray(from, from + size), x =>
        squared ? Math.sqrt(x) : x,
      );
      return size === 1 ? components[0] : components;
    };
    const half = this.extremes.length / 2;
    return {
      min: each(this.extremes, at - observed),
      max: each(this.extremes, half + at - observed),
      last: each(this.rows, this.rows.length - this.width + at),
    };
  }

  /** The largest change of a quantity from its start over every step; for a vector, of any component. */
  deviation(name) {
    const {min, max} = this.extrema(name),
      start = this.series(name);
    return Math.max(
      ...[max]
        .flat()
        .map((high, i) =>
          Math.max(Math.abs(high - start[i]), Math.abs([min].flat()[i] - start[i])),
        ),
    );
  }
}

function refuseName(name, header) {
  throw new RangeError(
    `there is no series ${name}; there are ${Object.keys(header.series).join(", ")}`,
  );
}

/** Turn vectors v, or matrices A by rows, from the principal axes to the body's own: Q v and A Qᵀ. */
function turnBack(values, Q) {
  for (let i = 0; i < values.length; i += 3) {
    const [x, y, z] = values.subarray(i, i + 3);
    for (let k = 0; k < 3; k++) values[i + k] = Q[3 * k] * x + Q[3 * k + 1] * y + Q[3 * k + 2] * z;
  }
}

/** Runs in a worker, whose script is this file, or its text with its imports (`named` in `bundle_script`, app/asset_files.py). */
export class Background {
  #kernels = new Map(); // the numbers by which the worker knows kernels
  #answers = new Map(); // functions that take what it sends about a run
  constructor(worker) {
    this.worker = worker;
    worker.onmessage = ({data: {id, ...answer}}) => this.#answers.get(id)?.(answer);
    worker.onerror = event => {
      for (const act of this.#answers.values())
        act({error: event.message || "the worker could not be started"});
    };
  }

  /** A promise of a kernel's run; `progress` receives the number of steps done, and `signal` cancels the run. */
  run(kernel, options, {progress = () => {}, signal = null} = {}) {
    const id = Math.random(),
      modules = this.#kernels.has(kernel) ? null : kernel.modules;
    if (modules) this.#kernels.set(kernel, id);
    signal?.addEventListener("abort", () => this.worker.postMessage({id, cancel: true}));
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({error, done, run}) => {
        if (done !== undefined && !run) return progress(done);
        this.#answers.delete(id);
        if (error) reject(new Error(error));
        else resolve(new Run(kernel.header, run));
      });
      this.worker.postMessage({id, of: this.#kernels.get(kernel), modules, options});
    });
  }

  close() {
    this.worker.terminate();
  }
}

/** Answer the messages that a worker receives. */
function serve() {
  const kernels = new Map(), // promises of kernels that have ended their last runs
    cancelled = new Set();
  async function answer(kernel, id, options) {
    try {
      const run = (await kernel).start(options);
      while (!run.advance(SLICE)) {
        if (cancelled.delete(id)) run.cancel();
        postMessage({id, done: run.done});
        await new Promise(resolve => setTimeout(resolve));
      }
      const {record} = run.result();
      postMessage({id, run: record}, [record.rows.buffer]);
    } catch (error) {
      postMessage({id, error: String(error.message ?? error)});
    }
    return kernel;
  }
  onmessage = ({data: {id, of, modules, options, cancel}}) => {
    if (cancel) cancelled.add(id);
    else
      kernels.set(
        of,
        answer(modules ? Kernel.instantiate(...modules) : kernels.get(of), id, options),
      );
  };
}

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) serve();
