// The editor of a lesson: its text below the lesson, which shows each change. The draft stays in this browser.

import {create} from "../core/dom.js";
import {saveFile} from "../core/files.js";
import {copyLink} from "../core/links.js";

const DRAFT = "polhode-draft",
  QUIET = 400; // milliseconds after a key, before the lesson follows
const SETTING = /^Lab:.*$/m,
  STEP = /^## /gm;
const TEMPLATE =
  "# My lesson\nWhat will your students find out?\n\n## First step\n\nSay what to look at.\n";
const QUESTION =
  "\nHide: picture, plots, table\nQuestion: What do you expect?\n- [ ] A wrong answer\nHint: What speaks against it?\n- [x] The right answer\nReveal: Say why.\n";

/** The draft in this browser, or else a first text. */
export function readDraft() {
  try {
    return localStorage.getItem(DRAFT) || TEMPLATE;
  } catch {
    return TEMPLATE;
  }
}

/**
 * Create an editor. `change` receives its text, `enter` the number of the step that has the caret, `address` returns the page's
 * address for a text, and `close` is called at the end.
 */
export function createEditor({change, enter, address, close}) {
  let waiting = 0,
    entered = 0;
  const button = (textContent, title, onclick) =>
    create("button", {type: "button", textContent, title, onclick});
  const area = create("textarea", {
    rows: 12,
    spellcheck: true,
    ariaLabel: "Text of the lesson",
    "aria-describedby": "lesson-errors",
  });
  const errors = create("div", {id: "lesson-errors", className: "found", role: "status"});
  const starts = () => [...area.value.matchAll(STEP)].map(({index}) => index);
  const textEnd = () => area.value.length;

  /** Replace a part of the text as if it were typed, so that the browser can undo it, and select some of the new words. */
  function replace(from, to, text, words = text.trim()) {
    area.focus();
    area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text);
    const at = from + text.indexOf(words);
    area.setSelectionRange(at, at + words.length);
    area.dispatchEvent(new Event("input"));
  }

  /** The step that has the caret: where it begins and ends. */
  function findStep() {
    const all = starts(),
      begin = all.findLast(at => at <= area.selectionStart) ?? all[0] ?? textEnd();
    return [begin, all.find(at => at > begin) ?? textEnd()];
  }

  const seen = () =>
    `Lab: ?${location.search
      .slice(1)
      .split("&")
      .filter(word => !/^(lesson|version|lecture)\b/.test(word))
      .join("&")}`;
  const addStep = () => {
    const [, end] = findStep(),
      gap = area.value.slice(0, end).endsWith("\n\n") || !end ? "" : "\n";
    replace(
      end,
      end,
      `${gap}## New step\n\nSay what to look at.\n\n${seen()}\n${end < textEnd() ? "\n" : ""}`,
      "New step",
    );
  };
  const setUp = () => {
    const [begin, end] = findStep(),
      found = SETTING.exec(area.value.slice(begin, end));
    if (found) replace(begin + found.index, begin + found.index + found[0].length, seen());
    else replace(end, end, `\n${seen()}\n`);
  };
  const ask = () => {
    const [, end] = findStep();
    replace(end, end, QUESTION + (end < textEnd() ? "\n" : ""), "What do you expect?");
  };

  /** The number of the step that has the caret. */
  const countSteps = () => Math.max(0, starts().filter(at => at <= area.selectionStart).length - 1);
  const follow = () => {
    if (countSteps() !== entered) enter((entered = countSteps()));
  };

  function send() {
    try {
      localStorage.setItem(DRAFT, area.value);
    } catch {}
    clearTimeout(waiting);
    waiting = setTimeout(() => change(area.value), QUIET);
  }
  function hide() {
    clearTimeout(waiting);
    element.hidden = true;
  }
  area.addEventListener("input", send);
  for (const kind of ["keyup", "click"]) area.addEventListener(kind, follow);

  const title = () => area.value.split("\n", 1)[0].replace(/^#\s*/, "").trim();
  const save = () =>
    saveFile(
      area.value,
      `${
        title()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, "-")
          .replace(/^-|-$/g, "") || "lesson"
      }.md`,
      "text/markdown",
    );
  const share = async event => {
    const pressed = event.currentTarget;
    copyLink(await address(area.value), pressed, shared);
  };
  const shared = create("p", {className: "shared", role: "status"});
  const element = create(
    "section",
    {className: "html-block writing", ariaLabel: "Lesson editor", hidden: true},
    create(
      "header",
      {},
      create("h2", {textContent: "Your lesson"}),
      button("Save as file", "Save the lesson as a Markdown file", save),
      button("Copy link", "Copy a link that has the whole lesson in it", share),
      Object.assign(
        button("×", "Close the editor; the draft stays in this browser", () => {
          hide();
          close();
        }),
        {ariaLabel: "Close the editor"},
      ),
    ),
    shared,
    create(
      "div",
      {className: "tools", role: "group", ariaLabel: "Insert"},
      button("+ Step with this setting", "Add a step that sets up the lab as it is now", addStep),
      button("Use this setting", "Make the step at the caret set up the lab as it is now", setUp),
      button("+ Question", "Add a question to the step at the caret", ask),
    ),
    errors,
    area,
  );

  return {
    element,
    hide,
    /** The number of the step that the lesson is to show. */
    get step() {
      return (entered = countSteps());
    },
    open(text) {
      Object.assign(area, {value: text});
      element.hidden = false;
      area.focus();
      area.setSelectionRange(0, 0);
      send();
    },
    /** Show errors, each with a line of the text. */
    showErrors(found) {
      const lines = area.value.split("\n"),
        list = found.map(text => {
          const line = Number(/line (\d+):/.exec(text)?.[1] ?? 1) - 1,
            from = lines.slice(0, line).join("\n").length + (line ? 1 : 0);
          const select = () => {
            area.focus();
            area.setSelectionRange(from, from + (lines[line]?.length ?? 0));
          };
          return create(
            "li",
            {},
            button(text.replace(/^.*?, line/, "Line"), "Go to this line", select),
          );
        });
      errors.replaceChildren(...(list.length ? [create("ul", {role: "list"}, ...list)] : []));
    },
  };
}
