// Puts a demo together from the texts that the demos of a site share: the page that it also is as one file. Each text is
// a script beside this one, since browsers also load those from the disk; see app/shelf.py.

(() => {
  const {src, dataset} = document.currentScript, folder = src.replace(/[^/]*$/, ""), texts = new Map(), MARK = /<!--(\w+)-->/g;
  globalThis.polhodeText = (name, text) => texts.set(name, text);

  /** The text of this name. */
  const fetched = name => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${folder}${name}.js`;
    script.onload = () => resolve(texts.get(name));
    script.onerror = () => reject(new Error(`This demo cannot be shown: ${name}.js is not to be had.`));
    document.head.append(script);
  });

  /** A demo as one file. */
  async function whole(name) {
    const page = await fetched(name);
    await Promise.all(Array.from(page.matchAll(MARK), ([, part]) => fetched(part)));
    return page.replace(MARK, (_, part) => texts.get(part));
  }

  function show(page) {
    document.open();
    document.write(page);
    document.close();
  }

  function save(name, page) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([page], {type: "text/html"}));
    link.download = `${name}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  const sorry = error => document.body.append(error.message);
  if (dataset.demo) whole(dataset.demo).then(show, sorry);
  // A page of many demos has links that save them.
  addEventListener("click", event => {
    const {save: name} = event.target.dataset;
    if (!name) return;
    event.preventDefault();
    whole(name).then(page => save(name, page), sorry);
  });
})();
