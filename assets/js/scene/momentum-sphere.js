// The scene of the momentum sphere; of facts with the kind "momentum" (build-scene.js).

import {IDENTITY, apply, momentsAbout, transpose} from "../core/algebra.js";
import {
  INK,
  MOMENTUM,
  ORBIT,
  arrow,
  curves,
  dots,
  findLargest,
  layers,
  mesh,
  triad,
} from "./build-scene.js";
import {computeMomentumLoop, joinLoops, listOrbits} from "./polhode.js";

const SEPARATRIX = "#8457c9";

/** Π in the body, on a sphere with the orbits that a free body can have there. Its frame is that of the principal axes. */
export function buildMomentum(facts, tracks, motions) {
  const {J, axes = IDENTITY, Omega0, free} = facts,
    moments = momentsAbout(axes, J),
    Q = transpose(axes),
    Π = apply(Q, apply(J, Omega0));
  const size = (free ? Math.hypot(...Π) : findLargest(facts, motions)[1]) || 1,
    start = Π.map(x => x / size),
    {orbits, separatrix} = listOrbits(moments);
  const line = (points, more) => ({kind: "line", points, frame: "up", ...more}),
    isTop = separatrix.length === 0;
  return {
    up: Q,
    start,
    body: {axes, moments, Pi0: Π},
    target: [0, 0, 0],
    reach: 1.28,
    view: [-0.9, 0.42],
    layers: layers({orbits: "Other orbits", points: "Points of methods", axes: "Principal axes"}),
    parts: [
      mesh("sphere", "#9fb4d6", {frame: "up", opacity: 0.6, core: true}),
      line(joinLoops(orbits), {
        pairs: true,
        colour: INK,
        width: 1.1,
        strength: 0.36,
        layer: "orbits",
      }),
      line(joinLoops(separatrix), {pairs: true, colour: SEPARATRIX, width: 2.4, layer: "orbits"}),
      ...(free
        ? [
            line(new Float32Array(computeMomentumLoop(moments, start).flat()), {
              key: ORBIT,
              colour: INK,
              width: 3.4,
              strength: 0.85,
            }),
          ]
        : []),
      ...curves(tracks, "Pi", 1 / size, "space", {width: 1.4, layer: "points"}).filter(
        ({of}) => !free || !tracks[of].exact,
      ),
      ...dots(tracks, "Pi", 1 / size, "space", {layer: "points"}),
      ...triad(1.22, {frame: "up", layer: "axes"}),
      arrow(MOMENTUM, "Π", {
        means: "body momentum",
        curve: "Pi",
        scale: 1 / size,
        when: "solid",
      }),
    ],
    caption:
      `The sphere shows the momentum Π in the body. Thin curves have equal energy${free ? ", and the thick one has that of this start" : " if no torque acts"}.` +
      `${isTop ? "" : " The violet separatrix divides spins about the axes of least and of greatest inertia."} Dots show each method. Drag the ring to change the start.`,
  };
}
