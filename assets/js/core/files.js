// Text and files that leave the page: the clipboard, downloads, and drawings as pixels.

const KEEP = 60_000; // milliseconds until a downloaded file's address is released

/** Copy text to the clipboard; returns whether that worked. `host` holds a hidden field where only that way works. */
export async function copyText(text, host) {
  try {
    await navigator.clipboard.writeText(text); // only on https or on this machine
    return true;
  } catch {
    const area = document.createElement("textarea"),
      focused = host.getRootNode().activeElement;
    area.value = text;
    host.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return copied;
  }
}

/** The bytes that come out of a stream which compresses or decompresses. */
export const convertBytes = async (stream, bytes) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** The bytes of a text, compressed and in base 64, that `encode` in app/demos/live.py made. */
export const decodeBytes = text =>
  convertBytes(
    new DecompressionStream("deflate"),
    Uint8Array.from(atob(text), letter => letter.charCodeAt(0)),
  );

/** Have the browser save text, bytes or a blob as a file. */
export function saveFile(content, name, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP);
}

/** Save a drawing (SVG text) as a PNG with two pixels for each of its units. */
export async function saveDrawing(drawing, name) {
  const address = URL.createObjectURL(new Blob([drawing], {type: "image/svg+xml"}));
  const image = new Image(),
    canvas = document.createElement("canvas");
  image.src = address;
  await image.decode().finally(() => URL.revokeObjectURL(address));
  Object.assign(canvas, {width: 2 * image.width, height: 2 * image.height});
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  saveFile(await new Promise(resolve => canvas.toBlob(resolve, "image/png")), name);
}
