// Runs in the browser while a person drags or enters Δt, the duration or numbers of the problem, or chooses methods or a problem: the plots
// and the picture follow at once. The server computes everything when the drag rests; until then, what only it computes is faded. See
// app/views/plots/local_runs.py.

import {IDENTITY, areMoments} from "../core/algebra.js";
import {decodeBytes} from "../core/files.js";
import {parseList, parseStep} from "../core/numbers.js";
import {page} from "../core/page.js";
import {computeRuns, describeRuns, fetchModules, instantiate, unpackRuns} from "./compute-runs.js";

const TIMES = {
  dt: parseStep,
  duration: Number,
  rate: text => parseStep(/^\d+$/.test(text.trim()) ? `1/${text}` : text),
}; // `rate` is Δt, see app/state/pages/engine_question.py
const LATEST = 100; // milliseconds until an entry is sent
const SOON = 1500; // milliseconds after the page has come until it asks for its kernels, unless a person is faster
const KNOWN = 6; // settings whose kernels the page keeps
const LONG = 20,
  OFTEN = 3; // milliseconds of runs, so many times in a row, from which a worker computes the next ones

/** A worker that computes runs of some kernels, the newest request first; `receive(dragged, found)` takes each result. */
class Helper {
  #running = null;
  #next = null;
  constructor(kernels, receive) {
    this.worker = new Worker(new URL("./run-worker.js", import.meta.url), {type: "module"});
    this.worker.postMessage({modules: kernels.modules});
    this.worker.onmessage = ({data}) => {
      const dragged = this.#running;
      this.#running = null;
      if (this.#next) this.compute(this.#next);
      receive(dragged, data && unpackRuns(kernels, data));
    };
    this.worker.onerror = () => receive(this.#running, null);
  }
  compute(dragged) {
    if (this.#running) {
      this.#next = dragged;
      return;
    }
    this.#next = null;
    this.worker.postMessage({dragged: (this.#running = dragged)});
  }
  close() {
    this.worker.terminate();
  }
}

export function render({model}) {
  let setting = JSON.parse(model.setting);
  let kernels = null,
    asked = "",
    helper = null,
    slow = 0; // slow: how many runs in a row took long
  const known = new Map(); // kernels of the last settings, by key
  const others = new Map(); // the key of the setting with one more method or of another problem, and what the browser shows of that, by its name
  let latest = null,
    wanted = null; // the numbers on screen that the server does not have, and those that the worker computes
  const leaving = new AbortController(),
    {signal} = leaving;

  /** Mark what only the server computes as old, or as current; old after the next frame, which then comes sooner. */
  function setAhead(of) {
    if (page.ahead === of) return;
    page.ahead = of;
    const fade = () => {
      if (page.ahead === of) page.request("fade", of);
    };
    if (of) requestAnimationFrame(() => setTimeout(fade));
    else fade();
  }

  /** Ask for the kernels of the setting before a person begins to drag. */
  const prepare = field => {
    const {key} = setting;
    if (field && !(field in TIMES || field in setting.given)) return false;
    if (!key || key === kernels?.key || key === asked) return false;
    asked = key;
    model.send_msg({});
  };
  page.offer("prepare drag", prepare, signal);
  page.offer(
    "prepare choice",
    asked => {
      const name = asked.method ?? asked.problem;
      if (setting.key && !others.has(name)) {
        for (const [before, other] of others) if (!other) others.delete(before); // the server may have left it for this one
        others.set(name, null);
        model.send_msg(asked);
      }
      return known.has(others.get(name)?.key);
    },
    signal,
  );
  const first = setTimeout(prepare, SOON);

  /** Whether the kernels are those of the setting, also in numbers of the problem that they cannot change. */
  const isReady = () =>
    !!setting.key &&
    setting.key === kernels?.key &&
    Object.entries(setting.given).every(
      ([name, value]) => name in kernels.given || String(value) === String(kernels.built[name]),
    );

  const draw = (dragged, found) =>
    page.request("show runs", {...describeRuns(kernels, dragged, found), view: setting.view});

  function dismiss() {
    helper?.close();
    helper = null;
    slow = 0;
  }

  /** Take the result of the worker, null if the server has to compute. */
  function take(dragged, found) {
    if (!found) {
      dismiss();
      latest = null;
    } else if (wanted) draw(dragged, found);
  }

  /** Compute and show, or have the worker do that; returns false if the server has to. */
  function show(dragged) {
    latest = wanted = null;
    if (!isReady()) return false;
    if (helper) helper.compute((wanted = dragged));
    else {
      const begun = performance.now(),
        found = computeRuns(kernels, dragged),
        spent = performance.now() - begun;
      if (!found || !draw(dragged, found)) return false;
      slow = spent > LONG ? slow + 1 : 0; // the first runs take long, since browsers optimise code while it runs
      // Where a script has no address, as in a notebook, there is no worker.
      try {
        if (slow >= OFTEN) helper = new Helper(kernels, take);
      } catch {
        /* the page computes */
      }
    }
    latest = dragged;
    setAhead(setting.view ? "problem" : "setting");
    return true;
  }

  /** Whether the kernels take these numbers of the problem. */
  function canTake([name, numbers]) {
    const {value, low, high} = kernels.given[name] ?? {value: []};
    if (
      numbers.length !== value.length ||
      !numbers.every(x => x >= (low ?? -Infinity) && x <= (high ?? Infinity))
    )
      return false;
    return name !== "J" || (areMoments(numbers) && String(kernels.axes) === String(IDENTITY));
  }

  function drag({dt = setting.dt, duration = setting.duration, ...entered}) {
    if (!isReady()) return false;
    return (
      dt > 0 &&
      duration > 0 &&
      Object.entries(entered).every(canTake) &&
      show({dt, duration, given: {...setting.given, ...entered}})
    );
  }
  page.offer("drag", drag, signal);

  /** Show the runs with an entry, and send it. */
  page.offer(
    "enter",
    ({name, text, before, send}) => {
      const read = TIMES[name] ?? (name in setting.given && parseList);
      if (
        !read ||
        String(read(text)) === String(read(before)) ||
        !drag({[name === "rate" ? "dt" : name]: read(text)})
      )
        return false;
      sendAfterPaint(send);
    },
    signal,
  );

  /** Kernels without one of the methods; the others take the colours in their order. */
  function without({key, lines, modules, ...same}, label) {
    const leave = all =>
      all
        .filter(line => line.label !== label)
        .map((line, i) => ({...line, colour: lines[i].colour}));
    return {
      ...same,
      key: `${key} − ${label}`,
      lines: leave(lines),
      modules: {...modules, lines: leave(modules.lines)},
    };
  }

  /** Show the runs with one more method, without one, or of another problem, and send that once they are painted. */
  page.offer(
    "choose",
    ({method, problem, remove, send}) => {
      const before = [kernels, setting],
        other = others.get(method ?? problem),
        chosen = remove ? isReady() && without(kernels, remove) : known.get(other?.key);
      if (!chosen) return false;
      setting = {...setting, ...other, key: chosen.key};
      others.clear();
      adopt(chosen);
      if (show(setting)) return sendAfterPaint(send);
      [kernels, setting] = before;
      return false;
    },
    signal,
  );

  /** Send what a person has chosen once the browser's runs with it are painted, but before anything else happens. */
  function sendAfterPaint(send) {
    const sent = new AbortController();
    const act = () => {
      if (sent.signal.aborted) return;
      sent.abort();
      latest = null;
      send();
    };
    for (const kind of ["pointerup", "keydown"])
      document.addEventListener(kind, act, {capture: true, signal: sent.signal});
    requestAnimationFrame(() => setTimeout(act));
    setTimeout(act, LATEST); // of a hidden page nothing is painted
  }

  page.offer(
    "drag rests",
    () => {
      latest = null;
    },
    signal,
  );
  page.offer(
    "forget drag",
    () => {
      latest = wanted = null;
      if (page.ahead) page.request("restore runs");
      receive();
    },
    signal,
  );

  /** The server has answered; if a newer value is on screen, that stays there. */
  function receive() {
    const {key} = setting;
    setting = JSON.parse(model.setting);
    others.clear(); // the plots of another problem depend on how the page shows them
    if (setting.key !== key) {
      asked = "";
      adopt(known.get(setting.key) ?? kernels);
    }
    if (latest && show(latest)) return;
    wanted = null;
    page.request("runs answered");
    setAhead("");
  }

  /** Take kernels. */
  function adopt(found) {
    if (found === kernels) return;
    dismiss(); // the worker has other ones
    kernels = found;
  }

  /** Take kernels of the setting `key`: that on screen, or with another method or problem, of this `name`, than the setting `of`. */
  async function load(text) {
    const {key, given, name, of, view, ...packed} = JSON.parse(text);
    if (!globalThis.WebAssembly || (name && of !== setting.key)) return;
    try {
      const same = name && !view && of === kernels?.key ? kernels : null,
        modules = await fetchModules(packed, same);
      known.set(key, {...(await instantiate(modules, same)), modules, key, built: given});
      if (view) view.scene.shapes = await decodeBytes(view.scene.shapes); // before the choice, since it takes a while
    } catch {
      return;
    } // where a policy forbids it, the server computes
    if (known.size > KNOWN) known.delete([...known.keys()].find(other => other !== kernels?.key));
    if (of === setting.key && others.has(name)) {
      others.set(name, {
        key,
        ...(view && {given, view, dt: view.choice.dt, duration: view.choice.duration}),
      });
    }
    if (setting.key === key) adopt(known.get(key));
  }

  model.on("msg:custom", ({kernels}) => load(kernels));
  model.on("setting", receive);
  model.on("remove", () => {
    clearTimeout(first);
    dismiss();
    leaving.abort();
    setAhead("");
  });
  return document.createElement("div");
}

export default {render};
