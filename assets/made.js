// What several scripts make their parts with.

/** An element; what is no property of it, as aria-label, is set as an attribute. */
export function made(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key in element) element[key] = value; else element.setAttribute(key, value);
  element.append(...children);
  return element;
}
