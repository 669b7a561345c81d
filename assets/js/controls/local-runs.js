// Runs in the browser while a person drags or enters Δt, the duration or numbers of the problem, or chooses methods or a problem: the plots
// and the picture follow at once. The server computes everything when the drag rests; until then, what only it computes is faded. See
// app/views/plots/local_runs.py.

import {IDENTITY} from "../core/algebra.js";
import {findFault} from "../core/entries.js";
import {parseList, parseStep} from "../core/numbers.js";
import {page} from "../core/page.js";
import {describeRuns} from "./compute-runs.js";
import {KernelStore, leaveOut} from "./kernel-store.js";
import {Runner} from "./runner.js";

const TIMES = {
  dt: parseStep,
  duration: Number,
  rate: text => parseStep(/^\d+$/.test(text.trim()) ? `1/${text}` : text),
}; // `rate` is Δt, see app/state/pages/engine_question.py
const LATEST = 100; // milliseconds until an entry is sent
const SOON = 1500; // milliseconds after the page has come until it asks for its kernels, unless a person is faster

/**
 * The state after an event; in states that are not listed, an event changes nothing.
 *
 * | state     | on screen                                                       |
 * | --------- | --------------------------------------------------------------- |
 * | following | the server's runs                                               |
 * | leading   | the browser's runs, of numbers that the server does not have    |
 * | awaiting  | the browser's runs, which the server's next answer will replace |
 *
 * | event    | following | leading   | awaiting  | when                                                                      |
 * | -------- | --------- | --------- | --------- | ------------------------------------------------------------------------- |
 * | computed | leading   | leading   | leading   | the browser shows runs, or its worker will                                |
 * | refused  |           | awaiting  |           | the browser cannot show the runs of newer numbers, which the server gets  |
 * | sent     |           | awaiting  |           | the server gets the numbers: the drag rests, or what was chosen is painted |
 * | answered |           | following | following | the server's runs have come, and no newer ones can be shown               |
 */
const NEXT = {
  computed: {following: "leading", awaiting: "leading"},
  refused: {leading: "awaiting"},
  sent: {leading: "awaiting"},
  answered: {leading: "following", awaiting: "following"},
};

export function render({model}) {
  let setting = JSON.parse(model.setting),
    state = "following",
    newest = null; // the numbers that lead
  const store = new KernelStore(),
    runner = new Runner(draw, (numbers, found) => {
      if (!found) enter("refused");
      else if (state !== "following") draw(numbers, found);
    }),
    leaving = new AbortController(),
    offer = (name, act) => page.offer(name, act, leaving.signal);

  function enter(event, numbers = null) {
    state = NEXT[event][state] ?? state;
    newest = state === "leading" ? numbers : null;
    if (event === "computed") mark(setting.view ? "problem" : "setting");
    if (state === "following") mark("");
  }

  /** Mark what only the server computes as old, or as current; old after the next frame, which then comes sooner. */
  function mark(ahead) {
    if (page.ahead === ahead) return;
    page.ahead = ahead;
    const fade = () => {
      if (page.ahead === ahead) page.request("fade", ahead);
    };
    if (ahead) requestAnimationFrame(() => setTimeout(fade));
    else fade();
  }

  /** Show runs; returns whether the page can. */
  function draw(numbers, found) {
    const runs = describeRuns(runner.kernels, numbers, found);
    return page.request("show runs", {...runs, view: setting.view});
  }

  /** Compute and show, or have the worker do that; returns false if the server has to. */
  function show(numbers) {
    const shown = isReady() && runner.compute(numbers);
    enter(shown ? "computed" : "refused", numbers);
    return shown;
  }

  /** Whether the kernels are those of the setting, also in numbers of the problem that they cannot change. */
  function isReady() {
    const {kernels} = runner,
      {key, given} = setting;
    if (!key || key !== kernels?.key) return false;
    return Object.entries(given).every(
      ([name, value]) => name in kernels.given || String(value) === String(kernels.built[name]),
    );
  }

  /** Whether the kernels take these numbers of the problem. */
  function canTake([name, numbers]) {
    const {given, axes} = runner.kernels;
    if (!given[name] || findFault(given[name], numbers)) return false;
    return name !== "J" || String(axes) === String(IDENTITY); // otherwise the entry is a matrix
  }

  // ---- what a person is about to change ------------------------------------------------------------------------------

  /** Ask for the kernels of the setting before a person begins to drag. */
  function prepare(field) {
    const {key} = setting;
    if (field && !(field in TIMES || field in setting.given)) return false;
    if (!key || key === runner.kernels?.key || key === store.asked) return false;
    store.asked = key;
    model.send_msg({});
  }
  offer("prepare drag", prepare);
  const first = setTimeout(prepare, SOON);

  offer("prepare choice", asked => {
    const name = asked.method ?? asked.problem;
    if (setting.key && store.askFor(name)) model.send_msg(asked);
    return !!store.find(store.findOther(name)?.key);
  });

  // ---- what a person changes -----------------------------------------------------------------------------------------

  function drag({dt = setting.dt, duration = setting.duration, ...entered}) {
    return (
      isReady() &&
      dt > 0 &&
      duration > 0 &&
      Object.entries(entered).every(canTake) &&
      show({dt, duration, given: {...setting.given, ...entered}})
    );
  }
  offer("drag", drag);
  offer("drag rests", () => enter("sent"));
  offer("forget drag", () => {
    enter("sent");
    if (state === "awaiting") page.request("restore runs");
    receive();
  });

  /** Show the runs with an entry, and send it. */
  offer("enter", ({name, text, before, send}) => {
    const read = TIMES[name] ?? (name in setting.given && parseList);
    return (
      read &&
      String(read(text)) !== String(read(before)) &&
      drag({[name === "rate" ? "dt" : name]: read(text)}) &&
      sendAfterPaint(send)
    );
  });

  /** Show the runs with one more method, without one, or of another problem, and send that once they are painted. */
  offer("choose", ({method, problem, remove, send}) => {
    const before = [runner.kernels, setting],
      other = store.findOther(method ?? problem),
      chosen = remove ? isReady() && leaveOut(runner.kernels, remove) : store.find(other?.key);
    if (!chosen) return false;
    setting = {...setting, ...other, key: chosen.key};
    store.forgetOthers();
    runner.use(chosen);
    if (show(setting)) return sendAfterPaint(send);
    [runner.kernels, setting] = before;
    return false;
  });

  /** Send what a person has chosen once the browser's runs with it are painted, but before anything else happens. */
  function sendAfterPaint(send) {
    const sent = new AbortController();
    const act = () => {
      if (sent.signal.aborted) return;
      sent.abort();
      enter("sent");
      send();
    };
    for (const kind of ["pointerup", "keydown"])
      document.addEventListener(kind, act, {capture: true, signal: sent.signal});
    requestAnimationFrame(() => setTimeout(act));
    setTimeout(act, LATEST); // of a hidden page nothing is painted
    return true;
  }

  // ---- what the server sends -----------------------------------------------------------------------------------------

  /** The server has answered; newer runs stay on screen. */
  function receive() {
    const {key} = setting;
    setting = JSON.parse(model.setting);
    store.forgetOthers(); // the plots of another problem depend on how the page shows them
    if (setting.key !== key) {
      store.asked = "";
      runner.use(store.find(setting.key) ?? runner.kernels);
    }
    if (state === "leading" && show(newest)) return;
    page.request("runs answered");
    enter("answered");
  }

  async function load(message) {
    const key = await store.take(message, () => ({key: setting.key, kernels: runner.kernels}));
    if (key && key === setting.key) runner.use(store.find(key));
  }

  model.on("msg:custom", ({kernels}) => load(kernels));
  model.on("setting", receive);
  model.on("remove", () => {
    clearTimeout(first);
    runner.close();
    leaving.abort();
    mark("");
  });
  return document.createElement("div");
}

export default {render};
