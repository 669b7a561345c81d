// The dialog Embed, of the page (app/views/embed.py) and of live demos: which parts and fields another site's page is to
// show, and how large; the line of HTML for that, and what it looks like.

import {made} from "./made.js";

const RATIOS = {"": "height as given", "16/9": "16 : 9", "4/3": "4 : 3", "1/1": "1 : 1", "3/4": "3 : 4"};
const SMALLEST = 200, LARGEST = 3000; // pixels
const REST = 600; // milliseconds for which nothing is changed until the preview is loaded anew

const quoted = text => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** Words as they stand in an address. */
export const written = words => String(new URLSearchParams(words)).replaceAll("%2C", ",").replaceAll("%28", "(").replaceAll("%29", ")");

/** The words that ask for parts and fields, of those that there are. */
export function asking({show, controls, caption, play}, parts, fields) {
  const within = (chosen, there) => chosen.filter(name => there.includes(name)).join(",");
  return {show: within(show, parts), controls: within(controls, fields) || "none", ...caption && {caption}, ...play || {play: "no"}};
}

/** The dialog; `lines(words)` are its lines of HTML, each {title, about, src, sandbox}, and `preview(words)` the address of what is seen. */
export function dialog(lines, preview) {
  const box = made("dialog", {className: "embedding", ariaLabel: "Embed"}), asked = made("div", {className: "asked"}), frame = made("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: "Preview"});
  const close = made("button", {type: "button", ariaLabel: "Close", title: "Close", textContent: "×", onclick: () => box.close()});
  box.append(made("h2", {}, "Embed", close), made("div", {className: "sides"}, asked, frame));
  let title = "", ticks = {}, caption, play, width, height, ratio, places, later = 0, seen = "";

  const labelled = (words, input) => made("label", {}, ...input.type === "checkbox" ? [input, words] : [words, input]);
  const ticked = (name, all, on) => {
    ticks[name] = all.map(([value]) => made("input", {type: "checkbox", value, checked: on.includes(value)}));
    return ticks[name].map((input, i) => labelled(all[i][1], input));
  };
  const set = (name, ...children) => made("fieldset", {}, made("legend", {textContent: name}), ...children);
  const pixels = value => made("input", {type: "number", min: SMALLEST, max: LARGEST, step: 10, value});
  const within = input => Math.min(LARGEST, Math.max(SMALLEST, Math.round(Number(input.value)) || SMALLEST));

  function change() {
    const chosen = name => ticks[name].filter(input => input.checked).map(input => input.value);
    const words = {show: chosen("show"), controls: chosen("controls"), caption: caption.value.trim(), play: play.checked};
    const w = within(width), h = ratio.value ? Math.round(w / ratio.value.split("/").reduce((a, b) => a / b)) : within(height);
    height.disabled = Boolean(ratio.value);
    const size = ratio.value ? `style="border:0;width:100%;max-width:${w}px;aspect-ratio:${ratio.value}"` : `width="${w}" height="${h}" style="border:0"`;
    lines(words).forEach(({title: name, about, src, sandbox}, i) => {
      places[i] ??= line(name);
      places[i].area.value = `<iframe ${sandbox ? 'sandbox="allow-scripts" ' : ""}src="${quoted(src)}" title="${quoted(title)}" loading="lazy" ${size}></iframe>`;
      places[i].about.textContent = about;
    });
    clearTimeout(later);
    later = setTimeout(look, seen ? REST : 0, preview(words), w, h);
  }

  function line(name) {
    const area = made("textarea", {readOnly: true, rows: 4, spellcheck: false}), about = made("p"), copy = made("button", {type: "button", textContent: "Copy", ariaLabel: `Copy: ${name}`});
    copy.addEventListener("click", async () => {
      area.select();
      try { await navigator.clipboard.writeText(area.value); } catch { document.execCommand("copy"); }
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 1400);
    });
    asked.append(labelled(name, area), made("div", {className: "beside"}, copy, about));
    return {area, about};
  }

  function look(src, w, h) {
    frame.hidden = !src;
    if (!box.open || !src) return;
    if (src !== seen) frame.replaceChildren(made("iframe", {src, title: "Preview"}));
    seen = src;
    Object.assign(frame.firstChild.style, {width: `${w}px`, height: `${h}px`});
  }

  for (const kind of ["input", "change"]) asked.addEventListener(kind, change);
  box.addEventListener("close", () => { clearTimeout(later); frame.replaceChildren(); seen = ""; });

  /** Open it, for what is chosen now: `parts` and `controls` are pairs of a word and a name, `show` and `asks` those ticked. */
  function open(told) {
    if (box.open) return;
    ({title} = told);
    places = [];
    [width, height] = [pixels(720), pixels(560)];
    ratio = made("select", {}, ...Object.entries(RATIOS).map(([value, textContent]) => made("option", {value, textContent})));
    caption = made("input", {maxLength: 300});
    play = made("input", {type: "checkbox", checked: true});
    asked.replaceChildren(
      set("Parts", ...ticked("show", told.parts, told.show)), set("Fields", ...ticked("controls", told.controls, told.asks)),
      labelled("Caption", caption), labelled("It plays by itself", play),
      set("Size", labelled("Width", width), labelled("Height", height), labelled("Ratio", ratio)),
    );
    box.showModal();
    change();
  }
  return {box, open};
}

export function render({model}) {
  const told = () => JSON.parse(model.told);
  const preview = words => {
    const {query, parts, controls} = told();
    return query && `${location.origin}${location.pathname}?${written({...query, ...asking(words, parts.map(([word]) => word), controls.map(([name]) => name))})}`;
  };
  const lines = words => {
    const {file, demo} = told(), src = preview(words), lacks = words.show.filter(word => !demo.parts.includes(word));
    const about = `With the file of “Download live demo (HTML)” beside the page.${lacks.length ? ` It has no ${lacks.join(", ")}.` : ""}`;
    return [
      ...src ? [{title: "From this server", about: "Only sites that the server was started with may show it: polhode serve --embed-in https://course.example", src}] : [],
      {title: "From a file, without a server", about, src: `${file}#${written(asking(words, demo.parts, demo.controls))}`, sandbox: true},
    ];
  };
  const {box, open} = dialog(lines, preview);
  model.on("msg:custom", () => open(told()));
  setTimeout(() => open(told())); // as soon as it is in the page
  return box;
}

export default {render};
