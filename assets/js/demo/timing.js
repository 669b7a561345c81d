// The time that a step takes, by the browser's clock, which counts tenths of milliseconds.

const FEWEST = 1000; // steps
const ENOUGH = 0.01; // seconds: a hundred times what the clock counts
const TIMES = 3;

/**
 * Time runs that are long enough, between frames: the least nanoseconds a step. Null if the method ends before, or if
 * `isCurrent` returns false meanwhile.
 */
export async function timeStep(kernel, options, isCurrent) {
  let least = Infinity;
  for (let steps = FEWEST, count = 0; count < TIMES;) {
    const running = kernel.start({...options, steps, every: steps});
    running.advance();
    const {seconds, done} = running.result({copy: false});
    if (seconds >= ENOUGH) {
      least = Math.min(least, (1e9 * seconds) / done);
      count++;
    } else if (done < steps) return null;
    else steps *= 2;
    await new Promise(requestAnimationFrame);
    if (!isCurrent()) return null;
  }
  return least;
}
