// What a demo shows of a step of a lesson.

const FIRST_PLOTS = "What is kept",
  FIRST_PICTURE = "Poinsot",
  WAITS = "Predict first: answer the question, and the results appear.";

/**
 * The address of a step in its demo; `kept` are the plots of invariants, `alone` says whether the exact motion is alone, and `hidden`
 * are the parts that wait for an answer.
 */
export function writeAddress({space, kept, alone, look}, hidden) {
  const group = look.plots ?? FIRST_PLOTS,
    steps = ["steps", "orthogonality", "attitude"];
  const plots = {[FIRST_PLOTS]: alone ? [] : kept, Attitude: ["attitude"], Steps: steps}[group] ?? [
    group.toLowerCase(),
  ];
  const rolls = (look.picture ?? FIRST_PICTURE) === FIRST_PICTURE && !hidden.includes("picture");
  const show = [space === "se3" ? "space" : rolls && space === "so3" ? "poinsot" : "body"];
  if (!hidden.includes("plots")) show.push(...plots);
  if (!alone && !hidden.includes("table")) show.push("ledger");
  return new URLSearchParams({
    show,
    controls: hidden.length ? "none" : alone ? "duration" : "dt,methods",
    caption: hidden.length ? WAITS : "",
    ...(hidden.includes("picture") ? {play: "held"} : {}),
    ...(look.axis === "Linear" ? {axis: "linear"} : {}),
  }).toString();
}
