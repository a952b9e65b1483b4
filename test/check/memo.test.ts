/** The memo's verdicts are those of running recovery on every crash state. */
import { describe, expect, it } from "vitest";
import { crashSource, hangLimit } from "../../src/cli/check.ts";
import { judgeOptions } from "../../src/cli/check-judges.ts";
import type { CheckOptions } from "../../src/cli/check-options.ts";
import { CheckSession } from "../../src/cli/check-session.ts";
import { FailureTally, Judge } from "../../src/engines/index.ts";
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
  journal: false,
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
    const source = crashSource(run, options(true));
    const [quick, slow] = [true, false].map((memo) => {
      const judge = new Judge(source, recovery, judgeOptions(options(memo), limit));
      const tally = new FailureTally();
      tally.add(judge.judge({ from: 0, to: source.plan.states }, [], () => false));
      return { findings: tally.findings(source.plan), tested: tally.tested };
    });
    expect(quick!.findings).toEqual(slow!.findings);
    expect(quick!.tested).toBeLessThan(slow!.tested);
  });
});
