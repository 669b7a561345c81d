// Explanations of words: a tooltip beside an element with `data-means` that is pointed at, focused or touched, and beside one with
// `data-whole`, its whole text, where that is cut off. The page has one tooltip for all scripts. The Tab key stops at few words; from one to the next, arrow keys lead.

import {create} from "./dom.js";
import {WAYS} from "./pacing.js";
import {page} from "./page.js";

const MORE = "Arrow keys: the other words of the page";
const POINTED = 200,
  LEFT = 250; // milliseconds until it appears, and until it disappears
const GAP = 6,
  EDGE = 8; // pixels from the word, and from the sides of the window
const LOOKS =
  "position:fixed;inset:auto;margin:0;padding:8px 12px;max-width:min(340px,92vw);box-sizing:border-box;border-radius:8px;" +
  "border:1px solid color-mix(in srgb,currentColor 25%,transparent);background:var(--panel-surface-color,Canvas);" +
  "color:var(--panel-on-surface-color,CanvasText);box-shadow:0 6px 22px #0004;font:13px/1.45 var(--bokeh-base-font,sans-serif)";

/** Show explanations from now on. */
export function showMeanings() {
  page.meanings ??= createTooltip();
}

const escape = word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The visible words below an element in their order, also in shadow roots. */
const listWords = root =>
  [...root.querySelectorAll("*")].flatMap(element => [
    ...(element.matches(".term") && element.checkVisibility() ? [element] : []),
    ...(element.shadowRoot ? listWords(element.shadowRoot) : []),
  ]);

/** Split a text so that the first occurrence of each word of `means` becomes an element with its explanation; the Tab key stops at the first. */
export function explainWords(text, means, isStop = false) {
  const left = new Set(Object.keys(means));
  if (!left.size) return [text];
  const parts = text
    .split(new RegExp(`(?<!\\p{L})(${[...left].map(escape).join("|")})(?!\\p{L})`, "u"))
    .map(part => {
      if (!left.delete(part)) return part;
      const word = create("button", {
        type: "button",
        className: "term",
        textContent: part,
        tabIndex: isStop ? 0 : -1,
        "data-means": means[part],
        "aria-description": means[part],
      });
      isStop = false;
      return word;
    });
  parts.forEach((word, i) => {
    const [mark] = (word.dataset && parts[i + 1].match(/^[.,;:)]+/)) || [];
    if (!mark) return;
    parts[i] = create("span", {style: "white-space:nowrap"}, word, mark); // a line does not begin with a mark
    parts[i + 1] = parts[i + 1].slice(mark.length);
  });
  return parts;
}

/** Whether a part of the text of an element is cut off. */
const isCut = element =>
  [element, ...element.querySelectorAll("*")].some(
    part =>
      part.scrollWidth > part.clientWidth && getComputedStyle(part).textOverflow === "ellipsis",
  );

function createTooltip() {
  const tip = create("div", {popover: "manual", role: "tooltip", style: LOOKS});
  let shown = null,
    waiting = 0;
  const wordAt = event => {
    const found = event.composedPath()[0].closest?.("[data-means], [data-whole]");
    return found?.matches("[data-means]") || (found && isCut(found)) ? found : null;
  };
  const hide = () => {
    clearTimeout(waiting);
    if (!shown) return;
    shown = null;
    tip.remove();
  };
  const place = () => {
    const at = shown.getBoundingClientRect(),
      {offsetWidth: width, offsetHeight: height} = tip;
    const below = at.bottom + GAP + height < innerHeight || at.top < height + GAP;
    tip.style.left = `${Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE))}px`;
    tip.style.top = `${below ? at.bottom + GAP : at.top - GAP - height}px`;
  };
  const show = word => {
    clearTimeout(waiting);
    if (shown === word || !word.isConnected) return;
    shown = word;
    tip.textContent = word.dataset.means ?? word.dataset.whole;
    if (word.matches(":focus-visible.term"))
      tip.append(
        create("small", {
          textContent: MORE,
          style: "display:block;opacity:.75;margin-top:4px;font-size:12px",
        }),
      );
    (document.querySelector("main") ?? document.body).append(tip);
    tip.showPopover();
    place();
  };
  const listen = (kind, act) =>
    document.addEventListener(kind, act, {capture: true, passive: true});
  listen("pointerover", event => {
    if (event.pointerType === "touch") return;
    const word = wordAt(event);
    if (!word && !shown) return clearTimeout(waiting);
    clearTimeout(waiting);
    if (word === shown || event.composedPath().includes(tip)) return;
    waiting = word ? setTimeout(show, POINTED, word) : setTimeout(hide, LEFT);
  });
  // When the focus moves within a component, the document hears only the key.
  for (const kind of ["focusin", "keyup"])
    listen(kind, event => {
      const word = wordAt(event);
      if (!word) hide();
      else if (event.key !== "Escape" && event.composedPath()[0].matches?.(":focus-visible"))
        show(word);
    });
  listen("focusout", hide);
  listen("click", event => {
    const word = wordAt(event);
    if (word) show(word);
    else if (!event.composedPath().includes(tip)) hide();
  });
  addEventListener(
    "keydown",
    event => {
      if (event.key === "Escape") hide();
      const way = WAYS[event.key],
        word = event.composedPath()[0];
      if (!way || event.ctrlKey || event.altKey || event.metaKey || !word.matches?.(".term"))
        return;
      event.preventDefault();
      event.stopPropagation();
      const words = listWords(document),
        next = words[words.indexOf(word) + (way[0] || -way[1])];
      next?.focus({focusVisible: true});
    },
    {capture: true},
  );
  listen("scroll", () => {
    if (shown) place();
  });
  return tip;
}
