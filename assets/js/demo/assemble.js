// Assembles a demo from the texts that the demos of a site share; the result is the page of the single file. Each text is a classic
// script in this folder, which browsers also load from the disk; see app/demos/demo_folder.py.

import {saveFile} from "../core/files.js";
import {parseNames} from "../core/numbers.js";

const {src, dataset} = document.currentScript,
  folder = src.replace(/[^/]*$/, ""),
  texts = new Map(),
  MARK = /<!--(\w+)-->/g;
globalThis.polhodeText = (name, text) => texts.set(name, text);

const fetchText = name =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${folder}${name}.js`;
    script.onload = () => resolve(texts.get(name));
    script.onerror = () => reject(new Error(`This demo cannot be shown: ${name}.js is missing.`));
    document.head.append(script);
  });

/** The page of a demo as one file. */
async function assemble(name) {
  const page = await fetchText(name);
  await Promise.all(Array.from(page.matchAll(MARK), ([, part]) => fetchText(part)));
  return page.replace(MARK, (_, part) => texts.get(part));
}

const DATA = /(?<=<script type="application\/json" id="data">)[^<]*/;

/** The page of the lab with the problem and the methods of the address; see app/demos/static_lab.py. */
async function assembleLab(name) {
  const {problems, methods, available, colours, controls} = JSON.parse(await fetchText(name)),
    query = new URLSearchParams(location.hash.slice(1));
  const problem = Object.hasOwn(available, query.get("problem"))
      ? query.get("problem")
      : Object.keys(available)[0],
    here = available[problem];
  const asked = parseNames(query.get("methods") ?? "").filter(label =>
      here.methods.includes(label),
    ),
    labels = (asked.length ? asked : here.first).slice(0, colours.length);
  const lines = labels.map(async (label, i) => ({
    ...JSON.parse(await fetchText(`${name}-${problem}-${label}`)),
    colour: colours[i],
  }));
  const lab = {problems, methods: methods[problem], available: here.methods, colours},
    page = await assemble(`${name}-${problem}`),
    loaded = await Promise.all(lines);
  const add = text =>
    JSON.stringify({...JSON.parse(text), lines: loaded, lab}).replaceAll("<", "\\u003c");
  return page.replace(DATA, add).replace("</body>", () => `${controls}</body>`);
}

function show(page) {
  document.open();
  document.write(page);
  document.close();
}

const reportError = error => document.body.append(error.message);
if (dataset.demo)
  (dataset.demo === "lab" ? assembleLab : assemble)(dataset.demo).then(show, reportError);
// The gallery has links that save demos.
addEventListener("click", event => {
  const {save: name} = event.target.dataset;
  if (!name) return;
  event.preventDefault();
  assemble(name).then(page => saveFile(page, `${name}.html`, "text/html"), reportError);
});
