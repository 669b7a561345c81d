// Records the phone's gyroscope and accelerometer; see app/views/controls/recorder.py. What is recorded stays in the browser
// until the person sends it.

import {create} from "../core/dom.js";
import {saveFile} from "../core/files.js";
import {findAddress} from "../core/page.js";
import {keepFile} from "../core/kept-files.js";

const LONGEST = 20_000, // milliseconds of a recording
  PATIENCE = 3_000, // milliseconds within which a sensor answers
  WINDOW = 5_000, // milliseconds that the curves show
  WEIGHTLESS = 3; // m/s²: below this, the phone is about to be in free flight
const RADIANS = Math.PI / 180,
  NAME = "recording.csv";
const COLUMNS = [
  "Time (s)",
  ...["x", "y", "z"].map(axis => `Gyroscope ${axis} (rad/s)`),
  ...["x", "y", "z"].map(axis => `Acceleration ${axis} (m/s^2)`),
];

/** The row of an event: time in s, rates in rad/s, accelerations in m/s²; null without rates. Browsers report the rates about
 * x, y and z as alpha, beta and gamma (Chromium, device_motion_event_pump.cc). */
export function readEvent({timeStamp, rotationRate, accelerationIncludingGravity}) {
  const {alpha, beta, gamma} = rotationRate ?? {};
  if (![alpha, beta, gamma].every(Number.isFinite)) return null;
  const {x, y, z} = accelerationIncludingGravity ?? {};
  return [
    timeStamp / 1000,
    ...[alpha, beta, gamma].map(rate => rate * RADIANS),
    ...[x, y, z].map(value => value ?? NaN),
  ];
}

/** Rows as a table with the columns of phyphox. */
export const writeTable = rows =>
  [
    COLUMNS.map(name => `"${name}"`).join(","),
    ...rows.map(([t, ...values]) =>
      [t - rows[0][0], ...values].map(value => String(Number(value.toPrecision(9)))).join(","),
    ),
  ].join("\n") + "\n";

/** Whether a row is one in free flight, but for the turning of the phone. */
const isWeightless = row => Math.hypot(...row.slice(4)) < WEIGHTLESS;

/** Ask for the sensors, and return why there are none, in a sentence. */
async function askForSensors() {
  if (!isSecureContext)
    return "Browsers give the sensors only to pages with https, so open this page by an address that begins with https.";
  if (!globalThis.DeviceMotionEvent) return "This browser has no motion sensors.";
  if (!DeviceMotionEvent.requestPermission) return "";
  const answer = await DeviceMotionEvent.requestPermission().catch(error => error.message);
  return answer === "granted" ? "" : "The browser did not permit the sensors.";
}

export function render({model}) {
  const rows = [];
  let recording = null,
    part = null; // the begin and the end of the flight that the server has found
  const button = (textContent, onclick) =>
    create("button", {type: "button", textContent, onclick, hidden: true});
  const record = button("Record", start),
    stop = button("Stop", () => finish()),
    find = button("Find its moments of inertia", () =>
      model.send_msg({recording: writeTable(rows)}),
    ),
    use = button("Use it on Gyroscope", hand),
    save = button("Save as CSV", () => saveFile(writeTable(rows), NAME, "text/csv"));
  record.hidden = false;
  record.className = "main";
  const status = create("p", {role: "status"}),
    canvas = create("canvas", {
      role: "img",
      ariaLabel: "Rates about x, y and z over time; the free flight is shaded",
      hidden: true,
    });
  const box = create(
    "div",
    {className: "recorder"},
    create("div", {className: "buttons"}, record, stop, find, use, save),
    status,
    canvas,
  );

  async function start() {
    const refusal = await askForSensors();
    if (refusal) return void (status.textContent = refusal);
    rows.length = 0;
    part = null;
    recording = new AbortController();
    const {signal} = recording;
    addEventListener("devicemotion", take, {signal});
    const timers = [
      setTimeout(() => rows.length || finish("No gyroscope answers on this device."), PATIENCE),
      setTimeout(() => finish(), LONGEST),
    ];
    signal.addEventListener("abort", () => timers.forEach(clearTimeout));
    status.textContent = "Recording. Throw the phone over a bed, with a tumble, and catch it.";
    show();
  }

  /** Open the recording on the page Gyroscope, which takes it from this tab. */
  async function hand() {
    if (await keepFile("recording", new File([writeTable(rows)], NAME)))
      location.search = `?page=gyroscope&recording=${NAME}`;
    else
      status.textContent =
        "The browser keeps nothing for another page. Save the recording, and choose it on Gyroscope.";
  }

  function take(event) {
    const row = readEvent(event);
    if (!row || row[0] <= rows.at(-1)?.[0]) return;
    rows.push(row);
    requestAnimationFrame(draw);
  }

  function finish(reason = "") {
    recording?.abort();
    recording = null;
    const seconds = rows.length ? rows.at(-1)[0] - rows[0][0] : 0;
    status.textContent =
      reason || `${rows.length} rows in ${seconds.toFixed(1)} s. They are in this browser only.`;
    show();
    draw();
  }

  function show() {
    record.hidden = Boolean(recording);
    stop.hidden = !recording;
    find.hidden = use.hidden = save.hidden = Boolean(recording) || rows.length < 2;
    canvas.hidden = !recording && rows.length < 2;
  }

  function draw() {
    const {clientWidth: width, clientHeight: height} = canvas;
    if (!width || rows.length < 2) return;
    const scale = devicePixelRatio;
    Object.assign(canvas, {width: width * scale, height: height * scale});
    const context = canvas.getContext("2d"),
      styles = getComputedStyle(canvas);
    context.scale(scale, scale);
    const last = rows.at(-1)[0],
      begin = recording ? Math.max(rows[0][0], last - WINDOW / 1000) : rows[0][0];
    const seen = rows.filter(row => row[0] >= begin);
    const largest = Math.max(1, ...seen.flatMap(row => row.slice(1, 4).map(Math.abs)));
    const place = t => ((t - begin) / (last - begin || 1)) * width;
    context.fillStyle = styles.getPropertyValue("--flight");
    const flights = part ? [part.map(t => t + rows[0][0])] : findWeightless(seen);
    for (const [from, to] of flights)
      context.fillRect(place(from), 0, Math.max(2, place(to) - place(from)), height);
    context.font = styles.font;
    for (const axis of [1, 2, 3]) {
      context.strokeStyle = context.fillStyle = styles.getPropertyValue(`--axis-${axis}`);
      context.fillText("xyz"[axis - 1], 4 + 16 * (axis - 1), 32);
      context.beginPath();
      for (const row of seen)
        context.lineTo(place(row[0]), height / 2 - (row[axis] / largest) * (height / 2 - 4));
      context.stroke();
    }
    context.fillStyle = styles.color;
    context.fillText(`${largest.toFixed(1)} rad/s`, 4, 14);
  }

  model.on("msg:custom", message => {
    if (message.part) part = message.part;
    draw();
  });
  model.on("remove", () => recording?.abort());
  // The address by which a phone opens this page, for the code that the server draws.
  if (!matchMedia("(pointer: coarse)").matches) model.send_msg({address: findAddress()});
  return box;
}

/** The parts of rows without weight, from time to time. */
function findWeightless(rows) {
  const parts = [];
  let from = null;
  for (const row of rows) {
    const free = isWeightless(row);
    if (free && from === null) from = row[0];
    if (!free && from !== null) {
      parts.push([from, row[0]]);
      from = null;
    }
  }
  return parts;
}

export default {render};
