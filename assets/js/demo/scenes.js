// The scenes of a demo, built from its runs; a curve where the browser has no WebGL.

import {inertiaMatrix} from "../core/algebra.js";
import {create} from "../core/dom.js";
import {decodeBytes} from "../core/files.js";
import {Plot} from "../core/plot.js";
import {createMotion} from "../scene/motions.js";
import {mount} from "../scene/mount.js";
import {choice} from "./choice.js";
import {data, isOneBody} from "./data.js";

/** Add the demo's scenes to an element; `style` is the player's. Returns {part, frame, draw} of each. */
export function createScenes(element, style) {
  return data.scenes.map(({label, facts, shapes}) => {
    const host = create("div", {className: "player"}), root = host.attachShadow({mode: "open"}), box = create("div");
    const frame = create("section", {ariaLabel: label}, create("h2", {textContent: label}), host), part = facts.kind === "pair" ? "space" : facts.kind;
    element.append(frame);
    box.style.height = "100%";
    root.append(create("style", {textContent: style}), box);
    if (create("canvas").getContext("webgl2")) {
      const player = mount(box, {shapes: decodeBytes(shapes || data.scenes[0].shapes), label, words: data.means});
      return {part, frame, draw: (runs, truth) => player.scene(isOneBody ? describeOneBody(facts, runs, truth) : describeTwoBodies(facts, runs))};
    }
    frame.append(create("p", {className: "without", textContent: "The height of the body's third axis, e₃·Re₃: this browser cannot draw in space (WebGL 2)."}));
    const plot = new Plot(box, {label: `${label}, as a curve`});
    return {part, frame, draw: (runs, truth) => plot.show({
      curves: listMotions(runs, truth).map(({label, colour, run}) => ({label, colour, t: run.t, y: run.series(isOneBody ? "R" : "R1").filter((_, k) => k % 9 === 8)})),
      log: false, end: choice.state.duration,
    })};
  });
}

const listMotions = (runs, truth) =>
  [...runs.map(({label, colour, run}) => ({label, colour, run})), ...(truth && isOneBody ? [{label: "exact", colour: data.reference.colour, run: truth.run, exact: true}] : [])];

/** Facts and motions of one body. The meshes are those of the file; the scene stretches them to the chosen inertia. */
function describeOneBody(facts, runs, truth) {
  const {duration, given} = choice.state, motions = listMotions(runs, truth).map(({run, ...more}) => createMotion(run, "R", "Omega", more)), first = (runs[0] ?? truth)?.run;
  const initial = first && {
    J: inertiaMatrix(first.header.axes.R, given.J), R0: [...first.series("R").subarray(0, 9)], Omega0: [...first.series("Omega").subarray(0, 3)],
  };
  return {facts: {...facts, duration, ...initial}, motions};
}

/** Facts and motions of two bodies, about their centre of mass. */
function describeTwoBodies(facts, runs) {
  const {masses: [m1, m2], J1, J2} = facts;
  const motions = runs.flatMap(({run, label, colour}) => {
    const x1 = run.series("x1"), x2 = run.series("x2"), centre = x1.map((x, i) => (m1 * x + m2 * x2[i]) / (m1 + m2));
    return [
      createMotion(run, "R1", "Omega1", {label, colour, J: J1, x: x1.map((x, i) => x - centre[i])}),
      createMotion(run, "R2", "Omega2", {label, colour, J: J2, x: x2.map((x, i) => x - centre[i])}),
    ];
  });
  return {facts: {...facts, duration: choice.state.duration, reach: measureReach(motions, facts)}, motions};
}

/** The distance from the middle that bodies reach if they stay near; rounded, so that it seldom changes. */
function measureReach(motions, facts) {
  const far = Math.max(0, ...motions.filter(({ended}) => ended === "done").map(({x}) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));
  return far ? Math.min(4 * facts.reach, 1.25 ** Math.ceil(Math.log(1.1 * far) / Math.log(1.25))) : facts.reach;
}
