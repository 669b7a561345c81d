// A form: text fields, sliders, menus and switches; see app/views/controls/form.py.

import {create, setAttribute} from "../core/dom.js";
import {formatList, parseList, parseStep} from "../core/numbers.js";
import {sendInTurn} from "../core/pacing.js";
import {page} from "../core/page.js";

const STEPS = 100; // of a slider in a power of ten
const DIGITS = 8; // of a number in a field, as in app/state/form_fields.py
const TEN = {PageUp: 10, PageDown: -10},
  SHIFTED = {ArrowRight: 10, ArrowUp: 10, ArrowLeft: -10, ArrowDown: -10};

/** Return a menu's options; those that are not offered first stand in a group "More". */
function listOptions({options, words, first}) {
  const all = options.map((value, i) => create("option", {value, textContent: words[i] ?? value}));
  if (!first || first >= all.length) return all;
  return [...all.slice(0, first), create("optgroup", {label: "More"}, ...all.slice(first))];
}

/** Render a form; `more(tools)` returns makers of further kinds of fields. */
export function render({model}, more = () => ({})) {
  const box = create("div", {className: "fields"}),
    parts = new Map();
  let ids = 0; // names may have spaces, which ids may not have

  let held = false;
  const leaving = new AbortController();
  const send = (name, text, moved = false) => model.send_msg({name, text, moved, held});
  const moves = sendInTurn(
    (name, text) => send(name, text, true),
    (name, text) => page.request("drag", {[name]: Number(text)}),
  );
  function release(name) {
    if (!held) return;
    held = false;
    moves.finish(name, parts.get(name).input.value);
  }

  const makers = {
    text: field =>
      frame(
        field,
        create("input", {
          className: "field",
          autocomplete: "off",
          spellcheck: false,
          placeholder: field.placeholder,
        }),
      ),
    menu: field =>
      frame(
        field,
        create("select", {className: "field"}, ...listOptions(field)),
        create("i", {className: "arrow"}),
      ),
    slider(field) {
      const part = frame(
        field,
        create("input", {className: "field", autocomplete: "off", spellcheck: false}),
      );
      const [low, high] = field.ends,
        input = part.input,
        show = part.show;
      const slider = create("input", {
        type: "range",
        min: STEPS * low,
        max: STEPS * high,
        ariaLabel: `${field.label} by powers of ten`,
      });
      const valueAt = place => String(Number((10 ** (place / STEPS)).toPrecision(2)));
      const describe = text => {
        slider.setAttribute("aria-valuetext", text);
        if (field.name === "dt") page.showStepSize(text);
      };
      part.show = () => {
        if (moves.underway?.[0] === field.name) return;
        show();
        const value = parseStep(model.values[field.name] ?? "");
        if (Number(valueAt(slider.value)) !== value)
          slider.value = value > 0 ? Math.round(STEPS * Math.log10(value)) : slider.min;
        describe(model.values[field.name]);
      };
      slider.addEventListener("input", () => {
        input.value = valueAt(slider.value);
        describe(input.value);
        moves.move(field.name, input.value);
      });
      for (const kind of ["pointerenter", "focus"])
        slider.addEventListener(kind, () => page.request("prepare drag"));
      slider.addEventListener("pointerdown", () => {
        held = true;
        for (const kind of ["pointerup", "pointercancel"])
          window.addEventListener(kind, () => release(field.name), {once: true});
      });
      slider.addEventListener("change", () => release(field.name));
      const tell = kind => slider.dispatchEvent(new Event(kind, {bubbles: true, composed: true}));
      const move = (by, holds = false) => {
        held ||= holds;
        if (by) {
          slider.value = Number(slider.value) + by;
          tell("input");
        }
        if (!holds && (by || held)) tell("change");
      };
      slider.addEventListener("keydown", event => {
        const by = TEN[event.key] ?? (event.shiftKey ? SHIFTED[event.key] : undefined);
        if (!by) return;
        event.preventDefault();
        move(by);
      });
      if (field.name === "dt")
        page.offer(
          "change step size",
          ({by, held}) => slider.isConnected && move(by, held),
          leaving.signal,
        );
      const buttons = field.buttons.map(([name, text, words]) =>
        create("button", {
          textContent: text,
          title: words,
          ariaLabel: words,
          onclick: () => send(name, ""),
        }),
      );
      part.box.querySelector(".line").append(...buttons);
      part.box.insertBefore(slider, part.about);
      return part;
    },
    switch(field) {
      const input = create("input", {type: "checkbox", role: "switch"});
      const part = {
        box: create(
          "div",
          {className: "entry"},
          create("label", {className: "switch"}, input, field.label),
        ),
        input,
      };
      part.show = () => {
        input.checked = model.values[field.name] === "on";
      };
      input.addEventListener("change", () => send(field.name, input.checked ? "on" : ""));
      return addDescription(part, field);
    },
    words(field) {
      const dot = create("i");
      dot.style.background = field.colour;
      return {
        box: create(
          "p",
          {className: "words"},
          ...(field.colour ? [dot] : []),
          create("b", {textContent: field.label}),
        ),
        show() {},
        markError() {},
      };
    },
  };

  Object.assign(makers, more({frame, send, model}));

  function frame(field, input, ...rest) {
    const legend = create("legend", {
      id: `label-${(ids += 1)}`,
      textContent: field.label,
      onclick: () => input.focus(),
    });
    const fieldset = create("fieldset", {}, legend, input, ...rest);
    fieldset.setAttribute("role", "presentation");
    input.setAttribute("aria-labelledby", legend.id);
    const part = {
      box: create("div", {className: "entry"}, create("div", {className: "line"}, fieldset)),
      input,
    };
    // What a person types or has entered stays, as long as the server only answers what was entered before.
    let typing = false,
      overruled = false,
      shown = "",
      pending = 0; // answers
    part.receive = () => {
      pending = Math.max(0, pending - 1);
    };
    part.note = () => {
      const text = model.values[field.name] ?? "";
      if (text === shown) return;
      overruled = pending === 0;
      part.receive();
      shown = text;
    };
    part.show = () => {
      if (pending > 0 || (typing && !overruled)) return;
      input.value = shown;
      typing = overruled = false;
    };
    part.showNumbers = numbers => {
      if (pending > 0 || typing) return;
      const written = formatList(numbers, ", ", DIGITS);
      input.value = String(parseList(shown)) === String(parseList(written)) ? shown : written;
    };
    input.addEventListener("input", () => {
      typing = true;
    });
    input.addEventListener("change", () => {
      typing = false;
      pending += 1;
      const {name} = field,
        text = input.value,
        act = () => send(name, text);
      if (!page.request("enter", {name, text, before: model.values[name] ?? "", send: act})) act();
    });
    input.addEventListener("focus", () => page.request("prepare drag", field.name));
    return addDescription(part, field);
  }

  /** Add a description: the purpose of the field, or why its entry was refused. */
  function addDescription(part, field) {
    const about = (part.about = create("p", {className: "about", id: `about-${(ids += 1)}`}));
    part.box.append(about);
    part.input.setAttribute("aria-describedby", about.id);
    part.markError = () => {
      const wrong = model.wrong[field.name] ?? "",
        was = part.box.classList.contains("wrong");
      part.box.classList.toggle("wrong", !!wrong);
      part.input.setAttribute("aria-invalid", `${!!wrong}`);
      if (wrong) about.setAttribute("role", "alert");
      else about.removeAttribute("role");
      about.textContent = wrong || field.about;
      if (was && !wrong) part.show();
    };
    return part;
  }

  function build() {
    const before = new Map(parts);
    parts.clear();
    for (const fields of model.fields) {
      const field = fields instanceof Map ? Object.fromEntries(fields) : fields; // Bokeh makes a Map of a dictionary in a list
      const same = JSON.stringify(field),
        old = before.get(field.name);
      const part = old?.same === same ? old : Object.assign(makers[field.kind](field), {same});
      part.box.classList.toggle("half", !!field.half);
      parts.set(field.name, part);
    }
    const wanted = [...parts.values()].map(part => part.box);
    // A part that stays is not moved, since it would lose the focus.
    for (const part of [...box.children]) if (!wanted.includes(part)) part.remove();
    wanted.forEach((part, i) => {
      if (box.children[i] !== part) box.insertBefore(part, box.children[i] ?? null);
    });
    show();
    markErrors();
  }
  const show = () => {
    parts.forEach(part => part.note?.());
    if (moves.receive()) parts.forEach(part => part.show());
  };
  const markErrors = () => parts.forEach(part => part.markError());

  // What a person drags in a picture changes numbers of the problem before the server has them.
  page.offer(
    "show runs",
    ({given, view}) => {
      if (!view)
        for (const [name, numbers] of Object.entries(given))
          parts.get(name)?.showNumbers?.(numbers);
      return false;
    },
    leaving.signal,
  );
  page.offer("restore runs", () => parts.forEach(part => part.show()), leaving.signal);

  page.offer("fade", of => setAttribute(box.getRootNode().host, "data-old", of), leaving.signal);
  model.on("remove", () => leaving.abort());
  model.on("fields", build);
  model.on("values", show);
  model.on("wrong", markErrors);
  model.on("msg:custom", ({answered: name}) => {
    // the value is as before
    parts.get(name)?.receive?.();
    if (!moves.receive()) return;
    page.request("forget drag");
    if (!Object.keys(model.wrong).length) parts.get(name)?.show();
  });
  build();
  if (!model.title) return box;

  const fold = create(
    "details",
    {open: !model.folded},
    create("summary", {textContent: model.title}),
    box,
  );
  fold.addEventListener("toggle", () => {
    model.folded = !fold.open;
  });
  model.on("folded", () => {
    fold.open = !model.folded;
  });
  return fold;
}

export default {render};
