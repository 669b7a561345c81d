// The file of each kind that a tab keeps, for a reload of the page or for another page; the browser forgets it with the tab. The kind
// is the word of a link that names such a file.

const MOST = 2_000_000; // bytes; browsers keep about five million characters

const makeKey = kind => `polhode-${kind}`;

/** Keep a file, if it is small enough. Returns whether it is kept. */
export async function keepFile(kind, file) {
  sessionStorage.removeItem(makeKey(kind));
  if (file.size > MOST) return false;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  try {
    sessionStorage.setItem(makeKey(kind), JSON.stringify([file.name, text]));
    return true;
  } catch {
    return false; // the browser keeps nothing, or no more
  }
}

/** The file that the tab keeps; null without one. */
export function takeFile(kind) {
  const kept = sessionStorage.getItem(makeKey(kind));
  if (!kept) return null;
  const [name, text] = JSON.parse(kept);
  return new File([Uint8Array.from(text, letter => letter.charCodeAt(0))], name);
}
