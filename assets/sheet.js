// HTML with controls that copy, save, or ask the server for something; see app/views/sheet.py.

import {showMeanings} from "./terms.js";

const SOON = 150;  // milliseconds

export function render({ model }) {
  showMeanings();
  const box = document.createElement("div"), said = document.createElement("div");
  box.className = "sheet";
  said.className = "unseen";
  said.setAttribute("role", "status");
  const content = document.createElement("div");
  box.append(content, said);
  const root = () => box.getRootNode();

  const asked = new Set();  // buttons whose answer has not come
  function answered() {
    for (const button of asked) button.disabled = false;
    asked.clear();
  }

  // To ask for it only when new HTML comes would have the browser lay out the page twice.
  const scrolled = new Map();
  content.addEventListener("scroll", ({ target }) => {
    if (target.id) scrolled.set(target.id, [target.scrollLeft, target.scrollTop]);
  }, { capture: true, passive: true });

  function show() {
    answered();
    const before = [...content.querySelectorAll("[id]")].map(e => [e.id, e.open]);
    const focused = content.contains(root().activeElement) ? root().activeElement.id : "";
    const next = document.createElement("template");
    next.innerHTML = model.html;
    renew(content, next.content);
    const find = id => content.querySelector("#" + CSS.escape(id));
    for (const [id, open] of before) {
      const now = open && find(id);
      if (now) now.open = true;
    }
    for (const [id, [left, top]] of scrolled) find(id)?.scrollTo(left, top);
    if (focused) content.querySelector("#" + CSS.escape(focused))?.focus({ preventScroll: true });
    content.querySelector("[autofocus]")?.focus();
  }

  function say(text, button) {
    said.textContent = text;
    if (!button || button.dataset.label) return;
    button.dataset.label = button.textContent;
    button.style.minWidth = button.offsetWidth + "px";
    button.textContent = text;
    setTimeout(() => { button.textContent = button.dataset.label; delete button.dataset.label; }, 1400);
  }

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);  // only where the page comes by https or from this machine
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      box.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    say("Copied", button);
  }

  function save(content, name, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  box.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    const { copy: copied, save: saved, ask, file, absolute, does } = button.dataset;
    if (does) document.dispatchEvent(new CustomEvent("polhode:do", { detail: does }));
    const before = absolute === undefined ? "" : location.origin + location.pathname;
    if (copied) copy(before + model.texts[copied], button);
    if (saved) { save(model.texts[saved], file, "text/plain;charset=utf-8"); say("Saved", button); }
    if (ask && !asked.has(button)) {
      asked.add(button);
      model.send_msg({ ask, value: button.value });
      // Most answers come sooner than it could be seen, and its frame would hold them up.
      setTimeout(() => { button.disabled = asked.has(button); }, SOON);
    }
  });
  // The focus stays in a list's field, to go on with. An entry is left, since it takes what is typed when it is left.
  box.addEventListener("mousedown", event => {
    if (event.target.closest("button[data-ask]") && inFocus()?.matches("[role=combobox]")) event.preventDefault();
  });
  box.addEventListener("change", event => {
    if (event.target.type === "radio") model.send_msg({ ask: event.target.name, value: event.target.value });
  });
  let left = null;  // what had the focus before a popover took it, and has it again when that closes
  box.addEventListener("beforetoggle", ({ target, newState }) => {
    if (newState === "open") left = inFocus();
    else if (target.contains(root().activeElement)) left?.focus();
  }, true);
  box.addEventListener("toggle", event => {  // a popover opens below its button, within the window
    if (!event.target.popover || event.newState !== "open" || event.target.role === "dialog") return;
    const at = content.querySelector(`[popovertarget="${event.target.id}"]`).getBoundingClientRect();
    const room = document.documentElement.clientWidth - event.target.offsetWidth - 8;
    const x = Math.max(8, Math.min(at.left, room));
    Object.assign(event.target.style, { top: `${at.bottom + 6}px`, left: `${x}px` });
    event.target.querySelector("button")?.focus();
  }, true);
  const MOVES = { ArrowDown: i => i + 1, ArrowUp: i => i - 1, Home: () => 0, End: () => -1 };
  box.addEventListener("keydown", event => {
    const menu = event.target.closest("[popover].menu"), opens = event.target.closest("[popovertarget][aria-haspopup=menu]");
    if (opens && event.key === "ArrowDown") { event.preventDefault(); return opens.click(); }
    const items = menu ? [...menu.querySelectorAll("button")] : [], move = MOVES[event.key];
    if (!move || !items.length) return;
    event.preventDefault();
    items.at(move(items.indexOf(event.target)) % items.length).focus();
  });
  model.on("html", show);
  model.on("msg:custom", message => {
    answered();
    if (message.toggle) return content.querySelector("#" + CSS.escape(message.toggle))?.togglePopover();
    if (message.say === undefined && !message.save) return;
    const place = content.querySelector("[data-said]");
    if (place) place.textContent = message.say ?? "";
    said.textContent = message.say ?? "Saved";
    if (message.type === "image/png") pixels(message.text).then(blob => save(blob, message.save, message.type));
    else if (message.save) save(message.bytes ?? message.text, message.save, message.type);
  });
  show();
  return box;
}

/** What has the focus, also within shadow roots. */
function inFocus() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Give an element the content of another; what is alike in both stays, so that only the rest is laid out anew. */
function renew(element, next) {
  const there = [...element.childNodes], wanted = [...next.childNodes];
  if (there.length !== wanted.length) return element.replaceChildren(...wanted);
  there.forEach((old, i) => {
    if (old.isEqualNode(wanted[i])) return;
    if (old.cloneNode().isEqualNode(wanted[i].cloneNode())) renew(old, wanted[i]);
    else old.replaceWith(wanted[i]);
  });
}

/** A drawing's pixels, two for each of its own. Scripts of components cannot import: plothead.js has it as well. */
async function pixels(drawing) {
  const address = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = address;
  await image.decode().finally(() => URL.revokeObjectURL(address));
  Object.assign(canvas, { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise(resolve => canvas.toBlob(resolve, "image/png"));
}
