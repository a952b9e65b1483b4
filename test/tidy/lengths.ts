/** Files of at most 500 lines and functions of at most 70, as the eye takes them in. */
import ts from "typescript";
import { isTest, lineOf, nodesOf, type Source, type Violation } from "./sources.ts";

export const maxFileLines = 500;
export const maxFunctionLines = 70;

/** Longer files, each with the reason. A reason that is no longer needed fails the check too. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Longer functions, each with the reason. */
export const longFunctions: Readonly<Record<string, string>> = {
  "src/machine/runtime/bytecode.ts #op": "one case per kind of operation, each a line or two",
  "test/files/operations.ts randomOperation": "a table of calls to draw from",
};

export function fileLengthViolations(sources: readonly Source[], excepted = longFiles): Violation[] {
  const long = sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    return lines > maxFileLines ? [{ path, line: lines, says: `has ${lines} lines; split it at ${maxFileLines}` }] : [];
  });
  const stale = Object.keys(excepted).filter((path) => !long.some((violation) => violation.path === path));
  return [
    ...long.filter(({ path }) => excepted[path] === undefined),
    ...stale.map((path) => ({ path, line: 1, says: "is short enough: drop its exception" })),
  ];
}

/** The callback that groups tests is a table of contents, not a function. */
const groupsTests = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText());

const nameOf = (node: ts.Node): string => {
  const named = ts.isFunctionLike(node) && node.name ? node : node.parent;
  return named && "name" in named && named.name ? (named.name as ts.Node).getText() : "a function";
};

export function functionLengthViolations(source: Source, excepted = longFunctions): Violation[] {
  const found: Violation[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) continue;
    if (isTest(source.path) && groupsTests(node)) continue;
    const last = source.tree.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    const lines = last - lineOf(source, node) + 1;
    if (lines > maxFunctionLines && excepted[`${source.path} ${nameOf(node)}`] === undefined)
      found.push({
        path: source.path,
        line: lineOf(source, node),
        says: `${nameOf(node)} has ${lines} lines; at most ${maxFunctionLines}`,
      });
  }
  return found;
}
