/** The example in README: a check from TypeScript, findings as data. */
import { expect, it } from "vitest";
import { check } from "../../src/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { reportOf } from "../support/findings.ts";

it("a program is checked from TypeScript", async () => {
  const program = [checkGuest("array", "MISSING_FLUSH"), pool];
  const { findings, extent, stop } = await check({ program });
  const crashes = findings.filter(({ crash }) => crash !== undefined);
  expect(crashes).toHaveLength(1);
  expect(crashes[0]).toMatchObject({
    rule: { id: "recovery-fails" },
    crash: { lostLines: 1, witness: { fingerprint: crashes[0]!.fingerprint } },
  });
  expect(crashes[0]!.crash!.lost[0]!.frames[0]).toMatchObject({ file: expect.stringMatching(/array\.c$/) });
  expect(extent.states).toBe(extent.statesInAll);
  expect(stop).toBeUndefined();
});

it("the package finds what the command finds, explores as it does, and has the same fixes", async () => {
  const words = [checkGuest("array", "MISSING_FLUSH"), pool];
  const said = await reportOf("check", ["--fix", "--no-journal", "--", ...words]);
  const { ownFindings, findings, furtherExtent } = await check({ program: words });
  const prints = new Set(ownFindings.map(({ fingerprint }) => fingerprint));
  expect(said.findings.filter(({ fingerprint }) => !prints.has(fingerprint))).toEqual([]);
  expect(furtherExtent?.states).toBeGreaterThan(0);
  const own = findings.flatMap(({ repair }) => (repair !== undefined && "diff" in repair ? [repair.diff] : []));
  const shown = said.findings.flatMap(({ cure }) => cure?.diff ?? []);
  expect(shown).not.toEqual([]);
  expect(shown.filter((diff) => !own.includes(diff))).toEqual([]);
});

it("a correct one has no errors", async () => {
  const { findings } = await check({ program: [checkGuest("list", undefined), pool] });
  expect(findings.filter(({ rule }) => rule.severity === "error")).toEqual([]);
});
