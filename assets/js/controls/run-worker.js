// A worker that computes the runs of a setting while the page answers its visitor (runner.js).

import {computeRuns, instantiate, packRuns} from "./compute-runs.js";

let kernels = null;

onmessage = async ({data: {modules, numbers}}) => {
  if (modules) kernels = instantiate(modules);
  else postMessage(packRuns(computeRuns(await kernels, numbers)));
};
