// Sets of radio buttons in a row, the first one as tabs if there are tabs; see app/views/controls/switches.py.

import {create} from "../core/dom.js";

export function render({model}) {
  const root = create("div", {className: "sets"}),
    own = Math.random().toString(36).slice(2);

  const choose = (i, text) => {
    model.chosen = model.chosen.map((before, k) => (k === i ? text : before));
  };
  const createSet = ([name, about, texts, looks], i) => {
    const inputs = texts.map(text =>
      create("input", {
        type: "radio",
        name: name + own,
        value: text,
        onchange: () => choose(i, text),
      }),
    );
    const group = create(
      "div",
      {className: looks, title: looks === "tabs" ? "" : about},
      ...inputs.map(input =>
        create("label", {}, input, new Map(model.labels).get(input.value) ?? input.value),
      ),
    );
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", name);
    group.dataset.name = name;
    return looks === "named"
      ? create("div", {className: "with-name"}, create("span", {ariaHidden: "true"}, name), group)
      : group;
  };
  const mark = () =>
    root.querySelectorAll("[role=radiogroup]").forEach((group, i) => {
      group.hidden = !model.useful.includes(group.dataset.name);
      for (const input of group.querySelectorAll("input"))
        input.checked = input.value === model.chosen[i];
    });
  const fill = () => {
    root.replaceChildren(...model.sets.map(createSet));
    mark();
  };
  const describe = () => {
    for (const [id, words] of model.pictures) {
      const view = window.Bokeh.index.find_one_by_id(id);
      view?.el.setAttribute("role", "img");
      view?.el.setAttribute("aria-label", words);
    }
  };

  for (const name of ["sets", "labels"]) model.on(name, fill);
  for (const name of ["chosen", "useful"]) model.on(name, mark);
  model.on("after_render", describe);
  setTimeout(describe, 500);
  fill();
  return root;
}

export default {render};
