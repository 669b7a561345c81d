// The menus of a player: the motion that the solid body follows, and the layers.

import {create} from "../core/dom.js";
import {clock} from "./clock.js";

const LAYOUTS = ["overlaid", "side-by-side"]; // words of links
let players = 0;

export const MENUS = `<div class="head">
  <fieldset class="chips"><legend>Motion that the solid body follows</legend></fieldset>
  <div class="choose"><button class="aside" type="button" aria-pressed="false" title="Show each motion's body in its own view" hidden>Side by side</button>
  <button class="turn" type="button" aria-pressed="false" hidden>Turn</button>
  <details class="more"><summary title="Layers">Show</summary>
    <div class="html-block"><fieldset class="choices layers"><legend>Layers</legend></fieldset></div></details></div>
</div>`;

export function addChip(box, kind, name, text, {checked = false, colour, title, mark} = {}) {
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

export const removeChips = box => box.querySelectorAll(".chip, b").forEach(chip => chip.remove());

/** Connect a player's menus; `ask` sends the layout to the server, if there is one. */
export function connectMenus(root, part, view, ask) {
  const id = players++;
  let listed = "";

  root.addEventListener("keydown", event => {
    const menu = event.target.closest(".more");
    if (!menu || event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  root.addEventListener("focusout", ({target, relatedTarget}) => {
    const menu = target.closest(".more");
    if (menu && relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
  part.stage.addEventListener("pointerdown", () => {
    for (const menu of root.querySelectorAll(".more")) menu.open = false;
  });

  part.aside.onclick = () => {
    clock.setAside(!clock.aside);
    ask?.("layout", LAYOUTS[Number(clock.aside)]);
  };
  return {
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
    chooseLayout(word) {
      clock.setAside(word === LAYOUTS[1]);
    },
  };
}
