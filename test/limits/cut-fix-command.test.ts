/** A fix that its time ends tells what it has: what was verified until then, and every error that nothing was tried for. */
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { FixedProgram, Inserted } from "../../src/app/pipeline/index.ts";
import { fixProgram } from "../../src/app/pipeline/index.ts";
import { Stopped } from "../../src/base/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { judging, subjectOptions } from "../support/subject.ts";

const program = checkGuest("list", "MISSING_FLUSH");
const options = {
  subject: subjectOptions([program, pool], { recover: [program, pool, "check"] }),
  judging,
  source: [resolve("guests")],
  what: "missing",
  inPlace: false,
} as const;
const unseen = { update: () => undefined, end: () => undefined };

/** With a host whose time is over after so many questions. */
async function fixedWithin(most: number) {
  let asked = 0;
  const alarm = () => {
    if (asked++ >= most) throw new Stopped("time", "its time is over");
  };
  const host = () => ({ ...realPorts(), notice: () => undefined, alarm });
  const fixed = await fixProgram(options, { host, workers: undefined, progress: () => unseen });
  return { asked, fixed };
}

const fingerprints = ({ made }: FixedProgram) => {
  const { whole, untried } = made as Inserted;
  const cured = whole.flatMap(({ fix }) => [fix.finding!.fingerprint, ...fix.also]);
  return { cured, untried: untried.map(({ fingerprint }) => fingerprint) };
};

describe("a fix", () => {
  let asked = 0;
  let all: readonly string[] = [];
  beforeAll(async () => {
    const whole = await fixedWithin(Number.POSITIVE_INFINITY);
    asked = whole.asked;
    const { cured, untried } = fingerprints(whole.fixed);
    expect(untried).toEqual([]);
    expect(cured).not.toEqual([]);
    all = cured;
  });
  it.each([0.3, 0.8])("ended after %d of its work tells each error once", async (part) => {
    const most = Math.floor(part * asked);
    const end = await fixedWithin(most).catch((error: unknown) => error);
    // Before anything is known there is nothing to tell.
    if (end instanceof Stopped) return expect(part).toBeLessThan(0.5);
    const { cured, untried } = fingerprints((end as Awaited<ReturnType<typeof fixedWithin>>).fixed);
    expect(all).toEqual(expect.arrayContaining(cured));
    expect(cured.filter((one) => untried.includes(one))).toEqual([]);
    expect(cured.length + untried.length).toBeGreaterThan(0);
  });
});
