// The gallery of the papers' figures, with a search and filters; the address names the open figure. See
// app/views/tables/gallery_cards.py.

import {matchWords} from "../core/search.js";

const OPEN = /^[\w-]{1,60}$/;

export function render({model}) {
  const box = document.createElement("div"),
    leaving = new AbortController();
  box.className = "html-block papers";
  box.innerHTML = model.html;
  const find = query => box.querySelector(query),
    all = query => [...box.querySelectorAll(query)];
  const gallery = find(".gallery"),
    filters = find("form"),
    status = find("[data-message]");
  const head = key => all("[data-head]").find(e => e.dataset.head === key);
  const linkTo = key => all(".gallery [data-open]").find(e => e.dataset.open === key);
  let shown = null;

  function show(key, focus) {
    if (key === shown) return;
    const before = shown;
    shown = key;
    gallery.hidden = Boolean(head(key));
    for (const e of all("[data-head]")) e.hidden = e.dataset.head !== key;
    document.title = [head(key)?.querySelector("h1").textContent, "Papers · Polhode"]
      .filter(Boolean)
      .join(" · ");
    if (!focus) return;
    if (head(key)) {
      scrollTo(0, 0);
      head(key).querySelector("h1").focus({preventScroll: true});
    } else linkTo(before)?.focus();
  }

  function open(key) {
    history.pushState(null, "", key ? `?page=papers&open=${key}` : "?page=papers");
    show(key, true);
    model.opened = key;
  }

  function filter() {
    const matches = matchWords(find("[type=search]").value);
    const [verdict, source] = ["verdict", "source"].map(name => new FormData(filters).get(name));
    let count = 0;
    for (const section of all("section[data-source]")) {
      const cards = [...section.querySelectorAll("li[data-text]")];
      for (const card of cards) {
        const {text, verdicts} = card.dataset;
        card.hidden = !(
          matches(text) &&
          (!verdict || verdicts.split(" ").includes(verdict)) &&
          (!source || source === section.dataset.source)
        );
      }
      const shown = cards.filter(card => !card.hidden).length;
      section.hidden = shown === 0;
      count += shown;
    }
    status.textContent = count
      ? `${count} of ${all("li[data-text]").length} figures and tables`
      : "No figure or table matches.";
  }

  box.addEventListener("click", event => {
    const link = event.target.closest("a[data-open]");
    // With a modifier key the browser opens the link elsewhere.
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(link.dataset.open);
  });
  filters.addEventListener("input", filter);
  filters.addEventListener("submit", event => event.preventDefault());
  addEventListener(
    "popstate",
    () => {
      const key = new URLSearchParams(location.search).get("open") ?? "";
      const known = OPEN.test(key) && head(key) ? key : "";
      show(known, true);
      model.opened = known;
    },
    {signal: leaving.signal},
  );
  model.on("opened", () => show(model.opened, false));
  model.on("remove", () => leaving.abort());
  filter();
  show(model.opened, false);
  return box;
}

export default {render};
