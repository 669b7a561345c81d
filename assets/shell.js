// The frame (app/shell.html): light or dark, which a cookie keeps for the next visit, so that the page is so from its first
// frame on; whether there are widgets beside the views; and links that find each page as it was left.
{
  const root = document.documentElement, is = query => matchMedia(query).matches;

  document.getElementById("theme")?.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : is("(prefers-color-scheme: dark)");
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `polhode-theme=${root.dataset.theme}; path=/; max-age=31536000; SameSite=Strict`;
  });

  const beside = document.getElementById("beside"), narrow = matchMedia("(max-width: 599px)");
  if (beside) {
    const opened = () => (root.dataset.side ?? (narrow.matches ? "closed" : "open")) === "open";
    const tell = () => beside.setAttribute("aria-expanded", `${opened()}`);
    const turn = open => {
      root.dataset.side = open ? "open" : "closed";
      tell();
    };
    tell();
    narrow.addEventListener("change", tell);
    beside.addEventListener("click", () => turn(!opened()));
    // Where they lie over the views they go with Escape, and as soon as something else is touched.
    document.querySelector(".page").addEventListener("pointerdown", event => {
      if (narrow.matches && opened() && !event.target.closest("aside")) turn(false);
    });
    document.addEventListener("keydown", event => {
      if (event.key !== "Escape" || event.defaultPrevented || !narrow.matches || !opened()) return;
      turn(false);
      beside.focus();
    });
  }

  document.querySelector(".skip")?.addEventListener("click", event => {
    event.preventDefault();  // it is no place of its own in the history
    document.getElementById("views").focus();
  });

  // A tab remembers where each page was left; a new one begins with what was left last.
  const KEPT = "polhode-pages", ways = "a[data-page]", here = document.querySelector(`${ways}[aria-current]`)?.dataset.page;
  const stores = ["sessionStorage", "localStorage"];  // either may be forbidden
  const read = () => {
    for (const store of stores) try { const kept = JSON.parse(window[store].getItem(KEPT)); if (kept) return kept; } catch {}
    return {};
  };
  const words = search => { const found = new URLSearchParams(search); for (const name of ["version", "caption", "play", "lecture"]) found.delete(name); return found; };
  const keep = (opening = false) => {
    const kept = read(), now = `?${words(location.search)}`;
    kept[here] = now;
    if (here === "studies" && opening) kept.studied = kept.lab;  // what the lab had when the study took it over
    for (const store of stores) try { window[store].setItem(KEPT, JSON.stringify(kept)); } catch {}
    return kept;
  };

  /** The lab's setting as a study takes it over; or a study's as the lab does, if the lab has none of its own. */
  const carried = (page, kept) => {
    if (page === "studies" && kept.lab && kept.lab !== kept.studied) {
      const all = words(kept.lab), study = words(kept.studies ?? "").get("study");
      all.set("page", "studies");
      if (study) all.set("study", study);
      return `?${all}`;
    }
    if (page === "lab" && !kept.lab && kept.studies) {
      const all = words(kept.studies), problem = all.get("problem"), methods = all.get("methods");
      return `?${new URLSearchParams({ ...problem && { problem }, ...methods && { methods: methods.split(",").slice(0, 4).join(",") } })}`;
    }
    return kept[page];
  };
  /** A method's way to the lab: the lab's own setting with this method put in, unless it cannot run there. */
  const join = (way, kept) => {
    const { lab, unfit } = way.dataset, all = words(kept.lab ?? ""), problem = all.get("problem");
    if (!problem || unfit.split(" ").includes(problem.split("(")[0])) return;
    const methods = (all.get("methods") ?? "").split(/,(?![^(]*\))/).filter(Boolean);
    if (!methods.includes(lab)) all.set("methods", [...methods.slice(0, 3), lab].join(","));
    way.href = `?${all}`;
  };
  const lead = (opening = false) => {
    const kept = keep(opening);
    for (const way of document.querySelectorAll(ways)) {
      const { page } = way.dataset, to = page === here ? kept[page] : carried(page, kept);
      if (to) way.href = to;
    }
  };
  // They are right as soon as they can be used, in whatever way; the address changes without telling.
  for (const kind of ["pointerover", "pointerdown", "focusin", "click", "contextmenu"])
    document.addEventListener(kind, event => {
      if (event.target.closest?.(ways)) lead();
      const way = event.composedPath().find(part => part.matches?.("a[data-lab]"));
      if (way) join(way, read());
    }, { capture: true });
  if (here) {
    addEventListener("pagehide", () => keep());
    lead(true);
  }
  // What is chosen in an excerpt is taken along to the whole page.
  document.querySelector(".whole a")?.addEventListener("click", ({ currentTarget }) => {
    const all = words(location.search);
    for (const name of ["show", "controls"]) all.delete(name);
    currentTarget.href = `?${all}`;
  });

  // When the server is lost the page says so, and asks for it less and less often; as soon as it answers, the page is opened
  // anew by its address, which has what is chosen. A page that never came is not: that would go on for ever.
  const PAUSES = [1, 2, 4, 8, 15, 30], TRIED = "polhode-tried", SOON = 60000;
  document.addEventListener("polhode:lost", () => {
    if (document.getElementById("lost")) return;
    const bar = document.createElement("div"), came = window.polhode?.revision > 0;
    bar.id = "lost";
    bar.innerHTML = `<p role="alert">The connection to the server is lost${came ? "; what you chose is kept" : ""}.</p>
      <span aria-hidden="true"></span><button type="button">${came ? "Try now" : "Load the page again"}</button>`;
    document.body.append(bar);
    const [wait, button] = ["span", "button"].map(name => bar.querySelector(name));
    let { tries, at } = { tries: 0, at: 0 }, left = 0, waiting = 0;
    try { ({ tries, at } = JSON.parse(sessionStorage.getItem(TRIED)) ?? { tries, at }); } catch {}
    if (Date.now() - at > SOON) tries = 0;
    const open = () => {
      try { sessionStorage.setItem(TRIED, JSON.stringify({ tries, at: Date.now() })); } catch {}
      location.reload();
    };
    const ask = async () => {
      clearTimeout(waiting);
      wait.textContent = "Trying …";
      // What a server says before it has any page is an answer, too; what a proxy says of a server that is gone is none.
      const { status } = await fetch("static/extensions/polhode/icon.svg", { method: "HEAD", cache: "no-store" }).catch(() => ({}));
      if (status < 500) open(); else pause();
    };
    const pause = () => { left = PAUSES[Math.min(tries++, PAUSES.length - 1)]; count(); };
    const count = () => {
      wait.textContent = `Next try in ${left} s`;
      if (left-- > 0) waiting = setTimeout(count, 1000); else ask();
    };
    button.onclick = came ? ask : open;
    addEventListener("pagehide", () => clearTimeout(waiting));
    if (came) pause();
  });
}
