// Runs kernels in Node: a question a line, in JSON, and an answer a line.
import {createInterface} from "node:readline";
const {Kernel} = await import(process.argv[2]),
  {formatNumber} = await import(new URL("numbers.js", process.argv[2]));

const module = ({code, header}) => ({code: Buffer.from(code, "base64"), header});

async function answer({
  modules,
  asked = {},
  series = [],
  extrema = [],
  slices = null,
  cancelAfter = null,
  timed = 0,
  numbers = null,
}) {
  if (numbers) return numbers.map(x => formatNumber(x));
  const kernel = await Kernel.instantiate(...modules.map(module));
  let run = kernel.start(asked);
  if (cancelAfter !== null) while (run.done < cancelAfter && !run.advance(0)); // as a page does that stays alive
  if (cancelAfter !== null) run.cancel();
  if (slices) {
    let n = 0;
    while (!run.advance(slices)) n++;
  }
  run.advance();
  const found = run.result();
  let best = Infinity;
  for (let i = 0; i < timed; i++) {
    run = kernel.start(asked);
    const begun = performance.now();
    run.advance();
    best = Math.min(best, performance.now() - begun);
  }
  const {status, message, failedStep, done, newtonIterations, torqueEvaluations} = found;
  return {
    status,
    message,
    failedStep,
    done,
    newtonIterations,
    torqueEvaluations,
    ...(timed ? {best} : {}),
    t: [...found.t],
    series: Object.fromEntries(
      series.map(name => [
        name,
        Array.from(found.series(name), x => (Number.isFinite(x) ? x : String(x))),
      ]),
    ),
    extrema: Object.fromEntries(
      extrema.map(name => [name, {...found.extrema(name), deviation: found.deviation(name)}]),
    ),
  };
}

for await (const line of createInterface({input: process.stdin})) {
  let answered;
  try {
    answered = await answer(JSON.parse(line));
  } catch (error) {
    answered = {error: String(error.stack ?? error)};
  }
  process.stdout.write(JSON.stringify(answered) + "\n");
}
