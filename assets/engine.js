// Runs the engine's kernels, in browsers and in Node, without a server: `engine/web.py` makes the modules, and their headers
// tell what stands where in memory. A run goes on for as long as it is let, so that a page stays alive; a long one goes
// to a worker.

const STACK = 1 << 16; // bytes, at the beginning of the memory
const PAGE = 1 << 16;
const FIRST = 256; // steps before the clock is first looked at
const SHORTEST = 0.5, LONGEST = 40; // milliseconds for which the kernel is left alone
const SLICE = 20; // milliseconds for which a worker does not look at its messages
const LIBRARY = {...Object.fromEntries(Object.getOwnPropertyNames(Math).map(name => [name, Math[name]])), fabs: Math.abs, fmod: (x, y) => x % y};

/** A method's kernel on a problem, ready to run. */
export class Kernel {
  /** Of a module {code, header}, and of the one that tells how a run begins, if other numbers than the header's are to begin it. */
  static async of({code, header}, beginning = null) {
    const memory = new WebAssembly.Memory({initial: 2});
    const stack = new WebAssembly.Global({value: "i32", mutable: true}, STACK);
    const env = {...LIBRARY, __linear_memory: memory, __stack_pointer: stack};
    const made = [code, beginning?.code].map(async bytes => bytes && (await WebAssembly.instantiate(bytes, {env})).instance.exports.run);
    const [run, begin] = await Promise.all(made);
    return new Kernel(header, memory, run, begin, beginning?.header.given ?? []);
  }

  constructor(header, memory, run, begin, given) {
    Object.assign(this, {header, memory, begin, given, at: {}});
    this.call = run;
    this.width = header.memory.last;
    let place = STACK / 8;
    for (const [part, length] of Object.entries({...header.memory, stop: 1, given: given.reduce((n, {value}) => n + value.length, 0)})) {
      this.at[part] = place;
      place += length;
    }
    this.at.rows = place;
  }

  /** The beginning of a run: of `given`, numbers by their names, what differs from the header's; what acts is that of a run with `of` as its Δt. */
  start({dt = this.header.dt, steps = this.header.steps, every = 1, given = {}, of = dt} = {}) {
    const {header, at} = this;
    const bytes = 8 * (at.rows + (Math.floor(steps / every) + 2) * this.width);
    if (bytes > this.memory.buffer.byteLength) this.memory.grow(Math.ceil((bytes - this.memory.buffer.byteLength) / PAGE));
    const numbers = new Float64Array(this.memory.buffer);
    numbers.fill(0, STACK / 8, at.rows + this.width);
    numbers.set(header.parameters, at.parameters);
    numbers.set(header.initial, at.state);
    numbers.fill(Infinity, at.extrema, at.extrema + header.memory.extrema / 2);
    numbers.fill(-Infinity, at.extrema + header.memory.extrema / 2, at.extrema + header.memory.extrema);
    if (this.begin && Object.keys(given).length) {
      for (const {name, at: place, value} of this.given) numbers.set(given[name] ?? value, at.given + place);
      this.begin(8 * at.given, of, 8 * at.parameters, 8 * at.state);
    }
    return new Running(this, dt, steps, every);
  }
}

/** A run that goes on when it is told to; there is one at a time of a kernel, in whose memory it is. */
export class Running {
  constructor(kernel, dt, steps, every) {
    Object.assign(this, {kernel, dt, steps, every, seconds: 0, block: FIRST});
    const {at, header} = kernel;
    this.numbers = new Float64Array(kernel.memory.buffer);
    this.ledger = new BigInt64Array(kernel.memory.buffer, 8 * at.ledger, header.memory.ledger);
    if (steps === 0) this.go(0);
  }

  /** What the ledger has under a name. */
  told(name) { return Number(this.ledger[this.kernel.header.ledger[name]]); }
  note(name, value) { this.ledger[this.kernel.header.ledger[name]] = BigInt(value); }

  get done() { return this.told("step"); }
  get ended() { return this.done >= this.steps || this.told("outcome") !== this.kernel.header.outcomes.running; }

  cancel() { if (!this.ended) this.note("outcome", this.kernel.header.outcomes.cancelled); }

  /** Go on for so many milliseconds, or a little longer; whether the run has ended. */
  advance(milliseconds = Infinity) {
    const begun = performance.now();
    let now = begun;
    do {
      if (this.ended) break;
      const before = this.done, n = Math.min(this.block, this.steps - before), left = Math.min(LONGEST, Math.max(SHORTEST, milliseconds - (now - begun)));
      this.go(n);
      if (this.told("outcome") > this.kernel.header.outcomes.cancelled) this.again(before);
      const spent = performance.now() - now;
      now += spent;
      this.block = Math.max(1, Math.floor(n * Math.min(8, left / Math.max(spent, 1e-3))));
    } while (now - begun < milliseconds);
    this.seconds += (now - begun) / 1000;
    return this.ended;
  }

  go(n) {
    const {kernel: {call, at}, dt, every} = this;
    call(8 * at.state, 8 * at.parameters, 8 * at.ledger, 8 * at.stop, 8 * at.rows, 8 * at.last, 8 * at.extrema, dt, BigInt(n), BigInt(every));
  }

  /** After a step that failed: from the state before its block to the last good step, without counting that twice. */
  again(before) {
    const counts = ["newton_iterations", "torque_evaluations", "uncorrected"];
    const good = this.done - before, kept = ["outcome", ...counts].map(name => [name, this.told(name)]);
    this.note("step", before);
    for (const name of ["outcome", "unsolved", "bad_torque"]) this.note(name, 0);
    if (good) this.go(good);
    for (const [name, value] of kept) this.note(name, value);
  }

  /** What there is of the run so far. */
  result() {
    const {kernel: {header, at, width}, numbers, dt, steps, every, done, seconds} = this;
    const kept = Math.floor(done / every) + 1, extra = done % every ? 1 : 0;
    const rows = numbers.slice(at.rows, at.rows + (kept + extra) * width);
    if (extra) rows.set(numbers.subarray(at.last, at.last + width), kept * width);
    const count = name => this.told(name);
    return new Run(header, {
      dt, steps, every, done, seconds, rows,
      seen: numbers.slice(at.extrema, at.extrema + header.memory.extrema),
      outcome: count("outcome"), newtonIterations: count("newton_iterations"), torqueEvaluations: count("torque_evaluations"),
    });
  }
}

/** What came of a run: the kept rows, the extremes of every step, and how it ended. */
export class Run {
  constructor(header, told) {
    Object.assign(this, {header}, told);
    this.told = told;
    this.width = header.memory.last;
    this.length = told.rows.length / this.width;
  }

  /** Of each row. */
  get t() { return Float64Array.from({length: this.length}, (_, i) => Math.min(i * this.every, this.done) * this.dt); }

  get status() { return this.header.states[this.outcome]; }

  get failedStep() { return this.outcome > this.header.outcomes.cancelled ? this.done + 1 : null; }

  /** How it ended, in a sentence; nothing if it came to its end. */
  get message() {
    const {header: {method, what}, done, dt} = this;
    const words = {method, what, steps: done, step: done + 1, t: short(done * dt), dt: short(dt)};
    return (this.header.endings[this.outcome] ?? "").replace(/\{(\w+)\}/g, (_, word) => words[word]);
  }

  /** A series by its name in Python: as many numbers for each row as it has components. */
  series(name) {
    const [at, size, squared] = this.header.series[name] ?? unknown(name, this.header);
    const out = new Float64Array(this.length * size);
    for (let row = 0, from = at, to = 0; row < this.length; row++, from += this.width - size)
      for (let i = 0; i < size; i++) out[to++] = squared ? Math.sqrt(this.rows[from++]) : this.rows[from++];
    if (name.startsWith("increment")) out[0] = NaN;
    const Q = this.header.axes[name];
    if (Q && Q.some((x, i) => x !== +(i % 4 === 0))) turnBack(out, Q);
    return out;
  }

  /** Least, largest and last value over every step, also those not kept; lists for a vector. */
  extrema(name) {
    const [at, size, squared] = this.header.series[name] ?? unknown(name, this.header), {observed} = this.header;
    const each = (values, from) => {
      const found = Array.from(values.subarray(from, from + size), x => (squared ? Math.sqrt(x) : x));
      return size === 1 ? found[0] : found;
    };
    const half = this.seen.length / 2;
    return {min: each(this.seen, at - observed), max: each(this.seen, half + at - observed), last: each(this.rows, this.rows.length - this.width + at)};
  }

  /** The largest change of a quantity from its start, over every step; of a vector that of any component. */
  deviation(name) {
    const {min, max} = this.extrema(name), start = this.series(name);
    return Math.max(...[max].flat().map((high, i) => Math.max(Math.abs(high - start[i]), Math.abs([min].flat()[i] - start[i]))));
  }
}

function unknown(name, header) {
  throw new RangeError(`there is no series ${name}; there are ${Object.keys(header.series).join(", ")}`);
}

/** Vectors, or matrices by rows, seen from the principal axes, as they are from the body's own: Q v, and A Qᵀ. */
function turnBack(values, Q) {
  for (let i = 0; i < values.length; i += 3) {
    const [x, y, z] = values.subarray(i, i + 3);
    for (let k = 0; k < 3; k++) values[i + k] = Q[3 * k] * x + Q[3 * k + 1] * y + Q[3 * k + 2] * z;
  }
}

/** A number without zeros that say nothing, as the engine's sentences have it: 0.5, 10⁹, 2.5·10⁻⁶. */
export function short(value, digits = 6) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const [mantissa, power] = value.toExponential(digits - 1).split("e").map(Number);
  if (value === 0 || (power >= -4 && power < Math.max(digits, 6))) return String(Number(value.toPrecision(digits)));
  const raised = "10" + String(power).replace(/[-\d]/g, c => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
  return mantissa === 1 ? raised : mantissa === -1 ? `-${raised}` : `${mantissa}·${raised}`;
}

/** Runs in a worker, whose script is the text of this file: a page stays alive however long they are. */
export class Background {
  constructor(source) {
    // No module: where a page has no origin, as in a file or a sandboxed frame, browsers take none for a worker.
    const url = URL.createObjectURL(new Blob([source.replace(/^export /gm, "")], {type: "text/javascript"}));
    this.worker = new Worker(url);
    this.asked = new Map();
    this.worker.onmessage = ({data: {id, ...told}}) => this.asked.get(id)?.(told);
    this.worker.onerror = event => { for (const answer of this.asked.values()) answer({error: event.message || "the worker could not be started"}); };
  }

  /** A promise of the run; `progress` is told the steps done, and `signal` cancels it. */
  run(modules, asked, {progress = () => {}, signal = null} = {}) {
    const id = Math.random();
    signal?.addEventListener("abort", () => this.worker.postMessage({id, cancel: true}));
    return new Promise((resolve, reject) => {
      this.asked.set(id, ({error, done, run}) => {
        if (done !== undefined && !run) return progress(done);
        this.asked.delete(id);
        if (error) reject(new Error(error));
        else resolve(new Run(modules[0].header, run));
      });
      this.worker.postMessage({id, modules, asked});
    });
  }

  close() { this.worker.terminate(); }
}

/** What the worker does. */
function serve() {
  const cancelled = new Set();
  onmessage = async ({data: {id, modules, asked, cancel}}) => {
    if (cancel) return void cancelled.add(id);
    try {
      const run = (await Kernel.of(...modules)).start(asked);
      while (!run.advance(SLICE)) {
        if (cancelled.delete(id)) run.cancel();
        postMessage({id, done: run.done});
        await new Promise(resolve => setTimeout(resolve));
      }
      const {told} = run.result();
      postMessage({id, run: told}, [told.rows.buffer]);
    } catch (error) {
      postMessage({id, error: String(error.message ?? error)});
    }
  };
}

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) serve();
