// The functions that tests/drawing.py runs in Node.

import {writeAddress} from "../assets/js/demo/step-address.js";
import {timeStep} from "../assets/js/demo/timing.js";
import {findScale} from "../assets/js/controls/energy-scale.js";
import {render as renderLocalRuns} from "../assets/js/controls/local-runs.js";
import {
  describeRuns,
  fetchKernels,
  planDrag,
  runAtOnce,
} from "../assets/js/controls/compute-runs.js";
import {areMoments, computeQuaternions} from "../assets/js/core/algebra.js";
import {
  formatList,
  formatMeasured,
  formatNumber,
  formatPlain,
  formatShare,
  formatStep,
  formatValue,
  parseList,
  parseNames,
  parseStep,
} from "../assets/js/core/numbers.js";
import {chooseOpacity, drawPlot, listWords} from "../assets/js/core/plot.js";
import {chooseRows, findLimits, thin, toAxis} from "../assets/js/core/scales.js";
import {findTicks, formatExponentTick, formatLinearTick} from "../assets/js/core/ticks.js";
import {countSteps} from "../assets/js/core/engine.js";
import {colourText} from "../assets/js/core/figures.js";
import {page} from "../assets/js/core/page.js";
import {readRow} from "../assets/js/core/rows.js";
import {
  findPhaseLoss,
  findRoundoff,
  listFlips,
  maskUnknown,
  takeKnown,
} from "../assets/js/core/series.js";
import {measure} from "../assets/js/core/setting-runs.js";
import {findSpin, findTurn} from "../assets/js/core/starts.js";
import {describeScene} from "../assets/js/scene/motions.js";
import {findEntries} from "../assets/js/core/search.js";
import {sendInTurn} from "../assets/js/core/pacing.js";
import {readMotions} from "../assets/js/scene/packing.js";
import {dividePanes, findSeenPart, hides, spreadNames} from "../assets/js/scene/layout.js";
import {computeMomentumLoop, joinLoops, listOrbits} from "../assets/js/scene/polhode.js";
import {Track} from "../assets/js/scene/track.js";
import {meetSphere} from "../assets/js/scene/start-grip.js";
import {buildAxis} from "../assets/js/scene/axis-trace.js";
import {buildMomentum} from "../assets/js/scene/momentum-sphere.js";
import {
  BUILDERS,
  buildScene,
  measureCurve,
  stretchFactors,
} from "../assets/js/scene/build-scene.js";

Object.assign(BUILDERS, {axis: buildAxis, momentum: buildMomentum});
