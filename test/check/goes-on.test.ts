/** A check goes on with exploration: what no crash state of its own shows is found, and nothing is told twice. */
import { expect, it } from "vitest";
import type { Report } from "../../src/document/index.ts";
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
  expect(told(await check(...record("ordered")))).toEqual([]);
});

it("with what the check found told once", async () => {
  const words = ["--", checkGuest("list", "MISSING_FLUSH"), pool];
  const [whole, injected] = [await check(...words), await check("--no-explore", ...words)];
  expect(injected.coverage?.explored).toBeUndefined();
  expect(whole.coverage?.explored?.failurePoints.judged).toBeGreaterThan(0);
  expect(told(whole)).toEqual(told(injected));
});

it("not where more than one recovery runs", async () => {
  const program = checkGuest("list", undefined);
  const words = ["--recover", `${program} ${pool}`, "--recover", `${program} ${pool}`, "--", program, pool];
  expect((await check(...words)).coverage?.explored).toBeUndefined();
});
