// One page of paper: the server's text of the setting (app/views/dialogs/print_page.py) and the present picture of the scene.
// Fetched on demand (script-api.js).

import {create, loadStyle} from "../core/dom.js";
import {findAddress} from "../core/page.js";
import {Stage} from "./stage.js";

const PICTURE = [560, 440, 3]; // width and height, and pixels for each
const PATIENCE = 5000; // milliseconds until the page is printed without the server's text
let listening = null,
  receive = () => {};

const styled = loadStyle("print");

/** Put the page for paper into the document, where only paper shows it. */
export async function preparePaper({model}) {
  if (listening !== model) model.on("msg:custom", ({paper}) => receive(paper));
  listening = model;
  const answer = new Promise(done => {
    receive = done;
    setTimeout(done, PATIENCE);
  });
  model.send_msg({print: findAddress()});
  const html = await answer;
  await styled;
  document.getElementById("paper")?.remove();
  if (html) {
    const paper = create("article", {id: "paper", lang: "en"});
    paper.innerHTML = html;
    paper.querySelector(".scene").append(document.createElement("canvas"));
    document.body.append(paper);
    drawScene();
    addEventListener("afterprint", () => paper.remove(), {once: true});
  }
}

/** Draw the scene of this moment on the paper, if there is one. */
function drawScene() {
  const canvas = document.querySelector("#paper canvas");
  if (!canvas) return;
  const stage = new Stage(canvas, {
    describe: () => [],
    view: "The scene",
    size: PICTURE,
    bare: true,
  });
  stage.draw();
  stage.leave();
}
addEventListener("beforeprint", drawScene);

export async function printPage(page) {
  await preparePaper(page);
  window.print();
}
