/** `blackout explore` as a command: how it ends, what it says, and that threads, journals and limits change nothing else. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";
import { pool } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-explore-"));
afterAll(() => rmSync(folder, { recursive: true }));

const explore = (args: readonly string[]) => runBlackout(["explore", "--no-journal", ...args], { cwd: folder });
const statisticsOf = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1)!) as Record<string, unknown>;

describe("how it ends", () => {
  const lines = compileGuest("explore/lines.c", ["-O1", "-g", "-static"]);
  const unguarded = [
    ...["--setup", `${lines} setup ${pool} 16`, "--recover", `${lines} unguarded ${pool} 16`],
    ...["--", lines, "run", pool, "16"],
  ];
  it("with 0 when every crash state was covered and recovery took all of them", () => {
    const { code, stderr } = explore(["--", checkGuest("list", undefined), checkPool]);
    expect(stderr).toContain("explored every crash state of all 21 failure points, in 15 recoveries");
    expect(code).toBe(0);
  });
  it("with 1 when one fails, and the witness shows it again", () => {
    const witness = join(folder, "witness.json");
    const { code, stderr } = explore(["--witness", witness, "--", checkGuest("list", "LOST_ACK"), checkPool]);
    expect(stderr).toContain("error[recovery-fails]");
    expect(code).toBe(1);
    expect(runBlackout(["replay", witness], { cwd: folder })).toMatchObject({ code: 1 });
  });
  it("with 3 at a limit, and the coverage", () => {
    const { code, stderr } = explore(["--max-executions", "100", ...unguarded]);
    expect(stderr).toMatch(
      /stopped by --max-executions: explored every crash state of 2 of 3 failure points and those that lose stores of one line of all, in 100 recoveries/,
    );
    expect(code).toBe(3);
  });
  it.each([
    [["--max-executions", "0", "--", "/bin/true"], "takes a number from 1 on"],
    [["--", "/no/such/program"], "does not exist"],
    [["--depth", "0", "--", "/bin/true"], "takes a number from 1 on"],
    [["--depth", "two", "--", "/bin/true"], "takes a whole number"],
    [["--depth", "2", "--jaaru-like", "--", "/bin/true"], "leave it out here"],
    [["--platform", "strict", "--depth", "2", "--", "/bin/true"], "do not with --platform strict"],
    [["--platform", "strict", "--jaaru-like", "--", "/bin/true"], "do not with --platform strict"],
    [["--checksum", "nosuch", "--", checkGuest("list", undefined), checkPool], "has no function nosuch"],
  ])("%j with 2 and a sentence", (args, says) => {
    const { code, stderr } = explore(args);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});

describe("two power cuts", () => {
  const twice = compileGuest("explore/twice.c", ["-O1", "-g", "-static", "-DUNFENCED"]);
  const program = [
    ...["--setup", `${twice} setup ${pool}`, "--recover", `${twice} recover ${pool}`],
    ...["--", twice, "run", pool],
  ];
  it("show what one does not; the report tells of both, and the witness makes both", () => {
    expect(explore(program).code).toBe(0);
    const witness = join(folder, "twice.json");
    const { code, stderr } = explore(["--depth", "2", "--witness", witness, ...program]);
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /power cut at twice\.c:25, before the sfence, then again during recovery at twice\.c:60/,
    );
    expect(readFileSync(witness, "utf8")).toMatch(/"crash:\d+ again:\d+ cut:/);
    expect(runBlackout(["replay", witness], { cwd: folder })).toMatchObject({ code: 1 });
  });
  it.each([["--enumerate"], ["-j2"]])("%s finds it too", (how) => {
    expect(explore([how, "--depth", "2", ...program]).code).toBe(1);
  });
});

describe("where caches survive", () => {
  it("what was never flushed is there", () => {
    const program = ["--", checkGuest("array", "MISSING_FLUSH"), checkPool];
    expect(explore(program).code).toBe(1);
    expect(explore(["--platform", "eadr", ...program]).code).toBe(0);
  });
  it("stores in the wrong order are as wrong", () => {
    const program = ["--", checkGuest("array", "WRONG_ORDER"), checkPool];
    expect(explore(["--platform", "eadr", ...program]).code).toBe(1);
  });
});

it("where stores persist in their order, only what was promised too early or ordered wrongly is a mistake", () => {
  const strict = (mistake: string) =>
    explore(["--platform", "strict", "--stats", "--", checkGuest("array", mistake), checkPool]);
  expect(strict("MISSING_FLUSH").code).toBe(0);
  const { code, stderr } = strict("LOST_ACK");
  expect(code).toBe(1);
  expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/array->places\[1\] = 0 .*6 acknowledged, 5 there/);
  expect(statisticsOf(stderr)).not.toHaveProperty("jaaruExecutions");
});

it("an estimate says what there is", () => {
  const { code, stdout } = explore(["--estimate", "--", checkGuest("btree", undefined), checkPool]);
  expect(stdout).toMatch(/^There are 29 failure points with 379135 crash states; lines have \d+ contents in all/);
  expect(code).toBe(0);
});

describe("the same whatever", () => {
  const program = ["--", checkGuest("redolog", "EARLY_CLEAR"), checkPool];
  const alone = explore(["--stats", "-j", "1", ...program]);
  it("the number of threads", () => {
    const together = explore(["--stats", "-j", "2", ...program]);
    const { executions, jaaruExecutions, yatStates, findings } = statisticsOf(alone.stderr);
    expect(statisticsOf(together.stderr)).toMatchObject({ executions, jaaruExecutions, yatStates, findings });
    expect(together.stderr.split("\n").slice(0, -2)).toEqual(alone.stderr.split("\n").slice(0, -2));
  });
  it("an interruption: what is in the journal is not run again", () => {
    const journal = ["--journal", join(folder, "journal"), "-j", "1", "--stats"];
    const first = runBlackout(["explore", ...journal, "--max-executions", "60", ...program], { cwd: folder });
    expect(first.code).not.toBe(0);
    expect(readFileSync(join(folder, "journal", "journal"), "utf8").split("\n").length).toBeGreaterThan(2);
    const second = runBlackout(["explore", ...journal, "--resume", ...program], { cwd: folder });
    const { executions, findings, tested } = statisticsOf(second.stderr);
    expect({ executions, findings }).toEqual({
      executions: statisticsOf(alone.stderr)["executions"],
      findings: statisticsOf(alone.stderr)["findings"],
    });
    expect(tested).toBeLessThan(executions as number);
  });
});
