/** `blackout robust` as a command: how it ends, what it says of pairs and fixes, and where it stops. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type * as document from "../../src/report/document/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { figures, figureWords, pool } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-robust-"));
afterAll(() => rmSync(folder, { recursive: true }));

const robust = (...args: readonly string[]) => runBlackout(["robust", "--no-journal", ...args], { cwd: folder });
const figure = (name: string, ...options: readonly string[]) => robust(...options, ...figureWords(name));

describe("ends", () => {
  it("with 0 when every way is robust", () => {
    const { code, stderr } = robust("--", checkGuest("list", undefined), checkPool);
    expect(stderr).toContain("judged every crash state of all 21 failure points, in 15 recoveries");
    expect(code).toBe(0);
  });
  it("with 1 when one is not, and says what cures it", () => {
    const { code, stderr } = figure("persisted");
    expect(stderr).toContain("error[not-robust]");
    const told = stderr.replaceAll(/\s+/g, " ");
    expect(told).toContain("recovery can read pm->x.value = 1 and pm->z.value = 0, which was 1 by then");
    expect(told).toMatch(/fix: flush and fence between the two, at figures\.c:\d+/);
    expect(told).toContain("(tested: the two stay in order)");
    expect(code).toBe(1);
  });
  it("with 0 where only the stores are others, not the values, and with 1 when warnings are to count", () => {
    const { code, stderr } = figure("again");
    expect(stderr).toContain("not-robust-same-values");
    expect(code).toBe(0);
    expect(figure("again", "--fail-on", "warning").code).toBe(1);
  });
  it("with 3 at a limit without a violation", () => {
    expect(robust("--max-executions", "5", "--", checkGuest("list", undefined), checkPool).code).toBe(3);
  });
  it("with 3 when chance finds nothing, which proves nothing", () => {
    const { code, stderr } = robust("--executions", "50", "--", checkGuest("list", undefined), checkPool);
    expect(stderr).toContain("judged 50 recoveries on crash states by chance, at 21 failure points");
    expect(code).toBe(3);
  });
  it("with 10 000 recoveries by chance where nobody says how many", () => {
    const { stderr } = robust("--executions", "--", checkGuest("list", undefined), checkPool);
    expect(stderr).toContain("judged 10000 recoveries on crash states by chance, at 21 failure points");
  });
  it("with 1 at the first error, where one is enough", () => {
    const { code, stderr } = robust(
      "--stop",
      "first",
      "--no-verify",
      "--",
      checkGuest("btree", "MISSING_FENCE"),
      checkPool,
    );
    expect(stderr).toContain("stopped by --stop first: judged every crash state of");
    expect(code).toBe(1);
  });
  it("with 1 for what only a second power cut shows", () => {
    const { code, stderr } = figure("fig8", "--depth", "2");
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("it takes 2 power cuts, the second inside recovery");
    expect(stderr).toContain("of all 1 failure points, in 28 recoveries");
    expect(code).toBe(1);
    expect(figure("fig8", "--depth", "2", "--executions", "5").code).toBe(2);
  });
  it("with 2 when there are several recoveries", () => {
    expect(robust("--recover", "a", "--recover", "b", "--", figures(), "fig1", pool).code).toBe(2);
  });
});

it("the same findings with several workers", () => {
  const report = (jobs: string) => {
    const file = join(folder, `${jobs}.json`);
    robust(
      "--no-verify",
      "-j",
      jobs,
      "--format",
      "json",
      "--report",
      file,
      "--",
      checkGuest("queue", "MISSING_FLUSH"),
      checkPool,
    );
    return (JSON.parse(readFileSync(file, "utf8")) as document.Report).findings;
  };
  expect(report("2")).toEqual(report("1"));
});

it("Figure 2 has its fixed point after exactly three flushes", () => {
  const { stderr } = figure("fig2", "--no-verify", "--fix-point");
  expect(stderr).toContain("with 3 flushes and 3 fences inserted, no error is left");
});
