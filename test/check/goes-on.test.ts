/** A check goes on with exploration: what no crash state of its own shows is found, and nothing is told twice. */
import { env } from "node:process";
import { expect, it } from "vitest";
import type { Report } from "../../src/report/document/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { findingsIn, reportOf } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";
import { checkGuest, pool } from "./guests.ts";

const mixtures = () => compileGuest("explore/mixtures.c", ["-O1", "-g", "-static"]);
const record = (how: string): readonly string[] => {
  const of = (what: string) => `${mixtures()} ${what} ${pool} 5`;
  return ["--setup", of("setup"), "--recover", of("recover"), "--", ...of(how).split(" ")];
};
const told = (report: Report) => findingsIn(report).map(({ rule, severity }) => `${severity} ${rule}`);
const check = async (...words: readonly string[]) => await reportOf("check and explore", ["--no-rules", ...words]);

it("with two of four lines lost", async () => {
  expect(told(await check("--no-explore", "--all-points", "--granularity", "store", ...record("run")))).toEqual([]);
  const report = await check(...record("run"));
  expect(told(report)).toEqual(["error recovery-fails"]);
  const { explored } = report.coverage!;
  expect(explored?.failurePoints.judged).toBe(explored?.failurePoints.total);
  // A try does not explore: it would call cured what it cannot see.
  expect(report.findings[0]!.cure?.diff).toBeUndefined();
  expect(report.findings[0]!.cure?.verification?.result).not.toBe("cured");
  expect(told(await check(...record("ordered")))).toEqual([]);
});

it("with what the check found told once", async () => {
  const words = ["--", checkGuest("list", "MISSING_FLUSH"), pool];
  const [whole, injected] = [await check(...words), await check("--no-explore", ...words)];
  expect(injected.coverage?.explored).toBeUndefined();
  expect(whole.coverage?.explored?.failurePoints.judged).toBeGreaterThan(0);
  expect(told(whole)).toEqual(told(injected));
});

it.runIf(env["SEEDED"] === "all")("as far as it gets, which changes no verdict", async () => {
  const lines = compileGuest("explore/lines.c", ["-O1", "-g", "-static"]);
  const of = (what: string) => `${lines} ${what} ${pool} 24`;
  const words = ["--setup", of("setup"), "--recover", of("unguarded"), "--", ...of("run").split(" ")];
  const report = await check(...words);
  expect(told(report).filter((text) => text.startsWith("error"))).toEqual([]);
  const { exhaustive, explored } = report.coverage!;
  // The point at which all lines are open has 2^24 different recoveries.
  const { judged, total } = explored!.failurePoints;
  expect([exhaustive, judged < total]).toEqual([true, true]);
  expect(runBlackout(["check", "--no-journal", ...words]).code).toBe(0);
});

it("not where more than one recovery runs", async () => {
  const program = checkGuest("list", undefined);
  const words = ["--recover", `${program} ${pool}`, "--recover", `${program} ${pool}`, "--", program, pool];
  expect((await check(...words)).coverage?.explored).toBeUndefined();
});
