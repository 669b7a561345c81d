// HTML with controls that copy, save, or ask the server for something; see app/views/sheet.py.

export function render({ model }) {
  const box = document.createElement("div"), said = document.createElement("div");
  box.className = "sheet";
  said.className = "unseen";
  said.setAttribute("role", "status");
  const content = document.createElement("div");
  box.append(content, said);
  const root = () => box.getRootNode();

  // To ask for it only when new HTML comes would have the browser lay out the page twice.
  const scrolled = new Map();
  content.addEventListener("scroll", ({ target }) => {
    if (target.id) scrolled.set(target.id, [target.scrollLeft, target.scrollTop]);
  }, { capture: true, passive: true });

  function show() {
    const before = [...content.querySelectorAll("[id]")].map(e => [e.id, e.open]);
    const focused = content.contains(root().activeElement) ? root().activeElement.id : "";
    content.innerHTML = model.html;
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
    const { copy: copied, save: saved, ask, file, absolute } = button.dataset;
    const before = absolute === undefined ? "" : location.origin + location.pathname;
    if (copied) copy(before + model.texts[copied], button);
    if (saved) { save(model.texts[saved], file, "text/plain;charset=utf-8"); say("Saved", button); }
    if (ask) { button.disabled = true; model.send_msg({ ask, value: button.value }); }
  });
  box.addEventListener("change", event => {
    if (event.target.type === "radio") model.send_msg({ ask: event.target.name, value: event.target.value });
  });
  box.addEventListener("toggle", event => {  // a popover opens below its button, within the window
    if (!event.target.popover || event.newState !== "open") return;
    const at = content.querySelector(`[popovertarget="${event.target.id}"]`).getBoundingClientRect();
    const room = document.documentElement.clientWidth - event.target.offsetWidth - 8;
    const left = Math.max(8, Math.min(at.left, room));
    Object.assign(event.target.style, { top: `${at.bottom + 6}px`, left: `${left}px` });
  }, true);
  model.on("html", show);
  model.on("msg:custom", message => {
    for (const button of content.querySelectorAll("button:disabled")) button.disabled = false;
    const place = content.querySelector("[data-said]");
    if (place) place.textContent = message.say ?? "";
    said.textContent = message.say ?? "Saved";
    if (message.save) save(message.bytes ?? message.text, message.save, message.type);
  });
  show();
  return box;
}
