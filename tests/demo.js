// A demo's runs and table in Node, for tests/app/test_live_demo.py, which puts the elements of a page and the demo's data before it.

import {choice} from "../assets/js/demo/choice.js";
import {data} from "../assets/js/demo/data.js";
import {createLedger} from "../assets/js/demo/ledger.js";
import {findInvariants} from "../assets/js/demo/invariants.js";
import {Computation} from "../assets/js/demo/runs.js";

/** The elements of a name in a tree of them. */
const find = (tree, name) =>
  (tree.parts ?? []).flatMap(part => [...(part.name === name ? [part] : []), ...find(part, name)]);

/** The heads of a demo's ledger, and its cells by rows, each with its text and title. */
export async function readLedger() {
  const {dt, duration, lines} = data,
    given = Object.fromEntries(data.beginning.header.given.map(({name, value}) => [name, value])),
    computation = new Computation("", {draw() {}, report() {}});
  document.createElement = name => ({
    name,
    style: {},
    title: "",
    textContent: "",
    innerText: "",
    parts: [],
    setAttribute() {},
    append(...parts) {
      this.parts.push(...parts);
    },
  });
  globalThis.requestAnimationFrame = act => setTimeout(act);
  await computation.load();
  await computation.compute({dt, duration, methods: lines.map(({method}) => method), given});
  const [heads, ...rows] = find(
    createLedger(findInvariants(computation.results), computation),
    "tr",
  );
  return {
    heads: find(heads, "th").map(({innerText}) => innerText),
    rows: rows.map(row => find(row, "td").map(({textContent, title}) => [textContent, title])),
  };
}

/** The link and the program of a demo's choice after changes of fields, [name, text]. */
export function writeChoice(changes) {
  for (const change of changes) choice.change(...change);
  return [choice.writeLink(), choice.writeProgram()];
}
