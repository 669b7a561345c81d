// A button and a place to drop the file of a recording or of a motion; see app/views/controls/recording_file.py.

import {create} from "../core/dom.js";
import {keepFile, takeFile} from "../core/kept-files.js";

const CHUNK = 1 << 20; // bytes of a file in one message

export function render({model}) {
  const files = new Map(); // the last one of each name
  let file = null,
    sending = false, // a file, part by part
    again = false, // the same file once more, read in another way
    words = ""; // of the link that the page was opened by, until its file is read in another way

  const picked = create("input", {
      type: "file",
      accept: model.formats.join(","),
      hidden: true,
      tabIndex: -1,
      ariaLabel: model.label,
    }),
    choose = create("button", {
      type: "button",
      className: "choose",
      textContent: model.label,
      onclick: () => picked.click(),
    }),
    stop = create("button", {type: "button", textContent: "Stop", hidden: true}),
    bar = create("progress", {ariaLabel: "Progress", hidden: true}),
    percent = create("span", {hidden: true}),
    hint = create("p", {className: "about", textContent: model.hint}),
    status = create("p", {className: "status"}),
    facts = create("ul"),
    place = create("div", {className: "place"}, choose, picked, hint),
    box = create("div", {className: "recording"}, place, status, bar, percent, stop, facts);
  status.setAttribute("role", "status");

  /** Say what happens, and offer to stop it. */
  function say(text, {busy = false, wrong = false} = {}) {
    status.textContent = text;
    status.classList.toggle("wrong", wrong);
    stop.hidden = !busy;
    showPart(null);
    facts.hidden = true;
  }

  /** Show which part is done, from 0 to 1, unless that is not known. */
  function showPart(part) {
    bar.hidden = percent.hidden = part === null;
    bar.value = part ?? 0;
    percent.textContent = `${Math.round(100 * part)} %`;
  }

  function send(part) {
    const parts = Math.max(1, Math.ceil(file.size / CHUNK));
    const {name} = file,
      chosen = file;
    say(`Sending ${name} …`, {busy: true});
    showPart(part ? part / parts : null);
    file
      .slice(part * CHUNK, (part + 1) * CHUNK)
      .arrayBuffer()
      .then(data => {
        if (!sending || file !== chosen) return;
        sending = part + 1 < parts;
        model.send_msg({name, part, parts, data, again, words});
      })
      .catch(() => {
        sending = false;
        say(`${name} cannot be read; choose it again.`, {wrong: true});
      });
  }

  function take(chosen, once = false) {
    if (!chosen) return;
    file = chosen;
    again = once;
    if (file.size > model.largest) {
      const most = model.largest / 2 ** 20;
      return say(`${model.what} may have at most ${most} MB; ${file.name} has more.`, {
        wrong: true,
      });
    }
    files.set(file.name, file);
    sending = true;
    send(0);
    if (model.word) keepFile(model.word, file);
  }

  picked.onchange = () => {
    const [chosen] = picked.files;
    picked.value = "";
    take(chosen);
  };
  stop.onclick = () => {
    sending = false;
    say("Stopped.");
    model.send_msg({stop: true});
  };
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"])
    place.addEventListener(kind, event => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      place.classList.toggle("over", kind === "dragenter" || kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files[0]);
    });

  function show() {
    if (sending && !model.wrong) return;
    sending = false;
    facts.replaceChildren(...model.facts.map(textContent => create("li", {textContent})));
    say(model.said, {busy: model.busy, wrong: model.wrong});
    showPart(model.busy ? model.part : null); // the part may change after the words
    facts.hidden = model.wrong || !model.facts.length;
  }

  for (const name of ["said", "wrong", "busy", "facts"]) model.on(name, show);
  model.on("part", () => stop.hidden || showPart(model.part));
  model.on("msg:custom", message => {
    if (message.next && sending) send(message.next);
    if (message.again) {
      words = "";
      take(files.get(message.name) ?? file, true);
    }
  });
  show();

  // The page was opened by a link with a file, which the tab may keep.
  const [entry] = performance.getEntriesByType("navigation"),
    search = new URL(entry?.name ?? location.href).search;
  if (model.word && new URLSearchParams(search).get(model.word)) {
    words = search;
    take(takeFile(model.word), true);
  }
  return box;
}

export default {render};
