/** `--explain`: which loads of a failing recovery could read several stores, why each store is open, and what happened to the lines. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";
import { explored, pool } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-open-"));
afterAll(() => rmSync(folder, { recursive: true }));
const guest = compileGuest("explore/open.c", ["-O1", "-g", "-static", "-pthread"]);
const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool] };

it.each([
  ["never", "never-flushed", undefined],
  ["before", "flushed-before", 36],
  ["unfenced", "not-fenced", 40],
  ["elsewhere", "fenced-elsewhere", 40],
  ["other", "other-line", 42],
] as const)("%s: the value that is lost was %s", (wrong, why, flushed) => {
  const { plan } = explored([guest, wrong, pool], commands, { explains: true });
  const [finding, ...more] = plan.findings();
  expect(more).toEqual([]);
  const { reads, timeline } = finding!.crash!.open!;
  const read = reads.find(({ fatal }) => fatal)!;
  expect(read.load!.frames[0]).toMatchObject({ function: "main", line: 59 });
  const [old, newer] = read.candidates;
  expect(old).toEqual({ why: "persisted", seen: true });
  expect(newer).toMatchObject({ why, store: { name: "pool->value" } });
  expect(newer!.store!.frames[0]).toMatchObject({ function: "store_value", line: 39 });
  expect(newer!.flush?.frames.at(0)?.line).toBe(flushed);
  const stores = timeline.events.flatMap((event) =>
    event.kind === "store" ? [[event.fate, event.frames[0]!.line]] : [],
  );
  expect(stores).toContainEqual(["lost", 39]);
});

it("the report says so, in words and as JSON", () => {
  const given = ["explore", "--no-journal", "--explain", "--setup", commands.setup.join(" ")];
  const program = ["--recover", commands.recover.join(" "), "--", guest, "unfenced", pool];
  const { code, stderr } = runBlackout([...given, ...program], { cwd: folder });
  expect(code).toBe(1);
  const text = stderr.replaceAll(/\s+/g, " ");
  expect(text).toContain("recovery reads pool->value at open.c:59, of 2 that it could see (this led to the failure)");
  expect(text).toContain("=> what was there before: sure to be there");
  expect(text).toContain("- pool->value = 42, stored at open.c:39: flushed at open.c:40, not fenced");
  expect(text).toContain(": store lost (open.c:39), clwb (open.c:40), power cut");
  const { stdout } = runBlackout([...given, "--format", "json", ...program], { cwd: folder });
  const [finding] = (JSON.parse(stdout) as { findings: { reads: { fatal?: boolean }[]; timeline: object }[] }).findings;
  expect(finding!.reads.filter(({ fatal }) => fatal)).toHaveLength(1);
  expect(finding!.timeline).toMatchObject({ lines: [{ index: 2 }, { index: 0 }] });
});
