/** What loops store over all their turns, said behind them; and loops of which nothing can be said. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  loopsOf,
  nodeAt,
  placeAfter,
  rangeOfLoop,
  repeatableCalls,
  type Syntax,
} from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const helper = "static struct cell *at(struct table *t, int i) { return t->cells + i; }\n";

/** Of the store on the line that ends with a star in a comment. */
function rangeIn(body: string, language: "c" | "cpp" = "c") {
  const text = `${helper}void f(struct table *t, long *p, long n, long m) {\n${body}\n}\n`;
  const { rootNode } = syntax.parse(text, language);
  const line = text.split("\n").findIndex((one) => one.includes("/*X*/")) + 1;
  const column = text.split("\n")[line - 1]!.indexOf("/*X*/") + 6;
  const node = nodeAt(rootNode, { line, column })!;
  const placement = placeAfter(node);
  if (placement.kind === "nowhere") throw new Error(placement.reason);
  return rangeOfLoop(loopsOf(node)[0]!, node, placement.statement, repeatableCalls([rootNode]));
}

const said = (address: string, size: string, runs?: string) => ({ address, size, runs, isOnePlace: false });

describe("elements one after another", () => {
  it.each([
    ["for (long i = 1; i < n / 8; i++) /*X*/p[i] = 7;", said("&p[1]", "((n / 8) - 1) * sizeof(p[1])", "1 < n / 8")],
    ["for (int i = 0; i < n; ++i) { /*X*/p[i] = i; }", said("&p[0]", "n * sizeof(p[0])", "0 < n")],
    ["for (int i = 0; i <= n; i += 1) /*X*/p[i] = i;", said("&p[0]", "(n + 1) * sizeof(p[0])", "0 <= n")],
    ["int i; for (i = 2; i < 10; i++) /*X*/p[i] = i;", said("&p[2]", "8 * sizeof(p[2])")],
    ["for (int i = m; i <= n + 1; i++) /*X*/p[i]++;", said("&p[m]", "((n + 1) - m + 1) * sizeof(p[m])", "m <= n + 1")],
    [
      "for (int i = 0; i < t->count; i++) { int k = i * 2; /*X*/t->cells[i].key = k; t->cells[i].value = k; }",
      said("&t->cells[0]", "t->count * sizeof(t->cells[0])", "0 < t->count"),
    ],
    [
      "for (;;) for (int j = 0; j < 8; j++) /*X*/t->rows[m][j] = 1;",
      said("&t->rows[m][0]", "8 * sizeof(t->rows[m][0])"),
    ],
  ])("%s", (body, range) => {
    expect(rangeIn(body)).toEqual(range);
    expect(rangeIn(body, "cpp")).toEqual(range);
  });
});

describe("one place", () => {
  it.each([
    ["for (int i = 0; i < n; i++) /*X*/t->sum += p[i];", { address: "&t->sum", size: "sizeof(t->sum)", runs: "0 < n" }],
    [
      "do { /*X*/at(t, m)->key = n; n--; } while (n > 0);",
      { address: "&at(t, m)->key", size: "sizeof(at(t, m)->key)" },
    ],
  ])("%s", (body, range) => expect(rangeIn(body)).toEqual({ runs: undefined, ...range, isOnePlace: true }));
});

describe("nothing is said", () => {
  it.each([
    ["of a loop that is left early", "for (int i = 0; i < n; i++) { if (p[i]) break; /*X*/p[i] = 1; }"],
    ["of a turn that may not store", "for (int i = 0; i < n; i++) if (i != m) { /*X*/p[i] = 1; }"],
    ["of a turn that goes on early", "for (int i = 0; i < n; i++) { if (i == m) continue; /*X*/p[i] = 1; }"],
    ["of a loop that may make no turn", "while (n-- > 0) /*X*/t->sum += 1;"],
    ["of a count that does not count by one", "for (int i = 0; i < n; i += 2) /*X*/p[i] = 1;"],
    ["of a count that the loop changes", "for (int i = 0; i < n; i++) { /*X*/p[i] = 1; n--; }"],
    ["of a bound that the loop may change", "for (int i = 0; i < t->count; i++) { /*X*/p[i] = 1; t->count -= m; }"],
    ["of a place that moves on", "for (int i = 0; i < n; i++) { /*X*/p[0] = 1; p += m; }"],
    ["of a variable of the loop", "for (int i = 0; i < n; i++) { long *q = p + i; /*X*/q[0] = 1; }"],
    ["of what elements point to", "for (int i = 0; i < n; i++) /*X*/t->slots[i]->key = 1;"],
    ["of a place by two counts", "for (int i = 0; i < n; i++) /*X*/p[i + m] = 1;"],
    ["of a loop that calls what may fence", "for (int i = 0; i < n; i++) { /*X*/p[i] = 1; commit(t); }"],
    ["of a loop that has assembly", 'for (int i = 0; i < n; i++) { /*X*/p[i] = 1; __asm__ volatile("sfence"); }'],
    ["of copies", "for (int i = 0; i < n; i++) /*X*/memcpy(&p[i], t, 8);"],
    ["of no turns", "for (int i = 3; i < 3; i++) /*X*/p[i] = 1;"],
    ["where a part is given away", "for (int i = 0; i < n; i++) { long *q = &n; *q = m; /*X*/p[i] = 1; }"],
  ])("%s", (_why, body) => expect(rangeIn(body)).toBeUndefined());
});
