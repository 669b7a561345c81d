// What a notebook receives once, as a call of this function: Bokeh, Panel, the modules of the page and Panel's styles.
// A cell adds its element to the list `polhode.cells`; as soon as the libraries are there, its document replaces its
// still picture.

async function prepareNotebook(packed, version) {
  const IMPORT = /((?:from |import\()")(\.{1,2}\/[\w/-]+\.js)"/g,
    STYLE = /\/(css\/\w+\.css)(?:\?|$)/;
  const PAGE = "polhode.page"; // the name of what the scripts of a page share, see page.js
  const PATIENCE = 10_000; // milliseconds until a kernel that does not answer counts as missing
  const places = new Map(); // of the cells, by the ids of their first models
  const CELLS = Symbol.for("polhode.cells"),
    MODULES = Symbol.for("polhode.modules");
  const {libraries, comms, modules, styles} = await unpack(packed);

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    return new Response(
      new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
    ).json();
  }

  function run(text) {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
    script.remove();
  }

  /** The address of a cell's own copy of a module, whose imports have addresses of their own. */
  const addresses = new Map();
  function findAddress(cell, path) {
    const name = `${cell} ${path}`,
      find = to => findAddress(cell, new URL(to, `file:///${path}`).pathname.slice(1));
    if (!(path in modules)) return path;
    if (!addresses.has(name)) {
      const text = modules[path]
        .replace(IMPORT, (_, before, to) => `${before}${find(to)}"`)
        .replace(PAGE, `${PAGE} ${cell}`);
      addresses.set(name, URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    }
    return addresses.get(name);
  }

  /** Have Bokeh take Panel's styles from here instead of from another host. */
  function keepStyles() {
    const Imported = Bokeh.Models.get("ImportedStyleSheet"),
      Inline = Bokeh.Models.get("InlineStyleSheet");
    const fetchStyle = Imported.prototype.underlying;
    Imported.prototype.underlying = function () {
      const css = styles[this.url.match(STYLE)?.[1]];
      return css === undefined ? fetchStyle.call(this) : new Inline({css}).underlying();
    };
  }

  /** Have a cell send only what a person changes: Panel would return to the kernel what came from there. Say if no kernel answers. */
  function sendLess() {
    const manager = Bokeh.Models.get("panel.models.comm_manager.CommManager").prototype,
      {_document_changed: send, on_ack: receive} = manager;
    const waiting = new Map(),
      say = (id, alone) =>
        places.get(id)?.querySelector(".alone").toggleAttribute("hidden", !alone);
    manager._document_changed = function (event) {
      const {id, tags} = this.document.roots()[0];
      if (event.sync === false && tags.includes("polhode-cell")) return;
      send.call(this, event);
      if (addresses.has(`${id} core/page.js`) && !waiting.has(id))
        waiting.set(id, setTimeout(say, PATIENCE, id, true));
    };
    manager.on_ack = function (message) {
      clearTimeout(waiting.get(this.plot_id));
      waiting.delete(this.plot_id);
      say(this.plot_id, false);
      return receive.call(this, message);
    };
  }

  async function show(cell) {
    const content = await unpack(cell.querySelector("script[type='text/plain']").textContent);
    const {id} = content.document.roots[0];
    if (!Bokeh.Models.get("DataTable")) content.libraries.forEach(run);
    places.set(id, cell);
    cell.addEventListener("beforeinput", event => event.stopPropagation(), {capture: true}); // JupyterLab keeps Enter from fields
    await Bokeh.embed.embed_items_notebook({[id]: content.document}, [
      {docid: id, root_ids: [id], roots: {[id]: cell}},
    ]);
    cell.querySelector(".still").remove();
  }

  if (!globalThis.Bokeh?.Panel || Bokeh.version !== version) {
    // a notebook may have them by pn.extension()
    delete globalThis.Bokeh;
    libraries.forEach(run);
  }
  if (!globalThis.PyViz?.comm_manager) run(comms);
  globalThis.importShim ??= Object.assign(address => import(address), {addImportMap() {}});
  globalThis[MODULES] = async (cell, path) => {
    const found = await import(findAddress(cell, path));
    return found.default ?? {...found};
  };
  // A colour that Bokeh can read, see page.css; it is registered once.
  try {
    CSS.registerProperty({
      name: "--plot-ink",
      syntax: "<color>",
      inherits: true,
      initialValue: "#6b6b6b",
    });
  } catch {
    /* it is */
  }
  keepStyles();
  sendLess();
  const waiting = globalThis[CELLS] ?? [];
  globalThis[CELLS] = {push: show};
  waiting.forEach?.(show);
}
