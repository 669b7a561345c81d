"""A piece of HTML that a page shows, with controls in it that copy, save, or ask the server for something.

What is shown is made on the server and put in as it is, so whatever goes into it must be escaped there. Controls are
plain buttons and inputs with these attributes:

- `data-copy="name"` copies the text of that name; with `data-absolute` it is a query, and becomes the page's address.
- `data-save="name"` saves the text under the file name `data-file`.
- `data-ask="name"` asks the server; so does a radio button, with its name and value.

The server may answer with a file to save or a sentence to say. New HTML keeps the focus, what is unfolded and how far
it is scrolled, of all that has an id.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

STYLE = """
:host { display: block; font-size: 13px; line-height: 1.45; color: inherit; --line: color-mix(in srgb, currentColor 16%, transparent);
  --soft: color-mix(in srgb, currentColor 6%, transparent); --accent: var(--panel-primary-color, #0b5cad); }
.sheet { position: relative; }
.sheet :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.sheet button { font: inherit; font-size: 12px; color: inherit; background: none; cursor: pointer; padding: 3px 10px;
  border: 1px solid var(--line); border-radius: 6px; white-space: nowrap; }
.sheet button:hover { background: var(--soft); }
.sheet button[disabled] { opacity: .5; cursor: progress; }
.sheet .quiet { opacity: .82; }
.sheet .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.sheet .dot { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 7px; flex: none; }
"""  # noqa: E501

SCRIPT = """
export function render({ model, el }) {
  const box = document.createElement("div"), said = document.createElement("div");
  box.className = "sheet";
  said.className = "unseen";
  said.setAttribute("role", "status");
  const content = document.createElement("div");
  box.append(content, said);
  const root = () => box.getRootNode();

  function show() {
    const before = [...content.querySelectorAll("[id]")].map(e => [e.id, e.open, e.scrollLeft, e.scrollTop]);
    const focused = content.contains(root().activeElement) ? root().activeElement.id : "";
    content.innerHTML = model.html;
    for (const [id, open, left, top] of before) {
      const now = content.querySelector("#" + CSS.escape(id));
      if (!now) continue;
      if (open !== undefined) now.open = open;
      now.scrollLeft = left;
      now.scrollTop = top;
    }
    if (focused) content.querySelector("#" + CSS.escape(focused))?.focus({ preventScroll: true });
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
"""


class Sheet(JSComponent):
    """HTML with controls (see above); `asked` is called with the name and the value of what a control asks for."""

    html = param.String(default="", doc="What is shown.")
    texts = param.Dict(default={}, doc="What can be copied or saved, by name.")

    _esm = SCRIPT
    _stylesheets: ClassVar = [STYLE]

    def __init__(self, asked: Callable[[str, str], Any] | None = None, style: str = "", **params: Any) -> None:
        super().__init__(stylesheets=[style] if style else [], sizing_mode="stretch_width", **params)

        async def heard(event: Any) -> None:
            answer = asked(str(event.data.get("ask")), str(event.data.get("value"))) if asked is not None else None
            if inspect.isawaitable(answer):
                await answer

        self.on_msg(heard)

    def save(self, name: str, content: bytes | str, kind: str) -> None:  # type: ignore[override]
        """Have the visitor's browser save a file."""
        carried = {"bytes": content} if isinstance(content, bytes) else {"text": content}
        self._send_msg({"save": name, "type": kind} | carried)

    def say(self, text: str) -> None:
        """Tell the visitor something, where the HTML has a place for it (`data-said`) and to screen readers."""
        self._send_msg({"say": text})
