// A text whose numbers drag Δt, and whose words light up what they name; see app/views/dialogs/html_block.py.

import {render as renderBlock} from "./html-block.js";
import {watchHandles} from "./prose.js";

export function render({model}) {
  const box = renderBlock({model}),
    leaving = new AbortController(),
    update = watchHandles(box, leaving.signal);
  model.on("html", update);
  model.on("remove", () => leaving.abort());
  update();
  return box;
}

export default {render};
