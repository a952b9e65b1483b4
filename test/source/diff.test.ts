/** A diff leads from one text to the other, says git. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { unifiedDiff } from "../../src/program/source/index.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-diff-"));
afterAll(() => rmSync(folder, { recursive: true }));

function applied(before: string, diff: string): string {
  writeFileSync(join(folder, "a.c"), before);
  // A folder without a repository around it.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: folder, GIT_DIR: "/nonexistent" };
  execFileSync("git", ["apply", "--unidiff-zero", "-"], { cwd: folder, input: diff, env, stdio: "pipe" });
  return readFileSync(join(folder, "a.c"), "utf8");
}

function randomText(random: RandomState, lines: number): string {
  const text = Array.from({ length: lines }, () => `${pick(random, ["a", "b", "c", "d"])}\n`).join("");
  return below(random, 4) === 0 ? text.slice(0, -1) : text;
}

function changed(random: RandomState, text: string): string {
  return text
    .split(/(?<=\n)/)
    .flatMap((line) => pick(random, [[line], [line], [line], [line, "x\n"], ["y\n", line], []]))
    .join("");
}

it("40 random texts and what became of them (seed 1)", () => {
  const random = seedRandom(1);
  for (let turn = 0; turn < 40; turn++) {
    const before = randomText(random, 1 + below(random, 60));
    const after = changed(random, before);
    const diff = unifiedDiff("a.c", before, after);
    if (before === after) expect(diff).toBe("");
    else if (after !== "") expect(applied(before, diff)).toBe(after);
  }
});

it("reads as people expect", () => {
  const before = Array.from({ length: 12 }, (_, line) => `line ${line + 1}\n`).join("");
  const after = before.replace("line 6\n", "line 6\nnew\n");
  expect(unifiedDiff("dir/a.c", before, after)).toBe(
    "--- a/dir/a.c\n+++ b/dir/a.c\n@@ -4,6 +4,7 @@\n line 4\n line 5\n line 6\n+new\n line 7\n line 8\n line 9\n",
  );
});
