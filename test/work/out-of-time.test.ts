/** A session that runs out of time with a failure in hand: the failure is explained and told. */
import { expect, it } from "vitest";
import { Stopped } from "../../src/base/index.ts";
import { injectEngine } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { type CrashEngine, runSession } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { subjectOf } from "../support/subject.ts";

it("what was found by then is explained", async () => {
  let isOver = false;
  const alarm = () => {
    if (isOver) throw new Stopped("time", "its time is over");
  };
  const { findings, stop } = await runSession(
    {
      subject: subjectOf([checkGuest("array", "MISSING_FLUSH"), pool]).options,
      judging: { expectExit: 0, oracle: "exit", platform: "px86" },
      traceEngines: [],
      crashEngines: [injectEngine() as CrashEngine],
      journal: false,
    },
    {
      host: { ...realPorts(), alarm },
      workers: undefined,
      progress: (done) => {
        isOver = done.findings > 0;
      },
    },
  );
  expect(stop).toBe("time");
  expect(findings).toHaveLength(1);
  expect(findings[0]!.rule.id).toBe("recovery-fails");
});
