// A field that opens a list to choose from: a combobox and its listbox, which is empty while it is closed; see
// app/views/controls/picker.py.

import {create, createDrawing} from "../core/dom.js";
import {page} from "../core/page.js";
import {findEntries} from "../core/search.js";

const WIDEST = 430,
  GAP = 8,
  LEAST = 220; // pixels
const PAUSE = 700,
  SOON = 50; // milliseconds within which letters form one word, and for which a person points to what is prepared

export function render({model}) {
  const box = document.createElement("div");
  const field = model.search
    ? "<input class='field' autocomplete='off' spellcheck='false'>"
    : "<div class='field' tabindex='0'></div>";
  box.className = "entry";
  box.innerHTML = `<fieldset role="presentation"><legend id="label"></legend>${field}<i class="arrow"></i></fieldset>
    <p id="about" class="about"></p>
    <div class="list" popover="manual"><div id="options" class="options" role="listbox" aria-labelledby="label"></div><p class="end" role="status"></p></div>`;
  const [label, at, about, list, options, end] = [
    "#label",
    ".field",
    "#about",
    ".list",
    "#options",
    ".end",
  ].map(q => box.querySelector(q));
  const roles = {
    role: "combobox",
    "aria-labelledby": "label",
    "aria-describedby": "about",
    "aria-haspopup": "listbox",
    "aria-controls": "options",
    "aria-expanded": "false",
    ...(model.search && {"aria-autocomplete": "list"}),
  };
  for (const [name, value] of Object.entries(roles)) at.setAttribute(name, value);

  let opened = null,
    shown = [],
    pointed = -1,
    word = "",
    typed = 0,
    waiting = 0; // `opened` removes the listeners of an open list
  const chooses = {Methods: "method", Problem: "problem"}[model.label]; // what the browser can show before the server
  const query = () => (model.search ? at.value.trim().toLowerCase() : "");

  const entries = () =>
    model.groups.flatMap(([group, all]) =>
      all.map(([key, title, words, picture, sought = ""]) => ({
        group,
        key,
        title,
        words,
        picture,
        sought,
      })),
    );

  function createOption(entry, i, grouped) {
    const {key, title, picture} = entry,
      own = ` · ${key}`,
      words = grouped ? entry.words : [entry.group, entry.words].filter(Boolean).join(" · ");
    const row = create("div", {
      id: `option-${i}`,
      class: "option",
      role: "option",
      "aria-labelledby": `title-${i}`,
      "aria-describedby": `words-${i}`,
      "aria-selected": `${key === model.value}`,
    });
    if (picture) row.append(createDrawing(24, 24, {d: picture}));
    const text = create("div"),
      name = create("div", {id: `title-${i}`});
    name.append(
      create("b", {}, title.replace(own, "")),
      ...(title.endsWith(own) ? [create("small", {}, own)] : []),
    );
    text.append(name, create("span", {id: `words-${i}`}, words));
    row.append(text);
    row.onclick = () => take(entry);
    row.onpointerenter = () => prepare(entry);
    return row;
  }

  function fill() {
    shown = findEntries(query(), entries());
    const grouped = !query(),
      groups = new Map();
    shown.forEach((entry, i) => {
      const group = grouped ? entry.group : "";
      if (!groups.has(group)) {
        const part = create("div", group ? {role: "group", "aria-label": group} : {});
        if (group) part.append(create("h4", {"aria-hidden": "true"}, group));
        groups.set(group, part);
      }
      groups.get(group).append(createOption(entry, i, grouped));
    });
    options.replaceChildren(...groups.values());
    end.textContent = shown.length
      ? model.about
      : `No ${model.label.toLowerCase().replace(/s$/, "")} matches “${at.value.trim()}”.`;
    if (!grouped) options.querySelector(".option")?.classList.add("first");
    point(model.search ? -1 : shown.findIndex(entry => entry.key === model.value));
  }

  /** Prepare for the choice of what a person points to. */
  function prepare(entry) {
    clearTimeout(waiting);
    if (chooses && entry && entry.key !== model.value)
      waiting = setTimeout(() => page.request("prepare choice", {[chooses]: entry.key}), SOON);
  }

  function point(i) {
    options.querySelector(".at")?.classList.remove("at");
    pointed = i;
    const row = options.querySelector(`#option-${i}`);
    row?.classList.add("at");
    row?.scrollIntoView({block: "nearest"});
    prepare(shown[query() ? Math.max(i, 0) : i]); // which Enter takes
    if (row) at.setAttribute("aria-activedescendant", row.id);
    else at.removeAttribute("aria-activedescendant");
  }

  /** Put the list below the field, or above it where there is more room. */
  function place() {
    const {left, right, top, bottom} = at.closest("fieldset").getBoundingClientRect();
    const width = Math.min(Math.max(right - left, WIDEST), innerWidth - 2 * GAP);
    const height = visualViewport?.height ?? innerHeight; // without a keyboard on the screen
    const below = height - bottom - GAP,
      above = top - GAP,
      up = below < LEAST && above > below;
    Object.assign(list.style, {
      inset: "auto",
      left: `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`,
      width: `${width}px`,
      boxSizing: "border-box",
      ...(up ? {bottom: `${innerHeight - top + 3}px`} : {top: `${bottom + 3}px`}),
      maxHeight: `${(up ? above : below) - 3}px`,
    });
  }

  function show() {
    if (opened) return;
    opened = new AbortController();
    place();
    list.showPopover();
    fill();
    at.setAttribute("aria-expanded", "true");
    const listen = (target, kind, act) =>
      target?.addEventListener(kind, act, {capture: true, passive: true, signal: opened.signal});
    listen(document, "pointerdown", event => {
      if (![list, at].some(part => event.composedPath().includes(part))) close();
    });
    listen(window, "resize", place);
    listen(visualViewport, "resize", place);
    // Each root hears of what is scrolled within it only.
    for (let root = box.getRootNode(); root; root = root.host?.getRootNode())
      listen(root, "scroll", event => {
        if (!list.contains(event.target)) place();
      });
  }

  function close() {
    if (!opened) return;
    opened.abort();
    opened = null;
    clearTimeout(waiting);
    list.hidePopover();
    options.replaceChildren();
    at.setAttribute("aria-expanded", "false");
    at.removeAttribute("aria-activedescendant");
  }

  function take(entry) {
    if (!entry) return;
    close();
    if (model.search) at.value = "";
    const send = () => model.send_msg({pick: entry.key});
    if (entry.key === model.value) return;
    if (!chooses || !page.request("choose", {[chooses]: entry.key, send})) send();
    else if (!model.search) at.textContent = entry.title;
  }

  function move(by) {
    if (!opened) return show();
    if (shown.length)
      point(
        pointed < 0
          ? by > 0
            ? 0
            : shown.length - 1
          : Math.max(0, Math.min(shown.length - 1, pointed + by)),
      );
  }

  /** Without a search, go to the next entry that begins with the letters typed. */
  function spell(letter) {
    const now = performance.now();
    word = now - typed > PAUSE ? letter : word + letter;
    typed = now;
    show();
    const from = word.length > 1 ? Math.max(pointed, 0) : pointed + 1;
    const next = [...shown.keys()]
      .map(i => (i + from) % shown.length)
      .find(i => shown[i].title.toLowerCase().startsWith(word.toLowerCase()));
    if (next !== undefined) point(next);
  }

  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(8),
    PageUp: () => move(-8),
    Enter: () => {
      if (opened) take(shown[query() ? Math.max(pointed, 0) : pointed]);
      else show();
    },
    Escape: () => {
      if (opened) close();
      else at.value = "";
    },
    ...(!model.search && {
      Home: () => point(0),
      End: () => point(shown.length - 1),
      " ": () => keys.Enter(),
    }),
  };
  at.addEventListener("keydown", event => {
    const {key} = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (key === "Tab") return close(); // before the focus moves, or it would move into the list
    const spelling = opened && performance.now() - typed < PAUSE;
    const letter = !model.search && (/^[\p{L}\p{N}]$/u.test(key) || (key === " " && spelling));
    const idle = !opened && (key === "Home" || key === "End" || (key === "Escape" && !at.value));
    if ((!keys[key] && !letter) || idle) return;
    event.preventDefault();
    event.stopPropagation(); // a drawer around the list stays open
    if (letter) spell(key);
    else if (!event.repeat || key.startsWith("Arrow") || key.startsWith("Page")) keys[key]();
  });
  at.addEventListener("input", () => {
    if (opened) fill();
    else show();
  });
  at.addEventListener("click", () => {
    if (opened && !model.search) close();
    else show();
  });
  at.addEventListener("blur", close);
  label.addEventListener("click", () => {
    at.focus();
    show();
  });
  list.addEventListener("mousedown", event => event.preventDefault()); // the field keeps the focus

  function showValue() {
    label.textContent = model.label;
    if (model.search) at.placeholder = model.placeholder;
    else at.textContent = entries().find(entry => entry.key === model.value)?.title ?? "";
  }
  function describe() {
    box.classList.toggle("wrong", !!model.wrong);
    about.textContent = model.wrong || model.about;
    at.setAttribute("aria-invalid", `${!!model.wrong}`);
    if (model.wrong) about.setAttribute("role", "alert");
    else about.removeAttribute("role");
    if (!model.wrong) return;
    showValue();
    page.request("forget drag");
  }
  for (const what of ["label", "value", "groups", "placeholder"]) model.on(what, showValue);
  for (const what of ["about", "wrong"]) model.on(what, describe);
  model.on("remove", close);
  showValue();
  describe();
  return box;
}

export default {render};
