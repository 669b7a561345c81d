// A lesson beside the lab, step by step; see app/views/dialogs/lesson_panel.py. Only this browser stores the reader's progress and
// answers. The address can carry a custom lesson behind its #, which browsers do not send to servers: a link for a class.

import {create, showBriefly} from "../core/dom.js";
import {copyText} from "../core/files.js";
import {page} from "../core/page.js";

const IN_ADDRESS = "#lesson=", LARGEST = 200000;  // bytes of a file

export function render({model}) {
  const root = create("section", {className: "sheet lesson", hidden: true, ariaLabel: "Lesson"});
  const file = create("input", {type: "file", accept: ".md,.txt,text/markdown", hidden: true, ariaLabel: "A lesson"});
  const box = create("div", {}, root, file);
  let lesson = null, custom = "", sent = "", progress = {step: 0, answers: {}};

  const key = () => `polhode-lesson-${lesson.key || lesson.title}`;
  const store = () => { try { localStorage.setItem(key(), JSON.stringify(progress)); } catch {} };
  const restore = () => { try { return JSON.parse(localStorage.getItem(key())) ?? {}; } catch { return {}; } };

  function open() {
    lesson = model.told ? JSON.parse(model.told) : null;
    root.hidden = !lesson;
    document.documentElement.toggleAttribute("data-lesson", !!lesson);
    custom = lesson && !lesson.key ? sent : "";
    if (!lesson) return root.replaceChildren();
    const {step, answers} = restore();
    progress = {step: Number.isInteger(step) && lesson.steps[step] ? step : 0, answers: answers ?? {}};
    go(progress.step, false);
  }

  function go(to, moved = true) {
    progress.step = to;
    store();
    show(moved);
    model.send_msg({step: to, answered: isAnswered(), entered: true});
  }

  const isAnswered = () => progress.answers[progress.step] !== undefined;

  function answer(given) {
    progress.answers[progress.step] = given;
    store();
    show();
    root.querySelector(".reveal")?.focus();
    model.send_msg({step: progress.step, answered: true});
  }

  function show(moved = false) {
    const {step: at} = progress, step = lesson.steps[at], last = lesson.steps.length - 1;
    const words = (className, html) => { const part = create("div", {className}); part.innerHTML = html; return part; };
    const button = (text, act, more = {}) => create("button", {type: "button", textContent: text, onclick: act, ...more});
    const title = create("h3", {textContent: step.title, tabIndex: -1});
    const dots = lesson.steps.map((one, i) => button("", () => go(i), {
      className: i === at ? "here" : one.question && progress.answers[i] !== undefined ? "done" : "",
      ariaLabel: `Step ${i + 1}: ${one.title}`, title: one.title, ...(i === at && {"aria-current": "step"}),
    }));
    const head = create("header", {},
      create("h2", {textContent: lesson.title}),
      button("×", () => model.send_msg({left: true}), {ariaLabel: "Close the lesson", title: "Close the lesson"}));
    const steps = create("nav", {ariaLabel: "Steps"}, ...dots, create("span", {textContent: `${at + 1} of ${lesson.steps.length}`}));
    const ways = create("footer", {},
      button("← Back", () => go(at - 1), {disabled: at === 0}),
      custom ? button("Copy link", copyLink, {title: "A link that has this lesson in it"}) : "",
      button(at === last ? "Start again" : "Next →", () => go(at === last ? 0 : at + 1), {className: "next"}));
    root.replaceChildren(head, steps, title, words("words", step.words), ...createQuestion(step, words, button), ways);
    if (moved) title.focus();
  }

  /** The question; after the answer, also the explanation. */
  function createQuestion(step, words, button) {
    if (!step.question) return [];
    const given = progress.answers[progress.step], name = "answer" + Math.random().toString(36).slice(2);
    const legend = create("legend");
    legend.innerHTML = step.question;
    const fields = step.answers.map((html, i) => {
      const input = create("input", {type: "radio", name, value: `${i}`, checked: given === i, disabled: isAnswered()});
      const text = create("span");
      text.innerHTML = html;
      const label = create("label", {}, input, text);
      if (isAnswered() && step.right === i) label.className = "right";
      return label;
    });
    const free = create("textarea", {rows: 2, value: typeof given === "string" ? given : "", disabled: isAnswered(), ariaLabel: "What you expect"});
    const parts = fields.length ? fields : [free];
    const value = () => {
      if (!fields.length) return free.value;
      const chosen = fields.findIndex(label => label.querySelector("input").checked);
      return chosen < 0 ? undefined : chosen;
    };
    const send = button("Answer", () => {
      const chosen = value();
      if (chosen === undefined) fields[0].querySelector("input").focus(); else answer(chosen);
    }, {className: "send"});
    const set = create("fieldset", {}, legend, ...parts, ...(isAnswered() ? [] : [send]));
    if (!isAnswered()) return step.hidden.length ? [set, create("p", {className: "quiet", textContent: describeHidden(step.hidden)})] : [set];
    const verdict = step.right < 0 ? "" : given === step.right ? "<p><b>Yes.</b></p>" : "<p><b>No.</b></p>";
    const reveal = words("reveal", verdict + step.reveal);
    reveal.tabIndex = -1;
    return [set, reveal, button("Answer again", () => { delete progress.answers[progress.step]; go(progress.step); }, {className: "again"})];
  }

  async function copyLink(event) {
    const button = event.currentTarget, address = new URL(location.href);
    address.hash = IN_ADDRESS + await pack(custom);
    if (await copyText(address.href, root)) showBriefly(button, "Copied"); else history.replaceState(history.state, "", address);
  }

  const send = text => { sent = text; model.send_msg({text}); };
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) send(await chosen.slice(0, LARGEST).text());
  });
  async function readAddress() {
    if (!location.hash.startsWith(IN_ADDRESS)) return;
    try { send(await unpack(location.hash.slice(IN_ADDRESS.length))); } catch { send(""); }
  }

  model.on("told", () => {
    open();
    // A reload is not to open the address's lesson again, once another is open.
    if (!custom && location.hash.startsWith(IN_ADDRESS)) history.replaceState(history.state, "", location.pathname + location.search);
  });
  model.on("msg:custom", message => { if (message.choose) file.click(); });
  const leaving = new AbortController();
  page.offer("change lesson step", by => { if (lesson?.steps[progress.step + by]) go(progress.step + by); }, leaving.signal);
  model.on("remove", () => {
    leaving.abort();
    document.documentElement.removeAttribute("data-lesson");
  });
  open();
  readAddress();
  return box;
}

/** The sentence that says which views return after an answer. */
function describeHidden(names) {
  const listed = new Intl.ListFormat("en", {type: "conjunction"}).format(names.map(name => `the ${name}`));
  return `${listed[0].toUpperCase()}${listed.slice(1)} come back when you have answered.`;
}

/** Compress a text into letters that an address may have. */
async function pack(text) {
  const bytes = new Uint8Array(await pipe(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
  return new TextDecoder().decode(await pipe(new DecompressionStream("deflate-raw"), bytes)).slice(0, LARGEST);
}

const pipe = (stream, bytes) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

export default {render};
