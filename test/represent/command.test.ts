/** `blackout represent` as a command: how it ends, what it says, and that threads and journals change nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-represent-"));
afterAll(() => rmSync(folder, { recursive: true }));

const represent = (args: readonly string[]) => runBlackout(["represent", "--no-journal", ...args], { cwd: folder });
const statisticsOf = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1)!) as Record<string, unknown>;

describe("how it ends", () => {
  it("with 0 when every group was tested, and with what there was", () => {
    const { code, stderr } = represent(["--", checkGuest("undolog", undefined), checkPool]);
    expect(stderr).toMatch(/tested 13 of 76 update behaviours, for 5 groups: 55 of 120 crash states, in 12 recoveries/);
    expect(code).toBe(0);
  });
  it("with 1 when recovery fails, and the witness shows it again", () => {
    const witness = join(folder, "witness.json");
    const { code, stderr } = represent(["--witness", witness, "--", checkGuest("list", "LOST_ACK"), checkPool]);
    expect(stderr).toContain("error[recovery-fails]");
    expect(stderr).toContain("5 stores are never persisted: the updates they are part of last to the end of the run");
    expect(code).toBe(1);
    expect(runBlackout(["replay", witness], { cwd: folder })).toMatchObject({ code: 1 });
  });
  it("with 3 at a limit", () => {
    const program = ["--", checkGuest("btree", undefined), checkPool];
    const { code, stderr } = represent(["--max-executions", "3", ...program]);
    expect(stderr).toContain("stopped by --max-executions while testing");
    expect(code).toBe(3);
  });
  it.each([
    [["--max-executions", "0", "--", "/bin/true"], "takes a number from 1 on"],
    [["--recover", "a", "--recover", "b", "--", "/bin/true"], "blackout represent runs one recovery"],
  ])("%j with 2 and a sentence", (args, says) => {
    const { code, stderr } = represent(args);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});

it("says where debug information is missing", () => {
  const guest = compileGuest("represent/torn.c", ["-O2", "-s", "-static"]);
  const check = `${guest} ${checkPool} check`;
  const { code, stderr } = represent(["--setup", check, "--recover", check, "--", guest, checkPool]);
  expect(stderr).toContain("debug information names no object for 8 of 8 stores");
  expect(code).toBe(1);
});

describe("several inputs", () => {
  const guest = compileGuest("represent/commands.c", ["-O1", "-g", "-static"]);
  const check = `${guest} ${checkPool} check`;
  const given = (name: string, inputs: readonly string[]) => {
    const inputFolder = join(folder, name);
    mkdirSync(inputFolder);
    for (const [at, input] of inputs.entries()) writeFileSync(join(inputFolder, `${at}`), input);
    return ["--input", inputFolder, "--setup", check, "--recover", check, "--stats", "--", guest, checkPool];
  };
  it("are one analysis: what an earlier one stands for is not tested again", () => {
    const once = represent(given("once", ["aaa"]));
    const again = represent(given("again", ["aaa", "aaaa"]));
    expect([once.code, again.code]).toEqual([0, 0]);
    const [one, two] = [once, again].map(({ stderr }) => statisticsOf(stderr));
    expect([one!["behaviours"], two!["behaviours"]]).toEqual([3, 7]);
    expect([one!["groups"], two!["groups"]]).toEqual([1, 1]);
    expect([one!["behavioursTested"], two!["behavioursTested"]]).toEqual([1, 1]);
  });
  it("show what only one of them shows, and the witness knows which", () => {
    const witness = join(folder, "inputs.json");
    const { code, stderr } = represent(["--witness", witness, ...given("mixed", ["aa", "ab", "ba"])]);
    expect(code).toBe(1);
    expect(stderr.match(/error\[recovery-fails\]/g)).toHaveLength(1);
    expect(runBlackout(["replay", witness], { cwd: folder })).toMatchObject({ code: 1 });
  });
  it("go on where they were stopped", () => {
    const asked = given("stopped", ["aab", "ba", "abab"]);
    const whole = represent(asked);
    const journal = ["--journal", join(folder, "inputs"), "-j", "1"];
    const stopped = runBlackout(["represent", ...journal, "--max-executions", "4", ...asked], { cwd: folder });
    expect(stopped.stderr).toContain("the same command with --resume goes on from here");
    const left = () => readdirSync(folder).filter((name) => name.startsWith("inputs-"));
    expect(left()).toEqual(["inputs-1"]);
    const second = runBlackout(["represent", ...journal, "--resume", ...asked], { cwd: folder });
    const [all, rest] = [whole, second].map(({ stderr }) => statisticsOf(stderr));
    const { behaviours, groups, executions, findings } = all!;
    expect(rest).toMatchObject({ behaviours, groups, executions, findings });
    expect(rest!["tested"]).toBeLessThan(all!["tested"] as number);
    expect(second.code).toBe(whole.code);
    expect(left()).toEqual([]);
  });
  it("have to be there", () => {
    const { code, stderr } = represent(["--input", join(folder, "none"), "--", guest, checkPool]);
    expect(stderr).toContain("has no files: give --input a folder with one for each input");
    expect(code).toBe(2);
  });
});

describe("where caches survive", () => {
  it("what was never flushed is there, and stores in the wrong order are as wrong", () => {
    const unflushed = ["--", checkGuest("array", "MISSING_FLUSH"), checkPool];
    expect(represent(unflushed).code).toBe(1);
    expect(represent(["--platform", "eadr", ...unflushed]).code).toBe(0);
    const misplaced = ["--", checkGuest("array", "WRONG_ORDER"), checkPool];
    expect(represent(["--platform", "eadr", ...misplaced]).code).toBe(1);
  });
});

describe("the same whatever", () => {
  const program = ["--", checkGuest("redolog", "EARLY_CLEAR"), checkPool];
  const alone = represent(["--stats", "-j", "1", ...program]);
  const { behaviours, groups, executions, findings } = statisticsOf(alone.stderr);
  it("the number of threads", () => {
    const together = represent(["--stats", "-j", "2", ...program]);
    expect(statisticsOf(together.stderr)).toMatchObject({ behaviours, groups, executions, findings });
    expect(together.stderr.split("\n").slice(0, -2)).toEqual(alone.stderr.split("\n").slice(0, -2));
  });
  it("an interruption: what is in the journal is not run again", () => {
    const journal = ["--journal", join(folder, "journal"), "-j", "1", "--stats"];
    const first = runBlackout(["represent", ...journal, "--max-executions", "10", ...program], { cwd: folder });
    expect(first.code).not.toBe(0);
    const second = runBlackout(["represent", ...journal, "--resume", ...program], { cwd: folder });
    expect(statisticsOf(second.stderr)).toMatchObject({ behaviours, groups, executions, findings });
    expect(statisticsOf(second.stderr)["tested"]).toBeLessThan(executions as number);
  });
});
