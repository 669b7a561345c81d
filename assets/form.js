// Entries to type in, sliders, menus and switches, one below the other; see app/views/form.py.

import {inTurn, made} from "./made.js";

const STEPS = 100;  // of a slider in a power of ten
const TEN = { PageUp: 10, PageDown: -10 }, SHIFTED = { ArrowRight: 10, ArrowUp: 10, ArrowLeft: -10, ArrowDown: -10 };

export function render({ model }) {
  const box = made("div", { className: "fields" }), parts = new Map();
  let named = 0;  // ids, which may not have the spaces that names may have

  let held = false;
  const leaving = new AbortController();
  const send = (name, text, moved = false) => model.send_msg({ name, text, moved, held });
  const slid = inTurn((name, text) => send(name, text, true));
  function release(name) {
    if (!held) return;
    held = false;
    slid.rest(name, parts.get(name).input.value);
  }

  const makers = {
    text: field => framed(field, made("input", { className: "field", autocomplete: "off", spellcheck: false, placeholder: field.placeholder })),
    menu: field => framed(field, made("select", { className: "field" }, ...field.options.map((value, i) => made("option", { value, textContent: field.words[i] ?? value }))), made("i", { className: "arrow" })),
    scale(field) {
      const part = framed(field, made("input", { className: "field", autocomplete: "off", spellcheck: false }));
      const [low, high] = field.ends, input = part.input, show = part.show;
      const slider = made("input", { type: "range", min: STEPS * low, max: STEPS * high, ariaLabel: `${field.label} by powers of ten` });
      const at = place => `${Number((10 ** (place / STEPS)).toPrecision(2))}`;
      const told = text => slider.setAttribute("aria-valuetext", text);
      part.show = () => {
        if (slid.underway?.[0] === field.name) return;
        show();
        const value = Number(model.values[field.name]);
        if (Number(at(slider.value)) !== value) slider.value = value > 0 ? Math.round(STEPS * Math.log10(value)) : slider.min;
        told(model.values[field.name]);
      };
      slider.addEventListener("input", () => {
        input.value = at(slider.value);
        told(input.value);
        slid.move(field.name, input.value);
      });
      slider.addEventListener("pointerdown", () => {
        held = true;
        for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, () => release(field.name), { once: true });
      });
      slider.addEventListener("change", () => release(field.name));
      const move = (event, by) => {
        event.preventDefault();
        if (!by) return;
        slider.value = Number(slider.value) + by;
        for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, { bubbles: true, composed: true }));
      };
      slider.addEventListener("keydown", event => {
        const by = TEN[event.key] ?? (event.shiftKey ? SHIFTED[event.key] : undefined);
        if (by) move(event, by);
      });
      document.addEventListener(`polhode:${field.name}`, event => { if (slider.isConnected) move(event, event.detail); }, { signal: leaving.signal });
      const buttons = field.buttons.map(([name, text, words]) => made("button", { textContent: text, title: words, ariaLabel: words, onclick: () => send(name, "") }));
      part.box.querySelector(".line").append(...buttons);
      part.box.insertBefore(slider, part.about);
      return part;
    },
    switch(field) {
      const input = made("input", { type: "checkbox", role: "switch" });
      const part = { box: made("div", { className: "entry" }, made("label", { className: "switch" }, input, field.label)), input };
      part.show = () => { input.checked = model.values[field.name] === "on"; };
      input.addEventListener("change", () => send(field.name, input.checked ? "on" : ""));
      return described(part, field);
    },
    words(field) {
      const dot = made("i");
      dot.style.background = field.colour;
      return { box: made("p", { className: "words" }, ...field.colour ? [dot] : [], made("b", { textContent: field.label })), show() {}, tell() {} };
    },
  };

  function framed(field, input, ...more) {
    const legend = made("legend", { id: `label-${named += 1}`, textContent: field.label, onclick: () => input.focus() });
    const frame = made("fieldset", {}, legend, input, ...more);
    frame.setAttribute("role", "presentation");
    input.setAttribute("aria-labelledby", legend.id);
    const part = { box: made("div", { className: "entry" }, made("div", { className: "line" }, frame)), input };
    // What is being typed is left alone, as long as nothing else is said here than answers to what was typed before.
    let typing = false, said = "", asked = 0;  // so many answers are still to come
    part.heard = () => { asked = Math.max(0, asked - 1); };
    part.show = () => {
      const text = model.values[field.name] ?? "", left = typing && (asked > 0 || text === said);
      if (text !== said) part.heard();
      said = text;
      if (left) return;
      input.value = text;
      typing = false;
    };
    input.addEventListener("input", () => { typing = true; });
    input.addEventListener("change", () => {
      typing = false;
      asked += 1;
      send(field.name, input.value);
    });
    return described(part, field);
  }

  // What it is for, or why what was asked cannot be had.
  function described(part, field) {
    const about = part.about = made("p", { className: "about", id: `about-${named += 1}` });
    part.box.append(about);
    part.input.setAttribute("aria-describedby", about.id);
    part.tell = () => {
      const wrong = model.wrong[field.name] ?? "", was = part.box.classList.contains("wrong");
      part.box.classList.toggle("wrong", !!wrong);
      part.input.setAttribute("aria-invalid", `${!!wrong}`);
      if (wrong) about.setAttribute("role", "alert"); else about.removeAttribute("role");
      about.textContent = wrong || field.about;
      if (was && !wrong) part.show();
    };
    return part;
  }

  function build() {
    const before = new Map(parts);
    parts.clear();
    for (const told of model.fields) {
      const field = told instanceof Map ? Object.fromEntries(told) : told;  // as Bokeh makes of a dictionary in a list
      const same = JSON.stringify(field), old = before.get(field.name);
      const part = old?.same === same ? old : Object.assign(makers[field.kind](field), { same });
      part.box.classList.toggle("half", !!field.half);
      parts.set(field.name, part);
    }
    const wanted = [...parts.values()].map(part => part.box);
    // What stays is not touched: taken out and put in again, it would lose the focus.
    for (const part of [...box.children]) if (!wanted.includes(part)) part.remove();
    wanted.forEach((part, i) => { if (box.children[i] !== part) box.insertBefore(part, box.children[i] ?? null); });
    show();
    tell();
  }
  const show = () => { if (slid.answered()) parts.forEach(part => part.show()); };
  const tell = () => parts.forEach(part => part.tell());

  model.on("remove", () => leaving.abort());
  model.on("fields", build);
  model.on("values", show);
  model.on("wrong", tell);
  model.on("msg:custom", ({ answered: name }) => {  // it says what it said before
    parts.get(name)?.heard?.();
    if (slid.answered() && !Object.keys(model.wrong).length) parts.get(name)?.show();
  });
  build();
  if (!model.title) return box;

  const fold = made("details", { open: !model.folded }, made("summary", { textContent: model.title }), box);
  fold.addEventListener("toggle", () => { model.folded = !fold.open; });
  return fold;
}

export default { render };
