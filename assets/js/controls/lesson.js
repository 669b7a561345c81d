// A lesson beside the lab, step by step; see app/views/dialogs/lesson_panel.py. Only this browser stores the reader's progress and
// answers. The address can carry a custom lesson behind its #, which browsers do not send to servers: a link for a class.

import {create} from "../core/dom.js";
import {convertBytes} from "../core/files.js";
import {copyLink} from "../core/links.js";
import {findAddress, page} from "../core/page.js";
import {watchHandles} from "./prose.js";

const IN_ADDRESS = "#lesson=",
  FROM_START = "#begin", // of the links of a list: not where the reader left it
  STEP = /^#(\d+)$/, // of a link to a step, counted from 1
  LARGEST = 500000,
  LARGEST_PICTURE = 300000; // characters of a lesson, and bytes of a picture
const PICTURE = /(!\[[^[\]]*\]\()([^()\s:]+)/g; // with the name of a file
const IN_LINK = "The lesson in the link",
  CHOOSE = "The lesson, and the pictures that it names";

export function render({model}) {
  const root = create("section", {
    className: "html-block lesson",
    hidden: true,
    ariaLabel: "Lesson",
  });
  const file = create("input", {
    type: "file",
    multiple: true,
    accept: ".md,.txt,text/markdown,.png,.jpg,.jpeg,.gif,.webp",
    hidden: true,
    ariaLabel: CHOOSE,
    title: CHOOSE,
  });
  const box = create("div", {}, root, file);
  let lesson = null,
    custom = "",
    sent = "",
    progress = {step: 0, answers: {}},
    tried = null,
    editor = null,
    moment = null;

  const key = () => `polhode-lesson-${lesson.key || lesson.title}`;
  const store = () => {
    try {
      localStorage.setItem(key(), JSON.stringify(progress));
    } catch {}
  };
  const restore = () => {
    try {
      return JSON.parse(localStorage.getItem(key())) ?? {};
    } catch {
      return {};
    }
  };

  const words = (className, html) => {
    const part = create("div", {className});
    part.innerHTML = html;
    return part;
  };
  const button = (text, act, more = {}) =>
    create("button", {type: "button", textContent: text, onclick: act, ...more});
  const close = model.alone
    ? ""
    : button("×", () => model.send_msg({left: true}), {
        className: "close",
        ariaLabel: "Close the lesson",
        title: "Close the lesson",
      });

  function open() {
    const shown = model.content ? JSON.parse(model.content) : null;
    lesson = shown?.steps ? shown : null;
    root.hidden = !shown;
    document.documentElement.toggleAttribute("data-lesson", !!shown);
    custom = lesson && !lesson.key ? sent : "";
    page.lessonHash = "";
    const text = custom;
    if (text)
      pack(text).then(packed => {
        if (custom === text) page.lessonHash = IN_ADDRESS + packed;
      });
    if (isWriting()) {
      if (custom) editor.showErrors([]);
      else editor.hide();
    }
    if (!lesson) {
      page.hide([]);
      return root.replaceChildren(...(shown ? createErrors(shown) : []));
    }
    const begins = lesson.begins || location.hash === FROM_START;
    const linked = takeLinked();
    if (begins) cutAddress();
    const {step, answers} = isWriting()
      ? {step: editor.step, answers: {}}
      : begins
        ? {}
        : restore();
    progress = {
      step: linked ?? (Number.isInteger(step) && lesson.steps[step] ? step : 0),
      answers: answers ?? {},
    };
    go(progress.step, false, !isWriting());
  }

  const cutAddress = () =>
    history.replaceState(history.state, "", location.pathname + location.search);

  /** The step that the address names, which it names no longer: a reload continues where the reader is. */
  function takeLinked() {
    const step = STEP.exec(location.hash)?.[1] - 1;
    if (!lesson?.steps[step]) return undefined;
    cutAddress();
    return step;
  }

  const isWriting = () => editor?.element.hidden === false;

  /** Open the editor below the lesson, with a text or, by default, with the draft in this browser. */
  async function write(text) {
    const {createEditor, readDraft} = await import("./lesson-editor.js");
    if (!editor) {
      editor = createEditor({
        change: text => send(text, "Your lesson", true),
        enter: step => {
          if (lesson?.steps[step]) go(step, false, false);
        },
        address: makeAddress,
        close: () => {
          if (lesson) go(progress.step, true, false);
        },
      });
      box.append(editor.element);
    }
    document.documentElement.toggleAttribute("data-lesson", true);
    editor.open(text ?? readDraft());
  }

  /** What is wrong with a text, in place of a lesson. */
  function createErrors({file: name, errors}) {
    const list = create(
      "ul",
      {className: "errors"},
      ...errors.map(textContent => create("li", {textContent})),
    );
    return [
      create("header", {}, create("h2", {textContent: name}), close),
      create(
        "div",
        {role: "alert"},
        create("h3", {
          textContent:
            errors.length === 1
              ? "This lesson has an error"
              : `This lesson has ${errors.length} errors`,
        }),
        list,
      ),
      create(
        "footer",
        {},
        button("Choose the file again", () => file.click()),
      ),
    ];
  }

  /** Go to a step, and `enter` it: set up the lab. */
  function go(to, moved = true, enter = true) {
    progress.step = to;
    tried = null;
    store();
    show(moved);
    model.send_msg({step: to, answered: isAnswered() || isWriting(), entered: enter});
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
    const {step: at} = progress,
      step = lesson.steps[at],
      {length} = lesson.steps,
      waits = step.question && !isAnswered();
    page.hide(waits && !isWriting() ? step.hidden : []); // its author sees all
    const title = create("h3", {
      textContent: step.title,
      tabIndex: -1,
      "aria-description": `Step ${at + 1} of ${length}`,
    });
    const dots = lesson.steps.map((one, i) =>
      button("", () => go(i), {
        className:
          i === at ? "here" : one.question && progress.answers[i] !== undefined ? "done" : "",
        ariaLabel: `Step ${i + 1}: ${one.title}`,
        title: one.title,
        ...(i === at && {"aria-current": "step"}),
      }),
    );
    const shared = create("p", {className: "shared", role: "status"}),
      edit = button("Edit", () => write(custom)),
      copy = button("Copy link", () => share(copy, shared), {
        title: "Copy a link to this lesson, for a class",
      });
    const tools = [...(custom ? [edit] : []), ...(model.alone ? [] : [copy])];
    const head = create(
      "header",
      {},
      create("h2", {textContent: lesson.title}),
      ...(isWriting() ? [] : tools),
      close,
      shared,
    );
    const steps = create(
      "nav",
      {ariaLabel: "Steps"},
      ...dots,
      create("span", {textContent: `${at + 1} of ${length}`}),
    );
    const next = waits ? "Skip →" : "Next →";
    const ways = create(
      "footer",
      {},
      button("← Back", () => go(at - 1), {disabled: at === 0}),
      at === length - 1
        ? button("Start again", () => go(0))
        : button(next, () => go(at + 1), {className: waits ? "" : "next"}),
    );
    const about = at === 0 && lesson.about ? [words("about", lesson.about)] : [];
    root.replaceChildren(
      head,
      steps,
      ...about,
      title,
      words("words", step.words),
      ...createQuestion(step),
      ways,
    );
    updateHandles();
    showMoment(null);
    if (moved) title.focus();
  }

  /** Have the page show the time, the curve and the note of a part of the text; of none, after null. */
  function showMoment(part) {
    if (part === moment) return;
    moment?.classList.remove("here");
    moment = part;
    part?.classList.add("here");
    const {at, of, note, camera = ""} = part?.dataset ?? {};
    page.moment = part && {
      time: Number(at),
      of,
      note,
      camera: camera && camera.split(",").map(Number),
    };
    page.request("show moment", page.moment);
  }

  /** Show the moment that has come to the middle of what scrolls. */
  function scroll({target}) {
    const parts = [...root.querySelectorAll(".moment")];
    if (!parts.length || !target.contains(box.getRootNode().host ?? box)) return;
    const {top, height} =
      target === document ? {top: 0, height: innerHeight} : target.getBoundingClientRect();
    const passed = parts.findLast(part => part.getBoundingClientRect().top < top + height / 2);
    if (passed) showMoment(passed);
  }

  /** The question; after a wrong answer its hint, and after the answer the explanation. */
  function createQuestion(step) {
    if (!step.question) return [];
    const given = progress.answers[progress.step] ?? tried,
      name = "answer" + Math.random().toString(36).slice(2);
    const legend = create("legend");
    legend.innerHTML = step.question;
    const fields = step.answers.map((html, i) => {
      const input = create("input", {
        type: "radio",
        name,
        value: `${i}`,
        checked: given === i,
        disabled: isAnswered(),
      });
      const text = create("span");
      text.innerHTML = html;
      const label = create("label", {}, input, text);
      if (isAnswered() && step.right === i) label.className = "right";
      return label;
    });
    const free = create("textarea", {
      rows: 2,
      value: typeof given === "string" ? given : "",
      disabled: isAnswered(),
      ariaLabel: "What you expect",
    });
    const said = create("div", {className: "said", role: "status"});
    const send = button(
      "Answer",
      () => {
        const chosen = fields.length
          ? fields.findIndex(label => label.querySelector("input").checked)
          : free.value.trim();
        if (chosen === -1 || chosen === "") {
          said.textContent = fields.length
            ? "Choose one of the answers first."
            : "Write a few words first.";
          (fields[0]?.querySelector("input") ?? free).focus();
        } else if (step.hints[chosen]) {
          tried = chosen;
          said.replaceChildren(
            words("hint", `<b>Not quite.</b> ${step.hints[chosen]}`),
            button("Show the answer", () => answer(chosen)),
          );
        } else answer(chosen);
      },
      {className: "send"},
    );
    const set = create(
      "fieldset",
      {},
      legend,
      ...(fields.length ? fields : [free]),
      ...(isAnswered() ? [] : [send, said]),
    );
    if (!isAnswered()) return [set];
    const verdict =
      step.right < 0 ? "" : given === step.right ? "<p><b>Yes.</b></p>" : "<p><b>No.</b></p>";
    const reveal = words("reveal", verdict + step.reveal);
    reveal.tabIndex = -1;
    return [
      set,
      reveal,
      button(
        "Answer again",
        () => {
          delete progress.answers[progress.step];
          go(progress.step);
        },
        {className: "again"},
      ),
    ];
  }

  /** Copy a link to the lesson, which a custom one contains. */
  async function share(copy, place) {
    const address = custom
        ? await makeAddress(custom)
        : `${findAddress()}?lesson=${encodeURIComponent(lesson.key)}`,
      copied = await copyLink(address, copy, place);
    if (!copied && custom)
      history.replaceState(history.state, "", location.search + new URL(address).hash);
  }

  async function makeAddress(text) {
    const address = new URL(findAddress() + location.search);
    address.hash = IN_ADDRESS + (await pack(text));
    return address.href;
  }

  function send(text, name, draft = false) {
    sent = text;
    if (!draft) editor?.hide(); // it has another text
    model.send_msg({text, file: name, draft});
  }
  file.addEventListener("change", async () => {
    const files = [...file.files],
      pictures = new Map();
    file.value = "";
    for (const one of files.filter(
      ({type, size}) => type.startsWith("image/") && size <= LARGEST_PICTURE,
    ))
      pictures.set(one.name, await readData(one));
    const chosen = files.find(({type}) => !type.startsWith("image/"));
    if (chosen)
      send(
        (await chosen.slice(0, LARGEST).text()).replace(
          PICTURE,
          (whole, begin, name) => begin + (pictures.get(name.split("/").at(-1)) ?? name),
        ),
        chosen.name,
      );
  });
  async function readAddress() {
    if (!location.hash.startsWith(IN_ADDRESS)) return;
    try {
      send(await unpack(location.hash.slice(IN_ADDRESS.length)), IN_LINK);
    } catch {
      send("", IN_LINK);
    }
  }

  model.on("content", () => {
    open();
    // A reload is not to open the address's lesson again, once another is open.
    if (!custom && location.hash.startsWith(IN_ADDRESS)) cutAddress();
  });
  model.on("msg:custom", ({ask, errors}) => {
    if (ask === "file") file.click();
    else if (ask === "draft") write();
    else editor?.showErrors(errors);
  });
  const leaving = new AbortController(),
    {signal} = leaving;
  for (const kind of ["click", "focusin"])
    root.addEventListener(kind, ({target}) => showMoment(target.closest(".moment") ?? moment));
  const follow = () => {
    const step = takeLinked();
    if (step !== undefined) go(step);
  };
  addEventListener("hashchange", follow, {signal});
  document.addEventListener("scroll", scroll, {capture: true, passive: true, signal});
  const updateHandles = watchHandles(root, signal);
  page.offer(
    "change lesson step",
    by => {
      if (lesson?.steps[progress.step + by]) go(progress.step + by);
    },
    signal,
  );
  model.on("remove", () => {
    leaving.abort();
    page.hide([]);
    page.lessonHash = "";
    document.documentElement.removeAttribute("data-lesson");
  });
  open();
  readAddress();
  return box;
}

/** A file as a data: address. */
const readData = one =>
  new Promise((done, fail) => {
    const reader = new FileReader();
    Object.assign(reader, {onload: () => done(reader.result), onerror: fail});
    reader.readAsDataURL(one);
  });

/** Compress a text into letters that an address may have. */
async function pack(text) {
  const bytes = await convertBytes(
    new CompressionStream("deflate-raw"),
    new TextEncoder().encode(text),
  );
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

async function unpack(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), letter =>
    letter.charCodeAt(0),
  );
  return new TextDecoder()
    .decode(await convertBytes(new DecompressionStream("deflate-raw"), bytes))
    .slice(0, LARGEST);
}
export default {render};
