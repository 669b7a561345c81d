// `window.polhode` (app/browser/script_api.py documents it), the page's address, keyboard shortcuts, and what the page announces
// to screen readers.

import {create} from "./dom.js";
import {CELL, NO_RESULTS, page} from "./page.js";

// Only some visits need these scripts, which are fetched on demand. Where no server has them, as in a notebook, nothing happens.
const LECTURE = "../scene/lecture.js",
  PRINT = "../scene/print.js";
const SCRIPTS = {
  lecture: [LECTURE, "openLecture"],
  picture: [LECTURE, "savePicture"],
  video: [LECTURE, "recordVideo"],
  print: [PRINT, "printPage"],
  paper: [PRINT, "preparePaper"],
};
const PAST = "polhode-past"; // in the tab's storage, until the next page reads it
const TEXT_FIELDS =
  "input:not([type=range], [type=checkbox], [type=radio], [type=button], [type=submit]), textarea, [contenteditable=true]";
const IDLE = {time: 0, attitude: null, playing: false, solid: "", bodies: []};
const MOST_LAYOUT = 30_000,
  LOOK = 50; // milliseconds that Bokeh may take to lay out the page, and between two looks
const FADE = 250,
  QUIET = 800; // milliseconds until old results fade, and of rest before a change is announced

function freeze(value) {
  if (value && typeof value === "object") Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

export function render({model}) {
  let revision = 0,
    input = 0,
    renaming = 0,
    fading = 0,
    speaking = 0;
  let opensLecture = new URLSearchParams(location.search).has("lecture"); // with the first results
  const leaving = new AbortController(),
    {signal} = leaving;

  const readResults = () => JSON.parse(model.results || '{"runs": [], "said": []}');
  page.state = NO_RESULTS;
  Object.defineProperty(window, "polhode", {
    configurable: true,
    get() {
      const pending = page.state.pending || model.expected || page.ahead !== "",
        player = page.clock?.state ?? IDLE;
      return freeze(structuredClone({...page.state, pending, player}));
    },
  });
  const own = Object.getOwnPropertyDescriptor(window, "polhode").get;

  // Bokeh lays out the page piece by piece.
  const laidOut = new Promise(resolve => {
    const start = performance.now();
    const look = () => {
      const views = Object.values(globalThis.Bokeh?.index ?? {});
      if (
        signal.aborted ||
        views.every(view => view.is_idle ?? true) ||
        performance.now() > start + MOST_LAYOUT
      )
        resolve();
      else setTimeout(look, LOOK);
    };
    look();
  });

  /** Publish new results, once the frame is painted that draws what arrived with them. */
  async function publish() {
    const next = readResults(),
      changed = input;
    await laidOut;
    if (!next.published || signal.aborted) return;
    afterNextFrame(() => {
      if (signal.aborted) return;
      const {version, choice, runs, said, pending} = next;
      document.getElementById("paper")?.remove(); // of earlier results
      page.state = {
        version,
        choice,
        revision: (revision += 1),
        changed,
        painted: performance.now(),
        runs,
        pending,
      };
      announce(said);
      if (opensLecture) open("lecture");
      opensLecture = false;
    });
  }

  /** Hand on the choices of the view from which a link led here: the server can undo and redo them. */
  function takePast() {
    let handed = {};
    try {
      handed = JSON.parse(sessionStorage.getItem(PAST)) ?? handed;
      sessionStorage.removeItem(PAST);
    } catch {}
    if (handed.to === location.search) model.send_msg({past: handed.past, future: handed.future});
  }

  /** Keep the choices before and after this one for the page at this address. */
  function keepPast(to) {
    try {
      sessionStorage.setItem(PAST, JSON.stringify({to, past: model.past, future: model.future}));
    } catch {}
  }

  function rename() {
    const {address} = model,
      lecture = "lecture" in document.documentElement.dataset ? "&lecture" : "";
    clearTimeout(renaming);
    if (address)
      renaming = setTimeout(
        () => history.replaceState(history.state, "", address + lecture + location.hash),
        100,
      );
  }

  function open(what) {
    const [address, name] = SCRIPTS[what];
    import(address).then(
      script => script[name]({model, rename, describe: () => readResults().said}),
      () => {},
    );
  }

  /** Fade results that are out of date, if new ones do not come at once. */
  function fade() {
    clearTimeout(fading);
    const set = strength => document.documentElement.style.setProperty("--polhode-old", strength);
    if (model.expected) fading = setTimeout(set, FADE, 0.4);
    else set(1);
  }

  /** Show what the server says to all visitors, until a person has read it. */
  function notify() {
    document.getElementById("notice")?.remove();
    if (!model.notice) return;
    const close = create("button", {
      type: "button",
      textContent: "Close",
      onclick: () => bar.remove(),
    });
    const bar = create(
      "div",
      {id: "notice"},
      create("p", {role: "alert", textContent: model.notice}),
      close,
    );
    document.body.append(bar);
  }

  /** Announce a change to screen readers when no other follows. */
  function announce(sentences) {
    const place = document.getElementById("said");
    clearTimeout(speaking);
    if (place && sentences?.length)
      speaking = setTimeout(() => {
        place.textContent = sentences.join(". ");
      }, QUIET);
  }

  for (const kind of ["input", "change", "keydown", "pointerup"])
    document.addEventListener(
      kind,
      () => {
        input = performance.now();
      },
      {capture: true, passive: true, signal},
    );

  document.addEventListener(
    "keydown",
    event => {
      const field = event.composedPath()[0];
      if (event.defaultPrevented || field?.matches?.(TEXT_FIELDS)) return;
      if (CELL && !event.composedPath().includes(globalThis.Bokeh.index.get_by_id(CELL)?.el))
        return; // the notebook has keys of its own
      const command = (event.ctrlKey || event.metaKey) && !event.altKey,
        key = event.key.toLowerCase();
      const count =
        command && key === "z"
          ? event.shiftKey
            ? "redo"
            : "undo"
          : command && key === "y"
            ? "redo"
            : !command && key === "?"
              ? "help"
              : null;
      const script = command && key === "p" ? "print" : !command && key === "l" ? "lecture" : null;
      if (!count && !(script && readResults().runs.length)) return;
      event.preventDefault();
      if (count) model[count] += 1;
      else open(script);
    },
    {signal},
  );

  // A browser's own Print leaves no time to ask the server: the page for paper is ready when the pointer or the focus leaves for its menu.
  const prepare = () => {
    if (readResults().runs.length) open("paper");
  };
  document.documentElement.addEventListener("mouseleave", prepare, {signal});
  window.addEventListener("blur", prepare, {signal});

  /** Publish runs of the browser, once the frame is painted that draws them. */
  function publishOwn({dt, duration, lines, view}) {
    const changed = input,
      runs = lines.map(({method, run, end}) => ({
        method,
        status: run.status,
        ...end,
        t: run.t.at(-1),
      }));
    afterNextFrame(() => {
      page.state = {
        ...page.state,
        choice: {
          ...(view?.choice ?? page.state.choice),
          dt,
          duration,
          methods: lines.map(({method}) => method),
        },
        revision: (revision += 1),
        changed,
        painted: performance.now(),
        runs,
      };
    });
  }

  page.offer("open", open, signal);
  page.offer("keep past", keepPast, signal);
  page.offer("show runs", publishOwn, signal);
  page.offer("restore runs", publish, signal);
  model.on("results", publish);
  model.on("expected", fade);
  model.on("address", rename);
  model.on("notice", notify);
  model.on("remove", () => {
    leaving.abort();
    for (const waiting of [renaming, fading, speaking]) clearTimeout(waiting);
    if (Object.getOwnPropertyDescriptor(window, "polhode")?.get === own) delete window.polhode;
  });
  publish();
  fade();
  takePast();
  rename();
  return document.createElement("div");
}

let handedOn = null; // an act whose frame is handed on: while a person drags, browsers may put input and frames before their task

/** Act after the next frame is handed on, with all that its callbacks drew, and before anything else happens. */
function afterNextFrame(act) {
  handedOn?.();
  const once = () => {
    if (handedOn === once) handedOn = null;
    act?.();
    act = null;
  };
  requestAnimationFrame(() => {
    handedOn = once;
    if (globalThis.scheduler?.postTask)
      return scheduler.postTask(once, {priority: "user-blocking"});
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      once();
    };
    port2.postMessage(null);
  });
}

export default {render};
