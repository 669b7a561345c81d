// Links of this page that people copy, and where they work.

import {create, showBriefly} from "./dom.js";
import {copyText} from "./files.js";
import {findAddress} from "./page.js";

/** Why a link of this page may not work, and what to do instead; empty if it works elsewhere. */
export const warnOfLocalLink = () =>
  /^https?:\/\/(localhost|127\.|\[::1])/.test(findAddress())
    ? "This link works on this computer only. For others, run polhode serve --address 0.0.0.0 --origin HOST, or polhode site; polhode serve --help says more."
    : "";

/** Copy a link. Its button says “Copied”; `place`, a status, says so to screen readers, and shows where else the link fails. */
export async function copyLink(link, button, place) {
  if (!(await copyText(link, button.parentElement))) return false;
  showBriefly(button, "Copied");
  const copied = create("span", {className: "unseen", textContent: "Copied. "});
  place.replaceChildren(copied, warnOfLocalLink());
  return true;
}
