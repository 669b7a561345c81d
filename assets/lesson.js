// A lesson beside the lab, step by step; see app/views/lesson.py. How far its reader has come, and what was answered,
// is kept in this browser alone. A lesson of a visitor's own can stand in the address, behind its #, where no server
// sees it: a link for a class.

import {made} from "./made.js";

const IN_ADDRESS = "#lesson=", LARGEST = 200000;  // bytes of a file

export function render({model}) {
  const root = made("section", {className: "sheet lesson", hidden: true, ariaLabel: "Lesson"});
  const file = made("input", {type: "file", accept: ".md,.txt,text/markdown", hidden: true, ariaLabel: "A lesson"});
  const box = made("div", {}, root, file);
  let lesson = null, own = "", taken = "", progress = {step: 0, answers: {}};

  const store = () => `polhode-lesson-${lesson.key || lesson.title}`;
  const keep = () => { try { localStorage.setItem(store(), JSON.stringify(progress)); } catch {} };
  const kept = () => { try { return JSON.parse(localStorage.getItem(store())) ?? {}; } catch { return {}; } };

  function open() {
    lesson = model.told ? JSON.parse(model.told) : null;
    root.hidden = !lesson;
    document.documentElement.toggleAttribute("data-lesson", !!lesson);
    own = lesson && !lesson.key ? taken : "";
    if (!lesson) return root.replaceChildren();
    const {step, answers} = kept();
    progress = {step: Number.isInteger(step) && lesson.steps[step] ? step : 0, answers: answers ?? {}};
    go(progress.step, false);
  }

  function go(to, moved = true) {
    progress.step = to;
    keep();
    show(moved);
    model.send_msg({step: to, answered: isAnswered(), entered: true});
  }

  const isAnswered = () => progress.answers[progress.step] !== undefined;

  function answer(given) {
    progress.answers[progress.step] = given;
    keep();
    show();
    root.querySelector(".reveal")?.focus();
    model.send_msg({step: progress.step, answered: true});
  }

  function show(moved = false) {
    const {step: at} = progress, step = lesson.steps[at], last = lesson.steps.length - 1;
    const words = (className, html) => { const part = made("div", {className}); part.innerHTML = html; return part; };
    const button = (text, act, more = {}) => made("button", {type: "button", textContent: text, onclick: act, ...more});
    const title = made("h3", {textContent: step.title, tabIndex: -1});
    const dots = lesson.steps.map((one, i) => button("", () => go(i), {
      className: i === at ? "here" : one.question && progress.answers[i] !== undefined ? "done" : "",
      ariaLabel: `Step ${i + 1}: ${one.title}`, title: one.title, ...(i === at && {"aria-current": "step"}),
    }));
    const head = made("header", {},
      made("h2", {textContent: lesson.title}),
      button("×", () => model.send_msg({left: true}), {ariaLabel: "Close the lesson", title: "Close the lesson"}));
    const steps = made("nav", {ariaLabel: "Steps"}, ...dots, made("span", {textContent: `${at + 1} of ${lesson.steps.length}`}));
    const ways = made("footer", {},
      button("← Back", () => go(at - 1), {disabled: at === 0}),
      own ? button("Copy link", copyLink, {title: "A link that has this lesson in it"}) : "",
      button(at === last ? "Start again" : "Next →", () => go(at === last ? 0 : at + 1), {className: "next"}));
    root.replaceChildren(head, steps, title, words("words", step.words), ...asked(step, words, button), ways);
    if (moved) title.focus();
  }

  /** The question, and when it has been answered what is told then. */
  function asked(step, words, button) {
    if (!step.question) return [];
    const given = progress.answers[progress.step], name = "answer" + Math.random().toString(36).slice(2);
    const legend = made("legend");
    legend.innerHTML = step.question;
    const fields = step.answers.map((html, i) => {
      const input = made("input", {type: "radio", name, value: `${i}`, checked: given === i, disabled: isAnswered()});
      const text = made("span");
      text.innerHTML = html;
      const label = made("label", {}, input, text);
      if (isAnswered() && step.right === i) label.className = "right";
      return label;
    });
    const free = made("textarea", {rows: 2, value: typeof given === "string" ? given : "", disabled: isAnswered(), ariaLabel: "What you expect"});
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
    const set = made("fieldset", {}, legend, ...parts, ...(isAnswered() ? [] : [send]));
    if (!isAnswered()) return step.hidden.length ? [set, made("p", {className: "quiet", textContent: hiding(step.hidden)})] : [set];
    const verdict = step.right < 0 ? "" : given === step.right ? "<p><b>Yes.</b></p>" : "<p><b>No.</b></p>";
    const reveal = words("reveal", verdict + step.reveal);
    reveal.tabIndex = -1;
    return [set, reveal, button("Answer again", () => { delete progress.answers[progress.step]; go(progress.step); }, {className: "again"})];
  }

  async function copyLink(event) {
    const button = event.currentTarget, address = new URL(location.href);
    address.hash = IN_ADDRESS + await packed(own);
    try { await navigator.clipboard.writeText(address.href); } catch { history.replaceState(history.state, "", address); }
    button.textContent = "Copied";
  }

  const take = text => { taken = text; model.send_msg({text}); };
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) take(await chosen.slice(0, LARGEST).text());
  });
  async function fromAddress() {
    if (!location.hash.startsWith(IN_ADDRESS)) return;
    try { take(await unpacked(location.hash.slice(IN_ADDRESS.length))); } catch { take(""); }
  }

  model.on("told", () => {
    open();
    // What stands in the address is not what a reload should open again.
    if (!own && location.hash.startsWith(IN_ADDRESS)) history.replaceState(history.state, "", location.pathname + location.search);
  });
  model.on("msg:custom", message => { if (message.choose) file.click(); });
  const step = ({detail}) => lesson?.steps[progress.step + detail] && go(progress.step + detail);
  document.addEventListener("polhode:step", step);  // lecture.js
  model.on("remove", () => {
    document.removeEventListener("polhode:step", step);
    document.documentElement.removeAttribute("data-lesson");
  });
  open();
  fromAddress();
  return box;
}

/** What waits for an answer, in a sentence. */
function hiding(names) {
  const listed = new Intl.ListFormat("en", {type: "conjunction"}).format(names.map(name => `the ${name}`));
  return `${listed[0].toUpperCase()}${listed.slice(1)} come back when you have answered.`;
}

/** A text, compressed and in letters that an address may have; and back. */
async function packed(text) {
  const bytes = new Uint8Array(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)).slice(0, LARGEST);
}

const through = (stream, bytes) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

export default {render};
