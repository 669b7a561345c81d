// The scenes of a demo, built from its runs; a curve where the browser has no WebGL.

import {create} from "../core/dom.js";
import {decodeBytes} from "../core/files.js";
import {Plot} from "../core/plot.js";
import {describeScene} from "../scene/motions.js";
import {mount} from "../scene/mount.js";
import {data, isPair} from "./data.js";

/** Add the demo's scenes to an element; `style` is the player's. Returns {part, frame, draw} of each. */
export async function createScenes(element, style) {
  const bytes = await decodeBytes(data.scenes[0].shapes); // of all scenes
  return data.scenes.map(({label, facts}) => {
    const host = create("div", {className: "player"}),
      root = host.attachShadow({mode: "open"}),
      box = create("div");
    const frame = create("section", {ariaLabel: label}, create("h2", {textContent: label}), host),
      part = facts.kind === "pair" ? "space" : facts.kind;
    element.append(frame);
    box.style.height = "100%";
    root.append(create("style", {textContent: style}), box);
    if (create("canvas").getContext("webgl2")) {
      const player = mount(box, {
        shapes: bytes,
        label,
        words: data.means,
      });
      return {
        part,
        frame,
        draw: results => player.scene(describeScene(facts, results.motions, results)),
      };
    }
    frame.append(
      create("p", {
        className: "without",
        textContent:
          "The height of the body's third axis, e₃·Re₃: this browser cannot draw in space (WebGL 2).",
      }),
    );
    const plot = new Plot(box, {label: `${label}, as a curve`});
    return {
      part,
      frame,
      draw: ({motions, duration}) =>
        plot.show({
          curves: motions.map(({label, colour, run}) => ({
            label,
            colour,
            t: run.t,
            y: run.series(isPair ? "R1" : "R").filter((_, k) => k % 9 === 8),
          })),
          log: false,
          end: duration,
        }),
    };
  });
}
