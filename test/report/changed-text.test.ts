import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { languageOf, type SourceNode, type Syntax, writtenNode } from "../../src/program/source/index.ts";
import { changedText } from "../../src/report/render/changed-text.ts";
import { openTestSyntax } from "../source/syntax.ts";

describe("what a line changes", () => {
  test.each([
    ["\t\tbook->count++;", "book->count"],
    ["  D_RW(book_toid)->count += 1; // one more", "D_RW(book_toid)->count"],
    ["  if (full) *slot = D_RO(at)->next;", "*slot"],
    ["  if (full) (*slot)[1] = 2;", "(*slot)[1]"],
    ["  memcpy(D_RW(entry)->name, name, sizeof(name));", "D_RW(entry)->name"],
    ["  pmemobj_memcpy_persist(pop, &root->text, text, 8);", "root->text"],
    ["  ++root->list[at].count;", "root->list[at].count"],
    ["  root->head->next = fresh = other;", undefined],
    ["  struct book *book = D_RW(book_toid);", undefined],
    ['  say("a = b");', undefined],
    ["  if (a == b) return;", undefined],
    ["  map.at(key) = 3;", "map.at(key)"],
    ["} TX_ONABORT {", undefined],
  ])("%s", (line, expected) => {
    expect(changedText(line, 0)).toBe(expected);
  });

  test("of two, the one at the column", () => {
    const line = "  a->first = 1; b->second = 2;";
    expect(changedText(line, 0)).toBeUndefined();
    expect(changedText(line, line.indexOf("2") + 1)).toBe("b->second");
    const chain = "  a->first = b->second = 2;";
    expect(changedText(chain, chain.indexOf("=") + 1)).toBe("a->first");
  });
});

/** Every statement of one line and one write, by the grammar. */
function writesOf(
  root: SourceNode,
): readonly { readonly line: number; readonly column: number; readonly text: string }[] {
  const statements = root.descendantsOfType("expression_statement");
  return statements.flatMap((statement) => {
    if (statement === null || statement.startPosition.row !== statement.endPosition.row) return [];
    const place = writtenNode(statement, statement);
    if (place === undefined || statement.descendantsOfType("call_expression").length > 0) return [];
    const { row, column } = statement.startPosition;
    return [{ line: row + 1, column: column + 1, text: place.text }];
  });
}

describe("the grammar says the same", () => {
  let syntax: Syntax;
  beforeAll(async () => {
    syntax = await openTestSyntax();
  });

  test("of every statement of the guests that writes once", () => {
    const files = readdirSync("guests", { recursive: true, encoding: "utf8" })
      .filter((name) => [".c", ".cpp"].includes(extname(name)))
      .map((name) => join("guests", name));
    let compared = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      const lines = text.split("\n");
      const wrong: string[] = [];
      for (const write of writesOf(syntax.parse(text, languageOf(file)!).rootNode)) {
        compared++;
        const answer = changedText(lines[write.line - 1]!, write.column);
        if (answer !== write.text) wrong.push(`${file}:${write.line}: ${answer}, and not ${write.text}`);
      }
      expect(wrong).toEqual([]);
    }
    expect(compared).toBeGreaterThan(1000);
  });
});
