/** What is said while a session goes on. */
import { expect, it } from "vitest";
import { recoveryRules } from "../../exploration/explain/index.ts";
import type { Done, News } from "../../session/work/index.ts";
import { JsonLines, newsText } from "./early-news.ts";

const frames = [
  { address: "0x1", module: "/usr/lib/x86_64-linux-gnu/libpmem.so.1", function: "pmem_persist" },
  { address: "0x2", module: "/home/me/app", function: "insert", file: "/home/me/app.c", line: 22 },
] as never;
const found: News = {
  kind: "finding",
  finding: { rule: recoveryRules.exit, frames, says: "recovery exits with 3", mistakes: ["m"] },
};
const progress = (items: number): Done => ({
  engine: "inject",
  ...{ items, itemsInAll: 400, tested: items, skipped: 0, findings: 1 },
});

it("tells a person of findings, at the user's own line", () => {
  expect(newsText(found)).toBe("so far: error[recovery-fails] at app.c:22 in insert: recovery exits with 3");
  expect(newsText({ kind: "traced", events: 7 })).toBeUndefined();
  const said = { ...found, finding: { ...found.finding, says: "recovery says \u001b[2Jnothing" } };
  expect(newsText(said)).not.toContain("\u001b");
});

it("tells a program everything, a line each, and of progress once a second", () => {
  const lines: string[] = [];
  let now = 0;
  const json = new JsonLines(
    (text) => lines.push(text),
    () => now,
  );
  json.tell({ kind: "traced", events: 7 });
  json.tell({ kind: "judging", engine: "inject" });
  for (const [time, items] of [
    [0.5, 1],
    [1.5, 2],
    [2, 3],
    [3, 4],
  ] as const) {
    now = time;
    json.update(progress(items));
  }
  json.tell(found);
  const line = { rule: "recovery-fails", severity: "error", message: "recovery exits with 3" };
  const place = { function: "insert", file: "/home/me/app.c", line: 22, module: "/home/me/app" };
  expect(lines.map((text) => JSON.parse(text))).toEqual([
    { event: "traced", events: 7 },
    { event: "judging", engine: "inject" },
    { event: "progress", engine: "inject", judged: 2, total: 400, findings: 1 },
    { event: "progress", engine: "inject", judged: 4, total: 400, findings: 1 },
    { event: "finding", ...line, place },
  ]);
  for (const text of lines) expect(text).toMatch(/^[^\n]+\n$/);
});
