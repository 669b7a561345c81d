// A lesson in one file: its text beside the live demos of its steps, which app/demos/lessons.py packs.

import {render} from "../controls/lesson.js";
import {create} from "../core/dom.js";
import {page as here} from "../core/page.js";
import {Model} from "./model.js";
import {writeAddress} from "./step-address.js";

const MARK = /<!--(\w+)-->/g; // where a text belongs that demos share
const find = id => document.getElementById(id);
const {lesson, settings, pages, texts} = JSON.parse(find("data").textContent),
  addresses = [],
  frame = find("demo");

/** The address of a demo, which is made when it is first shown. */
function addressOf(i) {
  return (addresses[i] ??= URL.createObjectURL(
    new Blob([pages[i].replace(MARK, (_, name) => texts[name])], {type: "text/html"}),
  ));
}

const model = new Model({content: JSON.stringify(lesson), alone: true}, ({step, answered}) => {
  const setting = settings[step],
    {page, hidden} = setting;
  frame.hidden = page < 0;
  if (page >= 0) frame.src = `${addressOf(page)}#${writeAddress(setting, answered ? [] : hidden)}`;
});
find("lesson")
  .attachShadow({mode: "open"})
  .append(create("style", {textContent: find("lesson-style").textContent}), render({model}));
// What the text shows or changes in the demo, and the Δt that the demo then has.
const post = message => frame.contentWindow?.postMessage(message, "*");
here.offer("show moment", moment => post({moment}));
here.offer("change step size", change => post({change}));
here.offer("light up", () => post({lit: here.lit}));
addEventListener("message", ({data: message, source}) => {
  if (source === frame.contentWindow && typeof message?.stepSize === "string")
    here.showStepSize(message.stepSize);
});
