// The two buttons of the frame (app/shell.html): light or dark, which a cookie keeps for the next visit, so that the page
// is so from its first frame on, and whether there are widgets beside the views.

const root = document.documentElement, is = query => matchMedia(query).matches;

document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : is("(prefers-color-scheme: dark)");
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `polhode-theme=${root.dataset.theme}; path=/; max-age=31536000; SameSite=Strict`;
});

const beside = document.getElementById("beside"), narrow = () => is("(max-width: 599px)");
const opened = () => (root.dataset.side ?? (narrow() ? "closed" : "open")) === "open";
const turn = open => {
  root.dataset.side = open ? "open" : "closed";
  beside.setAttribute("aria-expanded", `${open}`);
};
beside?.setAttribute("aria-expanded", `${opened()}`);
beside?.addEventListener("click", () => turn(!opened()));
// Over the views they go as soon as these are used.
document.querySelector("main").addEventListener("pointerdown", () => { if (beside && narrow() && opened()) turn(false); });
