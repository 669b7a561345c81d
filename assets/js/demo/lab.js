// The lab without a server: a demo with lists of problems and methods. A choice is an address, whose page assemble.js assembles.

import {render} from "../controls/picker.js";
import {create} from "../core/dom.js";
import {formatQuery, parseNames} from "../core/numbers.js";
import {data} from "./data.js";
import {Model} from "./model.js";

const {problems, methods, available, colours} = data.lab,
  loaded = data.lines.map(({method}) => method);
const readAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

document.title = `${document.querySelector("h1").textContent}: ${data.lines.map(({label}) => label).join(", ")}`;

/** The methods that are chosen, which can be fewer than those on the page. */
const listChosen = () => globalThis.polhodeDemo?.state.methods ?? loaded;

const go = query => {
  location.hash = formatQuery(query);
};

/** Another problem starts with its own step, duration and numbers. */
function chooseProblem(problem) {
  const kept = Object.entries(readAddress()).filter(([word]) => data.words.includes(word));
  go({...Object.fromEntries(kept), problem, methods: listChosen().join(",")});
}

function addMethod(label) {
  const chosen = listChosen();
  if (chosen.length < colours.length)
    go({...readAddress(), problem: data.problem, methods: [...chosen, label].join(",")});
  else
    adding.set({
      wrong: `At most ${colours.length} methods can be compared at once; clear the box of one first.`,
    });
}

const left = methods.map(([group, entries]) => [
  group,
  entries.filter(([key]) => !loaded.includes(key)),
]);
const problem = new Model(
  {
    label: "Problem",
    groups: problems,
    value: data.problem,
    search: false,
    placeholder: "",
    about: "",
    wrong: "",
  },
  ({pick}) => chooseProblem(pick),
);
const adding = new Model(
  {
    label: "Methods",
    groups: left,
    value: "",
    search: true,
    placeholder: "Key, name or family",
    wrong: "",
    about: `At most ${colours.length} at once, of ${available.length} for this problem.`,
  },
  ({pick}) => addMethod(pick),
);

document.querySelector("[data-part=controls]").prepend(
  ...[problem, adding].map(model => {
    const box = create("div");
    box.style.margin = "12px 12px 8px";
    box
      .attachShadow({mode: "open"})
      .append(
        create("style", {textContent: document.getElementById("picker-style").textContent}),
        render({model}),
      );
    return box;
  }),
);

document.querySelector("[data-part=about]").append(document.getElementById("limits"));

// Where the address names what this page lacks, assemble.js has to assemble another.
addEventListener(
  "hashchange",
  event => {
    const {problem = data.problem, methods = ""} = readAddress();
    if (
      problem === data.problem &&
      !parseNames(methods).some(label => available.includes(label) && !loaded.includes(label))
    )
      return;
    event.stopImmediatePropagation();
    location.reload();
  },
  {capture: true},
);
