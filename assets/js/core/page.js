// How the parts of the page communicate. There are two ways.
//
// 1. A component and its Python class: the component's model.
//    Properties hold state. Python sets them; the script reads `model.name` and follows `model.on("name", …)`. A script
//    sets a property only if the class's `accepts` allows it.
//    Messages are events: `model.send_msg(data)` arrives in `_handle_msg`, and what Python sends arrives in
//    `model.on("msg:custom", …)`.
// 2. Scripts with each other: the object `page` of this module.
//    It holds what they share: the clock of all players, what each plot over time shows, and the results on the page. `page.request(name, detail)`
//    calls what another script offers by `page.offer(name, act, signal)`; it returns whether one has taken it.
//    The requests are:
//      "connection lost"   the server is gone (Bokeh, see app/pages/frame.py; frame.js)
//      "keep past"         keep the choices so far for the page at this address (frame.js; script-api.js)
//      "open"              open lecture mode, or save a picture or a video (html-block.js; script-api.js)
//      "change step size"  move the slider of Δt {by} some places; it is {held} until a move of a person ends (time-plot.js, prose.js; form.js)
//      "show step size"    show `page.stepSize` (form.js; prose.js)
//      "light up"          show `page.lit`; `scrolls` tells to bring it into view (prose.js; time-plots.js)
//      "change lesson step" advance by some steps in the lesson (lecture.js; lesson.js)
//      "prepare drag"      have the kernels of the setting at hand (form.js; local-runs.js)
//      "prepare choice"    have the kernels of the setting with one more {method}, or of a {problem}, at hand; returns whether they are (picker.js; local-runs.js)
//      "drag"              show runs with another {dt}, {duration} or numbers of the problem, by their names
//                          (form.js, start-grip.js, turn-body.js; local-runs.js)
//      "enter"             do the same with an entry {name, text, before, send}, then send it (form.js; local-runs.js)
//      "choose"            show runs with a {method} more, or less, {remove}, or of a {problem}, and then {send} that (picker.js, html-block.js; local-runs.js)
//      "drag rests"        the server has the last value (pacing.js; local-runs.js)
//      "forget drag"       show the server's runs again: it has the value already, or refuses it (form.js; local-runs.js)
//      "show runs"         show {dt, duration, given, J, axes, quantities, lines: [{method, label, colour, run, end}], exactMotion, motions}, and of another problem {choice, plots, scene} as `view` (local-runs.js; time-plots.js, player.js, energies.js, form.js, script-api.js)
//      "fade"              fade what only the server computes of a "setting" or of another "problem", or show it as current, "" (local-runs.js; html-block.js, form.js)
//      "restore runs"      show the server's last runs again, since no others follow (local-runs.js; player.js, energies.js, form.js, script-api.js)
//      "runs answered"     show the server's runs again (local-runs.js; time-plots.js, energies.js)
//      "show moment"       show {time, of, note, camera}: a time, the curve of a method, a note, and the scene from a camera; null ends that
//                          (lesson.js; clock.js, time-plots.js)
//      "repaint"           paint again, in the colours of another theme (frame.js; time-plots.js)
//
// `window.polhode` (script-api.js) is for scripts outside the page; its own scripts do not use it.

export const NO_RESULTS = {
  version: "",
  choice: {},
  revision: 0,
  changed: 0,
  painted: 0,
  runs: [],
  pending: true,
};

/** The page's address up to the query: the public one, if the operator of the server has named it. */
export const findAddress = () =>
  document.documentElement.dataset.public || location.origin + location.pathname;

class Page {
  state = NO_RESULTS; // see script-api.js
  clock = null; // of all players, see clock.js
  hidden = []; // the parts that a lesson hides until its question is answered; while "picture" is among them, the motion waits at its start
  ahead = ""; // what the browser's own runs show that the server does not have yet: another "setting" or "problem"; "" without such runs
  moment = null; // what a lesson's text shows, see "show moment"
  stepSize = ""; // Δt as its field has it
  lit = ""; // the beginning of the titles of plots, or the method, that stand out while a person points at their name in a text
  lessonHash = ""; // the part of a link that has the visitor's own lesson in it, from its # on (lesson.js; html-block.js)
  labProblem = ""; // the key of the problem of the filters on Methods, which links to the lab open (method-table.js; frame.js)
  meanings = null; // the tooltip that explains words, see meanings.js
  plots = new Set(); // the plots over time, see time-plot.js
  #offers = new Map();

  get held() {
    return this.hidden.includes("picture");
  }

  /** Hide these parts of the motion. */
  hide(names) {
    this.hidden = names;
    this.clock?.hold();
  }

  /** Show Δt in the texts that have a handle of it. */
  showStepSize(text) {
    if (text === this.stepSize) return;
    this.stepSize = text;
    this.request("show step size");
  }

  /** Act when another script requests this, until the signal aborts. An act that returns false has not taken the request. */
  offer(name, act, signal) {
    const acts = this.#offers.get(name) ?? new Set();
    this.#offers.set(name, acts.add(act));
    signal?.addEventListener("abort", () => acts.delete(act));
  }

  /** Have other scripts do something; returns whether any of them has. */
  request(name, detail) {
    return [...(this.#offers.get(name) ?? [])].map(act => act(detail) !== false).some(Boolean);
  }
}

// All copies of this script share one object, which callbacks of Bokeh's models find by the same symbol. In a notebook, whose loader
// appends the cell's id to the name, each cell has an object of its own.
const NAME = "polhode.page";
export const page = (globalThis[Symbol.for(NAME)] ??= new Page());
/** The id of a notebook's cell, which is that of its first model; undefined elsewhere. */
export const CELL = NAME.split(" ")[1];
