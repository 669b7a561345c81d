// What a demo shows of a step of a lesson.

const FIRST_PLOTS = "What is kept", FIRST_PICTURE = "Poinsot", WAITS = "Predict first: answer the question, and the motion begins.";

/** The address of a step in its demo; `kept` are the plots of invariants, and `hidden` the parts that wait for an answer. */
export function writeAddress({space, kept, look}, hidden) {
  const plots = {[FIRST_PLOTS]: kept, Attitude: ["attitude"]}[look.plots ?? FIRST_PLOTS] ?? [];
  const rolls = (look.picture ?? FIRST_PICTURE) === FIRST_PICTURE && !hidden.includes("picture");
  const show = [space === "se3" ? "space" : rolls ? "poinsot" : "body"];
  if (!hidden.includes("plots")) show.push(...plots);
  if (plots.length && !hidden.includes("table")) show.push("ledger");
  return new URLSearchParams({
    show, controls: hidden.length ? "none" : "dt,methods", caption: hidden.length ? WAITS : "",
    ...(hidden.includes("picture") ? {play: "held"} : {}), ...(look.axis === "Linear" ? {axis: "linear"} : {}),
  }).toString();
}
