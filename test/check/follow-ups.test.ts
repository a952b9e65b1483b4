/**
 * What runs after recovery: further recoveries, work that goes on, and how little a recovery prints. With the memo and
 * without, findings are the same, and a witness shows them again.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { main } from "../../src/app/commands/main.ts";
import { operationAfter } from "../../src/crash/states/index.ts";
import { shownFindings } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";
import { checkGuest, pool } from "./guests.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-follow-ups-"));
afterAll(() => rmSync(folder, { recursive: true }));
const report = join(folder, "report.json");
const witness = join(folder, "witness.json");

async function check(words: readonly string[]) {
  const where = ["--format", "json", "--report", report, "--witness", witness, "--no-rules", "-j", "1"];
  await main(["check", ...where, ...words]);
  return shownFindings(readFileSync(report, "utf8"));
}

const slots = compileGuest("check/hidden/taken-slot.c", ["-O1", "-g", "-static", "-DBUG"]);
const work = ["--recover", `${slots} ${pool} show`, "--then", `${slots} ${pool} add {n}`];

describe("work that goes on", () => {
  it("tells what recovery does not, with the memo and without, and again from a witness", async () => {
    const findings = await check([...work, "--", slots, pool]);
    expect(findings.map(({ rule }) => rule)).toEqual(["recovery-output"]);
    expect(findings[0]!.message).toMatch(/prints "2 \/ 2"; .* "2" before .* "1 \/ 2" after/);
    expect(await main(["replay", witness])).toBe(1);
    expect(await check(["--no-memo", ...work, "--", slots, pool])).toEqual(findings);
  });
  it("is not asked for unless it is given", async () => {
    expect(await check([...work.slice(0, 2), "--", slots, pool])).toEqual([]);
  });
  it("must exit well", async () => {
    const fails = `/bin/sh -c 'test {n} != 3'`;
    const [finding] = await check(["--recover", `${slots} ${pool} show`, "--then", fails, "--", slots, pool]);
    expect(finding).toMatchObject({ rule: "recovery-fails" });
    expect(await main(["replay", witness])).toBe(1);
  });
  it("begins with the operation after the one under way", () => {
    expect([0, 4, 5, 9].map((seq) => operationAfter(Uint32Array.of(5, 9), seq))).toEqual([2, 2, 3, 4]);
  });
});

describe("a further recovery", () => {
  const list = checkGuest("list", "NON_ATOMIC");
  it("runs on what the one before left", async () => {
    const show = ["--recover", `${list} ${pool} show`];
    expect(await check([...show, "--", list, pool])).toEqual([]);
    const judged = [...show, "--recover", `${list} ${pool}`, "--", list, pool];
    const findings = await check(judged);
    expect(findings.map(({ rule }) => rule)).toEqual(["recovery-fails"]);
    expect(findings[0]!.message).toMatch(/exits with 4, saying "operation 5 is half done"/);
    expect(await main(["replay", witness])).toBe(1);
    expect(await check(["--no-memo", ...judged])).toEqual(findings);
  });
});

it("a recovery that prints less than after any clean stop is a warning", async () => {
  const list = checkGuest("list", "LOST_ACK");
  const findings = await check(["--recover", `${list} ${pool} show`, "--", list, pool]);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["recovery-prints-less", "warning"]]);
  expect(await main(["replay", witness])).toBe(1);
});
