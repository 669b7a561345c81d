// The 3D player: a scene in WebGL2 with its menus and transport. It needs no server once it has its scene.
// `mount` puts a player into an element, in the page (player.js) and in live demos.

import {clock} from "./clock.js";
import {buildScene} from "./build-scene.js";
import {MENUS, connectMenus} from "./menus.js";
import {readMotions, unpack} from "./packing.js";
import {TRANSPORT, connectTransport} from "./transport.js";
import {View} from "./view.js";
import {create} from "../core/dom.js";
import {explainWords, showMeanings} from "../core/meanings.js";

const DEGREE = Math.PI / 180;
const TURNS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const ORBITS = {
  ArrowLeft: [-0.12, 0],
  ArrowRight: [0.12, 0],
  ArrowUp: [0, 0.1],
  ArrowDown: [0, -0.1],
};
const TURN_HELP =
  "You turn the body, not the view: its attitude at the start, R₀. An arrow key turns it by one degree, with Shift by ten.";
const KEYS =
  "Space plays and pauses, T turns the sound on or off, left and right arrow step, Home and End go to the ends, " +
  "Shift with an arrow turns the view, plus and minus zoom, as does the wheel with Control or after a click, zero resets the view. " +
  "Hold R to turn the body instead of the view.";
const LOST = "The graphics card has lost this picture; it returns when the browser can draw again.";
const MARKUP = `${MENUS}
<div class="stage"><canvas tabindex="0" role="application" aria-describedby="keys"></canvas>
  <div class="names" aria-hidden="true"></div>
  <span class="sr" id="keys">${KEYS}</span></div>
<p class="note" role="status"></p>
<ul class="arrows" role="list" aria-label="Arrows"></ul>
${TRANSPORT}
<p class="caption"></p><span class="sr spoken" aria-live="polite"></span>`;
const PARTS = [
  "head",
  "stage",
  "aside",
  "turn",
  "transport",
  "chips",
  "layers",
  "scrub",
  "speed",
  "loop",
  "sound",
  "play",
  "back",
  "forth",
  "now",
  "end",
  "arrows",
  "caption",
  "names",
  "note",
  "spoken",
];
/** The properties of the model in app/scene/player.py that a player takes. */
export const FEEDS = ["shapes", "scene", "turnable", "layout", "look", "heard"];

/**
 * Put a player into an element. Returns functions that take new values of the model's properties, and `dispose`.
 *
 * `words` are the words of the caption with their explanations; `ask(name, value)` sends a request to the server.
 */
export function mount(
  host,
  {shapes = null, scene = null, label = "3D view", words = {}, ask = null} = {},
) {
  showMeanings();
  const root = create("div", {className: "polhode-player"});
  root.innerHTML = MARKUP;
  host.append(root);
  const part = Object.fromEntries(PARTS.map(name => [name, root.querySelector(`.${name}`)]));
  const canvas = root.querySelector("canvas");
  canvas.setAttribute("aria-label", label);

  let view;
  try {
    view = new View(root, canvas, part.names);
  } catch (error) {
    part.stage.replaceChildren(
      createNotice(
        `The 3D view cannot be drawn here: ${error.message} The rest of the page works without it.`,
      ),
    );
    for (const name of ["head", "arrows", "transport", "caption"]) part[name].remove();
    return {
      ...Object.fromEntries([...FEEDS, "receive", "label", "camera"].map(name => [name, () => {}])),
      dispose: () => root.remove(),
    };
  }

  const transport = connectTransport(part, view, ask),
    menus = connectMenus(root, part, view, ask);
  const turn = connectTurn(part, view, ask);
  let soundNote = "";

  function showNote() {
    const {kind, note} = view.scene,
      ended = view.solid?.ended,
      stays = kind === "pair" ? "bodies stay" : "body stays";
    const text =
      turn.note ||
      (ended ? `${view.solid.label}: ${ended}; the ${stays} there.` : note || soundNote);
    if (part.note.textContent !== text) part.note.textContent = text;
    part.note.classList.toggle("ended", !!ended && !view.hand);
  }

  function playSound(data) {
    const {header, numbers} = (data && unpack(data)) || {header: {voices: [], explanation: ""}};
    clock.sound?.setTracks(
      header.voices.map(({t, level}) => ({t: numbers(t), level: numbers(level)})),
    );
    soundNote = header.explanation;
    if (view.scene) showNote();
  }

  let arrows = "";
  /** Say what each arrow of the picture is. */
  view.onplan = () => {
    const drawn = view.listArrows(),
      key = drawn.map(({colour, label}) => colour + label).join();
    if (key === arrows) return;
    arrows = key;
    part.arrows.replaceChildren(
      ...drawn.map(({colour, label, means}) => {
        const name = label === means ? [] : [create("b", {textContent: label}), " "],
          item = create("li", {}, create("i"), ...name, means);
        item.style.setProperty("--c", colour);
        return item;
      }),
    );
  };
  view.onfollow = () => {
    if (!view.scene) return;
    const {caption} = view.scene;
    menus.update();
    view.onplan();
    if (part.caption.textContent !== caption)
      part.caption.replaceChildren(...explainWords(caption, words, true));
    showNote();
  };
  let sounding = !!clock.sound;
  view.ondraw = () => {
    transport.update();
    turn.place();
    if (sounding && !clock.sound) playSound(null);
    sounding = !!clock.sound;
  };
  view.onlost = lost => {
    part.stage.querySelector(".sorry")?.remove();
    if (lost) part.stage.append(createNotice(LOST));
  };
  view.onrest = camera => ask?.("camera", camera);
  view.toggleSound = transport.toggleSound;
  turn.onchange = () => {
    if (view.scene) showNote();
  };
  root.addEventListener("transitionend", event => {
    if (event.propertyName === "color") view.replan();
  }); // another theme
  connectKeys(part, view, transport, turn);
  clock.join(view);
  if (clock.sound) ask?.("sounding", true); // another player turned it on

  const feed = {
    view,
    shapes: data => view.setShapes(unpack(data)),
    scene: data => {
      const motions = readMotions(data);
      view.setScene(motions && buildScene(motions.facts, motions.motions));
    },
    layout: menus.chooseLayout,
    turnable: turn.allow,
    receive: turn.receive,
    heard: playSound,
    look: ([number, speed, from, plays] = []) => {
      if (!number) return;
      view.setCamera(from);
      clock.open(number, speed, plays);
    },
    label: words => canvas.setAttribute("aria-label", words),
    camera: place => {
      if (place.length) view.camera = place;
    },
    dispose() {
      clock.leave(view);
      view.dispose();
      root.remove();
    },
  };
  if (shapes) feed.shapes(shapes);
  if (scene) feed.scene(scene);
  return feed;
}

const createNotice = textContent => create("p", {className: "sorry", role: "status", textContent});

/** Let the button Turn, or the key R while it is held, turn the body where a drag or an arrow key would turn the view. */
function connectTurn(part, view, ask) {
  let refusal = null,
    pressed = false,
    holding = false,
    hand = null,
    grip = null; // refusal: "" if the body can turn, null without a server
  const turn = {
    onchange: null,
    place() {
      grip?.place();
    },
    /** The text that explains this mode, or why it is not possible. */
    get note() {
      return pressed && refusal ? refusal : view.hand ? TURN_HELP : "";
    },
    get isOffered() {
      return refusal !== null && !grip;
    },
    hold(on) {
      if (holding !== on) {
        holding = on;
        update();
      }
    },
    allow(why) {
      refusal = why;
      addGrip();
      part.turn.hidden = why === null || hasSphere();
      part.turn.setAttribute("aria-disabled", !!why);
      part.turn.title = why || `${TURN_HELP} (hold R)`;
      update();
    },
    receive() {
      hand?.receive();
      grip?.receive();
    },
  };
  const hasSphere = () => view.scene?.kind === "momentum";
  /** On the momentum sphere, a ring for the start takes the place of the button. */
  async function addGrip() {
    if (refusal === null || !hasSphere() || grip) return;
    const {addStartGrip} = await import("./start-grip.js");
    grip ??= addStartGrip(view, part.stage, start => ask("turn", start));
    view.redraw();
  }
  async function update() {
    const isWanted = () => refusal === "" && (pressed || holding);
    part.turn.setAttribute("aria-pressed", isWanted());
    if (isWanted())
      hand ??= (await import("./turn-body.js")).turnBody(view, clock, attitude =>
        ask("turn", attitude),
      );
    view.hand = isWanted() ? hand : null;
    view.canvas.style.touchAction = view.hand ? "none" : "";
    turn.onchange?.();
  }
  part.turn.onclick = () => {
    pressed = !pressed;
    update();
  };
  return turn;
}

function connectKeys(part, view, transport, turn) {
  const {canvas} = view;
  /** What a key does; nothing if it is not for the player. */
  function findAction({key, shiftKey, repeat, target}) {
    const onPicture = target === canvas,
      by = (shiftKey ? 10 : 1) * DEGREE;
    if (onPicture) {
      if (key === "r" && turn.isOffered)
        return () => {
          if (!repeat) turn.hold(true);
        };
      if (view.hand && TURNS[key])
        return () => view.hand.orbit(by * TURNS[key][0], by * TURNS[key][1], false);
      if (ORBITS[key] && (shiftKey || ORBITS[key][1])) return () => view.orbit(...ORBITS[key]);
      if (key === "+" || key === "=") return () => view.magnify(1.15);
      if (key === "-") return () => view.magnify(1 / 1.15);
      if (key === "0") return () => view.reset(view.scene);
    }
    if (key === " " && target.tagName === "BUTTON") return null;
    return {
      ArrowLeft: () => transport.step(-1),
      ArrowRight: () => transport.step(1),
      Home: () => clock.seek(0),
      End: () => clock.seek(clock.duration),
      " ": transport.toggle,
      ...(!part.sound.hidden && {t: transport.toggleSound}),
    }[key];
  }
  const act = event => {
    const action = event.ctrlKey || event.altKey || event.metaKey ? null : findAction(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  for (const element of [
    canvas,
    part.scrub,
    part.play,
    part.back,
    part.forth,
    part.loop,
    part.sound,
  ])
    element.addEventListener("keydown", act);
  canvas.addEventListener("keyup", ({key}) => {
    if (key === "r" || key === "R") turn.hold(false);
  });
  canvas.addEventListener("blur", () => turn.hold(false));
}
