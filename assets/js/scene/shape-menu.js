// The menu of a player for the shape of the body and for meshes, which the server reads.

import {create} from "../core/dom.js";
import {clock} from "./clock.js";
import {addChip, removeChips} from "./menus.js";

const CHUNK = 1 << 20; // bytes of a file in one message
const LARGEST = 20; // chunks
const MENU = `<summary title="Shape of the body">Body</summary>
  <div class="html-block"><fieldset class="choices shapes"><legend>Shape of the body</legend></fieldset>
    <button class="file" type="button" title="A closed surface of at most 20 MB and 200 000 faces: STL, PLY or OBJ. Its inertia is then used.">Your own mesh …</button>
    <input class="picked" type="file" accept=".stl,.ply,.obj" aria-label="Your own mesh: STL, PLY or OBJ" hidden>
    <p class="status" role="status"></p><button class="file offer" type="button" hidden></button></div>`;
let menus = 0;

/** Add the menu to a player; `ask` sends the shape or the mesh. Returns functions that take new values of the model's properties. */
export function addShapeMenu(host, ask) {
  const menu = create("details", {className: "more body", hidden: true, innerHTML: MENU}),
    [shapes, file, picked, status, offer] = menu.querySelectorAll(
      ".shapes, .file, .picked, .status, .offer",
    ),
    id = menus++;
  host.querySelector(".turn").after(menu);
  const say = text => {
    status.textContent = text;
  };
  offer.onclick = () => ask("offer", true);
  file.onclick = () => picked.click();
  picked.onchange = async () => {
    const [mesh] = picked.files;
    if (!mesh) return;
    picked.value = "";
    const parts = Math.max(1, Math.ceil(mesh.size / CHUNK));
    if (!/\.(stl|ply|obj)$/i.test(mesh.name))
      return say("The name of a mesh ends in .stl, .ply or .obj.");
    if (parts > LARGEST)
      return say(`A mesh may have at most ${LARGEST} MB; this file has ${parts} MB.`);
    for (let k = 0; k < parts; k++) {
      say(`Sending … ${Math.round((100 * k) / parts)} %`);
      ask("file", {
        name: mesh.name,
        part: k,
        parts,
        data: await mesh.slice(k * CHUNK, (k + 1) * CHUNK).arrayBuffer(),
      });
    }
    say("Reading …");
  };

  return {
    bodies(known) {
      menu.hidden = !known?.length;
      removeChips(shapes);
      for (const [key, name] of known ?? []) {
        const input = addChip(shapes, "radio", `shape-${id}`, name);
        input.value = key;
        input.onchange = () => ask("body", key);
      }
    },
    body(key) {
      shapes.querySelectorAll("input").forEach(input => {
        input.checked = input.value === key;
      });
    },
    /** Open the choice of a mesh file, once for each request of the page. */
    asked(count) {
      if (count <= clock.asked) return;
      clock.asked = count;
      menu.open = true;
      picked.click();
    },
    said: say,
    offer(text) {
      offer.hidden = !text;
      offer.textContent = text;
    },
  };
}
