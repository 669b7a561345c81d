// A demo's runs and table in Node, for tests/app/test_live_demo.py, which puts the elements of a page and the demo's data before it.

import {data} from "../assets/js/demo/data.js";
import {createLedger} from "../assets/js/demo/ledger.js";
import {findInvariants} from "../assets/js/demo/invariants.js";
import {Computation} from "../assets/js/demo/runs.js";

/** The elements of a name in a tree of them. */
const find = (tree, name) =>
  (tree.parts ?? []).flatMap(part => [...(part.name === name ? [part] : []), ...find(part, name)]);

/** The cells of a demo's ledger by rows, each with its text and title. */
export async function readLedger() {
  const {dt, duration, methods} = data,
    given = Object.fromEntries(data.beginning.header.given.map(({name, value}) => [name, value])),
    computation = new Computation("", {draw() {}, report() {}});
  document.createElement = name => ({
    name,
    style: {},
    title: "",
    textContent: "",
    parts: [],
    setAttribute() {},
    append(...parts) {
      this.parts.push(...parts);
    },
  });
  globalThis.requestAnimationFrame = act => setTimeout(act);
  await computation.load();
  await computation.compute({dt, duration, methods: methods.map(({label}) => label), given});
  const [, ...rows] = find(createLedger(findInvariants(computation), computation), "tr");
  return rows.map(row => find(row, "td").map(({textContent, title}) => [textContent, title]));
}
