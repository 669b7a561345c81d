// The scene of the paths of a body's axis, enlarged if they are near each other; of facts with the kind "axis" (build-scene.js).

import {IDENTITY, combine, rotateUpright} from "../core/algebra.js";
import {formatNumber} from "../core/numbers.js";
import {quantile} from "../core/series.js";
import {
  GLASS,
  INK,
  MOST_OF,
  arrow,
  chooseAxis,
  curves,
  describeExact,
  dots,
  layers,
  listTips,
  mesh,
} from "./build-scene.js";

const NEAR = 0.3, // distance from their mean from which on paths are drawn in their size
  LEAST_OFF = 1e-3; // and that below which they are not enlarged more

/** The paths of a body's axis on the sphere, enlarged about its mean where they are near it. */
export function buildAxis(facts, tracks) {
  const {axis, name} = chooseAxis(facts),
    tips = tracks.flatMap(track => listTips(track, axis)),
    mean = combine(...tips.map(tip => [1, tip])),
    size = Math.hypot(...mean),
    middle = size > 0 ? mean.map(x => x / size) : axis,
    off = tips.map(tip => Math.hypot(...tip.map((x, i) => x - middle[i]))),
    far = quantile(Float64Array.from(off), MOST_OF),
    enlarged = far < NEAR ? 0.8 / Math.max(far, LEAST_OFF) : 1;
  const near = enlarged > 1,
    about = near ? middle : undefined;
  return {
    up: near ? rotateUpright(middle) : IDENTITY,
    target: [0, 0, 0],
    reach: near ? 1.05 : 0.97,
    view: near ? [-0.9, 1.2] : [-0.9, 0.42],
    layers: layers({trace: `Trace of ${name}`, points: "Points of methods"}),
    parts: [
      near
        ? mesh("disc", INK, {
            frame: "up",
            size: 1,
            at: 0,
            opacity: 0.05,
            glass: true,
            edges: 0.2,
          })
        : mesh("sphere", GLASS, {frame: "space", opacity: 0.09, glass: true, edges: 0.16}),
      ...curves(tracks, "axis", enlarged, "space", {axis, about, layer: "trace"}),
      ...dots(tracks, "axis", enlarged, "space", {axis, about, layer: "points", width: 5}),
      ...(near
        ? []
        : [
            arrow("solid", name, {
              means: "axis of the body",
              curve: "axis",
              axis,
              scale: 1,
              when: "solid",
              layer: "trace",
            }),
          ]),
    ],
    caption:
      `The path of the body's axis ${name} on the unit sphere${near ? `, enlarged ${formatNumber(enlarged, 2)} times about its middle` : ""}.` +
      ` Dots show each method after its updates.${describeExact(tracks)}`,
  };
}
