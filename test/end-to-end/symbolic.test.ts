/** The command itself: what it says, what it writes, and how it ends. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { runBlackout } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-symbolic-"));
afterAll(() => rmSync(folder, { recursive: true }));
const pool = join(folder, "pool");
const commands = () => compileGuest("symbolic/commands.c", ["-g", "-O1"]);

test("a finding comes with its input, which is written as a script too", () => {
  const out = join(folder, "inputs");
  const { code, stderr } = runBlackout(["symbolic", "--sym-stdin", "4", "--out", out, "--", commands(), pool]);
  const said = stderr.replaceAll(/\s+/g, " ").replaceAll(" | ", " ");
  expect(said).toContain('with stdin[0] = "p", stdin[2] = "d"');
  expect(said).toContain("13 paths through the program with 4 unknown bytes: all there are");
  expect(code).toBe(1);
  const [inputs] = readdirSync(out);
  expect(inputs).toBe("1-missing-flush");
  expect(readdirSync(join(out, inputs!)).sort((a, b) => (a < b ? -1 : 1))).toEqual(["finding.txt", "run.sh", "stdin"]);
  execFileSync(join(out, inputs!, "run.sh"));
  expect(spawnSync("od", ["-An", "-tu8", "-N8", pool], { encoding: "utf8" }).stdout.trim(), "put, then deleted").toBe(
    "0",
  );
});

test("what was left out makes the exit code 3, and is said", () => {
  const right = compileGuest("symbolic/commands.c", ["-g", "-O1", "-DRIGHT"]);
  const all = runBlackout(["symbolic", "--sym-stdin", "4", "--", right, pool]);
  expect([all.code, all.stderr.includes("all there are")]).toEqual([0, true]);
  const some = runBlackout(["symbolic", "--sym-stdin", "4", "--max-paths", "3", "--", right, pool]);
  expect([some.code, some.stderr.includes("no verdict on all inputs")]).toEqual([3, true]);
});

test.each([
  [[], "Say what is unknown"],
  [["--sym-arg", "7"], "There is no argument 7 to be unknown"],
  [["--sym-arg", "x"], "--sym-arg takes"],
  [["--sym-arg", "1", "--sym-arg", "1:3"], "names the same twice"],
  [["--sym-env", "NOWHERE"], "The variable NOWHERE is not set"],
  [["--sym-file", "/nowhere"], "There is no file /nowhere"],
  [["--sym-file", "/etc/passwd:5-5"], "say which of them are unknown"],
])("%j is one sentence and exit code 2", (options, sentence) => {
  const { code, stderr } = runBlackout(["symbolic", ...options, "--", commands(), pool]);
  expect([code, stderr.includes(sentence)], stderr).toEqual([2, true]);
});
