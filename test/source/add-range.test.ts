/** Ranges added to transactions, as changes of the source: in the program's words, before what changes them. */
import { beforeAll, expect, test } from "vitest";
import { OpenSources, SourcePatch, type SourcePorts } from "../../src/engines/index.ts";
import type { Syntax } from "../../src/program/source/index.ts";
import { frame } from "../report/findings.ts";
import { openTestSyntax } from "./syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

/** The lines around the store, as they are changed; or why not. The store is on the line that ends in "here". */
function changed(file: string, lines: readonly string[]): string | readonly string[] {
  const text = `${lines.join("\n")}\n`;
  const path = `/src/${file}`;
  const readSource = (asked: string) => (asked === path ? text : undefined);
  const ports: SourcePorts = { syntax, readSource, isOwn: () => true, shownPath: () => file };
  const patch = new SourcePatch(ports, new OpenSources(ports));
  const line = lines.findIndex((one) => one.includes("here")) + 1;
  // Of a loop, its head.
  const column = lines[line - 1]!.includes("while") ? lines[line - 1]!.indexOf("=") + 1 : 0;
  const { unplaced } = patch.addRange([frame("change", line, { file: path, column })]);
  if (unplaced !== undefined) return unplaced;
  return patch.changes()[0]!.after.split("\n").slice(1, -1);
}

const obj = "#include <libpmemobj.h>";
const plusPlus = "#include <libpmemobj++/transaction.hpp>";

test.each([
  [
    "book.c",
    [obj, "void f(void) {", "\tD_RW(book)->count++; // here", "}"],
    ["void f(void) {", "\tTX_ADD_FIELD(book, count);", "\tD_RW(book)->count++; // here", "}"],
  ],
  [
    "book.c",
    [obj, "void f(struct book *book) {", "  book->list[2].count = 1; // here", "}"],
    [
      "void f(struct book *book) {",
      "  TX_ADD_DIRECT(&book->list[2].count);",
      "  book->list[2].count = 1; // here",
      "}",
    ],
  ],
  [
    "book.c",
    [obj, "void f(void) {", "  memset(D_RW(at)->number, 0, NUMBER); // here", "}"],
    [
      "void f(void) {",
      "  pmemobj_tx_add_range_direct(D_RW(at)->number, NUMBER);",
      "  memset(D_RW(at)->number, 0, NUMBER); // here",
      "}",
    ],
  ],
  [
    "book.c",
    [obj, "void f(struct book *book) {", "  if (book)", "    book->count = 1; // here", "  done();", "}"],
    [
      "void f(struct book *book) {",
      "  if (book) {",
      "    TX_ADD_DIRECT(&book->count);",
      "    book->count = 1; // here",
      "  }",
      "  done();",
      "}",
    ],
  ],
  [
    "book.cpp",
    [plusPlus, "void f() {", "  root->count = 1; // here", "}"],
    ["void f() {", "  pmem::obj::transaction::snapshot(&root->count);", "  root->count = 1; // here", "}"],
  ],
  [
    "own.c",
    ["void f(void) {", "  tx_add(&p->left, sizeof p->left);", "  p->left = 1;", "  p->right = 2; // here", "}"],
    [
      "  tx_add(&p->left, sizeof p->left);",
      "  p->left = 1;",
      "  tx_add(&p->right, sizeof(p->right));",
      "  p->right = 2; // here",
      "}",
    ],
  ],
])("%s: %j", (file, before, after) => {
  expect(changed(file, before)).toEqual(after);
});

test.each([
  [[obj, "void f(int *p) {", "  *p++ = 1; // here", "}"], /without doing it again/],
  [[obj, "void f(int *p) {", "  while ((*p = next())) // here", "    ;", "}"], /part of the head of while/],
  [["void f(struct book *book) {", "  book->count = 1; // here", "}"], /no call of its own that adds/],
])("%j has no place for it", (before, says) => {
  expect(changed("book.c", before)).toMatch(says);
});
