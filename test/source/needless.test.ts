/** Calls that are needless on every path: random functions against all their paths, one after another. */
import { beforeAll, expect, it } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { type DurabilityHelper, needlessCalls, type Syntax } from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const helpers: readonly DurabilityHelper[] = [
  { name: "flush", parameters: 2, flushes: true, fences: false },
  { name: "fence", parameters: 0, flushes: false, fences: true },
  { name: "persist", parameters: 2, flushes: true, fences: true },
];

/** A statement of a random function. */
type Piece =
  | { readonly kind: "flush" | "persist"; readonly what: string }
  | { readonly kind: "fence" | "store" | "call" | "return" }
  | { readonly kind: "if"; readonly taken: readonly Piece[]; readonly otherwise: readonly Piece[] }
  | { readonly kind: "while"; readonly body: readonly Piece[] };

const simple = ["flush", "flush", "fence", "fence", "persist", "persist", "store", "call", "return"] as const;

function randomPieces(random: RandomState, depth: number, loops: boolean): readonly Piece[] {
  return Array.from({ length: 1 + below(random, 4) }, (): Piece => {
    const inner = () => randomPieces(random, depth - 1, loops);
    const nested = depth > 0 ? below(random, 4) : 3;
    if (nested === 0) return { kind: "if", taken: inner(), otherwise: below(random, 2) === 0 ? [] : inner() };
    if (nested === 1 && loops) return { kind: "while", body: inner() };
    const kind = pick(random, below(random, 4) === 0 ? simple : simple.slice(0, 6));
    return kind === "flush" || kind === "persist" ? { kind, what: pick(random, ["p->a", "p->b"]) } : { kind };
  });
}

const texts: Readonly<Record<string, string>> = {
  fence: "fence();",
  store: "p->a = n;",
  call: "other(p);",
  return: "return;",
};

function textOf(piece: Piece): string {
  if (piece.kind === "if") return `if (n) {\n${allText(piece.taken)}} else {\n${allText(piece.otherwise)}}\n`;
  if (piece.kind === "while") return `while (n) {\n${allText(piece.body)}}\n`;
  return `${"what" in piece ? `${piece.kind}(&${piece.what}, 8);` : texts[piece.kind]}\n`;
}
const allText = (pieces: readonly Piece[]): string => pieces.map(textOf).join("");

/** Every path through pieces, loops up to twice: simple pieces, and whether it has returned. */
type Path = { readonly pieces: readonly Piece[]; readonly ended: boolean };

const pathsOf = (pieces: readonly Piece[]): readonly Path[] =>
  pieces.reduce<readonly Path[]>(
    (paths, piece) =>
      paths.flatMap((path) =>
        path.ended
          ? [path]
          : continuations(piece).map((more) => ({ pieces: [...path.pieces, ...more.pieces], ended: more.ended })),
      ),
    [{ pieces: [], ended: false }],
  );

function continuations(piece: Piece): readonly Path[] {
  if (piece.kind === "if") return [...pathsOf(piece.taken), ...pathsOf(piece.otherwise)];
  if (piece.kind !== "while") return [{ pieces: [piece], ended: piece.kind === "return" }];
  return [{ pieces: [], ended: false }, ...pathsOf(piece.body), ...pathsOf([...piece.body, ...piece.body])];
}

/** Which pieces of a path do nothing there. */
function needlessOn(path: readonly Piece[]): ReadonlySet<Piece> {
  const needless = new Set<Piece>();
  const needed = new Set<Piece>();
  let [fenced, flushed] = [false, new Set<string>()];
  for (const piece of path) {
    const isFlush = piece.kind === "flush" || piece.kind === "persist";
    const isFence = piece.kind === "fence" || piece.kind === "persist";
    if (piece.kind === "store" || piece.kind === "call") [fenced, flushed] = [false, new Set()];
    if (!isFlush && !isFence) continue;
    const isNew = isFlush && !flushed.has(piece.what);
    if (isNew || (isFence && !fenced)) needed.add(piece);
    else needless.add(piece);
    if (isFlush) flushed.add(piece.what);
    fenced = isFence || (fenced && !isNew);
  }
  return new Set([...needless].filter((piece) => !needed.has(piece)));
}

const leaves = (pieces: readonly Piece[]): readonly Piece[] =>
  pieces.flatMap((piece) =>
    piece.kind === "if"
      ? [...leaves(piece.taken), ...leaves(piece.otherwise)]
      : piece.kind === "while"
        ? leaves(piece.body)
        : [piece],
  );

/** By the analysis, and on every path that comes by. */
function compared(pieces: readonly Piece[]) {
  const source = `void f(struct s *p, int n) {\n${allText(pieces)}}\n`;
  const body = syntax
    .parse(source, "c")
    .rootNode.descendantsOfType("function_definition")[0]!
    .childForFieldName("body")!;
  const all = leaves(pieces);
  const statements = body
    .descendantsOfType(["expression_statement", "return_statement"])
    .filter((one) => one !== null)
    .toSorted((a, b) => a.startIndex - b.startIndex);
  expect(statements).toHaveLength(all.length);
  const found = needlessCalls(body, helpers, new Set()).map((one) => statements.findIndex((each) => each.equals(one)));
  const paths = pathsOf(pieces).map((path) => path.pieces);
  const onEach = paths.map(needlessOn);
  const expected = all.flatMap((piece, index) => {
    const passing = paths.flatMap((path, number) => (path.includes(piece) ? [number] : []));
    return passing.length > 0 && passing.every((number) => onEach[number]!.has(piece)) ? [index] : [];
  });
  return { found: found.toSorted((a, b) => a - b), expected, source };
}

it("without loops, exactly those of all paths: 300 functions (seed 1)", () => {
  const random = seedRandom(1);
  let total = 0;
  for (let turn = 0; turn < 300; turn++) {
    const { found, expected, source } = compared(randomPieces(random, 2, false));
    expect(found, source).toEqual(expected);
    total += found.length;
  }
  expect(total).toBeGreaterThan(100);
});

it("with loops, none that a path needs: 80 functions (seed 2)", () => {
  const random = seedRandom(2);
  for (let turn = 0; turn < 80; turn++) {
    const { found, expected, source } = compared(randomPieces(random, 2, true));
    for (const one of found) expect(expected, source).toContain(one);
  }
});

it.each([
  ["flush(&p->a, 8); other(p); flush(&p->a, 8);", 0],
  ["flush(&p[n], 8); n++; flush(&p[n], 8);", 0],
  ["flush(&p->a, 8); { int n = 1; flush(&p[n], 8); } flush(&p[n], 8);", 0],
  ["fence(); switch (n) { case 1: flush(&p->a, 8); } fence();", 0],
  ["fence(); again: fence(); if (n) goto again;", 0],
  ["persist(&p->a, 8);\n#ifdef X\n persist(&p->a, 8);\n#endif\n fence();", 0],
  ["persist(&p->a, 8); n = 2; persist(&p->a, 8);", 1],
  ['persist(&p->a, 8); __asm__("clwb %0" : "+m"(*p)); fence();', 0],
])("%s", (text, count) => {
  const root = syntax.parse(`void f(struct s *p, int n) { ${text} }\n`, "c").rootNode;
  const body = root.descendantsOfType("function_definition")[0]!.childForFieldName("body")!;
  expect(needlessCalls(body, helpers, new Set())).toHaveLength(count);
});
