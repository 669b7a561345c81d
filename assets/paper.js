// One page of paper: what the server has written of the setting (app/views/paper.py), with the picture in space as it is
// seen. Fetched when it is first asked for (bridge.js).

import {made} from "./made.js";
import {Stage} from "./stage.js";

const PICTURE = [560, 440, 3]; // width and height, and pixels for each
const PATIENCE = 5000; // milliseconds after which the page is printed as it is
let heard = null, answered = () => {};

const styled = new Promise(done => {
  const href = new URL("./styles/paper.css", import.meta.url).href;
  document.head.append(made("link", {rel: "stylesheet", href, onload: done, onerror: done}));
});

export async function print({model}) {
  if (heard !== model) model.on("msg:custom", ({paper}) => answered(paper));
  heard = model;
  const written = new Promise(done => { answered = done; setTimeout(done, PATIENCE); });
  model.send_msg({print: location.origin + location.pathname});
  const html = await written;
  await styled;
  document.getElementById("paper")?.remove();
  if (html) {
    const paper = made("article", {id: "paper", lang: "en"});
    paper.innerHTML = html;
    const canvas = document.createElement("canvas"), stage = new Stage(canvas, {told: () => [], view: "The scene", size: PICTURE, bare: true});
    stage.draw();
    stage.leave();
    paper.querySelector(".scene").append(canvas);
    document.body.append(paper);
    addEventListener("afterprint", () => paper.remove(), {once: true});
  }
  window.print();
}
