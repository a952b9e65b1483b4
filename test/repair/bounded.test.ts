/** Repair within a bound of instructions: what is counted is the same each time, compiled or interpreted, and where it ends too. */
import { expect, it } from "vitest";
import { WorkBound } from "../../src/base/index.ts";
import { injectEngine, Repair, type RepairPorts, rulesEngine } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import { type CrashEngine, runSession } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { subjectOf } from "../support/subject.ts";

const { options } = subjectOf([checkGuest("list", "MISSING_FLUSH"), pool], {});

/** What a check of the program as it is finds, and repair then makes of it while `spent` is told of each run. */
async function cured(subject: SubjectOptions, spent: (instructions: number) => void) {
  const session = (tried: SubjectOptions, host: ReturnType<typeof realPorts>) =>
    runSession(
      {
        subject: tried,
        judging: { expectExit: 0, oracle: "exit", platform: "px86" },
        traceEngines: [rulesEngine({ wantsAnnotations: true })],
        crashEngines: [injectEngine() as CrashEngine],
        journal: false,
      },
      { host, workers: undefined, progress: () => undefined },
    );
  const isError = ({ rule }: { readonly rule: { readonly severity: string } }) => rule.severity === "error";
  const { ownFindings, findings, traced } = await session(subject, realPorts());
  expect(ownFindings).toEqual(findings);
  const host = { ...realPorts(), spent };
  const ports: RepairPorts = {
    host,
    isOwn: (module) => module === subject.program[0],
    errors: async (tried, show) => {
      const result = await session(tried, host);
      show(result.traced);
      return result.findings.filter(isError);
    },
  };
  const found = ownFindings.filter(isError);
  return { found, ports, ...(await new Repair(subject, ports).cured(found, traced)) };
}

async function counted(subject: SubjectOptions) {
  let [instructions, runs] = [0, 0];
  const { fixes } = await cured(subject, (spent) => {
    instructions += spent;
    runs++;
  });
  return { instructions, runs, fixes: fixes.length };
}

it("counts the same compiled, interpreted and again", async () => {
  const first = await counted(options);
  expect(first.fixes).toBe(1);
  expect(first.instructions).toBeGreaterThan(first.runs);
  expect(await counted({ ...options, jit: false })).toEqual(first);
});

it("ends one instruction before it is done, with nothing that was not verified", async () => {
  const { instructions } = await counted(options);
  const enough = await cured(options, new WorkBound(instructions).spend);
  expect([enough.fixes.length, enough.untried]).toEqual([1, []]);
  const short = await cured(options, new WorkBound(instructions - 1).spend);
  expect([short.fixes, short.refusals, short.patches]).toEqual([[], [], []]);
  expect(short.untried).toEqual(short.found);
});

it("cures with the check's own findings and run what it cures by itself", async () => {
  const { fixes, patches, ports } = await cured(options, () => undefined);
  const { errors } = ports;
  const unseen = (tried: SubjectOptions) => errors(tried, () => undefined);
  const alone = await new Repair(options, { ...ports, errors: unseen }).cured(await unseen(options));
  expect(alone.patches).toEqual(patches);
  const inserted = (all: typeof fixes) => all.map(({ inserts, also }) => ({ inserts, also }));
  expect(inserted(alone.fixes)).toEqual(inserted(fixes));
});
