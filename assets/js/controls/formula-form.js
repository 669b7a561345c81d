// The form of the page: the fields of form.js, and formulas, whose names complete while a person types; see app/views/controls/form.py.

import {create} from "../core/dom.js";
import {render as renderForm} from "./form.js";

const PAUSE = 400; // milliseconds without a key until a formula is checked
const HELP = "Names such as t, R and Omega complete as you type; ↓ lists all.";
const WORD = /[\p{L}_][\p{L}\p{N}_]*$/u,
  REST = /^[\p{L}\p{N}_]*/u;

export function render({model}) {
  return renderForm({model}, tools => ({formula: field => createFormula(field, model, tools)}));
}

function createFormula(field, model, {frame, send}) {
  const id = `names-${field.name}`;
  const options = create("div", {id, className: "options", role: "listbox", ariaLabel: "Names"}),
    meaning = create("p", {className: "meaning", role: "status"}),
    list = create("div", {className: "list names", hidden: true}, options),
    mirror = create("div", {className: "mirror field", "aria-hidden": "true"}),
    note = create("p", {className: "note"});
  const input = create("input", {
    className: "field",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-controls": id,
    "aria-expanded": "false",
  });
  const part = frame(field, input, mirror);
  const examples = (model.examples[field.name] ?? []).map(([words, formula], i) =>
    create("button", {
      textContent: words,
      title: formula,
      onclick: () => send("example", String(i)),
      onmousedown: event => event.preventDefault(), // or the field would send what is typed
    }),
  );
  part.box.append(create("div", {className: "below"}, list));
  if (examples.length)
    part.box.append(
      meaning,
      note,
      create("div", {className: "examples", role: "group", ariaLabel: "Examples"}, ...examples),
    );

  // ---- the names

  let shown = [],
    pointed = -1;

  const before = () => input.value.slice(0, input.selectionStart);
  const word = () => WORD.exec(before())?.[0] ?? "";

  /** What is at the caret: a name, or "[" within brackets. */
  function findPiece() {
    const text = before(),
      whole = word() + REST.exec(input.value.slice(text.length))[0];
    if (whole) return whole;
    return text.lastIndexOf("[") > text.lastIndexOf("]") ? "[" : "";
  }

  function explain() {
    const piece = findPiece() === "Ω" ? "Omega" : findPiece();
    const [name, words] = model.meanings.find(([name]) => name === piece) ?? [];
    const text = !words ? HELP : name === "[" ? words : `${name}: ${words}`;
    if (meaning.textContent !== text) meaning.textContent = text;
  }

  function fill(names) {
    shown = names;
    pointed = -1;
    options.replaceChildren(
      ...names.map(([name, words], i) =>
        create(
          "div",
          {
            id: `${id}-${i}`,
            className: "option",
            role: "option",
            ariaSelected: "false",
            onclick: () => take(i),
          },
          create("b", {textContent: name}),
          create("span", {textContent: words}),
        ),
      ),
    );
    list.hidden = !names.length;
    input.setAttribute("aria-expanded", `${!list.hidden}`);
    input.removeAttribute("aria-activedescendant");
    explain();
  }

  /** List the names that begin with the letters before the caret; all of them without letters. */
  function complete(all = false) {
    const letters = word().toLowerCase();
    const begins = ([name]) => name !== "[" && name.toLowerCase().startsWith(letters);
    const names = letters || all ? model.meanings.filter(begins) : [];
    fill(names.length === 1 && names[0][0].length === letters.length ? [] : names);
  }

  function point(i) {
    options.children[pointed]?.classList.remove("at");
    options.children[pointed]?.setAttribute("aria-selected", "false");
    pointed = (i + shown.length) % shown.length;
    const option = options.children[pointed];
    option.classList.add("at");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({block: "nearest"});
    input.setAttribute("aria-activedescendant", option.id);
  }

  /** Put a name in place of the letters before the caret, as if it were typed, so that undo works. */
  function take(i) {
    const [name, , opens] = shown[i],
      at = input.selectionStart;
    input.setSelectionRange(at - word().length, at);
    document.execCommand("insertText", false, name + (opens ? "(" : ""));
    fill([]);
  }

  input.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const open = shown.length > 0,
      moves = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (moves) {
      if (!open && moves > 0) complete(true);
      if (shown.length) point(pointed < 0 && moves < 0 ? -1 : pointed + moves);
    } else if (event.key === "Enter" && open && pointed >= 0) take(pointed);
    else if (event.key === "Escape" && open) fill([]);
    else {
      if (event.key === "Enter") fill([]);
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // a drawer around the form stays open
  });
  for (const kind of ["keyup", "click", "focus"]) input.addEventListener(kind, explain);
  input.addEventListener("blur", () => {
    fill([]);
    meaning.textContent = HELP;
  });
  list.addEventListener("mousedown", event => event.preventDefault()); // the field keeps the focus

  // ---- the place of an error

  let waiting = 0;

  function underline() {
    const [text, start, end] = model.places[field.name] ?? [];
    const pieces =
      text === input.value ? [text.slice(0, start), text.slice(start, end), text.slice(end)] : [];
    mirror.replaceChildren(...pieces.map((piece, i) => create(i === 1 ? "u" : "span", {}, piece)));
    mirror.scrollLeft = input.scrollLeft;
  }
  input.addEventListener("scroll", underline);
  input.addEventListener("input", () => {
    complete();
    underline();
    clearTimeout(waiting);
    waiting = setTimeout(
      () => model.send_msg({name: field.name, text: input.value, check: true}),
      PAUSE,
    );
  });
  input.addEventListener("change", () => clearTimeout(waiting));

  const {markError, show} = part;
  const describe = () => {
    note.textContent = model.notes[field.name] ?? "";
  };
  model.on("notes", describe);
  model.on("places", underline);
  part.markError = () => {
    markError();
    underline();
    describe();
  };
  part.show = () => {
    show();
    underline();
    if (meaning.textContent !== HELP) explain();
  };
  meaning.textContent = HELP;
  return part;
}

export default {render};
