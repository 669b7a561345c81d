// The functions that tests/drawing.py runs in Node.

import {areMoments, computeQuaternions} from "../assets/js/core/algebra.js";
import {formatMeasured, formatNumber, formatValue, parseList, parseNames, parseStep, readRow} from "../assets/js/core/numbers.js";
import {readMotions} from "../assets/js/scene/packing.js";
import {buildScene, measureCurve, stretchFactors} from "../assets/js/scene/scene.js";
