/** Where the command's time is over while fixes are tried, what was found stays, as it was. */
import { expect, it } from "vitest";
import { withFixes } from "../../src/app/pipeline/check-fixes.ts";
import { Stopped } from "../../src/base/index.ts";
import { injectEngine } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { type CrashEngine, runSession } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { judging, subjectOptions } from "../support/subject.ts";

const program = checkGuest("list", "MISSING_FLUSH");
const session = {
  subject: subjectOptions([program, pool], { recover: [program, pool, "check"] }),
  judging,
  traceEngines: [],
  crashEngines: [injectEngine() as CrashEngine],
  journal: false,
} as const;
const unseen = { update: () => undefined, end: () => undefined };

it.each([0, 1, 10, 50])("after %d questions of the alarm", async (questions) => {
  const host = { ...realPorts(), notice: () => undefined };
  const result = await runSession(session, { host, workers: undefined, progress: () => undefined });
  expect(result.findings).not.toEqual([]);
  let asked = 0;
  const alarm = () => {
    if (asked++ >= questions) throw new Stopped("time", "its time is over");
  };
  const ports = { host: () => ({ ...host, alarm }), workers: undefined, progress: () => unseen };
  const told = await withFixes(result, session, { fixes: "bounded", source: [], engineFiles: [] }, ports);
  expect(asked).toBeGreaterThan(questions);
  expect(told.map(({ repair: _, ...finding }) => finding)).toEqual(result.findings);
});
