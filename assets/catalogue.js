// The table of all methods, which is searched, filtered, sorted and compared here; see app/views/catalogue.py.

import {made} from "./made.js";
import {finder} from "./words.js";

const SAYS = {kept: "yes", declared: "declared", lost: "no", wrong: "contradicted"};


/** What a cell says, whether or not it was measured too. */
const substance = ({text, more = "", mark}) => `${mark === "declared" ? "✓" : text} ${more}`;

export function render({model}) {
  const {columns, rows, families, orders, steps, filters, legend, notes, most, longest, shown} = JSON.parse(model.data);
  const inTable = columns.filter(column => column.in_table), byKey = new Map(rows.map(row => [row.key, row]));
  const cell = (row, key) => row.cells[key] ?? {};
  const state = {...shown};
  let naming = 0;

  // ------------------------------------------------------------------ filters

  const search = made("input", {type: "search", maxLength: longest, placeholder: "key, alias, name or family", autocomplete: "off", spellcheck: false});
  const menu = (any, values) => made("select", {}, made("option", {value: ""}, any), ...values.map(value => made("option", {value}, value)));
  const menus = {family: menu("all", families), order: menu("any", orders), step: menu("either", steps)};
  const field = (words, input, looks = "") => made("label", {className: `field ${looks}`}, words, input);
  const boxes = filters.map(([value, name, meaning]) => ({value, box: made("input", {type: "checkbox", value}), name, meaning}));
  const clear = made("button", {type: "button", onclick: () => { wipe(); search.focus(); }}, "Clear filters");
  const form = made("div", {className: "filters", role: "search", "aria-label": "Filter the methods"},
    field("Search", search, "wide"), field("Family", menus.family), field("Order at least", menus.order), field("A step is", menus.step),
    made("fieldset", {className: "toggles"}, made("legend", {className: "unseen"}, "Only methods that are or keep"),
      ...boxes.map(({box, name, meaning}) => made("label", {title: meaning}, box, name))),
    clear);

  const read = () => {
    Object.assign(state, {search: search.value, having: boxes.filter(one => one.box.checked).map(one => one.value)});
    for (const [name, select] of Object.entries(menus)) state[name] = select.value;
    filter();
  };
  const write = () => {
    search.value = state.search;
    for (const [name, select] of Object.entries(menus)) select.value = state[name];
    for (const {box, value} of boxes) box.checked = state.having.includes(value);
  };
  const wipe = () => { Object.assign(state, {search: "", family: "", order: "", step: "", having: []}); write(); filter(); };
  form.addEventListener("input", read);

  // ------------------------------------------------------------------ the table

  const count = made("span", {className: "count", role: "status", "aria-live": "polite"});
  const bar = made("div", {className: "bar"}, count,
    made("ul", {className: "marks"}, ...legend.map(([mark, sign, words]) =>
      made("li", {}, made("b", {className: `is-${mark}`}, sign), ` ${words}`))));
  const reading = made("details", {className: "reading"}, made("summary", {}, "How to read the table"),
    made("dl", {}, ...notes.flatMap(([term, words]) => [made("dt", {}, term), made("dd", {}, words)])));

  const first = column => inTable.find(other => other.group === column.group) === column && column.group;
  const sorter = (key, label, meaning, alone) =>
    made("button", {type: "button", title: meaning, "aria-label": alone || label, onclick: () => sortBy(key)}, label);
  const heads = [
    ["method", made("th", {scope: "col", className: "corner"}, sorter("method", "Method", "By key; tick two or more to compare them"))],
    ...inTable.map(column => [column.key,
      made("th", {scope: "col", className: `${column.looks} ${first(column) ? "first" : ""}`}, sorter(column.key, column.label, column.meaning, column.alone))]),
  ];
  const groups = [made("td", {className: "corner", colSpan: 1})];
  for (const column of inTable) {
    if (!column.group) groups.push(made("td"));
    else if (first(column)) {
      const span = inTable.filter(other => other.group === column.group).length;
      groups.push(made("th", {scope: "colgroup", colSpan: span, className: "first"}, made("span", {}, column.group)));
    }
  }

  const filled = (row, column) => {
    const {text = "", more = "", words = [], mark = ""} = cell(row, column.key);
    const td = made("td", {className: `${column.looks} ${column.key} ${first(column) ? "first" : ""} ${mark && "is-" + mark}`, title: words.join("\n")});
    if (column.looks === "mark") td.append(made("b", {"aria-hidden": "true"}, text), made("span", {className: "unseen"}, SAYS[mark]));
    else td.append(mark === "wrong" ? `✗ ${text}` : text);
    if (more) td.append(made("small", {}, more));
    return td;
  };
  const lines = new Map(rows.map(row => {
    const box = made("input", {type: "checkbox", "aria-label": `Compare ${row.key}`, onchange: () => compare(row.key, box.checked)});
    const name = made("button", {type: "button", title: `${row.key}: ${row.name}`, "aria-expanded": "false", onclick: () => open(row.key)}, made("b", {}, row.key), made("span", {}, row.name));
    const tr = made("tr", {}, made("th", {scope: "row"}, made("div", {className: "who"}, made("label", {className: "tick"}, box), name)),
      ...inTable.map(column => filled(row, column)));
    return [row.key, {row, tr, box, name, words: [row.key, ...row.aliases, row.name, row.family].join("\n")}];
  }));
  const body = made("tbody");
  const nobody = made("div", {className: "nobody", hidden: true}, "No method has all of this.");
  const table = made("table", {className: "methods"}, made("caption", {className: "unseen"}, "Methods, what is declared of them and what was measured"),
    made("thead", {}, made("tr", {className: "groups"}, ...groups), made("tr", {}, ...heads.map(([, th]) => th))), body);
  const region = made("div", {className: "region", role: "region", tabIndex: 0, "aria-label": "Table of methods"}, table, nobody);

  function filter() {
    const finds = finder(state.search);
    let seen = 0;
    for (const {row, tr, words: own} of lines.values()) {
      tr.hidden = !(finds(own) && (!state.family || row.family === state.family)
        && (!state.order || (row.order ?? 0) >= Number(state.order)) && (!state.step || row.has.includes(state.step))
        && state.having.every(name => row.has.includes(name)));
      seen += !tr.hidden;
    }
    const text = seen === rows.length ? `${seen} methods` : `${seen} of ${rows.length} methods`;
    if (count.textContent !== text) count.textContent = text;
    nobody.hidden = seen > 0;
    clear.hidden = !(state.search || state.family || state.order || state.step || state.having.length);
    address();
  }

  /** Up, then down, then as the catalogue has them. */
  function sortBy(key) {
    state.sort = state.sort === key ? `-${key}` : state.sort === `-${key}` ? "" : key;
    sort();
    address();
  }

  function sort() {
    const down = state.sort.startsWith("-"), key = state.sort.replace(/^-/, "");
    const value = row => key === "method" ? row.key : cell(row, key).sort;
    const order = (a, b) => typeof a === "string" ? a.localeCompare(b, "en") : a - b;
    const sorted = key ? rows.toSorted((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);  // what has none comes last
      return down ? order(y, x) : order(x, y);
    }) : rows;
    for (const [other, th] of heads) th.setAttribute("aria-sort", other !== key ? "none" : down ? "descending" : "ascending");
    body.append(...sorted.map(row => lines.get(row.key).tr));
  }

  // ------------------------------------------------------------------ the card

  function open(key) { model.opened = model.opened === key ? "" : key; }

  function mark() {
    const before = state.open;
    state.open = model.opened;
    for (const [key, {tr, name: button}] of lines) {
      tr.classList.toggle("open", key === state.open);
      button.setAttribute("aria-expanded", key === state.open);
    }
    const closed = state.open ? undefined : lines.get(before);
    if (closed && !root.contains(root.getRootNode().activeElement)) (closed.tr.hidden ? region : closed.name).focus();
    address();
  }

  // ------------------------------------------------------------------ the comparison

  const comparison = made("section", {className: "comparison", "aria-label": "Comparison"});

  function compare(key, chosen) {
    state.compare = chosen ? [...state.compare, key] : state.compare.filter(other => other !== key);
    tell();
    address();
  }

  function tell() {
    const chosen = state.compare.map(key => byKey.get(key));
    for (const [key, {box}] of lines) {
      box.checked = state.compare.includes(key);
      box.disabled = chosen.length >= most && !box.checked;
      box.parentElement.title = box.disabled ? `${most} methods at most are compared` : `Compare ${key}`;
    }
    comparison.hidden = !chosen.length;
    if (chosen.length < 2) {
      comparison.replaceChildren(made("span", {className: "quiet"}, `${state.compare.join("")} is ticked; tick one to three more methods to compare them.`));
      return;
    }
    const link = `?problem=free&methods=${state.compare.map(encodeURIComponent).join(",")}`;
    const stop = made("button", {type: "button", onclick: () => { state.compare = []; tell(); address(); region.focus(); }}, "Compare none");
    const about = columns.map(column => {
      const cells = chosen.map(row => cell(row, column.key));
      const differs = new Set(cells.filter(one => one.text).map(substance)).size > 1;
      const tds = cells.map(({text, more = "", words = [], mark = ""}) => made("td", {className: mark && `is-${mark}`},
        text ? made("b", {}, text) : made("span", {}, "not measured"), made("i", {}, more), ...words.map(line => made("small", {}, line))));
      const sign = made("span", {className: "sign"}, ...(differs ? ["≠", made("span", {className: "unseen"}, " differs: ")] : []));
      return made("tr", {className: differs ? "differs" : ""}, made("th", {scope: "row", title: column.meaning}, sign, column.alone || column.label), ...tds);
    });
    comparison.style.setProperty("--compared", chosen.length);
    comparison.replaceChildren(
      made("div", {className: "head"}, made("h2", {}, `${chosen.length} methods compared`),
        made("a", {href: link}, "Compare in the lab"), stop, made("span", {className: "quiet"}, "≠ marks what differs; small letters tell what was measured.")),
      made("div", {className: "scroll", role: "region", tabIndex: 0, "aria-label": "Compared properties"}, made("table", {},
        made("thead", {}, made("tr", {}, made("td"), ...chosen.map(row => made("th", {scope: "col"}, made("b", {}, row.key), made("span", {}, row.name))))),
        made("tbody", {}, ...about))));
  }

  // ------------------------------------------------------------------ the address

  function address() {
    clearTimeout(naming);
    naming = setTimeout(() => {
      const query = new URLSearchParams({page: "methods"});
      const words = {search: state.search, family: state.family, order: state.order, step: state.step, with: state.having.join(","),
        sort: state.sort, open: state.open, compare: state.compare.join(",")};
      for (const [word, value] of Object.entries(words)) if (value) query.set(word, value);
      history.replaceState(history.state, "", `?${query.toString().replaceAll("%2C", ",")}`);
    }, 150);
  }

  const root = made("div", {className: "sheet"}, form, bar, reading, region, comparison);
  model.on("opened", mark);
  model.on("after_render", () => {  // a link's method is in view from the start
    const {tr} = lines.get(state.open) ?? {};
    if (tr && !tr.hidden) region.scrollTop = tr.offsetTop - region.clientHeight / 2;
  });
  model.on("remove", () => clearTimeout(naming));
  write();
  sort();
  filter();
  tell();
  mark();
  return root;
}

export default {render};
