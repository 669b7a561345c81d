// The frame of the page (assets/html/frame.html): its theme, which a cookie keeps for the next visit; the sidebar; links to each
// page as it was left; and what happens when the server is lost.

import {colourText, findFigures} from "./figures.js";
import {parseNames} from "./numbers.js";
import {page} from "./page.js";

const root = document.documentElement;

const keepCookie = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Strict`;
};

// ---- theme and sidebar --------------------------------------------------------------------------------------------

const system = matchMedia("(prefers-color-scheme: dark)");
/** Repaint the figures, whose words have other colours (page.css). */
function repaint() {
  for (const figure of findFigures()) {
    colourText(figure);
    figure.request_repaint();
  }
  page.request("repaint");
}
system.addEventListener("change", repaint);
document.getElementById("theme")?.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  root.dataset.theme = dark ? "light" : "dark";
  keepCookie("polhode-theme", root.dataset.theme);
  repaint();
});
// A menu with `data-cookie` keeps its choice, such as where the plain address leads.
document.addEventListener("input", event => {
  const [menu] = event.composedPath();
  if (menu.dataset?.cookie) keepCookie(menu.dataset.cookie, menu.value);
});

const sidebar = document.getElementById("beside"),
  narrow = matchMedia("(max-width: 899px)");
if (sidebar) {
  const isOpen = () => (root.dataset.side ?? (narrow.matches ? "closed" : "open")) === "open";
  const mark = () => sidebar.setAttribute("aria-expanded", `${isOpen()}`);
  const turn = open => {
    root.dataset.side = open ? "open" : "closed";
    mark();
    if (open && narrow.matches)
      [...(page.clock?.players ?? [])][0]?.canvas.scrollIntoView({block: "start"});
  };
  mark();
  narrow.addEventListener("change", mark);
  sidebar.addEventListener("click", () => turn(!isOpen()));
  // In a narrow window it lies below the picture; Escape or a touch elsewhere closes it.
  document.querySelector(".page").addEventListener("pointerdown", event => {
    if (narrow.matches && isOpen() && !event.target.closest("aside")) turn(false);
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || event.defaultPrevented || !narrow.matches || !isOpen()) return;
    turn(false);
    sidebar.focus();
  });
}

document.querySelector(".skip")?.addEventListener("click", event => {
  event.preventDefault(); // without an entry in the history
  document.getElementById("views").focus();
});

// ---- links --------------------------------------------------------------------------------------------------------

// A tab remembers how each page was left; a new tab begins with what was left last.
const LEFT = "polhode-pages",
  LINKS = "a[data-page]",
  here = document.querySelector(`${LINKS}[aria-current]`)?.dataset.page;
const STORES = ["sessionStorage", "localStorage"]; // the browser may forbid either
const MOST_METHODS = 4; // in the lab
const LABS = ["lab", "gyroscope"]; // whose settings studies take over

function readLeft() {
  for (const store of STORES)
    try {
      const left = JSON.parse(window[store].getItem(LEFT));
      if (left) return left;
    } catch {}
  return {};
}

/** The words of an address that describe a setting. */
function readSetting(search) {
  const words = new URLSearchParams(search);
  for (const name of ["version", "caption", "play", "lecture"]) words.delete(name);
  return words;
}

function rememberPage(opening = false) {
  const left = readLeft();
  left[here] = `?${readSetting(location.search)}`;
  if (LABS.includes(here)) left.setting = left[here];
  if (here === "studies" && opening) left.studied = left.setting; // the one that the study took over
  for (const store of STORES)
    try {
      window[store].setItem(LEFT, JSON.stringify(left));
    } catch {}
  return left;
}

/** The address of another page: studies take over the last lab's setting; the lab takes a study's if it has none of its own. */
function addressOf(name, left) {
  if (name === "studies" && left.setting && left.setting !== left.studied) {
    const words = readSetting(left.setting),
      study = readSetting(left.studies ?? "").get("study");
    words.set("page", "studies");
    if (study) words.set("study", study);
    return `?${words}`;
  }
  if (name === "lab" && !left.lab && left.studies) {
    const words = readSetting(left.studies),
      problem = words.get("problem"),
      methods = words.get("methods");
    return `?${new URLSearchParams({...(!problem && {page: "lab"}), ...(problem && {problem}), ...(methods && {methods: parseNames(methods).slice(0, MOST_METHODS).join(",")})})}`;
  }
  return left[name];
}

/** Point a method's link at the problem of the filters, or at the lab's own setting with this method added, if it runs there. */
function addMethod(link, left) {
  const {lab, unfit} = link.dataset,
    words = page.labProblem
      ? new URLSearchParams({problem: page.labProblem})
      : readSetting(left.lab ?? "");
  words.delete("page"); // of the simple view
  const problem = words.get("problem");
  if (!problem || unfit.split(" ").includes(problem.split("(")[0])) return;
  const methods = parseNames(words.get("methods") ?? "");
  if (!methods.includes(lab))
    words.set("methods", [...methods.slice(0, MOST_METHODS - 1), lab].join(","));
  link.href = `?${words}`;
}

function updateLinks(opening = false) {
  const left = rememberPage(opening);
  for (const link of document.querySelectorAll(LINKS)) {
    const name = link.dataset.page,
      address = name === here ? left[name] : addressOf(name, left);
    if (address) link.href = address;
  }
}

/** A link from an excerpt to the whole page, or from the lab to its simple view and back, takes the present choice along. */
function takeAlong(link) {
  const words = readSetting(location.search);
  for (const name of ["show", "controls"]) words.delete(name);
  words.set("page", link.dataset.along);
  link.href = `?${words}`;
  page.request("keep past", link.search);
}

// No event reports a change of the address: links are updated when a person is about to use them.
for (const kind of ["pointerover", "pointerdown", "focusin", "click", "contextmenu"])
  document.addEventListener(
    kind,
    event => {
      if (event.target.closest?.(LINKS)) updateLinks();
      const link = event
        .composedPath()
        .find(part => part.matches?.("a:is([data-along], [data-lab])"));
      if (link?.dataset.along) takeAlong(link);
      else if (link) addMethod(link, readLeft());
    },
    {capture: true},
  );
if (here) {
  addEventListener("pagehide", () => rememberPage());
  updateLinks(true);
}

// ---- a lost connection --------------------------------------------------------------------------------------------

// The page polls the server less and less often. When the server answers, the page reloads by its address, which contains
// the choice. A page that has never shown results does not reload automatically: that might never end.
const PAUSES = [1, 2, 4, 8, 15, 30],
  TRIES = "polhode-tried",
  SOON = 60_000; // seconds, and milliseconds

page.offer("connection lost", () => {
  if (document.getElementById("lost")) return;
  const bar = document.createElement("div"),
    hadResults = page.state.revision > 0;
  bar.id = "lost";
  bar.innerHTML = `<p role="alert">The connection to the server is lost${hadResults ? "; your choice is kept" : ""}.</p>
    <span aria-hidden="true"></span><button type="button">${hadResults ? "Try now" : "Load the page again"}</button>`;
  document.body.append(bar);
  const [wait, button] = ["span", "button"].map(name => bar.querySelector(name));
  let {tries, at} = {tries: 0, at: 0},
    left = 0,
    waiting = 0;
  try {
    ({tries, at} = JSON.parse(sessionStorage.getItem(TRIES)) ?? {tries, at});
  } catch {}
  if (Date.now() - at > SOON) tries = 0;
  const reload = () => {
    try {
      sessionStorage.setItem(TRIES, JSON.stringify({tries, at: Date.now()}));
    } catch {}
    document.cookie = "polhode-back=1; path=/; max-age=60; SameSite=Strict"; // a server that is about to end admits nobody else
    location.reload();
  };
  const ask = async () => {
    clearTimeout(waiting);
    wait.textContent = "Trying …";
    // Any answer of the server counts; the error of a proxy without a server does not.
    const {status} = await fetch("static/extensions/polhode/icon.svg", {
      method: "HEAD",
      cache: "no-store",
    }).catch(() => ({}));
    if (status < 500) reload();
    else pause();
  };
  const pause = () => {
    left = PAUSES[Math.min(tries++, PAUSES.length - 1)];
    count();
  };
  const count = () => {
    wait.textContent = `Next try in ${left} s`;
    if (left-- > 0) waiting = setTimeout(count, 1000);
    else ask();
  };
  button.onclick = hadResults ? ask : reload;
  addEventListener("pagehide", () => clearTimeout(waiting));
  if (hadResults) pause();
});
