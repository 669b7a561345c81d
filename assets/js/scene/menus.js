// The menus of a player: the motion that the solid body follows, the layers, and the shape of the body.

import {create} from "../core/dom.js";
import {clock} from "./clock.js";

const CHUNK = 1 << 20; // bytes of a file in one message
const LARGEST = 20; // chunks
const LAYOUTS = ["overlaid", "side-by-side"]; // words of links
let players = 0;

export const MENUS = `<div class="head">
  <fieldset class="chips"><legend>Motion that the solid body follows</legend></fieldset>
  <div class="choose"><button class="aside" type="button" aria-pressed="false" title="Show each motion's body in its own view" hidden>Side by side</button>
  <button class="turn" type="button" aria-pressed="false" hidden>Turn</button>
  <details class="more body" hidden><summary title="Shape of the body">Body</summary>
    <div class="html-block"><fieldset class="choices shapes"><legend>Shape of the body</legend></fieldset>
      <button class="file" type="button" title="A closed surface of at most 20 MB and 200 000 faces: STL, PLY or OBJ. Its inertia is then used.">Your own mesh …</button>
      <input class="picked" type="file" accept=".stl,.ply,.obj" aria-label="Your own mesh: STL, PLY or OBJ" hidden>
      <p class="status" role="status"></p><button class="file offer" type="button" hidden></button></div></details>
  <details class="more"><summary title="Layers">Show</summary>
    <div class="html-block"><fieldset class="choices layers"><legend>Layers</legend></fieldset></div></details></div>
</div>`;

function addChip(box, kind, name, text, {checked = false, colour, title, mark} = {}) {
  const input = create("input", {type: kind, name, checked}),
    chip = create("label", {className: "chip"}, input, create("i"), text);
  if (colour) chip.style.setProperty("--c", colour);
  if (title) chip.title = title;
  if (mark) {
    chip.append(create("em", {}, "✕"));
    input.ariaLabel = `${text}, ${title}`;
  }
  box.append(chip);
  return input;
}

const removeChips = box => box.querySelectorAll(".chip, b").forEach(chip => chip.remove());

/** Connect a player's menus; `ask` sends the shape of the body to the server, if there is one. */
export function connectMenus(root, part, view, ask) {
  const id = players++,
    menus = [...root.querySelectorAll(".more")];
  let listed = "";

  for (const menu of menus) {
    menu.addEventListener("keydown", event => {
      if (event.key === "Escape") {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    });
    menu.addEventListener("focusout", event => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
    });
  }
  part.stage.addEventListener("pointerdown", () => {
    for (const menu of menus) menu.open = false;
  });

  part.aside.onclick = () => {
    clock.setAside(!clock.aside);
    ask?.("layout", LAYOUTS[Number(clock.aside)]);
  };
  const say = text => {
    part.status.textContent = text;
  };
  part.offer.onclick = () => ask?.("offer", true);
  part.file.onclick = () => part.picked.click();
  part.picked.onchange = async () => {
    const [file] = part.picked.files;
    if (!file) return;
    part.picked.value = "";
    const parts = Math.max(1, Math.ceil(file.size / CHUNK));
    if (!/\.(stl|ply|obj)$/i.test(file.name))
      return say("The name of a mesh ends in .stl, .ply or .obj.");
    if (parts > LARGEST)
      return say(`A mesh may have at most ${LARGEST} MB; this file has ${parts} MB.`);
    for (let k = 0; k < parts; k++) {
      say(`Sending … ${Math.round((100 * k) / parts)} %`);
      ask?.("file", {
        name: file.name,
        part: k,
        parts,
        data: await file.slice(k * CHUNK, (k + 1) * CHUNK).arrayBuffer(),
      });
    }
    say("Reading …");
  };

  return {
    say,
    /** List the motions and layers of the view's scene. */
    update() {
      const {layers} = view.scene,
        tracks = view.tracks.filter((t, i, all) => all.findIndex(o => o.label === t.label) === i);
      const wanted = JSON.stringify([tracks.map(t => [t.label, t.colour, t.ended]), layers]);
      if (wanted !== listed) {
        listed = wanted;
        const focused = root.getRootNode().activeElement?.closest?.(".chip")?.textContent;
        [part.chips, part.layers].forEach(removeChips);
        let above = "";
        for (const {label, variant: [shared, own] = ["", label], colour, ended, exact} of tracks) {
          if (shared && shared !== above) part.chips.append(create("b", {}, shared));
          above = shared;
          const title =
            ended || (exact ? "The exact motion" : `Let the solid body follow ${label}`);
          addChip(part.chips, "radio", `motion-${id}`, own, {
            colour,
            title,
            mark: ended,
          }).onchange = () => clock.follow(label);
        }
        for (const {key, label} of layers)
          addChip(part.layers, "checkbox", "", label, {checked: !view.hidden.has(key)}).onchange =
            ({target}) => {
              view.hidden[target.checked ? "delete" : "add"](key);
              view.replan();
            };
        if (focused)
          [...root.querySelectorAll(".chip")]
            .find(chip => chip.textContent === focused)
            ?.querySelector("input")
            .focus();
      }
      part.aside.hidden = tracks.length < 2;
      part.aside.setAttribute("aria-pressed", clock.aside);
      part.chips.querySelectorAll("input").forEach((input, i) => {
        input.checked = tracks[i]?.label === view.solid?.label;
      });
    },
    listShapes(shapes) {
      part.body.hidden = !shapes?.length;
      removeChips(part.shapes);
      for (const [key, name] of shapes ?? []) {
        const input = addChip(part.shapes, "radio", `shape-${id}`, name);
        input.value = key;
        input.onchange = () => ask?.("body", key);
      }
    },
    /** Open the choice of a mesh file, once for each request of the page. */
    askFile(count) {
      if (count <= clock.asked) return;
      clock.asked = count;
      part.body.open = true;
      part.picked.click();
    },
    chooseLayout(word) {
      clock.setAside(word === LAYOUTS[1]);
    },
    chooseShape(key) {
      part.shapes.querySelectorAll("input").forEach(input => {
        input.checked = input.value === key;
      });
    },
    offer(text) {
      part.offer.hidden = !text;
      part.offer.textContent = text;
    },
  };
}
