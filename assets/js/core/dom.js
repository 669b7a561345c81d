// DOM elements, drawings, and brief answers on buttons.

const SVG = "http://www.w3.org/2000/svg",
  BRIEF = 1400; // milliseconds

/** Create an element; what is not one of its properties, such as aria-label, becomes an attribute. */
export function create(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Set an attribute of an element, if there is one; remove it if the value is empty. */
export function setAttribute(element, name, value) {
  if (value) element?.setAttribute(name, value);
  else element?.removeAttribute(name);
}

/** Create a decorative drawing of paths, each given by its attributes. */
export function createDrawing(width, height, ...paths) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.setAttribute("aria-hidden", "true");
  for (const attributes of paths) {
    const path = document.createElementNS(SVG, "path");
    for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value);
    drawing.append(path);
  }
  return drawing;
}

/** Show an answer on a button for a moment, without a change of its width. */
export function showBriefly(button, text) {
  if (button.dataset.label) return;
  button.dataset.label = button.textContent;
  button.style.minWidth = `${button.offsetWidth}px`;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = button.dataset.label;
    delete button.dataset.label;
  }, BRIEF);
}

/** The focused element, also within shadow roots. */
export function findFocus() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Load a style of `assets/styles` into the page; returns a promise that is kept when it has loaded or failed. */
export function loadStyle(name) {
  const href = new URL(`../../styles/${name}.css`, import.meta.url).href;
  return new Promise(done => {
    document.head.append(create("link", {rel: "stylesheet", href, onload: done, onerror: done}));
  });
}
