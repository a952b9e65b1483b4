/** A store that has the line of a value it stores is told where it is made: by its neighbours, the cut, or the call. */
import { expect, it } from "vitest";
import type { CrashFacts, OrderFacts, StoreFact } from "../../src/crash/finding/index.ts";
import { settlingStores } from "../../src/report/render/stray-stores.ts";
import type { Frame } from "../../src/trace/events/index.ts";
import { frame } from "./findings.ts";

const source = [
  "static int half(int n) { return n % 2; }",
  "static int next(int n) { return n++; }",
  "static void raise(struct pair *p) { p->left = p->left + 1; }",
  "static int both(struct pair *p) { return p->right = p->left - 1, p->left + 8; }",
  "static void set(struct pair *p) { p->left = -1; p->right += 1; }",
];
const inSource = (name: string, line: number, what: string): Frame =>
  frame(name, line, { file: "/src/pair.c", column: source[line - 1]!.indexOf(what) + 1, inlined: true });

const store = (seq: number, inner: readonly Frame[], address = 8 * seq): StoreFact => ({
  path: "/pm/pool",
  mark: { seq, thread: 1, site: 1, stack: 1, address, size: 8, value: 1n },
  frames: [...inner, frame("insert", 55, { inlined: true }), frame("main", 90)],
});

function told(lost: readonly StoreFact[], cut: readonly Frame[]): readonly (string | undefined)[] {
  const settle = settlingStores((path) => (path === "/src/pair.c" ? source.join("\n") : undefined));
  const crash = { lost, kept: [], elsewhere: [], cut: { mark: { seq: 9, thread: 1, site: 1, stack: 1 }, frames: cut } };
  return settle
    .crash(crash as unknown as CrashFacts)
    .lost.map(({ frames: [first] }) => `${first?.function}:${first?.line}`);
}
const elsewhere = [frame("other", 7)];

it.each([
  ["half", 1, "%"],
  ["half", 1, "2"],
  ["both", 4, "+ 8"],
  ["both", 4, "8"],
] as const)("in %s, line %i, at %s it is a value's", (name, line, what) => {
  const stray = inSource(name, line, what);
  expect(told([store(1, [stray]), store(2, [inSource("set", 5, "p->left")])], elsewhere)).toEqual(["set:5", "set:5"]);
  expect(told([store(2, [inSource("set", 5, "p->left")]), store(3, [stray])], elsewhere)).toEqual(["set:5", "set:5"]);
  // Not in a row, not side by side.
  expect(told([store(1, [stray]), store(3, [inSource("set", 5, "p->left")])], elsewhere)).toEqual([
    "insert:55",
    "set:5",
  ]);
  expect(told([store(1, [stray]), store(2, [inSource("set", 5, "p->left")], 400)], elsewhere)).toEqual([
    "insert:55",
    "set:5",
  ]);
  const later = [frame("flush", 36, { inlined: true }), frame("insert", 71, { inlined: true }), frame("main", 90)];
  expect(told([store(1, [stray])], later)).toEqual(["insert:71"]);
  // In a function that it called: of a library, which is nobody's to inline.
  const inLibrary = [frame("pmem_flush", 12), frame("settle", 23), ...later.slice(1)];
  expect(told([store(1, [stray])], inLibrary)).toEqual(["insert:71"]);
  expect(told([store(1, [stray])], [frame("insert", 71, { inlined: true }), frame("operate", 90)])).toEqual([
    "insert:55",
  ]);
});

it.each([
  ["next", 2, "++"],
  ["set", 5, "p->left"],
  ["set", 5, "->left"],
  ["set", 5, "= -1"],
  ["set", 5, "1;"],
  ["set", 5, "+= 1"],
  ["raise", 3, "+ 1"],
  ["raise", 3, "1;"],
  ["both", 4, "- 1"],
] as const)("in %s, line %i, at %s it is a store's", (name, line, what) => {
  expect(told([store(1, [inSource(name, line, what)])], elsewhere)).toEqual([`${name}:${line}`]);
});

it("only where it was inlined: else the function itself stores", () => {
  const own = { ...inSource("half", 1, "%"), inlined: false };
  expect(told([store(1, [own])], elsewhere)).toEqual(["half:1"]);
});

it("in a pair that is out of order, too, and where a flush belongs", () => {
  const settle = settlingStores((path) => (path === "/src/pair.c" ? source.join("\n") : undefined));
  const stray = store(3, [inSource("half", 1, "%")]);
  const [missing, later] = [store(1, [inSource("set", 5, "p->left")]), [frame("insert", 71, { inlined: true })]];
  const order = {
    ...{ reading: "too old", stale: 0n, sameValues: false, others: [{ missing: stray, kept: missing }] },
    ...{ missing, kept: stray, fix: { inserts: [{ op: "flush", after: stray }], patches: [] } },
  } as OrderFacts;
  const lines = (crash: CrashFacts | undefined) => {
    const { missing, kept, fix, others } = settle.order(order, crash);
    return [missing, kept, fix!.inserts[0]!.after, others[0]!.missing].map(({ frames: [first] }) => first?.line);
  };
  expect(lines(undefined)).toEqual([5, 55, 55, 55]);
  // As the crash tells it, which it belongs to.
  const cut = { mark: { seq: 9, thread: 1, site: 1, stack: 1 }, frames: [...later, frame("main", 90)] };
  const crash = { lost: [], kept: [stray], elsewhere: [], cut } as unknown as CrashFacts;
  expect(lines(settle.crash(crash))).toEqual([5, 71, 71, 71]);
  // By the cut, where the crash does not tell it.
  expect(lines({ ...crash, kept: [] })).toEqual([5, 71, 71, 71]);
});
