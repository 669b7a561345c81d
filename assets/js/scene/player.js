// The 3D player as a component of the page (app/scene/player.py).

import {buildAxis} from "./axis-trace.js";
import {BUILDERS} from "./build-scene.js";
import {clock} from "./clock.js";
import {buildMomentum} from "./momentum-sphere.js";
import {describeScene} from "./motions.js";
import {FEEDS, mount} from "./mount.js";
import {readFacts} from "./packing.js";
import {addShapeMenu} from "./shape-menu.js";
import {create} from "../core/dom.js";
import {page} from "../core/page.js";

Object.assign(BUILDERS, {axis: buildAxis, momentum: buildMomentum}); // which demos do not show

export function render({model}) {
  const host = create("div");
  host.style.cssText = "width:100%;height:100%";
  const ask = (name, value) => {
    if (name === "file" || name === "turn") model.send_msg(value);
    else if (name === "offer") model.send_msg({offer: value});
    else model[name] = value;
  };
  const feed = mount(host, {label: model.label, words: Object.fromEntries(model.words), ask}),
    menu = feed.view ? addShapeMenu(host, ask) : {};
  if (model.solid) clock.follow(model.solid);
  const takers = {...Object.fromEntries(FEEDS.map(name => [name, feed[name]])), ...menu};
  for (const [name, take] of Object.entries(takers)) {
    take(model[name]);
    model.on(name, () => take(model[name]));
  }
  feed.camera(model.camera); // as it was left, if another picture has been seen since
  model.on("msg:custom", () => feed.receive());
  model.on("label", () => feed.label(model.label));
  model.on("bodies", () => menu.body?.(model.body));
  model.on("solid", () => clock.follow(model.solid));
  const leaving = new AbortController();
  if (model.throwable && feed.view)
    import("./throw-body.js").then(({catchThrows}) =>
      catchThrows(feed.view, thrown => model.send_msg({thrown}), leaving.signal),
    );
  let other = null; // the scene of a chosen problem, while its meshes are in place of the server's
  /** Show the meshes of a chosen problem, or the server's. */
  function showMeshes(scene) {
    if (scene === other) return;
    other = scene;
    feed.shapes((scene ?? model).shapes);
  }
  page.offer(
    "show runs",
    shown => {
      const facts = readFacts(model.scene),
        scene = shown.view?.scene;
      if (scene) showMeshes(scene);
      if (facts)
        feed.scene(
          describeScene(
            scene ? {...scene.facts, kind: facts.kind, relative: facts.relative} : facts,
            shown.motions,
            shown,
          ),
        );
    },
    leaving.signal,
  );
  page.offer(
    "restore runs",
    () => {
      showMeshes(null);
      feed.scene(model.scene);
    },
    leaving.signal,
  );
  model.on("shapes", () => {
    other = null;
  });
  model.on("scene", () => showMeshes(null)); // an earlier answer may have come, with the meshes of the problem before
  model.on("remove", () => {
    leaving.abort();
    feed.dispose();
  });
  return host;
}

export default {render};
