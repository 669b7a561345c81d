// Settings to begin with: a button that opens them all, with pictures, in groups, and found by words; see
// app/views/presets.py. They come when they are first asked for.

import {made} from "./made.js";
import {finder} from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function picture([width, height], strokes) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.setAttribute("aria-hidden", "true");
  for (const [colour, lines] of strokes) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", lines);
    path.setAttribute("stroke", colour || "currentColor");
    if (!colour) path.classList.add("ground");
    drawing.append(path);
  }
  return drawing;
}

export function render({model}) {
  const button = made("button", {type: "button", className: "opens", "aria-haspopup": "dialog"}, "Presets");
  const search = made("input", {type: "text", role: "searchbox", className: "search", autocomplete: "off", spellcheck: false, "aria-label": "Search presets",
                                placeholder: "Search: racket, gyroscope, drift, energy, game …"});
  const count = made("p", {role: "status", className: "count"}), list = made("div", {className: "groups"});
  const close = made("button", {type: "button", className: "close", "aria-label": "Close", title: "Close", onclick: () => dialog.close()}, "×");
  const dialog = made("dialog", {"aria-label": "Presets"}, made("div", {className: "head"}, search, count, close), list);
  let cards = [];

  const take = key => { dialog.close(); model.send_msg({pick: key}); };
  const card = ([key, title, words, sought, strokes], i, group) => {
    const texts = [made("b", {id: `title-${key}`}, title), ...words ? [made("span", {id: `words-${key}`}, words)] : []];
    const element = made("button", {type: "button", className: "preset", value: key, onclick: () => take(key), "aria-labelledby": `title-${key}`,
                                    ...words && {"aria-describedby": `words-${key}`}},
      ...strokes.length ? [picture(model.size, strokes)] : [], ...texts);
    cards.push({element, text: `${title} ${words} ${sought} ${group}`});
    return element;
  };
  function fill() {
    cards = [];
    list.replaceChildren(...model.groups.map(([group, presets]) =>
      made("section", {"aria-label": group}, made("h3", {}, group), made("div", {className: "cards"}, ...presets.map((one, i) => card(one, i, group))))));
    filter();
  }
  function filter() {
    const finds = finder(search.value);
    let seen = 0;
    for (const {element, text} of cards) seen += !(element.hidden = !finds(text));
    for (const section of list.children) section.hidden = ![...section.querySelectorAll(".preset")].some(one => !one.hidden);
    count.textContent = !cards.length ? "One moment …" : seen ? `${seen} of ${cards.length}` : "Nothing is called that.";
  }
  const seen = () => cards.map(({element}) => element).filter(element => !element.hidden);

  button.onclick = () => {
    if (!model.groups.length) model.send_msg({open: true});
    search.value = "";
    filter();
    dialog.showModal();
    list.scrollTop = 0;
    search.focus();
  };
  search.oninput = filter;
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });  // beside it
  dialog.addEventListener("keydown", event => {
    event.stopPropagation();  // what is around it, as a drawer, and the page's keys have nothing to do with it
    const there = seen(), at = there.indexOf(event.target), typing = event.target === search;
    const move = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    if (typing && event.key === "Enter") {
      event.preventDefault();  // or it would press the button that has the focus then
      there[0]?.click();
      return;
    }
    if (!move || typing && event.key !== "ArrowDown" || !typing && at < 0) return;
    event.preventDefault();
    (typing ? there[0] : there[at + move] ?? search)?.focus();
  });
  model.on("groups", fill);
  filter();
  return made("div", {className: "sheet"}, button, dialog);
}

export default {render};
