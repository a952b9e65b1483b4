/** Recoveries that a witness names are set up one by one, and the alarm is asked at each. */
import { expect, it } from "vitest";
import { Stopped } from "../../src/base/index.ts";
import { injectEngine } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { type CrashEngine, replayWitness, runSession } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { noteMemories } from "../support/memories.ts";

it("three hundred of them do not outlast the command's time", async () => {
  const program = checkGuest("list", "MISSING_FLUSH");
  const subject = {
    directory: "/",
    env: [],
    seed: 0,
    cpu: "v3",
    limits: {},
    jit: true,
    pm: [],
    annotated: false,
  } as const;
  const recover = [program, pool, "check"];
  const host = { ...realPorts(), notice: () => undefined };
  const { findings } = await runSession(
    {
      subject: { ...subject, program: [program, pool], recover, pmMode: "dax" },
      judging: { expectExit: 0, oracle: "exit", platform: "px86" },
      traceEngines: [],
      crashEngines: [injectEngine() as CrashEngine],
      journal: false,
    },
    { host, workers: undefined, progress: () => undefined },
  );
  const { witness } = findings.find(({ crash }) => crash !== undefined)!.crash!;
  const furtherRecoveries = Array.from({ length: 300 }, () => recover);
  const memories = noteMemories();
  let asked = 0;
  const alarm = () => {
    if (++asked > 40) throw new Stopped("time", "its time is over");
  };
  const long = { ...witness, subject: { ...witness.subject, furtherRecoveries } };
  expect(() => replayWitness(long, { ...host, alarm })).toThrow(Stopped);
  memories.end();
  expect(memories.made).toBeLessThan(60);
});
