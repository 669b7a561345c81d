// Quantities of runs, which plots show: functions of a row, in a WebAssembly module that `quantities` in engine/export/webassembly.py
// builds. engine/quantities/evaluation.py describes the memory.

import {STACK, instantiateModule, reserve} from "./engine.js";

const TABLE = STACK / 8,
  SCALE = TABLE + 32,
  VALUES = SCALE + 3; // places in the memory; behind the values are the inputs
export const LEAST = 1e-9; // what is smaller at the start divides nothing

export class Quantities {
  static async instantiate({code, header}) {
    const memory = new WebAssembly.Memory({initial: 2});
    return new Quantities(header.quantities, memory, await instantiateModule(code, memory));
  }

  constructor(quantities, memory, call) {
    Object.assign(this, {quantities, memory, call});
  }

  /** The series that a quantity reads. */
  listSeries(key) {
    return this.quantities[key].reads.map(([name]) => name);
  }

  /** Whether a quantity is measured against the exact motion. */
  isCompared(key) {
    return this.quantities[key].reads.some(([, of]) => of === "exact");
  }

  /** The divisor of a quantity's relative values: the length of what it is relative to, at the start; 1 if that is nearly zero. */
  findDivisor(key, run) {
    const {divisor} = this.quantities[key],
      size = divisor ? Math.hypot(...readStart(run, divisor)) : 0;
    return size > LEAST ? size : 1;
  }

  /** The values of a quantity in the rows of a run that the exact motion `exactMotion` has too, if it is compared with that; settings are J, axes and dt. */
  evaluate(key, {run, exactMotion = null, relative = false, ...settings}) {
    const {formula, reads, factor = 1, limit = Infinity} = this.quantities[key],
      n = this.isCompared(key) ? Math.min(run.length, exactMotion.length) : run.length;
    const inputs = [],
      table = [VALUES, SCALE];
    let at = VALUES + n;
    for (const [name, of, component] of reads) {
      const source = of === "exact" ? exactMotion : run,
        size = source.header.series[name]?.[1] ?? 1;
      let values;
      if (of === "setting") {
        values = [settings[name]].flat();
        table.push(at + 3 * component, 0);
      } else if (of === "start") {
        values = readStart(run, name);
        table.push(at + component, 0);
      } else {
        values = (name === "t" ? source.t : source.series(name)).subarray(0, n * size);
        table.push(at + component, size);
      }
      inputs.push([values, at]);
      at += values.length;
    }
    reserve(this.memory, 8 * at);
    const numbers = new Float64Array(this.memory.buffer);
    new BigInt64Array(this.memory.buffer).set(table.map(BigInt), TABLE);
    numbers.set([factor, relative ? this.findDivisor(key, run) : 1, limit], SCALE);
    for (const input of inputs) numbers.set(...input);
    this.call(BigInt(formula), BigInt(n), 0, 8 * TABLE);
    return numbers.slice(VALUES, VALUES + n);
  }
}

/** A series in the first row of a run. */
const readStart = (run, name) => run.series(name).subarray(0, run.header.series[name][1]);
