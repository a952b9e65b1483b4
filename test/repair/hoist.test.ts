/**
 * Where fixes are hoisted to: calls and the copies of functions that come of it (Hippocrates' Listings 3.5 and 3.6), and the ends of loops.
 * SEEDED=all takes every case (`make seeded`).
 */
import { expect, it } from "vitest";
import { fixText } from "../../src/engines/index.ts";
import { mend } from "./mending.ts";
import { curable } from "./rows.ts";

const mended = (name: string, inPlace = false) => mend(curable.find((row) => row.name === `repair/${name}`)!, inPlace);

const takesAll = process.env.SEEDED === "all";

const addedLines = (diff: string): readonly string[] =>
  diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++"));

it("a function is copied for persistent memory where the score is highest, and fenced after the call", async () => {
  const { fixes, placed, changes, cost } = await mended("3-6-subprogram");
  expect(cost).toEqual({ flushes: 1, volatile: 0, fences: 1 });
  expect(fixText(fixes[0]!, placed[0]!)).toMatch(
    /:5 in update 0, .*:9 in modify 0, .*:16 in foo 1; foo calls a copy of modify/,
  );
  expect(addedLines(changes[0]!.diff)).toEqual([
    "+static void update_PM(char *addr, int idx, char val) {",
    "+  addr[idx] = val;",
    "+  flush(&addr[idx], sizeof(addr[idx]));",
    "+}",
    "+",
    "+static void modify_PM(char *addr) {",
    "+  update_PM(addr, 5, 'x');",
    "+}",
    "+",
    "+  modify_PM(pm_addr);",
    "+  fence();",
  ]);
});

it.runIf(takesAll)("in place, every call pays for it", async () => {
  const { changes, cost } = await mended("3-6-subprogram", true);
  expect(cost).toEqual({ flushes: 101, volatile: 100, fences: 101 });
  expect(addedLines(changes[0]!.diff)).toEqual(["+  persist(&addr[idx], sizeof(addr[idx]));"]);
});

it.runIf(takesAll)("a second caller takes the same copy", async () => {
  const { changes } = await mended("3-6-second-caller");
  const added = addedLines(changes[0]!.diff);
  expect(added.filter((line) => line.includes("void update_PM("))).toHaveLength(1);
  expect(added.filter((line) => line.includes("  update_PM("))).toHaveLength(2);
});

it("what outlives its calls is not copied: what it stored is flushed after the call", async () => {
  const { fixes, placed, changes } = await mended("3-6-static-local");
  const said = "foo flushes after the call of modify, because update has a variable that outlives its calls";
  expect(fixText(fixes[0]!, placed[0]!)).toContain(said);
  expect(addedLines(changes[0]!.diff)).toEqual(["+  persist(&pm_addr[5], sizeof(pm_addr[5]));"]);
});

it.runIf(takesAll)("a fence goes behind the loop that it is in, and no further than what depends on it", async () => {
  const { changes, cost } = await mended("fence-in-loop");
  expect(cost).toEqual({ flushes: 14, volatile: 0, fences: 2 });
  expect(changes[0]!.diff).toContain(`     table->cells[i].value = round;
+    flush(&table->cells[i].value, sizeof(table->cells[i].value));
   }
+  fence();
 }
`);
});

it("a flush goes behind the loop that it is in, where its turns store to a range or to one place", async () => {
  const { changes, cost } = await mended("flush-in-loop");
  // Of 20 words on 3 lines, one word, and 4 marks with gaps between them, in two rounds.
  expect(cost).toEqual({ flushes: 2 * (3 + 1 + 4), volatile: 0, fences: 2 });
  expect(addedLines(changes[0]!.diff)).toEqual([
    "+  if (0 < words) flush(&table->words[0], words * sizeof(table->words[0]));",
    "+  flush(&table->last, sizeof(table->last));",
    "+  for (int i = 0; i < 4; i++) { table->marks[i].mark = round; flush(&table->marks[i].mark, sizeof(table->marks[i].mark)); }",
    "+  fence();",
  ]);
});
