// The words of the table of methods: its columns, filters, marks and notes.

const KEEPS = "Keeps", STRUCTURE = "Structure", COST = "Cost of a step", FREE = "free bodies", TOPS = "heavy tops", SYMMETRIC = "symmetric tops";
const MARK = "mark", NUMBER = "number", TEXT = "text"; // the looks of a cell

/** The columns of the table, with their label in a comparison, and what only a comparison shows. */
export function listColumns({durations}) {
  const free = `on the free body after ${durations.free} s, divided by Δtᵖ`, top = `after ${durations["slow-top"]} s, divided by Δtᵖ`, errors = "Error ÷ Δtᵖ, free";
  const table = [
    ["family", "Family", "Sorted in the order of the catalogue", "", TEXT],
    ["order", "Order", "p of attitude/momentum with a torque; small, on the free body", "", TEXT],
    ["step", "Step", "Whether a step is explicit or solves an equation", "", TEXT],
    ["energy", "E", "Keeps the total energy", KEEPS, MARK, "keeps E"],
    ["pi", "π", "Keeps the spatial momentum, as a vector, on the free body", KEEPS, MARK, "keeps π"],
    ["casimir", "|Π|²", "Keeps |Π|² on the free body", KEEPS, MARK, "keeps |Π|²"],
    ["pi_e3", "π·e₃", "Keeps the vertical momentum, where the motion does", KEEPS, MARK, "keeps π·e₃"],
    ["pi_chi", "π·χ", "Keeps π·χ on symmetric heavy tops", KEEPS, MARK, "keeps π·χ"],
    ["symplectic", "Sympl.", "A step is a symplectic map", STRUCTURE, MARK, "symplectic"],
    ["reversible", "Revers.", "A step back undoes a step", STRUCTURE, MARK, "reversible"],
    ["torques", "Torques", "Evaluations on a heavy top", COST, NUMBER, "Torques a step"],
    ["ns", "ns", "Nanoseconds on the free body", COST, NUMBER, "ns a step, free"],
    ["attitude", "Attitude", `Error ${free}`, errors, NUMBER, "Attitude error ÷ Δtᵖ, free"],
    ["momentum", "Momentum", `Relative error of Π ${free}`, errors, NUMBER, "Momentum error ÷ Δtᵖ, free"],
  ];
  const further = [
    ["fits", "Takes a torque", "Whether it runs on a heavy top"],
    ["orthogonality", "Keeps RᵀR = 1", "R stays a rotation"],
    ["ns-top", "ns a step, slow top", "With a torque"],
    ["attitude-top", "Attitude error ÷ Δtᵖ, slow top", top],
    ["momentum-top", "Momentum error ÷ Δtᵖ, slow top", top],
    ["newton", "Newton iterations a step, free", "On average"],
    ["largest", "Largest step, free", "With which a hundred steps can be made, in s"],
    ["drift", "Energy over a million steps, free", "At the problem's step"],
    ["drift-top", "Energy over a million steps, asymmetric top", "The same"],
  ];
  const name = ([key, label, meaning, group, looks, alone = label]) => ({key, label, meaning, group, looks, alone});
  return {inTable: table.map(name), further: further.map(name)};
}

/** The switches of the filter: the problems that they are for, if not all, their labels and meanings. */
export const FILTERS = {
  energy: [FREE, "keeps E", "to roundoff"],
  pi: [FREE, "keeps π", "the momentum in space"],
  torque: [TOPS, "takes a torque", "runs on a heavy top"],
  "tops-energy": [TOPS, "keeps E", "to roundoff, on symmetric and asymmetric tops"],
  "tops-pi_e3": [TOPS, "keeps π·e₃", "the momentum about the vertical"],
  "tops-pi_chi": [SYMMETRIC, "keeps π·χ", "the momentum about the top's axis"],
  symplectic: ["", "symplectic", "a step is a symplectic map"],
  reversible: ["", "reversible", "some under a condition, which their row states"],
};

/** The meanings of the marks. */
export const MARKS = {kept: "declared, and measured so", declared: "declared, not measured", lost: "no", wrong: "measured otherwise than declared"};

/** Notes on how to read the table. */
export const listNotes = ({durations, processor, versions}) => Object.entries({
  Kept: "to roundoff, over thousands of steps. Small letters state a condition: “free” on the free body alone, “free, tops” on heavy tops too, "
    + "“sym. tops” on symmetric heavy tops alone. Without one, a method keeps the quantity whenever the motion does.",
  Recorded: "All measurements come from a record that is part of this version; this page computes nothing. All but the nanoseconds are the same on "
    + "every machine, up to roundoff, which also decides how the energy of a chaotic top wanders in a million steps.",
  Order: "of attitude/momentum as declared; the measured slopes are on the method's card, and a mark shows where they differ. Adaptive methods and "
    + "the exact motion have no order, and a least order leaves them out.",
  "Error ÷ Δtᵖ": `The error after ${durations.free} s of the problem “free”, divided by the step, in seconds, to the power of the method's order there, `
    + "which stands beside it. Attitude: spectral norm of the difference of the rotations. Momentum: of Π, relative to its length. "
    + "Among methods of one order, less is better.",
  Nanoseconds: `The least of several runs on one core of ${processor} (${versions}), compiled, all invariants watched. They differ on other machines, `
    + "and a difference of a fifth is not significant.",
});
