// The two buttons of the frame (app/shell.html): light or dark, which a cookie keeps for the next visit, so that the page
// is so from its first frame on, and whether there are widgets beside the views.
{
  const root = document.documentElement, is = query => matchMedia(query).matches;

  document.getElementById("theme").addEventListener("click", () => {
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
}
