/** The memo's verdicts are those of running recovery on every crash state. */
import { describe, expect, it } from "vitest";
import { type CheckOptions, hangLimit, injectorFor } from "../../src/cli/check.ts";
import { CheckSession } from "../../src/cli/check-session.ts";
import { checkGuest, pool } from "./guests.ts";

const options = (memo: boolean): CheckOptions => ({
  seed: 0,
  rw: [],
  env: [],
  jit: true,
  pm: [],
  annotations: "off",
  expectExit: 0,
  granularity: "store",
  allPoints: true,
  memo,
  rules: false,
  format: "text",
});

describe("with the memo and without", () => {
  it.each([
    ["array", "MISSING_FLUSH"],
    ["array", undefined],
    ["list", "LOST_ACK"],
  ])("%s %s", (name, bug) => {
    const session = new CheckSession(options(true), [checkGuest(name, bug), pool]);
    const run = session.trace([]);
    const { recovery } = session.recovery();
    const limit = hangLimit(recovery, run, options(true));
    const [quick, slow] = [true, false].map((memo) => {
      const result = injectorFor(recovery, run, options(memo), limit).run(run.trace);
      const findings = result.findings.map(({ point, kind, ended, lost, count }) => ({
        point,
        kind,
        verdict: ended.verdict,
        lost,
        count,
      }));
      return { ...result, findings };
    });
    expect({ ...quick!, runs: 0 }).toEqual({ ...slow!, runs: 0 });
    expect(quick!.runs).toBeLessThan(slow!.runs);
  });
});
