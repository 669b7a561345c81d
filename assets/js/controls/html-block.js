// HTML with controls that copy, save, or send a request to the server; see app/views/dialogs/html_block.py.

import {findFocus, setAttribute, showBriefly} from "../core/dom.js";
import {copyText, saveDrawing, saveFile} from "../core/files.js";
import {copyLink} from "../core/links.js";
import {showMeanings} from "../core/meanings.js";
import {findAddress, page} from "../core/page.js";

const SOON = 150; // milliseconds in which most answers come

export function render({model}) {
  showMeanings();
  const box = document.createElement("div"),
    status = document.createElement("div");
  box.className = "html-block";
  status.className = "unseen";
  status.setAttribute("role", "status");
  const content = document.createElement("div");
  box.append(content, status);
  const root = () => box.getRootNode();

  const pending = new Set(); // buttons that wait for an answer
  function release() {
    for (const button of pending) button.ariaDisabled = null;
    pending.clear();
  }

  // Read when new HTML comes, these would make the browser lay out the page twice.
  const scrolled = new Map();
  content.addEventListener(
    "scroll",
    ({target}) => {
      if (target.id) scrolled.set(target.id, [target.scrollLeft, target.scrollTop]);
    },
    {capture: true, passive: true},
  );

  function show() {
    release();
    const before = [...content.querySelectorAll("[id]")].map(e => [e.id, e.open]);
    const focused = content.contains(root().activeElement) ? root().activeElement.id : "";
    const next = document.createElement("template");
    next.innerHTML = model.html;
    update(content, next.content);
    const find = id => content.querySelector("#" + CSS.escape(id));
    for (const [id, open] of before) {
      const now = open && find(id);
      if (now) now.open = true;
    }
    for (const [id, [left, top]] of scrolled) find(id)?.scrollTo(left, top);
    if (focused) content.querySelector("#" + CSS.escape(focused))?.focus({preventScroll: true});
    content.querySelector("[autofocus]")?.focus();
    content.querySelector("[data-near]")?.scrollIntoView({block: "nearest"});
  }

  /** The status that messages appear in: the place that the HTML has for them, or one for screen readers alone. */
  const findPlace = () => content.querySelector("[data-said]") ?? status;

  function answer(button, text) {
    status.textContent = text;
    showBriefly(button, text);
  }

  box.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button || button.ariaDisabled) return;
    const {copy: copied, save: saved, ask, file, absolute, does} = button.dataset;
    if (does) page.request("open", does);
    const text = model.texts[copied];
    if (copied && absolute !== undefined)
      copyLink(findAddress() + text + page.lessonHash, button, findPlace());
    else if (copied) copyText(text, box).then(done => done && answer(button, "Copied"));
    if (saved) {
      saveFile(model.texts[saved], file, "text/plain;charset=utf-8");
      answer(button, "Saved");
    }
    if (ask && !pending.has(button)) {
      pending.add(button);
      const send = () => model.send_msg({ask, value: button.value});
      if (ask !== "remove" || !page.request("choose", {remove: button.value, send})) send();
      // Not at once, since painting the button would delay the answer. A button with "disabled" would lose the focus.
      setTimeout(() => {
        if (pending.has(button)) button.ariaDisabled = "true";
      }, SOON);
    }
  });
  // The focus stays in a list's field. It leaves a text field, which sends its text when it loses the focus.
  box.addEventListener("mousedown", event => {
    if (event.target.closest("button[data-ask]") && findFocus()?.matches("[role=combobox]"))
      event.preventDefault();
  });
  box.addEventListener("change", event => {
    if (event.target.type === "radio")
      model.send_msg({ask: event.target.name, value: event.target.value});
  });
  let left = null; // the element to focus when a popover closes
  box.addEventListener(
    "beforetoggle",
    ({target, newState}) => {
      if (newState === "open") left = findFocus();
      else if (target.contains(root().activeElement)) left?.focus();
    },
    true,
  );
  box.addEventListener(
    "toggle",
    event => {
      // put a popover below its button, within the window
      if (!event.target.popover || event.newState !== "open" || event.target.role === "dialog")
        return;
      const at = content
        .querySelector(`[popovertarget="${event.target.id}"]`)
        .getBoundingClientRect();
      const room = document.documentElement.clientWidth - event.target.offsetWidth - 8;
      const x = Math.max(8, Math.min(at.left, room));
      Object.assign(event.target.style, {top: `${at.bottom + 6}px`, left: `${x}px`});
      event.target.querySelector("button")?.focus();
    },
    true,
  );
  const MOVES = {ArrowDown: i => i + 1, ArrowUp: i => i - 1, Home: () => 0, End: () => -1};
  box.addEventListener("keydown", event => {
    const menu = event.target.closest("[popover].menu"),
      opens = event.target.closest("[popovertarget][aria-haspopup=menu]");
    if (opens && event.key === "ArrowDown") {
      event.preventDefault();
      return opens.click();
    }
    const items = menu ? [...menu.querySelectorAll("button, a")] : [],
      move = MOVES[event.key];
    if (!move || !items.length) return;
    event.preventDefault();
    items.at(move(items.indexOf(event.target)) % items.length).focus();
  });
  const leaving = new AbortController();
  // By an attribute: a property that all elements inherit would make the browser compute the style of each.
  page.offer("fade", of => setAttribute(box.getRootNode().host, "data-old", of), leaving.signal);
  model.on("remove", () => leaving.abort());
  model.on("html", show);
  model.on("msg:custom", message => {
    release();
    if (message.toggle)
      return content.querySelector("#" + CSS.escape(message.toggle))?.togglePopover();
    if (message.say === undefined && !message.save) return;
    findPlace().textContent = message.say ?? "";
    if (message.save) status.textContent = "Saved";
    if (message.type === "image/png") saveDrawing(message.text, message.save);
    else if (message.save) saveFile(message.bytes ?? message.text, message.save, message.type);
  });
  show();
  return box;
}

/** Give an element the content of another. Equal parts stay, so that the browser lays out only the others. */
function update(element, next) {
  const there = [...element.childNodes],
    wanted = [...next.childNodes];
  if (there.length !== wanted.length) return element.replaceChildren(...wanted);
  there.forEach((old, i) => {
    if (old.isEqualNode(wanted[i])) return;
    if (old.cloneNode().isEqualNode(wanted[i].cloneNode())) update(old, wanted[i]);
    else old.replaceWith(wanted[i]);
  });
}
