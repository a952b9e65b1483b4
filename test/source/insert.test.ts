/** Where a flush goes and what it flushes, in C and C++ as people write them. Each result must compile. */
import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import {
  applyInsertions,
  bitFieldsIn,
  insertAfter,
  languageOf,
  nodeAt,
  placeAfter,
  repeatableCalls,
  type SourceLanguage,
  type Syntax,
  writtenAt,
} from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const prelude = `#include <stddef.h>
#include <string.h>
#include <stdio.h>
struct s { int a, b[4]; struct s *next; char text[64]; struct { unsigned full : 1, kind : 3; } bits; };
void persist(const void *at, size_t bytes);
static inline struct s *nth(struct s *p, int n) { return p + n; }
static inline int *inside(struct s *p, int n) { return &nth(p, n)->a; }
static inline struct s *taken(struct s **p) { return *p = (*p)->next; }
struct s *elsewhere(struct s *p);
`;

/** The body with a flush after what is at ^, or why there is none. */
function flushed(body: string, language: SourceLanguage = "c"): string {
  const at = body.indexOf("^");
  const marked = body.replace("^", "");
  const head = `${prelude}int f(struct s *p, struct s *q, int n) {\n`;
  const source = `${head}${marked}\n  return n;\n}\n`;
  const lines = source.slice(0, head.length + at).split("\n");
  const root = syntax.parse(source, language).rootNode;
  const node = nodeAt(root, { line: lines.length, column: lines.at(-1)!.length + 1 })!;
  const placement = placeAfter(node);
  if (placement.kind === "nowhere") return placement.reason;
  const written = writtenAt(node, placement.statement, repeatableCalls([root]), bitFieldsIn([root]));
  if (written === undefined) return "nobody knows what it writes";
  const call = `persist(${written.address}, ${written.size});`;
  const result = applyInsertions(source, insertAfter(source, placement, [call]));
  const compiler = language === "c" ? ["-xc"] : ["-xc++"];
  execFileSync("gcc", [...compiler, "-fsyntax-only", "-Wall", "-Werror", "-"], { input: result, stdio: "pipe" });
  return result.slice(head.length, result.length - "\n  return n;\n}\n".length);
}

describe("a flush", () => {
  it.each([
    ["  p->a ^= 1;", "  p->a = 1;\n  persist(&p->a, sizeof(p->a));"],
    ["  p->b[n] ^= 1; // one", "  p->b[n] = 1; // one\n  persist(&p->b[n], sizeof(p->b[n]));"],
    ["  p->a = 1; q->a ^= 2; n++;", "  p->a = 1; q->a = 2; persist(&q->a, sizeof(q->a)); n++;"],
    ["  p->bits.kind ^= 2;", "  p->bits.kind = 2;\n  persist(&p->bits, sizeof(p->bits));"],
    ["  { p->a ^= 1; }", "  { p->a = 1; persist(&p->a, sizeof(p->a)); }"],
    ["\tif (n)\n\t\tp->a ^= 1;", "\tif (n) {\n\t\tp->a = 1;\n\t\tpersist(&p->a, sizeof(p->a));\n\t}"],
    ["  if (n) p->a ^= 1;", "  if (n) { p->a = 1; persist(&p->a, sizeof(p->a)); }"],
    [
      "  if (n)\n    n = 2;\n  else\n    p->a^++;",
      "  if (n)\n    n = 2;\n  else {\n    p->a++;\n    persist(&p->a, sizeof(p->a));\n  }",
    ],
    [
      "  for (int i = 0; i < 4; i++) p->b[i] ^= i;",
      "  for (int i = 0; i < 4; i++) { p->b[i] = i; persist(&p->b[i], sizeof(p->b[i])); }",
    ],
    [
      "  while (n--)\n    p->b[n] ^= 0;",
      "  while (n--) {\n    p->b[n] = 0;\n    persist(&p->b[n], sizeof(p->b[n]));\n  }",
    ],
    ["  *p->next ^= *q;", "  *p->next = *q;\n  persist(p->next, sizeof(*p->next));"],
    ["  (*p).a ^= 3;", "  (*p).a = 3;\n  persist(&(*p).a, sizeof((*p).a));"],
    [
      "  mem^cpy(p->text, q->text, sizeof q->text);",
      "  memcpy(p->text, q->text, sizeof q->text);\n  persist(p->text, sizeof q->text);",
    ],
    ["  str^cpy(p->text, q->text);", "  strcpy(p->text, q->text);\n  persist(p->text, strlen(p->text) + 1);"],
    [
      "  switch (n) {\n  case 1:\n    p->a ^= 1;\n    break;\n  default:;\n  }",
      "  switch (n) {\n  case 1:\n    p->a = 1;\n    persist(&p->a, sizeof(p->a));\n    break;\n  default:;\n  }",
    ],
    ["  int m = p->a ^= 1; (void)m;", "  int m = p->a = 1; persist(&p->a, sizeof(p->a)); (void)m;"],
    ["  do p->a ^+= 1; while (n--);", "  do { p->a += 1; persist(&p->a, sizeof(p->a)); } while (n--);"],
    ["#ifndef LATER\n  p->a ^= 1;\n#endif", "#ifndef LATER\n  p->a = 1;\n  persist(&p->a, sizeof(p->a));\n#endif"],
    ["  p->a = 1, p->b[0] ^= 2;", "  p->a = 1, p->b[0] = 2;\n  persist(&p->b[0], sizeof(p->b[0]));"],
    ["  nth(p, n)->a ^= 1;", "  nth(p, n)->a = 1;\n  persist(&nth(p, n)->a, sizeof(nth(p, n)->a));"],
    ["  *inside(p, n) ^= 1;", "  *inside(p, n) = 1;\n  persist(inside(p, n), sizeof(*inside(p, n)));"],
    ["  __atomic_^store_n(&p->a, 1, 0);", "  __atomic_store_n(&p->a, 1, 0);\n  persist(&p->a, sizeof(p->a));"],
    ["  p->a =\n      ^q->a;", "  p->a =\n      q->a;\n  persist(&p->a, sizeof(p->a));"],
  ])("%j", (before, after) => {
    expect(flushed(before)).toBe(after);
  });

  it("of a line without a column goes after its first statement", () => {
    const source = "void f(int *p) {\n  *p = 1;\n}\n";
    const node = nodeAt(syntax.parse(source, "c").rootNode, { line: 2, column: 0 })!;
    const placement = placeAfter(node);
    expect(placement.kind === "in block" && writtenAt(node, placement.statement)).toEqual({
      address: "p",
      size: "sizeof(*p)",
    });
  });

  it.each([
    ["  auto &last = p->b[n]; last ^= 2;", "  auto &last = p->b[n]; last = 2;\n  persist(&last, sizeof(last));"],
    ["  for (int &one : p->b) one ^= 1;", "  for (int &one : p->b) { one = 1; persist(&one, sizeof(one)); }"],
  ])("in C++: %j", (before, after) => {
    expect(flushed(before, "cpp")).toBe(after);
  });

  it.each([
    ["  c.st^ore(1);", "  c.store(1);\n  persist(&c, sizeof(c));"],
    ["  d->st^ore(1);", "  d->store(1);\n  persist(d, sizeof(*d));"],
  ])("of an atomic's method: %j", (before, after) => {
    const atomics = "  static struct { void store(int) {} } c, *const d = &c;\n  (void)d;\n";
    expect(flushed(atomics + before, "cpp")).toBe(atomics + after);
  });

  it.each([
    ["  if ((p->a ^= n)) n = 1;", "it is part of the head of if statement"],
    ["  for (p->a ^= 0; n > 0; n--);", "it is part of the head of for statement"],
    ["  return p->a ^= 1;", "nothing after it in its block runs"],
    ["  p->b[n++] ^= 1;", "nobody knows what it writes"],
    ["  taken(&p)->a ^= 1;", "nobody knows what it writes"],
    ["  elsewhere(p)->a ^= 1;", "nobody knows what it writes"],
  ])("has no place in %j", (before, reason) => {
    expect(flushed(before)).toBe(reason);
  });
});

it("languages go by the file's name", () => {
  expect(["a.c", "b/c.hpp", "d.CC", "e.rs", "Makefile"].map(languageOf)).toEqual([
    "c",
    "cpp",
    "cpp",
    "rust",
    undefined,
  ]);
});
