/** What a function stores, in the words of its caller. */
import { beforeAll, expect, it } from "vitest";
import { inCallersWords, repeatableCalls, SourceFunctions, type Syntax } from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

/** `expression` of f, where main calls it. */
function said(expression: string, body: string, call: string): string | undefined {
  const root = syntax.parse(
    `int *at(int *p) { return p + 1; }\nvoid f(int *p, int n, struct s *q) { ${body} }\nvoid main(int *a) { ${call} }`,
    "c",
  ).rootNode;
  const functions = new SourceFunctions();
  functions.add("a.c", root);
  return inCallersWords(expression, functions.named("f")!, functions.callsOf("f")[0]!, repeatableCalls([root]));
}

it.each([
  ["&p[n]", "p[n] = 1;", "f(a, 5, 0);", "&a[5]"],
  ["&p[n]", "p[n] = 1;", "f(a + 2, i - 1, 0);", "&(a + 2)[(i - 1)]"],
  ["&q->n", "q->n = 1;", "f(a, 1, b);", "&b->n"],
  ["p", "*p = 1;", "f(at(a), 1, b);", "(at(a))"],
  ["&table[n]", "table[n] = 1;", "f(a, 3, b);", "&table[3]"],
])("%s after %s called as %s", (expression, body, call, expected) => {
  expect(said(expression, body, call)).toBe(expected);
});

it.each([
  ["&p[i]", "int i = n; p[i] = 1;", "f(a, 5, 0);"],
  ["&p[n]", "n++; p[n] = 1;", "f(a, 5, 0);"],
  ["&p[n]", "p = p + 1; p[n] = 1;", "f(a, 5, 0);"],
  ["&p[n]", "change(&n); p[n] = 1;", "f(a, 5, 0);"],
  ["&p[n]", "p[n] = 1;", "f(a, i++, 0);"],
  ["&p[n]", "p[n] = 1;", "f(a, next(), 0);"],
])("%s after %s called as %s has no words there", (expression, body, call) => {
  expect(said(expression, body, call)).toBeUndefined();
});
