// Lists the places of scripts that can be changed, as JSON: file, function, line, bytes from and
// to, and the changed expression. Node contains the parser Acorn, which --expose-internals opens.

import fs from "node:fs";
import {createRequire} from "node:module";

const acorn = createRequire(import.meta.url)("internal/deps/acorn/acorn/dist/acorn");

const SWAPS = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
};
const ORDERLESS = ["Math.max", "Math.min", "Math.hypot"];

/** The changed text of an expression: a constant, a sign, an operator, a comparison, or the order
 * of two arguments. */
function change(node, textOf) {
  switch (node.type) {
    case "Literal":
      if (typeof node.value === "boolean") return `${!node.value}`;
      if (typeof node.value !== "number") return null;
      return `${/^\d+$/.test(node.raw) ? node.value + 1 : 1.25 * node.value || 1}`;
    case "UnaryExpression":
      return ["-", "!"].includes(node.operator) ? textOf(node.argument) : null;
    case "BinaryExpression":
    case "LogicalExpression":
      return SWAPS[node.operator]
        ? `${textOf(node.left)} ${SWAPS[node.operator]} ${textOf(node.right)}`
        : null;
    case "CallExpression": {
      const [first, second, ...more] = node.arguments.map(textOf);
      const callee = textOf(node.callee);
      const fixed = second === undefined || first === second || ORDERLESS.includes(callee);
      return fixed ? null : `${callee}(${[second, first, ...more].join(", ")})`;
    }
  }
  return null;
}

/** The name that a node gives to the functions inside it. */
function nameOf(node) {
  const named = ["FunctionDeclaration", "ClassDeclaration", "MethodDefinition"];
  if (named.includes(node.type)) return (node.id ?? node.key)?.name;
  const isFunction = /Function/.test(node.init?.type);
  return node.type === "VariableDeclarator" && isFunction ? node.id.name : undefined;
}

function listPlaces(file) {
  const text = fs.readFileSync(file, "utf8");
  const textOf = node => text.slice(node.start, node.end);
  const bytes = end => Buffer.byteLength(text.slice(0, end));
  const places = [];

  function add(node, inside, after) {
    const {line} = acorn.getLineInfo(text, node.start);
    places.push([file, inside, line, bytes(node.start), bytes(node.end), after]);
  }

  function visit(node, inside) {
    const here = [inside, nameOf(node)].filter(Boolean).join(".");
    const changed = change(node, textOf);
    if (changed !== null) add(node, inside, changed);
    const removable = ["CallExpression", "AssignmentExpression"];
    if (node.type === "ExpressionStatement" && removable.includes(node.expression.type))
      add(node.expression, inside, "undefined");
    for (const part of Object.values(node))
      for (const child of Array.isArray(part) ? part : [part])
        if (typeof child?.type === "string") visit(child, here);
  }

  const options = {ecmaVersion: "latest", sourceType: "module", preserveParens: true};
  visit(acorn.parse(text, options), "");
  return places;
}

const files = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(files.flatMap(listPlaces)));
