// The table of all methods, with a search, filters, sorting and a comparison; see app/views/tables/method_comparison.py.

import {create} from "../core/dom.js";
import {page} from "../core/page.js";
import {matchWords} from "../core/search.js";

const SPOKEN = {kept: "yes", declared: "declared", lost: "no", wrong: "contradicted"};

/** The statement of a cell, measured or only declared. */
const statement = ({text, more = "", mark}) => `${mark === "declared" ? "✓" : text} ${more}`;

export function render({model}) {
  const {columns, rows, families, orders, steps, filters, legend, notes, most, longest, shown} =
    JSON.parse(model.data);
  const inTable = columns.filter(column => column.in_table),
    byKey = new Map(rows.map(row => [row.key, row]));
  const cell = (row, key) => row.cells[key] ?? {};
  const state = {...shown};
  let naming = 0;

  // ------------------------------------------------------------------ filters

  const search = create("input", {
    type: "search",
    maxLength: longest,
    placeholder: "key, alias, name or family",
    autocomplete: "off",
    spellcheck: false,
  });
  const menu = (any, values) =>
    create(
      "select",
      {},
      create("option", {value: ""}, any),
      ...values.map(value => create("option", {value}, value)),
    );
  const menus = {
    family: menu("all", families),
    order: menu("any", orders),
    step: menu("either", steps),
  };
  const field = (words, input, looks = "") =>
    create("label", {className: `field ${looks}`}, words, input);
  const boxes = filters.map(([value, problem, name, meaning, lab = ""]) => ({
    value,
    problem,
    name,
    meaning,
    lab,
    box: create("input", {
      type: "checkbox",
      value,
      ariaLabel: problem ? `${name} on ${problem}` : name,
    }),
  }));
  const problems = [...new Set(filters.map(([, problem]) => problem))];
  const clear = create(
    "button",
    {
      type: "button",
      onclick: () => {
        clearFilters();
        search.focus();
      },
    },
    "Clear filters",
  );
  const form = create(
    "div",
    {className: "filters", role: "search", "aria-label": "Filter the methods"},
    field("Search", search, "wide"),
    field("Family", menus.family),
    field("Order at least", menus.order),
    field("A step is", menus.step),
    ...problems.map(problem =>
      create(
        "fieldset",
        {className: "toggles"},
        create("legend", {}, problem ? `On ${problem}` : "Structure"),
        ...boxes
          .filter(one => one.problem === problem)
          .map(({box, name, meaning}) => create("label", {title: meaning}, box, name)),
      ),
    ),
  );

  const readFilters = () => {
    Object.assign(state, {
      search: search.value,
      having: boxes.filter(one => one.box.checked).map(one => one.value),
    });
    for (const [name, select] of Object.entries(menus)) state[name] = select.value;
    filter();
  };
  const showFilters = () => {
    search.value = state.search;
    for (const [name, select] of Object.entries(menus)) select.value = state[name];
    for (const {box, value} of boxes) box.checked = state.having.includes(value);
  };
  const clearFilters = () => {
    Object.assign(state, {search: "", family: "", order: "", step: "", having: []});
    showFilters();
    filter();
  };
  form.addEventListener("input", readFilters);

  // ------------------------------------------------------------------ the table

  const status = create("span", {className: "count", role: "status", "aria-live": "polite"});
  const active = create("span", {}); // the filters in words
  const ticked = create("span", {role: "status"});
  const toComparison = create(
    "button",
    {
      type: "button",
      onclick: () => {
        bringIntoView();
        comparison.querySelector("h2").focus({preventScroll: true});
      },
    },
    "See the comparison",
  );
  const bar = create(
    "div",
    {className: "bar"},
    status,
    active,
    clear,
    ticked,
    toComparison,
    create(
      "ul",
      {className: "marks", role: "list"},
      ...legend.map(([mark, sign, words]) =>
        create("li", {}, create("b", {className: `is-${mark}`}, sign), ` ${words}`),
      ),
    ),
  );
  const reading = create(
    "details",
    {className: "reading"},
    create("summary", {}, "How to read the table"),
    create(
      "dl",
      {},
      ...notes.flatMap(([term, words]) => [create("dt", {}, term), create("dd", {}, words)]),
    ),
  );

  const first = column =>
    inTable.find(other => other.group === column.group) === column && column.group;
  const sorter = (key, label, meaning, alone) =>
    create(
      "button",
      {type: "button", title: meaning, "aria-label": alone || label, onclick: () => sortBy(key)},
      label,
    );
  const heads = [
    [
      "method",
      create(
        "th",
        {scope: "col", className: "corner"},
        sorter("method", "Method", "By key; tick two or more to compare them"),
      ),
    ],
    ...inTable.map(column => [
      column.key,
      create(
        "th",
        {scope: "col", className: `${column.looks} ${first(column) ? "first" : ""}`},
        sorter(column.key, column.label, column.meaning, column.alone),
      ),
    ]),
  ];
  const groups = [create("td", {className: "corner", colSpan: 1})];
  for (const column of inTable) {
    if (!column.group) groups.push(create("td"));
    else if (first(column)) {
      const span = inTable.filter(other => other.group === column.group).length;
      groups.push(
        create(
          "th",
          {scope: "colgroup", colSpan: span, className: "first"},
          create("span", {}, column.group),
        ),
      );
    }
  }

  const createCell = (row, column) => {
    const {text = "", more = "", words = [], mark = ""} = cell(row, column.key);
    const td = create("td", {
      className: `${column.looks} ${column.key} ${first(column) ? "first" : ""} ${mark && "is-" + mark}`,
      title: words.join("\n"),
    });
    if (column.looks === "mark")
      td.append(
        create("b", {"aria-hidden": "true"}, text),
        create("span", {className: "unseen"}, SPOKEN[mark]),
      );
    else td.append(mark === "wrong" ? `✗ ${text}` : text);
    if (more) td.append(create("small", {}, more));
    return td;
  };
  const lines = new Map(
    rows.map(row => {
      const box = create("input", {
        type: "checkbox",
        "aria-label": `Compare ${row.key}`,
        onchange: () => compare(row.key, box.checked),
      });
      const name = create(
        "button",
        {
          type: "button",
          title: `${row.key}: ${row.name}`,
          "aria-expanded": "false",
          onclick: () => open(row.key),
        },
        create("b", {}, row.key),
        create("span", {}, row.name),
      );
      const tr = create(
        "tr",
        {},
        create(
          "th",
          {scope: "row"},
          create("div", {className: "who"}, create("label", {className: "tick"}, box), name),
        ),
        ...inTable.map(column => createCell(row, column)),
      );
      return [
        row.key,
        {row, tr, box, name, words: [row.key, ...row.aliases, row.name, row.family].join("\n")},
      ];
    }),
  );
  const body = create("tbody");
  const empty = create("div", {className: "empty", hidden: true}, "No method matches.");
  const table = create(
    "table",
    {className: "methods"},
    create(
      "caption",
      {className: "unseen"},
      "Methods, their declared properties and the measurements",
    ),
    create(
      "thead",
      {},
      create("tr", {className: "groups"}, ...groups),
      create("tr", {}, ...heads.map(([, th]) => th)),
    ),
    body,
  );
  const region = create(
    "div",
    {className: "region", role: "region", tabIndex: 0, "aria-label": "Table of methods"},
    table,
    empty,
  );

  function filter() {
    const matches = matchWords(state.search);
    let count = 0;
    for (const {row, tr, words} of lines.values()) {
      tr.hidden = !(
        matches(words) &&
        (!state.family || row.family === state.family) &&
        (!state.order || (row.order ?? 0) >= Number(state.order)) &&
        (!state.step || row.has.includes(state.step)) &&
        state.having.every(name => row.has.includes(name))
      );
      count += !tr.hidden;
    }
    const text = count === rows.length ? `${count} methods` : `${count} of ${rows.length} methods`;
    if (status.textContent !== text) status.textContent = text;
    empty.hidden = count > 0;
    const {labProblem} = page;
    page.labProblem = boxes.map(({box, lab}) => (box.checked ? lab : "")).find(Boolean) ?? "";
    if (labProblem !== page.labProblem) showComparison();
    const filtersInWords = [
      state.search && `“${state.search}”`,
      state.family,
      state.order && `order at least ${state.order}`,
      state.step && `${state.step} steps`,
      ...boxes
        .filter(({value}) => state.having.includes(value))
        .map(({name, problem}) => (problem ? `${name} on ${problem}` : name)),
    ].filter(Boolean);
    active.textContent = filtersInWords.length ? `Filtered: ${filtersInWords.join(", ")}` : "";
    clear.hidden = !filtersInWords.length;
    writeAddress();
  }

  /** Sort upwards, then downwards, then in the order of the catalogue. */
  function sortBy(key) {
    state.sort = state.sort === key ? `-${key}` : state.sort === `-${key}` ? "" : key;
    sort();
    writeAddress();
  }

  function sort() {
    const down = state.sort.startsWith("-"),
      key = state.sort.replace(/^-/, "");
    const value = row => (key === "method" ? row.key : cell(row, key).sort);
    const order = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en") : a - b);
    const sorted = key
      ? rows.toSorted((a, b) => {
          const [x, y] = [value(a), value(b)];
          if (x === undefined || y === undefined) return (x === undefined) - (y === undefined); // rows without a value come last
          return down ? order(y, x) : order(x, y);
        })
      : rows;
    for (const [other, th] of heads)
      th.setAttribute("aria-sort", other !== key ? "none" : down ? "descending" : "ascending");
    body.append(...sorted.map(row => lines.get(row.key).tr));
  }

  // ------------------------------------------------------------------ the card

  function open(key) {
    model.opened = model.opened === key ? "" : key;
  }

  function mark() {
    const before = state.open;
    state.open = model.opened;
    for (const [key, {tr, name: button}] of lines) {
      tr.classList.toggle("open", key === state.open);
      button.setAttribute("aria-expanded", key === state.open);
    }
    const closed = state.open ? undefined : lines.get(before);
    if (closed && !root.contains(root.getRootNode().activeElement))
      (closed.tr.hidden ? region : closed.name).focus();
    writeAddress();
  }

  // ------------------------------------------------------------------ the comparison

  const comparison = create("section", {className: "comparison", "aria-label": "Comparison"});

  function compare(key, chosen) {
    state.compare = chosen ? [...state.compare, key] : state.compare.filter(other => other !== key);
    showComparison();
    writeAddress();
  }

  /** Show the comparison whole, or its head if it is higher than the window. */
  const bringIntoView = () =>
    comparison.scrollIntoView({
      block: "nearest",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });

  function showComparison() {
    const chosen = state.compare.map(key => byKey.get(key));
    for (const [key, {box}] of lines) {
      box.checked = state.compare.includes(key);
      box.disabled = chosen.length >= most && !box.checked;
      box.parentElement.title = box.disabled
        ? `The table compares at most ${most} methods`
        : `Compare ${key}`;
    }
    comparison.hidden = !chosen.length;
    ticked.textContent = chosen.length ? `${chosen.length} ticked` : "";
    toComparison.hidden = chosen.length < 2;
    const link = `?problem=${page.labProblem || "free"}&methods=${state.compare.map(encodeURIComponent).join(",")}`;
    const study = `?page=studies&study=convergence&methods=${state.compare.map(encodeURIComponent).join(",")}`;
    if (chosen.length < 2) {
      comparison.replaceChildren(
        create(
          "span",
          {className: "quiet"},
          `${state.compare.join("")} is ticked. Tick one to three more methods to compare them, or `,
        ),
        create("a", {href: link}, "open it in the lab"),
      );
      return;
    }
    const stop = create(
      "button",
      {
        type: "button",
        onclick: () => {
          state.compare = [];
          showComparison();
          writeAddress();
          region.focus();
        },
      },
      "Compare none",
    );
    const about = columns.map(column => {
      const cells = chosen.map(row => cell(row, column.key));
      const differs = new Set(cells.filter(one => one.text).map(statement)).size > 1;
      const tds = cells.map(({text, more = "", words = [], mark = ""}) =>
        create(
          "td",
          {className: mark && `is-${mark}`},
          text ? create("b", {}, text) : create("span", {}, "not measured"),
          create("i", {}, more),
          ...words.map(line => create("small", {}, line)),
        ),
      );
      const sign = create(
        "span",
        {className: "sign"},
        ...(differs ? ["≠", create("span", {className: "unseen"}, " differs: ")] : []),
      );
      return create(
        "tr",
        {className: differs ? "differs" : ""},
        create(
          "th",
          {scope: "row", title: column.meaning},
          create("div", {}, sign, create("span", {}, column.alone || column.label)),
        ),
        ...tds,
      );
    });
    comparison.style.setProperty("--compared", chosen.length);
    comparison.replaceChildren(
      create(
        "div",
        {className: "head"},
        create("h2", {tabIndex: -1}, `${chosen.length} methods compared`),
        create("a", {href: link}, "Compare in the lab"),
        create("a", {href: study}, "Study these"),
        stop,
        create(
          "span",
          {className: "quiet"},
          "≠ marks differences; small letters show measurements.",
        ),
      ),
      create(
        "div",
        {className: "scroll", role: "region", tabIndex: 0, "aria-label": "Compared properties"},
        create(
          "table",
          {},
          create(
            "thead",
            {},
            create(
              "tr",
              {},
              create("td"),
              ...chosen.map(row =>
                create(
                  "th",
                  {scope: "col"},
                  create("b", {}, row.key),
                  create("span", {}, row.name),
                ),
              ),
            ),
          ),
          create("tbody", {}, ...about),
        ),
      ),
    );
  }

  // ------------------------------------------------------------------ the address

  function writeAddress() {
    clearTimeout(naming);
    naming = setTimeout(() => {
      const query = new URLSearchParams({page: "methods"});
      const words = {
        search: state.search,
        family: state.family,
        order: state.order,
        step: state.step,
        with: state.having.join(","),
        sort: state.sort,
        open: state.open,
        compare: state.compare.join(","),
      };
      for (const [word, value] of Object.entries(words)) if (value) query.set(word, value);
      history.replaceState(history.state, "", `?${query.toString().replaceAll("%2C", ",")}`);
    }, 150);
  }

  const root = create("div", {className: "html-block"}, form, bar, reading, region);
  region.append(comparison); // which so has the scrollbar of the table
  model.on("opened", mark);
  model.on("after_render", () => {
    // scroll to the method that a link opens, or to its comparison
    const {tr} = lines.get(state.open) ?? {};
    if (!state.open && state.compare.length > 1) bringIntoView();
    if (tr && !tr.hidden) region.scrollTop = tr.offsetTop - region.clientHeight / 2;
  });
  model.on("remove", () => {
    clearTimeout(naming);
    page.labProblem = "";
  });
  showFilters();
  sort();
  filter();
  showComparison();
  mark();
  return root;
}

export default {render};
