// The choice of a demo: step, duration, methods and initial numbers; and its address, the text behind the #.

import {findFault, findRange} from "../core/entries.js";
import {
  fillText,
  formatList,
  formatNumber,
  formatPlain,
  formatQuery,
  formatStep,
  parseList,
  parseNames,
  parseStep,
} from "../core/numbers.js";
import {data, givenNumbers} from "./data.js";

const MOST_STEPS = 2e7; // of a run
const INITIAL = {
  dt: data.dt,
  duration: data.duration,
  log: true,
  methods: data.lines.map(({method}) => method),
  given: Object.fromEntries(givenNumbers.map(({name, value}) => [name, value])),
};

const splitWords = text => text.split(",").map(word => word.trim());

/** What a field changes: {name, value, low, high}, with the value of the file. */
const findNumber = name =>
  givenNumbers.find(one => one.name === name) ?? {
    name,
    value: [INITIAL[name]],
    ...data.limits[name],
  };

/** The numbers that a person typed into a field; throws an error with a sentence. */
function parseEntry(name, text) {
  const {label} = data.fields.find(field => field.name === name),
    number = findNumber(name),
    {value} = number,
    numbers = name === "dt" ? [parseStep(text)] : parseList(text),
    fault = findFault(number, numbers);
  if (fault === "count")
    throw new Error(
      `${label} takes ${value.length === 1 ? "a number" : `${value.length} numbers, separated by commas`}, like ${formatList(value)}.`,
    );
  if (fault === "range")
    throw new Error(
      `${label} must be from ${findRange(number)
        .map(x => formatNumber(x))
        .join(" to ")}.`,
    );
  if (fault)
    throw new Error(
      "No body has these moments: each is positive and at most the sum of the other two.",
    );
  return numbers;
}

class Choice {
  state; // what is chosen, like INITIAL
  words = {}; // of the address: show, controls, caption, play

  constructor() {
    this.reset();
  }

  reset() {
    this.state = structuredClone(INITIAL);
  }

  /** Whether the choice of runs is that of the file. */
  get isInitial() {
    return JSON.stringify({...this.state, log: 0}) === JSON.stringify({...INITIAL, log: 0});
  }

  /** Whether the address shows a part; without such a word it shows all. */
  showsPart(part) {
    return !this.words.show || splitWords(this.words.show).includes(part);
  }

  /** Whether the address shows a field; without such a word it shows all. */
  showsField(name) {
    return !this.words.controls || splitWords(this.words.controls).includes(name);
  }

  /** The texts of the fields. */
  get texts() {
    const {dt, duration, given} = this.state;
    return {
      dt: formatStep(dt),
      duration: formatPlain(duration),
      ...Object.fromEntries(givenNumbers.map(({name}) => [name, formatList(given[name])])),
    };
  }

  /** Pairs of a name and its numbers that differ from those of the file. */
  get changes() {
    const {given} = this.state;
    return givenNumbers
      .filter(({name, value}) => String(given[name]) !== String(value))
      .map(({name}) => [name, given[name]]);
  }

  /** Take the text of a field; throws an error with a sentence, also if the runs would take too many steps. */
  change(name, text) {
    const after = structuredClone(this.state),
      numbers = parseEntry(name, text);
    if (name in data.limits) after[name] = numbers[0];
    else after.given[name] = numbers;
    if (after.duration / after.dt > MOST_STEPS)
      throw new Error(
        `This takes ${formatNumber(after.duration / after.dt, 3)} steps; a demo makes at most ${formatNumber(MOST_STEPS)}.`,
      );
    this.state = after;
  }

  /** Choose methods by their labels, in the order of the file; unknown ones are left out. */
  chooseMethods(labels) {
    this.state.methods = INITIAL.methods.filter(label => labels.includes(label));
  }

  /** The address of the choice, with these words. */
  formatAddress(words = this.words) {
    const {state} = this,
      query = {...(data.lab && {problem: data.problem}), ...words};
    for (const name of ["dt", "duration"])
      if (state[name] !== INITIAL[name]) query[name] = this.texts[name];
    for (const [name, values] of this.changes) query[name] = formatList(values, ",");
    if (data.lab || String(state.methods) !== String(INITIAL.methods))
      query.methods = state.methods.join(",");
    if (!state.log) query.axis = "linear";
    return formatQuery(query);
  }

  /** Take the choice of the page's address; returns sentences about the parts that are not possible. */
  readAddress() {
    const problems = [];
    this.reset();
    this.words = {};
    for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
      try {
        if (name === "methods") {
          const labels = parseNames(text),
            unknown = labels.filter(label => !INITIAL.methods.includes(label));
          if (unknown.length)
            problems.push(
              `This page has no method ${unknown.join(", ").slice(0, 80)}; it has ${INITIAL.methods.join(", ")}.`,
            );
          if (labels.length > unknown.length) this.chooseMethods(labels);
        } else if (name === "axis") this.state.log = text !== "linear";
        else if (data.words.includes(name))
          this.words[name] = selectKnown(name, text.slice(0, data.longest), problems);
        else if (data.fields.some(field => field.name === name)) this.change(name, text);
        else if (name !== "problem" || !data.lab || text !== data.problem)
          problems.push(
            `The address has ${JSON.stringify(name.slice(0, 40))}, which is unknown here.`,
          );
      } catch (error) {
        problems.push(error.message);
      }
    }
    return problems;
  }

  /** The chosen methods for other programs; those that stand for the exact motion if there are none. */
  get #labels() {
    return this.state.methods.length ? this.state.methods : data.alone;
  }

  /** The Python program that repeats the runs. */
  writeProgram() {
    const {
        changes,
        texts: {dt, duration},
      } = this,
      list = values => (values.length > 1 ? `[${formatList(values)}]` : formatList(values));
    const fixed = Object.entries(data.changes).filter(
      ([name]) => !changes.some(([other]) => other === name),
    );
    const options = [
      ...fixed.map(([name, text]) => `, ${name}=${text.includes(",") ? `[${text}]` : text}`),
      ...changes.map(([name, values]) => `, ${name}=${list(values)}`),
    ];
    const texts = {
      problem: `engine.problem("${data.problem}"${options.join("")})`,
      methods: JSON.stringify(this.#labels),
      times: `dt=${dt}, duration=${duration}`,
    };
    return fillText(data.snippet, texts);
  }

  /** The link to this choice on a page of Polhode. */
  writeLink() {
    const {dt, duration} = this.texts,
      changes = this.changes.map(([name, values]) => [name, formatList(values, ",")]);
    return `?${formatQuery({
      ...data.page,
      problem: data.problem,
      methods: this.#labels.join(","),
      dt,
      duration,
      ...data.changes,
      ...Object.fromEntries(changes),
    })}`;
  }
}

/** The known parts of a word of the address; adds a sentence about the others to `problems`. */
function selectKnown(name, text, problems) {
  const known = {
    show: data.parts.map(([word]) => word),
    controls: ["methods", ...data.fields.map(field => field.name), "none"],
    play: ["yes", "no", "held"],
  }[name];
  if (!known) return text;
  const words = splitWords(text).filter(Boolean),
    odd = words.filter(word => !known.includes(word));
  if (odd.length)
    problems.push(
      `${name}: there is no ${odd.join(", ").slice(0, 80)} here; there are ${known.join(", ")}.`,
    );
  return words.filter(word => known.includes(word)).join(",");
}

export const choice = new Choice();
