// The dialog Embed of the page (app/views/dialogs/embed.py) and of live demos: the parts and fields to show on another site, their
// size, the line of HTML, and a preview.

import {create, showBriefly} from "../core/dom.js";
import {copyText} from "../core/files.js";
import {formatQuery} from "../core/numbers.js";
import {warnOfLocalLink} from "../core/links.js";
import {findAddress} from "../core/page.js";

const RATIOS = {
  "": "height as given",
  "16/9": "16 : 9",
  "4/3": "4 : 3",
  "1/1": "1 : 1",
  "3/4": "3 : 4",
};
const SMALLEST = 200,
  LARGEST = 3000; // pixels
const REST = 600; // milliseconds after the last change until the preview reloads

const quote = text => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The words of an address that select parts and fields, of those that exist. */
export function selectParts({show, controls, caption, play}, parts, fields) {
  const choose = (names, existing) => names.filter(name => existing.includes(name)).join(",");
  return {
    show: choose(show, parts),
    controls: choose(controls, fields) || "none",
    ...(caption && {caption}),
    ...(play || {play: "no"}),
  };
}

/** Create the dialog: `lines(words)` returns its lines of HTML as {title, about, src, sandbox}, `preview(words)` the address to show. */
export function createDialog(lines, preview) {
  const box = create("dialog", {className: "embedding", ariaLabel: "Embed"}),
    options = create("div", {className: "options"}),
    frame = create("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: "Preview"});
  const close = create("button", {
    type: "button",
    ariaLabel: "Close",
    title: "Close",
    textContent: "×",
    onclick: () => box.close(),
  });
  box.append(create("h2", {}, "Embed", close), create("div", {className: "sides"}, options, frame));
  let title = "",
    ticks = {},
    caption,
    play,
    width,
    height,
    ratio,
    places,
    later = 0,
    shown = "";

  const label = (words, input) =>
    create("label", {}, ...(input.type === "checkbox" ? [input, words] : [words, input]));
  const tickBoxes = (name, all, on) => {
    ticks[name] = all.map(([value]) =>
      create("input", {type: "checkbox", value, checked: on.includes(value)}),
    );
    return ticks[name].map((input, i) => label(all[i][1], input));
  };
  const group = (name, ...children) =>
    create("fieldset", {}, create("legend", {textContent: name}), ...children);
  const pixels = value =>
    create("input", {type: "number", min: SMALLEST, max: LARGEST, step: 10, value});
  const clamp = input =>
    Math.min(LARGEST, Math.max(SMALLEST, Math.round(Number(input.value)) || SMALLEST));

  function change() {
    const chosen = name => ticks[name].filter(input => input.checked).map(input => input.value);
    const words = {
      show: chosen("show"),
      controls: chosen("controls"),
      caption: caption.value.trim(),
      play: play.checked,
    };
    const w = clamp(width),
      h = ratio.value
        ? Math.round(w / ratio.value.split("/").reduce((a, b) => a / b))
        : clamp(height);
    height.disabled = Boolean(ratio.value);
    const size = ratio.value
      ? `style="border:0;width:100%;max-width:${w}px;aspect-ratio:${ratio.value}"`
      : `width="${w}" height="${h}" style="border:0"`;
    lines(words).forEach(({title: name, about, src, sandbox}, i) => {
      places[i] ??= createLine(name);
      places[i].area.value =
        `<iframe ${sandbox ? 'sandbox="allow-scripts" ' : ""}src="${quote(src)}" title="${quote(title)}" loading="lazy" ${size}></iframe>`;
      places[i].about.textContent = about;
    });
    clearTimeout(later);
    later = setTimeout(showPreview, shown ? REST : 0, preview(words), w, h);
  }

  function createLine(name) {
    const area = create("textarea", {readOnly: true, rows: 4, spellcheck: false}),
      about = create("p"),
      copy = create("button", {type: "button", textContent: "Copy", ariaLabel: `Copy: ${name}`});
    copy.addEventListener("click", async () => {
      area.select();
      if (await copyText(area.value, box)) showBriefly(copy, "Copied");
    });
    options.append(label(name, area), create("div", {className: "beside"}, copy, about));
    return {area, about};
  }

  function showPreview(src, w, h) {
    frame.hidden = !src;
    if (!box.open || !src) return;
    if (src !== shown) frame.replaceChildren(create("iframe", {src, title: "Preview"}));
    shown = src;
    // The whole of it, smaller if there is less room.
    const scale = Math.min(1, frame.clientWidth / w);
    Object.assign(frame.firstChild.style, {
      width: `${w}px`,
      height: `${h}px`,
      transform: `scale(${scale})`,
    });
    frame.style.height = `${h * scale}px`;
  }

  for (const kind of ["input", "change"]) options.addEventListener(kind, change);
  box.addEventListener("close", () => {
    clearTimeout(later);
    frame.replaceChildren();
    shown = "";
  });

  /** Open the dialog: `parts` and `controls` are pairs of a word and a name; `show` and `asks` are the words ticked at first. */
  function open(choice) {
    if (box.open) return;
    ({title} = choice);
    places = [];
    [width, height] = [pixels(960), pixels(640)];
    ratio = create(
      "select",
      {},
      ...Object.entries(RATIOS).map(([value, textContent]) =>
        create("option", {value, textContent}),
      ),
    );
    caption = create("input", {maxLength: 300});
    play = create("input", {type: "checkbox", checked: true});
    options.replaceChildren(
      group("Parts", ...tickBoxes("show", choice.parts, choice.show)),
      group("Fields", ...tickBoxes("controls", choice.controls, choice.asks)),
      label("Caption", caption),
      label("Play at once", play),
      group("Size", label("Width", width), label("Height", height), label("Ratio", ratio)),
    );
    box.showModal();
    change();
  }
  return {box, open};
}

export function render({model}) {
  const read = () => JSON.parse(model.content);
  const addressOf = (words, base) => {
    const {query, parts, controls} = read();
    return (
      query &&
      `${base}?${formatQuery({
        ...query,
        ...selectParts(
          words,
          parts.map(([word]) => word),
          controls.map(([name]) => name),
        ),
      })}`
    );
  };
  const lines = words => {
    const {file, demo} = read(),
      src = addressOf(words, findAddress()),
      lacks = words.show.filter(word => !demo.parts.includes(word));
    const about = `With the file of “Download live demo (HTML)” in the folder of the page.${lacks.length ? ` It has no ${lacks.join(", ")}.` : ""}`;
    return [
      ...(src
        ? [
            {
              title: "From this server",
              about: `${warnOfLocalLink()} Only sites named when the server starts may show it: polhode serve --embed-in https://course.example`,
              src,
            },
          ]
        : []),
      {
        title: "From a file, without a server",
        about,
        src: `${file}#${formatQuery(selectParts(words, demo.parts, demo.controls))}`,
        sandbox: true,
      },
    ];
  };
  const {box, open} = createDialog(lines, words =>
    addressOf(words, location.origin + location.pathname),
  );
  model.on("msg:custom", () => open(read()));
  setTimeout(() => open(read())); // once the dialog is in the page
  return box;
}

export default {render};
