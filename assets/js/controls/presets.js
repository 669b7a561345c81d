// Presets: a button that opens a dialog with all of them in groups, with pictures and a search; see
// app/views/dialogs/preset_dialog.py. The server sends them when the dialog first opens.

import {create, createDrawing} from "../core/dom.js";
import {matchWords} from "../core/search.js";

/** A picture of strokes, each a colour and its lines; those without a colour are the ground. */
const drawPicture = ([width, height], strokes) =>
  createDrawing(
    width,
    height,
    ...strokes.map(([colour, d]) => ({
      d,
      stroke: colour || "currentColor",
      ...(!colour && {class: "ground"}),
    })),
  );

export function render({model}) {
  const button = create(
    "button",
    {type: "button", className: "opens", "aria-haspopup": "dialog"},
    "Presets",
  );
  const search = create("input", {
    type: "text",
    role: "searchbox",
    className: "search",
    autocomplete: "off",
    spellcheck: false,
    "aria-label": "Search presets",
    placeholder: "Search: racket, gyroscope, drift, energy, game …",
  });
  const status = create("p", {role: "status", className: "count"}),
    list = create("div", {className: "groups"});
  const close = create(
    "button",
    {
      type: "button",
      className: "close",
      "aria-label": "Close",
      title: "Close",
      onclick: () => dialog.close(),
    },
    "×",
  );
  const dialog = create(
    "dialog",
    {"aria-label": "Presets"},
    create("div", {className: "head"}, search, status, close),
    list,
  );
  let cards = [];

  const take = key => {
    dialog.close();
    model.send_msg({pick: key});
  };
  const createCard = ([key, title, words, sought, strokes], group) => {
    const texts = [
      create("b", {id: `title-${key}`}, title),
      ...(words ? [create("span", {id: `words-${key}`}, words)] : []),
    ];
    const element = create(
      "button",
      {
        type: "button",
        className: "preset",
        value: key,
        onclick: () => take(key),
        "aria-labelledby": `title-${key}`,
        ...(words && {"aria-describedby": `words-${key}`}),
      },
      ...(strokes.length ? [drawPicture(model.size, strokes)] : []),
      ...texts,
    );
    cards.push({element, text: `${title} ${words} ${sought} ${group}`});
    return element;
  };
  function fill() {
    cards = [];
    list.replaceChildren(
      ...model.groups.map(([group, presets]) =>
        create(
          "section",
          {"aria-label": group},
          create("h3", {}, group),
          create("div", {className: "cards"}, ...presets.map(preset => createCard(preset, group))),
        ),
      ),
    );
    filter();
  }
  function filter() {
    const matches = matchWords(search.value);
    let count = 0;
    for (const {element, text} of cards) count += !(element.hidden = !matches(text));
    for (const section of list.children)
      section.hidden = ![...section.querySelectorAll(".preset")].some(one => !one.hidden);
    status.textContent = !cards.length
      ? "One moment …"
      : count
        ? `${count} of ${cards.length}`
        : "No preset matches.";
  }
  const visibleCards = () => cards.map(({element}) => element).filter(element => !element.hidden);

  button.onclick = () => {
    if (!model.groups.length) model.send_msg({open: true});
    search.value = "";
    filter();
    dialog.showModal();
    list.scrollTop = 0;
    search.focus();
  };
  search.oninput = filter;
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  }); // on the backdrop
  dialog.addEventListener("keydown", event => {
    event.stopPropagation(); // neither a drawer around the dialog nor the page's shortcuts react
    const there = visibleCards(),
      at = there.indexOf(event.target),
      typing = event.target === search;
    const move = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    if (typing && event.key === "Enter") {
      event.preventDefault(); // or it would press the button that is focused next
      there[0]?.click();
      return;
    }
    if (!move || (typing && event.key !== "ArrowDown") || (!typing && at < 0)) return;
    event.preventDefault();
    (typing ? there[0] : (there[at + move] ?? search))?.focus();
  });
  model.on("groups", fill);
  filter();
  return create("div", {className: "html-block"}, button, dialog);
}

export default {render};
