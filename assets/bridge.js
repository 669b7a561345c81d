// What scripts may ask of the page (window.polhode), its address, and keyboard shortcuts; see app/bridge.py.

const LATER = {print: "./paper.js"}, LECTURE = "./lecture.js";  // not joined to this where there is no server
const WRITTEN_IN = "input:not([type=range], [type=checkbox], [type=radio], [type=button], [type=submit]), textarea, [contenteditable=true]";

function frozen(value) {
  if (value && typeof value === "object") Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

export function render({model}) {
  let state = {version: "", choice: {}, runs: []}, revision = 0, input = 0, changed = 0, painted = 0, renaming = 0, fading = 0, speaking = 0;
  const leaving = new AbortController(), {signal} = leaving;

  Object.defineProperty(window, "polhode", {
    configurable: true,
    get() {
      const {version, choice, runs} = state;
      const player = globalThis[Symbol.for("polhode.clock")]?.state ?? {time: 0, attitude: null, playing: false, solid: "", bodies: []};
      return frozen(structuredClone({version, choice, revision, changed, painted, runs, player}));
    },
  });
  const own = Object.getOwnPropertyDescriptor(window, "polhode").get;

  // The page is there once Bokeh has laid out all of it, which it does piece by piece.
  const there = new Promise(resolve => {
    const asked = performance.now();
    const look = () => {
      const views = Object.values(globalThis.Bokeh?.index ?? {});
      if (signal.aborted || views.every(view => view.is_idle ?? true) || performance.now() > asked + 30000) resolve();
      else setTimeout(look, 50);
    };
    look();
  });

  // What arrived with this is drawn in the next frame, by callbacks that were asked for before this one.
  const told = async () => {
    const next = model.state, asked = input;
    await there;
    if (!next?.told || signal.aborted) return;
    afterNextFrame(() => {
      if (signal.aborted) return;
      state = plain(next);
      revision += 1;
      changed = asked;
      painted = performance.now();
      speak(next.said);
      if (opens) does("lecture");
      opens = false;
    });
  };

  function rename() {
    const {address} = model, beside = "lecture" in document.documentElement.dataset ? "&lecture" : "";
    clearTimeout(renaming);
    if (address) renaming = setTimeout(() => history.replaceState(history.state, "", address + beside + location.hash), 100);
  }

  // What only some visits need is fetched when it is asked for; where no server has it, as in a notebook, it is not there.
  const does = what => import(LATER[what] ?? LECTURE).then(page => page[what]({model, renamed: rename, told: () => model.state.said}), () => {});
  let opens = new URLSearchParams(location.search).has("lecture");  // once there is something to be shown

  // What is old is faint as soon as it is noticed that it is.
  const expect = () => {
    clearTimeout(fading);
    const fade = strength => document.documentElement.style.setProperty("--polhode-old", strength);
    if (model.expected) fading = setTimeout(fade, 250, 0.4); else fade(1);
  };

  // Whoever does not see the page hears of a change when it has come to rest.
  function speak(words) {
    const place = document.getElementById("said");
    clearTimeout(speaking);
    if (place && words?.length) speaking = setTimeout(() => { place.textContent = words.join(". "); }, 800);
  }

  for (const kind of ["input", "change", "keydown", "pointerup"])
    document.addEventListener(kind, () => { input = performance.now(); }, {capture: true, passive: true, signal});

  document.addEventListener("keydown", event => {
    const field = event.composedPath()[0];
    if (event.defaultPrevented || field?.matches?.(WRITTEN_IN)) return;
    const command = (event.ctrlKey || event.metaKey) && !event.altKey, key = event.key.toLowerCase();
    const name = command && key === "z" ? (event.shiftKey ? "redo" : "undo") : command && key === "y" ? "redo" : !command && key === "?" ? "help" : null;
    const other = !model.state.runs.length ? null : command && key === "p" ? "print" : !command && key === "l" ? "lecture" : null;
    if (!name && !other) return;
    event.preventDefault();
    if (name) model[name] += 1; else does(other);
  }, {signal});
  document.addEventListener("polhode:do", ({detail}) => does(detail), {signal});

  model.on("state", told);
  model.on("expected", expect);
  model.on("address", rename);
  model.on("remove", () => {
    leaving.abort();
    for (const waiting of [renaming, fading, speaking]) clearTimeout(waiting);
    if (Object.getOwnPropertyDescriptor(window, "polhode")?.get === own) delete window.polhode;
  });
  told();
  expect();
  rename();
  return document.createElement("div");
}

/** When the next frame has been handed on, with all that its callbacks drew, and before anything else is done. */
function afterNextFrame(act) {
  requestAnimationFrame(() => {
    if (globalThis.scheduler?.postTask) return scheduler.postTask(act, {priority: "user-blocking"});
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => { port1.close(); act(); };
    port2.postMessage(null);
  });
}

/** Maps, which Bokeh makes of nested dictionaries, as plain objects. */
function plain(value) {
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [k, plain(v)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

export default {render};
