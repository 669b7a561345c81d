// What scripts may ask of the page (window.polhode), keyboard shortcuts, and the clipboard; see app/bridge.py.

const WRITTEN_IN = "input:not([type=range], [type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable=true]";

function frozen(value) {
  if (value && typeof value === "object") Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

export function render({model}) {
  let state = {version: "", choice: {}, runs: []}, revision = 0, input = 0, changed = 0, painted = 0;
  const leaving = new AbortController(), {signal} = leaving;

  Object.defineProperty(window, "polhode", {
    configurable: true,
    get() {
      const {version, choice, runs} = state;
      const player = globalThis[Symbol.for("polhode.clock")]?.state ?? {time: 0, attitude: null, playing: false, solid: ""};
      return frozen(structuredClone({version, choice, revision, changed, painted, runs, player}));
    },
  });
  const own = Object.getOwnPropertyDescriptor(window, "polhode").get;

  // What arrived is drawn in the next frame, and that frame is over when the one after it begins.
  const told = () => {
    const next = model.state, asked = input;
    if (!next?.told || signal.aborted) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (signal.aborted) return;
      state = plain(next);
      revision += 1;
      changed = asked;
      painted = performance.now();
    }));
  };

  for (const kind of ["input", "change", "keydown", "pointerup"])
    document.addEventListener(kind, () => { input = performance.now(); }, {capture: true, passive: true, signal});

  document.addEventListener("keydown", event => {
    const field = event.composedPath()[0];
    if (event.defaultPrevented || field?.matches?.(WRITTEN_IN)) return;
    const command = (event.ctrlKey || event.metaKey) && !event.altKey, key = event.key.toLowerCase();
    const name = command && key === "z" ? (event.shiftKey ? "redo" : "undo") : command && key === "y" ? "redo" : !command && key === "?" ? "help" : null;
    if (!name) return;
    event.preventDefault();
    model[name] += 1;
  }, {signal});

  const copy = async () => {
    const text = model.copy;
    if (!text) return;
    try { await navigator.clipboard.writeText(text); } catch { byHand(text); }
    model.copy = "";
  };

  model.on("state", told);
  model.on("copy", copy);
  model.on("remove", () => {
    leaving.abort();
    if (Object.getOwnPropertyDescriptor(window, "polhode")?.get === own) delete window.polhode;
  });
  told();
  return document.createElement("div");
}

/** Maps, which Bokeh makes of nested dictionaries, as plain objects. */
function plain(value) {
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [k, plain(v)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  return value;
}

/** For pages that did not come over HTTPS, to which browsers give no clipboard. */
function byHand(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position:fixed;opacity:0";
  document.body.appendChild(field);
  const before = document.activeElement;
  field.select();
  document.execCommand("copy");
  field.remove();
  before?.focus?.();
}

export default {render};
